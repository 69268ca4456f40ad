"""Every function that takes an expression takes text, Expr, exact numbers and SymPy expressions."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import sympy

import mathcanon as mc

FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "canonical": mc.canonical,
    "key": mc.key,
    "key by value": lambda x: mc.key(x, by="value"),
    "signed_class": mc.signed_class,
    "fingerprint": mc.fingerprint,
    "evaluate": lambda x: mc.evaluate(x, {"a": 3}),
    "render": mc.render,
    "to_sympy": mc.to_sympy,
    "to_networkx": lambda x: mc.from_networkx(mc.to_networkx(x)),
    "tree_text": mc.tree_text,
    "tree_svg": mc.tree_svg,
    "draw": mc.draw,
    "rank": mc.rank,
    "equivalent": lambda x: mc.equivalent(x, "2.5").to_dict(),
    "equivalent to": lambda x: mc.equivalent("2.5", x).to_dict(),
    "grade": lambda x: mc.grade(x, "2.5"),
    "grade against": lambda x: mc.grade("2.5", x),
    "dedupe": lambda x: len(list(mc.dedupe([x, "2.5"], by="value"))),
    "Deduper": lambda x: x in mc.Deduper(["2.5"]),
    "expressions": lambda x: list(mc.expressions([x, "b"])),
    "plus": lambda x: mc.Operand("b") + x,
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("5", 5),
        ("2.5", Fraction(5, 2)),
        ("2.5", Decimal("2.50")),
        ("5", sympy.Integer(5)),
        ("a", sympy.Symbol("a")),
        ("a", mc.parse("a")),
    ],
    ids=["int", "Fraction", "Decimal", "sympy number", "sympy", "Expr"],
)
def test_an_expression_is_given_in_any_of_these_ways(function: str, text: str, given: object) -> None:
    assert FUNCTIONS[function](given) == FUNCTIONS[function](text)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "given", [None, True, 2.5, b"a", ["a"], Decimal("nan"), object()], ids=lambda x: type(x).__name__
)
def test_anything_else_is_a_type_error_that_says_so(function: str, given: object) -> None:
    with pytest.raises(TypeError, match=r"expression is given as text|not a number"):
        FUNCTIONS[function](given)


def test_dedupe_can_skip_or_keep_what_is_not_an_expression() -> None:
    given: list[Any] = ["a+b", "a+", None, "b+a", "a+", "a^99999", 5, "5"]
    assert list(mc.dedupe(given, errors="skip")) == ["a+b", 5]
    assert list(mc.dedupe(given, errors="keep")) == ["a+b", "a+", None, "a+", "a^99999", 5]
    firsts = mc.dedupe(given)
    assert next(firsts) == "a+b"
    with pytest.raises(mc.ParseError):
        next(firsts)
    with pytest.raises(ValueError, match="one of raise, skip, keep"):
        mc.dedupe([], errors="ignore")
