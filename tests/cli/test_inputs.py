"""Files that never end and pipes that nobody writes to: one line and exit code 2, soon and in little memory."""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from mathcanon.files import MAX_LINE

SCRIPTS = sysconfig.get_path("scripts")

#: Every command that reads a file, with BAD in its place.
READERS = [
    "mwp-canon dedupe BAD",
    "mwp-canon grade BAD",
    "mwp-weak data show jsonl --path BAD",
    "mwp-weak data show stories --path BAD",
    "mwp-weak data show stories --split-file BAD --split train",
    "mwp-weak search --plan BAD",
    "mwp-weak rank BAD",
    "mwp-weak oracle BAD",
    "mwp-weak show BAD --id 1",
    "mwp-weak export BAD",
    "mwp-weak train --labels BAD",
    "mwp-weak train --size 30 --groups BAD",
    "mwp-weak pipeline --config BAD",
]
#: Of a process that has loaded everything but torch; of one with torch much more is code.
MEMORY = 1 << 31


def bomb(path: Path) -> Path:
    """Three megabytes that hold a line of three gigabytes."""
    path.write_bytes(gzip.compress(b'{"id":\n"') + gzip.compress(b"a" * (1 << 20)) * 3000)
    return path


def run(command: str, bad: Path, folder: Path, *, memory: int | None = None) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

    program, *args = [str(bad) if word == "BAD" else word for word in command.split()]
    found = shutil.which(program, path=SCRIPTS)
    assert found
    return subprocess.run(
        [sys.executable, found, *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=120,
        stdin=subprocess.DEVNULL,
        preexec_fn=limited,
    )


@pytest.mark.parametrize("command", READERS)
def test_a_named_pipe_without_a_writer_is_refused_at_once(command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    done = run(command, pipe, tmp_path)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert str(pipe) in line
    assert "is a named pipe" in line or "not a regular file" in line


@pytest.mark.parametrize("command", [command for command in READERS if "mwp-canon" not in command])
def test_a_packed_line_of_gigabytes_is_refused_in_little_memory(command: str, tmp_path: Path) -> None:
    done = run(command, bomb(tmp_path / "bomb.toml"), tmp_path, memory=MEMORY if "train" not in command else None)
    assert done.returncode == 2, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "bomb.toml" in line
    assert "memory" not in line


def test_a_line_without_end_is_refused_with_its_number(tmp_path: Path) -> None:
    with open(tmp_path / "long", "wb") as file:
        file.write(b'{"pred": "a+b", "gold": "b+a"}\n')
        file.truncate(1 << 32)  # four gigabytes of zeros that take no space
    for command in ("mwp-canon dedupe BAD", "mwp-canon grade BAD", "mwp-canon grade --json BAD"):
        done = run(command, tmp_path / "long", tmp_path, memory=MEMORY)
        assert done.returncode == 2
        last = f"error: {tmp_path / 'long'}:2: the length of the line is {MAX_LINE + 1}, the limit is {MAX_LINE}"
        assert done.stderr.splitlines()[-1] == last


def test_dedupe_and_grade_read_the_output_of_a_command() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no shell with <(...)")
    script = f'PATH="{SCRIPTS}:$PATH"; mwp-canon dedupe <(sleep 0.3; printf "a+b\\nb+a\\n")'
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "a+b\n"
    script = f'PATH="{SCRIPTS}:$PATH"; mwp-canon grade <(printf \'{{"pred": "a+b", "gold": "b+a"}}\')'
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1: same-method")
