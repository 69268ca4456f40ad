"""Several solvers that answer as one, against a plain count over the trees of all beams."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from mathcanon import equivalent
from weaksup import Ensemble
from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError, DataError
from weaksup.meaning.value_level import value_names
from weaksup.records import Problem
from weaksup.solvers.data.vocabulary import Vocabulary
from weaksup.solvers.decoding.answer_model import WEIGHT
from weaksup.solvers.decoding.ensemble import common_origin
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
    """A solver with an answer model of a simple kind: it likes values near its favourite."""

    favourite = Fraction(0)

    def plausibility(self, problem: Problem, values: Sequence[Fraction]) -> npt.NDArray[np.float64]:
        if self.answers is None:
            return super().plausibility(problem, values)
        return np.array([-abs(float(value - self.favourite)) / 10 for value in values])


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
    for tree in sorted(pool):
        value = value_of(tree, values)
        if value is None:
            continue
        chance = sum(np.exp(plain_log_probability(one, problem, tree)) for one in members) / len(members)
        text = infix(tree, names)
        for place, (other, _, before) in enumerate(meanings):
            if equivalent(text, other):
                meanings[place] = (other, value, before + chance)
                break
        else:
            meanings.append((text, value, chance))
    judges = [one for one in members if one.answers is not None]
    found = [value for _, value, _ in meanings]
    chances = np.array([chance for _, _, chance in meanings])
    if judges:
        scores = np.mean([one.plausibility(problem, found) for one in judges], axis=0)
        weights = chances * np.exp(WEIGHT * scores)
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
    values = [Fraction(1), Fraction(40)]
    both = Ensemble(members).plausibility(some_problems()[0], values)
    assert both.tolist() == members[1].plausibility(some_problems()[0], values).tolist()
    members[1].answers = None
    assert Ensemble(members).plausibility(some_problems()[0], values).tolist() == [0, 0]


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
