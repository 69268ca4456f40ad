"""What the text says about the quantities of a problem: features by name, for the log-linear model of `log_linear.py`.

There are three groups.  A *quantity* is described by its kind of number, the words around it, the other words of its
clause, and the words of the question.  A *pair* of quantities is described by their units (the word after each number:
quantities of one unit are added, those of two units multiplied), the words of both clauses and between them, and the
words of the question.  The *whole* is described by all its words.  Numbers are masked, so that nothing depends on
values but the kind of number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..meaning.kinds import kind_of
from ..records import Problem, Quantity
from .readings import Array

__all__ = ["Known", "NumberedTexts", "TextFeatures", "number_features", "text_features"]

_STOPS = frozenset(".?!。？！")
_BREAKS = _STOPS | frozenset(",;，；")
_NUMBER = "#"
_NOTHING = "<>"  # before the first word and after the last
_NEAR = 5  # the farthest of the words around a quantity
_BETWEEN = 15  # words between two quantities are used if there are fewer
_MOST = 3  # positions and distances from here on are one class


class TextFeatures(NamedTuple):
    """The features of the quantities, of the pairs (0, 1), (0, 2)... (1, 2)... and of the whole problem."""

    quantities: list[list[str]]
    pairs: list[list[str]]
    whole: list[str]


def text_features(problem: Problem) -> TextFeatures:
    """The features of a problem, from its tokens."""
    words = [token.lower() for token in problem.tokens]
    for quantity in problem.quantities:
        if not quantity.implied and quantity.token < len(words):
            words[quantity.token] = _NUMBER
    begin = _question_start(words)
    question = sorted(set(words[begin:]))
    asked = [f"asked {word}" for word in question]
    places = [_place(words, quantity) for quantity in problem.quantities]
    count = len(places)
    quantities = []
    for i, place in enumerate(places):
        features = ["any", place.kind, f"from start {min(i, _MOST)}", f"from end {min(count - i, _MOST)}", *asked]
        features.append("unit asked" if place.unit in question else "unit not asked")
        if place.token >= begin:
            features.append("in question")
        quantities.append([*features, *_around(words, place.token), *(f"clause {word}" for word in place.clause)])
    pairs = []
    for (i, one), (j, other) in combinations(enumerate(places), 2):
        same = one.unit == other.unit
        features = ["any", f"same unit {same}", f"same clause {one.start == other.start}", f"apart {j - i}"]
        features += [f"kinds {one.kind}, {other.kind}", f"units {one.unit}, {other.unit}", *asked]
        features += [f"same unit {same}, {word}" for word in asked]
        features += [f"clause of first {word}" for word in one.clause]
        features += [f"clause of second {word}" for word in other.clause]
        first, last = sorted((one.token, other.token))
        if last - first < _BETWEEN:
            features += [f"between {word}" for word in sorted(set(words[first + 1 : last]))]
        pairs.append(features)
    couples = zip(words[begin:], words[begin + 1 :], strict=False)
    whole = ["any", f"quantities {count}", *asked, *(f"word {word}" for word in sorted(set(words)))]
    return TextFeatures(quantities, pairs, [*whole, *sorted({f"asked {one} {other}" for one, other in couples})])


class _Place(NamedTuple):
    """Where a quantity stands."""

    token: int
    kind: str
    unit: str  # the word after it
    start: int  # of its clause
    clause: list[str]


def _place(words: list[str], quantity: Quantity) -> _Place:
    token = min(quantity.token, len(words) - 1)
    start = end = token
    while start > 0 and words[start - 1] not in _BREAKS:
        start -= 1
    while end < len(words) - 1 and words[end + 1] not in _BREAKS:
        end += 1
    kind = f"implied {quantity.implied}" if quantity.implied else f"kind {kind_of(quantity.value, quantity.surface)}"
    return _Place(token, kind, _word(words, token + 1), start, sorted(set(words[start : end + 1])))


def _around(words: list[str], token: int) -> Iterator[str]:
    """The words near a quantity by side, the next ones also by distance and joined to those beside them."""
    before = [_word(words, token - i) for i in range(1, _NEAR + 1)]
    after = [_word(words, token + i) for i in range(1, _NEAR + 1)]
    yield from sorted({f"before {word}" for word in before} | {f"after {word}" for word in after})
    yield from (
        f"just before {before[0]}",
        f"two before {before[1]}",
        f"just after {after[0]}",
        f"two after {after[1]}",
    )
    yield f"before {before[1]} {before[0]}"
    yield f"before {before[2]} {before[1]} {before[0]}"
    yield f"after {after[0]} {after[1]}"
    yield f"beside {before[0]}, {after[0]}"


def _word(words: list[str], i: int) -> str:
    return words[i] if 0 <= i < len(words) else _NOTHING


def _question_start(words: list[str]) -> int:
    """Where the last sentence begins or, if there is one sentence only, its last clause."""
    for breaks in (_STOPS, _BREAKS):
        if ends := [i for i, word in enumerate(words[:-1]) if word in breaks]:
            return ends[-1] + 1
    return 0


Known = tuple[dict[str, int], ...]  # the numbers of the features of quantities, pairs and wholes


def number_features(texts: Sequence[TextFeatures], seen: Sequence[float], *, least: int) -> Known:
    """The numbers of the features that at least `least` problems have, where `seen` says which problems count."""
    return tuple(_numbered(group, seen, least) for group in _groups(texts))


class NumberedTexts:
    """The features of some problems as numbers, each group with numbers of its own; unknown ones are left out."""

    def __init__(self, texts: Sequence[TextFeatures], known: Known) -> None:
        counts = np.array([len(text.quantities) for text in texts], np.int64)
        self.counts = counts  # of the quantities of each problem
        self.first_quantity = np.cumsum(counts) - counts
        pairs = counts * (counts - 1) // 2
        self.first_pair = np.cumsum(pairs) - pairs
        self.sizes = tuple(len(numbers) for numbers in known)  # how many features each group has
        self.features: tuple[Array, ...] = ()  # of each group: where the features of an item start, and the features
        for group, numbers in zip(_groups(texts), known, strict=True):
            rows = [[numbers[name] for name in names if name in numbers] for items in group for names in items]
            self.features += (
                np.cumsum([0, *map(len, rows)]),
                np.array([number for row in rows for number in row], np.int64),
            )


def _groups(texts: Sequence[TextFeatures]) -> tuple[list[list[list[str]]], ...]:
    """For each group and problem, the features of its items."""
    return [text.quantities for text in texts], [text.pairs for text in texts], [[text.whole] for text in texts]


def _numbered(group: Sequence[Sequence[Sequence[str]]], seen: Sequence[float], least: int) -> dict[str, int]:
    times: Counter[str] = Counter()
    for items, counts in zip(group, seen, strict=True):
        if counts:
            times.update({name for names in items for name in names})
    return {name: i for i, name in enumerate(sorted(name for name, count in times.items() if count >= least))}
