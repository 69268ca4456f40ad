"""The graph encoder of G2T (Zhang et al. 2020): graph convolutions over comparisons and cells, as a transformer block.

A head is two graph convolutions, Z = A relu(A X W1 + b1) W2 + b2, whose output width is the hidden size divided by the
number of heads; A is the comparison graph in half of the heads and the cell graph in the others.  The concatenated
heads pass a layer norm and a residual connection from X, then a feed-forward layer with another one.

There are two of them (`SolverConfig.graph`):

- `published`, as in the code that was published with the paper: W1 of each head is hidden x hidden, and A, with
  self-loops, is not normalized, so a quantity gathers the sum of its neighbours.
- `compact`: the heads share the hidden size in the first convolution too, which takes less than half of the weights,
  and each row of A is divided by its sum (its degree), so a quantity gathers the mean.  Rows sum to one, so a bias may
  be added before the product with A.

Padding has no edge but its own loop, so no state depends on how far a batch is padded.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...errors import ConfigError
from ..presets import SolverConfig
from .dropout import PooledDropout

__all__ = ["GRAPH_ENCODERS", "CompactGraphEncoder", "GraphEncoder", "PublishedGraphEncoder", "normalized"]


def looped(edges: Tensor) -> Tensor:
    """Adjacency matrices (..., length, length) with self-loops."""
    return edges + torch.eye(edges.shape[-1], dtype=edges.dtype, device=edges.device)


def normalized(edges: Tensor) -> Tensor:
    """Adjacency matrices (..., length, length) with self-loops, each row divided by its sum."""
    found = looped(edges)
    return found / found.sum(-1, keepdim=True)


class GraphEncoder(nn.Module):
    """States and both graphs -> states of the same shape; the heads are those of a subclass."""

    def __init__(self, config: SolverConfig) -> None:
        super().__init__()
        hidden, heads = config.hidden, config.heads
        if heads < 2 or heads % 2 or hidden % heads:
            raise ConfigError(f"heads must be even and divide hidden ({hidden}); got {heads}")
        self.heads = heads
        chance = config.dropout if config.graph_dropout is None else config.graph_dropout
        self.make_heads(hidden, hidden // heads)
        self.norm = nn.LayerNorm(hidden)
        self.dropout = PooledDropout(chance)
        self.feed_forward = nn.Sequential(
            nn.Linear(hidden, hidden), nn.ReLU(), PooledDropout(chance), nn.Linear(hidden, hidden)
        )

    def make_heads(self, hidden: int, share: int) -> None:
        """Make the weights of the heads, each with outputs of width `share`."""
        raise NotImplementedError

    def gather(self, states: Tensor, edges: Tensor) -> Tensor:
        """The heads (batch, length, hidden), concatenated; `edges` are (batch, 2, length, length)."""
        raise NotImplementedError

    def forward(self, states: Tensor, comparisons: Tensor, cells: Tensor) -> Tensor:
        """`states` (batch, length, hidden), edges (batch, length, length) -> (batch, length, hidden)."""
        heads = self.gather(states, torch.stack([comparisons, cells], dim=1).to(states.dtype))
        mixed: Tensor = self.norm(heads) + states  # (batch, length, hidden)
        fed: Tensor = self.feed_forward(mixed)
        return mixed + fed


class CompactGraphEncoder(GraphEncoder):
    """Narrow heads that gather means."""

    def make_heads(self, hidden: int, share: int) -> None:
        self.first = nn.Linear(hidden, hidden)  # all heads concatenated, those of the comparison graph first
        self.second = nn.Parameter(torch.empty(2, self.heads // 2, share, share))  # by graph and head
        self.second_bias = nn.Parameter(torch.zeros(hidden))
        for weight in self.second.flatten(0, 1):
            nn.init.xavier_uniform_(weight)

    def gather(self, states: Tensor, edges: Tensor) -> Tensor:
        batch, length, hidden = states.shape
        spread = normalized(edges)
        found = self.first(states).view(batch, length, 2, hidden // 2).transpose(1, 2)
        found = self.dropout(torch.relu(spread @ found))  # (batch, 2, length, hidden / 2)
        by_head = found.view(batch, 2, length, self.heads // 2, -1)
        found = torch.einsum("bglhi,ghio->bglho", by_head, self.second)  # (batch, 2, length, heads / 2, share)
        found = spread @ found.reshape(batch, 2, length, hidden // 2)
        return found.transpose(1, 2).reshape(batch, length, hidden) + self.second_bias


class PublishedGraphEncoder(GraphEncoder):
    """Heads of full width that gather sums."""

    def make_heads(self, hidden: int, share: int) -> None:
        def uniform(width: int, *shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(shape).uniform_(-(width**-0.5), width**-0.5))

        half = self.heads // 2
        self.first = uniform(hidden, 2, half, hidden, hidden)  # by graph and head
        self.first_bias = uniform(hidden, 2, half, 1, hidden)
        self.second = uniform(share, 2, half, hidden, share)
        self.second_bias = uniform(share, 2, half, 1, share)

    def gather(self, states: Tensor, edges: Tensor) -> Tensor:
        batch, length, hidden = states.shape
        spread = looped(edges).unsqueeze(2)  # (batch, 2, 1, length, length)
        inner = spread @ (states[:, None, None] @ self.first) + self.first_bias  # (batch, 2, heads / 2, length, hidden)
        inner = self.dropout(torch.relu(inner))
        found: Tensor = spread @ (inner @ self.second) + self.second_bias  # (batch, 2, heads / 2, length, share)
        return found.permute(0, 3, 1, 2, 4).reshape(batch, length, hidden)


#: By the setting `graph`.
GRAPH_ENCODERS: dict[str, type[GraphEncoder]] = {"compact": CompactGraphEncoder, "published": PublishedGraphEncoder}
