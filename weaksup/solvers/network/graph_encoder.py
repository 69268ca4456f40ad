"""The graph encoder of G2T (Zhang et al. 2020): graph convolutions over comparisons and cells, as a transformer block.

A head is two graph convolutions, Z = A relu(A X W1 + b1) W2 + b2, whose output width is the hidden size divided by the
number of heads; A is the comparison graph in half of the heads and the cell graph in the others.  The concatenated
heads pass a layer norm and a residual connection from X, then a feed-forward layer with another one.

A has self-loops, and each row is divided by its sum (its degree).  In the comparison graph, which is directed, that is
the mean over the quantities that a quantity gathers from.  Rows sum to one, so a bias may be added before the product
with A.  Padding has no edge but its own loop, so no state depends on how far a batch is padded.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ...errors import ConfigError
from ..presets import SolverConfig
from .dropout import PooledDropout

__all__ = ["GraphEncoder", "normalized"]


def normalized(edges: Tensor) -> Tensor:
    """Adjacency matrices (..., length, length) with self-loops, each row divided by its sum."""
    looped = edges + torch.eye(edges.shape[-1], dtype=edges.dtype, device=edges.device)
    return looped / looped.sum(-1, keepdim=True)


class GraphEncoder(nn.Module):
    """States and both graphs -> states of the same shape."""

    def __init__(self, config: SolverConfig) -> None:
        super().__init__()
        hidden, heads = config.hidden, config.heads
        if heads < 2 or heads % 2 or hidden % heads:
            raise ConfigError(f"heads must be even and divide hidden ({hidden}); got {heads}")
        self.heads = heads
        self.first = nn.Linear(hidden, hidden)  # all heads concatenated, those of the comparison graph first
        share = hidden // heads
        self.second = nn.Parameter(torch.empty(2, heads // 2, share, share))  # by graph and head
        self.second_bias = nn.Parameter(torch.zeros(hidden))
        for weight in self.second.flatten(0, 1):
            nn.init.xavier_uniform_(weight)
        self.norm = nn.LayerNorm(hidden)
        self.dropout = PooledDropout(config.dropout)
        self.feed_forward = nn.Sequential(
            nn.Linear(hidden, hidden), nn.ReLU(), PooledDropout(config.dropout), nn.Linear(hidden, hidden)
        )

    def forward(self, states: Tensor, comparisons: Tensor, cells: Tensor) -> Tensor:
        """`states` (batch, length, hidden), edges (batch, length, length) -> (batch, length, hidden)."""
        batch, length, hidden = states.shape
        spread = normalized(torch.stack([comparisons, cells], dim=1).to(states.dtype))  # (batch, 2, length, length)
        found = self.first(states).view(batch, length, 2, hidden // 2).transpose(1, 2)
        found = self.dropout(torch.relu(spread @ found))  # (batch, 2, length, hidden / 2)
        by_head = found.view(batch, 2, length, self.heads // 2, -1)
        found = torch.einsum("bglhi,ghio->bglho", by_head, self.second)  # (batch, 2, length, heads / 2, share)
        found = spread @ found.reshape(batch, 2, length, hidden // 2)
        heads = found.transpose(1, 2).reshape(batch, length, hidden) + self.second_bias
        mixed: Tensor = self.norm(heads) + states  # (batch, length, hidden)
        fed: Tensor = self.feed_forward(mixed)
        return mixed + fed
