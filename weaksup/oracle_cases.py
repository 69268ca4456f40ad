"""One problem looked at closely: its text with the quantities marked, each candidate, and whether it is right.

Also the case study of the paper.  Its three problems are in Math23K, and are found there by their numbers, answer and
gold equation.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import msgspec

from mathcanon import Expr, canonical

from .errors import DataError
from .labels import check_label, equation_text
from .oracle import Judge
from .oracle_tables import Table
from .records import Candidate, CandidateSet, Label, Problem
from .value_level import equation_function

__all__ = [
    "CASES",
    "Case",
    "Shown",
    "ShownCandidate",
    "case_study",
    "find_case",
    "marked_text",
    "show_problem",
    "shown_table",
]


class ShownCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as a reader wants it."""

    expr: str
    equation: str  # in the numbers of the text
    stage: str
    value: str
    posterior: float | None = None
    right: bool | None = None  # None: there is no gold to compare with


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A problem and its candidates."""

    id: str
    text: str  # with the quantities marked
    answer: str
    gold: str | None
    quantities: dict[str, str]
    candidates: tuple[ShownCandidate, ...]
    reason: str | None = None  # why there is no candidate


class Case(NamedTuple):
    """What a problem of the paper's case study is known by, and the candidates that the paper shows."""

    about: str
    values: tuple[str, ...]
    answer: str
    gold: str
    candidates: tuple[str, ...]


CASES = (
    Case("trees along a road, planted at both ends", ("2", "11"), "20", "x=(11-1)*2", ("2*(11-1)",)),
    Case("library: a fifth lent, some returned", ("30", "1/5", "5"), "29", "x=30*(1-(1/5))+5", ("30-(1/5)*5",)),
    Case("people in a line", ("2", "4", "5"), "18", "x=4*2+5*2", ("4*5-2", "(4+5)*2")),
)


def show_problem(
    problem: Problem, found: CandidateSet | Label, *, label: Label | None = None, law: str = "value"
) -> Shown:
    """What `mwp-weak show` shows: candidates with the posteriors of a label, or the candidates that a label kept."""
    if problem.id != found.id:
        raise DataError(f"these are the candidates of problem {found.id}, not of {problem.id}")
    if isinstance(found, Label):
        label = label or found
        found = _kept_candidates(found, problem)
    posteriors = {} if label is None else _posteriors(label)
    judged = Judge([problem], law=law).judge_set(found)
    surfaces = [quantity.surface for quantity in problem.quantities]
    values = [quantity.exact for quantity in problem.quantities]
    return Shown(
        id=problem.id,
        text=marked_text(problem),
        answer=problem.answer,
        gold=problem.gold,
        quantities={f"N{i}": quantity.value for i, quantity in enumerate(problem.quantities)},
        candidates=tuple(
            [
                ShownCandidate(
                    expr=candidate.expr,
                    equation=equation_text(candidate.expr, values, surfaces),
                    stage=candidate.stage,
                    value=candidate.value,
                    posterior=posteriors.get(canonical(candidate.expr), 0.0) if posteriors else None,
                    right=None if judged.right is None else judged.right[i],
                )
                for i, candidate in enumerate(found.candidates)
            ]
        ),
        reason=found.reason,
    )


def _kept_candidates(label: Label, problem: Problem) -> CandidateSet:
    """What a label knows of the candidates it was chosen from; of the next best it does not know the stage."""
    check_label(label, problem)
    exprs = {label.expr: label.stage} | {other.expr: "" for other in label.others}
    return CandidateSet(
        id=problem.id,
        values=tuple([quantity.value for quantity in problem.quantities]),
        surfaces=tuple([quantity.surface for quantity in problem.quantities]),
        answer=problem.answer,
        candidates=tuple([Candidate(expr=expr, stage=stage, value=problem.answer) for expr, stage in exprs.items()]),
    )


def _posteriors(label: Label) -> dict[Expr, float]:
    """By canonical form: a label is written by a rule of its own."""
    believed = {label.expr: label.posterior} | {other.expr: other.posterior for other in label.others}
    return {canonical(expr): posterior for expr, posterior in believed.items()}


def marked_text(problem: Problem) -> str:
    """The text with each quantity as [N0=...], as it was written."""
    parts: list[str] = []
    done = 0
    for i, quantity in enumerate(problem.quantities):
        parts += [problem.text[done : quantity.start], f"[N{i}={problem.text[quantity.start : quantity.end]}]"]
        done = quantity.end
    return "".join([*parts, problem.text[done:]])


def shown_table(shown: Shown) -> Table:
    """The candidates of a problem as rows."""
    words = {True: "yes", False: "no", None: "-"}
    with_posterior = any(candidate.posterior is not None for candidate in shown.candidates)
    rows: list[tuple[int | str, ...]] = []
    for candidate in shown.candidates:
        row = (candidate.expr, candidate.equation, candidate.stage, candidate.value)
        share = "-" if candidate.posterior is None else f"{candidate.posterior:.3f}"
        rows.append(row + ((share,) if with_posterior else ()) + (words[candidate.right],))
    head = ("candidate", "equation", "stage", "value", *(["posterior"] if with_posterior else []), "gold")
    return Table(f"problem {shown.id}", head, rows)


def find_case(case: Case, problems: Iterable[Problem]) -> list[Problem]:
    """The problems with just these numbers, this answer and a gold equation of the same meaning."""
    numbers, answer = sorted(map(Fraction, case.values)), Fraction(case.answer)
    found = []
    for problem in problems:
        values = [quantity.exact for quantity in problem.quantities]
        if sorted(values) != numbers or problem.exact_answer != answer or problem.gold is None:
            continue
        meaning = equation_function(problem.gold, values)
        if meaning is not None and meaning == equation_function(case.gold, values):
            found.append(problem)
    return found


def case_study(
    problems: Iterable[Problem], sets: Iterable[CandidateSet], *, law: str = "value"
) -> list[tuple[Case, list[Shown]]]:
    """The paper's three examples with the candidates found here; none where the corpus does not have them."""
    problems = list(problems)
    cases = [(case, find_case(case, problems)) for case in CASES]
    wanted = {problem.id for _, found in cases for problem in found}
    by_id = {found.id: found for found in sets if found.id in wanted}
    return [
        (case, [show_problem(problem, by_id[problem.id], law=law) for problem in found if problem.id in by_id])
        for case, found in cases
    ]
