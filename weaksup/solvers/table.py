"""The table of solvers: their names, the inputs they need, and where their networks are.

Everything that lists or checks solvers reads this table.  A new solver is a file in `network/` and a line here.  A
network is imported only when it is built, so the table itself does not import torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..late_imports import find_name

if TYPE_CHECKING:
    from torch import nn

    from .data.vocabulary import Vocabulary
    from .presets import SolverConfig

__all__ = ["SOLVERS", "SolverKind", "build_model"]


class SolverKind(NamedTuple):
    """A line of the table."""

    about: str
    network: str  # package.module:name of a torch module built from a `SolverConfig` and a `Vocabulary`
    graphs: bool = False  # whether it reads the graphs of `data/graphs.py`


#: Every solver; the first is the default.
SOLVERS: dict[str, SolverKind] = {
    "gts": SolverKind("a goal-driven tree decoder over a bidirectional GRU", "weaksup.solvers.network.gts:GTS"),
    "g2t": SolverKind("the same with a graph encoder between them", "weaksup.solvers.network.g2t:G2T", graphs=True),
}


def build_model(config: SolverConfig, vocabulary: Vocabulary) -> nn.Module:
    """The network of a solver with random weights."""
    model: nn.Module = find_name(SOLVERS[config.solver].network)(config, vocabulary)
    return model
