"""No command replaces what it reads, and none replaces a file of somebody else unless it is told to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from mwp_cli import canon, weak

from weaksup.storage.json_files import write_json
from weaksup.storage.provenance import read_run_info, run_info_path
from weaksup.storage.run_files import METRICS, REPORT

CORPUS = "".join(f'{{"id": "p{i}", "text": "Add {i} and 3.", "answer": {i + 3}}}\n' for i in range(40, 70))
PLAN = 'name = "mine"\nstop = "first-match"\n[[stage]]\nname = "all"\n'
SMALL = ("--hidden", 8, "--max-steps", 2, "--device", "cpu")

#: Every option that names a file to write.  Folders are taken whole or not at all: see the tests of each.
WRITERS = {
    ("draw", "output"), ("data show", "picture"), ("search", "output"), ("rank", "output"), ("export", "output"),
    ("evaluate", "predictions"), ("grade", "output"),
}  # fmt: skip


def run(*args: object, program: click.Command = weak.main) -> Result:
    return CliRunner().invoke(program, [str(arg) for arg in args])


def done(*args: object, program: click.Command = weak.main) -> None:
    result = run(*args, program=program)
    assert result.exit_code == 0, result.stderr


def refusal(*args: object, program: click.Command = weak.main) -> str:
    result = run(*args, program=program)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    return line


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, a plan, candidates, labels and a model."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "corpus.jsonl").write_text(CORPUS)
    (folder / "plan.toml").write_text(PLAN)
    data = ("--data", "jsonl", "--path", folder / "corpus.jsonl")
    done("search", *data, "--plan", folder / "plan.toml", "--workers", 1, "-o", folder / "candidates.jsonl")
    done("rank", folder / "candidates.jsonl", "-o", folder / "labels.jsonl")
    done("train", "--labels", folder / "labels.jsonl", *SMALL, "-o", folder / "model")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def commands(folder: Path) -> dict[str, tuple[list[object], list[Path]]]:
    """Commands that lack their output, and the files that they read."""
    corpus, plan, candidates, labels, model = (
        folder / name for name in ("corpus.jsonl", "plan.toml", "candidates.jsonl", "labels.jsonl", "model")
    )
    data = ("--data", "jsonl", "--path", corpus)
    model_files = [model / name for name in ("config.json", "vocabulary.json", "model.safetensors", "run.json")]
    return {
        "search": (["search", *data, "--plan", plan, "--workers", 1, "--force", "-o"], [corpus, plan]),
        "rank": (["rank", candidates, "--force", "-o"], [candidates, run_info_path(candidates)]),
        "rank with a model": (
            ["rank", candidates, "--ranker", "basic", "--model", model, "--force", "-o"],
            [candidates, corpus, *model_files],
        ),
        "export": (["export", labels, "--force", "-o"], [labels, run_info_path(labels), corpus]),
        "data show": (["data", "show", "jsonl", "--path", corpus, "--force", "--graph"], [corpus]),
        "evaluate": (["evaluate", model, "--split", "all", "--force", "--predictions"], [corpus, *model_files]),
    }


@pytest.mark.parametrize("command", ["search", "rank", "rank with a model", "export", "data show", "evaluate"])
@pytest.mark.parametrize("linked", [None, os.symlink, os.link], ids=["by name", "symbolic link", "hard link"])
def test_an_input_is_never_replaced(
    command: str, linked: Callable[[Path, Path], Any] | None, made: Path, tmp_path: Path
) -> None:
    before = content(made)
    args, inputs = commands(made)[command]
    for number, read in enumerate(inputs):
        output = read
        if linked:
            output = tmp_path / f"{number}.png"
            linked(read, output)
        assert refusal(*args, output) == f"error: {output} is an input of this command: choose another output"
    assert content(made) == before


def test_a_sidecar_never_takes_the_place_of_an_input(made: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.jsonl"
    os.link(made / "candidates.jsonl", run_info_path(output))
    assert "is an input of this command" in refusal("rank", made / "candidates.jsonl", "--force", "-o", output)


@pytest.mark.parametrize("option", ["--overwrite", None])
def test_a_model_to_start_with_is_never_replaced(option: str | None, made: Path) -> None:
    before = content(made)
    args = ["train", "--labels", made / "labels.jsonl", "--start", made / "model", "--max-steps", 3]
    said = refusal(*args, "--device", "cpu", *([option] if option else []), "-o", made / "." / "model")
    assert said == f"error: {made / 'model'} is an input of this command: choose another output"
    assert content(made) == before


def test_the_report_never_takes_the_place_of_the_metrics(tmp_path: Path) -> None:
    (tmp_path / METRICS).write_text("{}")
    (tmp_path / REPORT).symlink_to(tmp_path / METRICS)
    assert "is an input of this command" in refusal("report", tmp_path)


# --- files of others --------------------------------------------------------------------------------------------------


def foreign(folder: Path, made: Path) -> dict[str, tuple[click.Command, list[object], Path]]:
    labels = made / "labels.jsonl"
    return {
        "draw": (canon.main, ["draw", "a+b", "-o"], folder / "tree.svg"),
        "data show": (weak.main, ["data", "show", "--size", 5, "--graph"], folder / "graph.svg"),
        "search": (weak.main, ["search", "--size", 5, "--workers", 1, "-o"], folder / "candidates.jsonl"),
        "rank": (weak.main, ["rank", made / "candidates.jsonl", "-o"], folder / "labels.jsonl"),
        "export": (weak.main, ["export", labels, "-o"], folder / "train.jsonl"),
        "evaluate": (weak.main, ["evaluate", made / "model", "--split", "all", "--predictions"], folder / "p.jsonl"),
    }


@pytest.mark.parametrize("command", ["draw", "data show", "search", "rank", "export", "evaluate"])
def test_a_file_of_somebody_else_is_replaced_only_by_force(command: str, made: Path, tmp_path: Path) -> None:
    program, args, output = foreign(tmp_path, made)[command]
    output.write_text("mine")
    said = refusal(*args, output, program=program)
    assert said.startswith(f"error: {output} already exists")
    assert said.endswith("or replace it (--force)")
    assert output.read_text() == "mine"
    done(*args, output, "--force", program=program)
    assert output.read_bytes() != b"mine"


@pytest.mark.parametrize("command", ["draw", "export"])
def test_an_empty_file_and_a_device_hold_nothing_to_lose(command: str, made: Path, tmp_path: Path) -> None:
    program, args, output = foreign(tmp_path, made)[command]
    output.touch()
    done(*args, output, program=program)
    assert output.stat().st_size
    if command == "export":
        done(*args, os.devnull, program=program)


def test_labels_that_were_made_here_are_replaced(made: Path, tmp_path: Path) -> None:
    args = ["rank", made / "candidates.jsonl", "-o", tmp_path / "labels.jsonl"]
    done(*args, "--ranker", "random")
    done(*args)
    assert (tmp_path / "labels.jsonl").read_bytes() == (made / "labels.jsonl").read_bytes()


def test_labels_of_another_corpus_are_replaced_only_by_force(made: Path, tmp_path: Path) -> None:
    candidates, labels = tmp_path / "candidates.jsonl", tmp_path / "labels.jsonl"
    done("search", "--size", 3, "--workers", 1, "-o", candidates)
    done("rank", candidates, "-o", labels)
    before = labels.read_bytes()
    said = refusal("rank", made / "candidates.jsonl", "-o", labels)
    assert "another corpus (stories)" in said and "(jsonl, " in said
    assert said.endswith("or replace it (--force)")
    assert labels.read_bytes() == before
    done("rank", made / "candidates.jsonl", "-o", labels, "--force")
    assert labels.read_bytes() == (made / "labels.jsonl").read_bytes()


def test_labels_of_another_corpus_are_not_shown(made: Path, tmp_path: Path) -> None:
    candidates, labels = tmp_path / "candidates.jsonl", tmp_path / "labels.jsonl"
    done("search", "--size", 3, "--workers", 1, "-o", candidates)
    done("rank", candidates, "-o", labels)
    done("show", candidates, "--labels", labels, "--where", "n>0")
    shown = ("show", candidates, "--where", "n>0", "--labels")
    assert "another corpus (stories)" in refusal(*shown, made / "labels.jsonl")
    copied = tmp_path / "copied.jsonl"  # without the sidecar that names the corpus
    copied.write_bytes((made / "labels.jsonl").read_bytes())
    assert f"{copied} has no label for any problem of {candidates}" in refusal(*shown, copied)


def test_a_sidecar_of_something_else_makes_no_labels(made: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.jsonl"
    output.write_text("candidates")
    info = read_run_info(run_info_path(made / "candidates.jsonl"))
    assert info is not None
    write_json(run_info_path(output), info)
    assert refusal("rank", made / "candidates.jsonl", "-o", output).endswith("or replace it (--force)")
    output.unlink()  # the sidecar is of a file that is elsewhere
    said = refusal("rank", made / "candidates.jsonl", "-o", output)
    assert said.startswith(f"error: {run_info_path(output)} already exists")


def leaves(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        inner = leaves(command, f"{prefix}{name} ") if isinstance(command, click.Group) else {prefix + name: command}
        found |= inner
    return found


def test_every_command_that_writes_a_file_has_the_option_force() -> None:
    all_commands = {**leaves(canon.main), **leaves(weak.main)}
    with_force = {name for name, command in all_commands.items() if any(p.name == "force" for p in command.params)}
    assert with_force == {name for name, _ in WRITERS}
    outputs = {
        (name, option.name)
        for name, command in all_commands.items()
        for option in command.params
        if isinstance(option.type, click.Path) and not option.type.dir_okay and "-o" in option.opts
    }
    assert outputs <= WRITERS
