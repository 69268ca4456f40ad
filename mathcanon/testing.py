"""Hypothesis strategies for expressions, for projects that test code on them (needs hypothesis).

An expression is grown from a row of leaves: neighbours are joined into a sum or product until one is left, so sizes
stay small and examples shrink to few leaves.  Rewrites take a node and write it in another way:

    from hypothesis import given, strategies as st
    from mathcanon.testing import expressions, rewrites

    @given(st.data(), expressions(read_once=True))
    def test_my_simplifier_keeps_the_meaning(data, expr):
        other = data.draw(rewrites(expr))
        assert my_simplifier(expr) == my_simplifier(other)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from .expr import Expr, ExprLike, Number, Operand, Power, Product, Sum, as_expr

__all__ = ["expressions", "non_equivalent_pairs", "numbers", "rewrites", "texts"]

Draw = Callable[[st.SearchStrategy[Any]], Any]
Parts = list[tuple[int, Expr]]

_LETTERS = ("a", "b", "c", "d", "e", "f")
_NUMERALS = ("0", "1", "2", "3", "10", "150", "0.5", "3.14", ".25", "40%", "12.5%", "(1/6)", "3(1/2)", "5((1)/(2))")
_PASTED = {"*": "×·", "/": "÷:：", "-": "−", "+": "＋"}
_EXPONENTS = st.integers(-3, 4)


def numbers() -> st.SearchStrategy[Number]:
    """Small exact numbers that are not negative.

    Returns
    -------
    SearchStrategy of Number
        A strategy of Hypothesis.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(numbers(), lambda number: number.value > 1).value > 1
    True
    """
    return st.builds(Number, st.builds(Fraction, st.integers(0, 12), st.sampled_from((1, 1, 1, 2, 3, 4, 10))))


def expressions(
    operands: Sequence[str] = _LETTERS,
    *,
    read_once: bool = False,
    with_numbers: bool = True,
    with_powers: bool = True,
    with_negation: bool = True,
    max_leaves: int = 8,
) -> st.SearchStrategy[Expr]:
    """Raw trees on these operands: any bracketing, any order, nothing flattened or sorted.

    Parameters
    ----------
    operands
        The names of the operands.
    read_once
        Take each operand at most once and leave out numbers and powers: the expressions for which the canonical form
        decides equality.
    with_numbers, with_powers, with_negation
        Whether there may be numbers, powers and unary minus signs.
    max_leaves
        The most operands and numbers in a tree.

    Returns
    -------
    SearchStrategy of Expr
        A strategy of Hypothesis.

    Examples
    --------
    >>> from hypothesis import find
    >>> expr = find(expressions("ab", read_once=True), lambda expr: "/" in str(expr))
    >>> expr.operands()
    ('a', 'b')
    """
    if read_once:
        with_numbers = with_powers = False
        max_leaves = min(max_leaves, len(operands))
    names: st.SearchStrategy[Expr] = st.sampled_from(tuple(operands)).map(Operand)
    rows = st.lists(
        st.one_of(names, numbers()) if with_numbers else names,
        min_size=1,
        max_size=max_leaves,
        unique_by=(lambda leaf: leaf.identity) if read_once else None,
    )
    return _trees(rows, with_powers=with_powers, with_negation=with_negation)


@st.composite
def _trees(draw: Draw, rows: st.SearchStrategy[list[Expr]], *, with_powers: bool, with_negation: bool) -> Expr:
    items = draw(rows)
    wraps = ["none"] * 4 + ["negation"] * with_negation + ["power"] * with_powers

    def wrapped(node: Expr) -> Expr:
        match draw(st.sampled_from(wraps)):
            case "negation":
                return Sum(((-1, node),))
            case "power":
                return Power(node, draw(_EXPONENTS))
        return node

    while len(items) > 1:
        start = draw(st.integers(0, len(items) - 2))
        stop = draw(st.integers(start + 2, min(len(items), start + 4)))
        marks = draw(st.lists(st.sampled_from((1, -1)), min_size=stop - start, max_size=stop - start))
        parts = list(zip(marks, items[start:stop], strict=True))
        node = Sum(parts) if draw(st.booleans()) else _product(parts)
        items[start:stop] = [wrapped(node)]
    return wrapped(items[0])


def _product(factors: Parts) -> Expr:
    """A valid product: if all factors are divisors, the first one is multiplied instead."""
    return Product(factors if any(mark > 0 for mark, _ in factors) else [(1, factors[0][1]), *factors[1:]])


def texts(
    operands: Sequence[str] = _LETTERS,
    *,
    with_numbers: bool = True,
    with_powers: bool = True,
    pasted: bool = True,
    max_leaves: int = 8,
) -> st.SearchStrategy[str]:
    """Infix text that `parse` reads: needless brackets, blanks, unary minus, percents, mixed numbers.

    Parameters
    ----------
    operands, with_numbers, with_powers, max_leaves
        As for `expressions`.
    pasted
        Also take the signs that people paste, such as `×`, `−` and full-width brackets.

    Returns
    -------
    SearchStrategy of str
        A strategy of Hypothesis.

    Examples
    --------
    >>> from hypothesis import find
    >>> text = find(texts("ab"), lambda text: "(" in text and "b" in text)
    >>> "(" in text, "b" in text
    (True, True)
    """
    leaves = st.sampled_from((*operands, *_NUMERALS) if with_numbers else tuple(operands))
    rows = st.lists(leaves, min_size=1, max_size=max_leaves)
    return _texts(rows, with_powers=with_powers, pasted=pasted)


@st.composite
def _texts(draw: Draw, rows: st.SearchStrategy[list[str]], *, with_powers: bool, pasted: bool) -> str:
    items: list[str] = draw(rows)
    blanks = st.sampled_from(("", "", "", " "))
    wraps = ["none"] * 3 + ["brackets", "minus"] + ["power"] * with_powers

    def sign(ascii_sign: str) -> str:
        spelling = draw(st.sampled_from(ascii_sign + _PASTED[ascii_sign])) if pasted else ascii_sign
        return f"{draw(blanks)}{spelling}{draw(blanks)}"

    def bracketed(text: str) -> str:
        pair = draw(st.sampled_from(("()", "[]", "{}", "（）") if pasted else ("()",)))
        return f"{pair[0]}{text}{pair[1]}"

    def wrapped(text: str) -> str:
        match draw(st.sampled_from(wraps)):
            case "brackets":
                return bracketed(text)
            case "minus":
                return sign("-") + text
            case "power":
                return f"{bracketed(text)}{draw(st.sampled_from(('^2', '**3', '^-1', '^{4}', '^(-2)', '^0')))}"
        return text

    items = [wrapped(leaf) for leaf in items]
    while len(items) > 1:
        start = draw(st.integers(0, len(items) - 2))
        joined = items[start] + sign(draw(st.sampled_from("+-*/"))) + items[start + 1]
        items[start : start + 2] = [wrapped(joined)]
    return items[0]


def rewrites(expr: ExprLike, *, identities: bool = False, max_steps: int = 6) -> st.SearchStrategy[Expr]:
    """Expressions equivalent to `expr`: some of its nodes, one after another, written in another way.

    Parameters
    ----------
    expr
        An expression or text.
    identities
        By default only ways that the canonical form undoes are taken: commute, regroup, unfold brackets, move and
        double minus signs, split powers.  With this, also `a*(b+c) -> a*b+a*c`, `a -> a+0`, `a -> a*1` and `a^2 ->
        a*a`, which `equivalent` sees through.
    max_steps
        The most nodes to rewrite.

    Returns
    -------
    SearchStrategy of Expr
        A strategy of Hypothesis.  A step may add a divisor (`a*c/b -> a/(b/c)`), so the values are equal where both
        have one.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(rewrites("a-(b-c)"), lambda other: str(other) == "a-b+c")
    Expr('a-b+c')
    """
    return _rewrites(as_expr(expr), _RULES + (_IDENTITIES if identities else ()), max_steps)


@st.composite
def _rewrites(draw: Draw, expr: Expr, rules: tuple[Rule, ...], max_steps: int) -> Expr:
    for _ in range(draw(st.integers(0, max_steps))):
        rule = draw(st.sampled_from(rules))
        places = [path for path, node in _places(expr) if rule.applies(node)]
        if places:
            expr = _replaced(expr, draw(st.sampled_from(places)), partial(rule.rewrite, draw=draw))
    return expr


def non_equivalent_pairs(
    operands: Sequence[str] = _LETTERS, *, max_leaves: int = 6
) -> st.SearchStrategy[tuple[Expr, Expr]]:
    """Pairs of read-once expressions on the same operands that differ as rational functions.

    Parameters
    ----------
    operands, max_leaves
        As for `expressions`.

    Returns
    -------
    SearchStrategy of tuple
        A strategy of Hypothesis for pairs of expressions.

    Notes
    -----
    The second is the first with one operator turned round (+ and -, or * and /) and then rewritten.  A read-once
    expression is a one-to-one function of each part of it, and no part is its own opposite or inverse: they differ.

    Examples
    --------
    >>> from hypothesis import find
    >>> from mathcanon import equivalent
    >>> pair = find(non_equivalent_pairs("ab"), lambda pair: "/" in str(pair[0]))
    >>> bool(equivalent(*pair))
    False
    """
    return _non_equivalent_pairs(expressions(operands, read_once=True, max_leaves=max_leaves))


@st.composite
def _non_equivalent_pairs(draw: Draw, strategy: st.SearchStrategy[Expr]) -> tuple[Expr, Expr]:
    expr = draw(strategy.filter(lambda expr: expr.children))
    turns = [(path, i) for path, node in _places(expr) for i in range(len(node.children)) if _turned(node, i)]
    path, i = draw(st.sampled_from(turns))
    return expr, draw(rewrites(_replaced(expr, path, lambda node: _turned(node, i) or node), max_steps=3))


# Places in a tree: the way down from the root, as indices of children.
def _places(expr: Expr) -> list[tuple[tuple[int, ...], Expr]]:
    places: list[tuple[tuple[int, ...], Expr]] = [((), expr)]
    for path, node in places:
        places += [((*path, i), child) for i, child in enumerate(node.children)]
    return places


def _replaced(expr: Expr, path: tuple[int, ...], replace: Callable[[Expr], Expr]) -> Expr:
    way = [expr]
    for i in path:
        way.append(way[-1].children[i])
    new = replace(way.pop())
    for node, i in zip(reversed(way), reversed(path), strict=True):
        match node:
            case Sum(terms):
                new = Sum([(mark, new if k == i else child) for k, (mark, child) in enumerate(terms)])
            case Product(factors):
                new = Product([(mark, new if k == i else child) for k, (mark, child) in enumerate(factors)])
            case Power(_, exponent):
                new = Power(new, exponent)
    return new


def _sum(terms: Iterable[tuple[int, Expr]]) -> Expr:
    terms = list(terms)
    return terms[0][1] if len(terms) == 1 and terms[0][0] > 0 else Sum(terms)


def _turned(node: Expr, i: int) -> Expr | None:
    """The node with the mark of its part `i` inverted; None if that is not a valid expression."""
    match node:
        case Sum(terms):
            return _sum([(-mark if k == i else mark, child) for k, (mark, child) in enumerate(terms)])
        case Product(factors):
            turned = [(-mark if k == i else mark, child) for k, (mark, child) in enumerate(factors)]
            return Product(turned) if any(mark > 0 for mark, _ in turned) else None
    return None


class Rule:
    """One way to rewrite a node: where it applies, and what it makes of the node."""

    def __init__(self, applies: Callable[[Expr], bool], rewrite: Callable[[Any, Draw], Expr]) -> None:
        self.applies, self.rewrite = applies, rewrite


def _parts(node: Expr) -> tuple[tuple[int, Expr], ...]:
    return node.terms if isinstance(node, Sum) else node.factors if isinstance(node, Product) else ()


def _commute(node: Expr, draw: Draw) -> Expr:
    """a-b -> -b+a"""
    parts = draw(st.permutations(_parts(node)))
    return Sum(parts) if isinstance(node, Sum) else Product(parts)


def _group(node: Expr, draw: Draw) -> Expr:
    """a-b+c -> a-(b-c), a*b/c -> a*(b/c) or a/(c/b)"""
    parts = list(_parts(node))
    start = draw(st.integers(0, len(parts) - 2))
    stop = draw(st.integers(start + 2, len(parts) if start else len(parts) - 1))
    inner, outer = parts[start:stop], parts[:start] + parts[stop:]
    mark = draw(st.sampled_from((1, -1)))
    if isinstance(node, Product):
        if all(m > 0 for m, _ in inner) or all(m < 0 for m, _ in outer):
            mark = 1
        if all(m < 0 for m, _ in inner):
            mark = -1
    inner = [(m * mark, child) for m, child in inner]
    make = Sum if isinstance(node, Sum) else Product
    return make([*parts[:start], (mark, make(inner)), *parts[stop:]])


def _unfold(node: Expr, draw: Draw) -> Expr:
    """a-(b-c) -> a-b+c, a/(b/c) -> a/b*c"""
    parts = list(_parts(node))
    i = draw(st.sampled_from([k for k, (_, child) in enumerate(parts) if type(child) is type(node)]))
    mark, child = parts[i]
    parts[i : i + 1] = [(mark * inner, grandchild) for inner, grandchild in _parts(child)]
    return _sum(parts) if isinstance(node, Sum) else Product(parts)


def _opposite(node: Expr, draw: Draw) -> Expr:
    """a-b -> b-a (not equivalent, its opposite)"""
    if isinstance(node, Sum):
        terms = [(-mark, child) for mark, child in node.terms]
        return _sum(reversed(terms) if draw(st.booleans()) else terms)
    if isinstance(node, Product) and draw(st.booleans()):
        factors = list(node.factors)
        i = draw(st.integers(0, len(factors) - 1))
        factors[i] = (factors[i][0], Sum(((-1, factors[i][1]),)))
        return Product(factors)
    return Sum(((-1, node),))


def _move_minus(node: Sum, draw: Draw) -> Expr:
    """a-(b-c) -> a+(c-b), -(a*b) -> (-a)*b"""
    i = draw(st.integers(0, len(node.terms) - 1))
    return _sum([(-m, _opposite(x, draw)) if k == i else (m, x) for k, (m, x) in enumerate(node.terms)])


def _turn_two(node: Product, draw: Draw) -> Expr:
    """(a-b)*(c-d) -> (b-a)*(d-c)"""
    both = draw(st.permutations(range(len(node.factors))))[:2]
    return Product([(m, _opposite(x, draw) if k in both else x) for k, (m, x) in enumerate(node.factors)])


def _turn_base(node: Power, draw: Draw) -> Expr:
    """(a-b)^2 -> (b-a)^2, (a-b)^3 -> -(b-a)^3"""
    power = Power(_opposite(node.base, draw), node.exponent)
    return power if node.exponent % 2 == 0 else Sum(((-1, power),))


def _split_power(node: Power, draw: Draw) -> Expr:
    """a^6 -> (a^2)^3"""
    inner = draw(st.sampled_from([k for k in range(1, abs(node.exponent) + 1) if node.exponent % k == 0]))
    return Power(Power(node.base, inner), node.exponent // inner)


def _merge_power(node: Power, draw: Draw) -> Expr:
    """(a^2)^3 -> a^6"""
    assert isinstance(node.base, Power)
    return Power(node.base.base, node.base.exponent * node.exponent)


def _distribute(node: Product, draw: Draw) -> Expr:
    """a*(b-c)/d -> a*b/d-a*c/d"""
    i = draw(st.sampled_from([k for k, (mark, x) in enumerate(node.factors) if mark > 0 and isinstance(x, Sum)]))
    before, after = node.factors[:i], node.factors[i + 1 :]
    return Sum([(sign, Product((*before, (1, term), *after))) for sign, term in _parts(node.factors[i][1])])


def _anywhere(node: Expr) -> bool:
    return True


_RULES: tuple[Rule, ...] = (
    Rule(lambda node: len(_parts(node)) > 1, _commute),
    Rule(lambda node: len(_parts(node)) > 2, _group),
    Rule(lambda node: any(type(child) is type(node) for _, child in _parts(node)), _unfold),
    Rule(lambda node: isinstance(node, Sum), _move_minus),
    Rule(lambda node: isinstance(node, Product), _turn_two),
    Rule(_anywhere, lambda node, draw: Sum(((-1, Sum(((-1, node),))),))),
    Rule(lambda node: isinstance(node, Power), _turn_base),
    Rule(lambda node: isinstance(node, Power) and node.exponent != 0, _split_power),
    Rule(lambda node: isinstance(node, Power) and isinstance(node.base, Power), _merge_power),
)
_IDENTITIES: tuple[Rule, ...] = (
    Rule(
        lambda node: isinstance(node, Product) and any(m > 0 and isinstance(x, Sum) for m, x in _parts(node)),
        _distribute,
    ),
    Rule(_anywhere, lambda node, draw: Sum(((1, node), (1, Number(0))))),
    Rule(_anywhere, lambda node, draw: Product(((1, node), (1, Number(1))))),
    Rule(
        lambda node: isinstance(node, Power) and node.exponent > 1,
        lambda node, draw: Product(((1, node.base), (1, Power(node.base, node.exponent - 1)))),
    ),
)
