"""`mwp-weak train`, `evaluate` and `solve` on tiny models: what they print and keep, and what they say of bad input."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mwp_cli.weak import main

from weaksup.measure.predictions import JudgedPrediction
from weaksup.records import Label, Scored
from weaksup.solvers.network.model_files import CHECKPOINT
from weaksup.storage.json_lines import read_records, write_records

PROGRAM = shutil.which("mwp-weak", path=sysconfig.get_path("scripts"))
TORCHRUN = shutil.which("torchrun", path=sysconfig.get_path("scripts"))
STORIES = ("--size", "100")  # 70 / 15 / 15
TINY = ("--hidden", "16", "--set", "embedding=8", "--set", "validate_every=1", "--device", "cpu", "--threads", "1")
TRAIN_KEYS = {"examples", "seconds", "cpu_seconds", "examples_per_second", "valid_answer_accuracy"}
EVALUATE_KEYS = {"data", "split", "problems", "answer_accuracy", "equation_accuracy", "by_quantities", "beam"}
QUESTION = "Tom has 3 apples and buys 5 more. How many has he now?"


def run(*args: object, stdin: str | None = None) -> Result:
    """What a command does; anything but an orderly end is a failure."""
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"a traceback reached the user: {result.exception!r}") from result.exception
    assert "Traceback" not in result.stderr
    return result


def out(*args: object) -> str:
    """The output of a command that succeeds."""
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def out_json(*args: object) -> Any:
    return json.loads(out(*args, "--json"))


def refusal(*args: object) -> str:
    """The one line of a command that refuses its input."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(re.findall(r"(?m)^error: ", result.stderr)) == 1, result.stderr
    return result.stderr.splitlines()[-1].removeprefix("error: ")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has seen a few stories twice."""
    folder = tmp_path_factory.mktemp("models") / "model"
    out("train", *STORIES, *TINY, "--epochs", 2, "-o", folder)
    return folder


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    out("search", *STORIES, "--plan", "paper", "--workers", 1, "-o", folder / "candidates.jsonl")
    out("rank", folder / "candidates.jsonl", "-o", folder / "labels.jsonl")
    return folder / "labels.jsonl"


# --- train ------------------------------------------------------------------------------------------------------------


def test_train_tells_what_it_does_and_writes_a_model_folder(tmp_path: Path) -> None:
    result = run("train", *STORIES, *TINY, "--epochs", 2, "-o", tmp_path / "model")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "split stories 70/15/15 by scheme: train 70 / valid 15 / test 15",
        "gts, preset small, hidden 16, on cpu: 70 of 70 problems for training, 15 for validation",
        "learning the models that judge answers and equations",
    ]
    closing = r".*model: 6 steps, 140 examples in [\d.]+ s \([\d,]+ a second\), valid answer accuracy \d+\.\d%\n"
    assert re.fullmatch(closing, result.stdout)
    names = {path.name for path in (tmp_path / "model").iterdir()}
    model = {"config.json", "vocabulary.json", "model.safetensors", "answers.safetensors", "equations.safetensors"}
    assert names == model | {"metrics.jsonl", "times.jsonl", "run.json"}
    assert len((tmp_path / "model" / "metrics.jsonl").read_text().splitlines()) == 2


def test_train_ends_with_one_json_object(tmp_path: Path) -> None:
    result = run("train", *STORIES, *TINY, "--max-steps", 2, "-o", tmp_path / "model", "--json")
    found = json.loads(result.stdout)
    assert found.keys() >= TRAIN_KEYS
    assert found["steps"] == 2
    assert found["examples"] == 64
    assert found["examples_per_second"] > 0
    assert 0 <= found["valid_answer_accuracy"] <= 1
    assert found["split"] == "stories 70/15/15 by scheme: train 70 / valid 15 / test 15"


def test_a_model_trained_to_the_end_is_left_as_it_is(model: Path) -> None:
    before = {path: path.read_bytes() for path in model.iterdir()}
    result = run("train", *STORIES, *TINY, "--epochs", 2, "-o", model, "--json")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == f"{model} already holds this model, trained to the end: nothing to do"
    found = json.loads(result.stdout)
    assert found.keys() >= TRAIN_KEYS
    assert (found["examples"], found["seconds"]) == (0, 0.0)
    assert found["valid_answer_accuracy"] is not None
    assert {path: path.read_bytes() for path in model.iterdir()} == before


def test_other_settings_need_overwrite(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    (folder / "notes.txt").write_text("mine")
    before = (folder / "run.json").read_bytes()
    says = refusal("train", "--size", 60, *TINY, "--epochs", 1, "-o", folder)
    assert says.startswith(f"{folder} was made with other settings: epochs was 2")
    assert (folder / "run.json").read_bytes() == before
    assert out_json("train", *STORIES, *TINY, "--max-steps", 1, "--overwrite", "-o", tmp_path / "new")["steps"] == 1
    refused = refusal("train", *STORIES, *TINY, "--max-steps", 1, "--overwrite", "-o", folder)
    assert refused.startswith(f"{folder} exists and holds no model")  # the notes are not ours to remove
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_overwrite_replaces_a_model(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    out("train", *STORIES, *TINY, "--max-steps", 1, "--overwrite", "-o", folder)
    assert json.loads((folder / "config.json").read_text())["training"]["settings"]["max_steps"] == 1
    assert len((folder / "times.jsonl").read_text().splitlines()) == 1


def test_overwrite_leaves_the_folder_of_somebody_else_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["Other"]}')
    (tmp_path / "model.safetensors").write_text("weights")
    says = refusal("train", *STORIES, *TINY, "--max-steps", 1, "--overwrite", "-o", tmp_path)
    assert says.startswith(f"{tmp_path / 'config.json'}: not a file of a solver")
    assert (tmp_path / "model.safetensors").read_text() == "weights"


def test_labels_are_taught_with_the_corpus_that_they_were_made_for(labels: Path, tmp_path: Path) -> None:
    result = run("train", "--labels", labels, *TINY, "--max-steps", 2, "-o", tmp_path / "model", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["split"].endswith("train 70 / valid 15 / test 15")  # 100 stories, as the sidecar says
    told = dict(re.findall(r"(?m)^left out, (.*): (\d+)$", result.stderr))
    assert {reason: int(count) for reason, count in told.items()} == found["left_out"]
    assert f"{70 - found['left_out'].get('no label', 0)} of 70 problems for training" in result.stderr


def test_what_is_left_out_is_told_with_the_reason(labels: Path, tmp_path: Path) -> None:
    some = tmp_path / "labels.jsonl"
    write_records(some, list(read_records(labels, Label))[:60])
    result = run("train", "--labels", some, *STORIES, *TINY, "--max-steps", 1, "-o", tmp_path / "model", "--json")
    told = re.search(r"(?m)^left out, no label: (\d+)$", result.stderr)
    assert told
    assert json.loads(result.stdout)["left_out"]["no label"] == int(told[1]) > 20


@pytest.mark.parametrize("soft", ["expected", "marginal"])
def test_soft_labels(soft: str, labels: Path, tmp_path: Path) -> None:
    plain = out_json("train", "--labels", labels, *TINY, "--max-steps", 2, "-o", tmp_path / "plain")
    found = out_json("train", "--labels", labels, *TINY, "--max-steps", 2, "--soft", soft, "-o", tmp_path / "soft")
    assert found["steps"] == plain["steps"] == 2
    weights = [(tmp_path / kind / "model.safetensors").read_bytes() for kind in ("plain", "soft")]
    assert weights[0] != weights[1]


def test_a_corpus_without_a_valid_part_has_a_tenth_held_out(tmp_path: Path) -> None:
    options = ("--folds", 3, "--fold", 1, "--max-steps", 1)
    result = run("train", *STORIES, *TINY, *options, "-o", tmp_path / "model")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.splitlines() == [
        "split stories 3-fold by seed 0 fold 1: train 67 / test 33",
        "no valid part: 6 problems of the train part are held out for validation",
        "gts, preset small, hidden 16, on cpu: 61 of 61 problems for training, 6 for validation",
        "learning the models that judge answers and equations",
    ]
    assert out_json("evaluate", tmp_path / "model")["part"].startswith("test part of stories 3-fold by seed 0 fold 1")


def test_published_cells_are_read_for_g2t_and_what_does_not_fit_is_counted(tmp_path: Path) -> None:
    from weaksup.corpora.stories import read_stories

    problems = list(read_stories(size=100))
    groups = {problem.id: [quantity.token for quantity in problem.quantities] for problem in problems[:40]}
    groups[problems[0].id] = [10_000]
    (tmp_path / "groups.json").write_text(json.dumps(groups))
    words = (*STORIES, *TINY, "--solver", "g2t", "--max-steps", 1, "--set", "dropout=0")
    with_groups = run("train", *words, "--groups", tmp_path / "groups.json", "-o", tmp_path / "a")
    assert "cells of the graphs: place past the end 1, fits 39, no list 60" in with_groups.stderr
    assert run("train", *words, "-o", tmp_path / "b").exit_code == with_groups.exit_code == 0
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in "ab"]
    assert weights[0] != weights[1]
    evaluated = run("evaluate", tmp_path / "a", "--groups", tmp_path / "groups.json")
    assert evaluated.exit_code == 0 and "cells of the graphs" in evaluated.stderr
    assert "absent.json" in refusal("evaluate", tmp_path / "a", "--groups", tmp_path / "absent.json")


def test_g2t_is_trained_by_the_same_command(tmp_path: Path) -> None:
    out("train", *STORIES, *TINY, "--solver", "g2t", "--max-steps", 1, "-o", tmp_path / "model")
    assert json.loads((tmp_path / "model" / "config.json").read_text())["solver"]["solver"] == "g2t"
    assert out("solve", tmp_path / "model", QUESTION).startswith("x=")


def test_options_reach_the_settings(tmp_path: Path) -> None:
    options = ("--epochs", 0.5, "--batch-size", 16, "--learning-rate", 0.01, "--dropout", 0.1, "--patience", 3)
    more = ("--writing", "canonical", "--seed", 7, "--set", "optimizer=adam", "--set", "ema=0", "--preset", "cpu")
    out("train", *STORIES, *TINY, *options, *more, "-o", tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    settings = config["training"]["settings"]
    assert (config["solver"]["hidden"], config["solver"]["embedding"], config["solver"]["dropout"]) == (16, 8, 0.1)
    wanted = {"epochs": 0.5, "batch_size": 16, "learning_rate": 0.01, "patience": 3, "writing": "canonical", "seed": 7}
    assert wanted | {"optimizer": "adam", "ema": 0.0} == {key: settings[key] for key in (*wanted, "optimizer", "ema")}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--labels", "none.jsonl", "--data", "stories"], "none.jsonl: cannot be read: No such file"),
        (["--soft", "marginal"], "--soft needs labels (--labels FILE): a gold equation has no alternatives"),
        (["--preset", "nix"], "unknown preset 'nix'; one of "),
        (["--set", "nix=1"], "unknown setting 'nix'"),
        (["--set", "ema"], "Invalid value for --set: 'ema' is not of the form NAME=VALUE"),
        (["--set", "ema=often"], "ema can't be 'often'; expected float, got str"),
        (["--set", "hiden=3"], "unknown setting 'hiden'; did you mean hidden?"),
        (["--set", "dropout=2"], "dropout can't be 2"),
        (["--set", "valid_beam=0"], "valid_beam can't be 0"),
        (["--set", "layers=0"], "layers can't be 0"),
        (["--set", "writing=nix"], "writing can't be 'nix'; one of label, "),
        (["--hidden", "33"], "hidden can't be 33: with directions concat"),
        (["--hidden", "34", "--solver", "g2t"], "hidden can't be 34: g2t has 4 heads"),
        (["--device", "nix"], "unknown device 'nix'"),
        (["--data", "nix"], "unknown corpus 'nix'"),
        (["--valid-part", "nix"], "stories 70/15/15 by scheme has no part 'nix'; it has train, valid, test"),
        (["--valid-part", "train"], "the train part can't be the valid part too"),
        (["--size", "0"], "stories 70/15/15 by scheme: train 0 / valid 0 / test 0 has no problems to train on"),
        (["--epochs", "0"], "Invalid value for '--epochs'"),
        (["--hidden", "x"], "Invalid value for '--hidden'"),
        (["--solver", "nix"], "Invalid value for '--solver'"),
    ],
    ids=str,
)
def test_bad_training_is_refused_in_one_line(args: list[str], says: str, tmp_path: Path) -> None:
    assert refusal("train", *args, "-o", tmp_path / "model").startswith(says)
    assert not (tmp_path / "model").exists()


def _with(labels: Path, tmp_path: Path, change: Callable[[Label], Label]) -> Path:
    path = tmp_path / "labels.jsonl"
    write_records(path, [change(label) for label in read_records(labels, Label)])
    return path


def test_labels_of_another_corpus_are_refused(labels: Path, tmp_path: Path) -> None:
    import msgspec

    def says(path: Path) -> str:
        return refusal("train", "--labels", path, *STORIES, "--data", "stories", *TINY, "-o", tmp_path / "model")

    other = _with(labels, tmp_path, lambda label: msgspec.structs.replace(label, id=f"x-{label.id}"))
    assert says(other) == f"{other}: the corpus has no problem x-story-00000: do labels and corpus belong together?"
    more = Scored(expr="N0+N99", posterior=0.1)
    over = _with(labels, tmp_path, lambda label: msgspec.structs.replace(label, others=(more,)))
    assert re.search(r"problem story-00000: 'N0\+N99' is not an expression over its \d quantities", says(over))
    strange = _with(labels, tmp_path, lambda label: msgspec.structs.replace(label, expr="Nix"))
    assert "'Nix' is not an expression over its" in says(strange)
    once = list(read_records(labels, Label))
    write_records(other, [*once, once[0]])
    assert says(other) == f"{other}: problem {once[0].id} has two labels"
    other.write_text('{"id": "story-00000"}\n')
    assert says(other).startswith(f"{other}:1: not a record of type Label")


def test_training_can_start_with_a_trained_model(model: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    out("train", *STORIES, "--start", model, "--epochs", "1", "--learning-rate", "1e-12", "-o", tmp_path / "more")
    before, after = (load_file(folder / "model.safetensors") for folder in (model, tmp_path / "more"))
    assert all(tensor.allclose(after[name], atol=1e-6) for name, tensor in before.items())
    assert (model / "vocabulary.json").read_bytes() == (tmp_path / "more" / "vocabulary.json").read_bytes()
    said = refusal("train", *STORIES, "--start", model, "--hidden", "64", "-o", tmp_path / "other")
    assert said.startswith("--start fixes the network: leave out hidden")
    said = refusal("train", *STORIES, "--epochs", "1", "--learning-rate", "1e-12", "-o", tmp_path / "more")
    assert "was made with other settings" in said


def test_two_threads_give_the_same_bits_twice(tmp_path: Path) -> None:
    assert PROGRAM, "mwp-weak is not installed"
    weights = set()
    for name in ("one", "two"):
        options = [*STORIES, *TINY, "--epochs", "3", "--threads", "2", "-o", name]
        subprocess.run([PROGRAM, "train", *options], check=True, capture_output=True, cwd=tmp_path)
        weights.add((tmp_path / name / "model.safetensors").read_bytes())
    assert len(weights) == 1


# --- interrupted, and several processes -------------------------------------------------------------------------------


def _heed_ctrl_c() -> None:
    """Whoever started the tests in the background made them, and all below them, deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def wait_until(true: Callable[[], bool], seconds: float = 120) -> None:
    for _ in range(int(seconds / 0.02)):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    assert PROGRAM, "mwp-weak is not installed"
    options = [*STORIES, *TINY, "--epochs", "30"]
    folder = tmp_path / "model"
    command = [PROGRAM, "train", *options, "-o", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_heed_ctrl_c
    ) as process:
        wait_until(lambda: (folder / "metrics.jsonl").exists())
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert printed == ""
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "interrupted"
    assert f"the work so far is kept in {folder}: the same command resumes it" in said
    assert (folder / CHECKPOINT).exists()
    done = len((folder / "metrics.jsonl").read_text().splitlines())
    assert done < 30
    again = run("train", *options, "-o", folder, "--json")
    assert again.exit_code == 0
    before = re.search(r"(?m)^([\d,]+) of 2,100 examples were done before$", again.stderr)
    assert before
    assert json.loads(again.stdout)["examples"] == 2100 - int(before[1].replace(",", ""))
    assert not (folder / CHECKPOINT).exists()
    out("train", *options, "-o", tmp_path / "whole")
    for name in ("model.safetensors", "metrics.jsonl", "run.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_torchrun_trains_with_two_processes_and_one_of_them_speaks(tmp_path: Path) -> None:
    assert TORCHRUN and PROGRAM
    folder = tmp_path / "model"
    train = [PROGRAM, "train", *STORIES, *TINY, "--max-steps", "2", "-o", str(folder), "--json"]
    command = [TORCHRUN, "--standalone", "--nproc-per-node", "2", "--no-python", *train]
    quiet = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["examples"] == 64
    assert done.stderr.count("70 of 70 problems for training") == 1
    assert "x=" in out("solve", folder, QUESTION)


# --- evaluate ---------------------------------------------------------------------------------------------------------


def test_evaluate_prints_a_table_by_number_of_quantities(model: Path) -> None:
    lines = out("evaluate", model).splitlines()
    assert lines[0] == f"{model}, beam 5: test part of stories 70/15/15 by scheme: train 70 / valid 15 / test 15"
    assert lines[1].split() == ["quantities", "problems", "answers", "equations"]
    assert lines[-2].split()[:2] == ["all", "15"]
    assert re.fullmatch(r"false matches \(right value, wrong equation\): \d+", lines[-1])


def test_evaluate_json_and_predictions_agree(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    found = out_json("evaluate", model, "--split", "valid", "--beam", 2, "--predictions", path)
    assert found.keys() >= EVALUATE_KEYS
    assert (found["data"], found["split"], found["beam"], found["problems"]) == ("stories", "valid", 2, 15)
    assert sum(size["problems"] for size in found["by_quantities"].values()) == 15
    judged = list(read_records(path, JudgedPrediction))
    assert found["answer_accuracy"] == pytest.approx(sum(one.right_answer for one in judged) / 15, abs=1e-5)
    assert found["equation_accuracy"] == pytest.approx(sum(bool(one.right_equation) for one in judged) / 15, abs=1e-5)
    assert found["false_matches"] == sum(one.is_false_match for one in judged)
    written = [one for one in judged if one.equation is not None]
    assert written
    assert all(one.value is not None and 0 <= (one.probability or 0) <= 1 for one in written)


def test_evaluate_takes_a_tolerance_and_all_problems(model: Path) -> None:
    everything = out_json("evaluate", model, "--split", "all", "--tolerance", "1000000000")
    assert everything["problems"] == 100
    assert everything["answer_accuracy"] > 0.9  # whatever has a value is near enough


def test_evaluate_takes_another_corpus(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"text": QUESTION, "answer": "8"}) + "\n")
    found = out_json("evaluate", model, "--data", "jsonl", "--path", path, "--split", "all")
    assert (found["data"], found["problems"], found["equation_accuracy"]) == ("jsonl", 1, None)
    assert "-" in out("evaluate", model, "--data", "jsonl", "--path", path, "--split", "all").splitlines()[-2].split()
    assert refusal("evaluate", model, "--data", "jsonl", "--path", path).startswith("there are no problems: test part")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--split", "nix"], "Invalid value for --split: stories 70/15/15 by scheme has the parts train, valid, test"),
        (["--tolerance", "x"], "Invalid value for '--tolerance': 'x' is not a number"),
        (["--tolerance", "-1"], "Invalid value for '--tolerance': '-1' is not in the range"),
        (["--beam", "0"], "Invalid value for '--beam'"),
        (["--device", "nix"], "unknown device 'nix'"),
        (["--data", "math23k"], "math23k needs a path"),
    ],
    ids=str,
)
def test_bad_evaluation_is_refused_in_one_line(args: list[str], says: str, model: Path) -> None:
    assert refusal("evaluate", model, *args).startswith(says)


# --- several models ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of another kind and size that has seen the same stories."""
    folder = tmp_path_factory.mktemp("models") / "other"
    out("train", *STORIES, *TINY, "--solver", "g2t", "--hidden", 24, "--epochs", 1, "--seed", 1, "-o", folder)
    return folder


def test_several_models_are_evaluated_as_one(model: Path, other: Path, tmp_path: Path) -> None:
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    orders = [(model, other), (other, model)]
    found = [out_json("evaluate", *order, "--predictions", file) for order, file in zip(orders, files, strict=True)]
    assert [one["members"] for one in found] == [[str(path) for path in order] for order in orders]
    assert found[0]["model"] == f"{model} + {other}"
    assert files[0].read_bytes() == files[1].read_bytes()
    alone = [
        out("evaluate", folder, "--predictions", files[1], "--force") and files[1].read_bytes() for folder in orders[0]
    ]
    assert files[0].read_bytes() not in alone
    assert out("evaluate", model, model).splitlines()[1:] == out("evaluate", model).splitlines()[1:]
    assert out("evaluate", model, other).splitlines()[0].startswith(f"{model} + {other}, beam 5: test part of stories")
    assert "is an input of this command" in refusal("evaluate", model, other, "--predictions", other / "config.json")


def test_several_models_solve_as_one(model: Path, other: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.txt").write_text(f"{QUESTION}\n")
    found = out_json("solve", model, other, QUESTION)["predictions"]
    alone = [out_json("solve", folder, QUESTION)["predictions"] for folder in (model, other)]
    assert {one["expr"] for one in found} == {one["expr"] for row in alone for one in row}
    solved = json.loads(out("solve", model, other, "--path", tmp_path / "questions.txt"))
    assert (solved["equation"], solved["probability"]) == (found[0]["equation"], found[0]["probability"])


def test_models_that_do_not_belong_together_are_one_line(model: Path, other: Path, tmp_path: Path) -> None:
    for name, change in (("corpus", ("--size", "90")), ("split", (*STORIES, "--folds", "3", "--fold", "1"))):
        out("train", *change, *TINY, "--max-steps", 1, "-o", tmp_path / name)
    elsewhere = refusal("evaluate", model, tmp_path / "corpus")
    assert elsewhere == f"{tmp_path / 'corpus'}: trained on another corpus than {model}"
    assert refusal("solve", model, tmp_path / "corpus", QUESTION) == elsewhere
    parts = refusal("evaluate", model, tmp_path / "split")
    assert parts.startswith(f"{tmp_path / 'split'}: trained with another split than {model}; choose")
    assert out("evaluate", model, tmp_path / "split", "--folds", 3, "--fold", 1)
    assert out("solve", model, tmp_path / "split", QUESTION)
    assert refusal("evaluate", model, tmp_path / "none") == f"{tmp_path / 'none'}: there is no such folder"
    assert refusal("solve", model, tmp_path / "none", QUESTION) == f"{tmp_path / 'none'}: there is no such folder"
    (tmp_path / "split" / "model.safetensors").write_bytes(b"")
    assert "not a safetensors file, or damaged" in refusal("solve", model, tmp_path / "split", QUESTION)


# --- solve ------------------------------------------------------------------------------------------------------------


def test_solve_prints_equation_and_value_then_all_that_was_found(model: Path) -> None:
    lines = out("solve", model, QUESTION).splitlines()
    assert re.fullmatch(r"x=[-+*/()\d.^]+", lines[0])
    assert lines[2:4] == ["", "probability  value  equation"] or lines[3].split() == [
        "probability",
        "value",
        "equation",
    ]
    assert lines[0] in lines[4]
    found = out_json("solve", model, QUESTION, "--beam", 3)
    assert found["text"] == QUESTION
    assert 1 <= len(found["predictions"]) <= 3
    chances = [one["probability"] for one in found["predictions"]]
    assert chances == sorted(chances, reverse=True)
    assert set(found["predictions"][0]) == {"expr", "equation", "value", "probability"}


def test_solve_reads_stdin_and_chinese(model: Path) -> None:
    assert run("solve", model, "-", stdin=f"{QUESTION}\n").stdout == out("solve", model, QUESTION)
    result = run("solve", model, "小明有3个苹果,又买了5个,现在有多少个?", "--language", "zh")
    assert result.exit_code == 0
    assert result.stdout.startswith("x=")


def test_solve_reads_no_more_of_stdin_than_a_line_may_have(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mathcanon.files.MAX_LINE", len(QUESTION))
    assert run("solve", model, "-", stdin=QUESTION).stdout == out("solve", model, QUESTION)
    too_long = QUESTION + "\n" * 1000
    assert run("solve", model, "-", stdin=too_long).stderr == (
        f"error: <stdin>: the length of the text is {len(QUESTION) + 1}, the limit is {len(QUESTION)}\n"
    )


def test_solve_reads_bytes_that_are_no_text(model: Path) -> None:
    with subprocess.Popen(
        [str(PROGRAM), "solve", str(model), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8:strict"},
    ) as process:
        stdout, stderr = process.communicate(b"\xff 3 and 5 \xfe")
    assert (process.returncode, stderr) == (0, b"")
    assert stdout.startswith(b"x=")


def test_a_text_without_numbers_is_a_well_formed_no(model: Path) -> None:
    result = run("solve", model, "Tom has some apples. How many?")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "there is no number in the text\n")
    result = run("solve", model, "Tom has some apples. How many?", "--json")
    assert (result.exit_code, json.loads(result.stdout)["predictions"]) == (1, [])
    assert refusal("solve", model, "  ") == "the text is empty"
    assert run("solve", model, "-", stdin="").exit_code == 2


def _damage(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    (folder / name).write_bytes(change((folder / name).read_bytes()))


@pytest.mark.parametrize("command", ["evaluate", "solve"])
@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("config.json", lambda old: old[:50], "not a file of a solver"),
        ("config.json", lambda old: b"{}", "not a file of a solver"),
        (
            "config.json",
            lambda old: old.replace(b"weaksup/solver", b"other"),
            "the format is other 1, but weaksup/solver 1 was expected",
        ),
        ("config.json", lambda old: old.replace(b'"hidden": 16', b'"hidden": 18'), "the weights do not fit"),
        ("config.json", lambda old: old.replace(b'"hidden": 16', b'"hidden": -2'), ""),
        ("vocabulary.json", lambda old: b"[]", "not a file of a solver"),
        ("vocabulary.json", lambda old: old.replace(b'"+"', b'"+", "-"'), ""),
        ("model.safetensors", lambda old: old[: len(old) // 2], "not a safetensors file, or damaged"),
        ("model.safetensors", lambda old: b"", "not a safetensors file, or damaged"),
    ],
)
def test_a_damaged_folder_is_one_line(
    command: str, name: str, change: Callable[[bytes], bytes], says: str, model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    _damage(folder, name, change)
    assert says in refusal(command, folder, *([QUESTION] if command == "solve" else []))


@pytest.mark.parametrize("name", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_one_line(name: str, model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    (folder / name).unlink()
    assert name in refusal("solve", folder, QUESTION)


def test_a_foreign_folder_is_one_line(tmp_path: Path) -> None:
    assert refusal("solve", tmp_path / "none", QUESTION) == f"{tmp_path / 'none'}: there is no such folder"
    assert refusal("evaluate", tmp_path).startswith(f"{tmp_path / 'config.json'}: cannot be read")


# --- without torch ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        ["train"],
        ["evaluate", "model"],
        ["solve", "model", QUESTION],
        ["rank", "candidates.jsonl", "--ranker", "basic", "--model", "model"],
    ],
    ids=lambda args: args[0],
)
def test_without_torch_the_way_to_install_it_is_told(args: list[str], tmp_path: Path) -> None:
    code = f"import sys\nsys.modules['torch'] = None\nfrom mwp_cli.weak import main\nmain({args!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'error: solvers need torch: in the clone, pip install -c constraints.txt ".[solver]"\n'


@pytest.mark.parametrize("command", ["train", "evaluate", "solve"])
def test_help_loads_no_torch(command: str) -> None:
    code = (
        "import sys\nfrom mwp_cli.weak import main\n"
        f"try: main([{command!r}, '--help'])\nexcept SystemExit as end: assert not end.code\n"
        "print('LOADED', *[name for name in ('torch', 'numba', 'numpy', 'safetensors') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["LOADED"]


@pytest.mark.parametrize(
    ("option", "file"),
    [("--no-answer-model", "answers.safetensors"), ("--no-equation-model", "equations.safetensors")],
)
def test_evaluate_and_solve_can_leave_a_second_opinion_out(option: str, file: str, model: Path, tmp_path: Path) -> None:
    def predictions(folder: Path, *options: str) -> list[tuple[str, float]]:
        written = tmp_path / "predictions.jsonl"
        assert run("evaluate", folder, "--predictions", written, "--force", *options).exit_code == 0
        found = [json.loads(line) for line in written.read_text().splitlines()]
        return [(one["expr"], one["probability"]) for one in found]

    plain = tmp_path / "plain"
    shutil.copytree(model, plain)
    (plain / file).unlink()
    assert predictions(model, option) == predictions(plain) != predictions(model)
    text = "Tom has 3 apples and buys 5 more. How many?"
    solved = [run("solve", *arguments).stdout for arguments in ((model, text, option), (plain, text))]
    assert solved[0] == solved[1] != run("solve", model, text).stdout


def test_solve_takes_files_and_stdin_and_prints_json_lines(model: Path, tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("nr,story\nq1,Tom has 3 apples and buys 5 more. How many?\nq2,Why?\nq3,too,many,cells\n")
    result = run("solve", model, "--path", table, "--text-field", "story", "--id-field", "nr")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [one["id"] for one in found[:2]] == ["q1", "q2"]
    alone = json.loads(run("solve", model, found[0]["text"], "--json").stdout)["predictions"][0]
    assert (found[0]["equation"], found[0]["answer"]) == (alone["equation"], alone["value"])
    assert [one["fault"] for one in found[1:]] == [
        "there is no number in the text", "row-damaged: 4 cells, the header has 2",
    ]  # fmt: skip
    lines = 'Tom has 3 apples and buys 5 more. How many?\n\n{"id": "x", "question": "2 and 3?"}\n{"id": 1}\n{oops\n'
    code = "from mwp_cli.weak import main; main()"
    command = [sys.executable, "-c", code, "solve", str(model), "--path", "-"]
    piped = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in piped.stdout.splitlines()]
    assert [one["id"] for one in answers] == ["1", "x", "4", "5"]
    assert answers[0]["equation"] == alone["equation"]
    assert "the field is missing" in answers[2]["fault"] and "not JSON" in answers[3]["fault"]
    assert refusal("solve", model).startswith("give a MODEL_DIR and a TEXT, or a file with --path")
    assert refusal("solve", model, "3?", "--path", table).startswith("give a TEXT or a file with --path, not both")
