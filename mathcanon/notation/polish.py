"""Prefix and postfix text: words separated by blanks, operators binary, `~` for unary minus.

A sum or product stays open on the stack while it can still grow on its right, so that `+ + a b c` is the
three-term sum that infix `a+b+c` is, in linear time and without nesting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from ..algebra import Algebra, fold, multiplied_first
from ..errors import LimitError, ParseError
from ..expr import MAX_DEPTH, Expr
from .exponents import read_exponent
from .numerals import NUMBER, number_text, read_number
from .pasted import to_ascii

__all__ = ["postfix_text", "prefix_text", "read_postfix", "read_prefix"]

T = TypeVar("T")

_BINARY = {"+": ("sum", 1), "-": ("sum", -1), "*": ("product", 1), "/": ("product", -1), ":": ("product", -1)}
_WORD = re.compile(r"\S+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(NUMBER, re.ASCII)
_INTEGER = re.compile(r"-?\d+", re.ASCII)


def read_prefix(text: str, algebra: Algebra[T]) -> T:
    return _read(text, algebra, forwards=False)


def read_postfix(text: str, algebra: Algebra[T]) -> T:
    return _read(text, algebra, forwards=True)


class _Pending(Generic[T]):
    """An operand on the stack: a finished value, or the parts of a sum or product."""

    __slots__ = ("depth", "kind", "parts", "word")

    def __init__(self, kind: str, parts: list[tuple[int, T]], depth: int, word: str = "") -> None:
        self.kind, self.parts, self.depth, self.word = kind, parts, depth, word


def _read(text: str, algebra: Algebra[T], *, forwards: bool) -> T:
    words = [(found[0], found.start()) for found in _WORD.finditer(to_ascii(text))]
    stack: list[_Pending[T]] = []

    def finish(item: _Pending[T]) -> T:
        if item.kind == "value":
            return item.parts[0][1]
        return algebra.sum(item.parts) if item.kind == "sum" else algebra.product(item.parts)

    def push(item: _Pending[T]) -> None:
        if item.depth > MAX_DEPTH:
            raise LimitError("the depth of the expression", item.depth, MAX_DEPTH)
        stack.append(item)

    for word, place in words if forwards else reversed(words):
        arity = 2 if word in _BINARY or word in ("^", "**") else 1 if word == "~" else 0
        if len(stack) < arity:
            raise ParseError(f"an operand is missing for '{word}'", text, place)
        if arity == 0:
            push(_Pending("value", [(1, _read_leaf(word, place, text, algebra))], 1, word))
            continue
        if arity == 1:
            item = stack.pop()
            push(_Pending("value", [(1, algebra.sum([(-1, finish(item))]))], item.depth + 1))
            continue
        first, second = stack.pop(), stack.pop()
        left, right = (second, first) if forwards else (first, second)
        if word in _BINARY:
            kind, mark = _BINARY[word]
            if left.kind != kind:
                left = _Pending(kind, [(1, finish(left))], left.depth + 1)
            left.parts.append((mark, finish(right)))
            left.depth = max(left.depth, right.depth + 1)
            push(left)
        else:
            exponent = read_exponent(right.word)
            if exponent is None:
                raise ParseError("the exponent is not an integer", text, place, hint="exponents are integers")
            push(_Pending("value", [(1, algebra.power(finish(left), exponent))], left.depth + 1))
    if not stack:
        raise ParseError("there is no expression", text, 0, hint="write something like + a b")
    if len(stack) > 1:
        raise ParseError(f"{len(stack)} operands and no operator between them", text, len(text))
    return finish(stack.pop())


def _read_leaf(word: str, place: int, text: str, algebra: Algebra[T]) -> T:
    if _NAME.fullmatch(word):
        return algebra.operand(word)
    if word == "π":
        return algebra.operand("pi")
    if _NUMBER.fullmatch(word):
        return read_number(word, algebra)
    if _INTEGER.fullmatch(word):
        return algebra.sum([(-1, read_number(word[1:], algebra))])
    raise ParseError(f"not an operand or operator: {word!r}", text, place)


def _polish(*, prefix: bool) -> Algebra[str]:
    """Prefix or postfix text: a sum or product of many parts is a left-deep chain of binary operators."""

    def chain(parts: Sequence[tuple[int, str]], plus: str, minus: str) -> str:
        operators = [plus if mark > 0 else minus for mark, _ in parts[1:]]
        texts = [text for _, text in parts]
        if prefix:
            return " ".join([*reversed(operators), *texts])
        return " ".join(
            [texts[0], *[f"{text} {operator}" for text, operator in zip(texts[1:], operators, strict=True)]]
        )

    def sum(terms: list[tuple[int, str]]) -> str:
        if terms[0][0] < 0:
            opposite = f"~ {terms[0][1]}" if prefix else f"{terms[0][1]} ~"
            terms = [(1, opposite), *terms[1:]]
        return chain(terms, "+", "-")

    def number(value: Fraction, text: str | None) -> str:
        return sum([(-1, number_text(-value))]) if value < 0 else text or number_text(value)

    def power(base: str, exponent: int) -> str:
        return f"^ {base} {exponent}" if prefix else f"{base} {exponent} ^"

    return Algebra(
        operand=str,
        number=number,
        sum=sum,
        product=lambda factors: chain(multiplied_first(factors), "*", "/"),
        power=power,
    )


_PREFIX, _POSTFIX = _polish(prefix=True), _polish(prefix=False)


def prefix_text(expr: Expr) -> str:
    """Prefix text, such as `- * a 2 b`."""
    return fold(expr, _PREFIX)


def postfix_text(expr: Expr) -> str:
    """Postfix text, such as `a 2 * b -`."""
    return fold(expr, _POSTFIX)
