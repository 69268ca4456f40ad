"""The normal form, against brute force over all binary trees."""

import subprocess
import sys
from collections import defaultdict

import pytest

import mathcanon as mc
from mathcanon.canonical import is_polar, signed_class

from .brute_force import all_trees, some_points, text, value


@pytest.mark.parametrize("operands", ["ab", "abc", "abcd"])
def test_equal_forms_and_equal_functions_are_the_same_for_all_trees(operands: str) -> None:
    points = list(some_points(operands))
    values_of_form = defaultdict(set)
    forms_of_value = defaultdict(set)
    for tree in all_trees(operands):
        form = mc.canonical(text(tree))
        at = tuple(value(tree, point) for point in points)
        values_of_form[form].add(at)
        forms_of_value[at].add(form)
    assert all(len(values) == 1 for values in values_of_form.values())
    assert all(len(forms) == 1 for forms in forms_of_value.values())
    assert len(values_of_form) == {2: 6, 3: 68, 4: 1170}[len(operands)]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a-(b-c)", "a+c-b"),
        ("c+a*b", "a*b+c"),
        ("(b+a)/(d*c)", "(a+b)/c/d"),
        ("(b-a)*(d-c)", "(a-b)*(c-d)"),
        ("(b-a)*c", "(b-a)*c"),
        ("-(a-b)", "b-a"),
        ("--a", "a"),
        ("a/(b/c)", "a*c/b"),
        ("N10+N9", "N9+N10"),
        ("1-a", "1-a"),
        ("2+a", "a+2"),
        ("a^2^1*a^1", "a*a^2"),
        ("(a^2)^3", "a^6"),
        ("(b-a)^2", "(a-b)^2"),
        ("(b-a)^3", "-(a-b)^3"),
        ("(2/4)*a", "a*0.5"),
        ("a+(-3)", "a-3"),
    ],
)
def test_examples(text: str, form: str) -> None:
    assert str(mc.canonical(text)) == form


@pytest.mark.parametrize("text", ["1+2", "a-a", "2*3*a", "a/a", "a+a", "a^0"])
def test_nothing_is_folded_cancelled_or_expanded(text: str) -> None:
    leaves = sorted(str(leaf) for leaf in mc.parse(text).leaves())
    assert sorted(str(leaf) for leaf in mc.canonical(text).leaves()) == leaves


@pytest.mark.parametrize("text", ["b-a", "b-a*c", "-(a+b*(c-d))", "(b-a)/(c-d)", "-(a*(b+c/(d-e)))", "b/a-c*(e-d)"])
def test_an_opposite_that_binary_operators_can_write_has_no_unary_minus(text: str) -> None:
    written = str(mc.canonical(text))
    assert not written.startswith("-")
    assert "(-" not in written
    assert mc.equivalent(written, text)


def test_the_sign_is_taken_out() -> None:
    assert signed_class("b-a") == (-1, mc.parse("a-b"))
    assert signed_class("(b-a)*(c-d)")[0] == -1
    assert signed_class("-a") == (-1, mc.parse("a"))
    assert is_polar(mc.parse("a*(b-c)"))
    assert not is_polar(mc.parse("a*(b+c)"))


def test_a_sum_that_is_its_own_opposite_has_one_form() -> None:
    assert mc.canonical("a-a") == mc.canonical("-(a-a)") == mc.canonical("-a+a")
    assert mc.canonical("(a-a)*b") == mc.canonical("-(a-a)*b")
    assert mc.canonical("a-a-b") == mc.canonical("-(b+a-a)")


def test_key_is_the_same_in_every_process() -> None:
    script = "import mathcanon; print(mathcanon.key('c*(a-b)/2.5^2'))"
    keys = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1")
    }
    assert keys == {mc.key("(b-a)*c/-2.5^2") + "\n"}
    assert mc.key("a-b") != mc.key("b-a")
