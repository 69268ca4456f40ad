"""Text -> tokens, such that every quantity is a token of its own.

A segmentation is a list of spans.  Number mentions then split the tokens that contain them (`30cm` becomes `30`, `cm`)
and join the tokens that they span (`(`, `1`, `/`, `5`, `)` becomes `(1/5)`).  Tokens are spelled as in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from mathcanon.errors import install_command

from ..errors import ConfigError
from ..records import Quantity
from .quantities import Mention

__all__ = ["SEGMENTERS", "Span", "align_tokens", "cut_tokens"]

Span = tuple[int, int]

_ENGLISH = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*|_+|[^\w\s]")
_CHARACTER = re.compile(r"\d+(?:\.\d+)?%?|[A-Za-z]+|\S")


def align_tokens(text: str, tokens: Sequence[str]) -> list[Span] | None:
    """The span of each token in `text`; None if the tokens are not the words of `text` in order.

    >>> align_tokens("每隔2米", ["每隔", "2", "米"])
    [(0, 2), (2, 3), (3, 4)]
    """
    if "".join(tokens) == text:
        return list(pairwise(accumulate(map(len, tokens), initial=0)))
    spans = []
    place, length = 0, len(text)
    for token in tokens:
        while place < length and text[place].isspace():
            place += 1
        if not text.startswith(token, place):
            return None
        spans.append((place, place + len(token)))
        place += len(token)
    return spans if not text[place:].strip() else None


def cut_tokens(
    text: str, spans: Sequence[Span], mentions: Sequence[Mention]
) -> tuple[tuple[str, ...], tuple[Quantity, ...]]:
    """The tokens of `text`, with one token for each mention, and the mentions as quantities."""
    tokens: list[str] = []
    quantities: list[Quantity] = []
    place = 0  # the end of the previous mention
    count, upcoming = 0, mentions[0].start if mentions else len(text)
    for start, end in [*spans, (len(text), len(text) + 1)]:
        if end <= upcoming and start >= place:
            tokens.append(text[start:end])
            continue
        start = max(start, place)
        while count < len(mentions) and upcoming < end:
            if start < upcoming:
                tokens.append(text[start:upcoming])
            _, place, value = mentions[count]
            surface = text[upcoming:place]
            quantities.append(Quantity(value=str(value), surface=surface, start=upcoming, end=place, token=len(tokens)))
            tokens.append(surface)
            start = max(start, place)
            count += 1
            upcoming = mentions[count].start if count < len(mentions) else len(text)
        if start < min(end, len(text)):
            tokens.append(text[start:end])
    return tuple(tokens), tuple(quantities)


def _english(text: str) -> list[Span]:
    return [found.span() for found in _ENGLISH.finditer(text)]


def _characters(text: str) -> list[Span]:
    return [found.span() for found in _CHARACTER.finditer(text)]


def _rjieba(text: str) -> list[Span]:
    try:
        import rjieba
    except ImportError as error:
        raise ConfigError(f"raw Chinese text needs rjieba: {install_command('zh')}") from error
    spans = []
    place = 0
    for word in rjieba.cut(text):
        if not word.isspace():
            spans.append((place, place + len(word)))
        place += len(word)
    return spans


#: name -> text to spans
SEGMENTERS: dict[str, Callable[[str], list[Span]]] = {
    "english": _english,
    "characters": _characters,
    "rjieba": _rjieba,
}
