"""The recurrence written out, against `torch.nn.GRU` and against numerical gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from weaksup.solvers.network.encoder import _run_layer
from weaksup.solvers.network.gru_layer import gru_layer

from ..examples_for_tests import batch_of, random_example, small_config, small_gts

LENGTHS = [[5], [1], [4, 4, 4], [6, 4, 4, 1], [3, 2, 1], [1, 1]]


def active_of(lengths: list[int]) -> list[int]:
    return [len([length for length in lengths if length > step]) for step in range(max(lengths))]


def layer_with(gru: nn.GRU, inputs: Tensor, lengths: list[int]) -> Tensor:
    """The states (time, batch, hidden) of a GRU of one direction, by the layer."""
    parameters = [parameter[None] for parameter in gru.parameters()]
    return gru_layer(inputs[None], *parameters, active_of(lengths))[0]


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_states_and_gradients_are_those_of_torch(lengths: list[int]) -> None:
    torch.manual_seed(len(lengths))
    gru, other = (nn.GRU(3, 4).double() for _ in range(2))
    other.load_state_dict(gru.state_dict())
    inputs = torch.randn(max(lengths), len(lengths), 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(max(lengths), len(lengths), 4, dtype=torch.float64)
    states = layer_with(gru, inputs, lengths)
    (states * weights).sum().backward()
    ours, inputs.grad = inputs.grad, None
    expected = torch.zeros_like(states)
    for i, length in enumerate(lengths):
        alone, _ = other(inputs[:length, i])
        expected[:length, i] = alone
    (expected * weights).sum().backward()
    torch.testing.assert_close(states, expected)
    torch.testing.assert_close(ours, inputs.grad)
    for (name, one), two in zip(gru.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one.grad, two.grad, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.parametrize("lengths", [[3, 2, 2], [2, 1], [4]], ids=str)
def test_the_gradient_is_the_numerical_one(lengths: list[int]) -> None:
    torch.manual_seed(1)
    hidden, width = 2, 3
    shapes = [(2, max(lengths), len(lengths), width), (2, 3 * hidden, width), (2, 3 * hidden, hidden)]
    shapes += [(2, 3 * hidden), (2, 3 * hidden)]
    given = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    assert torch.autograd.gradcheck(lambda *tensors: gru_layer(*tensors, active_of(lengths)), given)


def test_states_are_zero_where_a_sequence_has_ended() -> None:
    weights = torch.randn(1, 6, 3), torch.randn(1, 6, 2), torch.randn(1, 6), torch.randn(1, 6)
    states = gru_layer(torch.randn(1, 4, 2, 3), *weights, [2, 2, 1, 1])
    assert states[0, 2:, 1].eq(0).all() and states[0, :2, 1].ne(0).all() and states[0, 2:, 0].ne(0).all()


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_both_directions_of_a_layer_are_those_of_torch(lengths: list[int]) -> None:
    torch.manual_seed(2)
    gru = nn.GRU(3, 4, bidirectional=True).double()
    length, batch = max(lengths), len(lengths)
    inputs = torch.randn(length, batch, 3, dtype=torch.float64)
    places = [[n - 1 - t if t < n else t for n in lengths] for t in range(length)]
    flipped = torch.tensor([places[t][b] * batch + b for t in range(length) for b in range(batch)])
    found = _run_layer(gru, inputs, tuple(lengths), flipped)
    for i, size in enumerate(lengths):
        torch.testing.assert_close(found[:size, i], gru(inputs[:size, i])[0])


def test_what_stands_in_the_padding_does_not_matter() -> None:
    """Texts of other lengths in the batch, or other padding, change nothing."""
    import numpy as np

    rng = np.random.default_rng(0)
    model = small_gts(small_config(), seed=0)
    long, short = random_example(rng, length=9, quantities=2), random_example(rng, length=2, quantities=1)
    together = model.encoder(batch_of([short, long]))
    alone = model.encoder(batch_of([short]))
    torch.testing.assert_close(together.states[1, :2], alone.states[0])
    torch.testing.assert_close(together.goal[1], alone.goal[0])
    assert together.mask[1].tolist() == [True] * 2 + [False] * 7
