"""`mwp-weak rank` and `export`: labels from candidates, and training data from labels."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from ._options import FILE, Part, Source, json_option, part_options, source_options
from ._output import print_json, warn

__all__ = ["export", "rank"]


@click.command()
@click.argument("file", type=FILE)
@click.option("--ranker", default="em", show_default=True, metavar="NAME", help="em, random or single.")
@click.option("--model", type=click.Path(path_type=Path), help="The solver that the rankers basic and beam need.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the ranker random.")
@click.option("-o", "--output", type=FILE, default="labels.jsonl", show_default=True, help="JSON Lines, or .gz.")
@json_option
def rank(file: Path, ranker: str, model: Path | None, seed: int, output: Path, as_json: bool) -> None:
    """One label for each problem of FILE (candidates), with its posterior: JSON Lines.

    em: the templates that explain the whole corpus best, reading neither text nor gold; random: any candidate;
    single: problems with one candidate only.

    \b
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker single -o labels.jsonl
    """
    from weaksup.ranking import rank_file

    if model is not None or ranker in ("basic", "beam"):
        raise click.ClickException("rankers with a model (basic, beam) are not yet there; use em, random or single")
    start = time.monotonic()
    made, labels = rank_file(file, output, ranker=ranker, seed=seed)
    sure = sum(label.posterior > 0.9 for label in labels)
    if as_json:
        result = {"output": str(output), "ranker": ranker, **made.counts, "posterior_above_0.9": sure}
        print_json({**result, "seconds": round(time.monotonic() - start, 3)})
        return
    click.echo(f"{output}: {len(labels):,} labels for {made.counts['problems']:,} problems by {ranker}, ", nl=False)
    click.echo(f"{sure:,} with a posterior above 0.9")


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
