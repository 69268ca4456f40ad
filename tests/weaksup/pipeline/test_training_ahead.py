"""Solvers trained beside each other: the same bytes as one at a time, also after an interruption or a crash."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from weaksup.pipeline import training_ahead
from weaksup.pipeline.config import merge_config
from weaksup.pipeline.run import run_pipeline
from weaksup.watching import Progress, Watcher

torch = pytest.importorskip("torch", reason="the pipeline trains solvers")

TINY = {"size": 80, "hidden": 16, "epochs": 2.0, "limit": 20, "ranker": "basic", "compare": ["random", "gold"]}
TOGETHER = "train basic, random, gold"


class Watching:
    """Collects what a run says; stops it at the first report of progress in the trainings, if asked to."""

    def __init__(self, *, stop: bool = False) -> None:
        self.lines: list[str] = []
        self.stop = stop
        self.counts: list[tuple[int, int]] = []

    def progress(self, what: str) -> Progress:
        def progress(done: int, total: int) -> None:
            if what == "examples" and "at a time" in self.lines[-1]:
                self.counts.append((done, total))
                if self.stop:
                    raise KeyboardInterrupt

        return progress

    @property
    def watcher(self) -> Watcher:
        return Watcher(self.lines.append, self.progress)


def run(folder: Path, watching: Watching, train_workers: int | None, *, resume: bool = False) -> None:
    config = merge_config(None, TINY)
    run_pipeline(
        config, folder, resume=resume, watch=watching.watcher, device="cpu", workers=1, train_workers=train_workers
    )


def digests(folder: Path) -> dict[str, str]:
    """Of everything but times and date, which are in the report too."""
    others = ("times.json", "times.jsonl", "made.json", "report.html")
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in others]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of a run that trains one solver at a time."""
    folder, watching = tmp_path_factory.mktemp("alone") / "run", Watching()
    run(folder, watching, 1)
    assert not watching.counts
    assert TOGETHER not in json.loads((folder / "times.json").read_text())
    return digests(folder)


def test_an_interrupted_run_ends_its_processes_and_resumes_to_the_same_bytes(
    alone: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "run", Watching(stop=True), 2)
    assert not multiprocessing.active_children()
    watching = Watching()
    run(tmp_path / "run", watching, 2, resume=True)
    assert digests(tmp_path / "run") == alone
    assert watching.counts == sorted(watching.counts)
    done, total = watching.counts[-1]
    assert done <= total
    assert TOGETHER in json.loads((tmp_path / "run/times.json").read_text())


def die(job: object) -> None:
    os._exit(1)


def test_solvers_whose_process_dies_are_trained_alone(
    alone: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_ahead, "_train", die)
    watching = Watching()
    run(tmp_path / "run", watching, 3)
    assert [line for line in watching.lines if line.startswith("gold could not be trained beside others")]
    assert digests(tmp_path / "run") == alone


@pytest.mark.parametrize(
    ("cores", "threads", "worth", "together"),
    [(2, 1, 1, True), (1, 1, 1, False), (2, 2, 1, False), (2, 1, 10**6, False)],
)
def test_by_default_two_are_trained_at_a_time_where_that_pays(
    cores: int, threads: int, worth: int, together: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asked(Exception):
        pass

    def ask(unit: object, plans: object, workers: int) -> None:
        assert workers == 2
        raise Asked

    def train(*given: object) -> None:
        raise RuntimeError("alone")

    monkeypatch.setattr(training_ahead, "available_cores", lambda: cores)
    monkeypatch.setattr(training_ahead, "_WORTH_IT", worth)
    monkeypatch.setattr(training_ahead, "_train_all", ask)
    monkeypatch.setattr("weaksup.pipeline.steps.train_arm", train)
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    with pytest.raises(Asked if together else RuntimeError):
        run(tmp_path / "run", Watching(), None)
