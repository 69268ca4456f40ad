"""From a corpus with labels or gold equations to lessons, and the record of where a model came from.

A model folder gets a `run.json` with corpus, split and labels, so that `evaluate` uses the same test part.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mathcanon.files import AnyPath

from ...corpora import Corpus
from ...errors import DataError
from ...meaning.writing import check_label, needed_quantities
from ...measure.metrics import TrainingRow
from ...records import Label, Problem
from ...storage.folder_lock import lock_folder
from ...storage.json_files import read_json, write_json
from ...storage.json_lines import read_records
from ...storage.provenance import RunInfo, versions
from ...storage.run_files import CHECKPOINT, ENCODER, MODEL_CONFIG, MODEL_FILES, ORIGIN, TRAINING_ROWS
from ...storage.whole_files import digest_file
from ..data.lessons import Lesson, gold_lessons, label_lessons
from ..network.model_files import A_FILE, ModelInfo
from .loop import TrainResult

__all__ = [
    "GOLD",
    "can_go_on",
    "clear_model",
    "finished_result",
    "lessons_from",
    "model_files",
    "read_labels",
    "write_origin",
]

GOLD = "gold"  # instead of the path of a label file


# --- lessons ----------------------------------------------------------------------------------------------------------


def lessons_from(
    labels: str, train: Sequence[Problem], corpus: Iterable[Problem], *, writing: str, soft: bool
) -> tuple[list[Lesson], Counter[str]]:
    """The lessons of the train part from the label file `labels` or `GOLD`, and the number left out, by reason.

    `corpus` has the problems of all parts: a label may belong to another part, but not to another corpus.
    """
    if labels == GOLD:
        return gold_lessons(train, writing=writing)
    return label_lessons(train, read_labels(labels, corpus), writing=writing, soft=soft)


def read_labels(path: AnyPath, corpus: Iterable[Problem]) -> dict[str, Label]:
    """The labels of a file by problem id; raises `DataError` if a label does not fit its problem."""
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
                message = (
                    f"problem {label.id}: {expr!r} is not an expression over its {len(problem.quantities)} quantities"
                )
                raise DataError(message, path=os.fspath(path))
        check_label(label, problem)
        found[label.id] = label
    return found


# --- the model folder -------------------------------------------------------------------------------------------------


def model_files(folder: AnyPath) -> list[Path]:
    """The paths of all files that a model folder may hold."""
    return [Path(folder) / name for name in MODEL_FILES]


def clear_model(folder: AnyPath) -> None:
    """Remove the model's files from a folder and leave all others; does nothing if there is no model."""
    place = Path(folder)
    if not (place / MODEL_CONFIG).exists():
        return
    read_json(place / MODEL_CONFIG, ModelInfo, what=A_FILE)  # raises if it is not the config of a model
    with lock_folder(place):  # raises while another process is training it
        # The config is removed last: as long as it exists, the other files are known to be a model's.
        for file in model_files(place):
            file.unlink(missing_ok=True)
        with suppress(OSError):  # it is not there, or holds something else
            (place / ENCODER).rmdir()


def can_go_on(folder: AnyPath) -> bool:
    """Whether training in this folder was interrupted and can be resumed."""
    return (Path(folder) / CHECKPOINT).exists()


def finished_result(folder: AnyPath) -> TrainResult:
    """The result to report for a model that was already complete: no examples and no time."""
    rows = list(read_records(Path(folder) / TRAINING_ROWS, TrainingRow))
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
    """Write the record of where a model comes from.

    The corpus was read from the path `source` with `options` and divided as `split` says; `labels` is a label file or
    `GOLD`, recorded under the name `called` if that is given.
    """
    made = RunInfo(
        schema="weaksup/model",
        config={"corpus": {"name": corpus.name, **options}, "split": dict(split), "labels": called or labels},
        input=corpus.digest if labels == GOLD else digest_file(labels),
        versions=versions(),
        source=None if source is None else os.fspath(source),
        counts=dict(counts),
    )
    write_json(Path(folder) / ORIGIN, made)
