"""Solvers that do not depend on each other, trained several at a time, each in a process of its own.

Before a unit runs its arms one after the other, their labels are made and their solvers trained here.  A training
writes the same files in any process, so each arm then finds its solver complete.  What fails here is left to the arm,
which trains by itself and reports the error.  An interrupted training resumes from its checkpoint, wherever it ran.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mathcanon.processes import open_pool

from ..corpora import Corpus
from ..errors import NothingToLearn, WeakSupError
from ..search.executors import available_cores
from ..storage.run_files import CHECKPOINT, SOLVER, TIMES, WEIGHTS
from ..watching import Progress, watch_nothing
from .config import PipelineConfig
from .solver_choice import solver_settings
from .steps import ArmPlan, GuardedSplit, Run, Unit, label_steps, plan_arm, read_labels, train_arm
from .timed_step import Times

__all__ = ["train_ahead"]

_AT_A_TIME = 2  # by default
_WORTH_IT = 10_000  # examples in all epochs: fewer are trained sooner than another process has loaded torch
_EVERY = 0.2  # seconds between looks at the reports of the processes

_reports: Any = None  # in a process that trains: the queue to its parent


class _Job(NamedTuple):
    """What a process needs to train the solver of one arm."""

    config: PipelineConfig
    corpus: Corpus
    options: Mapping[str, Any]
    folder: Path
    device: str
    tensorboard: Path | None
    parts: GuardedSplit
    place: Path
    seed: int
    fold: int | None
    arm: str
    threads: int
    is_deterministic: bool


def train_ahead(unit: Unit, arms: Sequence[str], workers: int | None) -> None:
    """Make the labels of these arms, and train their solvers, `workers` at a time; one at a time is left to the arms.

    By default there are two, if they train on the CPU, have a core each, and have enough to do.
    """
    most = _default_workers(unit) if workers is None else workers
    if most < 2 or len(arms) < 2:
        return
    plans = [plan for arm in arms if (plan := _labelled(unit, arm)) is not None and not _is_trained(plan)]
    if len(plans) < 2 or (workers is None and _examples(unit, plans) < _WORTH_IT):
        return
    names = ", ".join([plan.name for plan in plans])
    with unit.run.times.of(f"train {names}"):
        unit.run.watch.say(f"train {names} (seed {unit.seed}), up to {most} at a time")
        _train_all(unit, plans, min(most, len(plans)))


def _default_workers(unit: Unit) -> int:
    import torch

    from ..solvers.decoding.solver import find_device

    is_cpu = find_device(unit.run.device).type == "cpu"
    return min(_AT_A_TIME, available_cores() // torch.get_num_threads()) if is_cpu else 1


def _labelled(unit: Unit, name: str) -> ArmPlan | None:
    """The plan of an arm, after its labels are made; None if there is nothing to learn from."""
    plan = plan_arm(unit, name)
    try:
        for step in label_steps(unit, plan):
            step.run(unit.run.times)
    except NothingToLearn:
        return None
    return plan


def _is_trained(plan: ArmPlan) -> bool:
    return (plan.place / SOLVER / WEIGHTS).exists() and not (plan.place / SOLVER / CHECKPOINT).exists()


def _examples(unit: Unit, plans: Sequence[ArmPlan]) -> float:
    _, train = solver_settings(unit.run.config, unit.seed, soft=unit.run.config.soft)
    return train.epochs * sum([len(read_labels(plan.labels)) for plan in plans])


def _train_all(unit: Unit, plans: Sequence[ArmPlan], workers: int) -> None:
    """Train in processes, and show the sum of what they report."""
    queue = multiprocessing.get_context("spawn").Queue()
    counts: dict[str, tuple[int, int]] = {}
    progress = unit.run.watch.progress("examples")
    with open_pool(workers, start=partial(_report_to, queue)) as pool:
        trainings = {pool.submit(_train, _job(unit, plan.name)): plan.name for plan in plans}
        running: set[Future[None]] = set(trainings)
        while running:
            _, running = wait(running, timeout=_EVERY)
            while not queue.empty():
                arm, done, total = queue.get()
                counts[arm] = done, total
            if counts:
                progress(sum([done for done, _ in counts.values()]), sum([total for _, total in counts.values()]))
        for training, arm in trainings.items():
            error = training.exception()
            if isinstance(error, NothingToLearn):
                continue
            if isinstance(error, WeakSupError | BrokenProcessPool | MemoryError):
                unit.run.watch.say(f"{arm} could not be trained beside others ({error}), so it is trained alone")
            elif error is not None:
                raise error


def _job(unit: Unit, arm: str) -> _Job:
    import torch

    run = unit.run
    return _Job(
        run.config, run.corpus, run.options, run.folder, run.device, run.tensorboard,
        unit.parts, unit.folder, unit.seed, unit.fold, arm,
        torch.get_num_threads(), torch.are_deterministic_algorithms_enabled(),
    )  # fmt: skip


# --- in a process that trains -----------------------------------------------------------------------------------------


def _report_to(queue: Any) -> None:
    global _reports
    _reports = queue


def _progress_of(arm: str) -> Callable[[str], Progress]:
    return lambda what: lambda done, total: _reports.put((arm, done, total))


def _train(job: _Job) -> None:
    import torch

    torch.set_num_threads(job.threads)
    torch.use_deterministic_algorithms(job.is_deterministic, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    watch = watch_nothing._replace(progress=_progress_of(job.arm))
    times = Times(job.folder / TIMES)
    run = Run(job.config, job.corpus, job.options, job.folder, job.device, watch, times, job.tensorboard)
    unit = Unit(run, job.parts, (), job.place, seed=job.seed, fold=job.fold)
    train_arm(unit, plan_arm(unit, job.arm))
