"""The settings of a pipeline: flags over a TOML file over defaults, and the file that a run keeps of them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from .errors import ConfigError
from .files import AnyPath, whole_file
from .settings import check_names, convert_settings

__all__ = ["ARMS", "PipelineConfig", "merge_config", "read_config", "write_config"]

#: The ways to make labels, the best first; gold is for comparison.
ARMS = {
    "em": "templates and drafts, all problems with candidates",
    "beam": "Beam Ranker: draft on single candidates, its own right-valued equations added",
    "basic": "Basic Ranker: draft on single candidates",
    "random": "no ranking: any candidate",
    "single": "problems with one candidate only",
    "gold": "oracle test: the same problems with gold equations",
}

_STORIES = 1000

Ranker = Literal["em", "beam", "basic", "random", "single"]


class PipelineConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """All settings of a run; what is None takes the default of the corpus or of the preset."""

    data: str = "stories"
    path: str | None = None
    split_file: str | None = None
    number_words: bool | None = None
    segmenter: str | None = None
    subset: str | None = None
    language: str | None = None
    size: int | None = None  # of the stories; by default 1,000
    plan: str = "full"
    limit: int | None = None
    ranker: Ranker = "em"
    rounds: int = 2  # of drafts (em)
    solver: Literal["gts", "g2t"] = "gts"
    preset: str | None = None  # by default `small` for the stories, else `cpu`
    epochs: float | None = None
    draft_epochs: float | None = None
    hidden: int | None = None
    soft: Literal["none", "expected", "marginal"] = "none"
    beam: int = 5
    answer_model: bool = True  # whether the plausibility of values ranks what solvers predict
    compare: tuple[str, ...] = ("random",)  # other arms beside the main one
    seed: int = 0
    seeds: int = 1
    folds: int | None = None


def merge_config(file: AnyPath | None, flags: Mapping[str, Any]) -> PipelineConfig:
    """Flags (those that are not None) over the file over defaults; an unknown key is an error that names one near."""
    given = _read_toml(file) if file is not None else {}
    try:
        check_names(given, PipelineConfig.__struct_fields__, what="key")
        values = {**given, **{key: value for key, value in flags.items() if value is not None}}
        config = convert_settings(values, PipelineConfig)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}" if file is not None else str(error)) from error
    if config.data == "stories" and config.size is None:
        config = msgspec.structs.replace(config, size=_STORIES)
    for arm in config.compare:
        if arm not in ARMS:
            raise ConfigError(f"unknown arm {arm!r}; one of {', '.join(ARMS)}")
    return config


def read_config(path: AnyPath) -> PipelineConfig:
    """The settings that a run folder keeps."""
    return merge_config(path, {})


def write_config(path: AnyPath, config: PipelineConfig) -> None:
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"  # JSON texts, numbers and lists are TOML as well
        for key, value in msgspec.to_builtins(config).items()
        if value is not None
    ]
    with whole_file(path) as file:
        file.write("".join(lines).encode())


def _read_toml(file: AnyPath) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file} is not TOML: {error}") from error
