"""Pictures of graphs: what they show, and what happens without a font or without matplotlib."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from mathcanon.drawing import MissingExtraError
from weaksup.corpora import read_corpus
from weaksup.errors import ConfigError
from weaksup.records import Problem
from weaksup.report import graph_drawing
from weaksup.report.graph_drawing import draw_graph, problem_graph


def story(place: int) -> Problem:
    return read_corpus("stories", size=13).problems[place]


def test_the_graph_has_both_kinds_of_edges_and_what_is_asked_for() -> None:
    problem = story(6)
    graph = problem_graph(problem)
    kinds = {(problem.tokens[a], problem.tokens[b], kind) for a, b, kind in graph.edges(data="kind")}
    assert problem.text.startswith("Ravi has 10 stickers. Samuel has 4 fewer stickers")
    assert {("10", "4", "comparison"), ("10", "4", "shared"), ("4", "fewer", "cell"), ("10", "Ravi", "cell")} <= kinds
    assert [problem.tokens[node] for node, role in graph.nodes(data="role") if role == "asked"] == ["many"]


@pytest.mark.parametrize(("ending", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PNG", b"\x89PNG")])
def test_a_picture_is_the_same_bytes_again(tmp_path: Path, ending: str, begins: bytes) -> None:
    pytest.importorskip("matplotlib")
    one, other = tmp_path / f"one{ending}", tmp_path / f"other{ending}"
    assert draw_graph(story(3), one) == draw_graph(story(3), other) == {}
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes().startswith(begins)


def test_every_colour_of_an_svg_has_one_for_dark_screens(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw_graph(story(6), tmp_path / "a.svg")
    dark, _, drawn = (tmp_path / "a.svg").read_text(encoding="utf-8").partition("</style>")
    used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", drawn))
    assert "prefers-color-scheme: dark" in dark
    assert len(used) > 5
    assert [colour for colour in used if f'"{colour}"' not in dark] == []


def test_words_that_no_font_has_are_drawn_as_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(graph_drawing, "_font_with", lambda letters: None)
    problem = story(12)
    stands_for = draw_graph(problem, tmp_path / "a.svg")  # a letter without a glyph would be a warning, here an error
    assert stands_for and all(problem.tokens[int(label[1:])] == word for label, word in stands_for.items())


def test_a_font_is_one_that_has_every_letter() -> None:
    pytest.importorskip("matplotlib")
    assert graph_drawing._font_with("each 12 café") is not None
    assert graph_drawing._font_with("\U0010fffd") is None  # nobody draws private letters but the font of last resort


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"a\.jpg: the name of a picture must end in \.png or \.svg"):
        draw_graph(story(0), tmp_path / "a.jpg")


def test_without_matplotlib_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[draw\]"):
        draw_graph(story(0), tmp_path / "a.png")


def test_a_problem_without_edges_is_drawn_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw_graph(Problem(id="", text="?", tokens=("?",), quantities=(), answer="1", language="en"), tmp_path / "a.png")
    assert (tmp_path / "a.png").exists()
