"""The beginning of a file, by which its format is told: what kind of text it is and the fields of its first record."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

from ..storage.whole_files import open_unpacked
from .delimited import delimiter_of
from .quantities import language_of

__all__ = ["Sample", "take_sample"]

_HEAD = 1 << 16  # bytes; a longer first record is not seen
_PARQUET = b"PAR1"
_decode = json.JSONDecoder().raw_decode


class Sample(NamedTuple):
    """What the beginning of a file shows."""

    name: str  # of the file, without .gz
    kind: str  # JSON, XML, Parquet, csv, tsv or text
    fields: dict[str, Any]  # of the first record; of a table, the column names
    one_line: bool  # whether the first record is on one line
    language: str  # of the beginning: zh or en

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix.lower()

    def has(self, *names: str) -> bool:
        """Whether the first record has all these fields."""
        return all(name in self.fields for name in names)

    def text(self, name: str) -> str:
        """A field of the first record, or nothing if it is not text."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    @property
    def about(self) -> str:
        """What was seen, for a message."""
        fields = f" with the fields {', '.join(sorted(self.fields)[:12])}" if self.fields else ""
        return f"its suffix is {self.suffix or 'missing'}, its content looks like {self.kind}{fields}"


def take_sample(path: Path) -> Sample:
    """The sample of a file, which may be gzip; `DataError` if it can't be opened."""
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    with open_unpacked(path) as file:
        raw = file.read(_HEAD)
    suffix = Path(name).suffix.lower()
    if raw.startswith(_PARQUET):
        return Sample(name, "Parquet", {}, False, "")
    head = raw.decode("utf-8-sig", errors="replace").lstrip()
    language = language_of(head)
    if head.startswith(("{", "[")):
        return Sample(name, "JSON", *_first_object(head), language)
    if head.startswith("<"):
        return Sample(name, "XML", {}, False, language)
    header = head.partition("\n")[0].rstrip("\r")
    if suffix == ".tsv" or (suffix not in (".csv", ".toml") and "\t" in header):
        return Sample(name, "tsv", _columns(header, "\t"), True, language)
    delimiter = delimiter_of(header)
    if suffix == ".csv" or (suffix != ".toml" and delimiter in header):
        return Sample(name, "csv", _columns(header, delimiter), True, language)
    return Sample(name, "text", {}, False, language)


def _first_object(head: str) -> tuple[dict[str, Any], bool]:
    """The first object of a JSON text, and whether it is on one line; empty if it can't be read."""
    start = head.find("{")
    try:
        found, end = _decode(head, start) if start >= 0 else ({}, 0)
    except (ValueError, RecursionError):
        return {}, False
    return (found, "\n" not in head[start:end]) if isinstance(found, dict) else ({}, False)


def _columns(header: str, delimiter: str) -> dict[str, Any]:
    try:
        names = next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        return {}
    return {name.strip(): None for name in names}
