"""The loss that training minimises, and the schedule of the learning rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ..data.batches import Batch, Example
from ..presets import TrainConfig

__all__ = ["learning_rate", "tree_loss", "tree_tokens"]


def tree_loss(log_probabilities: Tensor, batch: Batch, *, soft: str) -> Tensor:
    """The loss summed over the problems of a batch.

    `marginal`: - log of the sum of weight * P(tree), so that the model itself decides among the trees of a problem.
    Any other value of `soft`: - sum of weight * log P(tree).
    """
    assert batch.plan is not None and batch.weights is not None
    if soft != "marginal":
        return -(log_probabilities * batch.weights).sum()
    weighted = log_probabilities + batch.weights.log()
    owner = batch.plan.tree_owner
    rows = len(batch.lengths)
    most = weighted.detach().new_full((rows,), -torch.inf).scatter_reduce(0, owner, weighted.detach(), "amax")
    total = torch.zeros_like(most).index_add(0, owner, (weighted - most[owner]).exp())
    return -(total.log() + most).sum()


def tree_tokens(examples: Sequence[Example]) -> float:
    """The number of tokens of a batch: for each problem, the mean length of its trees.

    >>> tree_tokens([Example((1,), (), (), trees=((0, 5, 5),)), Example((1,), (), (), trees=((5,), (0, 5, 0, 5, 5)))])
    6.0
    """
    return sum(sum(map(len, example.trees)) / len(example.trees) for example in examples)


def learning_rate(step: int, steps: int, per_epoch: int, settings: TrainConfig) -> float:
    """The learning rate of a step.

    >>> settings = TrainConfig(learning_rate=1.0, schedule="linear", warmup=2)
    >>> [learning_rate(step, 4, 1, settings) for step in range(4)]
    [0.5, 0.75, 0.5, 0.25]
    """
    rate = settings.learning_rate
    if settings.schedule == "halve":
        rate *= 0.5 ** (step // (per_epoch * settings.halve_every))
    elif settings.schedule == "linear":
        rate *= 1 - step / steps
    else:
        rate *= 0.5 * (1 + float(np.cos(np.pi * step / steps)))
    return rate * min(1.0, (step + 1) / settings.warmup) if settings.warmup else rate
