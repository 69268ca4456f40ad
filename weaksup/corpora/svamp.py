"""SVAMP (Patel et al. 2021): English, as JSON and as the csv that its training code uses.

In the csv, numbers are masked (`number0`) and listed in `Numbers`, and the equation is in prefix notation (`- number0
number1`); the reader puts the numbers back into the text and writes the equation in infix.  A folder with `train.csv`
(MAWPS and ASDiv-A) and `dev.csv` (SVAMP, the test set) is read as two parts.  Rows of the csv have no ids, so they are
numbered.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from mathcanon.errors import MathCanonError
from mathcanon.notation.notations import parse

from ..errors import DataError
from ..records import Problem, Skipped
from .answers import AnswerError, read_answer
from .data_files import read_text
from .gold import Gold, read_gold
from .problems import make_problem
from .quantities import Mention, NumberWords
from .records_json import Record, iterate_records

__all__ = ["FILES", "masked_problem", "read_svamp", "svamp_problem"]

FILES = ({"train": "train.csv", "test": "dev.csv"}, {"": "SVAMP.json"})
COLUMNS = ("Question", "Numbers", "Equation", "Answer")

_MASK = re.compile(r"number(\d{1,4})\b", re.ASCII)


def read_svamp(
    path: Path, *, number_words: NumberWords = False, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order; JSON or csv by its first character."""
    text = read_text(path)
    if text.lstrip()[:1] in ("[", "{"):
        for record in iterate_records(path):
            yield svamp_problem(record, number_words=number_words, segmenter=segmenter)
    else:
        for number, record in enumerate(_rows(text, path), start=1):
            yield masked_problem(record, id=f"{part}-{number}" if part else str(number))


def svamp_problem(record: Record, *, number_words: NumberWords = False, segmenter: str = "") -> Problem | Skipped:
    """The problem of a JSON record."""
    return make_problem(
        record,
        id=record.name("ID"),
        text=f"{record.text('Body').strip()} {record.text('Question').strip()}",
        answer=record.value("Answer"),
        answer_field="Answer",
        gold=read_gold(record.text("Equation")),
        number_words=number_words,
        segmenter=segmenter,
    )


def masked_problem(record: Record, *, id: str) -> Problem | Skipped:
    """The problem of a record whose numbers are masked."""
    numbers = [_shorter(number) for number in record.text("Numbers").split()]
    try:
        values = [read_answer(number) for number in numbers]
    except AnswerError as error:
        return record.skip(id, "quantity-unreadable", str(error), "Numbers")
    tokens: list[str] = []
    mentions: list[Mention] = []
    place = 0
    for token in record.text("Question").split():
        if found := _MASK.fullmatch(token):
            if int(found[1]) >= len(numbers):
                return record.skip(id, "number-missing", f"{token} has no value among {len(numbers)}", "Numbers")
            token = numbers[int(found[1])]
            mentions.append(Mention(place, place + len(token), values[int(found[1])]))
        tokens.append(token)
        place += len(token) + 1
    text = " ".join(tokens)
    return make_problem(
        record,
        id=id,
        text=text,
        segmented=text,
        mentions=mentions,
        answer=record.value("Answer"),
        answer_field="Answer",
        gold=_unmask(record.text("Equation"), numbers),
    )


def _shorter(number: str) -> str:
    """`56.0` as `56`: the csv writes every number as a float."""
    return number[:-2] if number.endswith(".0") else number


def _unmask(equation: str, numbers: list[str]) -> Gold:
    """A prefix equation over masks as an infix equation in literal numbers."""
    try:
        infix = str(parse(equation, "prefix" if " " in equation.strip() else "auto"))
    except MathCanonError:
        return Gold(None, "gold-not-arithmetic")
    if any(int(mask) >= len(numbers) for mask in _MASK.findall(infix)):
        return Gold(None, "gold-number-missing")

    def literal(found: re.Match[str]) -> str:
        number = numbers[int(found[1])]
        return f"({number})" if number.startswith("-") else number

    return read_gold(_MASK.sub(literal, infix))


def _rows(text: str, path: Path) -> Iterator[Record]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise DataError(
                f"neither JSON nor a csv with the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}",
                path=str(path),
                line=1,
            )
        line = reader.line_num + 1
        for row in reader:
            record = Record(row, path, line)
            if None in row or None in row.values():
                raise record.error(f"{len(reader.fieldnames or ())} columns are expected")
            yield record
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"not csv: {error}", path=str(path), line=line) from error
