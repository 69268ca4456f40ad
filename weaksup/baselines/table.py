"""The table of baselines: their names, their settings, and where their functions are.

A baseline finds equations by training a model, without a search.  To the pipeline it is an arm like any ranker.  The
functions are imported only when they are called, so the table itself does not import torch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from ..late_imports import find_name
from ..settings import Beam, Draws, Epochs, Hidden, Share, Walk

__all__ = ["BASELINES", "Baseline", "LBFConfig", "WARMConfig", "find_equations"]


class LBFConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of learning by fixing."""

    memory: bool = False  # learn all fixes found so far, each as an example, instead of only the latest
    walk: Walk = 50  # steps of the random walk
    shapes: bool = False  # draw the shapes of trees of all sizes at random in the first epochs
    free_walk: bool = False  # a walk that accepts every step and changes one token at a time
    rewrite: bool = False  # rewrite fixes like other training equations


class WARMConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of WARM."""

    draws: Draws = 10  # trees sampled per problem and epoch
    beam: Beam = 1  # beam width, in training and when the trained generator's equations are collected
    entropy: Share = 0.01  # reward for each nat by which a drawn tree is unlikely
    generator_epochs: Epochs | None = None  # of the generator; None: as many as the solver
    generator_hidden: Hidden | None = None  # its hidden size; None: that of the solver


class Baseline(NamedTuple):
    """A line of the table.  The function is given as `package.module:name`."""

    about: str
    settings: type[msgspec.Struct]
    find: str  # see `find_equations`
    is_solver: bool  # whether the model that finds the equations is the solver


BASELINES: dict[str, Baseline] = {
    "lbf": Baseline(
        "learning by fixing (Hong et al. 2021)", LBFConfig, "weaksup.baselines.lbf:learn_by_fixing", is_solver=True
    ),
    "warm": Baseline(
        "generator by REINFORCE, then a solver on what it finds (Chatterjee et al. 2021)",
        WARMConfig,
        "weaksup.baselines.warm:generate_labels",
        is_solver=False,
    ),
}


def find_equations(name: str, *args: Any, **options: Any) -> None:
    """Train the model of a baseline in an arm's folder, and write the equations that it finds to its label file.

    The arguments are the problems of the train part and of the valid part, the folder of the arm, and by keyword
    `config` and `train` (the network and its training), `how` (the settings of the baseline), `device`, `progress` and
    `on_validation`.
    """
    find_name(BASELINES[name].find)(*args, **options)
