"""Numbers mentioned in Chinese and English text: their positions and exact values.

There are two ways to find them.  `find_quantities` scans running text: integers, decimals, `(1/6)`, `1/6`, mixed
numbers `3(1/2)` and `2 1/2`, percents, thousands commas, `€3,50`, full-width digits, numbers attached to units (`30cm`,
`$5`; not the exponent of `m^2`), and optionally number words (see `number_words`).  `find_token_quantities` is the rule
of the literature for segmented Math23K: only numbers at the beginning of a token.  It reads the damaged `(1/5)5` (two
problems of Math23K, in which an automatic replacement broke a number) as one quantity with the value of the fraction,
1/5: the gold equation of one of the two problems does so, and nothing better is known.  A mixed number `1(5/6)` is 1 +
5/6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .number_words import SCALES, find_chinese_words, find_english_words

__all__ = [
    "MAX_DIGITS",
    "Mention",
    "NumberWords",
    "QuantityError",
    "add_number_words",
    "find_number_words",
    "find_quantities",
    "find_token_quantities",
    "language_of",
]

MAX_DIGITS = 1_000

#: False: numerals only.  True: also number words.  A mapping: also number words and the words of the mapping.
NumberWords = bool | Mapping[str, Fraction | int | str]


class Mention(NamedTuple):
    """A number in a text, before the text is tokenized."""

    start: int
    end: int
    value: Fraction


class QuantityError(ValueError):
    """A number without a value, such as `(3/0)`, or with more digits than the limit."""


#: The pattern of GTS and Graph2Tree.
_TOKEN_NUMBER = re.compile(r"\d*\(\d+/\d+\)\d*|\d+\.\d+%?|\d+%?", re.ASCII)

_VULGAR = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4),
    "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6),
    "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8),
}  # fmt: skip
# Character for character, so that spans stay valid.  Not the full stop `．`: Chinese texts end sentences with it.
_WIDE = str.maketrans(
    {**{chr(0xFF10 + digit): str(digit) for digit in range(10)}, "％": "%", "／": "/", "∕": "/", "−": "-"}
)
_WIDE_DECIMAL = re.compile("(?<=[０-９])．(?=[０-９])")
_SCAN = re.compile(
    r"""
    (?P<mixed>\d+)?[(（]\s?(?P<top>\d+)\s?/\s?(?P<bottom>\d+)\s?[)）]
    | (?P<whole>\d+)?\s?(?P<vulgar>[½⅓⅔¼¾⅕⅖⅗⅘⅙⅛⅜⅝⅞])
    | (?:(?P<first>\d{1,3})\s+)?(?<![\d./])(?P<over>\d+)/(?P<under>\d+)(?![\d.]*[\d/])
    | (?<=€)(?P<decimal>\d+,\d\d?)(?!\d|,\d)
    | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d|,\d)|\d+)(?:\.\d+)?|(?<!\d)\.\d+)(?P<percent>\s?%)?
    """,
    re.VERBOSE | re.ASCII,
)
_AFTER_UNIT = re.compile(r"[A-Za-z]\^$")
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_AFTER_SCALE = re.compile(rf"\s+(?P<scale>{'|'.join(SCALES)})\b", re.IGNORECASE)
_AFTER_LARGE = re.compile("(?P<scale>[万亿])(?!分)")
_AFTER_HALF = re.compile(r"\s+and\s+(?:a|one)[\s-](?P<part>half|third|quarter)\b", re.IGNORECASE)
_AFTER_PERCENT = re.compile(r"\s?-?per\s?cent\b", re.IGNORECASE)
_LARGE = {"万": 10**4, "亿": 10**8}
_AND_PART = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}


def language_of(text: str) -> str:
    """`zh` if `text` has a Chinese character, else `en`."""
    return "zh" if _IDEOGRAPH.search(text) else "en"


def find_token_quantities(tokens: Sequence[str]) -> list[tuple[int, int, Fraction]]:
    """(token index, length, value) of the number at the beginning of each token that has one.

    >>> find_token_quantities(["每", "30cm", "l4", "(2/5)"])
    [(1, 2, Fraction(30, 1)), (3, 5, Fraction(2, 5))]
    """
    found = []
    match = _TOKEN_NUMBER.match
    for index, token in enumerate(tokens):
        if token[:1] in "0123456789(" and (number := match(token)):
            found.append((index, number.end(), _token_value(number[0])))
    return found


@lru_cache(maxsize=1 << 14)  # the numbers of a corpus repeat
def _token_value(number: str) -> Fraction:
    if len(number) > MAX_DIGITS:
        raise QuantityError(f"a number of {len(number)} characters, the limit is {MAX_DIGITS}")
    if number.isdigit():
        return Fraction(int(number))
    if number[-1] == "%":
        return Fraction(number[:-1]) / 100
    if "(" not in number:
        return Fraction(number)
    whole, _, rest = number.partition("(")
    top, _, bottom = rest.partition(")")[0].partition("/")  # digits after the bracket are damage
    if not int(bottom):
        raise QuantityError(f"{number} divides by zero")
    return int(whole or 0) + Fraction(int(top), int(bottom))


def find_quantities(text: str, *, language: str = "", number_words: NumberWords = False) -> list[Mention]:
    """The number mentions of running text, in order, without overlaps.

    `language` is "en" or "zh" (default: that of the characters).  In English, digits after a letter are no number
    (`mp3`), and a minus sign is part of the number (`-3 degrees`).  In Chinese, `1/6` without brackets is a fraction
    only if it is proper and between words; otherwise it is more likely a calculation (`480/3/2`).

    >>> [(m.start, m.end, str(m.value)) for m in find_quantities("He ate 1/2 of 1,250 g, 2.5% less than $5.")]
    [(7, 10, '1/2'), (14, 19, '1250'), (23, 27, '1/40'), (39, 40, '5')]
    """
    language = language or language_of(text)
    clean = text if text.isascii() else _WIDE_DECIMAL.sub(".", text).translate(_WIDE)
    mentions = _scan(clean, chinese=language == "zh")
    if number_words is False:
        return mentions
    return add_number_words(clean, mentions, language=language, number_words=number_words)


def add_number_words(
    text: str, mentions: Iterable[Mention], *, language: str = "", number_words: NumberWords = True
) -> list[Mention]:
    """The numerals `mentions` and the number words of `text`; `3 million`, `3万`, `20 percent` become one mention."""
    language = language or language_of(text)
    after, scales = (_AFTER_LARGE, _LARGE) if language == "zh" else (_AFTER_SCALE, SCALES)
    numerals = [_extend(text, mention, after, scales) for mention in mentions]
    every = _merge(numerals, find_number_words(text, language=language, number_words=number_words))
    return every if language == "zh" else _with_tails(text, every)


def find_number_words(text: str, *, language: str = "", number_words: NumberWords = True) -> list[Mention]:
    """The numbers of `text` that are written in words.

    >>> [str(m.value) for m in find_number_words("Two of them ate a dozen eggs and half of the twenty-one pies.")]
    ['2', '12', '1/2', '21']
    """
    extra = {word: Fraction(value) for word, value in number_words.items()} if isinstance(number_words, Mapping) else {}
    find = find_chinese_words if (language or language_of(text)) == "zh" else find_english_words
    return sorted(Mention(*found) for found in find(text, extra=extra))


def _merge(first: Iterable[Mention], second: Iterable[Mention]) -> list[Mention]:
    """All mentions by position; of two that overlap, the one in `first` is kept."""
    merged = list(first)
    taken = {place for mention in merged for place in range(mention.start, mention.end)}
    merged += [mention for mention in second if taken.isdisjoint(range(mention.start, mention.end))]
    return sorted(merged)


def _scan(text: str, *, chinese: bool) -> list[Mention]:
    mentions: list[Mention] = []
    place = 0
    while found := _SCAN.search(text, place):
        start, end = found.span()
        if _AFTER_UNIT.search(text, max(0, start - 2), start):
            place = end  # m^2
            continue
        if not chinese and start and text[start] != "(" and text[start - 1].isascii() and text[start - 1].isalpha():
            place = end if found["number"] else start + 1  # mp3, D3
            while place < len(text) and (text[place].isdigit() or text[place] == "."):
                place += 1
            continue
        start, end, value = _read(text, found, chinese=chinese)
        if not chinese and start and text[start - 1] == "-" and (start == 1 or text[start - 2] in " \t\n(,$=*/+"):
            start, value = start - 1, -value
        mentions.append(Mention(start, end, value))
        place = end
    return mentions


def _read(text: str, found: re.Match[str], *, chinese: bool) -> tuple[int, int, Fraction]:
    start, end = found.span()
    if end - start > MAX_DIGITS:
        raise QuantityError(f"a number of {end - start} characters, the limit is {MAX_DIGITS}")
    if found["top"]:
        if int(found["bottom"]):
            return start, end, int(found["mixed"] or 0) + Fraction(int(found["top"]), int(found["bottom"]))
    elif found["vulgar"]:
        return start + (text[start].isspace()), end, int(found["whole"] or 0) + _VULGAR[found["vulgar"]]
    elif found["over"]:
        top, bottom = int(found["over"]), int(found["under"])
        if bottom and not chinese and (top < bottom or not found["first"]):
            return start, end, int(found["first"] or 0) + Fraction(top, bottom)
        around = text[start - 1 : start] + text[end : end + 1]
        proper = chinese and start and top < bottom and not found["first"]
        if proper and _IDEOGRAPH.match(around) and not re.search(r"[-+*/=<>()（]", around):
            return start, end, Fraction(top, bottom)
    elif found["decimal"]:
        return start, end, Fraction(found["decimal"].replace(",", "."))
    else:
        value = Fraction(found["number"].replace(",", ""))
        return start, end, value / 100 if found["percent"] else value
    # Not a fraction after all: read its first number only.
    number = re.compile(r"\d+(?:\.\d+)?", re.ASCII).search(text, start)
    assert number is not None
    return number.start(), number.end(), Fraction(number[0])


def _extend(text: str, mention: Mention, after: re.Pattern[str], scales: Mapping[str, int]) -> Mention:
    """`3 million` and `3万` as one number."""
    if found := after.match(text, mention.end):
        return Mention(mention.start, found.end(), mention.value * scales[found["scale"].lower()])
    return mention


def _with_tails(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """`3 and a half` and `20 percent` as one number."""
    extended: list[Mention] = []
    for mention in mentions:
        if extended and mention.start < extended[-1].end:
            continue  # the `a half` of `3 and a half`
        if found := _AFTER_HALF.match(text, mention.end):
            mention = Mention(mention.start, found.end(), mention.value + _AND_PART[found["part"].lower()])
        elif text[mention.end - 1] != "%" and (found := _AFTER_PERCENT.match(text, mention.end)):
            mention = Mention(mention.start, found.end(), mention.value / 100)
        extended.append(mention)
    return extended
