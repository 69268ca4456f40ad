"""Written trees: the greedy one is that of beam search, drawn ones are by the solver's distribution; sizes fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import exp

import pytest
import torch

from weaksup.baselines.sampling import write_trees
from weaksup.baselines.unlabelled import weak_vocabulary
from weaksup.baselines.warm import leaf_range
from weaksup.corpora.stories import read_stories
from weaksup.solvers.data.batches import Batch, Example, make_batch
from weaksup.solvers.decoding.beam import beam_search
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS

from .small_baseline import SOLVER

PROBLEMS = list(read_stories(size=16, seed=3))
QUANTITIES = [len(problem.quantities) for problem in PROBLEMS]
RANGES = [leaf_range(quantities) for quantities in QUANTITIES]
VOCABULARY = weak_vocabulary(PROBLEMS, min_word_count=1)
OPERATORS = len(VOCABULARY.operators)


def solver(seed: int) -> GTS:
    torch.manual_seed(seed)
    model = GTS(SOLVER, VOCABULARY).eval()
    for parameter in model.decoder.parameters():
        parameter.data *= 3  # opinions strong enough to differ
    return model


def examples(model: GTS) -> list[Example]:
    return [Solver(SOLVER, VOCABULARY, model).example(problem) for problem in PROBLEMS]


def batch_of(some: list[Example]) -> Batch:
    return make_batch(some, operators=OPERATORS, constants=len(VOCABULARY.constants))


def leaves(tokens: tuple[int, ...]) -> int:
    return sum(token >= OPERATORS for token in tokens)


@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_tree_is_that_of_a_beam_of_one(seed: int) -> None:
    model = solver(seed)
    batch = batch_of(examples(model))
    for (written,), (best,) in zip(
        write_trees(model, batch, [(1, 20)] * len(PROBLEMS)), beam_search(model, batch, beam=1), strict=True
    ):
        assert written.tokens == best.tokens
        if len(best.tokens) < 39:
            chance = sum(row[token] for row, token in zip(written.chances, written.tokens, strict=True))
            assert chance == pytest.approx(best.log_probability, abs=1e-4)


@pytest.mark.parametrize("any_shape", [False, True])
@pytest.mark.parametrize("draws", [None, 4])
@pytest.mark.parametrize("exact", [False, True])
def test_sizes_are_within_the_range_and_operands_those_of_the_problem(
    exact: bool, draws: int | None, any_shape: bool
) -> None:
    model = solver(1)
    ranges = [(quantities, quantities) for quantities in QUANTITIES] if exact else RANGES
    torch.manual_seed(0)
    written = write_trees(model, batch_of(examples(model)), ranges, draws=draws, any_shape=any_shape)
    assert len(written) == len(PROBLEMS)
    for trees, quantities, (low, high) in zip(written, QUANTITIES, ranges, strict=True):
        assert len(trees) == (draws or 1)
        for tree in trees:
            assert len(tree.tokens) == 2 * leaves(tree.tokens) - 1 == len(tree.chances)
            assert low <= leaves(tree.tokens) <= high
            assert max(tree.tokens) < VOCABULARY.fixed + quantities


def test_draws_are_those_of_the_seed() -> None:
    model = solver(2)
    batch = batch_of(examples(model))

    def drawn(seed: int) -> list[tuple[int, ...]]:
        torch.manual_seed(seed)
        return [tree.tokens for trees in write_trees(model, batch, RANGES, draws=2) for tree in trees]

    assert drawn(5) == drawn(5) != drawn(6)


def test_draws_have_the_distribution_of_the_solver() -> None:
    model = solver(3)
    place = next(i for i, quantities in enumerate(QUANTITIES) if quantities == 2)
    torch.manual_seed(0)
    (trees,) = write_trees(model, batch_of([examples(model)[place]]), [(2, 3)], draws=3000)
    # Every tree has at least two leaves, so the root is an operator.
    roots = Counter(tree.tokens[0] for tree in trees)
    chances = [exp(chance) for chance in trees[0].chances[0][:OPERATORS]]
    for token, chance in enumerate(chances):
        assert roots[token] / len(trees) == pytest.approx(chance / sum(chances), abs=0.04)


def test_shapes_are_drawn_if_that_is_asked_for() -> None:
    model = solver(5)
    batch = batch_of(examples(model)[:1] * 200)

    def shapes(any_shape: bool) -> Counter[tuple[bool, ...]]:
        torch.manual_seed(0)
        written = write_trees(model, batch, [(3, 3)] * 200, any_shape=any_shape)
        return Counter(tuple(token < OPERATORS for token in tree.tokens) for (tree,) in written)

    assert len(shapes(False)) == 1
    assert len(shapes(True)) == 2 and min(shapes(True).values()) > 60


def test_what_is_learnt_is_the_probability_by_which_a_tree_was_drawn() -> None:
    model = solver(4)
    given = examples(model)
    torch.manual_seed(0)
    written = write_trees(model, batch_of(given), RANGES, draws=2)
    lessons = [
        replace(example, trees=tuple(tree.tokens for tree in trees), same=tuple(range(len(example.same))))
        for example, trees in zip(given, written, strict=True)
    ]
    batch = batch_of(lessons)
    found = iter(model(batch).tolist())
    for place in batch.order:
        for tree in written[place]:
            chance = sum(row[token] for row, token in zip(tree.chances, tree.tokens, strict=True))
            assert next(found) == pytest.approx(chance, abs=1e-4)
