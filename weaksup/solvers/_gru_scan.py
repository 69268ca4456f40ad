"""The recurrence of a GRU over a batch sorted by length, all directions at once, with its gradient written out.

On a CPU a GRU is bound by the many small operations of its steps, and `torch.nn.GRU` runs the two directions one after
the other.  Here a step is one batched product for both and four operations on the whole; the gradient of the recurrent
weights is one product over all steps at the end.  Sequences are sorted by length, longest first, so that a step
works on the first `active[t]` of them and needs no mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

__all__ = ["gru_scan"]


def gru_scan(inputs: Tensor, weight: Tensor, bias: Tensor, active: Sequence[int]) -> Tensor:
    """The states (directions, time, batch, hidden) of GRUs that start at zero; zero where a sequence has ended.

    `inputs` (directions, time, batch, 3 hidden) are the projected inputs with their bias, gates in the order of
    `torch.nn.GRU` (reset, update, new); `weight` (directions, hidden, 3 hidden) and `bias` (directions, 1, 3 hidden)
    are those of the state.
    """
    states: Tensor = _GRUScan.apply(inputs, weight, bias, active)  # type: ignore[no-untyped-call]
    return states


class _GRUScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor, active: Sequence[int]) -> Tensor:
        directions, steps, batch, width = inputs.shape
        hidden = width // 3
        from_state = torch.empty_like(inputs)
        gates = torch.empty_like(inputs)  # reset, update, new
        states = inputs.new_empty(directions, steps + 1, batch, hidden)
        states[:, 0] = 0
        for t, n in enumerate(active):
            given, state = inputs[:, t, :n], states[:, t, :n]
            pushed, gate = from_state[:, t, :n], gates[:, t, :n]
            torch.baddbmm(bias, state, weight, out=pushed)  # (directions, n, 3 hidden)
            soft, new = gate[..., : 2 * hidden], gate[..., 2 * hidden :]
            torch.add(given[..., : 2 * hidden], pushed[..., : 2 * hidden], out=soft).sigmoid_()
            torch.addcmul(given[..., 2 * hidden :], gate[..., :hidden], pushed[..., 2 * hidden :], out=new)
            torch.lerp(new.tanh_(), state, gate[..., hidden : 2 * hidden], out=states[:, t + 1, :n])
            if n < batch:
                states[:, t + 1, n:] = 0
        ctx.save_for_backward(weight, gates, from_state, states)
        ctx.active = tuple(active)
        return states[:, 1:]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        (grad,) = grads
        weight, gates, from_state, states = ctx.saved_tensors
        directions, steps, batch, hidden = grad.shape
        reset, update, new = gates.split(hidden, dim=-1)
        back = weight.transpose(1, 2)  # (directions, 3 hidden, hidden)
        soft_back, new_back = back[:, : 2 * hidden].contiguous(), back[:, 2 * hidden :].contiguous()
        to_inputs = torch.empty_like(gates)
        to_inner = grad.new_empty(grad.shape)
        to_state = grad.new_zeros(directions, ctx.active[-1], hidden)
        for t in range(steps - 1, -1, -1):
            n = ctx.active[t]
            if n > to_state.shape[1]:
                to_state = torch.nn.functional.pad(to_state, (0, 0, 0, n - to_state.shape[1]))
            to_state += grad[:, t, :n]
            r, z, c = reset[:, t, :n], update[:, t, :n], new[:, t, :n]
            step = to_inputs[:, t, :n]
            step_reset, step_update, step_new = step.split(hidden, dim=-1)
            carried = to_state * z
            # state' = new + update (state - new), new = tanh(x + reset inner), reset and update = sigmoid(...)
            torch.ops.aten.tanh_backward.grad_input(to_state - carried, c, grad_input=step_new)
            torch.ops.aten.sigmoid_backward.grad_input(to_state * (states[:, t, :n] - c), z, grad_input=step_update)
            torch.ops.aten.sigmoid_backward.grad_input(
                step_new * from_state[:, t, :n, 2 * hidden :], r, grad_input=step_reset
            )
            inner = torch.mul(step_new, r, out=to_inner[:, t, :n])
            if n < batch:
                to_inputs[:, t, n:] = 0
                to_inner[:, t, n:] = 0
            to_state = carried.baddbmm_(step[..., : 2 * hidden], soft_back).baddbmm_(inner, new_back)
        flat = to_inputs.view(directions, steps * batch, 3 * hidden)
        flat_inner = to_inner.view(directions, steps * batch, hidden)
        before = states[:, :-1].reshape(directions, steps * batch, hidden).transpose(1, 2)
        to_weight = torch.cat([before @ flat[..., : 2 * hidden], before @ flat_inner], dim=-1)
        to_bias = torch.cat([flat[..., : 2 * hidden].sum(1), flat_inner.sum(1)], dim=-1)
        return to_inputs, to_weight, to_bias.unsqueeze(1), None
