"""Equations at mentioned level, against values at random points: a 1 or 0 of the text is a variable."""

from __future__ import annotations

from fractions import Fraction

import pytest

from weaksup.meaning.mentioned_level import mentioned_equation_function, mentioned_expression_function
from weaksup.meaning.value_level import equation_function

from .functions_by_points import EXPRS, VALUES, function_of, literal, points


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_expressions_mean_the_same_where_they_agree_at_random_points(values: tuple[Fraction, ...]) -> None:
    at = points(values, ())  # 1 and 3.14 are themselves only where the text does not mention them
    expected = [function_of(expr, values, at) for expr in EXPRS]
    found = [mentioned_expression_function(expr, values) for expr in EXPRS]
    for i, one in enumerate(EXPRS):
        assert (found[i] is None) == (expected[i] is None), one
        for j, other in enumerate(EXPRS[:i]):
            assert (found[i] == found[j]) == (expected[i] == expected[j]), (one, other)


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_an_equation_in_numbers_means_the_expression_it_was_written_from(values: tuple[Fraction, ...]) -> None:
    for expr in EXPRS:
        found = mentioned_equation_function(literal(expr, values), values)
        assert found == mentioned_expression_function(expr, values), expr


def test_only_a_mentioned_one_can_not_be_left_out() -> None:
    needless, plain = "x=140*58/1", "x=140*58"
    for values, same in (([140, 58, 1], False), ([140, 58], True)):
        exact = [Fraction(value) for value in values]
        assert (mentioned_equation_function(needless, exact) == mentioned_equation_function(plain, exact)) is same
        assert equation_function(needless, exact) == equation_function(plain, exact)


@pytest.mark.parametrize("text", ["(2", "y+2", "N0", "", "2/(2-2)"])
def test_what_can_not_be_read_or_has_no_value_means_nothing(text: str) -> None:
    assert mentioned_equation_function(f"x={text}", [Fraction(2)]) is None


@pytest.mark.parametrize("expr", ["N0+", "N1", "x", "N0/(N0-N0)"])
def test_an_expression_that_is_none_means_nothing(expr: str) -> None:
    assert mentioned_expression_function(expr, [Fraction(2)]) is None
