"""A second device that is pretended: tensors that claim to be elsewhere while a CPU computes them.

The device that they claim is `meta`, the only one besides the CPU that every build of torch knows.  Code that asks a
tensor for its device takes the branches for GPUs.  What CUDA forbids raises `MixedDevices`: an operation on tensors of
two devices, unless the one on the CPU has no dimension.  Transfers are counted.  What only a GPU has is not tried: its
kernels, cuDNN, streams and memory; nor is autocast, which knows no such device.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

FAR = torch.device("meta")
aten = torch.ops.aten

#: Operations that take tensors of both devices on CUDA too: transfers, and lengths of sequences, which stay on the CPU.
_BOTH = {aten._to_copy, aten.copy_, aten._pack_padded_sequence, aten._pack_padded_sequence_backward}
_BOTH |= {aten._pad_packed_sequence}


class MixedDevices(AssertionError):
    """An operation got tensors of two devices."""


class Far(Tensor):
    """A tensor that claims to be on the second device; `held` is a tensor on the CPU."""

    held: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    def tolist(self) -> Any:
        return self.cpu().tolist()

    @staticmethod
    def __new__(cls, held: Tensor) -> Far:
        made: Far = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=FAR,
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return SecondDevice().__torch_dispatch__(func, types, args, kwargs)  # outside of the mode, as for a message


class SecondDevice(TorchDispatchMode):
    """Runs every operation on the CPU and gives its results the device that they would have."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = self.fetched = 0  # transfers to the second device, and back
        self.operations = 0  # on the second device

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        packet = func.overloadpacket
        given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        here = any(isinstance(one, Far) for one in given)
        self.operations += here
        if here and packet not in _BOTH:
            for one in given:
                if not isinstance(one, Far) and one.dim():
                    raise MixedDevices(f"{func} of a CPU tensor of shape {tuple(one.shape)} and one on the device")
        device = kwargs.get("device")
        there = torch.device(device) == FAR if device is not None else here
        if device is not None:
            kwargs["device"] = torch.device("cpu")
            self.sent += bool(given) and there and not here
            self.fetched += bool(given) and here and not there
        if packet is aten._local_scalar_dense and here:
            self.fetched += 1
        if packet is aten._thnn_fused_gru_cell:
            found: Any = _gru_cell(*map(_held, args))
        elif packet is aten._thnn_fused_gru_cell_backward:
            found = _gru_cell_backward(*map(_held, args))
        else:
            found = func(*tree_map(_held, args), **tree_map(_held, kwargs))
        if not there:
            return found
        if packet is aten._pack_padded_sequence:
            return Far(found[0]), found[1]  # the batch sizes stay on the CPU
        # What an operation changes in place is what it returns.
        same = {id(_held(one)): one for one in given}

        def wrapped(one: Any) -> Any:
            return same[id(one)] if id(one) in same else Far(one) if isinstance(one, Tensor) else one

        return tree_map(wrapped, found)


def _held(value: Any) -> Any:
    return value.held if isinstance(value, Far) else value


def _gru_cell(inputs: Tensor, hidden: Tensor, state: Tensor, bias_ih: Tensor, bias_hh: Tensor) -> Any:
    """The fused cell, which CPUs do not have; the gates are those of `torch.nn.GRU`."""
    in_reset, in_update, in_new = (inputs + bias_ih).chunk(3, -1)
    of_reset, of_update, of_new = (hidden + bias_hh).chunk(3, -1)
    reset, update = torch.sigmoid(in_reset + of_reset), torch.sigmoid(in_update + of_update)
    new = torch.tanh(in_new + reset * of_new)
    return new + update * (state - new), torch.cat([reset, update, new, state, of_new], -1)


def _gru_cell_backward(grad: Tensor, workspace: Tensor, has_bias: bool) -> Any:
    reset, update, new, state, of_new = workspace.chunk(5, -1)
    to_new = grad * (1 - update) * (1 - new * new)
    to_reset = to_new * of_new * reset * (1 - reset)
    to_update = grad * (state - new) * update * (1 - update)
    to_inputs = torch.cat([to_reset, to_update, to_new], -1)
    to_hidden = torch.cat([to_reset, to_update, to_new * reset], -1)
    return to_inputs, to_hidden, grad * update, to_inputs.sum(0), to_hidden.sum(0)


@contextmanager
def second_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[SecondDevice]:
    """A block in which tensors can be moved to `FAR`."""
    real_autocast, real_tensor = torch.autocast, torch.tensor

    def autocast(device_type: str, *args: Any, **more: Any) -> torch.autocast:
        return real_autocast("cpu" if device_type == FAR.type else device_type, *args, **more)

    def tensor(data: Any, *, device: Any = "cpu", **more: Any) -> Tensor:
        return real_tensor(data, **more).to(device)

    with monkeypatch.context() as patch, SecondDevice() as mode:
        patch.setattr(torch, "autocast", autocast)
        patch.setattr(torch, "tensor", tensor)
        optimizer = import_module("torch.optim.optimizer")
        patch.setattr(optimizer, "_get_fused_kernels_supported_devices", lambda: ["cpu", FAR.type])
        # Tensors that claim a device can't be inference tensors.
        patch.setattr(torch.inference_mode, "__enter__", lambda self: torch.no_grad.__enter__(self))
        patch.setattr(torch.inference_mode, "__exit__", lambda self, *error: torch.no_grad.__exit__(self, *error))
        yield mode
