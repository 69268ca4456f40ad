"""The structs of metrics.json, which has every number of a run; the report is made from it."""

from __future__ import annotations

from typing import Any

import msgspec

from ..records import Limited
from ..settings import Natural
from .calibration import Bin
from .score import Score
from .shares import Share

__all__ = ["Accuracy", "Arm", "ArmRun", "Evaluation", "Metrics", "TrainingRow"]


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy of a solver on some problems; None if there are none to divide by."""

    problems: Natural = 0
    answer_accuracy: Share | None = None
    equation_accuracy: Share | None = None  # of those with a readable gold equation
    with_gold: Natural | None = None  # how many those are


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a solver on one part of a corpus."""

    data: str = ""
    split: str = ""
    problems: Natural
    beam: int
    answer_accuracy: Share | None
    equation_accuracy: Share | None
    with_gold: Natural | None = None  # problems with a readable gold equation
    false_matches: Natural | None = None  # right answers by a wrong equation; None without gold
    by_quantities: dict[str, Accuracy]


class TrainingRow(msgspec.Struct, frozen=True, kw_only=True):
    """One validation during training: a line of a model folder's metrics.jsonl."""

    step: Natural
    loss: float
    valid_answer_accuracy: Share | None = None


class ArmRun(msgspec.Struct, frozen=True, kw_only=True):
    """One training run of an arm: a seed and, in cross-validation, a fold."""

    seed: int
    fold: int | None = None
    labels: Natural  # problems that it was trained on
    changed: Natural | None = None  # labels that differ from the choice made without the text
    oracle: Score | None = None  # of the labels, if the corpus has gold
    calibration: list[Bin] = []
    training: list[TrainingRow] = []
    evaluation: Evaluation


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of one way to make labels: a ranker, a baseline, or gold for comparison."""

    name: str  # "em", "beam", "basic", "random", "single", "gold"
    about: str
    runs: list[ArmRun]


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """Every number of a run: the content of metrics.json."""

    schema: str = "weaksup/metrics"
    version: int = 1
    config: dict[str, Any]
    split: str  # its name, with sizes
    sizes: dict[str, int]  # of the parts
    candidates: Score | None = None  # of the search, if the corpus has gold
    covered: Natural  # problems with at least one candidate
    distribution: dict[str, Natural]  # number of candidates -> problems
    limited: dict[str, tuple[Limited, ...]] = {}  # problem -> the stages that met a limit and were left out
    arms: list[Arm]  # the main arm first
    examples_rule: str = ""  # how examples.jsonl was sampled (`weaksup.report.sample_rule`)
    effective: dict[str, Any] = {}  # the settings of solver, training and drafts that preset and options add up to
