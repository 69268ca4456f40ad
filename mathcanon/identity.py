"""Identities of leaves: strings that compare and sort them.  Those of larger nodes contain them (`Expr.identity`)."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

__all__ = ["LEAF_END", "number_identity", "operand_identity"]

LEAF_END = "\0"  # sorts below every character of a leaf, so a block sorts right after its smallest leaf
_DIGITS = re.compile(r"[0-9]+")


@lru_cache(maxsize=4096)
def operand_identity(name: str) -> str:
    """The name, each run of digits prefixed with its length, so that N2 sorts before N10."""
    return _DIGITS.sub(lambda run: _led_by_length(run[0]), name)


def _led_by_length(digits: str) -> str:
    """Digits prefixed with their length.  The prefix is never a bracket, an operator or `LEAF_END`.

    A length below 32 is one control character; a larger one is a blank, which sorts after those, and its digits.
    """
    length = len(digits)
    return (chr(length) if length < 32 else " " + _led_by_length(str(length))) + digits


def number_identity(value: Fraction) -> str:
    """Begins with `~`, so that numbers sort after names; they sort by value up to 12 digits after the point."""
    if value.numerator < 0:  # comparing Fractions would take longer than all the rest
        return "~-" + number_identity(-value)[1:]
    whole, rest = divmod(value.numerator, value.denominator)
    digits = f"{Decimal(whole):f}"  # str() refuses integers of more than 4,300 digits
    if not rest:
        return f"~{len(digits):06}{digits}"
    return f"~{len(digits):06}{digits}.{rest * 10**12 // value.denominator:012}:{rest:x}:{value.denominator:x}"
