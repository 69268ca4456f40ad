"""The numbers of a run as the sortable tables of the page.

A cell has a text and a number to sort by (None: sort by the text).  The paper's figures have columns of their own,
which are left out unless the data are Math23K.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ..measure.calibration import Bin
from ..measure.metrics import Arm, ArmRun, Metrics
from ..measure.score import Score
from ..records import Limited
from ..storage.circumstances import Circumstances
from ..watching import duration_text
from .by_size import size_rows
from .charts import Line
from .numbers_text import NOTHING, Spread, count_text, interval_text, percent, spread_of, step_text
from .published import (
    ARM_ANSWERS,
    ARM_LABELS,
    ARM_MULTIPLE,
    CANDIDATES_ALL,
    CANDIDATES_MULTIPLE,
    CANDIDATES_SINGLE,
    CHECKER,
)
from .score_tables import TextTable, search_table, stage_table

__all__ = [
    "PageCell",
    "Table",
    "ablation_table",
    "calibration_table",
    "config_rows",
    "label_table",
    "limits_table",
    "line_table",
    "made_rows",
    "search_tables",
    "size_table",
    "tested_problems",
    "value_table",
]

PAPER = "paper (Math23K)"
INTERVALS = (
    "In small print: the 95% confidence interval of the share (Wilson), which is about the problems, not the seeds."
)

_LIMITED = 100  # problems that met a limit

_PLAIN_NAMES = {
    "single": "one candidate",
    "multiple": "several candidates",
    "largest": "largest set of candidates",
    "no-match": "nothing found",
    "nothing found, gold has a power": "nothing found, and gold has a power",
}


class PageCell(NamedTuple):
    """A cell: its text, a number to sort by, and a second line in small print."""

    text: str
    sort: float | None = None
    note: str = ""


class Table(NamedTuple):
    """A table; the first column names the rows, the others hold numbers."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[PageCell, ...]]
    note: str = ""


def search_tables(score: Score, *, paper: bool) -> list[Table]:
    """The search statistics, and the stages that found the candidates if they are known."""
    tables = [_from_oracle(search_table(score, paper=paper), "Problems")]
    note = "Problems by the stage that found their simplest candidate, and by the stage that found the gold equation."
    return [*tables, _from_oracle(stage_table(score), "Stages", note)] if score.stages else tables


def _from_oracle(table: TextTable, title: str, note: str = "") -> Table:
    """A table that was made for the terminal (counts are ints, shares are text) as a table of the page."""
    head = tuple([name.replace("paper", PAPER) or "which" for name in table.head])
    rows = [(PageCell(_PLAIN_NAMES.get(str(row[0]), str(row[0]))), *map(_plain, row[1:])) for row in table.rows]
    return Table(title, head, rows, note)


def _plain(cell: int | str) -> PageCell:
    if isinstance(cell, int):
        return PageCell(count_text(cell), cell)
    try:
        return PageCell(cell, float(cell))
    except ValueError:
        return PageCell(NOTHING if cell == "-" else cell)


def size_table(candidates: Score | None, runs: Sequence[ArmRun]) -> Table:
    """Recall, gold in set and accuracies by number of quantities; means over the runs."""
    rows = [
        (
            PageCell(row.size),
            _count(row.train),
            _share(row.recall, row.train),
            _share(row.gold_in_set, row.train),
            _spread_share(row.micro, row.labelled),
            _spread_share(row.macro, row.train),
            _count(row.tested),
            _spread_share(row.answers, row.tested),
            _spread_share(row.equations, row.judged),
        )
        for row in size_rows(candidates, runs)
    ]
    head = ("quantities", "train problems", "recall %", "gold in set %", "labels right, micro %", "macro %")
    tested = ("problems tested", "answers right %", "equations right %")
    return Table("By number of quantities", (*head, *tested), rows, INTERVALS)


def ablation_table(arms: Sequence[Arm], *, paper: bool) -> Table:
    """The arms compared, one per row, the main arm first; the most important columns come first."""
    rows = []
    for arm in arms:
        tests = [run.evaluation for run in arm.runs]
        tested, judged = tested_problems(arm.runs)
        labelled = round(spread_of([run.labels for run in arm.runs]).mean or 0)
        row = (
            PageCell(arm.name, note=arm.about),
            _spread_share(spread_of([test.answer_accuracy for test in tests]), tested),
            _published(ARM_ANSWERS.get(arm.name)),
            _spread_share(spread_of([test.equation_accuracy for test in tests]), judged),
            _spread_count(spread_of([test.false_matches for test in tests])),
            _spread_share(spread_of([run.oracle.micro if run.oracle else None for run in arm.runs]), labelled),
            _spread_count(spread_of([run.labels for run in arm.runs])),
            _spread_count(spread_of([run.changed for run in arm.runs])),
            _count(len(arm.runs)),
        )
        rows.append(row if paper else row[:2] + row[3:])
    answers = ("arm", "answers right %", *((f"{PAPER}, GTS, test answers %",) if paper else ()))
    others = ("equations right %", "false matches", "labels right %", "labels", "labels changed", "runs")
    several = any(len(arm.runs) > 1 for arm in arms)
    note = "Mean ± sample standard deviation over the runs. " if several else ""
    note += "A false match is a right answer by a wrong equation; changed labels differ from the text-free pick. "
    note += INTERVALS
    return Table("Arms", (*answers, *others), rows, note)


def tested_problems(runs: Sequence[ArmRun]) -> tuple[int, int]:
    """The test problems of an arm, summed over the folds, and those of them with a gold equation."""
    folds = {run.fold: run.evaluation for run in runs}.values()
    judged = [test.problems if test.with_gold is None else test.with_gold for test in folds]
    return sum(test.problems for test in folds), sum(judged)


def label_table(metrics: Metrics, *, paper: bool) -> Table:
    """Equation accuracy of candidates and of each arm's labels, for problems with one and with several candidates."""
    rows: list[tuple[PageCell, ...]] = []
    if score := metrics.candidates:
        shares = (score.micro_single, score.micro_multiple, score.micro, score.macro)
        row: tuple[PageCell, ...] = (PageCell("all candidates", note="before any choice"), *map(_share, shares))
        published = (_published(CANDIDATES_SINGLE), _published(CANDIDATES_MULTIPLE), _published(CANDIDATES_ALL))
        rows.append((*row, *published) if paper else row)
    for arm in metrics.arms:
        scores = [run.oracle for run in arm.runs if run.oracle]
        if not scores:
            continue
        row = (
            PageCell(arm.name),
            _spread_share(spread_of([score.micro_single for score in scores]), scores[0].single),
            _spread_share(spread_of([score.micro_multiple for score in scores]), scores[0].multiple),
            _spread_share(spread_of([score.micro for score in scores]), scores[0].covered),
            _spread_share(spread_of([score.macro for score in scores]), scores[0].problems),
        )
        published = (PageCell(NOTHING), _published(ARM_MULTIPLE.get(arm.name)), _published(ARM_LABELS.get(arm.name)))
        rows.append((*row, *published) if paper else row)
    head = ("labels of", "one candidate %", "several %", "all, micro %", "all, macro %")
    last = (f"{PAPER}: one %", f"{PAPER}: several %", f"{PAPER}: all %") if paper else ()
    note = "Right means equivalent to the gold equation. Macro counts a problem without a label as wrong. " + INTERVALS
    note += " The candidates of a problem are not independent, so there is no interval for all candidates."
    note += f" {CHECKER}" if paper else ""
    return Table("Labels against gold", (*head, *last), rows, note)


def limits_table(limited: Mapping[str, Sequence[Limited]]) -> Table | None:
    """The problems for which stages of the search met a limit; None if there are none."""
    if not limited:
        return None
    rows = [
        (PageCell(id), _count(len(limits)), PageCell(", ".join(f"{one.stage} ({one.reason})" for one in limits)))
        for id, limits in islice(limited.items(), _LIMITED)
    ]
    cut = f"The first {_LIMITED} of {len(limited):,}; metrics.json lists all. " if len(limited) > _LIMITED else ""
    note = f"{cut}These problems were searched without the stages named here. More memory (--memory) may bring them."
    return Table("Problems that met a limit", ("problem", "stages left out", "which, and the limit"), rows, note)


def calibration_table(bins: Sequence[Bin]) -> Table:
    rows = [
        (
            PageCell(f"{step_text(bin.low)} to {step_text(bin.high)}", bin.low),
            _count(bin.labels),
            PageCell(f"{bin.posterior:.3f}", bin.posterior),
            _share(bin.right, bin.labels),
        )
        for bin in bins
    ]
    return Table("Posterior and truth", ("posterior", "labels", "mean posterior", "right %"), rows, INTERVALS)


def line_table(title: str, x: str, lines: Sequence[Line], *, shares: bool, names: Sequence[str] = ()) -> Table:
    """The points of a line chart, one column per line; `names` replaces the x values 0, 1, 2..."""
    values = [dict(line.points) for line in lines]
    steps = sorted({step for found in values for step in found})
    rows = [
        (
            PageCell(names[int(step)] if names else count_text(step), step),
            *[_share(found.get(step)) if shares else _decimal(found.get(step)) for found in values],
        )
        for step in steps
    ]
    return Table(title, (x, *[f"{line.name} %" if shares else line.name for line in lines]), rows)


def value_table(title: str, head: tuple[str, str], values: Iterable[tuple[str, float, str]]) -> Table:
    """The names and values of a bar chart; the names sort in the given order."""
    return Table(
        title, head, [(PageCell(name, i), PageCell(text, value)) for i, (name, value, text) in enumerate(values)]
    )


def made_rows(made: Circumstances | None, times: Mapping[str, float]) -> list[tuple[str, str]]:
    """When and how a run was made, and how long its steps took before the report, which may be made again."""
    rows: list[tuple[str, str | None]] = []
    if made is not None:
        used = ", ".join(f"{name} {version}" for name, version in made.versions.items())
        rows += [("begun", made.begun), ("command", made.command), ("versions", used), ("commit", made.commit)]
        counts = [("threads", made.threads), ("search processes", made.workers)]
        rows += [(name, None if value is None else str(value)) for name, value in counts]
        rows += [("device", made.device)]
    # Without the time of the report, which is not known while it is written: the same files give the same page.
    times = {step: seconds for step, seconds in times.items() if step != "report"}
    inner = times.get("drafts", 0.0) if any(step.startswith("rank ") for step in times) else 0.0
    if times:
        rows.append(("duration", duration_text(sum(times.values()) - inner)))
    rows += [(f"duration of {step}", duration_text(seconds)) for step, seconds in times.items()]
    return [(name, value) for name, value in rows if value is not None]


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


def _count(value: float | None) -> PageCell:
    return PageCell(count_text(value), value)


def _share(value: float | None, of: int | None = None) -> PageCell:
    """A share, with its interval if it is known of how many problems."""
    return PageCell(percent(value), value, interval_text(value, of))


def _decimal(value: float | None) -> PageCell:
    return PageCell(NOTHING if value is None else f"{value:.3f}", value)


def _published(value: float | None) -> PageCell:
    return PageCell(NOTHING if value is None else f"{value:.1f}", value)


def _spread_share(spread: Spread, of: int | None) -> PageCell:
    return PageCell(spread.percent, spread.mean, interval_text(spread.mean, of))


def _spread_count(spread: Spread) -> PageCell:
    return PageCell(spread.count, spread.mean)
