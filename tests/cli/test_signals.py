"""SIGTERM ends a long command as Ctrl-C does, and two processes never work in one folder: with real processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from weaksup.search.search_corpus import parts_folder
from weaksup.storage.folder_lock import LOCK

PROGRAM = shutil.which("mwp-weak", path=sysconfig.get_path("scripts")) or "mwp-weak is not installed"

SMALL = ("--hidden", "8", "--device", "cpu")
SEARCH = ("search", "--size", "1100", "--plan", "paper")
#: The first file of a run, by command.
BEGUN = {"search": "run.json", "train": "config.json", "pipeline": "config.toml", "baseline": "config.toml"}
TRAIN = ("train", "--size", "60", *SMALL, "--epochs", "8")


def wait_until(true: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 120) -> None:
    for _ in range(int(seconds / 0.01)):
        if true():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def start(*args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PROGRAM, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    )


def run(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=False)


def terminated(process: subprocess.Popen[str], *, whole_group: bool = False) -> list[str]:
    """What a process says when it is sent SIGTERM."""
    if whole_group:
        os.killpg(process.pid, signal.SIGTERM)  # as a batch system does
    else:
        process.send_signal(signal.SIGTERM)
    out, said = process.communicate(timeout=120)
    assert (process.returncode, out) == (143, "")
    assert "Traceback" not in said
    return [line for line in said.splitlines() if line]  # click begins a new one


@pytest.mark.parametrize(("workers", "whole_group"), [("1", False), ("2", False), ("2", True)])
def test_a_search_that_is_terminated_goes_on_to_the_same_bytes(workers: str, whole_group: bool, tmp_path: Path) -> None:
    out, whole = tmp_path / "candidates.jsonl", tmp_path / "whole.jsonl"
    with start(*SEARCH, "--workers", workers, "-o", out) as process:
        wait_until(lambda: any(parts_folder(out).glob("0*.jsonl")), process)
        *_, kept, last = terminated(process, whole_group=whole_group)
    assert kept == f"finished parts are in {parts_folder(out)}: the same command resumes from there"
    assert last == "terminated"
    assert not out.exists()
    assert "were done before" in run(*SEARCH, "--workers", 1, "-o", out).stderr
    assert run(*SEARCH, "--workers", 1, "-o", whole).returncode == 0
    assert out.read_bytes() == whole.read_bytes()


def test_a_training_that_is_terminated_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    model, whole = tmp_path / "model", tmp_path / "whole"
    with start(*TRAIN, "-o", model) as process:
        wait_until((model / "metrics.jsonl").exists, process)
        *_, kept, last = terminated(process)
    assert kept == f"the work so far is kept in {model}: the same command resumes it"
    assert last == "terminated"
    assert (model / "checkpoint.safetensors").exists()
    assert "were done before" in run(*TRAIN, "-o", model).stderr
    assert run(*TRAIN, "-o", whole).returncode == 0
    names = {path.name for path in whole.iterdir()}
    assert {path.name for path in model.iterdir()} == names
    for name in names - {"times.jsonl"}:
        assert (model / name).read_bytes() == (whole / name).read_bytes(), name


@pytest.mark.parametrize(
    "command",
    [
        [*SEARCH, "--workers", "1", "-o"],
        [*TRAIN, "-o"],
        [*TRAIN, "--overwrite", "-o"],
        ["pipeline", "--size", "60", *SMALL, "--resume", "--out"],
        ["baseline", "lbf", "--size", "60", *SMALL, "-o"],
    ],
    ids=lambda command: " ".join(command[:2]) + " --overwrite" * ("--overwrite" in command),
)
def test_a_second_process_is_refused_and_a_killed_one_blocks_nobody(command: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    folder = parts_folder(out) if "search" in command else out
    with start(*command, out) as process:
        wait_until((folder / BEGUN[command[0]]).exists, process)
        process.send_signal(signal.SIGSTOP)  # so that it is at work whatever the second one takes
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        second = run(*command, out)
        assert second.returncode == 2
        (line,) = [line for line in second.stderr.splitlines() if line.startswith("error: ")]
        assert line == f"error: another process is using {folder}: wait until it ends, or choose another output"
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
        os.killpg(process.pid, signal.SIGKILL)
    assert (folder / LOCK).exists()
    with start(*command, out) as process:
        wait_until(lambda: _holds(process, folder / LOCK), process)
        os.killpg(process.pid, signal.SIGKILL)


def _holds(process: subprocess.Popen[str], lock: Path) -> bool:
    """Whether a process holds a lock, by the kernel's own list: trying the lock could take it from the process."""
    try:
        inode = os.stat(lock).st_ino
    except FileNotFoundError:
        return False
    rows = [row.split() for row in Path("/proc/locks").read_text().splitlines()]
    return any(row[1] == "FLOCK" and row[4] == str(process.pid) and row[5].endswith(f":{inode}") for row in rows)
