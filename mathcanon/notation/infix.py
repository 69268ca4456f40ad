r"""Infix text: one loop reads it, for LaTeX too; the writer uses the fewest brackets that keep the tree.

One regular expression splits the text, one loop over the tokens with a stack of open brackets does the rest
(precedence climbing with two levels, sum and product).  The loop does not build trees: it calls an `Algebra`, so the
same loop compiles text to a tree, to a canonical form or to a value.  Powers are resolved before it, from the right:
a `^` and the constant expression that is its exponent become one token `^n`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from operator import length_hint
from typing import Any, NamedTuple, NoReturn, TypeVar

from ..algebra import Algebra, multiplied_first
from ..errors import LimitError, ParseError
from ..expr import MAX_DEPTH, Expr, Number, Operand, Power, Product, Sum, set_infix, upwards_without
from .exponents import CONSTANTS, SUPERSCRIPTS, as_exponent, read_exponent
from .numerals import NUMBER, VULGAR, number_text, read_number
from .pasted import NAME, plain_name, to_ascii

__all__ = [
    "ATOM",
    "MAX_BRACKETS",
    "POWER",
    "PRODUCT",
    "SUM",
    "Piece",
    "Token",
    "infix_text",
    "read_infix",
    "run_tokens",
    "spelling",
]

MAX_BRACKETS = MAX_DEPTH // 2  # a bracket adds a sum and a product to the tree

T = TypeVar("T")
Token = tuple[str, int]  # its text and its position
Written = tuple[str, int]  # the text of a node and how tightly it binds
Below = Callable[[Expr], Written]  # what is asked for the text of a child that has none

# The commonest tokens first: most of the time of reading short expressions is spent here.
_TOKEN = re.compile(
    rf"""
    {NAME} | [-+/)] | \*(?!\*) | \((?!\s*\d)
    | {NUMBER}
    | \\[A-Za-z]+ | \*\* | ⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+ | \S
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
_SUPERSCRIPT_DIGITS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_INTEGER_RATIO = re.compile(r"\d+/\d+")

SUM, PRODUCT, POWER, ATOM = range(4)  # how tightly a piece of text binds


def read_infix(text: str, algebra: Algebra[T]) -> T:
    """What `algebra` makes of infix text."""
    clean = to_ascii(text).replace("$", " ")
    if clean.isascii() and "^" not in clean and "**" not in clean:
        return _run(text, _TOKEN.findall(clean), clean, algebra)
    return run_tokens(text, [(plain_name(found[0]), found.start()) for found in _TOKEN.finditer(clean)], algebra)


def run_tokens(text: str, tokens: list[Token], algebra: Algebra[T]) -> T:
    """What `algebra` makes of tokens, each with its place in `text`."""
    tokens = _with_exponents(text, tokens)
    return _run(text, [token for token, _ in tokens], [place for _, place in tokens], algebra)


def _with_exponents(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens with each `^` and its exponent as one token `^n`, from the right: a tower is read from its top."""
    rest: list[Token] = []  # the tokens to the right, the nearest last
    for token in reversed(tokens):
        word, place = token
        if word[-1] in _SUPERSCRIPT_DIGITS:
            digits = word.translate(SUPERSCRIPTS)
            rest += [(part, place) for part in (digits.removeprefix("-"), "-" * (digits[0] == "-")) if part]
            word = "^"
        if word == "^" or word == "**":
            token = f"^{_exponent(text, _take_exponent(rest), place)}", place
        rest.append(token)
    rest.reverse()
    return rest


def _take_exponent(rest: list[Token]) -> list[Token]:
    """Remove the exponent from `rest` and return it: minus signs, a number or brackets, and their own exponent."""
    taken: list[Token] = []
    while rest and rest[-1][0] == "-":
        taken.append(rest.pop())
    depth = 0
    while rest:
        token = rest.pop()
        taken.append(token)
        code = _CODE.get(token[0])
        if code == _OPEN:
            depth += 1
        elif code == _CLOSE:
            depth -= 1
        if depth <= 0:
            break
    if rest and rest[-1][0][0] == "^":
        taken.append(rest.pop())
    return taken


def _exponent(text: str, tokens: list[Token], place: int) -> int:
    if not tokens:
        raise ParseError("the exponent is missing", text, len(text))
    words = [token for token, _ in tokens]
    exponent = read_exponent(words[0]) if len(words) == 1 else None  # the common case, which is cached
    if exponent is None and not any(word[0] in _LETTERS for word in words):
        with suppress(ZeroDivisionError):
            exponent = as_exponent(_run(text, words, [where for _, where in tokens], CONSTANTS))
    if exponent is None:
        raise ParseError("the exponent is not an integer", text, place, hint="exponents are integers, as in a^2")
    return exponent


def _run(text: str, token_list: list[str], places: list[int] | str, algebra: Algebra[T]) -> T:
    make_leaf, make_sum, make_product, make_power = algebra.operand, algebra.sum, algebra.product, algebra.power
    code_of = _CODE.get
    frames: list[tuple[list[tuple[int, T]], list[tuple[int, T]], int, int, str]] = []
    terms: list[tuple[int, T]] = []
    factors: list[tuple[int, T]] = []
    sign = exponent = 1
    value: T | None = None  # the operand just read; None where an operand is expected
    tokens = iter(token_list)
    for token in tokens:
        code = code_of(token)
        if value is None:
            if code is None:
                if token[0] in _LETTERS:
                    value = make_leaf(token)
                elif token[0] in _DIGITS or (token[0] == "." and len(token) > 1) or token in VULGAR:
                    value = read_number(token, algebra)
                else:
                    _refuse(text, token_list, len(token_list) - length_hint(tokens) - 1, places, frames)
            elif code == _OPEN:
                frames.append((terms, factors, sign, exponent, token))
                if len(frames) > MAX_BRACKETS:
                    raise LimitError("the depth of brackets", len(frames), MAX_BRACKETS)
                terms, factors, sign, exponent = [], [], 1, 1
            elif code == _MINUS:
                sign = -sign  # a minus before any factor is a minus before the term
            elif code != _PLUS:
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
        elif code is None and token[0] == "^":
            value = make_power(value, int(token[1:]))
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
    if token[0] == "^":
        raise ParseError("the exponent has no base", text, where)
    if token in ("=", "<", ">"):
        raise ParseError(f"'{token}' does not belong in an expression", text, where, hint="give one side only")
    if token == ",":
        raise ParseError("a comma that does not part groups of three digits", text, where, hint="write 1000 or 1,000")
    if token[0] == "\\":
        raise ParseError(f"unknown command {token}", text, where)
    is_leaf = code is None and (token[0] in _LETTERS or token[0] in _DIGITS or token[0] == "." or token in VULGAR)
    if is_leaf or code == _OPEN:
        if code == _OPEN and before[:1] in _LETTERS:
            hint = "put * before the bracket if it is a product"
            raise ParseError("functions are not supported", text, places[index - 1], hint=hint)
        if before and code_before in (None, _CLOSE):
            both = is_leaf and code_before is None and before[0] != "^"
            hint = f"write {before}*{token}" if both else "put an operator between them"
            slash, below = (*tokens[index + 1 : index + 3], "", "")[:2]
            whole = all(part.isdecimal() and len(part) < 10 for part in (before, token, below))
            if slash == "/" and whole and int(token) < int(below):
                hint = f"write {before}({token}/{below}) for the mixed number"
            raise ParseError("two operands side by side", text, where, hint=hint)
        raise ParseError(f"not a number: '{token}'", text, where)
    if code is not None:
        raise ParseError(f"an operand is missing before '{token}'", text, where)
    if before and token == "%":
        raise ParseError("a percent sign after something that is not a number", text, where, hint="divide by 100")
    raise ParseError(f"unexpected character {token!r}", text, where)


class Piece(NamedTuple):
    """A piece of written text."""

    text: str
    level: int  # how tightly it binds


def spelling(value: Fraction, text: str | None) -> Piece:
    """A number as it was written, or else as `number_text` writes it."""
    if value < 0:
        return Piece(number_text(value), SUM)
    return Piece(text or number_text(value), ATOM)


def infix_text(expr: Expr) -> str:
    """Infix text; the nodes below keep theirs, because enumerated expressions share most of their blocks."""
    return _INFIX[type(expr)](expr, _write_below)[0]


def _write_below(node: Expr) -> Written:
    """The text of a node that has none yet, and of all those below it; no recursion, because trees may be deep."""
    try:
        written = _INFIX[type(node)](node, _refuse_below)
    except AttributeError:
        for below in upwards_without(node, "_infix"):
            set_infix(below, _INFIX[type(below)](below, _refuse_below))
        return node._infix
    set_infix(node, written)
    return written


def _refuse_below(node: Expr) -> Written:
    raise AttributeError(f"{type(node).__name__} without text")


def _infix_sum(node: Sum, below: Below) -> Written:
    out = ""
    for sign, child in node.terms:
        try:
            text, level = child._infix
        except AttributeError:
            text, level = below(child)
        if level == SUM:
            text = f"({text})"
        out += f"-{text}" if sign < 0 else f"+{text}" if out else text
    return out, SUM


def _infix_product(node: Product, below: Below) -> Written:
    out = ""
    for exponent, child in multiplied_first(node.factors):
        try:
            text, level = child._infix
        except AttributeError:
            text, level = below(child)
        if level == SUM:
            text = f"({text})"
        elif level == PRODUCT:
            text = _bracketed(text)
        out += f"/{text}" if exponent < 0 else f"*{text}" if out else text
    return out, PRODUCT


def _infix_power(node: Power, below: Below) -> Written:
    try:
        text, level = node.base._infix
    except AttributeError:
        text, level = below(node.base)
    return f"{text if level > POWER else _bracketed(text)}^{node.exponent}", POWER


def _bracketed(text: str) -> str:
    # (1/6) would be read as one number, so a division of two whole numbers gets square brackets.
    return f"[{text}]" if text[0].isdigit() and _INTEGER_RATIO.fullmatch(text) else f"({text})"


_INFIX: dict[type[Expr], Callable[[Any, Below], Written]] = {
    Operand: lambda node, below: (node.name, ATOM),
    Number: lambda node, below: spelling(node.value, node.text),
    Sum: _infix_sum,
    Product: _infix_product,
    Power: _infix_power,
}
