"""A whole search: parts that outlast interruptions, the same bytes in the end, and one clear line for what is wrong."""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from weaksup.corpora import Corpus, read_corpus
from weaksup.errors import ConfigError
from weaksup.records import CandidateSet
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan
from weaksup.search.search_corpus import parts_folder, run_search
from weaksup.storage.json_lines import encode_records, read_records
from weaksup.storage.provenance import RunInfo, read_run_info, run_info_path
from weaksup.storage.whole_files import digest_file

PLAN = load_plan("paper")
SIZE, SHARD = 90, 10
PROGRAM = shutil.which("mwp-weak", path=sysconfig.get_path("scripts"))

#: A search that is slow enough to be killed in the middle.
SCRIPT = f"""
import sys, time
from weaksup.corpora import read_corpus
from weaksup.search.plans import load_plan
from weaksup.search.search_corpus import run_search
out, workers, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
run_search(read_corpus("stories", size={SIZE}), load_plan("paper"), out, workers=workers, shard={SHARD},
           progress=lambda done, total: time.sleep(pause))
"""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_corpus("stories", size=SIZE)


@pytest.fixture(scope="module")
def expected(corpus: Corpus) -> bytes:
    return encode_records(search_problems(corpus.problems, PLAN))


def search(corpus: Corpus, out: Path, **settings: Any) -> RunInfo:
    return run_search(corpus, settings.pop("plan", PLAN), out, **{"shard": SHARD, **settings})


def refusal(corpus: Corpus, out: Path, **settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        search(corpus, out, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class Stop(Exception):
    """An interruption."""


def stop_after(problems: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        if done >= problems:
            raise Stop

    return progress


def begun(corpus: Corpus, out: Path, problems: int = 30, **settings: Any) -> list[Path]:
    """The parts of a search that was stopped."""
    with pytest.raises(Stop):
        search(corpus, out, progress=stop_after(problems), **settings)
    assert not out.exists()
    return sorted(parts_folder(out).glob("0*.jsonl"))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- a search to its end ----------------------------------------------------------------------------------------------


def test_a_search_leaves_its_file_and_the_sidecar(corpus: Corpus, expected: bytes, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    seen: list[tuple[int, int]] = []
    made = search(corpus, out, options={"size": SIZE, "seed": 0}, progress=lambda *state: seen.append(state))
    assert out.read_bytes() == expected
    assert names(tmp_path) == ["candidates.jsonl", "candidates.jsonl.run.json"]
    assert seen == [(done, SIZE) for done in range(0, SIZE + 1, SHARD)]

    assert read_run_info(run_info_path(out)) == made
    assert (made.schema, made.version, made.seed) == ("weaksup/candidates", 1, 0)
    assert made.config["corpus"] == {"name": "stories", "size": SIZE, "seed": 0}
    assert msgspec.convert(made.config["plan"], type(PLAN)) == PLAN
    assert made.output == digest_file(out)
    sizes = [len(found.candidates) for found in read_records(out, CandidateSet)]
    assert made.counts == {
        "problems": SIZE,
        "skipped": 0,
        "covered": sum(size > 0 for size in sizes),
        "single": sizes.count(1),
        "candidates": sum(sizes),
        "largest": max(sizes),
        "limited": 0,
    }


@pytest.mark.parametrize("settings", [{"shard": 7}, {"shard": 512}, {"workers": 2, "shard": 30}], ids=str)
def test_the_bytes_depend_neither_on_shards_nor_on_workers(
    settings: dict[str, Any], corpus: Corpus, expected: bytes, tmp_path: Path
) -> None:
    search(corpus, tmp_path / "candidates.jsonl", **settings)
    assert (tmp_path / "candidates.jsonl").read_bytes() == expected


def test_a_packed_output_holds_the_same(corpus: Corpus, expected: bytes, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl.gz"
    made = search(corpus, out)
    assert gzip.decompress(out.read_bytes()) == expected
    before = out.stat().st_mtime_ns
    assert search(corpus, out) == made
    assert out.stat().st_mtime_ns == before


def test_no_problems_are_an_empty_file(tmp_path: Path) -> None:
    made = search(read_corpus("stories", size=0), tmp_path / "candidates.jsonl")
    assert (tmp_path / "candidates.jsonl").read_bytes() == b""
    assert made.counts["problems"] == 0


def test_gold_and_text_change_nothing(corpus: Corpus, tmp_path: Path) -> None:
    bare = [msgspec.structs.replace(problem, gold=None, scheme=None, text="") for problem in corpus.problems]
    search(corpus, tmp_path / "with.jsonl")
    search(msgspec.structs.replace(corpus, problems=bare), tmp_path / "without.jsonl")
    for name in ("{}.jsonl", "{}.jsonl.run.json"):
        assert (tmp_path / name.format("with")).read_bytes() == (tmp_path / name.format("without")).read_bytes()


# --- once more --------------------------------------------------------------------------------------------------------


def test_a_finished_search_is_not_run_again(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    made = search(corpus, out)
    assert search(corpus, out, progress=stop_after(0)) == made
    assert names(tmp_path) == ["candidates.jsonl", "candidates.jsonl.run.json"]


def test_a_stopped_search_goes_on_where_it_stopped(corpus: Corpus, expected: bytes, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    parts = begun(corpus, out)
    assert [part.name[:6] for part in parts] == ["000000", "000001", "000002"]
    seen: list[int] = []
    search(corpus, out, progress=lambda done, total: seen.append(done))
    assert seen == list(range(30, SIZE + 1, SHARD))
    assert out.read_bytes() == expected
    assert names(tmp_path) == ["candidates.jsonl", "candidates.jsonl.run.json"]


def test_a_search_killed_while_it_clears_up_is_finished(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "candidates.jsonl"
    unlink, removed = Path.unlink, []

    def killed(path: Path, missing_ok: bool = False) -> None:
        if len(removed) == 3:
            raise Stop
        removed.append(path)
        unlink(path, missing_ok)

    with monkeypatch.context() as patch, pytest.raises(Stop):
        patch.setattr(Path, "unlink", killed)
        search(corpus, out)
    assert len(list(parts_folder(out).glob("0*.jsonl"))) == SIZE // SHARD - 2
    search(corpus, out, progress=stop_after(0))  # nothing is searched again
    assert names(tmp_path) == ["candidates.jsonl", "candidates.jsonl.run.json"]


def test_a_part_that_is_not_whole_is_searched_again(corpus: Corpus, expected: bytes, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    first, second, _ = begun(corpus, out)
    first.write_bytes(first.read_bytes()[:100])
    second.unlink()
    search(corpus, out)
    assert out.read_bytes() == expected


def test_other_settings_are_refused_by_name_while_a_search_is_begun(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    parts = begun(corpus, out)
    said = refusal(corpus, out, plan=load_plan("released"))
    assert said.startswith(
        f"the unfinished search in {parts_folder(out)} was made with other settings: plan was paper, now rel"
    )
    assert "limit was not given, now 5" in refusal(corpus, out, limit=5)
    assert "input was " in refusal(read_corpus("stories", size=SIZE, seed=1), out)
    assert "shard was 10, now 20" in refusal(corpus, out, shard=20)
    assert all(part.exists() for part in parts)


def test_other_settings_are_refused_by_name_when_a_search_is_finished(
    corpus: Corpus, expected: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "candidates.jsonl"
    search(corpus, out)
    assert "plan was paper, now full" in refusal(corpus, out, plan=load_plan("full"))
    assert out.read_bytes() == expected
    made = search(corpus, out, limit=1, overwrite=True)
    assert made.counts["largest"] == 1
    assert made == read_run_info(run_info_path(out))


def test_a_search_that_finished_no_part_is_not_begun(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    assert begun(corpus, out, problems=0) == []
    assert search(corpus, out, limit=1).counts["largest"] == 1


def test_overwriting_goes_on_with_parts_of_the_same_settings_only(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    begun(corpus, out)
    seen: list[int] = []
    with pytest.raises(Stop):
        search(corpus, out, limit=1, overwrite=True, progress=stop_after(20))
    search(corpus, out, limit=1, overwrite=True, progress=lambda done, total: seen.append(done))
    assert seen[0] == 20


def test_files_of_others_are_not_touched(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    out.write_text("mine\n")
    assert "already exists, and was not made by a search" in refusal(corpus, out)
    assert out.read_text() == "mine\n"
    out.unlink()
    parts_folder(out).mkdir()
    (parts_folder(out) / "thesis.txt").write_text("mine")
    assert "holds thesis.txt, which does not belong to a search" in refusal(corpus, out)
    assert "holds thesis.txt" in refusal(corpus, out, overwrite=True)
    assert (parts_folder(out) / "thesis.txt").read_text() == "mine"


def test_a_file_that_was_changed_afterwards_is_not_taken_for_finished(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    search(corpus, out)
    out.write_bytes(out.read_bytes()[:-100])
    assert "was changed after the search" in refusal(corpus, out)


def test_two_searches_of_one_output_do_not_mix(corpus: Corpus, expected: bytes, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    out = tmp_path / "candidates.jsonl"
    said: list[str] = []

    def meanwhile(done: int, total: int) -> None:
        if done == 20:
            said.append(refusal(corpus, out))

    search(corpus, out, progress=meanwhile)
    assert said == [f"another process is using {parts_folder(out)}: wait until it ends, or choose another output"]
    assert out.read_bytes() == expected


def test_places_where_nothing_can_be_written_are_told(corpus: Corpus, tmp_path: Path) -> None:
    assert "does not exist" in refusal(corpus, tmp_path / "none" / "candidates.jsonl")
    assert "is not a regular file" in refusal(corpus, tmp_path)
    assert "is not a regular file" in refusal(corpus, Path(os.devnull))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_told(corpus: Corpus, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            search(corpus, tmp_path / "candidates.jsonl")
    finally:
        tmp_path.chmod(0o700)


# --- killed, interrupted, out of space --------------------------------------------------------------------------------


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    for _ in range(int(seconds / 0.02)):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_killed_search_goes_on_and_ends_with_the_same_bytes(workers: int, expected: bytes, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    command = [sys.executable, "-c", SCRIPT, str(out), str(workers)]
    with subprocess.Popen([*command, "0.25"]) as process:
        wait_until(lambda: len(list(parts_folder(out).glob("0*.jsonl"))) >= 2)
        orphans = children(process.pid) if Path(f"/proc/{process.pid}/task").is_dir() else []
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not out.exists()
    kept = {part.name: part.stat().st_mtime_ns for part in parts_folder(out).glob("0*.jsonl")}
    assert 2 <= len(kept) < SIZE / SHARD
    wait_until(lambda: not any(is_running(pid) for pid in orphans))

    with subprocess.Popen([*command, "0.25"]) as process:  # killed once more
        wait_until(lambda: len(list(parts_folder(out).glob("0*.jsonl"))) >= len(kept) + 2)
        process.send_signal(signal.SIGKILL)
    assert {part: (parts_folder(out) / part).stat().st_mtime_ns for part in kept} == kept
    subprocess.run([*command, "0"], check=True)
    assert out.read_bytes() == expected
    assert names(tmp_path) == ["candidates.jsonl", "candidates.jsonl.run.json"]


def _heed_ctrl_c() -> None:
    """Whoever started the tests in the background made them, and all below them, deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_everything_with_130_and_says_how_to_go_on(workers: str, tmp_path: Path) -> None:
    assert PROGRAM, "mwp-weak is not installed"
    out = tmp_path / "candidates.jsonl"
    command = [PROGRAM, "search", "--size", "4000", "--workers", workers, "-o", str(out)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_heed_ctrl_c
    ) as process:
        wait_until((parts_folder(out) / "run.json").exists)
        if workers == "2":
            wait_until(lambda: len(children(process.pid)) >= 3)  # the tracker of resources is one
            time.sleep(1)
        workers_found = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        start = time.monotonic()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - start < 20
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "interrupted"
    assert f"finished parts are in {parts_folder(out)}: the same command resumes from there" in said
    wait_until(lambda: not any(is_running(pid) for pid in workers_found))
    assert not out.exists()


def test_a_full_disk_is_one_line_and_the_search_can_go_on(corpus: Corpus, tmp_path: Path) -> None:
    assert PROGRAM
    out = tmp_path / "candidates.jsonl"
    command = [PROGRAM, "search", "--size", str(SIZE), "--plan", "paper", "--workers", "1", "-o", str(out)]

    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, resource.RLIM_INFINITY))

    search(corpus, tmp_path / "warm.jsonl")  # compiled code is in its cache, which would not fit either
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=small_files_only)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {parts_folder(out)}{os.sep}000000-")
    assert done.stderr.endswith(".jsonl: File too large\n")
    assert not list(parts_folder(out).glob("0*.jsonl"))
    subprocess.run(command, check=True, capture_output=True)
    assert out.read_bytes() == (tmp_path / "warm.jsonl").read_bytes()
