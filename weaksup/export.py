"""Labels joined with the text of their problems: training data for any model.

Formats: `jsonl` (all fields, one object per line), `csv` (the same fields as columns) and `chat` (JSON Lines of prompt
and response, for fine-tuning language models).  `datasets.load_dataset` loads each of them.

Spreadsheets run a CSV cell that begins with = + - or @ as a formula.  Such a cell gets a leading apostrophe, unless it
is a number or a list of numbers (`-3`, `-1/2 4`).  The other formats leave texts unchanged.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from .errors import DataError
from .meaning.writing import check_label
from .records import Label, Problem

__all__ = ["FORMATS", "ExportedExample", "export_bytes", "join_labels", "spreadsheet_cell"]

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # the last four are full-width characters
_NUMBER = r"-?[0-9]+(\.[0-9]+)?(/[0-9]+|%|e[+-]?[0-9]+)?"
_NUMBERS = re.compile(f"{_NUMBER}( {_NUMBER})*")
PROMPTS = {
    "en": "Write the equation that solves this problem.\n\n{text}",
    "zh": "写出解答下面应用题的方程。\n\n{text}",
}


class ExportedExample(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled problem."""

    id: str
    text: str
    tokens: tuple[str, ...]
    quantities: tuple[str, ...]  # exact values, starting with that of N0
    positions: tuple[int, ...]  # index in `tokens` of each quantity
    expr: str  # over N0, N1...
    equation: str  # in the problem's own numbers
    answer: str
    posterior: float
    language: str


class _Turn(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    prompt: str
    response: str


def join_labels(labels: Iterable[Label], problems: Iterable[Problem]) -> Iterator[ExportedExample]:
    """Each label with its problem.

    Parameters
    ----------
    labels
        Labels.
    problems
        The problems that they belong to.

    Yields
    ------
    ExportedExample
        For each label, in order.

    Raises
    ------
    DataError
        If a problem is missing or has other quantities than its label.
    """
    by_id = {problem.id: problem for problem in problems}
    for label in labels:
        if label.id not in by_id:
            raise DataError(f"the corpus has no problem {label.id}: do labels and corpus belong together?")
        problem = by_id[label.id]
        check_label(label, problem)
        yield ExportedExample(
            id=label.id,
            text=problem.text,
            tokens=problem.tokens,
            quantities=tuple([quantity.value for quantity in problem.quantities]),
            positions=tuple([quantity.token for quantity in problem.quantities]),
            expr=label.expr,
            equation=label.equation,
            answer=problem.answer,
            posterior=label.posterior,
            language=problem.language,
        )


def export_bytes(examples: Iterable[ExportedExample], format: str) -> Iterator[bytes]:
    """The examples in one of `FORMATS`, as a stream of chunks.

    Parameters
    ----------
    examples
        The examples, which are read one by one.
    format
        One of `FORMATS`.

    Yields
    ------
    bytes
        Chunks of the file.
    """
    return FORMATS[format](examples)


def _jsonl(examples: Iterable[ExportedExample]) -> Iterator[bytes]:
    for example in examples:
        yield msgspec.json.encode(example) + b"\n"


def _chat(examples: Iterable[ExportedExample]) -> Iterator[bytes]:
    for example in examples:
        prompt = PROMPTS.get(example.language, PROMPTS["en"]).format_map({"text": example.text})
        yield msgspec.json.encode(_Turn(id=example.id, prompt=prompt, response=example.equation)) + b"\n"


def _csv(examples: Iterable[ExportedExample]) -> Iterator[bytes]:
    yield _row(ExportedExample.__struct_fields__)
    for example in examples:
        cells = msgspec.structs.astuple(example)
        texts = [" ".join(map(str, cell)) if isinstance(cell, tuple) else str(cell) for cell in cells]
        yield _row([spreadsheet_cell(text) for text in texts])


def spreadsheet_cell(text: str) -> str:
    """The text as a CSV cell that no spreadsheet runs as a formula; numbers are unchanged.

    >>> [spreadsheet_cell(text) for text in ("=1+1", "-3+N0", "-3", "-1/2 0.5", "3+5")]
    ["'=1+1", "'-3+N0", '-3', '-1/2 0.5', '3+5']
    """
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBERS.fullmatch(text) else text


def _row(cells: Iterable[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)  # with \r\n, cells that contain \r or \n are quoted
    return text.getvalue().removesuffix("\r\n").encode() + b"\n"


FORMATS: dict[str, Callable[[Iterable[ExportedExample]], Iterator[bytes]]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "chat": _chat,
}
