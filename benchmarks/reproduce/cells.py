"""A table with the paper's figures beside ours, as JSON and as Markdown.

A cell is what is shown and the number behind it, so that readers of either file see the same.  Figures of several
seeds are shown as mean and sample deviation, with the number of seeds in brackets.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

import msgspec

from .figures import figure_name
from .records import RunRecord

__all__ = [
    "NOTHING",
    "NOT_RUN",
    "Cell",
    "Part",
    "Row",
    "Table",
    "accuracy",
    "count",
    "first_count",
    "markdown",
    "mean_cell",
    "number",
    "paper",
    "percent",
]


class Cell(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is shown, and the number; of several seeds their mean and each of them."""

    shown: str
    value: float | int | None = None
    seeds: tuple[float, ...] = ()
    standard_error: float | None = None  # binomial, in points


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a table, and where our figures in it come from."""

    name: str
    cells: tuple[Cell, ...]
    run: str | None = None
    arm: str | None = None  # of a run with several


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Rows under one head."""

    title: str = ""
    head: tuple[str, ...]  # the first is that of the names
    rows: tuple[Row, ...]


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the paper, done again."""

    title: str
    paper: str  # its label there
    split: str
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    figure: str | None = None  # SVG


NOT_RUN, NOTHING = Cell(shown="not run"), Cell(shown="-")


def number(value: float) -> Cell:
    """A number with one decimal, no percent."""
    return Cell(shown=f"{value:,.1f}", value=value)


def count(value: int) -> Cell:
    return Cell(shown=f"{value:,}", value=value)


def paper(value: float | int | None, spread: float | None = None) -> Cell:
    """A figure of the paper as it stands there; a dash where it has none."""
    if value is None:
        return NOTHING
    shown = f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
    return Cell(shown=shown if spread is None else f"{shown} ± {spread:.1f}", value=value)


def first_count(runs: Sequence[RunRecord], figure: str) -> Cell:
    """A count, of several seeds that of the first that has it."""
    values = (value for run in runs if (value := run.figures.get(figure)) is not None)
    value = next(values, None)
    return NOT_RUN if value is None else count(int(value))


def percent(runs: Sequence[RunRecord], figure: str, *, problems: str | None = None) -> Cell:
    """A percent of each seed that has it; with `problems`, a figure too, its standard error for so many."""
    measured = [run.figures for run in runs if figure in run.figures]
    if not measured:
        return NOT_RUN
    values = tuple(value for figures in measured if (value := figures[figure]) is not None)
    if len(values) < len(measured):
        return NOTHING  # there is nothing to divide by
    return mean_cell(values, problems=measured[0].get(problems) if problems else None)


def mean_cell(values: Sequence[float], *, problems: float | None = None) -> Cell:
    """Percents of several runs, or of one; with the standard error for so many problems."""
    mean, several = fmean(values), len(values) > 1
    return Cell(
        shown=f"{mean:.1f} ± {stdev(values):.1f} ({len(values)})" if several else f"{mean:.1f}",
        value=round(mean, 4),
        seeds=tuple(values) if several else (),
        standard_error=round(sqrt(mean * (100 - mean) / problems), 2) if problems else None,
    )


def accuracy(runs: Sequence[RunRecord], name: str, *, size: str | None = None) -> Cell:
    """The answer accuracy of solvers, one a seed, with its standard error; of all problems or those of a size."""
    return percent(runs, figure_name(name, size), problems=figure_name(name, "problems", size))


def markdown(part: Part) -> str:
    """A part as a Markdown table; columns of numbers are right-aligned."""
    columns = zip(*[row.cells for row in part.rows], strict=True)
    rules = ["---:" if _is_numeric(column) else "---" for column in columns]
    lines = [
        part.head,
        ["---", *rules] if part.rows else ["---"] * len(part.head),
        *[[row.name, *[cell.shown for cell in row.cells]] for row in part.rows],
    ]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{part.title}:\n\n{table}" if part.title else table


def _is_numeric(column: Sequence[Cell]) -> bool:
    """Whether a column has nothing but numbers and what stands for a missing one."""
    missing = (NOTHING.shown, NOT_RUN.shown)
    return all(cell.value is not None or cell.shown in missing or cell.shown[:1].isdigit() for cell in column)
