"""Math23K (Wang, Liu & Shi 2017): Chinese, segmented, one gold equation each.

The published file is a sequence of pretty-printed JSON objects, not a list; lists and JSON Lines are read as well.
Quantities are those of GTS and Graph2Tree: numbers at the beginning of a token; number words are not quantities.
`MAWPS.json` and several MWPToolkit folders have the same fields, so their readers use `math23k_problem` too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..records import Problem, Skipped
from .gold import Gold, read_gold
from .problems import make_problem
from .quantities import NumberWords
from .records_json import Record, iterate_records

__all__ = ["FILES", "math23k_problem", "read_math23k"]

FILES = ({"": "Math_23K.json"},)


def read_math23k(
    path: Path, *, number_words: NumberWords = False, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order."""
    for record in iterate_records(path):
        yield math23k_problem(record, number_words=number_words, segmenter=segmenter, language="zh")


def math23k_problem(
    record: Record, *, number_words: NumberWords = False, segmenter: str = "", language: str = ""
) -> Problem | Skipped:
    """The problem of a record with the fields of Math23K; the equation may be missing."""
    return make_problem(
        record,
        id=record.name("id"),
        text=record.text("original_text"),
        segmented=record.text("segmented_text"),
        answer=record.value("ans"),
        answer_field="ans",
        gold=read_gold(record.text("equation")) if "equation" in record else Gold(None, "gold-absent"),
        number_words=number_words,
        segmenter=segmenter,
        language=language,
    )
