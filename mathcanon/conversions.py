"""Connects the methods of `Expr` to later layers: reading, writing, evaluating, converting, drawing and
pickling.

Inside the package, imports point one way, and `expr` comes first, so it can't import the functions that its methods
call.  They are registered here when the package is imported.
"""

from __future__ import annotations

from .drawing import small_html, small_svg
from .expr import later
from .interop import from_sympy, to_networkx, to_sympy
from .notation.infix import infix_text
from .notation.notations import parse, parse_with, render
from .pickling import pickled
from .values import evaluate

__all__ = ["bind"]


def bind() -> None:
    """Give `Expr` the functions of later layers that its methods call."""
    later.parse, later.parse_with = parse, parse_with
    later.infix_text, later.render = infix_text, render
    later.evaluate = evaluate
    later.from_sympy, later.to_sympy, later.to_networkx = from_sympy, to_sympy, to_networkx
    later.pickled = pickled
    later.small_svg, later.small_html = small_svg, small_html
