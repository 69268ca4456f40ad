"""Scales, colours and charts: round ticks, enough contrast, and pictures that say in words what they show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weaksup.measure.calibration import Bin
from weaksup.report.charts import SHAPES, Bar, Line, bar_chart, calibration_chart, line_chart, swatch
from weaksup.report.palette import DARK, LIGHT, SERIES, contrast, palette_css
from weaksup.report.scales import category_axis, nice_step, share_axis, value_axis

EVIL = "<script>&\"'"


def parsed(svg: str) -> ET.Element:
    """The picture as XML: well-formed, or this fails."""
    return ET.fromstring(svg)


def texts(svg: str, kind: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter("text") if element.get("class") == kind]


# --- scales -----------------------------------------------------------------------------------------------------------


@given(st.floats(1e-6, 1e9), st.integers(1, 10))
def test_steps_are_round_and_few(span: float, most: int) -> None:
    step = nice_step(span, most)
    assert span / step <= most * (1 + 1e-6)
    assert float(f"{step:e}".partition("e")[0]) in (1, 2, 2.5, 5)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.booleans(), st.booleans())
def test_an_axis_holds_its_values_and_its_ticks(values: list[float], zero: bool, tight: bool) -> None:
    axis = value_axis("x", values, zero=zero, tight=tight)
    slack = 1e-6 * (axis.high - axis.low)
    assert axis.low < axis.high
    assert all(axis.low - slack <= value <= axis.high + slack for value in values)
    assert all(axis.low - slack <= tick <= axis.high + slack for tick, _ in axis.ticks)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@example([0.7])  # 70 * 0.01 is a little more
def test_an_axis_of_shares_stays_within_0_and_100(values: list[float]) -> None:
    axis = share_axis("right", values, zero=False)
    assert 0 <= axis.low <= min(values) + 1e-9 and max(values) - 1e-9 <= axis.high <= 1 + 1e-9
    assert axis.ticks[-1][1].endswith("%")


# --- colours ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_everything_stands_out_from_its_background(colours: dict[str, str]) -> None:
    for text in ("text", "soft", "accent", "right", "wrong"):
        for back in ("page", "card"):
            assert contrast(colours[text], colours[back]) >= 4.5, (text, back)
    for text, back in (("right", "right-back"), ("wrong", "wrong-back"), ("mark-text", "mark"), ("soft", "raised")):
        assert contrast(colours[text], colours[back]) >= 4.5, (text, back)
    for i in range(SERIES):
        assert contrast(colours[f"s{i}"], colours["page"]) >= 3, f"s{i}"
    for kind in ("operator", "operand", "number", "badge"):
        assert contrast(colours["text"], colours[kind]) >= 4.5, kind
        assert contrast(colours[f"{kind}-line"], colours["card"]) >= 3, kind


def test_light_and_dark_have_the_same_colours_and_every_series_a_shape() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert len(set(SHAPES)) == SERIES
    assert palette_css().count("--page:") == 3  # light, dark by the system, dark by the button


# --- charts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [320, 480])
def test_a_line_chart_has_words_ticks_and_marks_inside_the_picture(width: int) -> None:
    lines = [
        Line("em", 0, ((0, 0.1), (500, 0.5), (1000, 0.8)), ((0, 0, 0.2), (1000, 0.7, 0.9))),
        Line("one", 1, ((5, 0.3),)),
    ]
    svg = line_chart(
        lines, key="k", title="T", description="D", x=value_axis("steps", [0, 1000]), y=share_axis("right"), width=width
    )
    root = parsed(svg)
    assert root.get("role") == "img"
    assert [(root.findtext(tag), root.find(tag).get("id")) for tag in ("title", "desc")] == [("T", "k-t"), ("D", "k-d")]  # type: ignore[union-attr]
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == ("k-t", "k-d")
    assert texts(svg, "label") == ["right", "steps"]
    places = [
        tuple(map(float, re.findall(r"[-\d.]+", mark.get("transform", ""))))
        for mark in root.iter("path")
        if mark.get("class", "").startswith("mark")
    ]
    assert len(places) == 4
    assert all(0 <= x <= width and 0 <= y <= 260 for x, y in places)
    assert "em, steps 1,000: 80.0%" in svg


def test_a_long_line_is_marked_now_and_then_and_at_its_end() -> None:
    line = Line("em", 0, tuple([(float(i), i / 100) for i in range(100)]))
    svg = line_chart(
        [line], key="k", title="", description="", x=value_axis("s", [0, 99]), y=share_axis("r"), width=480
    )
    assert 4 <= svg.count('class="mark') <= 8
    assert "s 99: 99.0%" in svg


def test_ticks_do_not_touch() -> None:
    names = [f"{1000 + i}" for i in range(30)]
    line = Line("em", 0, ((0.0, 0.5), (29.0, 0.5)))
    svg = line_chart(
        [line], key="k", title="", description="", x=category_axis("n", names), y=share_axis("r"), width=320
    )
    shown = [e for e in parsed(svg).iter("text") if e.get("text-anchor") == "middle" and e.get("class") == "tick"]
    assert 2 <= len(shown) < 12
    assert all(float(b.get("x", 0)) - float(a.get("x", 0)) >= 30 for a, b in pairwise(shown))


def test_bars_are_as_long_as_their_values() -> None:
    bars = [Bar("em", 0.8, "80.0 ± 1.0", 0, 0.01), Bar("random", 0.4, "40.0", 1), Bar("none", 0.0, "0.0", 2)]
    svg = bar_chart(
        bars, key="k", title="T", description="D", x=share_axis("right"), width=480, reference=(0.9, "gold labels")
    )
    widths = [float(rect.get("width", 0)) for rect in parsed(svg).iter("rect")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.2)
    assert 0 < widths[2] <= 1
    assert texts(svg, "value") == ["80.0 ± 1.0", "40.0", "0.0"]
    assert svg.count('class="whisker"') == 1 and "gold labels" in texts(svg, "label")


def test_whiskers_end_where_the_axis_does() -> None:
    bars = [Bar("best", 0.95, "95.0 ± 20.0", 0, 0.2), Bar("worst", 0.05, "5.0 ± 20.0", 1, 0.2)]
    svg = bar_chart(bars, key="k", title="", description="", x=share_axis("right"), width=480)
    grid = [float(x) for x in re.findall(r'class="grid" d="M([\d.]+)', svg)]
    ends = re.findall(r'class="whisker" d="M([-\d.]+) [\d.]+H([-\d.]+)M', svg)
    assert [float(ends[0][1]), float(ends[1][0])] == [max(grid), min(grid)]


def test_dots_stand_where_belief_and_truth_say() -> None:
    bins = [
        Bin(low=0.0, high=0.5, labels=10, posterior=0.25, right=0.25),
        Bin(low=0.5, high=1.0, labels=90, posterior=0.75, right=0.5),
        Bin(low=0.5, high=1.0, labels=5, posterior=0.75, right=None),
    ]
    svg = calibration_chart(bins, key="k", title="T", description="D", width=320)
    low, high = [{name: float(c.get(name, 0)) for name in ("cx", "cy", "r")} for c in parsed(svg).iter("circle")]
    assert low["r"] < high["r"] and low["cx"] < high["cx"] and low["cy"] > high["cy"]
    assert "50.0% of 90 labels are right" in svg


def test_names_are_escaped_and_nothing_has_a_style() -> None:
    line, bar = Line(EVIL, 0, ((0.0, 0.5), (1.0, 0.6))), Bar(EVIL, 0.5, EVIL)
    places, shares = category_axis(EVIL, [EVIL, "b"]), share_axis(EVIL)
    pictures = [
        line_chart([line], key="a", title=EVIL, description=EVIL, x=places, y=shares, width=320),
        bar_chart([bar], key="b", title=EVIL, description=EVIL, x=share_axis(EVIL), width=320, reference=(0.5, EVIL)),
    ]  # fmt: skip
    for svg in pictures:
        assert parsed(svg).findtext("title") == EVIL
        assert "<script" not in svg
    assert not re.search(r"\bstyle=|\bon\w+=", "".join([*pictures, swatch(0)]))


def test_no_bars_is_a_picture_too() -> None:
    parsed(bar_chart([], key="k", title="", description="", x=value_axis("n", []), width=320))
    parsed(calibration_chart([], key="k", title="", description="", width=320))
