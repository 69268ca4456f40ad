"""An algebra run over a tree gives what a plain recursion gives, without recursing."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given

import mathcanon as mc
from mathcanon.algebra import Algebra, fold, substituted
from mathcanon.expr import MAX_DEPTH, Expr, Number, Operand, Power, Product, Sum
from mathcanon.testing import expressions

COUNT: Algebra[int] = Algebra(
    operand=lambda name: 1,
    number=lambda value, text: 1,
    sum=lambda terms: 1 + sum(count for _, count in terms),
    product=lambda factors: 1 + sum(count for _, count in factors),
    power=lambda base, exponent: 1 + base,
)


def count_nodes(expr: Expr) -> int:
    return 1 + sum(map(count_nodes, expr.children))


def replaced(expr: Expr, leaves: dict[str, Expr]) -> Expr:
    match expr:
        case Operand(name):
            return leaves[name]
        case Number():
            return expr
        case Power(base, exponent):
            return Power(replaced(base, leaves), exponent)
        case Sum(terms):
            return Sum([(sign, replaced(child, leaves)) for sign, child in terms])
        case Product(factors):
            return Product([(mark, replaced(child, leaves)) for mark, child in factors])
    raise TypeError(expr)


@given(expressions())
def test_fold_meets_every_node(expr: Expr) -> None:
    assert fold(expr, COUNT) == count_nodes(expr) == expr.size


@given(expressions())
def test_substitution_is_that_of_a_recursion(expr: Expr) -> None:
    leaves: dict[str, Expr] = {name: mc.parse(f"({name}+7)*2") for name in expr.operands()}
    assert substituted(expr, leaves.__getitem__) == replaced(expr, leaves)


def test_a_shared_block_is_worked_out_once() -> None:
    asked: list[str] = []

    def operand(name: str) -> Fraction:
        asked.append(name)
        return Fraction(1)

    block = mc.parse("a+b")
    counting = Algebra(
        operand=operand,
        number=lambda value, text: value,
        sum=lambda terms: sum((sign * value for sign, value in terms), Fraction(0)),
        product=lambda factors: factors[0][1] * factors[1][1],
        power=lambda base, exponent: base**exponent,
    )
    assert fold(Product(((1, block), (1, block))), counting) == 4
    assert asked.count("a") == asked.count("b") == 1


def test_the_deepest_expression_is_no_recursion() -> None:
    expr = mc.parse("a")
    for _ in range(MAX_DEPTH - 1):
        expr = -expr
    assert fold(expr, COUNT) == MAX_DEPTH
