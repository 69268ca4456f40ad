"""Keys by value: equal exactly where sympy, or brute force, says that two expressions are the same function."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from fractions import Fraction
from itertools import combinations

import pytest
import sympy
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import mathcanon as mc
from mathcanon.equality.normal_form import normal_form
from mathcanon.testing import expressions, rewrites

from .brute_force import all_trees, some_points, text, value
from .test_laws import is_undefined

law = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SMALL = expressions("ab", max_leaves=5)


def by_value(expr: mc.ExprLike) -> str:
    return mc.key(expr, by="value")


@law
@given(SMALL, SMALL)
def test_keys_by_value_are_equal_exactly_where_sympy_cancels_the_difference(left: mc.Expr, right: mc.Expr) -> None:
    assume(not is_undefined(left) and not is_undefined(right))
    same = sympy.cancel(sympy.together(mc.to_sympy(left) - mc.to_sympy(right))) == 0
    assert (by_value(left) == by_value(right)) == same


@law
@given(SMALL, st.sampled_from([sympy.expand, sympy.factor, sympy.together, sympy.cancel]))
def test_what_sympy_rewrites_keeps_its_key_by_value(expr: mc.Expr, rewrite: object) -> None:
    assume(not is_undefined(expr))
    assert callable(rewrite)
    rewritten = mc.from_sympy(rewrite(mc.to_sympy(expr)))
    assert by_value(rewritten) == by_value(expr)


@law
@given(st.data(), expressions())
def test_keys_by_value_do_not_change_under_rewrites(data: st.DataObject, expr: mc.Expr) -> None:
    assume(not is_undefined(expr))
    other = data.draw(rewrites(expr))
    assume(not is_undefined(other))  # a*z/b may be written as a/(b/z)
    assert by_value(other) == by_value(expr)


def test_keys_by_value_of_all_trees_are_as_many_as_their_functions() -> None:
    """All binary trees on four leaves, of which two are the same operand and one is a number."""
    named = {"a": "a", "b": "a", "c": "b", "d": "2"}
    points = [{**at, "b": at["a"], "d": Fraction(2)} for at in some_points("abc")]
    keys: dict[tuple[Fraction, ...], set[str]] = {}
    for tree in all_trees("abcd")[::3]:
        try:
            values = tuple([value(tree, at) for at in points])
        except ZeroDivisionError:
            continue
        keys.setdefault(values, set()).add(by_value(text(tree).translate(str.maketrans(named))))
    assert len(keys) > 400
    assert all(len(found) == 1 for found in keys.values())
    assert len(set.union(*keys.values())) == len(keys)


@pytest.mark.parametrize(
    ("expr", "form"),
    [
        ("0", "/1"),
        ("a-a", "/1"),
        ("1/2", "1/2"),
        ("-3/6*b", "-1 b^1/2"),
        ("-b/(a-b)", "1 b^1/-1 a^1,1 b^1"),
        ("16*x^2*y/(x*z)", "10 x^1 y^1/1 z^1"),
        ("(x2+x10)*c/c", "1 x10^1,1 x2^1/1"),
    ],
)
def test_the_normal_form_is_in_lowest_terms_with_sorted_monomials(expr: str, form: str) -> None:
    assert normal_form(expr) == form
    assert by_value(expr) == hashlib.blake2b(f"value {form}".encode(), digest_size=12).hexdigest()


def test_names_matter_and_operands_that_cancel_do_not() -> None:
    different = ["a", "b", "A", "pi", "a1", "2*a", "a^2", "1/a", "-a", "0", "1", "a+b", "a-b", "b-a", "a*b", "a/b"]
    assert all(by_value(one) != by_value(other) for one, other in combinations(different, 2))
    assert by_value("a*z/z") == by_value("a+z-z") == by_value("a")
    assert by_value("z+y+a") == by_value("a+y+z")  # whichever is met first


def test_an_expression_that_divides_by_zero_equals_only_its_like_in_structure() -> None:
    undefined = ["1/(a-a)", "1/(b-b)", "a/0", "(a-a)^-1*b", "a/(b/(c-c))"]
    keys = {by_value(expr) for expr in undefined}
    assert len(keys) == len(undefined)
    assert keys.isdisjoint(map(by_value, ["0", "1", "a", "b", "a*(c-c)/b"]))
    assert by_value("1/(a-a)") == by_value("1/(-a+a)")


@pytest.mark.parametrize(
    "expr",
    [
        "(x^9999+y^9999+1)*(x+y)/((x^9998*y+y^5000+2)*(x+y))",
        "(" + "+".join(f"a{i}" for i in range(30)) + ")^9",
        "*".join(f"(a{i}+b{i})" for i in range(22)),
    ],
    ids=["common factors", "expansion", "terms"],
)
def test_what_is_too_large_is_refused(expr: str) -> None:
    with pytest.raises(mc.LimitError):
        by_value(expr)


def test_another_way_to_compare_is_refused() -> None:
    with pytest.raises(ValueError, match="structure, value"):
        mc.key("a", by="looks")


def test_long_numbers_have_keys() -> None:
    long = "9" * 900
    assert by_value(f"({long}*a)^6") == by_value("*".join([f"a*{long}"] * 6))


#: Keys are stored by users, so they are an interface.  These were computed when keys by value were new.
KEYS = {
    "a": "436eab65835279949dadb692",
    "pi": "4b4e88c6917f6e7e81696bd7",
    "a+b": "a1892f2cbf3d41d1e49c6157",
    "a-b": "4f208faeee5e755073c972b1",
    "b-a": "19da8aaa867ba69d67e62bbf",
    "a*b+a*c": "c3a3561f5f39125d2b32991f",
    "(a^2-b^2)/(a-b)": "a1892f2cbf3d41d1e49c6157",
    "N0*N1/N2": "5d3860c6cd444d3b2bfcbd6f",
    "150*2-50": "baf1db865721e12dc57364a4",
    "40%*N0": "3579c5e3d63ad7058d0cb002",
    "3.14*r^2": "4cc84a90fd78eaa93cac4d55",
    "1/3+1/7": "9bb2316b513ad7038ce71975",
    "0": "a99e550f5ba812e310d5ff33",
    "1/(a-a)": "c7cdbda8391ac2780e032031",
    "temp_a^-2": "7739f2dabae6d623de2f1af4",
}


@pytest.mark.parametrize("expr", KEYS)
def test_a_key_by_value_never_changes(expr: str) -> None:
    assert by_value(expr) == KEYS[expr]


def test_keys_by_value_are_the_same_in_every_process() -> None:
    script = "import mathcanon; print(mathcanon.key('c*(a-b)/2.5^2+a*b', by='value'))"
    keys = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1")
    }
    assert keys == {by_value("b*a-(4*b/25-4*a/25)*c") + "\n"}
