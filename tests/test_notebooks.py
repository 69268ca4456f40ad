"""The notebooks of the docs run from top to bottom, in an empty folder, and are kept in git without outputs."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import sympy
from sympy.parsing.sympy_parser import parse_expr

import mathcanon as mc

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_no_outputs_in_git(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [cell["id"] for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_first_cell_installs_the_package_only_if_it_is_missing(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    first = "".join(next(cell for cell in cells if cell["cell_type"] == "code")["source"])
    before, _, after = first.partition("except ModuleNotFoundError:\n")
    assert "import mathcanon" in before
    assert after.startswith("    %pip install")
    assert all(not "".join(cell["source"]).count("%pip") for cell in cells[2:])


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """The tour after it was run, and the folder where that was."""
    nbclient = pytest.importorskip("nbclient", reason="notebooks are run by nbclient (extra docs)")
    nbformat = pytest.importorskip("nbformat")
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(ROOT / "docs/notebooks/tour.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook, folder


def shown(notebook: Any, kind: str) -> list[str]:
    """What its cells show in one MIME type."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output["data"][kind] for output in outputs if kind in output.get("data", {})]


def function(text: str) -> sympy.Expr:
    """The rational function of a line, read by SymPy."""
    plain = (
        text.replace("×", "*")
        .replace("^", "**")
        .replace(r"\frac{a^2-b^2}{a-b}".replace("^", "**"), "(a**2-b**2)/(a-b)")
    )
    return sympy.cancel(parse_expr(plain))


def test_the_tour_leaves_a_file_with_one_of_each_function(tour: tuple[Any, Path]) -> None:
    _, folder = tour
    given = (folder / "expressions.txt").read_text("utf-8").split("\n")[:-1]
    kept = (folder / "unique.txt").read_text("utf-8").split("\n")[:-1]
    readable = [line for line in given if line != "2a"]
    assert all(sympy.cancel(function(one) - function(other)) != 0 for one, other in combinations(kept, 2))
    assert {function(line) for line in readable} == {function(line) for line in kept}


def test_the_tour_shows_trees_a_counterexample_and_a_chart(tour: tuple[Any, Path]) -> None:
    notebook, _ = tour
    assert len(shown(notebook, "image/svg+xml")) == 3
    assert len(shown(notebook, "image/png")) == 1
    assert any("not equivalent: at" in page for page in shown(notebook, "text/html"))


def test_the_tour_has_a_label_for_each_story(tour: tuple[Any, Path]) -> None:
    notebook, _ = tour
    said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    assert "candidates for 100 problems" in said
    assert "of the labels mean the same as the gold equation" in said
    assert mc.equivalent(shown(notebook, "text/plain")[-2].removeprefix("Expr('").removesuffix("')"), "(N0+N1)*N2")
