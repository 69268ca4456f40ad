"""`python benchmarks/reproduce`: do what is missing of the runs of a table, then write it; or a queue of runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from weaksup.errors import WeakSupError
from weaksup.search.executors import available_cores

from .folders import RunFacts, run_facts
from .place import HERE, SEEDS, Place
from .records import known_run
from .run_queue import QUEUE, Task, missing_tasks, run_queue
from .runner import RunFailed, ensure_run
from .runs import RUNS, with_needs
from .tables import TABLES, runs_of, write_table

__all__ = ["main"]

RESULTS = HERE.parent / "results" / "reproduce"
_FOLDER = click.Path(file_okay=False, path_type=Path)
_INTERRUPTED = 130


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "what", type=click.Choice([*TABLES, *RUNS, "all", "list"]), required=False, metavar="[TABLE|RUN|all|list]"
)
@click.option("--queue", is_flag=True, help="Do all runs that are missing, the most valuable first.")
@click.option("--cores", type=click.IntRange(min=1), help="Runs of the queue at a time.  [default: one per core]")
@click.option("--work", type=_FOLDER, default="build/reproduce", show_default=True, help="Where the runs are kept.")
@click.option("--data", type=_FOLDER, default=lambda: os.environ.get("MATHCANON_DATA", "../shared/data"),
              help="The folder with math23k/ in it.  [default: MATHCANON_DATA, else ../shared/data]")  # fmt: skip
@click.option("--no-run", is_flag=True, help="Start nothing: fill the table from what is there or recorded.")
@click.option("--fresh", is_flag=True, help="Take nothing from the records of runs that are not there any more.")
@click.option("--only", multiple=True, type=click.Choice(list(RUNS)), metavar="RUN",
              help="Start this run (and those that it needs), not all of the table; may be repeated.")  # fmt: skip
@click.option("--seed", "seeds", multiple=True, type=click.IntRange(min=0),
              help="May be repeated.  [default: run 0, show 0, 1 and 2]")  # fmt: skip
@click.option(
    "--results", type=_FOLDER, default=RESULTS, help="Where tables go.  [default: benchmarks/results/reproduce]"
)
def main(
    what: str | None,
    queue: bool,
    cores: int | None,
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
    those that were recorded earlier (records/ beside the tables).  The name of a RUN does that run with those that it
    needs, and records them; --queue does every run that is missing, one on each core.  Start it in the folder of the
    repository.

    \b
    python benchmarks/reproduce search-space
    python benchmarks/reproduce main-results --only equal-gts
    python benchmarks/reproduce middle-gts-em --seed 1
    python benchmarks/reproduce --queue
    python benchmarks/reproduce --queue --no-run
    python benchmarks/reproduce all --no-run
    """
    if queue == (what is not None):
        raise click.UsageError("name a table or a run, or give --queue")
    run, shown = ([Place(work, data, seed=seed) for seed in dict.fromkeys(seeds or by)] for by in ((0,), SEEDS))
    try:
        if queue:
            good = _do_queue(run[0], results, cores=cores or available_cores(), start=not no_run)
        elif what == "list":
            _print_list(run[0])
            good = True
        elif what in RUNS:
            good = _do_run(what, run, results, start=not no_run)
        else:
            names = list(TABLES) if what == "all" else [str(what)]
            failed = set() if no_run else _run_missing(names, run, set(only))
            for name in names:
                if failed.isdisjoint(runs_of(name)):
                    click.echo(write_table(name, shown, results, fresh=fresh))
                else:
                    click.echo(f"{name} is not written: a run of it failed", err=True)
            good = not failed
    except KeyboardInterrupt:
        click.echo("interrupted: what was done is kept, the same command goes on from there", err=True)
        sys.exit(_INTERRUPTED)
    except (WeakSupError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    sys.exit(0 if good else 1)


def _run_missing(tables: list[str], places: list[Place], only: set[str]) -> set[str]:
    """Do what is missing for the tables, or of those the runs `only` names; the runs that failed."""
    wanted = {run for table in tables for run in runs_of(table)}
    if only:
        wanted &= {*with_needs(only)}
    return _ensure(wanted, places)


def _ensure(wanted: set[str], places: list[Place]) -> set[str]:
    """Do what is missing of the runs with each seed; the runs that failed."""
    failed: set[str] = set()
    for place in places:
        for run in [run for run in RUNS if run in wanted]:  # each after those that it needs
            lacking = [need for need in RUNS[run].needs if need in failed]
            if lacking:
                click.echo(f"error: run {run} is not started: it needs {', '.join(lacking)}", err=True)
                failed.add(run)
                continue
            try:
                ensure_run(run, place, say=_say)
            except RunFailed as error:
                click.echo(f"error: {error}", err=True)
                failed.add(run)
    return failed


def _do_run(run: str, places: list[Place], results: Path, *, start: bool) -> bool:
    """Do what is missing of one run and of those that it needs, and record them; whether they are done."""
    runs = with_needs([run])
    if start and _ensure({*runs}, places):
        return False
    for place in places:
        facts = [known_run(place, name, results).facts for name in runs][-1]  # `run` comes after what it needs
        click.echo(f"{facts.name}: {facts.state}, {_minutes(facts)} CPU minutes")
    return True


def _do_queue(place: Place, results: Path, *, cores: int, start: bool) -> bool:
    """Do what is missing, or say what that is; whether nothing failed."""
    tasks = missing_tasks(place, results)
    if not start:
        for task in tasks:
            takes = RUNS[task.run].takes
            click.echo(f"{task.name:<28} {'not measured' if takes is None else f'about {takes:g}':>12}")
        return True
    _say(f"{len(tasks)} runs are missing, for {len(QUEUE)} that are wanted; {cores} at a time")
    folders = ("--work", str(place.work), "--data", str(place.data), "--results", str(results))

    def command(task: Task) -> list[str]:
        return [sys.executable, str(HERE), task.run, "--seed", str(task.seed), *folders]

    def done(task: Task) -> None:
        for name in TABLES:
            write_table(name, [place._replace(seed=seed) for seed in SEEDS], results)

    return not run_queue(tasks, place, command=command, cores=cores, say=_say, done=done)


def _say(line: str) -> None:
    click.echo(line, err=True)


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
