"""What notebooks show of expressions and verdicts: well-formed, escaped, bounded, and nothing for large trees."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import given, settings

import mathcanon as mc
from mathcanon.expr import Expr, make_number
from mathcanon.notation.tree_nodes import tree_nodes
from mathcanon.testing import expressions

DEEP = "(" * 24 + "a" + "+b)*c" * 24  # 97 nodes, one below the other
WIDE = "+".join(["a"] * 5_000)


def elements(markup: str) -> list[ET.Element]:
    """The elements of a piece of HTML, which is also XML here; ParseError if it is not well-formed."""
    return list(ET.fromstring(f"<all>{markup}</all>").iter())


def words(markup: str) -> str:
    return " ".join("".join(ET.fromstring(f"<all>{markup}</all>").itertext()).split())


@settings(max_examples=50, deadline=None)
@given(expressions(max_leaves=12))
def test_a_small_expression_is_a_picture_with_a_shape_for_each_node(expr: Expr) -> None:
    svg = expr._repr_svg_()
    assert svg is not None
    classes = [element.get("class") for element in ET.fromstring(svg)]
    assert len([name for name in classes if name in ("operator", "operand", "number")]) == len(tree_nodes(expr))
    page = expr._repr_html_()
    assert page is not None
    assert svg in page
    assert [element.text for element in elements(page) if element.tag == "code"] == [str(expr)]


@pytest.mark.parametrize("text", [WIDE, "a" + "^2*b+c" * 200])
def test_a_large_expression_is_left_to_its_repr(text: str) -> None:
    expr = mc.parse(text)
    assert expr._repr_svg_() is None
    assert expr._repr_html_() is None


def test_a_tree_of_a_hundred_nodes_is_drawn_and_one_of_a_hundred_and_one_is_not() -> None:
    assert mc.parse("+".join(["a"] * 99))._repr_svg_() is not None
    assert mc.parse("+".join(["a"] * 100))._repr_svg_() is None


def test_a_deep_expression_is_drawn() -> None:
    assert mc.parse(DEEP)._repr_html_() is not None


def test_a_strange_spelling_is_escaped() -> None:
    page = (make_number(Fraction(1, 2), text="<script>&\x00") + mc.Operand("a"))._repr_html_()
    assert page is not None
    assert "<script" not in page
    assert "script" not in {element.tag for element in elements(page)}


def test_the_repr_of_a_verdict_shows_where_the_two_differ() -> None:
    shown = repr(mc.equivalent("a*(b+c)", "a*b+c"))
    assert shown.startswith("Verdict(equivalent=False, reason='counterexample', ")
    point = dict(pair.split("=") for pair in re.findall(r"point='([^']*)'", shown)[0].split(", "))
    sides = re.findall(r"(?:left|right)='([^']*)'", shown)
    a, b, c = (int(point[name]) for name in "abc")
    assert [int(side) for side in sides] == [a * (b + c), a * b + c]


def test_the_repr_of_numbers_that_differ_has_no_point_to_name() -> None:
    assert repr(mc.equivalent("2*2", "5")).endswith("point='', left='4', right='5')")


@pytest.mark.parametrize(("left", "right"), [("a+b", "b+a"), ("a/(b-b)", "a"), ("a/a", "1")])
def test_the_repr_of_other_verdicts_has_no_counterexample(left: str, right: str) -> None:
    assert "point" not in repr(mc.equivalent(left, right))


def test_a_long_verdict_is_cut() -> None:
    verdict = mc.equivalent(WIDE + "+b", "+".join([f"x{i}" for i in range(3_000)]))
    assert len(repr(verdict)) < 1_000
    assert len(verdict._repr_html_()) < 2_000


def test_a_verdict_in_a_notebook_says_what_its_summary_and_notes_say() -> None:
    verdict = mc.equivalent("a/a", "1")
    shown = words(verdict._repr_html_())
    assert shown.startswith(verdict.summary)
    assert all(note in shown for note in verdict.notes)
    assert [element.text for element in elements(verdict._repr_html_()) if element.tag == "code"] == ["a/a", "1"]


def test_the_sides_of_a_verdict_are_escaped() -> None:
    odd = make_number(Fraction(1, 2), text="<b>&")
    page = mc.equivalent(odd, "a")._repr_html_()
    assert "b" not in {element.tag for element in elements(page)}
