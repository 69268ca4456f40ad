"""What is done is not done again, what was begun is resumed, what fails loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from reproduce.folders import run_facts
from reproduce.origin import Origin
from reproduce.place import Place
from reproduce.runner import RunFailed, ensure_run
from reproduce.runs import steps_of

from .left_runs import leave_model

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")

PROGRAM = """
import json, os, sys
from pathlib import Path
arguments = sys.argv[2:]
with open(sys.argv[1], "a") as log:
    log.write(json.dumps([os.environ.get("OMP_NUM_THREADS"), *arguments]) + "\\n")
if os.environ.get("FAIL_AT") == arguments[0]:
    print("half of it")
    sys.exit(3)
for option in ("-o", "--out"):
    if option in arguments and "--json" not in arguments:
        place = Path(arguments[arguments.index(option) + 1])
        path = place if place.suffix == ".jsonl" else place / "metrics.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        break
else:
    print(json.dumps({"ran": arguments[0]}))
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "work", tmp_path / "data")


class Stand:
    """A program in the place of mwp-weak: notes what it was asked for and leaves the files."""

    def __init__(self, folder: Path, place: Place) -> None:
        self.log, self.place, self.said = folder / "log", place, list[str]()
        (folder / "stand.py").write_text(PROGRAM, encoding="utf-8")
        self.program = (sys.executable, str(folder / "stand.py"), str(self.log))

    def ensure(self, run: str, commit: str = "c0ffee") -> None:
        made_by = Origin(commit, "a machine")
        ensure_run(run, self.place, say=self.said.append, made_by=lambda: made_by, program=self.program)

    @property
    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def stand(tmp_path: Path, place: Place) -> Stand:
    return Stand(tmp_path, place)


@pytest.mark.parametrize("run", ["search-paper", "equal-gts", "middle-gts-em", "lbf"])
def test_a_run_leaves_all_its_closing_files_and_is_not_done_again(run: str, stand: Stand, place: Place) -> None:
    stand.ensure(run)
    steps = steps_of(run, place)
    assert [call[1:] for call in stand.calls] == [list(step.arguments) for step in steps]
    assert all(step.closing.exists() for step in steps)
    stand.ensure(run)
    assert len(stand.calls) == len(steps)


def test_commands_have_one_thread(stand: Stand) -> None:
    stand.ensure("search-paper")
    assert {call[0] for call in stand.calls} == {"1"}


def test_a_folder_that_was_begun_is_resumed(stand: Stand, place: Place) -> None:
    place.of("equal-gts").mkdir(parents=True)
    (place.of("equal-gts") / "config.toml").write_text("")
    stand.ensure("equal-gts")
    assert stand.calls[0][1] == "pipeline"
    assert "--resume" in stand.calls[0]
    assert not any("--resume" in call for call in stand.calls[1:])


def test_a_new_folder_is_not(stand: Stand) -> None:
    stand.ensure("equal-gts")
    assert "--resume" not in stand.calls[0]


def test_a_command_that_fails_is_named_and_what_was_done_is_kept(
    stand: Stand, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL_AT", "oracle")
    with pytest.raises(RunFailed, match="search-paper: mwp-weak oracle failed with exit code 3"):
        stand.ensure("search-paper")
    search, judged, *_ = steps_of("search-paper", place)
    assert search.closing.exists()
    assert not judged.closing.exists()  # it had printed half of it
    monkeypatch.delenv("FAIL_AT")
    stand.ensure("search-paper")
    assert [call[1] for call in stand.calls] == ["search", "oracle", "oracle", "oracle", "oracle"]


def test_a_command_that_ends_well_without_its_file_is_a_failure(place: Place) -> None:
    with pytest.raises(RunFailed, match="ended without"):
        ensure_run("lbf", place, say=lambda line: None, program=(sys.executable, "-c", ""))


def test_the_code_and_the_time_are_noted_beside_the_run(
    stand: Stand, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL_AT", "evaluate")
    with pytest.raises(RunFailed):
        stand.ensure("lbf", commit="first")
    monkeypatch.delenv("FAIL_AT")
    stand.ensure("lbf", commit="second")
    made = json.loads(place.beside("lbf", "made").read_text())
    assert {name: step["commits"] for name, step in made.items()} == {
        "metrics.json": ["first"],
        "lbf.valid.json": ["first", "second"],
    }
    assert {machine for step in made.values() for machine in step["machines"]} == {"a machine"}
    assert run_facts(place, "lbf").cpu_seconds == pytest.approx(sum(step["cpu_seconds"] for step in made.values()))


def test_what_was_trained_elsewhere_is_told_apart(stand: Stand, place: Place) -> None:
    (place.of("lbf")).mkdir(parents=True)
    (place.of("lbf") / "metrics.json").write_text("{}")
    leave_model(place.of("lbf") / "solver", hidden=256, epochs=8, cpu=[600.0])
    stand.ensure("lbf")
    facts = run_facts(place, "lbf")
    assert facts.made.keys() == {"lbf.valid.json"}
    assert facts.cpu_seconds == pytest.approx(600.0 + facts.made["lbf.valid.json"].cpu_seconds)


def test_a_search_is_the_same_run_for_every_seed(stand: Stand, place: Place) -> None:
    stand.ensure("search-paper")
    done = len(stand.calls)
    stand.place = place._replace(seed=1)
    stand.ensure("search-paper")
    assert len(stand.calls) == done
    assert not list(place.work.glob("*seed*"))


def test_what_is_said_can_be_typed(stand: Stand) -> None:
    stand.ensure("search-paper")
    assert stand.said[0].startswith("search-paper: mwp-weak search --data math23k --path ")
    assert os.linesep not in stand.said[0]


SLOW = """
import sys, time
from pathlib import Path
Path(sys.argv[1], "started").touch()
try:
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(1)
    Path(sys.argv[1], "saved").touch()
    sys.exit(130)
"""

CALLER = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where tests run in the background
sys.path.insert(0, sys.argv[1])
from reproduce.folders import run_facts
from reproduce.origin import Origin
from reproduce.place import Place
from reproduce.runner import ensure_run
folder = Path(sys.argv[2])
program = (sys.executable, "-c", (folder / "slow.py").read_text(), str(folder))
try:
    ensure_run("lbf", Place(folder / "work", folder), say=lambda line: None, program=program)
except KeyboardInterrupt:
    sys.exit(5 if (folder / "saved").exists() else 6)
"""


def test_an_interrupted_command_may_save_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    caller = subprocess.Popen([sys.executable, "-c", CALLER, BENCHMARKS, str(tmp_path)], start_new_session=True)
    try:
        while not (tmp_path / "started").exists():
            assert caller.poll() is None
            time.sleep(0.02)
        os.killpg(caller.pid, signal.SIGINT)  # as a terminal does
        assert caller.wait(timeout=60) == 5
    finally:
        if caller.poll() is None:
            os.killpg(caller.pid, signal.SIGKILL)
            caller.wait()


HELD = """
import sys, time
from pathlib import Path
folder, *arguments = sys.argv[1:]
with open(Path(folder, "log"), "a") as log:
    log.write(arguments[0] + "\\n")
if arguments[0] == "evaluate":
    print("{}")
    sys.exit()
Path(folder, "started").touch()
until = time.monotonic() + 20
while not Path(folder, "go").exists() and time.monotonic() < until:
    time.sleep(0.01)
place = Path(arguments[arguments.index("-o") + 1])
place.mkdir(parents=True, exist_ok=True)
(place / "metrics.json").write_text("{}")
"""


def test_a_run_waits_for_a_command_whose_caller_was_killed(tmp_path: Path, place: Place) -> None:
    """A command must not be done twice at the same time, nor fail because it is being done."""
    (tmp_path / "slow.py").write_text(HELD, encoding="utf-8")
    caller = subprocess.Popen([sys.executable, "-c", CALLER, BENCHMARKS, str(tmp_path)], start_new_session=True)
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if "waiting" in line:
            (tmp_path / "go").touch()  # only now may the command end

    try:
        while not (tmp_path / "started").exists():
            assert caller.poll() is None
            time.sleep(0.02)
        caller.kill()
        caller.wait()
        program = (sys.executable, "-c", HELD, str(tmp_path))
        ensure_run("lbf", place, say=say, made_by=lambda: Origin("c0ffee", "a machine"), program=program)
    finally:
        (tmp_path / "go").touch()
        caller.kill()
        caller.wait()
    assert said[0] == "lbf: another process is at it, waiting for it to end"
    assert (tmp_path / "log").read_text().split() == ["baseline", "evaluate"]
    assert run_facts(place, "lbf").state == "done"
