"""Run folders of the baselines: what is in them, the same bytes every time, and gold that nothing is learnt from."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
import torch

from mathcanon import evaluate
from weaksup.errors import ConfigError
from weaksup.measure.metrics import Metrics
from weaksup.records import Label
from weaksup.report import write_report
from weaksup.report.shown_problems import ShownExample
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.training.teaching import read_labels
from weaksup.storage.json_lines import read_records

from . import small_baseline
from .small_baseline import TRAINING, files, run, stories

NAMES = ("lbf", "warm")
MEASURED = ("metrics.json", "examples.jsonl", "examples.test.jsonl", "predictions.jsonl")
MODEL = ("config.json", "metrics.jsonl", "model.safetensors", "vocabulary.json")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run of each baseline that nobody disturbed."""
    torch.set_num_threads(1)
    folders = {name: tmp_path_factory.mktemp("finished") / name for name in NAMES}
    for name, folder in folders.items():
        run(name, folder)
    return folders


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_holds_what_it_should(name: str, finished: dict[str, Path]) -> None:
    models = ["solver", "generator"] if name == "warm" else ["solver"]
    expected = {"config.toml", "labels.jsonl", "labels.jsonl.run.json", *MEASURED}
    assert files(finished[name]).keys() == expected | {f"{model}/{file}" for model in models for file in MODEL}
    Solver.load(finished[name] / "solver")
    assert (finished[name] / "report.html").exists()
    assert (finished[name] / "solver" / "run.json").exists()


@pytest.mark.parametrize("name", NAMES)
def test_labels_have_the_right_value(name: str, finished: dict[str, Path]) -> None:
    corpus = stories()
    labels = read_labels(finished[name] / "labels.jsonl", corpus.problems)
    assert labels
    for label in labels.values():
        assert (label.stage, label.ranker) == (name, name)
        values = {f"N{i}": quantity.exact for i, quantity in enumerate(corpus.problem(label.id).quantities)}
        assert evaluate(label.expr, values) == corpus.problem(label.id).exact_answer


@pytest.mark.parametrize("name", NAMES)
def test_metrics_have_one_arm_with_one_run(name: str, finished: dict[str, Path]) -> None:
    metrics = msgspec.json.decode((finished[name] / "metrics.json").read_bytes(), type=Metrics)
    assert metrics.candidates is None and metrics.distribution == {}
    (arm,) = metrics.arms
    (done,) = arm.runs
    labels = list(read_records(finished[name] / "labels.jsonl", Label))
    assert (arm.name, done.labels, done.evaluation.split) == (name, len(labels), "test")
    assert done.oracle is not None and done.oracle.covered == len(labels)
    assert done.oracle.micro is not None and done.oracle.macro is not None
    assert done.training and done.evaluation.by_quantities


@pytest.mark.parametrize("name", NAMES)
def test_the_report_shows_what_was_found(name: str, finished: dict[str, Path]) -> None:
    labels = {label.id: label for label in read_records(finished[name] / "labels.jsonl", Label)}
    examples = list(read_records(finished[name] / "examples.jsonl", ShownExample))
    assert {example.id: example.label for example in examples if example.label} == {
        id: label.equation for id, label in labels.items()
    }
    for example in examples:
        label = labels.get(example.id)
        believed = [label.posterior, *[other.posterior for other in label.others]] if label else []
        assert [candidate.posterior for candidate in example.shown] == believed[: len(example.shown)]
        assert len(example.shown) == min(len(believed), 12)
        assert not label or (example.shown[0].expr, example.shown[0].right) == (label.expr, example.right)
    page = (finished[name] / "report.html").read_bytes()
    assert write_report(finished[name]).read_bytes() == page


def test_a_report_that_is_missing_is_made_without_training(finished: dict[str, Path], tmp_path: Path) -> None:
    """As after a kill between the last two files, or a run of before there were reports."""
    folder = tmp_path / "run"
    shutil.copytree(finished["lbf"], folder)
    for name in ("examples.jsonl", "report.html"):
        (folder / name).unlink()
    run("lbf", folder)
    assert (folder / "report.html").exists()
    assert files(folder) == files(finished["lbf"])


def test_another_seed_gives_other_labels(finished: dict[str, Path], tmp_path: Path) -> None:
    run("lbf", tmp_path, training=msgspec.structs.replace(TRAINING, seed=1))
    assert files(tmp_path)["labels.jsonl"] != files(finished["lbf"])["labels.jsonl"]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_bytes_and_nothing_is_learnt_from_gold(
    name: str, finished: dict[str, Path], tmp_path: Path
) -> None:
    arm = run(name, tmp_path / "without", corpus=stories(gold=False))
    with_gold, without = files(finished[name]), files(tmp_path / "without")
    assert {name: with_gold[name] for name in with_gold if name not in MEASURED} == {
        name: without[name] for name in without if name not in MEASURED
    }
    assert with_gold.keys() == without.keys()
    score = arm.runs[0].oracle
    assert score is not None and score.recall is not None and score.micro is None


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_is_killed_ends_with_the_same_bytes(name: str, finished: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    model = folder / ("solver" if name == "lbf" else "generator")
    module = f"{small_baseline.__package__}.small_baseline"
    command = [sys.executable, "-m", module, name, str(folder), "0.3"]
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=root) as process:
        while not (model / "metrics.jsonl").exists():
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert not (folder / "metrics.json").exists()
    (model / ".mathcanon-0123456789abcdef.tmp").write_bytes(b"half a fi")
    seen: list[int] = []
    run(name, folder, progress=lambda done, total: seen.append(done))
    assert seen[0] > 0, "steps before the checkpoint are not done again"
    assert files(folder) == files(finished[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_complete_run_is_left_alone(name: str, finished: dict[str, Path]) -> None:
    before = files(finished[name])
    stamps = {path: path.stat().st_mtime_ns for path in finished[name].rglob("model.safetensors")}
    run(name, finished[name])
    assert files(finished[name]) == before
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps


def test_a_run_stopped_by_an_error_goes_on(finished: dict[str, Path], tmp_path: Path) -> None:
    """At any step, not only where the other test kills it."""
    for stop in (2, 6):
        calls = iter(range(stop))
        with pytest.raises(StopIteration):
            run("lbf", tmp_path, progress=lambda done, total, calls=calls: next(calls))  # type: ignore[misc]
    run("lbf", tmp_path)
    assert files(tmp_path) == files(finished["lbf"])


def test_other_settings_are_refused(finished: dict[str, Path]) -> None:
    with pytest.raises(ConfigError, match="memory was True, now False"):
        run("lbf", finished["lbf"], memory=False)
    with pytest.raises(ConfigError, match=r"training\.epochs was 3, now 5"):
        run("lbf", finished["lbf"], training=msgspec.structs.replace(TRAINING, epochs=5))
    with pytest.raises(ConfigError, match="ranker was lbf, now warm"):
        run("warm", finished["lbf"])
    fewer = stories()
    fewer = msgspec.structs.replace(fewer, problems=fewer.problems[:-5])
    with pytest.raises(ConfigError, match="digest was"):
        run("lbf", finished["lbf"], corpus=fewer)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all of it")
    with pytest.raises(ConfigError, match="holds no run"):
        run("lbf", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    (tmp_path / "config.toml").write_text("= nonsense")
    with pytest.raises(ConfigError, match="is not TOML"):
        run("lbf", tmp_path)


def test_max_steps_stops_early(tmp_path: Path) -> None:
    run("lbf", tmp_path, training=msgspec.structs.replace(TRAINING, max_steps=2))
    rows = [json.loads(line) for line in (tmp_path / "solver" / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2]
