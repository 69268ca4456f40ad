"""Pictures of trees: text, SVG, PNG."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings

from mathcanon import drawing
from mathcanon.drawing import DRAWINGS, MAX_NODES, MissingExtraError, draw, tree_png, tree_svg, tree_text
from mathcanon.errors import LimitError, MathCanonError
from mathcanon.expr import Expr, Operand, make_number
from mathcanon.notation.notations import parse, render
from mathcanon.notation.tree_nodes import tree_nodes
from mathcanon.testing import expressions

SVG = "{http://www.w3.org/2000/svg}"
BIG = "+".join(["a"] * MAX_NODES)  # the sum is one node more
DEEP = "(" * 300 + "a" + "+b)*c" * 300


def shapes(svg: str) -> list[tuple[float, float, float]]:
    """Centre and half width of each node's shape, in the order of the nodes."""
    found = []
    for element in ET.fromstring(svg):
        number = {name: float(value) for name, value in element.attrib.items() if name != "class" and name != "d"}
        if element.tag == f"{SVG}circle" and element.get("class") == "operator":
            found.append((number["cx"], number["cy"], number["r"]))
        elif element.tag == f"{SVG}rect":
            half = number["width"] / 2
            found.append((number["x"] + half, number["y"] + number["height"] / 2, half))
    return found


def png_size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_text_shows_signs_exponents_and_levels() -> None:
    assert tree_text("a-(b/c)^2*(-x)").splitlines() == [
        "sum",
        "├─ + a",
        "└─ - product",
        "   ├─ * power 2",
        "   │  └─ product",
        "   │     ├─ * b",
        "   │     └─ / c",
        "   └─ * sum",
        "      └─ - x",
    ]


def test_text_of_a_leaf_is_one_line() -> None:
    assert tree_text("N0") == "N0"
    assert tree_text("40%") == "40%"


@settings(max_examples=50, deadline=None)
@given(expressions())
def test_text_has_a_line_for_each_node(expr: Expr) -> None:
    assert len(tree_text(expr).splitlines()) == len(tree_nodes(expr))


@settings(max_examples=100, deadline=None)
@given(expressions(("a", "temp_long_name", "N10"), max_leaves=12))
def test_svg_nodes_do_not_overlap_and_stay_inside(expr: Expr) -> None:
    svg = tree_svg(expr)
    placed, nodes = shapes(svg), tree_nodes(expr)
    root = ET.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert len(placed) == len(nodes)
    levels: dict[float, list[tuple[float, float]]] = {}
    for x, y, half in placed:
        assert x - half >= 0
        assert x + half <= width + 0.5
        assert 16 <= y <= height - 16
        levels.setdefault(round(y), []).append((x - half, x + half))
    for level in levels.values():
        assert all(right < left for (_, right), (left, _) in pairwise(level))


@settings(max_examples=50, deadline=None)
@given(expressions(max_leaves=12))
def test_svg_parents_stand_over_the_middle_of_their_children(expr: Expr) -> None:
    placed, nodes = shapes(tree_svg(expr)), tree_nodes(expr)
    for i, (x, y, _) in enumerate(placed):
        below = [placed[k] for k, node in enumerate(nodes) if node.parent == i]
        if below:
            assert x == pytest.approx((below[0][0] + below[-1][0]) / 2, abs=0.2)
            assert all(child_y > y for _, child_y, _ in below)


def test_svg_says_what_it_shows() -> None:
    root = ET.fromstring(tree_svg("a-2*b"))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "a-2*b"
    assert root[1].tag == f"{SVG}desc"
    assert root[1].text == "Expression tree: 2 operands, 1 number, 1 sum, 1 product"


def test_svg_shows_labels_and_badges() -> None:
    written = [element.text for element in ET.fromstring(tree_svg("a-b/3^2")).iter(f"{SVG}text")]
    assert sorted(filter(None, written)) == sorted(["+", "a", "−", "×", "b", "÷", "^2", "3"])


def test_svg_is_self_contained_and_follows_the_page() -> None:
    svg = tree_svg("a-b")
    assert "prefers-color-scheme: dark" in svg
    assert "currentColor" in svg
    assert "href" not in svg
    assert "url(" not in svg
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]


def test_svg_escapes_what_stands_in_it() -> None:
    svg = tree_svg(make_number(Fraction(1, 2), text='<script>&"\x00') + Operand("a"))
    texts = [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]
    assert '<script>&"\ufffd' in texts


def test_svg_cuts_a_long_name_and_keeps_it_as_a_tooltip() -> None:
    name = "a_very_long_name_of_an_operand"
    root = ET.fromstring(tree_svg(f"{name}+b"))
    assert name not in [element.text for element in root.iter(f"{SVG}text")]
    assert [element.text for element in root.iter(f"{SVG}title")][1:] == [name]


def test_png_has_the_shape_of_the_svg() -> None:
    png = tree_png("a*(b-c)/2", scale=1)
    root = ET.fromstring(tree_svg("a*(b-c)/2"))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png_size(png) == pytest.approx((float(root.attrib["width"]), float(root.attrib["height"])), abs=1)


def test_png_takes_a_dollar_and_control_characters_as_text() -> None:
    assert tree_png(make_number(Fraction(2), text="$\\frac{$\n") + Operand("a")).startswith(b"\x89PNG")


def test_png_of_a_wide_tree_is_scaled_down_to_a_size_that_opens() -> None:
    width, height = png_size(tree_png("+".join(["a"] * 400), scale=50))
    assert width * height <= 16_100_000
    assert width <= 30_000


def test_png_without_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"\[draw\]") as caught:
        tree_png("a-b")
    assert isinstance(caught.value, MathCanonError)


def test_drawing_loads_matplotlib_only_for_a_png() -> None:
    code = "import sys, mathcanon.drawing as d; d.tree_svg('a-b'); d.tree_text('a'); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("picture", [tree_text, tree_svg, tree_png])
def test_a_tree_past_the_limit_is_refused(picture: object) -> None:
    with pytest.raises(LimitError) as caught:
        picture(BIG)  # type: ignore[operator]
    assert caught.value.limit == MAX_NODES
    assert caught.value.size == MAX_NODES + 1


def test_a_tree_at_the_limit_and_a_deep_tree_are_drawn() -> None:
    widest = BIG[2:]
    assert len(tree_text(widest).splitlines()) == MAX_NODES
    assert len(shapes(tree_svg(widest))) == MAX_NODES
    assert len(shapes(tree_svg(DEEP))) == parse(DEEP).size
    assert tree_text(DEEP).count("\n") == parse(DEEP).size - 1


def test_draw_gives_each_kind_of_picture() -> None:
    expr = parse("a-b")
    assert draw(expr, "svg") == tree_svg(expr)
    assert draw(expr, "txt") == draw(expr) == tree_text(expr)
    assert draw(expr, "dot") == render(expr, "dot")
    assert draw(expr, "png")[:8] == tree_png(expr)[:8]
    assert DRAWINGS == ("svg", "png", "txt", "dot")


def test_draw_refuses_an_unknown_kind() -> None:
    with pytest.raises(ValueError, match="unknown drawing 'gif'; one of svg, png, txt, dot"):
        draw("a", "gif")


def test_all_is_what_the_module_defines() -> None:
    assert all(hasattr(drawing, name) for name in drawing.__all__)
