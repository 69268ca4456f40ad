"""The names of operands: what is made of them agrees with evaluating their texts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mathcanon import evaluate, parse
from weaksup.meaning.operand_names import by_name, operand_leaf, operand_value, quantity_number, rename_operand

VALUES = [Fraction(2), Fraction(-3, 4), Fraction(7)]
NAMES = ["N0", "N1", "N2", "N0^2", "N1^3", "1", "3.14"]


@pytest.mark.parametrize("name", NAMES)
def test_an_operand_is_the_expression_of_its_text(name: str) -> None:
    assert operand_leaf(name) == parse(name)
    assert operand_value(name, VALUES) == evaluate(name, by_name(VALUES))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", ["N2", "0", "1", "3.14"])
def test_a_renamed_operand_has_the_value_of_the_new_name(name: str, other: str) -> None:
    renamed = rename_operand(name, {"N0": other, "N1": other})
    stand_in = evaluate(other, by_name(VALUES))
    assert evaluate(renamed, by_name(VALUES)) == evaluate(name, by_name([stand_in, stand_in, VALUES[2]]))
    if stand_in in (0, 1):  # whose powers are no operands of their own
        assert "^" not in renamed


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("N0", 0),
        ("N10", 10),
        ("N9999", 9999),
        ("N10000", None),
        ("N", None),
        ("n0", None),
        ("N0^2", None),
        ("N٣", None),
    ],
)
def test_only_a_quantity_has_a_number(name: str, number: int | None) -> None:
    assert quantity_number(name) == number
