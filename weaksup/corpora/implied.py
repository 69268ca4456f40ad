"""Quantities that a text implies without printing them, by a lexicon (see `lexicons`).

An implied quantity has the span of the word that brings it.  A number is implied once, by the first word that brings
it; a word that is part of a printed number (`two dozen`) brings nothing more, except a percent sign.  Implied
quantities come after the printed ones, so N0, N1... name the same numbers with and without a lexicon, and no equation
has to use them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from ..records import Problem, Quantity
from .lexicons import Lexicon
from .quantities import Mention
from .segment import Span, align_tokens

__all__ = ["Implied", "add_implied", "find_implied", "find_phrases"]

_HUNDREDTH = Fraction(1, 100)
_TOKEN = {"en": re.compile(r"[^\W\d_]+|[^\w\s'’–-]"), "zh": re.compile(r"\S")}

Phrase = tuple[str, ...]


class Implied(NamedTuple):
    """A number that the text implies."""

    start: int
    end: int
    value: Fraction
    by: str  # the first words of the entry: "couple", "hour of minute", "%"


class _Index(NamedTuple):
    """A lexicon, ready for lookups."""

    longest: int  # tokens of the longest phrase
    phrases: frozenset[Phrase]


def add_implied(problem: Problem, lexicons: Mapping[str, Lexicon]) -> Problem:
    """The problem with the quantities that its text implies, by the lexicon of its language, if there is one.

    Parameters
    ----------
    problem
        A problem.
    lexicons
        The lexicon of each language.

    Returns
    -------
    Problem
        The same problem, with more quantities after those that are printed.
    """
    lexicon = lexicons.get(problem.language)
    spans = align_tokens(problem.text, problem.tokens) if lexicon else None
    if lexicon is None or spans is None:
        return problem
    text = problem.text
    mentions = [Mention(quantity.start, quantity.end, quantity.exact) for quantity in problem.quantities]
    found = find_implied(text, mentions, lexicon)
    tokens = _places(found, [end for _, end in spans], {quantity.token for quantity in problem.quantities})
    implied = [
        Quantity(
            value=str(one.value),
            surface=text[one.start : one.end],
            start=one.start,
            end=one.end,
            token=token,
            implied=one.by,
        )
        for one, token in zip(found, tokens, strict=True)
    ]
    return replace(problem, quantities=(*problem.quantities, *implied), lexicon=lexicon.name)


def find_implied(text: str, mentions: Iterable[Mention], lexicon: Lexicon) -> list[Implied]:
    """The numbers that a text implies: twice, a week, feet in inches, percent.

    A conversion takes the first word for the whole that implies nothing yet, or else one for the part.

    Parameters
    ----------
    text
        The text of a problem.
    mentions
        The numbers that it prints.
    lexicon
        What implies which number.

    Returns
    -------
    list of Implied
        In text order.

    Examples
    --------
    >>> from weaksup.corpora.lexicons import load_lexicon
    >>> found = find_implied("She reads 20 minutes a day. How many hours a week?", [], load_lexicon("en"))
    >>> [(one.by, str(one.value)) for one in found]
    [('day of hour', '24'), ('hour of minute', '60'), ('week of day', '7')]
    """
    spans: dict[Phrase, list[Span]] = {}
    for phrase, start, end in find_phrases(text, lexicon):
        spans.setdefault(phrase, []).append((start, end))
    printed = list(mentions)
    found: dict[Fraction, Implied] = {}
    taken: set[Span] = set()

    def places(words: Iterable[str]) -> list[Span]:
        return sorted([span for word in words for span in spans.get(_phrase(word, lexicon.language), ())])

    def imply(places: list[Span], value: Fraction, by: str) -> None:
        if places and value not in found:
            span = next((span for span in places if span not in taken), places[0])
            taken.add(span)
            found[value] = Implied(*span, value, by)

    if lexicon.percent:
        imply(places(lexicon.percent.words), _HUNDREDTH, lexicon.percent.words[0])
    for entry in lexicon.word:
        free = [
            (start, end)
            for start, end in places(entry.words)
            if all(end <= mention.start or mention.end <= start for mention in printed)
        ]
        imply(free, Fraction(entry.value), entry.words[0])
    for pair in lexicon.conversion:
        wholes, parts = places(pair.whole), places(pair.part)
        if wholes and parts:
            imply([*wholes, *parts], Fraction(pair.value), f"{pair.whole[0]} of {pair.part[0]}")
    return sorted(found.values())


def find_phrases(text: str, lexicon: Lexicon) -> Iterator[tuple[Phrase, int, int]]:
    """Every occurrence of a phrase of the lexicon, as its tokens and its span.

    English phrases are words in any case, with blanks or hyphens between them, and may overlap.  Of Chinese phrases,
    the longest at each place is taken, and the next begins after it: 厘米 has no 米.
    """
    index = _index(lexicon)
    tokens = [(found[0].lower(), *found.span()) for found in _TOKEN[lexicon.language].finditer(text)]
    place = 0
    while place < len(tokens):
        step = 1
        for size in range(min(index.longest, len(tokens) - place), 0, -1):
            phrase = tuple([word for word, _, _ in tokens[place : place + size]])
            if phrase in index.phrases:
                yield phrase, tokens[place][1], tokens[place + size - 1][2]
                if lexicon.language == "zh":
                    step = size
                    break
        place += step


def _places(found: Iterable[Implied], ends: list[int], numbers: set[int]) -> list[int]:
    """The token of each implied number: the one in which its span begins.

    A solver copies a quantity from its token, so two quantities should not share one: if the token is that of another
    quantity (the `%` of `30%`), the next free token is taken, if there is one.
    """
    taken, tokens = set(numbers), []
    for one in found:
        own = bisect_right(ends, one.start)
        token = next((token for token in range(own, len(ends)) if token not in taken), own)
        taken.add(token)
        tokens.append(token)
    return tokens


@lru_cache(maxsize=1 << 14)
def _phrase(words: str, language: str) -> Phrase:
    return tuple(_TOKEN[language].findall(words.lower()))


@lru_cache(maxsize=16)
def _index(lexicon: Lexicon) -> _Index:
    words = [word for entry in lexicon.word for word in entry.words]
    words += [word for pair in lexicon.conversion for word in (*pair.whole, *pair.part)]
    words += lexicon.percent.words if lexicon.percent else ()
    phrases = frozenset([_phrase(word, lexicon.language) for word in words])
    return _Index(max(map(len, phrases), default=0), phrases)
