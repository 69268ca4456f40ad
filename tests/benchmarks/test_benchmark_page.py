"""The tables of README.md, docs/benchmarks.md and docs/results.md are those of the recorded results."""

from __future__ import annotations

from pathlib import Path

import doc_tables
import pytest
import result_tables

from weaksup.report import published


@pytest.mark.parametrize("path", doc_tables.PAGES, ids=lambda path: path.name)
def test_the_tables_of_the_page_are_those_of_the_results(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert doc_tables.fill(page) == page, "run: python benchmarks/run.py --only tables"


def test_every_table_is_on_a_page_and_on_none_twice() -> None:
    pages = [path.read_text(encoding="utf-8") for path in doc_tables.PAGES]
    for name in doc_tables.TABLES:
        counts = [page.count(f"<!-- table {name} -->") for page in pages]
        assert max(counts) == 1, name


def test_tables_with_the_paper_s_labels_say_how_it_judged_them() -> None:
    right_labels = (published.ARM_LABELS["beam"], published.MICRO_BY_QUANTITIES["ours"]["1"])
    tables = {name: make() for name, make in doc_tables.TABLES.items()}
    judged = {name for name, text in tables.items() if any(f"| {figure} |" in text for figure in right_labels)}
    assert judged == {"labels", "labels-by-size"}
    assert judged == {name for name, text in tables.items() if published.CHECKER in text}


def test_the_headline_chart_is_that_of_the_results() -> None:
    recorded = (doc_tables.HERE.parent / "docs" / "images" / "headline.svg").read_text(encoding="utf-8")
    assert result_tables.draw_headline()[0] == recorded, "run: python benchmarks/run.py --only chart"


def test_a_row_without_a_record_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def cell(shown: str) -> dict[str, object]:
        return {"shown": shown, **({"value": float(shown.split(" ")[0])} if shown[0].isdigit() else {})}

    def row(name: str, test: str) -> dict[str, object]:
        heads = ("recall, here", "recall, paper", "micro, here", "macro, here", "valid, here", "test, here")
        cells = {**{head: cell(test) for head in heads}, "test, paper": cell("54.3 ± 0.5")}
        return {"name": name, "run": name, "arm": None, "cells": cells}

    recorded = {
        "parts": [{"title": "", "rows": [row("LBF", "not run"), row("WARM", "57.1 ± 0.4 (3)")]}],
        "runs": [{"run": "LBF", "models": []}, {"run": "WARM", "models": [{"epochs": 10.0}, {"epochs": 24.0}]}],
    }
    monkeypatch.setattr(result_tables, "_read", lambda name: recorded)
    found, paper = "57.1\u00a0±\u00a00.4", "54.3\u00a0±\u00a00.5"
    wanted = ["WARM", "24", *[found] * 6, paper]
    assert result_tables.baselines().splitlines()[2:] == [f"| {' | '.join(wanted)} |"]


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
        "|  | pairs per second | time, compiled = 1 | time, pure Python = 1 | right |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| mathcanon, compiled | 98,800 |  |  | 100% |",
        "| mathcanon, pure Python | 9,880 |  |  | 100% |",
        "| slow | 10 | 9,880 | 988 | 100% |",
        "| hasty | 200,000 | 0.5 | 0.05 | 72.8% |",
    ]
