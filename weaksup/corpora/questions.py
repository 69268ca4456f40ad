"""Questions without answers, to be solved: the texts of a file of own data, of plain lines, or of a stream of lines.

A line that begins with `{` is a JSON object with a text and optionally an id; any other line is a text itself, and its
number is its id.  Tables and JSON files are read as `own_data` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from ..records import Skipped
from . import arrow
from .data_files import read_text
from .delimited import table_rows
from .fields import find_id_field, find_text_fields
from .own_data import question_id, question_text
from .records_json import Record, iterate_records
from .sample import take_sample

__all__ = ["Question", "read_question_lines", "read_questions"]


class Question(NamedTuple):
    """A text to be solved; if it can't be read, the reason."""

    id: str
    text: str
    fault: str = ""


def read_questions(path: Path, *, text_field: str = "", id_field: str = "") -> Iterator[Question]:
    """The questions of a file: csv, tsv, Parquet, JSON, a saved dataset, or plain lines."""
    place = path / arrow.STATE if path.is_dir() else path
    sample = take_sample(place)
    if sample.name == arrow.STATE:
        records: Iterable[Record | Skipped] = arrow.dataset_rows(place)
    elif sample.kind == "JSON":
        records = iterate_records(place)
    elif sample.kind == "Parquet":
        records = arrow.parquet_rows(place)
    elif sample.suffix in (".csv", ".tsv"):
        records = table_rows(place, delimiter="\t" if sample.kind == "tsv" else "")
    else:
        lines = enumerate(read_text(place).splitlines(), start=1)
        yield from read_question_lines(lines, str(path), text_field=text_field, id_field=id_field)
        return
    for number, record in enumerate(records, start=1):
        if isinstance(record, Skipped):
            yield Question(record.id, "", f"{record.reason}: {record.detail}")
        else:
            yield _question(record, number, text_field, id_field)


def read_question_lines(
    lines: Iterable[tuple[int, str]], name: str, *, text_field: str = "", id_field: str = ""
) -> Iterator[Question]:
    """The questions of numbered lines; a line that can't be read costs only itself."""
    for number, line in lines:
        text = line.strip()
        if text.startswith("{"):
            try:
                yield _question(Record(json.loads(text), Path(name), number), number, text_field, id_field)
            except (ValueError, RecursionError) as error:  # a DataError is a ValueError
                fault = error.message if isinstance(error, DataError) else f"not JSON: {error}"
                yield Question(str(number), "", fault)
        elif text:
            yield Question(str(number), text)


def _question(record: Record, number: int, text_field: str, id_field: str) -> Question:
    id = question_id(record, find_id_field(record, id_field), str(number))
    return Question(id, question_text(record, find_text_fields(record, text_field)).strip())
