"""Expressions: immutable, series-reduced nodes.

A node is an `Operand`, a `Number`, a `Sum` of signed terms, a `Product` of factors with exponent
+1 or -1, or a `Power` with an integer exponent.  A sum of one negative term is unary minus.

Identity is one string per node (`Expr.identity`).  It is led by the smallest leaf, so that comparing
strings sorts blocks by their smallest operand; hash, equality and order all come from it, none recurses.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from .errors import LimitError, ParseError
from .identity import LEAF_END, number_identity, operand_identity

if TYPE_CHECKING:
    import networkx
    import sympy

__all__ = ["MAX_DEPTH", "MAX_EXPONENT", "MAX_SIZE", "Expr", "ExprLike", "Number", "Operand", "Power", "Product", "Sum"]

MAX_DEPTH = 1_000
MAX_SIZE = 1_000_000
MAX_EXPONENT = 10_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: What functions accept as an expression.
ExprLike: TypeAlias = Union["Expr", str, int, Fraction, Decimal, "sympy.Basic"]


class _Later:
    """Functions of later layers that expressions call; `conversions` puts them here when the package is imported."""

    parse: Callable[[str], Expr]
    parse_with: Callable[..., Any]
    infix_text: Callable[[Expr], str]
    render: Callable[[Expr, str], str]
    evaluate: Callable[[Expr, Mapping[str, Any]], Fraction]
    from_sympy: Callable[[sympy.Basic], Expr]
    to_sympy: Callable[[Expr], sympy.Expr]
    to_networkx: Callable[[Expr], networkx.DiGraph]
    pickled: Callable[[Expr], tuple[Callable[..., Expr], tuple[Any, ...]]]
    small_svg: Callable[[Expr], str | None]
    small_html: Callable[[Expr], str | None]


later = _Later()


class Expr:
    """An arithmetic expression.  Build one with `parse`, or from the node classes.

    Equal means written alike (same nodes in the same order); whether two expressions *mean* the same
    is asked with `equivalent`, and `canonical` maps all ways of writing to one.

    >>> Operand("a") + 2 * Operand("b")
    Expr('a+2*b')
    """

    __slots__ = ("__weakref__", "_identity", "_infix", "_measure", "_opposite")
    # Computed on first use, then kept:
    _identity: str
    _measure: tuple[int, int]  # depth and size
    _infix: tuple[str, int]  # text and how tightly it binds
    _opposite: Expr  # of a sum: the sum with all signs changed

    @property
    def identity(self) -> str:
        """The string that hash, equality and order are based on; not meant for reading."""
        try:
            return self._identity
        except AttributeError:
            for node in upwards_without(self, "_identity"):
                smallest = min([child._identity for child in node.children])
                set_identity(node, smallest.partition(LEAF_END)[0] + LEAF_END + node._inner_identity())
            return self._identity

    def _inner_identity(self) -> str:
        """How the node is made, from the identities of its children."""
        raise TypeError("the identity of a leaf is set when it is made")

    @property
    def depth(self) -> int:
        """Number of nodes on the longest path from the root to a leaf."""
        return self._measured()[0]

    @property
    def size(self) -> int:
        """Number of nodes of the tree."""
        return self._measured()[1]

    def _measured(self) -> tuple[int, int]:
        try:
            return self._measure
        except AttributeError:
            for node in upwards_without(self, "_measure"):
                _set_measure(node, _measure(node))
            return self._measure

    @property
    def children(self) -> tuple[Expr, ...]:
        """The nodes directly below this one."""
        return ()

    def leaves(self) -> Iterator[Operand | Number]:
        """Each operand and number, from left to right, repeated ones too.

        >>> from mathcanon import parse
        >>> [str(leaf) for leaf in parse("a*(b+2)/a").leaves()]
        ['a', 'b', '2', 'a']
        """
        stack: list[Expr] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, Operand | Number):
                yield node
            else:
                stack.extend(reversed(node.children))

    def operands(self) -> tuple[str, ...]:
        """The names of the operands, each once, in canonical order (`N2` before `N10`)."""
        names = {leaf.name for leaf in self.leaves() if isinstance(leaf, Operand)}
        return tuple(sorted(names, key=operand_identity))

    def evaluate(self, values: Mapping[str, Any]) -> Fraction:
        """The exact value with these operand values (int, Fraction, or text such as "0.5" or "40%").

        >>> from mathcanon import parse
        >>> parse("a/b").evaluate({"a": 1, "b": 3})
        Fraction(1, 3)
        """
        return later.evaluate(self, values)

    def to_latex(self) -> str:
        r"""LaTeX text, such as ``\frac{a}{b}``."""
        return later.render(self, "latex")

    def to_dot(self) -> str:
        """Graphviz text of the tree."""
        return later.render(self, "dot")

    def to_sympy(self) -> sympy.Expr:
        """The same expression in SymPy, unevaluated where SymPy can keep it so."""
        return later.to_sympy(self)

    def to_networkx(self) -> networkx.DiGraph:
        """The tree as a DiGraph that keeps operators and order."""
        return later.to_networkx(self)

    def __str__(self) -> str:
        return later.infix_text(self)

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

    def _repr_svg_(self) -> str | None:
        """The picture of the tree that notebooks show; None, which makes them show `repr`, if it would be large."""
        return later.small_svg(self)

    def _repr_html_(self) -> str | None:
        """The same with the expression as its caption."""
        return later.small_html(self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Expr) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __lt__(self, other: Expr) -> bool:
        return self.identity < other.identity if isinstance(other, Expr) else NotImplemented

    def __le__(self, other: Expr) -> bool:
        return self.identity <= other.identity if isinstance(other, Expr) else NotImplemented

    def __gt__(self, other: Expr) -> bool:
        return self.identity > other.identity if isinstance(other, Expr) else NotImplemented

    def __ge__(self, other: Expr) -> bool:
        return self.identity >= other.identity if isinstance(other, Expr) else NotImplemented

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an expression is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an expression is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        return later.pickled(self)

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expr:
        return self

    def __add__(self, other: object) -> Expr:
        return Sum(((1, self), (1, as_expr(other))))

    def __radd__(self, other: object) -> Expr:
        return Sum(((1, as_expr(other)), (1, self)))

    def __sub__(self, other: object) -> Expr:
        return Sum(((1, self), (-1, as_expr(other))))

    def __rsub__(self, other: object) -> Expr:
        return Sum(((1, as_expr(other)), (-1, self)))

    def __mul__(self, other: object) -> Expr:
        return Product(((1, self), (1, as_expr(other))))

    def __rmul__(self, other: object) -> Expr:
        return Product(((1, as_expr(other)), (1, self)))

    def __truediv__(self, other: object) -> Expr:
        return Product(((1, self), (-1, as_expr(other))))

    def __rtruediv__(self, other: object) -> Expr:
        return Product(((1, as_expr(other)), (-1, self)))

    def __pow__(self, exponent: int) -> Expr:
        return Power(self, exponent)

    def __neg__(self) -> Expr:
        return Sum(((-1, self),))


class Operand(Expr):
    """A named variable or quantity: `a`, `N0`, `temp_a`, `pi`."""

    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ParseError("not an operand name", str(name), 0, hint="letters, digits and _, no digit first")
        _set_name(self, name)
        set_identity(self, operand_identity(name))


class Number(Expr):
    """An exact number; `text` keeps how it was written (`40%`, `(1/6)`) and does not take part in equality."""

    __slots__ = ("text", "value")
    __match_args__ = ("value",)
    value: Fraction
    text: str | None

    def __init__(self, value: int | str | Fraction) -> None:
        value = Fraction(value)
        _set_value(self, value)
        _set_text(self, None)
        set_identity(self, number_identity(value))


class Sum(Expr):
    """Signed terms: `Sum(((1, a), (-1, b)))` is a-b."""

    __slots__ = ("terms",)
    __match_args__ = ("terms",)
    terms: tuple[tuple[int, Expr], ...]

    def __init__(self, terms: Iterable[tuple[int, Expr]]) -> None:
        _set_terms(self, _marked(terms, "a sign"))
        if self.terms[0][0] > 0 and len(self.terms) == 1:
            raise ValueError("a sum of one positive term is the term itself")
        _check_measure(self)

    @property
    def children(self) -> tuple[Expr, ...]:
        return tuple([child for _, child in self.terms])

    def _inner_identity(self) -> str:
        return "(" + "".join([("+" if mark > 0 else "-") + child._identity for mark, child in self.terms]) + ")"


class Product(Expr):
    """Factors with exponent +1 or -1: `Product(((1, a), (-1, b)))` is a/b."""

    __slots__ = ("factors",)
    __match_args__ = ("factors",)
    factors: tuple[tuple[int, Expr], ...]

    def __init__(self, factors: Iterable[tuple[int, Expr]]) -> None:
        _set_factors(self, _marked(factors, "an exponent"))
        if len(self.factors) == 1 or all(mark < 0 for mark, _ in self.factors):
            raise ValueError("a product needs two factors or more, and not all of them divisors")
        _check_measure(self)

    @property
    def children(self) -> tuple[Expr, ...]:
        return tuple([child for _, child in self.factors])

    def _inner_identity(self) -> str:
        return "[" + "".join([("*" if mark > 0 else "/") + child._identity for mark, child in self.factors]) + "]"


class Power(Expr):
    """`base` to the integer `exponent`."""

    __slots__ = ("base", "exponent")
    __match_args__ = ("base", "exponent")
    base: Expr
    exponent: int

    def __init__(self, base: Expr, exponent: int) -> None:
        if not isinstance(base, Expr) or not isinstance(exponent, int):
            raise TypeError("a power is made of an expression and an integer")
        check_exponent(exponent)
        _set_base(self, base)
        _set_exponent(self, int(exponent))
        _check_measure(self)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.base,)

    def _inner_identity(self) -> str:
        return f"{{{self.base._identity}^{self.exponent}}}"


def upwards(expr: Expr) -> Iterator[Expr]:
    """Every node, each after those below it."""
    order: list[Expr] = []
    stack = [expr]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(node.children)
    return reversed(order)


def upwards_without(expr: Expr, slot: str) -> Iterator[Expr]:
    """The nodes whose `slot` is not computed yet, each after those below it."""
    order: list[Expr] = []
    stack = [expr]
    while stack:
        node = stack.pop()
        if not hasattr(node, slot):
            order.append(node)
            stack.extend(node.children)
    return reversed(order)


# Nodes built by the package itself skip the checks of the constructors: their parts are known to be valid.
_new = object.__new__


def _setter(node: type[Expr], slot: str) -> Callable[[Expr, Any], None]:
    setter: Callable[[Expr, Any], None] = vars(node)[slot].__set__  # bypasses the __setattr__ that refuses
    return setter


set_identity, set_infix, set_opposite, _set_measure = (
    _setter(Expr, slot) for slot in ("_identity", "_infix", "_opposite", "_measure")
)
_set_name, _set_value, _set_text = _setter(Operand, "name"), _setter(Number, "value"), _setter(Number, "text")
_set_terms, _set_factors = _setter(Sum, "terms"), _setter(Product, "factors")
_set_base, _set_exponent = _setter(Power, "base"), _setter(Power, "exponent")


@lru_cache(maxsize=4096)
def make_operand(name: str) -> Operand:
    """The operand of this name, which must be a legal one."""
    node = _new(Operand)
    _set_name(node, name)
    set_identity(node, operand_identity(name))
    return node


def make_number(value: Fraction, text: str | None = None) -> Number:
    """A number with its spelling, which must be a spelling of this value."""
    node = _new(Number)
    _set_value(node, value)
    _set_text(node, text)
    set_identity(node, number_identity(value))
    return node


def make_sum(terms: Iterable[tuple[int, Expr]]) -> Sum:
    node = _new(Sum)
    _set_terms(node, tuple(terms))
    return node


def make_product(factors: Iterable[tuple[int, Expr]]) -> Product:
    node = _new(Product)
    _set_factors(node, tuple(factors))
    return node


def make_power(base: Expr, exponent: int) -> Power:
    node = _new(Power)
    _set_base(node, base)
    _set_exponent(node, exponent)
    return node


def as_expr(x: object) -> Expr:
    """An expression from an expression, text, an exact number or a SymPy expression."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, str):
        return later.parse(x)
    if isinstance(x, int | Fraction | Decimal) and not isinstance(x, bool):
        if isinstance(x, Decimal) and not x.is_finite():
            raise TypeError(f"not a number: {x!r}")
        return Number(Fraction(x))
    sympy = sys.modules.get("sympy")  # a SymPy expression can only exist if SymPy is loaded
    if sympy is not None and isinstance(x, sympy.Basic):
        return later.from_sympy(x)
    raise TypeError(
        f"an expression is given as text, Expr, int, Fraction, Decimal or SymPy expression, not as {type(x).__name__}"
    )


def check_exponent(exponent: int) -> None:
    if abs(exponent) > MAX_EXPONENT:
        raise LimitError("the exponent", exponent, MAX_EXPONENT)


def _marked(parts: Iterable[tuple[int, Expr]], what: str) -> tuple[tuple[int, Expr], ...]:
    parts = tuple(parts)
    for mark, child in parts:
        if mark not in (1, -1) or not isinstance(child, Expr):
            raise TypeError(f"expected pairs of {what} (1 or -1) and an expression, got {(mark, child)!r}")
    if not parts:
        raise ValueError("a sum or product needs at least one part")
    return parts


def _measure(node: Expr) -> tuple[int, int]:
    below = [child._measured() for child in node.children]
    return 1 + max([depth for depth, _ in below], default=0), 1 + sum([size for _, size in below])


def _check_measure(node: Expr) -> None:
    depth, size = _measure(node)
    if depth > MAX_DEPTH:
        raise LimitError("the depth of the expression", depth, MAX_DEPTH)
    if size > MAX_SIZE:
        raise LimitError("the number of nodes", size, MAX_SIZE)
    _set_measure(node, (depth, size))
