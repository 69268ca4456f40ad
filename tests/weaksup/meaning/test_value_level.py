"""Equations at value level, against values at random points."""

from __future__ import annotations

from fractions import Fraction

import pytest

from weaksup.meaning.value_level import equation_function, expression_function, value_names

from .functions_by_points import EXPRS, VALUES, function_of, literal, points

CONSTANTS = [Fraction(0), Fraction(1), Fraction("3.14")]


def fractions_of(*values: str) -> list[Fraction]:
    return [Fraction(value) for value in values]


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_expressions_mean_the_same_where_they_agree_at_random_points(values: tuple[Fraction, ...]) -> None:
    at = points(values, CONSTANTS)
    expected = [function_of(expr, values, at) for expr in EXPRS]
    found = [expression_function(expr, values) for expr in EXPRS]
    for i, one in enumerate(EXPRS):
        assert (found[i] is None) == (expected[i] is None), one
        for j, other in enumerate(EXPRS[:i]):
            assert (found[i] == found[j]) == (expected[i] == expected[j]), (one, other)


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_an_equation_in_numbers_means_the_expression_it_was_written_from(values: tuple[Fraction, ...]) -> None:
    for expr in EXPRS:
        assert equation_function(literal(expr, values), values) == expression_function(expr, values), expr


def test_names_at_value_level() -> None:
    assert value_names(fractions_of("3", "1", "3", "0", "3.14", "4")) == {
        "N0": "N0", "N1": "1", "N2": "N0", "N3": "0", "N4": "3.14", "N5": "N5",
    }  # fmt: skip


def test_a_number_that_no_quantity_has_is_a_variable_of_its_own() -> None:
    values = fractions_of("2")
    assert equation_function("x=7*2", values) == equation_function("x=2*7", values)
    assert equation_function("x=7*2", values) != equation_function("x=14", values)
    assert equation_function("x=7*2", values) not in [expression_function(expr, values) for expr in ("N0", "N0*N0")]
    assert equation_function("x=2+(-7)", values) == equation_function("x=2-7", values)


def test_a_fraction_in_brackets_is_one_number_if_a_quantity_has_its_value() -> None:
    assert equation_function("x=30*(1/6)", fractions_of("30", "1/6")) == expression_function(
        "N0*N1", fractions_of("30", "1/6")
    )
    divided = fractions_of("30", "5", "6")
    assert equation_function("x=30*(5/6)", divided) == expression_function("N0*N1/N2", divided)


@pytest.mark.parametrize("equation", ["x=(2", "x=y+2", "x=pi*2", "", "x=2/(2-2)", "x=1/0"])
def test_what_can_not_be_read_or_has_no_value_means_nothing(equation: str) -> None:
    assert equation_function(equation, fractions_of("2")) is None


def test_an_expression_of_other_quantities_means_nothing() -> None:
    assert expression_function("N0+N2", fractions_of("2", "3")) is None


def test_the_law_of_structure_keeps_what_values_do_not_tell_apart() -> None:
    values = fractions_of("2", "3", "5")
    whole, expanded, turned = "N0*(N1+N2)", "N0*N1+N0*N2", "(N2+N1)*N0"
    assert expression_function(whole, values) == expression_function(expanded, values)
    by_structure = [expression_function(expr, values, law="structure") for expr in (whole, expanded, turned)]
    assert by_structure[0] == by_structure[2] != by_structure[1]
    assert equation_function("x=(3+5)*2", values, law="structure") == by_structure[0]
