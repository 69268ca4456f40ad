"""Proof of equality by one evaluation, at a point so large that different polynomials have different values there.

Kronecker substitution.  Cross-multiplied, two expressions are equal iff an integer polynomial is zero.  Counting leaves
bounds its degree in each operand and the size of its coefficients; with operand i set to 2^(bits * weight_i), no two
monomials fall together and no coefficient reaches into the next, so the polynomial is zero iff its value is.  The same
goes for the numerator of every divisor.

Text becomes a ratio of integers in one loop over its tokens: no tree, no canonical form, no call per operator.  The
loop knows plain infix text only (names, decimals, percents, `+ - * / ( )`, small powers) and raises `NotPlain` at
anything else: what a text means, and what is wrong with it, is up to the readers of `notation`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any
from zlib import crc32

from ..algebra import TREE, Algebra, fold
from ..expr import Expr, make_number
from ..notation.infix import MAX_BRACKETS, infix_text
from .fingerprints import ZeroDivisor

__all__ = ["MAX_BITS", "NotPlain", "Reading", "far_point", "near_point", "plain_text", "ratio"]

MAX_BITS = 100_000  # above, polynomials are faster
_LONG = 2_500  # bits from which flint's integers are faster than Python's
_MAX_LENGTH = 100_000
_MAX_DIGITS = 500
_MAX_TIMES = 500  # how often powers may multiply out a leaf
_MAX_EXPONENT = 100

Ratio = tuple[Any, Any]  # numerator and denominator: int or fmpz
Point = dict[str, Ratio]  # the value of each leaf, numbers too

_TOKEN = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]*|[-+/()]|\*(?!\*)|\d+(?:\.\d*)?%?|\.\d+%?|(?:\^|\*\*)-?\d{1,3}(?!\d)|\S", re.ASCII
)
_PLUS, _MINUS, _TIMES, _OVER, _OPEN, _CLOSE = range(1, 7)
_CODES = {"+": _PLUS, "-": _MINUS, "*": _TIMES, "/": _OVER, "(": _OPEN, ")": _CLOSE}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)%?", re.ASCII)
_POWER = re.compile(r"(?:\^|\*\*)-?\d+", re.ASCII)
_ROUND = str.maketrans("[]{}", "()()")


class NotPlain(Exception):
    """The text has something that the loop does not know, or is no expression."""


class Reading:
    """The tokens of text that may be plain; the leaves are the operands and numbers, exponents left out."""

    __slots__ = ("leaves", "powers", "tokens")

    def __init__(self, text: str) -> None:
        if len(text) > _MAX_LENGTH or not text.isascii() or text.lstrip().startswith("+"):
            raise NotPlain  # a plus in front may begin Polish notation
        self.tokens = _TOKEN.findall(text)
        self.leaves = [token for token in self.tokens if token not in _CODES]
        self.powers = "^" in text or "**" in text
        if self.powers:
            self.leaves = [leaf for leaf in self.leaves if leaf[0] not in "^*"]

    def is_read_once(self) -> bool:
        """Whether all leaves are operands and none occurs twice; then the canonical form decides equivalence."""
        leaves = self.leaves
        if self.powers or len(set(leaves)) < len(leaves):
            return False
        return min(leaves, default="") >= "A" and "".join(leaves).isidentifier()

    def count(self, counts: dict[str, int]) -> None:
        """Count the leaves, each as often as powers multiply it out."""
        if not self.powers:
            for leaf in self.leaves:
                counts[leaf] = counts.get(leaf, 0) + 1
            return
        found: list[tuple[str, int]] = []
        opened: list[int] = []
        start = 0  # where the leaves of the part before an exponent begin
        for token in self.tokens:
            code = _CODES.get(token)
            if code == _OPEN:
                opened.append(len(found))
            elif code == _CLOSE:
                if not opened:
                    raise NotPlain
                start = opened.pop()
            elif code is None and token[0] in "^*":
                times = max(1, abs(_exponent(token)))
                found[start:] = [(leaf, often * times) for leaf, often in found[start:]]
                if max([often for _, often in found[start:]], default=0) > _MAX_TIMES:
                    raise NotPlain
            elif code is None:
                start = len(found)
                found.append((token, 1))
        for leaf, often in found:
            counts[leaf] = counts.get(leaf, 0) + often


def plain_text(expr: Expr) -> str:
    """An expression as plain text: round brackets, no spellings of numbers such as 3(1/2)."""
    spelled = Algebra(
        operand=TREE.operand,
        number=lambda value, text: make_number(value),
        sum=TREE.sum,
        product=TREE.product,
        power=TREE.power,
    )
    return infix_text(fold(expr, spelled)).translate(_ROUND)


def far_point(one: Reading, other: Reading) -> tuple[Point, int]:
    """A point that tells expressions with these leaves apart, and its size in bits, which may be above `MAX_BITS`."""
    counts: dict[str, int] = {}
    one.count(counts)
    other.count(counts)
    point: Point = {}
    names = []
    bits = 3
    for leaf, often in counts.items():
        if leaf[0] in _LETTERS:
            names.append(leaf)
            bits += often
        else:
            above, below, size = _number(leaf)
            point[leaf] = above, below
            bits += size * often
    size = _size(bits, names, counts)
    if size > _LONG and point:
        bits = min(bits, _bits_of_coefficients(one, other, dict.fromkeys(names, (1, 1)) | point))
        size = _size(bits, names, counts)
    if size > MAX_BITS:
        return point, size
    unit: Any = 1
    if size > _LONG:
        from flint import fmpz  # long integers are multiplied many times faster than Python's

        unit = fmpz(1)
    for name in names:
        point[name] = unit << bits, 1
        bits *= counts[name] + 1
    return point, size


def _size(bits: int, names: list[str], counts: dict[str, int]) -> int:
    for name in names:
        bits *= counts[name] + 1
        if bits > MAX_BITS:
            break
    return bits


def _bits_of_coefficients(one: Reading, other: Reading, ones: Point) -> int:
    """A bound that folds numbers: all operands 1 and every minus a plus, numerators and denominators only grow."""
    if any(not above for above, _ in ones.values()) or one.powers or other.powers:
        return MAX_BITS  # what is multiplied by zero, or raised to it, is lost
    product = 1
    for reading in (one, other):
        above, below = ratio(["+" if token == "-" else token for token in reading.tokens], ones, share=False)
        product *= above * below
    return product.bit_length() + 3


def near_point(one: Reading, other: Reading) -> Point:
    """A point of short integers: where values differ, they prove as much, and sooner."""
    return {leaf: _near(leaf) for leaf in {*one.leaves, *other.leaves}}


@lru_cache(maxsize=4096)
def _near(leaf: str) -> Ratio:
    return (crc32(leaf.encode()) | 1, 1) if leaf[0] in _LETTERS else _number(leaf)[:2]


@lru_cache(maxsize=4096)
def _number(token: str) -> tuple[int, int, int]:
    """Numerator and denominator as written, and the bits of their sum."""
    if len(token) > _MAX_DIGITS or not _NUMBER.fullmatch(token):
        raise NotPlain
    below = 1
    if token[-1] == "%":
        token, below = token[:-1], 100
    whole, _, rest = token.partition(".")
    above, below = int(whole + rest), below * 10 ** len(rest)
    return above, below, (above + below).bit_length()


@lru_cache(maxsize=4096)
def _exponent(token: str) -> int:
    if not _POWER.fullmatch(token):
        raise NotPlain
    exponent = int(token.lstrip("^*"))
    if abs(exponent) > _MAX_EXPONENT:
        raise NotPlain
    return exponent


def ratio(tokens: list[str], point: Point, share: bool = True) -> Ratio:
    """Numerator and denominator at the point; raises `ZeroDivisor`, with the text after it unread, and `NotPlain`.

    With `share`, terms of equal denominators share it.
    """
    value_of, code_of = point.get, _CODES.get
    stack: list[tuple[Any, Any, Any, Any, bool]] = []
    above, below = 0, 1  # the sum of the terms before
    over, under = 1, 1  # the term, with its sign, as far as it goes
    multiply = True  # or divide by the factor to come
    n: Any = None  # the factor just read is n / d; None where one is due
    d: Any = 1
    raised = False  # whether it has an exponent already
    for token in tokens:
        if n is None:
            value = value_of(token)
            if value is not None:
                n, d = value
            elif token == "(":
                stack.append((above, below, over, under, multiply))
                if len(stack) > MAX_BRACKETS:
                    raise NotPlain
                above, below, over, under, multiply = 0, 1, 1, 1, True
            elif token == "-":
                over = -over
            elif token != "+":
                raise NotPlain
            continue
        code = code_of(token)
        if code is None or code == _OPEN:
            if raised or code == _OPEN:
                raise NotPlain  # a tower is read from its top
            exponent = _exponent(token)
            if exponent < 0:
                if not n:
                    raise ZeroDivisor
                n, d, exponent = d, n, -exponent
            n, d, raised = n**exponent, d**exponent, True
            continue
        raised = False
        if multiply:
            over *= n
            under *= d
        else:
            if not n:
                raise ZeroDivisor
            over *= d
            under *= n
        if code == _TIMES:
            multiply = True
            n = None
        elif code == _OVER:
            multiply = False
            n = None
        else:
            if not above:
                above, below = over, under
            elif below == under and share:
                above += over
            else:
                above = above * under + over * below
                below *= under
            if code == _CLOSE:
                if not stack:
                    raise NotPlain
                n, d = above, below
                above, below, over, under, multiply = stack.pop()
            else:
                over = 1 if code == _PLUS else -1
                under, multiply, n = 1, True, None
    if n is None or stack:
        raise NotPlain
    if multiply:
        over *= n
        under *= d
    else:
        if not n:
            raise ZeroDivisor
        over *= d
        under *= n
    if not above:
        return over, under
    return above * under + over * below, below * under
