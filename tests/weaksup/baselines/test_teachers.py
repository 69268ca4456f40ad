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
import weaksup.baselines.learner as module
from weaksup.baselines import warm
from weaksup.baselines.finds import labels_of
from weaksup.baselines.fixing import OPERATORS, Replacement, value_of
from weaksup.baselines.lbf import Fixer, exact, operand_values
from weaksup.baselines.learner import Learner
from weaksup.baselines.sampling import Written
from weaksup.baselines.warm import Reinforcer, harvest
from weaksup.corpora.problems import segment_text
from weaksup.errors import WeakSupError
from weaksup.records import Problem
from weaksup.solvers.config import SolverConfig

from .small_baseline import SOLVER, TRAINING, stories

PROBLEMS = [problem for problem in stories(gold=False).problems if len(problem.quantities) < 4][:16]


def learner(
    folder: Path, problems: list[Problem] = PROBLEMS, *, config: SolverConfig = SOLVER, **changes: object
) -> Learner:
    train = msgspec.structs.replace(TRAINING, **changes)
    return Learner(problems, folder, config=config, train=train, device=torch.device("cpu"))


def text_of(learner: Learner, tokens: tuple[int, ...]) -> str:
    return " ".join(learner.vocabulary.text(token) for token in tokens)


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


def test_fixes_have_the_right_value_and_are_what_is_taught(tmp_path: Path) -> None:
    pupil = learner(tmp_path)
    fixer = Fixer(pupil, PROBLEMS, memory=False, walk=50)
    pupil.model.eval()
    lessons = fixer.teach(range(len(PROBLEMS)), 0)
    mended = [problem for problem in PROBLEMS if problem.id in fixer.finds]
    assert len(lessons) == len(fixer.finds) == len(mended) > 4
    for problem, lesson in zip(mended, lessons, strict=True):
        taught = [text_of(pupil, tree) for tree in lesson.trees]
        assert taught == list(fixer.finds[problem.id])
        assert right(problem, *taught)


def test_a_longer_walk_finds_more(tmp_path: Path) -> None:
    pupil = learner(tmp_path)
    pupil.model.eval()
    fixers = [Fixer(pupil, PROBLEMS, memory=False, walk=walk) for walk in (0, 50)]
    few, many = (len(fixer.teach(range(len(PROBLEMS)), 0)) for fixer in fixers)
    assert few < many


def test_the_walk_draws_tokens_by_the_distribution_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pupil = learner(tmp_path)
    problem = PROBLEMS[0]
    fixer = Fixer(pupil, PROBLEMS, memory=False, walk=50)
    token = {text: pupil.vocabulary.token(text) for text in OPERATORS}
    chances = [-20.0] * 40
    for text, chance in zip(OPERATORS, (0.1, 0.6, 0.3, 0.0001), strict=True):
        chances[token[text] or 0] = log(chance)
    tree = Written((token["+"] or 0, pupil.vocabulary.fixed, pupil.vocabulary.fixed), [chances] * 3)
    drawn: Counter[str] = Counter()

    def many(*args: Any, prefer: Any) -> None:
        propose, steps = args[4], args[5]
        assert steps == 50
        changes = [Replacement(0, "+", new) for new in OPERATORS if new != "+"]
        drawn.update(propose(changes).new for _ in range(2000))
        assert max(changes, key=prefer).new == "-"  # of several one-token fixes, too, the likeliest

    monkeypatch.setattr(lbf, "fix", many)
    assert fixer._fixed(PROBLEMS.index(problem), tree, Random(0)) is None
    assert drawn["-"] / 2000 == pytest.approx(0.6 / 0.9, abs=0.04)
    assert drawn["*"] / 2000 == pytest.approx(0.3 / 0.9, abs=0.04)


def test_memory_teaches_all_fixes_with_equal_weights(tmp_path: Path) -> None:
    pupil = learner(tmp_path)
    pupil.model.eval()
    last, all_ = (Fixer(pupil, PROBLEMS, memory=memory, walk=50) for memory in (False, True))
    for step in range(4):
        torch.manual_seed(step)
        single = last.teach(range(len(PROBLEMS)), step)
        torch.manual_seed(step)
        several = all_.teach(range(len(PROBLEMS)), step)
    assert last.finds == all_.finds
    assert {len(lesson.trees) for lesson in single} == {1}
    counts = [len(lesson.trees) for lesson in several]
    assert counts == [len(all_.finds[p.id]) for p in PROBLEMS if p.id in all_.finds] and max(counts) > 1
    assert all(lesson.weights == (1 / len(lesson.trees),) * len(lesson.trees) for lesson in several)


def test_lbf_learns_from_its_fixes(tmp_path: Path) -> None:
    problems = sums(24)
    larger = msgspec.structs.replace(SOLVER, embedding=32, hidden=32, dropout=0.0)
    pupil = learner(tmp_path, problems, config=larger, epochs=40, validate_every=40)
    fixer = Fixer(pupil, problems, memory=True, walk=50)
    pupil.learn(fixer, problems)
    assert pupil.rows[-1].valid_answer_accuracy == 1.0
    assert len(fixer.finds) == len(problems)


def test_reinforcement_makes_the_right_trees_likely(tmp_path: Path) -> None:
    problems = sums(24)
    pupil = learner(tmp_path, problems, epochs=40, validate_every=40)
    teacher = Reinforcer(pupil, problems, draws=5)
    pupil.model.eval()
    teacher.teach(range(len(problems)), 0)
    before = teacher.usual / 0.05  # the share of right trees of the untrained generator
    teacher.usual = 0.0
    pupil.learn(teacher, [])
    assert before < 0.1 < 0.3 < teacher.usual
    assert len(harvest(pupil, problems, beam=10)) == len(problems)


@pytest.mark.parametrize("teacher", ["lbf", "warm"])
def test_training_that_diverges_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, teacher: str) -> None:
    pupil = learner(tmp_path)
    loss = module.tree_loss
    monkeypatch.setattr(module, "tree_loss", lambda *args, **options: loss(*args, **options) * float("nan"))
    made = Fixer(pupil, PROBLEMS, memory=True, walk=50) if teacher == "lbf" else Reinforcer(pupil, PROBLEMS, draws=2)
    with pytest.raises(WeakSupError, match=r"training has diverged: at step \d+ the loss is nan"):
        pupil.learn(made, [])
    assert not (tmp_path / "model.safetensors").exists()


def test_rewards_are_weighted_by_what_is_usual(tmp_path: Path) -> None:
    pupil = learner(tmp_path)
    teacher = Reinforcer(pupil, PROBLEMS, draws=4)
    teacher.usual = 0.25
    pupil.model.eval()
    lessons = teacher.teach(range(len(PROBLEMS)), 0)
    for problem, lesson in zip(PROBLEMS, lessons, strict=True):
        gained = [right(problem, text_of(pupil, tree)) for tree in lesson.trees]
        assert lesson.weights == tuple((reward - 0.25) / 4 for reward in gained)


def test_a_wider_beam_harvests_no_less(tmp_path: Path) -> None:
    pupil = learner(tmp_path)
    best, wide = (harvest(pupil, PROBLEMS, beam=beam) for beam in (1, 30))
    assert best.keys() <= wide.keys() and len(wide) > len(best)
    by_id = {problem.id: problem for problem in PROBLEMS}
    assert all(right(by_id[id], text) for id, found in wide.items() for text in found)


def test_right_trees_that_are_all_but_impossible_are_harvested_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their probabilities, e^-2000 and less, are 0 as floats; what counts is how they compare."""
    pupil = learner(tmp_path)
    search = warm.beam_search
    monkeypatch.setattr(
        warm,
        "beam_search",
        lambda *args, **options: [
            [hypothesis._replace(log_probability=hypothesis.log_probability - 2000) for hypothesis in found]
            for found in search(*args, **options)
        ],
    )
    far = harvest(pupil, PROBLEMS, beam=30)
    monkeypatch.undo()
    near = harvest(pupil, PROBLEMS, beam=30)
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
