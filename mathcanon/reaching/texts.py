"""Traced hits as texts.  A hit is the last step on blocks that most hits share, so blocks are folded and written once.

Every leaf and every block that a step makes gets a number.  A step on two numbers is looked up; only the last step of a
hit, which is nearly always a new one, is folded, and its text is joined from the texts of its blocks.  The result is
the text of the canonical form, as `str(canonical(...))` gives it.  Costs about 5 microseconds a hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..canonical_form import _PRODUCT, CANONICAL, SUM, Form, as_tree
from .program import MINUS, MULTIPLY, PLACE_BITS, PLUS
from .shapes import _built

__all__ = ["TextWriter"]

_PLACE = (1 << PLACE_BITS) - 1
_MAX_BLOCKS = 1 << 17


class TextWriter:
    """Writes hits, and remembers the blocks that it met."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._forms: list[Any] = []  # leaves and blocks, by number
        self._numbers: dict[tuple[str, int], int] = {}  # identity and sign of a form -> its number
        self._made: dict[tuple[int, int, int], int] = {}  # a step, as operator and two numbers -> the number it makes
        self._texts: dict[str, str] = {}  # of classes, by identity

    def text(self, codes: Sequence[int], sign: int, leaves: Sequence[Form]) -> str:
        """The text of the steps `codes` over these leaves (`canonical_form` of each), times a sign.

        >>> from mathcanon.canonical_form import canonical_form
        >>> subtract = MINUS << 2 * PLACE_BITS | 0 << PLACE_BITS | 1  # the first minus the second
        >>> TextWriter().text([subtract], -1, [canonical_form("a"), canonical_form("1")])
        '1-a'
        """
        if len(self._made) > _MAX_BLOCKS:
            self._forget()
        places = [self._number(leaf) for leaf in leaves]
        for code in codes[:-1]:
            step = code >> 2 * PLACE_BITS, places[code >> PLACE_BITS & _PLACE], places[code & _PLACE]
            made = self._made.get(step)
            if made is None:
                made = self._made[step] = self._number(self._joined(*step))
            places.append(made)
        if codes:
            code = codes[-1]
            form = self._joined(code >> 2 * PLACE_BITS, places[code >> PLACE_BITS & _PLACE], places[code & _PLACE])
        else:
            form = self._forms[places[-1]]
        return self._signed_text(form, sign * (form[1] or 1))  # what is its own opposite is written as positive

    def _number(self, form: Any) -> int:
        number = self._numbers.setdefault(form[:2], len(self._forms))
        if number == len(self._forms):
            self._forms.append(form)
        return number

    def _joined(self, operator: int, left: int, right: int) -> Any:
        join = CANONICAL.sum if operator <= MINUS else CANONICAL.product
        return join([(1, self._forms[left]), (1 if operator in (PLUS, MULTIPLY) else -1, self._forms[right])])

    def _signed_text(self, form: Any, sign: int) -> str:
        _, _, kind, parts, others = form
        if kind == SUM and sign < 0 and others:
            parts, others, sign = others, parts, 1
        if sign < 0:
            return str(as_tree(-1, _built(form)))  # the minus is pushed into a factor
        if kind == SUM:
            added = "+".join([self._class_text(part) for part in parts])
            return added + "".join(["-" + self._class_text(part) for part in others])
        if kind == _PRODUCT:
            multiplied = "*".join([self._factor_text(part) for part in parts])
            return multiplied + "".join(["/" + self._factor_text(part) for part in others])
        return str(_built(form))

    def _class_text(self, form: Any) -> str:
        text = self._texts.get(form[0])
        if text is None:
            text = self._texts[form[0]] = self._signed_text(form, 1)
        return text

    def _factor_text(self, form: Any) -> str:
        return f"({self._class_text(form)})" if form[2] == SUM else self._class_text(form)
