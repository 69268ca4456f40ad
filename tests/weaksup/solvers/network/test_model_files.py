"""Model folders: what is saved is what is loaded; a damaged or foreign one is one clear line, and runs no code."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from weaksup.corpora.stories import read_stories
from weaksup.errors import DataError
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.model_files import load_tensors, save_tensors

from ..small_run import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("saved") / "model"
    run(place)
    return place


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_a_solver_that_is_saved_and_loaded_predicts_the_same(folder: Path, tmp_path: Path) -> None:
    problems = list(read_stories(size=12, seed=20))
    solver = Solver.load(folder)
    solver.save(tmp_path / "new" / "place")
    again = Solver.load(tmp_path / "new" / "place")
    assert again.config == solver.config and again.vocabulary == solver.vocabulary
    found = solver.predict(problems, beam=3)
    assert any(found) and again.predict(problems, beam=3) == found
    assert sorted(path.name for path in (tmp_path / "new" / "place").iterdir()) == [
        "answers.safetensors",
        "config.json",
        "equations.safetensors",
        "model.safetensors",
        "vocabulary.json",
    ]


class Bomb:
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return pytest.fail, ("a pickle was opened",)


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"encoder.embedding.weight": Bomb()}))


def torch_file(path: Path) -> None:
    torch.save({"encoder.embedding.weight": torch.zeros(2)}, path)


def halved(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def changed(**values: Any) -> Callable[[Path], None]:
    """A change of config.json: keys of the solver, or of the file where they start with `_`."""

    def change(path: Path) -> None:
        content = json.loads(path.read_text())
        for key, value in values.items():
            (content if key.startswith("_") else content["solver"])[key.removeprefix("_")] = value
        path.write_text(json.dumps(content))

    return change


def vocabulary_with(**values: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    return change


def without(part: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        tensors, _ = load_tensors(path)
        save_tensors(path, {name: tensor for name, tensor in tensors.items() if part not in name})

    return change


DAMAGES: list[tuple[str, str, Callable[[Path], Any]]] = [
    ("no config", "config.json", Path.unlink),
    ("no vocabulary", "vocabulary.json", Path.unlink),
    ("no weights", "model.safetensors", Path.unlink),
    ("half a config", "config.json", halved),
    ("half a vocabulary", "vocabulary.json", halved),
    ("half of the weights", "model.safetensors", halved),
    ("no byte of the weights", "model.safetensors", lambda path: path.write_bytes(b"")),
    ("a pickle", "model.safetensors", pickled),
    ("a file of torch.save", "model.safetensors", torch_file),
    ("config of a transformer", "config.json", lambda path: path.write_text('{"model_type": "bert"}')),
    ("a list for a config", "config.json", lambda path: path.write_text("[]")),
    ("bytes for a config", "config.json", lambda path: path.write_bytes(b"\xff\xfe\x00")),
    ("deep JSON", "config.json", lambda path: path.write_text("[" * 100_000)),
    ("vocabulary of another kind", "vocabulary.json", lambda path: path.write_text('{"words": []}')),
    (
        "operators that there are not",
        "vocabulary.json",
        lambda path: path.write_text('{"words": [], "operators": ["%"], "constants": []}'),
    ),
    (
        "constants that are no numbers",
        "vocabulary.json",
        lambda path: path.write_text('{"words": [], "operators": ["+"], "constants": ["1/0"]}'),
    ),
    ("no words", "vocabulary.json", vocabulary_with(words=[])),
    ("words that are not text", "vocabulary.json", vocabulary_with(words=[1, 2])),
    ("no operators", "vocabulary.json", vocabulary_with(operators=[])),
    ("a constant without end", "vocabulary.json", vocabulary_with(constants=["9" * 10_000])),
    ("very many layers", "config.json", changed(layers=10_000_000)),
    ("a number that is none", "config.json", changed(dropout="0.5")),
    ("an odd size for two directions", "config.json", changed(hidden=17, directions="concat")),
    ("training of another kind", "config.json", changed(_training=[])),
    ("settings of another kind", "config.json", changed(_training={"settings": "none"})),
    ("another format", "config.json", changed(_format="weaksup/other")),
    ("a later version", "config.json", changed(_version=99)),
    ("a setting from the future", "config.json", changed(wings=2)),
    ("another size", "config.json", changed(hidden=20)),
    ("an impossible size", "config.json", changed(hidden=-4)),
    ("another depth", "config.json", changed(layers=2)),
    ("another solver", "config.json", changed(solver="lstm")),
    ("weights with a hole", "model.safetensors", without("to_left")),
]


@pytest.mark.parametrize(("file", "damage"), [d[1:] for d in DAMAGES], ids=[d[0] for d in DAMAGES])
def test_a_damaged_folder_is_one_clear_line(
    copy: Path, monkeypatch: pytest.MonkeyPatch, file: str, damage: Callable[[Path], Any]
) -> None:
    damage(copy / file)
    monkeypatch.setattr(torch, "load", lambda *args, **kwargs: pytest.fail("torch.load was called"))
    monkeypatch.setattr(pickle, "load", lambda *args, **kwargs: pytest.fail("a pickle was opened"))
    with pytest.raises(DataError) as error:
        Solver.load(copy)
    line = str(error.value)
    assert str(copy) in line and "\n" not in line and len(line) < 500
    if file != "config.json" or "weights" not in line:
        assert file in line


def test_no_folder_and_a_training_that_has_only_begun(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        Solver.load(tmp_path / "nowhere")
    (copy / "model.safetensors").rename(copy / "checkpoint.safetensors")
    with pytest.raises(DataError, match="first validation"):
        Solver.load(copy)


def test_loading_never_unpickles(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "load", lambda *args, **kwargs: pytest.fail("torch.load was called"))
    monkeypatch.setattr(pickle, "load", lambda *args, **kwargs: pytest.fail("a pickle was opened"))
    monkeypatch.setattr(pickle, "loads", lambda *args, **kwargs: pytest.fail("a pickle was opened"))
    assert Solver.load(folder).predict(list(read_stories(size=2, seed=1)))


def test_tensors_and_text_come_back_as_they_were(tmp_path: Path) -> None:
    tensors = {"b|x": torch.arange(6.0).view(2, 3).t(), "a": torch.tensor(3), "c": torch.zeros(0, 4)}
    save_tensors(tmp_path / "t.safetensors", tensors, {"state": "[1, 2]"})
    found, about = load_tensors(tmp_path / "t.safetensors")
    assert about == {"state": "[1, 2]"} and found.keys() == tensors.keys()
    assert all(
        torch.equal(found[name], tensor) and found[name].dtype == tensor.dtype for name, tensor in tensors.items()
    )
    (tmp_path / "again").mkdir()
    save_tensors(tmp_path / "again" / "t.safetensors", tensors, {"state": "[1, 2]"})
    assert (tmp_path / "again" / "t.safetensors").read_bytes() == (tmp_path / "t.safetensors").read_bytes()


STATE = {"step": 1, "best": None, "since_best": 0, "rows": []}


@pytest.mark.parametrize(
    "state",
    ["", "[]", "{", json.dumps({**STATE, "step": -1}), json.dumps({**STATE, "rows": [1]}), json.dumps(STATE)],
)
def test_a_checkpoint_of_something_else_is_one_clear_line(state: str, tmp_path: Path) -> None:
    """The last state is a good one, but the tensors of a model are missing."""
    run(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    save_tensors(tmp_path / "checkpoint.safetensors", {"run|x": torch.zeros(1)}, {"state": state})
    with pytest.raises(DataError, match=r"checkpoint\.safetensors: ") as error:
        run(tmp_path)
    assert "\n" not in str(error.value)
