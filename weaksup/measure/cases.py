"""One problem in detail: its text with the quantities marked, and its candidates, each judged against gold.

Also the case study of the paper: its three problems are in Math23K and are found by numbers, answer and gold equation.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

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
    "problem_facts",
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
    chosen: bool = False  # whether it is the label


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

    @property
    def label(self) -> CandidateVerdict | None:
        """The candidate that was chosen as the label, if any."""
        return next((candidate for candidate in self.candidates if candidate.chosen), None)


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
    """What `mwp-weak show` prints: candidates with the posteriors of a label, or the candidates that a label keeps.

    The label comes first, the other candidates in their order.
    """
    if problem.id != found.id:
        raise DataError(f"these are the candidates of problem {found.id}, not of {problem.id}")
    if isinstance(found, Label):
        label = label or found
        found = _kept_candidates(found, problem)
    posteriors = {} if label is None else _posteriors(label)
    chosen = None if label is None else canonical(label.expr)
    judged = Judge([problem], law=law).judge_set(found)
    surfaces = [quantity.surface for quantity in problem.quantities]
    values = [quantity.exact for quantity in problem.quantities]
    candidates = [
        CandidateVerdict(
            expr=candidate.expr,
            equation=equation_text(candidate.expr, values, surfaces),
            stage=candidate.stage,
            value=candidate.value,
            posterior=posteriors.get(canonical(candidate.expr), 0.0) if posteriors else None,
            right=None if judged.right is None else judged.right[i],
            chosen=chosen is not None and canonical(candidate.expr) == chosen,
        )
        for i, candidate in enumerate(found.candidates)
    ]
    return Shown(
        id=problem.id,
        text=marked_text(problem),
        answer=problem.answer,
        gold=problem.gold,
        quantities=by_name([quantity.value for quantity in problem.quantities]),
        candidates=tuple(sorted(candidates, key=lambda candidate: not candidate.chosen)),
        reason=found.reason,
        limits=found.limits,
    )


def problem_facts(
    problem: Problem, found: CandidateSet | Label, judge: Judge, *, label: Label | None = None
) -> dict[str, Any]:
    """What is known of a problem, by the names that conditions use (see `conditions`)."""
    if isinstance(found, Label):
        label = label or found
        candidates, reachable = found.candidates, None
    else:
        verdicts = judge.judge_set(found).right
        candidates, reachable = len(found.candidates), None if verdicts is None else any(verdicts)
    right = None if label is None else judge.judge_expr(label.expr, problem)
    return {
        "id": problem.id,
        "n": len(problem.quantities),
        "answer": problem.exact_answer,
        "candidates": candidates,
        "posterior": None if label is None else label.posterior,
        "ranker": None if label is None else label.ranker,
        "stage": label.stage if label is not None else _simplest_stage(found),
        "reason": None if isinstance(found, Label) else found.reason,
        "covered": candidates > 0,
        "single": candidates == 1,
        "multiple": candidates > 1,
        "reachable": reachable,
        "gold": judge.gold(problem) is not None,
        "right": right,
        "wrong": None if right is None else not right,
    }


def _simplest_stage(found: CandidateSet | Label) -> str | None:
    return found.candidates[0].stage if isinstance(found, CandidateSet) and found.candidates else None


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
    """The text with each quantity marked, as in `[N0=30]`, or `[hour: N3=60]` if it is implied."""
    parts: list[str] = []
    done = 0
    for i, quantity in sorted(enumerate(problem.quantities), key=lambda item: (item[1].start, item[0])):
        parts.append(problem.text[done : quantity.start])
        surface = problem.text[quantity.start : quantity.end]
        parts.append(f"[{surface}: N{i}={quantity.value}]" if quantity.implied else f"[N{i}={surface}]")
        done = max(done, quantity.end)
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
