"""Which run owns a model folder: a run starts in a new folder, or resumes in one with the same settings and data."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch

from ...errors import ConfigError
from ...records import Problem
from ...storage.claims import claim_folder
from ...storage.json_files import read_json, write_json
from ...storage.provenance import digest_records
from ...storage.run_files import CHECKPOINT, ENCODER, MODEL_CONFIG, VOCABULARY, WEIGHTS
from ..data.vocabulary import Vocabulary
from ..decoding.solver import Solver
from ..network.model_files import A_FILE, ModelInfo, Training
from ..network.pretrained import digest_pretrained, save_definition
from ..presets import SolverConfig, TrainConfig
from .lesson_sources import LessonSource

__all__ = ["AlreadyTrained", "describe_training", "take_folder"]


class AlreadyTrained(ConfigError):
    """Raised if the folder holds the same model, trained to the end."""


def describe_training(
    config: SolverConfig,
    train: TrainConfig,
    source: LessonSource,
    valid: Sequence[Problem],
    start: Solver | None = None,
) -> ModelInfo:
    """What identifies a run: settings, data (without the gold of the valid part), initial weights, version of torch."""
    plain = (problem.without_gold() for problem in valid)
    training = Training(
        settings=train,
        examples=len(source.examples),
        digest=digest_records(source.examples),
        valid=len(valid),
        valid_digest=digest_records(plain),
        torch=str(torch.__version__),
        start=_digest_start(config, start),
        teacher=None if source.about is None else dict(source.about),
    )
    return ModelInfo(solver=config, training=training)


def _digest_start(config: SolverConfig, start: Solver | None) -> str | None:
    if start is None:
        return None if config.encoder is None else digest_pretrained(config.encoder)
    weights = start.model.state_dict().values()
    return hashlib.sha256(b"".join(tensor.cpu().numpy().tobytes() for tensor in weights)).hexdigest()


def take_folder(folder: Path, info: ModelInfo, vocabulary: Vocabulary) -> None:
    """Create the folder with settings and vocabulary, or accept that of the same run.

    Raises `ConfigError` if the folder belongs to another model, and `AlreadyTrained` if this one is complete.
    """
    begun = claim_folder(
        folder,
        MODEL_CONFIG,
        _settings(info),
        kind="model",
        read=lambda path: _settings(read_json(path, ModelInfo, what=A_FILE)),
        write=lambda path: write_json(path, info),
        advice="Choose another folder, or replace this one (--overwrite)",
    )
    if begun and (folder / WEIGHTS).exists() and not (folder / CHECKPOINT).exists():
        raise AlreadyTrained(f"{folder} already holds this model, trained to the end")
    if info.solver.encoder is not None:
        save_definition(info.solver.encoder, folder / ENCODER)
    if not (folder / VOCABULARY).exists():
        write_json(folder / VOCABULARY, vocabulary)


def _settings(info: ModelInfo) -> dict[str, Any]:
    """Everything that a model depends on, as one flat dict."""
    about = msgspec.structs.asdict(info.training)
    settings = about.pop("settings")
    return {
        "format": f"{info.format} {info.version}",
        **msgspec.to_builtins(info.solver),
        **(msgspec.to_builtins(settings) if settings else {}),
        **about,
    }
