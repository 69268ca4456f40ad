"""Training: lessons -> a model folder, resumable at any moment with the same weights in the end, bit for bit.

Everything random in a step depends on the seed and the number of the step alone: the order of an epoch on (seed,
epoch), dropout on (seed, step).  So a checkpoint needs the weights, their average, the optimizer's moments and the
number of the step, and it does not matter when it is written.  Under `torchrun` each process takes its share of every
batch (DistributedDataParallel), so the result does not depend on their number but for the order of summation.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ConfigError, DataError, WeakSupError
from ..files import AnyPath, whole_file
from ..records import Problem
from .batches import Batch, Example, bucketed, make_batch
from .checkpoint import (
    CHECKPOINT,
    CONFIG,
    VOCABULARY,
    WEIGHTS,
    ModelInfo,
    load_tensors,
    read_json,
    save_tensors,
    write_json,
)
from .config import SolverConfig, TrainConfig
from .examples import Lesson, make_examples
from .interrupts import LateInterrupt
from .models import build_model
from .solver import Solver
from .vocabulary import Vocabulary, make_vocabulary

__all__ = ["METRICS", "TIMES", "AlreadyTrained", "TrainResult", "train_solver", "tree_loss"]

METRICS, TIMES = "metrics.jsonl", "times.jsonl"

T = TypeVar("T")
Progress = Callable[[int, int], None]  # examples done, examples in all


class AlreadyTrained(ConfigError):
    """The folder holds the same model, trained to the end."""


class TrainResult(msgspec.Struct, frozen=True, kw_only=True):
    """What training came to; the seconds are those of this call, without set-up."""

    examples: int
    steps: int
    seconds: float
    cpu_seconds: float
    examples_per_second: float
    valid_answer_accuracy: float | None  # of the weights that were kept
    left_out: dict[str, int]  # lessons that the vocabulary can't write, by reason


def train_solver(
    lessons: Sequence[Lesson],
    valid: Sequence[Problem],
    folder: AnyPath,
    *,
    config: SolverConfig,
    train: TrainConfig,
    device: torch.device | str = "cpu",
    progress: Progress | None = None,
    checkpoint_seconds: float = 60.0,
) -> TrainResult:
    """Train a solver into `folder`, or go on where a killed run of the same settings stopped.

    The weights kept are those with the best answer accuracy on `valid` (its gold is not read), without it the last.
    """
    if not lessons:
        raise DataError("there is nothing to train with: no problem has a usable equation")
    vocabulary = make_vocabulary(
        (lesson.problem for lesson in lessons),
        (tree for lesson in lessons for tree in lesson.trees),
        min_word_count=train.min_word_count,
        min_constant_count=train.min_constant_count,
    )
    examples, left_out = make_examples(lessons, vocabulary, config)
    if not examples:
        raise DataError(
            "there is nothing to train with: no equation can be written with the constants seen often enough"
        )
    run = _Run(examples, valid, Path(folder), vocabulary, config, train, torch.device(device))
    run.prepare()
    return run.train(progress, checkpoint_seconds, dict(left_out))


def tree_loss(log_probabilities: Tensor, batch: Batch, *, soft: str) -> Tensor:
    """The loss summed over the problems of a batch.

    `expected`: - sum of weight * log P(tree); `marginal`: - log of the sum of weight * P(tree), so that the model
    itself decides among the trees of a problem.
    """
    assert batch.plan is not None and batch.weights is not None
    if soft != "marginal":
        return -(log_probabilities * batch.weights).sum()
    weighted = log_probabilities + batch.weights.log()
    owner = batch.plan.tree_owner
    rows = len(batch.lengths)
    most = weighted.detach().new_full((rows,), -torch.inf).scatter_reduce(0, owner, weighted.detach(), "amax")
    total = torch.zeros_like(most).index_add(0, owner, (weighted - most[owner]).exp())
    return -(total.log() + most).sum()


class _Run:
    """A training run: its state and how it moves on."""

    def __init__(
        self,
        examples: Sequence[Example],
        valid: Sequence[Problem],
        folder: Path,
        vocabulary: Vocabulary,
        config: SolverConfig,
        train: TrainConfig,
        device: torch.device,
    ) -> None:
        self.examples, self.valid, self.folder = examples, valid, folder
        self.vocabulary, self.config, self.settings, self.device = vocabulary, config, train, device
        self.rank, self.world = _place_among_processes()
        self.lengths = [len(example.words) for example in examples]
        self.per_epoch = sum(1 for _ in self._epoch(0))
        self.steps = max(1, round(train.epochs * self.per_epoch))
        if train.max_steps is not None:
            self.steps = min(self.steps, train.max_steps)
        self.every = max(1, round(train.validate_every * self.per_epoch))
        self.step = 0
        self.best: float | None = None
        self.since_best = 0
        self.rows: list[dict[str, Any]] = []
        torch.manual_seed(train.seed)
        self.model = build_model(config, vocabulary).to(device)
        self.average = (
            {name: value.detach().clone() for name, value in self.model.named_parameters()} if train.ema else {}
        )
        kind = torch.optim.AdamW if train.optimizer == "adamw" else torch.optim.Adam
        self.optimizer = kind(
            self.model.parameters(), lr=train.learning_rate, weight_decay=train.weight_decay, fused=device.type != "mps"
        )
        self.loss_sum = torch.zeros((), device=device)

    # --- the folder ---------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the folder, or take up what a run of the same settings left in it."""
        training = {
            "settings": msgspec.to_builtins(self.settings),
            "examples": len(self.examples),
            "digest": _digest(self.examples),
            "valid": len(self.valid),
            "valid_digest": _digest_without_gold(self.valid),
            "torch": str(torch.__version__),
        }
        info = ModelInfo(solver=self.config, training=training)
        # The first process alone looks at the folder and changes it; the others hear what came of it.
        error: WeakSupError | OSError | None = None
        if self.rank == 0:
            try:
                self._take_folder(info)
            except (WeakSupError, OSError) as problem:
                error = problem
        error = _from_first(error, self.world)
        if error is not None:
            raise error
        if (self.folder / CHECKPOINT).exists():
            self._resume()
        _wait_for_all(self.world)
        if not (self.folder / CHECKPOINT).exists():
            self.checkpoint()  # from here to the end of training there is one

    def _take_folder(self, info: ModelInfo) -> None:
        """The folder with settings and vocabulary; `ConfigError` if it is another model's or this one is complete."""
        known = self.folder / CONFIG
        if known.exists():
            old = read_json(known, ModelInfo)
            if old != info:
                raise ConfigError(
                    f"{self.folder} was trained with other settings or data: {_difference(old, info)}; "
                    "choose another folder, or replace this one (--overwrite)"
                )
            if (self.folder / WEIGHTS).exists() and not (self.folder / CHECKPOINT).exists():
                raise AlreadyTrained(f"{self.folder} holds this model already, trained to the end")
        elif self.folder.is_dir() and not all(_is_unfinished(path) for path in self.folder.iterdir()):
            raise ConfigError(f"{self.folder} is not empty and holds no model")
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            if _is_unfinished(path):
                path.unlink()
        # The settings come first: whatever else is in the folder, a run that is killed is known by them.
        if not known.exists():
            write_json(known, info)
        if not (self.folder / VOCABULARY).exists():
            write_json(self.folder / VOCABULARY, self.vocabulary)

    def _resume(self) -> None:
        tensors, about = load_tensors(self.folder / CHECKPOINT, self.device)
        if "state" not in about:
            raise DataError("not a checkpoint of training", path=str(self.folder / CHECKPOINT))
        state = json.loads(about["state"])
        self.step, self.best, self.since_best, self.rows = (
            state["step"],
            state["best"],
            state["since_best"],
            state["rows"],
        )
        parts: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            part, _, rest = name.partition("|")
            parts.setdefault(part, {})[rest] = tensor
        self.model.load_state_dict(parts["model"])
        self.loss_sum = parts["run"]["loss_sum"]
        # A file has its tensors in an order of its own; a parameter that had no gradient yet has no moments.
        names = [name for name, _ in self.model.named_parameters()]
        self.average = {name: parts["average"][name] for name in self.average}
        moments = {
            i: {key: parts[key][name] for key in ("exp_avg", "exp_avg_sq", "step")}
            for i, name in enumerate(names)
            if name in parts.get("step", {})
        }
        self.optimizer.load_state_dict({"state": moments, "param_groups": self.optimizer.state_dict()["param_groups"]})

    def checkpoint(self) -> None:
        """Write all that is needed to go on."""
        if self.rank:
            return
        tensors = {f"model|{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"average|{name}": tensor for name, tensor in self.average.items()}
        tensors["run|loss_sum"] = self.loss_sum
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state[parameter].items():
                tensors[f"{key}|{name}"] = value
        state = {"step": self.step, "best": self.best, "since_best": self.since_best, "rows": self.rows}
        save_tensors(self.folder / CHECKPOINT, tensors, {"state": json.dumps(state)})

    # --- training -----------------------------------------------------------------------------------------------------

    def train(self, progress: Progress | None, checkpoint_seconds: float, left_out: dict[str, int]) -> TrainResult:
        model: nn.Module = self.model
        if self.world > 1:
            # A batch of small trees leaves some parameters unused.
            model = nn.parallel.DistributedDataParallel(self.model, find_unused_parameters=True)
        total = self._examples_until(self.steps)
        first = done = self._examples_until(self.step)
        if progress:
            progress(done, total)
        start, cpu_start, saved = time.monotonic(), time.process_time(), time.monotonic()
        stopped = False
        with LateInterrupt() as interrupt:
            for batch, size, count in self._batches():
                self._one_step(model, batch, size)
                done += count
                if progress:
                    progress(done, total)
                if self.step % self.every == 0 or self.step == self.steps:
                    stopped = self._validate(done, time.monotonic() - start, time.process_time() - cpu_start)
                if stopped or self.step == self.steps:
                    break
                if interrupt.wanted or time.monotonic() - saved >= checkpoint_seconds:
                    self.checkpoint()
                    saved = time.monotonic()
                if interrupt.wanted:
                    raise KeyboardInterrupt
        seconds, cpu = time.monotonic() - start, time.process_time() - cpu_start
        if self.rank == 0:
            (self.folder / CHECKPOINT).unlink(missing_ok=True)
        return TrainResult(
            examples=done - first,
            steps=self.step,
            seconds=round(seconds, 3),
            cpu_seconds=round(cpu, 3),
            examples_per_second=round((done - first) / max(seconds, 1e-9), 2),
            valid_answer_accuracy=self.best,
            left_out=left_out,
        )

    def _one_step(self, model: nn.Module, batch: Batch, size: float) -> None:
        """One step of the optimizer on the loss divided by `size`.  Nothing here waits for a GPU."""
        settings = self.settings
        torch.manual_seed((settings.seed * 1_000_003 + self.step) * 64 + self.rank)
        rate = learning_rate(self.step, self.steps, self.per_epoch, settings)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.model.train()
        mixed = torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else nullcontext()
        with mixed:
            loss = tree_loss(model(batch), batch, soft=settings.soft) / size
        (loss * self.world).backward()
        if settings.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.loss_sum += _sum_over_all(loss.detach(), self.world)
        self.step += 1
        if self.average:
            decay = min(settings.ema, (1 + self.step) / (10 + self.step))
            now = [value.detach() for _, value in self.model.named_parameters()]
            torch._foreach_lerp_(list(self.average.values()), now, 1 - decay)

    def _validate(self, done: int, seconds: float, cpu: float) -> bool:
        """Measure, keep the weights if they are the best; whether training should stop early."""
        accuracy = self._accuracy() if self.valid and self.rank == 0 else None
        accuracy = _from_first(accuracy, self.world)
        loss = float(self.loss_sum) / ((self.step - 1) % self.every + 1)
        self.loss_sum.zero_()
        self.rows.append({"step": self.step, "loss": round(loss, 6), "valid_answer_accuracy": accuracy})
        gained = accuracy is None or self.best is None or accuracy > self.best
        self.since_best = 0 if gained else self.since_best + 1
        better = gained or accuracy == self.best  # of equals the later one
        if better:
            self.best = accuracy
        if self.rank == 0:
            if better:
                save_tensors(self.folder / WEIGHTS, self._kept())
            with whole_file(self.folder / METRICS) as file:
                file.write("".join(json.dumps(row) + "\n" for row in self.rows).encode())
            with open(self.folder / TIMES, "a", encoding="utf-8") as log:
                row = {"step": self.step, "examples": done, "seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1)}
                log.write(json.dumps(row) + "\n")
        return bool(self.settings.patience and self.since_best >= self.settings.patience)

    def _kept(self) -> dict[str, Tensor]:
        return self.model.state_dict() | self.average

    def _accuracy(self) -> float:
        from .evaluation import answer_accuracy

        before = {name: value.detach().clone() for name, value in self.model.named_parameters()}
        self.model.load_state_dict(self._kept())
        try:
            solver = Solver(self.config, self.vocabulary, self.model)
            return answer_accuracy(solver, self.valid, beam=self.settings.valid_beam)
        finally:
            self.model.load_state_dict(before, strict=False)

    # --- batches ------------------------------------------------------------------------------------------------------

    def _epoch(self, epoch: int) -> Iterator[Any]:
        rng = np.random.default_rng([self.settings.seed, epoch])
        return bucketed(self.lengths, batch_size=self.settings.batch_size, rng=rng)

    def _places(self) -> Iterator[Any]:
        for epoch in range(self.step // self.per_epoch, self.steps // self.per_epoch + 1):
            yield from self._epoch(epoch)

    def _batches(self) -> Iterator[tuple[Batch, float, int]]:
        """This process's part of each batch, what its loss is divided by, and how many examples the batch has.

        Every process must take part in every step: one that is left without an example borrows one, at no weight.
        """
        skip = self.step % self.per_epoch
        for i, places in enumerate(self._places()):
            if i < skip:
                continue
            if self.step >= self.steps:
                return
            mine = places[self.rank :: self.world]
            size = float(len(places)) if len(mine) else math.inf
            mine = mine if len(mine) else places[:1]
            yield (
                make_batch(
                    [self.examples[j] for j in mine],
                    operators=len(self.vocabulary.operators),
                    constants=len(self.vocabulary.constants),
                    device=self.device,
                ),
                size,
                len(places),
            )

    def _examples_until(self, step: int) -> int:
        """How many examples the first steps have."""
        whole, rest = divmod(step, self.per_epoch)
        return whole * len(self.examples) + sum(
            len(places) for _, places in zip(range(rest), self._epoch(whole), strict=False)
        )


def learning_rate(step: int, steps: int, per_epoch: int, settings: TrainConfig) -> float:
    """The learning rate of a step.

    >>> settings = TrainConfig(learning_rate=1.0, schedule="linear", warmup=2)
    >>> [learning_rate(step, 4, 1, settings) for step in range(4)]
    [0.5, 0.75, 0.5, 0.25]
    """
    rate = settings.learning_rate
    if settings.schedule == "halve":
        rate *= 0.5 ** (step // (per_epoch * settings.halve_every))
    elif settings.schedule == "linear":
        rate *= 1 - step / steps
    else:
        rate *= 0.5 * (1 + float(np.cos(np.pi * step / steps)))
    return rate * min(1.0, (step + 1) / settings.warmup) if settings.warmup else rate


def _place_among_processes() -> tuple[int, int]:
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


def _from_first(value: T, world: int) -> T:
    """The value that the first process has."""
    if world == 1:
        return value
    box = [value]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]


def _wait_for_all(world: int) -> None:
    if world > 1:
        torch.distributed.barrier()


def _sum_over_all(value: Tensor, world: int) -> Tensor:
    """The sum over the processes, in place."""
    if world > 1:
        torch.distributed.all_reduce(value)
    return value


def _is_unfinished(path: Path) -> bool:
    """Whether a file is what a killed process left of one of ours (see `weaksup.files.whole_file`)."""
    ours = (CONFIG, VOCABULARY, WEIGHTS, CHECKPOINT, METRICS)
    return path.suffix == ".tmp" and any(path.name.startswith(f".{name}.") for name in ours)


def _digest(examples: Sequence[Example]) -> str:
    digest = hashlib.sha256()
    for example in examples:
        digest.update(msgspec.json.encode(example))
    return digest.hexdigest()


def _digest_without_gold(problems: Sequence[Problem]) -> str:
    digest = hashlib.sha256()
    for problem in problems:
        known = msgspec.structs.replace(problem, gold=None, gold_missing=None)
        digest.update(msgspec.json.encode(known))
    return digest.hexdigest()


def _difference(old: ModelInfo, new: ModelInfo) -> str:
    left, right = (
        {**msgspec.to_builtins(info.solver), **info.training.get("settings", {}), **info.training}
        for info in (old, new)
    )
    names = [name for name in right if name != "settings" and left.get(name) != right[name]]
    return ", ".join(f"{name} was {left.get(name)}, now {right[name]}" for name in names[:3]) or "another version"
