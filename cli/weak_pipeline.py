"""`mwp-weak pipeline`: from questions and answers to a trained solver and a report, in one command."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, json_option
from ._output import Progress, print_json, print_table, warn
from .weak_solver import load_torch, threads_option

if TYPE_CHECKING:
    from weaksup.run_folder import Arm, ArmRun, Metrics

__all__ = ["pipeline"]


@click.command()
@click.option("--data", metavar="SET", help="The corpus, see mwp-weak data list.  [default: stories]")
@click.option("--path", type=click.Path(path_type=Path), help="The file or folder of the corpus; gzip is unpacked.")
@click.option("--split-file", type=click.Path(path_type=Path), help="The id lists of the parts (split.json).")
@click.option("--size", type=click.IntRange(min=1), help="How many stories (of stories only).  [default: 1000]")
@click.option("--language", metavar="en|zh", help="Stories of one language.")
@click.option("--out", type=click.Path(path_type=Path), help="The run folder.  [default: run-SET-SOLVER-RANKER]")
@click.option("--config", type=FILE, help="Settings as TOML; options given here come before them.")
@click.option("--solver", type=click.Choice(["gts", "g2t"]), help="[default: gts]")
@click.option(
    "--ranker",
    type=click.Choice(["em", "beam", "basic", "random", "single"]),
    help="How labels are chosen.  [default: em]",
)
@click.option("--plan", metavar="NAME|FILE", help="The search plan.  [default: full]")
@click.option("--limit", type=click.IntRange(min=1), help="Keep the simplest candidates of a problem.")
@click.option(
    "--preset", metavar="NAME", help="Of the solver: small, quick, cpu, paper.  [default: small for stories, else cpu]"
)
@click.option("--epochs", type=click.FloatRange(min=0, min_open=True), help="Of the solver.")
@click.option("--draft-epochs", type=click.FloatRange(min=0, min_open=True), help="Of the drafts.")
@click.option("--hidden", type=click.IntRange(min=2), help="Size of the solver and its drafts.")
@click.option("--rounds", type=click.IntRange(min=0), help="Of drafts of the ranker em.  [default: 2]")
@click.option(
    "--soft", type=click.Choice(["none", "expected", "marginal"]), help="Train on all beliefs, not on the best."
)
@click.option("--beam", type=click.IntRange(min=1), help="Of evaluation and of the Beam Ranker.  [default: 5]")
@click.option("--answer-model/--no-answer-model", default=None,
              help="Let the plausibility of values rank predictions.  [default: yes]")  # fmt: skip
@click.option("--ablate", is_flag=True, help="All arms beside the main one: beam, basic, random, single and gold.")
@click.option("--seed", type=int, help="[default: 0]")
@click.option("--seeds", type=click.IntRange(min=1), help="So many runs, from --seed on.  [default: 1]")
@click.option("--folds", type=click.IntRange(min=2), help="Cross-validation.")
@click.option("--device", default="auto", show_default=True, metavar="auto|cpu|cuda|mps", help="Where to train.")
@threads_option
@click.option("--tensorboard", type=click.Path(path_type=Path), help="Write the training curves there as well.")
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted.")
@json_option
def pipeline(
    out: Path | None,
    config: Path | None,
    ablate: bool,
    device: str,
    threads: int,
    tensorboard: Path | None,
    resume: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Search, draft, rank, train, evaluate and report; each step is a file of the run folder.

    Without options: the embedded stories, two to three minutes.  Killed at any moment and started again with --resume
    it goes on where it was and ends with the same bytes.

    \b
    mwp-weak pipeline
    mwp-weak pipeline --data math23k --path Math_23K.json --split-file split.json --out run
    """
    from weaksup.pipeline_config import ARMS, merge_config
    from weaksup.report import require_jinja
    from weaksup.run_folder import CONFIG, REPORT

    given = {name: str(value) if isinstance(value, Path) else value for name, value in flags.items()}
    if ablate:
        given["compare"] = list(ARMS)
    if resume and config is None and out is not None and (out / CONFIG).exists():
        config = out / CONFIG
    settings = merge_config(config, given)
    folder = out or Path(f"run-{settings.data}-{settings.solver}-{settings.ranker}")
    load_torch(threads)
    require_jinja()
    from weaksup.pipeline import Watcher, run_pipeline

    start = time.monotonic()

    def say(line: str) -> None:
        warn(f"[{time.monotonic() - start:4.0f} s] {line}")

    try:
        metrics = run_pipeline(
            settings, folder, resume=resume, watch=Watcher(say, _progress), device=device, tensorboard=tensorboard
        )
    except KeyboardInterrupt:
        warn(f"what was done is kept; go on with: mwp-weak pipeline --out {folder} --resume")
        raise
    if as_json:
        print_json(metrics)
        return
    _print_metrics(metrics)
    click.echo(f"\n{folder / REPORT}")


def _progress(what: str) -> Callable[[int, int], None]:
    return Progress(what)


def _print_metrics(metrics: Metrics) -> None:
    train = metrics.sizes["train"]
    click.echo(metrics.split)
    click.echo(f"search: {metrics.covered:,} of {train:,} train problems have candidates", nl=False)
    found = metrics.candidates
    click.echo(f", gold among them for {_percent(found.gold_in_set)}\n" if found else "\n")
    head = ["labels by", "labels", "right", "answers", "equations", "false matches"]
    print_table(head, [_row(arm) for arm in metrics.arms])
    part = metrics.arms[0].runs[0].evaluation
    click.echo(f"right: of the labels; answers, equations, false matches: of {part.problems:,} {part.split} problems")


def _row(arm: Arm) -> list[Any]:
    def of(value: Callable[[ArmRun], float | None]) -> str:
        return _percent(*[value(run) for run in arm.runs])

    return [
        arm.name,
        round(mean(run.labels for run in arm.runs)),
        of(lambda run: run.oracle.micro if run.oracle else None),
        of(lambda run: run.evaluation.answer_accuracy),
        of(lambda run: run.evaluation.equation_accuracy),
        round(mean(run.evaluation.false_matches for run in arm.runs)),
    ]


def _percent(*shares: float | None) -> str:
    """A share in percent; of several the mean and the deviation."""
    known = [100 * share for share in shares if share is not None]
    if not known:
        return "-"
    return f"{mean(known):.1f}%" + (f" ± {stdev(known):.1f}" if len(known) > 1 else "")
