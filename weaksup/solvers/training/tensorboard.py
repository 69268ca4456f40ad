"""Training curves for TensorBoard, if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mathcanon.errors import install_command
from mathcanon.files import AnyPath

from ...errors import ConfigError

__all__ = ["tensorboard_curves"]


def tensorboard_curves(folder: AnyPath) -> Callable[[dict[str, Any]], None]:
    """An `on_validation` callback for `train_solver`; raises `ConfigError` if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ConfigError(f"TensorBoard is not installed: {install_command('tensorboard')}") from error
    writer = SummaryWriter(str(folder))  # type: ignore[no-untyped-call]

    def write(row: dict[str, Any]) -> None:
        for name, value in row.items():
            if name != "step" and value is not None:
                writer.add_scalar(name, value, row["step"])  # type: ignore[no-untyped-call]
        writer.flush()  # type: ignore[no-untyped-call]

    return write
