"""One problem in detail: its text with the quantities marked, and its candidates, each judged against gold.

Also the case study of the paper: its three problems are in Math23K and are found by numbers, answer and gold equation.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import msgspec

from mathcanon import Expr, canonical

from ..errors import DataError
from ..meaning.operand_names import by_name
from ..meaning.value_level import equation_function
from ..meaning.writing import check_label, equation_text
from ..records import Candidate, CandidateSet, Label, Limited, Problem
from .judge import Judge

__all__ = [
    "CASES",
    "CandidateVerdict",
    "Case",
    "Shown",
    "case_study",
    "find_case",
    "marked_text",
    "show_problem",
]


class CandidateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as it is shown to a reader."""

    expr: str
    equation: str  # in the numbers of the text
    stage: str
    value: str
    posterior: float | None = None
    right: bool | None = None  # None: there is no gold to compare with


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A problem and its candidates, as they are shown to a reader."""

    id: str
    text: str  # with the quantities marked
    answer: str
    gold: str | None
    quantities: dict[str, str]
    candidates: tuple[CandidateVerdict, ...]
    reason: str | None = None  # why there is no candidate
    limits: tuple[Limited, ...] = ()  # the stages that the search left out, because they met a limit


class Case(NamedTuple):
    """What identifies a problem of the paper's case study, and the candidates that the paper shows."""

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
    """What `mwp-weak show` prints: candidates with the posteriors of a label, or the candidates that a label keeps."""
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
        quantities=by_name([quantity.value for quantity in problem.quantities]),
        candidates=tuple(
            [
                CandidateVerdict(
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
        limits=found.limits,
    )


def _kept_candidates(label: Label, problem: Problem) -> CandidateSet:
    """The candidates that a label keeps: its own equation and the next best ones, whose stages it does not record."""
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
    """Posteriors by canonical form, because labels and candidates are written by different rules."""
    believed = {label.expr: label.posterior} | {other.expr: other.posterior for other in label.others}
    return {canonical(expr): posterior for expr, posterior in believed.items()}


def marked_text(problem: Problem) -> str:
    """The text with each quantity marked, as in `[N0=30]`."""
    parts: list[str] = []
    done = 0
    for i, quantity in enumerate(problem.quantities):
        parts += [problem.text[done : quantity.start], f"[N{i}={problem.text[quantity.start : quantity.end]}]"]
        done = quantity.end
    return "".join([*parts, problem.text[done:]])


def find_case(case: Case, problems: Iterable[Problem]) -> list[Problem]:
    """The problems with exactly these numbers, this answer and an equivalent gold equation."""
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
    """The paper's three examples, each with the matching problems of the corpus and their candidates in `sets`."""
    problems = list(problems)
    cases = [(case, find_case(case, problems)) for case in CASES]
    wanted = {problem.id for _, found in cases for problem in found}
    by_id = {found.id: found for found in sets if found.id in wanted}
    return [
        (case, [show_problem(problem, by_id[problem.id], law=law) for problem in found if problem.id in by_id])
        for case, found in cases
    ]
