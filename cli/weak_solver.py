"""`mwp-weak train` and `evaluate`: solvers from labels or gold equations.

torch is imported inside the commands, by `load_torch`.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from weaksup.settings import BatchSize, Beam, Count, Epochs, Hidden, LearningRate, Natural, Seed, Share, Soft

from ._arguments import in_range, read_tolerance
from ._options import FILE, FOLDER, Part, Source, force_option, json_option, part_options, source_options
from ._output import print_json, print_table, record_fields
from ._progress import Progress
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
    from weaksup.measure.metrics import Accuracy, Evaluation
    from weaksup.records import Problem
    from weaksup.solvers.data.lessons import Cells
    from weaksup.solvers.training.loop import TrainResult

__all__ = ["answers_option", "beam_option", "equations_option", "evaluate", "train"]

beam_option = click.option(
    "--beam", type=in_range(Beam), default=5, show_default=True, help="Beam width: equations kept while decoding."
)

answers_option = click.option(
    "--answer-model/--no-answer-model",
    default=True,
    show_default=True,
    help="Rank predictions also by how plausible their values are, if the model has an answer model.",
)
equations_option = click.option(
    "--equation-model/--no-equation-model",
    default=True,
    show_default=True,
    help="Rank predictions also by how well equation and words match, if the model has an equation model.",
)
_groups = click.option("--groups", type=FILE, help="The published cells of g2t's graphs (group_num.json).")


def _read_cells(groups: Path | None, problems: Sequence[Problem], tell: Callable[..., None]) -> Cells | None:
    """The cells of a `group_num` file, after reporting how many lists fit; other problems keep the built-in cells."""
    if groups is None:
        return None
    from weaksup.solvers.data.groups import align_groups, read_group_num

    cells, outcomes = align_groups(problems, read_group_num(groups))
    tell("cells of the graphs: " + ", ".join(f"{outcome} {count:,}" for outcome, count in outcomes.items()))
    return cells


def _labels(context: click.Context, option: click.Parameter, given: str) -> str:
    """`gold`, or the name of a file."""
    return given if given == "gold" else str(FILE.convert(given, option, context))


# --- train ------------------------------------------------------------------------------------------------------------


@click.command()
@click.option("--labels", default="gold", show_default=True, metavar="FILE|gold", callback=_labels,
              help="Labels by mwp-weak rank, or the gold equations of the corpus.")  # fmt: skip
@functools.partial(source_options, own_seed=True)
@functools.partial(part_options, whole=True)
@click.option("--valid-part", default="valid", show_default=True, metavar="PART",
              help="The part whose answers decide which weights are kept.")  # fmt: skip
@solver_option
@encoder_option
@preset_option
@click.option("--epochs", type=in_range(Epochs), help="Passes over the train part.")
@click.option("--max-steps", type=in_range(Count), help="Stop after this many batches.")
@click.option("--batch-size", type=in_range(BatchSize), help="Problems per batch.")
@click.option("--hidden", type=in_range(Hidden), help="Hidden size of the network.")
@click.option("--learning-rate", type=in_range(LearningRate), help="The highest learning rate.")
@click.option("--dropout", type=in_range(Share), help="Dropout probability.")
@click.option("--patience", type=in_range(Natural),
              help="Early stopping after this many validations without improvement; 0: never.")  # fmt: skip
@click.option("--soft", type=click.Choice(get_args(Soft)),
              help="Also train on a label's runners-up, weighted by their posteriors.  [default: none]")  # fmt: skip
@click.option("--writing", type=click.Choice(["label", "canonical", "as-written"]),
              help="How equations are rewritten.  [default: label; as-written for preset paper]")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Any other setting of the preset.")
@click.option("--start", type=FOLDER, metavar="MODEL", help="Start from the weights of this model.")
@click.option("--seed", type=in_range(Seed), help="Random seed of the training.  [default: 0]")
@device_option
@precision_option
@threads_option
@_groups
@click.option("--tensorboard", type=FOLDER, metavar="DIR", help="Also write training curves to this folder.")
@click.option(
    "--force", "--overwrite", "overwrite", is_flag=True, help="Replace a model that was trained with other settings."
)
@click.option("-o", "--output", type=FOLDER, default="model", show_default=True, help="The model folder.")
@json_option
def train(
    labels: str,
    source: Source,
    part: Part,
    valid_part: str,
    preset: str | None,
    settings: tuple[str, ...],
    start: Path | None,
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

    The weights kept are those with the best answer accuracy on the valid part; if there is none, a tenth of the train
    part is held out.  An interrupted command resumes if it is run again with the same options.  Under torchrun, several
    processes or GPUs train together.

    \b
    mwp-weak train -o model
    mwp-weak train --labels labels.jsonl --soft marginal -o model
    mwp-weak train --start model --epochs 5 --learning-rate 0.0005 -o more
    mwp-weak train --data math23k --path Math_23K.json --split-file split.json -o model
    torchrun --nproc-per-node 2 --no-python mwp-weak train -o model
    """
    if labels == "gold" and changes["soft"] not in (None, "none"):
        raise click.UsageError("--soft needs labels (--labels FILE): a gold equation has no alternatives")
    load_torch(threads)
    from weaksup.corpora.parts import divide
    from weaksup.solvers.decoding.solver import Solver, find_device
    from weaksup.solvers.presets import SolverConfig, default_preset
    from weaksup.solvers.presets import preset as preset_settings
    from weaksup.solvers.training import teaching
    from weaksup.solvers.training.distributed import joined_processes
    from weaksup.solvers.training.loop import train_solver
    from weaksup.solvers.training.model_folder import AlreadyTrained
    from weaksup.solvers.training.precision import uses_bfloat16
    from weaksup.solvers.training.tensorboard import tensorboard_curves
    from weaksup.storage.provenance import check_output

    first = os.environ.get("RANK", "0") == "0"  # of the processes that torchrun started
    tell = warn if first else _nothing
    chosen = _chosen(changes, settings)
    source = (source if labels == "gold" else source.behind(Path(labels))).inferred
    name = preset or default_preset(source.data)
    config, how = preset_settings(name, **chosen)
    first_weights = None if start is None else Solver.load(start, device=device)
    if first_weights is not None:
        others = [key for key in chosen if key in SolverConfig.__struct_fields__]
        if others:
            raise click.UsageError(f"--start fixes the network: leave out {', '.join(others)}")
        config = first_weights.config
    with joined_processes(find_device(device)) as place:
        corpus = source.read()
        split = part.of(corpus)
        parts = divide(split, valid_part=valid_part)
        lessons, left_out = teaching.lessons_from(
            labels, parts.train, corpus.problems, writing=how.writing, soft=how.soft != "none"
        )
        tell(f"split {split}")
        if parts.held_out:
            tell(f"no valid part: {len(parts.valid):,} problems of the train part are held out for validation")
        mixed = " in bf16" if uses_bfloat16(how.precision, place) else ""
        tell(f"{config.solver}, preset {name}, hidden {config.hidden}, on {place}{mixed}: ", nl=False)
        tell(f"{len(lessons):,} of {len(parts.train):,} problems for training, {len(parts.valid):,} for validation")
        tell("".join(f"left out, {reason}: {count:,}\n" for reason, count in left_out.items()), nl=False)
        if config.solver == "g2t" and config.graph == "published" and groups is None:
            tell("the cells of the graphs are found by rule; those published for Math23K need --groups")
        check_output(output, inputs=[start], force=True)
        for file in teaching.model_files(output):
            check_output(file, inputs=[labels, *corpus.paths, part.split_file, groups], force=True)
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
                    say=tell,
                    cells=_read_cells(groups, corpus.problems, tell),
                    start=first_weights,
                    on_validation=tensorboard_curves(tensorboard) if tensorboard and first else None,
                )
        except AlreadyTrained:
            tell(f"{output} already holds this model, trained to the end: nothing to do")
            result = teaching.finished_result(output)
        except KeyboardInterrupt:
            if first and teaching.can_go_on(output):
                note_origin()
                tell(f"the work so far is kept in {output}: the same command resumes it")
            raise
    if first:
        note_origin()
        missing = {**left_out, **result.left_out}
        tell("".join(f"left out, {reason}: {count:,}\n" for reason, count in result.left_out.items()), nl=False)
        about = {"output": str(output), "data": corpus.name, "split": str(split), "solver": config.solver}
        result_fields = {**record_fields(result), "left_out": missing}
        print_json({**about, "preset": name, **result_fields}) if as_json else _print_trained(output, result)


def _nothing(text: str, *, nl: bool = True) -> None:
    """Stands for `warn` in all processes but the first."""


def _chosen(options: dict[str, Any], settings: tuple[str, ...]) -> dict[str, Any]:
    """The settings given by options or by --set (`ema=0.99`), each at most once."""
    found = {name: value for name, value in options.items() if value is not None}
    for one in settings:
        name, mark, text = one.partition("=")
        if not mark:
            raise click.BadParameter(f"{one!r} is not of the form NAME=VALUE", param_hint="--set")
        if name in found:
            raise click.BadParameter(f"{name} is given twice", param_hint="--set")
        try:
            found[name] = json.loads(text)
        except (ValueError, RecursionError):
            found[name] = text
    return found


def _print_trained(output: Path, result: TrainResult) -> None:
    accuracy = result.valid_answer_accuracy
    valid = "" if accuracy is None else f", valid answer accuracy {accuracy:.1%}"
    if not result.examples:
        echo(f"{output}: {result.steps:,} steps{valid}")
        return
    echo(f"{output}: {result.steps:,} steps, {result.examples:,} examples in {result.seconds:,.1f} s ", nl=False)
    echo(f"({result.examples_per_second:,.0f} a second){valid}")


# --- evaluate ---------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("models", type=FOLDER, metavar="MODEL_DIR...", nargs=-1, required=True)
@source_options
@part_options
@beam_option
@click.option("--tolerance", default="0", show_default=True, metavar="NUMBER", callback=read_tolerance,
              help="The largest accepted distance between a value and the answer.")  # fmt: skip
@click.option("--law", default="value", show_default=True, metavar="LAW",
              help="When an equation counts as equal to gold: see mwp-weak oracle --help.")  # fmt: skip
@_groups
@answers_option
@equations_option
@click.option("--predictions", type=FILE, help="Write the prediction for each problem: JSON Lines, or .gz.")
@force_option
@device_option
@threads_option
@json_option
def evaluate(
    models: tuple[Path, ...],
    source: Source,
    part: Part,
    beam: int,
    tolerance: Fraction,
    law: str,
    groups: Path | None,
    answer_model: bool,
    equation_model: bool,
    predictions: Path | None,
    force: bool,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Answer and equation accuracy of a solver on the test part, by number of quantities.

    Without --data, the corpus and split are those that the solver was trained on.  --split may be train, valid, test or
    all.  A false match is a prediction with the right value and a wrong equation.

    Several models answer as one: their beams are pooled, and the probability of an equation is the mean over the
    models.  They must have been trained on the same corpus, and may differ in all else.

    \b
    mwp-weak evaluate model
    mwp-weak evaluate model --data math23k --path Math_23K.json --split-file split.json --split valid
    mwp-weak evaluate model --predictions predictions.jsonl --json
    mwp-weak evaluate gts g2t --split valid
    """
    load_torch(threads)
    from weaksup.measure.predictions import judge_all, sum_up
    from weaksup.solvers.decoding.ensemble import Ensemble, common_origin
    from weaksup.solvers.training.teaching import model_files
    from weaksup.storage.json_lines import write_records
    from weaksup.storage.provenance import check_output

    solver = Ensemble.load(models, device=device, answer_model=answer_model, equation_model=equation_model)
    made = common_origin(models, same_split=part.split_file is None and part.folds is None)
    model = " + ".join(map(str, models))
    if made is None and source.data is None and source.path is None:
        warn(f"{model} does not say which corpus it was trained on: using stories (choose with --data)")
    if made is not None and made.corpus is not None and source.data in (None, made.corpus.name):
        source, part = source.of_run(made), part.of_run(made)
    corpus = source.read()
    chosen = part.split or "test"
    if chosen == "all":
        problems, name = corpus.problems, f"{corpus.name}, all {len(corpus.problems):,} problems"
    else:
        problems, name = replace(part, split=chosen).problems(corpus)
    if not problems:
        raise click.ClickException(f"there are no problems: {name}")
    if predictions is not None:
        inputs = [*chain.from_iterable(map(model_files, models)), *corpus.paths, part.split_file, groups]
        check_output(predictions, inputs=inputs, force=force)
    cells = _read_cells(groups, problems, warn) or {}
    for member in solver.members:
        member.cells = cells
    with Progress("problems") as progress:
        judged = judge_all(solver, problems, beam=beam, tolerance=tolerance, law=law, progress=progress)
    result = sum_up(judged, beam=beam)
    if predictions is not None:
        write_records(predictions, judged)
    if as_json:
        origin = {"data": corpus.name, "split": chosen, "part": name}
        print_json({**record_fields(result), **origin, "model": model, "members": [str(one) for one in models]})
        return
    echo(f"{model}, beam {beam}: {name}")
    sizes = [_row(size, accuracy) for size, accuracy in result.by_quantities.items()]
    print_table(("quantities", "problems", "answers", "equations"), [*sizes, _row("all", result)])
    matches = "-" if result.false_matches is None else f"{result.false_matches:,}"
    echo(f"false matches (right value, wrong equation): {matches}")


def _row(size: str, found: Accuracy | Evaluation) -> tuple[str | int, ...]:
    from weaksup.report.numbers_text import percent

    shares = [percent(share, sign=True, nothing="-") for share in (found.answer_accuracy, found.equation_accuracy)]
    return size, found.problems, *shares
