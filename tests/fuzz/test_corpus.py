"""Every text that once broke something, and the oracle itself."""

from fractions import Fraction

import pytest

from .checks import check, check_pair
from .corpus import PAIRS, TEXTS
from .oracle import Undefined, Unreadable, value_at


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:20]))
def test_nothing_but_a_clear_refusal_leaves_a_public_function(text: str) -> None:
    check(text)


@pytest.mark.parametrize(("left", "right"), PAIRS, ids=lambda text: ascii(text[:20]))
def test_verdicts_are_those_of_the_oracle(left: str, right: str) -> None:
    check_pair(left, right)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a-b-2", -3),
        ("2*3+4*5", 26),
        ("8/4/2", 1),
        ("-2^2", -4),
        ("2 ** 3 ** 2", 512),
        ("2^-2^2", Fraction(1, 16)),
        ("a²³*0+2⁻¹", Fraction(1, 2)),
        ("40 % * 3( 1 / 2 )", Fraction(7, 5)),
        ("[.5]+{2.}", Fraction(5, 2)),
        ("2^(8-6)*5((1)/(2))", 22),
    ],
)
def test_the_oracle_knows_arithmetic(text: str, value: Fraction) -> None:
    assert value_at(text, {"a": Fraction(2), "b": Fraction(3)}) == value


@pytest.mark.parametrize("text", ["", "2a", "a b", "(a]", "a^b", "a^0.5", "+a", "1e5", "a^(1/0)", ".", "2(a)"])
def test_the_oracle_refuses_what_is_not_in_the_grammar(text: str) -> None:
    with pytest.raises(Unreadable):
        value_at(text, {"a": Fraction(2), "b": Fraction(3)})


@pytest.mark.parametrize("text", ["1/(a-a)", "0*(1/0)", "0^-1", "1/(1/(2-a))"])
def test_the_oracle_sees_a_division_by_zero(text: str) -> None:
    with pytest.raises(Undefined):
        value_at(text, {"a": Fraction(2)})
