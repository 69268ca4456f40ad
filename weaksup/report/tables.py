"""The numbers of a run as tables: what stands in each cell, and by what it is sorted.

A cell is its text and a number to sort by (None: its text).  The paper's figures are columns of their own, and are
left out where the data are not Math23K.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..oracle import Score
from ..oracle_tables import Table as OracleTable
from ..oracle_tables import search_table, stage_table
from ..published import ARM_ANSWERS, ARM_LABELS, ARM_MULTIPLE, CANDIDATES_ALL, CANDIDATES_MULTIPLE, CANDIDATES_SINGLE
from ..run_folder import Arm, ArmRun, Bin, Metrics
from .by_size import size_rows
from .charts import Line
from .numbers_text import NOTHING, Spread, count_text, percent, spread_of, step_text

__all__ = [
    "Cell",
    "Table",
    "ablation_table",
    "calibration_table",
    "config_rows",
    "label_table",
    "line_table",
    "search_tables",
    "size_table",
    "value_table",
]

PAPER = "paper (Math23K)"

_PLAIN_NAMES = {
    "single": "one candidate",
    "multiple": "several candidates",
    "largest": "largest set of candidates",
    "no-match": "nothing found",
    "nothing found, gold has a power": "nothing found, and gold has a power",
}


class Cell(NamedTuple):
    """A cell: what is read, what it is sorted by, and a second line in small letters."""

    text: str
    sort: float | None = None
    note: str = ""


class Table(NamedTuple):
    """A table; the first column names the rows, the others hold numbers."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""


def search_tables(score: Score, *, paper: bool) -> list[Table]:
    """The paper's search statistics, and by which stage problems were covered."""
    tables = [_from_oracle(search_table(score, paper=paper), "Problems")]
    note = "Problems by the stage that found their simplest candidate, and by the stage that found the gold equation."
    return [*tables, _from_oracle(stage_table(score), "Stages", note)] if score.stages else tables


def _from_oracle(table: OracleTable, title: str, note: str = "") -> Table:
    """The oracle's tables are made for a terminal: ints, and text for shares."""
    head = tuple([name.replace("paper", PAPER) or "which" for name in table.head])
    rows = [(Cell(_PLAIN_NAMES.get(str(row[0]), str(row[0]))), *map(_plain, row[1:])) for row in table.rows]
    return Table(title, head, rows, note)


def _plain(cell: int | str) -> Cell:
    if isinstance(cell, int):
        return Cell(count_text(cell), cell)
    try:
        return Cell(cell, float(cell))
    except ValueError:
        return Cell(NOTHING if cell == "-" else cell)


def size_table(candidates: Score | None, runs: Sequence[ArmRun]) -> Table:
    """Recall, gold in set and accuracies by number of quantities, means over the runs."""
    rows = [
        (
            Cell(row.size),
            _count(row.train),
            _share(row.recall),
            _share(row.gold_in_set),
            *map(_spread_share, (row.micro, row.macro)),
            _count(row.tested),
            *map(_spread_share, (row.answers, row.equations)),
        )
        for row in size_rows(candidates, runs)
    ]
    head = ("quantities", "train problems", "recall %", "gold in set %", "labels right, micro %", "macro %")
    return Table("By number of quantities", (*head, "problems tested", "answers right %", "equations right %"), rows)


def ablation_table(arms: Sequence[Arm], *, paper: bool) -> Table:
    """The arms beside each other, the first of them the main one; what matters most stands first."""
    rows = []
    for arm in arms:
        tests = [run.evaluation for run in arm.runs]
        row = (
            Cell(arm.name, note=arm.about),
            _spread_share(spread_of([test.answer_accuracy for test in tests])),
            _published(ARM_ANSWERS.get(arm.name)),
            _spread_share(spread_of([test.equation_accuracy for test in tests])),
            _spread_count(spread_of([test.false_matches for test in tests])),
            _spread_share(spread_of([run.oracle.micro if run.oracle else None for run in arm.runs])),
            _spread_count(spread_of([run.labels for run in arm.runs])),
            _spread_count(spread_of([run.changed for run in arm.runs])),
            _count(len(arm.runs)),
        )
        rows.append(row if paper else row[:2] + row[3:])
    answers = ("arm", "answers right %", *((f"{PAPER}, GTS, test answers %",) if paper else ()))
    others = ("equations right %", "false matches", "labels right %", "labels", "labels changed", "runs")
    several = any(len(arm.runs) > 1 for arm in arms)
    note = "Mean ± sample standard deviation over the runs. " if several else ""
    note += "A false match is a right answer by a wrong equation; changed labels differ from the text-free pick."
    return Table("Arms", (*answers, *others), rows, note)


def label_table(metrics: Metrics, *, paper: bool) -> Table:
    """Micro equation accuracy of candidates and of each arm's labels, problems with one and with several apart."""
    rows: list[tuple[Cell, ...]] = []
    if score := metrics.candidates:
        shares = (score.micro_single, score.micro_multiple, score.micro, score.macro)
        row: tuple[Cell, ...] = (Cell("all candidates", note="before any choice"), *map(_share, shares))
        published = (_published(CANDIDATES_SINGLE), _published(CANDIDATES_MULTIPLE), _published(CANDIDATES_ALL))
        rows.append((*row, *published) if paper else row)
    for arm in metrics.arms:
        scores = [run.oracle for run in arm.runs if run.oracle]
        if not scores:
            continue
        row = (
            Cell(arm.name),
            _spread_share(spread_of([score.micro_single for score in scores])),
            _spread_share(spread_of([score.micro_multiple for score in scores])),
            _spread_share(spread_of([score.micro for score in scores])),
            _spread_share(spread_of([score.macro for score in scores])),
        )
        published = (Cell(NOTHING), _published(ARM_MULTIPLE.get(arm.name)), _published(ARM_LABELS.get(arm.name)))
        rows.append((*row, *published) if paper else row)
    head = ("labels of", "one candidate %", "several %", "all, micro %", "all, macro %")
    last = (f"{PAPER}: one %", f"{PAPER}: several %", f"{PAPER}: all %") if paper else ()
    note = "Right means equivalent to the gold equation. Macro counts a problem without a label as wrong."
    return Table("Labels against gold", (*head, *last), rows, note)


def calibration_table(bins: Sequence[Bin]) -> Table:
    rows = [
        (
            Cell(f"{step_text(bin.low)} to {step_text(bin.high)}", bin.low),
            _count(bin.labels),
            Cell(f"{bin.posterior:.3f}", bin.posterior),
            _share(bin.right),
        )
        for bin in bins
    ]
    return Table("Posterior and truth", ("posterior", "labels", "mean posterior", "right %"), rows)


def line_table(title: str, x: str, lines: Sequence[Line], *, shares: bool, names: Sequence[str] = ()) -> Table:
    """The points of a line chart, one column a line; `names` are those of the places 0, 1, 2..."""
    values = [dict(line.points) for line in lines]
    steps = sorted({step for found in values for step in found})
    rows = [
        (
            Cell(names[int(step)] if names else count_text(step), step),
            *[_share(found.get(step)) if shares else _decimal(found.get(step)) for found in values],
        )
        for step in steps
    ]
    return Table(title, (x, *[f"{line.name} %" if shares else line.name for line in lines]), rows)


def value_table(title: str, head: tuple[str, str], values: Iterable[tuple[str, float, str]]) -> Table:
    """Names with a value each, as a bar chart has them; sorted by the order given."""
    return Table(title, head, [(Cell(name, i), Cell(text, value)) for i, (name, value, text) in enumerate(values)])


def config_rows(config: Mapping[str, Any], place: str = "") -> list[tuple[str, str]]:
    """Every setting as (key.key, value).

    >>> config_rows({"data": "stories", "limit": None, "solver": {"hidden": 64}})
    [('data', 'stories'), ('limit', 'not set'), ('solver.hidden', '64')]
    """
    rows: list[tuple[str, str]] = []
    for key, value in config.items():
        name = f"{place}{key}"
        if isinstance(value, Mapping) and value:
            rows += config_rows(value, f"{name}.")
        elif isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value) and value:
            for i, item in enumerate(value):
                rows += config_rows(item, f"{name}[{i}].")
        else:
            rows.append((name, _setting(value)))
    return rows


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)


def _count(value: float | None) -> Cell:
    return Cell(count_text(value), value)


def _share(value: float | None) -> Cell:
    return Cell(percent(value), value)


def _decimal(value: float | None) -> Cell:
    return Cell(NOTHING if value is None else f"{value:.3f}", value)


def _published(value: float | None) -> Cell:
    return Cell(NOTHING if value is None else f"{value:.1f}", value)


def _spread_share(spread: Spread) -> Cell:
    return Cell(spread.percent, spread.mean)


def _spread_count(spread: Spread) -> Cell:
    return Cell(spread.count, spread.mean)
