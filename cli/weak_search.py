"""`mwp-weak search`: find every equation that gives the answer."""

from __future__ import annotations

import time
from pathlib import Path

import click

from weaksup.settings import Count, Workers

from ._arguments import in_range
from ._options import FILE, Source, json_option, memory_option, source_options
from ._output import print_json, print_limited
from ._progress import Progress
from ._terminal import echo, warn

__all__ = ["search"]


@click.command()
@source_options
@click.option("-o", "--output", type=FILE, default="candidates.jsonl", show_default=True, help="JSON Lines, or .gz.")
@click.option(
    "--plan", default="full", show_default=True, metavar="PLAN", help="full, paper, powers, released, or a .toml file."
)
@click.option("--limit", type=in_range(Count), help="Keep at most this many candidates per problem, simplest first.")
@memory_option
@click.option("--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True,
              help="Processes on this machine, or a Dask cluster.")  # fmt: skip
@click.option("--workers", type=in_range(Workers), help="Number of processes.  [default: one per core]")
@click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler.  [default: Dask on this machine]")
@click.option("--force", "--overwrite", "force", is_flag=True,
              help="Replace an output file that was made with other settings or by another program.")  # fmt: skip
@json_option
def search(
    source: Source,
    output: Path,
    plan: str,
    limit: int | None,
    memory: int | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find every equation that gives the answer of each problem, and write them as JSON Lines of candidate sets.

    After an interruption, the same command resumes where it stopped.  The output does not depend on the number of
    workers.  Candidates are sorted simplest first: by number of leaves, then by stage of the plan, then by length of
    the text, then alphabetically.

    If a stage of the plan finds more for a problem than --memory has room for, the stage is skipped for this problem.
    Such problems are listed at the end.  With --strict, the first one is an error.

    \b
    mwp-weak search --size 100 -o candidates.jsonl
    mwp-weak search --data math23k --path Math_23K.json.gz --plan paper -o candidates.jsonl
    mwp-weak search --engine dask --scheduler tcp://10.0.0.1:8786 -o candidates.jsonl
    """
    from weaksup.search.budget import DEFAULT_MEMORY
    from weaksup.search.executors import available_cores
    from weaksup.search.plans import load_plan
    from weaksup.search.search_corpus import limited_problems, parts_folder, run_search
    from weaksup.storage.provenance import check_output

    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask")
    chosen = load_plan(plan)
    corpus = source.read()
    check_output(output, inputs=[plan] if plan.endswith(".toml") else (), force=True)
    start = time.monotonic()
    with Progress("problems", waiting="(compiling, on first use)") as progress:
        try:
            made = run_search(
                corpus,
                chosen,
                output,
                workers=workers or available_cores(),
                engine="dask" if engine == "dask" else "local",
                scheduler=scheduler,
                limit=limit,
                memory=memory or DEFAULT_MEMORY,
                strict=source.strict,
                options=source.options,
                source=source.path,
                overwrite=force,
                progress=progress,
            )
        except KeyboardInterrupt:
            if parts_folder(output).is_dir():
                warn(f"finished parts are in {parts_folder(output)}: the same command resumes from there")
            raise
    if not progress.called:
        warn(f"{output} is already complete: nothing to do")
    seconds = time.monotonic() - start
    counts = made.counts
    limited = limited_problems(output) if counts.get("limited") else {}
    if as_json:
        skipped = corpus.skipped_by_reason
        result = {"output": str(output), "data": corpus.name, "plan": chosen.name, **counts, "skipped": skipped}
        print_json({**result, "limited": limited, "seconds": round(seconds, 3)})
        return
    share = counts["covered"] / max(1, counts["problems"])
    echo(f"{output}: {corpus.name}, plan {chosen.name}")
    echo(f"{counts['problems']:,} problems, {counts['covered']:,} covered ({share:.1%}), ", nl=False)
    echo(f"{counts['single']:,} with one candidate, {counts['covered'] - counts['single']:,} with several")
    echo(f"{counts['candidates']:,} candidates, largest set {counts['largest']:,}")
    print_limited(limited, where=f"the field limits in {output}")
