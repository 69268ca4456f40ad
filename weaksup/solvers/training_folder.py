"""Whose folder is it?  A training run takes a new folder, or goes on in one of the same settings and the same data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import torch

from ..errors import ConfigError
from ..records import Problem
from .answer_model import ANSWERS
from .batches import Example
from .checkpoint import CHECKPOINT, CONFIG, VOCABULARY, WEIGHTS, ModelInfo, read_json, write_json
from .config import SolverConfig, TrainConfig
from .solver import Solver
from .vocabulary import Vocabulary

__all__ = ["METRICS", "TIMES", "AlreadyTrained", "describe_training", "take_folder"]

METRICS, TIMES = "metrics.jsonl", "times.jsonl"


class AlreadyTrained(ConfigError):
    """The folder holds the same model, trained to the end."""


def describe_training(
    config: SolverConfig,
    train: TrainConfig,
    examples: Sequence[Example],
    valid: Sequence[Problem],
    start: Solver | None = None,
) -> ModelInfo:
    """What a run is known by: settings, data (gold of the valid part left out), weights to start with, and torch."""
    plain = (problem.without_gold() for problem in valid)
    training = {
        "settings": msgspec.to_builtins(train),
        "examples": len(examples),
        "digest": _digest(examples),
        "valid": len(valid),
        "valid_digest": _digest(plain),
        "torch": str(torch.__version__),
    }
    if start is not None:
        training["start"] = hashlib.sha256(
            b"".join(tensor.cpu().numpy().tobytes() for tensor in start.model.state_dict().values())
        ).hexdigest()
    return ModelInfo(solver=config, training=training)


def take_folder(folder: Path, info: ModelInfo, vocabulary: Vocabulary) -> None:
    """Make the folder with settings and vocabulary; `ConfigError` if it is another model's or this one is complete."""
    known = folder / CONFIG
    if known.exists():
        old = read_json(known, ModelInfo)
        if old != info:
            raise ConfigError(
                f"{folder} was trained with other settings or data: {_difference(old, info)}; "
                "choose another folder, or replace this one (--overwrite)"
            )
        if (folder / WEIGHTS).exists() and not (folder / CHECKPOINT).exists():
            raise AlreadyTrained(f"{folder} holds this model already, trained to the end")
    elif folder.is_dir() and not all(_is_unfinished(path) for path in folder.iterdir()):
        raise ConfigError(f"{folder} is not empty and holds no model")
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if _is_unfinished(path):
            path.unlink()
    # The settings come first: whatever else is in the folder, a run that is killed is known by them.
    if not known.exists():
        write_json(known, info)
    if not (folder / VOCABULARY).exists():
        write_json(folder / VOCABULARY, vocabulary)


def _is_unfinished(path: Path) -> bool:
    """Whether a file is what a killed process left of one of ours (see `weaksup.files.whole_file`)."""
    ours = (CONFIG, VOCABULARY, WEIGHTS, CHECKPOINT, METRICS, ANSWERS)
    return path.suffix == ".tmp" and any(path.name.startswith(f".{name}.") for name in ours)


def _digest(records: Iterable[Example | Problem]) -> str:
    digest = hashlib.sha256()
    for record in records:
        digest.update(msgspec.json.encode(record))
    return digest.hexdigest()


def _difference(old: ModelInfo, new: ModelInfo) -> str:
    left, right = (
        {**msgspec.to_builtins(info.solver), **info.training.get("settings", {}), **info.training}
        for info in (old, new)
    )
    names = [name for name in right if name != "settings" and left.get(name) != right[name]]
    return ", ".join(f"{name} was {left.get(name)}, now {right[name]}" for name in names[:3]) or "another version"
