"""GSM8K (Cobbe et al. 2021): English, worked solutions with calculator steps `<<30/2=15>>`, no equation.

A gold equation is rebuilt by substituting steps into each other: a number of a later step that is the result of an
earlier one is replaced by that step.  If the result is also a number of the text, this is ambiguous; the number is
then replaced only if no later step has used the earlier one yet.  The last step must give the answer.  A problem whose
equation can't be rebuilt has no gold, with the reason.  There are no ids: problems are numbered by line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fractions import Fraction
from pathlib import Path

from msgspec.structs import replace

from mathcanon.errors import MathCanonError
from mathcanon.notation.notations import parse, parse_number
from mathcanon.values import evaluate

from ..records import Problem, Skipped
from .gold import Gold
from .problems import make_problem
from .quantities import NumberWords
from .records_json import Record, iterate_records

__all__ = ["FILES", "join_steps", "read_gsm8k"]

FILES = ({"train": "train.jsonl", "test": "test.jsonl"},)
MAX_LENGTH = 2_000

_STEP = re.compile(r"<<([^<>]*)>>")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.ASCII)


def read_gsm8k(
    path: Path, *, number_words: NumberWords = True, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order."""
    for number, record in enumerate(iterate_records(path), start=1):
        yield _problem(record, f"{part}-{number}" if part else str(number), number_words, segmenter)


def _problem(record: Record, id: str, number_words: NumberWords, segmenter: str) -> Problem | Skipped:
    solution, mark, answer = record.text("answer").rpartition("####")
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
    known = {quantity.exact for quantity in problem.quantities}
    gold = join_steps(_STEP.findall(solution), answer=problem.exact_answer, known=known)
    return replace(problem, gold=gold.equation, gold_missing=gold.missing)


def join_steps(steps: Collection[str], *, answer: Fraction, known: Collection[Fraction] = ()) -> Gold:
    """All steps as one expression; `known` are the values that the text mentions.

    >>> join_steps(["30/2=15", "30+15=45"], answer=Fraction(45), known=[Fraction(30)]).equation
    '30+30/2'
    """
    if not steps:
        return Gold(None, "gold-no-steps")
    results: dict[Fraction, str] = {}  # value -> the latest step with that result
    unused: set[Fraction] = set()
    value = None
    expression = ""
    for step in steps:
        left, _, right = step.replace("//", "/").partition("=")
        if len(left) > MAX_LENGTH:
            return Gold(None, "gold-too-long")
        try:
            value = parse_number(right)
            expression, used = _put_back(left, {v: e for v, e in results.items() if v not in known or v in unused})
            if len(expression) > MAX_LENGTH:
                return Gold(None, "gold-too-long")
            if evaluate(left) != value:
                return Gold(None, "gold-step-wrong")
        except (MathCanonError, ValueError):
            return Gold(None, "gold-step-unreadable")
        unused -= used
        results[value] = expression
        unused.add(value)
    if value != answer:
        return Gold(None, "gold-last-step-not-answer")
    return _plain(expression, answer)


def _put_back(left: str, steps: dict[Fraction, str]) -> tuple[str, set[Fraction]]:
    """`left` with each result of a step replaced by that step, and the numbers that were replaced."""
    used: set[Fraction] = set()

    def replacement(found: re.Match[str]) -> str:
        number = Fraction(found[0])
        if number not in steps:
            return found[0]
        used.add(number)
        return steps[number] if _NUMBER.fullmatch(steps[number]) else f"({steps[number]})"

    return _NUMBER.sub(replacement, left), used


def _plain(expression: str, answer: Fraction) -> Gold:
    """The expression without redundant brackets, if its value is the answer."""
    try:
        tree = parse(expression)
        if evaluate(tree) != answer:
            return Gold(None, "gold-steps-not-answer")
    except MathCanonError:
        return Gold(None, "gold-step-unreadable")
    return Gold(str(tree))
