"""Which equations are right: the only place where equations are compared with gold.

An equation is right if it is equivalent to gold by one of three laws:

- "value": the same function at value level (see `value_level`): equal values are one variable, the values 0, 1 and 3.14
  are constants, and a fraction in brackets is one quantity if a quantity has its value;
- "mentioned": the same, but a 0, 1 or 3.14 in the text is a variable (see `mentioned_level`).  This is the default for
  foreign labels, which may contain a redundant `*1.0`;
- "structure": the same canonical form at value level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from mathcanon import MathCanonError

from ..errors import ConfigError, DataError
from ..meaning.mentioned_level import mentioned_equation_function, mentioned_expression_function
from ..meaning.value_level import Function, equation_function, expression_function
from ..meaning.writing import check_label
from ..records import CandidateSet, Label, Problem
from .foreign_labels import ForeignLabel, exact_equation

__all__ = ["LAWS", "Judge", "Judged"]

LAWS = ("value", "mentioned", "structure")


class Judged(NamedTuple):
    """The judged equations of a problem: the number of candidates, and whether each equation is right."""

    candidates: int
    right: tuple[bool, ...] | None  # None: the problem has no readable gold equation
    stages: tuple[str, ...] = ()
    unreadable: int = 0
    reason: str = "no-match"


class Judge:
    """Compares equations with the gold equations of a corpus, by one of the `LAWS`."""

    def __init__(self, problems: Iterable[Problem], *, law: str = "value") -> None:
        if law not in LAWS:
            raise ConfigError(f"unknown law {law!r}: one of {', '.join(LAWS)}")
        self.law = law
        self.problems = {problem.id: problem for problem in problems}
        self._gold: dict[Problem, Function] = {}

    def gold(self, problem: Problem) -> Function:
        """The function of the gold equation; None if there is none or it can't be read."""
        if problem not in self._gold:
            values = [quantity.exact for quantity in problem.quantities]
            text = problem.gold
            self._gold[problem] = None if text is None else self.equation_meaning(text, values)
        return self._gold[problem]

    def meaning(self, expr: str, values: Sequence[Fraction]) -> Function:
        """The function of an expression over N0, N1...; None if it can't be read."""
        if self.law == "mentioned":
            return mentioned_expression_function(expr, values)
        try:
            return expression_function(expr, values, law=self.law)
        except MathCanonError:
            return None

    def equation_meaning(self, equation: str, values: Sequence[Fraction]) -> Function:
        """The function of an equation in literal numbers; None if it can't be read."""
        if self.law == "mentioned":
            return mentioned_equation_function(equation, values)
        return equation_function(equation, values, law=self.law)

    def judge_expr(self, expr: str, problem: Problem) -> bool | None:
        """Whether an expression over N0, N1... is equivalent to the gold equation of a problem; None without gold."""
        gold = self.gold(problem)
        return None if gold is None else self.meaning(expr, [quantity.exact for quantity in problem.quantities]) == gold

    def judge_label(self, label: Label) -> bool | None:
        """Whether a label is right; None if its problem has no gold."""
        right = self.judge_labels([label]).right
        return None if right is None else right[0]

    def judge_set(self, found: CandidateSet) -> Judged:
        """Judge the candidates of one problem."""
        problem = self.problems[found.id]
        if found.values != tuple([quantity.value for quantity in problem.quantities]):
            here = ", ".join(quantity.value for quantity in problem.quantities)
            message = (
                f"problem {found.id} was searched with the quantities {', '.join(found.values)}, the corpus has {here}"
            )
            raise DataError(f"{message}; read the corpus with the options of the search")
        values = [quantity.exact for quantity in problem.quantities]
        meanings = [self.meaning(candidate.expr, values) for candidate in found.candidates]
        stages = tuple([candidate.stage for candidate in found.candidates])
        return self._judged(problem, len(meanings), meanings, stages, found.reason or "no-match")

    def judge_labels(self, labels: Sequence[Label | ForeignLabel]) -> Judged:
        """Judge the labels of one problem: one `Label`, or any number of foreign ones."""
        problem = self.problems[str(labels[0].id)]
        values = [quantity.exact for quantity in problem.quantities]
        candidates = len(labels)
        meanings: list[Function] = []
        stages: list[str] = []
        for label in labels:
            if isinstance(label, Label):
                check_label(label, problem)
                candidates = label.candidates
                meanings.append(self.meaning(label.expr, values))
                stages.append(label.stage)
            else:
                meanings.append(self.equation_meaning(exact_equation(label.equation, values), values))
        return self._judged(problem, candidates, meanings, tuple(stages), "no-label")

    def _judged(
        self, problem: Problem, candidates: int, meanings: Sequence[Function], stages: tuple[str, ...], reason: str
    ) -> Judged:
        gold = self.gold(problem)
        right = None if gold is None else tuple([meaning == gold for meaning in meanings])
        return Judged(candidates, right, stages, sum(meaning is None for meaning in meanings), reason)
