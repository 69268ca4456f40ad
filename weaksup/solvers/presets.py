"""The settings of a solver and of its training, and the named presets.

`paper` has the settings that GTS and G2T were published with.  `cpu` was tuned for an hour on one core, `quick` for the
same data in minutes, to compare labels; docs/results.md gives the measurements.  `small` is for the embedded stories
and other small corpora.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..errors import ConfigError
from ..settings import (
    BatchSize,
    Beam,
    Clip,
    Count,
    Decay,
    Epochs,
    FilePath,
    Heads,
    Hidden,
    Layers,
    LearningRate,
    Natural,
    Precision,
    Seed,
    Share,
    Soft,
    Width,
    check_choice,
    check_names,
    convert_settings,
)
from .data.graphs import can_tag
from .data.trees import WRITINGS
from .table import SOLVERS

__all__ = ["PRESETS", "SolverConfig", "TrainConfig", "check_fit", "default_preset", "draft_preset", "preset"]


class SolverConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The architecture of a solver: with a vocabulary, all that is needed to build the network."""

    solver: str = "gts"  # a name of `SOLVERS`
    encoder: FilePath | None = None  # the folder of a pretrained encoder; None: word embeddings and a GRU
    embedding: Width = 128
    hidden: Hidden = 512  # of the decoder
    layers: Layers = 2  # of the encoder
    directions: Literal["sum", "concat"] = "sum"  # concat: each direction has half of `hidden`
    dropout: Share = 0.5
    query_dropout: bool = False  # dropout also for the goal that the attention asks with
    child_dropout: bool = False  # children get dropout masks of their own, not those of their parent's scores
    word_dropout: Share = 0.0  # probability of reading a word as unknown during training
    number_kinds: bool = False  # read percent, fraction, decimal and whole numbers as different words
    heads: Heads = 4  # of the graph encoder (g2t)
    graph: Literal["compact", "published"] = "compact"  # the graph encoder and its edges (g2t)
    graph_dropout: Share | None = None  # of the graph encoder (g2t); None: that of the rest
    tags: bool = False  # use part-of-speech tags to find the Chinese words that belong to a number (g2t)

    def __post_init__(self) -> None:
        check_choice("solver", self.solver, SOLVERS)


class TrainConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a solver is trained."""

    epochs: Epochs = 80
    max_steps: Count | None = None
    batch_size: BatchSize = 64
    learning_rate: LearningRate = 1e-3
    weight_decay: Decay = 1e-5
    optimizer: Literal["adam", "adamw"] = "adam"
    schedule: Literal["halve", "linear", "cosine"] = "halve"
    halve_every: Count = 20  # epochs
    warmup: Natural = 0  # steps
    encoder_rate: LearningRate = 1e-4  # the learning rate of a pretrained encoder
    encoder_warmup: Natural = 200  # steps, for the same
    clip: Clip = 0.0  # largest norm of the gradient; 0: no clipping
    ema: Share = 0.0  # decay of the moving average of the weights; 0: no average
    soft: Soft = "none"  # the loss for several weighted equations of a problem
    average: Literal["tree", "token"] = "tree"  # what the loss of a batch is the mean over
    writing: str = "label"  # how equations are written, see `trees.WRITINGS`
    min_word_count: Natural = 5
    min_constant_count: Natural = 5
    validate_every: Epochs = 1  # epochs
    patience: Natural = 0  # early stopping after this many validations without improvement; 0: never
    valid_beam: Beam = 1
    precision: Precision = "auto"
    seed: Seed = 0


_CPU = (
    SolverConfig(hidden=384, directions="concat", dropout=0.5, number_kinds=True),
    TrainConfig(
        epochs=40,
        learning_rate=1.5e-3,
        weight_decay=1e-2,
        optimizer="adamw",
        schedule="linear",
        warmup=200,
        clip=5.0,
        ema=0.999,
        validate_every=4,
    ),
)

PRESETS: dict[str, tuple[SolverConfig, TrainConfig]] = {
    "paper": (
        SolverConfig(query_dropout=True, child_dropout=True, graph="published", graph_dropout=0.3),
        TrainConfig(average="token", writing="as-written", validate_every=5),
    ),
    "cpu": _CPU,
    "quick": (
        msgspec.structs.replace(_CPU[0], hidden=256, dropout=0.3),  # so few epochs do not overfit: less dropout
        msgspec.structs.replace(_CPU[1], epochs=6, learning_rate=2e-3, validate_every=2),
    ),
    "small": (
        SolverConfig(embedding=64, hidden=128, directions="concat", dropout=0.3, number_kinds=True),
        TrainConfig(
            epochs=20,
            batch_size=32,
            learning_rate=4e-3,
            weight_decay=1e-2,
            optimizer="adamw",
            schedule="linear",
            warmup=50,
            clip=5.0,
            ema=0.99,
            min_word_count=2,
            min_constant_count=3,
            validate_every=4,
        ),
    ),
}

#: Where a draft model differs from the solver of the same preset: it only has to rank equations, so it trains less.
_CPU_DRAFT = {"hidden": 256, "dropout": 0.4, "learning_rate": 2e-3, "epochs": 6.0, "validate_every": 2.0}
_DRAFTS: dict[str, dict[str, Any]] = {
    "paper": {"epochs": 20.0},
    "cpu": _CPU_DRAFT,
    "quick": _CPU_DRAFT,
    "small": {"epochs": 10.0, "validate_every": 10.0},
}


def default_preset(data: str | None) -> str:
    """The default preset of a corpus; without a corpus, that of the embedded stories."""
    return "small" if data in (None, "stories") else "cpu"


def preset(name: str, **changes: Any) -> tuple[SolverConfig, TrainConfig]:
    """The settings of a preset with some of them changed.

    Parameters
    ----------
    name
        One of the presets: "small", "quick", "cpu" or "paper".
    changes
        Fields of `SolverConfig` or `TrainConfig` with their new values.

    Returns
    -------
    tuple
        The settings of the network and those of its training.

    Raises
    ------
    ConfigError
        If the preset or a setting is unknown, or a value is invalid.
    """
    if name not in PRESETS:
        raise ConfigError(f"unknown preset {name!r}; one of {', '.join(PRESETS)}")
    solver, train = (msgspec.structs.asdict(part) for part in PRESETS[name])
    check_names(changes, [*solver, *train])
    for key, value in changes.items():
        (solver if key in solver else train)[key] = value
    config, how = convert_settings(solver, SolverConfig), convert_settings(train, TrainConfig)
    if SOLVERS[config.solver].graphs and "tags" not in changes:
        config = msgspec.structs.replace(config, tags=can_tag())
    check_fit(config)
    if how.writing not in WRITINGS:
        raise ConfigError(f"writing can't be {how.writing!r}; one of {', '.join(WRITINGS)}")
    return config, how


def check_fit(config: SolverConfig) -> None:
    """Raise ConfigError if settings contradict each other."""
    if config.directions == "concat" and config.hidden % 2:
        raise ConfigError(f"hidden can't be {config.hidden}: with directions concat it is halved, so it must be even")
    if SOLVERS[config.solver].graphs and config.hidden % config.heads:
        message = f"{config.solver} has {config.heads} heads, which must divide it"
        raise ConfigError(f"hidden can't be {config.hidden}: {message}")


def draft_preset(name: str, **changes: Any) -> tuple[SolverConfig, TrainConfig]:
    """The settings of a draft model; arguments and errors are those of `preset`."""
    return preset(name, **{**_DRAFTS.get(name, {}), **changes})
