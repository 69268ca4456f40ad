"""The settings of the solver and of the drafts, which are those of the preset with the changes of the run."""

from __future__ import annotations

from typing import Any

import msgspec

from ..corpora import lexicon_of
from ..solvers.presets import SolverConfig, TrainConfig, default_preset, draft_preset, preset
from .config import PipelineConfig

__all__ = ["effective_settings", "solver_changes", "solver_settings"]


def solver_changes(config: PipelineConfig, seed: int, *, epochs: float | None) -> dict[str, Any]:
    """The settings of a solver or a draft that override those of its preset."""
    given = {"hidden": config.hidden, "epochs": epochs, "precision": config.precision, "encoder": config.encoder}
    return {"solver": config.solver, "seed": seed} | {key: value for key, value in given.items() if value is not None}


def solver_settings(config: PipelineConfig, seed: int, *, soft: str) -> tuple[SolverConfig, TrainConfig]:
    """The settings of the solver and its training; raises `ConfigError` if these or those of the drafts are invalid."""
    name = config.preset or default_preset(config.data)
    draft_preset(name, **solver_changes(config, seed, epochs=config.draft_epochs))
    changes = {**solver_changes(config, seed, epochs=config.epochs), "soft": soft, **(config.training or {})}
    return preset(name, **changes)


def effective_settings(config: PipelineConfig) -> dict[str, Any]:
    """What defaults, preset and options add up to, for the corpus, the solver, its training and the drafts."""
    name = config.preset or default_preset(config.data)
    solver, train = solver_settings(config, config.seed, soft=config.soft)
    draft_solver, draft_train = draft_preset(name, **solver_changes(config, config.seed, epochs=config.draft_epochs))
    kinds = {"solver": solver, "training": train, "draft": draft_solver, "draft_training": draft_train}
    lexicon = lexicon_of(config.data, config.lexicon)
    return {
        "lexicon": lexicon,
        "preset": name,
        **{kind: msgspec.to_builtins(settings) for kind, settings in kinds.items()},
    }
