"""`mwp-weak train`, `evaluate` and `solve`: solvers from labels or gold equations.

torch is imported inside the commands, by `load_torch`: it is not part of the base install.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, Part, Source, json_option, part_options, source_options
from ._output import NO, YES, Progress, print_json, print_table, record_fields, warn

if TYPE_CHECKING:
    from weaksup.records import Problem
    from weaksup.run_folder import Accuracy, Evaluation
    from weaksup.solvers.examples import Cells
    from weaksup.solvers.training import TrainResult

__all__ = ["evaluate", "load_torch", "solve", "threads_option", "train"]

MODEL = click.Path(file_okay=False, path_type=Path)

_device = click.option(
    "--device", default="auto", show_default=True, metavar="DEVICE", help="auto, cpu, cuda or mps; auto: the fastest."
)
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="How many CPU threads."
)
_beam = click.option(
    "--beam", type=click.IntRange(1, 100), default=5, show_default=True, help="How many equations are kept in search."
)

_answers = click.option(
    "--answer-model/--no-answer-model",
    default=True,
    show_default=True,
    help="Let the plausibility of the value have its say, if the model has learnt it.",
)
_groups = click.option("--groups", type=FILE, help="The published cells of g2t's graphs (group_num.json).")


def _read_cells(groups: Path | None, problems: Sequence[Problem], tell: Callable[..., None]) -> Cells | None:
    """The cells of a `group_num` file; lists that do not fit their problems are counted and left to the rule."""
    if groups is None:
        return None
    from weaksup.solvers.groups import align_groups, read_group_num

    cells, outcomes = align_groups(problems, read_group_num(groups))
    tell("cells of the graphs: " + ", ".join(f"{outcome} {count:,}" for outcome, count in outcomes.items()))
    return cells


def load_torch(threads: int = 1) -> None:
    """Import torch, without its chatter, and with threads that do not spin (up to 3x slower where others work too).

    Several threads add up in any order unless they are told not to, and then runs would differ in their last bits.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    try:
        import safetensors  # noqa: F401
        import torch
    except ImportError:
        raise click.ClickException(
            'solvers need torch: in the clone, pip install -c constraints.txt ".[solver]"'
        ) from None
    torch.set_num_threads(threads)
    if threads > 1:
        torch.use_deterministic_algorithms(True, warn_only=True)
        # Nothing here reads what it has not written.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def _tolerance(context: click.Context, option: click.Parameter, text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"{text!r} is not a number") from None
    if value < 0:
        raise click.BadParameter("a tolerance is not negative")
    return value


# --- train ------------------------------------------------------------------------------------------------------------


@click.command()
@click.option("--labels", default="gold", show_default=True, metavar="FILE|gold",
              help="Labels by mwp-weak rank, or the gold equations of the corpus.")  # fmt: skip
@functools.partial(source_options, own_seed=True)
@functools.partial(part_options, whole=True)
@click.option("--valid-part", default="valid", show_default=True, metavar="PART",
              help="The part that chooses the weights to keep.")  # fmt: skip
@click.option("--solver", type=click.Choice(["gts", "g2t"]), help="The network.  [default: gts]")
@click.option("--preset", metavar="NAME", help="small, quick, cpu or paper.  [default: cpu; small for the stories]")
@click.option("--epochs", type=click.FloatRange(min=0, min_open=True), help="Passes over the train part.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Stop after so many batches.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Problems in a batch.")
@click.option("--hidden", type=click.IntRange(min=2), help="Size of the network.")
@click.option("--learning-rate", type=click.FloatRange(min=0, min_open=True), help="At its highest.")
@click.option("--dropout", type=click.FloatRange(0, 1, max_open=True), help="Share of the signals left out.")
@click.option("--patience", type=click.IntRange(min=0), help="Stop after so many validations without gain; 0: never.")
@click.option("--soft", type=click.Choice(["none", "expected", "marginal"]),
              help="Teach the next best labels too, weighted by their posterior.  [default: none]")  # fmt: skip
@click.option("--writing", type=click.Choice(["label", "canonical", "as-written"]),
              help="How equations are written.  [default: label]")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any other setting of the preset.")
@click.option(
    "--start", type=MODEL, metavar="MODEL", help="Begin with the weights of this model, not with random ones."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the weights and of chance.")
@_device
@threads_option
@_groups
@click.option("--tensorboard", type=MODEL, metavar="DIR", help="Write the training curves there as well.")
@click.option("--overwrite", is_flag=True, help="Replace a model that was trained with other settings.")
@click.option("-o", "--output", type=MODEL, default="model", show_default=True, help="The model folder.")
@json_option
def train(
    labels: str,
    source: Source,
    part: Part,
    valid_part: str,
    preset: str | None,
    settings: tuple[str, ...],
    start: Path | None,
    seed: int,
    device: str,
    threads: int,
    groups: Path | None,
    tensorboard: Path | None,
    overwrite: bool,
    output: Path,
    as_json: bool,
    **changes: Any,
) -> None:
    """Train a solver on the train part of a corpus, with pseudo labels or gold equations.

    The valid part says by its answers which weights to keep; without one, a tenth of train is held out.  Interrupted
    and run again with the same options, it goes on where it stopped.  Started by torchrun, it trains with several
    processes or GPUs.

    \b
    mwp-weak train -o model
    mwp-weak train --labels labels.jsonl --soft marginal -o model
    mwp-weak train --start model --epochs 5 --learning-rate 0.0005 -o more
    mwp-weak train --data math23k --path Math_23K.json --split-file split.json -o model
    torchrun --nproc-per-node 2 --no-python mwp-weak train -o model
    """
    if labels == "gold" and changes["soft"] not in (None, "none"):
        raise click.UsageError("--soft is for labels: a gold equation has no alternatives")
    load_torch(threads)
    from weaksup import teaching
    from weaksup.solvers.config import SolverConfig
    from weaksup.solvers.config import preset as preset_settings
    from weaksup.solvers.distributed import joined_processes
    from weaksup.solvers.solver import Solver, find_device
    from weaksup.solvers.tensorboard import tensorboard_curves
    from weaksup.solvers.training import train_solver
    from weaksup.solvers.training_folder import AlreadyTrained

    first = os.environ.get("RANK", "0") == "0"  # of the processes that torchrun started
    tell = warn if first else _nothing
    chosen = {name: value for name, value in changes.items() if value is not None}
    source = source if labels == "gold" else source.behind(Path(labels))
    name = preset or ("small" if source.data in (None, "stories") else "cpu")
    config, how = preset_settings(name, seed=seed, **chosen, **_settings(settings))
    first_weights = None if start is None else Solver.load(start, device=device)
    if first_weights is not None:
        others = [key for key in (*chosen, *_settings(settings)) if key in SolverConfig.__struct_fields__]
        if others:
            raise click.UsageError(f"--start has a network already: leave out {', '.join(others)}")
        config = first_weights.config
    with joined_processes(find_device(device)) as place:
        corpus = source.read()
        split = part.of(corpus)
        parts = teaching.divide(split, valid_part=valid_part)
        lessons, left_out = teaching.lessons_from(
            labels, parts.train, corpus.problems, writing=how.writing, soft=how.soft != "none"
        )
        tell(f"split {split}")
        if parts.held_out:
            tell(f"no valid part: {len(parts.valid):,} problems of train are held out to validate")
        tell(f"{config.solver}, preset {name}, hidden {config.hidden}, on {place}: ", nl=False)
        tell(f"{len(lessons):,} of {len(parts.train):,} problems to train with, {len(parts.valid):,} to validate")
        tell("".join(f"left out, {reason}: {count:,}\n" for reason, count in left_out.items()), nl=False)
        if overwrite and first:
            teaching.clear_model(output)
        note_origin = functools.partial(
            teaching.write_origin,
            output,
            corpus,
            options=source.options,
            source=source.path,
            split=part.options,
            labels=labels,
            counts={"train": len(lessons), "valid": len(parts.valid)},
        )
        try:
            with Progress("examples") as progress:
                result = train_solver(
                    lessons,
                    parts.valid,
                    output,
                    config=config,
                    train=how,
                    device=place,
                    progress=progress if first else None,
                    cells=_read_cells(groups, corpus.problems, tell),
                    start=first_weights,
                    on_validation=tensorboard_curves(tensorboard) if tensorboard and first else None,
                )
        except AlreadyTrained:
            tell(f"{output} holds this model already, trained to the end: nothing to do")
            result = teaching.finished_result(output)
        except KeyboardInterrupt:
            if first and teaching.can_go_on(output):
                note_origin()
                tell(f"what is done is kept in {output}: the same command goes on from there")
            raise
    if first:
        note_origin()
        missing = {**left_out, **result.left_out}
        tell("".join(f"left out, {reason}: {count:,}\n" for reason, count in result.left_out.items()), nl=False)
        about = {"output": str(output), "data": corpus.name, "split": str(split), "solver": config.solver}
        result_fields = {**record_fields(result), "left_out": missing}
        print_json({**about, "preset": name, **result_fields}) if as_json else _print_trained(output, result)


def _nothing(text: str, *, nl: bool = True) -> None:
    """What the other processes say."""


def _settings(given: tuple[str, ...]) -> dict[str, Any]:
    """`ema=0.99` as a setting and its value."""
    found: dict[str, Any] = {}
    for one in given:
        name, mark, text = one.partition("=")
        if not mark:
            raise click.BadParameter(f"{one!r} is not NAME=VALUE", param_hint="--set")
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def _print_trained(output: Path, result: TrainResult) -> None:
    accuracy = result.valid_answer_accuracy
    valid = "" if accuracy is None else f", valid answer accuracy {accuracy:.1%}"
    if not result.examples:
        click.echo(f"{output}: {result.steps:,} steps{valid}")
        return
    click.echo(f"{output}: {result.steps:,} steps, {result.examples:,} examples in {result.seconds:,.1f} s ", nl=False)
    click.echo(f"({result.examples_per_second:,.0f} a second){valid}")


# --- evaluate ---------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("model", type=MODEL, metavar="MODEL_DIR")
@source_options
@part_options
@_beam
@click.option("--tolerance", default="0", show_default=True, metavar="NUMBER", callback=_tolerance,
              help="How far from the answer a value may be.")  # fmt: skip
@_groups
@_answers
@click.option("--predictions", type=FILE, help="Write the prediction for each problem: JSON Lines, or .gz.")
@_device
@threads_option
@json_option
def evaluate(
    model: Path,
    source: Source,
    part: Part,
    beam: int,
    tolerance: Fraction,
    groups: Path | None,
    answer_model: bool,
    predictions: Path | None,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Answer and equation accuracy of a solver on the test part, by number of quantities.

    Without --data it is the corpus, split as it was, that the solver was trained on.  --split takes train, valid, test
    or all.  A false match has the right value and the wrong equation.

    \b
    mwp-weak evaluate model
    mwp-weak evaluate model --data math23k --path Math_23K.json --split-file split.json --split valid
    mwp-weak evaluate model --predictions predictions.jsonl --json
    """
    load_torch(threads)
    from weaksup.files import write_records
    from weaksup.solvers.evaluation import judge_all, sum_up
    from weaksup.solvers.solver import Solver
    from weaksup.teaching import read_origin

    solver = Solver.load(model, device=device, answer_model=answer_model)
    made = read_origin(model)
    if made is None and source.data is None:
        warn(f"nothing says which corpus {model} was trained on (--data): taking stories")
    if made is not None and source.data in (None, made.config["corpus"]["name"]):
        source, part = source.of_run(made), part.of_run(made)
    corpus = source.read()
    chosen = part.split or "test"
    if chosen == "all":
        problems, name = corpus.problems, f"{corpus.name}, all {len(corpus.problems):,} problems"
    else:
        problems, name = replace(part, split=chosen).problems(corpus)
    if not problems:
        raise click.ClickException(f"there are no problems: {name}")
    solver.cells = _read_cells(groups, problems, warn) or {}
    with Progress("problems") as progress:
        judged = judge_all(solver, problems, beam=beam, tolerance=tolerance, progress=progress)
    result = sum_up(judged, beam=beam)
    if predictions is not None:
        write_records(predictions, judged)
    if as_json:
        print_json({**record_fields(result), "data": corpus.name, "split": chosen, "part": name, "model": str(model)})
        return
    click.echo(f"{model}, beam {beam}: {name}")
    sizes = [_row(size, accuracy) for size, accuracy in result.by_quantities.items()]
    print_table(("quantities", "problems", "answers", "equations"), [*sizes, _row("all", result)])
    click.echo(f"false matches (right value, wrong equation): {result.false_matches:,}")


def _row(size: str, found: Accuracy | Evaluation) -> tuple[str, int, str, str]:
    return size, found.problems, _share(found.answer_accuracy), _share(found.equation_accuracy)


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


# --- solve ------------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("model", type=MODEL, metavar="MODEL_DIR")
@click.argument("text")
@click.option("--language", type=click.Choice(["en", "zh"]), help="Of the text; by default found by its characters.")
@_beam
@_answers
@_device
@json_option
def solve(
    model: Path, text: str, language: str | None, beam: int, answer_model: bool, device: str, as_json: bool
) -> int:
    """The equation and the answer of a word problem in English or Chinese; TEXT may be - for stdin.

    First the likeliest equation in the text's own numbers and its value, then all that the beam found.  Exit code 1
    if the text has no numbers, or no equation has a value.

    \b
    mwp-weak solve model "Tom has 3 apples and buys 5 more. How many has he now?"
    mwp-weak solve model - < problem.txt
    """
    text = (sys.stdin.read() if text == "-" else text).strip()
    if not text:
        raise click.ClickException("the text is empty")
    load_torch()
    from weaksup.corpora.problems import segment_text
    from weaksup.solvers.solver import Solver

    solver = Solver.load(model, device=device, answer_model=answer_model)
    _, _, quantities = segment_text(text, language=language or "", number_words=True)
    found = solver.solve(text, beam=beam, language=language or "") if quantities else []
    if as_json:
        print_json({"text": text, "predictions": found})
    elif found:
        click.echo(found[0].equation)
        click.echo(f"{_value(found[0].exact)}\n")
        rows = [(f"{one.probability:.1%}", _value(one.exact), one.equation) for one in found]
        print_table(("probability", "value", "equation"), rows)
    if not found:
        warn("no equation has a value" if quantities else "there is no number in the text")
    return YES if found else NO


def _value(value: Fraction) -> str:
    """A value as people write it: 8, 2.5, and 17/3 with about what that is."""
    if value.denominator == 1:
        return str(value)
    short = f"{float(value):.6g}"
    return short if Fraction(short) == value else f"{value} (about {short})"
