"""Lines of a JSON Lines file -> the same records with their grades, in order, a few at a time.

A graded record has the fields of the record, and `line`, `grade`, `reason`, `answers`, `expressions` (of the prediction
and of gold, as texts), `wrong_step` and `foreign_step` (the first of each, as texts; None if there is none).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mathcanon import Grade, Solution, grade_many
from mathcanon.grading import CONSTANTS
from mathcanon.notation.numerals import value_text

__all__ = ["GradeOptions", "GradedRecord", "grade_record", "grade_records", "read_field"]

GradedRecord = dict[str, Any]
Pair = tuple[Any, ...]


@dataclass(frozen=True)
class GradeOptions:
    """The fields of a record, by dotted names (`model.solution`), and what counts as equal."""

    pred: str = "pred"
    gold: str = "gold"
    question: str | None = None
    quantities: str | None = None
    constants: tuple[Fraction, ...] = CONSTANTS
    tolerance: Fraction = Fraction(0)

    def to_dict(self) -> dict[str, Any]:
        """The options as they stand in a sidecar."""
        exact = {"constants": [str(constant) for constant in self.constants], "tolerance": str(self.tolerance)}
        return {
            "pred": self.pred,
            "gold": self.gold,
            "question": self.question,
            "quantities": self.quantities,
            **exact,
        }


class _Refused(Exception):
    """A line that is no record with a prediction and gold."""


def grade_records(
    lines: Iterable[tuple[int, str]], options: GradeOptions, *, workers: int = 1
) -> Iterator[GradedRecord]:
    """Each record with its grade; a line that can't be read is graded "unreadable", with the reason.

    The result is the same for any number of workers.

    >>> lines = [(1, '{"pred": "2*150-50", "gold": "150*2-50"}'), (2, "no JSON")]
    >>> [(record["line"], record["grade"]) for record in grade_records(lines, GradeOptions())]
    [(1, 'same-method'), (2, 'unreadable')]
    """
    waiting: deque[tuple[int, dict[str, Any], str]] = deque()

    def pairs() -> Iterator[Pair]:
        for number, line in lines:
            record: dict[str, Any] = {}
            pair, refused = (), ""
            try:
                record = _read_record(line)
                pair = _read_pair(record, options)
            except _Refused as error:
                refused = str(error)
            waiting.append((number, record, refused))
            yield pair

    for grade in grade_many(pairs(), workers=workers, constants=options.constants, tolerance=options.tolerance):
        number, record, refused = waiting.popleft()
        yield _graded(number, record, Grade("unreadable", refused) if refused else grade)


def grade_record(record: GradedRecord, options: GradeOptions) -> Grade:
    """The grade of one record, with the solutions as they were read."""
    try:
        pair = _read_pair(record, options)
    except _Refused as error:
        return Grade("unreadable", str(error))
    return next(grade_many([pair], constants=options.constants, tolerance=options.tolerance))


def _graded(number: int, record: dict[str, Any], grade: Grade) -> GradedRecord:
    read = (grade.predicted, grade.gold)
    wrong, foreign = grade.wrong_step, grade.foreign_step
    return {
        "line": number,
        **record,
        "grade": grade.kind,
        "reason": grade.reason,
        "answers": [solution and _answer_text(solution) for solution in read],
        "expressions": [solution and str(solution.expr) for solution in read],
        "wrong_step": wrong and str(wrong),
        "foreign_step": foreign and str(foreign),
    }


def _answer_text(solution: Solution) -> str:
    return value_text(solution.answer) if isinstance(solution.answer, Fraction) else str(solution.answer)


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_record(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Refused(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise _Refused("not a JSON object")
    return record


def _read_pair(record: dict[str, Any], options: GradeOptions) -> Pair:
    """Prediction, gold, question and quantities."""
    question = None if options.question is None else _read_text(record, options.question)
    quantities = None if options.quantities is None else read_field(record, options.quantities)
    if quantities is not None and not isinstance(quantities, list):
        raise _Refused(f"no list in the field {options.quantities!r}")
    return _read_text(record, options.pred), _read_text(record, options.gold), question, quantities


def _read_text(record: dict[str, Any], name: str) -> str:
    value = read_field(record, name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _Refused(f"no text in the field {name!r}")
    return value


def read_field(record: dict[str, Any], name: str) -> Any:
    """The value of a field, which may stand inside others; None if there is none.

    >>> read_field({"model": {"solution": "1+1"}, "model.size": 6}, "model.solution")
    '1+1'
    >>> read_field({"model": {"solution": "1+1"}, "model.size": 6}, "model.size")
    6
    """
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
