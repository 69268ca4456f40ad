"""The whole method in one call: search, draft, rank, train, evaluate, report; each step a file of the run folder.

A step whose file is there is not done again, so a run that was killed goes on where it stopped and ends with the same
bytes.  Arms (rankers, and gold for comparison) share the candidates and the drafts; seeds and folds are runs in
folders of their own.  Gold is taken out of the problems before anything is learnt from them; what measures has its own.
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

from .corpora import Corpus, read_corpus
from .corpora.parts import split_corpus
from .errors import ConfigError, DataError, NothingToLearn
from .files import AnyPath, read_records, remove_unfinished, run_info_path, whole_file, write_records
from .labels import make_label
from .oracle import Judge, score_candidates, score_labels
from .pipeline_config import ARMS, PipelineConfig, read_config, write_config
from .rankers import rank_basic, rank_beam, rank_em_draft, rank_random, rank_single
from .rankers.draft import Draft
from .rankers.em import em_posteriors
from .rankers.readings import Array
from .ranking import write_label_info
from .records import CandidateSet, Label, Problem
from .run_folder import (
    ABLATION,
    CANDIDATES,
    CONFIG,
    DRAFT,
    DRAFT_LABELS,
    EXAMPLES,
    LABELS,
    METRICS,
    SOLVER,
    TIMES,
    VALID_CANDIDATES,
    Arm,
    ArmRun,
    Evaluation,
    Metrics,
    TrainingRow,
)
from .search.plans import load_plan
from .search.run import run_search

if TYPE_CHECKING:
    from .solvers.config import SolverConfig, TrainConfig

__all__ = ["Watcher", "run_pipeline"]


LATER = 5 / 3  # how much longer than the first draft of em the later ones learn: their labels are better


class Watcher(NamedTuple):
    """How a run tells what it does."""

    say: Callable[[str], None]
    progress: Callable[[str], Callable[[int, int], None]]  # what is counted -> its progress


class _Origin(NamedTuple):
    """What the problems are read from."""

    corpus: Corpus
    options: Mapping[str, Any]


class _Parts(NamedTuple):
    """A split without gold to learn from, and with gold to measure with."""

    name: str
    plain: Mapping[str, list[Problem]]
    judged: Mapping[str, list[Problem]]


def run_pipeline(
    config: PipelineConfig,
    out: AnyPath,
    *,
    resume: bool,
    watch: Watcher,
    device: str = "auto",
    tensorboard: AnyPath | None = None,
) -> Metrics:
    """Run what is missing in the folder `out`; its metrics.  With `tensorboard`, training curves go there as well."""
    folder = Path(out)
    options = {
        name: value
        for name in ("number_words", "segmenter", "subset", "language", "size")
        if (value := getattr(config, name)) is not None
    }
    corpus = read_corpus(config.data, config.path, **options)
    splits = list(_splits(config, corpus))
    plan = load_plan(config.plan)
    for draft in (False, True):
        _solver_settings(config, config.seed, soft=config.soft, draft=draft)
    _claim(folder, config, resume)  # not before: a wrong path, plan or setting leaves no folder behind
    times = _Times(folder / TIMES)
    sets: list[CandidateSet] = []
    for file, problems in _searched(config, corpus, splits[0]).items():
        watch.say(f"search: plan {config.plan}, {len(problems):,} problems")
        with times.of("search"):
            run_search(
                msgspec.structs.replace(corpus, problems=problems),
                plan,
                folder / file,
                limit=config.limit,
                workers=2,
                options=options,
                source=config.path,
                advice="Choose another folder (--out)",
                progress=watch.progress("problems"),
            )
        sets += read_records(folder / file, CandidateSet)
    runs: dict[str, list[ArmRun]] = {}
    for fold, parts in enumerate(splits):
        for seed in range(config.seed, config.seed + config.seeds):
            place = folder
            if config.folds:
                place = place / f"fold-{fold}"
            if config.seeds > 1:
                place = place / f"seed-{seed}"
            place.mkdir(parents=True, exist_ok=True)
            unit = _Unit(config, seed, fold if config.folds else None, folder, place, parts, sets, device, watch, times)
            unit.origin = _Origin(corpus, options)
            unit.tensorboard = None if tensorboard is None else Path(tensorboard) / place.relative_to(folder)
            runs.setdefault(config.ranker, []).append(unit.arm(config.ranker))
            for arm in [arm for arm in dict.fromkeys(config.compare) if arm != config.ranker]:
                try:
                    runs.setdefault(arm, []).append(unit.arm(arm))
                except NothingToLearn as error:  # only a comparison: the rest is worth its report
                    watch.say(f"{arm} is left out: {error}")
    metrics = _metrics(config, splits[0], sets, {arm: found for arm, found in runs.items() if found})
    _write(folder / METRICS, metrics)
    with times.of("report"):
        _write_examples(folder, config, splits[0], sets)
        _write_report(folder)
    return metrics


# --- the folder -------------------------------------------------------------------------------------------------------


def _claim(folder: Path, config: PipelineConfig, resume: bool) -> None:
    """Make the folder, or make sure that it is the one to go on with."""
    known = folder / CONFIG
    if known.exists():
        old = read_config(known)
        different = [key for key in PipelineConfig.__struct_fields__ if getattr(old, key) != getattr(config, key)]
        if different:
            changes = ", ".join(f"{key} was {getattr(old, key)}, now {getattr(config, key)}" for key in different[:3])
            raise ConfigError(f"{folder} was begun with other settings: {changes}; choose another folder (--out)")
        if not resume:
            raise ConfigError(f"{folder} was begun already; go on with it (--resume) or choose another folder (--out)")
        remove_unfinished(folder)
        return
    if folder.exists() and (not folder.is_dir() or any(path.suffix != ".tmp" for path in folder.iterdir())):
        raise ConfigError(f"{folder} is there and is no run; choose another folder (--out)")
    folder.mkdir(parents=True, exist_ok=True)
    remove_unfinished(folder)  # settings whose writing was killed
    write_config(known, config)


class _Times:
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


def _write(path: Path, record: Any) -> None:
    with whole_file(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


def _solver_settings(
    config: PipelineConfig, seed: int, *, soft: str, draft: bool = False
) -> tuple[SolverConfig, TrainConfig]:
    """What a solver or a draft is trained with."""
    from .solvers.config import draft_preset, preset

    name = config.preset or ("small" if config.data == "stories" else "cpu")
    changes = {"hidden": config.hidden, "epochs": config.draft_epochs if draft else config.epochs}
    given = {key: value for key, value in changes.items() if value is not None}
    return (draft_preset if draft else preset)(name, solver=config.solver, seed=seed, soft=soft, **given)


# --- one seed of one split --------------------------------------------------------------------------------------------


class _Unit:
    """All arms of one seed and one split."""

    def __init__(
        self,
        config: PipelineConfig,
        seed: int,
        fold: int | None,
        root: Path,
        folder: Path,
        parts: _Parts,
        sets: Sequence[CandidateSet],
        device: str,
        watch: Watcher,
        times: _Times,
    ) -> None:
        self.config, self.seed, self.fold, self.parts = config, seed, fold, parts
        self.root, self.folder = root, folder  # of the run, and of this seed and fold: the same if there is only one
        self.device, self.watch, self.times = device, watch, times
        self.tensorboard: Path | None = None
        self.origin: _Origin | None = None
        self.problems = {problem.id: problem for problem in parts.plain["train"]}
        self.unseen = {problem.id: problem for problem in parts.plain["valid"]}
        self.sets = [found for found in sets if found.id in self.problems]
        self.unseen_sets = [found for found in sets if found.id in self.unseen]

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
        if place != self.root:  # whose metrics are those of all arms
            _write(place / METRICS, run)
        return run

    # labels

    def _labels(self, arm: str, path: Path) -> dict[str, Label]:
        if not path.exists():
            self.watch.say(f"rank: {arm}")
            with self.times.of(f"rank {arm}"):
                write_records(path, self._rank(arm))
        if not run_info_path(path).exists():
            settings = {"ranker": arm, "rounds": self.config.rounds}
            write_label_info(self.root / CANDIDATES, path, seed=self.seed, settings=settings, problems=len(self.sets))
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
        return SolverDraft(Solver.load(place, device=self.device), beam=self.config.beam)

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

        solver, train = _solver_settings(self.config, self.seed, soft=soft, draft=draft)
        train = msgspec.structs.replace(train, epochs=train.epochs * longer)
        problems = self.parts.judged["train"] if gold else self.parts.plain["train"]
        chosen = [problem for problem in problems if problem.id in labels]
        if gold:
            lessons, _ = gold_lessons(chosen, writing=train.writing)
        else:
            lessons, _ = label_lessons(chosen, labels, writing=train.writing, soft=train.soft != "none")
        curves = None
        if self.tensorboard is not None:
            from .solvers.tensorboard import tensorboard_curves

            curves = tensorboard_curves(self.tensorboard / place.relative_to(self.folder))
        with suppress(AlreadyTrained):
            train_solver(
                lessons,
                self.parts.plain["valid"],
                place,
                config=solver,
                train=train,
                device=find_device(self.device),
                progress=self.watch.progress("examples"),
                on_validation=curves,
                answer_model=self.config.answer_model and not draft,
            )

    def _write_origin(self, place: Path, labels: int, *, gold: bool) -> None:
        """What `mwp-weak evaluate` looks for: the corpus and how it was split."""
        from .teaching import GOLD, write_origin

        assert self.origin is not None
        split = {"split_file": self.config.split_file, "folds": self.config.folds, "fold": self.fold}
        write_origin(
            place / SOLVER,
            self.origin.corpus,
            options=self.origin.options,
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
        solver = Solver.load(place / SOLVER, device=self.device, answer_model=self.config.answer_model)
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


# --- splits, metrics and the report -----------------------------------------------------------------------------------


def _without_gold(problems: Iterable[Problem]) -> list[Problem]:
    return [problem.without_gold() for problem in problems]


def _splits(config: PipelineConfig, corpus: Corpus) -> Iterable[_Parts]:
    from .teaching import divide

    for fold in range(config.folds or 1):
        split = split_corpus(corpus, file=config.split_file, folds=config.folds, fold=fold)
        train, valid, _ = divide(split)
        judged = {"train": train, "valid": valid, "test": split.get("test", [])}
        yield _Parts(str(split), {part: _without_gold(problems) for part, problems in judged.items()}, judged)


def _searched(config: PipelineConfig, corpus: Corpus, parts: _Parts) -> dict[str, list[Problem]]:
    """Which problems are searched, by the file that their candidates go to."""
    if config.folds:
        return {CANDIDATES: _without_gold(corpus.problems)}
    searched = {CANDIDATES: parts.plain["train"]}
    if "em" in (config.ranker, *config.compare):  # which looks how sure its draft is of unseen problems
        searched[VALID_CANDIDATES] = parts.plain["valid"]
    return searched


def _metrics(
    config: PipelineConfig, parts: _Parts, sets: Sequence[CandidateSet], runs: Mapping[str, list[ArmRun]]
) -> Metrics:
    from .report.examples import sample_rule

    judged = {problem.id: problem for problem in parts.judged["train"]}
    here = [found for found in sets if found.id in judged]
    distribution: dict[str, int] = {}
    for size in sorted(len(found.candidates) for found in here):
        distribution[str(size)] = distribution.get(str(size), 0) + 1
    has_gold = any(problem.gold is not None for problem in judged.values())
    return Metrics(
        config=msgspec.json.decode(msgspec.json.encode(config)),  # as it is read again
        split=parts.name,
        sizes={part: len(problems) for part, problems in parts.judged.items()},
        candidates=score_candidates(here, list(judged.values())) if has_gold else None,
        covered=sum(bool(found.candidates) for found in here),
        distribution=distribution,
        arms=[Arm(name=arm, about=ARMS[arm], runs=list(found)) for arm, found in runs.items()],
        examples_rule=sample_rule(len(judged), seed=config.seed),
    )


def _write_examples(folder: Path, config: PipelineConfig, parts: _Parts, sets: Sequence[CandidateSet]) -> None:
    from .report.examples import sample_examples

    first = folder
    if config.folds:
        first = first / "fold-0"
    if config.seeds > 1:
        first = first / f"seed-{config.seed}"
    labels = list(read_records(first / LABELS, Label))
    problems = parts.judged["train"]
    write_records(folder / EXAMPLES, sample_examples(problems, sets, labels, judge=Judge(problems), seed=config.seed))


def _write_report(folder: Path) -> None:
    from .report import write_report

    write_report(folder)
