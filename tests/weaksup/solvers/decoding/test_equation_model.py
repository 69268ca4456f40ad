"""Which equations suit a text, and what that does to predictions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from mathcanon import parse
from weaksup.errors import DataError
from weaksup.records import Problem, Quantity
from weaksup.solvers.data.lessons import Lesson
from weaksup.solvers.data.trees import prefix_of
from weaksup.solvers.data.vocabulary import make_vocabulary
from weaksup.solvers.decoding.beam import Hypothesis
from weaksup.solvers.decoding.equation_model import WEIGHT, EquationModel, learn_equations
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.network.model_files import load_tensors, save_tensors
from weaksup.storage.run_files import EQUATIONS
from weaksup.wording.equation_loops import EXTRAS, FLAGS, RELATIONS, ROOTS
from weaksup.wording.readings import ROLES
from weaksup.wording.text_features import text_features

from ..examples_for_tests import small_config
from ..small_run import files, run

KINDS = {
    "{a} boxes hold {b} nuts each . How many nuts are in the boxes ?": "N0*N1",
    "Ann has {a} nuts and Tom has {b} nuts . How many nuts do they have together ?": "N0+N1",
    "Ann shares {a} nuts equally among {b} children . How many nuts does each get ?": "N0/N1",
}


def problem(text: str, *values: int) -> Problem:
    tokens = text.format(**dict(zip("abcdefghijkl", values, strict=False))).split()
    numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
    quantities = tuple(Quantity(value=tokens[i], surface=tokens[i], start=0, end=1, token=i) for i in numbers)
    return Problem(id="x", text=" ".join(tokens), tokens=tuple(tokens), quantities=quantities, answer="1")


def lessons() -> list[Lesson]:
    return [
        Lesson(problem(text, 6 * (3 + i), 2 + i % 3), (prefix_of(expr), prefix_of("N0-N1")), (0.9, 0.1))
        for i in range(20)
        for text, expr in KINDS.items()
    ]


@pytest.fixture(scope="module")
def model() -> EquationModel:
    return learn_equations(lessons(), seed=0)


def plain_scores(model: EquationModel, asked: Problem, exprs: list[str]) -> list[float]:
    """The formula, for equations of one operation on both of two quantities: sums of weights, feature by feature."""
    shapes = [(len(model.known[0]), ROLES), (len(model.known[1]), RELATIONS), (len(model.known[2]), ROOTS + EXTRAS)]
    ends = np.cumsum([0, *(rows * columns for rows, columns in shapes)])
    of_quantity, of_pair, of_whole = (
        model.weights[ends[i] : ends[i + 1]].reshape(shape) for i, shape in enumerate(shapes)
    )
    of_steps = model.weights[ends[3] : ends[3] + FLAGS]
    first, second = (quantity.exact for quantity in asked.quantities)
    text = text_features(asked)
    scores = []

    def total(weights: np.ndarray, group: int, names: list[str], column: int) -> float:
        known = model.known[group]
        return float(sum(weights[known[name], column] for name in names if name in known))

    for expr in exprs:
        operation = "+-*/".index(expr[2])
        # A quantity is left out, used again or alone, or else: added, subtracted, multiplied, divided by.
        roles = 3 + operation // 2 * 2, 3 + operation
        # A pair is apart, or else joined in a sum as ++, +-, -+, -- or likewise in a product.
        relation = 1 + 4 * (operation // 2) + operation % 2
        score = total(of_quantity, 0, text.quantities[0], roles[0]) + total(
            of_quantity, 0, text.quantities[1], roles[1]
        )
        score += total(of_pair, 1, text.pairs[0], relation)
        score += total(of_whole, 2, text.whole, 1 + operation) + total(of_whole, 2, text.whole, ROOTS)
        value = (first + second, first - second, first * second, first / second)[operation]
        score += of_steps[2] * (value < 0) + of_steps[3] * (value.denominator != 1)
        scores.append(float(score))
    return scores


def test_scores_are_those_of_the_formula(model: EquationModel) -> None:
    exprs = ["N0+N1", "N0-N1", "N0*N1", "N0/N1"]
    for text, values in zip(KINDS, [(4, 7), (12, 4), (30, 7)], strict=True):
        asked = problem(text, *values)
        found, expected = model.score(asked, exprs), plain_scores(model, asked, exprs)
        for i, j in combinations(range(4), 2):  # only differences have a meaning
            assert found[i] - found[j] == pytest.approx(expected[i] - expected[j], abs=1e-9)


@pytest.mark.parametrize("text", KINDS)
def test_the_words_decide(text: str, model: EquationModel) -> None:
    scores = model.score(problem(text, 48, 4), list(KINDS.values()))
    assert list(KINDS.values())[int(np.argmax(scores))] == KINDS[text]


def test_how_often_an_equation_was_taught_does_not_count() -> None:
    """Both kinds of text are taught equally well if one is ten times as frequent."""
    texts = list(KINDS)[:2]
    given = [
        Lesson(problem(text, 20 + i, 2 + i), (prefix_of(KINDS[text]),), (1.0,))
        for text, times in zip(texts, (100, 10), strict=True)
        for i in range(times)
    ]
    trained = learn_equations(given, seed=0)
    for text, other in (texts, texts[::-1]):
        right, wrong = trained.score(problem(text, 48, 4), [KINDS[text], KINDS[other]])
        assert right > wrong


def test_an_equation_does_not_depend_on_the_others(model: EquationModel) -> None:
    asked = problem(next(iter(KINDS)), 5, 8)
    alone = model.score(asked, ["N0+N1", "N0*N1"])
    among = model.score(asked, ["N0-N1", "N0+N1", "1/(N0+3.14)", "N0*N1"])
    assert among[3] - among[1] == pytest.approx(alone[1] - alone[0])


def test_how_an_equation_is_written_makes_no_difference() -> None:
    """Neither in what is taught nor in what is judged."""
    ways = [("N0*N1", "N1*N0"), ("N0+N1", "N1+N0"), ("N0-N1", "-N1+N0")]

    def taught(way: int) -> EquationModel:
        given = [
            Lesson(problem(text, 6 * (3 + i), 2 + i % 3), (prefix_of(parse(ways[kind][i * way % 2])),), (1.0,))
            for i in range(20)
            for kind, text in enumerate(KINDS)
        ]
        return learn_equations(given, seed=0)

    one, other = taught(0), taught(1)
    assert np.array_equal(one.weights, other.weights)
    scores = [one.score(problem(next(iter(KINDS)), 12, 4), [pair[way] for pair in ways]) for way in (0, 1)]
    assert scores[0] == scores[1]


def test_problems_without_quantities_or_with_too_many_have_no_opinion(model: EquationModel) -> None:
    many = problem(" ".join("{" + name + "}" for name in "abcdefghij"), *range(1, 11))
    assert len(many.quantities) == 10
    assert model.score(many, ["N0+N9", "N0"]) == model.score(problem("none at all"), ["1", "2"]) == [0.0, 0.0]
    assert model.score(problem(next(iter(KINDS)), 3, 4), []) == []


@pytest.mark.parametrize("given", [[], [Lesson(problem("no number"), (("1",),), (1.0,))], lessons()[:1]])
def test_with_nothing_to_tell_apart_nothing_breaks(given: list[Lesson]) -> None:
    asked = problem(next(iter(KINDS)), 3, 4)
    assert learn_equations(given, seed=0).score(asked, ["N0+N1", "N0*N1"]) == [pytest.approx(-math.log(2))] * 2


def test_gold_is_not_read_and_the_same_seed_gives_the_same_model() -> None:
    marked = [
        lesson._replace(problem=msgspec.structs.replace(lesson.problem, gold=f"x={i}"))
        for i, lesson in enumerate(lessons())
    ]
    one, other, third = (
        learn_equations(some, seed=seed).weights for some, seed in ((lessons(), 3), (marked, 3), (lessons(), 4))
    )
    assert np.array_equal(one, other) and not np.array_equal(one, third)


# --- in a solver ------------------------------------------------------------------------------------------------------


def test_predictions_are_ranked_by_the_two_logarithms_and_keep_their_sum(model: EquationModel) -> None:
    torch.manual_seed(0)
    given = lessons()
    vocabulary = make_vocabulary((one.problem for one in given), (tree for one in given for tree in one.trees))
    config = small_config(number_kinds=True)
    solver = Solver(config, vocabulary, GTS(config, vocabulary), equations=model)
    asked = problem(next(iter(KINDS)), 12, 4)
    wrong, right = model.score(asked, ["N0+N1", "N0*N1"])
    even = math.exp(WEIGHT * (right - wrong))  # how much likelier the wrong one must be to come first
    assert even > 1
    for factor, first in ((0.9, "48"), (1.1, "16")):
        chances = (0.01 * even * factor, ("+", "N0", "N1")), (0.01, ("*", "N0", "N1"))
        beam = [
            Hypothesis(tuple(vocabulary.token(token) or 0 for token in tree), math.log(chance))
            for chance, tree in chances
        ]
        found = solver.read(asked, beam)
        assert found[0].value == first
        assert sum(one.probability for one in found) == pytest.approx(sum(chance for chance, _ in chances), abs=1e-5)
    assert solver.judge_equations(asked, [parse("N1*N0")]) is not None


def test_a_model_folder_keeps_it_and_can_do_without(tmp_path: Path) -> None:
    run(tmp_path / "with")
    run(tmp_path / "without", equation_model=False)
    assert files(tmp_path / "with").keys() - files(tmp_path / "without").keys() == {EQUATIONS}
    loaded = Solver.load(tmp_path / "with")
    assert loaded.equations is not None
    assert Solver.load(tmp_path / "with", equation_model=False).equations is None
    assert Solver.load(tmp_path / "without").equations is None
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / EQUATIONS).read_bytes() == (tmp_path / "with" / EQUATIONS).read_bytes()


def test_what_is_saved_scores_as_before(model: EquationModel, tmp_path: Path) -> None:
    model.save(tmp_path / EQUATIONS)
    asked, exprs = problem(next(iter(KINDS)), 12, 4), ["N0+N1", "N0*N1", "N1-N0"]
    assert EquationModel.load(tmp_path / EQUATIONS).score(asked, exprs) == model.score(asked, exprs)


def test_damaged_files_are_refused(model: EquationModel, tmp_path: Path) -> None:
    file = tmp_path / EQUATIONS
    model.save(file)
    tensors, about = load_tensors(file)
    names = about["features"]
    for damaged in (
        ({"weights": tensors["weights"][1:]}, {"features": names}),
        ({"weights": tensors["weights"] * torch.nan}, {"features": names}),
        ({"weights": tensors["weights"].reshape(1, -1)}, {"features": names}),
        ({"others": tensors["weights"]}, {"features": names}),
        (tensors, {"features": "[" * 100_000}),
        (tensors, {"features": "[[], []]"}),
        (tensors, {"features": '[["a", "a"], [], []]'}),
        (tensors, {"features": "[[1], [], []]"}),
        (tensors, {}),
    ):
        save_tensors(file, *damaged)
        with pytest.raises(DataError, match="equation model"):
            EquationModel.load(file)
    file.write_bytes(b"no tensors")
    with pytest.raises(DataError, match="damaged"):
        EquationModel.load(file)


def test_values_are_exact_fractions_however_they_are_written(model: EquationModel) -> None:
    asked = problem(next(iter(KINDS)), 12, 4)
    part = msgspec.structs.replace(asked.quantities[0], value="1/3", surface="1/3")
    fractions = msgspec.structs.replace(asked, quantities=(part, asked.quantities[1]))
    assert Fraction(part.value) == fractions.quantities[0].exact
    assert all(math.isfinite(score) for score in model.score(fractions, ["N0*N1", "1/(N0-N0)", "N0^9"]))
