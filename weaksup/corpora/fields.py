"""Which fields of a record hold the text, the answer, the gold equation and the id.

Fields that the user names are used as they are.  Otherwise the usual names are tried in the order below, in upper or
lower case.  Several fields joined by `+` make one text: `body+question`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .records_json import Record, near_name

__all__ = ["USUAL", "Fields", "find_fields", "find_id_field", "find_text_fields"]

#: The usual names of each kind of field, most telling first.
USUAL: dict[str, tuple[str, ...]] = {
    "text": ("text", "body+question", "context+question", "question", "problem", "original_text"),
    "answer": ("answer", "ans", "label", "final_answer"),
    "gold": ("equation", "gold"),
    "id": ("id",),
}


class Fields(NamedTuple):
    """The names of the fields of a record; the text may be made of several."""

    text: tuple[str, ...]
    answer: str
    gold: str | None
    id: str | None

    def __str__(self) -> str:
        known = {"text": "+".join(self.text), "answer": self.answer, "gold": self.gold, "id": self.id}
        return ", ".join(f"{kind} in {name}" for kind, name in known.items() if name) + (
            "" if self.id else ", ids are numbers of records"
        )


def find_fields(record: Record, *, text: str = "", answer: str = "", gold: str = "", id: str = "") -> Fields:
    """The fields of a record; the names given by the user come first.  `DataError` if text or answer are missing."""
    names = tuple(record.fields)
    return Fields(
        find_text_fields(record, text),
        _required(record, "answer", answer)[0],
        gold or next(iter(_usual(names, "gold")), None),
        find_id_field(record, id),
    )


def find_id_field(record: Record, id: str = "") -> str | None:
    """The field of the id, if there is one."""
    return id or next(iter(_usual(tuple(record.fields), "id")), None)


def find_text_fields(record: Record, text: str = "") -> tuple[str, ...]:
    """The fields whose values, joined by a blank, are the text of a problem."""
    return _required(record, "text", text)


def _required(record: Record, kind: str, asked: str) -> tuple[str, ...]:
    names = tuple(record.fields)
    found = _joined(names, asked) if asked else _usual(names, kind)
    if found:
        return found
    have = ", ".join(sorted(map(str, names))[:12]) or "none"
    tried = asked or ", ".join(USUAL[kind])
    missing = next((part for part in map(str.strip, asked.split("+")) if part not in names), "")
    near = near_name(missing, names)
    advice = f"did you mean {near}?" if near else f"choose the field with --{kind}-field"
    raise record.error(f"the field is missing (tried {tried}); the record has: {have}; {advice}", kind)


@lru_cache(maxsize=256)
def _usual(names: Sequence[str], kind: str) -> tuple[str, ...]:
    """The fields with the first usual name that the record has, whatever their case; empty if there is none."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(str(name).strip().casefold(), name)
    for usual in USUAL[kind]:
        if found := _joined(folded, usual):
            return tuple(folded[name] for name in found)
    return ()


def _joined(names: Iterable[str], asked: str) -> tuple[str, ...]:
    """The name, or the names between the plus signs, if all of them are fields; else nothing."""
    known = set(names)
    for wanted in ((asked,), tuple(part.strip() for part in asked.split("+"))):
        if known.issuperset(wanted):
            return wanted
    return ()
