"""Trees that a solver writes token by token, greedily or by sampling, for a whole batch at once.

Unlike beam search, this keeps the distribution over tokens at each node, and restricts the number of leaves to a range:
an untrained solver would write single numbers or endless trees, from which nothing can be learnt (the "tree
regularization" of Hong et al. 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from ..errors import WeakSupError
from ..solvers.data.batches import Batch, send
from ..solvers.decoding.beam import Stacks, TreeSolver, close, may_branch_or_end, open_places, push
from ..solvers.network.tree_decoder import Memory, TreeDecoder, allowed

__all__ = ["Shapes", "Written", "write_trees"]

Shapes = Literal["model", "three", "any"]
_THREE_LEAVES = 5  # nodes


class Written(NamedTuple):
    """A tree with the distributions that its tokens were chosen from."""

    tokens: tuple[int, ...]  # in prefix order
    chances: list[list[float]]  # for each token, the log-probabilities of all tokens at its node
    log_probability: float = 0.0  # of drawing the tree, under the limits for its leaves


@torch.no_grad()  # not in inference mode: with dropout, its masks are kept for training
def write_trees(
    model: TreeSolver,
    batch: Batch,
    leaves: Sequence[tuple[int, int]],
    *,
    draws: int | None = None,
    shapes: Shapes = "model",
    constants: bool = True,
) -> list[list[Written]]:
    """For each original example of the batch, `draws` trees sampled with torch's generator, or the greedy tree if None.

    `leaves` has the fewest and the most leaves that a tree of each example may have.  `shapes` says who decides where
    to branch: the model; or in trees of three leaves a coin (`three`); or in all trees a fair coin (`any`).  Without
    `constants` no constant is written where there are quantities.  Raises WeakSupError if the network's probabilities
    are not numbers.
    """
    decoder, memory = model.decoder, model.read(batch)
    copies = draws or 1
    device = memory.goal.device
    owners = torch.arange(len(batch.lengths), device=device).repeat_interleave(copies)  # (rows,)
    rows, hidden = len(owners), memory.goal.shape[-1]
    limits = send(torch.tensor([leaves[place] for place in batch.order]), device)  # (batch, 2)
    low, high = (2 * limits - 1)[owners].unbind(1)
    most = 2 * max(most for _, most in leaves) - 1

    pool = memory.goal.new_empty(2 * rows * most, hidden)
    stacks = Stacks.empty(rows, most, device)
    done = torch.zeros(rows, dtype=torch.bool, device=device)
    goal = decoder.left_goal(memory.goal)[owners]  # (rows, hidden)
    known = memory.goal.new_zeros(rows, 2 * hidden)
    tokens = torch.full((rows, most), -1, dtype=torch.long, device=device)
    drawn = memory.goal.new_zeros(rows)
    chances = memory.goal.new_zeros(rows, most, decoder.operators + memory.operands.shape[1])
    masked = None if constants else _constants(decoder, memory)
    for step in range(most):
        live = torch.nonzero(~done).squeeze(1)
        if not len(live):
            break
        owner = owners[live]
        known[live] = torch.cat([goal[live], decoder.attend(goal[live], owner, memory)], dim=-1)
        scores = decoder.score(known[live], owner, memory)  # (live, tokens)
        if masked is not None:
            scores = scores.masked_fill(masked[owner], -torch.inf)
        scores = scores.log_softmax(-1)
        if scores.isnan().any():
            raise WeakSupError(
                "training has diverged: the network's probabilities are not numbers; use a lower learning rate"
            )
        chances[live, step] = scores
        to_come = open_places(stacks.take(live))
        branching = may_branch_or_end(step, to_come, low[live], high[live])
        branching = _tossed(*branching, shapes, step, high[live])
        limited = allowed(scores, *branching, decoder.operators).log_softmax(-1)
        chosen = limited.argmax(-1) if draws is None else torch.multinomial(limited.exp(), 1).squeeze(1)
        drawn[live] += limited.gather(1, chosen.unsqueeze(1)).squeeze(1)
        token = tokens[:, step]  # a view
        token[live] = chosen
        base = 2 * rows * step
        push(decoder, live[chosen < decoder.operators], token, known, stacks, goal, pool, base)
        ends = live[chosen >= decoder.operators]
        done[close(decoder, ends, token, owners, memory, stacks, goal, pool, base + rows)] = True

    found: list[list[Written]] = [[] for _ in batch.order]
    sequences, distributions, log_probabilities = tokens.tolist(), chances.tolist(), drawn.tolist()
    for row, sequence in enumerate(sequences):
        size = sequence.index(-1) if -1 in sequence else most
        tree = Written(tuple(sequence[:size]), distributions[row][:size], log_probabilities[row])
        found[batch.order[row // copies]].append(tree)
    return found


def _constants(decoder: TreeDecoder, memory: Memory) -> Tensor:
    """The constants (batch, tokens) of the problems that have quantities."""
    masked = memory.operand_mask.new_zeros(len(memory.operand_mask), decoder.operators + memory.operand_mask.shape[1])
    fixed = decoder.constant_embedding.num_embeddings
    masked[:, decoder.operators : decoder.operators + fixed] = memory.operand_mask[:, fixed:].any(1, keepdim=True)
    return masked


def _tossed(branch: Tensor, end: Tensor, shapes: Shapes, step: int, high: Tensor) -> tuple[Tensor, Tensor]:
    """Where a node (rows,) may branch and may end, if a coin decides between both.

    In trees of three leaves the coin of the authors' code decides at the second token, and seven times in ten to end.
    """
    if shapes == "model" or (shapes == "three" and step != 1):
        return branch, end
    heads = torch.rand(len(branch), device=branch.device) < (0.5 if shapes == "any" else 0.3)
    tossed = branch & end if shapes == "any" else branch & end & (high == _THREE_LEAVES)
    return branch & (heads | ~tossed), end & ~(heads & tossed)
