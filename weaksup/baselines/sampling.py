"""Trees that a solver writes token by token, greedily or by sampling, for a whole batch at once.

Unlike beam search, this keeps the distribution over tokens at each node, and restricts the number of leaves to a range:
an untrained solver would write single numbers or endless trees, from which nothing can be learnt (the "tree
regularization" of Hong et al. 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import WeakSupError
from ..solvers.data.batches import Batch
from ..solvers.decoding.beam import Stacks, TreeSolver, close, open_places, push

__all__ = ["Written", "write_trees"]


class Written(NamedTuple):
    """A tree with the distributions that its tokens were chosen from."""

    tokens: tuple[int, ...]  # in prefix order
    chances: list[list[float]]  # for each token, the log-probabilities of all tokens at its node


@torch.inference_mode()
def write_trees(
    model: TreeSolver,
    batch: Batch,
    leaves: Sequence[tuple[int, int]],
    *,
    draws: int | None = None,
    any_shape: bool = False,
) -> list[list[Written]]:
    """For each original example of the batch, `draws` trees sampled with torch's generator, or the greedy tree if None.

    `leaves` has the fewest and the most leaves that a tree of each example may have.  With `any_shape` a fair coin
    decides where to branch, and the solver only chooses the operators and operands.  Raises WeakSupError if the
    network's probabilities are not numbers.
    """
    decoder, memory = model.decoder, model.read(batch)
    copies = draws or 1
    device = memory.goal.device
    owners = torch.arange(len(batch.lengths), device=device).repeat_interleave(copies)  # (rows,)
    rows, hidden = len(owners), memory.goal.shape[-1]
    low, high = (2 * torch.tensor([leaves[place] for place in batch.order], device=device) - 1)[owners].unbind(1)
    most = int(high.max())

    pool = memory.goal.new_empty(2 * rows * most, hidden)
    stacks = Stacks.empty(rows, most, device)
    done = torch.zeros(rows, dtype=torch.bool, device=device)
    goal = decoder.left_goal(memory.goal)[owners]  # (rows, hidden)
    known = memory.goal.new_zeros(rows, 2 * hidden)
    tokens = torch.full((rows, most), -1, dtype=torch.long, device=device)
    chances = memory.goal.new_zeros(rows, most, decoder.operators + memory.operands.shape[1])
    for step in range(most):
        live = torch.nonzero(~done).squeeze(1)
        if not len(live):
            break
        owner = owners[live]
        known[live] = torch.cat([goal[live], decoder.attend(goal[live], owner, memory)], dim=-1)
        scores = decoder.score(known[live], owner, memory).log_softmax(-1)  # (live, tokens)
        if scores.isnan().any():
            raise WeakSupError(
                "training has diverged: the network's probabilities are not numbers; use a lower learning rate"
            )
        chances[live, step] = scores
        to_come = open_places(stacks.take(live))
        branching = (step + to_come + 2 <= high[live], (to_come > 1) | (step + 1 >= low[live]))
        allowed = _allowed(scores, *(_either(*branching) if any_shape else branching), decoder.operators)
        chosen = allowed.argmax(-1) if draws is None else torch.multinomial(allowed.softmax(-1), 1).squeeze(1)
        token = tokens[:, step]  # a view
        token[live] = chosen
        base = 2 * rows * step
        push(decoder, live[chosen < decoder.operators], token, known, stacks, goal, pool, base)
        ends = live[chosen >= decoder.operators]
        done[close(decoder, ends, token, owners, memory, stacks, goal, pool, base + rows)] = True

    found: list[list[Written]] = [[] for _ in batch.order]
    sequences, distributions = tokens.tolist(), chances.tolist()
    for row, sequence in enumerate(sequences):
        size = sequence.index(-1) if -1 in sequence else most
        found[batch.order[row // copies]].append(Written(tuple(sequence[:size]), distributions[row][:size]))
    return found


def _either(branch: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
    """Choose by a fair coin where a node (rows,) may either branch or end."""
    heads = torch.rand(len(branch), device=branch.device) < 0.5
    return branch & (heads | ~end), end & ~(heads & branch)


def _allowed(scores: Tensor, branch: Tensor, end: Tensor, operators: int) -> Tensor:
    """The scores (rows, tokens), with -inf for operators that may not branch and operands that may not end."""
    allowed = scores.clone()
    allowed[:, :operators].masked_fill_(~branch.unsqueeze(1), -torch.inf)
    allowed[:, operators:].masked_fill_(~end.unsqueeze(1), -torch.inf)
    return allowed
