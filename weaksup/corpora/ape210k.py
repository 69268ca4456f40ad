"""Ape210K (Zhao et al. 2020): Chinese, JSON Lines with the fields of Math23K.

Its `segmented_text` is split by character and breaks fractions (`( 1 / 5 )`), so quantities are found in the running
text and their tokens are joined; `segmenter="rjieba"` gives words instead of characters.  Some answers are
calculations that were not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..records import Problem, Skipped
from .gold import read_gold
from .problems import make_problem
from .quantities import NumberWords
from .records_json import iterate_records

__all__ = ["FILES", "read_ape210k"]

FILES = ({"train": "train.ape.json", "valid": "valid.ape.json", "test": "test.ape.json"},)


def read_ape210k(
    path: Path, *, number_words: NumberWords = False, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order."""
    for record in iterate_records(path):
        yield make_problem(
            record,
            id=record.name("id"),
            text=record.text("original_text"),
            answer=record.value("ans"),
            answer_field="ans",
            gold=read_gold(record.text("equation")),
            number_words=number_words,
            segmenter=segmenter or "characters",
            language="zh",
        )
