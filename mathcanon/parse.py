r"""Text -> expression: infix, LaTeX, prefix, postfix and the package's own skeleton, JSON and DOT.

One regular expression splits the text, one loop over the tokens with a stack of open brackets does the rest
(precedence climbing with two levels, sum and product; exponents are whole tokens).  The loop does not build
trees: it calls an `Algebra`, so the same loop compiles text to a tree, to a canonical form or to a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import length_hint
from typing import Any, NoReturn, TypeVar

from ._notations import read_dot, read_json, read_skeleton
from ._numerals import INTEGER, MAX_DIGITS, NUMBER, read_exponent, read_number
from ._pasted import FRACTIONS, clean_text, to_ascii
from ._polish import read_postfix, read_prefix
from .algebra import Algebra, fold
from .errors import LimitError, ParseError
from .expr import MAX_DEPTH, Expr, make_number, make_operand, make_power, make_product, make_sum

__all__ = ["MAX_DIGITS", "MAX_LENGTH", "SYNTAXES", "parse", "parse_equation", "parse_number"]

MAX_LENGTH = 1_000_000
MAX_BRACKETS = MAX_DEPTH // 2  # a bracket adds a sum and a product to the tree

T = TypeVar("T")

# The commonest tokens first: most of the time of reading short expressions is spent here.
_TOKEN = re.compile(
    rf"""
    [A-Za-z_][A-Za-z0-9_]* | [-+/)] | \*(?!\*) | \((?!\s*\d)
    | {NUMBER}
    | (?:(?:\^|\*\*)\s*(?:{INTEGER}(?![\d.%])|\(\s*{INTEGER}\s*\)|\{{\s*{INTEGER}\s*\}}|\[\s*{INTEGER}\s*\]))+
    | \\[A-Za-z]+ | \*\* | \S
    """,
    re.VERBOSE | re.ASCII,
)
_PLUS, _MINUS, _TIMES, _OVER, _OPEN, _CLOSE = range(1, 7)
_CODE = {
    "+": _PLUS, "-": _MINUS, "*": _TIMES, "/": _OVER, ":": _OVER,
    "(": _OPEN, "[": _OPEN, "{": _OPEN, ")": _CLOSE, "]": _CLOSE, "}": _CLOSE,
}  # fmt: skip
_SIGNS, _FACTORS = (_PLUS, _MINUS), (_TIMES, _OVER)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_DIGITS = frozenset("0123456789(")


def parse(text: str, syntax: str = "auto") -> Expr:
    r"""The expression that `text` writes, as written: nothing is sorted, folded or flattened.

    `syntax` is one of `SYNTAXES`; "auto" takes infix and LaTeX, and prefix or postfix where the text can be
    nothing else.  Raises `ParseError` (with `.pointed()`, a caret under the offending character) or `LimitError`.

    >>> parse("150×2 − 50")
    Expr('150*2-50')
    >>> parse(r"\frac{a}{b+1}"), parse("- * a 2 b"), parse("a b +")
    (Expr('a/(b+1)'), Expr('a*2-b'), Expr('a+b'))
    """
    return parse_with(text, TREE, syntax)


def parse_equation(text: str) -> Expr:
    """The expression of an equation in one unknown: `x=a+b`, `a+b = X`, or the bare expression.

    >>> parse_equation("x=(11-1)*2")
    Expr('(11-1)*2')
    """
    clean = to_ascii(text)
    for unknown in (r"\s*[A-Za-z]\s*=(?!=)", r"=\s*[A-Za-z?]?\s*$"):
        found = re.match(unknown, clean) or (unknown.endswith("$") and re.search(unknown, clean))
        if found:
            blanks = " " * (found.end() - found.start())  # keeps positions for the caret
            return parse(clean[: found.start()] + blanks + clean[found.end() :])
    return parse(text)


def parse_number(text: str) -> Fraction:
    """The exact value of a number as people write it: `12`, `0.5`, `40%`, `(1/6)`, `3(1/2)`, `-2`.

    >>> parse_number("40%"), parse_number("3(1/2)"), parse_number("1/6")
    (Fraction(2, 5), Fraction(7, 2), Fraction(1, 6))
    """
    from .evaluate import evaluate

    return evaluate(parse(text), {})


def apply(algebra: Algebra[T], expr: Expr | str) -> T:
    """What `algebra` makes of an expression or a text."""
    return parse_with(expr, algebra) if isinstance(expr, str) else fold(expr, algebra)


def parse_with(text: str, algebra: Algebra[T], syntax: str = "auto") -> T:
    """What `algebra` makes of `text`."""
    if not isinstance(text, str):
        raise TypeError(f"an expression is given as text or Expr, not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise LimitError("the length of the text", len(text), MAX_LENGTH)
    try:
        reader: Callable[[str, Algebra[T]], T] = _READERS[syntax]
    except KeyError:
        raise ValueError(f"unknown syntax {syntax!r}; one of {', '.join(SYNTAXES)}") from None
    return reader(text, algebra)


def _auto(text: str, algebra: Algebra[T]) -> T:
    stripped = text.strip()
    if stripped:
        if stripped[0] in "+*/^~" and stripped[1:2].isspace():
            return read_prefix(text, algebra)
        if stripped[-1] in "+-*/^~" and " " in stripped:
            return read_postfix(text, algebra)
        if stripped[0] == "-" and stripped[1:2].isspace():
            try:
                return _infix(text, algebra)
            except ParseError:
                try:
                    return read_prefix(text, algebra)
                except ParseError:
                    pass
    return _infix(text, algebra)


def _infix(text: str, algebra: Algebra[T]) -> T:
    clean = text if text.isascii() and "\\" not in text and "$" not in text else clean_text(text)
    if "\\" in clean:
        tokens, places = _without_fractions(text, clean)
        return _run(text, tokens, places, algebra)
    return _run(text, _TOKEN.findall(clean), clean, algebra)


def _without_fractions(text: str, clean: str) -> tuple[list[str], list[int]]:
    r"""Tokens and their places, each `\frac{x}{y}` as `((x)/(y))`."""
    tokens: list[str] = []
    places: list[int] = []
    groups: list[str] = []  # what each open bracket is: "numerator", "denominator" or the bracket itself
    due = ""
    for found in _TOKEN.finditer(clean):
        token, place = found[0], found.start()
        if due:
            if token != "{":
                raise ParseError(rf"\frac needs its {due} in braces", text, place, hint=r"write \frac{a}{b}")
            groups.append(due)
            new, due = ["("], ""
        elif token in FRACTIONS:
            new, due = ["("], "numerator"
        else:
            if _CODE.get(token) == _OPEN:
                groups.append(token)
            new = [token]
            if _CODE.get(token) == _CLOSE and groups:
                group = groups.pop()
                if group == "numerator":
                    new, due = [")", "/"], "denominator"
                elif group == "denominator":
                    new = [")", ")"]
        tokens += new
        places += [place] * len(new)
    if due:
        raise ParseError(rf"\frac needs its {due} in braces", text, len(text), hint=r"write \frac{a}{b}")
    return tokens, places


def _run(text: str, token_list: list[str], places: list[int] | str, algebra: Algebra[T]) -> T:
    make_leaf, make_sum, make_product, make_power = algebra.operand, algebra.sum, algebra.product, algebra.power
    code_of = _CODE.get
    frames: list[tuple[list[tuple[int, T]], list[tuple[int, T]], int, int, str]] = []
    terms: list[tuple[int, T]] = []
    factors: list[tuple[int, T]] = []
    sign = exponent = 1
    value: T | None = None  # the operand just read; None where one is due
    tokens = iter(token_list)
    for token in tokens:
        code = code_of(token)
        if value is None:
            if code is None:
                if token[0] in _LETTERS:
                    value = make_leaf(token)
                elif token[0] in _DIGITS or (token[0] == "." and len(token) > 1):
                    value = read_number(token, algebra)
                elif token == "π":
                    value = make_leaf("pi")
                else:
                    _refuse(text, token_list, len(token_list) - length_hint(tokens) - 1, places, frames)
            elif code == _OPEN:
                frames.append((terms, factors, sign, exponent, token))
                if len(frames) > MAX_BRACKETS:
                    raise LimitError("the depth of brackets", len(frames), MAX_BRACKETS)
                terms, factors, sign, exponent = [], [], 1, 1
            elif code == _MINUS:
                sign = -sign  # a minus before any factor is a minus before the term
            else:
                _refuse(text, token_list, len(token_list) - length_hint(tokens) - 1, places, frames)
        elif code in _SIGNS:
            if factors:
                factors.append((exponent, value))
                value = make_product(factors)
                factors, exponent = [], 1
            terms.append((sign, value))
            value = None
            sign = 1 if code == _PLUS else -1
        elif code in _FACTORS:
            factors.append((exponent, value))
            value = None
            exponent = 1 if code == _TIMES else -1
        elif code == _CLOSE:
            if not frames or _CLOSING[frames[-1][4]] != token:
                _refuse(text, token_list, len(token_list) - length_hint(tokens) - 1, places, frames)
            if factors:
                factors.append((exponent, value))
                value = make_product(factors)
            if terms or sign < 0:
                terms.append((sign, value))
                value = make_sum(terms)
            terms, factors, sign, exponent, _ = frames.pop()
        elif code is None and (token[0] in "^*²³" and token not in ("^", "**")):
            value = make_power(value, read_exponent(token))
        else:
            _refuse(text, token_list, len(token_list) - length_hint(tokens) - 1, places, frames)
    if value is None or frames:
        _refuse(text, token_list, len(token_list), places, frames)
    if factors:
        factors.append((exponent, value))
        value = make_product(factors)
    if terms or sign < 0:
        terms.append((sign, value))
        value = make_sum(terms)
    return value


def _refuse(
    text: str, tokens: list[str], index: int, places: list[int] | str, frames: Sequence[tuple[Any, ...]]
) -> NoReturn:
    """Raise the error that says what is wrong with token `index`, and what to write instead."""
    if index >= len(tokens):
        if not tokens:
            raise ParseError("there is no expression", text, 0, hint="write something like a-b+c")
        if frames and _CODE.get(tokens[-1]) not in (_PLUS, _MINUS, _TIMES, _OVER, _OPEN):
            opened = frames[-1][4]
            raise ParseError(f"'{opened}' is never closed", text, len(text), hint=f"add '{_CLOSING[opened]}'")
        raise ParseError("an operand is missing at the end", text, len(text))
    if isinstance(places, str):  # the text that the tokens were found in
        places = [found.start() for found in _TOKEN.finditer(places)]
    token, where = tokens[index], places[index]
    before = tokens[index - 1] if index else ""
    code, code_before = _CODE.get(token), _CODE.get(before)
    if code == _CLOSE and (code_before == _CLOSE or (code_before is None and before)):
        opened = frames[-1][4] if frames else ""
        if not opened:
            raise ParseError(f"'{token}' closes nothing", text, where, hint="remove it")
        raise ParseError(f"'{token}' does not close '{opened}'", text, where, hint=f"write '{_CLOSING[opened]}'")
    if token in ("^", "**") or (code is None and token[0] in "^*"):
        if not before or code_before not in (None, _CLOSE):
            raise ParseError(f"'{token[:2].strip()}' has no base", text, where)
        raise ParseError("the exponent is not an integer", text, where, hint="exponents are integers, as in a^2")
    if token in ("=", "<", ">"):
        raise ParseError(f"'{token}' does not belong in an expression", text, where, hint="give one side only")
    if token == ",":
        raise ParseError("a comma", text, where, hint="write 1000, not 1,000")
    if token[0] == "\\":
        raise ParseError(f"unknown command {token}", text, where)
    is_leaf = code is None and (token[0] in _LETTERS or token[0] in _DIGITS or token[0] in ".π")
    if is_leaf or code == _OPEN:
        if before and code_before in (None, _CLOSE):
            raise ParseError("two operands side by side", text, where, hint=f"write {before}*{token}")
        raise ParseError(f"not a number: '{token}'", text, where)
    if code is not None:
        hint = "there is no unary plus" if code == _PLUS else ""
        raise ParseError(f"an operand is missing before '{token}'", text, where, hint=hint)
    if before and token == "%":
        raise ParseError("a percent sign after something that is not a number", text, where, hint="write /100")
    raise ParseError(f"unexpected character {token!r}", text, where)


TREE: Algebra[Expr] = Algebra(
    operand=make_operand,
    number=make_number,
    sum=make_sum,
    product=make_product,
    power=make_power,
)

_READERS: dict[str, Callable[[str, Algebra[Any]], Any]] = {
    "auto": _auto,
    "infix": _infix,
    "latex": _infix,
    "prefix": read_prefix,
    "postfix": read_postfix,
    "skeleton": read_skeleton,
    "json": read_json,
    "dot": read_dot,
}
SYNTAXES = tuple(_READERS)
