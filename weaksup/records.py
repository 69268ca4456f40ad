"""Every record that reaches a file: problems, quantities, and what could not be read.

Records are msgspec structs, immutable, written as one JSON object a line.  Exact numbers are text (`"3"`, `"1/6"`),
because JSON has no fractions; `Quantity.exact` and `Problem.exact_answer` give them as Fractions.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

__all__ = ["Candidate", "CandidateSet", "Label", "Problem", "Quantity", "Scored", "Skipped"]


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """A number mentioned in the text."""

    value: str  # exact: "3", "1/6"
    surface: str  # as written: "40%", "(1/6)", "two"
    start: int  # span in Problem.text
    end: int
    token: int  # index in Problem.tokens

    @property
    def exact(self) -> Fraction:
        return Fraction(self.value)


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A word problem.  `tokens` are what a solver reads; quantity i is called N{i} in equations."""

    id: str
    text: str
    tokens: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    answer: str  # exact
    language: str = ""  # "zh" or "en"
    gold: str | None = None  # the equation as published; read by the oracle and by supervised training only
    gold_missing: str | None = None  # why there is no gold equation, where the corpus should have one
    scheme: str | None = None  # which story scheme made it (embedded stories only)

    @property
    def exact_answer(self) -> Fraction:
        return Fraction(self.answer)

    def without_gold(self) -> Problem:
        """What may be learnt from."""
        return msgspec.structs.replace(self, gold=None, gold_missing=None)


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that could not be read, and why: skipping is a result, not silence."""

    id: str
    reason: str  # a short category: "answer-unreadable", "no-quantity", ...
    detail: str = ""
    line: int | None = None
    field: str = ""  # the field of the record at fault


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An equation of a problem that has the right value."""

    expr: str  # over N0, N1..., the constants 1 and 3.14
    stage: str  # the simplest stage that finds it
    value: str  # exact; differs from the answer only where the plan has a tolerance


class CandidateSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All candidates of a problem, simplest first, and what is needed to rank them without the corpus."""

    id: str
    values: tuple[str, ...]  # of the quantities, exact
    surfaces: tuple[str, ...]  # of the quantities, as written
    answer: str
    candidates: tuple[Candidate, ...] = ()
    reason: str | None = None  # why there is none: "no-match", "no-quantity", "too-many-quantities"


class Scored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A candidate with its share of belief."""

    expr: str
    posterior: float
    score: float | None = None  # log-probability by the draft model, where one was asked


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pseudo label: the equation that a problem is trained with."""

    id: str
    expr: str  # over N0, N1..., the constants 1 and 3.14
    equation: str  # the same in the problem's own numbers: "x=(11-1)*2"
    posterior: float  # how sure the ranker is; 1 where there was one candidate
    candidates: int  # how many there were
    stage: str
    ranker: str
    others: tuple[Scored, ...] = ()  # the next best, for soft labels
    score: float | None = None  # log-probability by the draft model, where one was asked
