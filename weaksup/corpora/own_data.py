"""A user's own records -> problems: the part that JSON Lines, tables and Python objects have in common.

A record has a text and an answer (a number, or text such as "40%", "60 km/h", "$1,200"), and optionally an id, a gold
equation and `segmented`, the text with blanks between its tokens.  `fields` finds them by their usual names or by the
names that the user gives.  Without an id, the number of the record is its id.  Worked solutions that end in `#### 72`
are read as that answer.  By default, number words are quantities in English and not in Chinese.  A record with a field
that is missing or of the wrong type is skipped; if all are so, the choice of fields is wrong, which is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..errors import DataError
from ..records import Problem, Skipped
from .answers import is_interpreted
from .fields import Fields, find_fields, find_id_field
from .gold import Gold, read_gold
from .problems import make_problem
from .quantities import NumberWords, language_of
from .records_json import Record

__all__ = ["OPTIONS", "own_problems", "own_reader", "question_id", "question_text"]

#: The options of every reader of own data.
OPTIONS = frozenset({"number_words", "segmenter", "text_field", "answer_field", "gold_field", "id_field"})

_RESULT_MARK = "####"


def own_reader(records: Callable[[Path], Iterator[Record | Skipped]]) -> Callable[..., Iterator[Problem | Skipped]]:
    """The reader of a format, given the function that yields the records of a file."""

    def read(
        path: Path,
        *,
        number_words: NumberWords | None = None,
        segmenter: str = "",
        text_field: str = "",
        answer_field: str = "",
        gold_field: str = "",
        id_field: str = "",
        part: str = "",
    ) -> Iterator[Problem | Skipped]:
        return own_problems(
            records(path),
            number_words=number_words,
            segmenter=segmenter,
            text_field=text_field,
            answer_field=answer_field,
            gold_field=gold_field,
            id_field=id_field,
            part=part,
        )

    return read


def own_problems(
    records: Iterable[Record | Skipped],
    *,
    text_field: str = "",
    answer_field: str = "",
    gold_field: str = "",
    id_field: str = "",
    part: str = "",
    **reading: Any,
) -> Iterator[Problem | Skipped]:
    """The problems of the records, in order."""
    first_error: DataError | None = None
    any_readable = False
    for number, record in enumerate(records, start=1):
        if isinstance(record, Skipped):
            yield record
            continue
        id = f"{part}-{number}" if part else str(number)
        try:
            id = question_id(record, find_id_field(record, id_field), id)  # first, so that what is skipped has its id
            fields = find_fields(record, text=text_field, answer=answer_field, gold=gold_field, id=id_field)
            found = _own_problem(record, fields, id, **reading)
        except DataError as error:
            first_error = first_error or error
            found = record.skip(id, "field-unreadable", error.message, error.field or "")
        else:
            any_readable = True
        yield found
    if first_error and not any_readable:
        raise first_error


def _own_problem(
    record: Record, fields: Fields, id: str, *, number_words: NumberWords | None = None, segmenter: str = ""
) -> Problem | Skipped:
    text = question_text(record, fields.text)
    answer = _result(record.value(fields.answer))
    has_gold = fields.gold is not None and record.value(fields.gold) is not None
    problem = make_problem(
        record,
        id=id,
        text=text,
        segmented=record.text("segmented") if record.fields.get("segmented") else None,
        answer=answer,
        answer_field=fields.answer,
        gold=read_gold(record.text(fields.gold)) if has_gold and fields.gold is not None else Gold(None),
        number_words=language_of(text) == "en" if number_words is None else number_words,
        segmenter=segmenter,
    )
    if isinstance(problem, Problem) and is_interpreted(answer):
        return replace(problem, answer_text=str(answer).strip())
    return problem


def question_text(record: Record, fields: tuple[str, ...]) -> str:
    """The text of a problem, from one field or several; a null is an empty text."""
    return " ".join(record.text(name).strip() for name in fields if record.value(name) is not None)


def question_id(record: Record, field: str | None, otherwise: str) -> str:
    """The id of a record, or `otherwise` if it has no field for it."""
    return otherwise if field is None else record.name(field)


def _result(answer: Any) -> Any:
    """The answer, or what follows the result mark of a worked solution."""
    return answer.rpartition(_RESULT_MARK)[2] if isinstance(answer, str) else answer
