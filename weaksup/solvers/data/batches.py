"""Problems and their trees as index tensors: everything a training step needs, computed before the step.

During training the trees are known in advance, so the order of computation is too.  A node's subtree embedding depends
on the tree below it; its goal depends on the nodes above it and on the finished subtree to its left.  Embeddings are
therefore merged bottom-up, all nodes of one height at once, and goals are derived top-down, all nodes of one depth at
once, over all trees of a batch.  `TreePlan` is that schedule.  Nodes are numbered level by level; a level holds the
left children of the operators of the level above, in order, then their right children, so two matrix products make
the level and no index is needed.  Only the embeddings of left subtrees are ever read, so only those are merged.

A problem may have several trees (soft labels, candidates to score); its text is encoded once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .graphs import Graphs
from .vocabulary import PAD

__all__ = ["Batch", "Example", "TreePlan", "bucketed", "make_batch", "plan_trees", "send"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Example:
    """A problem as numbers, with the trees to train on or to score."""

    words: tuple[int, ...]
    places: tuple[int, ...]  # positions of the quantities in the text
    same: tuple[int, ...]  # for each constant and quantity, the first one of the same value
    trees: tuple[tuple[int, ...], ...] = ()  # prefix sequences of token numbers
    weights: tuple[float, ...] = ()  # one per tree
    graphs: Graphs | None = None  # only for g2t
    leaves: tuple[int, int] | None = None  # trees are drawn with no fewer and no more leaves than these


@dataclass(frozen=True, slots=True)
class TreePlan:
    """The schedule of a batch of trees.  Nodes are numbered level by level."""

    token: Tensor  # (nodes,)
    owner: Tensor  # (nodes,) the node's problem in the batch
    tree: Tensor  # (nodes,) the node's tree in the batch
    tree_owner: Tensor  # (trees,) the tree's problem in the batch
    sizes: tuple[int, ...]  # the number of nodes in each level
    operators: tuple[Tensor, ...]  # for each level but the last, which of its nodes are operators
    left: tuple[Tensor, ...]  # for each of those operators, the row of its left subtree in the embedding table
    leaves: Tensor  # the nodes of the first rows of the embedding table
    merges: tuple[tuple[Tensor, Tensor, Tensor], ...]  # for each height: nodes, rows of their left and right subtrees
    choices: tuple[Tensor, Tensor] | None = None  # (nodes,) whether a node may be an operator, an operand; None: any


@dataclass(frozen=True, slots=True)
class Batch:
    """Problems, longest first, with or without trees."""

    words: Tensor  # (batch, length), padded
    lengths: tuple[int, ...]
    length: Tensor  # (batch,) the lengths again, as a tensor
    places: Tensor  # (batch, quantities) positions of the quantities in the text; 0 pads
    same: Tensor  # (batch, constants + quantities) the first operand of the same value; -1 pads
    order: tuple[int, ...]  # for each problem, its index among the given examples
    plan: TreePlan | None = None
    weights: Tensor | None = None  # (trees,)
    comparisons: Tensor | None = None  # (batch, length, length) edges of g2t, 1 or 0, without self-loops
    cells: Tensor | None = None  # (batch, length, length)


# --- schedules --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shape:
    """The structure of a tree; nodes are numbered by their position in the prefix sequence."""

    left: Ints  # -1 for a leaf
    right: Ints
    height: Ints
    merged: npt.NDArray[np.bool_]  # whether the node's embedding is needed


@lru_cache(maxsize=1 << 14)
def _shape(operators: bytes) -> _Shape:
    """The shape of a prefix sequence, given as one byte per node: 1 for an operator, 0 for a leaf."""
    size = len(operators)
    left, right, height = (np.full(size, fill, np.int64) for fill in (-1, -1, 0))
    pending: list[int] = []
    for node in range(size - 1, -1, -1):
        if operators[node]:
            if len(pending) < 2:
                raise ValueError("the sequence is not one tree")
            left[node], right[node] = pending.pop(), pending.pop()
            height[node] = 1 + max(height[left[node]], height[right[node]])
        pending.append(node)
    if len(pending) != 1:
        raise ValueError("the sequence is not one tree")
    merged = np.zeros(size, np.bool_)
    for node in range(size):
        if operators[node]:
            merged[left[node]] = True
            merged[right[node]] = merged[node]
    return _Shape(left, right, height, merged)


def plan_trees(
    trees: Sequence[Sequence[int]],
    owners: Sequence[int],
    *,
    operators: int,
    leaves: Sequence[tuple[int, int]] | None = None,
    device: torch.device | str = "cpu",
) -> TreePlan:
    """The schedule of a batch of trees; token numbers below `operators` are operators.

    `leaves` has for each tree the fewest and the most leaves that it could have been drawn with.
    """
    tokens = np.fromiter((token for tree in trees for token in tree), np.int64)
    sizes = np.fromiter(map(len, trees), np.int64, len(trees))
    starts = np.cumsum(sizes) - sizes
    marks = (tokens < operators).astype(np.uint8)
    raw = marks.tobytes()
    shapes = [_shape(raw[start : start + size]) for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)]
    offset = np.repeat(starts, sizes)
    left = np.concatenate([shape.left for shape in shapes]) + offset
    right = np.concatenate([shape.right for shape in shapes]) + offset
    height = np.concatenate([shape.height for shape in shapes])
    merged = np.concatenate([shape.merged for shape in shapes])
    is_operator = marks.astype(np.bool_)

    levels, chosen = [starts], []
    while True:
        places = np.flatnonzero(is_operator[levels[-1]])
        if not len(places):
            break
        chosen.append(places)
        parents = levels[-1][places]
        levels.append(np.concatenate([left[parents], right[parents]]))
    order = np.concatenate(levels)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))

    place = np.full(len(order), -1, np.int64)  # the node's row in the embedding table
    by_height = [np.flatnonzero(merged & (height == level)) for level in range(int(height.max()) + 1)]
    by_height = [nodes for nodes in by_height if len(nodes)]
    filled = 0
    for nodes in by_height:
        place[nodes] = np.arange(filled, filled + len(nodes))
        filled += len(nodes)

    owner = np.repeat(np.asarray(owners, np.int64), sizes)
    tree = np.repeat(np.arange(len(trees), dtype=np.int64), sizes)
    arrays = [tokens[order], owner[order], tree[order], np.asarray(owners, np.int64)]
    arrays += chosen
    arrays += [place[left[level[places]]] for level, places in zip(levels, chosen, strict=False)]
    arrays.append(number[by_height[0]] if by_height else np.zeros(0, np.int64))
    for nodes in by_height[1:]:
        arrays += [number[nodes], place[left[nodes]], place[right[nodes]]]
    if leaves is not None:
        arrays += [may[order] for may in _choices(is_operator, starts, sizes, leaves)]
    moved = iter(_to_device(arrays, device))
    deep = len(chosen)
    return TreePlan(
        token=next(moved),
        owner=next(moved),
        tree=next(moved),
        tree_owner=next(moved),
        sizes=tuple(map(len, levels)),
        operators=tuple(next(moved) for _ in range(deep)),
        left=tuple(next(moved) for _ in range(deep)),
        leaves=next(moved),
        merges=tuple((next(moved), next(moved), next(moved)) for _ in by_height[1:]),
        choices=None if leaves is None else (next(moved).bool(), next(moved).bool()),
    )


def _choices(
    is_operator: npt.NDArray[np.bool_], starts: Ints, sizes: Ints, leaves: Sequence[tuple[int, int]]
) -> tuple[Ints, Ints]:
    """Whether each node of the prefix sequences may be an operator and an operand: see `beam.may_branch_or_end`."""
    steps = np.arange(len(is_operator)) - np.repeat(starts, sizes)
    change = np.where(is_operator, 1, -1)
    before = np.cumsum(change) - change
    missing = 1 + before - np.repeat(before[starts], sizes)
    low, high = (np.repeat(2 * bound - 1, sizes) for bound in np.asarray(leaves, np.int64).T)
    return (steps + missing + 2 <= high).astype(np.int64), ((missing > 1) | (steps + 1 >= low)).astype(np.int64)


def _to_device(arrays: Sequence[Ints], device: torch.device | str) -> tuple[Tensor, ...]:
    """The arrays as tensors on the device, moved in one transfer."""
    whole = send(torch.from_numpy(np.concatenate(arrays)), device)
    parts: tuple[Tensor, ...] = whole.split([len(array) for array in arrays])
    return parts


def send(tensor: Tensor, device: torch.device | str) -> Tensor:
    """The tensor on the device.  A transfer to a GPU only runs beside other work if it comes from pinned memory."""
    if torch.device(device).type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


# --- batches ----------------------------------------------------------------------------------------------------------


def make_batch(
    examples: Sequence[Example], *, operators: int, constants: int, device: torch.device | str = "cpu"
) -> Batch:
    """The examples as one batch, longest first."""
    order = sorted(range(len(examples)), key=lambda i: -len(examples[i].words))
    chosen = [examples[i] for i in order]
    lengths = [len(example.words) for example in chosen]
    width = lengths[0]
    quantities = max((len(example.places) for example in chosen), default=0)
    words = np.full((len(chosen), width), PAD, np.int64)
    places = np.zeros((len(chosen), quantities), np.int64)
    same = np.full((len(chosen), constants + quantities), -1, np.int64)
    for row, example in enumerate(chosen):
        words[row, : len(example.words)] = example.words
        places[row, : len(example.places)] = example.places
        same[row, : len(example.same)] = example.same
    trees = [tree for example in chosen for tree in example.trees]
    plan = None
    weights = None
    if trees:
        owners = [row for row, example in enumerate(chosen) for _ in example.trees]
        limits = [example.leaves for example in chosen for _ in example.trees if example.leaves is not None]
        if limits and len(limits) < len(trees):
            raise ValueError("all examples of a batch have limits for their leaves, or none")
        plan = plan_trees(trees, owners, operators=operators, leaves=limits or None, device=device)
        given = [weight for example in chosen for weight in example.weights or (1.0,) * len(example.trees)]
        weights = send(torch.tensor(given), device)
    moved = _to_device([words.ravel(), places.ravel(), same.ravel(), np.asarray(lengths)], device)
    comparisons = cells = None
    if chosen[0].graphs is not None:
        comparisons, cells = _adjacency([example.graphs for example in chosen], width, device)
    return Batch(
        words=moved[0].view(words.shape),
        lengths=tuple(lengths),
        length=moved[3],
        places=moved[1].view(places.shape),
        same=moved[2].view(same.shape),
        order=tuple(order),
        plan=plan,
        weights=weights,
        comparisons=comparisons,
        cells=cells,
    )


def _adjacency(graphs: Sequence[Graphs | None], width: int, device: torch.device | str) -> Tensor:
    """The adjacency matrices (2, batch, width, width) of the graphs, filled in on the device from the edges."""
    rows = [
        (kind * len(graphs) + row, edges) for row, both in enumerate(graphs) for kind, edges in enumerate(both or ())
    ]
    starts = np.repeat([row * width * width for row, _ in rows], [len(edges) for _, edges in rows])
    ends = np.fromiter((end for _, edges in rows for edge in edges for end in edge), np.int64).reshape(-1, 2)
    (places,) = _to_device([starts + ends[:, 0] * width + ends[:, 1]], device)
    return (
        torch.zeros(2 * len(graphs) * width * width, device=device)
        .index_fill_(0, places, 1.0)
        .view(2, -1, width, width)
    )


def bucketed(
    lengths: Sequence[int], *, batch_size: int, rng: np.random.Generator | None = None, pool: int = 40
) -> Iterator[Ints]:
    """Yield batches of similar length, each as the indices of its examples.

    With `rng`, shuffle the examples, cut them into pools of `pool` batches, sort each pool by length and shuffle the
    batches; without it, sort all examples, shortest first.
    """
    sizes = np.asarray(lengths)
    if rng is None:
        order = np.argsort(sizes, kind="stable")
        yield from (order[start : start + batch_size] for start in range(0, len(order), batch_size))
        return
    order = rng.permutation(len(sizes))
    batches = []
    for start in range(0, len(order), pool * batch_size):
        chosen = order[start : start + pool * batch_size]
        chosen = chosen[np.argsort(sizes[chosen], kind="stable")]
        batches += [chosen[i : i + batch_size] for i in range(0, len(chosen), batch_size)]
    for i in rng.permutation(len(batches)):
        yield batches[i]
