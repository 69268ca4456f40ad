"""Annotated answers -> exact numbers, in every form that the corpora use.

`20`, `98.5`, `40%`, `((3)/(5))`, `1((7)/(9))`, `(3/5)`, `2(1/3)`, `1 1/2`, `15 (balls)`, `$1,250`, `-410.0`, JSON
numbers (a float as it prints: 0.16666666666666666 stays that decimal), and calculations that were not evaluated
(`160/(1-20%)`).  A ratio `5:6` is a division.  Currencies and units are dropped (`Rs. 500`, `60 km/h`, `40 m^2`,
`$5/hour`), but `$1.5 million`, `$2k` and `3 dozen` are multiplied; `60 percent` is 60%, `7½` is 15/2, `1/2%` is half a
percent, and `336/48%` is 700.  A comma before one or two digits is a decimal comma in an amount (`€3,50`).  Several
numbers (`3; 4`), words, dates and clock times are refused.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from mathcanon.errors import MathCanonError
from mathcanon.notation.notations import parse_number

from .number_words import SCALES

__all__ = ["AnswerError", "is_interpreted", "read_answer"]

MAX_BITS = 4_000
MAX_LENGTH = 1_000

_NUMERIC = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?", re.ASCII)
_RATIO = re.compile(r"(\d{0,300})\({1,2}(\d{1,300})\)?/\(?(\d{1,300})\){1,2}", re.ASCII)
_UNIT_IN_BRACKETS = re.compile(r"\s*\(\s*[^\d()]*[A-Za-z][^()]*\)\s*$")
_CURRENCY = re.compile(r"^(-?)\s*(?:(?:US|CA|AU|NZ|HK)?[$€£¥￥₹]|Rs\.?|(?:USD|EUR|GBP|CNY|RMB|INR)\b)\s*|\s*[$€£¥￥₹]$")
_LETTER = r"[^\W\d_²³¹⁰-₟]"  # superscripts are no letters: 10² is no 10
_UNIT = re.compile(rf"(?<=[\d%)])\s*(?:{_LETTER}|[°℃㎡㎏¢])[^\d()=:;+*/<>]*$")
# Units with a power are listed, because 3x^2 has no unit: m^2, cm2, ft³, m/s^2.
_POWER = r"(?:[kcdm]?m|ft|in|yd|mi|s)(?:\^?[23]|[²³])"
_WORD = rf"(?:{_POWER}|°?{_LETTER}+\.?)"
_COMPOUND_UNIT = re.compile(rf"(?<=[\d%)])\s*/?\s*{_WORD}(?:(?:\s*[/·]\s*|[ -]){_WORD})*\.?$")
_PERCENT_WORD = re.compile(r"(?<=\d)\s*per\s?cent\.?$", re.IGNORECASE)
_INTERPRETED = re.compile(r"[^\W\d_]|[$€£¥￥₹¢%％,，°℃㎡㎏]")
_THOUSANDS = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])", re.ASCII)
_FRACTION = re.compile(r"(-?)(?:(\d+)\s+)?(\d+)/(\d+)\s*([%％]?)", re.ASCII)
_ONE_CHARACTER_FRACTION = re.compile("[¼½¾⅐-⅞]")
_MULTIPLES = {**SCALES, "dozen": 12}
_MULTIPLE = re.compile(rf"(?<=[\d)])\s*({'|'.join(_MULTIPLES)})\b", re.IGNORECASE)
_LETTER_MULTIPLES = {"k": 10**3, "m": 10**6, "bn": 10**9, "b": 10**9}
_AMOUNT = re.compile(rf"(?<=\d)\s?({'|'.join(_LETTER_MULTIPLES)})$", re.IGNORECASE)  # in an amount, where m is no metre
_DECIMAL_COMMA = re.compile(r"(-?\d+),(\d{1,2})", re.ASCII)
_TIME = re.compile(r"\d+:\d+(?::\d+|\s*[ap]\.?m)|\b\d{4}-\d\d?-\d\d?\b|\b\d\d?/\d\d?/\d{4}\b", re.ASCII | re.IGNORECASE)
_WIDE = str.maketrans("０１２３４５６７８９，．％", "0123456789,.%")


class AnswerError(ValueError):
    """An annotated answer that is not one number."""


def read_answer(raw: object) -> Fraction:
    """The exact value of an annotated answer, which may be text or a JSON number.

    >>> read_answer("1((7)/(9))"), read_answer("15 (balls)"), read_answer(0.1)
    (Fraction(16, 9), Fraction(15, 1), Fraction(1, 10))
    """
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise AnswerError(f"not a number: {raw!r:.60}")
    text = raw.strip() if isinstance(raw, str) else repr(raw) if isinstance(raw, float) else ""
    if isinstance(raw, int):
        value = Fraction(raw)
    elif _NUMERIC.fullmatch(text) or (isinstance(raw, float) and "n" not in text):
        value = Fraction(text)
    elif (ratio := _RATIO.fullmatch(text)) and int(ratio[3]):
        value = int(ratio[1] or 0) + Fraction(int(ratio[2]), int(ratio[3]))
    elif text.endswith("%") and _NUMERIC.fullmatch(text[:-1]):
        value = Fraction(text[:-1]) / 100
    else:
        value = _calculate(text)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise AnswerError(f"a number of more than {MAX_BITS} bits")
    return value


def _calculate(text: str) -> Fraction:
    if len(text) > MAX_LENGTH:
        raise AnswerError(f"a text of {len(text)} characters")
    if _TIME.search(text):
        raise AnswerError(f"a date or a clock time: {text:.60}")
    plain, is_amount = _CURRENCY.subn(r"\1", _UNIT_IN_BRACKETS.sub("", text.translate(_WIDE)))
    plain = _ONE_CHARACTER_FRACTION.sub(_with_slash, plain)
    times = 1
    if found := _MULTIPLE.search(plain) or (_AMOUNT.search(plain) if is_amount else None):
        times = (_MULTIPLES | _LETTER_MULTIPLES)[found[1].lower()]
        plain = plain[: found.start()] + plain[found.end() :]
    plain = _COMPOUND_UNIT.sub("", _UNIT.sub("", _PERCENT_WORD.sub("%", plain)))
    plain = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), plain)
    if is_amount and (decimal := _DECIMAL_COMMA.fullmatch(plain.strip())):
        plain = f"{decimal[1]}.{decimal[2]}"
    if (found := _FRACTION.fullmatch(plain.strip())) and not _divides_by_percent(found):
        plain = f"{found[1]}({found[2] or 0}+{found[3]}/{found[4]}){'/100' if found[5] else ''}"
    try:
        return parse_number(plain) * times
    except MathCanonError as error:
        raise AnswerError(f"not one number: {text:.60}") from error


def _divides_by_percent(found: re.Match[str]) -> bool:
    """Whether `336/48%` is meant as a division by 48%; `1/2%` and `7 1/2%` are parts of a percent."""
    return bool(found[5]) and not found[2] and int(found[3]) >= int(found[4])


def _with_slash(found: re.Match[str]) -> str:
    """`½` as ` 1/2`."""
    return " " + unicodedata.normalize("NFKD", found[0]).replace("\N{FRACTION SLASH}", "/")


def is_interpreted(raw: object) -> bool:
    """Whether an answer is text from which a unit, a currency, separators or a percent sign were read.

    >>> is_interpreted("60 km/h"), is_interpreted("1,200"), is_interpreted("3/4"), is_interpreted(0.5)
    (True, True, False, False)
    """
    return isinstance(raw, str) and bool(_INTERPRETED.search(raw))
