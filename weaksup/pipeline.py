"""The whole method in one call: search, draft, rank, train, evaluate, report; each step a file of the run folder.

A step whose file is there is not done again, so a run that was killed goes on where it stopped and ends with the same
bytes.  Arms (rankers, and gold for comparison) share the candidates and the drafts; seeds and folds are runs in
folders of their own.  Gold is taken out of the problems before anything is learnt from them; what measures has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from .corpora import Corpus, read_corpus
from .corpora.parts import split_corpus
from .errors import ConfigError, NothingToLearn
from .files import AnyPath, read_records, remove_unfinished, write_records
from .oracle import Judge, score_candidates
from .pipeline_arms import Parts, Run, Times, Unit, Watcher, solver_settings, write_record
from .pipeline_config import ARMS, PipelineConfig, read_config, write_config
from .records import CandidateSet, Label, Problem
from .run_folder import (
    CANDIDATES,
    CONFIG,
    EXAMPLES,
    LABELS,
    METRICS,
    TIMES,
    VALID_CANDIDATES,
    Arm,
    ArmRun,
    Metrics,
)
from .search.plans import load_plan
from .search.run import run_search

__all__ = ["Watcher", "run_pipeline"]


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
        solver_settings(config, config.seed, soft=config.soft, draft=draft)
    _claim(folder, config, resume)  # not before: a wrong path, plan or setting leaves no folder behind
    times = Times(folder / TIMES)
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
    logs = None if tensorboard is None else Path(tensorboard)
    run = Run(config, corpus, options, folder, sets, device, watch, times, logs)
    runs: dict[str, list[ArmRun]] = {}
    for fold, parts in enumerate(splits):
        for seed in range(config.seed, config.seed + config.seeds):
            place = folder
            if config.folds:
                place = place / f"fold-{fold}"
            if config.seeds > 1:
                place = place / f"seed-{seed}"
            place.mkdir(parents=True, exist_ok=True)
            unit = Unit(run, parts, place, seed=seed, fold=fold if config.folds else None)
            runs.setdefault(config.ranker, []).append(unit.arm(config.ranker))
            for arm in [arm for arm in dict.fromkeys(config.compare) if arm != config.ranker]:
                try:
                    runs.setdefault(arm, []).append(unit.arm(arm))
                except NothingToLearn as error:  # only a comparison: the rest is worth its report
                    watch.say(f"{arm} is left out: {error}")
    metrics = _metrics(config, splits[0], sets, {arm: found for arm, found in runs.items() if found})
    write_record(folder / METRICS, metrics)
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


# --- splits, metrics and the report -----------------------------------------------------------------------------------


def _without_gold(problems: Iterable[Problem]) -> list[Problem]:
    return [problem.without_gold() for problem in problems]


def _splits(config: PipelineConfig, corpus: Corpus) -> Iterable[Parts]:
    from .teaching import divide

    for fold in range(config.folds or 1):
        split = split_corpus(corpus, file=config.split_file, folds=config.folds, fold=fold)
        train, valid, _ = divide(split)
        judged = {"train": train, "valid": valid, "test": split.get("test", [])}
        yield Parts(str(split), {part: _without_gold(problems) for part, problems in judged.items()}, judged)


def _searched(config: PipelineConfig, corpus: Corpus, parts: Parts) -> dict[str, list[Problem]]:
    """Which problems are searched, by the file that their candidates go to."""
    if config.folds:
        return {CANDIDATES: _without_gold(corpus.problems)}
    searched = {CANDIDATES: parts.plain["train"]}
    if "em" in (config.ranker, *config.compare):  # which looks how sure its draft is of unseen problems
        searched[VALID_CANDIDATES] = parts.plain["valid"]
    return searched


def _metrics(
    config: PipelineConfig, parts: Parts, sets: Sequence[CandidateSet], runs: Mapping[str, list[ArmRun]]
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


def _write_examples(folder: Path, config: PipelineConfig, parts: Parts, sets: Sequence[CandidateSet]) -> None:
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
