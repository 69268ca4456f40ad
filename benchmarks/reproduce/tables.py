"""Which tables there are and which runs each needs, and how a table is written: NAME.json and NAME.md.

The same runs give the same bytes: no time and no folder of the machine is in the files.  Which runs were read from
their records is said in both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mathcanon.files import whole_file
from weaksup.storage.run_files import DRAFT

from .answer_tables import (
    PAPER_RUNS,
    ablation,
    baselines,
    cross_validation,
    main_results,
    oracle_test,
    published_curve,
)
from .cells import Part, Table, markdown
from .folders import write
from .label_tables import by_quantities, equation_accuracy
from .place import SEEDS, Place
from .records import Records, RunRecord, known_run
from .runs import BEAM, EQUAL, RUNS, with_needs
from .search_tables import candidate_distribution, case_study, recall, search_space, search_statistics

__all__ = ["TABLES", "TableOf", "known_runs", "runs_of", "write_table"]

_SEARCHES = ("search-released", "search-paper", "search-full")
_PAPER_METHOD = tuple(PAPER_RUNS.values())
_BASELINES = ("lbf", "lbf-memory", "warm", "warm-beam")


class TableOf(NamedTuple):
    """What fills a table, and the runs that it reads."""

    fill: Callable[[Records], Table]
    runs: tuple[str, ...] = ()


#: Every table by its name.
TABLES = {
    "search-space": TableOf(search_space),
    "search-statistics": TableOf(search_statistics, _SEARCHES),
    "recall": TableOf(recall, (*_SEARCHES, "lbf")),
    "candidate-distribution": TableOf(candidate_distribution, _SEARCHES),
    "case-study": TableOf(case_study, _SEARCHES),
    "main-results": TableOf(
        main_results,
        (
            *("middle-gts-em", "middle-gts-gold", "middle-gts-paper", "published-gts"),
            *_BASELINES,
            *("middle-g2t-em", "middle-g2t-gold", "middle-g2t-gold-published", "middle-g2t-paper"),
            *("warm-g2t", "warm-beam-g2t"),
        ),
    ),
    "published-curve": TableOf(published_curve, ("published-gts",)),
    "ablation": TableOf(ablation, (*_PAPER_METHOD, "middle-gts-em", "middle-gts-gold", EQUAL)),
    "equation-accuracy": TableOf(equation_accuracy, (*_SEARCHES, *_PAPER_METHOD, "em-labels", EQUAL)),
    "by-quantities": TableOf(by_quantities, ("middle-gts-paper", "em-labels", "middle-gts-em", "lbf")),
    "baselines": TableOf(baselines, _BASELINES),
    "oracle-test": TableOf(
        oracle_test,
        (*_PAPER_METHOD, "middle-gts-em", "middle-gts-gold", "middle-g2t-em", "middle-g2t-gold", EQUAL),
    ),
    "cross-validation": TableOf(cross_validation, ("folds-em", "folds-paper", "folds-lbf-memory")),
}


def runs_of(table: str) -> list[str]:
    """The runs of a table with those that they need, each after what it needs."""
    return with_needs(TABLES[table].runs)


def known_runs(table: str, places: Sequence[Place], results: Path, *, fresh: bool = False) -> Records:
    """The runs of a table and those that they need, each with the seeds of the places that are known of it.

    A run of which no seed is known stands once, without figures (see `known_run`).
    """
    known = {}
    for run in runs_of(table):
        every = [known_run(place, run, results, fresh=fresh) for place in (places if RUNS[run].seeded else places[:1])]
        known[run] = [one for one in every if one.figures] or every[:1]
    return known


def write_table(name: str, places: Sequence[Place], folder: Path, *, fresh: bool = False) -> str:
    """Fill a table from what is known, write its files; the Markdown.

    What is known is in the places or was recorded in the folder earlier; `fresh` takes nothing recorded.
    """
    records = known_runs(name, places, folder, fresh=fresh)
    table = TABLES[name].fill(records)
    runs = [run for same in records.values() for run in same]  # of each seed
    seeds = sorted({place.seed for place in places})
    command = f"python benchmarks/reproduce {name}"
    if seeds != [*SEEDS]:
        command += "".join(f" --seed {seed}" for seed in seeds)
    shown = _page(name, table, runs, command)
    record = {
        "table": name,
        "title": table.title,
        "paper": table.paper,
        "data": "math23k",
        "split": table.split,
        "seeds": seeds,
        "beam": BEAM,
        "command": command,
        "parts": [_record(part) for part in table.parts],
        "notes": table.notes,
        "runs": [{"recorded": run.recorded, **msgspec.structs.asdict(run.facts)} for run in runs],
    }
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / f"{name}.json", record)
    _write_text(folder / f"{name}.md", shown)
    if table.figure is None:
        (folder / f"{name}.svg").unlink(missing_ok=True)
    else:
        _write_text(folder / f"{name}.svg", table.figure)
    return shown


def _record(part: Part) -> dict[str, Any]:
    """A part as the JSON file has it: each cell under its head."""
    rows = [
        {"name": row.name, "run": row.run, "arm": row.arm, "cells": dict(zip(part.head[1:], row.cells, strict=True))}
        for row in part.rows
    ]
    return {"title": part.title, "rows": rows}


def _page(name: str, table: Table, runs: Sequence[RunRecord], command: str) -> str:
    """The table as Markdown, with a line below that says how it was made."""
    blocks = [f"{table.title} (`{table.paper}`)", *[markdown(part) for part in table.parts]]
    if table.figure is not None:
        blocks.append(f"![{table.title}]({name}.svg)")
    blocks += [*table.notes, *_standard_error(table), _made(runs, command)]
    return "\n\n".join(blocks) + "\n"


def _standard_error(table: Table) -> list[str]:
    """One line for all accuracies that were measured."""
    errors = [c.standard_error for part in table.parts for row in part.rows for c in row.cells if c.standard_error]
    if not errors:
        return []
    least, most = min(errors), max(errors)
    between = f"{least:.1f}" if f"{least:.1f}" == f"{most:.1f}" else f"{least:.1f} to {most:.1f}"
    return [f"The binomial standard error of our answer accuracies is {between} points; the JSON file has each."]


def _made(runs: Sequence[RunRecord], command: str) -> str:
    """Seeds, budget, CPU time and command in one line; which runs were read from records, and which are missing."""
    if not runs:
        return f"Nothing to run. `{command}`"
    said = []
    facts = [run.facts for run in runs]
    seeds = sorted({run.facts.seed for run in runs if RUNS[run.facts.run].seeded and run.figures})
    if seeds:
        said.append(("Seed " if len(seeds) == 1 else "Seeds ") + ", ".join(map(str, seeds)))
    budgets = dict.fromkeys(
        f"preset `{run.preset}` ({model.solver}, hidden {model.hidden}, {model.epochs:g} epochs)"
        for run in facts
        for model in run.models
        if not model.folder.startswith(f"{DRAFT}/")
    )
    if budgets:
        said += [*budgets, f"beam {BEAM}"]
    known = [run.cpu_seconds for run in facts if run.cpu_seconds is not None]
    if known:
        said.append(f"{sum(known) / 60:,.1f} CPU minutes")
    recorded = [run.facts.name for run in runs if run.recorded]
    if recorded:
        said.append(f"recorded earlier: {', '.join(recorded)}")
    missing = dict.fromkeys(run.run for run in facts if run.state != "done")
    if missing:
        said.append(f"not run, or in part: {', '.join(missing)}")
    return "; ".join([*said, f"`{command}`"])


def _write_text(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode())
