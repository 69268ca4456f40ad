"""Text to tokens, so that every quantity is a token of its own.

A segmentation is a list of spans; number mentions then cut the tokens they stand in (`30cm` becomes `30`, `cm`) and join
the tokens they run over (`(`, `1`, `/`, `5`, `)` becomes `(1/5)`).  Tokens keep the surface of the text, and a token's
index depends on the text, the segmentation and the mentions alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ..errors import ConfigError
from ..quantities import Mention
from ..records import Quantity

__all__ = ["SEGMENTERS", "Span", "align_tokens", "cut_tokens"]

Span = tuple[int, int]

_ENGLISH = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*|_+|[^\w\s]")
_CHARACTER = re.compile(r"\d+(?:\.\d+)?%?|[A-Za-z]+|\S")


def align_tokens(text: str, tokens: Iterable[str]) -> list[Span] | None:
    """Where each token stands in `text`; None if they are not its words in order.

    >>> align_tokens("每隔2米", ["每隔", "2", "米"])
    [(0, 2), (2, 3), (3, 4)]
    """
    spans = []
    place, length = 0, len(text)
    for token in tokens:
        if not text.startswith(token, place):
            while place < length and text[place].isspace():
                place += 1
            if not text.startswith(token, place):
                return None
        end = place + len(token)
        spans.append((place, end))
        place = end
    return spans if not text[place:].strip() else None


def cut_tokens(
    text: str, spans: Sequence[Span], mentions: Sequence[Mention]
) -> tuple[tuple[str, ...], tuple[Quantity, ...]]:
    """The tokens of `text` with each mention a token of its own, and the mentions as quantities."""
    tokens: list[str] = []
    quantities = []
    index, count = 0, len(spans)
    place = 0  # what of the text is in tokens already
    for mention in mentions:
        while index < count and spans[index][0] < mention.start:
            start, end = spans[index]
            start = max(start, place)
            stop = min(end, mention.start)
            if start < stop:
                tokens.append(text[start:stop])
            if end > mention.start:
                break
            index += 1
        quantities.append(
            Quantity(
                value=str(mention.value),
                surface=text[mention.start : mention.end],
                start=mention.start,
                end=mention.end,
                token=len(tokens),
            )
        )
        tokens.append(text[mention.start : mention.end])
        place = mention.end
        while index < count and spans[index][1] <= place:
            index += 1
    for start, end in spans[index:]:
        tokens.append(text[max(start, place) : end])
    return tuple(tokens), tuple(quantities)


def _english(text: str) -> list[Span]:
    return [found.span() for found in _ENGLISH.finditer(text)]


def _characters(text: str) -> list[Span]:
    return [found.span() for found in _CHARACTER.finditer(text)]


def _rjieba(text: str) -> list[Span]:
    try:
        import rjieba
    except ImportError as error:
        raise ConfigError("the segmenter rjieba is not installed: pip install 'mathcanon[zh]'") from error
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
