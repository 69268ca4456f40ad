"""Gold equations as published, kept where they are plain arithmetic in one unknown that stands alone.

`x=(11-1)*2`, `56*9=x`, `( 76.0 - 25.0 )` stay as they are, because `mathcanon.parse_equation` reads them;
`hours=4*0.5` loses its unknown.  Three habits of Ape210K are rewritten: a plus sign before an operand (`+60/12`), a
percent sign behind a bracket (`(98+2)%`), an exponent that is a calculation (`2**(4/2)`).  What has the unknown
inside, two results, units or functions has no gold equation: the problem stays, with the reason.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mathcanon.errors import EvaluationError, MathCanonError
from mathcanon.evaluate import evaluate

__all__ = ["Gold", "read_gold", "rewrite_habits"]

_LEFT_UNKNOWN = re.compile(r"\s*[A-Za-z]+\s*=(?!=)")
_RIGHT_UNKNOWN = re.compile(r"=\s*(?:[A-Za-z]+|\?)?$")


_PLUS = re.compile(r"(^\s*|[(\[{*/+-]\s*)\+")
_BRACKET_PERCENT = re.compile(r"\)\s*%")
_EXPONENT = re.compile(r"(?:\*\*|\^)\s*\(")
MAX_REWRITES = 20


class Gold(NamedTuple):
    """The equation, or None and why."""

    equation: str | None
    missing: str | None = None


def read_gold(text: str) -> Gold:
    """The equation of `text` if it has a value.

    >>> read_gold("x=(11-1)*2"), read_gold("hours=4.0*0.5/3.0").equation, read_gold("X-9=4").missing
    (Gold(equation='x=(11-1)*2', missing=None), '4.0*0.5/3.0', 'gold-not-arithmetic')
    """
    text = text.strip()
    if not text:
        return Gold(None, "gold-absent")
    keep = side = text
    if found := _LEFT_UNKNOWN.match(text):
        side = text[found.end() :]
        keep = text if len(found[0].strip(" =")) == 1 else side
    elif found := _RIGHT_UNKNOWN.search(text):
        side = text[: found.start()]
        keep = text if len(found[0].strip(" =")) <= 1 else side
    reason = _fault(side)
    if reason and (plain := rewrite_habits(side)) != side:
        keep, reason = plain, _fault(plain)
    return Gold(None, reason) if reason else Gold(keep.strip())


def _fault(side: str) -> str | None:
    """Why `side` has no value, or None."""
    try:
        evaluate(side, {"pi": "3.14"} if "p" in side or "π" in side else None)
    except EvaluationError as error:
        return "gold-undefined" if "zero" in str(error) else "gold-not-arithmetic"
    except MathCanonError:
        return "gold-not-arithmetic"
    return None


def rewrite_habits(text: str) -> str:
    """`text` without needless plus signs, percent signs behind brackets, and exponents to be calculated.

    >>> rewrite_habits("80*+60"), rewrite_habits("5/(98+2)%"), rewrite_habits("3*2**(4/2)")
    ('80*60', '5/((98+2)/100)', '3*2**2')
    """
    text = _PLUS.sub(r"\1", text)
    for _ in range(MAX_REWRITES):
        if found := _BRACKET_PERCENT.search(text):
            start = _opening(text, found.start())
            if start < 0:
                return text
            text = f"{text[:start]}({text[start : found.start() + 1]}/100){text[found.end() :]}"
        else:
            break
    for found in reversed(list(_EXPONENT.finditer(text))[:MAX_REWRITES]):
        end = _closing(text, found.end() - 1)
        try:
            exponent = evaluate(text[found.end() - 1 : end + 1])
        except MathCanonError:
            continue
        if exponent.denominator == 1 and 0 <= exponent < 100:
            text = f"{text[: found.end() - 1]}{exponent}{text[end + 1 :]}"
    return text


def _opening(text: str, close: int) -> int:
    depth = 0
    for place in range(close, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if not depth:
            return place
    return -1


def _closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    return len(text)
