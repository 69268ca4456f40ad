"""`mwp-weak search`: every equation that gives the answer."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from ._options import FILE, Source, json_option, source_options
from ._output import Progress, print_json, warn

__all__ = ["search"]


@click.command()
@source_options
@click.option("-o", "--output", type=FILE, default="candidates.jsonl", show_default=True, help="JSON Lines, or .gz.")
@click.option(
    "--plan", default="full", show_default=True, metavar="PLAN", help="full, paper, powers, released, or a .toml file."
)
@click.option("--limit", type=click.IntRange(min=1), help="Keep the simplest so many candidates of a problem.")
@click.option("--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True,
              help="Processes of this machine, or a Dask cluster.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="How many processes; by default one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster; without it, Dask runs on this machine.")
@click.option("--overwrite", is_flag=True, help="Replace an output that was made with other settings.")
@json_option
def search(
    source: Source,
    output: Path,
    plan: str,
    limit: int | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Every equation that gives the answer, for each problem: JSON Lines of candidate sets.

    Interrupted and run again with the same options, it goes on where it stopped.  The output is the same whatever
    the number of workers.  --limit keeps the simplest: fewest leaves, then the earlier stage of the plan, then the
    shorter text, then by alphabet.

    \b
    mwp-weak search --size 100 -o candidates.jsonl
    mwp-weak search --data math23k --path Math_23K.json.gz --plan paper -o candidates.jsonl
    mwp-weak search --engine dask --scheduler tcp://10.0.0.1:8786 -o candidates.jsonl
    """
    from weaksup.search.plans import load_plan
    from weaksup.search.run import parts_folder, run_search

    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler is for --engine dask")
    chosen = load_plan(plan)
    corpus = source.read()
    start = time.monotonic()
    with Progress("problems") as progress:
        try:
            made = run_search(
                corpus,
                chosen,
                output,
                workers=workers or _cores(),
                engine="dask" if engine == "dask" else "local",
                scheduler=scheduler,
                limit=limit,
                options=source.options,
                source=source.path,
                overwrite=overwrite,
                progress=progress,
            )
        except KeyboardInterrupt:
            if parts_folder(output).is_dir():
                warn(f"what is finished is in {parts_folder(output)}: the same command goes on from there")
            raise
    if not progress.called:
        warn(f"{output} is complete already: nothing to do")
    seconds = time.monotonic() - start
    counts = made.counts
    if as_json:
        skipped = corpus.skipped_by_reason
        result = {"output": str(output), "data": corpus.name, "plan": chosen.name, **counts, "skipped": skipped}
        print_json({**result, "seconds": round(seconds, 3)})
        return
    share = counts["covered"] / max(1, counts["problems"])
    click.echo(f"{output}: {corpus.name}, plan {chosen.name}")
    click.echo(f"{counts['problems']:,} problems, {counts['covered']:,} covered ({share:.1%}), ", nl=False)
    click.echo(f"{counts['single']:,} with one candidate, {counts['covered'] - counts['single']:,} with several")
    click.echo(f"{counts['candidates']:,} candidates, largest set {counts['largest']:,}")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
