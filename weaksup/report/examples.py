"""Problems for the report: which ones, and what is shown of each; and how far a ranker's beliefs can be trusted.

Gold equations come in as a `Judge` and go out as right or wrong: they choose nothing that is trained.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import fsum

from msgspec.structs import replace

from mathcanon import Expr, MathCanonError, canonical

from ..labels import KEPT, equation_text
from ..oracle import Judge
from ..records import Candidate, CandidateSet, Label, Problem
from ..run_folder import Bin, ShownCandidate, ShownExample

__all__ = ["EDGES", "LARGE", "SHOWN", "calibration", "sample_examples", "sample_rule"]

#: Problems with so many quantities are hard, and rare.
LARGE = 4
#: How many candidates of a problem are shown.
SHOWN = 12
#: The bins of `calibration`: finer where most labels are.
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)

_JUDGED = 400  # candidates of one problem that are compared with gold, the likeliest first


def sample_rule(total: int, *, limit: int = 1000, seed: int = 0) -> str:
    """How `sample_examples` chooses, in words.

    >>> sample_rule(300)
    'All 300 problems.'
    """
    if total <= limit:
        return f"All {total:,} problems."
    return (
        f"{limit:,} of {total:,} problems, chosen by a hash of their ids (seed {seed}): half of them from all problems"
        f" alike, half from those whose label is wrong or that have {LARGE} or more quantities (as far as there are"
        " such). So wrong labels and long problems stand here more often than in the data."
    )


def sample_examples(
    problems: Iterable[Problem],
    sets: Iterable[CandidateSet],
    labels: Iterable[Label],
    *,
    judge: Judge | None = None,
    limit: int = 1000,
    seed: int = 0,
) -> list[ShownExample]:
    """Up to `limit` problems as the report shows them, in the order of the corpus; `sample_rule` is the rule.

    Without `judge` nothing is called right or wrong.  The order of `sets` and `labels` makes no difference.
    """
    problems = list(problems)
    by_id = {found.id: found for found in sets}
    label_of = {label.id: label for label in labels}
    chosen = _chosen(problems, label_of, judge, limit, seed)
    return [_shown(problem, by_id.get(problem.id), label_of.get(problem.id), judge) for problem in chosen]


def calibration(labels: Iterable[Label], judge: Judge) -> list[Bin]:
    """Labels by how much they are believed, with the share of right ones; empty bins are left out.

    Only labels that were chosen among several candidates count (the belief in a lone candidate is 1 by definition),
    and only those with a readable gold equation.
    """
    found: dict[int, list[tuple[float, bool]]] = {}
    for label in labels:
        right = _is_right(label, judge) if label.candidates > 1 and label.id in judge.problems else None
        if right is not None:
            place = min(bisect_right(EDGES, label.posterior), len(EDGES) - 1) - 1
            found.setdefault(max(place, 0), []).append((label.posterior, right))
    return [
        Bin(
            low=EDGES[place],
            high=EDGES[place + 1],
            labels=len(inside),
            posterior=round(fsum(belief for belief, _ in inside) / len(inside), 6),
            right=round(sum(right for _, right in inside) / len(inside), 6),
        )
        for place, inside in sorted(found.items())
    ]


def _chosen(
    problems: Sequence[Problem], labels: dict[str, Label], judge: Judge | None, limit: int, seed: int
) -> list[Problem]:
    if len(problems) <= limit:
        return list(problems)
    order = sorted(range(len(problems)), key=lambda i: (_hash(problems[i].id, seed), i))
    alike = order[: limit - limit // 2]
    taken = set(alike)
    for i in order[len(alike) :]:
        if len(taken) == limit:
            break
        if _worth_a_look(problems[i], labels.get(problems[i].id), judge):
            taken.add(i)
    for i in order:
        if len(taken) == limit:
            break
        taken.add(i)
    return [problems[i] for i in sorted(taken)]


def _hash(id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{id}".encode()).digest()


def _worth_a_look(problem: Problem, label: Label | None, judge: Judge | None) -> bool:
    if len(problem.quantities) >= LARGE:
        return True
    return label is not None and judge is not None and _is_right(label, judge) is False


def _is_right(label: Label, judge: Judge) -> bool | None:
    right = judge.judge_labels([label]).right
    return None if right is None else right[0]


def _shown(problem: Problem, found: CandidateSet | None, label: Label | None, judge: Judge | None) -> ShownExample:
    candidates = found.candidates if found else ()
    return ShownExample(
        id=problem.id,
        text=problem.text,
        marks=[(quantity.start, quantity.end) for quantity in problem.quantities],
        quantities=len(problem.quantities),
        answer=problem.answer,
        gold=problem.gold,
        stage=label.stage if label else candidates[0].stage if candidates else None,
        candidates=label.candidates if label else len(candidates),
        shown=_shown_candidates(problem, found, label, judge) if found else [],
        label=label.equation if label else None,
        expr=label.expr if label else None,
        posterior=label.posterior if label else None,
        right=_is_right(label, judge) if label and judge else None,
    )


def _shown_candidates(
    problem: Problem, found: CandidateSet, label: Label | None, judge: Judge | None
) -> list[ShownCandidate]:
    """The picked one first, then the likeliest; the likeliest right one is shown in any case."""
    picked = _find(found.candidates, label.expr) if label else None
    believed = {other.expr: other.posterior for other in label.others} if label else {}
    # What a label does not keep is believed next to nothing, or unknown if it keeps as many as it can.
    rest = 0.0 if label and len(believed) < min(KEPT, label.candidates) else None

    def posterior(i: int) -> float | None:
        if label and i == picked:
            return label.posterior
        return believed.get(found.candidates[i].expr, rest)

    order = sorted(range(len(found.candidates)), key=lambda i: (i != picked, -(posterior(i) or 0.0), i))[:_JUDGED]
    right: tuple[bool, ...] | None = None
    if judge is not None:
        right = judge.judge_set(replace(found, candidates=tuple([found.candidates[i] for i in order]))).right
    kept = list(range(min(SHOWN, len(order))))
    if right and any(right) and right.index(True) not in kept:
        kept[-1] = right.index(True)
    values = [quantity.exact for quantity in problem.quantities]
    shown = []
    if label and picked is None:  # a model's own equation, which the search did not find
        is_right = _is_right(label, judge) if judge else None
        own = ShownCandidate(
            equation=label.equation, expr=label.expr, stage=label.stage, posterior=label.posterior, right=is_right
        )
        shown.append(own)
    for place in kept:
        i = order[place]
        candidate = found.candidates[i]
        is_pick = label is not None and i == picked
        shown.append(
            ShownCandidate(
                equation=label.equation if label and is_pick else equation_text(candidate.expr, values, found.surfaces),
                expr=label.expr if label and is_pick else candidate.expr,
                stage=candidate.stage,
                posterior=posterior(i),
                right=None if right is None else right[place],
            )
        )
    return shown


def _find(candidates: Sequence[Candidate], expr: str) -> int | None:
    """Which candidate a label is: it is written by a rule of its own."""
    wanted = _form(expr)
    return next((i for i, candidate in enumerate(candidates) if wanted and _form(candidate.expr) == wanted), None)


def _form(expr: str) -> Expr | None:
    try:
        return canonical(expr)
    except MathCanonError:
        return None
