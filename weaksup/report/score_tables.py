"""The oracle's scores as tables for the command line, with the paper's figures beside ours.

A table has rows of cells: counts are ints, shares are text in percent, and "-" means unknown.  The paper's figures are
those of ComSearch on Math23K; leave them out for other corpora.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from ..measure.cases import Shown
from ..measure.score import Score
from ..measure.shares import share
from ..records import CandidateSet, Label
from . import published
from .numbers_text import percent

__all__ = [
    "TextTable",
    "accuracy_table",
    "count_distribution",
    "distribution_table",
    "recall_table",
    "score_tables",
    "search_table",
    "shown_table",
    "size_table",
    "stage_table",
]

Cell = int | str

_UNKNOWN = "-"
_percent = partial(percent, nothing=_UNKNOWN)


class TextTable(NamedTuple):
    """A table to print."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    note: str = ""


def score_tables(score: Score, *, paper: bool = True) -> list[TextTable]:
    """Every table of a score, in order."""
    tables = [search_table(score, paper=paper), recall_table(score, paper=paper)]
    if score.stages:
        tables.append(stage_table(score))
    return [*tables, accuracy_table(score, paper=paper), size_table(score, paper=paper)]


def search_table(score: Score, *, paper: bool = True) -> TextTable:
    """The search statistics, laid out as in the paper.

    The row of powers counts the problems without a candidate whose gold equation has a power.
    """
    rows: list[tuple[str, str, int]] = [("all problems", "problems", score.problems)]
    rows += [(reason, reason, count) for reason, count in score.skipped.items()]
    rows += [("nothing found, gold has a power", "power", score.uncovered_power)]
    rows += [("single", "single", score.single), ("multiple", "multiple", score.multiple)]
    rows += [("covered", "covered", score.covered)]
    body: list[tuple[Cell, ...]] = [
        (name, count, _percent(share(count, score.problems))) + (_published_count(key) if paper else ())
        for name, key, count in rows
    ]
    body.append(("largest", score.largest, "") + ((published.LARGEST_SET, "") if paper else ()))
    return TextTable("search", ("", "problems", "%") + (("paper", "paper %") if paper else ()), body)


def _published_count(key: str) -> tuple[Cell, Cell]:
    """The paper's count of problems and its percentage of all problems."""
    return published.SEARCH_STATISTICS.get(key, _UNKNOWN), _figure(published.SEARCH_PERCENT.get(key))


def recall_table(score: Score, *, paper: bool = True) -> TextTable:
    """Recall by number of quantities."""
    rows: list[tuple[Cell, ...]] = [
        (size, of.problems, of.covered, _percent(of.recall))
        + ((_figure(published.RECALL_BY_QUANTITIES["ours"].get(size)),) if paper else ())
        for size, of in score.by_quantities.items()
    ]
    return TextTable(
        "recall", ("quantities", "problems", "covered", "recall %") + (("paper %",) if paper else ()), rows
    )


def stage_table(score: Score) -> TextTable:
    """Problems by the stage that found their simplest candidate, and by the stage that found the gold equation."""
    names = dict.fromkeys([*score.stages, *score.gold_stages])
    rows: list[tuple[Cell, ...]] = [(name, score.stages.get(name, 0), score.gold_stages.get(name, 0)) for name in names]
    return TextTable("stages", ("stage", "simplest", "gold"), rows)


def accuracy_table(score: Score, *, paper: bool = True) -> TextTable:
    """Equation accuracy; micro also for problems with one and with several candidates.  The paper: its Beam Ranker."""
    theirs: dict[str, float] = {"multiple": published.ARM_MULTIPLE["beam"], "all": published.ARM_LABELS["beam"]}
    if score.kind == "candidates":
        figures = (published.CANDIDATES_SINGLE, published.CANDIDATES_MULTIPLE, published.CANDIDATES_ALL)
        theirs = dict(zip(("single", "multiple", "all"), figures, strict=True))
    shares = (("single", score.micro_single), ("multiple", score.micro_multiple), ("all", score.micro))
    rows: list[tuple[Cell, ...]] = [
        (f"micro, {name}", _percent(part)) + ((_figure(theirs.get(name)),) if paper else ()) for name, part in shares
    ]
    rows.append(("macro", _percent(score.macro)) + ((_UNKNOWN,) if paper else ()))
    rows.append(("gold in set", _percent(score.gold_in_set)) + ((_UNKNOWN,) if paper else ()))
    title = f"equation accuracy of {score.kind}, law {score.law}"
    return TextTable(title, ("", "%") + (("paper %",) if paper else ()), rows, published.CHECKER if paper else "")


def size_table(score: Score, *, paper: bool = True) -> TextTable:
    """Equation accuracy by number of quantities; the paper has it for labels only.

    If there are problems without gold, those with gold are counted too: the shares are of these.
    """
    paper = paper and score.kind == "labels"
    unjudged = score.without_gold > 0
    rows: list[tuple[Cell, ...]] = []
    for size, of in score.by_quantities.items():
        counts = (of.problems, _UNKNOWN if of.with_gold is None else of.with_gold)[: 1 + unjudged]
        ours = (size, *counts, _percent(of.gold_in_set), _percent(of.micro), _percent(of.macro))
        tables = (published.MICRO_BY_QUANTITIES["ours"], published.MACRO_BY_QUANTITIES["ours"])
        rows.append(ours + (tuple(_figure(table.get(size)) for table in tables) if paper else ()))
    head = ("quantities", *("problems", "with gold")[: 1 + unjudged], "gold in set %", "micro %", "macro %")
    head += ("paper micro %", "paper macro %") if paper else ()
    return TextTable("by number of quantities", head, rows, published.CHECKER if paper else "")


def count_distribution(records: Iterable[CandidateSet] | Iterable[Label]) -> dict[int, int]:
    """The number of problems with k candidates, by k."""
    counts: Counter[int] = Counter()
    for record in records:
        counts[record.candidates if isinstance(record, Label) else len(record.candidates)] += 1
    return dict(sorted(counts.items()))


def distribution_table(distribution: dict[int, int], *, first: int = 1, last: int = 50) -> TextTable:
    """The number of problems by number of candidates; the paper plots 1 to 50 and 2 to 20."""
    rows: list[tuple[Cell, ...]] = [(k, distribution.get(k, 0)) for k in range(first, last + 1)]
    rows.append((f"> {last}", sum(count for k, count in distribution.items() if k > last)))
    return TextTable("problems by number of candidates", ("candidates", "problems"), rows)


def shown_table(shown: Shown) -> TextTable:
    """The candidates of one problem, one per row."""
    words = {True: "yes", False: "no", None: "-"}
    with_label = shown.label is not None
    with_posterior = any(candidate.posterior is not None for candidate in shown.candidates)
    rows: list[tuple[int | str, ...]] = []
    for candidate in shown.candidates:
        mark = ("label" if candidate.chosen else "",) if with_label else ()
        row = (*mark, candidate.expr, candidate.equation, candidate.stage, candidate.value)
        belief = "-" if candidate.posterior is None else f"{candidate.posterior:.3f}"
        rows.append(row + ((belief,) if with_posterior else ()) + (words[candidate.right],))
    head = (
        *([""] if with_label else []),
        "candidate",
        "equation",
        "stage",
        "value",
        *(["posterior"] if with_posterior else []),
        "gold",
    )
    return TextTable(f"problem {shown.id}", head, rows)


def _figure(value: float | None) -> str:
    """A figure of the paper."""
    return _UNKNOWN if value is None else f"{value:.1f}"
