"""Dropout with masks cut from one pool of random bits: on a CPU, drawing a new mask costs as much as a small layer."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

__all__ = ["PooledDropout"]

_POOL = 1 << 22


class PooledDropout(nn.Module):
    """Like `torch.nn.Dropout`; on a CPU a mask is a slice of the pool that starts at random (torch's own generator)."""

    def __init__(self, chance: float) -> None:
        super().__init__()
        self.chance = chance

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or not self.chance:
            return x
        size = x.numel()
        if x.device.type != "cpu" or size >= _POOL // 2:
            return dropout(x, self.chance)
        start = int(torch.randint(_POOL - size, ()))
        return x * _pool(self.chance)[start : start + size].view(x.shape)


@lru_cache(maxsize=4)
def _pool(chance: float) -> Tensor:
    """Factors 0 and 1 / (1 - chance), the same in every process."""
    drawn = torch.rand(_POOL, generator=torch.Generator().manual_seed(0)) >= chance
    return drawn.float() / (1 - chance)
