"""Conversion to and from SymPy and networkx."""

from __future__ import annotations

import subprocess
import sys

import networkx
import pytest
import sympy
from hypothesis import given, settings

from mathcanon.canonical_form import canonical
from mathcanon.equality.verdict import equivalent
from mathcanon.errors import LimitError, MathCanonError
from mathcanon.expr import Expr, Number, Operand, Power, Product, Sum
from mathcanon.interop import ConversionError, from_networkx, from_sympy, to_networkx, to_sympy
from mathcanon.notation.notations import parse
from mathcanon.notation.tree_nodes import tree_nodes
from mathcanon.testing import expressions, texts

a, b, c = sympy.symbols("a b c")
law = settings(max_examples=60, deadline=None)


# to SymPy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", a),
        ("pi", sympy.pi),
        ("40%", sympy.Rational(2, 5)),
        ("3(1/2)", sympy.Rational(7, 2)),
        ("a-b", a - b),
        ("-a", -a),
        ("a/b/c", a / b / c),
        ("a*(b-c)^2/3", a * (b - c) ** 2 / 3),
        ("a^-2", a**-2),
        ("2*pi*a", 2 * sympy.pi * a),
    ],
)
def test_to_sympy_means_the_same(text: str, expected: sympy.Expr) -> None:
    assert sympy.expand(to_sympy(text).doit() - expected) == 0


def test_to_sympy_evaluates_nothing() -> None:
    assert to_sympy("a+a").args == (a, a)
    assert to_sympy("2*3").args == (2, 3)
    assert to_sympy("(a+b)+c").args == (a + b, c)
    assert to_sympy("c+b+a").args == (c, b, a)
    assert str(to_sympy("a^1*b^0")) == "a**1*b**0"


def test_to_sympy_keeps_a_division_by_zero_unevaluated() -> None:
    assert not to_sympy("a/0").has(sympy.zoo)


def test_to_sympy_is_the_method_of_an_expression() -> None:
    assert parse("a*b").to_sympy() == a * b


def test_to_sympy_handles_a_deep_and_a_wide_expression() -> None:
    deep = to_sympy("(" * 300 + "a" + "+b)*c" * 300)
    assert deep.is_Mul
    wide = to_sympy("+".join(["a"] * 20_000))
    assert len(wide.args) == 20_000


# from SymPy


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (a - 2 * b, "a-2*b"),
        (-a, "-a"),
        (-2 * a * b, "-2*a*b"),
        (1 / a, "1/a"),
        (1 / (a * b), "1/a/b"),
        (a / b**2, "a/b^2"),
        (a**-2, "a^-2"),
        (sympy.Integer(-3), "-3"),
        (sympy.Rational(-1, 2), "-0.5"),
        (sympy.Rational(1, 3) * a, "(1/3)*a"),
        (sympy.Float("0.1"), "0.1"),
        (sympy.Float("1e20"), "100000000000000000000"),
        (sympy.Float("-2.5") * a, "-2.5*a"),
        (a - 1, "a-1"),
        (sympy.pi * a**2, "pi*a^2"),
        (sympy.S.NegativeOne, "-1"),
        (sympy.S.Half, "0.5"),
        (sympy.Symbol("N0") + sympy.Symbol("temp_a"), "N0+temp_a"),
        (sympy.Mul(-1, a + b, evaluate=False), "-(a+b)"),
    ],
)
def test_from_sympy_reads(x: sympy.Expr, expected: str) -> None:
    assert canonical(from_sympy(x)) == canonical(expected)


def test_from_sympy_writes_what_parse_writes() -> None:
    x = sympy.parse_expr("a-(b-2)/c*-3", evaluate=False)
    assert from_sympy(x) == from_sympy(to_sympy(from_sympy(x)))
    assert str(from_sympy(to_sympy("a-(b-2)/c+3*(1/6)"))) == "a-(b-2)/c+3*(1/6)"


@pytest.mark.parametrize(
    ("x", "named"),
    [
        (sympy.sqrt(a), "1/2"),
        (a**b, "b"),
        (2 ** (a + b), "Add(...)"),
        (sympy.sin(a), "sin(...)"),
        (1 + sympy.sin(a) * b, "sin(...)"),
        (sympy.I, "ImaginaryUnit"),
        (sympy.oo, "Infinity"),
        (sympy.nan, "NaN"),
        (sympy.zoo, "ComplexInfinity"),
        (sympy.E, "Exp1"),
        (sympy.Symbol("x y"), "'x y'"),
        (sympy.Symbol("é"), "'é'"),
        (sympy.Symbol("pi"), "pi"),
        (sympy.Symbol("A", commutative=False), "A is not commutative"),
        (sympy.Symbol("a", positive=True) + a, "two different symbols have the name a"),
        (sympy.Dummy("a") * a, "two different symbols have the name a"),
        (sympy.Eq(a, b), "Equality(...)"),
        (sympy.true, "BooleanTrue"),
    ],
)
def test_from_sympy_refuses_by_name(x: sympy.Basic, named: str) -> None:
    with pytest.raises(ConversionError) as caught:
        from_sympy(x)
    assert named in str(caught.value)
    assert isinstance(caught.value, MathCanonError)
    assert isinstance(caught.value.node, sympy.Basic)


@pytest.mark.parametrize("x", ["a+b", 3, None, [a]])
def test_from_sympy_takes_only_sympy(x: object) -> None:
    with pytest.raises(TypeError, match="not a SymPy expression"):
        from_sympy(x)


@pytest.mark.parametrize(
    "x", [sympy.Float(2) ** 10**9, sympy.Float(-2) ** -(10**9), a**20_000], ids=("huge", "tiny", "power")
)
def test_from_sympy_refuses_what_is_past_a_limit(x: sympy.Expr) -> None:
    with pytest.raises(LimitError):
        from_sympy(x)


def test_from_sympy_refuses_a_deep_expression_without_recursion() -> None:
    x = a
    for _ in range(5_000):
        x = sympy.Add(sympy.Mul(x, b, evaluate=False), c, evaluate=False)
    with pytest.raises(LimitError, match="depth"):
        from_sympy(x)


def test_from_sympy_refuses_a_shared_expression_that_is_too_large_written_out() -> None:
    x = a
    for _ in range(60):
        x = sympy.Add(x, x, evaluate=False)
    with pytest.raises(LimitError, match="nodes"):
        from_sympy(x)


@law
@given(texts(with_powers=False))
def test_from_sympy_gives_back_what_to_sympy_took(text: str) -> None:
    expr = parse(text)
    assert canonical(from_sympy(to_sympy(expr))) == canonical(expr)


@law
@given(expressions(max_leaves=5))
def test_from_sympy_gives_back_an_equivalent_expression(expr: Expr) -> None:
    verdict = equivalent(from_sympy(to_sympy(expr)), expr)
    assert verdict or verdict.undefined == ("left", "right")


@law
@given(expressions("ab", max_leaves=4))
def test_what_sympy_evaluates_is_equivalent(expr: Expr) -> None:
    if equivalent(expr, expr).reason != "undefined":
        assert equivalent(from_sympy(sympy.cancel(to_sympy(expr))), expr)


# networkx


def test_to_networkx_keeps_operators_and_order() -> None:
    graph = to_networkx("a-b*c^2")
    assert dict(graph.nodes(data="label")) == {0: "+", 1: "a", 2: "×", 3: "b", 4: "^2", 5: "c"}
    assert dict(graph.nodes(data="kind"))[4] == "power"
    assert dict(graph.nodes(data="value"))[4] == "2"
    assert {(u, v): (d["label"], d["order"]) for u, v, d in graph.edges(data=True)} == {
        (0, 1): ("+", 0),
        (0, 2): ("-", 1),
        (2, 3): ("*", 0),
        (2, 4): ("*", 1),
        (4, 5): ("", 0),
    }
    assert networkx.is_arborescence(graph)


def test_to_networkx_is_the_method_of_an_expression() -> None:
    assert parse("a").to_networkx().nodes[0] == {"kind": "operand", "value": "a", "label": "a"}


@law
@given(expressions())
def test_to_networkx_numbers_the_nodes_as_the_other_tree_pictures(expr: Expr) -> None:
    graph = to_networkx(expr)
    nodes = tree_nodes(expr)
    assert sorted(graph) == list(range(len(nodes)))
    assert all(node.parent is None or graph.has_edge(node.parent, i) for i, node in enumerate(nodes))


@law
@given(texts())
def test_networkx_round_trip_gives_the_expression_back(text: str) -> None:
    expr = parse(text)
    back = from_networkx(to_networkx(expr))
    assert back == expr
    assert str(back) == str(expr)


def test_from_networkx_goes_by_order_and_not_by_names() -> None:
    graph = networkx.relabel_nodes(to_networkx("a-b/c"), {0: "top", 1: "x", 2: ("y",), 3: 1.5, 4: "z"})
    shuffled = networkx.DiGraph()
    shuffled.add_nodes_from(reversed(list(graph.nodes(data=True))))
    shuffled.add_edges_from(reversed(list(graph.edges(data=True))))
    assert from_networkx(shuffled) == parse("a-b/c")


def test_a_negative_number_comes_back_as_a_minus_sign_before_it() -> None:
    assert from_networkx(to_networkx(Number(-3) * Operand("a"))) == Product(((1, -Number(3)), (1, Operand("a"))))


def test_networkx_handles_a_deep_and_a_wide_expression() -> None:
    for text in ("(" * 300 + "a" + "+b)*c" * 300, "+".join(["a"] * 5_000)):
        assert from_networkx(to_networkx(text)) == parse(text)


def tree(text: str = "a*b-c^2") -> networkx.DiGraph:
    return to_networkx(text)  # nodes: 0 sum, 1 product, 2 power, 3 a, 4 b, 5 c


def two_roots() -> networkx.DiGraph:
    graph = tree()
    graph.add_node("other", kind="operand", value="x")
    return graph


def two_parents() -> networkx.DiGraph:
    graph = tree()
    graph.add_edge(1, 5, label="*", order=2)
    return graph


def cycle_apart() -> networkx.DiGraph:
    graph = tree()
    graph.add_edge("p", "q", label="+", order=0)
    graph.add_edge("q", "p", label="+", order=0)
    return graph


def loop() -> networkx.DiGraph:
    graph = networkx.DiGraph()
    graph.add_edge(0, 0)
    return graph


def changed_node(node: int, **attributes: object) -> networkx.DiGraph:
    graph = tree()
    graph.nodes[node].update(attributes)
    return graph


def changed_edge(edge: tuple[int, int], **attributes: object) -> networkx.DiGraph:
    graph = tree()
    graph.edges[edge].update(attributes)
    return graph


def without_leaf(leaf: int) -> networkx.DiGraph:
    graph = tree()
    graph.remove_node(leaf)
    return graph


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.DiGraph(), "0 nodes has 0"),
        (loop(), "has 0"),
        (two_roots(), "has 2"),
        (two_parents(), "node 5 has 2 parents"),
        (cycle_apart(), "cycle"),
        (changed_node(0, kind="root"), "node 0 has the unknown kind 'root'"),
        (changed_node(3, kind=None), "node 3 has the unknown kind None"),
        (changed_node(1, kind="operand"), "node 1 of kind operand has 2 children"),
        (changed_node(3, value="2a"), "node 3 is not a operand: its value is '2a'"),
        (changed_node(3, value="2"), "node 3 is not a operand"),
        (changed_node(3, kind="number", value="x"), "node 3 is not a number"),
        (changed_node(3, kind="number", value=2.5), "node 3 is not a number"),
        (changed_node(2, value="two"), "node 2 is not a power"),
        (changed_node(2, value=2.5), "node 2 is not a power"),
        (changed_node(2, value=[2]), "node 2 is not a power"),
        (changed_node(0, kind=["sum"]), "node 0 has the unknown kind ['sum']"),
        (changed_node(0, kind={}), "node 0 has the unknown kind {}"),
        (changed_node(3, value=["a"]), "node 3 is not a operand: its value is ['a']"),
        (changed_node(3, value={}), "node 3 is not a operand: its value is {}"),
        (changed_edge((0, 1), label=["+"]), "not labelled '+' or '-'"),
        (changed_edge((0, 1), label={}), "not labelled '+' or '-'"),
        (changed_edge((0, 1), order=[0]), "needs an integer 'order', not [0]"),
        (changed_node(1, kind="power", value="2"), "node 1 of kind power is not labelled ''"),
        (changed_edge((0, 1), label="*"), "not labelled '+' or '-'"),
        (changed_edge((1, 3), label="-"), "not labelled '*' or '/'"),
        (changed_edge((0, 1), order=None), "needs an integer 'order'"),
        (without_leaf(4), "node 1 is not a product"),
        (without_leaf(5), "node 2 is not a power"),
    ],
)
def test_from_networkx_says_what_is_wrong_with_a_graph(graph: networkx.DiGraph, message: str) -> None:
    with pytest.raises(ConversionError) as caught:
        from_networkx(graph)
    assert message in str(caught.value)


@pytest.mark.parametrize("graph", [networkx.Graph(), networkx.MultiDiGraph(), "a+b", None])
def test_from_networkx_takes_only_a_digraph(graph: object) -> None:
    with pytest.raises(TypeError, match="DiGraph"):
        from_networkx(graph)


def test_from_networkx_meets_the_limits_of_expressions() -> None:
    with pytest.raises(LimitError, match="exponent"):
        from_networkx(changed_node(2, value="20000"))
    chain = networkx.DiGraph()
    for i in range(3_000):
        chain.add_node(i, kind="sum", value="")
        chain.add_edge(i, i + 1, label="-", order=0)
    chain.nodes[3_000].update(kind="operand", value="a")
    with pytest.raises(LimitError, match="depth"):
        from_networkx(chain)


def test_the_libraries_are_loaded_only_when_called() -> None:
    code = "import sys, mathcanon.interop; print({'sympy', 'networkx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_power_and_single_sum_round_trip_exactly() -> None:
    expr = Power(Sum(((-1, Operand("a")),)), 3)
    assert from_sympy(to_sympy(expr)) == expr == from_networkx(to_networkx(expr))
