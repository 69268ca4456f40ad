"""Training, decoding and teaching on a second device (`second_device.py`): nothing is left behind on the first one."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor

from weaksup.baselines import sampling
from weaksup.baselines.lbf import Fixer
from weaksup.baselines.sampling import Written, write_trees
from weaksup.baselines.table import LBFConfig
from weaksup.baselines.unlabelled import Unlabelled
from weaksup.baselines.warm import Reinforcer
from weaksup.solvers.data import batches
from weaksup.solvers.data.batches import Example, make_batch, send
from weaksup.solvers.data.graphs import Graphs
from weaksup.solvers.data.lessons import make_examples
from weaksup.solvers.data.vocabulary import make_vocabulary
from weaksup.solvers.decoding import beam
from weaksup.solvers.decoding.scoring import log_probabilities
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.presets import SolverConfig, TrainConfig
from weaksup.solvers.training.lesson_sources import FixedLessons, LessonSource
from weaksup.solvers.training.loop import TrainingRun

from ..examples_for_tests import CONSTANTS, OPERATORS, VOCABULARY, small_config, varied_examples
from ..second_device import FAR, MixedDevices, second_device
from ..small_run import CONFIG, TRAIN, stories

#: What an architecture may be, without dropout: masks are drawn differently on the CPU.
CONFIGS = {
    "gts": msgspec.structs.replace(CONFIG, dropout=0.0, word_dropout=0.0),
    "gts sum": msgspec.structs.replace(CONFIG, dropout=0.0, word_dropout=0.0, directions="sum", layers=2),
    "g2t": msgspec.structs.replace(CONFIG, dropout=0.0, word_dropout=0.0, solver="g2t"),
    "g2t published": msgspec.structs.replace(CONFIG, dropout=0.0, word_dropout=0.0, solver="g2t", graph="published"),
}


def fixed(config: SolverConfig) -> tuple[LessonSource, Any]:
    lessons, _ = stories()
    trees = [tree for lesson in lessons for tree in lesson.trees]
    vocabulary = make_vocabulary([lesson.problem for lesson in lessons], trees, min_word_count=2, min_constant_count=1)
    return FixedLessons(make_examples(lessons, vocabulary, config)[0]), vocabulary


def run_on(device: Any, folder: Path, config: SolverConfig, train: TrainConfig) -> TrainingRun:
    source, vocabulary = fixed(config)
    return TrainingRun(source, vocabulary, stories()[1], folder, config=config, train=train, device=device)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("soft", ["none", "marginal"])
def test_training_on_another_device_gives_the_same_weights(
    name: str, soft: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = msgspec.structs.replace(TRAIN, max_steps=4, soft=soft)
    near = run_on("cpu", tmp_path / "near", CONFIGS[name], train)
    with ExitStack() as held:
        near.prepare(held)
        near.train()
    with second_device(monkeypatch) as mode, ExitStack() as held:
        far = run_on(FAR, tmp_path / "far", CONFIGS[name], train)
        far.prepare(held)
        far.train()
        weights = {key: value.cpu() for key, value in far.state.kept_weights().items()}
        assert all(value.device == FAR for value in far.state.model.state_dict().values())
    assert mode.operations > 1000 and mode.sent > 4
    for key, value in near.state.kept_weights().items():
        torch.testing.assert_close(weights[key], value, rtol=1e-4, atol=1e-5, msg=lambda m, key=key: f"{key}: {m}")
    assert near.state.rows[-1].valid_answer_accuracy == far.state.rows[-1].valid_answer_accuracy


@pytest.mark.parametrize("config", [CONFIG, msgspec.structs.replace(CONFIG, solver="g2t")], ids=["gts", "g2t"])
def test_dropout_of_words_and_states_happens_on_the_device(
    config: SolverConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with second_device(monkeypatch) as mode:
        run = run_on(FAR, tmp_path, config, TRAIN)
        places = next(iter(run._places()))
        run._one_step(run.state.model, places)
        before = mode.fetched
        run._one_step(run.state.model, places)
        assert mode.fetched == before  # a step brings nothing back


@pytest.mark.parametrize("name", CONFIGS)
def test_beams_and_scores_are_those_of_the_cpu(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_on("cpu", tmp_path, CONFIGS[name], TRAIN)
    solver = Solver(run.config, run.vocabulary, run.state.model)
    problems = stories()[1]
    exprs = [["N0+N1", "N0*N1-1", "N0"] for _ in problems]
    expected = list(solver.decode(problems, beam=3)), log_probabilities(solver, problems, exprs)
    with second_device(monkeypatch):
        solver.model.to(FAR)
        assert solver.device == FAR
        beams, scores = list(solver.decode(problems, beam=3)), log_probabilities(solver, problems, exprs)
    assert [(i, [h.tokens for h in beam]) for i, beam in beams] == [
        (i, [h.tokens for h in beam]) for i, beam in expected[0]
    ]
    np.testing.assert_allclose(scores, expected[1], rtol=1e-4)


@pytest.mark.parametrize("draws", [None, 3])
def test_trees_written_on_the_device_are_those_of_the_cpu(draws: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = varied_examples(np.random.default_rng(0))
    torch.manual_seed(0)
    model = GTS(small_config(), VOCABULARY).eval()

    def written(device: Any) -> list[list[Written]]:
        torch.manual_seed(1)
        batch = make_batch(examples, operators=OPERATORS, constants=CONSTANTS, device=device)
        return write_trees(model, batch, [(1, 4)] * len(examples), draws=draws)

    near = written("cpu")
    with second_device(monkeypatch) as mode:
        model.to(FAR)
        far = written(FAR)
        assert mode.operations > 100
    for of_cpu, of_device in zip(near, far, strict=True):
        assert len(of_cpu) == (draws or 1)
        for one, other in zip(of_cpu, of_device, strict=True):
            assert other.tokens == one.tokens
            assert other.log_probability == pytest.approx(one.log_probability, abs=1e-5)
            np.testing.assert_allclose(other.chances, one.chances, rtol=1e-4)


def baseline_on(device: Any, teacher: str, config: SolverConfig, folder: Path) -> TrainingRun:
    problems = [lesson.problem for lesson in stories()[0]]
    given = Unlabelled(problems, config, min_word_count=2, device=device, answers=teacher == "warm")
    source: Any = Reinforcer(given, draws=4, beam=3, entropy=0.01)
    if teacher == "lbf":
        source = Fixer(given, LBFConfig(memory=True), writing="label", seed=0)
    weighted = msgspec.structs.replace(TRAIN, soft="expected")
    return TrainingRun(source, given.vocabulary, [], folder, config=config, train=weighted, device=device)


def taught_on(device: Any, teacher: str, config: SolverConfig, folder: Path) -> tuple[list[list[Example]], Any]:
    """The lessons of the first steps of a baseline, with the equations that its teacher has found by then."""
    run = baseline_on(device, teacher, config, folder)
    source: Any = run.source
    taught, teach = [], source.teach

    def noted(places: Any, now: Any) -> list[Example]:
        taught.append(teach(places, now))
        return taught[-1]

    source.teach = noted
    for places in list(run._places())[:5]:  # beyond the first epoch, in which LBF writes no constants
        run._one_step(run.state.model, places)
    return taught, source.state()


@pytest.mark.parametrize("name", ["gts", "g2t", "g2t published"])
@pytest.mark.parametrize("teacher", ["lbf", "warm"])
def test_a_baseline_teaches_on_the_device_what_it_teaches_on_the_cpu(
    teacher: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, found = taught_on("cpu", teacher, CONFIGS[name], tmp_path / "near")
    with second_device(monkeypatch) as mode:
        far, found_far = taught_on(FAR, teacher, CONFIGS[name], tmp_path / "far")
        assert mode.operations > 1000
    assert found_far == found and found
    for of_cpu, of_device in zip(near, far, strict=True):
        assert of_cpu
        assert [replace(one, weights=()) for one in of_device] == [replace(one, weights=()) for one in of_cpu]
        for one, other in zip(of_cpu, of_device, strict=True):
            assert other.weights == pytest.approx(one.weights, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("teacher", ["lbf", "warm"])
def test_a_baseline_with_dropout_leaves_nothing_behind(
    teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with second_device(monkeypatch):  # or it would raise MixedDevices
        taught, _ = taught_on(FAR, teacher, CONFIG, tmp_path)
    assert any(taught)


def test_a_tensor_left_on_the_cpu_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with second_device(monkeypatch):
        there = torch.arange(3.0).to(FAR)
        assert (there * torch.tensor(2.0)).tolist() == [0, 2, 4]  # CUDA takes scalars of the CPU too
        for mixing in (lambda: there + torch.ones(3), lambda: there[torch.tensor([0])]):
            with pytest.raises(MixedDevices):
                mixing()


@pytest.mark.parametrize("graphs", [False, True])
def test_transfers_to_cuda_come_from_pinned_memory_and_do_not_block(
    graphs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned: list[int] = []
    moved: list[tuple[str, bool]] = []

    def pin(self: Tensor) -> Tensor:
        pinned.append(id(self))
        return self

    def to(self: Tensor, device: Any, *, non_blocking: bool = False) -> Tensor:
        assert id(self) in pinned
        moved.append((str(device), non_blocking))
        return self

    zeros = torch.zeros
    monkeypatch.setattr(Tensor, "pin_memory", pin)
    monkeypatch.setattr(Tensor, "to", to)
    monkeypatch.setattr(torch, "zeros", lambda size, device: zeros(size))  # made on the device: not a transfer
    examples = varied_examples(np.random.default_rng(1))
    if graphs:
        examples = [replace(example, graphs=Graphs(((0, 0),), ((0, 0),))) for example in examples]
    make_batch(examples, operators=OPERATORS, constants=CONSTANTS, device="cuda:0")
    assert moved == [("cuda:0", True)] * (3 + graphs)  # the trees, their weights, the texts, the edges of the graphs


@pytest.mark.parametrize("teacher", ["gold", "lbf", "warm"])
def test_a_step_sends_nothing_to_the_device_in_another_way(
    teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[torch.Size] = []

    def noted(tensor: Tensor, device: Any) -> Tensor:
        sent.append(tensor.shape)
        return send(tensor, device)

    for module in (batches, beam, sampling):
        monkeypatch.setattr(module, "send", noted)
    config = CONFIGS["g2t"]
    with second_device(monkeypatch) as mode:
        gold = teacher == "gold"
        run = run_on(FAR, tmp_path, config, TRAIN) if gold else baseline_on(FAR, teacher, config, tmp_path)
        before = mode.sent
        for places in list(run._places())[:2]:
            run._one_step(run.state.model, places)
        assert mode.sent - before == len(sent) > 0
