"""From the parts of a record to a `Problem`, or to `Skipped` with the reason: the one place where that is decided.

Not skipped: a problem without any quantity (the search says so), and one whose gold equation cannot be used (it is
kept without, with the reason in `gold_missing`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ConfigError
from ..quantities import (
    Mention,
    NumberWords,
    find_quantities,
    find_token_quantities,
    language_of,
    merge_mentions,
)
from ..records import Problem, Quantity, Skipped
from .answers import AnswerError, read_answer
from .gold import Gold
from .records_json import Record
from .segment import SEGMENTERS, align_tokens, cut_tokens

__all__ = ["make_problem", "read_words", "segment_text"]

Words = tuple[tuple[str, ...], tuple[Quantity, ...]]


def make_problem(
    record: Record, *, id: str, text: str, words: Words, answer: object, answer_field: str, gold: Gold, language: str
) -> Problem | Skipped:
    """The problem, or why it is skipped."""
    if not text.strip():
        return record.skip(id, "text-empty")
    try:
        value = read_answer(answer)
    except AnswerError as error:
        return record.skip(id, "answer-unreadable", str(error), answer_field)
    tokens, quantities = words
    return Problem(
        id=id,
        text=text,
        tokens=tokens,
        quantities=quantities,
        answer=str(value),
        language=language,
        gold=gold.equation,
        gold_missing=gold.missing,
    )


def segment_text(text: str, *, language: str = "", number_words: NumberWords = False, segmenter: str = "") -> Words:
    """Tokens and quantities of running text.

    `segmenter` is one of `SEGMENTERS`; by default English words or, for Chinese, rjieba.  Raises `QuantityError` for a
    number past the limits.

    >>> segment_text("Tom has 3kg.")[0]
    ('Tom', 'has', '3', 'kg', '.')
    """
    language = language or language_of(text)
    name = segmenter or ("rjieba" if language == "zh" else "english")
    if name not in SEGMENTERS:
        raise ConfigError(f"unknown segmenter {name!r}; one of {', '.join(SEGMENTERS)}")
    mentions = find_quantities(text, language=language, number_words=number_words)
    return cut_tokens(text, SEGMENTERS[name](text), mentions)


def read_words(text: str, segmented: str, *, number_words: NumberWords, usual: bool) -> tuple[str, Words]:
    """Tokens and quantities of a text that comes segmented by blanks, and the text they refer to.

    `usual` takes the numbers that begin a token, as the literature does; otherwise the text is scanned.  Where the
    segmented text is not the words of `text` in order, it takes the place of `text`.
    """
    tokens = segmented.split()
    spans = align_tokens(text, tokens)
    if spans is None:
        text = " ".join(tokens)
        spans = align_tokens(text, tokens) or []
    if usual:
        found = find_token_quantities(tokens)
        mentions: Sequence[Mention] = [
            Mention(spans[index][0], spans[index][0] + length, value) for index, length, value in found
        ]
        if number_words is not False:
            every = find_quantities(text, language=language_of(text), number_words=number_words)
            mentions = merge_mentions(mentions, every)
    else:
        mentions = find_quantities(text, language=language_of(text), number_words=number_words)
    return text, cut_tokens(text, spans, mentions)


