"""The arms of one seed and one split: for each way to make labels its labels, its solver and its metrics.

Each step leaves a file, and one whose file is there is not done again.  Arms share text-free beliefs and drafts.
What learns sees problems without gold; the gold arm, and what measures, have their own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .corpora import Corpus
from .errors import DataError
from .files import read_records, run_info_path, whole_file, write_records
from .labels import make_label
from .oracle import Judge, score_labels
from .pipeline_config import PipelineConfig
from .rankers import rank_basic, rank_beam, rank_em_draft, rank_random, rank_single
from .rankers.draft import Draft
from .rankers.em import em_posteriors
from .rankers.readings import Array
from .ranking import write_label_info
from .records import CandidateSet, Label, Problem
from .run_folder import (
    ABLATION,
    CANDIDATES,
    DRAFT,
    DRAFT_LABELS,
    LABELS,
    METRICS,
    SOLVER,
    ArmRun,
    Evaluation,
    TrainingRow,
)

if TYPE_CHECKING:
    from .solvers.config import SolverConfig, TrainConfig

__all__ = ["Parts", "Run", "Times", "Unit", "Watcher", "solver_settings", "write_record"]

LATER = 5 / 3  # how much longer than the first draft of em the later ones learn: their labels are better


class Watcher(NamedTuple):
    """How a run tells what it does."""

    say: Callable[[str], None]
    progress: Callable[[str], Callable[[int, int], None]]  # what is counted -> its progress


class Parts(NamedTuple):
    """A split without gold to learn from, and with gold to measure with."""

    name: str
    plain: Mapping[str, list[Problem]]
    judged: Mapping[str, list[Problem]]


class Times:
    """How long the steps took, added up over resumed runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: dict[str, float] = {}
        if path.exists():
            try:
                self.seconds = msgspec.json.decode(path.read_bytes(), type=dict[str, float])
            except msgspec.DecodeError as error:
                raise DataError(f"not the times of a run: {error}", path=str(path)) from error

    @contextmanager
    def of(self, step: str) -> Any:
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[step] = round(self.seconds.get(step, 0.0) + time.monotonic() - start, 1)
            with whole_file(self.path) as file:
                file.write(json.dumps(self.seconds, indent=1).encode() + b"\n")


class Run(NamedTuple):
    """What all seeds and splits of a run share."""

    config: PipelineConfig
    corpus: Corpus
    options: Mapping[str, Any]  # that the corpus was read with
    folder: Path
    sets: Sequence[CandidateSet]
    device: str
    watch: Watcher
    times: Times
    tensorboard: Path | None


def write_record(path: Path, record: Any) -> None:
    with whole_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


def solver_settings(
    config: PipelineConfig, seed: int, *, soft: str, draft: bool = False
) -> tuple[SolverConfig, TrainConfig]:
    """What a solver or a draft is trained with."""
    from .solvers.config import draft_preset, preset

    name = config.preset or ("small" if config.data == "stories" else "cpu")
    changes = {"hidden": config.hidden, "epochs": config.draft_epochs if draft else config.epochs}
    given = {key: value for key, value in changes.items() if value is not None}
    return (draft_preset if draft else preset)(name, solver=config.solver, seed=seed, soft=soft, **given)


class Unit:
    """All arms of one seed and one split."""

    def __init__(self, run: Run, parts: Parts, folder: Path, *, seed: int, fold: int | None) -> None:
        self.run, self.parts, self.folder, self.seed, self.fold = run, parts, folder, seed, fold
        self.config, self.watch, self.times = run.config, run.watch, run.times
        self.problems = {problem.id: problem for problem in parts.plain["train"]}
        self.unseen = {problem.id: problem for problem in parts.plain["valid"]}
        self.sets = [found for found in run.sets if found.id in self.problems]
        self.unseen_sets = [found for found in run.sets if found.id in self.unseen]

    def arm(self, arm: str) -> ArmRun:
        """Labels, solver and metrics of an arm."""
        main = arm == self.config.ranker
        place = self.folder if main else self.folder / ABLATION / arm
        place.mkdir(parents=True, exist_ok=True)
        labels = self._gold_labels() if arm == "gold" else self._labels(arm, place / LABELS)
        where = f" (seed {self.seed}" + (f", fold {self.fold})" if self.fold is not None else ")")
        self.watch.say(f"train {arm}{where}: {len(labels):,} labels")
        with self.times.of(f"train {arm}"):
            soft = "none" if arm == "gold" else self.config.soft
            self._train(place / SOLVER, labels, gold=arm == "gold", soft=soft)
        self._write_origin(place, len(labels), gold=arm == "gold")
        with self.times.of(f"evaluate {arm}"):
            run = self._measure(arm, place, labels)
        if place != self.run.folder:  # whose metrics are those of all arms
            write_record(place / METRICS, run)
        return run

    # labels

    def _labels(self, arm: str, path: Path) -> dict[str, Label]:
        if not path.exists():
            self.watch.say(f"rank: {arm}")
            with self.times.of(f"rank {arm}"):
                write_records(path, self._rank(arm))
        if not run_info_path(path).exists():
            settings = {"ranker": arm, "rounds": self.config.rounds}
            write_label_info(
                self.run.folder / CANDIDATES, path, seed=self.seed, settings=settings, problems=len(self.sets)
            )
        return {label.id: label for label in read_records(path, Label)}

    def _rank(self, arm: str) -> Iterable[Label]:
        if arm == "single":
            return rank_single(self.sets)
        if arm == "random":
            return rank_random(self.sets, seed=self.seed)
        if arm == "em":
            return self._rank_em()
        draft = self._single_draft
        return (rank_basic if arm == "basic" else rank_beam)(self.sets, self.problems, draft)

    @cached_property
    def _posteriors(self) -> list[Array]:
        """The text-free beliefs in all candidates."""
        return em_posteriors(self.sets)

    def _unseen_beliefs(self) -> tuple[list[CandidateSet], list[Array]]:
        """The candidates of the valid part with text-free beliefs; the EM does not learn from them."""
        return self.unseen_sets, em_posteriors(self.sets, unseen=self.unseen_sets)[len(self.sets) :]

    def _text_free(self) -> list[Label]:
        """The pick of the EM that reads no text."""
        paired = zip(self.sets, self._posteriors, strict=True)
        return [make_label(found, belief.tolist(), ranker="em") for found, belief in paired if found.candidates]

    def _rank_em(self) -> Iterable[Label]:
        """Text-free beliefs teach the first draft, each round's the next one; those of the last are tempered."""
        start = self.folder / DRAFT_LABELS
        if not start.exists():
            write_records(start, self._text_free())
        found = list(read_records(start, Label))
        for round_ in range(1, self.config.rounds + 1):
            labels = {label.id: label for label in found}
            draft = self._draft(f"round-{round_}", labels, soft="marginal", longer=1.0 if round_ == 1 else LATER)
            last = round_ == self.config.rounds
            found = list(
                rank_em_draft(
                    self.sets,
                    self.problems | self.unseen,
                    draft,
                    posteriors=self._posteriors,
                    unseen=self._unseen_beliefs() if last else None,
                )
            )
        return found

    @cached_property
    def _single_draft(self) -> Draft:
        """The draft of `basic` and `beam`, which ask it about the same candidates."""
        return self._draft("single", {label.id: label for label in rank_single(self.sets)}, soft="none")

    def _draft(self, name: str, labels: Mapping[str, Label], *, soft: str, longer: float = 1.0) -> Draft:
        from .solvers.draft import SolverDraft
        from .solvers.solver import Solver

        place = self.folder / DRAFT / name
        self.watch.say(f"draft {name}: {len(labels):,} labels")
        with self.times.of("drafts"):
            self._train(place, labels, soft=soft, draft=True, longer=longer)
        return SolverDraft(Solver.load(place, device=self.run.device), beam=self.config.beam)

    def _gold_labels(self) -> dict[str, Label]:
        """The labels of the main arm: which problems the gold arm is trained on."""
        return self._labels(self.config.ranker, self.folder / LABELS)

    # solvers

    def _train(
        self,
        place: Path,
        labels: Mapping[str, Label],
        *,
        soft: str,
        gold: bool = False,
        draft: bool = False,
        longer: float = 1.0,
    ) -> None:
        from .solvers.examples import gold_lessons, label_lessons
        from .solvers.solver import find_device
        from .solvers.training import train_solver
        from .solvers.training_folder import AlreadyTrained

        solver, train = solver_settings(self.config, self.seed, soft=soft, draft=draft)
        train = msgspec.structs.replace(train, epochs=train.epochs * longer)
        problems = self.parts.judged["train"] if gold else self.parts.plain["train"]
        chosen = [problem for problem in problems if problem.id in labels]
        if gold:
            lessons, _ = gold_lessons(chosen, writing=train.writing)
        else:
            lessons, _ = label_lessons(chosen, labels, writing=train.writing, soft=train.soft != "none")
        curves = None
        if self.run.tensorboard is not None:
            from .solvers.tensorboard import tensorboard_curves

            curves = tensorboard_curves(self.run.tensorboard / place.relative_to(self.run.folder))
        with suppress(AlreadyTrained):
            train_solver(
                lessons,
                self.parts.plain["valid"],
                place,
                config=solver,
                train=train,
                device=find_device(self.run.device),
                progress=self.watch.progress("examples"),
                on_validation=curves,
                answer_model=self.config.answer_model and not draft,
            )

    def _write_origin(self, place: Path, labels: int, *, gold: bool) -> None:
        """What `mwp-weak evaluate` looks for: the corpus and how it was split."""
        from .teaching import GOLD, write_origin

        split = {"split_file": self.config.split_file, "folds": self.config.folds, "fold": self.fold}
        write_origin(
            place / SOLVER,
            self.run.corpus,
            options=self.run.options,
            source=self.config.path,
            split={name: value for name, value in split.items() if value is not None},
            labels=GOLD if gold else str(place / LABELS),
            called=GOLD if gold else LABELS,
            counts={"train": labels, "valid": len(self.parts.plain["valid"])},
        )

    # measuring

    def _measure(self, arm: str, place: Path, labels: Mapping[str, Label]) -> ArmRun:
        from .report.examples import calibration
        from .solvers.evaluation import evaluate_solver
        from .solvers.solver import Solver

        part = "test" if self.parts.judged.get("test") else "valid"
        solver = Solver.load(place / SOLVER, device=self.run.device, answer_model=self.config.answer_model)
        found = evaluate_solver(solver, self.parts.judged[part], beam=self.config.beam)
        evaluation: Evaluation = msgspec.structs.replace(found, data=self.config.data, split=part)
        rows = read_records(place / SOLVER / "metrics.jsonl", TrainingRow)
        judged = self.parts.judged["train"]
        scored = arm != "gold" and any(problem.gold is not None for problem in judged)
        plain = {label.id: label for label in self._text_free()} if arm in ("em", "basic", "beam") else {}
        return ArmRun(
            seed=self.seed,
            fold=self.fold,
            labels=len(labels),
            changed=sum(plain[id].expr != label.expr for id, label in labels.items() if id in plain) if plain else None,
            oracle=score_labels(list(labels.values()), judged) if scored else None,
            calibration=calibration(list(labels.values()), Judge(judged)) if scored else [],
            training=list(rows),
            evaluation=evaluation,
        )
