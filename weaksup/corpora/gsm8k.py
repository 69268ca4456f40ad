"""GSM8K (Cobbe et al. 2021): English, worked solutions with calculator steps `<<30/2=15>>`, no equation.

A gold equation is rebuilt from the whole solution, calculator steps and prose, by `mathcanon.read_solution`: a number
of a later step that is the result of an earlier one is replaced by that step.  A problem whose equation can't be
rebuilt, or does not have the value of the answer, has no gold, with the reason.  There are no ids: problems are
numbered by line.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from msgspec.structs import replace

from mathcanon import Number, evaluate, read_solution
from mathcanon.errors import LimitError, MathCanonError

from ..records import Problem, Skipped
from .gold import Gold
from .problems import make_problem
from .quantities import NumberWords
from .records_json import Record, iterate_records

__all__ = ["FILES", "read_gsm8k", "rebuild_gold"]

FILES = ({"train": "train.jsonl", "test": "test.jsonl"},)
MAX_LENGTH = 2_000


def read_gsm8k(
    path: Path, *, number_words: NumberWords = True, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order."""
    for number, record in enumerate(iterate_records(path), start=1):
        yield _problem(record, f"{part}-{number}" if part else str(number), number_words, segmenter)


def _problem(record: Record, id: str, number_words: NumberWords, segmenter: str) -> Problem | Skipped:
    _, mark, answer = record.text("answer").rpartition("####")
    if not mark:
        return record.skip(id, "answer-unreadable", "no #### before the result", "answer")
    problem = make_problem(
        record,
        id=id,
        text=record.text("question"),
        answer=answer,
        answer_field="answer",
        gold=Gold(None),
        number_words=number_words,
        segmenter=segmenter,
    )
    if isinstance(problem, Skipped):
        return problem
    gold = rebuild_gold(record.text("answer"), problem.text, answer=problem.exact_answer)
    return replace(problem, gold=gold.equation, gold_missing=gold.missing)


def rebuild_gold(solution: str, question: str, *, answer: Fraction) -> Gold:
    """All steps of a worked solution as one expression.

    >>> solution = "<<30/2=15>>15 in May, <<30+15=45>>45 in all. #### 45"
    >>> rebuild_gold(solution, "30 clips in April, half as many in May", answer=Fraction(45)).equation
    '30+30/2'
    """
    try:
        expr = read_solution(solution, question).expr
        if len(text := str(expr)) > MAX_LENGTH:
            return Gold(None, "gold-too-long")
        if isinstance(expr, Number):
            return Gold(None, "gold-no-steps")
        if evaluate(expr) != answer:
            return Gold(None, "gold-steps-not-answer")
    except LimitError:
        return Gold(None, "gold-too-long")
    except MathCanonError:
        return Gold(None, "gold-steps-unreadable")
    return Gold(text)
