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

import hashlib
from fractions import Fraction

from .expr import (
    Algebra,
    Expr,
    Number,
    Power,
    Product,
    Sum,
    _set_identity,
    check_exponent,
    fold,
    leaf_of,
    make_operand,
    make_power,
    make_product,
    make_sum,
    power_identity,
    product_identity,
    sum_identity,
)
from .parse import parse_with

__all__ = ["canonical", "key", "signed_class"]

Signed = tuple[int, Expr]  # a sign and the class it stands before


def canonical(expr: Expr | str) -> Expr:
    """The canonical form of an expression or text.

    >>> canonical("a-(b-c)")
    Expr('a+c-b')
    >>> canonical("a-(b-c)") == canonical("c-b+a")
    True
    >>> canonical("(b-a)*(d-c)")
    Expr('(a-b)*(c-d)')
    """
    return as_tree(*signed_class(expr))


def key(expr: Expr | str) -> str:
    """A short digest of the canonical form, the same in every process, machine and Python version.

    >>> key("a+b") == key("b+a")
    True
    """
    return hashlib.blake2b(canonical(expr).identity.encode(), digest_size=12).hexdigest()


def signed_class(expr: Expr | str) -> Signed:
    """The sign and the class of an expression; the class of `b-a` is `a-b`.

    >>> signed_class("b-a")
    (-1, Expr('a-b'))
    """
    return parse_with(expr, CANONICAL) if isinstance(expr, str) else fold(expr, CANONICAL)


def is_polar(node: Expr) -> bool:
    """Whether a subtraction occurs anywhere, so that the opposite can be written with binary operators alone.

    >>> [is_polar(canonical(text)) for text in ("a*(b-c)", "a+b/c")]
    [True, False]
    """
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, Sum) and any(sign < 0 for sign, _ in node.terms):
            return True
        stack.extend(node.children)
    return False


def _sum(terms: list[tuple[int, Signed]]) -> Signed:
    blocks: list[tuple[int, str, Expr]] = []  # 0 if added, 1 if subtracted; identity; block
    for mark, (sign, node) in terms:
        sign *= mark
        if type(node) is Sum:
            for inner, child in node.terms:
                blocks.append((0 if sign == inner else 1, child._identity, child))
        else:
            blocks.append((0 if sign > 0 else 1, node._identity, node))
    if len(blocks) == 1:
        return (-1 if blocks[0][0] else 1), blocks[0][2]
    blocks.sort()
    sign, lead = _orientation(blocks)
    if sign < 0:
        blocks = [(1 - minus, identity, block) for minus, identity, block in blocks]
        blocks.sort()
    parts = tuple([(-1 if minus else 1, block) for minus, _, block in blocks])
    node = make_sum(parts)
    _set_identity(node, sum_identity(leaf_of(lead), parts))
    return sign, node


def _orientation(blocks: list[tuple[int, str, Expr]]) -> tuple[int, str]:
    """The common sign to take out, and the identity of the smallest block; `blocks` is sorted."""
    added = blocks[0]
    if added[0]:
        return -1, added[1]
    first_minus = next((i for i, block in enumerate(blocks) if block[0]), None)
    if first_minus is None:
        return 1, added[1]
    subtracted = blocks[first_minus]
    if added[1] != subtracted[1]:
        return (1, added[1]) if added[1] < subtracted[1] else (-1, subtracted[1])
    # The smallest block stands on both sides (a-a...): the first block whose copies do not cancel decides.
    balance: dict[str, int] = {}
    for minus, identity, _ in blocks:
        balance[identity] = balance.get(identity, 0) + (-1 if minus else 1)
    uneven = min((identity for identity, count in balance.items() if count), default=None)
    return (-1 if uneven is not None and balance[uneven] < 0 else 1), added[1]


def _product(factors: list[tuple[int, Signed]]) -> Signed:
    sign = 1
    blocks: list[tuple[int, str, Expr]] = []  # 0 if multiplied, 1 if divided by; identity; block
    for mark, (inner_sign, node) in factors:
        sign *= inner_sign
        if type(node) is Product:
            for inner, child in node.factors:
                blocks.append((0 if mark == inner else 1, child._identity, child))
        else:
            blocks.append((0 if mark > 0 else 1, node._identity, node))
    blocks.sort()
    lead = blocks[0][1]
    for divided, identity, _ in blocks:
        if divided:
            lead = min(lead, identity)
            break
    parts = tuple([(-1 if divided else 1, block) for divided, _, block in blocks])
    if sign < 0 and any(_cancels_itself(block) for _, block in parts):
        sign = 1
    node = make_product(parts)
    _set_identity(node, product_identity(leaf_of(lead), parts))
    return sign, node


def _power(signed: Signed, exponent: int) -> Signed:
    sign, base = signed
    if exponent == 1:
        return signed
    if exponent % 2 == 0 or _cancels_itself(base):
        sign = 1
    if type(base) is Power:
        exponent *= base.exponent
        base = base.base
        check_exponent(exponent)
        if exponent == 1:
            return sign, base
    node = make_power(base, exponent)
    _set_identity(node, power_identity(base, exponent))
    return sign, node


def _number(value: Fraction, text: str | None) -> Signed:
    return (1, Number(value)) if value >= 0 else (-1, Number(-value))


CANONICAL: Algebra[Signed] = Algebra(
    operand=lambda name: (1, make_operand(name)),
    number=_number,
    sum=_sum,
    product=_product,
    power=_power,
)


def as_tree(sign: int, node: Expr) -> Expr:
    """The expression `sign * node`, where `node` is a class.

    A minus goes inwards to where a subtraction can turn it round, so that an expression of binary operators is
    written without unary minus: `22-2` and not `-(2-22)`.
    """
    if sign > 0:
        return node
    way: list[tuple[Expr, int]] = []  # from the root: a node to be opposed through its child of this index
    while True:
        if type(node) is Sum:
            terms = [(-mark, child) for mark, child in node.terms]
            if any(mark > 0 for mark, _ in terms):
                node = make_sum(_sorted(terms))
                break
            through = next((i for i, (_, child) in enumerate(terms) if is_polar(child)), None)
            if through is None:
                node = make_sum(terms)
                break
        elif type(node) is Product:
            through = next(
                (i for i, (_, child) in enumerate(node.factors) if type(child) is Sum and is_polar(child)), None
            )
        else:
            through = None
        if through is None:
            node = make_sum(((-1, node),))
            break
        way.append((node, through))
        node = node.children[through]
    for above, through in reversed(way):
        if type(above) is Sum:
            terms = [(-mark, child) for mark, child in above.terms]
            terms[through] = (1, node)
            node = make_sum(_sorted(terms))
        elif type(above) is Product:
            factors = list(above.factors)
            factors[through] = (factors[through][0], node)
            node = make_product(factors)
    return node


def _sorted(terms: list[tuple[int, Expr]]) -> list[tuple[int, Expr]]:
    return sorted(terms, key=lambda term: (-term[0], term[1].identity))


def _cancels_itself(node: Expr) -> bool:
    """Whether a sum is its own opposite, as `a-a` is."""
    if type(node) is not Sum:
        return False
    added = sorted([child._identity for mark, child in node.terms if mark > 0])
    return added == sorted([child._identity for mark, child in node.terms if mark < 0])
