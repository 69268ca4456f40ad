"""Gold equations as published, kept where they are plain arithmetic in one unknown that stands alone.

`x=(11-1)*2`, `56*9=x`, `( 76.0 - 25.0 )` stay as they are, because `mathcanon.parse_equation` reads them; `hours=4*0.5` and
`6+9=15` lose the side that is no calculation.  What has the unknown inside, two results, units or functions has no gold
equation: the problem stays, with the reason.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mathcanon.errors import EvaluationError, MathCanonError
from mathcanon.evaluate import evaluate

__all__ = ["Gold", "read_gold"]

_LEFT_UNKNOWN = re.compile(r"\s*[A-Za-z]+\s*=(?!=)")
_RIGHT_UNKNOWN = re.compile(r"=\s*(?:[A-Za-z]+|\?)?\s*$")


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
    try:
        evaluate(side, {"pi": "3.14"} if "p" in side or "π" in side else None)
    except EvaluationError as error:
        return Gold(None, "gold-undefined" if "zero" in str(error) else "gold-not-arithmetic")
    except MathCanonError:
        return Gold(None, "gold-not-arithmetic")
    return Gold(keep.strip())
