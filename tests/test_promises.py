"""Every promise of docs/promises.md names tests that hold it, and these tests exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")

_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def promises(page: str) -> list[str]:
    """The list items below the first section heading, each on one line.  Nothing else may stand there."""
    found: list[str] = []
    for line in page[page.index("\n## ") :].splitlines():
        if line.startswith("- "):
            found.append(line)
        elif line.startswith("  "):
            found[-1] += " " + line.strip()
        else:
            assert not line or line.startswith("## "), f"neither a heading nor part of a promise: {line}"
    return found


def functions_that_test(path: Path) -> set[str]:
    """The tests at the top of a file that are neither skipped nor expected to fail."""
    return {
        node.name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if not any(re.search(r"mark\.(skip|xfail)\b", ast.unparse(mark)) for mark in node.decorator_list)
    }


def untested(page: str) -> list[str]:
    """The promises without a test."""
    return [promise for promise in promises(page) if not _TEST.search(promise)]


def missing(page: str) -> list[str]:
    """The tests that a page names and that there are not."""
    return [
        f"{path}::{name}"
        for path, name in sorted(set(_TEST.findall(page)))
        if not (ROOT / path).is_file()
        or not Path(path).name.startswith("test_")
        or name not in functions_that_test(ROOT / path)
    ]


def test_there_are_promises_in_every_section() -> None:
    sections = re.split(r"(?m)^## ", PAGE)[1:]
    assert len(sections) >= 6
    assert all(promises(f"\n## {section}") for section in sections)


def test_every_promise_names_a_test() -> None:
    assert untested(PAGE) == []


def test_every_named_test_exists() -> None:
    assert missing(PAGE) == []


def test_a_promise_without_a_test_is_noticed() -> None:
    page = "\n## Files\n\n- Kept. `tests/test_promises.py::test_every_promise_names_a_test`\n- Not kept.\n"
    assert untested(page) == ["- Not kept."]
    with pytest.raises(AssertionError, match="neither a heading"):
        promises(f"{page}\nA promise in passing.\n")


@pytest.mark.parametrize(
    "named", ["tests/test_promises.py::test_none", "tests/none.py::test_a", "tests/conftest.py::x"]
)
def test_a_test_that_is_not_there_is_noticed(named: str) -> None:
    assert missing(f"`{named}`") == [named]
