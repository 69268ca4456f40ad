"""The state of training: the network, its averaged weights, the optimizer, and the progress so far.

A checkpoint is one safetensors file with all of it.  The state of a lesson source may be large (the fixes of all
problems), so it is stored as a tensor, not in the header of the file, whose size is limited.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor, nn

from ...errors import DataError
from ...measure.metrics import TrainingRow
from ...settings import Natural, Probability
from ...storage.json_files import decode_json
from ..data.vocabulary import Vocabulary
from ..network.model_files import A_FILE, fitting, load_tensors, save_tensors
from ..network.pretrained import load_pretrained
from ..presets import SolverConfig, TrainConfig
from ..table import build_model

__all__ = ["TrainingState"]

_PRETRAINED = "encoder.model."  # how the names of a pretrained encoder's parameters begin
_MEMORY = "source|memory"  # the tensor that holds the state of the lesson source, as JSON


class _Counters(msgspec.Struct, frozen=True, kw_only=True):
    """The metadata of a checkpoint."""

    step: Natural
    best: Probability | None
    since_best: Natural
    idle: Natural = 0
    rows: list[TrainingRow]


class TrainingState:
    """A network in training, with everything that a checkpoint holds."""

    def __init__(
        self,
        config: SolverConfig,
        vocabulary: Vocabulary,
        train: TrainConfig,
        device: torch.device,
        start: nn.Module | None,
    ) -> None:
        self.device = device
        self.step = 0
        self.best: float | None = None  # answer accuracy of the weights that were kept
        self.since_best = 0  # validations since the last improvement
        self.idle = 0  # steps without an example since the last validation
        self.rows: list[TrainingRow] = []
        torch.manual_seed(train.seed)
        self.model = build_model(config, vocabulary).to(device)
        if start is not None:
            self.model.load_state_dict(start.state_dict())
        elif config.encoder is not None:
            load_pretrained(self.model.get_submodule("encoder"), config.encoder)
        self.average = (
            {name: value.detach().clone() for name, value in self.model.named_parameters()} if train.ema else {}
        )
        kind = torch.optim.AdamW if train.optimizer == "adamw" else torch.optim.Adam
        groups = [{"params": [self.model.get_parameter(name) for name in names]} for names in _by_group(self.model)]
        self.optimizer = kind(
            groups, lr=train.learning_rate, weight_decay=train.weight_decay, fused=device.type != "mps"
        )
        self.loss_sum = torch.zeros((), device=device)  # since the last validation

    # --- moving on ----------------------------------------------------------------------------------------------------

    def descend(self, rate: float, encoder_rate: float, clip: float) -> None:
        """Take one optimizer step after clipping the gradient; a pretrained encoder has a learning rate of its own."""
        for group, of_group in zip(self.optimizer.param_groups, (rate, encoder_rate), strict=False):
            group["lr"] = of_group
        if clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def count_step(self, ema: float) -> None:
        """Count a step and update the moving average of the weights."""
        self.step += 1
        if self.average:
            decay = min(ema, (1 + self.step) / (10 + self.step))
            now = [value.detach() for _, value in self.model.named_parameters()]
            torch._foreach_lerp_(list(self.average.values()), now, 1 - decay)

    def add_row(self, loss: float, accuracy: float | None) -> bool:
        """Record a validation, and return whether to keep its weights: the best so far, the later ones on a tie."""
        self.loss_sum.zero_()
        self.idle = 0
        self.rows.append(TrainingRow(step=self.step, loss=round(loss, 6), valid_answer_accuracy=accuracy))
        gained = accuracy is None or self.best is None or accuracy > self.best
        self.since_best = 0 if gained else self.since_best + 1
        better = gained or accuracy == self.best
        if better:
            self.best = accuracy
        return better

    def kept_weights(self) -> dict[str, Tensor]:
        """The averaged weights if there are any, else the current ones."""
        return self.model.state_dict() | self.average

    @contextmanager
    def with_kept_weights(self) -> Iterator[nn.Module]:
        """Within the block, the network has the weights of `kept_weights`."""
        before = {name: value.detach().clone() for name, value in self.model.named_parameters()}
        self.model.load_state_dict(self.kept_weights())
        try:
            yield self.model
        finally:
            self.model.load_state_dict(before, strict=False)

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def save(self, path: Path, memory: Any) -> None:
        """Write a checkpoint: everything needed to resume, with `memory`, the state of the lesson source."""
        tensors = {f"model|{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"average|{name}": tensor for name, tensor in self.average.items()}
        tensors["run|loss_sum"] = self.loss_sum
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state[parameter].items():
                tensors[f"{key}|{name}"] = value
        if memory is not None:
            tensors[_MEMORY] = torch.frombuffer(bytearray(json.dumps(memory).encode()), dtype=torch.uint8)
        counters = _Counters(step=self.step, best=self.best, since_best=self.since_best, idle=self.idle, rows=self.rows)
        save_tensors(path, tensors, {"state": msgspec.json.encode(counters).decode()})

    def load(self, path: Path) -> Any:
        """Restore a checkpoint and return the state of the lesson source; raises `DataError` if it does not fit."""
        tensors, about = load_tensors(path, self.device)
        if "state" not in about:
            raise DataError("not a training checkpoint", path=str(path))
        counters = decode_json(about["state"], _Counters, path=path, what=A_FILE)
        memory = None
        if _MEMORY in tensors:
            memory = decode_json(bytes(tensors.pop(_MEMORY).cpu().numpy()), Any, path=path, what=A_FILE)
        self.step, self.best, self.since_best = counters.step, counters.best, counters.since_best
        self.idle, self.rows = counters.idle, counters.rows
        with fitting(path, "not a checkpoint of this training"):
            self._restore_tensors(tensors)
        return memory

    def _restore_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        parts: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            part, _, rest = name.partition("|")
            parts.setdefault(part, {})[rest] = tensor
        self.model.load_state_dict(parts["model"])
        self.loss_sum = parts["run"]["loss_sum"]
        # The file may list its tensors in any order; a parameter that has had no gradient yet has no moments.
        names = [name for group in _by_group(self.model) for name in group]
        self.average = {name: parts["average"][name] for name in self.average}
        moments = {
            i: {key: parts[key][name] for key in ("exp_avg", "exp_avg_sq", "step")}
            for i, name in enumerate(names)
            if name in parts.get("step", {})
        }
        self.optimizer.load_state_dict({"state": moments, "param_groups": self.optimizer.state_dict()["param_groups"]})


def _by_group(model: nn.Module) -> list[list[str]]:
    """The names of the parameters in the order of the optimizer: those of a pretrained encoder are a second group."""
    names = [name for name, _ in model.named_parameters()]
    pretrained = [name for name in names if name.startswith(_PRETRAINED)]
    return [[name for name in names if not name.startswith(_PRETRAINED)], *([pretrained] if pretrained else [])]
