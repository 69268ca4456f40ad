"""`mwp-weak baseline`: the weakly supervised baselines, from a corpus to test accuracy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ._options import Part, Source, json_option, part_options, source_options
from ._output import Progress, print_json, print_table, record_fields, warn
from .weak_solver import load_torch, threads_option

if TYPE_CHECKING:
    from weaksup.oracle import Score, SizeScore
    from weaksup.run_folder import Arm

__all__ = ["baseline"]

F = TypeVar("F", bound=Callable[..., Any])

_TRAINING = (
    click.option("--solver", type=click.Choice(["gts", "g2t"]), help="The network.  [default: gts]"),
    click.option("--preset", metavar="NAME", help="small, quick, cpu or paper.  [default: cpu; small for the stories]"),
    click.option("--epochs", type=click.FloatRange(min=0, min_open=True), help="Passes over the train part."),
    click.option("--max-steps", type=click.IntRange(min=1), help="Stop after so many batches."),
    click.option("--batch-size", type=click.IntRange(min=1), help="Problems in a batch."),
    click.option("--hidden", type=click.IntRange(min=2), help="Size of the network."),
    click.option("--seed", "training_seed", type=int, default=0, show_default=True, help="Of weights and of chance."),
    click.option("--device", default="auto", show_default=True, metavar="DEVICE", help="auto, cpu, cuda or mps."),
    threads_option,
)


def _corpus_options(command: F) -> F:
    return source_options(part_options(command, whole=True), own_seed=True)


def _training_options(command: F) -> F:
    wrapped: Any = command
    for option in reversed(_TRAINING):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def _output(default: str) -> Callable[[F], F]:
    place = click.Path(file_okay=False, path_type=Path)
    return click.option("-o", "--output", type=place, default=default, show_default=True, help="The run folder.")


@click.group()
def baseline() -> None:
    """The baselines of the paper: learning by fixing, and weak supervision by reinforcement.

    Both learn from the answers of the train part alone, write a run folder with labels.jsonl, solver/ and metrics.json,
    and print how many problems they found an equation for (recall), how many of those are right (micro: of the labels,
    macro: of all problems), and the test accuracy, all by number of quantities.
    """


@baseline.command()
@_corpus_options
@click.option("--memory", is_flag=True, help="Learn all fixes found so far, with equal weights, not only the last.")
@click.option("--walk", type=click.IntRange(min=0), default=50, show_default=True, help="Steps of the random walk.")
@_training_options
@_output("run-lbf")
@json_option
def lbf(**given: Any) -> None:
    """Learning by fixing (Hong et al. 2021): each step decodes a batch, mends the trees of the wrong value by one token
    or after a random walk, and learns the mended trees.

    Interrupted and run again with the same options, it goes on after the last finished epoch.

    \b
    mwp-weak baseline lbf --memory -o run-lbf
    mwp-weak baseline lbf --data math23k --path Math_23K.json --split-file split.json -o run-lbf
    """
    _run("lbf", **given)


@baseline.command()
@_corpus_options
@click.option("--beam", "with_beam", is_flag=True, help="Harvest the right-valued trees of a beam, not the best only.")
@click.option("--beam-size", type=click.IntRange(2, 100), default=10, show_default=True, help="Of that beam.")
@click.option("--draws", type=click.IntRange(min=1), default=5, show_default=True, help="Trees drawn for a problem.")
@_training_options
@_output("run-warm")
@json_option
def warm(with_beam: bool, beam_size: int, **given: Any) -> None:
    """WARM (Chatterjee et al. 2021): a generator trained by REINFORCE with a reward for the right value; what it finds
    then teaches a solver.

    Interrupted and run again with the same options, it goes on after the last finished epoch.

    \b
    mwp-weak baseline warm --beam -o run-warm
    mwp-weak baseline warm --data math23k --path Math_23K.json --split-file split.json --beam -o run-warm
    """
    _run("warm", harvest_beam=beam_size if with_beam else 1, **given)


# The settings of the training that have an option of their own.
_CHANGES = ("solver", "epochs", "max_steps", "batch_size", "hidden")


def _run(
    name: str,
    *,
    source: Source,
    part: Part,
    preset: str | None,
    training_seed: int,
    device: str,
    threads: int,
    output: Path,
    as_json: bool,
    **given: Any,
) -> None:
    load_torch(threads)
    from weaksup.baselines.run import BaselineConfig, Origin, Watcher, run_baseline
    from weaksup.report import require_jinja
    from weaksup.solvers.config import preset as preset_settings
    from weaksup.solvers.solver import find_device

    require_jinja()
    changes = {key: value for key in _CHANGES if (value := given.pop(key)) is not None}
    preset = preset or ("small" if source.data in (None, "stories") else "cpu")
    solver, training = preset_settings(preset, seed=training_seed, **changes)
    config = BaselineConfig(name=name, solver=solver, training=training, **given)  # type: ignore[arg-type]
    place = find_device(device)
    corpus = source.read()
    split = part.of(corpus)
    warn(f"split {split}")
    try:
        with Progress("examples") as progress:
            arm = run_baseline(
                config,
                corpus,
                split,
                output,
                origin=Origin(source.options, source.path, part.options),
                device=place,
                watch=Watcher(warn, progress),
            )
    except KeyboardInterrupt:
        if output.is_dir():
            warn(f"finished epochs are kept in {output}: the same command goes on from there")
        raise
    if as_json:
        print_json({"output": str(output), "data": corpus.name, "split": str(split), **record_fields(arm)})
    else:
        _print_arm(output, arm)


def _print_arm(output: Path, arm: Arm) -> None:
    from weaksup.run_folder import REPORT

    run = arm.runs[0]
    found, test = run.oracle, run.evaluation
    assert found is not None
    click.echo(f"{output}: {arm.about}, {run.labels:,} labels")
    rows = []
    for size, labelled in found.by_quantities.items():
        tested = test.by_quantities.get(size)
        if labelled.problems or tested:
            rows.append(
                (size, *_shares(labelled), *((tested.problems, tested.answer_accuracy) if tested else (0, None)))
            )
    rows.append(("all", *_shares(found), test.problems, test.answer_accuracy))
    cells = [[_percent(cell) if cell is None or isinstance(cell, float) else cell for cell in row] for row in rows]
    print_table(("quantities", "train", "recall", "micro", "macro", test.split, "answers"), cells)
    click.echo(f"\n{output / REPORT}")


def _shares(found: Score | SizeScore) -> tuple[int, float | None, float | None, float | None]:
    return found.problems, found.recall, found.micro, found.macro


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
