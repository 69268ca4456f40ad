"""The public surface of weaksup: documented, typed, and imported only when it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import weaksup

ROOT = Path(__file__).resolve().parents[2]


def imported_names() -> list[str]:
    """What `weaksup/__init__.py` imports, at once or for type checkers."""
    tree = ast.parse(Path(weaksup.__file__).read_text("utf-8"))
    found = [
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level for alias in node.names
    ]
    return [name for name in found if name != "late_attributes"]


def test_what_is_exported_is_what_type_checkers_see() -> None:
    assert sorted(weaksup.__all__) == sorted(imported_names())


@pytest.mark.parametrize("name", weaksup.__all__)
def test_every_name_is_there_and_documented(name: str) -> None:
    if name in ("Ensemble", "Solver", "train_solver"):
        pytest.importorskip("torch")
    assert getattr(weaksup, name).__name__ == name
    assert f"`{name}`" in (ROOT / "docs/reference/weaksup.md").read_text("utf-8")


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'weaksup' has no attribute 'nope'"):
        weaksup.nope  # noqa: B018


def test_importing_it_loads_neither_numpy_nor_torch() -> None:
    code = (
        "import sys, weaksup; print([name for name in ('numpy', 'numba', 'torch', 'mathcanon') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
