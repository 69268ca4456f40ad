"""The tables about the search: how large its space is, what it finds, and for how many problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import mathcanon as mc
from weaksup import published
from weaksup.oracle import SIZES, Score

from .cells import NOT_RUN, Part, Row, Table, count, number, paper, percent
from .folders import candidate_score, label_score
from .place import Place

__all__ = ["PLANS", "recall", "search_space", "search_statistics"]

PLANS = ("released", "paper", "full")
_SIZE_HEADS = (*SIZES[:-1], "6 and more")


def search_space(places: Sequence[Place]) -> Table:
    """Sizes of the search space, from `mathcanon.count`: nothing is run."""
    columns = {
        "none": "brute force",
        "brackets": "removing brackets",
        "commutative": "commutative",
        "full": "ComSearch",
    }
    rows = []
    for n, theirs in published.SEARCH_SPACE.items():
        ours = {law: mc.count(n, law) for law in columns}
        cells = [cell for law in columns for cell in (paper(getattr(theirs, law)), count(ours[law]))]
        cells += [paper(float(theirs.ratio)), number(round(ours["none"] / ours["full"], 1))]
        rows.append(Row(name=str(n), cells=tuple(cells)))
    heads = [f"{name}, {whose}" for name in (*columns.values(), "ratio") for whose in ("paper", "here")]
    return Table(
        title="Size of the search space by number of variables",
        paper="tab:compress",
        split="none",
        parts=(Part(head=("n", *heads), rows=tuple(rows)),),
        notes=(
            "Counted by recurrences (`mathcanon/counting.py`). The first three columns of the paper count merge "
            "histories, that is which two items are joined first, second and so on; the number of distinct trees is "
            "smaller (`mwp-canon table`).",
        ),
    )


def search_statistics(places: Sequence[Place]) -> Table:
    """How many problems have no, one or several candidates, by plan."""
    scores = {plan: candidate_score(places[0], f"search-{plan}", "all") for plan in PLANS}
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
                *[NOT_RUN if score is None else count(_counts(score)[key]) for score in scores.values()],
            ),
        )
        for key, name in measures.items()
    ]
    shares = [percent([score], lambda score: score.recall) for score in scores.values()]
    rows.append(Row(name="covered, %", cells=(paper(published.RECALL), *shares)))
    return Table(
        title="What the search finds",
        paper="tab:search_stat",
        split="all 23,162 problems",
        parts=(Part(head=("", "published", *[f"plan `{plan}`" for plan in PLANS]), rows=tuple(rows)),),
        notes=(
            "Plans: `released` is the rule of the released code, `paper` that of the text, `full` does not stop at the "
            "first stage that matches. The recall of WARM and LBF is in the table of baselines.",
        ),
    )


def _counts(score: Score) -> Mapping[str, int]:
    return {
        "problems": score.problems,
        "too-many-quantities": score.skipped.get("too-many-quantities", 0),
        "power": score.uncovered_power,
        "single": score.single,
        "multiple": score.multiple,
        "covered": score.covered,
    }


def recall(places: Sequence[Place]) -> Table:
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
    sources: dict[str, tuple[str, list[Score | None]]] = {
        "LBF, here (train part)": ("lbf", [label_score(place, "lbf") for place in places])
    }
    for plan in PLANS:
        name = f"search-{plan}"
        sources[f"`{plan}`, here"] = (name, [candidate_score(places[0], name, "all")])
    for name, (run, scores) in sources.items():
        cells = [percent(scores, partial(_recall, sizes=(size,))) for size in SIZES]
        by_size.append(Row(name=name, cells=tuple(cells), run=run))
        halves = [percent(scores, partial(_recall, sizes=sizes)) for sizes in (SIZES[:3], SIZES[3:])]
        short_long.append(Row(name=name, cells=tuple(halves), run=run))
    return Table(
        title="Recall by number of quantities, %",
        paper="tab:coverage, tab:long_short",
        split="search: all 23,162 problems; LBF: train",
        parts=(
            Part(head=("quantities", *_SIZE_HEADS), rows=tuple(by_size)),
            Part(head=("quantities", "up to 3", "4 and more"), rows=tuple(short_long)),
        ),
        notes=("Recall of LBF: problems for which it has found an equation by the end of its training.",),
    )


def _recall(score: Score, *, sizes: Sequence[str]) -> float | None:
    """Of the problems with so many quantities."""
    chosen = [score.by_quantities[size] for size in sizes]
    problems = sum(one.problems for one in chosen)
    return sum(one.covered for one in chosen) / problems if problems else None
