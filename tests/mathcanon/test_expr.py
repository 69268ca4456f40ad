"""Nodes: immutable, ordered, hashable, picklable, bounded."""

import pickle
from fractions import Fraction

import pytest

import mathcanon as mc
from mathcanon import Number, Operand, Power, Product, Sum
from mathcanon.expr import MAX_DEPTH

a, b, c = Operand("a"), Operand("b"), Operand("c")


def test_python_operators_build_what_the_parser_reads() -> None:
    assert a + b * 2 - c / a == Sum(((1, Sum(((1, a), (1, b * 2)))), (-1, c / a)))
    assert str(-((a + b) ** 2)) == "-(a+b)^2"
    assert str(1 - a) == "1-a"
    assert str(2 / a) == "2/a"


def test_nodes_can_not_be_changed() -> None:
    with pytest.raises(AttributeError):
        a.name = "b"
    with pytest.raises(AttributeError):
        del a.name
    with pytest.raises(AttributeError):
        (a + b).extra = 1  # type: ignore[attr-defined]


def test_equal_means_written_alike_whatever_the_spelling_of_numbers() -> None:
    assert mc.parse("a+b") == mc.parse("a + b") != mc.parse("b+a")
    assert mc.parse("50%*a") == mc.parse("0.5*a")
    assert str(mc.parse("50%*a")) == "50%*a"
    assert len({mc.parse("a+b"), mc.parse("(a+b)"), mc.parse("b+a")}) == 2


def test_operands_are_in_natural_order() -> None:
    assert mc.parse("N10+N9+N1+x").operands() == ("N1", "N9", "N10", "x")
    assert sorted(mc.parse(t) for t in ("N10", "2", "N9", "a", "10", "a*b", "1.5")) == [
        mc.parse(t) for t in ("N9", "N10", "a", "a*b", "1.5", "2", "10")
    ]


@pytest.mark.parametrize("text", ["a", "0.1", "a*(b-c)^2/3", "-(a+b)", "(1/6)*12%"])
def test_pickles_come_back_equal(text: str) -> None:
    expr = mc.parse(text)
    again = pickle.loads(pickle.dumps(expr))
    assert again == expr
    assert str(again) == str(expr)
    assert hash(again) == hash(expr)


def test_the_deepest_allowed_expression_survives_everything() -> None:
    expr: mc.Expr = a
    while expr.depth < MAX_DEPTH:
        expr = b - expr if expr.depth % 2 else 1 / expr
    assert mc.parse(str(expr)) == expr == pickle.loads(pickle.dumps(expr))
    assert mc.canonical(str(expr)) == mc.canonical(expr)
    assert mc.equivalent(expr, expr).reason == "structure"
    assert expr.evaluate({"a": 2, "b": 3}) > 0
    for format in ("infix", "latex", "prefix", "postfix", "skeleton", "json", "dot"):
        assert mc.render(expr, format)
    with pytest.raises(mc.LimitError):
        b - expr


def test_a_shared_subtree_counts_as_often_as_it_is_used() -> None:
    expr: mc.Expr = a
    with pytest.raises(mc.LimitError):
        for _ in range(60):
            expr = expr + expr


@pytest.mark.parametrize(
    "make",
    [
        lambda: Operand("2a"),
        lambda: Operand(""),
        lambda: Operand("é"),
        lambda: Sum(()),
        lambda: Sum(((1, a),)),
        lambda: Sum(((2, a), (1, b))),
        lambda: Product(((1, a),)),
        lambda: Product(((-1, a), (-1, b))),
        lambda: Power(a, 1.5),  # type: ignore[arg-type]
        lambda: Power(a, 10**9),
        lambda: Number("x"),
        lambda: a + 1.5,
        lambda: Sum(((1, "a"), (1, "b"))),  # type: ignore[list-item]
    ],
)
def test_what_is_no_expression_can_not_be_built(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((ValueError, TypeError)):
        make()


def test_a_node_matches_by_its_parts() -> None:
    match mc.parse("a/b^2"):
        case Product(((1, Operand("a")), (-1, Power(Operand(name), 2)))):
            assert name == "b"
        case _:
            pytest.fail("no match")


def test_fold_runs_any_algebra() -> None:
    leaves = mc.Algebra(
        operand=lambda name: 1,
        number=lambda value, text: 1,
        sum=lambda terms: sum(n for _, n in terms),
        product=lambda factors: sum(n for _, n in factors),
        power=lambda n, exponent: n,
    )
    assert mc.fold(mc.parse("a*(b+2)-c^2/d"), leaves) == 5


def test_values_are_exact() -> None:
    assert mc.parse("a/3").evaluate({"a": "1/2"}) == Fraction(1, 6)
    assert mc.evaluate("a", {"a": 0.1}) == Fraction(1, 10)
    with pytest.raises(mc.EvaluationError, match="division by zero"):
        mc.evaluate("1/(a-a)", {"a": 1})
    with pytest.raises(mc.EvaluationError, match="no value for b"):
        mc.evaluate("a+b", {"a": 1})
    with pytest.raises(mc.EvaluationError, match="irrational"):
        mc.evaluate("2*pi", {})
    with pytest.raises(mc.LimitError):
        mc.evaluate("(9^10000)^10000", {})
    with pytest.raises(TypeError):
        mc.evaluate("a", {"a": True})
