"""Model folders and training checkpoints: safetensors and JSON, each file written whole or not at all, no pickles.

A model folder holds `config.json`, `vocabulary.json` and `model.safetensors`; while it is being trained also
`checkpoint.safetensors` with the weights, their average, the optimizer's state and how far training is.  Nothing that
is loaded is executed; a folder that is damaged or not one of ours gets a `DataError` that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import torch
from torch import Tensor, nn

from ..errors import DataError
from ..files import AnyPath, whole_file
from .config import SolverConfig
from .vocabulary import Vocabulary

__all__ = ["ModelInfo", "load_model", "load_tensors", "read_json", "save_tensors", "write_json"]

FORMAT = "weaksup/solver"
CONFIG, VOCABULARY, WEIGHTS, CHECKPOINT = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "checkpoint.safetensors",
)

T = TypeVar("T")


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`: what the model is, and how it was trained."""

    format: str = FORMAT
    version: int = 1
    solver: SolverConfig
    training: dict[str, Any] = {}  # settings, digest of the examples, versions


def write_json(path: AnyPath, record: msgspec.Struct) -> None:
    with whole_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def read_json(path: AnyPath, type: type[T]) -> T:
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=type)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not the file of a solver: {error}", path=str(path)) from error


def save_tensors(path: AnyPath, tensors: Mapping[str, Tensor], about: Mapping[str, str] | None = None) -> None:
    """Write tensors and some text about them."""
    from safetensors.torch import save

    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with whole_file(path) as file:
        file.write(save(whole, metadata=dict(about or {})))


def load_tensors(path: AnyPath, device: torch.device | str = "cpu") -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file and the text about them."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device=str(device)) as file:  # type: ignore[no-untyped-call]
            names = list(file.keys())
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    except SafetensorError as error:
        raise DataError(f"not a safetensors file, or damaged: {error}", path=str(path)) from error


def load_model(folder: AnyPath, device: torch.device | str = "cpu") -> tuple[ModelInfo, Vocabulary, nn.Module]:
    """What a model folder holds."""
    from .models import build_model

    place = Path(folder)
    if not place.is_dir():
        raise DataError("there is no such folder", path=str(folder))
    info = read_json(place / CONFIG, ModelInfo)
    if info.format != FORMAT or info.version != 1:
        raise DataError(f"{info.format} {info.version} is not {FORMAT} 1", path=str(place / CONFIG))
    vocabulary = read_json(place / VOCABULARY, Vocabulary)
    if not vocabulary.is_writable:
        raise DataError("operators or constants that there are not", path=str(place / VOCABULARY))
    if not (place / WEIGHTS).exists() and (place / CHECKPOINT).exists():
        raise DataError("training has not come to its first validation yet", path=str(folder))
    weights, _ = load_tensors(place / WEIGHTS, device)
    try:
        model = build_model(info.solver, vocabulary).to(device)
        model.load_state_dict(weights)
    except (RuntimeError, ValueError) as error:
        detail = str(error).splitlines()[1].strip() if "\n" in str(error) else str(error)
        raise DataError(f"the weights do not fit {CONFIG}: {detail}", path=str(place / WEIGHTS)) from error
    return info, vocabulary, model
