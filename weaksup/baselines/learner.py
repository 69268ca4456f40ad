"""A solver that learns from what it writes itself: epochs in which a teacher turns each batch into weighted trees.

Like `weaksup.solvers.training`, but the lessons are not known beforehand: they are made from the weights of the
moment.  Everything random in a step depends on the seed and the number of the step alone, and after each epoch all
that is needed to go on (weights, their average, the optimizer's moments, the teacher's memory) is one checkpoint: a
run that was killed repeats the epoch it was in and ends with the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..errors import DataError, NothingToLearn, WeakSupError
from ..files import whole_file
from ..records import Problem
from ..run_folder import TrainingRow
from ..solvers.batches import Batch, Example, bucketed, make_batch
from ..solvers.checkpoint import (
    CHECKPOINT,
    CONFIG,
    VOCABULARY,
    WEIGHTS,
    ModelInfo,
    load_tensors,
    save_tensors,
    write_json,
)
from ..solvers.config import SolverConfig, TrainConfig
from ..solvers.evaluation import answer_accuracy
from ..solvers.models import build_model
from ..solvers.objective import learning_rate, tree_loss
from ..solvers.solver import Solver
from ..solvers.training_folder import METRICS
from ..solvers.vocabulary import Vocabulary, make_vocabulary
from ..value_level import CONSTANTS
from .fixing import OPERATORS

__all__ = ["Learner", "Teacher", "weak_vocabulary"]

_STATE = "run|state"  # the name of the JSON among the tensors of a checkpoint


class Teacher(Protocol):
    """Where lessons come from."""

    def teach(self, places: Sequence[int], step: int) -> list[Example]:
        """What is learnt from the problems at `places`: their examples, with trees and weights; some may be missing."""
        ...

    def state(self) -> Any:
        """All that it remembers, as JSON."""
        ...

    def restore(self, state: Any) -> None: ...


def weak_vocabulary(problems: Sequence[Problem], *, min_word_count: int) -> Vocabulary:
    """The words of the problems, and the operators and constants that equations may have: there is none to count."""
    read = make_vocabulary(problems, [], min_word_count=min_word_count)
    return msgspec.structs.replace(read, operators=OPERATORS, constants=tuple(CONSTANTS))


class Learner:
    """A solver on its way, in a model folder."""

    def __init__(
        self,
        problems: Sequence[Problem],
        folder: Path,
        *,
        config: SolverConfig,
        train: TrainConfig,
        device: torch.device,
    ) -> None:
        self.folder, self.config, self.train, self.device = folder, config, train, device
        self.vocabulary = weak_vocabulary(problems, min_word_count=train.min_word_count)
        torch.manual_seed(train.seed)
        self.model = build_model(config, self.vocabulary).to(device)
        self.examples = [Solver(config, self.vocabulary, self.model).example(problem) for problem in problems]
        self.readable = [i for i, example in enumerate(self.examples) if example.words]
        if not self.readable:
            raise NothingToLearn("there is nothing to train with: no problem has a text")
        self.per_epoch = sum(1 for _ in self._epoch(0))
        self.steps = max(1, round(train.epochs * self.per_epoch))
        if train.max_steps is not None:
            self.steps = min(self.steps, train.max_steps)
        self.average = (
            {name: value.detach().clone() for name, value in self.model.named_parameters()} if train.ema else {}
        )
        kind = torch.optim.AdamW if train.optimizer == "adamw" else torch.optim.Adam
        self.optimizer = kind(
            self.model.parameters(), lr=train.learning_rate, weight_decay=train.weight_decay, fused=device.type != "mps"
        )
        self.step = 0
        self.losses: list[float] = []  # since the last validation
        self.rows: list[TrainingRow] = []

    def averaged(self) -> Solver:
        """A solver with the weights of the moment, or with their average if there is one."""
        model = build_model(self.config, self.vocabulary).to(self.device)
        model.load_state_dict(self.model.state_dict() | self.average)
        return Solver(self.config, self.vocabulary, model.eval())

    def batch(self, examples: Sequence[Example]) -> Batch:
        return make_batch(
            examples, operators=len(OPERATORS), constants=len(self.vocabulary.constants), device=self.device
        )

    # --- epochs -------------------------------------------------------------------------------------------------------

    def learn(
        self, teacher: Teacher, valid: Sequence[Problem], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Learn to the end, going on after the last epoch that was finished before.

        The folder gets the weights with the best answer accuracy on `valid`, without it the last.
        """
        self._open(teacher)
        total = self.steps * len(self.readable) // self.per_epoch
        while self.step < self.steps:
            epoch = self.step // self.per_epoch
            for places in self._epoch(epoch):
                if self.step == self.steps:
                    break
                if progress:
                    progress(self.step * len(self.readable) // self.per_epoch, total)
                self._one_step(teacher, places)
            if (epoch + 1) % max(1, round(self.train.validate_every)) == 0 or self.step == self.steps:
                self._validate(valid)
            self._save(teacher)
        if progress:
            progress(total, total)

    def _epoch(self, epoch: int) -> Iterator[list[int]]:
        rng = np.random.default_rng([self.train.seed, epoch])
        lengths = [len(self.examples[i].words) for i in self.readable]
        chosen: npt.NDArray[np.int64]
        for chosen in bucketed(lengths, batch_size=self.train.batch_size, rng=rng):
            yield [self.readable[i] for i in chosen.tolist()]

    def _one_step(self, teacher: Teacher, places: Sequence[int]) -> None:
        torch.manual_seed((self.train.seed * 1_000_003 + self.step) * 64)
        self.model.eval()
        examples = teacher.teach(places, self.step)
        if examples:
            for group in self.optimizer.param_groups:
                group["lr"] = learning_rate(self.step, self.steps, self.per_epoch, self.train)
            self.model.train()
            batch = self.batch(examples)
            loss = tree_loss(self.model(batch), batch, soft="expected") / len(examples)
            loss.backward()
            if self.train.clip:
                nn.utils.clip_grad_norm_(self.model.parameters(), self.train.clip)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            self.losses.append(float(loss.detach()))
            if not isfinite(self.losses[-1]):
                raise WeakSupError(f"training has diverged: at step {self.step + 1:,} the loss is {self.losses[-1]}")
        self.step += 1
        if self.average:
            decay = min(self.train.ema, (1 + self.step) / (10 + self.step))
            now = [value.detach() for _, value in self.model.named_parameters()]
            torch._foreach_lerp_(list(self.average.values()), now, 1 - decay)

    def _validate(self, valid: Sequence[Problem]) -> None:
        """Measure, and keep the weights if they are the best."""
        kept = self.averaged()
        best = max((row.valid_answer_accuracy or 0.0 for row in self.rows), default=0.0)
        accuracy = answer_accuracy(kept, valid, beam=self.train.valid_beam) if valid else None
        if accuracy is None or accuracy >= best:
            save_tensors(self.folder / WEIGHTS, kept.model.state_dict())
        loss = sum(self.losses) / max(1, len(self.losses))
        self.losses = []
        self.rows.append(TrainingRow(step=self.step, loss=round(loss, 6), valid_answer_accuracy=accuracy))
        with whole_file(self.folder / METRICS) as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in self.rows)

    # --- the folder ---------------------------------------------------------------------------------------------------

    def _open(self, teacher: Teacher) -> None:
        """Make the model folder, or go on with what is in it; the caller knows that it is ours."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(
            self.folder / CONFIG,
            ModelInfo(solver=self.config, training={"settings": msgspec.to_builtins(self.train)}),
        )
        write_json(self.folder / VOCABULARY, self.vocabulary)
        if (self.folder / CHECKPOINT).exists():
            self._restore(teacher)

    def _save(self, teacher: Teacher) -> None:
        tensors = {f"model|{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"average|{name}": tensor for name, tensor in self.average.items()}
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state[parameter].items():
                tensors[f"{key}|{name}"] = value
        state = {"step": self.step, "losses": self.losses, "rows": msgspec.to_builtins(self.rows)}
        text = json.dumps({**state, "teacher": teacher.state()}).encode()
        tensors[_STATE] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
        save_tensors(self.folder / CHECKPOINT, tensors)

    def _restore(self, teacher: Teacher) -> None:
        tensors, _ = load_tensors(self.folder / CHECKPOINT, self.device)
        if _STATE not in tensors:
            raise DataError("not a checkpoint of a baseline", path=str(self.folder / CHECKPOINT))
        state = json.loads(bytes(tensors.pop(_STATE).cpu().numpy()))
        self.step, self.losses = state["step"], state["losses"]
        self.rows = msgspec.convert(state["rows"], list[TrainingRow])
        teacher.restore(state["teacher"])
        parts: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            part, _, rest = name.partition("|")
            parts.setdefault(part, {})[rest] = tensor
        self.model.load_state_dict(parts["model"])
        self.average = {name: parts["average"][name] for name in self.average}
        moments = {
            i: {key: parts[key][name] for key in ("exp_avg", "exp_avg_sq", "step")}
            for i, (name, _) in enumerate(self.model.named_parameters())
            if name in parts.get("step", {})
        }
        self.optimizer.load_state_dict({"state": moments, "param_groups": self.optimizer.state_dict()["param_groups"]})
