"""The normal form: one tree for all ways of writing the same read-once expression.

An expression is a sign times a *class*.  The blocks of a sum are operands or products, each with a sign,
up to a common sign; the blocks of a product are operands or sums up to sign, each with exponent +1 or -1.
In a class the block of the smallest operand has sign +, and blocks are sorted: first what is added (or
multiplied), then what is subtracted (or divided), each part by its smallest leaf.  The paper's skeleton
`ab&c` is this form.  While each operand occurs once, equal canonical forms and equal rational functions are
the same thing (docs/proofs.md); with repeated operands or numbers, equal forms still imply equal functions.

Numbers are operands like any other: nothing is folded, cancelled or expanded.  Cost: one sort a node.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from .algebra import Algebra, apply
from .compiled import core
from .expr import (
    Expr,
    ExprLike,
    Number,
    Product,
    Sum,
    check_exponent,
    make_operand,
    make_power,
    make_product,
    make_sum,
    set_identity,
    set_opposite,
)
from .identity import LEAF_END

__all__ = ["canonical", "signed_class"]

_OPERAND, NUMBER, _POWER, SUM, PRODUCT = range(5)


class Form(NamedTuple):
    """A sign and a class, as light as can be: most forms are compared by `identity` and never become a tree."""

    identity: str  # of the class, equal to `Expr.identity` of its tree
    sign: int  # 0 if the class is its own opposite, as that of a-a is
    kind: int
    parts: Any  # blocks added or multiplied (sorted); the name, the number, or the base of a power
    others: Any  # blocks subtracted or divided (sorted); the exponent of a power


def canonical(expr: ExprLike) -> Expr:
    """The canonical form of an expression or text.

    Numbers are operands like any other: nothing is folded, cancelled or expanded.

    Parameters
    ----------
    expr
        An expression or text.

    Returns
    -------
    Expr
        Equal for expressions that differ only in order, brackets and the place of signs.  While each operand occurs
        once, forms are equal exactly where the rational functions are.

    Raises
    ------
    ParseError, LimitError
        If a text can't be read, as in `parse`.

    Notes
    -----
    The cost is one sort for each node.

    Examples
    --------
    >>> canonical("a-(b-c)")
    Expr('a+c-b')
    >>> canonical("a-(b-c)") == canonical("c-b+a")
    True
    >>> canonical("(b-a)*(d-c)")
    Expr('(a-b)*(c-d)')
    """
    return as_tree(*signed_class(expr))


def signed_class(expr: ExprLike) -> tuple[int, Expr]:
    """The sign and the class of an expression; the class of `b-a` is `a-b`.

    Parameters
    ----------
    expr
        An expression or text.

    Returns
    -------
    tuple
        1 or -1, and the class; their product is the expression.  The sign is 1 where the class is its own opposite.

    Notes
    -----
    The cost is one sort for each node.

    Examples
    --------
    >>> signed_class("b-a")
    (-1, Expr('a-b'))
    """
    form = canonical_form(expr)
    return (-1 if form.sign < 0 else 1), _tree(form)


def structure(expr: ExprLike) -> str:
    """The sign and the identity of the class: equal for equal canonical forms, and only for those."""
    if core is not None and isinstance(expr, str):
        found: str | None = core.form(expr)
        if found is not None:
            return found
    form = apply(CANONICAL, expr)
    return f"{form[1]}{form[0]}"


def canonical_form(expr: ExprLike) -> Form:
    """Sign and class of an expression as a `Form`, without building a tree."""
    return Form._make(apply(CANONICAL, expr))


def is_polar(node: Expr) -> bool:
    """Whether a subtraction occurs anywhere, so that the opposite can be written with binary operators alone.

    >>> [is_polar(canonical(text)) for text in ("a*(b-c)", "a+b/c")]
    [True, False]
    """
    stack = [node]
    while stack:
        node = stack.pop()
        if type(node) is Sum:
            for sign, child in node.terms:
                if sign < 0:
                    return True
                stack.append(child)
        else:
            stack.extend(node.children)
    return False


#: The algebra works on plain tuples with the fields of `Form`: making a NamedTuple costs five times as much.
Plain = tuple[str, int, int, Any, Any]
_identity, _sign = itemgetter(0), itemgetter(1)


def _sum(terms: list[tuple[int, Plain]]) -> Plain:
    if len(terms) == 2:  # most sums: the same as below, in half the time
        (sign, one), (mark, other) = terms
        first, second = one[0], other[0]
        if one[2] != SUM and other[2] != SUM and one[1] and other[1] and first != second:
            if first > second:
                sign, one, first, mark, other, second = mark, other, second, sign, one, first
            sign *= one[1]
            if sign == mark * other[1]:
                return f"{_leaf_of(first)}{LEAF_END}(+{first}+{second})", sign, SUM, [one, other], []
            return f"{_leaf_of(first)}{LEAF_END}(+{first}-{second})", sign, SUM, [one], [other]
    added: list[Plain] = []
    subtracted: list[Plain] = []
    for mark, part in terms:
        _, sign, kind, plus, minus = part
        if kind == SUM:
            if mark == sign:
                added += plus
                subtracted += minus
            else:
                added += minus
                subtracted += plus
        elif mark == sign:
            added.append(part)
        else:
            subtracted.append(part)
    if len(added) + len(subtracted) == 1:  # unary minus
        identity, sign, kind, plus, minus = added[0] if added else subtracted[0]
        return identity, sign and (1 if added else -1), kind, plus, minus
    if subtracted and not all(map(_sign, subtracted)):
        added += [part for part in subtracted if not part[1]]
        subtracted = [part for part in subtracted if part[1]]
    if len(added) > 1:
        added.sort(key=_identity)
    if not subtracted:
        identities = "+".join(map(_identity, added))
        sign = 1 if any(map(_sign, added)) else 0
        return f"{_leaf_of(added[0][0])}{LEAF_END}(+{identities})", sign, SUM, added, subtracted
    if len(subtracted) > 1:
        subtracted.sort(key=_identity)
    sign = _orientation(added, subtracted)
    if sign < 0:
        fixed = [part for part in added if not part[1]]
        if fixed:
            added, subtracted = sorted([*subtracted, *fixed], key=_identity), [part for part in added if part[1]]
        else:
            added, subtracted = subtracted, added
    smallest = added[0][0]
    identities = "+".join(map(_identity, added))
    if subtracted:
        smallest = min(smallest, subtracted[0][0])
        identities += "-" + "-".join(map(_identity, subtracted))
    return f"{_leaf_of(smallest)}{LEAF_END}(+{identities})", sign, SUM, added, subtracted


def _orientation(added: list[Plain], subtracted: list[Plain]) -> int:
    """The common sign to take out, so that the smallest block is added; both lists are sorted.

    Blocks that are their own opposite do not count.  If all others cancel, the sum is its own opposite: the sign is 0.
    """
    added = added if all(map(_sign, added)) else [part for part in added if part[1]]
    if not added:
        return -1
    smallest, other = added[0][0], subtracted[0][0]
    if smallest != other:
        return 1 if smallest < other else -1
    # The smallest block is both added and subtracted (a-a...): the first block whose copies do not cancel decides.
    balance: Counter[str] = Counter()
    balance.update(map(_identity, added))
    balance.subtract(map(_identity, subtracted))
    uneven = min((identity for identity, count in balance.items() if count), default=None)
    return 0 if uneven is None else 1 if balance[uneven] > 0 else -1


def _product(factors: list[tuple[int, Plain]]) -> Plain:
    if len(factors) == 2:  # as in sums
        (mark, one), (exponent, other) = factors
        if one[2] != PRODUCT and other[2] != PRODUCT:
            if mark < 0 or (exponent > 0 and other[0] < one[0]):
                one, other = other, one
            first, second = one[0], other[0]
            leaf, sign = _leaf_of(min(first, second)), one[1] * other[1]
            if mark == exponent:
                return f"{leaf}{LEAF_END}[*{first}*{second}]", sign, PRODUCT, [one, other], []
            return f"{leaf}{LEAF_END}[*{first}/{second}]", sign, PRODUCT, [one], [other]
    sign = 1
    multiplied: list[Plain] = []
    divided: list[Plain] = []
    for mark, part in factors:
        _, inner_sign, kind, plus, minus = part
        sign *= inner_sign
        if kind == PRODUCT:
            if mark > 0:
                multiplied += plus
                divided += minus
            else:
                multiplied += minus
                divided += plus
        elif mark > 0:
            multiplied.append(part)
        else:
            divided.append(part)
    if len(multiplied) > 1:
        multiplied.sort(key=_identity)
    smallest = multiplied[0][0]
    identities = "*".join(map(_identity, multiplied))
    if divided:
        if len(divided) > 1:
            divided.sort(key=_identity)
        smallest = min(smallest, divided[0][0])
        identities += "/" + "/".join(map(_identity, divided))
    return f"{_leaf_of(smallest)}{LEAF_END}[*{identities}]", sign, PRODUCT, multiplied, divided


def _leaf_of(identity: str) -> str:
    """The smallest leaf, with which every identity begins."""
    return identity.partition(LEAF_END)[0]


def _power(part: Plain, exponent: int) -> Plain:
    _, sign, kind, base, inner = part
    if exponent == 1:
        return part
    if exponent % 2 == 0:
        sign = 1
    if kind == _POWER:
        exponent *= inner
        check_exponent(exponent)
        part = base
        if exponent == 1:
            return (part[0], sign, *part[2:])
    return f"{_leaf_of(part[0])}{LEAF_END}{{{part[0]}^{exponent}}}", sign, _POWER, part, exponent


@lru_cache(maxsize=4096)
def _operand(name: str) -> Plain:
    return make_operand(name).identity, 1, _OPERAND, name, None


def _number(value: Fraction, text: str | None) -> Plain:
    return _number_of(value.numerator, value.denominator)


@lru_cache(maxsize=4096)  # keyed by two integers, because hashing a Fraction would take longer than all the rest
def _number_of(numerator: int, denominator: int) -> Plain:
    size = Fraction(abs(numerator), denominator)
    return Number(size).identity, 1 if numerator >= 0 else -1, NUMBER, size, None


CANONICAL: Algebra[Any] = Algebra(operand=_operand, number=_number, sum=_sum, product=_product, power=_power)


def _tree(form: Plain) -> Expr:
    """The tree of the class of a form."""
    order: list[Plain] = []
    stack = [form]
    while stack:
        part = stack.pop()
        order.append(part)
        _, _, kind, plus, minus = part
        if kind >= SUM:
            stack += plus
            stack += minus
        elif kind == _POWER:
            stack.append(plus)
    done: dict[int, Expr] = {}
    for part in reversed(order):
        if id(part) not in done:
            done[id(part)] = _node(part, done)
    return done[id(form)]


def _node(part: Plain, done: dict[int, Expr]) -> Expr:
    identity, _, kind, plus, minus = part
    if kind == _OPERAND:
        return make_operand(plus)
    if kind == NUMBER:
        return Number(plus)
    node: Expr
    if kind == _POWER:
        node = make_power(done[id(plus)], minus)
    else:
        blocks = [(1, done[id(child)]) for child in plus] + [(-1, done[id(child)]) for child in minus]
        node = make_sum(blocks) if kind == SUM else make_product(blocks)
    set_identity(node, identity)
    return node


def as_tree(sign: int, node: Expr) -> Expr:
    """The expression `sign * node`, where `node` is a class.

    A minus is pushed down to a subtraction, whose sides it swaps, so that an expression of binary operators is
    written without unary minus: `22-2` and not `-(2-22)`.
    """
    if sign > 0:
        return node
    # From the root down: the type of each node, its parts, and the index of the part that takes the minus.
    way: list[tuple[type[Expr], tuple[tuple[int, Expr], ...], int]] = []
    while True:
        kind = type(node)
        if kind is Sum:
            if way and hasattr(node, "_opposite"):  # kept, because enumerated expressions share most of their blocks
                node = node._opposite
                break
            parts = node.terms  # type: ignore[attr-defined]
            swapped = [(1, child) for mark, child in parts if mark < 0]
            through = None if swapped else _first_polar(parts, Expr)
            if through is None:
                opposite = make_sum(swapped + [(-1, child) for mark, child in parts if mark > 0])
                if way:
                    set_opposite(node, opposite)
                node = opposite
                break
        elif kind is Product:
            parts = node.factors  # type: ignore[attr-defined]
            through = _first_polar(parts, Sum)
        else:
            through = None
        if through is None:
            node = make_sum(((-1, node),))
            break
        way.append((kind, parts, through))
        node = parts[through][1]
    for kind, parts, through in reversed(way):
        before, after = parts[:through], parts[through + 1 :]
        if kind is Sum:
            node = make_sum([(1, node), *[(-1, child) for _, child in before + after]])
        else:
            node = make_product((*before, (parts[through][0], node), *after))
    return node


def _first_polar(parts: tuple[tuple[int, Expr], ...], kind: type[Expr]) -> int | None:
    """The index of the first part of this kind in which a subtraction occurs."""
    for i, (_, part) in enumerate(parts):
        if isinstance(part, kind) and is_polar(part):
            return i
    return None
