"""The problems that the report shows: how they are sampled, and what is shown of each.

A `Judge` compares labels with gold equations, only to mark them right or wrong: nothing is trained on the outcome.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from mathcanon import Expr, MathCanonError, canonical

from ..meaning.writing import equation_text
from ..measure.judge import Judge
from ..measure.shares import Share
from ..rankers.labels import KEPT
from ..records import Candidate, CandidateSet, Label, Problem
from ..settings import Natural

__all__ = ["LARGE", "SHOWN", "ShownCandidate", "ShownExample", "choose_problems", "sample_examples", "sample_rule"]

#: Problems with at least this many quantities are hard and rare, so they are sampled more often.
LARGE = 4
#: The most candidates shown per problem.
SHOWN = 12

_JUDGED = 400  # the most candidates of a problem that are compared with gold, most likely first


class ShownCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as the report shows it."""

    equation: str
    expr: str
    stage: str
    posterior: Share | None = None
    right: bool | None = None  # against gold


class ShownExample(msgspec.Struct, frozen=True, kw_only=True):
    """A problem as the report shows it."""

    id: str
    text: str
    marks: list[tuple[int, int]]  # spans of the quantities in the text
    quantities: Natural
    answer: str
    gold: str | None = None
    stage: str | None = None
    candidates: Natural  # how many the problem has
    shown: list[ShownCandidate] = []  # the most likely ones
    label: str | None = None  # the chosen equation
    expr: str | None = None  # the same over N0, N1...
    posterior: Share | None = None
    right: bool | None = None


def sample_rule(total: int, *, limit: int = 1000, seed: int = 0) -> str:
    """A sentence that says how `sample_examples` chooses.

    >>> sample_rule(300)
    'All 300 problems.'
    """
    if total <= limit:
        return f"All {total:,} problems."
    return (
        f"{limit:,} of {total:,} problems, chosen by a hash of their ids (seed {seed}): half of them from all problems,"
        f" half from those with a wrong label or with {LARGE} or more quantities, if there are enough. Wrong labels and"
        " long problems are therefore more frequent here than in the data."
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
    """Up to `limit` problems as the report shows them, in the order of the corpus; `sample_rule` describes the choice.

    Without `judge` nothing is marked right or wrong.  The order of `sets` and `labels` makes no difference.
    """
    problems = list(problems)
    by_id = {found.id: found for found in sets}
    label_of = {label.id: label for label in labels}
    chosen = choose_problems(
        problems, lambda problem: _worth_a_look(problem, label_of.get(problem.id), judge), limit=limit, seed=seed
    )
    return [_shown(problem, by_id.get(problem.id), label_of.get(problem.id), judge) for problem in chosen]


def choose_problems(
    problems: Sequence[Problem], worth_a_look: Callable[[Problem], bool], *, limit: int, seed: int
) -> list[Problem]:
    """Up to `limit` problems in their order: half of them from all, half from those that are worth a look."""
    if len(problems) <= limit:
        return list(problems)
    order = sorted(range(len(problems)), key=lambda i: (_hash(problems[i].id, seed), i))
    alike = order[: limit - limit // 2]
    taken = set(alike)
    for i in order[len(alike) :]:
        if len(taken) == limit:
            break
        if worth_a_look(problems[i]):
            taken.add(i)
    for i in order:
        if len(taken) == limit:
            break
        taken.add(i)
    return [problems[i] for i in sorted(taken)]


def _hash(id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{id}".encode()).digest()


def _worth_a_look(problem: Problem, label: Label | None, judge: Judge | None) -> bool:
    if problem.printed >= LARGE:
        return True
    return label is not None and judge is not None and judge.judge_label(label) is False


def _marks(problem: Problem) -> list[tuple[int, int]]:
    """The spans of the quantities, without those that overlap an earlier one (the `%` of `30%`)."""
    spans: list[tuple[int, int]] = []
    for quantity in problem.quantities:
        if all(quantity.end <= start or end <= quantity.start for start, end in spans):
            spans.append((quantity.start, quantity.end))
    return sorted(spans)


def _shown(problem: Problem, found: CandidateSet | None, label: Label | None, judge: Judge | None) -> ShownExample:
    candidates = found.candidates if found else ()
    return ShownExample(
        id=problem.id,
        text=problem.text,
        marks=_marks(problem),
        quantities=problem.printed,
        answer=problem.answer,
        gold=problem.gold,
        stage=label.stage if label else candidates[0].stage if candidates else None,
        candidates=label.candidates if label else len(candidates),
        shown=_shown_candidates(problem, found, label, judge) if found else [],
        label=label.equation if label else None,
        expr=label.expr if label else None,
        posterior=label.posterior if label else None,
        right=judge.judge_label(label) if label and judge else None,
    )


def _shown_candidates(
    problem: Problem, found: CandidateSet, label: Label | None, judge: Judge | None
) -> list[ShownCandidate]:
    """The label first, then the most likely candidates; the most likely right one is always included."""
    picked = _find(found.candidates, label.expr) if label else None
    believed = {other.expr: other.posterior for other in label.others} if label else {}
    # A label lists at most KEPT posteriors.  If it lists fewer, the rest are about zero, else they are unknown.
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
        is_right = judge.judge_label(label) if judge else None
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
    """The index of the candidate that a label is, by canonical form: labels are written differently."""
    wanted = _form(expr)
    return next((i for i, candidate in enumerate(candidates) if wanted and _form(candidate.expr) == wanted), None)


def _form(expr: str) -> Expr | None:
    try:
        return canonical(expr)
    except MathCanonError:
        return None
