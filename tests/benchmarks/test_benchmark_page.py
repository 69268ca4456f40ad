"""The tables of README.md, docs/benchmarks.md and docs/results.md are those of the recorded results."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

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


def test_solvers_have_columns_for_each_way_and_say_which_figures_have_fewer_seeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def row(name: str, valid: tuple[float, ...], test: tuple[float, ...]) -> dict[str, object]:
        cells = {f"{part}, here": seeds_cell(figures) for part, figures in (("valid", valid), ("test", test))}
        return {"name": name, "cells": {**cells, "test, paper": {"shown": "60.0 ± 0.3", "value": 60.0}}}

    name = "the paper's method"
    rows = [
        row(f"{name} (Beam Ranker)", (60.0, 62.0, 64.0), (61.0, 63.0, 65.0)),
        row(f"{name}, published settings", (40.0,), (41.0,)),  # for fewer epochs
        row(f"{name}, with answer model", (65.0,), (66.0, 67.0, 68.0)),
        row(f"{name}, with both models", (), (69.0, 71.0)),
        row("supervised", (70.0,), (72.0,)),
        row("LBF", (50.0,), (51.0,)),
    ]
    right = [{"name": f"{ranker} (all data)", "cells": {"`value`": seeds_cell(figures)}}
             for ranker, figures in (("Beam Ranker", (88.0, 90.0)), ("EM with drafts", (92.0,)))]  # fmt: skip
    tables = {
        "main-results": {"parts": [{"title": "GTS", "rows": rows}, {"title": "G2T", "rows": []}]},
        "equation-accuracy": {"parts": [{"rows": []}, {"rows": right}]},
    }
    monkeypatch.setattr(result_tables, "_read", tables.__getitem__)
    assert table_cells(result_tables.solvers()) == [
        [
            *("", "seeds", "valid", "test", "valid, answer model", "test, answer model"),
            *("valid, both models", "test, both models", "test, paper"),
        ],
        [
            "GTS, the paper's method (Beam Ranker)",
            "3",
            "62.0",
            "63.0",
            "65.0 (1)",
            "67.0",
            "",
            "70.0 (2)",
            "60.0 ± 0.3",
        ],
        ["GTS, supervised", "1", "70.0", "72.0", "", "", "", "", "60.0 ± 0.3"],
    ]
    headline = table_cells(result_tables.headline())
    assert headline[1:] == [
        ["answers alone, the paper's method", "3", "89.0 (2)", "63.0", "67.0", "70.0 (2)", "60.0 ± 0.3"],
        ["gold equations", "1", "", "72.0", "", "", "60.0 ± 0.3"],
    ]


def seeds_cell(figures: tuple[float, ...]) -> dict[str, object]:
    """A cell of a recorded table: the figures of some seeds, or of none."""
    if not figures:
        return {"shown": "not run"}
    several = {"seeds": figures} if len(figures) > 1 else {}
    return {"shown": f"{fmean(figures):.1f}", "value": fmean(figures), **several}


def table_cells(table: str) -> list[list[str]]:
    """The cells of a Markdown table, the head first."""
    lines = table.replace("\u00a0", " ").splitlines()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in (lines[0], *lines[2:])]


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
