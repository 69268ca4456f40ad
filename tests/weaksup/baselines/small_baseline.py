"""Small runs of the baselines on stories, in this process or as a program of its own (to be killed).

python small_baseline.py NAME FOLDER PAUSE
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path
from typing import Any

import msgspec
import torch

from weaksup.corpora import Corpus, read_corpus
from weaksup.measure.metrics import Arm
from weaksup.pipeline.config import PipelineConfig
from weaksup.pipeline.run import run_pipeline
from weaksup.settings import convert_settings
from weaksup.solvers.presets import SolverConfig, TrainConfig
from weaksup.solvers.training.loop import TrainingRun
from weaksup.watching import Watcher

SOLVER = SolverConfig(embedding=8, hidden=12, layers=1, directions="concat", dropout=0.2, number_kinds=True)
TRAINING = TrainConfig(
    epochs=3,
    batch_size=12,
    learning_rate=1e-2,
    optimizer="adamw",
    schedule="linear",
    warmup=2,
    clip=5.0,
    ema=0.9,
    min_word_count=2,
    min_constant_count=1,
    validate_every=2,
)
SIZE = 40
#: Each baseline with all that it can do.
EXTRAS: dict[str, dict[str, Any]] = {"lbf": {"memory": True, "walk": 5}, "warm": {"beam": 20, "draws": 3}}


def stories(*, gold: bool = True) -> Corpus:
    corpus = read_corpus("stories", size=SIZE)
    if gold:
        return corpus
    return msgspec.structs.replace(
        corpus, problems=[msgspec.structs.replace(problem, gold=None) for problem in corpus.problems]
    )


def run(
    name: Any,
    folder: Path,
    *,
    corpus: Corpus | None = None,
    training: TrainConfig = TRAINING,
    say: Callable[[str], None] = lambda line: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    **extras: Any,
) -> Arm:
    how = {"size": SIZE, "ranker": name, "compare": (), "preset": "small", "answer_model": False}
    settings = {**msgspec.structs.asdict(SOLVER), **msgspec.structs.asdict(training)}
    config = convert_settings({**how, name: EXTRAS[name] | extras, "training": settings}, PipelineConfig)
    watch = Watcher(say, lambda what: progress)
    (arm,) = run_pipeline(config, folder, resume=True, watch=watch, device="cpu", corpus=corpus or stories()).arms
    return arm


def files(folder: Path) -> dict[str, bytes]:
    """What a run folder holds, without times, the date (which the report has too), and the path of the labels."""
    left_out = {"times.json", "times.jsonl", "made.json", "report.html", "run.json"}
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in left_out)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


if __name__ == "__main__":
    torch.set_num_threads(1)
    every_step = partialmethod(TrainingRun.train, checkpoint_seconds=0.0)
    TrainingRun.train = every_step  # type: ignore[method-assign,assignment]
    run(sys.argv[1], Path(sys.argv[2]), progress=lambda done, total: time.sleep(float(sys.argv[3])))
