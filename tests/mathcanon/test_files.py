"""Files are written whole or not at all, and what a killed writer leaves goes with the next write."""

from __future__ import annotations

import errno
import gzip
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mathcanon.files import whole_file

#: Writes half a file and waits with it.
WRITER = """
import sys, time
from mathcanon.files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    sys.stdin.readline()
"""


def write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def half_written(path: Path) -> subprocess.Popen[bytes]:
    """A process that has written half of a file."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout and process.stdout.readline() == b"half\n"
    return process


def test_a_file_has_the_rights_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_content_is_packed_where_the_name_says_so(tmp_path: Path) -> None:
    write(tmp_path / "text.csv.gz", b"one\ntwo\n")
    assert gzip.decompress((tmp_path / "text.csv.gz").read_bytes()) == b"one\ntwo\n"
    with pytest.raises(RuntimeError), whole_file(tmp_path / "text.csv.gz") as file:
        file.write(b"three")
        raise RuntimeError("in the middle")
    assert gzip.decompress((tmp_path / "text.csv.gz").read_bytes()) == b"one\ntwo\n"
    assert os.listdir(tmp_path) == ["text.csv.gz"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "real", tmp_path / "link"
    target.write_text("")
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_the_name_of_a_file_may_be_as_long_as_any(tmp_path: Path) -> None:
    write(tmp_path / ("a" * 255), b"text")
    assert os.listdir(tmp_path) == ["a" * 255]


def test_a_pipe_is_written_straight() -> None:
    code = "from mathcanon.files import whole_file\nwith whole_file('/dev/stdout') as f: f.write(b'text')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"text"


def test_a_missing_folder_is_named_by_its_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write(tmp_path / "none" / "file", b"")
    assert caught.value.filename == str(tmp_path / "none" / "file")


def test_a_read_only_disk_names_the_file_and_not_the_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, *args: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr("mathcanon.files.open", refuse, raising=False)
    with pytest.raises(OSError, match="Read-only file system") as caught:
        write(tmp_path / "labels.jsonl", b"")
    assert caught.value.filename == str(tmp_path / "labels.jsonl")


@pytest.mark.parametrize("before", [None, b"what was there before"])
def test_a_full_disk_names_the_file_and_changes_nothing(before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    if before is not None:
        path.write_bytes(before)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write(path, b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == ([] if before is None else ["labels.jsonl"])
    assert before is None or path.read_bytes() == before


# --- what killed writers leave ----------------------------------------------------------------------------------------


def test_the_next_write_to_a_folder_removes_what_a_killed_writer_left(tmp_path: Path) -> None:
    with half_written(tmp_path / "one") as process:
        process.send_signal(signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    assert left.read_bytes() == b"half"
    write(tmp_path / "other", b"whole")
    assert os.listdir(tmp_path) == ["other"]


def test_the_file_of_a_writer_at_work_stays(tmp_path: Path) -> None:
    with half_written(tmp_path / "one") as process:
        write(tmp_path / "other", b"whole")
        assert len(os.listdir(tmp_path)) == 2
        process.communicate(b"\n")
    assert process.returncode == 0
    assert (tmp_path / "one").read_bytes() == b"half"
    assert sorted(os.listdir(tmp_path)) == ["one", "other"]


def test_a_second_file_of_the_same_process_stays(tmp_path: Path) -> None:
    with whole_file(tmp_path / "one") as one:
        one.write(b"1")
        write(tmp_path / "other", b"2")
    assert [(tmp_path / name).read_bytes() for name in ("one", "other")] == [b"1", b"2"]


@pytest.mark.parametrize(
    "name", [".file.tmp", ".mathcanon-0123.tmp", "mathcanon-0123456789abcdef.tmp", ".mathcanon-0123456789abcdef.tmp2"]
)
def test_temporary_files_of_others_stay(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    write(tmp_path / "file", b"")
    assert (tmp_path / name).read_text() == "mine"
