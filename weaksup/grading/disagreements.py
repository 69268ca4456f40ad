"""The disagreements of a graded file -> one self-contained page: predictions beside gold, with their steps marked.

The page has no script at all, so that nothing a model wrote can be run.  Its filters are radio buttons and a style.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from mathcanon import Grade, Solution, Step
from mathcanon.grading import GRADES
from mathcanon.notation.numerals import value_text

from ..report.palette import palette_css
from ..report.self_contained import open_templates, policy, template_text
from .graded_records import GradedRecord, GradeOptions, grade_record, read_field

__all__ = ["SHOWN", "Disagreements", "build_grades_page"]

#: How many records of a grade are shown.
SHOWN = 300

_TITLES = {
    "same-method": ("Same method", "the same function of the quantities as gold"),
    "same-value": ("False match", "the right answer by another method"),
    "different": ("Different", "another answer"),
    "unreadable": ("Unreadable", "no record, or no arithmetic in it"),
}
_LONGEST = 6_000  # characters of a text
# Control characters, marks and overrides of direction, and what UTF-8 can't encode.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Disagreements:
    """Records whose grade is not "same-method", up to `SHOWN` of each grade, chosen by a hash of their lines."""

    def __init__(self) -> None:
        self._chosen: dict[str, list[tuple[bytes, int, GradedRecord]]] = {grade: [] for grade in GRADES[1:]}

    def add(self, record: GradedRecord) -> None:
        chosen = self._chosen.get(record["grade"])
        if chosen is None:
            return
        entry = (hashlib.sha256(str(record["line"]).encode()).digest(), record["line"], record)
        if len(chosen) < SHOWN:
            heapq.heappush(chosen, entry)
        else:
            heapq.heappushpop(chosen, entry)

    def __iter__(self) -> Iterator[GradedRecord]:
        """In the order of the file."""
        found = [entry for chosen in self._chosen.values() for entry in chosen]
        return (record for _, _, record in sorted(found, key=lambda entry: entry[1]))


class TextPart(NamedTuple):
    """A piece of a text; `mark` is "" or the kind of the step that it is, `note` what is said about it."""

    text: str
    mark: str = ""
    note: str = ""


@dataclass(frozen=True)
class Side:
    """A prediction or gold as the page shows it."""

    title: str
    parts: list[TextPart]
    expression: str
    answer: str


def build_grades_page(
    name: str, options: GradeOptions, tally: Mapping[str, int], records: Iterable[GradedRecord]
) -> str:
    """The page of a graded file: how many records have which grade, and these records side by side."""
    style = palette_css() + template_text("report.css") + template_text("grades.css")
    total = sum(tally.values())
    cards = [_card(record, options) for record in records]
    tiles = [
        {
            "grade": grade,
            "title": _TITLES[grade][0],
            "about": _TITLES[grade][1],
            "count": tally[grade],
            "share": f"{tally[grade] / total:.1%}" if total else "–",
            "shown": sum(card["grade"] == grade for card in cards),
        }
        for grade in GRADES
    ]
    return (
        open_templates()
        .get_template("grades.html")
        .render(
            name=_visible(name),
            facts=[(key, _visible(str(value))) for key, value in _facts(options, total)],
            tiles=tiles,
            cards=cards,
            cut=any(tile["shown"] < tile["count"] for tile in tiles[1:]),
            limit=SHOWN,
            style=style,
            policy=policy(style),
        )
    )


def _facts(options: GradeOptions, total: int) -> Iterator[tuple[str, Any]]:
    yield "records", f"{total:,}"
    yield "prediction", options.pred
    yield "gold", options.gold
    if options.question:
        yield "question", options.question
    if options.tolerance:
        yield "tolerance", value_text(options.tolerance)


def _card(record: GradedRecord, options: GradeOptions) -> dict[str, Any]:
    """A record for the template; it is read again, since its steps are not in the file."""
    grade = grade_record(record, options)
    question = read_field(record, options.question) if options.question else None
    return {
        "grade": record["grade"],
        "title": _TITLES[record["grade"]][0],
        "line": record["line"],
        "reason": _shown(record["reason"]),
        "question": _shown(question) if isinstance(question, str) else "",
        "sides": [
            _side("Prediction", read_field(record, options.pred), grade.predicted, grade),
            _side("Gold", read_field(record, options.gold), grade.gold, None),
        ],
    }


def _side(title: str, text: Any, solution: Solution | None, grade: Grade | None) -> Side:
    written = text if isinstance(text, str) else "" if text is None else str(text)
    if solution is None:
        return Side(title, [TextPart(_shown(written))], "", "")
    foreign = {id(step) for step in grade.foreign_steps} if grade else set()
    answer = value_text(solution.answer) if isinstance(solution.answer, Fraction) else str(solution.answer)
    return Side(title, list(_marked(written, solution.steps, foreign)), _shown(str(solution.expr)), _shown(answer))


def _marked(text: str, steps: Iterable[Step], foreign: set[int]) -> Iterator[TextPart]:
    """The text in parts, those that are steps marked; steps that stand at one place have one mark."""
    marks: dict[tuple[int, int], list[TextPart]] = {}
    for step in steps:
        mark = "wrong" if step.right is False else "foreign" if id(step) in foreign else "step"
        note = {"wrong": f"is {value_text(step.value)}", "foreign": "not in gold", "step": ""}[mark]
        marks.setdefault((step.place, step.end), []).append(TextPart("", mark, note))
    position = 0
    for (start, end), found in sorted(marks.items()):
        if position <= start < end <= _LONGEST:
            worst = min(found, key=lambda part: ("wrong", "foreign", "step").index(part.mark))
            yield TextPart(_visible(text[position:start]))
            yield worst._replace(text=_visible(text[start:end]))
            position = end
    yield TextPart(_shown(text[position:], _LONGEST - position))


def _shown(text: str, longest: int = _LONGEST) -> str:
    rest = len(text) - longest
    return _visible(text if rest <= 0 else f"{text[:longest]}… ({rest:,} more characters)")


def _visible(text: str) -> str:
    """The text with what can't be shown as escapes.

    >>> _visible("a\\x1b[1m\\u202eb")
    'a\\\\x1b[1m\\\\u202eb'
    """
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)
