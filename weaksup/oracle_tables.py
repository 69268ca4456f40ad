"""What the oracle found as tables, the paper's figures beside ours.

A table is rows of cells for the command line to print: counts are ints, shares are text in percent, "-" stands for
what is not known.  The paper's figures are those of ComSearch on Math23K; leave them out for other corpora.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from . import published
from .oracle import Score
from .records import CandidateSet, Label

__all__ = [
    "Table",
    "accuracy_table",
    "count_distribution",
    "distribution_table",
    "recall_table",
    "score_tables",
    "search_table",
    "size_table",
    "stage_table",
]

Cell = int | str

_UNKNOWN = "-"


class Table(NamedTuple):
    """A table to print."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


def score_tables(score: Score, *, paper: bool = True) -> list[Table]:
    """Every table of a score, in order."""
    tables = [search_table(score, paper=paper), recall_table(score, paper=paper)]
    if score.stages:
        tables.append(stage_table(score))
    return [*tables, accuracy_table(score, paper=paper), size_table(score, paper=paper)]


def search_table(score: Score, *, paper: bool = True) -> Table:
    """The paper's table of search statistics.

    Its row of powers counts problems that nothing was found for and whose gold equation has a power.
    """
    rows: list[tuple[str, str, int]] = [("all problems", "problems", score.problems)]
    rows += [(reason, reason, count) for reason, count in score.skipped.items()]
    rows += [("nothing found, gold has a power", "power", score.uncovered_power)]
    rows += [("single", "single", score.single), ("multiple", "multiple", score.multiple)]
    rows += [("covered", "covered", score.covered)]
    body: list[tuple[Cell, ...]] = [
        (name, count, _percent(count / score.problems if score.problems else None))
        + (_published_count(key) if paper else ())
        for name, key, count in rows
    ]
    body.append(("largest", score.largest, "") + ((published.LARGEST_SET, "") if paper else ()))
    return Table("search", ("", "problems", "%") + (("paper", "paper %") if paper else ()), body)


def _published_count(key: str) -> tuple[Cell, Cell]:
    """A row of the paper's table: problems and percent of all."""
    return published.SEARCH_STATISTICS.get(key, _UNKNOWN), _figure(published.SEARCH_PERCENT.get(key))


def recall_table(score: Score, *, paper: bool = True) -> Table:
    """Recall by number of quantities."""
    rows: list[tuple[Cell, ...]] = [
        (size, of.problems, of.covered, _percent(of.recall))
        + ((_figure(published.RECALL_BY_QUANTITIES["ours"].get(size)),) if paper else ())
        for size, of in score.by_quantities.items()
    ]
    return Table("recall", ("quantities", "problems", "covered", "recall %") + (("paper %",) if paper else ()), rows)


def stage_table(score: Score) -> Table:
    """Problems by stage: where the simplest candidate was found, and where gold was."""
    names = dict.fromkeys([*score.stages, *score.gold_stages])
    rows: list[tuple[Cell, ...]] = [(name, score.stages.get(name, 0), score.gold_stages.get(name, 0)) for name in names]
    return Table("stages", ("stage", "simplest", "gold"), rows)


def accuracy_table(score: Score, *, paper: bool = True) -> Table:
    """Micro equation accuracy, single and multiple apart; the paper's labels are those of its Beam Ranker."""
    theirs: dict[str, float] = {"multiple": published.ARM_MULTIPLE["beam"], "all": published.ARM_LABELS["beam"]}
    if score.kind == "candidates":
        figures = (published.CANDIDATES_SINGLE, published.CANDIDATES_MULTIPLE, published.CANDIDATES_ALL)
        theirs = dict(zip(("single", "multiple", "all"), figures, strict=True))
    shares = (("single", score.micro_single), ("multiple", score.micro_multiple), ("all", score.micro))
    rows: list[tuple[Cell, ...]] = [
        (name, _percent(share)) + ((_figure(theirs.get(name)),) if paper else ()) for name, share in shares
    ]
    rows.append(("macro", _percent(score.macro)) + ((_UNKNOWN,) if paper else ()))
    rows.append(("gold in set", _percent(score.gold_in_set)) + ((_UNKNOWN,) if paper else ()))
    title = f"equation accuracy of {score.kind}, law {score.law}"
    return Table(title, ("", "micro %") + (("paper %",) if paper else ()), rows)


def size_table(score: Score, *, paper: bool = True) -> Table:
    """Equation accuracy by number of quantities; the paper has it for labels only."""
    paper = paper and score.kind == "labels"
    rows: list[tuple[Cell, ...]] = []
    for size, of in score.by_quantities.items():
        ours = (size, of.problems, _percent(of.gold_in_set), _percent(of.micro), _percent(of.macro))
        tables = (published.MICRO_BY_QUANTITIES["ours"], published.MACRO_BY_QUANTITIES["ours"])
        rows.append(ours + (tuple(_figure(table.get(size)) for table in tables) if paper else ()))
    head = ("quantities", "problems", "gold in set %", "micro %", "macro %")
    return Table("by number of quantities", head + (("paper micro %", "paper macro %") if paper else ()), rows)


def count_distribution(records: Iterable[CandidateSet] | Iterable[Label]) -> dict[int, int]:
    """How many problems have k candidates, by k."""
    counts: Counter[int] = Counter()
    for record in records:
        counts[record.candidates if isinstance(record, Label) else len(record.candidates)] += 1
    return dict(sorted(counts.items()))


def distribution_table(distribution: dict[int, int], *, first: int = 1, last: int = 50) -> Table:
    """The paper's two figures: problems with 1 to 50 candidates, or with 2 to 20."""
    rows: list[tuple[Cell, ...]] = [(k, distribution.get(k, 0)) for k in range(first, last + 1)]
    rows.append((f"> {last}", sum(count for k, count in distribution.items() if k > last)))
    return Table("problems by number of candidates", ("candidates", "problems"), rows)


def _figure(value: float | None) -> str:
    """A figure of the paper."""
    return _UNKNOWN if value is None else f"{value:.1f}"


def _percent(share: float | None) -> str:
    return _UNKNOWN if share is None else f"{100 * share:.1f}"
