"""The pipeline on a few stories: what it leaves, that it can be killed, and that it reads no gold."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weaksup.errors import ConfigError, DataError, NothingToLearn, WeakSupError
from weaksup.measure.metrics import ArmRun, Metrics
from weaksup.pipeline.steps import Unit
from weaksup.records import Label
from weaksup.storage.json_lines import read_records

pytest.importorskip("torch", reason="the pipeline trains solvers")

TINY = {"size": 80, "hidden": 16, "epochs": 1.0, "draft_epochs": 1.0, "rounds": 1, "limit": 20}
SAME = ("candidates.jsonl", "labels.draft.jsonl", "labels.jsonl", "metrics.json", "examples.jsonl", "report.html")


def run(folder: Path, *, resume: bool = False, **changes: object) -> Metrics:
    from weaksup.pipeline.config import merge_config
    from weaksup.pipeline.run import run_pipeline
    from weaksup.watching import Watcher

    config = merge_config(None, {**TINY, **changes})
    watch = Watcher(lambda line: None, lambda what: lambda done, total: None)
    return run_pipeline(config, folder, resume=resume, watch=watch, device="cpu")


def digests(folder: Path) -> dict[str, str]:
    """Of everything but times and date, which are in the report too."""
    others = ("times.json", "times.jsonl", "made.json", "report.html")
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in others]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """The last bits of sums depend on the number of threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Metrics]:
    folder = tmp_path_factory.mktemp("pipeline") / "run"
    return folder, run(folder)


def test_a_run_leaves_all_its_files_and_the_metrics_are_those_it_returns(finished: tuple[Path, Metrics]) -> None:
    folder, metrics = finished
    for name in (
        *SAME,
        "config.toml",
        "times.json",
        "made.json",
        "predictions.jsonl",
        "examples.test.jsonl",
        "solver/model.safetensors",
        "draft/round-1/config.json",
    ):
        assert (folder / name).is_file(), name
    assert msgspec.json.decode((folder / "metrics.json").read_bytes(), type=Metrics) == metrics
    assert [arm.name for arm in metrics.arms] == ["em", "random"]
    labels = list(read_records(folder / "labels.jsonl", Label))
    assert metrics.arms[0].runs[0].labels == len(labels) == metrics.covered


def test_no_temporary_file_is_left(finished: tuple[Path, Metrics]) -> None:
    assert not [path for path in finished[0].rglob("*") if path.suffix == ".tmp" or path.name.startswith("checkpoint")]


def test_a_finished_run_can_be_resumed_and_stays_as_it_is(finished: tuple[Path, Metrics]) -> None:
    folder, metrics = finished
    before = digests(folder)
    assert run(folder, resume=True) == metrics
    assert digests(folder) == before


def test_without_resume_a_begun_run_is_not_touched(finished: tuple[Path, Metrics]) -> None:
    with pytest.raises(ConfigError, match="--resume"):
        run(finished[0])


def test_other_settings_are_named(finished: tuple[Path, Metrics]) -> None:
    with pytest.raises(ConfigError, match=r"epochs was 1\.0, now 2\.0"):
        run(finished[0], resume=True, epochs=2.0)


def test_a_run_killed_while_its_settings_were_written_can_be_resumed(
    finished: tuple[Path, Metrics], tmp_path: Path
) -> None:
    """All that is there is a file that never got its name."""
    (tmp_path / ".mathcanon-0123456789abcdef.tmp").write_text("data = ")
    assert run(tmp_path, resume=True) == finished[1]
    assert digests(tmp_path) == digests(finished[0])


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds no run"):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


@pytest.mark.parametrize("wrong", [{"data": "jsonl", "path": "nowhere.jsonl", "size": None}, {"plan": "nowhere.toml"}])
def test_a_wrong_path_leaves_no_folder_behind(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises((WeakSupError, OSError), match="nowhere"):
        run(tmp_path / "run", **wrong)
    assert not (tmp_path / "run").exists()


def test_a_comparison_that_can_learn_nothing_does_not_cost_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import weaksup.pipeline.run as pipeline

    run_arm = pipeline.run_arm

    def without_random(unit: Unit, name: str) -> ArmRun:
        if name == "random":
            raise NothingToLearn("there is nothing to train with")
        return run_arm(unit, name)

    monkeypatch.setattr(pipeline, "run_arm", without_random)
    metrics = run(tmp_path / "run", ranker="single", compare=["random"])
    assert [arm.name for arm in metrics.arms] == ["single"]
    assert (tmp_path / "run" / "report.html").is_file()
    with pytest.raises(NothingToLearn):
        run(tmp_path / "other", ranker="random", compare=[])


def test_the_bytes_do_not_depend_on_gold(
    finished: tuple[Path, Metrics], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same corpus with its gold equations taken away gives the same candidates, labels and weights."""
    import weaksup.pipeline.run as pipeline

    read = pipeline.read_corpus

    def without_gold(*args: object, **options: object) -> object:
        corpus = read(*args, **options)  # type: ignore[arg-type]
        problems = [msgspec.structs.replace(problem, gold=None) for problem in corpus.problems]
        return msgspec.structs.replace(corpus, problems=problems)

    monkeypatch.setattr(pipeline, "read_corpus", without_gold)
    metrics = run(tmp_path / "run")
    ours, theirs = digests(tmp_path / "run"), digests(finished[0])
    measured = {"metrics.json", "examples.jsonl", "examples.test.jsonl", "ablation/random/metrics.json"}
    measured |= {"predictions.jsonl", "ablation/random/predictions.jsonl"}
    assert {name: digest for name, digest in ours.items() if name not in measured} == {
        name: digest for name, digest in theirs.items() if name not in measured
    }
    assert metrics.candidates is None and metrics.arms[0].runs[0].oracle is None


def test_a_damaged_candidate_line_is_named_and_nothing_is_lost(finished: tuple[Path, Metrics], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished[0], folder)
    lines = (folder / "candidates.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "candidates.jsonl").write_bytes(b"".join([*lines[:3], b'{"id": \n', *lines[4:]]))
    before = digests(folder)
    with pytest.raises(ConfigError, match=r"candidates\.jsonl was changed after the search: delete it to search again"):
        run(folder, resume=True)
    assert digests(folder) == before
    (folder / "candidates.jsonl").unlink()
    run(folder, resume=True)
    assert digests(folder) == digests(finished[0])


def test_a_damaged_label_line_is_named_and_nothing_is_lost(finished: tuple[Path, Metrics], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished[0], folder)
    lines = (folder / "labels.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "labels.jsonl").write_bytes(b"".join([*lines[:3], b'{"id": \n', *lines[4:]]))
    before = digests(folder)
    with pytest.raises(DataError, match=r"labels\.jsonl:4: not JSON"):
        run(folder, resume=True)
    assert digests(folder) == before


def test_seeds_share_the_candidates_and_differ_in_their_runs(tmp_path: Path) -> None:
    metrics = run(tmp_path / "run", seeds=2, ranker="single", compare=[])
    assert [found.seed for found in metrics.arms[0].runs] == [0, 1]
    weights = [(tmp_path / f"run/seed-{seed}/solver/model.safetensors").read_bytes() for seed in (0, 1)]
    assert weights[0] != weights[1]
    assert len(list(tmp_path.rglob("candidates.jsonl"))) == 1


def test_folds_are_searched_once_and_tested_each(tmp_path: Path) -> None:
    metrics = run(tmp_path / "run", folds=2, ranker="single", compare=[])
    assert [found.fold for found in metrics.arms[0].runs] == [0, 1]
    assert sum(found.evaluation.problems for found in metrics.arms[0].runs) == TINY["size"]
    assert len(list(tmp_path.rglob("candidates.jsonl"))) == 1


SCRIPT = """
import sys
import torch
torch.set_num_threads(1)
from pathlib import Path
from tests.weaksup.pipeline.test_run import run
run(Path(sys.argv[1]), resume=True)
"""


def test_killed_at_any_point_and_resumed_it_ends_with_the_same_bytes(
    finished: tuple[Path, Metrics], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    rng = random.Random(5)
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    killed = 0
    for _ in range(12):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)], env=environment, cwd=root)
        before = set(folder.rglob("*"))
        # Let it get some files further, then kill it at a moment that nobody chose.
        wanted = rng.randint(1, 6)
        while process.poll() is None and len(set(folder.rglob("*")) - before) < wanted:
            time.sleep(0.02)
        time.sleep(rng.random() * 0.3)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        if process.wait() == 0:
            break
    subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], env=environment, cwd=root, check=True)
    assert killed >= 3
    assert digests(folder) == digests(finished[0])


def test_baselines_are_arms_like_any_other(finished: tuple[Path, Metrics], tmp_path: Path) -> None:
    """They share the candidates and the report of a run; the arms beside them are not touched."""
    compared = run(tmp_path / "compared", compare=["lbf", "random", "warm"], warm={"beam": 100})
    assert [arm.name for arm in compared.arms] == ["em", "lbf", "random", "warm"]
    alone = digests(finished[0])
    for name in ("candidates.jsonl", "labels.jsonl", "solver/model.safetensors", "ablation/random/metrics.json"):
        assert digests(tmp_path / "compared")[name] == alone[name], name
    for arm in compared.arms:
        if arm.name in ("lbf", "warm"):
            (trained,) = arm.runs
            place = tmp_path / "compared" / "ablation" / arm.name
            labels = list(read_records(place / "labels.jsonl", Label))
            assert trained.labels == len(labels) and {label.ranker for label in labels} == {arm.name}
            assert trained.training and trained.oracle is not None and trained.oracle.covered == len(labels)
            assert (place / "generator").exists() == (arm.name == "warm")
            assert not (place / "solver" / "answers.safetensors").exists()
            assert not (place / "solver" / "equations.safetensors").exists()


def test_a_baseline_needs_no_search_and_gold_may_be_compared_with_it(tmp_path: Path) -> None:
    metrics = run(tmp_path / "run", ranker="lbf", compare=["gold"], lbf={"memory": True}, training={"batch_size": 8})
    assert [arm.name for arm in metrics.arms] == ["lbf", "gold"]
    assert metrics.candidates is None and not (tmp_path / "run" / "candidates.jsonl").exists()
    assert metrics.covered == metrics.arms[0].runs[0].labels == metrics.arms[1].runs[0].labels > 0
    before = digests(tmp_path / "run")
    again = {"ranker": "lbf", "compare": ["gold"], "lbf": {"memory": True}, "training": {"batch_size": 8}}
    run(tmp_path / "run", resume=True, **again)
    assert digests(tmp_path / "run") == before
    with pytest.raises(ConfigError, match=r"lbf was \d+ items, now not given"):
        run(tmp_path / "run", resume=True, **{**again, "lbf": None})
