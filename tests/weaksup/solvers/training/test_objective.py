"""The loss of problems with several weighted equations, by hand."""

from __future__ import annotations

from math import exp, log

import pytest
import torch

from weaksup.solvers.data.batches import Batch, Example, make_batch
from weaksup.solvers.presets import TrainConfig
from weaksup.solvers.training.objective import learning_rate, tree_loss


def two_problems() -> Batch:
    """The first has trees of weight 0.75 and 0.25, the second one tree."""
    first = Example((1, 2), (0,), (0,), trees=((5,), (0, 5, 5)), weights=(0.75, 0.25))
    second = Example((3,), (0,), (0,), trees=((5,),), weights=(1.0,))
    return make_batch([first, second], operators=5, constants=0)


def test_expected_and_marginal_likelihood_by_hand() -> None:
    chances = torch.tensor([log(0.5), log(0.1), log(0.2)], dtype=torch.float64)
    batch = two_problems()
    expected = -(0.75 * log(0.5) + 0.25 * log(0.1)) - log(0.2)
    assert float(tree_loss(chances, batch, soft="expected")) == pytest.approx(expected, rel=1e-6)
    assert float(tree_loss(chances, batch, soft="none")) == pytest.approx(expected, rel=1e-6)
    marginal = -log(0.75 * 0.5 + 0.25 * 0.1) - log(0.2)
    assert float(tree_loss(chances, batch, soft="marginal")) == pytest.approx(marginal, rel=1e-6)


def test_the_gradient_of_the_marginal_is_the_share_of_each_tree() -> None:
    chances = torch.tensor([log(0.5), log(0.1), log(0.2)], dtype=torch.float64, requires_grad=True)
    tree_loss(chances, two_problems(), soft="marginal").backward()
    whole = 0.75 * 0.5 + 0.25 * 0.1
    assert chances.grad is not None
    assert chances.grad.tolist() == pytest.approx([-0.375 / whole, -0.025 / whole, -1.0], rel=1e-6)


def test_the_marginal_outlasts_tiny_probabilities() -> None:
    chances = torch.tensor([-1000.0, -1003.0, -2000.0], requires_grad=True)
    loss = tree_loss(chances, two_problems(), soft="marginal")
    loss.backward()
    assert float(loss.detach()) == pytest.approx(1000 - log(0.75 + 0.25 * exp(-3)) + 2000, rel=1e-6)
    assert chances.grad is not None and chances.grad.isfinite().all()


def test_learning_rates_by_hand() -> None:
    halve = TrainConfig(learning_rate=1.0, schedule="halve", halve_every=2)
    assert [learning_rate(step, 99, 3, halve) for step in (0, 5, 6, 11, 12)] == [1, 1, 0.5, 0.5, 0.25]
    cosine = TrainConfig(learning_rate=1.0, schedule="cosine")
    assert [learning_rate(step, 4, 1, cosine) for step in (0, 2, 4)] == pytest.approx([1, 0.5, 0])
    warm = TrainConfig(learning_rate=1.0, schedule="linear", warmup=4)
    assert [learning_rate(step, 10, 1, warm) for step in (0, 1, 4)] == pytest.approx([0.25, 0.5 * 0.9, 0.6])
