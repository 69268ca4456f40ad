"""The training loop: a lesson source -> a model folder; resuming at any step gives the same weights, bit for bit.

All randomness depends on the seed and the step number alone: the order of an epoch on (seed, epoch), dropout and a
teacher's draws on (seed, step).  A checkpoint therefore holds the weights, their average, the optimizer's moments, the
step number and the state of the lesson source, and can be written after any step.  Under `torchrun` each process takes
its share of every batch (DistributedDataParallel).  Each process draws its own dropout masks; without dropout the
result does not depend on the number of processes, up to the order of summation.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from mathcanon.files import AnyPath, whole_file

from ...errors import ConfigError, NothingToLearn, WeakSupError
from ...records import Problem
from ...storage.folder_lock import lock_folder
from ...storage.run_files import ANSWERS, CHECKPOINT, EQUATIONS, TRAINING_ROWS, TRAINING_TIMES, WEIGHTS
from ...watching import Progress
from ..data.batches import Example, bucketed, make_batch, send
from ..data.lessons import Cells, Lesson, make_examples
from ..data.vocabulary import Vocabulary, make_vocabulary
from ..decoding.answer_model import learn_answers
from ..decoding.equation_model import learn_equations
from ..decoding.solver import Solver
from ..network.model_files import fitting, save_tensors
from ..presets import SolverConfig, TrainConfig
from .distributed import from_first, place_among_processes, sum_over_all, wait_for_all
from .interrupts import LateInterrupt
from .lesson_sources import FixedLessons, LessonSource, Moment
from .model_folder import describe_training, take_folder
from .objective import learning_rate, tree_loss, tree_tokens
from .precision import mixed_precision
from .state import TrainingState

__all__ = ["TrainResult", "TrainingRun", "train_solver"]

OnValidation = Callable[[dict[str, Any]], None]  # a line of metrics.jsonl


class TrainResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of training; examples and seconds are those of this call, without set-up."""

    examples: int
    steps: int
    seconds: float
    cpu_seconds: float
    examples_per_second: float
    valid_answer_accuracy: float | None  # of the weights that were kept
    left_out: dict[str, int] = {}  # number of lessons that the vocabulary can't write, by reason


def train_solver(
    lessons: Sequence[Lesson],
    valid: Sequence[Problem],
    folder: AnyPath,
    *,
    config: SolverConfig,
    train: TrainConfig,
    device: torch.device | str = "cpu",
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
    on_validation: OnValidation | None = None,
    cells: Cells | None = None,
    start: Solver | None = None,
    answer_model: bool = True,
    equation_model: bool = True,
    checkpoint_seconds: float = 60.0,
) -> TrainResult:
    """Train a solver into `folder`, or resume an interrupted run with the same settings.

    Parameters
    ----------
    lessons
        Texts with the equations to learn; see `gold_lessons` and `label_lessons`.
    valid
        Problems that decide which weights are kept: those with the best answer accuracy on them.  Their gold equations
        are not read.  Without any, the last weights are kept.
    folder
        A new or empty folder, or that of the run to resume.
    config, train
        The network and its training; see `preset`.
    device
        A torch device.
    progress, on_validation
        Called after each step with the numbers of examples done and in total, and after each validation.
    say
        Called with a line of text before the models that judge answers and equations are learnt.
    cells
        Replaces the cells that g2t would find.
    start
        A solver with the same architecture whose weights and vocabulary are the starting point.
    answer_model, equation_model
        Whether to train an answer model and an equation model too, by which the solver ranks its predictions.
    checkpoint_seconds
        The time between checkpoints.

    Returns
    -------
    TrainResult
        Steps, examples, times and the answer accuracy on `valid`.

    Raises
    ------
    NothingToLearn
        If no lesson can be used.
    ConfigError
        If the folder belongs to another run, or `start` does not fit.
    AlreadyTrained
        If the folder holds this very model, complete.
    """
    if start is not None and start.config != config:
        raise ConfigError("the solver to start from has another architecture: use its settings")
    if not lessons:
        raise NothingToLearn("there is nothing to train with: no problem has a usable equation")
    vocabulary = start.vocabulary if start else _vocabulary(lessons, train)
    examples, left_out = make_examples(lessons, vocabulary, config, cells)
    if not examples:
        raise NothingToLearn(
            "there is nothing to train with: every equation has a constant that is too rare for the vocabulary"
        )
    source = FixedLessons(examples)
    run = TrainingRun(
        source, vocabulary, valid, folder, config=config, train=train, device=device, cells=cells, start=start
    )
    with ExitStack() as held:
        run.prepare(held)
        if run.rank == 0:
            wanted = ([ANSWERS] if answer_model else []) + ([EQUATIONS] if equation_model else [])
            missing = [name for name in wanted if not (run.folder / name).exists()]
            if missing and say:
                say("learning the models that judge answers and equations")
            if ANSWERS in missing:
                learn_answers(lessons, vocabulary, seed=train.seed).save(run.folder / ANSWERS)
            if EQUATIONS in missing:
                learn_equations(lessons, seed=train.seed).save(run.folder / EQUATIONS)
        result = run.train(progress=progress, on_validation=on_validation, checkpoint_seconds=checkpoint_seconds)
        run.finish()
    return msgspec.structs.replace(result, left_out=dict(left_out))


def _vocabulary(lessons: Sequence[Lesson], train: TrainConfig) -> Vocabulary:
    return make_vocabulary(
        (lesson.problem for lesson in lessons),
        (tree for lesson in lessons for tree in lesson.trees),
        min_word_count=train.min_word_count,
        min_constant_count=train.min_constant_count,
    )


class TrainingRun:
    """One training run in its model folder: `prepare`, then `train`, then `finish`."""

    def __init__(
        self,
        source: LessonSource,
        vocabulary: Vocabulary,
        valid: Sequence[Problem],
        folder: AnyPath,
        *,
        config: SolverConfig,
        train: TrainConfig,
        device: torch.device | str = "cpu",
        cells: Cells | None = None,
        start: Solver | None = None,
    ) -> None:
        self.source, self.vocabulary, self.valid, self.folder = source, vocabulary, valid, Path(folder)
        self.config, self.settings, self.device = config, train, torch.device(device)
        # The settings that the learning rate of a pretrained encoder follows.
        self.slowly = msgspec.structs.replace(train, learning_rate=train.encoder_rate, warmup=train.encoder_warmup)
        self.cells, self.start = cells or {}, start
        self.rank, self.world = place_among_processes()
        self.lengths = [len(example.words) for example in source.examples]
        self.per_epoch = sum(1 for _ in self._epoch(0))
        self.steps = max(1, round(train.epochs * self.per_epoch))
        if train.max_steps is not None:
            self.steps = min(self.steps, train.max_steps)
        self.every = max(1, round(train.validate_every * self.per_epoch))
        self.state = TrainingState(config, vocabulary, train, self.device, start.model if start else None)

    # --- the folder ---------------------------------------------------------------------------------------------------

    def prepare(self, held: ExitStack) -> None:
        """Create the folder, or resume from the checkpoint in it.  `held` keeps the folder locked until it closes."""
        info = describe_training(self.config, self.settings, self.source, self.valid, self.start)
        # Only the first process touches the folder; it broadcasts the outcome to the others.
        error: WeakSupError | OSError | None = None
        if self.rank == 0:
            try:
                held.enter_context(lock_folder(self.folder))
                take_folder(self.folder, info, self.vocabulary)
            except (WeakSupError, OSError) as problem:
                error = problem
        error = from_first(error, self.world)
        if error is not None:
            raise error
        checkpoint = self.folder / CHECKPOINT
        if checkpoint.exists():
            memory = self.state.load(checkpoint)
            with fitting(checkpoint, "not a checkpoint of this training"):
                self.source.restore(memory)
        wait_for_all(self.world)
        if not checkpoint.exists():
            self.checkpoint()  # from now on, a missing checkpoint means that training is complete

    def checkpoint(self) -> None:
        """Write everything needed to resume."""
        if self.rank == 0:
            self.state.save(self.folder / CHECKPOINT, self.source.state())

    def finish(self) -> None:
        """Remove the checkpoint: the model is complete, and the state of the lesson source is no longer needed."""
        if self.rank == 0:
            (self.folder / CHECKPOINT).unlink(missing_ok=True)

    # --- training -----------------------------------------------------------------------------------------------------

    def train(
        self,
        *,
        progress: Progress | None = None,
        on_validation: OnValidation | None = None,
        checkpoint_seconds: float = 60.0,
    ) -> TrainResult:
        """Train to the end.  On Ctrl-C a checkpoint of the last step is written first."""
        state, model = self.state, self.state.model
        if self.world > 1:
            # A batch of small trees leaves some parameters unused.
            model = nn.parallel.DistributedDataParallel(model, find_unused_parameters=True)
        total = self._examples_until(self.steps)
        first = done = self._examples_until(state.step)
        if progress:
            progress(done, total)
        start, cpu_start, saved = time.monotonic(), time.process_time(), time.monotonic()
        with LateInterrupt() as interrupt:
            for places in self._places():
                self._one_step(model, places)
                done += len(places)
                if progress:
                    progress(done, total)
                if state.step % self.every == 0 or state.step == self.steps:
                    self._validate(on_validation)
                    self._log_times(done, time.monotonic() - start, time.process_time() - cpu_start)
                if state.step == self.steps or (self.settings.patience and state.since_best >= self.settings.patience):
                    break
                if interrupt.wanted or time.monotonic() - saved >= checkpoint_seconds:
                    self.checkpoint()
                    saved = time.monotonic()
                if interrupt.wanted:
                    interrupt.deliver()
        seconds, cpu = time.monotonic() - start, time.process_time() - cpu_start
        return TrainResult(
            examples=done - first,
            steps=state.step,
            seconds=round(seconds, 3),
            cpu_seconds=round(cpu, 3),
            examples_per_second=round((done - first) / max(seconds, 1e-9), 2),
            valid_answer_accuracy=state.best,
        )

    def _one_step(self, model: nn.Module, places: Sequence[int]) -> None:
        """One optimizer step on the mean loss of a batch.  With fixed lessons nothing here waits for a GPU.

        Every process must take part in every step, so a process without an example borrows one, with weight zero.
        """
        state, settings = self.state, self.settings
        torch.manual_seed((settings.seed * 1_000_003 + state.step) * 64 + self.rank)
        mine = places[self.rank :: self.world]
        now = Moment(state.model, state.step, self.steps, self.per_epoch)
        taught = self.source.teach(mine or places[:1], now)
        if taught:
            size = self._size(places, mine, taught)
            batch = make_batch(
                taught,
                operators=len(self.vocabulary.operators),
                constants=len(self.vocabulary.constants),
                device=self.device,
            )
            state.model.train()
            with mixed_precision(settings.precision, self.device):
                loss = tree_loss(model(batch), batch, soft=settings.soft) / size
            (loss * self.world).backward()
            rate, encoder_rate = (
                learning_rate(state.step, self.steps, self.per_epoch, one) for one in (settings, self.slowly)
            )
            state.descend(rate, encoder_rate, settings.clip)
            state.loss_sum += sum_over_all(loss.detach(), self.world)
        else:
            state.idle += 1
        state.count_step(settings.ema)

    def _size(self, places: Sequence[int], mine: Sequence[int], taught: Sequence[Example]) -> float | Tensor:
        """What the summed loss of a step is divided by: the problems or the tokens of the whole batch."""
        if self.settings.average == "tree":
            return len(places) - len(mine) + len(taught) if mine else math.inf
        tokens = tree_tokens(taught) if mine else 0.0
        if self.world == 1:
            return tokens
        whole = sum_over_all(send(torch.tensor(tokens), self.device), self.world)
        return whole if mine else math.inf

    def _validate(self, on_validation: OnValidation | None) -> None:
        """Measure accuracy on the valid part, and save the weights if they are the best so far."""
        state = self.state
        learnt = (state.step - 1) % self.every + 1 - state.idle
        loss = float(state.loss_sum) / max(1, learnt)
        if not math.isfinite(loss):
            raise WeakSupError(
                f"training has diverged: at step {state.step:,} the loss is {loss}; use a lower learning rate"
            )
        accuracy = self._accuracy() if self.valid and self.rank == 0 else None
        better = state.add_row(loss, from_first(accuracy, self.world))
        if self.rank == 0:
            rows = msgspec.to_builtins(state.rows)
            if on_validation:
                on_validation(rows[-1])
            if better:
                save_tensors(self.folder / WEIGHTS, state.kept_weights())
            with whole_file(self.folder / TRAINING_ROWS) as file:
                file.write("".join(json.dumps(row) + "\n" for row in rows).encode())

    def _log_times(self, examples: int, seconds: float, cpu: float) -> None:
        """Append the time spent so far to a file of its own: the metrics must be the same in every run."""
        if self.rank == 0:
            spent = {"seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1)}
            row = {"step": self.state.step, "examples": examples, **spent}
            with open(self.folder / TRAINING_TIMES, "a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")

    def _accuracy(self) -> float:
        from ...measure.predictions import answer_accuracy

        with self.state.with_kept_weights() as model:
            solver = Solver(self.config, self.vocabulary, model, cells=self.cells)
            return answer_accuracy(solver, self.valid, beam=self.settings.valid_beam)

    # --- batches ------------------------------------------------------------------------------------------------------

    def _epoch(self, epoch: int) -> Iterator[list[int]]:
        rng = np.random.default_rng([self.settings.seed, epoch])
        for places in bucketed(self.lengths, batch_size=self.settings.batch_size, rng=rng):
            yield places.tolist()

    def _places(self) -> Iterator[list[int]]:
        """The remaining batches, as indices of their examples."""
        epoch, done = divmod(self.state.step, self.per_epoch)
        batches = chain.from_iterable(map(self._epoch, count(epoch)))
        return islice(batches, done, done + self.steps - self.state.step)

    def _examples_until(self, step: int) -> int:
        """The number of examples in the first `step` steps."""
        whole, rest = divmod(step, self.per_epoch)
        return whole * len(self.lengths) + sum(map(len, islice(self._epoch(whole), rest)))
