"""A pretrained encoder in place of embedding and GRU, with tiny models made here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest
import torch
from click.testing import CliRunner
from mwp_cli.weak import main

from weaksup.corpora.problems import segment_text
from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError
from weaksup.records import Problem
from weaksup.solvers.data.batches import make_batch
from weaksup.solvers.data.graphs import make_graphs
from weaksup.solvers.data.lessons import example_of
from weaksup.solvers.data.pieces import PieceReader, piece_reader
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.model_files import load_tensors
from weaksup.solvers.network.pretrained import _WHOLE_MASKS, PretrainedEncoder
from weaksup.solvers.presets import SolverConfig
from weaksup.solvers.table import build_model
from weaksup.solvers.training import teaching
from weaksup.solvers.training.precision import mixed_precision
from weaksup.solvers.training.state import TrainingState

from ..examples_for_tests import CONSTANTS, OPERATORS, VOCABULARY
from ..small_run import CONFIG, STEPS, TRAIN, files, run, stories
from ..tiny_models import tiny_encoder, transformers_or_skip

transformers = transformers_or_skip()


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp(request.param), request.param)


def config_with(folder: Path, **changes: object) -> SolverConfig:
    return msgspec.structs.replace(CONFIG, encoder=str(folder), **changes)  # type: ignore[arg-type]


def english(text: str) -> Problem:
    text, tokens, quantities = segment_text(text, language="en")
    return Problem(id="1", text=text, tokens=tokens, quantities=quantities, answer="1", language="en")


# --- word pieces ------------------------------------------------------------------------------------------------------


def test_quantities_stand_at_their_first_piece(folder: Path) -> None:
    problem = english("How many pens are 375 pens and 24.5 pens?")
    pieces = piece_reader(str(folder)).read(problem)
    names = piece_reader(str(folder)).tokenizer.convert_ids_to_tokens(list(pieces.numbers))
    assert names[0] == "[CLS]" and names[-1] == "[SEP]"
    starts = [pieces.starts[quantity.token] for quantity in problem.quantities]
    assert None not in starts
    assert [names[place] for place in starts if place is not None] == ["3", "2"]
    assert names[starts[0] : starts[0] + 3] == ["3", "##7", "##5"]  # type: ignore[misc,operator]
    # Each word begins where the pieces of those before it end.
    assert [place for place in pieces.starts if place is not None] == sorted(set(pieces.starts))  # type: ignore[type-var]


def test_edges_join_the_pieces_of_the_words_that_they_joined(folder: Path) -> None:
    problem = english("Tom has 37 red pens and 12 blue pens. How many pens does Tom have?")
    config = config_with(folder, solver="g2t")
    example = example_of(problem, VOCABULARY, config, {})
    pieces, plain = piece_reader(str(folder)).read(problem), make_graphs(problem)
    assert example.graphs is not None and len(plain.cells) > 5
    word_at = {place: word for word, place in enumerate(pieces.starts)}
    for moved, edges in zip(example.graphs, plain, strict=True):
        assert {(word_at[one], word_at[other]) for one, other in moved} == set(edges)


def test_a_text_beyond_what_the_encoder_reads_is_cut(tmp_path: Path) -> None:
    short = tiny_encoder(tmp_path, positions=20)
    problem = english("a long road of words " * 10 + "and 7 pens")
    example = example_of(problem, VOCABULARY, config_with(short, solver="g2t"), {})
    assert len(example.words) == 18 and example.places == (0,)
    assert example.graphs is not None and all(end < 18 for edges in example.graphs for edge in edges for end in edge)
    model = build_model(config_with(short, solver="g2t", hidden=12), VOCABULARY).eval()
    batch = make_batch([example], operators=OPERATORS, constants=CONSTANTS)
    assert model.read(batch).states.isfinite().all()  # type: ignore[operator]


# --- the network ------------------------------------------------------------------------------------------------------


def test_states_are_those_of_the_model_projected_whatever_the_padding(folder: Path) -> None:
    problems = [english("Tom has 3 pens."), english("Ann buys 12 hats and 25 cups. How many is that?")]
    config = config_with(folder)
    torch.manual_seed(0)
    model = build_model(config, VOCABULARY).eval()
    encoder = model.encoder
    assert isinstance(encoder, PretrainedEncoder)
    examples = [example_of(problem, VOCABULARY, config, {}) for problem in problems]
    batch = make_batch(examples, operators=OPERATORS, constants=CONSTANTS)
    with torch.no_grad():
        found = encoder(batch)
        for row, place in enumerate(batch.order):
            words = torch.tensor([examples[place].words])
            alone = encoder.project(encoder.model(input_ids=words).last_hidden_state[0])
            torch.testing.assert_close(found.states[row, : words.shape[1]], alone, rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(found.goal[row], alone.mean(0), rtol=1e-4, atol=1e-5)
            assert found.mask[row].sum() == words.shape[1]


@pytest.mark.parametrize("kind", [*sorted(_WHOLE_MASKS), "modernbert", "mpnet", "bert eager"])
def test_the_mask_is_one_that_the_model_understands(kind: str, tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path, kind.removesuffix(" eager"))
    if kind.endswith("eager"):
        config = json.loads((source / "config.json").read_text())
        (source / "config.json").write_text(json.dumps(config | {"attn_implementation": "eager"}))
    model = build_model(config_with(source), VOCABULARY).eval()
    encoder = model.encoder
    assert isinstance(encoder, PretrainedEncoder) and encoder.whole_mask == (kind in _WHOLE_MASKS)
    problems = [english("Tom has 3 pens."), english("Ann buys 12 hats and 25 cups. How many is that?" * 9)]
    examples = [example_of(problem, VOCABULARY, config_with(source), {}) for problem in problems]
    batch = make_batch(examples, operators=OPERATORS, constants=CONSTANTS)
    with torch.no_grad():
        found = encoder(batch)
        plain = encoder.model(input_ids=batch.words, attention_mask=found.mask.long()).last_hidden_state
        torch.testing.assert_close(found.states[found.mask], encoder.project(plain)[found.mask])


def test_training_begins_with_the_pretrained_weights(folder: Path) -> None:
    expected = transformers.AutoModel.from_pretrained(str(folder)).state_dict()
    state = TrainingState(config_with(folder), VOCABULARY, TRAIN, torch.device("cpu"), None)
    own = state.model.get_submodule("encoder.model").state_dict()
    assert own.keys() == {name for name in expected if not name.startswith("pooler")}
    for name, value in own.items():
        assert torch.equal(value, expected[name]), name


def test_the_encoder_has_its_own_learning_rate(folder: Path) -> None:
    state = TrainingState(config_with(folder), VOCABULARY, TRAIN, torch.device("cpu"), None)
    for parameter in state.model.parameters():
        parameter.grad = torch.ones_like(parameter)
    before = {name: value.detach().clone() for name, value in state.model.named_parameters()}
    state.descend(0.5, 0.001, 0.0)
    moved = {name: (value - before[name]).abs().max().item() for name, value in state.model.named_parameters()}
    assert all((change < 0.01) == name.startswith("encoder.model.") for name, change in moved.items())


def test_the_encoder_has_its_own_warmup(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[tuple[float, ...]] = []
    descend = TrainingState.descend

    def noted(self: TrainingState, *rates: float) -> None:
        descend(self, *rates)
        used.append(tuple(group["lr"] for group in self.optimizer.param_groups))

    monkeypatch.setattr(TrainingState, "descend", noted)
    rates = {"learning_rate": 0.01, "warmup": 2, "encoder_rate": 0.001, "encoder_warmup": 5}
    run(tmp_path / "model", config=config_with(folder), train=msgspec.structs.replace(TRAIN, **rates))
    assert len(used) == STEPS
    for step, (rate, encoder_rate) in enumerate(used):
        left = (STEPS - step) / STEPS  # both fall linearly from the start, and rise by equal steps
        assert rate == pytest.approx(0.01 * left * (0.5 if step == 0 else 1))
        assert encoder_rate == pytest.approx(0.001 * left * ([0.2, 0.4, 0.6, 0.8][step] if step < 4 else 1))


@pytest.mark.parametrize("solver", ["gts", "g2t"])
def test_it_trains_saves_and_solves_without_its_source(solver: str, tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "source")
    config = config_with(source, solver=solver)
    run(tmp_path / "model", config=config)
    shutil.rmtree(source)
    piece_reader.cache_clear()
    loaded = Solver.load(tmp_path / "model")
    problems = stories()[1]
    found = loaded.predict(problems, beam=3)
    assert any(found)
    loaded.save(tmp_path / "copy")
    assert Solver.load(tmp_path / "copy").predict(problems, beam=3) == found
    names = {path.name for path in (tmp_path / "model" / "encoder").iterdir()}
    assert names == {"config.json", "tokenizer.json", "tokenizer_config.json"}
    teaching.clear_model(tmp_path / "model")
    assert not (tmp_path / "model" / "encoder").exists()


def test_training_goes_on_with_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > 40:
            raise Stopped

    config = config_with(folder)
    run(tmp_path / "whole", config=config)
    with pytest.raises(Stopped):
        run(tmp_path / "parts", config=config, progress=stop)
    assert (tmp_path / "parts" / "checkpoint.safetensors").exists()
    run(tmp_path / "parts", config=config)

    def of(name: str) -> dict[str, bytes]:
        return {key: value for key, value in files_of(tmp_path / name).items() if key != "checkpoint.safetensors"}

    assert of("whole") == of("parts")
    weights, _ = load_tensors(tmp_path / "whole" / "model.safetensors")
    started, _ = load_tensors(folder / "model.safetensors")
    assert any(not torch.equal(weights[f"encoder.model.{name}"], value) for name, value in started.items()
               if f"encoder.model.{name}" in weights)  # fmt: skip


def files_of(folder: Path) -> dict[str, bytes]:
    plain = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "times.jsonl"}
    return plain | {f"encoder/{name}": content for name, content in files(folder / "encoder").items()}


@pytest.mark.parametrize("solver", ["gts", "g2t"])
def test_it_trains_in_bfloat16(solver: str, folder: Path, tmp_path: Path) -> None:
    losses = {}
    for precision in ("bf16", "fp32"):
        train = msgspec.structs.replace(TRAIN, precision=precision)
        run(tmp_path / precision, config=config_with(folder, solver=solver), train=train)
        rows = (tmp_path / precision / "metrics.jsonl").read_text().splitlines()
        losses[precision] = [json.loads(row)["loss"] for row in rows]
    assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.05) and losses["bf16"] != losses["fp32"]


def test_all_its_layers_run_under_autocast(folder: Path) -> None:
    encoder = build_model(config_with(folder), VOCABULARY).encoder
    assert isinstance(encoder, PretrainedEncoder)
    types = set()
    for layer in encoder.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.register_forward_hook(lambda layer, given, found: types.add(found.dtype))
    examples = [example_of(english("Tom has 3 pens."), VOCABULARY, config_with(folder), {})]
    with mixed_precision("bf16", torch.device("cpu")):
        found = encoder(make_batch(examples, operators=OPERATORS, constants=CONSTANTS))
    assert types == {torch.bfloat16} and found.states.dtype == torch.float32


# --- what is refused --------------------------------------------------------------------------------------------------


def test_weights_that_are_not_safetensors_are_not_loaded(tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "source")
    weights, _ = load_tensors(source / "model.safetensors")
    (source / "model.safetensors").unlink()
    torch.save(weights, source / "pytorch_model.bin")
    with pytest.raises(ConfigError, match=r"has no model\.safetensors"):
        run(tmp_path / "model", config=config_with(source))


def test_code_in_the_folder_is_not_run(tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "source")
    config = json.loads((source / "config.json").read_text())
    config |= {"model_type": "of-their-own", "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    (source / "config.json").write_text(json.dumps(config))
    (source / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    with pytest.raises(ConfigError, match="can't be read as a Hugging Face model"):
        run(tmp_path / "model", config=config_with(source))
    assert not (tmp_path / "ran").exists()


def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        PieceReader(str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="can't be read as a Hugging Face model"):
        PieceReader(str(tmp_path))
    result = CliRunner().invoke(main, ["train", "--size", "30", "--encoder", str(tmp_path), "-o", str(tmp_path / "m")])
    assert result.exit_code == 2 and len(result.output.strip().splitlines()[-1]) < 500, result.output


def test_a_language_model_is_not_an_encoder(tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "source")
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps(config | {"is_decoder": True}))
    with pytest.raises(ConfigError, match="not an encoder"):
        build_model(config_with(source), VOCABULARY)


def test_the_command_trains_and_evaluates_with_an_encoder(tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "source")
    model = tmp_path / "model"
    command = ["train", "--size", "60", "--hidden", "8", "--max-steps", "2", "--encoder", str(source)]
    result = CliRunner().invoke(main, [*command, "--device", "cpu", "-o", str(model)])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(main, ["evaluate", str(model), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["problems"] == 9
    more = ["train", "--size", "60", "--max-steps", "1", "--start", str(model), "-o", str(tmp_path / "more")]
    result = CliRunner().invoke(main, more)
    assert result.exit_code == 0, result.output


def test_stories_have_a_piece_for_every_quantity(folder: Path) -> None:
    reader = piece_reader(str(folder))
    for problem in read_stories(size=100, seed=5):
        pieces = reader.read(problem)
        assert all(pieces.starts[quantity.token] is not None for quantity in problem.quantities)
