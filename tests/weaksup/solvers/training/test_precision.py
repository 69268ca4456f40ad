"""Mixed precision, for real: autocast with bfloat16 on the CPU runs the code that CUDA runs, but for its kernels.

On CUDA, autocast makes a GRU return float16 whatever its type is; here the GRU is made to do so by a patch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from click.testing import CliRunner
from mwp_cli.weak import main
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from weaksup.baselines.sampling import write_trees
from weaksup.errors import ConfigError
from weaksup.pipeline.config import read_config
from weaksup.solvers.data.batches import Batch
from weaksup.solvers.data.graphs import Graphs
from weaksup.solvers.decoding.beam import beam_search
from weaksup.solvers.network import encoder
from weaksup.solvers.presets import PRESETS, SolverConfig
from weaksup.solvers.table import build_model
from weaksup.solvers.training.objective import tree_loss
from weaksup.solvers.training.precision import mixed_precision, uses_bfloat16

from ..examples_for_tests import VOCABULARY, batch_of, varied_examples
from ..small_run import CONFIG, TRAIN, files, run

CPU = torch.device("cpu")


def config_of(preset: str, solver: str) -> SolverConfig:
    """The network of a preset, narrow and without dropout, so that two passes can be compared."""
    narrow = {"embedding": 8, "hidden": 16, "solver": solver}
    narrow |= {"dropout": 0.0, "word_dropout": 0.0, "graph_dropout": None}
    return msgspec.structs.replace(PRESETS[preset][0], **narrow)


@pytest.fixture(params=[(preset, solver) for preset in PRESETS for solver in ("gts", "g2t")], ids="-".join)
def model(request: pytest.FixtureRequest) -> nn.Module:
    torch.manual_seed(0)
    return build_model(config_of(*request.param), VOCABULARY)


@pytest.fixture(params=[False, True], ids=["", "half-gru"])
def _gru(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param:
        real = encoder._run_layer
        monkeypatch.setattr(encoder, "_run_layer", lambda *args: real(*args).half())
    return


def some_batch() -> Batch:
    graphs = Graphs(comparisons=((0, 0),), cells=((0, 0),))
    return batch_of([replace(example, graphs=graphs) for example in varied_examples(np.random.default_rng(0))])


class Products(TorchDispatchMode):
    """The types of the matrix products, in the recurrence of the encoder and elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.recurrent: set[torch.dtype] = set()
        self.others: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name in ("mm", "addmm", "bmm"):
            self.others.update(one.dtype for one in args if isinstance(one, Tensor))
        if name in ("baddbmm", "baddbmm_"):  # only `gru_layer` has them
            self.recurrent.update(one.dtype for one in args if isinstance(one, Tensor))
        return func(*args, **(kwargs or {}))


@pytest.mark.usefixtures("_gru")
@pytest.mark.parametrize("soft", ["none", "marginal"])
def test_loss_and_gradients_are_near_those_of_float32(model: nn.Module, soft: str) -> None:
    batch = some_batch()
    found = {}
    for precision in ("fp32", "bf16"):
        model.zero_grad()
        with mixed_precision(precision, CPU):
            chances = model(batch)
            loss = tree_loss(chances, batch, soft=soft)
        assert chances.dtype == loss.dtype == torch.float32
        loss.backward()
        gradients = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}  # type: ignore[union-attr]
        found[precision] = loss.item(), gradients
    exact, rounded = found["fp32"], found["bf16"]
    assert rounded[0] == pytest.approx(exact[0], rel=0.02) and rounded[0] != exact[0]
    whole = torch.stack([gradient.norm() for gradient in exact[1].values()]).norm()
    for name, gradient in exact[1].items():
        assert (rounded[1][name] - gradient).norm() < 0.05 * gradient.norm() + 0.01 * whole, name


def test_products_are_in_bfloat16_and_the_recurrence_is_not(model: nn.Module) -> None:
    batch = some_batch()
    with Products() as seen, mixed_precision("bf16", CPU):
        model(batch)
    assert seen.recurrent == {torch.float32} and seen.others == {torch.bfloat16}
    with Products() as seen, mixed_precision("auto", CPU):
        model(batch)
    assert seen.recurrent == seen.others == {torch.float32}


@pytest.mark.usefixtures("_gru")
def test_beam_search_and_sampling_run_in_mixed_precision(model: nn.Module) -> None:
    batch = some_batch()
    model.eval()
    plain = beam_search(model, batch, beam=3, max_tokens=9)  # type: ignore[arg-type]
    with mixed_precision("bf16", CPU):
        mixed = beam_search(model, batch, beam=3, max_tokens=9)  # type: ignore[arg-type]
        greedy = write_trees(model, batch, [(1, 4)] * len(batch.order))  # type: ignore[arg-type]
        drawn = write_trees(model, batch, [(1, 4)] * len(batch.order), draws=3)  # type: ignore[arg-type]
    for one, other in zip(plain, mixed, strict=True):
        assert one[0].log_probability == pytest.approx(other[0].log_probability, rel=0.02)
    assert [len(trees) for trees in greedy] == [1] * len(batch.order)
    assert [len(trees) for trees in drawn] == [3] * len(batch.order)


@pytest.mark.usefixtures("_gru")
@pytest.mark.parametrize("solver", ["gts", "g2t"])
def test_training_in_bfloat16_keeps_float32_weights_and_repeats_its_bytes(solver: str, tmp_path: Path) -> None:
    config = msgspec.structs.replace(CONFIG, solver=solver)
    train = msgspec.structs.replace(TRAIN, precision="bf16")
    run(tmp_path / "one", config=config, train=train)
    run(tmp_path / "two", config=config, train=train)
    run(tmp_path / "exact", config=config, train=msgspec.structs.replace(TRAIN, precision="fp32"))
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert files(tmp_path / "one")["model.safetensors"] != files(tmp_path / "exact")["model.safetensors"]
    losses = [
        [json.loads(line)["loss"] for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()]
        for name in ("one", "exact")
    ]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)
    assert json.loads((tmp_path / "one" / "config.json").read_text())["training"]["settings"]["precision"] == "bf16"


def test_auto_is_bfloat16_on_cuda_only() -> None:
    devices = [torch.device(name) for name in ("cpu", "cuda", "mps")]
    assert [uses_bfloat16("auto", device) for device in devices] == [False, True, False]
    assert [uses_bfloat16("fp32", device) for device in devices] == [False, False, False]
    with pytest.raises(ConfigError, match="precision can't be bf16 on mps"):
        uses_bfloat16("bf16", devices[2])


# --- the commands -----------------------------------------------------------------------------------------------------


def test_train_records_the_precision(tmp_path: Path) -> None:
    model = tmp_path / "model"
    command = ["train", "--size", "40", "--hidden", "8", "--max-steps", "2", "--device", "cpu", "-o", str(model)]
    result = CliRunner().invoke(main, [*command, "--precision", "bf16"])
    assert result.exit_code == 0, result.output
    assert "on cpu in bf16:" in result.output
    assert json.loads((model / "config.json").read_text())["training"]["settings"]["precision"] == "bf16"
    refused = CliRunner().invoke(main, [*command, "--precision", "fp32"])
    assert refused.exit_code == 2 and "precision" in refused.output  # it would be another model


SMALL = ["--size", "30", "--hidden", "8", "--epochs", "1", "--device", "cpu"]


def weights_by_model(folder: Path, precision: str) -> dict[str, bytes]:
    """The weights of all models in a run folder, which must have been trained in this precision."""
    found = {}
    for config in folder.rglob("config.json"):
        assert json.loads(config.read_text())["training"]["settings"]["precision"] == precision, config
        found[str(config.parent.relative_to(folder))] = (config.parent / "model.safetensors").read_bytes()
    return found


def test_the_pipeline_trains_every_model_in_the_precision(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = ["pipeline", *SMALL, "--draft-epochs", "1", "--rounds", "1", "--workers", "1", "--out", str(folder)]
    result = CliRunner().invoke(main, [*command, "--precision", "bf16"])
    assert result.exit_code == 0, result.output
    assert read_config(folder / "config.toml").precision == "bf16"
    assert len(weights_by_model(folder, "bf16")) > 2


@pytest.mark.parametrize(
    ("words", "models"), [(["lbf"], {"solver"}), (["warm", "--beam", "--draws", "3"], {"generator", "solver"})]
)
def test_a_baseline_trains_every_model_in_the_precision(words: list[str], models: set[str], tmp_path: Path) -> None:
    found = {}
    for precision in ("bf16", "fp32"):
        folder = tmp_path / precision
        command = ["baseline", *words, *SMALL, "--precision", precision, "-o", str(folder)]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        found[precision] = weights_by_model(folder, precision)
        assert found[precision].keys() == models
    assert all(found["bf16"][name] != found["fp32"][name] for name in models)
