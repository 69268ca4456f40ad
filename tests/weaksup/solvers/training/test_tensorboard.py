"""Training curves for TensorBoard: what is written is what metrics.jsonl says."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.errors import ConfigError
from weaksup.solvers.training.tensorboard import tensorboard_curves


def test_rows_become_curves(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    write = tensorboard_curves(tmp_path)
    write({"step": 10, "loss": 2.5, "valid_answer_accuracy": None})
    write({"step": 20, "loss": 1.5, "valid_answer_accuracy": 0.25})
    found = EventAccumulator(str(tmp_path)).Reload()
    assert [(event.step, event.value) for event in found.Scalars("loss")] == [(10, 2.5), (20, 1.5)]
    assert [(event.step, event.value) for event in found.Scalars("valid_answer_accuracy")] == [(20, 0.25)]


def test_without_tensorboard_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ConfigError, match=r"pip install .*\[tensorboard\]"):
        tensorboard_curves(tmp_path)
