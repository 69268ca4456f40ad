"""Short digests of the meaning of an expression, for storing, joining and grouping.

They are the same in every process, on every machine and with every version of Python, so that tables of different
machines can be compared.  By structure, the digest is that of the canonical form; by value, that of the one normal form
of the rational function, which takes four to five times as long.
"""

from __future__ import annotations

import hashlib

from .canonical_form import structure
from .equality.fingerprints import ZeroDivisor
from .equality.normal_form import normal_form
from .errors import ArgumentError
from .expr import ExprLike

__all__ = ["BY", "key"]

BY = ("structure", "value")


def key(expr: ExprLike, by: str = "structure") -> str:
    """24 hexadecimal digits, equal for equal meanings; different meanings collide with probability 2^-96 per pair.

    Keys are the same in every process and on every machine.

    Parameters
    ----------
    expr
        An expression or text.
    by
        By "structure", expressions have the same key if they have the same canonical form.  By "value", they have the
        same key if they are equal as rational functions, as `equivalent` says: names of operands matter, operands that
        cancel do not.  An expression that divides by something identically zero equals no other; its key by value is
        shared only with such expressions of the same canonical form.

    Returns
    -------
    str
        24 hexadecimal digits.

    Raises
    ------
    ParseError
        If a text can't be read.
    LimitError
        By value, if the polynomials are too large (several thousand terms, or degrees above 200).
    ArgumentError
        If `by` is neither.

    Notes
    -----
    By structure, the cost is that of `canonical` and of one SHA-256 of its text.  By value, the expression is expanded
    to a quotient of polynomials in lowest terms, which takes four to five times as long on usual expressions, and up to
    exponentially long, within limits, if operands repeat.

    Examples
    --------
    >>> key("a+b") == key("b+a")
    True
    >>> key("a*(b+c)") == key("a*b+a*c"), key("a*(b+c)", by="value") == key("a*b+a*c", by="value")
    (False, True)
    """
    if by == "structure":
        return _digest(structure(expr))
    if by != "value":
        raise ArgumentError(f"unknown way to compare {by!r}; one of {', '.join(BY)}")
    try:
        return _digest(f"value {normal_form(expr)}")
    except ZeroDivisor:
        return _digest(f"undefined {structure(expr)}")


def _digest(meaning: str) -> str:
    return hashlib.blake2b(meaning.encode(), digest_size=12).hexdigest()
