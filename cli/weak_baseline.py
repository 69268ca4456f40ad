"""`mwp-weak baseline`: the weakly supervised baselines, from a corpus to test accuracy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weaksup.settings import BatchSize, Count, Draws, Epochs, Hidden, Seed, Share, Walk

from ._arguments import in_range
from ._options import FOLDER, Part, Source, json_option, part_options, source_options, with_options
from ._output import command_line, print_json, print_table, record_fields
from ._progress import StepsDisplay
from ._terminal import echo, warn
from ._torch import device_option, load_torch, precision_option, preset_option, solver_option, threads_option

if TYPE_CHECKING:
    from weaksup.measure.metrics import Arm
    from weaksup.measure.score import Score, SizeScore

__all__ = ["baseline"]

F = TypeVar("F", bound=Callable[..., Any])

_TRAINING = (
    solver_option,
    preset_option,
    click.option("--epochs", type=in_range(Epochs), help="Passes over the train part."),
    click.option("--max-steps", type=in_range(Count), help="Stop after this many batches."),
    click.option("--batch-size", type=in_range(BatchSize), help="Problems per batch."),
    click.option("--hidden", type=in_range(Hidden), help="Hidden size of the network."),
    click.option(
        "--seed", "training_seed", type=in_range(Seed), default=0, show_default=True, help="Random seed of training."
    ),
    device_option,
    precision_option,
    threads_option,
)


def _corpus_options(command: F) -> F:
    return source_options(part_options(command, whole=True), own_seed=True)


def _training_options(command: F) -> F:
    return with_options(command, _TRAINING)


def _output(default: str) -> Callable[[F], F]:
    return click.option("-o", "--output", type=FOLDER, default=default, show_default=True, help="The run folder.")


@click.group()
def baseline() -> None:
    """The baselines of the paper: learning by fixing, and weak supervision by reinforcement.

    Both learn from the answers of the train part alone and write a run folder with labels.jsonl, solver/ and
    metrics.json.  They print, by number of quantities, the share of problems with an equation (recall), the share of
    right equations (micro: among the labels, macro: among all problems), and the test accuracy.
    """


@baseline.command()
@_corpus_options
@click.option("--memory", is_flag=True, help="Learn all fixes found so far, equally weighted, not only the latest.")
@click.option("--walk", type=in_range(Walk), default=50, show_default=True, help="Most steps of the random walk.")
@click.option("--shapes", is_flag=True, help="Draw shapes of trees of all sizes at random in the first epochs.")
@click.option("--free-walk", is_flag=True, help="Accept every step of the walk, and change one token at a time.")
@click.option("--rewrite", is_flag=True, help="Rewrite fixes like other training equations.")
@_training_options
@_output("run-lbf")
@json_option
def lbf(**given: Any) -> None:
    """LBF: learning by fixing (Hong et al., 2021).

    Each step decodes a batch, fixes the trees of a wrong value by replacing one token, if need be after a random walk,
    and learns from the fixed trees.  Without --shapes, --free-walk and --rewrite it follows the authors' code, which
    trains for 100 epochs.  If interrupted, the same command resumes from the last checkpoint.

    \b
    mwp-weak baseline lbf --memory -o run-lbf
    mwp-weak baseline lbf --data math23k --path Math_23K.json --split-file split.json -o run-lbf
    """
    _run("lbf", **given)


@baseline.command()
@_corpus_options
@click.option("--beam", "with_beam", is_flag=True,
              help="Explore with a beam in training, and learn the right trees.")  # fmt: skip
@click.option("--beam-size", type=click.IntRange(2, 100), default=10, show_default=True, help="Width of that beam.")
@click.option("--draws", type=in_range(Draws), default=10, show_default=True, help="Trees sampled per problem.")
@click.option("--generator-epochs", type=in_range(Epochs),
              help="Passes of the generator over the train part.  [default: those of the solver]")  # fmt: skip
@click.option("--generator-hidden", type=in_range(Hidden),
              help="Hidden size of the generator.  [default: that of the solver]")  # fmt: skip
@click.option("--entropy", type=in_range(Share), default=0.01, show_default=True,
              help="Reward for each nat by which a sampled tree is unlikely.")  # fmt: skip
@_training_options
@_output("run-warm")
@json_option
def warm(with_beam: bool, beam_size: int, **given: Any) -> None:
    """WARM: weak supervision by reinforcement (Chatterjee et al., 2021).

    A generator that reads problem and answer is trained by REINFORCE with a reward for the right value; then a solver
    is trained on the equations that it finds.  If interrupted, the same command resumes from the last checkpoint.

    \b
    mwp-weak baseline warm --beam -o run-warm
    mwp-weak baseline warm --data math23k --path Math_23K.json --split-file split.json --beam -o run-warm
    """
    _run("warm", beam=beam_size if with_beam else 1, **given)


# The settings of the training that have options of their own.
_TRAINING_NAMES = ("max_steps", "batch_size")
_STORIES = 2000


def _run(
    name: str,
    *,
    source: Source,
    part: Part,
    training_seed: int,
    device: str,
    threads: int,
    output: Path,
    as_json: bool,
    **given: Any,
) -> None:
    load_torch(threads)
    from weaksup.baselines.table import BASELINES
    from weaksup.pipeline.config import PipelineConfig
    from weaksup.pipeline.run import run_pipeline
    from weaksup.report import require_jinja
    from weaksup.settings import convert_settings

    require_jinja()
    how = {key: given.pop(key) for key in BASELINES[name].settings.__struct_fields__}
    training = {key: value for key in _TRAINING_NAMES if (value := given.pop(key)) is not None}
    options = {("story_seed" if key == "seed" else key): value for key, value in source.options.items()}
    source = source.inferred
    data = source.data or "stories"
    if data == "stories":
        options.setdefault("size", _STORIES)
    values = {
        **given,
        **options,
        **part.options,
        "data": data,
        "path": source.path and str(source.path),
        "seed": training_seed,
        "training": training or None,
        "ranker": name,
        name: how,
        "compare": (),
        "answer_model": False,
        "equation_model": False,
    }
    config = convert_settings({key: value for key, value in values.items() if value is not None}, PipelineConfig)
    corpus = source.read()
    split = part.of(corpus)
    warn(f"split {split}")
    try:
        with StepsDisplay() as display:
            metrics = run_pipeline(
                config,
                output,
                resume=True,
                watch=display.watcher,
                device=device,
                corpus=corpus,
                command=command_line(),
                threads=threads,
            )
    except KeyboardInterrupt:
        if output.is_dir():
            warn(f"the work so far is kept in {output}: the same command resumes it")
        raise
    (arm,) = metrics.arms
    if as_json:
        print_json({"output": str(output), "data": corpus.name, "split": str(split), **record_fields(arm)})
    else:
        _print_arm(output, arm)


def _print_arm(output: Path, arm: Arm) -> None:
    from weaksup.report.numbers_text import percent
    from weaksup.storage.run_files import REPORT

    run = arm.runs[0]
    found, test = run.oracle, run.evaluation
    assert found is not None
    echo(f"{output}: {arm.about}, {run.labels:,} labels")
    rows = []
    for size, labelled in found.by_quantities.items():
        tested = test.by_quantities.get(size)
        if labelled.problems or tested:
            rows.append(
                (size, *_shares(labelled), *((tested.problems, tested.answer_accuracy) if tested else (0, None)))
            )
    rows.append(("all", *_shares(found), test.problems, test.answer_accuracy))
    cells = [
        [cell if isinstance(cell, int | str) else percent(cell, sign=True, nothing="-") for cell in row] for row in rows
    ]
    print_table(("quantities", "train", "recall", "micro", "macro", test.split, "answers"), cells)
    echo(f"\n{output / REPORT}")


def _shares(found: Score | SizeScore) -> tuple[int, float | None, float | None, float | None]:
    return found.problems, found.recall, found.micro, found.macro
