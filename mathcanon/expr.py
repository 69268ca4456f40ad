"""Expressions: immutable, series-reduced nodes.

A node is an `Operand`, a `Number`, a `Sum` of signed terms, a `Product` of factors with exponent
+1 or -1, or a `Power` with an integer exponent.  A sum of one negative term is unary minus.

Identity is one string per node (`Expr.identity`).  It is led by the smallest leaf, so that comparing
strings sorts blocks by their smallest operand; hash, equality and order all come from it, none recurses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from .errors import LimitError, ParseError

if TYPE_CHECKING:
    import networkx
    import sympy

__all__ = ["MAX_DEPTH", "MAX_EXPONENT", "MAX_SIZE", "Expr", "Number", "Operand", "Power", "Product", "Sum"]

MAX_DEPTH = 1_000
MAX_SIZE = 1_000_000
MAX_EXPONENT = 10_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGITS = re.compile(r"[0-9]+")
LEAF_END = "\0"  # sorts below every character of a leaf, so a block sorts right after its smallest leaf


class Expr:
    """An arithmetic expression.  Build one with `parse`, or from the node classes.

    Equal means written alike (same nodes in the same order); whether two expressions *mean* the same
    is asked with `equivalent`, and `canonical` maps all ways of writing to one.

    >>> Operand("a") + 2 * Operand("b")
    Expr('a+2*b')
    """

    __slots__ = ("__weakref__", "_identity", "_infix", "_measure", "_opposite")
    # Worked out when first asked for, then kept:
    _identity: str
    _measure: tuple[int, int]  # depth and size
    _infix: tuple[str, int]  # text and how tightly it binds
    _opposite: Expr  # of a sum: the sum turned round

    @property
    def identity(self) -> str:
        """The string that hash, equality and order are made of; not meant for reading."""
        try:
            return self._identity
        except AttributeError:
            for node in upwards_without(self, "_identity"):
                smallest = min([child._identity for child in node.children])
                set_identity(node, smallest.partition(LEAF_END)[0] + LEAF_END + node._inner_identity())
            return self._identity

    def _inner_identity(self) -> str:
        """How the node is made, from the identities of its children."""
        raise TypeError("a leaf has its identity from the beginning")

    @property
    def depth(self) -> int:
        """Nodes on the longest way from the root to a leaf."""
        return self._measured()[0]

    @property
    def size(self) -> int:
        """How many nodes the tree has."""
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
        return tuple(sorted(names, key=_operand_identity))

    def evaluate(self, values: Mapping[str, Any]) -> Fraction:
        """The exact value with these operand values (int, Fraction, or text such as "0.5" or "40%").

        >>> from mathcanon import parse
        >>> parse("a/b").evaluate({"a": 1, "b": 3})
        Fraction(1, 3)
        """
        from .evaluate import evaluate

        return evaluate(self, values)

    def to_latex(self) -> str:
        r"""LaTeX text, such as ``\frac{a}{b}``."""
        from .render import render

        return render(self, "latex")

    def to_dot(self) -> str:
        """Graphviz text of the tree."""
        from .render import render

        return render(self, "dot")

    def to_sympy(self) -> sympy.Expr:
        """The same expression in SymPy, unevaluated where SymPy can keep it so."""
        from .interop import to_sympy

        return to_sympy(self)

    def to_networkx(self) -> networkx.DiGraph:
        """The tree as a DiGraph that keeps operators and order."""
        from .interop import to_networkx

        return to_networkx(self)

    def __str__(self) -> str:
        return _infix_writer()(self)

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

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

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[tuple[Any, ...]]]:
        from ._pickling import flatten, rebuild

        return rebuild, (flatten(self),)

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
        set_identity(self, _operand_identity(name))


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
        set_identity(self, _number_identity(value))


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
    """The nodes for which `slot` is not worked out yet, each after those below it."""
    order: list[Expr] = []
    stack = [expr]
    while stack:
        node = stack.pop()
        if not hasattr(node, slot):
            order.append(node)
            stack.extend(node.children)
    return reversed(order)


# Nodes built by the package itself skip the checks of the constructors: their parts are known to be sound.
_new = object.__new__


def _setter(node: type[Expr], slot: str) -> Callable[[Expr, Any], None]:
    setter: Callable[[Expr, Any], None] = vars(node)[slot].__set__  # goes past the __setattr__ that refuses
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
    set_identity(node, _operand_identity(name))
    return node


def make_number(value: Fraction, text: str | None = None) -> Number:
    """A number with its spelling, which must be a spelling of this value."""
    node = Number(value)
    _set_text(node, text)
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


@cache
def _infix_writer() -> Callable[[Expr], str]:
    from .render import infix_text  # once: an import statement takes a microsecond even if there is nothing to do

    return infix_text


def as_expr(x: object) -> Expr:
    """An expression from an expression, a number, or text."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, str):
        from .parse import parse

        return parse(x)
    if isinstance(x, int | Fraction) and not isinstance(x, bool):
        return Number(x)
    raise TypeError(f"not an expression, a text or an exact number: {x!r}")


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


@lru_cache(maxsize=4096)
def _operand_identity(name: str) -> str:
    """The name, its digit runs led by their length, so that N2 sorts before N10."""
    return _DIGITS.sub(lambda run: chr(len(run[0])) + run[0], name)


def _number_identity(value: Fraction) -> str:
    """Led by `~`, so that numbers sort after names; then by value as far as 12 digits after the point."""
    if value < 0:
        return "~-" + _number_identity(-value)[1:]
    whole, rest = divmod(value.numerator, value.denominator)
    digits = f"{Decimal(whole):f}"  # str() refuses integers of more than 4,300 digits
    if not rest:
        return f"~{len(digits):06}{digits}"
    return f"~{len(digits):06}{digits}.{rest * 10**12 // value.denominator:012}:{rest:x}:{value.denominator:x}"
