"""The records that steps exchange through files: problems, quantities, candidates, labels, and skipped problems.

Records are immutable msgspec structs, written as JSON Lines.  Exact numbers are stored as text (`"3"`, `"1/6"`) because
JSON has no fractions; `Quantity.exact` and `Problem.exact_answer` return them as Fractions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import msgspec

__all__ = ["Candidate", "CandidateSet", "Label", "Limited", "Problem", "Quantity", "Scored", "Skipped"]


#: An exact number as text, "3" or "-1/6".  Reading a record checks it, so that no file can ask for 10^999999999.
Exact = Annotated[str, msgspec.Meta(pattern=r"^-?[0-9]+(/0*[1-9][0-9]*)?$", max_length=60_000)]


class Quantity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number that the text prints, or one that a word of it implies."""

    value: Exact  # "3", "1/6"
    surface: str  # as written: "40%", "(1/6)", "two"
    start: int  # span in Problem.text
    end: int
    token: int  # index in Problem.tokens
    implied: str = ""  # the entry of the lexicon that brings an implied number, "hour of minute"; "": printed

    @property
    def exact(self) -> Fraction:
        return Fraction(self.value)


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A word problem.  Solvers read its `tokens`; in equations, quantity i is called N{i}.

    The printed quantities come first, in text order, then the implied ones, which an equation may use or not.
    """

    id: str
    text: str
    tokens: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    answer: Exact
    language: str = ""  # "zh" or "en"
    lexicon: str = ""  # the name of the lexicon that was asked for implied quantities; "": none
    gold: str | None = None  # the equation as published; read by the oracle and by supervised training only
    gold_missing: str | None = None  # why there is no gold equation, where the corpus should have one
    answer_text: str | None = None  # the answer as written, where a unit, a currency or a percent sign was interpreted
    scheme: str | None = None  # the story scheme that generated it (embedded stories only)

    @property
    def printed(self) -> int:
        """The number of quantities that the text prints."""
        return sum(not quantity.implied for quantity in self.quantities)

    @property
    def exact_answer(self) -> Fraction:
        return Fraction(self.answer)

    def without_gold(self) -> Problem:
        """The problem without its gold equation: what weakly supervised training may see."""
        return msgspec.structs.replace(self, gold=None, gold_missing=None)


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that could not be read, and the reason."""

    id: str
    reason: str  # a short category: "answer-unreadable", "no-quantity", ...
    detail: str = ""
    line: int | None = None
    field: str = ""  # the field that could not be read


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An equation whose value is the answer of its problem."""

    expr: str  # over N0, N1... and the constants 1 and 3.14
    stage: str  # the simplest stage that finds it
    value: Exact  # differs from the answer only if the search plan has a tolerance


class Limited(msgspec.Struct, frozen=True, kw_only=True):
    """A stage that was left out of the search of a problem, because it met a limit."""

    stage: str
    reason: str  # "hits", "candidates", "memory": more than the memory has room for; "numbers": one is too large


class CandidateSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All candidates of a problem, simplest first, with the numbers that ranking needs besides them."""

    id: str
    values: tuple[Exact, ...]  # of the quantities
    surfaces: tuple[str, ...]  # of the quantities, as written
    answer: Exact
    implied: int = 0  # how many of the quantities, the last ones, are implied and not printed
    candidates: tuple[Candidate, ...] = ()
    reason: str | None = None  # why there are none: "no-match", "no-quantity", "too-many-quantities", "limit-met"
    limits: tuple[Limited, ...] = ()  # the stages that are missing; the candidates are those of the other stages


class Scored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A candidate with its posterior probability."""

    expr: str
    posterior: float
    score: float | None = None  # log-probability under the draft model, if the ranker used one


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pseudo label: the equation that a solver is trained with in place of gold."""

    id: str
    expr: str  # over N0, N1... and the constants 1 and 3.14
    equation: str  # the same in the problem's own numbers: "x=(11-1)*2"
    posterior: float  # the probability that it is right; those of the candidates may add up to less than 1
    candidates: int  # how many there were
    stage: str
    ranker: str
    others: tuple[Scored, ...] = ()  # the next best candidates, for soft labels
    score: float | None = None  # log-probability under the draft model, if the ranker used one
