"""`mwp-weak rank` and `export`: labels from candidates, and training data from labels."""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, Part, Source, json_option, part_options, source_options
from ._output import print_json, warn

if TYPE_CHECKING:
    from weaksup.rankers.draft import Draft

__all__ = ["export", "rank"]


@click.command()
@click.argument("file", type=FILE)
@functools.partial(source_options, own_seed=True)
@click.option("--ranker", default="em", show_default=True, metavar="NAME", help="em, beam, basic, random or single.")
@click.option("--model", type=click.Path(path_type=Path), help="The draft model of em, beam and basic.")
@click.option("--beam", type=click.IntRange(min=1), default=5, show_default=True, help="Of the ranker beam.")
@click.option("--device", default="auto", show_default=True, metavar="auto|cpu|cuda|mps", help="Where the draft runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the ranker random.")
@click.option("-o", "--output", type=FILE, default="labels.jsonl", show_default=True, help="JSON Lines, or .gz.")
@json_option
def rank(
    file: Path,
    ranker: str,
    model: Path | None,
    source: Source,
    beam: int,
    device: str,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """One label for each problem of FILE (candidates), with its posterior: JSON Lines.

    em: the templates that explain the whole corpus best, reading neither text nor gold, and with --model also what a
    draft model finds likely; basic: the candidate that the draft finds likeliest; beam: the same, with the draft's own
    right-valued equations; random: any candidate; single: problems with one candidate only.

    \b
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker single -o labels.draft.jsonl
    mwp-weak rank candidates.jsonl --ranker basic --model draft -o labels.jsonl
    """
    from weaksup.ranking import count_changed, rank_file

    start = time.monotonic()
    asked: dict[str, Any] = {}
    if model is not None:
        asked = {
            "draft": _load_draft(model, beam=beam, device=device),
            "problems": source.behind(file).read().problems,
            "settings": {"model": str(model), "beam": beam},
        }
    made, labels = rank_file(file, output, ranker=ranker, seed=seed, **asked)
    sure = sum(label.posterior > 0.9 for label in labels)
    changed = count_changed(file, labels) if model is not None else None
    if as_json:
        result = {"output": str(output), "ranker": ranker, **made.counts, "posterior_above_0.9": sure}
        print_json({**result, "changed": changed, "seconds": round(time.monotonic() - start, 3)})
        return
    click.echo(f"{output}: {len(labels):,} labels for {made.counts['problems']:,} problems by {ranker}, ", nl=False)
    click.echo(f"{sure:,} with a posterior above 0.9")
    if changed is not None:
        click.echo(f"{changed:,} of them other than the pick without a draft")


def _load_draft(model: Path, *, beam: int, device: str) -> Draft:
    from weaksup.solvers.draft import SolverDraft
    from weaksup.solvers.solver import Solver

    return SolverDraft(Solver.load(model, device=device), beam=beam)


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
