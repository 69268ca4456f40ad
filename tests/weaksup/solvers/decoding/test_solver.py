"""A solver on free text, and what its trees mean."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest
import torch

from mathcanon import evaluate, parse_equation
from weaksup.corpora.problems import segment_text
from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError, DataError
from weaksup.records import Problem, Quantity
from weaksup.solvers.data.vocabulary import Vocabulary
from weaksup.solvers.decoding.beam import Hypothesis
from weaksup.solvers.decoding.solver import Prediction, Solver, find_device
from weaksup.solvers.network.dropout import PooledDropout
from weaksup.solvers.network.gts import GTS

from ..examples_for_tests import small_config

VOCABULARY = Vocabulary(
    words=("", "UNKNOWN", "NUM", "NUM%", "NUM/", "NUM.", "NUM1", "has", "apples"),
    operators=("+", "-", "*", "/", "^"),
    constants=("1", "2"),
)
PLUS, MINUS, TIMES, OVER, POWER, ONE, TWO, N0, N1, N2 = range(10)


def untrained(vocabulary: Vocabulary = VOCABULARY, *, seed: int = 0) -> Solver:
    torch.manual_seed(seed)
    config = small_config(number_kinds=True)
    return Solver(config, vocabulary, GTS(config, vocabulary))


def problem_of(values: list[str]) -> Problem:
    quantities = tuple(
        Quantity(value=value, surface=value, start=i, end=i + 1, token=i) for i, value in enumerate(values)
    )
    tokens = (*values, "?")
    return Problem(id="1", text=" ".join(tokens), tokens=tokens, quantities=quantities, answer="0")


def tree(chance: float, *tokens: int) -> Hypothesis:
    return Hypothesis(tokens, math.log(chance))


# --- free text --------------------------------------------------------------------------------------------------------


def check_predictions(found: list[Prediction], text: str, language: str) -> None:
    assert found
    values = [quantity.exact for quantity in segment_text(text, language=language, number_words=True)[2]]
    named = {f"N{i}": value for i, value in enumerate(values)}
    assert [p.probability for p in found] == sorted((p.probability for p in found), reverse=True)
    assert sum(p.probability for p in found) <= 1.00001
    for prediction in found:
        assert evaluate(prediction.expr, named) == prediction.exact == evaluate(parse_equation(prediction.equation))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "text",
    [
        "Tom has 3 apples and buys 5 more. How many apples has Tom?",
        "A coat of 80 dollars is sold at 40% off, and a half of the rest goes to 2 friends.",
        "He walks 1/2 mile in 0.25 hours; 3(1/2) miles?",
        "Zero minus 0 and 0 over 0",  # whatever divides by zero is no answer
        "7",
    ],
)
def test_english_text_is_solved_over_its_own_numbers(text: str, seed: int) -> None:
    check_predictions(untrained(seed=seed).solve(text, beam=8), text, "en")


@pytest.mark.skipif(importlib.util.find_spec("rjieba") is None, reason="rjieba is not installed")
def test_chinese_text_is_solved_over_its_own_numbers() -> None:
    text = "小明有3个苹果,又买了5个,吃了总数的(1/4),还剩几个?"
    check_predictions(untrained().solve(text), text, "zh")


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_empty_text_is_a_data_error(text: str) -> None:
    with pytest.raises(DataError, match="empty"):
        untrained().solve(text)


def test_a_text_without_numbers_has_only_constants() -> None:
    for prediction in untrained().solve("How many apples has Tom?"):
        assert "N" not in prediction.expr
    none = Vocabulary(words=VOCABULARY.words, operators=VOCABULARY.operators, constants=())
    assert untrained(none).solve("How many apples has Tom?") == []


def test_problems_without_words_have_no_predictions() -> None:
    empty = Problem(id="0", text="", tokens=(), quantities=(), answer="0")
    found = untrained().predict([empty, problem_of(["3", "4"]), empty])
    assert found[0] == found[2] == [] and found[1]
    assert untrained().predict([]) == []


def test_predictions_do_not_depend_on_the_batch() -> None:
    problems = list(read_stories(size=9, seed=8))
    solver = untrained(seed=1)
    solver.model.double()
    together = solver.predict(problems, beam=3)
    alone = [solver.predict([problem], beam=3)[0] for problem in problems]
    in_threes = solver.predict(problems, beam=3, batch_size=4)
    assert together == alone == in_threes


# --- what trees mean --------------------------------------------------------------------------------------------------


def test_trees_of_one_meaning_are_one_answer() -> None:
    problem = problem_of(["3", "4", "3"])
    beam = [
        tree(0.30, TIMES, N0, N1),
        tree(0.25, PLUS, N0, N1),
        tree(0.20, PLUS, N1, N2),  # the third number is a 3 too
        tree(0.10, OVER, N0, MINUS, N0, N2),  # divides by zero
        tree(0.05, POWER, N0, N1),  # no exponent
    ]
    found = untrained().read(problem, beam)
    assert [(p.expr, p.value, p.probability) for p in found] == [("N0+N1", "7", 0.45), ("N0*N1", "12", 0.3)]
    assert [p.equation for p in found] == ["x=3+4", "x=3*4"]


def test_equal_values_by_different_functions_stay_apart() -> None:
    found = untrained().read(problem_of(["2", "2.5"]), [tree(0.5, PLUS, N0, N0), tree(0.25, TIMES, N0, N0)])
    assert [(p.expr, p.value) for p in found] == [("N0+N0", "4"), ("N0*N0", "4")]


def test_a_tower_of_powers_is_no_answer_but_no_crash_either() -> None:
    tower = (POWER,) * 16 + (N0,) + (TWO,) * 16
    found = untrained().read(problem_of(["97"]), [tree(0.5, *tower), tree(0.25, POWER, N0, TWO)])
    assert [p.value for p in found] == ["9409"]


# --- devices and dropout ----------------------------------------------------------------------------------------------


def test_devices_that_there_are_not_are_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert find_device("cpu") == find_device("auto") == torch.device("cpu")
    absent, unknown = ("cuda", "cuda:1", "mps"), ("gpu", "", "meta")
    for name in absent + unknown:
        message = f"no device '{name}'" if name in absent else f"unknown device '{name}'"
        with pytest.raises(ConfigError, match=message) as error:
            find_device(name)
        assert "\n" not in str(error.value)
    with pytest.raises(ConfigError):
        Solver.load(Path("anywhere"), device="cuda")


def test_the_best_device_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert find_device("auto").type == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert find_device("auto").type == "cuda" and find_device("cuda:1").index == 1
    with pytest.raises(ConfigError, match="no device"):
        find_device("cuda:2")


def test_dropout_drops_the_share_it_should_and_keeps_the_mean() -> None:
    layer = PooledDropout(0.25)
    ones = torch.ones(300, 400)
    torch.manual_seed(0)
    found = layer(ones)
    assert found.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert float((found == 0).float().mean()) == pytest.approx(0.25, abs=0.01)
    torch.manual_seed(0)
    assert torch.equal(layer(ones), found) and not torch.equal(layer(ones), found)
    assert torch.equal(layer.eval()(ones), ones)
    assert PooledDropout(0.0)(ones) is ones
