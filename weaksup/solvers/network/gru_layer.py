"""A GRU over a batch sorted by length, all directions at once, with a hand-written gradient.

On a CPU a GRU is limited by memory traffic and by the many small operations of its steps, and `torch.nn.GRU` runs the
two directions one after the other.  Here a step is two batched products for all directions, added into the projected
inputs, and four in-place operations; the gradients of the weights are products over all steps at the end.  Sequences
are sorted by length, longest first, so step t works on the first `active[t]` of them and needs no mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

__all__ = ["gru_layer"]


def gru_layer(
    inputs: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor, active: Sequence[int]
) -> Tensor:
    """The states (directions, time, batch, hidden) of GRUs that start at zero; zero where a sequence has ended.

    `inputs` are (directions, time, batch, width); weights (directions, 3 hidden, width or hidden) and biases
    (directions, 3 hidden) have the gates in the order of `torch.nn.GRU`: reset, update, new.
    """
    states: Tensor = _GRULayer.apply(inputs, weight_ih, weight_hh, bias_ih, bias_hh, active)  # type: ignore[no-untyped-call]
    return states


class _GRULayer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        weight_ih: Tensor,
        weight_hh: Tensor,
        bias_ih: Tensor,
        bias_hh: Tensor,
        active: Sequence[int],
    ) -> Tensor:
        directions, steps, batch, width = inputs.shape
        hidden = weight_hh.shape[-1]
        flat = inputs.reshape(directions, steps * batch, width)
        into_soft, into_new = weight_ih.transpose(1, 2).split([2 * hidden, hidden], dim=-1)
        from_soft, from_new = (part.contiguous() for part in _split(weight_hh.transpose(1, 2), hidden))
        bias_soft, bias_new = _split(bias_ih.unsqueeze(1), hidden)
        bias_state_soft, bias_inner = _split(bias_hh.unsqueeze(1), hidden)
        # reset and update, (directions, time, batch, 2 hidden); new and what the reset gate lets through, hidden each
        soft = torch.baddbmm(bias_soft + bias_state_soft, flat, into_soft).view(directions, steps, batch, 2 * hidden)
        new = torch.baddbmm(bias_new, flat, into_new).view(directions, steps, batch, hidden)
        inner = torch.empty_like(new)
        states = inputs.new_empty(directions, steps + 1, batch, hidden)
        states[:, 0] = 0
        for t, n in enumerate(active):
            state, gates, fresh, passed = states[:, t, :n], soft[:, t, :n], new[:, t, :n], inner[:, t, :n]
            gates.baddbmm_(state, from_soft).sigmoid_()
            torch.baddbmm(bias_inner, state, from_new, out=passed)
            fresh.addcmul_(gates[..., :hidden], passed).tanh_()
            torch.lerp(fresh, state, gates[..., hidden:], out=states[:, t + 1, :n])
            if n < batch:
                states[:, t + 1, n:] = 0
        ctx.save_for_backward(flat, weight_ih, weight_hh, soft, new, inner, states)
        ctx.active = tuple(active)
        return states[:, 1:]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, None]:
        (grad,) = grads
        flat, weight_ih, weight_hh, soft, new, inner, states = ctx.saved_tensors
        directions, steps, batch, hidden = grad.shape
        back_soft, back_new = weight_hh[:, : 2 * hidden], weight_hh[:, 2 * hidden :]
        to_soft, to_new, to_inner = torch.empty_like(soft), torch.empty_like(new), torch.empty_like(new)
        to_state = grad.new_zeros(directions, ctx.active[-1], hidden)
        for t in range(steps - 1, -1, -1):
            n = ctx.active[t]
            if n > to_state.shape[1]:
                to_state = torch.nn.functional.pad(to_state, (0, 0, 0, n - to_state.shape[1]))
            to_state += grad[:, t, :n]
            gates, fresh, state = soft[:, t, :n], new[:, t, :n], states[:, t, :n]
            step_soft, step_new, step_inner = to_soft[:, t, :n], to_new[:, t, :n], to_inner[:, t, :n]
            # state' = new + update (state - new), new = tanh(x + reset inner), reset and update = sigmoid(...)
            carried = to_state * gates[..., hidden:]
            torch.ops.aten.tanh_backward.grad_input(to_state - carried, fresh, grad_input=step_new)
            torch.mul(step_new, inner[:, t, :n], out=step_soft[..., :hidden])
            torch.mul(to_state, state - fresh, out=step_soft[..., hidden:])
            torch.ops.aten.sigmoid_backward.grad_input(step_soft, gates, grad_input=step_soft)
            torch.mul(step_new, gates[..., :hidden], out=step_inner)
            to_state = carried.baddbmm_(step_soft, back_soft).baddbmm_(step_inner, back_new)
            if n < batch:
                for part in (to_soft, to_new, to_inner):
                    part[:, t, n:] = 0
        flat_soft, flat_new, flat_inner = (part.flatten(1, 2) for part in (to_soft, to_new, to_inner))
        before = states[:, :-1].reshape(directions, steps * batch, hidden)
        to_inputs = torch.bmm(flat_soft, weight_ih[:, : 2 * hidden]).baddbmm_(flat_new, weight_ih[:, 2 * hidden :])
        return (
            to_inputs.view(directions, steps, batch, -1),
            torch.cat([flat_soft.transpose(1, 2) @ flat, flat_new.transpose(1, 2) @ flat], dim=1),
            torch.cat([flat_soft.transpose(1, 2) @ before, flat_inner.transpose(1, 2) @ before], dim=1),
            torch.cat([flat_soft.sum(1), flat_new.sum(1)], dim=-1),
            torch.cat([flat_soft.sum(1), flat_inner.sum(1)], dim=-1),
            None,
        )


def _split(gates: Tensor, hidden: int) -> tuple[Tensor, Tensor]:
    """The part of the reset and update gates, and the part of the new state."""
    return gates[..., : 2 * hidden], gates[..., 2 * hidden :]
