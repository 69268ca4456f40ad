"""The settings of a pipeline run: options override a TOML file, which overrides the defaults."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import msgspec

from mathcanon.files import AnyPath, whole_file

from ..baselines.table import BASELINES, LBFConfig, WARMConfig
from ..corpora import infer_corpus
from ..errors import ConfigError, DataError
from ..rankers.table import RANKERS
from ..search.budget import DEFAULT_MEMORY
from ..settings import (
    Beam,
    Count,
    Epochs,
    FilePath,
    Fold,
    Folds,
    Hidden,
    Memory,
    Precision,
    ReadingOptions,
    Rounds,
    Seed,
    Seeds,
    Soft,
    SourceOptions,
    check_choice,
    check_names,
    convert_settings,
    given_options,
)
from ..solvers.table import SOLVERS
from ..storage.whole_files import read_file

__all__ = [
    "GOLD",
    "PipelineConfig",
    "arms",
    "as_settings",
    "merge_config",
    "read_config",
    "source_settings",
    "write_config",
]

#: The arm that trains on gold equations, for comparison.
GOLD = "gold"

_STORIES = 1000  # the default of `size` for the embedded stories

#: Settings that are written to files only if they are given.
_EXTRAS = ("fold", "story_seed", "training", *BASELINES)


def arms() -> dict[str, str]:
    """The arms, that is the ways to make labels, with a description: rankers, best first, then baselines, then gold."""
    found = {name: line.about for table in (RANKERS, BASELINES) for name, line in table.items()}
    return {**found, GOLD: "oracle test: the same problems with gold equations"}


class PipelineConfig(ReadingOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of a run; None means the default of the corpus or of the preset."""

    data: str = "stories"
    path: FilePath | None = None
    split_file: FilePath | None = None
    plan: FilePath = "full"
    limit: Count | None = None
    memory: Memory = DEFAULT_MEMORY  # bytes that each search process may use for hits and candidates
    ranker: str = "em"  # a name of `RANKERS` or `BASELINES`
    rounds: Rounds = 2  # of drafts (em)
    prior: FilePath = "shipped"  # "shipped", "none" or a prior table (em)
    solver: str = "gts"  # a name of `SOLVERS`
    encoder: FilePath | None = None  # the folder of a pretrained encoder
    preset: str | None = None  # by default `small` for the stories, else `cpu`
    epochs: Epochs | None = None
    draft_epochs: Epochs | None = None
    hidden: Hidden | None = None
    precision: Precision = "auto"  # of training
    soft: Soft = "none"
    beam: Beam = 5
    answer_model: bool = True  # whether solvers rank their predictions with an answer model
    equation_model: bool = True  # and with an equation model
    compare: tuple[str, ...] = ("random",)  # the arms to compare the main one with
    seed: Seed = 0
    seeds: Seeds = 1
    folds: Folds | None = None
    fold: Fold | None = None  # run this fold only
    story_seed: Seed | None = None  # the seed of the embedded stories
    training: dict[str, Any] | None = None  # other settings of the solver and its training, by name
    lbf: LBFConfig | None = None
    warm: WARMConfig | None = None

    def __post_init__(self) -> None:
        check_choice("ranker", self.ranker, {**RANKERS, **BASELINES})
        check_choice("solver", self.solver, SOLVERS)
        for arm in self.compare:
            if arm not in arms():
                raise ConfigError(f"unknown arm {arm!r}; one of {', '.join(arms())}")


def merge_config(file: AnyPath | None, flags: Mapping[str, Any]) -> PipelineConfig:
    """The settings from `flags`, then from a file, then from the defaults.

    Parameters
    ----------
    file
        A TOML file with settings, or None.
    flags
        Settings that come before those of the file; None means not given.

    Returns
    -------
    PipelineConfig
        The settings.

    Raises
    ------
    ConfigError
        If a value is invalid or a key is unknown; the message suggests a similar key if there is one.
    """
    given = _read_toml(file) if file is not None else {}
    try:
        check_names(given, PipelineConfig.__struct_fields__, what="key")
        values = {**given, **{key: value for key, value in flags.items() if value is not None}}
        config = convert_settings(values, PipelineConfig)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}" if file is not None else str(error)) from error
    if "data" not in values and config.path is not None:
        config = msgspec.structs.replace(config, data=infer_corpus(config.path))
    if config.data == "stories" and config.size is None:
        config = msgspec.structs.replace(config, size=_STORIES)
    return config


def source_settings(config: PipelineConfig) -> SourceOptions:
    """How to read the corpus of a run."""
    return SourceOptions(**given_options(config, ReadingOptions), seed=config.story_seed)


def read_config(path: AnyPath) -> PipelineConfig:
    """The settings in a config.toml of a run folder."""
    return merge_config(path, {})


def as_settings(config: PipelineConfig) -> dict[str, Any]:
    """All settings by name, in the order of files: the corpus, how it is read, then the rest."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(config))
    names = dict.fromkeys(("data", "path", "split_file", *ReadingOptions.__struct_fields__, *found))
    return {name: found[name] for name in names if found[name] is not None or name not in _EXTRAS}


def write_config(path: AnyPath, config: PipelineConfig) -> None:
    with whole_file(path) as file:
        file.write(_toml(as_settings(config)).encode())


def _toml(settings: Mapping[str, Any]) -> str:
    """Settings as TOML, tables last; strings, numbers and lists in JSON are valid TOML."""
    tables = {key: value for key, value in settings.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in settings.items() if key not in tables and value is not None}
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in plain.items())
    return lines + "".join(f"\n[{key}]\n{_toml(table)}" for key, table in tables.items())


def _read_toml(file: AnyPath) -> dict[str, Any]:
    try:
        return tomllib.loads(read_file(file).decode())
    except DataError as error:
        raise ConfigError(f"{file} {error.message}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file} is not TOML: {error}") from error
