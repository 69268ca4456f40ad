"""`mwp-weak data show --graph`: a picture of one problem's graph."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from mwp_cli.weak import main

from weaksup.report import graph_drawing


def run(*args: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["data", "show", "stories", "--size", "13", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_one_problem_is_drawn_and_printed(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, out, err = run("--id", "story-00006", "--graph", tmp_path / "a.png")
    assert (code, err) == (0, "")
    assert out.startswith("story-00006: Ravi has [N0=10] stickers.")
    assert out.endswith(f"  its graph: {tmp_path / 'a.png'}\n")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_without_an_id_it_is_the_first_problem(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, out, _ = run("--graph", tmp_path / "a.svg", "--json")
    found = json.loads(out)
    assert code == 0 and found["problem"]["id"] == "story-00000"
    assert found["picture"] == str(tmp_path / "a.svg") and found["cells"] and (tmp_path / "a.svg").exists()


def test_words_without_a_font_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(graph_drawing, "_font_with", lambda letters: None)
    code, out, _ = run("--id", "story-00012", "--graph", tmp_path / "a.png")
    assert code == 0
    lines = out.splitlines()
    assert "  no installed font has these letters; in the picture they are" in lines
    assert any(line.startswith("   ") and line.endswith(" 颗") for line in lines)


def test_another_kind_of_picture_is_refused(tmp_path: Path) -> None:
    code, out, err = run("--graph", tmp_path / "a.gif")
    assert (code, out) == (2, "")
    assert err == f"error: {tmp_path / 'a.gif'}: the name of a picture must end in .png or .svg\n"


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, _, err = run("--graph", tmp_path / "none" / "a.png")
    assert code == 2 and err.startswith("error: ") and err.count("\n") == 1


def test_without_matplotlib_the_line_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("--graph", tmp_path / "a.png")
    assert (code, out) == (2, "")
    assert err.startswith("error: drawing a graph needs matplotlib") and ".[draw]" in err and err.count("\n") == 1
