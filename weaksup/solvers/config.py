"""The settings of a solver and of its training, and the named presets.

`paper` is what GTS and G2T were published with.  `cpu` was chosen for one core and an hour, `quick` for the same data
in minutes, to compare labels; docs/results.md says what the choices brought.  `small` is for the embedded stories and
other small corpora.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from ..errors import ConfigError
from ..settings import check_names, convert_settings
from .graphs import can_tag
from .trees import WRITINGS

__all__ = ["PRESETS", "SolverConfig", "TrainConfig", "draft_preset", "preset"]


Count = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class SolverConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a solver is: with a vocabulary, all that is needed to build it."""

    solver: Literal["gts", "g2t"] = "gts"
    embedding: Count = 128
    hidden: Count = 512  # of the decoder
    layers: Count = 2  # of the encoder
    directions: Literal["sum", "concat"] = "sum"  # concat: each direction has half of `hidden`
    dropout: Share = 0.5
    word_dropout: Share = 0.0  # chance that a word is read as unknown while training
    number_kinds: bool = False  # numbers in the text are told apart as percent, fraction, decimal, whole
    heads: Count = 4  # of the graph encoder (g2t)
    tags: bool = False  # whether part-of-speech tags tell which Chinese words belong to a number (g2t)


class TrainConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a solver is trained."""

    epochs: Positive = 80
    max_steps: Count | None = None
    batch_size: Count = 64
    learning_rate: Positive = 1e-3
    weight_decay: NotNegative = 1e-5
    optimizer: Literal["adam", "adamw"] = "adam"
    schedule: Literal["halve", "linear", "cosine"] = "halve"
    halve_every: Count = 20  # epochs
    warmup: Natural = 0  # steps
    clip: NotNegative = 0.0  # largest norm of the gradient; 0: any
    ema: Share = 0.0  # decay of the averaged weights; 0: none
    soft: Literal["none", "expected", "marginal"] = "none"  # how the weighted equations of a problem count
    writing: str = "label"  # how equations are written, see `trees.WRITINGS`
    min_word_count: Natural = 5
    min_constant_count: Natural = 5
    validate_every: Positive = 1  # epochs
    patience: Natural = 0  # validations without gain before training stops; 0: never
    valid_beam: Count = 1
    seed: int = 0


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
    "paper": (SolverConfig(), TrainConfig(validate_every=5)),
    "cpu": _CPU,
    "quick": (
        msgspec.structs.replace(
            _CPU[0], hidden=256, dropout=0.3
        ),  # little dropout: in few epochs nothing is overlearnt
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

#: What a draft has other than the solver of the same preset: it is to judge, not to excel.
_CPU_DRAFT = {"hidden": 256, "dropout": 0.4, "learning_rate": 2e-3, "epochs": 6.0, "validate_every": 2.0}
_DRAFTS: dict[str, dict[str, Any]] = {
    "paper": {"epochs": 20.0},
    "cpu": _CPU_DRAFT,
    "quick": _CPU_DRAFT,
    "small": {"epochs": 10.0, "validate_every": 10.0},
}


def preset(name: str, **changes: Any) -> tuple[SolverConfig, TrainConfig]:
    """The settings of a preset with some of them changed; ConfigError for a name or value that there is not."""
    if name not in PRESETS:
        raise ConfigError(f"unknown preset {name!r}; one of {', '.join(PRESETS)}")
    solver, train = (msgspec.structs.asdict(part) for part in PRESETS[name])
    check_names(changes, [*solver, *train])
    for key, value in changes.items():
        (solver if key in solver else train)[key] = value
    if solver["solver"] == "g2t" and "tags" not in changes:
        solver["tags"] = can_tag()
    config, how = convert_settings(solver, SolverConfig), convert_settings(train, TrainConfig)
    _check_fit(config, how)
    return config, how


def _check_fit(config: SolverConfig, train: TrainConfig) -> None:
    """Settings that exclude each other."""
    if config.directions == "concat" and config.hidden % 2:
        raise ConfigError(f"hidden can't be {config.hidden}: with directions concat it is halved, so it must be even")
    if config.solver == "g2t" and config.hidden % config.heads:
        raise ConfigError(f"hidden can't be {config.hidden}: g2t has {config.heads} heads, which must divide it")
    if train.writing not in WRITINGS:
        raise ConfigError(f"writing can't be {train.writing!r}; one of {', '.join(WRITINGS)}")


def draft_preset(name: str, **changes: Any) -> tuple[SolverConfig, TrainConfig]:
    """The settings of a draft model."""
    return preset(name, **{**_DRAFTS.get(name, {}), **changes})
