"""Model folders and training checkpoints: safetensors and JSON without pickles, each file written atomically.

A model folder holds `config.json`, `vocabulary.json` and `model.safetensors`; during training also
`checkpoint.safetensors` with the weights, their average, the optimizer's state and the progress of training.  If the
solver has a pretrained encoder, the folder `encoder` holds its configuration and tokenizer.  Nothing that is loaded is
executed.  A damaged or foreign folder raises a `DataError` that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import torch
from torch import Tensor, nn

from mathcanon.files import AnyPath, whole_file

from ...errors import ConfigError, DataError
from ...settings import Natural
from ...storage.json_files import read_json
from ...storage.run_files import CHECKPOINT, ENCODER, MODEL_CONFIG, VOCABULARY, WEIGHTS
from ...storage.whole_files import open_regular
from ..data.vocabulary import Vocabulary
from ..presets import SolverConfig, TrainConfig, check_fit

__all__ = [
    "A_FILE",
    "ModelInfo",
    "Training",
    "fitting",
    "load_model",
    "load_tensors",
    "save_tensors",
]

FORMAT = "weaksup/solver"
A_FILE = "a file of a solver"  # what an error says that a damaged file is not

T = TypeVar("T")


class Training(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a model was trained; unknown fields are left out."""

    settings: TrainConfig | None = None
    examples: Natural | None = None
    digest: str | None = None  # of the examples
    valid: Natural | None = None
    valid_digest: str | None = None
    torch: str | None = None  # its version
    start: str | None = None  # the digest of the initial weights, unless they were random
    teacher: dict[str, Any] | None = None  # the settings of the teacher that made the lessons


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`: the architecture of the model, and how it was trained."""

    format: str = FORMAT
    version: int = 1
    solver: SolverConfig
    training: Training = Training()


def save_tensors(path: AnyPath, tensors: Mapping[str, Tensor], about: Mapping[str, str] | None = None) -> None:
    """Write tensors, with `about` as the metadata of the file."""
    from safetensors.torch import save

    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with whole_file(path) as file:
        file.write(save(whole, metadata=dict(about or {})))


def load_tensors(path: AnyPath, device: torch.device | str = "cpu") -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file and its metadata; raises `DataError` if it can't be read."""
    from safetensors import SafetensorError, safe_open

    try:
        open_regular(path).close()
        with safe_open(path, framework="pt", device=str(device)) as file:  # type: ignore[no-untyped-call]
            names = list(file.keys())
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    except SafetensorError as error:
        raise DataError(f"not a safetensors file, or damaged: {error}", path=str(path)) from error


@contextmanager
def fitting(path: AnyPath, what: str) -> Iterator[None]:
    """Raise a `DataError` that begins with `what` if the block fails to load what was read from `path`."""
    try:
        yield
    except (KeyError, RuntimeError, ValueError) as error:
        text = str(error)
        detail = text.splitlines()[1].strip() if "\n" in text else text
        raise DataError(f"{what}: {detail}", path=str(path)) from error


def load_model(folder: AnyPath, device: torch.device | str = "cpu") -> tuple[ModelInfo, Vocabulary, nn.Module]:
    """The description, vocabulary and network of a model folder; raises `DataError` if it is not a complete one."""
    from ..table import build_model

    place = Path(folder)
    if not place.is_dir():
        raise DataError("there is no such folder", path=str(folder))
    info = read_json(place / MODEL_CONFIG, ModelInfo, what=A_FILE)
    if info.format != FORMAT or info.version != 1:
        message = f"the format is {info.format} {info.version}, but {FORMAT} 1 was expected"
        raise DataError(message, path=str(place / MODEL_CONFIG))
    try:
        check_fit(info.solver)
    except ConfigError as error:
        raise DataError(str(error), path=str(place / MODEL_CONFIG)) from error
    vocabulary = read_json(place / VOCABULARY, Vocabulary, what=A_FILE)
    if not vocabulary.is_readable:
        raise DataError("the words do not begin with the reserved words", path=str(place / VOCABULARY))
    if not vocabulary.is_writable:
        raise DataError("there is no operator, or an unknown operator or constant", path=str(place / VOCABULARY))
    if not (place / WEIGHTS).exists() and (place / CHECKPOINT).exists():
        raise DataError("training has not reached its first validation yet", path=str(folder))
    if info.solver.encoder is not None:  # the copy of its definition; the weights are those of the solver
        own = msgspec.structs.replace(info.solver, encoder=str(place / ENCODER))
        info = msgspec.structs.replace(info, solver=own)
    weights, _ = load_tensors(place / WEIGHTS, device)
    model = build_model(info.solver, vocabulary).to(device)
    with fitting(place / WEIGHTS, f"the weights do not fit {MODEL_CONFIG}"):
        model.load_state_dict(weights)
    return info, vocabulary, model
