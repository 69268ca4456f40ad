"""The data of the example browser: the examples its script reads, the trees it copies, and the filters' choices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from mathcanon import MathCanonError
from mathcanon.drawing import tree_svg

from .shown_problems import ShownExample

__all__ = ["Choice", "Trees", "bare_svg", "browsed", "choices_of", "size_choices", "text_parts"]

_STYLE = re.compile(r"<style>.*?</style>\n", re.DOTALL)
_LARGEST_TREE = 12_000  # characters of SVG; a larger tree would be unreadable


def bare_svg(picture: str) -> str:
    """A picture of a tree without its style: a page has one style sheet for all trees, which follows its colours."""
    return _STYLE.sub("", picture).replace("\n", "")


class Trees:
    """The pictures of the labels' trees, without duplicates."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self._places: dict[str, int | None] = {}

    def place(self, expr: str) -> int | None:
        """The index of an expression's picture; None if it can't be drawn."""
        if expr not in self._places:
            try:
                picture = bare_svg(tree_svg(expr))
            except MathCanonError:
                picture = ""
            fits = 0 < len(picture) <= _LARGEST_TREE
            self._places[expr] = len(self.drawn) if fits else None
            self.drawn += [picture] if fits else []
        return self._places[expr]


def browsed(example: ShownExample, trees: Trees) -> dict[str, Any]:
    """An example as the script reads it; the text is split here because JavaScript counts characters differently."""
    return {
        "id": example.id,
        "parts": text_parts(example.text, example.marks),
        "quantities": example.quantities,
        "answer": example.answer,
        "gold": example.gold,
        "stage": example.stage,
        "candidates": example.candidates,
        "shown": [[c.equation, c.expr, c.stage, c.posterior, c.right] for c in example.shown],
        "label": example.label,
        "expr": example.expr,
        "posterior": example.posterior,
        "right": example.right,
        "tree": None if example.expr is None else trees.place(example.expr),
    }


def text_parts(text: str, marks: Sequence[tuple[int, int]]) -> list[tuple[str, int | None]]:
    """The text in pieces, each with the index of its quantity or None.

    >>> text_parts("Tom has 3 apples.", [(8, 9)])
    [('Tom has ', None), ('3', 0), (' apples.', None)]
    """
    parts: list[tuple[str, int | None]] = []
    done = 0
    for number, (start, end) in sorted(enumerate(marks), key=lambda mark: mark[1]):
        if done <= start < end <= len(text):
            parts += [(text[done:start], None), (text[start:end], number)]
            done = end
    return [(piece, number) for piece, number in [*parts, (text[done:], None)] if piece]


class Choice(NamedTuple):
    """An entry of a filter."""

    value: str
    name: str
    problems: int


def choices_of(examples: Sequence[ShownExample]) -> dict[str, list[Choice]]:
    """The choices of each filter; a choice that no example has is left out."""
    stages = Counter(example.stage for example in examples if example.stage)
    several = Counter("0" if not e.candidates else "1" if e.candidates == 1 else "2" for e in examples)
    verdicts = Counter(_verdict(example) for example in examples)
    kinds = {"1": "one candidate", "2": "several candidates", "0": "no candidate"}
    words = {"right": "right", "wrong": "wrong", "unknown": "not judged", "none": "no label"}
    return {
        "quantities": size_choices([example.quantities for example in examples]),
        "stage": [Choice(stage, stage, count) for stage, count in stages.most_common()],
        "candidates": [Choice(kind, name, several[kind]) for kind, name in kinds.items() if several[kind]],
        "verdict": [Choice(word, name, verdicts[word]) for word, name in words.items() if verdicts[word]],
    }


def size_choices(quantities: Sequence[int]) -> list[Choice]:
    """The choices of the filter by number of quantities."""
    sizes = Counter(str(min(number, 6)) for number in quantities)
    return [Choice(size, "6 and more" if size == "6" else size, sizes[size]) for size in sorted(sizes)]


def _verdict(example: ShownExample) -> str:
    if example.label is None:
        return "none"
    return {True: "right", False: "wrong", None: "unknown"}[example.right]
