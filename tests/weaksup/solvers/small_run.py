"""A small training on stories, in this process or as a program of its own (to be killed, or under torchrun).

`python small_run.py FOLDER PAUSE`
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from weaksup.corpora.stories import read_stories
from weaksup.records import Problem
from weaksup.solvers.data.lessons import Lesson, gold_lessons
from weaksup.solvers.presets import SolverConfig, TrainConfig
from weaksup.solvers.training.loop import TrainResult, train_solver

CONFIG = SolverConfig(
    embedding=8, hidden=12, layers=1, directions="concat", dropout=0.2, word_dropout=0.1, number_kinds=True
)
TRAIN = TrainConfig(
    epochs=4,
    batch_size=8,
    learning_rate=1e-2,
    optimizer="adamw",
    schedule="linear",
    warmup=2,
    clip=5.0,
    ema=0.9,
    min_word_count=2,
    min_constant_count=1,
    validate_every=1.5,
)
STEPS = 12  # 24 stories are 3 batches an epoch


def stories() -> tuple[list[Lesson], list[Problem]]:
    problems = list(read_stories(size=30, seed=11))
    lessons, _ = gold_lessons(problems[:24], writing="label")
    assert len(lessons) == 24
    return lessons, problems[24:]


def run(
    folder: Path,
    *,
    config: SolverConfig = CONFIG,
    train: TrainConfig = TRAIN,
    given: tuple[list[Lesson], list[Problem]] | None = None,
    checkpoint_seconds: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
    **more: Any,
) -> TrainResult:
    lessons, valid = given or stories()
    return train_solver(
        lessons,
        valid,
        folder,
        config=config,
        train=train,
        checkpoint_seconds=checkpoint_seconds,
        progress=progress,
        **more,
    )


def files(folder: Path) -> dict[str, bytes]:
    """What a folder holds, without the times."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "times.jsonl"}


if __name__ == "__main__":
    torch.set_num_threads(1)
    run(Path(sys.argv[1]), progress=lambda done, total: time.sleep(float(sys.argv[2])))
