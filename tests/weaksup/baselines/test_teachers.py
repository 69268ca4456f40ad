"""The teachers: what LBF mends and remembers, what WARM rewards, and that both learn."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import torch

import weaksup.baselines.lbf as lbf
import weaksup.solvers.training.loop as module
from weaksup.baselines import warm
from weaksup.baselines.finds import labels_of
from weaksup.baselines.fixing import OPERATORS, Replacement, value_of
from weaksup.baselines.lbf import Fixer, learn_by_fixing
from weaksup.baselines.sampling import Written
from weaksup.baselines.table import BASELINES, LBFConfig, WARMConfig, find_equations
from weaksup.baselines.unlabelled import Unlabelled, exact, operand_values
from weaksup.baselines.warm import Reinforcer, generate_labels, harvest
from weaksup.corpora.problems import segment_text
from weaksup.errors import WeakSupError
from weaksup.measure.metrics import TrainingRow
from weaksup.records import Label, Problem
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.table import build_model
from weaksup.solvers.training.lesson_sources import Moment
from weaksup.storage.json_lines import read_records

from .small_baseline import SOLVER, TRAINING, stories

PROBLEMS = [problem for problem in stories(gold=False).problems if len(problem.quantities) < 4][:16]


EVERYWHERE = range(len(PROBLEMS))


def unlabelled(problems: list[Problem] = PROBLEMS) -> Unlabelled:
    return Unlabelled(problems, SOLVER, min_word_count=TRAINING.min_word_count)


def untrained(given: Unlabelled, *, step: int = 0) -> Moment:
    """The first steps of a training run that has not learnt anything."""
    torch.manual_seed(0)
    model = build_model(SOLVER, given.vocabulary)
    torch.manual_seed(step)
    return Moment(model, step, 6, 2)


def fixer(given: Unlabelled, *, memory: bool = False, walk: int = 50) -> Fixer:
    return Fixer(given, memory=memory, walk=walk, writing=TRAINING.writing, seed=TRAINING.seed)


def text_of(given: Unlabelled, tokens: tuple[int, ...]) -> str:
    return " ".join(given.prefix(tokens))


def right(problem: Problem, prefix: str) -> bool:
    return value_of(prefix.split(), operand_values(problem)) == exact(problem.exact_answer)


def sums(size: int) -> list[Problem]:
    """Problems that are all solved by N0+N1."""
    made = []
    for i in range(size):
        first, second = 3 + 7 * i, 5 + 11 * i
        text, tokens, quantities = segment_text(f"Tom has {first} apples and buys {second} more.", language="en")
        answer = str(first + second)
        made.append(Problem(id=str(i), text=text, tokens=tokens, quantities=quantities, answer=answer))
    return made


def test_fixes_have_the_right_value_and_are_what_is_taught() -> None:
    given = unlabelled()
    teacher = fixer(given)
    lessons = teacher.teach(EVERYWHERE, untrained(given))
    mended = [problem for problem in PROBLEMS if problem.id in teacher.finds]
    assert len(lessons) == len(teacher.finds) == len(mended) > 4
    for problem, lesson in zip(mended, lessons, strict=True):
        taught = [text_of(given, tree) for tree in lesson.trees]
        assert taught == list(teacher.finds[problem.id])
        assert right(problem, *taught)


def test_a_longer_walk_finds_more() -> None:
    given = unlabelled()
    few, many = (len(fixer(given, walk=walk).teach(EVERYWHERE, untrained(given))) for walk in (0, 50))
    assert few < many


def test_the_walk_draws_tokens_by_the_distribution_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    given = unlabelled()
    vocabulary = given.vocabulary
    token = {text: vocabulary.token(text) for text in OPERATORS}
    chances = [-20.0] * 40
    for text, chance in zip(OPERATORS, (0.1, 0.6, 0.3, 0.0001), strict=True):
        chances[token[text] or 0] = log(chance)
    tree = Written((token["+"] or 0, vocabulary.fixed, vocabulary.fixed), [chances] * 3)
    drawn: Counter[str] = Counter()

    def many(*args: Any, prefer: Any) -> None:
        propose, steps = args[4], args[5]
        assert steps == 50
        changes = [Replacement(0, "+", new) for new in OPERATORS if new != "+"]
        drawn.update(propose(changes).new for _ in range(2000))
        assert max(changes, key=prefer).new == "-"  # of several one-token fixes, too, the likeliest

    monkeypatch.setattr(lbf, "fix", many)
    assert fixer(given)._fixed(0, tree, Random(0)) is None
    assert drawn["-"] / 2000 == pytest.approx(0.6 / 0.9, abs=0.04)
    assert drawn["*"] / 2000 == pytest.approx(0.3 / 0.9, abs=0.04)


def test_memory_teaches_all_fixes_with_equal_weights() -> None:
    given = unlabelled()
    last, all_ = (fixer(given, memory=memory) for memory in (False, True))
    for step in range(4):
        single = last.teach(EVERYWHERE, untrained(given, step=step))
        several = all_.teach(EVERYWHERE, untrained(given, step=step))
    assert last.finds == all_.finds
    assert {len(lesson.trees) for lesson in single} == {1}
    counts = [len(lesson.trees) for lesson in several]
    assert counts == [len(all_.finds[p.id]) for p in PROBLEMS if p.id in all_.finds] and max(counts) > 1
    assert all(lesson.weights == (1 / len(lesson.trees),) * len(lesson.trees) for lesson in several)


def test_lbf_learns_from_its_fixes(tmp_path: Path) -> None:
    problems = sums(24)
    larger = msgspec.structs.replace(SOLVER, embedding=32, hidden=32, dropout=0.0)
    train = msgspec.structs.replace(TRAINING, epochs=40, validate_every=40)
    learn_by_fixing(problems, problems, tmp_path, config=larger, train=train, how=LBFConfig(memory=True))
    rows = list(read_records(tmp_path / "solver" / "metrics.jsonl", TrainingRow))
    assert rows[-1].valid_answer_accuracy == 1.0
    assert len(list(read_records(tmp_path / "labels.jsonl", Label))) == len(problems)


def test_reinforcement_makes_the_right_trees_likely(tmp_path: Path) -> None:
    problems = sums(24)
    given = unlabelled(problems)
    train = msgspec.structs.replace(TRAINING, epochs=40, validate_every=40)
    generate_labels(problems, [], tmp_path, config=SOLVER, train=train, how=WARMConfig(beam=10))
    assert len(list(read_records(tmp_path / "labels.jsonl", Label))) == len(problems)
    before, after = untrained(given), untrained(given)
    after.model.load_state_dict(Solver.load(tmp_path / "generator").model.state_dict())
    few, many = (share_right(given, now) for now in (before, after))
    assert few < 0.1 < 0.3 < many


def share_right(given: Unlabelled, now: Moment) -> float:
    """The share of right trees among those that are drawn, by the mean reward that the teacher keeps."""
    teacher = Reinforcer(given, draws=5)
    teacher.teach(range(len(given.problems)), now)
    return teacher.usual / 0.05


@pytest.mark.parametrize("teacher", ["lbf", "warm"])
def test_training_that_diverges_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, teacher: str) -> None:
    loss = module.tree_loss
    monkeypatch.setattr(module, "tree_loss", lambda *args, **options: loss(*args, **options) * float("nan"))
    how = BASELINES[teacher].settings()
    with pytest.raises(WeakSupError, match=r"training has diverged: .*; use a lower learning rate"):
        find_equations(teacher, PROBLEMS, [], tmp_path, config=SOLVER, train=TRAINING, how=how)
    assert not list(tmp_path.rglob("model.safetensors")) and not (tmp_path / "labels.jsonl").exists()


def test_rewards_are_weighted_by_what_is_usual() -> None:
    given = unlabelled()
    teacher = Reinforcer(given, draws=4)
    teacher.usual = 0.25
    lessons = teacher.teach(EVERYWHERE, untrained(given))
    for problem, lesson in zip(PROBLEMS, lessons, strict=True):
        gained = [right(problem, text_of(given, tree)) for tree in lesson.trees]
        assert lesson.weights == tuple((reward - 0.25) / 4 for reward in gained)


def test_a_wider_beam_harvests_no_less() -> None:
    given = unlabelled()
    best, wide = (harvest(untrained(given).model, given, beam=beam) for beam in (1, 30))
    assert best.keys() <= wide.keys() and len(wide) > len(best)
    by_id = {problem.id: problem for problem in PROBLEMS}
    assert all(right(by_id[id], text) for id, found in wide.items() for text in found)


def test_right_trees_that_are_all_but_impossible_are_harvested_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their probabilities, e^-2000 and less, are 0 as floats; what counts is how they compare."""
    given = unlabelled()
    model = untrained(given).model
    search = warm.beam_search
    monkeypatch.setattr(
        warm,
        "beam_search",
        lambda *args, **options: [
            [hypothesis._replace(log_probability=hypothesis.log_probability - 2000) for hypothesis in found]
            for found in search(*args, **options)
        ],
    )
    far = harvest(model, given, beam=30)
    monkeypatch.undo()
    near = harvest(model, given, beam=30)
    assert far.keys() == near.keys() and far
    for id, found in far.items():
        assert max(found.values()) == 1
        assert found == pytest.approx(near[id], rel=1e-6)
    assert [label.id for label in labels_of(PROBLEMS, far, baseline="warm")] == [
        problem.id for problem in PROBLEMS if problem.id in far
    ]


def test_the_label_is_what_was_found_most_often_whatever_its_writing() -> None:
    problem, *others = sums(3)
    found = {"- + N0 N1 - 1 1": 2.0, "+ N0 N1": 2.0, "+ N1 N0": 2.0}
    (label,) = labels_of([problem, *others], {problem.id: found}, baseline="lbf")
    assert (label.expr, label.equation, label.stage, label.ranker) == ("N0+N1", "x=3+5", "lbf", "lbf")
    assert label.posterior == pytest.approx(1.0)  # 1-1 means nothing
