"""`python benchmarks/reproduce TABLE`: do what is missing of the runs of a table, then write it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from measure import machine

from weaksup.errors import WeakSupError

from .folders import RunFacts, run_facts
from .place import HERE, Place
from .runner import RunFailed, ensure_run
from .runs import RUNS
from .tables import TABLES, runs_of, write_table

__all__ = ["main"]

RESULTS = HERE.parent / "results" / "reproduce"
_FOLDER = click.Path(file_okay=False, path_type=Path)
_INTERRUPTED = 130


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("table", type=click.Choice([*TABLES, "all", "list"]))
@click.option("--work", type=_FOLDER, default="build/reproduce", show_default=True, help="Where the runs are kept.")
@click.option("--data", type=_FOLDER, default=lambda: os.environ.get("MATHCANON_DATA", "../shared/data"),
              help="The folder with math23k/ in it.  [default: MATHCANON_DATA, else ../shared/data]")  # fmt: skip
@click.option("--no-run", is_flag=True, help="Start nothing: fill the table from what is there or recorded.")
@click.option("--fresh", is_flag=True, help="Take nothing from the records of runs that are not there any more.")
@click.option("--only", multiple=True, type=click.Choice(list(RUNS)), metavar="RUN",
              help="Start this run (and those that it needs), not all of the table; may be repeated.")  # fmt: skip
@click.option("--seed", "seeds", multiple=True, type=click.IntRange(min=0), help="May be repeated.  [default: 0]")
@click.option(
    "--results", type=_FOLDER, default=RESULTS, help="Where tables go.  [default: benchmarks/results/reproduce]"
)
def main(
    table: str,
    work: Path,
    data: Path,
    no_run: bool,
    fresh: bool,
    only: tuple[str, ...],
    seeds: tuple[int, ...],
    results: Path,
) -> None:
    """Make a TABLE of the ComSearch paper again, or `all`; `list` says which runs each needs and what they take.

    Runs are `mwp-weak` commands, and take hours: what is done is not done again, and what was interrupted goes on.
    The table is written as JSON and as Markdown and printed; figures of runs that are not there, or only in part, are
    those that were recorded earlier (records/ beside the tables).  Start it in the folder of the repository.

    \b
    python benchmarks/reproduce search-space
    python benchmarks/reproduce main-results --only equal-gts
    python benchmarks/reproduce all --no-run
    """
    places = [Place(work, data, seed=seed) for seed in dict.fromkeys(seeds or (0,))]
    try:
        if table == "list":
            _print_list(places[0])
            return
        names = list(TABLES) if table == "all" else [table]
        failed: set[str] = set()
        if not no_run:
            failed = _run_missing(names, places, set(only))
        for name in names:
            if failed.isdisjoint(runs_of(name)):
                click.echo(write_table(name, places, results, fresh=fresh))
            else:
                click.echo(f"{name} is not written: a run of it failed", err=True)
    except KeyboardInterrupt:
        click.echo("interrupted: what was done is kept, the same command goes on from there", err=True)
        sys.exit(_INTERRUPTED)
    except (WeakSupError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    sys.exit(1 if failed else 0)


def _run_missing(tables: list[str], places: list[Place], only: set[str]) -> set[str]:
    """Do what is missing for the tables, or of those the runs `only` names; the runs that failed."""
    wanted = {run for table in tables for run in runs_of(table)}
    if only:
        wanted &= only | {need for run in only for need in RUNS[run].needs}
    failed: set[str] = set()
    commit = machine()["commit"]
    for place in places:
        for run in [run for run in RUNS if run in wanted]:  # each after those that it needs
            lacking = [need for need in RUNS[run].needs if need in failed]
            if lacking:
                click.echo(f"error: run {run} is not started: it needs {', '.join(lacking)}", err=True)
                failed.add(run)
                continue
            try:
                ensure_run(run, place, commit=commit, say=lambda line: click.echo(line, err=True))
            except RunFailed as error:
                click.echo(f"error: {error}", err=True)
                failed.add(run)
    return failed


def _print_list(place: Place) -> None:
    click.echo("Tables, and the runs that they need:")
    for name in TABLES:
        click.echo(f"  {name:<18} {', '.join(runs_of(name)) or 'none'}")
    click.echo(f"\nRuns in {place.work}, with CPU minutes:")
    for run, about in RUNS.items():
        facts = run_facts(place, run)
        click.echo(f"  {run:<16} {facts.state:<8} {_minutes(facts):>12}  {about.about}")


def _minutes(facts: RunFacts) -> str:
    """What it took here; before that what it took or should take on the machine of the documentation."""
    if facts.cpu_seconds is not None:
        return f"{facts.cpu_seconds / 60:,.1f}"
    takes = RUNS[facts.run].takes
    return "not measured" if takes is None else f"about {takes:g}"
