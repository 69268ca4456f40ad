"""`mwp-weak baseline`: both baselines on a few stories, what they print, and what they refuse."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import msgspec
import pytest
import torch
from click.testing import CliRunner, Result
from mwp_cli.weak import main

from weaksup.records import Label

TINY = ("--size", 40, "--hidden", 8, "--epochs", 2, "--batch-size", 8, "--seed", 2, "--device", "cpu", "--threads", 1)
EXTRAS = {"lbf": ("--memory", "--walk", 2), "warm": ("--beam", "--beam-size", 100, "--draws", 2)}


def run(*args: object) -> Result:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert "Traceback" not in result.stderr
    return result


def refusal(*args: object) -> str:
    """The one line of a command that refuses its input."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.splitlines()[-1].removeprefix("error: ")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    torch.set_num_threads(1)
    made = {name: tmp_path_factory.mktemp("baseline") / name for name in EXTRAS}
    for name, folder in made.items():
        result = run("baseline", name, *EXTRAS[name], *TINY, "-o", folder)
        assert result.exit_code == 0, result.stderr
        (folder.parent / "printed").write_text(result.stdout)
    return made


@pytest.mark.parametrize("name", EXTRAS)
def test_recall_accuracy_and_answers_are_printed_by_number_of_quantities(name: str, folders: dict[str, Path]) -> None:
    title, head, *rows, blank, report = (folders[name].parent / "printed").read_text().splitlines()
    assert (blank, report) == ("", str(folders[name] / "report.html"))
    labels = len((folders[name] / "labels.jsonl").read_text().splitlines())
    assert title.startswith(f"{folders[name]}: ") and title.endswith(f", {labels} labels")
    assert head.split() == ["quantities", "train", "recall", "micro", "macro", "test", "answers"]
    assert rows[-1].split()[0] == "all"
    train = [int(row.split()[1]) for row in rows]
    assert sum(train[:-1]) == train[-1]
    assert all(re.fullmatch(r"\s*\S+(\s+(\d+|[\d.]+%|-)){6}", row) for row in rows)


@pytest.mark.parametrize("name", EXTRAS)
def test_a_complete_run_prints_the_same_and_json_has_it_all(name: str, folders: dict[str, Path]) -> None:
    again = run("baseline", name, *EXTRAS[name], *TINY, "-o", folders[name])
    assert again.exit_code == 0
    assert again.stdout == (folders[name].parent / "printed").read_text()
    shown = json.loads(run("baseline", name, *EXTRAS[name], *TINY, "-o", folders[name], "--json").stdout)
    assert (shown["name"], shown["data"], len(shown["runs"])) == (name, "stories", 1)
    assert shown["runs"][0]["oracle"]["recall"] is not None
    assert "answer_accuracy" in shown["runs"][0]["evaluation"]


@pytest.mark.parametrize("name", EXTRAS)
def test_the_oracle_and_evaluate_take_what_was_made(name: str, folders: dict[str, Path]) -> None:
    metrics = json.loads((folders[name] / "metrics.json").read_bytes())["arms"][0]["runs"][0]
    found = json.loads(run("oracle", folders[name] / "labels.jsonl", "--split", "train", "--json").stdout)
    assert {key: found[key] for key in ("recall", "micro", "macro")} == {
        key: metrics["oracle"][key] for key in ("recall", "micro", "macro")
    }
    tested = json.loads(run("evaluate", folders[name] / "solver", "--device", "cpu", "--json").stdout)
    assert tested["answer_accuracy"] == metrics["evaluation"]["answer_accuracy"]


@pytest.mark.parametrize("name", EXTRAS)
def test_the_report_can_be_made_again(name: str, folders: dict[str, Path]) -> None:
    page = (folders[name] / "report.html").read_bytes()
    (folders[name] / "report.html").unlink()
    assert run("report", folders[name]).stdout == f"{folders[name] / 'report.html'}\n"
    assert (folders[name] / "report.html").read_bytes() == page


@pytest.mark.parametrize("module", ["torch", "jinja2"])
def test_a_missing_extra_is_named_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    line = refusal("baseline", "lbf", *TINY, "-o", tmp_path / "run")
    assert "pip install" in line and "solver" in line
    assert not (tmp_path / "run").exists()


def test_labels_know_the_baseline(folders: dict[str, Path]) -> None:
    for name, folder in folders.items():
        label = msgspec.json.decode((folder / "labels.jsonl").read_bytes().splitlines()[0], type=Label)
        assert (label.stage, label.ranker) == (name, name)


def test_other_settings_are_refused(folders: dict[str, Path]) -> None:
    line = refusal("baseline", "lbf", *TINY, "-o", folders["lbf"])
    assert "was made with other settings: lbf.memory was True, now False; lbf.walk was 2, now 50" in line


def test_bad_settings_are_one_line(tmp_path: Path) -> None:
    assert "unknown preset" in refusal("baseline", "lbf", "--preset", "huge", "-o", tmp_path / "run")
    assert "unknown device" in refusal("baseline", "warm", "--device", "abacus", "-o", tmp_path / "run")
    (tmp_path / "notes.txt").write_text("mine")
    assert "holds no run" in refusal("baseline", "lbf", *TINY, "-o", tmp_path)
