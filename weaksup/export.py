"""Labels joined with the text of their problems: training data for any model.

Formats: `jsonl` (everything, one object a line), `csv` (the same in columns) and `chat` (JSON Lines of prompt and
response, for the fine-tuning of language models).  Every format loads with `datasets.load_dataset`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator

import msgspec

from .errors import DataError
from .labels import check_label
from .records import Label, Problem

__all__ = ["FORMATS", "Example", "export_bytes", "join_labels"]

PROMPTS = {
    "en": "Write the equation that solves this problem.\n\n{text}",
    "zh": "写出解答下面应用题的方程。\n\n{text}",
}


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled problem."""

    id: str
    text: str
    tokens: tuple[str, ...]
    quantities: tuple[str, ...]  # exact values: N0 is the first
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


def join_labels(labels: Iterable[Label], problems: Iterable[Problem]) -> Iterator[Example]:
    """Each label with its problem; a label without one, or made for another one, is a `DataError`."""
    by_id = {problem.id: problem for problem in problems}
    for label in labels:
        if label.id not in by_id:
            raise DataError(f"the corpus has no problem {label.id}: do labels and corpus belong together?")
        problem = by_id[label.id]
        check_label(label, problem)
        yield Example(
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


def export_bytes(examples: Iterable[Example], format: str) -> Iterator[bytes]:
    """The examples in one of `FORMATS`, piece by piece."""
    return FORMATS[format](examples)


def _jsonl(examples: Iterable[Example]) -> Iterator[bytes]:
    for example in examples:
        yield msgspec.json.encode(example) + b"\n"


def _chat(examples: Iterable[Example]) -> Iterator[bytes]:
    for example in examples:
        prompt = PROMPTS.get(example.language, PROMPTS["en"]).format_map({"text": example.text})
        yield msgspec.json.encode(_Turn(id=example.id, prompt=prompt, response=example.equation)) + b"\n"


def _csv(examples: Iterable[Example]) -> Iterator[bytes]:
    yield _row(Example.__struct_fields__)
    for example in examples:
        cells = msgspec.structs.astuple(example)
        yield _row([" ".join(map(str, cell)) if isinstance(cell, tuple) else cell for cell in cells])


def _row(cells: Iterable[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)  # so that a cell with either of them is quoted
    return text.getvalue().removesuffix("\r\n").encode() + b"\n"


FORMATS: dict[str, Callable[[Iterable[Example]], Iterator[bytes]]] = {"jsonl": _jsonl, "csv": _csv, "chat": _chat}
