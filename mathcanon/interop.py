"""Expressions to and from SymPy, and to and from a networkx DiGraph; both are imported on first use.

To SymPy nothing is evaluated: sums, products, brackets and the order of their parts stay (SymPy has no minus and no
division, so `a-b` is `a + (-1)*b` and `a/b` is `a*b**(-1)`).  From SymPy, these can be converted back:
sums, products, integer powers, rational numbers, symbols and pi; for anything else an error names it.

A graph numbers the nodes as `tree_nodes` does; edges carry the operators, and the order of siblings as `order`.
All walks are loops, so a deep input is converted or meets a `LimitError`, never a RecursionError.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .algebra import Algebra, fold
from .errors import LimitError, MathCanonError, ParseError
from .expr import Expr, ExprLike, Number, Operand, Power, Product, Sum, as_expr
from .notation.exponents import read_exponent
from .notation.notations import parse
from .notation.numerals import MAX_DIGITS
from .notation.tree_nodes import tree_nodes

if TYPE_CHECKING:
    import networkx
    import sympy

__all__ = ["ConversionError", "from_networkx", "from_sympy", "to_networkx", "to_sympy"]

_MAX_FLOAT_BITS = 3 * MAX_DIGITS
_MARKS = {"sum": {"+": 1, "-": -1}, "product": {"*": 1, "/": -1}, "power": {"": 1}}


class ConversionError(MathCanonError, ValueError):
    """A SymPy node or a graph that is not an expression of this package; `node` is the offending part."""

    def __init__(self, message: str, node: object) -> None:
        super().__init__(message, node)
        self.message, self.node = message, node

    def __str__(self) -> str:
        return self.message


def to_sympy(expr: ExprLike) -> sympy.Expr:
    """The same expression in SymPy, unevaluated.

    Parameters
    ----------
    expr
        An expression or text.

    Returns
    -------
    sympy.Expr
        Operands are plain symbols, numbers rationals, `pi` is `sympy.pi`.

    Notes
    -----
    The cost is linear in the size of the tree.

    Examples
    --------
    >>> to_sympy("a-b/c").args
    (a, -b/c)
    >>> to_sympy("a+a"), to_sympy("a+a").doit()
    (a + a, 2*a)
    """
    import sympy

    minus_one = sympy.Integer(-1)

    def multiply(factors: list[tuple[int, sympy.Expr]]) -> sympy.Expr:
        parts = [x if mark > 0 else power(x, -1) for mark, x in factors]
        return sympy.Mul(*parts, evaluate=False)

    def add(terms: list[tuple[int, sympy.Expr]]) -> sympy.Expr:
        parts = [x if mark > 0 else sympy.Mul(minus_one, x, evaluate=False) for mark, x in terms]
        return sympy.Add(*parts, evaluate=False)  # Add of a single part is that part

    def power(base: sympy.Expr, exponent: int) -> sympy.Expr:
        return sympy.Pow(base, sympy.Integer(exponent), evaluate=False)

    algebra: Algebra[sympy.Expr] = Algebra(
        operand=lambda name: sympy.pi if name == "pi" else sympy.Symbol(name),
        number=lambda value, _: sympy.Rational(value.numerator, value.denominator),
        sum=add,
        product=multiply,
        power=power,
    )
    return fold(as_expr(expr), algebra)


def from_sympy(x: sympy.Basic) -> Expr:
    """The expression of a SymPy sum, product, integer power, rational, float (taken as it prints), symbol or pi.

    `x**-1` comes back as a division, and `from_sympy(to_sympy(e)) == e` for a parsed `e` without negative powers.

    Parameters
    ----------
    x
        A SymPy object.

    Returns
    -------
    Expr
        The expression, its terms in the order of SymPy.

    Raises
    ------
    ConversionError
        If something has no counterpart here (functions, roots, infinities, two symbols of one name).
    TypeError
        If `x` is not of SymPy.

    Notes
    -----
    The cost is linear in the size of the tree.

    Examples
    --------
    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> from_sympy((a - 2 * b) ** 2 / (a * b))
    Expr('(a-2*b)^2/a/b')
    >>> from_sympy(sympy.sqrt(a))
    Traceback (most recent call last):
    ...
    mathcanon.interop.ConversionError: the exponent 1/2 is not an integer
    """
    import sympy

    if not isinstance(x, sympy.Basic):
        raise TypeError(f"not a SymPy expression: {x!r}")
    symbols: dict[str, sympy.Symbol] = {}
    done: dict[int, Expr] = {}  # by identity: a shared part is converted once
    stack: list[tuple[Any, bool]] = [(x, False)]
    while stack:
        node, below_is_done = stack.pop()
        if id(node) in done:
            continue
        if below_is_done:
            done[id(node)] = _from_sympy_node(node, done)
        elif isinstance(node, sympy.Add | sympy.Mul):
            stack.append((node, True))
            stack += [(part, False) for part in node.args]
        elif isinstance(node, sympy.Pow):
            if not node.exp.is_Integer:
                raise ConversionError(f"the exponent {_shown(node.exp)} is not an integer", node)
            stack += [(node, True), (node.base, False)]
        else:
            done[id(node)] = _from_sympy_leaf(node, symbols)
    return done[id(x)]


def _from_sympy_leaf(node: Any, symbols: dict[str, sympy.Symbol]) -> Expr:
    import sympy

    if node is sympy.pi:
        return Operand("pi")
    if isinstance(node, sympy.Symbol):
        if symbols.setdefault(node.name, node) != node:
            raise ConversionError(f"two different symbols have the name {node.name}", node)
        if not node.is_commutative:
            raise ConversionError(f"the symbol {node.name} is not commutative", node)
        if node.name == "pi":
            raise ConversionError("a symbol named pi would be read as the number; rename it or use sympy.pi", node)
        try:
            return Operand(node.name)
        except ParseError as error:
            raise ConversionError(f"the symbol {node.name!r} is {error.message} ({error.hint})", node) from None
    if isinstance(node, sympy.Rational):
        return _signed(Fraction(int(node.p), int(node.q)))
    if isinstance(node, sympy.Float):
        _, _, exponent, bits = node._mpf_  # checked first, because printing writes out all digits of a huge float
        if abs(exponent + bits) > _MAX_FLOAT_BITS:
            raise LimitError("the binary exponent of a float", exponent + bits, _MAX_FLOAT_BITS)
        return _signed(Fraction(str(node)))
    raise ConversionError(f"no expression for SymPy's {_shown(node)}", node)


def _shown(node: Any) -> str:
    """A node as an error message shows it: a leaf as text, else its class, because printing a deep node recurses."""
    kind = type(node).__name__
    return f"{kind}(...)" if node.args else str(node) if node.is_Rational else f"{kind} {node}"


def _signed(value: Fraction) -> Expr:
    return Sum(((-1, Number(-value)),)) if value < 0 else Number(value)


def _from_sympy_node(node: Any, done: dict[int, Expr]) -> Expr:
    """The expression of a sum, product or power whose parts have been converted."""
    if node.is_Add:
        return Sum([_split_sign(part, done) for part in node.args])
    if node.is_Mul:
        sign, unsigned = _split_sign(node, done)
        return unsigned if sign > 0 else Sum(((-1, unsigned),))
    base, exponent = done[id(node.base)], int(node.exp)
    return Product(((1, Number(1)), (-1, base))) if exponent == -1 else Power(base, exponent)


def _split_sign(part: Any, done: dict[int, Expr]) -> tuple[int, Expr]:
    """The sign of a term, and the term without it: a negative number, or a product led by one, is subtracted."""
    if part.is_Mul:
        head, *rest = part.args
        if not (head.is_Number and head < 0):
            return 1, _product([_factor(factor, done) for factor in part.args])
        factors = [_factor(factor, done) for factor in rest]
        return -1, _product(factors if head == -1 else [(1, done[id(head)].children[0]), *factors])
    if part.is_Number and part < 0:
        return -1, done[id(part)].children[0]
    return 1, done[id(part)]


def _factor(part: Any, done: dict[int, Expr]) -> tuple[int, Expr]:
    if part.is_Pow and part.exp < 0:
        base, exponent = done[id(part.base)], -int(part.exp)
        return -1, base if exponent == 1 else Power(base, exponent)
    return 1, done[id(part)]


def _product(factors: list[tuple[int, Expr]]) -> Expr:
    if all(mark < 0 for mark, _ in factors):
        factors = [(1, Number(1)), *factors]
    return Product(factors) if len(factors) > 1 else factors[0][1]


def to_networkx(expr: ExprLike) -> networkx.DiGraph:
    """The tree as a DiGraph from the root, node 0, down.

    Parameters
    ----------
    expr
        An expression or text.

    Returns
    -------
    networkx.DiGraph
        Nodes carry `kind` (operand, number, sum, product, power), `value` (name, number or exponent) and `label`; edges
        carry `label` (`+`, `-`, `*`, `/`, or nothing below a power) and `order`, the place among the siblings.

    Notes
    -----
    The cost is linear in the size of the tree.

    Examples
    --------
    >>> graph = to_networkx("a-b")
    >>> graph.nodes[1], graph.edges[0, 2]
    ({'kind': 'operand', 'value': 'a', 'label': 'a'}, {'label': '-', 'order': 1})
    """
    import networkx

    graph = networkx.DiGraph()
    for i, node in enumerate(tree_nodes(as_expr(expr))):
        graph.add_node(i, kind=node.kind, value=node.value, label=node.label)
        if node.parent is not None:
            graph.add_edge(node.parent, i, label=node.edge, order=graph.out_degree(node.parent))
    return graph


def from_networkx(graph: networkx.DiGraph) -> Expr:
    """The expression of a graph with the attributes that `to_networkx` writes.

    Parameters
    ----------
    graph
        A tree whose edges lead down.  Nodes may have any names, and need no `label`.

    Returns
    -------
    Expr
        The expression, as `to_networkx` got it.

    Raises
    ------
    ConversionError
        If the graph is not a tree or an attribute is not right.
    TypeError
        If it is not a DiGraph.

    Notes
    -----
    The cost is linear in the size of the graph.

    Examples
    --------
    >>> from_networkx(to_networkx("a*(b-40%)"))
    Expr('a*(b-40%)')
    """
    import networkx

    if not isinstance(graph, networkx.DiGraph) or graph.is_multigraph():
        raise TypeError(f"not a networkx.DiGraph: {type(graph).__name__}")
    done: dict[Hashable, Expr] = {}
    for node in reversed(_downwards(graph)):
        edges = [(_order(graph, node, child), child) for child in graph.successors(node)]
        edges.sort(key=lambda edge: edge[0])
        done[node] = _from_graph_node(graph, node, [child for _, child in edges], done)
    return done[node]


def _downwards(graph: networkx.DiGraph) -> list[Hashable]:
    """The nodes of a tree, each after its parent."""
    roots = [node for node, degree in graph.in_degree() if degree == 0]
    if len(roots) != 1:
        raise ConversionError(f"a tree has one root, this graph of {len(graph)} nodes has {len(roots)}", roots)
    for node, degree in graph.in_degree():
        if degree > 1:
            raise ConversionError(f"node {node!r} has {degree} parents, in a tree it has one", node)
    order = roots
    for node in order:
        order.extend(graph.successors(node))
    if len(order) < len(graph):
        outside = next(iter(set(graph) - set(order)))
        raise ConversionError(f"node {outside!r} is on a cycle that the root does not reach", outside)
    return order


def _order(graph: networkx.DiGraph, parent: Hashable, child: Hashable) -> int:
    order = graph.edges[parent, child].get("order")
    if not isinstance(order, int):
        raise ConversionError(
            f"the edge {parent!r} -> {child!r} needs an integer 'order', not {order!r}", (parent, child)
        )
    return order


def _from_graph_node(
    graph: networkx.DiGraph, node: Hashable, children: list[Hashable], done: dict[Hashable, Expr]
) -> Expr:
    kind, value = graph.nodes[node].get("kind"), graph.nodes[node].get("value")
    if kind in ("operand", "number"):
        if children:
            raise ConversionError(f"node {node!r} of kind {kind} has {len(children)} children", node)
        return _from_graph_leaf(node, kind, value)
    if not isinstance(kind, str) or kind not in _MARKS:
        raise ConversionError(f"node {node!r} has the unknown kind {kind!r}", node)
    labels = [graph.edges[node, child].get("label") for child in children]
    marks = [_MARKS[kind].get(label) if isinstance(label, str) else None for label in labels]
    parts = [(mark, done[child]) for mark, child in zip(marks, children, strict=True) if mark is not None]
    if len(parts) < len(children):
        allowed = " or ".join([repr(label) for label in _MARKS[kind]])
        raise ConversionError(f"an edge from node {node!r} of kind {kind} is not labelled {allowed}", node)
    try:
        if kind == "power":
            ((_, base),) = parts
            exponent = read_exponent(str(value))
            if exponent is None:
                raise ValueError(f"the exponent {value!r} is not an integer")
            return Power(base, exponent)
        return Sum(parts) if kind == "sum" else Product(parts)
    except LimitError:
        raise
    except (TypeError, ValueError) as error:
        raise ConversionError(f"node {node!r} is not a {kind}: {error}", node) from error


def _from_graph_leaf(node: Hashable, kind: str, value: object) -> Expr:
    try:
        leaf = parse(value, "infix")  # type: ignore[arg-type]  # refuses what is not text
    except LimitError:
        raise
    except (TypeError, ValueError):
        leaf = None
    if not isinstance(leaf, Operand if kind == "operand" else Number):
        raise ConversionError(f"node {node!r} is not a {kind}: its value is {value!r}", node)
    return leaf
