"""A step of training never waits for the device: nothing is brought to the host, by name and by what torch dispatches.

The one exception is the place where a pooled dropout mask begins: that path is for CPUs only.  The teachers of the
baselines decode in every step, which waits at every token; their waits are counted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from weaksup.baselines.lbf import Fixer
from weaksup.baselines.table import LBFConfig
from weaksup.baselines.unlabelled import Unlabelled
from weaksup.baselines.warm import Reinforcer
from weaksup.corpora.stories import read_stories
from weaksup.records import Problem
from weaksup.solvers.data.batches import Batch
from weaksup.solvers.data.lessons import make_examples
from weaksup.solvers.data.vocabulary import make_vocabulary
from weaksup.solvers.presets import SolverConfig
from weaksup.solvers.training import loop as training
from weaksup.solvers.training.lesson_sources import FixedLessons

from ..small_run import CONFIG, TRAIN, stories
from ..tiny_models import tiny_encoder

CONFIGS = {
    "gts": CONFIG,
    "g2t": msgspec.structs.replace(CONFIG, solver="g2t"),
    "g2t published": msgspec.structs.replace(CONFIG, solver="g2t", graph="published"),
}

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

    def __init__(self, config: SolverConfig, folder: Path) -> None:
        lessons, valid = stories()
        trees = [tree for lesson in lessons for tree in lesson.trees]
        vocabulary = make_vocabulary([lesson.problem for lesson in lessons], trees)
        examples, _ = make_examples(lessons, vocabulary, config)
        source = FixedLessons(examples)
        self.run = training.TrainingRun(source, vocabulary, valid, folder, config=config, train=TRAIN)
        self.batches = self.run._places()
        self()

    def __call__(self) -> None:
        self.run._one_step(self.run.state.model, next(self.batches))


@pytest.fixture(params=[*CONFIGS, "bert", "roberta"])
def step(request: pytest.FixtureRequest, tmp_path: Path) -> Step:
    config = CONFIGS.get(request.param)
    if config is None:
        config = msgspec.structs.replace(CONFIG, encoder=str(tiny_encoder(tmp_path / "encoder", request.param)))
    return Step(config, tmp_path / "model")


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


# --- the baselines, whose teachers decode in every step ---------------------------------------------------------------


QUANTITIES = 3
LONGEST = 2 * (QUANTITIES + 2) - 1  # tokens of a tree with two more leaves than quantities


class CountedTeacher:
    """A lesson source that notes how often the making of its lessons waits."""

    def __init__(self, source: Any, mode: Dispatched) -> None:
        self.source, self.mode, self.examples, self.about = source, mode, source.examples, source.about
        self.waits = 0

    def teach(self, places: Any, now: Any) -> Any:
        before = len(self.mode.seen)
        lessons = self.source.teach(places, now)
        self.waits = len(self.mode.seen) - before
        return lessons


def teacher(name: str, problems: list[Problem], config: SolverConfig) -> Any:
    given = Unlabelled(problems, config, min_word_count=1)
    if name != "lbf":
        return Reinforcer(given, draws=3, beam=10 if name == "warm beam" else 1, entropy=0.0)
    return Fixer(given, LBFConfig(memory=True), writing="label", seed=0)


def waits_of_a_step(name: str, folder: Path, size: int, config: SolverConfig = CONFIG) -> tuple[int, int]:
    """The waits of a step with `size` problems, and those of its teacher."""
    alike = [problem for problem in read_stories(size=300, seed=3) if len(problem.quantities) == QUANTITIES]
    mode = Dispatched()
    source = CountedTeacher(teacher(name, alike[:size], config), mode)
    train = msgspec.structs.replace(TRAIN, soft="expected", batch_size=size)
    run = training.TrainingRun(source, source.source.given.vocabulary, [], folder, config=config, train=train)
    batches = run._places()
    run._one_step(run.state.model, next(batches))
    mode.seen.clear()
    with mode:
        run._one_step(run.state.model, next(batches))
    return len(mode.seen), source.waits


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("name", ["lbf", "warm", "warm beam"])
def test_a_step_of_a_baseline_waits_only_while_its_teacher_decodes(
    name: str, config: SolverConfig, tmp_path: Path
) -> None:
    whole, of_teacher = waits_of_a_step(name, tmp_path, 12, config)
    assert whole == of_teacher > 0


@pytest.mark.parametrize(("name", "passes"), [("lbf", 3), ("warm", 1), ("warm beam", 2)])
def test_the_waits_of_a_teacher_grow_with_its_trees_and_not_with_its_batch(
    name: str, passes: int, tmp_path: Path
) -> None:
    """A token waits about ten times: for the rows to go on with, and for each subtree that it completes."""
    for size in (2, 8, 32):
        _, waits = waits_of_a_step(name, tmp_path / str(size), size)
        assert 0 < waits <= 10 * passes * LONGEST, size


def test_a_larger_batch_costs_warm_only_the_waits_for_deeper_trees(tmp_path: Path) -> None:
    """Draws and beam wait once for each subtree that a token completes in any row.

    In trees of up to four leaves the tokens from the third to the last, the seventh, complete up to 1, 1, 2, 2 and 3.
    """
    counts = [waits_of_a_step("warm beam", tmp_path / str(size), size)[1] for size in (2, 8, 32)]
    assert max(counts) - min(counts) <= 2 * (1 + 1 + 2 + 2 + 3)
