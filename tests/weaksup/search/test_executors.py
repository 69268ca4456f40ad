"""The same bytes from one process, from several and from a Dask cluster, whoever dies on the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

import mathcanon
from mathcanon import processes
from weaksup.corpora import read_corpus
from weaksup.corpora.python_objects import read_objects
from weaksup.errors import ConfigError, WeakSupError
from weaksup.records import CandidateSet, Problem
from weaksup.search import executors
from weaksup.search.batch import search_problems
from weaksup.search.executors import search_shard, search_shards
from weaksup.search.plans import load_plan
from weaksup.search.search_corpus import parts_folder
from weaksup.storage.json_lines import encode_records

PLAN = load_plan("paper")
needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed (extra dask)")

Shards = dict[int, list[Problem]]


@pytest.fixture(scope="module")
def shards() -> Shards:
    problems = read_corpus("stories", size=120).problems
    return dict(enumerate(problems[i : i + 10] for i in range(0, len(problems), 10)))


@pytest.fixture(scope="module")
def expected(shards: Shards) -> dict[int, bytes]:
    return {number: encode_records(search_problems(shard, PLAN)) for number, shard in shards.items()}


# --- in this process --------------------------------------------------------------------------------------------------


def test_one_worker_gives_what_the_search_gives(shards: Shards, expected: dict[int, bytes]) -> None:
    found = list(search_shards(shards, PLAN))
    assert [number for number, _ in found] == list(shards)
    assert dict(found) == expected
    lines = [line for lines in expected.values() for line in lines.splitlines()]
    assert [msgspec.json.decode(line, type=CandidateSet).id for line in lines] == [f"story-{i:05d}" for i in range(120)]


def test_shards_are_searched_one_at_a_time_as_they_are_asked_for(shards: Shards) -> None:
    with closing(search_shards(shards, PLAN)) as found:
        assert next(found)[0] == 0
    assert multiprocessing.active_children() == []


def test_the_search_sees_neither_text_nor_gold(shards: Shards, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def spy(problems: bytes, **settings: Any) -> bytes:
        seen.extend(msgspec.msgpack.decode(problems, type=list[Problem]))
        return search_shard(problems, **settings)

    monkeypatch.setattr(executors, "search_shard", spy)
    assert any(problem.gold for problem in shards[0])
    list(search_shards({0: shards[0]}, PLAN))
    assert [problem.id for problem in seen] == [problem.id for problem in shards[0]]
    assert {(problem.text, problem.tokens, problem.gold, problem.scheme) for problem in seen} == {("", (), None, None)}


def test_a_limit_goes_along(shards: Shards) -> None:
    ((_, lines),) = search_shards({0: shards[0]}, load_plan("full"), limit=2)
    assert lines == encode_records(search_problems(shards[0], load_plan("full"), limit=2))
    assert max(len(json.loads(line).get("candidates", ())) for line in lines.splitlines()) == 2


def test_a_worker_of_another_version_is_refused(shards: Shards) -> None:
    coded = msgspec.msgpack.encode(shards[0])
    with pytest.raises(ConfigError, match=rf"a worker has mathcanon {mathcanon.__version__}, this machine 9\.9"):
        search_shard(coded, plan=msgspec.msgpack.encode(PLAN), limit=None, version="9.9")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"workers": 0}, "at least one worker"),
        ({"engine": "threads"}, "unknown engine 'threads'; one of local, dask"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "only the engine dask has a scheduler"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], says: str, shards: Shards) -> None:
    with pytest.raises(ConfigError, match=says):
        next(search_shards(shards, PLAN, **settings))


def test_no_shards_start_no_workers() -> None:
    assert list(search_shards({}, PLAN, workers=2)) == []


# --- processes --------------------------------------------------------------------------------------------------------


def test_two_processes_of_which_one_is_killed_give_the_same_bytes(shards: Shards, expected: dict[int, bytes]) -> None:
    found = {}
    killed = 0
    for number, lines in search_shards(shards, PLAN, workers=2):
        assert number not in found
        found[number] = lines
        if not killed:
            victim = multiprocessing.active_children()[0]
            assert victim.pid
            os.kill(killed := victim.pid, signal.SIGKILL)
    assert killed
    assert found == expected
    assert multiprocessing.active_children() == []


def test_closing_ends_the_workers_at_once(shards: Shards) -> None:
    found = search_shards(shards, load_plan("full"), workers=2)
    next(found)
    workers = multiprocessing.active_children()
    assert len(workers) == 2
    start = time.monotonic()
    found.close()
    assert [worker.is_alive() for worker in workers] == [False, False]
    assert time.monotonic() - start < 10


def test_workers_that_always_die_are_given_up(shards: Shards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_start_worker", partial(os._exit, 1))
    with pytest.raises(WeakSupError, match=r"worker processes died 3 times in a row \(out of memory\?\)"):
        list(search_shards(shards, PLAN, workers=2))


# --- Dask -------------------------------------------------------------------------------------------------------------


def test_without_dask_one_line_names_the_extra(shards: Shards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"needs the package distributed: .*pip install .*\[dask\]"):
        list(search_shards(shards, PLAN, engine="dask"))


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        dask = shutil.which("dask", path=sysconfig.get_path("scripts"))
        assert dask
        self.processes: list[subprocess.Popen[bytes]] = []
        self._command, self._folder = dask, folder

    def start(self, *workers: str) -> None:
        file = self._folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        for _ in range(300):
            if file.exists():
                break
            time.sleep(0.1)
        self.address = json.loads(file.read_text())["address"]
        for name in workers:
            self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name)

    def _start(self, *args: str) -> None:
        log = open(self._folder / f"{len(self.processes)}.log", "wb")  # noqa: SIM115 - open to the end
        command = [self._command, *args]
        self.processes.append(subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log))
        log.close()

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    try:
        yield made
    finally:
        made.stop()


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_that_loses_a_worker_gives_the_same_bytes(
    cluster: Cluster, shards: Shards, expected: dict[int, bytes]
) -> None:
    from distributed import Client

    cluster.start("one", "two")
    with Client(cluster.address) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(2, timeout=60)
    victim = cluster.processes[1]
    found = {}
    for number, lines in search_shards(shards, PLAN, engine="dask", scheduler=cluster.address):
        assert number not in found
        found[number] = lines
        if len(found) == 3:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
    assert victim.returncode == -signal.SIGKILL
    assert found == expected
    assert cluster.processes[2].poll() is None, "the other worker lives on: it belongs to the cluster"


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_dies_is_one_line(cluster: Cluster, tmp_path: Path) -> None:
    cluster.start("one")
    program = shutil.which("mwp-weak", path=sysconfig.get_path("scripts"))
    out = tmp_path / "candidates.jsonl"
    command = [program, "search", "--size", "6000", "--engine", "dask", "--scheduler", cluster.address, "-o", out]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as search:
        while not any(parts_folder(out).glob("0*.jsonl")) and search.poll() is None:
            time.sleep(0.05)
        cluster.processes[0].kill()
        assert search.stderr is not None
        *progress, said = search.stderr.read().splitlines()  # progress is told after a while
        assert said == "error: the scheduler cancelled a shard: is it still running?"
        assert all(" problems, " in line for line in progress)
    assert search.returncode == 2


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_dask_without_a_scheduler_runs_on_this_machine(shards: Shards, expected: dict[int, bytes]) -> None:
    some = {number: shards[number] for number in (0, 1)}
    found = dict(search_shards(some, PLAN, engine="dask", workers=1))
    assert found == {number: expected[number] for number in some}


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_an_error_in_a_dask_worker_is_raised_and_not_logged_too(capfd: pytest.CaptureFixture[str]) -> None:
    many = read_objects([{"id": "many", "text": "0 and 0 and 0 and 0 and 0 and 0 and 0?", "answer": 0}]).problems
    with pytest.raises(WeakSupError, match=r"^problem many: stage .* more memory$"):
        list(search_shards({0: many}, load_plan("full"), engine="dask", workers=1, memory=10**7, strict=True))
    assert capfd.readouterr().err == ""


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_is_told(cluster: Cluster, shards: Shards, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.start()
    monkeypatch.setattr(executors, "_PATIENCE", 3)
    with pytest.raises(WeakSupError, match=rf"^the Dask scheduler {cluster.address} can't be used: it has no workers$"):
        list(search_shards(shards, PLAN, engine="dask", scheduler=cluster.address))


@needs_dask
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_is_not_there_is_one_line(shards: Shards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_PATIENCE", 2)
    with pytest.raises(WeakSupError, match=r"the Dask scheduler tcp://127\.0\.0\.1:9 ") as caught:
        list(search_shards(shards, PLAN, engine="dask", scheduler="tcp://127.0.0.1:9"))
    assert "\n" not in str(caught.value)
