"""The figures of a run by name: plain numbers, so that they can be kept when the folder of the run is gone.

A name goes from the general to the special: `em.labels`, `em.test`, `em.test.3` (problems with 3 quantities),
`em.structure.micro.multiple`, `all.recall.1-3`, `em.fold-0.test`, `curve.3` (valid answers when they were measured the
third time in training).  Names of what a command printed begin as its file
does, which is RUN.WHAT.json; pipelines and baselines measure `test` and judge their labels by `value` themselves.
Shares are percents with four decimals; None where there is nothing to divide by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from weaksup.measure.metrics import Accuracy, ArmRun, Evaluation, Metrics, TrainingRow
from weaksup.measure.score import Score
from weaksup.measure.shares import share
from weaksup.measure.sizes import SIZES
from weaksup.storage.run_files import TRAINING_ROWS

from .folders import read
from .place import Place, run_name
from .runs import Step, place_of, steps_of

__all__ = ["CURVE", "LONG_PROBLEMS", "SET_SIZES", "SHORT_PROBLEMS", "Figures", "figure_name", "figures_of"]

Figures = dict[str, int | float | None]
_Named = Iterator[tuple[str, int | float | None]]

CURVE = "curve"
SHORT_PROBLEMS, LONG_PROBLEMS = "1-3", "4-6+"  # numbers of quantities
SET_SIZES = (1, 2, 3, 6, 11, 21, 51)  # numbers of candidates: from each to before the next
_HALVES = {SHORT_PROBLEMS: SIZES[:3], LONG_PROBLEMS: SIZES[3:]}


class _Verdict(msgspec.Struct, frozen=True):
    right: bool | None = None


class _Shown(msgspec.Struct, frozen=True):
    candidates: list[_Verdict] = []


class _Sets(msgspec.Struct, frozen=True):
    """What `oracle` prints beside the score: how many problems have so many candidates, and the paper's examples."""

    distribution: dict[str, int] = {}
    cases: list[list[_Shown]] = []


class _Taught(msgspec.Struct, frozen=True):
    """What `train` prints, as far as it is told: examples seen, and answers on valid by greedy search."""

    examples: int | None = None
    valid_answer_accuracy: float | None = None


def figure_name(*words: str | None) -> str:
    """The words that are given, joined.

    >>> figure_name(None, "test", "problems", "6+")
    'test.problems.6+'
    """
    return ".".join(word for word in words if word is not None)


def figures_of(place: Place, run: str) -> Figures:
    """Every figure of the steps that are done."""
    place = place_of(run, place)
    return {name: value for step in steps_of(run, place) for name, value in _of_step(step, run_name(run, place.seed))}


def _of_step(step: Step, run: str) -> _Named:
    command, file = step.arguments[0], step.closing
    what = file.name.removeprefix(f"{run}.").removesuffix(".json")
    if command == "pipeline" and (metrics := read(file, Metrics)) is not None:
        for arm in metrics.arms:
            for trained in arm.runs:
                fold = None if trained.fold is None else f"fold-{trained.fold}"
                yield from _of_training(trained, figure_name(arm.name, fold))
    elif command == "baseline" and (metrics := read(file, Metrics)) is not None:
        yield from _of_training(metrics.arms[0].runs[0], None)
    elif command == "train" and (taught := read(file, _Taught)) is not None:
        yield f"{what}.examples", taught.examples
        yield f"{what}.valid", _percent(taught.valid_answer_accuracy)
        yield from _of_curve(Path(step.arguments[step.arguments.index("-o") + 1]))
    elif command == "evaluate" and (measured := read(file, Evaluation)) is not None:
        yield from _of_answers(measured, what)
    elif command == "oracle" and (judged := read(file, Score)) is not None:
        yield from _of_score(judged, what)
        yield from _of_sets(read(file, _Sets) or _Sets(), what)


def _of_training(trained: ArmRun, arm: str | None) -> _Named:
    yield figure_name(arm, "labels"), trained.labels
    yield from _of_answers(trained.evaluation, figure_name(arm, "test"))
    if trained.oracle is not None:
        yield from _of_score(trained.oracle, figure_name(arm, "value"))


def _of_answers(measured: Evaluation, name: str) -> _Named:
    """The answer accuracy, and of how many problems; the same by size, with the share of each size."""
    yield name, _percent(measured.answer_accuracy)
    yield f"{name}.problems", measured.problems
    for size in SIZES:
        of_size = measured.by_quantities.get(size, Accuracy())
        yield f"{name}.{size}", _percent(of_size.answer_accuracy)
        yield f"{name}.problems.{size}", of_size.problems
        yield f"{name}.share.{size}", _percent(share(of_size.problems, measured.problems))


def _of_curve(model: Path) -> _Named:
    """Answers on valid, by greedy search, each time that they were measured in training."""
    path = model / TRAINING_ROWS
    rows = path.read_bytes().splitlines() if path.exists() else []
    for number, row in enumerate(rows, start=1):
        validation = msgspec.json.decode(row, type=TrainingRow)
        yield figure_name(CURVE, str(number)), _percent(validation.valid_answer_accuracy)


def _of_score(score: Score, name: str) -> _Named:
    """Counts of problems, recall, and right equations in percent."""
    yield f"{name}.problems", score.problems
    yield f"{name}.too-many-quantities", score.skipped.get("too-many-quantities", 0)
    yield f"{name}.power", score.uncovered_power
    yield f"{name}.single", score.single
    yield f"{name}.multiple", score.multiple
    yield f"{name}.covered", score.covered
    yield f"{name}.recall", _percent(score.recall)
    for which, sizes in _HALVES.items():
        yield f"{name}.recall.{which}", _recall(score, sizes)
    yield f"{name}.micro", _percent(score.micro)
    yield f"{name}.micro.single", _percent(score.micro_single)
    yield f"{name}.micro.multiple", _percent(score.micro_multiple)
    yield f"{name}.macro", _percent(score.macro)
    for size in SIZES:
        yield f"{name}.recall.{size}", _recall(score, [size])
        yield f"{name}.micro.{size}", _percent(score.by_quantities[size].micro)
        yield f"{name}.macro.{size}", _percent(score.by_quantities[size].macro)


def _of_sets(found: _Sets, name: str) -> _Named:
    """Problems by number of candidates; candidates of each example of the paper, and how many of them are right."""
    counts = {int(size): problems for size, problems in found.distribution.items()}
    for bound, last in zip(SET_SIZES, (*SET_SIZES[1:], None), strict=True):
        inside = [n for size, n in counts.items() if bound <= size and (last is None or size < last)]
        if counts:
            yield f"{name}.sets.{bound}", sum(inside)
    for i, shown in enumerate(found.cases, start=1):
        candidates = [candidate for problem in shown[:1] for candidate in problem.candidates]
        yield f"{name}.case-{i}.candidates", len(candidates)
        yield f"{name}.case-{i}.right", sum(candidate.right is True for candidate in candidates)


def _recall(score: Score, sizes: Sequence[str]) -> float | None:
    """Of the problems with so many quantities."""
    chosen = [score.by_quantities[size] for size in sizes]
    return _percent(share(sum(one.covered for one in chosen), sum(one.problems for one in chosen)))


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 4)
