"""The whole method in one call: search, train drafts, rank, train, evaluate, report.

Each step writes a file of the run folder and is skipped if that file exists, so an interrupted run resumes where it
stopped and ends with the same bytes.  The arms (rankers, baselines, and gold for comparison) share the candidates and
the drafts; each seed and fold has a folder of its own.  Gold equations are removed from the problems before any
training; only the evaluation and the gold arm get problems with gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from mathcanon.files import AnyPath

from ..baselines.finds import finds_of
from ..baselines.table import BASELINES
from ..corpora import Corpus, read_corpus
from ..corpora.parts import divide, split_corpus
from ..errors import ConfigError, NothingToLearn
from ..measure.judge import Judge
from ..measure.metrics import Arm, ArmRun, Metrics
from ..measure.predictions import JudgedPrediction
from ..measure.score import score_candidates
from ..rankers.table import RANKERS
from ..records import CandidateSet, Label, Problem
from ..search.executors import available_cores
from ..search.plans import load_plan, stage_order
from ..settings import SourceOptions, given_options
from ..storage.circumstances import note_circumstances
from ..storage.claims import claim_folder
from ..storage.folder_lock import lock_folder
from ..storage.json_files import write_json
from ..storage.json_lines import read_records, write_records
from ..storage.run_files import (
    CANDIDATES,
    CONFIG,
    EXAMPLES,
    LABELS,
    MADE,
    METRICS,
    PREDICTIONS,
    TEST_EXAMPLES,
    TIMES,
    VALID_CANDIDATES,
)
from ..watching import Watcher
from .config import PipelineConfig, arms, as_settings, read_config, source_settings, write_config
from .solver_choice import effective_settings, solver_settings
from .steps import (
    GuardedSplit,
    Run,
    Unit,
    label_steps,
    measure_arm,
    plan_arm,
    search_step,
    train_step,
)
from .timed_step import Times
from .training_ahead import train_ahead

__all__ = ["run_arm", "run_pipeline"]


def run_pipeline(
    config: PipelineConfig,
    out: AnyPath,
    *,
    resume: bool,
    watch: Watcher,
    device: str = "auto",
    workers: int | None = None,
    tensorboard: AnyPath | None = None,
    corpus: Corpus | None = None,
    command: str | None = None,
    threads: int | None = None,
    strict: bool = False,
    train_workers: int | None = 1,
) -> Metrics:
    """Run the steps that are missing in the folder `out`, and return the metrics of the run.

    Parameters
    ----------
    config
        The settings, see `merge_config`.
    out
        The folder of the run.
    resume
        Whether a run that was begun there may go on.
    watch
        Is told which step runs and how far it is.
    device
        Where to train, see `find_device`.
    workers
        The number of search processes, by default one per core; results do not depend on it.
    tensorboard
        A folder to which training curves are written too.
    corpus
        The corpus of the settings, if it has already been read.
    command, threads
        Noted for the report.
    strict
        Raise for a problem for which the search meets a limit; otherwise `Metrics.limited` lists it.
    train_workers
        How many solvers of different arms are trained at a time, each in a process of its own; by default two, if there
        are the cores and it saves time.  Results do not depend on it.

    Returns
    -------
    Metrics
        The figures of the run.

    Raises
    ------
    ConfigError
        If a setting is invalid, or `out` belongs to another run, or was begun and `resume` is not set.
    WeakSupError
        If a problem meets a limit and `strict` is set.
    """
    folder = Path(out)
    options = given_options(source_settings(config), SourceOptions)
    corpus = corpus or read_corpus(config.data, config.path, **options)
    splits = list(_splits(config, corpus))
    plan = load_plan(config.plan)
    solver_settings(config, config.seed, soft=config.soft)
    with lock_folder(folder):  # only now, so that a wrong path, plan or setting leaves no folder behind
        _claim(folder, config, resume)
        workers = workers or available_cores()
        note_circumstances(folder / MADE, command=command, threads=threads, workers=workers, device=device)
        logs = None if tensorboard is None else Path(tensorboard)
        run = Run(config, corpus, options, folder, device, watch, Times(folder / TIMES, watch), logs)
        sets: list[CandidateSet] = []
        for file, problems in _searched(config, corpus, splits[0]).items():
            search_step(run, problems, plan, file, workers=workers, strict=strict).run(run.times)
            sets += read_records(folder / file, CandidateSet)
        metrics = _metrics(config, splits[0], sets, _run_arms(run, splits, sets, train_workers))
        write_json(folder / METRICS, metrics, indent=1)
        with run.times.of("report"):
            _write_examples(folder, config, splits[0], sets)
            _write_report(folder)
    return metrics


def _run_arms(
    run: Run, splits: Sequence[GuardedSplit], sets: Sequence[CandidateSet], train_workers: int | None
) -> dict[str, list[ArmRun]]:
    """The runs of each arm, one per seed and split; compared arms with nothing to learn from are left out."""
    main, runs = run.config.ranker, dict[str, list[ArmRun]]()
    compared = [arm for arm in dict.fromkeys(run.config.compare) if arm != main]
    for unit in _units(run, splits, sets):
        train_ahead(unit, [main, *compared], train_workers)
        runs.setdefault(main, []).append(run_arm(unit, main))
        for arm in compared:
            try:
                runs.setdefault(arm, []).append(run_arm(unit, arm))
            except NothingToLearn as error:  # it is only a comparison, so the run goes on
                run.watch.say(f"{arm} is left out: {error}")
    return {arm: found for arm, found in runs.items() if found}


def _units(run: Run, splits: Sequence[GuardedSplit], sets: Sequence[CandidateSet]) -> Iterator[Unit]:
    """Yield every fold and seed, each in a folder of its own if there are several."""
    config = run.config
    for fold, parts in zip(_folds(config), splits, strict=True):
        for seed in range(config.seed, config.seed + config.seeds):
            place = _unit_folder(run.folder, config, fold, seed)
            place.mkdir(parents=True, exist_ok=True)
            yield Unit(run, parts, sets, place, seed=seed, fold=fold)


def _folds(config: PipelineConfig) -> list[int | None]:
    """The folds to run; [None] for a split without folds."""
    if config.fold is not None:
        return [config.fold]
    return list(range(config.folds)) if config.folds else [None]


def _unit_folder(folder: Path, config: PipelineConfig, fold: int | None, seed: int) -> Path:
    if len(_folds(config)) > 1:
        folder = folder / f"fold-{fold}"
    if config.seeds > 1:
        folder = folder / f"seed-{seed}"
    return folder


def run_arm(unit: Unit, name: str) -> ArmRun:
    """Run the steps of an arm (labels, solver), then measure it."""
    arm, times = plan_arm(unit, name), unit.run.times
    for step in (*label_steps(unit, arm), train_step(unit, arm)):
        step.run(times)
    with times.of(f"evaluate {name}"):
        measured = measure_arm(unit, arm)
    if arm.place != unit.run.folder:  # the run folder gets the metrics of all arms
        write_json(arm.place / METRICS, measured, indent=1)
    return measured


# --- the folder -------------------------------------------------------------------------------------------------------


def _claim(folder: Path, config: PipelineConfig, resume: bool) -> None:
    """Create the folder, or check that it belongs to this run and may be resumed."""
    begun = claim_folder(
        folder,
        CONFIG,
        as_settings(config),
        kind="run",
        read=lambda path: as_settings(read_config(path)),
        write=lambda path: write_config(path, config),
        advice="Choose another folder",
    )
    if begun and not resume:
        raise ConfigError(f"{folder} holds a run already; resume it (--resume) or choose another folder (--out)")


# --- splits, metrics and the report -----------------------------------------------------------------------------------


def _without_gold(problems: Iterable[Problem]) -> list[Problem]:
    return [problem.without_gold() for problem in problems]


def _splits(config: PipelineConfig, corpus: Corpus) -> Iterable[GuardedSplit]:
    for fold in _folds(config):
        split = split_corpus(corpus, file=config.split_file, folds=config.folds, fold=fold or 0)
        train, valid, _ = divide(split)
        judged = {"train": train, "valid": valid, "test": split.get("test", [])}
        yield GuardedSplit(str(split), {part: _without_gold(problems) for part, problems in judged.items()}, judged)


def _searched(config: PipelineConfig, corpus: Corpus, parts: GuardedSplit) -> dict[str, list[Problem]]:
    """The problems to search, by the file for their candidates; none if no arm ranks candidates."""
    rankers = [RANKERS[arm] for arm in (config.ranker, *config.compare) if arm in RANKERS]
    if not rankers:
        return {}
    if config.folds:
        return {CANDIDATES: _without_gold(corpus.problems)}
    searched = {CANDIDATES: parts.plain["train"]}
    if any(ranker.unseen for ranker in rankers):
        searched[VALID_CANDIDATES] = parts.plain["valid"]
    return searched


def _metrics(
    config: PipelineConfig, parts: GuardedSplit, sets: Sequence[CandidateSet], runs: Mapping[str, list[ArmRun]]
) -> Metrics:
    from ..report.shown_problems import sample_rule

    judged = {problem.id: problem for problem in parts.judged["train"]}
    here = [found for found in sets if found.id in judged]
    distribution: dict[str, int] = {}
    for size in sorted(len(found.candidates) for found in here):
        distribution[str(size)] = distribution.get(str(size), 0) + 1
    about = arms()
    has_gold = bool(sets) and any(problem.gold is not None for problem in judged.values())
    return Metrics(
        config=as_settings(config),
        split=parts.name,
        sizes={part: len(problems) for part, problems in parts.judged.items()},
        candidates=score_candidates(here, list(judged.values()), stage_order=stage_order()) if has_gold else None,
        covered=sum(bool(found.candidates) for found in here) if sets else runs[config.ranker][0].labels,
        distribution=distribution,
        limited={found.id: found.limits for found in sets if found.limits},
        arms=[Arm(name=arm, about=about[arm], runs=list(found)) for arm, found in runs.items()],
        examples_rule=sample_rule(len(judged), seed=config.seed),
        effective=effective_settings(config),
    )


def _write_examples(folder: Path, config: PipelineConfig, parts: GuardedSplit, sets: Sequence[CandidateSet]) -> None:
    from ..report.shown_predictions import sample_predictions
    from ..report.shown_problems import sample_examples

    place = _unit_folder(folder, config, _folds(config)[0], config.seed)
    tested = parts.judged["test"] or parts.judged["valid"]
    predictions = list(read_records(place / PREDICTIONS, JudgedPrediction))
    write_records(folder / TEST_EXAMPLES, sample_predictions(tested, predictions, seed=config.seed))
    labels = list(read_records(place / LABELS, Label))
    problems = parts.judged["train"]
    if config.ranker in BASELINES:
        sets = list(finds_of(problems, labels))
    write_records(folder / EXAMPLES, sample_examples(problems, sets, labels, judge=Judge(problems), seed=config.seed))


def _write_report(folder: Path) -> None:
    from ..report import write_report

    write_report(folder)
