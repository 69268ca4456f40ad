"""Several solvers that answer as one, against a plain count over the trees of all beams."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch

from mathcanon import Expr, equivalent, parse
from weaksup import Ensemble
from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError, DataError
from weaksup.meaning.value_level import value_names
from weaksup.records import Problem
from weaksup.solvers.data.trees import expression_of
from weaksup.solvers.data.vocabulary import Vocabulary
from weaksup.solvers.decoding.answer_model import WEIGHT
from weaksup.solvers.decoding.ensemble import common_origin
from weaksup.solvers.decoding.equation_model import WEIGHT as EQUATION_WEIGHT
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.table import build_model

from ..examples_for_tests import small_config
from ..plain_g2t import PlainG2T
from ..plain_gts import PlainGTS
from ..small_run import run
from .test_solver import VOCABULARY, problem_of

BEAM = 4
POORER = Vocabulary(words=(*VOCABULARY.words[:7], "Tom"), operators=("*", "+", "-"), constants=("2",))


class Fond(Solver):
    """A solver with simple opinions: it likes values near its favourite, and equations that are short."""

    favourite = Fraction(0)

    def judge_values(self, problem: Problem, values: Sequence[Fraction]) -> list[float] | None:
        return None if self.answers is None else [-abs(float(value - self.favourite)) / 10 for value in values]

    def judge_equations(self, problem: Problem, exprs: Sequence[Expr]) -> list[float] | None:
        return None if self.equations is None else [float(-len(str(expr))) for expr in exprs]


def member(kind: str = "gts", vocabulary: Vocabulary = VOCABULARY, *, seed: int, hidden: int = 8) -> Fond:
    """An untrained solver in double precision; larger weights make it surer of itself."""
    torch.manual_seed(seed)
    config = small_config(solver=kind, hidden=hidden, number_kinds=True)
    made = Fond(config, vocabulary, build_model(config, vocabulary).double().eval())
    with torch.no_grad():
        for parameter in made.model.parameters():
            parameter *= 2.5
    return made


def mixed() -> list[Fond]:
    """Two kinds, three sizes, two vocabularies."""
    return [member(seed=0), member("g2t", POORER, seed=1, hidden=12), member(vocabulary=POORER, seed=2, hidden=6)]


def some_problems() -> list[Problem]:
    return [*read_stories(size=4, seed=3), problem_of(["3", "4", "3"]), problem_of(["5", "1"]), problem_of(["7", "0"])]


def fond(members: list[Fond], *favourites: int) -> list[Fond]:
    for one, favourite in zip(members, favourites, strict=True):
        one.favourite, one.answers = Fraction(favourite), object()  # type: ignore[assignment]
    members[0].equations = object()  # type: ignore[assignment]
    return members


# --- the plain count --------------------------------------------------------------------------------------------------


def value_of(tree: Sequence[str], values: Sequence[Fraction]) -> Fraction | None:
    """The value of a prefix sequence; None if it has none."""

    def below(place: int) -> tuple[Fraction, int]:
        token = tree[place]
        if token[0] == "N":
            return values[int(token[1:])], place + 1
        if token[0].isdigit():
            return Fraction(token), place + 1
        left, place = below(place + 1)
        written = tree[place]
        right, place = below(place)
        match token:
            case "+":
                return left + right, place
            case "-":
                return left - right, place
            case "*":
                return left * right, place
            case "/":
                return left / right, place
        if not (written.isdigit() and 2 <= right <= 9):
            raise ValueError("not an exponent")
        return left ** int(right), place

    try:
        return below(0)[0]
    except (ValueError, ZeroDivisionError):
        return None


def infix(tree: Sequence[str], names: dict[str, str]) -> str:
    rest = iter(tree)

    def below() -> str:
        token = next(rest)
        return f"({below()}{token}{below()})" if token in "+-*/^" else names.get(token, token)

    return below()


def plain_log_probability(solver: Solver, problem: Problem, tree: Sequence[str]) -> float:
    """By recursion over the tree; operands of equal value are told apart, as in the beam."""
    tokens = [solver.vocabulary.token(token) for token in tree]
    if None in tokens:
        return -np.inf
    example = solver.example(problem)
    alone = tuple(range(len(example.same)))
    known = tuple(token for token in tokens if token is not None)
    oracle = (PlainG2T if solver.config.solver == "g2t" else PlainGTS)(solver.model.state_dict(), solver.config)
    return float(oracle.log_probabilities(replace(example, trees=(known,), same=alone))[0])


def plain_answers(members: Sequence[Solver], problem: Problem) -> list[tuple[Fraction, float]]:
    """Values with probabilities, one for each meaning: every tree of every beam, judged by every member."""
    values = [quantity.exact for quantity in problem.quantities]
    names = value_names(values)
    pool = {one.prefix(found) for one in members for _, beam in one.decode([problem], beam=BEAM) for found in beam}
    meanings: list[tuple[str, Fraction, float]] = []
    likeliest: list[tuple[float, str]] = []  # the likeliest tree of each meaning
    for tree in sorted(pool):
        value = value_of(tree, values)
        if value is None:
            continue
        chance = sum(np.exp(plain_log_probability(one, problem, tree)) for one in members) / len(members)
        text = infix(tree, names)
        written = chance, str(expression_of(tree))
        for place, (other, _, before) in enumerate(meanings):
            if equivalent(text, other):
                meanings[place] = (other, value, before + chance)
                likeliest[place] = max(likeliest[place], written, key=lambda pair: pair[0])
                break
        else:
            meanings.append((text, value, chance))
            likeliest.append(written)
    found = [value for _, value, _ in meanings]
    chances = weights = np.array([chance for _, _, chance in meanings])
    if judges := [one for one in members if one.answers is not None]:
        scores = np.mean([one.judge_values(problem, found) for one in judges], axis=0)
        weights = weights * np.exp(WEIGHT * scores)
    if any(one.equations is not None for one in members):
        weights = weights * np.exp(EQUATION_WEIGHT * np.array([-len(expr) for _, expr in likeliest]))
    chances = weights * chances.sum() / weights.sum()
    return sorted(zip(found, chances.tolist(), strict=True), key=lambda pair: -pair[1])


@pytest.mark.parametrize("favourites", [None, (3, -40, 8)])
def test_predictions_are_those_of_a_plain_count(favourites: tuple[int, ...] | None) -> None:
    members = mixed() if favourites is None else fond(mixed(), *favourites)
    problems = some_problems()
    together = Ensemble(members).predict(problems, beam=BEAM, batch_size=3)
    sizes = []
    for problem, found in zip(problems, together, strict=True):
        expected = plain_answers(members, problem)
        assert [one.probability for one in found] == pytest.approx([chance for _, chance in expected], abs=2e-6)
        by_value = sorted((one.exact, one.probability) for one in found)
        assert [value for value, _ in by_value] == sorted(value for value, _ in expected)
        assert [chance for _, chance in by_value] == pytest.approx([chance for _, chance in sorted(expected)], abs=2e-6)
        sizes.append(len(found))
    assert max(sizes) > BEAM  # the beams differ


def test_one_member_gives_what_the_solver_gives() -> None:
    problems = some_problems()
    for one in (*mixed(), *fond(mixed(), 3, -40, 8)):
        found = one.predict(problems, beam=BEAM)
        assert Ensemble([one]).predict(problems, beam=BEAM) == found
        assert Ensemble([one, one]).predict(problems, beam=BEAM) == found
    text = "Tom has 3 apples and buys 5 more. How many?"
    assert Ensemble(mixed()[:1]).solve(text, beam=2) == mixed()[0].solve(text, beam=2)


def test_the_order_of_the_members_does_not_matter() -> None:
    problems = some_problems()
    orders = permutations(fond(mixed(), 3, -40, 8))
    first, *others = [Ensemble(members).predict(problems, beam=BEAM) for members in orders]
    assert all(found == first for found in others) and len(others) == 5


def test_a_member_without_an_answer_model_leaves_the_values_to_the_others() -> None:
    members = fond(mixed()[:2], 3, 40)
    members[0].answers = None
    problem, found = some_problems()[0], [(parse("N0+N1"), Fraction(1)), (parse("N1"), Fraction(40))]
    values = [value for _, value in found]
    by_values = np.array([WEIGHT * score for score in members[1].judge_values(problem, values) or ()])
    by_equations = np.array([-5 * EQUATION_WEIGHT, -2 * EQUATION_WEIGHT])  # of the first member alone
    assert Ensemble(members).plausibility(problem, found) == pytest.approx(by_values + by_equations)
    members[0].equations = None
    assert Ensemble(members).plausibility(problem, found).tolist() == members[1].plausibility(problem, found).tolist()
    members[1].answers = None
    assert Ensemble(members).plausibility(problem, found).tolist() == [0, 0]


def test_problems_that_no_member_can_read_have_no_predictions() -> None:
    empty = Problem(id="0", text="", tokens=(), quantities=(), answer="0")
    found = Ensemble(mixed()).predict([empty, problem_of(["3", "4"]), empty])
    assert found[0] == found[2] == [] and found[1]
    assert Ensemble(mixed()).predict([]) == []
    with pytest.raises(ConfigError, match="at least one solver"):
        Ensemble([])


# --- folders ----------------------------------------------------------------------------------------------------------


def record(folder: Path, **config: object) -> None:
    made = {"schema": "weaksup/model", "config": config, "input": "", "versions": {}}
    (folder / "run.json").write_text(json.dumps(made))


def test_folders_of_one_corpus_are_loaded_as_one(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        run(folder)
    assert common_origin(folders) is None
    stories = {"corpus": {"name": "stories"}, "split": {}}
    for folder in folders[:2]:
        record(folder, **stories)
    assert common_origin(folders) == common_origin(folders[1:]) is not None
    assert len(Ensemble.load(folders).members) == 3
    assert all(one.answers is None for one in Ensemble.load(folders, answer_model=False).members)

    record(folders[2], corpus={"name": "stories"}, split={"folds": 5, "fold": 1})
    assert len(Ensemble.load(folders).members) == 3
    with pytest.raises(DataError, match=r"c: trained with another split than .*a; choose"):
        common_origin(folders, same_split=True)
    record(folders[2], corpus={"name": "svamp"}, split={})
    with pytest.raises(DataError, match=r"c: trained on another corpus than .*a$"):
        Ensemble.load(folders)
    with pytest.raises(DataError, match=r"none: there is no such folder"):
        Ensemble.load([folders[0], tmp_path / "none"])
