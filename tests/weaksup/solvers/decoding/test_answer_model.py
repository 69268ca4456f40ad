"""Which values are plausible answers, and what that does to predictions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from weaksup.errors import DataError
from weaksup.records import Problem, Quantity
from weaksup.solvers.data.lessons import Lesson
from weaksup.solvers.data.vocabulary import Vocabulary, make_vocabulary
from weaksup.solvers.decoding.answer_model import WEIGHT, AnswerModel, _Quantities, _see, decimal_places, learn_answers
from weaksup.solvers.decoding.beam import Hypothesis
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS
from weaksup.storage.run_files import ANSWERS

from ..examples_for_tests import small_config
from ..small_run import files, run

DIFFERENCE, SHARE = ("-", "N0", "N1"), ("/", "N0", "N1")
SWAPPED = {DIFFERENCE: ("-", "N1", "N0"), SHARE: ("/", "N1", "N0")}


def problem(id: int, words: str, values: tuple[int, int], answer: Fraction) -> Problem:
    tokens = (str(values[0]), str(values[1]), *words.split())
    quantities = tuple(
        Quantity(value=str(value), surface=str(value), start=i, end=i + 1, token=i) for i, value in enumerate(values)
    )
    return Problem(id=str(id), text=" ".join(tokens), tokens=tokens, quantities=quantities, answer=str(answer))


def lessons() -> list[Lesson]:
    """How many more (the larger less the smaller), and what part (the smaller over the larger): never the reverse."""
    made = []
    for i in range(120):
        small, large = 3 + i % 7, 11 + i % 13
        values = (large, small) if i % 2 else (small, large)
        answer, words = (
            (Fraction(large - small), "how many more") if i % 4 < 2 else (Fraction(small, large), "what part")
        )
        tree = DIFFERENCE if i % 4 < 2 else SHARE
        if (tree == DIFFERENCE) != (values[0] > values[1]):
            tree = SWAPPED[tree]
        made.append(Lesson(problem(i, words, values, answer), (tree,), (1.0,)))
    return made


def vocabulary_of(given: list[Lesson]) -> Vocabulary:
    return make_vocabulary(
        (lesson.problem for lesson in given), (lesson.trees[0] for lesson in given), min_word_count=2
    )


@pytest.fixture(scope="module")
def solver() -> Solver:
    """Untrained, with a trained answer model."""
    torch.manual_seed(0)
    vocabulary = vocabulary_of(lessons())
    made = Solver(small_config(number_kinds=True), vocabulary, GTS(small_config(number_kinds=True), vocabulary))
    made.answers = learn_answers(lessons(), vocabulary, seed=0)
    return made


def hypotheses(solver: Solver, *trees: tuple[float, tuple[str, ...]]) -> list[Hypothesis]:
    tokens = solver.vocabulary.token
    return [Hypothesis(tuple(tokens(text) or 0 for text in tree), math.log(chance)) for chance, tree in trees]


def test_a_negative_value_gives_way_and_the_probabilities_keep_their_sum(solver: Solver) -> None:
    asked = problem(0, "how many more", (4, 15), Fraction(11))
    beam = hypotheses(solver, (0.5, DIFFERENCE), (0.4, SWAPPED[DIFFERENCE]))
    found = solver.read(asked, beam)
    assert [one.value for one in found] == ["11", "-11"]
    assert found[0].probability > 0.5
    assert sum(one.probability for one in found) == pytest.approx(0.9, abs=1e-5)


def test_the_words_of_the_question_say_which_kind_of_value_is_wanted(solver: Solver) -> None:
    beam = hypotheses(solver, (0.4, SWAPPED[DIFFERENCE]), (0.4, SHARE))
    for words, wanted in (("how many more", "9"), ("what part", "5/14")):
        assert solver.read(problem(0, words, (5, 14), Fraction(0)), beam)[0].value == wanted


def test_without_an_answer_model_the_decoder_decides(solver: Solver) -> None:
    plain = Solver(solver.config, solver.vocabulary, solver.model)
    beam = hypotheses(solver, (0.5, DIFFERENCE), (0.4, SWAPPED[DIFFERENCE]))
    found = plain.read(problem(0, "how many more", (4, 15), Fraction(11)), beam)
    assert [(one.value, one.probability) for one in found] == [("-11", 0.5), ("11", 0.4)]


def test_the_ranking_is_by_the_two_logarithms(solver: Solver) -> None:
    assert solver.answers is not None
    asked = problem(0, "what part", (4, 15), Fraction(11))
    words = solver.vocabulary.word_numbers(asked, solver.vocabulary.index(), kinds=True)
    negative, positive = solver.answers.score(asked, [Fraction(-11), Fraction(11)], words=words)
    even = math.exp(WEIGHT * (positive - negative))  # how much likelier -11 must be to come first
    for factor, first in ((0.9, "11"), (1.1, "-11")):
        beam = hypotheses(solver, (0.01 * even * factor, DIFFERENCE), (0.01, SWAPPED[DIFFERENCE]))
        assert solver.read(asked, beam)[0].value == first


def test_no_prediction_is_no_prediction(solver: Solver) -> None:
    by_zero = hypotheses(solver, (0.5, SHARE))
    assert solver.read(problem(0, "what part", (4, 0), Fraction(1)), by_zero) == []


def test_gold_is_not_read_and_the_same_seed_gives_the_same_model() -> None:
    given = lessons()
    marked = [
        lesson._replace(problem=msgspec.structs.replace(lesson.problem, gold=f"x={i}"))
        for i, lesson in enumerate(given)
    ]
    models = [
        learn_answers(some, vocabulary_of(given), seed=seed) for some, seed in ((given, 3), (marked, 3), (given, 4))
    ]
    assert torch.equal(models[0].words, models[1].words) and torch.equal(models[0].features, models[1].features)
    assert not torch.equal(models[0].features, models[2].features)


def test_a_model_folder_keeps_it_and_can_do_without(tmp_path: Path) -> None:
    run(tmp_path / "with")
    run(tmp_path / "without", answer_model=False)
    assert files(tmp_path / "with").keys() - files(tmp_path / "without").keys() == {ANSWERS}
    loaded = Solver.load(tmp_path / "with")
    assert loaded.answers is not None
    assert Solver.load(tmp_path / "with", answer_model=False).answers is None
    assert Solver.load(tmp_path / "without").answers is None
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / ANSWERS).read_bytes() == (tmp_path / "with" / ANSWERS).read_bytes()


def test_the_answer_model_of_another_solver_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "model")
    AnswerModel(torch.zeros(3, 8), torch.zeros(17)).save(tmp_path / "model" / ANSWERS)
    with pytest.raises(DataError, match="the answer model does not fit"):
        Solver.load(tmp_path / "model")
    (tmp_path / "model" / ANSWERS).write_bytes(b"no tensors")
    with pytest.raises(DataError, match="damaged"):
        Solver.load(tmp_path / "model")


def test_where_no_equation_has_another_value_nothing_is_learnt_and_nothing_breaks() -> None:
    alone = lessons()[:1]
    model = learn_answers(alone, vocabulary_of(lessons()), seed=0)
    assert not model.words.any() and not model.features.any()


fractions = st.fractions(max_denominator=10**4) | st.integers(-50, 50).map(Fraction)


@given(fractions, st.lists(fractions.map(abs), max_size=4))
def test_every_value_has_a_kind_and_features(value: Fraction, quantities: list[Fraction]) -> None:
    given = [Quantity(value=str(one), surface="?", start=0, end=1, token=0) for one in quantities]
    asked = Problem(id="1", text="?", tokens=("?",), quantities=tuple(given), answer="0")
    seen = _see(value, _Quantities.of(asked))
    assert 0 <= seen.kind < 8 and len(seen.features) == 17
    assert (seen.kind == 0) == (value < 0)


@given(fractions)
def test_decimal_places_are_those_of_the_decimal_expansion(value: Fraction) -> None:
    places = decimal_places(value)
    ends = [count for count in range(20) if (value * 10**count).denominator == 1]
    assert places == (ends[0] if ends else None)
