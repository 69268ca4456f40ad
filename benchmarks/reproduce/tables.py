"""Which tables there are and which runs each needs, and how a table is written: NAME.json and NAME.md.

The same runs give the same bytes: no time and no folder of the machine is in the files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from weaksup.files import whole_file
from weaksup.run_folder import DRAFT

from .answer_tables import ablation, baselines, main_results, oracle_test
from .cells import Part, Table, markdown
from .folders import RunFacts, run_facts
from .label_tables import by_quantities, equation_accuracy
from .place import Place
from .runs import BEAM, EQUAL, RUNS
from .search_tables import recall, search_space, search_statistics

__all__ = ["TABLES", "TableOf", "facts_of", "runs_of", "write_table"]

_SEARCHES = ("search-released", "search-paper", "search-full")
_BASELINES = ("lbf", "lbf-memory", "warm", "warm-beam")


class TableOf(NamedTuple):
    """What fills a table, and the runs that it reads."""

    fill: Callable[[Sequence[Place]], Table]  # a place for each seed
    runs: tuple[str, ...] = ()


#: Every table by its name.
TABLES = {
    "search-space": TableOf(search_space),
    "search-statistics": TableOf(search_statistics, _SEARCHES),
    "recall": TableOf(recall, (*_SEARCHES, "lbf")),
    "main-results": TableOf(
        main_results,
        (
            EQUAL,
            "long-gts-em",
            "long-gts-gold",
            *_BASELINES,
            "equal-g2t-em",
            "equal-g2t-gold",
            "warm-g2t",
            "warm-beam-g2t",
        ),
    ),
    "ablation": TableOf(ablation, (EQUAL,)),
    "equation-accuracy": TableOf(equation_accuracy, (*_SEARCHES, EQUAL)),
    "by-quantities": TableOf(by_quantities, (EQUAL, "lbf")),
    "baselines": TableOf(baselines, _BASELINES),
    "oracle-test": TableOf(oracle_test, (EQUAL,)),
}


def runs_of(table: str) -> list[str]:
    """The runs of a table with those that they need, each after what it needs."""
    wanted = set(TABLES[table].runs)
    wanted |= {need for run in wanted for need in RUNS[run].needs}
    return [run for run in RUNS if run in wanted]


def facts_of(runs: Sequence[str], places: Sequence[Place]) -> list[RunFacts]:
    """How the runs were made, for each seed; those without a seed once."""
    return [run_facts(place, run) for run in runs for place in (places if RUNS[run].seeded else places[:1])]


def write_table(name: str, places: Sequence[Place], folder: Path) -> str:
    """Fill a table from what is there, write its files; the Markdown."""
    table = TABLES[name].fill(places)
    facts = facts_of(runs_of(name), places)
    seeds = sorted({place.seed for place in places})
    command = f"python benchmarks/reproduce {name}" + "".join(f" --seed {seed}" for seed in seeds if seeds != [0])
    shown = _page(name, table, facts, seeds, command)
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
        "runs": facts,
    }
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / f"{name}.json", msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
    _write(folder / f"{name}.md", shown.encode())
    if table.figure is None:
        (folder / f"{name}.svg").unlink(missing_ok=True)
    else:
        _write(folder / f"{name}.svg", table.figure.encode())
    return shown


def _record(part: Part) -> dict[str, Any]:
    """A part as the JSON file has it: each cell under its head."""
    rows = [
        {"name": row.name, "run": row.run, "arm": row.arm, "cells": dict(zip(part.head[1:], row.cells, strict=True))}
        for row in part.rows
    ]
    return {"title": part.title, "rows": rows}


def _page(name: str, table: Table, facts: Sequence[RunFacts], seeds: Sequence[int], command: str) -> str:
    """The table as Markdown, with a line below that says how it was made."""
    blocks = [f"{table.title} (`{table.paper}`)", *[markdown(part) for part in table.parts]]
    if table.figure is not None:
        blocks.append(f"![{table.title}]({name}.svg)")
    blocks += [*table.notes, *_standard_error(table), _made(facts, seeds, command)]
    return "\n\n".join(blocks) + "\n"


def _standard_error(table: Table) -> list[str]:
    """One line for all accuracies that were measured."""
    errors = [c.standard_error for part in table.parts for row in part.rows for c in row.cells if c.standard_error]
    if not errors:
        return []
    least, most = min(errors), max(errors)
    between = f"{least:.1f}" if f"{least:.1f}" == f"{most:.1f}" else f"{least:.1f} to {most:.1f}"
    return [f"Standard error of the answer accuracies here (binomial): {between} points; the JSON file has each."]


def _made(facts: Sequence[RunFacts], seeds: Sequence[int], command: str) -> str:
    """Seeds, budget, CPU time and command in one line, and which runs are missing."""
    if not facts:
        return f"Nothing to run. `{command}`"
    said = []
    if any(RUNS[run.run].seeded for run in facts):
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
    missing = dict.fromkeys(run.run for run in facts if run.state != "done")
    if missing:
        said.append(f"not run, or in part: {', '.join(missing)}")
    return "; ".join([*said, f"`{command}`"])


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)
