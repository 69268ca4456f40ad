"""The fields of a record -> a `Problem`, or `Skipped` with the reason: the only place that skips problems.

A problem without quantities is not skipped (the search reports it), nor is one whose gold equation can't be used: it is
kept without gold, with the reason in `gold_missing`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ConfigError
from ..records import Problem, Quantity, Skipped
from .answers import AnswerError, read_answer
from .gold import Gold
from .quantities import (
    Mention,
    NumberWords,
    QuantityError,
    add_number_words,
    find_quantities,
    find_token_quantities,
    language_of,
)
from .records_json import Record
from .segment import SEGMENTERS, align_tokens, cut_tokens

__all__ = ["Words", "make_problem", "segment_text", "words_of_segmented"]

Words = tuple[str, tuple[str, ...], tuple[Quantity, ...]]  # text, tokens, quantities


def make_problem(
    record: Record,
    *,
    id: str,
    text: str,
    answer: object,
    answer_field: str,
    gold: Gold,
    segmented: str | None = None,
    mentions: Sequence[Mention] | None = None,
    number_words: NumberWords = False,
    segmenter: str = "",
    language: str = "",
) -> Problem | Skipped:
    """The problem, or the reason why it is skipped.

    `language` defaults to that of the characters of the text.  `segmented` is the text as the corpus tokenizes it, used
    unless a `segmenter` is given; `mentions` are its numbers, if the corpus lists them.
    """
    text = text.strip()
    if not text:
        return record.skip(id, "text-empty")
    language = language or language_of(text)
    try:
        value = read_answer(answer)
        if segmented is not None and not segmenter:
            text, tokens, quantities = words_of_segmented(
                text, segmented, language=language, mentions=mentions, number_words=number_words
            )
        else:
            text, tokens, quantities = segment_text(
                text, language=language, number_words=number_words, segmenter=segmenter
            )
    except AnswerError as error:
        return record.skip(id, "answer-unreadable", str(error), answer_field)
    except QuantityError as error:
        return record.skip(id, "quantity-unreadable", str(error))
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
    """Running text with its tokens and quantities.

    Parameters
    ----------
    text
        The text of a problem.
    language
        "en" or "zh"; by default it is told from the text.
    number_words
        Whether words such as "three" are quantities too.
    segmenter
        One of `SEGMENTERS`; the default is `english` or, for Chinese, `rjieba`.

    Returns
    -------
    Words
        The text, its tokens and its quantities.

    Raises
    ------
    QuantityError
        If a number is beyond the limits.

    Notes
    -----
    The cost is linear in the length of the text.

    Examples
    --------
    >>> segment_text("Tom has 3kg.")[1]
    ('Tom', 'has', '3', 'kg', '.')
    """
    language = language or language_of(text)
    name = segmenter or ("rjieba" if language == "zh" else "english")
    if name not in SEGMENTERS:
        raise ConfigError(f"unknown segmenter {name!r}; one of {', '.join(SEGMENTERS)}")
    mentions = find_quantities(text, language=language, number_words=number_words)
    return text, *cut_tokens(text, SEGMENTERS[name](text), mentions)


def words_of_segmented(
    text: str,
    segmented: str,
    *,
    language: str,
    mentions: Sequence[Mention] | None = None,
    number_words: NumberWords = False,
) -> Words:
    """A text that the corpus has already segmented by blanks, with its tokens and quantities.

    In Chinese, the quantities are the numbers at the beginning of a token, as in the literature; English text is
    scanned.  If the segmented text does not consist of the words of `text` in order, it replaces `text`.
    """
    tokens = segmented.split()
    spans = align_tokens(text, tokens)
    if spans is None:
        text = " ".join(tokens)
        spans = align_tokens(text, tokens) or []
    if mentions is None and language == "zh":
        mentions = [
            Mention(spans[index][0], spans[index][0] + length, value)
            for index, length, value in find_token_quantities(tokens)
        ]
        if number_words is not False:
            mentions = add_number_words(text, mentions, language=language, number_words=number_words)
    elif mentions is None:
        mentions = find_quantities(text, language=language, number_words=number_words)
    return text, *cut_tokens(text, spans, mentions)
