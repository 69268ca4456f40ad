"""JSON objects with file and line: concatenated (Math23K), one per line (Ape210K), or in one list (MAWPS).

One loop reads the three layouts: decode a value, skip blanks and, inside a list, the comma.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..records import Skipped
from .data_files import read_text

__all__ = ["Record", "iterate_records", "near_name"]

_BLANK = re.compile(r"[\s\ufeff]*")
_decode = json.JSONDecoder().raw_decode


def near_name(asked: str, names: Iterable[str]) -> str | None:
    """The name that is meant, whatever its case, if one is near enough.

    >>> near_name("quesion", ["Answer", "Question"])
    'Question'
    """
    folded = {str(name).strip().casefold(): name for name in names}
    near = get_close_matches(asked.casefold(), folded, n=1)
    return folded[near[0]] if near else None


class Record:
    """The fields of one problem as published, with its file and line."""

    __slots__ = ("fields", "line", "path")

    def __init__(self, fields: dict[str, Any], path: Path, line: int) -> None:
        self.fields, self.path, self.line = fields, path, line

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def value(self, name: str) -> Any:
        """The field, of any type; `DataError` if it is missing."""
        try:
            return self.fields[name]
        except KeyError:
            have = ", ".join(sorted(map(str, self.fields))[:12]) or "none"
            advice = f"; did you mean {near}?" if (near := near_name(name, self.fields)) else ""
            raise self.error(f"the field is missing; the record has: {have}{advice}", name) from None

    def text(self, name: str) -> str:
        """A field that must be text."""
        value = self.value(name)
        if not isinstance(value, str):
            raise self.error(f"text is expected, not {_kind(value)}", name)
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise self.error(f"not valid Unicode at character {error.start + 1}", name) from error
        return value

    def name(self, name: str) -> str:
        """A field that is an id: non-empty text or a number; 3.0 is 3, as tables turn integers to floats."""
        value = self.value(name)
        if isinstance(value, float) and isfinite(value):
            return str(int(value) if value.is_integer() else value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        text = self.text(name).strip()
        if not text:
            raise self.error("the id is empty", name)
        return text

    def error(self, message: str, field: str = "") -> DataError:
        return DataError(message, path=str(self.path), line=self.line, field=field)

    def skip(self, id: str, reason: str, detail: str = "", field: str = "") -> Skipped:
        return Skipped(id=id, reason=reason, detail=detail, line=self.line, field=field)


def iterate_records(path: Path) -> Iterator[Record]:
    """Each object of the file in order; `DataError` at the first value that is not an object."""
    text = read_text(path)
    place = _skip(text, 0)
    in_list = text.startswith("[", place)
    if in_list:
        place = _skip(text, place + 1)
    line, counted, first = 1, 0, True
    while place < len(text):
        line += text.count("\n", counted, place)
        counted = place
        if in_list:
            if text[place] == "]":
                _nothing_after(text, place + 1, path)
                return
            if not first:
                if text[place] != ",":
                    raise DataError(f"not JSON: a comma is expected, not {text[place]!r}", path=str(path), line=line)
                place = _skip(text, place + 1)
                line += text.count("\n", counted, place)
                counted = place
        try:
            value, place = _decode(text, place)
        except json.JSONDecodeError as error:
            at = line + text.count("\n", counted, error.pos)
            raise DataError(f"not JSON: {error.msg}", path=str(path), line=at) from error
        except (ValueError, RecursionError) as error:  # a number of thousands of digits; nesting without end
            raise DataError(f"not JSON that can be read: {error}", path=str(path), line=line) from error
        if not isinstance(value, dict):
            raise DataError(f"an object is expected, not {_kind(value)}", path=str(path), line=line)
        yield Record(value, path, line)
        first = False
        place = _skip(text, place)
    if in_list:
        raise DataError("the list is never closed: the file is truncated", path=str(path), line=text.count("\n") + 1)
    if first:
        raise DataError("the file is empty", path=str(path))


def _skip(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _nothing_after(text: str, place: int, path: Path) -> None:
    rest = _skip(text, place)
    if rest < len(text):
        line = text.count("\n", 0, rest) + 1
        raise DataError("unexpected text after the end of the list", path=str(path), line=line)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true/false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
