"""A baseline from a corpus to its metrics, in a run folder like the pipeline's.

    config.toml      all settings, and a digest of what was learnt from
    labels.jsonl     the equation found for each problem of the train part, with its sidecar
    generator/       what found them (warm only)
    solver/          the trained solver
    metrics.json     an `Arm` with one run: the oracle's score of the labels, training, test accuracy
    examples.jsonl   a sample of problems for the report
    report.html

Gold is taken out of the problems before anything is learnt; what measures has its own.  Run again with the same
settings, it goes on after the last finished epoch; whatever is derived from the trained weights is made anew, so the
checkpoints go last.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import torch

from ..corpora import Corpus
from ..corpora.splits import Split
from ..errors import ConfigError, DataError
from ..files import (
    AnyPath,
    RunInfo,
    digest_file,
    read_records,
    remove_unfinished,
    run_info_path,
    versions,
    whole_file,
    write_records,
    write_run_info,
)
from ..oracle import Judge, score_labels
from ..records import Label, Problem
from ..report import calibration, sample_examples, write_report
from ..run_folder import CONFIG, EXAMPLES, LABELS, METRICS, REPORT, SOLVER, Arm, ArmRun, TrainingRow
from ..solvers.checkpoint import CHECKPOINT, read_json, write_json
from ..solvers.config import SolverConfig, TrainConfig
from ..solvers.evaluation import evaluate_solver
from ..solvers.examples import label_lessons
from ..solvers.solver import Solver
from ..solvers.training import train_solver
from ..solvers.training_folder import METRICS as TRAINING_ROWS
from ..solvers.training_folder import AlreadyTrained
from ..teaching import divide, write_origin
from .finds import finds_of, labels_of
from .lbf import Fixer
from .learner import Learner
from .warm import Reinforcer, harvest

__all__ = ["ABOUT", "BaselineConfig", "Origin", "Watcher", "run_baseline"]

ABOUT = {
    "lbf": "learning by fixing (Hong et al. 2021)",
    "warm": "generator by REINFORCE, then a solver on what it finds (Chatterjee et al. 2021)",
}
GENERATOR = "generator"


class BaselineConfig(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of a baseline."""

    name: Literal["lbf", "warm"]
    solver: SolverConfig
    training: TrainConfig  # of lbf's model, of warm's generator and of warm's solver
    memory: bool = False  # lbf: learn all fixes found so far
    walk: int = 50  # lbf: steps of the random walk
    draws: int = 5  # warm: trees drawn for a problem in an epoch
    harvest_beam: int = 1  # warm: trees of the generator that are tried
    beam: int = 5  # of the evaluation


class Origin(NamedTuple):
    """What the corpus was read with and how it was cut: for those who come after."""

    options: Mapping[str, Any]
    path: AnyPath | None
    split: Mapping[str, Any]


class Watcher(NamedTuple):
    """How a run tells what it does."""

    say: Callable[[str], None]
    progress: Callable[[int, int], None] | None = None


class _Work(NamedTuple):
    """What is learnt from, without gold."""

    folder: Path
    train: list[Problem]
    valid: list[Problem]
    device: torch.device
    watch: Watcher


def run_baseline(
    config: BaselineConfig,
    corpus: Corpus,
    split: Split,
    out: AnyPath,
    *,
    origin: Origin,
    device: torch.device,
    watch: Watcher,
) -> Arm:
    """Run what is missing in the folder `out`; its metrics."""
    parts = divide(split)
    folder = Path(out)
    train, valid = ([problem.without_gold() for problem in part] for part in (parts.train, parts.valid))
    work = _Work(folder, train, valid, device, watch)
    about = {"name": corpus.name, "digest": _digest([*work.train, *work.valid]), **origin.options}
    _claim(folder, {**msgspec.to_builtins(config), "corpus": about, "split": dict(origin.split)})
    if (folder / METRICS).exists():
        watch.say(f"{folder} is complete already: nothing to do")
    else:
        labels = (_run_lbf if config.name == "lbf" else _run_warm)(config, work)
        _write_sidecars(config, corpus, origin, work, labels)
        part = "test" if split.get("test") else "valid"
        measured = split[part] if split.get(part) else parts.valid
        write_json(folder / METRICS, _measure(config, corpus.name, folder, labels, parts.train, part, measured, device))
    if not (folder / REPORT).exists():
        _write_report(config, folder, parts.train)
    for place in (GENERATOR, SOLVER):
        (folder / place / CHECKPOINT).unlink(missing_ok=True)
    return read_json(folder / METRICS, Arm)


def _run_lbf(config: BaselineConfig, work: _Work) -> list[Label]:
    learner = Learner(work.train, work.folder / SOLVER, config=config.solver, train=config.training, device=work.device)
    fixer = Fixer(learner, work.train, memory=config.memory, walk=config.walk)
    work.watch.say(f"learn and fix: {len(work.train):,} problems, {learner.steps:,} steps")
    learner.learn(fixer, work.valid, work.watch.progress)
    latest_first = {id: dict(reversed(found.items())) for id, found in fixer.finds.items()}
    labels = list(labels_of(work.train, latest_first, baseline=config.name))
    write_records(work.folder / LABELS, labels)
    return labels


def _run_warm(config: BaselineConfig, work: _Work) -> list[Label]:
    learner = Learner(
        work.train, work.folder / GENERATOR, config=config.solver, train=config.training, device=work.device
    )
    work.watch.say(f"train the generator: {len(work.train):,} problems, {learner.steps:,} steps")
    learner.learn(Reinforcer(learner, work.train, draws=config.draws), [], work.watch.progress)
    finds = harvest(learner, work.train, beam=config.harvest_beam)
    labels = list(labels_of(work.train, finds, baseline=config.name))
    write_records(work.folder / LABELS, labels)
    work.watch.say(f"train the solver: {len(labels):,} labels")
    soft = config.training.soft != "none"
    by_id = {label.id: label for label in labels}
    lessons, _ = label_lessons(work.train, by_id, writing=config.training.writing, soft=soft)
    with suppress(AlreadyTrained):  # and killed afterwards
        train_solver(
            lessons,
            work.valid,
            work.folder / SOLVER,
            config=config.solver,
            train=config.training,
            device=work.device,
            answer_model=False,  # the baselines are as they were published
        )
    return labels


# --- the folder -------------------------------------------------------------------------------------------------------


def _digest(problems: Iterable[Problem]) -> str:
    digest = hashlib.sha256()
    for problem in problems:
        digest.update(msgspec.json.encode(problem))
    return digest.hexdigest()


def _claim(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make the folder, or make sure that it is the one to go on with; clear away what a killed process left."""
    known = folder / CONFIG
    given = tomllib.loads(_toml(settings))
    if known.exists():
        try:
            old = tomllib.loads(known.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"not the settings of a run: {error}", path=str(known)) from error
        if old != given:
            raise ConfigError(f"{folder} was begun with other settings: {_difference(old, given)}; choose another")
        remove_unfinished(folder)
        return
    if folder.exists() and (not folder.is_dir() or any(path.suffix != ".tmp" for path in folder.iterdir())):
        raise ConfigError(f"{folder} is there and is no run of a baseline; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(known) as file:
        file.write(_toml(settings).encode())
    remove_unfinished(folder)


def _toml(settings: Mapping[str, Any]) -> str:
    """Settings as TOML, tables last; JSON texts, numbers and lists are TOML as well."""
    plain = {key: value for key, value in settings.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items() if value is not None]
    for key, table in settings.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{key}]", _toml(table).rstrip()]
    return "\n".join(lines) + "\n"


def _difference(old: Mapping[str, Any], new: Mapping[str, Any], place: str = "") -> str:
    """The first settings that differ."""
    found = []
    for key in dict.fromkeys([*old, *new]):
        before, now = old.get(key), new.get(key)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            found += [_difference(before, now, f"{place}{key}.")] if before != now else []
        elif before != now:
            found.append(f"{place}{key} was {before}, now {now}")
    return ", ".join(found[:3])


def _write_sidecars(
    config: BaselineConfig, corpus: Corpus, origin: Origin, work: _Work, labels: Sequence[Label]
) -> None:
    """Say what labels and solver were made from: `oracle` and `evaluate` read it."""
    path = work.folder / LABELS
    counts = {"problems": len(work.train), "labels": len(labels)}
    made = RunInfo(
        schema="weaksup/labels",
        config={"corpus": {"name": corpus.name, **origin.options}, "ranker": config.name},
        input=_digest(work.train),
        seed=config.training.seed,
        versions=versions(),
        output=digest_file(path),
        source=None if origin.path is None else str(origin.path),
        counts=counts,
    )
    write_run_info(run_info_path(path), made)
    write_origin(
        work.folder / SOLVER,
        corpus,
        options=origin.options,
        source=origin.path,
        split=origin.split,
        labels=str(path),
        counts=counts,
    )


# --- measuring --------------------------------------------------------------------------------------------------------


def _measure(
    config: BaselineConfig,
    data: str,
    folder: Path,
    labels: list[Label],
    train: Sequence[Problem],
    part: str,
    measured: Sequence[Problem],
    device: torch.device,
) -> Arm:
    """The labels against gold, where there is any, and the solver on the test part."""
    solver = Solver.load(folder / SOLVER, device=str(device))
    evaluation = evaluate_solver(solver, measured, beam=config.beam)
    run = ArmRun(
        seed=config.training.seed,
        labels=len(labels),
        oracle=score_labels(labels, train),
        calibration=calibration(labels, Judge(train)),
        training=list(read_records(folder / SOLVER / TRAINING_ROWS, TrainingRow)),
        evaluation=msgspec.structs.replace(evaluation, data=data, split=part),
    )
    return Arm(name=config.name, about=ABOUT[config.name], runs=[run])


def _write_report(config: BaselineConfig, folder: Path, train: Sequence[Problem]) -> None:
    labels = list(read_records(folder / LABELS, Label))
    sets = finds_of(train, labels)
    examples = sample_examples(train, sets, labels, judge=Judge(train), seed=config.training.seed)
    write_records(folder / EXAMPLES, examples)
    write_report(folder)
