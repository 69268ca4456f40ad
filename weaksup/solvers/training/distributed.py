"""Data-parallel training of one solver by several processes that `torchrun` starts: gloo on CPUs, NCCL on GPUs.

Without `torchrun` (no WORLD_SIZE in the environment) there is one process, and these functions do nothing.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

import torch
from torch import Tensor

from ...errors import ConfigError

__all__ = [
    "from_first",
    "join_processes",
    "joined_processes",
    "place_among_processes",
    "sum_over_all",
    "wait_for_all",
]

T = TypeVar("T")

_PATIENCE = timedelta(hours=2)  # the others wait while the first process validates


def join_processes(device: torch.device, environment: Mapping[str, str] = os.environ) -> torch.device:
    """Join the process group if `torchrun` started this process, and return the device of this process.

    Raises `ConfigError` for a device that several processes can't share, or if there are more processes than GPUs.
    """
    if "WORLD_SIZE" not in environment:
        return device
    rank, world, local = (_whole(environment, name) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    if device.type == "cuda":
        if local >= torch.cuda.device_count():
            raise ConfigError(f"process {local} of this machine has no GPU: there are {torch.cuda.device_count()}")
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
    elif device.type != "cpu":
        raise ConfigError(f"several processes can't train on {device.type}; use cpu or cuda")
    # The optimizer imports torch._dynamo.  If that happens after the group is made, PyTorch 2.13 never frees the group:
    # its threads outlive Python itself, and now and then a training that has succeeded ends with SIGABRT.
    importlib.import_module("torch._dynamo")
    torch.distributed.init_process_group(
        "nccl" if device.type == "cuda" else "gloo", rank=rank, world_size=world, timeout=_PATIENCE
    )
    return device


@contextmanager
def joined_processes(device: torch.device) -> Iterator[torch.device]:
    """Join the process group for the duration of the block; yields the device of this process."""
    device = join_processes(device)
    try:
        yield device
        wait_for_all(place_among_processes()[1])  # one that leaves early would take its connections with it
    finally:
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


def _whole(environment: Mapping[str, str], name: str) -> int:
    try:
        return int(environment[name])
    except (KeyError, ValueError):
        raise ConfigError(f"{name} is not set to a whole number, though WORLD_SIZE is: start with torchrun") from None


def place_among_processes() -> tuple[int, int]:
    """The rank of this process, and the number of processes."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


def from_first(value: T, world: int) -> T:
    """The value of the first process, broadcast to all."""
    if world == 1:
        return value
    box = [value]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]


def wait_for_all(world: int) -> None:
    """Wait until all processes have reached this point."""
    if world > 1:
        torch.distributed.barrier()


def sum_over_all(value: Tensor, world: int) -> Tensor:
    """The sum over all processes; `value` is changed in place."""
    if world > 1:
        torch.distributed.all_reduce(value)
    return value
