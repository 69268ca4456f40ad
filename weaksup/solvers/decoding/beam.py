"""Beam search over trees for a whole batch at once; a beam of 1 is greedy decoding.

A hypothesis is a partial prefix sequence with a stack of the operators that wait for a child.  The vectors that a stack
refers to (the goal of the right child, the embedding of a finished left subtree) lie in one pool and are never moved:
reordering the hypotheses moves only small index tables.  A complete hypothesis stays in the beam with its score; a
problem whose whole beam is complete costs nothing more.  `weaksup.baselines.sampling` samples trees in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from ..data.batches import Batch, send
from ..network.tree_decoder import Memory, TreeDecoder, allowed

__all__ = ["Hypothesis", "TreeSolver", "beam_search"]


class TreeSolver(Protocol):
    """The interface of a network that the search needs."""

    decoder: TreeDecoder

    def read(self, batch: Batch) -> Memory: ...


class Hypothesis(NamedTuple):
    """A complete tree."""

    tokens: tuple[int, ...]  # in prefix order
    log_probability: float


class Stacks(NamedTuple):
    """For each hypothesis the operators that wait for a child, bottom first."""

    depth: Tensor  # (rows,)
    operator: Tensor  # (rows, max depth)
    right: Tensor  # (rows, max depth) index in the pool of the vector passed to the right child
    left: Tensor  # (rows, max depth) index in the pool of the left subtree; -1 while it is not finished

    @classmethod
    def empty(cls, rows: int, max_tokens: int, device: torch.device) -> Stacks:
        none = torch.zeros((rows, max_tokens // 2 + 1), dtype=torch.long, device=device)
        return cls(torch.zeros(rows, dtype=torch.long, device=device), none, none.clone(), none - 1)

    def take(self, rows: Tensor) -> Stacks:
        return Stacks(*(part[rows] for part in self))


@torch.inference_mode()
def beam_search(
    model: TreeSolver,
    batch: Batch,
    *,
    beam: int = 5,
    max_tokens: int = 39,
    leaves: Sequence[tuple[int, int]] | None = None,
    sampled: bool = False,
) -> list[list[Hypothesis]]:
    """The best trees of each problem, best first; problems are in the order of the batch's original examples.

    `leaves` has the fewest and the most leaves that a tree of each example may have; then the search is over the
    distribution that `weaksup.baselines.sampling` draws from, and `max_tokens` is what the limits allow.  With
    `sampled` each step keeps a sample of the extended hypotheses, drawn by probability without replacement.
    """
    decoder = model.decoder
    memory = model.read(batch)
    problems, device = len(batch.lengths), memory.goal.device
    rows, hidden = problems * beam, memory.goal.shape[-1]
    limits = None
    if leaves is not None:
        limits = (2 * send(torch.tensor([leaves[place] for place in batch.order]), device) - 1).unbind(1)
        max_tokens = 2 * max(most for _, most in leaves) - 1
    pool = memory.goal.new_empty(2 * rows * max_tokens, hidden)

    score = memory.goal.new_full((problems, beam), -torch.inf)
    score[:, 0] = 0.0  # each beam starts with one empty hypothesis
    tokens = torch.zeros((rows, max_tokens), dtype=torch.long, device=device)
    done = torch.zeros(rows, dtype=torch.bool, device=device)
    stacks = Stacks.empty(rows, max_tokens, device)
    goal = decoder.left_goal(memory.goal).repeat_interleave(beam, dim=0)  # (rows, hidden)
    written = decoder.operators + memory.operands.shape[1]
    known = memory.goal.new_zeros(rows, 2 * hidden)
    owners = torch.arange(problems, device=device).repeat_interleave(beam)

    for step in range(max_tokens):
        live = torch.nonzero(~done & (score.view(-1) > -torch.inf)).squeeze(1)
        if not len(live):
            break
        owner = owners[live]
        known[live] = torch.cat([goal[live], decoder.attend(goal[live], owner, memory)], dim=-1)
        scores = decoder.score(known[live], owner, memory)  # (live, tokens)
        to_come = open_places(stacks.take(live))
        if limits is not None:
            may = may_branch_or_end(step, to_come, limits[0][owner], limits[1][owner])
            chances = allowed(scores, *may, decoder.operators).log_softmax(-1)
        else:
            chances = scores.log_softmax(-1)
            # An operator needs room for two children besides the nodes that are open already.
            chances[:, : decoder.operators].masked_fill_((step + to_come + 2 > max_tokens).unsqueeze(1), -torch.inf)

        total = score.new_full((rows, written), -torch.inf)
        total[live] = score.view(-1)[live].unsqueeze(1) + chances
        total[:, 0] = torch.where(done, score.view(-1), total[:, 0])  # a complete hypothesis stays as it is
        total = total.view(problems, -1)
        # The largest scores with Gumbel noise are a sample without replacement.
        noisy = total - torch.empty_like(total).exponential_().log() if sampled else total
        chosen = noisy.topk(beam, dim=-1).indices  # (problems, beam)
        score = total.gather(1, chosen)
        parent = (chosen // written + torch.arange(problems, device=device).unsqueeze(1) * beam).view(-1)
        token = (chosen % written).view(-1)

        done, tokens, stacks, known = done[parent], tokens[parent], stacks.take(parent), known[parent]
        moving = ~done & (score.view(-1) > -torch.inf)
        tokens[:, step] = torch.where(moving, token, -1)
        goal = torch.empty_like(goal)
        base = 2 * rows * step
        push(
            decoder,
            torch.nonzero(moving & (token < decoder.operators)).squeeze(1),
            token,
            known,
            stacks,
            goal,
            pool,
            base,
        )
        ends = torch.nonzero(moving & (token >= decoder.operators)).squeeze(1)
        done[close(decoder, ends, token, owners, memory, stacks, goal, pool, base + rows)] = True

    best = score.tolist()
    sequences = tokens.view(problems, beam, max_tokens).tolist()
    found: list[list[Hypothesis]] = [[] for _ in range(problems)]
    for row, place in enumerate(batch.order):
        found[place] = [
            Hypothesis(tuple(token for token in sequence if token >= 0)[: _size(sequence, decoder.operators)], chance)
            for sequence, chance in zip(sequences[row], best[row], strict=True)
            if chance > -torch.inf
        ]
    return found


def _size(sequence: list[int], operators: int) -> int:
    """The length of the tree at the beginning of a sequence."""
    missing = 1
    for place, token in enumerate(sequence):
        missing += 1 if token < operators else -1
        if not missing:
            return place + 1
    raise AssertionError("the search ends with complete trees")


def may_branch_or_end(step: int, to_come: Tensor, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
    """Whether the token of a step may be an operator, and an operand, in trees of `low` to `high` nodes.

    `to_come` (rows,) is the least number of nodes to come: an operator adds two, an operand may be the last.
    """
    return step + to_come + 2 <= high, (to_come > 1) | (step + 1 >= low)


def open_places(stacks: Stacks) -> Tensor:
    """The least number of nodes each hypothesis must still write: the current one and the pending right children."""
    places = torch.arange(stacks.left.shape[1], device=stacks.left.device)
    waiting = (places < stacks.depth.unsqueeze(1)) & (stacks.left < 0)
    return 1 + waiting.sum(1)


def push(
    decoder: TreeDecoder,
    rows: Tensor,
    token: Tensor,
    known: Tensor,
    stacks: Stacks,
    goal: Tensor,
    pool: Tensor,
    base: int,
) -> None:
    """Push the operators just written in `rows` on the stacks and move on to their left children."""
    if not len(rows):
        return
    to_left, to_right = decoder.pass_goals(known[rows], token[rows])
    pool[base + rows] = to_right
    depth = stacks.depth[rows]
    stacks.operator[rows, depth] = token[rows]
    stacks.right[rows, depth] = base + rows
    stacks.left[rows, depth] = -1
    stacks.depth[rows] = depth + 1
    goal[rows] = decoder.left_goal(to_left)


def close(
    decoder: TreeDecoder,
    rows: Tensor,
    token: Tensor,
    owners: Tensor,
    memory: Memory,
    stacks: Stacks,
    goal: Tensor,
    pool: Tensor,
    base: int,
) -> Tensor:
    """Merge the subtrees completed by the operands just written in `rows`, and move on to the next right child.

    Returns the rows whose tree is complete.
    """
    if not len(rows):
        return rows
    embedding = memory.operands[owners[rows], token[rows] - decoder.operators]  # (rows, hidden)
    while True:  # as long as both children of the top operator are finished
        depth = stacks.depth[rows]
        top = (depth - 1).clamp(min=0)
        ready = torch.nonzero((depth > 0) & (stacks.left[rows, top] >= 0)).squeeze(1)
        if not len(ready):
            break
        here, at = rows[ready], top[ready]
        left = pool[stacks.left[here, at]]
        embedding[ready] = decoder.merged(stacks.operator[here, at], left, embedding[ready])
        stacks.depth[here] -= 1
    waiting = torch.nonzero(stacks.depth[rows] > 0).squeeze(1)
    here, at = rows[waiting], stacks.depth[rows[waiting]] - 1
    pool[base + here] = embedding[waiting]
    stacks.left[here, at] = base + here
    goal[here] = decoder.right_goal(torch.cat([pool[stacks.right[here, at]], embedding[waiting]], dim=-1))
    return rows[stacks.depth[rows] == 0]
