"""The tables about the search: how large its space is, what it finds, and for how many problems."""

from __future__ import annotations

from collections.abc import Sequence

import mathcanon as mc
from weaksup.measure.cases import CASES
from weaksup.measure.sizes import SIZES
from weaksup.report import published

from .cells import Cell, Part, Row, Table, count, first_count, number, paper, percent
from .figures import LONG_PROBLEMS, SET_SIZES, SHORT_PROBLEMS
from .records import Records, RunRecord

__all__ = ["PLANS", "candidate_distribution", "case_study", "recall", "search_space", "search_statistics"]

PLANS = ("released", "paper", "full")
_SIZE_HEADS = (*SIZES[:-1], "6 and more")


def search_space(records: Records) -> Table:
    """Sizes of the search space, from `mathcanon.count`: nothing is run."""
    columns = {
        "none": "brute force",
        "brackets": "removing brackets",
        "commutative": "commutative",
        "full": "ComSearch",
    }
    ratio = "ratio"
    cells: dict[str, list[tuple[Cell, Cell]]] = {name: [] for name in (*columns.values(), ratio)}
    for n, theirs in published.SEARCH_SPACE.items():
        ours = {law: mc.count(n, law) for law in columns}
        for law, name in columns.items():
            cells[name].append((paper(getattr(theirs, law)), count(ours[law])))
        cells[ratio].append((paper(float(theirs.ratio)), number(round(ours["none"] / ours["full"], 1))))
    names = list(cells)
    parts = []
    for shown in (names[:2], names[2:]):  # side by side they are wider than a page
        rows = [
            Row(name=str(n), cells=tuple(cell for name in shown for cell in cells[name][i]))
            for i, n in enumerate(published.SEARCH_SPACE)
        ]
        heads = [f"{name}, {whose}" for name in shown for whose in ("paper", "here")]
        parts.append(Part(head=("n", *heads), rows=tuple(rows)))
    return Table(
        title="Size of the search space by number of variables",
        paper="tab:compress",
        split="none",
        parts=tuple(parts),
        notes=(
            "Computed by recurrences (`mathcanon/counting.py`). Brute force, removing brackets and commutative count "
            "merge histories: which two items are joined first, second and so on. There are fewer distinct trees "
            "(`mwp-canon table`).",
        ),
    )


def search_statistics(records: Records) -> Table:
    """How many problems have no, one or several candidates, by plan."""
    searches = [records[f"search-{plan}"] for plan in PLANS]
    measures = {
        "problems": "all data",
        "too-many-quantities": "too long",
        "power": "nothing found, gold has a power",
        "single": "single",
        "multiple": "multiple",
        "covered": "covered",
    }
    rows = [
        Row(
            name=name,
            cells=(
                paper(published.SEARCH_STATISTICS[key]),
                *[first_count(search, f"all.{key}") for search in searches],
            ),
        )
        for key, name in measures.items()
    ]
    shares = [percent(search, "all.recall") for search in searches]
    rows.append(Row(name="covered, %", cells=(paper(published.RECALL), *shares)))
    return Table(
        title="What the search finds",
        paper="tab:search_stat",
        split="all 23,162 problems",
        parts=(Part(head=("", "published", *[f"plan `{plan}`" for plan in PLANS]), rows=tuple(rows)),),
        notes=(
            "Plan `released` follows the released code, `paper` the text of the paper, and `full` does not stop at the "
            "first stage that matches. The table of baselines has the recall of WARM and LBF.",
        ),
    )


def recall(records: Records) -> Table:
    """Problems with at least one candidate, by number of quantities."""
    by_size = [
        Row(
            name=f"{name}, paper", cells=tuple(paper(figure) for figure in published.RECALL_BY_QUANTITIES[key].values())
        )
        for key, name in (("lbf", "LBF"), ("ours", "ComSearch"))
    ]
    short_long = [
        Row(name=f"{name}, paper", cells=tuple(paper(figure) for figure in published.RECALL_SHORT_LONG[key]))
        for key, name in (("lbf", "LBF"), ("ours", "ComSearch"))
    ]
    sources = {"LBF, here (train part)": ("lbf", "value.recall")}
    sources |= {f"`{plan}`, here": (f"search-{plan}", "all.recall") for plan in PLANS}
    for name, (run, figure) in sources.items():
        cells = [percent(records[run], f"{figure}.{size}") for size in SIZES]
        by_size.append(Row(name=name, cells=tuple(cells), run=run))
        halves = [percent(records[run], f"{figure}.{which}") for which in (SHORT_PROBLEMS, LONG_PROBLEMS)]
        short_long.append(Row(name=name, cells=tuple(halves), run=run))
    return Table(
        title="Recall by number of quantities, %",
        paper="tab:coverage, tab:long_short",
        split="search: all 23,162 problems; LBF: train",
        parts=(
            Part(head=("quantities", *_SIZE_HEADS), rows=tuple(by_size)),
            Part(head=("quantities", "up to 3", "4 and more"), rows=tuple(short_long)),
        ),
        notes=("Recall of LBF: share of problems with an equation by the end of its training.",),
    )


def candidate_distribution(records: Records) -> Table:
    """How many problems have so many candidates, by plan."""
    rows = []
    for first, following in zip(SET_SIZES, (*SET_SIZES[1:], None), strict=True):
        name = f"{first} and more" if following is None else str(first) if following == first + 1 else ""
        cells = [first_count(records[f"search-{plan}"], f"all.sets.{first}") for plan in PLANS]
        rows.append(Row(name=name or f"{first} to {(following or 0) - 1}", cells=tuple(cells)))
    return Table(
        title="Problems by number of candidates",
        paper="fig:dis1, fig:dis2",
        split="all 23,162 problems",
        parts=(Part(head=("candidates", *[f"plan `{plan}`" for plan in PLANS]), rows=tuple(rows)),),
        notes=(
            f"The paper's figures have no numbers; its text says that most problems have few candidates and that the "
            f"largest set has {published.LARGEST_SET:,}.",
        ),
    )


def case_study(records: Records) -> Table:
    """The paper's three examples: how many candidates each plan finds, and how many of them mean the same as gold."""
    searches: dict[str, Sequence[RunRecord] | None] = {"published": None}
    searches |= {f"plan `{plan}`": records[f"search-{plan}"] for plan in PLANS}
    rows = []
    for name, search in searches.items():
        for what, theirs in (
            ("candidates", [len(case.candidates) for case in CASES]),
            ("right", list(published.CASES_RIGHT)),
        ):
            cells = [
                paper(figure) if search is None else first_count(search, f"all.case-{i}.{what}")
                for i, figure in enumerate(theirs, start=1)
            ]
            rows.append(Row(name=f"{name}, {what}", cells=tuple(cells)))
    head = [f"{case.about}: `{case.gold}`" for case in CASES]
    return Table(
        title="The case study: candidates, and those that mean the same as gold",
        paper="tab:case",
        split="three problems",
        parts=(Part(head=("", *head), rows=tuple(rows)),),
        notes=("[Differences from the published search](published-search.md) shows the candidates of plan `paper`.",),
    )
