"""Training: lessons -> a model folder, resumable at any moment with the same weights in the end, bit for bit.

Everything random in a step depends on the seed and the number of the step alone: the order of an epoch on (seed,
epoch), dropout on (seed, step).  So a checkpoint needs the weights, their average, the optimizer's moments and the
number of the step, and it does not matter when it is written.  Under `torchrun` each process takes its share of every
batch (DistributedDataParallel), so without dropout the result does not depend on their number but for the order of
summation; the masks of dropout are those of each process.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ConfigError, DataError, NothingToLearn, WeakSupError
from ..files import AnyPath, whole_file
from ..records import Problem
from .answer_model import ANSWERS, learn_answers
from .batches import Batch, Example, bucketed, make_batch
from .checkpoint import (
    CHECKPOINT,
    WEIGHTS,
    load_tensors,
    save_tensors,
)
from .config import SolverConfig, TrainConfig
from .distributed import from_first, place_among_processes, sum_over_all, wait_for_all
from .examples import Cells, Lesson, make_examples
from .interrupts import LateInterrupt
from .models import build_model
from .objective import learning_rate, tree_loss
from .solver import Solver
from .training_folder import METRICS, TIMES, describe_training, take_folder
from .vocabulary import Vocabulary, make_vocabulary

__all__ = ["TrainResult", "train_solver"]

Progress = Callable[[int, int], None]  # examples done, examples in all
OnValidation = Callable[[dict[str, Any]], None]  # a line of metrics.jsonl


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
    on_validation: OnValidation | None = None,
    cells: Cells | None = None,
    start: Solver | None = None,
    answer_model: bool = True,
    checkpoint_seconds: float = 60.0,
) -> TrainResult:
    """Train a solver into `folder`, or go on where a killed run of the same settings stopped.

    The weights kept are those with the best answer accuracy on `valid` (its gold is not read), without it the last.
    `cells` are those of g2t's graphs where they come from elsewhere.  `start` is a solver of the same settings to begin
    with: its weights, its words and its constants.  Without `answer_model` none is learnt.
    """
    if start is not None and start.config != config:
        raise ConfigError("the solver to start with is another network: take its settings")
    if not lessons:
        raise NothingToLearn("there is nothing to train with: no problem has a usable equation")
    vocabulary = start.vocabulary if start else _vocabulary(lessons, train)
    examples, left_out = make_examples(lessons, vocabulary, config, cells)
    if not examples:
        raise NothingToLearn(
            "there is nothing to train with: no equation can be written with the constants seen often enough"
        )
    run = _Run(examples, valid, Path(folder), vocabulary, config, train, torch.device(device), start)
    run.on_validation, run.cells = on_validation, cells or {}
    run.prepare()
    if answer_model and run.rank == 0 and not (run.folder / ANSWERS).exists():
        learn_answers(lessons, vocabulary, seed=train.seed).save(run.folder / ANSWERS)
    return run.train(progress, checkpoint_seconds, dict(left_out))


def _vocabulary(lessons: Sequence[Lesson], train: TrainConfig) -> Vocabulary:
    return make_vocabulary(
        (lesson.problem for lesson in lessons),
        (tree for lesson in lessons for tree in lesson.trees),
        min_word_count=train.min_word_count,
        min_constant_count=train.min_constant_count,
    )


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
        start: Solver | None,
    ) -> None:
        self.examples, self.valid, self.folder = examples, valid, folder
        self.vocabulary, self.config, self.settings, self.device = vocabulary, config, train, device
        self.rank, self.world = place_among_processes()
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
        self.on_validation: OnValidation | None = None
        self.cells: Cells = {}
        torch.manual_seed(train.seed)
        self.model = build_model(config, vocabulary).to(device)
        self.start = start
        if start is not None:
            self.model.load_state_dict(start.model.state_dict())
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
        info = describe_training(self.config, self.settings, self.examples, self.valid, self.start)
        # The first process alone looks at the folder and changes it; the others hear what came of it.
        error: WeakSupError | OSError | None = None
        if self.rank == 0:
            try:
                take_folder(self.folder, info, self.vocabulary)
            except (WeakSupError, OSError) as problem:
                error = problem
        error = from_first(error, self.world)
        if error is not None:
            raise error
        if (self.folder / CHECKPOINT).exists():
            self._resume()
        wait_for_all(self.world)
        if not (self.folder / CHECKPOINT).exists():
            self.checkpoint()  # from here to the end of training there is one

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
        self.loss_sum += sum_over_all(loss.detach(), self.world)
        self.step += 1
        if self.average:
            decay = min(settings.ema, (1 + self.step) / (10 + self.step))
            now = [value.detach() for _, value in self.model.named_parameters()]
            torch._foreach_lerp_(list(self.average.values()), now, 1 - decay)

    def _validate(self, done: int, seconds: float, cpu: float) -> bool:
        """Measure, keep the weights if they are the best; whether training should stop early."""
        loss = float(self.loss_sum) / ((self.step - 1) % self.every + 1)
        if not math.isfinite(loss):
            raise WeakSupError(f"training has diverged: up to step {self.step:,} the loss is {loss}; learn more slowly")
        accuracy = self._accuracy() if self.valid and self.rank == 0 else None
        accuracy = from_first(accuracy, self.world)
        self.loss_sum.zero_()
        self.rows.append({"step": self.step, "loss": round(loss, 6), "valid_answer_accuracy": accuracy})
        gained = accuracy is None or self.best is None or accuracy > self.best
        self.since_best = 0 if gained else self.since_best + 1
        better = gained or accuracy == self.best  # of equals the later one
        if better:
            self.best = accuracy
        if self.rank == 0:
            if self.on_validation:
                self.on_validation(self.rows[-1])
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
            solver.cells = self.cells
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
