"""Schedules against a brute-force walk of every tree; buckets as partitions; the order of a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaksup.solvers.data.batches import Example, TreePlan, bucketed, make_batch, plan_trees
from weaksup.solvers.data.vocabulary import PAD

from ..examples_for_tests import OPERATORS, chain, random_tree


class Node:
    """A node of a tree, linked: the slow way."""

    def __init__(self, tree: int, token: int, depth: int) -> None:
        self.tree, self.token, self.depth = tree, token, depth
        self.left: Node | None = None
        self.right: Node | None = None

    def text(self) -> str:
        if self.left is None or self.right is None:
            return str(self.token)
        return f"({self.token} {self.left.text()} {self.right.text()})"


def linked(tokens: list[int], tree: int, depth: int = 0) -> Node:
    """Takes the tokens of the tree from the list."""
    node = Node(tree, tokens.pop(0), depth)
    if node.token < OPERATORS:
        node.left, node.right = linked(tokens, tree, depth + 1), linked(tokens, tree, depth + 1)
    return node


def levels_of(roots: list[Node]) -> list[list[Node]]:
    """By the documented order: the left children of a level's operators, then their right children."""
    levels = [roots]
    while parents := [node for node in levels[-1] if node.left]:
        levels.append([n for node in parents if (n := node.left)] + [n for node in parents if (n := node.right)])
    return levels


def check_plan(plan: TreePlan, trees: list[tuple[int, ...]], owners: list[int]) -> None:
    levels = levels_of([linked(list(tree), i) for i, tree in enumerate(trees)])
    nodes = [node for level in levels for node in level]
    assert plan.sizes == tuple(len(level) for level in levels)
    assert plan.token.tolist() == [node.token for node in nodes]
    assert plan.tree.tolist() == [node.tree for node in nodes]
    assert plan.owner.tolist() == [owners[node.tree] for node in nodes]
    assert plan.tree_owner.tolist() == owners
    assert len(plan.operators) == len(plan.left) == len(levels) - 1

    # The table of embeddings, filled as the decoder does, with the text of a subtree for its embedding.
    table = [nodes[i].text() for i in plan.leaves.tolist()]
    assert all(not nodes[i].left for i in plan.leaves.tolist())
    for merged, left, right in plan.merges:
        made = [
            f"({nodes[i].token} {table[a]} {table[b]})"
            for i, a, b in zip(merged.tolist(), left.tolist(), right.tolist(), strict=True)
        ]
        table += made
    for level, chosen, left in zip(levels, plan.operators, plan.left, strict=False):
        parents = [level[i] for i in chosen.tolist()]
        assert parents == [node for node in level if node.left]
        assert [table[i] for i in left.tolist()] == [node.left.text() for node in parents if node.left]
    # Nothing is merged that nobody looks at: each node of the table is a left child, or a part of one.
    looked_at = 0
    pending = [(node, False) for node in levels[0]]
    while pending:
        node, needed = pending.pop()
        looked_at += needed
        if node.left and node.right:
            pending += [(node.left, True), (node.right, needed)]
    assert len(table) == looked_at


@pytest.mark.parametrize("seed", range(10))
def test_a_schedule_is_what_a_walk_of_the_trees_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, 4, int(rng.integers(7))) for _ in range(int(rng.integers(1, 9)))]
    owners = np.sort(rng.integers(0, 5, len(trees))).tolist()
    check_plan(plan_trees(trees, owners, operators=OPERATORS), trees, owners)


def test_schedules_of_leaves_and_of_chains() -> None:
    rng = np.random.default_rng(0)
    for trees in (
        [(OPERATORS,)],
        [(OPERATORS,), (OPERATORS + 1,)],
        [chain(rng, 3, 9, left=True)],
        [chain(rng, 3, 9, left=False), (OPERATORS,)],
    ):
        check_plan(plan_trees(trees, [0] * len(trees), operators=OPERATORS), trees, [0] * len(trees))


@pytest.mark.parametrize("tree", [(0,), (0, 5), (5, 5), (0, 5, 5, 5), (5, 0, 5)], ids=str)
def test_a_sequence_that_is_no_tree_is_refused(tree: tuple[int, ...]) -> None:
    with pytest.raises((ValueError, IndexError)):
        plan_trees([tree], [0], operators=OPERATORS)


def test_a_batch_is_longest_first_and_says_which_is_which() -> None:
    examples = [
        Example(words=(3,), places=(0,), same=(0, 1), trees=((5,),), weights=(1.0,)),
        Example(words=(4, 5, 6), places=(2, 0), same=(0, 1, 1), trees=((6,), (0, 5, 7)), weights=(0.25, 0.75)),
        Example(words=(7,), places=(), same=(0,)),
        Example(words=(8, 9), places=(1,), same=(0, 0), trees=((5,), (6,))),
    ]
    batch = make_batch(examples, operators=5, constants=1)
    assert batch.order == (1, 3, 0, 2)  # equal lengths keep their order
    assert batch.lengths == (3, 2, 1, 1) and batch.length.tolist() == [3, 2, 1, 1]
    assert batch.words.tolist() == [[4, 5, 6], [8, 9, PAD], [3, PAD, PAD], [7, PAD, PAD]]
    assert batch.places.tolist() == [[2, 0], [1, 0], [0, 0], [0, 0]]
    assert batch.same.tolist() == [[0, 1, 1], [0, 0, -1], [0, 1, -1], [0, -1, -1]]
    assert batch.weights is not None and batch.weights.tolist() == [0.25, 0.75, 1, 1, 1]
    assert batch.plan is not None and batch.plan.tree_owner.tolist() == [0, 0, 1, 1, 2]
    assert make_batch(examples[2:3], operators=5, constants=1).plan is None


sizes = st.lists(st.integers(1, 30), max_size=200)


@given(sizes, st.integers(1, 9), st.integers(1, 4), st.integers(0, 5))
def test_buckets_are_a_partition(lengths: list[int], batch_size: int, pool: int, seed: int) -> None:
    for rng in (None, np.random.default_rng(seed)):
        buckets = [bucket.tolist() for bucket in bucketed(lengths, batch_size=batch_size, rng=rng, pool=pool)]
        assert sorted(i for bucket in buckets for i in bucket) == list(range(len(lengths)))
        assert all(0 < len(bucket) <= batch_size for bucket in buckets)
        assert all([lengths[i] for i in bucket] == sorted(lengths[i] for i in bucket) for bucket in buckets)


def test_buckets_depend_on_the_generator_alone() -> None:
    lengths = np.random.default_rng(0).integers(1, 40, 500).tolist()

    def drawn(seed: int) -> list[list[int]]:
        return [b.tolist() for b in bucketed(lengths, batch_size=16, rng=np.random.default_rng(seed), pool=5)]

    assert drawn(1) == drawn(1) != drawn(2)
    in_order = [b.tolist() for b in bucketed(lengths, batch_size=16)]
    assert [lengths[i] for b in in_order for i in b] == sorted(lengths)


def test_buckets_hold_texts_of_similar_length() -> None:
    lengths = np.random.default_rng(0).integers(1, 100, 2000).tolist()
    spread = [
        max(lengths[i] for i in b) - min(lengths[i] for i in b)
        for b in bucketed(lengths, batch_size=20, rng=np.random.default_rng(0), pool=40)
    ]
    assert np.mean(spread) < 6  # 40 batches share the lengths 1 to 99: about 2.5 each
