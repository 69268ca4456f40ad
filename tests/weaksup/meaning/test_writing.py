"""How the equations of a problem are written, and which labels belong to it."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathcanon import EvaluationError, LimitError, equivalent, evaluate, parse_equation
from mathcanon.testing import expressions
from weaksup.errors import DataError
from weaksup.meaning.writing import check_label, equation_text, needed_quantities, write_expr
from weaksup.records import Label, Problem, Quantity

NAMES = ("N0", "N1", "N2", "N3")


def fractions_of(*values: int | str) -> list[Fraction]:
    return [Fraction(value) for value in values]


@pytest.mark.parametrize(
    ("expr", "values", "written"),
    [
        ("(N0-N1)*(N2-N3)", (2, 11, 3, 5), "(N1-N0)*(N3-N2)"),
        ("(N0-N1)/(N2-N3)", (2, 11, 3, 5), "(N1-N0)/(N3-N2)"),
        ("N2-(N0-N1)*N2", (2, 11, 3), "(N1-N0)*N2+N2"),
        ("N1*N0", (2, 3), "N0*N1"),
        ("1+N0", (2,), "N0+1"),
        ("1-N0", ("1/3",), "1-N0"),
        ("N0*(1+N1)", (2, 3), "N0*(N1+1)"),
        ("3.14*N0*N1", (2, 3), "N0*N1*3.14"),
        ("N2/N0*N1", (2, 3, 4), "N1/N0*N2"),
        ("N0-N1", (2, 3), "N0-N1"),  # a negative answer stays one
        ("(N0-N1)*N2", (3, 3, 5), "(N0-N1)*N2"),  # an answer of 0 has no side
        ("N1-N0", (3, 3), "N1-N0"),
        ("N1^2*N0", (2, 3), "N0*N1^2"),
    ],
)
def test_expressions_are_written_by_one_rule(expr: str, values: tuple[int | str, ...], written: str) -> None:
    assert write_expr(expr, fractions_of(*values)) == written


@given(expressions(operands=NAMES), st.lists(st.integers(-5, 9), min_size=4, max_size=4))
def test_writing_keeps_the_function_and_the_value(expr: object, numbers: list[int]) -> None:
    text, values = str(expr), fractions_of(*numbers)
    points = dict(zip(NAMES, values, strict=True))
    try:
        value = evaluate(text, points)
    except EvaluationError:
        return
    written = write_expr(text, values)
    assert evaluate(written, points) == value
    assert equivalent(written, text)
    assert write_expr(written, values) == written


@pytest.mark.parametrize(
    ("surface", "value", "equation"),
    [
        ("40%", "2/5", "x=40%*1"),
        ("(1/6)", "1/6", "x=(1/6)*1"),
        ("1/6", "1/6", "x=(1/6)*1"),
        ("0.50", "1/2", "x=0.50*1"),
        ("1,000", "1000", "x=1000*1"),
        ("two", "2", "x=2*1"),
        ("3(1/2)", "7/2", "x=3(1/2)*1"),
        ("7", "70", "x=70*1"),  # a surface that means something else is not used
    ],
)
def test_equations_have_the_numbers_of_the_text(surface: str, value: str, equation: str) -> None:
    assert equation_text("N0*1", fractions_of(value), [surface]) == equation
    assert evaluate(parse_equation(equation)) == Fraction(value)


def test_an_equation_in_brackets_where_a_division_of_two_numbers_is_meant() -> None:
    equation = equation_text("N2/(N0/N1)", fractions_of(1, 6, 3), ["1", "6", "3"])
    assert evaluate(parse_equation(equation)) == 18


def test_a_candidate_of_endless_brackets_or_a_huge_value_is_no_recursion_and_no_hang() -> None:
    deep = "(N0*" * 400 + "N1" + "+1)" * 400
    assert evaluate(write_expr(deep, [Fraction(1), Fraction(2)]), {"N0": 1, "N1": 2}) == 402
    with pytest.raises(LimitError):
        write_expr("N0^9999+1", [Fraction(10**60 + 57)])


@pytest.mark.parametrize(
    ("expr", "needed"), [("N0", 1), ("1+3.14", 0), ("N2*(1-N0)", 3), ("N9999", 10_000), ("x+1", inf), ("N0+", inf)]
)
def test_an_expression_needs_the_quantities_up_to_its_last(expr: str, needed: float) -> None:
    assert needed_quantities(expr) == needed


def label(expr: str, equation: str) -> Label:
    return Label(id="7", expr=expr, equation=equation, posterior=1.0, candidates=1, stage="all", ranker="em", others=())


@pytest.mark.parametrize(
    ("expr", "equation", "fits"),
    [("N0-N1", "x=5-3", True), ("N0-N1", "x=4/2", True), ("N0-N1", "x=3-5", False), ("N0-N2", "x=3-5", True)],
)
def test_a_label_of_other_quantities_is_refused_where_it_can_be_read(expr: str, equation: str, fits: bool) -> None:
    quantities = tuple(Quantity(value=v, surface=v, start=i, end=i + 1, token=i) for i, v in enumerate("53"))
    problem = Problem(id="7", text="53", tokens=("N0", "N1"), quantities=quantities, answer="2")
    if fits:
        check_label(label(expr, equation), problem)
    else:
        with pytest.raises(DataError, match=r"the label of problem 7 .* the corpus has 5, 3"):
            check_label(label(expr, equation), problem)
