"""Your own problems as JSON Lines: `{"id": "1", "text": "Tom has 3 ...", "answer": "8", "equation": "3+5"}`.

`text` and `answer` (a number, or text such as "40%", "(1/6)", "15 (balls)") are required.  `id` defaults to the line
number.  `equation`, the gold equation, is optional.  `segmented`, also optional, is the text with blanks between the
tokens.  Other fields are ignored.  By default, number words are quantities in English and not in Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..records import Problem, Skipped
from .gold import Gold, read_gold
from .problems import make_problem
from .quantities import NumberWords, language_of
from .records_json import iterate_records

__all__ = ["FILES", "read_jsonl"]

FILES = ({"train": "train.jsonl", "valid": "valid.jsonl", "test": "test.jsonl"},)


def read_jsonl(
    path: Path, *, number_words: NumberWords | None = None, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order."""
    for number, record in enumerate(iterate_records(path), start=1):
        text = record.text("text")
        has_equation = record.fields.get("equation") is not None
        yield make_problem(
            record,
            id=record.name("id") if "id" in record else f"{part}-{number}" if part else str(number),
            text=text,
            segmented=record.text("segmented") if "segmented" in record else None,
            answer=record.value("answer"),
            answer_field="answer",
            gold=read_gold(record.text("equation")) if has_equation else Gold(None),
            number_words=language_of(text) == "en" if number_words is None else number_words,
            segmenter=segmenter,
        )
