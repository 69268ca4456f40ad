"""A corpus with labels, or with its gold equations -> what a solver is taught with, and where a model came from.

The train part of a split is taught; the valid part, of which only the answers are read, chooses the weights to keep.
Where a split has no valid part (folds of MAWPS, published train and test files), a tenth of train is held out, always
the same one.  A model folder gets `run.json`: corpus, split and labels, so that `evaluate` takes the same test part.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .corpora import Corpus
from .corpora.splits import Split, shuffle_problems
from .errors import ConfigError, DataError
from .files import AnyPath, RunInfo, digest_file, read_records, read_run_info, versions, write_run_info
from .labels import check_label, needed_quantities
from .records import Label, Problem
from .run_folder import TrainingRow
from .solvers.answer_model import ANSWERS
from .solvers.checkpoint import CHECKPOINT, CONFIG, VOCABULARY, WEIGHTS, ModelInfo, read_json
from .solvers.examples import Lesson, gold_lessons, label_lessons
from .solvers.training import TrainResult
from .solvers.training_folder import METRICS, TIMES

__all__ = [
    "GOLD",
    "ORIGIN",
    "Parts",
    "can_go_on",
    "clear_model",
    "divide",
    "finished_result",
    "lessons_from",
    "read_labels",
    "read_origin",
    "write_origin",
]

GOLD = "gold"  # instead of the path of a label file
ORIGIN = "run.json"


# --- parts ------------------------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """What is taught, and what validates."""

    train: list[Problem]
    valid: list[Problem]
    held_out: bool  # whether valid was taken out of the train part


def divide(split: Split, *, valid_part: str = "valid") -> Parts:
    """The problems to teach and those to validate with; a tenth of train where there is no valid part."""
    if not split.get("train"):
        raise ConfigError(f"{split} has no problems to train with")
    if valid_part == "train":
        raise ConfigError("what is trained on can't validate")
    if split.get(valid_part):
        return Parts(split["train"], split[valid_part], held_out=False)
    if valid_part != "valid":
        raise ConfigError(f"{split.name} has no part {valid_part!r}; it has {', '.join(split)}")
    train = split["train"]
    out = {problem.id for problem in shuffle_problems(train, seed=0)[: len(train) // 10]}
    kept = [problem for problem in train if problem.id not in out]
    return Parts(kept, [problem for problem in train if problem.id in out], held_out=True)


# --- lessons ----------------------------------------------------------------------------------------------------------


def lessons_from(
    labels: str, train: Sequence[Problem], corpus: Iterable[Problem], *, writing: str, soft: bool
) -> tuple[list[Lesson], Counter[str]]:
    """The lessons of the train part from the label file `labels` or from `GOLD`; how many problems have none, and why.

    `corpus` is all of it: a label may belong to another part, but to no other corpus.
    """
    if labels == GOLD:
        return gold_lessons(train, writing=writing)
    return label_lessons(train, read_labels(labels, corpus), writing=writing, soft=soft)


def read_labels(path: AnyPath, corpus: Iterable[Problem]) -> dict[str, Label]:
    """The labels of a file by problem; one that does not belong to its problem is a `DataError`."""
    problems = {problem.id: problem for problem in corpus}
    found: dict[str, Label] = {}
    for label in read_records(path, Label):
        problem = problems.get(label.id)
        if problem is None:
            message = f"the corpus has no problem {label.id}: do labels and corpus belong together?"
            raise DataError(message, path=os.fspath(path))
        if label.id in found:
            raise DataError(f"problem {label.id} has two labels", path=os.fspath(path))
        for expr in (label.expr, *[other.expr for other in label.others]):
            if needed_quantities(expr) > len(problem.quantities):
                message = f"problem {label.id}: {expr!r} is not over its {len(problem.quantities)} quantities"
                raise DataError(message, path=os.fspath(path))
        check_label(label, problem)
        found[label.id] = label
    return found


# --- the model folder -------------------------------------------------------------------------------------------------


def clear_model(folder: AnyPath) -> None:
    """Remove the model in a folder, its own files and no others; a folder without one is left as it is."""
    place = Path(folder)
    if not (place / CONFIG).exists():
        return
    read_json(place / CONFIG, ModelInfo)  # an error if it is somebody else's
    # The config comes last: as long as it is there, what is left is known to be a model.
    for name in (ANSWERS, WEIGHTS, CHECKPOINT, METRICS, TIMES, ORIGIN, VOCABULARY, CONFIG):
        (place / name).unlink(missing_ok=True)


def can_go_on(folder: AnyPath) -> bool:
    """Whether training in this folder was interrupted and can be taken up."""
    return (Path(folder) / CHECKPOINT).exists()


def finished_result(folder: AnyPath) -> TrainResult:
    """The result of training a model that is complete: nothing was done."""
    rows = list(read_records(Path(folder) / METRICS, TrainingRow))
    best = max((row.valid_answer_accuracy for row in rows if row.valid_answer_accuracy is not None), default=None)
    return TrainResult(
        examples=0,
        steps=max((row.step for row in rows), default=0),
        seconds=0.0,
        cpu_seconds=0.0,
        examples_per_second=0.0,
        valid_answer_accuracy=best,
        left_out={},
    )


def read_origin(folder: AnyPath) -> RunInfo | None:
    """Where a model comes from, if that is known."""
    made = read_run_info(Path(folder) / ORIGIN)
    if made is not None and not isinstance(made.config.get("corpus"), dict):
        raise DataError("the record names no corpus", path=str(Path(folder) / ORIGIN))
    return made


def write_origin(
    folder: AnyPath,
    corpus: Corpus,
    *,
    options: Mapping[str, Any],
    source: AnyPath | None,
    split: Mapping[str, Any],
    labels: str,
    counts: Mapping[str, int],
    called: str | None = None,
) -> None:
    """Write where a model comes from.

    `options` and `source` (its path) are what the corpus was read with, `split` is how it was cut, `labels` is a file
    or `GOLD`; `called` is what is written of the file, by default its path.
    """
    made = RunInfo(
        schema="weaksup/model",
        config={"corpus": {"name": corpus.name, **options}, "split": dict(split), "labels": called or labels},
        input=corpus.digest if labels == GOLD else digest_file(labels),
        versions=versions(),
        source=None if source is None else os.fspath(source),
        counts=dict(counts),
    )
    write_run_info(Path(folder) / ORIGIN, made)
