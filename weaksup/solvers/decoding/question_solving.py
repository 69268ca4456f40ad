"""Questions without answers -> equations and answers, in order, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from ...corpora.implied import add_implied
from ...corpora.lexicons import load_lexicons
from ...corpora.problems import segment_text
from ...corpora.quantities import QuantityError, language_of
from ...corpora.questions import Question
from ...records import Problem
from .ensemble import Ensemble
from .solver import Prediction, Solver

__all__ = ["Solved", "solve_questions"]

_AT_ONCE = 256  # questions that are read before their answers are yielded


class Solved(msgspec.Struct, frozen=True, kw_only=True):
    """The most likely equation for a question and its value, or the reason why there is none."""

    id: str
    text: str
    equation: str | None = None
    answer: str | None = None  # exact: "8", "17/3"
    probability: float | None = None
    fault: str | None = None


def solve_questions(
    solver: Solver | Ensemble,
    questions: Iterable[Question],
    *,
    beam: int = 5,
    language: str = "",
    lexicon: str = "none",
) -> Iterator[Solved]:
    """Yield the solution of each question in order; one that can't be read or solved costs only itself.

    `lexicon` chooses the words that imply a quantity, as in `read_corpus`.
    """
    stream, lexicons = iter(questions), load_lexicons(lexicon)
    while batch := list(islice(stream, _AT_ONCE)):
        readings = [_read(question, language) for question in batch]
        problems = [add_implied(reading, lexicons) for reading in readings if isinstance(reading, Problem)]
        predictions = iter(solver.predict(problems, beam=beam))
        for question, reading in zip(batch, readings, strict=True):
            if isinstance(reading, Problem):
                yield _solved(question, next(predictions))
            else:
                yield Solved(id=question.id, text=question.text, fault=reading)


def _read(question: Question, language: str) -> Problem | str:
    """The question as a problem, or what is wrong with it."""
    if question.fault or not question.text:
        return question.fault or "the text is empty"
    try:
        text, tokens, quantities = segment_text(question.text, language=language, number_words=True)
    except QuantityError as error:
        return str(error)
    if not quantities:
        return "there is no number in the text"
    return Problem(
        id=question.id,
        text=text,
        tokens=tokens,
        quantities=quantities,
        answer="0",
        language=language or language_of(text),
    )


def _solved(question: Question, found: list[Prediction]) -> Solved:
    if not found:
        return Solved(id=question.id, text=question.text, fault="no equation has a value")
    best = found[0]
    return Solved(
        id=question.id,
        text=question.text,
        equation=best.equation,
        answer=best.value,
        probability=best.probability,
    )
