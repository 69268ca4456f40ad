"""How the runs in their folders were made: by which commands and code, with what settings and time.

Everything is read with the records that the programs write with; what is not there is None.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from mathcanon.files import whole_file
from weaksup.errors import DataError

from .origin import is_clean
from .place import SHOWN, Place, run_name
from .runs import RUNS, command_text, place_of, steps_of

__all__ = [
    "MADE",
    "Made",
    "MadeStep",
    "Model",
    "RunFacts",
    "read",
    "run_facts",
    "write",
]

T = TypeVar("T")

MADE = "made"  # the file beside a run that has a `Made`


def read(path: Path, kind: type[T]) -> T | None:
    """The record in a file; None without the file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise DataError(f"not what a run leaves: {error}", path=str(path)) from error


def write(path: Path, record: object) -> None:
    """Write a record to a file, whole or not at all."""
    with whole_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


class MadeStep(msgspec.Struct, frozen=True, kw_only=True):
    """How a step was made: by which code and machine, and the CPU seconds; interrupted attempts are in it."""

    commits: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()  # empty in records that were made before machines were noted
    cpu_seconds: float = 0.0


#: The steps that were started from here, by closing file.
Made = dict[str, MadeStep]


class _Solver(msgspec.Struct, frozen=True):
    solver: str
    hidden: int


class _Settings(msgspec.Struct, frozen=True):
    epochs: float
    soft: str
    seed: int


class _Training(msgspec.Struct, frozen=True):
    settings: _Settings
    examples: int | None = None


class _ModelFile(msgspec.Struct, frozen=True):
    """The part of a model's config.json that is told."""

    solver: _Solver
    training: _Training


class _Time(msgspec.Struct, frozen=True):
    """A line of a model's times.jsonl: since the process began."""

    cpu_seconds: float


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A trained model of a run."""

    folder: str  # below that of the run
    solver: str
    hidden: int
    epochs: float
    soft: str
    seed: int
    examples: int | None
    cpu_seconds: float | None  # of training; None: not recorded


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What made the figures of a run."""

    run: str
    seed: int
    steps: int
    done: int  # of the steps
    preset: str | None
    commands: list[str]
    made: Made  # a command that was started elsewhere is missing
    cpu_seconds: float | None  # of all commands; of one that was started elsewhere, its trainings
    models: list[Model]

    @property
    def name(self) -> str:
        return run_name(self.run, self.seed)

    @property
    def state(self) -> str:
        return "done" if self.done == self.steps else "in part" if self.done else "not run"

    @property
    def accounted(self) -> bool:
        """Whether every step is done, by code that a commit names, on a machine that is named."""
        known = [step.machines and step.commits and all(map(is_clean, step.commits)) for step in self.made.values()]
        return self.state == "done" and len(known) == self.steps and all(known)


def run_facts(place: Place, run: str) -> RunFacts:
    """How a run was made."""
    place = place_of(run, place)
    steps = steps_of(run, place)
    made = read(place.beside(run, MADE), Made) or {}
    models = [_model(path.parent, place.of(run)) for path in sorted(place.of(run).rglob("config.json"))]
    seconds = [step.cpu_seconds for step in made.values()]
    if steps[0].closing.name not in made:  # the one that trains
        seconds += [model.cpu_seconds for model in models if model.cpu_seconds is not None]
    return RunFacts(
        run=run,
        seed=place.seed,
        steps=len(steps),
        done=sum(step.closing.exists() for step in steps),
        preset=RUNS[run].preset,
        commands=[command_text(step.arguments) for step in steps_of(run, SHOWN._replace(seed=place.seed))],
        made=made,
        cpu_seconds=round(sum(seconds), 1) if seconds else None,
        models=models,
    )


def _model(folder: Path, run: Path) -> Model:
    known = read(folder / "config.json", _ModelFile)
    assert known is not None
    settings = known.training.settings
    return Model(
        folder=folder.relative_to(run).as_posix(),
        solver=known.solver.solver,
        hidden=known.solver.hidden,
        epochs=settings.epochs,
        soft=settings.soft,
        seed=settings.seed,
        examples=known.training.examples,
        cpu_seconds=_cpu_seconds(folder / "times.jsonl"),
    )


def _cpu_seconds(path: Path) -> float | None:
    """The CPU seconds of a training; each process that took it up again counts from 0."""
    if not path.exists():
        return None
    try:
        rows = [msgspec.json.decode(line, type=_Time).cpu_seconds for line in path.read_bytes().splitlines()]
    except msgspec.DecodeError as error:
        raise DataError(f"not the times of a training: {error}", path=str(path)) from error
    ends = [now for now, following in zip(rows, [*rows[1:], 0.0], strict=True) if following <= now]
    return round(sum(ends), 1)
