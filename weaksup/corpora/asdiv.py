"""ASDiv (Miao et al. 2020): English, XML; `subset="a"` is ASDiv-A, the arithmetic part, defined by five id lists.

The text is Body plus Question; the answer has its unit in brackets, and the formula has its result (`6+9=15`).  Outside
ASDiv-A many formulas are systems, comparisons or functions (no gold equation) and some answers are words or pairs
(skipped).  Number words are quantities by default: a quarter of the problems of ASDiv-A have no numeral at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from ..errors import ConfigError, DataError
from ..records import Problem, Skipped
from .data_files import read_text
from .gold import Gold, read_gold
from .problems import make_problem
from .quantities import NumberWords
from .records_json import Record

__all__ = ["FILES", "asdiv_problem", "read_asdiv", "read_subset"]

FILES = ({"": "ASDiv.xml"},)

_PROBLEM = re.compile(r"<Problem\b")
_RESULT = re.compile(r"\s*-?[\d.,/:]+%?\s*(?:r\s*\d+)?\s*(?:[A-Za-z ]+|\([^()]*\))?\s*", re.ASCII)


def read_asdiv(
    path: Path,
    *,
    number_words: NumberWords = True,
    segmenter: str = "",
    part: str = "",
    subset: str = "all",
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order; `subset` is "all" or "a" (needs `asdiv-a/fold*.txt` beside the file)."""
    if subset not in ("all", "a"):
        raise ConfigError(f"unknown subset {subset!r} of ASDiv; one of all, a")
    wanted = read_subset(path) if subset == "a" else None
    for record in _elements(path):
        if wanted is None or record.name("ID") in wanted:
            yield asdiv_problem(record, number_words=number_words, segmenter=segmenter)


def read_subset(path: Path) -> frozenset[str]:
    """The ids of ASDiv-A, from the fold lists beside the corpus file."""
    lists = sorted((path.parent / "asdiv-a").glob("fold*.txt"))
    if not lists:
        raise DataError("ASDiv-A needs the id lists asdiv-a/fold0.txt ... beside the file", path=str(path))
    return frozenset(name for file in lists for name in read_text(file).split())


def asdiv_problem(record: Record, *, number_words: NumberWords = True, segmenter: str = "") -> Problem | Skipped:
    """The problem of an XML element, or of MWPToolkit's JSON, which marks attributes with `@`."""
    formula = record.text("Formula")
    answer = record.text("Answer")
    if "hh:mm" in formula:
        answer += " p.m."  # a clock time, not a ratio
    return make_problem(
        record,
        id=record.name("@ID" if "@ID" in record else "ID"),
        text=f"{record.text('Body').strip()} {record.text('Question').strip()}",
        answer=answer,
        answer_field="Answer",
        gold=_gold(formula),
        number_words=number_words,
        segmenter=segmenter,
    )


def _gold(formula: str) -> Gold:
    """The left side of `calculation=result`; a remainder in the result (`=5 r2`) is ignored."""
    left, equals, result = formula.partition("=")
    if not equals or not _RESULT.fullmatch(result):
        return Gold(None, "gold-not-arithmetic")
    return read_gold(left)


def _elements(path: Path) -> Iterator[Record]:
    text = read_text(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise DataError("XML that declares entities or a document type is refused", path=str(path))
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        line = error.position[0] if isinstance(error, ElementTree.ParseError) else None
        raise DataError(f"not XML: {error}", path=str(path), line=line) from error
    problems = list(root.iter("Problem"))
    if not problems:
        raise DataError("not an ASDiv file: it has no <Problem> element", path=str(path))
    line, counted = 1, 0
    places = _PROBLEM.finditer(text)
    for element in problems:
        if found := next(places, None):
            line += text.count("\n", counted, found.start())
            counted = found.start()
        fields = {**element.attrib, **{child.tag: child.text or "" for child in element}}
        yield Record(fields, path, line)
