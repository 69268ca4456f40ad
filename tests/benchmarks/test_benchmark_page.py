"""The tables of docs/benchmarks.md and of README.md are those of the recorded results."""

from __future__ import annotations

from pathlib import Path

import doc_tables
import pytest


@pytest.mark.parametrize("path", doc_tables.PAGES, ids=lambda path: path.name)
def test_the_tables_of_the_page_are_those_of_the_results(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert doc_tables.fill(page) == page, "run: python benchmarks/run.py --only tables"


def test_every_table_is_on_one_page() -> None:
    pages = "".join([path.read_text(encoding="utf-8") for path in doc_tables.PAGES])
    for name in doc_tables.TABLES:
        assert pages.count(f"<!-- table {name} -->") == 1


def test_a_table_shows_both_builds_and_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def facts(speed: float, right: float, **times: float) -> dict[str, object]:
        more = {"times": times} if times else {}
        return {"mixed": {"pairs": 40, "pairs_per_second": speed, "right_percent": right, "no_answer": 0, **more}}

    recorded = {
        "pairs": 40,
        "rows": [
            {"peer": "mathcanon", "build": "compiled", "sets": facts(98765.4, 100)},
            {"peer": "mathcanon", "build": "pure", "sets": facts(9876.54, 100)},
            {"peer": "hasty", "build": None, "sets": facts(200000, 72.84, compiled=0.5, pure=0.05)},
            {"peer": "slow", "build": None, "sets": facts(10, 100, compiled=9876.5, pure=987.65)},
            {"peer": "absent", "build": None, "missing": "not installed"},
        ],
    }
    monkeypatch.setattr(doc_tables, "result", lambda name: recorded)
    assert doc_tables.equivalence("mixed").splitlines() == [
        "|  | pairs a second | time, compiled = 1 | time, pure Python = 1 | right |",
        "| --- | --- | --- | --- | --- |",
        "| mathcanon, compiled | 98,800 |  |  | 100% |",
        "| mathcanon, pure Python | 9,880 |  |  | 100% |",
        "| slow | 10 | 9,880 | 988 | 100% |",
        "| hasty | 200,000 | 0.5 | 0.05 | 72.8% |",
    ]
