"""A run folder: the names of its files and the records that its report is made of.

config.toml          all settings, merged
candidates.jsonl     what the search found for the train part
candidates.valid.jsonl   and for the valid part, where the ranker em asks how sure its draft may be
labels.draft.jsonl   what the draft was trained with
draft/               the draft models: `single` of basic and beam, `round-1`, ... of em
labels.jsonl         the pseudo labels
solver/              the trained solver
metrics.json         every number of the run (`Metrics`); no times, so that a resumed run gives the same bytes
times.json           seconds of each step
examples.jsonl       a sample of problems for the report (`ShownExample`)
report.html
ablation/ARM/        the same files of the other arms
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from .oracle import Score

__all__ = [
    "Accuracy",
    "Arm",
    "ArmRun",
    "Bin",
    "Evaluation",
    "Metrics",
    "ShownCandidate",
    "ShownExample",
    "TrainingRow",
]

CONFIG, CANDIDATES, DRAFT_LABELS, DRAFT = "config.toml", "candidates.jsonl", "labels.draft.jsonl", "draft"
VALID_CANDIDATES = "candidates.valid.jsonl"
LABELS, SOLVER, METRICS, TIMES = "labels.jsonl", "solver", "metrics.json", "times.json"
EXAMPLES, REPORT, ABLATION = "examples.jsonl", "report.html", "ablation"

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """Of a solver on some problems; None where there is nothing to divide by."""

    problems: Count = 0
    answer_accuracy: Share | None = None
    equation_accuracy: Share | None = None  # of those with a readable gold equation


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Of a solver on a part of a corpus."""

    data: str = ""
    split: str = ""
    problems: Count
    beam: int
    answer_accuracy: Share | None
    equation_accuracy: Share | None
    false_matches: Count = 0  # right answers by a wrong equation
    by_quantities: dict[str, Accuracy]


class TrainingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A validation: a line of a model folder's metrics.jsonl."""

    step: Count
    loss: float
    valid_answer_accuracy: Share | None = None


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Labels of similar belief, and how many of them are right."""

    low: Share
    high: Share
    labels: Count
    posterior: Share  # mean
    right: Share | None


class ArmRun(msgspec.Struct, frozen=True, kw_only=True):
    """One training of an arm: a seed and, in cross-validation, a fold."""

    seed: int
    fold: int | None = None
    labels: Count  # problems that it was trained with
    changed: Count | None = None  # labels that differ from the text-free pick
    oracle: Score | None = None  # of the labels, where there is gold
    calibration: list[Bin] = []
    training: list[TrainingRow] = []
    evaluation: Evaluation


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """A way to make labels: a ranker, or gold for comparison."""

    name: str  # "em", "beam", "basic", "random", "single", "gold"
    about: str
    runs: list[ArmRun]


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """Every number of a run."""

    schema: str = "weaksup/metrics"
    version: int = 1
    config: dict[str, Any]
    split: str  # its name, with sizes
    sizes: dict[str, int]  # of the parts
    candidates: Score | None = None  # of the search, where there is gold
    covered: Count
    distribution: dict[str, Count]  # number of candidates -> problems
    arms: list[Arm]  # the first is the main one
    examples_rule: str = ""  # how examples.jsonl was sampled (`weaksup.report.sample_rule`)


class ShownCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as the report shows it."""

    equation: str
    expr: str
    stage: str
    posterior: Share | None = None
    right: bool | None = None  # against gold


class ShownExample(msgspec.Struct, frozen=True, kw_only=True):
    """A problem as the report shows it."""

    id: str
    text: str
    marks: list[tuple[int, int]]  # spans of the quantities in the text
    quantities: Count
    answer: str
    gold: str | None = None
    stage: str | None = None
    candidates: Count  # how many there were
    shown: list[ShownCandidate] = []  # the likeliest
    label: str | None = None  # the equation picked
    expr: str | None = None  # the same over N0, N1...
    posterior: Share | None = None
    right: bool | None = None
