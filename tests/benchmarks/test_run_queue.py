"""The queue does what is missing, in order, one on each core; what fails costs only what needs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from reproduce.folders import MADE, MadeStep, write
from reproduce.place import Place
from reproduce.records import known_run
from reproduce.run_queue import QUEUE, Task, missing_tasks
from reproduce.runs import RUNS, steps_of

from .left_runs import evaluation, leave_baseline, leave_printed, trained

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "work", tmp_path / "data")


def leave_lbf(place: Place, *, commit: str, machine: str | None = "2 cores") -> None:
    leave_baseline(place, "lbf", trained(0.44))
    leave_printed(place, "lbf", "valid", evaluation(0.45))
    step = MadeStep(commits=(commit,), machines=() if machine is None else (machine,), cpu_seconds=1.0)
    write(place.beside("lbf", MADE), {"metrics.json": step, "lbf.valid.json": step})


def leave_all(place: Place, run: str) -> None:
    for step in steps_of(run, place):
        step.closing.parent.mkdir(parents=True, exist_ok=True)
        step.closing.touch()


# --- what is missing --------------------------------------------------------------------------------------------------


def test_the_order_is_that_of_value() -> None:
    first = {task: QUEUE.index(task) for task in QUEUE}
    assert len(first) == len(QUEUE)  # no run twice
    valued = [
        [Task(f"middle-gts-{labels}", seed) for labels in ("em", "gold", "paper") for seed in (0, 1, 2)],
        [Task(f"middle-gts-{arm}") for arm in ("basic", "random", "single")],
        [Task("middle-g2t-gold-published")],
        [Task(f"middle-g2t-{labels}", seed) for labels in ("em", "gold") for seed in (0, 1, 2)],
        [Task(run) for run in ("lbf", "lbf-memory", "warm", "warm-beam")],
        [Task("folds-em"), Task("folds-lbf-memory")],
        [Task("published-gts")],
        [Task(run) for run in ("middle-g2t-paper", "warm-g2t", "equal-gts", "folds-paper")],
    ]
    for before, after in pairwise(valued):
        assert max(first[task] for task in before) < min(first[task] for task in after)


def test_needs_come_first_and_once(place: Place, tmp_path: Path) -> None:
    wanted = [Task("middle-gts-paper", 1), Task("middle-gts-basic", 1), Task("middle-gts-basic", 2)]
    assert missing_tasks(place, tmp_path, wanted) == [
        Task("search-paper"),
        Task("paper-draft", 1),
        Task("middle-gts-paper", 1),
        Task("middle-gts-basic", 1),
        Task("paper-draft", 2),
        Task("middle-gts-basic", 2),
    ]


def test_what_is_there_is_not_missing(place: Place, tmp_path: Path) -> None:
    leave_all(place, "search-paper")
    leave_all(place, "paper-draft")
    assert missing_tasks(place, tmp_path, [Task("middle-gts-paper")]) == [Task("middle-gts-paper")]
    leave_all(place, "middle-gts-paper")
    assert missing_tasks(place, tmp_path, [Task("middle-gts-paper")]) == []


def test_what_is_recorded_with_its_origin_is_not_missing(place: Place, tmp_path: Path) -> None:
    gone = place._replace(work=tmp_path / "elsewhere")
    for commit, machine, missing in (
        ("c0ffee", "2 cores", []),
        ("c0ffee-dirty", "2 cores", [Task("lbf")]),
        ("unknown", "2 cores", [Task("lbf")]),
        ("c0ffee", None, [Task("lbf")]),
    ):
        leave_lbf(place, commit=commit, machine=machine)
        known_run(place, "lbf", tmp_path / "results")
        assert missing_tasks(gone, tmp_path / "results", [Task("lbf")]) == missing, (commit, machine)


def test_a_run_with_new_steps_is_missing(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_lbf(place, commit="c0ffee")
    known_run(place, "lbf", tmp_path / "results")
    gone = place._replace(work=tmp_path / "elsewhere")
    more = RUNS["lbf"]._replace(steps=lambda name, place: [*steps_of("warm", place), *steps_of("warm-beam", place)])
    monkeypatch.setitem(RUNS, "lbf", more)
    assert missing_tasks(gone, tmp_path / "results", [Task("lbf")]) == [Task("lbf")]


def test_every_run_of_the_queue_exists() -> None:
    assert {task.run for task in QUEUE} <= {*RUNS}
    assert all(RUNS[task.run].seeded or task.seed == 0 for task in QUEUE)


# --- running ----------------------------------------------------------------------------------------------------------

JOB = """
import json, os, sys, time
name, log, fails, others = sys.argv[1:]
def note(what):
    with open(log, "a") as file:
        file.write(json.dumps([what, name, os.nice(0)]) + "\\n")
note("begin")
print("said by", name)
if others:
    until = time.monotonic() + 60
    while time.monotonic() < until and open(log).read().count("begin") < int(others):
        time.sleep(0.01)
note("end")
sys.exit(4 if name in fails.split(",") else 0)
"""

QUEUE_CALLER = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where tests run in the background
sys.path.insert(0, sys.argv[1])
from reproduce.place import Place
from reproduce.run_queue import Task, run_queue
folder, cores, fails, others, names = Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5], sys.argv[6:]
job = (folder / "job.py").read_text()
try:
    failed = run_queue(
        [Task(*([name, 0] if ":" not in name else [name.split(":")[0], int(name.split(":")[1])])) for name in names],
        Place(folder / "work", folder),
        command=lambda task: [sys.executable, "-c", job, task.name, str(folder / "log"), fails, others],
        cores=cores,
        say=lambda line: print(line, flush=True),
        done=lambda task: print("recorded", task.name, flush=True),
    )
except KeyboardInterrupt:
    sys.exit(5)
print("failed:", *[task.name for task in failed])
"""


def queue(
    folder: Path,
    *names: str,
    cores: int = 1,
    fails: str = "",
    others: str = "",
    job: str = JOB,
    caller: str = QUEUE_CALLER,
) -> subprocess.Popen[str]:
    (folder / "job.py").write_text(job, encoding="utf-8")
    (folder / "work").mkdir(exist_ok=True)
    words = [BENCHMARKS, str(folder), str(cores), fails, others, *names]
    command = [sys.executable, "-c", caller, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def notes(folder: Path) -> list[tuple[str, str]]:
    return [(what, name) for what, name, _ in map(json.loads, (folder / "log").read_text().splitlines())]


def test_one_core_does_one_after_the_other_at_the_lowest_priority(tmp_path: Path) -> None:
    said, _ = queue(tmp_path, "search-paper", "lbf", "warm").communicate(timeout=120)
    each = ("search-paper", "lbf", "warm")
    assert notes(tmp_path) == [(what, name) for name in each for what in ("begin", "end")]
    assert {json.loads(line)[2] for line in (tmp_path / "log").read_text().splitlines()} == {19}
    assert [line for line in said.splitlines() if line.startswith("recorded")] == [f"recorded {name}" for name in each]
    assert (tmp_path / "work" / "lbf.log").read_text() == "said by lbf\n"


def test_two_cores_do_two_at_a_time(tmp_path: Path) -> None:
    queue(tmp_path, "lbf", "warm", cores=2, others="2").communicate(timeout=120)  # each waits for the other's beginning
    assert [what for what, _ in notes(tmp_path)] == ["begin", "begin", "end", "end"]


def test_a_run_waits_for_what_it_needs_and_others_go_first(tmp_path: Path) -> None:
    names = ("search-paper", "paper-draft", "lbf")
    queue(tmp_path, *names, cores=2, others="2").communicate(timeout=120)  # search-paper ends after lbf has begun
    done = notes(tmp_path)
    assert done.index(("begin", "lbf")) < done.index(("end", "search-paper")) < done.index(("begin", "paper-draft"))


def test_what_fails_costs_only_what_needs_it(tmp_path: Path) -> None:
    names = ("search-paper", "paper-draft", "middle-gts-paper", "middle-gts-random")
    said, _ = queue(tmp_path, *names, fails="paper-draft").communicate(timeout=120)
    assert said.splitlines()[-1] == "failed: paper-draft middle-gts-paper"
    assert "recorded middle-gts-random" in said
    assert "recorded paper-draft" not in said
    assert ("begin", "middle-gts-paper") not in notes(tmp_path)


def test_what_needs_a_run_that_was_not_started_is_not_started_either(tmp_path: Path) -> None:
    names = ("search-paper", "paper-draft", "middle-gts-paper", "lbf")
    said, _ = queue(tmp_path, *names, fails="search-paper").communicate(timeout=120)
    assert said.splitlines()[-1] == "failed: search-paper paper-draft middle-gts-paper"
    assert notes(tmp_path) == [(what, name) for name in ("search-paper", "lbf") for what in ("begin", "end")]


SAVING = """
import sys, time
from pathlib import Path
Path(sys.argv[2]).with_name("started").touch()
try:
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.5)
    Path(sys.argv[2]).with_name("saved").touch()
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_queue_lets_its_runs_save_and_starts_no_other(sent: signal.Signals, tmp_path: Path) -> None:
    process = queue(tmp_path, "lbf", "warm", job=SAVING)
    try:
        while not (tmp_path / "started").exists():
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, sent)
        said, _ = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode == 5
    assert (tmp_path / "saved").exists()
    assert not (tmp_path / "work" / "warm.log").exists()
    assert "recorded" not in said


def test_a_queue_that_ignores_interrupts_can_be_terminated(tmp_path: Path) -> None:
    """As `nohup COMMAND &` in a script starts it."""
    ignoring = QUEUE_CALLER.replace("signal.default_int_handler", "signal.SIG_IGN")
    assert ignoring != QUEUE_CALLER
    process = queue(tmp_path, "lbf", job=SAVING, caller=ignoring)
    try:
        while not (tmp_path / "started").exists():
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=30)  # less than the job would sleep
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert (tmp_path / "saved").exists()


def test_two_queues_do_not_share_a_folder(place: Place, tmp_path: Path) -> None:
    process = queue(tmp_path, "lbf", job=SAVING)
    try:
        while not (tmp_path / "started").exists():
            assert process.poll() is None
            time.sleep(0.02)
        other = subprocess.run(
            [sys.executable, "-c", QUEUE_CALLER, BENCHMARKS, str(tmp_path), "1", "", "", "warm"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert "another process is using" in other.stderr
    assert not (tmp_path / "work" / "warm.log").exists()
