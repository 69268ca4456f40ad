"""Exact values: a budget of bits, predicted before anything is computed."""

from decimal import Decimal
from fractions import Fraction

import pytest

import mathcanon as mc
from mathcanon.values import MAX_BITS, as_fraction

P, Q = 10**60 + 57, 10**60 + 99


@pytest.mark.parametrize(
    "text",
    [
        f"1/{P}^9999+1/{Q}^9999",
        "*".join(["9^9999"] * 4),
        "1/(" + "*".join(["9^9999"] * 4) + ")",
        "+".join([f"1/{P + i}^100" for i in range(0, 20, 2)]),
        "(9^9999)^9999",
        "((9^9999+1)^5)^5",
        "7^-9999/9^9999/9^9999/9^9999",
    ],
)
def test_a_value_past_the_budget_of_bits_is_refused(text: str) -> None:
    with pytest.raises(mc.LimitError, match=r"bits of an exact value|the exponent"):
        mc.evaluate(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9^9999-9^9999+1", 1),
        (f"2^{MAX_BITS // 20}/2^{MAX_BITS // 20}", 1),
        ("1^9999", 1),
        ("0^9999", 0),
        ("(-1)^9999", -1),
        ("+".join(["0.1"] * 1000), 100),
        ("*".join(["2"] * 500 + ["(1/2)"] * 500), 1),
    ],
)
def test_a_long_way_to_a_short_value_is_within_the_budget(text: str, value: int) -> None:
    assert mc.evaluate(text) == value


def test_the_values_that_fit_are_those_of_python() -> None:
    assert mc.evaluate("9^9999*7/3^4-1") == Fraction(9**9999 * 7, 3**4) - 1


def test_the_budget_is_for_the_values_of_operands_too() -> None:
    with pytest.raises(mc.LimitError):
        mc.evaluate("a*b", {"a": 2**60_000, "b": 3**40_000})


def test_a_decimal_with_a_long_exponent_is_refused() -> None:
    for text in ("1e999999999", "-1e-999999999"):
        with pytest.raises(mc.LimitError):
            as_fraction(Decimal(text))
    assert as_fraction(Decimal("0e999999999")) == 0
    assert as_fraction(Decimal("1.5e3")) == 1500


def test_a_record_past_the_budget_is_graded_without_its_value() -> None:
    text = f"1/{P}^9999+1/{Q}^9999"
    different = mc.grade(text, "5")
    assert (different, different.reason) == ("different", "the values differ, and are too large to show")
    assert mc.grade(f"1/{Q}^9999+1/{P}^9999", text) == "same-method"


def test_a_point_where_two_sides_differ_is_found_without_large_values() -> None:
    verdict = mc.equivalent(f"(a-2)*(a-1)*{P}^9999", f"(a-2)*(a-1)*{Q}^9999")
    assert not verdict
    assert verdict.point is None  # its values are past the budget
    small = mc.equivalent("(a-2)*(a-1)*b", "(a-2)*(a-1)*c")
    assert small.point is not None
    assert small.point["a"] > 2
    assert small.left == mc.evaluate("(a-2)*(a-1)*b", small.point)
