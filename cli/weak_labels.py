"""`mwp-weak rank` and `export`: labels from candidates, and training data from labels."""

from __future__ import annotations

import functools
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, Part, Source, json_option, part_options, source_options
from ._output import print_json, warn
from .weak_solver import load_torch

if TYPE_CHECKING:
    from weaksup.rankers.draft import Draft

__all__ = ["export", "rank"]


@click.command()
@click.argument("file", type=FILE)
@functools.partial(source_options, own_seed=True)
@click.option("--ranker", default="em", show_default=True, metavar="NAME", help="em, beam, basic, random or single.")
@click.option("--model", type=click.Path(path_type=Path), help="The draft model of em, beam and basic.")
@click.option("--scorer", metavar="MODULE:NAME", help="A draft of your own instead: package.module:name in Python.")
@click.option(
    "--beam", type=click.IntRange(min=1), default=5, show_default=True, help="Of the ranker beam with --model."
)
@click.option("--device", default="auto", show_default=True, metavar="auto|cpu|cuda|mps", help="Where --model runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the ranker random.")
@click.option("-o", "--output", type=FILE, default="labels.jsonl", show_default=True, help="JSON Lines, or .gz.")
@json_option
def rank(
    file: Path,
    ranker: str,
    model: Path | None,
    scorer: str | None,
    source: Source,
    beam: int,
    device: str,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """One label for each problem of FILE (candidates), with its posterior: JSON Lines.

    em: the templates that explain the whole corpus best, reading neither text nor gold, and with --model or --scorer
    also what a draft finds likely; basic: the candidate that the draft finds likeliest; beam: the same, with the
    draft's own right-valued equations; random: any candidate; single: problems with one candidate only.

    --scorer names an object with the methods score and, for beam, explore, or something that makes one when it is
    called without arguments.  It is imported from the current folder or the Python path, which runs its code.

    \b
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker single -o labels.draft.jsonl
    mwp-weak rank candidates.jsonl --ranker basic --model draft -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker basic --scorer mine:Shortest -o labels.jsonl
    """
    from weaksup.ranking import count_changed, rank_file

    if model is not None and scorer is not None:
        raise click.UsageError("--model and --scorer are both drafts: give one of them")
    start = time.monotonic()
    asked: dict[str, Any] = {}
    with redirect_stdout(sys.stderr):  # what a scorer prints is no data
        if model is not None:
            draft = _load_model(model, beam=beam, device=device)
            asked = {"draft": draft, "settings": {"model": str(model), "beam": beam}}
        elif scorer is not None:
            asked = {"draft": _load_scorer(scorer, explores=ranker == "beam"), "settings": {"scorer": scorer}}
        if asked:
            asked["problems"] = source.behind(file).read().problems
        made, labels = rank_file(file, output, ranker=ranker, seed=seed, **asked)
    sure = sum(label.posterior > 0.9 for label in labels)
    changed = count_changed(file, labels) if asked else None
    if as_json:
        result = {"output": str(output), "ranker": ranker, **made.counts, "posterior_above_0.9": sure}
        print_json({**result, "changed": changed, "seconds": round(time.monotonic() - start, 3)})
        return
    click.echo(f"{output}: {len(labels):,} labels for {made.counts['problems']:,} problems by {ranker}, ", nl=False)
    click.echo(f"{sure:,} with a posterior above 0.9")
    if changed is not None:
        click.echo(f"{changed:,} of them other than the pick without a draft")


def _load_model(model: Path, *, beam: int, device: str) -> Draft:
    load_torch()
    from weaksup.solvers.draft import SolverDraft
    from weaksup.solvers.solver import Solver

    return SolverDraft(Solver.load(model, device=device), beam=beam)


def _load_scorer(reference: str, *, explores: bool) -> Draft:
    """A draft by its name in Python; the current folder comes first, as with `python -m`."""
    from weaksup.rankers.draft import load_draft

    if "" not in sys.path and (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    return load_draft(reference, explores=explores)


@click.command()
@click.argument("file", type=FILE)
@source_options
@part_options
@click.option("--format", "format_", type=click.Choice(["jsonl", "csv", "chat"]), default="jsonl", show_default=True,
              help="Everything as JSON Lines, as columns, or prompt and response.")  # fmt: skip
@click.option("--min-posterior", type=click.FloatRange(0, 1), default=0.0, help="Leave out labels less sure than this.")
@click.option("-o", "--output", type=FILE, help="A file; by default stdout.")
def export(file: Path, source: Source, part: Part, format_: str, min_posterior: float, output: Path | None) -> None:
    """The labels of FILE joined with the text of their problems: a training set for any model.

    \b
    mwp-weak export labels.jsonl --format chat --min-posterior 0.9 -o train.jsonl
    mwp-weak export labels.jsonl --format csv --split train -o train.csv
    """
    from weaksup.export import export_bytes, join_labels
    from weaksup.files import read_records, whole_file
    from weaksup.labels import filter_labels
    from weaksup.records import Label

    corpus = source.behind(file).read()
    chosen = {problem.id for problem in part.problems(corpus)[0]}
    labels = list(read_records(file, Label))
    sure = filter_labels(labels, posterior=min_posterior)
    examples = [example for example in join_labels(sure, corpus.problems) if example.id in chosen]
    pieces = export_bytes(examples, format_)
    if output is None:
        sys.stdout.buffer.writelines(pieces)
    else:
        with whole_file(output) as out:
            out.writelines(pieces)
    warn(f"{len(examples):,} of {len(labels):,} labels")
