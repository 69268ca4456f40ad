"""Mixed precision: which of its matrix products a training step computes in bfloat16.

With bfloat16, `torch.autocast` runs the matrix products of graph encoder and decoder in that type.  The weights, the
recurrence of the text encoder, the sums of the loss and the optimizer stay in float32.  bfloat16 has the range of
float32, so no loss scaling is needed.  The same code runs on a CPU, where it is tested.
"""

from __future__ import annotations

import torch

from ...errors import ConfigError

__all__ = ["mixed_precision", "uses_bfloat16"]


def uses_bfloat16(precision: str, device: torch.device) -> bool:
    """Whether training with this setting (`TrainConfig.precision`) uses bfloat16 on the device.

    Raises `ConfigError` if bfloat16 is requested on a device other than CPU and CUDA.

    >>> [uses_bfloat16("auto", torch.device(name)) for name in ("cpu", "cuda", "mps")]
    [False, True, False]
    """
    if precision == "bf16" and device.type not in ("cpu", "cuda"):
        raise ConfigError(f"precision can't be bf16 on {device.type}; use fp32")
    return precision == "bf16" or (precision == "auto" and device.type == "cuda")


def mixed_precision(precision: str, device: torch.device) -> torch.autocast:
    """The context in which a training step computes its loss."""
    return torch.autocast(device.type, torch.bfloat16, enabled=uses_bfloat16(precision, device))
