"""`python benchmarks/reproduce` as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from reproduce.place import Place
from reproduce.runs import RUNS
from reproduce.tables import TABLES

from .left_runs import leave_answers, leave_baseline, leave_taught, trained

ROOT = Path(__file__).resolve().parents[2]


def reproduce(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    places = ("--work", str(folder / "work"), "--data", str(folder / "data"), "--results", str(folder / "results"))
    command = [sys.executable, str(ROOT / "benchmarks" / "reproduce"), *arguments, *places]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


def test_list_names_every_table_and_every_run(tmp_path: Path) -> None:
    done = reproduce("list", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in [*TABLES, *RUNS])
    assert not any(tmp_path.iterdir())


def test_all_tables_can_be_written_without_running_anything(tmp_path: Path) -> None:
    done = reproduce("all", "--no-run", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert written == {f"{name}.{ending}" for name in TABLES for ending in ("json", "md")}
    assert not (tmp_path / "work").exists()
    assert "not run" in done.stdout
    for name in TABLES:
        record = json.loads((tmp_path / "results" / f"{name}.json").read_bytes())
        assert record["table"] == name


def test_figures_are_kept_when_the_runs_are_gone_unless_asked_not_to(tmp_path: Path) -> None:
    left = leave_baseline(Place(tmp_path / "work", tmp_path / "data"), "lbf", trained(0.44))
    assert "recorded earlier" not in reproduce("baselines", "--no-run", folder=tmp_path).stdout
    left.unlink()
    done = reproduce("baselines", "--no-run", folder=tmp_path)
    assert "| 44.0 |" in done.stdout
    assert "recorded earlier: lbf;" in done.stdout
    assert "44.0" not in reproduce("baselines", "--no-run", "--fresh", folder=tmp_path).stdout


def test_a_run_is_recorded_with_those_that_it_needs(tmp_path: Path) -> None:
    place = Place(tmp_path / "work", tmp_path / "data", seed=1)
    leave_answers(place, "middle-gts-paper", valid=0.61, test=0.6)
    leave_taught(place, "paper-draft", [0.5])
    leave_answers(place, "lbf", valid=0.5, test=0.5)  # no need of it
    done = reproduce("middle-gts-paper", "--seed", "1", "--no-run", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (tmp_path / "results" / "records").iterdir()}
    assert written == {"middle-gts-paper-seed-1.json", "paper-draft-seed-1.json"}  # nothing is there of search-paper


def test_a_run_that_fails_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    recorded = tmp_path / "results" / "search-statistics.md"
    recorded.parent.mkdir()
    recorded.write_text("what was recorded before")
    done = reproduce("search-statistics", "--only", "search-paper", folder=tmp_path)  # there are no data
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "search-paper: mwp-weak search failed" in line]
    assert "Traceback" not in done.stderr
    assert recorded.read_text() == "what was recorded before"


def test_a_broken_run_folder_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    broken = tmp_path / "work" / "equal-gts" / "metrics.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    done = reproduce("ablation", "--no-run", folder=tmp_path)
    assert done.returncode == 1
    assert str(broken) in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("no-such-table",), ("recall", "--only", "no-such-run")])
def test_a_wrong_name_is_exit_code_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert reproduce(*arguments, folder=tmp_path).returncode == 2


def test_math23k_is_read_from_where_the_environment_says(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "reproduce"), "search-statistics", "--only", "search-paper"]
    environment = {**os.environ, "MATHCANON_DATA": "no-such-folder"}
    command += ["--results", str(tmp_path / "results")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "--path no-such-folder/math23k/Math_23K.json.gz" in done.stderr


def test_the_queue_can_be_shown_without_running_anything(tmp_path: Path) -> None:
    done = reproduce("--queue", "--no-run", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    order = [line.split()[0] for line in done.stdout.splitlines()]
    assert order.index("search-full") < order.index("em-labels") < order.index("middle-gts-em")
    assert order.index("middle-gts-paper-seed-2") < order.index("middle-gts-basic") < order.index("lbf")
    assert not (tmp_path / "work").exists()


def test_a_run_can_be_named_and_fails_in_one_line(tmp_path: Path) -> None:
    done = reproduce("middle-gts-gold", "--seed", "1", folder=tmp_path)  # there are no data
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "middle-gts-gold: mwp-weak train failed" in line]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [(), ("lbf", "--queue")])
def test_a_table_a_run_or_the_queue_is_asked_for(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = reproduce(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert "name a table or a run, or give --queue" in done.stderr
