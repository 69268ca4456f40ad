"""Training: it learns, the same seed gives the same bytes, and a run that is killed ends as if it had not been."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError, DataError, WeakSupError
from weaksup.records import Label, Scored
from weaksup.solvers.data.lessons import gold_lessons, label_lessons
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network import model_files as checkpoint
from weaksup.solvers.network.model_files import load_tensors
from weaksup.solvers.presets import SolverConfig, TrainConfig, preset
from weaksup.solvers.table import build_model
from weaksup.solvers.training import loop as training
from weaksup.solvers.training import model_folder as training_folder
from weaksup.solvers.training import state
from weaksup.solvers.training.loop import train_solver

from .. import small_run
from ..small_run import CONFIG, STEPS, TRAIN, files, run

MODEL_FILES = [
    "answers.safetensors",
    "config.json",
    "equations.safetensors",
    "metrics.jsonl",
    "model.safetensors",
    "vocabulary.json",
]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    return load_tensors(folder / "model.safetensors")[0]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody disturbed."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("finished") / "model"
    run(folder)
    return folder


# --- learning ---------------------------------------------------------------------------------------------------------


def test_a_solver_learns_its_own_stories(tmp_path: Path) -> None:
    problems = list(read_stories(size=60, seed=1))
    lessons, left_out = gold_lessons(problems, writing="label")
    assert len(lessons) == 60 and not left_out
    config = SolverConfig(embedding=32, hidden=64, layers=1, directions="concat", dropout=0.0, number_kinds=True)
    train = TrainConfig(
        epochs=40,
        batch_size=12,
        learning_rate=1e-2,
        schedule="linear",
        clip=5.0,
        min_word_count=1,
        min_constant_count=1,
        validate_every=10,
    )
    result = train_solver(lessons, problems, tmp_path, config=config, train=train)
    losses = [row["loss"] for row in rows_of(tmp_path)]
    assert len(losses) == 4 and losses == sorted(losses, reverse=True) and losses[-1] < losses[0] / 10
    assert result.valid_answer_accuracy is not None and result.valid_answer_accuracy > 0.9
    assert result.examples == 40 * 60 and result.steps == 200
    found = Solver.load(tmp_path).predict(problems, beam=3)
    right = [bool(f) and f[0].exact == problem.exact_answer for f, problem in zip(found, problems, strict=True)]
    assert sum(right) > 54


def test_the_loss_of_the_first_step_is_that_of_the_untrained_solver(tmp_path: Path) -> None:
    """By the model itself: mean over the examples of - log P(tree)."""
    lessons, _ = small_run.stories()
    config = msgspec.structs.replace(CONFIG, dropout=0.0, word_dropout=0.0)
    train = msgspec.structs.replace(TRAIN, batch_size=24, epochs=1, validate_every=1)
    run(tmp_path / "a", config=config, train=train)
    vocabulary = Solver.load(tmp_path / "a").vocabulary
    torch.manual_seed(train.seed)
    model = build_model(config, vocabulary).eval()
    examples, _ = training.make_examples(lessons, vocabulary, config)
    chances = [
        float(
            model(
                training.make_batch([example], operators=len(vocabulary.operators), constants=len(vocabulary.constants))
            ).detach()
        )
        for example in examples
    ]
    (row,) = rows_of(tmp_path / "a")
    assert row["loss"] == pytest.approx(-sum(chances) / len(examples), abs=2e-4)


@pytest.mark.parametrize("soft", ["expected", "marginal"])
def test_soft_labels_train(tmp_path: Path, soft: str) -> None:
    _, valid = small_run.stories()
    problems = list(read_stories(size=24, seed=11))
    labels = {
        problem.id: Label(
            id=problem.id,
            expr="N0",
            equation="x=0",
            posterior=0.6,
            candidates=2,
            stage="",
            ranker="",
            others=(Scored(expr="N0+1", posterior=0.3), Scored(expr="N0*3.14", posterior=0.1)),
        )
        for problem in problems
    }
    lessons, _ = label_lessons(problems, labels, writing="label", soft=True)
    train = msgspec.structs.replace(TRAIN, soft=soft)
    run(tmp_path / "a", train=train, given=(lessons, valid))
    losses = [row["loss"] for row in rows_of(tmp_path / "a")]
    assert losses[-1] < losses[0]
    if soft == "expected":  # never below the entropy of the labels
        assert losses[-1] > -sum(p * torch.tensor(p).log().item() for p in (0.6, 0.3, 0.1))


# --- the same bytes ---------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    torch.manual_seed(12345)  # what was drawn before does not matter
    run(tmp_path / "again", checkpoint_seconds=1e9)
    assert sorted(files(finished)) == MODEL_FILES
    assert files(tmp_path / "again") == files(finished)
    run(tmp_path / "other", train=msgspec.structs.replace(TRAIN, seed=1))
    assert files(tmp_path / "other")["model.safetensors"] != files(finished)["model.safetensors"]


def test_gold_is_not_read_where_labels_are_given(tmp_path: Path) -> None:
    lessons, valid = small_run.stories()
    blind = [
        lesson._replace(problem=msgspec.structs.replace(lesson.problem, gold=None, scheme=None)) for lesson in lessons
    ]
    wrong = [msgspec.structs.replace(problem, gold="x=0") for problem in valid]
    run(tmp_path / "seeing", given=(lessons, valid))
    run(tmp_path / "blind", given=(blind, [msgspec.structs.replace(problem, gold=None) for problem in valid]))
    run(tmp_path / "misled", given=(lessons, wrong))
    assert files(tmp_path / "blind") == files(tmp_path / "seeing") == files(tmp_path / "misled")


class Interrupted(BaseException):
    """The power goes out."""


@pytest.mark.parametrize("ema", [0.0, 0.9])
@pytest.mark.parametrize("checkpoint_seconds", [0.0, 1e9])
def test_a_run_stopped_after_any_step_goes_on_to_the_same_bytes(
    tmp_path: Path, ema: float, checkpoint_seconds: float
) -> None:
    train = msgspec.structs.replace(TRAIN, ema=ema)
    run(tmp_path / "whole", train=train)
    seen = 0

    def stop_at(calls: int) -> Callable[[int, int], None]:
        nonlocal seen
        seen = 0

        def progress(done: int, total: int) -> None:
            nonlocal seen
            seen += 1
            if seen > calls:
                raise Interrupted

        return progress

    for steps in (0, 5, 9):
        with pytest.raises(Interrupted):
            run(tmp_path / f"{steps}", train=train, progress=stop_at(steps), checkpoint_seconds=checkpoint_seconds)
        run(tmp_path / f"{steps}", train=train, progress=stop_at(99))
        assert files(tmp_path / f"{steps}") == files(tmp_path / "whole"), f"stopped after {steps}"
    if checkpoint_seconds == 0:
        # Stopped in the tenth step: the ninth is on the disk, three are left, and progress begins with a call.
        assert seen == 1 + STEPS - 8


def test_a_run_stopped_at_any_write_goes_on_to_the_same_bytes(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before or after each file gets its name, with what a killed process leaves behind."""
    real = checkpoint.save_tensors, training_folder.write_json
    left = 0

    def stopping(write: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(path: Path, *args: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                Path(path).with_name(".mathcanon-0123456789abcdef.tmp").write_bytes(b"half of it")
                raise Interrupted
            write(path, *args)
            left -= 1
            if left == 0:
                raise Interrupted

        return wrapped

    monkeypatch.setattr(training, "save_tensors", stopping(real[0]))
    monkeypatch.setattr(state, "save_tensors", stopping(real[0]))
    monkeypatch.setattr(training_folder, "write_json", stopping(real[1]))
    stopped = 0
    for moment in range(1, 100):
        folder = tmp_path / f"{moment}"
        left = moment
        try:
            run(folder, checkpoint_seconds=0.0 if moment % 3 else 1e9)
        except Interrupted:
            stopped += 1
            left = -1
            run(folder)
            assert files(folder) == files(finished), f"stopped at {moment}"
        else:
            if moment % 3:
                break
        if stopped > 9:  # the rest of a run is more of the same
            break
    assert stopped > 7


def kill_when(folder: Path, ready: Callable[[], bool], *, pause: float) -> int:
    """Train in another process and kill it when something has happened; how it ended."""
    program = [sys.executable, str(Path(small_run.__file__)), str(folder), str(pause)]
    process = subprocess.Popen(program, stderr=subprocess.PIPE)
    try:
        limit = time.monotonic() + 900  # a busy machine
        while process.poll() is None and not ready():
            assert time.monotonic() < limit, "nothing happened"
            time.sleep(0.005)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), errors.decode()
    return process.returncode


def test_a_run_killed_again_and_again_ends_with_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"

    def after_rows(count: int) -> Callable[[], bool]:
        return lambda: (folder / "metrics.jsonl").exists() and len(rows_of(folder)) >= count

    for ready in ((folder / "checkpoint.safetensors").exists, after_rows(1), after_rows(2)):
        assert kill_when(folder, ready, pause=0.05) == -signal.SIGKILL
        assert (folder / "config.json").exists()
    assert len(rows_of(folder)) == 2 < len(rows_of(finished))
    assert kill_when(folder, lambda: False, pause=0.0) == 0
    assert files(folder) == files(finished)


# --- folders ----------------------------------------------------------------------------------------------------------


def test_other_settings_or_labels_in_the_same_folder_are_refused(finished: Path, tmp_path: Path) -> None:
    lessons, valid = small_run.stories()
    before = files(finished)
    stamps = {path.name: path.stat().st_mtime_ns for path in finished.iterdir()}
    other = [lessons[0]._replace(trees=(("N0",),)), *lessons[1:]]
    turned = [valid[1], valid[0], *valid[2:]]
    attempts: list[tuple[dict[str, Any], str]] = [
        ({"train": msgspec.structs.replace(TRAIN, learning_rate=0.5)}, "learning_rate was 0.01, now 0.5"),
        ({"config": msgspec.structs.replace(CONFIG, hidden=14)}, "hidden was 12, now 14"),
        ({"given": (other, valid)}, "digest was"),
        ({"given": (lessons[1:], valid)}, "examples was 24, now 23"),
        ({"given": (lessons, turned)}, "valid_digest was"),
        ({}, "trained to the end"),
    ]
    for changes, message in attempts:
        with pytest.raises(ConfigError) as error:
            run(finished, **changes)
        assert message in str(error.value) and "\n" not in str(error.value)
        assert files(finished) == before
    assert {path.name: path.stat().st_mtime_ns for path in finished.iterdir()} == stamps


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match="holds no model"):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_checkpoint_that_is_damaged_or_foreign_is_a_data_error(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > 20:
            raise Interrupted

    with pytest.raises(Interrupted):
        run(tmp_path / "a", progress=stop)
    path = tmp_path / "a" / "checkpoint.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"checkpoint\.safetensors"):
        run(tmp_path / "a")
    checkpoint.save_tensors(path, {"a": torch.zeros(1)})
    with pytest.raises(DataError, match=r"checkpoint\.safetensors: not a training checkpoint"):
        run(tmp_path / "a")


def test_nothing_to_train_with_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing to train with"):
        run(tmp_path / "a", given=([], []))
    lessons, valid = small_run.stories()
    rare = [lesson._replace(trees=(("+", "N0", "7"),), weights=(1.0,)) for lesson in lessons]
    train = msgspec.structs.replace(TRAIN, min_constant_count=99)
    with pytest.raises(DataError, match="nothing to train with"):
        run(tmp_path / "a", given=(rare, valid), train=train)
    assert not (tmp_path / "a").exists()


def test_lessons_that_can_not_be_written_are_counted(tmp_path: Path) -> None:
    lessons, valid = small_run.stories()
    rare = lessons[0]._replace(trees=(("+", "N0", "7"),), weights=(1.0,))
    train = msgspec.structs.replace(TRAIN, min_constant_count=2)
    result = run(tmp_path / "a", given=([rare, *lessons[1:], *lessons[1:]], valid), train=train)
    assert result.left_out == {"7 is too rare to be written": 1}


def test_equations_of_one_number_can_be_taught(tmp_path: Path) -> None:
    """No operator and no constant in all of the lessons."""
    lessons, valid = small_run.stories()
    leaves = [lesson._replace(trees=(("N0",),)) for lesson in lessons]
    run(tmp_path / "a", given=(leaves, valid))
    solver = Solver.load(tmp_path / "a")
    assert all(found[0].expr in ("N0", "N1", "N2", "N3", "N4", "N5") for found in solver.predict(valid, beam=1))
    assert solver.solve("Tom has apples.") == []


def test_presets_and_settings_that_there_are_not() -> None:
    config, train = preset("cpu", hidden=64, epochs=2)
    assert (config.hidden, train.epochs) == (64, 2)
    for name, changes in [("gpu", {}), ("cpu", {"hiden": 3}), ("cpu", {"hidden": "many"}), ("cpu", {"solver": "x"})]:
        with pytest.raises(ConfigError):
            preset(name, **changes)


# --- which weights are kept -------------------------------------------------------------------------------------------


def test_the_weights_kept_are_the_average(tmp_path: Path) -> None:
    """The average by hand, from runs without one that end after each step."""
    lessons, _ = small_run.stories()
    plain = msgspec.structs.replace(TRAIN, ema=0.0, schedule="halve", warmup=0)
    run(tmp_path / "average", train=msgspec.structs.replace(plain, ema=0.3, max_steps=4), given=(lessons, []))
    vocabulary = Solver.load(tmp_path / "average").vocabulary
    torch.manual_seed(plain.seed)
    model = build_model(CONFIG, vocabulary)
    average = {name: value.detach().double() for name, value in model.named_parameters()}
    for step in range(1, 5):
        run(tmp_path / f"{step}", train=msgspec.structs.replace(plain, max_steps=step), given=(lessons, []))
        decay = min(0.3, (1 + step) / (10 + step))
        for name, value in weights_of(tmp_path / f"{step}").items():
            average[name] = decay * average[name] + (1 - decay) * value.double()
    kept = weights_of(tmp_path / "average")
    for name, value in average.items():
        torch.testing.assert_close(kept[name].double(), value, rtol=1e-5, atol=1e-6)
    assert any(not torch.equal(kept[name], value) for name, value in weights_of(tmp_path / "4").items())


def test_training_stops_after_validations_without_gain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With patience 3 the fifth validation is the last; of the two best ones the later is kept."""
    lessons, _ = small_run.stories()
    train = msgspec.structs.replace(TRAIN, epochs=50, validate_every=1, patience=3, schedule="halve", warmup=0)
    told = iter([0.1, 0.3, 0.2, 0.3, 0.1, 0.9, 0.9])
    monkeypatch.setattr(training.TrainingRun, "_accuracy", lambda self: next(told))
    result = run(tmp_path / "stopped", train=train)
    assert (result.steps, result.valid_answer_accuracy) == (15, 0.3)
    assert [row["valid_answer_accuracy"] for row in rows_of(tmp_path / "stopped")] == [0.1, 0.3, 0.2, 0.3, 0.1]
    assert sorted(files(tmp_path / "stopped")) == MODEL_FILES
    best = msgspec.structs.replace(train, epochs=4, patience=0)
    run(tmp_path / "best", train=best, given=(lessons, []))
    kept, expected = weights_of(tmp_path / "stopped"), weights_of(tmp_path / "best")
    assert kept.keys() == expected.keys() and all(torch.equal(kept[name], expected[name]) for name in kept)


def test_the_accuracy_told_is_that_of_the_weights_kept(finished: Path) -> None:
    from weaksup.measure.predictions import answer_accuracy

    _, valid = small_run.stories()
    best = max(row["valid_answer_accuracy"] for row in rows_of(finished))
    assert answer_accuracy(Solver.load(finished), valid, beam=TRAIN.valid_beam) == best


def test_a_training_that_diverges_ends_with_one_line(tmp_path: Path) -> None:
    train = msgspec.structs.replace(TRAIN, learning_rate=1e30, clip=0.0, warmup=0, ema=0.0)
    with pytest.raises(
        WeakSupError, match=r"^training has diverged: at step \d+ the loss is (nan|inf); use a lower learning rate"
    ):
        run(tmp_path / "model", train=train)
