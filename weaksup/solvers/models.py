"""The table of solvers."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from .config import SolverConfig
from .g2t import G2T
from .gts import GTS
from .vocabulary import Vocabulary

__all__ = ["MODELS", "build_model"]

#: A new solver is a file in this folder and a line here.
MODELS: dict[str, Callable[[SolverConfig, Vocabulary], nn.Module]] = {"gts": GTS, "g2t": G2T}


def build_model(config: SolverConfig, vocabulary: Vocabulary) -> nn.Module:
    return MODELS[config.solver](config, vocabulary)
