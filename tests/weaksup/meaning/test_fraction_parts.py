"""Numbers of an equation that stand for a quantity: parts of fractions and percents, reciprocals, complements."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathcanon import Expr, Operand, evaluate, parse
from weaksup.meaning.fraction_parts import join_quotients, part_of_quantity
from weaksup.meaning.value_level import equation_function, expression_function


def same(equation: str, expr: str, *values: str) -> bool:
    exact = [Fraction(value) for value in values]
    assert equation_function(equation, exact) is not None
    return equation_function(equation, exact) == expression_function(expr, exact)


@pytest.mark.parametrize(
    ("equation", "expr", "values"),
    [
        ("48+48/2", "N0+N0*N1", ("48", "1/2")),  # half as many
        ("60*2/5", "N0*N1", ("60", "2/5")),
        ("60/5*2", "N0*N1", ("60", "2/5")),
        ("(60*2)/5", "N0*N1", ("60", "2/5")),
        ("60*2/5+2", "N0*N1+N2", ("60", "2/5", "2")),  # the 2 of the text is a number of its own
        ("80*30/100", "N0*N1", ("80", "3/10")),
        ("80*(100-30)/100", "N0*(1-N1)", ("80", "3/10")),
        ("80*.7", "N0*(1-N1)", ("80", "3/10")),
        ("80*70/100", "N0*(1-N1)", ("80", "3/10")),
        ("80*1.3", "N0*(1+N1)", ("80", "3/10")),
        ("60*3/5", "N0*(1-N1)", ("60", "2/5")),
        ("10/50*100", "N0/N1/N2", ("10", "50", "1/100")),
        ("7*.1", "N0/N1", ("7", "10")),  # dimes
        ("8722/98*2", "N1/(1-N0)*N0", ("1/50", "8722")),
    ],
)
def test_a_number_that_stands_for_a_quantity_is_read_as_it(equation: str, expr: str, values: tuple[str, ...]) -> None:
    assert same(equation, expr, *values)


@pytest.mark.parametrize(
    ("equation", "expr", "values"),
    [
        ("48/2", "N0*N1", ("48", "1/2", "2")),  # the text has a 2
        ("60*2/5", "N0*N1", ("60", "2/5", "2", "5")),  # and both of these
        ("60*7", "N0*N1", ("60", "2/5")),
        ("60*3/2", "N0*N1", ("60", "2/3")),
        ("364*3/4", "(1-N1)*N0", ("364", "1/4", "1/2")),  # the quarter and the half together, perhaps
        ("364*.75", "(1-N1)*N0", ("364", "1/4", "1/2")),
        ("80*60/100", "N0*(1-N1)", ("80", "2/5", "1/5")),  # 40% + 20%, or what 40% leave
    ],
)
def test_other_numbers_are_not(equation: str, expr: str, values: tuple[str, ...]) -> None:
    assert not same(equation, expr, *values)


fractions = st.fractions(min_value=Fraction(1, 20), max_value=150, max_denominator=20)


@given(fractions, st.lists(fractions, min_size=1, max_size=4, unique=True))
def test_a_part_has_the_value_of_the_number(value: Fraction, quantities: list[Fraction]) -> None:
    leaves: dict[Fraction, Expr] = {quantity: Operand(f"N{i}") for i, quantity in enumerate(quantities)}
    found = part_of_quantity(value, leaves)
    numbers = {f"N{i}": quantity for i, quantity in enumerate(quantities)}
    for name in found.operands():
        if name.startswith("q_"):
            numbers[name] = Fraction(name.removeprefix("q_").replace("_", "/"))
    assert evaluate(found, numbers) == value


@given(st.lists(st.integers(1, 12), min_size=2, max_size=5), st.data())
def test_joining_keeps_the_value(numbers: list[int], data: st.DataObject) -> None:
    signs = [data.draw(st.sampled_from("*/+-")) for _ in numbers[1:]]
    text = str(numbers[0]) + "".join(sign + str(number) for sign, number in zip(signs, numbers[1:], strict=True))
    expr = parse(text)
    quotients = {Fraction(a, b) for a in numbers for b in numbers}
    assert evaluate(join_quotients(expr, quotients)) == evaluate(expr)
