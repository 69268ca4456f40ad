"""`mwp-weak pipeline`: from questions and answers to a trained solver and a report, in one command."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, get_args

import click

from weaksup.baselines.table import BASELINES
from weaksup.rankers.table import RANKERS
from weaksup.settings import Beam, Count, Epochs, Folds, Hidden, ReadingOptions, Rounds, Seed, Seeds, Soft, Workers

from ._arguments import in_range
from ._options import (
    DATA_OPTION,
    FILE,
    PATH_OPTION,
    PLACE,
    SPLIT_FILE_OPTION,
    STRICT_OPTION,
    Source,
    described,
    json_option,
    memory_option,
    reading_options,
    story_seed_option,
    with_options,
)
from ._output import command_line, print_json, print_limited, print_table
from ._progress import StepsDisplay
from ._terminal import echo, warn
from ._torch import (
    device_option,
    encoder_option,
    load_torch,
    precision_option,
    preset_option,
    solver_option,
    threads_option,
)

if TYPE_CHECKING:
    from weaksup.measure.metrics import Arm, ArmRun, Metrics

__all__ = ["pipeline"]


@click.command()
@functools.partial(
    with_options,
    options=[
        DATA_OPTION,
        PATH_OPTION,
        SPLIT_FILE_OPTION,
        *reading_options(ReadingOptions),
        story_seed_option(own_seed=True),
        STRICT_OPTION,
    ],
)
@click.option("-o", "--output", "--out", "out", type=PLACE, help="The run folder.  [default: run-SET-SOLVER-RANKER]")
@click.option("--config", type=FILE, help="Settings as TOML; options on the command line override them.")
@solver_option
@encoder_option
@click.option(
    "--ranker",
    type=click.Choice([*RANKERS, *BASELINES]),
    help=f"{described(RANKERS)}; or a baseline: {', '.join(BASELINES)}.  [default: em]",
)
@click.option("--compare", metavar="ARM,...",
              help="Arms to compare with: rankers, baselines or gold.  [default: random]")  # fmt: skip
@click.option("--plan", metavar="NAME|FILE", help="The search plan.  [default: full]")
@click.option("--limit", type=in_range(Count), help="Keep at most this many candidates per problem, simplest first.")
@memory_option
@preset_option
@click.option("--epochs", type=in_range(Epochs), help="Epochs of the solver.")
@click.option("--draft-epochs", type=in_range(Epochs), help="Epochs of the first draft model.")
@click.option("--hidden", type=in_range(Hidden), help="Hidden size of the solver and its drafts.")
@click.option(
    "--drafts",
    "--rounds",
    "rounds",
    type=in_range(Rounds),
    help="Number of drafts that the ranker em trains.  [default: 2]",
)
@click.option("--prior", metavar="PRIOR", help="Prior of the ranker em over templates: shipped, none, or a .json file.")
@click.option("--soft", type=click.Choice(get_args(Soft)),
              help="Train on all likely candidates, weighted by their posteriors.  [default: none]")  # fmt: skip
@click.option("--beam", type=in_range(Beam), help="Beam width of evaluation and of the ranker beam.  [default: 5]")
@click.option("--answer-model/--no-answer-model", default=None,
              help="Rank predictions also by how plausible their values are.  [default: yes]")  # fmt: skip
@click.option("--equation-model/--no-equation-model", default=None,
              help="Rank predictions also by how well equation and words match.  [default: yes]")  # fmt: skip
@click.option("--ablate", is_flag=True, help="Compare with every ranker and gold.")
@click.option("--seed", type=in_range(Seed), help="Random seed of the first run.  [default: 0]")
@click.option("--seeds", type=in_range(Seeds), help="Number of runs; seeds count up from --seed.  [default: 1]")
@click.option("--folds", type=in_range(Folds), help="Cross-validation with this many folds.")
@device_option
@precision_option
@threads_option
@click.option("--workers", type=in_range(Workers), help="Number of search processes.  [default: one per core]")
@click.option("--train-workers", type=in_range(Workers),
              help="Number of solvers trained at a time, each in a process of its own.  "
                   "[default: 2 on two cores and more, if it saves time]")  # fmt: skip
@click.option("--tensorboard", type=PLACE, help="Also write training curves to this folder.")
@click.option("--resume", is_flag=True, help="Resume an interrupted run.")
@json_option
def pipeline(
    out: Path | None,
    config: Path | None,
    compare: str | None,
    ablate: bool,
    device: str,
    threads: int,
    workers: int | None,
    train_workers: int | None,
    tensorboard: Path | None,
    resume: bool,
    strict: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Search, rank, train, evaluate and report; each step writes a file of the run folder.

    Without options it uses 1,000 embedded stories and takes two to three minutes.  A run killed at any moment resumes
    with --resume and ends with the same bytes.

    If a stage of the plan finds more for a problem than --memory has room for, the stage is skipped for this problem.
    Such problems are listed at the end, in metrics.json and in the report.  With --strict, the first one is an error.

    \b
    mwp-weak pipeline
    mwp-weak pipeline --data math23k --path Math_23K.json --split-file split.json --out run
    """
    from weaksup.pipeline.config import GOLD, merge_config, source_settings
    from weaksup.report import require_jinja
    from weaksup.storage.run_files import CONFIG, METRICS, REPORT

    given = {name: str(value) if isinstance(value, Path) else value for name, value in flags.items()}
    if ablate or compare is not None:
        named = [*RANKERS, GOLD] if ablate else []
        given["compare"] = [*named, *filter(None, (compare or "").split(","))]
    if resume and config is None and out is not None and (out / CONFIG).exists():
        config = out / CONFIG
    settings = merge_config(config, given)
    folder = out or Path(f"run-{settings.data}-{settings.solver}-{settings.ranker}")
    load_torch(threads)
    require_jinja()
    from weaksup.pipeline.run import run_pipeline

    path = None if settings.path is None else Path(settings.path)
    corpus = Source(settings.data, path, source_settings(settings), strict).read()
    try:
        with StepsDisplay() as display:
            metrics = run_pipeline(
                settings,
                folder,
                resume=resume,
                watch=display.watcher,
                device=device,
                workers=workers,
                tensorboard=tensorboard,
                corpus=corpus,
                command=command_line(),
                threads=threads,
                strict=strict,
                train_workers=train_workers,
            )
    except KeyboardInterrupt:
        warn(f"the work so far is kept; resume with: mwp-weak pipeline --out {folder} --resume")
        raise
    if as_json:
        print_json(metrics)
        return
    _print_metrics(metrics)
    print_limited(metrics.limited, where=f"limited in {folder / METRICS}")
    echo(f"\n{folder / REPORT}")


def _print_metrics(metrics: Metrics) -> None:
    train = metrics.sizes["train"]
    echo(metrics.split)
    if metrics.distribution:
        echo(f"search: {metrics.covered:,} of {train:,} train problems have candidates", nl=False)
        found = metrics.candidates
        echo(f", gold among them for {_mean_percent(found.gold_in_set)}\n" if found else "\n")
    head = ["labels by", "labels", "right", "answers", "equations", "false matches"]
    print_table(head, [_row(arm) for arm in metrics.arms])
    part = metrics.arms[0].runs[0].evaluation
    echo(f"right: of the labels; answers, equations, false matches: of {part.problems:,} {part.split} problems")


def _row(arm: Arm) -> list[Any]:
    def of(value: Callable[[ArmRun], float | None]) -> str:
        return _mean_percent(*[value(run) for run in arm.runs])

    known = [run.evaluation.false_matches for run in arm.runs]
    matches = [count for count in known if count is not None]
    return [
        arm.name,
        round(mean(run.labels for run in arm.runs)),
        of(lambda run: run.oracle.micro if run.oracle else None),
        of(lambda run: run.evaluation.answer_accuracy),
        of(lambda run: run.evaluation.equation_accuracy),
        round(mean(matches)) if matches else "-",
    ]


def _mean_percent(*shares: float | None) -> str:
    """A share in percent, or mean and standard deviation of several."""
    known = [100 * share for share in shares if share is not None]
    if not known:
        return "-"
    return f"{mean(known):.1f}%" + (f" ± {stdev(known):.1f}" if len(known) > 1 else "")
