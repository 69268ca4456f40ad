"""Gold equations as published, kept if they are plain arithmetic solved for one unknown.

`x=(11-1)*2`, `56*9=x`, `( 76.0 - 25.0 )` are kept unchanged, because `mathcanon.parse_equation` reads them;
`hours=4*0.5` loses its unknown.  A habit of Ape210K is rewritten: a percent sign after a bracket (`(98+2)%`).  An
equation with the unknown inside, two results, units or functions is dropped: the problem is kept without gold, with the
reason.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mathcanon.errors import EvaluationError, MathCanonError
from mathcanon.values import evaluate

__all__ = ["Gold", "read_gold", "rewrite_habits"]

_LEFT_UNKNOWN = re.compile(r"\s*[A-Za-z]+\s*=(?!=)")
_RIGHT_UNKNOWN = re.compile(r"=\s*(?:[A-Za-z]+|\?)?$")


_BRACKET_PERCENT = re.compile(r"\)\s*%")
MAX_REWRITES = 20


class Gold(NamedTuple):
    """A gold equation, or None and the reason why it is missing."""

    equation: str | None
    missing: str | None = None


def read_gold(text: str) -> Gold:
    """The gold equation in `text`, if its value can be computed.

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
    """`text` with each percent sign after a bracket as a division by 100.

    >>> rewrite_habits("5/(98+2)%")
    '5/((98+2)/100)'
    """
    for _ in range(MAX_REWRITES):
        found = _BRACKET_PERCENT.search(text)
        start = _opening(text, found.start()) if found else -1
        if found is None or start < 0:
            break
        text = f"{text[:start]}({text[start : found.start() + 1]}/100){text[found.end() :]}"
    return text


def _opening(text: str, close: int) -> int:
    depth = 0
    for place in range(close, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if not depth:
            return place
    return -1
