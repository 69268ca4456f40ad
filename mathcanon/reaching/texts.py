"""Traced hits as texts.  A hit is the last step on blocks that most hits share, so blocks are folded and written once.

Every leaf and every block that a step makes gets a number.  A step on two numbers is looked up; only the last step of a
hit, which is nearly always a new one, is folded, and its text is joined from the texts of its blocks.  The result is
the text of the canonical form, as `str(canonical(...))` gives it.  The compiled core writes many hits in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..canonical_form import CANONICAL, PRODUCT, SUM, as_tree, canonical_form
from ..compiled import core
from ..expr import ExprLike
from .program import MINUS, MULTIPLY, PLACE_BITS, PLUS
from .shapes import _built

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["TextWriter"]

_PLACE = (1 << PLACE_BITS) - 1
_MAX_BLOCKS = 1 << 17
_MAX_LEAVES = 256  # that the core can number


class TextWriter:
    """Writes hits over named leaves, and remembers the blocks that it met; `leaf` gives the expression of a name."""

    def __init__(self, leaf: Callable[[str], ExprLike]) -> None:
        self._leaf = leaf
        self._forget()

    def _forget(self) -> None:
        self._forms: list[Any] = []  # leaves and blocks, by number
        self._numbers: dict[tuple[str, int], int] = {}  # identity and sign of a form -> its number
        self._leaves: dict[tuple[str, ...], list[int]] = {}  # names -> the numbers of their leaves
        self._made: dict[tuple[int, int, int], int] = {}  # a step, as operator and two numbers -> the number it makes
        self._texts: dict[str, str] = {}  # of classes, by identity
        self._opposites: dict[str, str] = {}

    def texts(self, codes: Array, signs: Array, choice: Array, choices: Sequence[tuple[str, ...]]) -> list[str]:
        """The texts of many hits: rows of steps, their signs, and for each the index of its leaves in `choices`.

        >>> import numpy as np
        >>> subtract = MINUS << 2 * PLACE_BITS | 0 << PLACE_BITS | 1
        >>> codes, signs = np.array([[subtract], [subtract]], np.uint16), np.array([1, -1], np.int8)
        >>> TextWriter(str).texts(codes, signs, np.array([0, 1]), [("a", "b"), ("a", "1")])
        ['a-b', '1-a']
        """
        found = self._texts_of_core(codes, signs, choice, choices) or [None] * len(codes)
        rows = [row for row, text in enumerate(found) if text is None]
        for row, steps, sign, i in zip(rows, *[of[rows].tolist() for of in (codes, signs, choice)], strict=True):
            found[row] = self.text(steps[: len(choices[i]) - 1], sign, choices[i])
        return cast("list[str]", found)

    def _texts_of_core(
        self, codes: Array, signs: Array, choice: Array, choices: Sequence[tuple[str, ...]]
    ) -> list[str | None] | None:
        """What the compiled core writes of these, None where it does not; None if it can't be asked."""
        import numpy as np

        if core is None:
            return None
        used, which = np.unique(choice, return_inverse=True)
        numbers: dict[str, int] = {}  # name -> number of the leaf
        operands = [[numbers.setdefault(name, len(numbers)) for name in choices[i]] for i in used.tolist()]
        pairs = [self._identity_and_text(name) for name in numbers]
        if len(pairs) > _MAX_LEAVES or None in pairs:
            return None
        rows = [which.astype(np.int64).tobytes(), codes.astype(np.uint16).tobytes(), signs.astype(np.int8).tobytes()]
        found: list[str | None] = core.texts(tuple(pairs), tuple(map(bytes, operands)), *rows)
        return found

    def _identity_and_text(self, name: str) -> tuple[bytes, bytes] | None:
        """What the core has to know of a leaf; None if it is something else than an operand, a number or a power."""
        form = canonical_form(self._leaf(name))
        if form.kind in (SUM, PRODUCT) or form.sign != 1:
            return None
        return form.identity.encode(), self._class_text(form).encode()

    def text(self, codes: Sequence[int], sign: int, names: tuple[str, ...]) -> str:
        """The text of the steps `codes` over these leaves, times a sign.

        >>> subtract = MINUS << 2 * PLACE_BITS | 0 << PLACE_BITS | 1  # the first minus the second
        >>> TextWriter(str).text([subtract], -1, ("a", "1"))
        '1-a'
        """
        if len(self._made) > _MAX_BLOCKS:
            self._forget()
        if names not in self._leaves:
            self._leaves[names] = [self._number(tuple(canonical_form(self._leaf(name)))) for name in names]
        places = self._leaves[names].copy()
        if not codes:
            return self._class_text(self._forms[places[0]])
        for code in codes[:-1]:
            step = code >> 2 * PLACE_BITS, places[code >> PLACE_BITS & _PLACE], places[code & _PLACE]
            made = self._made.get(step)
            if made is None:
                made = self._made[step] = self._number(self._joined(*step))
            places.append(made)
        code = codes[-1]
        form = self._joined(code >> 2 * PLACE_BITS, places[code >> PLACE_BITS & _PLACE], places[code & _PLACE])
        # A class that is its own opposite is written as positive.
        return self._new_text(form) if sign * (form[1] or 1) > 0 else self._new_opposite(form)

    def _number(self, form: Any) -> int:
        number = self._numbers.setdefault(form[:2], len(self._forms))
        if number == len(self._forms):
            self._forms.append(form)
        return number

    def _joined(self, operator: int, left: int, right: int) -> Any:
        join = CANONICAL.sum if operator <= MINUS else CANONICAL.product
        return join([(1, self._forms[left]), (1 if operator in (PLUS, MULTIPLY) else -1, self._forms[right])])

    def _class_text(self, form: Any) -> str:
        text = self._texts.get(form[0])
        if text is None:
            text = self._texts[form[0]] = self._new_text(form)
        return text

    def _new_text(self, form: Any) -> str:
        _, _, kind, parts, others = form
        if kind == SUM:
            return self._sum_text(parts, others)
        if kind == PRODUCT:
            return _product_text(map(self._factor_text, parts), map(self._factor_text, others))
        return str(_built(form))

    def _sum_text(self, added: Iterable[Any], subtracted: Iterable[Any]) -> str:
        return "+".join(map(self._class_text, added)) + "".join(["-" + self._class_text(part) for part in subtracted])

    def _factor_text(self, form: Any) -> str:
        return f"({self._class_text(form)})" if form[2] == SUM else self._class_text(form)

    def _new_opposite(self, form: Any) -> str:
        """The text of the opposite of a class, as `as_tree` has it: the minus swaps the sides of a subtraction."""
        _, _, kind, parts, others = form
        if kind == SUM and others:
            return self._sum_text(others, parts)
        if kind == PRODUCT:
            factors = [*parts, *others]
            texts = [self._factor_text(factor) for factor in factors]
            for i, factor in enumerate(factors):
                if factor[2] == SUM and "-" in texts[i]:  # the first factor with a subtraction takes the minus
                    texts[i] = f"({self._opposite_text(factor)})"
                    return _product_text(texts[: len(parts)], texts[len(parts) :])
        return str(as_tree(-1, _built(form)))

    def _opposite_text(self, form: Any) -> str:
        text = self._opposites.get(form[0])
        if text is None:
            text = self._opposites[form[0]] = self._new_opposite(form)
        return text


def _product_text(multiplied: Iterable[str], divided: Iterable[str]) -> str:
    return "*".join(multiplied) + "".join(["/" + text for text in divided])
