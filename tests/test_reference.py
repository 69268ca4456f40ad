"""The reference pages: every public name is on them, and every function says what it takes and what comes back."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mathcanon
import weaksup

PAGES = Path(__file__).resolve().parents[1] / "docs" / "reference"
_ENTRY = re.compile(r"\.\. (?:py:)?currentmodule:: (\S+)|\.\. (auto\w+):: ([\w.]+)")


def entries(page: str) -> Iterator[tuple[str, str, str]]:
    """Module, directive and name of each entry of a page."""
    module = page
    for found in _ENTRY.finditer((PAGES / f"{page}.md").read_text("utf-8")):
        module = found[1] or module
        if found[2]:
            yield module, found[2], found[3]


def named(module: str, name: str) -> Any:
    """What an entry stands for: a name in the module, or one with its own module before it."""
    place = import_module(module)
    for part in name.split("."):
        if not hasattr(place, part):
            module, _, last = name.rpartition(".")
            return getattr(import_module(module), last)
        place = getattr(place, part)
    return place


FUNCTIONS = [
    (module, name)
    for page in ("mathcanon", "weaksup")
    for module, directive, name in entries(page)
    if directive == "autofunction"
]


@pytest.mark.parametrize("package", [mathcanon, weaksup], ids=lambda package: package.__name__)
def test_every_public_name_is_in_the_reference(package: Any) -> None:
    text = (PAGES / f"{package.__name__}.md").read_text("utf-8")
    assert [name for name in package.__all__ if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize(("module", "name"), FUNCTIONS, ids=lambda value: value)
def test_a_function_documents_its_parameters_and_what_comes_back(module: str, name: str) -> None:
    function = inspect.unwrap(named(module, name))
    documented = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    heads = re.search(r"Parameters\n-+\n(.*?)(?:\n\n|$)", documented, re.DOTALL)
    said = re.findall(r"[*\w]+", " ".join(re.findall(r"^\S.*$", heads[1], re.MULTILINE))) if heads else []
    assert [
        parameter for parameter in signature.parameters if parameter not in {word.strip("*") for word in said}
    ] == []
    assert signature.return_annotation == "None" or re.search(r"(Returns|Yields)\n-+\n", documented)
