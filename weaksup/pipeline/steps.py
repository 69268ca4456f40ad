"""The steps of a run: the files that each reads, the file that it writes, and its work.

Steps communicate only through files, and a step is skipped if its file exists.  Training sees problems without gold;
only the evaluation and the gold arm see gold equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..baselines.table import BASELINES, find_equations
from ..corpora import Corpus
from ..measure.calibration import calibration
from ..measure.judge import Judge
from ..measure.metrics import ArmRun, Evaluation, TrainingRow
from ..measure.score import score_labels
from ..rankers.drafts import Draft
from ..rankers.rank_file import write_label_info
from ..rankers.table import RANKERS, rank_candidates, rank_with_trained_drafts
from ..records import CandidateSet, Label, Problem
from ..search.plans import Plan, stage_order
from ..search.search_corpus import run_search
from ..solvers.presets import default_preset
from ..storage.json_files import write_json
from ..storage.json_lines import read_records, write_records
from ..storage.provenance import RunInfo, digest_records, run_info_path, versions
from ..storage.run_files import (
    ABLATION,
    CANDIDATES,
    DRAFT,
    DRAFT_LABELS,
    GENERATOR,
    LABELS,
    PREDICTIONS,
    SOLVER,
    TRAINING_ROWS,
    VALID_CANDIDATES,
)
from ..storage.whole_files import digest_file
from ..watching import Watcher
from .config import GOLD, PipelineConfig
from .solver_choice import solver_changes, solver_settings
from .timed_step import PipelineStep, Times

__all__ = [
    "ArmPlan",
    "GuardedSplit",
    "Run",
    "Unit",
    "label_steps",
    "measure_arm",
    "plan_arm",
    "read_labels",
    "search_step",
    "train_arm",
    "train_step",
]


# --- the context of the steps -----------------------------------------------------------------------------------------


class GuardedSplit(NamedTuple):
    """A split in two versions: without gold for training, and with gold for evaluation."""

    name: str
    plain: Mapping[str, list[Problem]]  # without gold, by part
    judged: Mapping[str, list[Problem]]  # with gold, by part


class Run(NamedTuple):
    """The data and settings that all seeds and splits of a run share."""

    config: PipelineConfig
    corpus: Corpus
    options: Mapping[str, Any]  # with which the corpus was read
    folder: Path
    device: str
    watch: Watcher
    times: Times
    tensorboard: Path | None

    def curves(self, model: Path) -> Any:
        """The `on_validation` callback that writes the training curves of a model; None without TensorBoard."""
        if self.tensorboard is None:
            return None
        from ..solvers.training.tensorboard import tensorboard_curves

        return tensorboard_curves(self.tensorboard / model.relative_to(self.folder))


class Unit:
    """One seed and one split of a run: its arms share the text-free labels and the drafts."""

    def __init__(
        self,
        run: Run,
        parts: GuardedSplit,
        sets: Sequence[CandidateSet],
        folder: Path,
        *,
        seed: int,
        fold: int | None,
    ) -> None:
        self.run, self.parts, self.folder, self.seed, self.fold = run, parts, folder, seed, fold
        self.problems = {problem.id: problem for problem in parts.plain["train"]}
        self.unseen = {problem.id: problem for problem in parts.plain["valid"]}
        self.sets = [found for found in sets if found.id in self.problems]
        self.unseen_sets = [found for found in sets if found.id in self.unseen]

    @cached_property
    def text_free(self) -> dict[str, Label]:
        """The labels of the text-free EM, by problem id."""
        return {label.id: label for label in rank_candidates("em", self.sets, prior=self.run.config.prior)}

    @cached_property
    def train_draft(self) -> Callable[..., Draft]:
        """The function that trains drafts for the rankers."""
        from ..solvers.training.draft_training import DraftTrainer

        config = self.run.config
        trainer = DraftTrainer(
            self.folder / DRAFT,
            self.parts.plain["train"],
            self.parts.plain["valid"],
            preset=config.preset or default_preset(config.data),
            changes=solver_changes(config, self.seed, epochs=config.draft_epochs),
            beam=config.beam,
            device=self.run.device,
            watch=self.run.watch,
            curves=self.run.curves,
        )

        def train_draft(name: str, labels: Mapping[str, Label], *, soft: str, longer: float = 1.0) -> Draft:
            first = self.folder / DRAFT_LABELS
            if soft != "none" and not first.exists():  # the soft labels of the first draft
                write_records(first, labels.values())
            with self.run.times.of("drafts"):
                return trainer(name, labels, soft=soft, longer=longer)

        return train_draft


# --- search -----------------------------------------------------------------------------------------------------------


def search_step(
    run: Run, problems: list[Problem], plan: Plan, file: str, *, workers: int, strict: bool = False
) -> PipelineStep:
    """Problems -> a candidate file; an interrupted search resumes.  With `strict`, meeting a limit is an error."""
    out = run.folder / file

    def search() -> None:
        run.watch.say(f"search: plan {run.config.plan}, {len(problems):,} problems")
        run_search(
            msgspec.structs.replace(run.corpus, problems=problems),
            plan,
            out,
            limit=run.config.limit,
            memory=run.config.memory,
            strict=strict,
            workers=workers,
            options=run.options,
            source=run.config.path,
            advice="Choose another folder (--out)",
            progress=run.watch.progress("problems"),
        )

    return PipelineStep("search", (), out, search, resumes=True)


# --- rank -------------------------------------------------------------------------------------------------------------


class ArmPlan(NamedTuple):
    """Where an arm keeps its files, and whose labels it trains on."""

    name: str
    place: Path  # the folder of its files
    ranker: str
    labels: Path
    gold: bool = False  # train on the gold equations of the labelled problems, not on the labels


def plan_arm(unit: Unit, name: str) -> ArmPlan:
    """The plan of an arm: the main arm uses the unit's own folder, and the gold arm the problems of the main arm."""
    main = unit.run.config.ranker
    place = unit.folder if name == main else unit.folder / ABLATION / name
    place.mkdir(parents=True, exist_ok=True)
    if name == GOLD:
        return ArmPlan(name, place, main, unit.folder / LABELS, gold=True)
    return ArmPlan(name, place, name, place / LABELS)


def label_steps(unit: Unit, arm: ArmPlan) -> tuple[PipelineStep, ...]:
    """The steps that write labels and their sidecar; none for the gold arm, which uses those of the main arm."""
    if arm.gold:
        return ()
    if arm.ranker in BASELINES:
        return find_step(unit, arm), note_find_step(unit, arm)
    return rank_step(unit, arm), note_step(unit, arm)


def rank_step(unit: Unit, arm: ArmPlan) -> PipelineStep:
    """Candidates -> labels, by the ranker of an arm, after training the drafts that it needs."""
    run = unit.run
    candidates = run.folder / CANDIDATES

    def rank() -> None:
        compiles = " (its loops are compiled on first use)" if arm.ranker == "em" else ""
        run.watch.say(f"rank: {arm.ranker}, {len(unit.problems):,} problems{compiles}")
        labels = rank_with_trained_drafts(
            arm.ranker,
            unit.sets,
            unit.problems | unit.unseen,
            unit.train_draft,
            seed=unit.seed,
            rounds=run.config.rounds,
            unseen=unit.unseen_sets,
            prior=run.config.prior if RANKERS[arm.ranker].prior else None,
        )
        write_records(arm.labels, labels)

    reads = [candidates]
    if RANKERS[arm.ranker].unseen and not run.config.folds:
        reads.append(run.folder / VALID_CANDIDATES)
    return PipelineStep(f"rank {arm.ranker}", tuple(reads), arm.labels, rank)


def note_step(unit: Unit, arm: ArmPlan) -> PipelineStep:
    """Labels -> their sidecar, which records how they were made."""
    candidates, config = unit.run.folder / CANDIDATES, unit.run.config

    def note() -> None:
        settings = {"ranker": arm.ranker, "rounds": config.rounds}
        write_label_info(candidates, arm.labels, seed=unit.seed, settings=settings, problems=len(unit.sets))

    return PipelineStep(f"rank {arm.ranker}", (candidates, arm.labels), run_info_path(arm.labels), note)


def find_step(unit: Unit, arm: ArmPlan) -> PipelineStep:
    """Problems -> labels, by a baseline, which trains a model that finds the equations."""
    run = unit.run

    def find() -> None:
        from ..solvers.decoding.solver import find_device
        from ..solvers.training.model_folder import AlreadyTrained

        problems, baseline = unit.parts.plain["train"], BASELINES[arm.ranker]
        run.watch.say(f"find equations: {arm.ranker}, {len(problems):,} problems")
        solver, train = solver_settings(run.config, unit.seed, soft="none")
        with suppress(AlreadyTrained):
            find_equations(
                arm.ranker,
                problems,
                unit.parts.plain["valid"],
                arm.place,
                config=solver,
                train=train,
                how=getattr(run.config, arm.ranker) or baseline.settings(),
                device=find_device(run.device),
                progress=run.watch.progress("examples"),
                on_validation=run.curves(arm.place / (SOLVER if baseline.is_solver else GENERATOR)),
            )

    # A baseline whose model is the solver resumes from its own checkpoint.
    return PipelineStep(f"find {arm.ranker}", (), arm.labels, find, resumes=BASELINES[arm.ranker].is_solver)


def note_find_step(unit: Unit, arm: ArmPlan) -> PipelineStep:
    """Labels of a baseline -> their sidecar, which records how they were made."""
    run = unit.run

    def note() -> None:
        problems = unit.parts.plain["train"]
        made = RunInfo(
            schema="weaksup/labels",
            config={"corpus": {"name": run.corpus.name, **run.options}, "ranker": arm.ranker},
            input=digest_records(problems),
            seed=unit.seed,
            versions=versions(),
            output=digest_file(arm.labels),
            source=run.config.path,
            counts={"problems": len(problems), "labels": len(read_labels(arm.labels))},
        )
        write_json(run_info_path(arm.labels), made)

    return PipelineStep(f"find {arm.ranker}", (arm.labels,), run_info_path(arm.labels), note)


# --- train ------------------------------------------------------------------------------------------------------------


def train_step(unit: Unit, arm: ArmPlan) -> PipelineStep:
    """Labels -> a solver, in a folder that records where it came from."""
    return PipelineStep(
        f"train {arm.name}", (arm.labels,), arm.place / SOLVER, partial(train_arm, unit, arm), resumes=True
    )


def train_arm(unit: Unit, arm: ArmPlan) -> None:
    """Train the solver of an arm on its labels; if it is trained already, only note where it came from."""
    labels = read_labels(arm.labels)
    baseline = None if arm.gold else BASELINES.get(arm.ranker)
    if baseline is None or not baseline.is_solver:
        _train_solver(unit, arm, labels, second_opinions=baseline is None)  # baselines have none, as published
    _write_origin(unit, arm, len(labels))


def _train_solver(unit: Unit, arm: ArmPlan, labels: Mapping[str, Label], *, second_opinions: bool) -> None:
    from ..solvers.data.lessons import gold_lessons, label_lessons
    from ..solvers.decoding.solver import find_device
    from ..solvers.training.loop import train_solver
    from ..solvers.training.model_folder import AlreadyTrained

    run, place = unit.run, arm.place / SOLVER
    where = f" (seed {unit.seed}" + (f", fold {unit.fold})" if unit.fold is not None else ")")
    run.watch.say(f"train {arm.name}{where}: {len(labels):,} labels")
    solver, train = solver_settings(run.config, unit.seed, soft="none" if arm.gold else run.config.soft)
    problems = (unit.parts.judged if arm.gold else unit.parts.plain)["train"]
    chosen = [problem for problem in problems if problem.id in labels]
    if arm.gold:
        lessons, _ = gold_lessons(chosen, writing=train.writing)
    else:
        lessons, _ = label_lessons(chosen, labels, writing=train.writing, soft=train.soft != "none")
    with suppress(AlreadyTrained):
        train_solver(
            lessons,
            unit.parts.plain["valid"],
            place,
            config=solver,
            train=train,
            device=find_device(run.device),
            progress=run.watch.progress("examples"),
            say=run.watch.say,
            on_validation=run.curves(place),
            answer_model=second_opinions and run.config.answer_model,
            equation_model=second_opinions and run.config.equation_model,
        )


def _write_origin(unit: Unit, arm: ArmPlan, labels: int) -> None:
    """Write the corpus and its split into the model folder, for `mwp-weak evaluate`."""
    from ..solvers.training.teaching import GOLD as GOLD_EQUATIONS
    from ..solvers.training.teaching import write_origin

    config = unit.run.config
    split = {"split_file": config.split_file, "folds": config.folds, "fold": unit.fold}
    write_origin(
        arm.place / SOLVER,
        unit.run.corpus,
        options=unit.run.options,
        source=config.path,
        split={name: value for name, value in split.items() if value is not None},
        labels=GOLD_EQUATIONS if arm.gold else str(arm.labels),
        called=GOLD_EQUATIONS if arm.gold else LABELS,
        counts={"train": labels, "valid": len(unit.parts.plain["valid"])},
    )


# --- measure ----------------------------------------------------------------------------------------------------------


def read_labels(path: Path) -> dict[str, Label]:
    """The labels in a file, by problem id."""
    return {label.id: label for label in read_records(path, Label)}


def measure_arm(unit: Unit, arm: ArmPlan) -> ArmRun:
    """The metrics of an arm, from its labels and its solver."""
    from ..measure.predictions import judge_all, sum_up
    from ..solvers.decoding.solver import Solver

    config, judged = unit.run.config, unit.parts.judged
    labels = read_labels(arm.labels)
    part = "test" if judged.get("test") else "valid"
    wanted = {"answer_model": config.answer_model, "equation_model": config.equation_model}
    solver = Solver.load(arm.place / SOLVER, device=unit.run.device, **wanted)
    predictions = judge_all(solver, judged[part], beam=config.beam, progress=unit.run.watch.progress("problems"))
    write_records(arm.place / PREDICTIONS, predictions)
    found = sum_up(predictions, beam=config.beam)
    evaluation: Evaluation = msgspec.structs.replace(found, data=config.data, split=part)
    # A baseline is scored even without gold, for its recall.
    has_gold = any(problem.gold is not None for problem in judged["train"])
    scored = not arm.gold and (has_gold or arm.ranker in BASELINES)
    return ArmRun(
        seed=unit.seed,
        fold=unit.fold,
        labels=len(labels),
        changed=None if arm.gold else _count_changed(unit, arm.ranker, labels),
        oracle=score_labels(list(labels.values()), judged["train"], stage_order=stage_order()) if scored else None,
        calibration=calibration(list(labels.values()), Judge(judged["train"])) if scored else [],
        training=list(read_records(arm.place / SOLVER / TRAINING_ROWS, TrainingRow)),
        evaluation=evaluation,
    )


def _count_changed(unit: Unit, ranker: str, labels: Mapping[str, Label]) -> int | None:
    """The number of labels that differ from the text-free ones, for a ranker that uses a draft."""
    if ranker in BASELINES or not RANKERS[ranker].draft or not unit.text_free:
        return None
    plain = unit.text_free
    return sum(plain[id].expr != label.expr for id, label in labels.items() if id in plain)
