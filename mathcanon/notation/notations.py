r"""The one table of notations, each with its reader and its writer, and the functions that use it.

Infix keeps the tree, so `parse(render(e)) == e` for every parsed `e`; the other notations give back the same canonical
form.  A new notation is one file with a reader and a writer, and one line in `NOTATIONS`: `parse(syntax=)`,
`render(format=)`, the choices of the command line and the tables of the documentation come from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from ..algebra import TREE, Algebra
from ..errors import ArgumentError, LimitError, ParseError
from ..expr import Expr, ExprLike, as_expr
from ..values import evaluate
from .dot import dot_text, read_dot
from .infix import infix_text, read_infix
from .latex import is_latex, latex_text, read_latex
from .pasted import to_ascii
from .polish import postfix_text, prefix_text, read_postfix, read_prefix
from .skeleton import read_skeleton, skeleton_text
from .tree_json import json_text, read_json

__all__ = [
    "FORMATS",
    "MAX_LENGTH",
    "NOTATIONS",
    "SYNTAXES",
    "Notation",
    "parse",
    "parse_equation",
    "parse_number",
    "parse_with",
    "render",
]

MAX_LENGTH = 1_000_000

T = TypeVar("T")


class Notation(NamedTuple):
    """A way of writing expressions: what reads its text into an algebra, and what writes an expression in it."""

    read: Callable[[str, Algebra[Any]], Any]
    write: Callable[[Expr], str]


NOTATIONS = {
    "infix": Notation(read_infix, infix_text),
    "latex": Notation(read_latex, latex_text),
    "prefix": Notation(read_prefix, prefix_text),
    "postfix": Notation(read_postfix, postfix_text),
    "skeleton": Notation(read_skeleton, skeleton_text),
    "dot": Notation(read_dot, dot_text),
    "json": Notation(read_json, json_text),
}
FORMATS = tuple(NOTATIONS)
SYNTAXES = ("auto", *NOTATIONS)


def parse(text: str, syntax: str = "auto") -> Expr:
    r"""The expression that `text` writes, as written: nothing is sorted, folded or flattened.

    Parameters
    ----------
    text
        At most 1,000,000 characters.
    syntax
        "infix", "latex", "prefix", "postfix", "skeleton", "dot", "json" or "auto", which takes infix and LaTeX, and
        prefix or postfix where the text can be nothing else.

    Returns
    -------
    Expr
        Immutable and hashable; `str` of it reads back as the same expression.

    Raises
    ------
    ParseError
        If the text is not an expression; its `pointed()` shows a caret under the offending character.
    LimitError
        If the text is too long, too deep, or has a number or exponent that is too large.
    ValueError
        If the syntax is unknown.

    Notes
    -----
    One pass over the text, without recursion: the cost is linear in its length.

    Examples
    --------
    >>> parse("150×2 − 50")
    Expr('150*2-50')
    >>> parse(r"\frac{a}{b+1}"), parse("- * a 2 b"), parse("a b +")
    (Expr('a/(b+1)'), Expr('a*2-b'), Expr('a+b'))
    """
    return parse_with(text, TREE, syntax)


def parse_equation(text: str) -> Expr:
    """The expression of an equation in one unknown: `x=a+b`, `a+b = X`, or the bare expression.

    Parameters
    ----------
    text
        An equation or expression, in any notation that `parse` reads.

    Returns
    -------
    Expr
        The side without the unknown.

    Raises
    ------
    ParseError, LimitError
        As `parse` does.

    Notes
    -----
    The cost is linear in the length of the text.

    Examples
    --------
    >>> parse_equation("x=(11-1)*2")
    Expr('(11-1)*2')
    """
    clean = to_ascii(text)
    for unknown in (r"\s*[A-Za-z]\s*=(?!=)", r"=\s*[A-Za-z?]?\s*$"):
        found = re.match(unknown, clean) or (unknown.endswith("$") and re.search(unknown, clean))
        if found:
            blanks = " " * (found.end() - found.start())  # keeps positions, so that the caret is in the right place
            return parse(clean[: found.start()] + blanks + clean[found.end() :])
    return parse(text)


def parse_number(text: str) -> Fraction:
    """The exact value of a number as people write it: `12`, `0.5`, `40%`, `(1/6)`, `3(1/2)`, `-2`.

    Parameters
    ----------
    text
        The number, possibly with a sign.

    Returns
    -------
    Fraction
        The value, in lowest terms.

    Raises
    ------
    ParseError, LimitError
        If the text can't be read, as in `parse`.
    EvaluationError
        If it contains an operand or divides by zero.

    Notes
    -----
    The cost is that of converting the digits, of which there are at most 1,000.

    Examples
    --------
    >>> parse_number("40%"), parse_number("3(1/2)"), parse_number("1/6")
    (Fraction(2, 5), Fraction(7, 2), Fraction(1, 6))
    """
    return evaluate(parse(text), {})


def parse_with(text: str, algebra: Algebra[T], syntax: str = "auto") -> T:
    """What `algebra` makes of `text`."""
    if not isinstance(text, str):
        raise TypeError(f"an expression is given as text or Expr, not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise LimitError("the length of the text", len(text), MAX_LENGTH)
    try:
        read: Callable[[str, Algebra[T]], T] = _read_auto if syntax == "auto" else NOTATIONS[syntax].read
    except KeyError:
        raise ValueError(f"unknown syntax {syntax!r}; one of {', '.join(SYNTAXES)}") from None
    return read(text, algebra)


def _read_auto(text: str, algebra: Algebra[T]) -> T:
    stripped = text.strip()
    if is_latex(stripped):
        return read_latex(text, algebra)
    if stripped:
        if stripped[0] in "+*/^~" and stripped[1:2].isspace():
            return read_prefix(text, algebra)
        if stripped[-1] in "+-*/^~" and any(map(str.isspace, stripped)):
            return read_postfix(text, algebra)
        if stripped[0] == "-" and stripped[1:2].isspace():
            try:
                return read_infix(text, algebra)
            except ParseError:
                try:
                    return read_prefix(text, algebra)
                except ParseError:
                    pass
    return read_infix(text, algebra)


def render(expr: ExprLike, format: str = "infix") -> str:
    r"""An expression as text.

    Parameters
    ----------
    expr
        An expression or text.
    format
        "infix", "latex", "prefix", "postfix", "skeleton", "dot" or "json".

    Returns
    -------
    str
        Several lines for "dot", one for every other format.

    Raises
    ------
    ArgumentError
        If the format is unknown.

    Notes
    -----
    `parse(render(e)) == e` for every parsed `e` in infix; the other notations give back the same canonical form.

    Examples
    --------
    >>> from mathcanon import parse
    >>> e = parse("a*(b-c)/2")
    >>> [render(e, format) for format in ("infix", "latex", "prefix", "postfix", "skeleton")]
    ['a*(b-c)/2', '\\frac{a \\times \\left(b-c\\right)}{2}', '/ * a - b c 2', 'a b c - * 2 /', '(a(b&c)&[2])']
    """
    try:
        write = NOTATIONS[format].write
    except KeyError:
        raise ArgumentError(f"unknown format {format!r}; one of {', '.join(FORMATS)}") from None
    return write(as_expr(expr))
