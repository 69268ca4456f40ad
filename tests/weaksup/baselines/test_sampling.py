"""Written trees: the greedy one is that of beam search, drawn ones are by the solver's distribution; sizes fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations
from math import exp, inf

import pytest
import torch

from weaksup.baselines import unlabelled, warm
from weaksup.baselines.sampling import Shapes, Written, write_trees
from weaksup.baselines.unlabelled import Unlabelled, weak_vocabulary
from weaksup.baselines.warm import Reinforcer, leaf_range
from weaksup.corpora.problems import segment_text
from weaksup.corpora.stories import read_stories
from weaksup.records import Problem
from weaksup.solvers.data.batches import Batch, Example, make_batch
from weaksup.solvers.decoding.beam import beam_search
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.training.lesson_sources import Moment
from weaksup.solvers.training.objective import tree_loss

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


@pytest.mark.parametrize("shapes", ["model", "three", "any"])
@pytest.mark.parametrize("draws", [None, 4])
@pytest.mark.parametrize("exact", [False, True])
def test_sizes_are_within_the_range_and_operands_those_of_the_problem(
    exact: bool, draws: int | None, shapes: Shapes
) -> None:
    model = solver(1)
    ranges = [(quantities, quantities) for quantities in QUANTITIES] if exact else RANGES
    torch.manual_seed(0)
    written = write_trees(model, batch_of(examples(model)), ranges, draws=draws, shapes=shapes)
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

    def shapes(which: Shapes, leaves: int) -> Counter[tuple[bool, ...]]:
        torch.manual_seed(0)
        written = write_trees(model, batch, [(leaves, leaves)] * 200, shapes=which)
        return Counter(tuple(token < OPERATORS for token in tree.tokens) for (tree,) in written)

    assert len(shapes("model", 3)) == 1
    assert len(shapes("any", 3)) == 2 and min(shapes("any", 3).values()) > 60
    assert len(shapes("any", 4)) == 5
    assert 30 < shapes("three", 3)[True, True, False, False, False] < 90  # three in ten
    assert shapes("three", 4) == shapes("model", 4)  # of one shape


def test_constants_are_left_out_where_there_are_quantities() -> None:
    model = solver(6)
    given = examples(model)
    none = replace(given[0], places=(), same=given[0].same[: len(VOCABULARY.constants)])
    torch.manual_seed(0)
    written = write_trees(model, batch_of([*given, none]), [*RANGES, (2, 3)], draws=20, constants=False)
    constants = range(OPERATORS, VOCABULARY.fixed)
    used = [any(token in constants for tree in trees for token in tree.tokens) for trees in written]
    assert used == [False] * len(given) + [True]
    assert {tree.chances[0][constants[0]] for tree in written[0]} == {-inf}


# --- the distribution that trees are drawn from -----------------------------------------------------------------------


def drawn_lessons(model: GTS, draws: int) -> tuple[list[Example], list[list[Written]]]:
    """Trees drawn within `RANGES`, as lessons that are learnt within the same."""
    given = examples(model)
    torch.manual_seed(0)
    written = write_trees(model, batch_of(given), RANGES, draws=draws)
    lessons = [
        replace(
            example,
            trees=tuple(tree.tokens for tree in trees),
            same=tuple(range(len(example.same))),
            leaves=leaves,
        )
        for example, trees, leaves in zip(given, written, RANGES, strict=True)
    ]
    return lessons, written


def test_what_is_learnt_is_the_probability_by_which_a_tree_was_drawn() -> None:
    model = solver(4)
    lessons, written = drawn_lessons(model, 3)
    batch = batch_of(lessons)
    found = iter(model(batch).tolist())
    for place in batch.order:
        for tree in written[place]:
            assert next(found) == pytest.approx(tree.log_probability, abs=1e-4)


def every_tree(low: int, high: int, *, operators: int = OPERATORS, tokens: int) -> list[tuple[int, ...]]:
    """All prefix sequences with `low` to `high` leaves."""

    @cache
    def of(leaves: int) -> list[tuple[int, ...]]:
        if leaves == 1:
            return [(token,) for token in range(operators, tokens)]
        return [
            (operator, *left, *right)
            for operator in range(operators)
            for first in range(1, leaves)
            for left in of(first)
            for right in of(leaves - first)
        ]

    return [tree for leaves in range(low, high + 1) for tree in of(leaves)]


def test_the_probabilities_of_all_trees_within_the_limits_add_up_to_1() -> None:
    model = solver(3)
    place = next(i for i, quantities in enumerate(QUANTITIES) if quantities == 2)
    example = examples(model)[place]
    trees = every_tree(2, 3, tokens=OPERATORS + len(example.same))
    lesson = replace(example, trees=tuple(trees), same=tuple(range(len(example.same))), leaves=(2, 3))
    with torch.no_grad():
        chances = model(batch_of([lesson]))
    assert float(chances.exp().sum()) == pytest.approx(1.0, abs=1e-4)
    (best,) = beam_search(model, batch_of([example]), beam=500, leaves=[(2, 3)])
    by_tree = dict(zip(trees, chances.tolist(), strict=True))
    assert best[0].log_probability == pytest.approx(max(by_tree.values()), abs=1e-4)
    assert all(found.log_probability == pytest.approx(by_tree[found.tokens], abs=1e-4) for found in best)


@pytest.mark.parametrize(("operators", "draws"), [("+-", 2), ("+", 3)])
def test_the_expected_gradient_is_that_of_mean_reward_and_entropy(
    operators: str, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all pairs or triples of draws, through all that weighs them, against finite differences.

    The problem is tiny: 3 is wanted from a quantity 1 and the constant 1, which are different tokens to WARM.  But its
    nodes have a choice between operator and operand.  Two equal draws of three get a weight, those of a pair do not.
    """
    monkeypatch.setattr(unlabelled, "OPERATORS", tuple(operators))
    monkeypatch.setattr(unlabelled, "CONSTANTS", {"1": Fraction(1)})
    text, tokens, quantities = segment_text("Tom has 1 pen.", language="en")
    problem = Problem(id="1", text=text, tokens=tokens, quantities=quantities, answer="3", language="en")
    given = Unlabelled([problem], SOLVER, min_word_count=1, answers=True)
    entropy = 0.3
    teacher = Reinforcer(given, draws=draws, beam=1, entropy=entropy)
    torch.manual_seed(0)
    model = GTS(SOLVER, given.vocabulary).double().eval()
    for parameter in model.parameters():
        parameter.data *= 2  # opinions strong enough to differ

    trees = every_tree(2, 3, operators=len(operators), tokens=len(operators) + 2)
    whole = given.batch_of([replace(given.examples[0], trees=tuple(trees), same=(0, 1), leaves=(2, 3))])
    reward = torch.tensor([float(given.is_right(0, tree)) for tree in trees], dtype=torch.float64)
    assert reward.sum() == 16  # two shapes of two +, with any operands

    def objective() -> float:
        with torch.no_grad():
            logs = model(whole)
            return float((logs.exp() * (reward - entropy * logs)).sum())  # mean reward + entropy * H

    with torch.no_grad():
        logs = model(whole).tolist()
    assert sum(map(exp, logs)) == pytest.approx(1.0)
    drawn = [Written(tree, [], log) for tree, log in zip(trees, logs, strict=True)]
    now = Moment(model, 0, 1, 1)
    lessons = []
    for places in combinations_with_replacement(range(len(trees)), draws):
        chosen = [drawn[place] for place in places]
        monkeypatch.setattr(warm, "write_trees", lambda *args, chosen=chosen, **options: [chosen])
        orders = len(set(permutations(places)))
        chance = orders * exp(sum(tree.log_probability for tree in chosen))
        for lesson in teacher.teach([0], now):
            lessons.append(replace(lesson, weights=tuple(chance * weight for weight in lesson.weights)))
    batch = given.batch_of(lessons)
    tree_loss(model(batch), batch, soft="expected").backward()

    step = 1e-5
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        place = int(weight.grad.abs().argmax())  # of each matrix the weight that matters most
        values = []
        for change in (step, -step):
            with torch.no_grad():
                weight.view(-1)[place] += change
            values.append(objective())
            with torch.no_grad():
                weight.view(-1)[place] -= change
        slope = (values[0] - values[1]) / (2 * step)
        assert float(weight.grad.view(-1)[place]) == pytest.approx(-slope, rel=1e-4, abs=1e-9), name
        assert abs(slope) > 1e-6, name


def test_a_beam_has_the_sizes_that_draws_have() -> None:
    model = solver(7)
    found = beam_search(model, batch_of(examples(model)), beam=10, leaves=RANGES)
    for trees, (low, high) in zip(found, RANGES, strict=True):
        assert len({tree.tokens for tree in trees}) == len(trees) == 10
        assert all(low <= leaves(tree.tokens) <= high for tree in trees)
