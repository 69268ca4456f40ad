"""A step of training never waits for the device: nothing is brought to the host, by name and by what torch dispatches.

The one exception is the place where a pooled dropout mask begins: that path is for CPUs only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from weaksup.solvers.data.batches import Batch
from weaksup.solvers.data.lessons import make_examples
from weaksup.solvers.data.vocabulary import make_vocabulary
from weaksup.solvers.training import loop as training
from weaksup.solvers.training.lesson_sources import FixedLessons

from ..small_run import CONFIG, TRAIN, stories

WAITING = ("item", "__float__", "__int__", "__bool__", "__index__", "cpu", "numpy", "__array__", "tolist", "nonzero")
WAITING_OPERATIONS = ("_local_scalar_dense", "nonzero", "masked_select", "is_nonzero", "equal", "unique", "_unique2")


def from_dropout() -> bool:
    frame = sys._getframe(1)
    while frame.f_back is not None:
        if Path(frame.f_code.co_filename).name == "dropout.py":
            return True
        frame = frame.f_back
    return False


@contextmanager
def waits_by_name(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The calls of methods of tensors that wait."""
    seen: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
            if not from_dropout():
                seen.append(name)
            return real(self, *args, **kwargs)

        return method

    with monkeypatch.context() as patch:
        for name in WAITING:
            patch.setattr(Tensor, name, counted(name, getattr(Tensor, name)))
        yield seen


class Dispatched(TorchDispatchMode):
    """The operations below the methods that wait: also a selection by a mask, whose size must be known."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.operations = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        self.operations += 1
        masks = name in ("index", "index_put", "index_put_") and any(
            index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1]
        )
        if (name in WAITING_OPERATIONS or masks) and not from_dropout():
            self.seen.append(name)
        return func(*args, **(kwargs or {}))


class Step:
    """Training with everything switched on, after its first step (in which the optimizer makes its state)."""

    def __init__(self, folder: Path) -> None:
        lessons, valid = stories()
        trees = [tree for lesson in lessons for tree in lesson.trees]
        vocabulary = make_vocabulary([lesson.problem for lesson in lessons], trees)
        examples, _ = make_examples(lessons, vocabulary, CONFIG)
        source = FixedLessons(examples)
        self.run = training.TrainingRun(source, vocabulary, valid, folder, config=CONFIG, train=TRAIN)
        self.batches = self.run._places()
        self()

    def __call__(self) -> None:
        self.run._one_step(self.run.state.model, next(self.batches))


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path)


def test_a_step_calls_nothing_that_waits(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    with waits_by_name(monkeypatch) as seen:
        step()
    assert seen == []


def test_a_step_dispatches_nothing_that_waits(step: Step) -> None:
    with Dispatched() as mode:
        step()
    assert mode.seen == [] and mode.operations > 300  # it did look, backward and optimizer included


@pytest.mark.parametrize(
    "waiting",
    [
        lambda loss: loss.item(),
        lambda loss: float(loss.detach()),
        lambda loss: loss.detach().cpu(),
        lambda loss: bool(loss > 0),
        lambda loss: loss.detach().tolist(),
    ],
)
def test_a_wait_in_a_step_would_be_seen(step: Step, monkeypatch: pytest.MonkeyPatch, waiting: Any) -> None:
    real = training.tree_loss

    def slow_loss(found: Tensor, batch: Batch, *, soft: str) -> Tensor:
        loss = real(found, batch, soft=soft)
        waiting(loss)
        return loss

    monkeypatch.setattr(training, "tree_loss", slow_loss)
    with waits_by_name(monkeypatch) as seen:
        step()
    assert seen


def test_a_selection_by_a_mask_would_be_seen() -> None:
    x = torch.arange(4.0)
    with Dispatched() as mode:
        x[x > 1]
    assert mode.seen
