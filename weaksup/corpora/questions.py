"""Questions without answers, to be solved: the texts of a file of own data, of plain lines, or of a stream of lines.

A line that begins with `{` is a JSON object with a text and optionally an id; any other line is a text itself, and its
number is its id.  Tables and JSON files are read as `own_data` reads them, published corpora by their readers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from ..records import Problem, Skipped
from . import READERS, arrow, infer_corpus
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
    """The questions of a file or folder: own data in any format, a published corpus, or plain lines.

    With `text_field` or `id_field`, a file is own data, whatever it looks like.
    """
    if path.is_dir():
        name = infer_corpus(path)
        files = READERS[name].find_files(path)
    else:
        name, files = "" if text_field or id_field else _published(path), {"": path}
    for part, file in files.items():
        if name and not READERS[name].is_own_data:
            yield from map(_of_problem, READERS[name].read(file, part=part))
        else:
            yield from _own_questions(file, part, text_field, id_field)


def _published(path: Path) -> str:
    """The name of the published corpus that a file looks like, if any."""
    sample = take_sample(path)
    published = [name for name, reader in READERS.items() if reader.files and not reader.is_own_data]
    return next((name for name in published if READERS[name].known_by(sample)), "")


def _of_problem(found: Problem | Skipped) -> Question:
    if isinstance(found, Problem):
        return Question(found.id, found.text)
    return Question(found.id, "", f"{found.reason}: {found.detail}")


def _own_questions(path: Path, part: str, text_field: str, id_field: str) -> Iterator[Question]:
    sample = take_sample(path)
    if sample.name == arrow.STATE:
        records: Iterable[Record | Skipped] = arrow.dataset_rows(path)
    elif sample.kind == "JSON":
        records = iterate_records(path)
    elif sample.kind == "Parquet":
        records = arrow.parquet_rows(path)
    elif sample.suffix in (".csv", ".tsv"):
        records = table_rows(path, delimiter="\t" if sample.kind == "tsv" else "")
    else:
        lines = enumerate(read_text(path).splitlines(), start=1)
        yield from read_question_lines(lines, str(path), text_field=text_field, id_field=id_field)
        return
    for number, record in enumerate(records, start=1):
        if isinstance(record, Skipped):
            yield _of_problem(record)
        else:
            yield _question(record, f"{part}-{number}" if part else str(number), text_field, id_field)


def read_question_lines(
    lines: Iterable[tuple[int, str]], name: str, *, text_field: str = "", id_field: str = ""
) -> Iterator[Question]:
    """The questions of numbered lines; a line that can't be read costs only itself."""
    for number, line in lines:
        text = line.strip()
        if text.startswith("{"):
            try:
                yield _question(Record(json.loads(text), Path(name), number), str(number), text_field, id_field)
            except (ValueError, RecursionError) as error:  # a DataError is a ValueError
                fault = error.message if isinstance(error, DataError) else f"not JSON: {error}"
                yield Question(str(number), "", fault)
        elif text:
            yield Question(str(number), text)


def _question(record: Record, otherwise: str, text_field: str, id_field: str) -> Question:
    id = question_id(record, find_id_field(record, id_field), otherwise)
    return Question(id, question_text(record, find_text_fields(record, text_field)).strip())
