"""Two processes over gloo, started by torchrun: the same weights as one, but for the order of summation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from weaksup.errors import ConfigError
from weaksup.solvers.network.model_files import load_tensors
from weaksup.solvers.training.distributed import join_processes, joined_processes

from .. import small_run, two_processes


def rows_of(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_two_processes_train_what_one_does(tmp_path: Path) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "notes.txt").write_text("not ours")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["-m", "tests.weaksup.solvers.two_processes", str(tmp_path)]
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    torch.set_default_dtype(torch.float64)
    try:
        given = two_processes.lessons()
        config, train = two_processes.CONFIG, two_processes.TRAIN
        alone = small_run.run(tmp_path / "alone", config=config, train=train, given=given)
        small_run.run(tmp_path / "alone-tokens", config=config, train=two_processes.BY_TOKEN, given=given)
    finally:
        torch.set_default_dtype(torch.float32)

    for name, same in (("whole", "alone"), ("stopped", "alone"), ("tokens", "alone-tokens")):
        folder = tmp_path / name
        expected, _ = load_tensors(tmp_path / same / "model.safetensors")
        assert sorted(small_run.files(folder)) == sorted(small_run.files(tmp_path / same))
        found, _ = load_tensors(folder / "model.safetensors")
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            torch.testing.assert_close(found[key], value, rtol=1e-6, atol=1e-8, msg=lambda m, k=key: f"{k}: {m}")
        for row, one in zip(rows_of(folder), rows_of(tmp_path / same), strict=True):
            assert row == pytest.approx(one, abs=2e-6)

    first, second = (json.loads((tmp_path / f"report-{rank}.json").read_text()) for rank in (0, 1))
    assert first["world"] == second["world"] == 2 and first["left"] and second["left"]
    # Threads of a group that is left behind would abort the process when Python ends.
    assert first["threads"] and second["threads"] and first["threads_left"] == second["threads_left"] == 0
    assert first["examples"] == second["examples"] == alone.examples == 50
    assert first["accuracy"] == second["accuracy"] == alone.valid_answer_accuracy
    assert first["checkpoint"] and 0 < first["rest"] < 50
    # The first process alone writes; all of them find the folder, and hear why it is refused.
    assert set(first["written"]) == {"model.safetensors", "checkpoint.safetensors"} and second["written"] == []
    assert first["refused"] == second["refused"] and "holds no model" in first["refused"]
    assert [path.name for path in (tmp_path / "foreign").iterdir()] == ["notes.txt"]


def test_a_process_alone_joins_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with joined_processes(torch.device("cpu")) as device:
        assert device == torch.device("cpu") and not torch.distributed.is_initialized()


def test_what_can_not_be_joined_is_one_clear_line() -> None:
    with pytest.raises(ConfigError, match="RANK is not set"):
        join_processes(torch.device("cpu"), {"WORLD_SIZE": "2"})
    with pytest.raises(ConfigError, match="LOCAL_RANK is not set"):
        join_processes(torch.device("cpu"), {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "x"})
    there = {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "99"}
    with pytest.raises(ConfigError, match="has no GPU"):
        join_processes(torch.device("cuda"), there)
    with pytest.raises(ConfigError, match="mps"):
        join_processes(torch.device("mps"), there)
    assert not torch.distributed.is_initialized()
