"""`mwp-weak pipeline` and `rank --model` as users type them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from weaksup.records import CandidateSet, Label
from weaksup.storage.json_lines import read_records

pytest.importorskip("torch", reason="the pipeline trains solvers")

WHOLE = ["--size", "60", "--limit", "20"]
DRAFTS = ["--hidden", "16", "--draft-epochs", "1"]
TINY = [*WHOLE, *DRAFTS, "--epochs", "1", "--rounds", "1"]


def call(*words: str | Path) -> tuple[int, str, str]:
    from mwp_cli.weak import main

    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("cli-pipeline") / "run"
    code, out, err = call("pipeline", *TINY, "--ranker", "basic", "--out", folder)
    assert code == 0, err
    return folder, out


def test_it_ends_with_a_table_and_the_path_of_the_report(run_folder: tuple[Path, str]) -> None:
    folder, out = run_folder
    lines = out.strip().splitlines()
    assert lines[-1] == str(folder / "report.html")
    assert [line.split()[0] for line in lines if "%" in line and line.split()[0] in ("basic", "random")] == [
        "basic",
        "random",
    ]
    assert (folder / "report.html").is_file()


def test_its_labels_and_its_solver_know_their_corpus_and_split(run_folder: tuple[Path, str]) -> None:
    folder, _ = run_folder
    (main, *_) = json.loads((folder / "metrics.json").read_text())["arms"]
    code, out, err = call("oracle", folder / "labels.jsonl", "--split", "train", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["micro"] == main["runs"][0]["oracle"]["micro"]
    code, out, err = call("evaluate", folder / "solver", "--json")
    assert (code, err) == (0, "")
    measured, known = json.loads(out), main["runs"][0]["evaluation"]
    assert all(measured[key] == known[key] for key in ("problems", "answer_accuracy", "by_quantities"))


def test_json_is_the_metrics_file(run_folder: tuple[Path, str]) -> None:
    folder, _ = run_folder
    code, out, _ = call("pipeline", *TINY, "--ranker", "basic", "--out", folder, "--resume", "--json")
    assert code == 0
    assert json.loads(out) == json.loads((folder / "metrics.json").read_text())


@pytest.mark.parametrize("ranker", ["basic", "beam", "em"])
def test_rank_asks_a_draft_and_says_how_many_labels_changed(
    run_folder: tuple[Path, str], tmp_path: Path, ranker: str
) -> None:
    folder, _ = run_folder
    out = tmp_path / "labels.jsonl"
    code, text, err = call(
        "rank", folder / "candidates.jsonl", "--ranker", ranker, "--model", folder / "draft/single", "-o", out
    )
    assert code == 0, err
    assert "differ from the labels without a draft" in text
    labels = list(read_records(out, Label))
    assert {label.ranker for label in labels} == {ranker}
    assert any(label.score is not None for label in labels)
    if ranker == "basic":
        assert out.read_bytes() == (folder / "labels.jsonl").read_bytes()


def test_rank_trains_the_draft_of_the_pipeline(run_folder: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = run_folder
    words = ["--ranker", "basic", "--drafts", "1", *DRAFTS, "-o", tmp_path / "labels.jsonl"]
    code, text, err = call("rank", folder / "candidates.jsonl", *words)
    assert code == 0, err
    assert "differ from the labels without a draft" in text
    assert (tmp_path / "labels.jsonl").read_bytes() == (folder / "labels.jsonl").read_bytes()


def test_rank_with_drafts_makes_the_labels_of_the_pipeline(tmp_path: Path) -> None:
    """Byte for byte, from the files of the pipeline and from a search of the whole corpus."""
    folder, labels = tmp_path / "run", tmp_path / "labels.jsonl"
    (tmp_path / "run.toml").write_text("rounds = 2\ncompare = []\n")
    assert (
        call("pipeline", *WHOLE, *DRAFTS, "--epochs", "1", "--config", tmp_path / "run.toml", "--out", folder)[0] == 0
    )
    rounds = ["--ranker", "em", "--drafts", "2", *DRAFTS, "--draft-folder", tmp_path / "drafts"]
    unseen = folder / "candidates.valid.jsonl"
    code, _, err = call("rank", folder / "candidates.jsonl", "--unseen", unseen, *rounds, "-o", labels)
    assert code == 0, err
    assert labels.read_bytes() == (folder / "labels.jsonl").read_bytes()
    assert call("search", *WHOLE, "-o", tmp_path / "all.jsonl", "--workers", "1")[0] == 0
    code, _, err = call("rank", tmp_path / "all.jsonl", *rounds, "-o", tmp_path / "again.jsonl")  # drafts are kept
    assert code == 0, err
    assert (tmp_path / "again.jsonl").read_bytes() == labels.read_bytes()


def test_rank_trains_drafts_with_an_encoder_and_in_a_precision(run_folder: tuple[Path, str], tmp_path: Path) -> None:
    from ..weaksup.solvers.tiny_models import tiny_encoder  # imports torch

    folder, _ = run_folder
    encoder, drafts = tiny_encoder(tmp_path / "encoder"), tmp_path / "drafts"
    words = ["--ranker", "basic", "--drafts", "1", *DRAFTS, "--draft-folder", drafts, "-o", tmp_path / "labels.jsonl"]
    code, _, err = call("rank", folder / "candidates.jsonl", *words, "--encoder", encoder, "--precision", "bf16")
    assert code == 0, err
    made = json.loads((drafts / "single/config.json").read_text())
    assert made["training"]["settings"]["precision"] == "bf16" and made["solver"]["encoder"] == str(encoder)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--ranker", "basic"], "needs a draft model"),
        (["--ranker", "basic", "--drafts", "2"], "trains one draft, not 2"),
        (["--ranker", "basic", "--hidden", "16"], "--hidden has an effect only with --drafts"),
        (["--ranker", "em", "--precision", "bf16"], "--precision has an effect only with --drafts"),
        (["--ranker", "em", "--encoder", "."], "--encoder has an effect only with --drafts"),
        (["--ranker", "em", "--drafts", "1", "--model", "MODEL"], "--model and --drafts exclude each other"),
        (["--ranker", "best"], "unknown ranker 'best'"),
        (["--ranker", "random", "--model", "MODEL"], "does not use a model"),
        (["--ranker", "basic", "--model", "nowhere"], "no such folder"),
    ],
)
def test_rank_refuses_what_does_not_fit_in_one_line(
    run_folder: tuple[Path, str], tmp_path: Path, words: list[str], complaint: str
) -> None:
    folder, _ = run_folder
    words = [str(folder / "draft/single") if word == "MODEL" else word for word in words]
    code, _, err = call("rank", folder / "candidates.jsonl", *words, "-o", tmp_path / "labels.jsonl")
    assert code == 2 and complaint in err and len(err.strip().splitlines()) == 1
    assert not (tmp_path / "labels.jsonl").exists()


def test_an_unknown_key_of_a_config_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("epoch = 3\n")
    code, out, err = call("pipeline", "--config", tmp_path / "run.toml", "--out", tmp_path / "run")
    assert (code, out) == (2, "")
    assert "did you mean epochs" in err and len(err.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_begun_run_needs_resume(run_folder: tuple[Path, str]) -> None:
    code, _, err = call("pipeline", *TINY, "--ranker", "basic", "--out", run_folder[0])
    assert code == 2 and "--resume" in err


def test_resume_takes_the_settings_that_the_folder_keeps(run_folder: tuple[Path, str]) -> None:
    folder, out = run_folder
    assert call("pipeline", "--out", folder, "--resume")[:2] == (0, out)
    code, _, err = call("pipeline", "--out", folder, "--resume", "--seed", "7")
    assert code == 2 and "seed was 0, now 7" in err


def test_settings_that_do_not_fit_are_refused_before_anything_is_done(tmp_path: Path) -> None:
    code, _, err = call("pipeline", "--size", "60", "--hidden", "33", "--out", tmp_path / "run")
    assert code == 2 and err.startswith("error: hidden can't be 33")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("module", ["torch", "jinja2"])
def test_a_missing_extra_is_named_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    code, out, err = call("pipeline", *TINY, "--out", tmp_path / "run")
    assert (code, out) == (2, "")
    assert "pip install" in err and "solver" in err and len(err.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_that_can_not_be_written_is_one_line_and_loses_nothing(
    run_folder: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import builtins
    import errno
    import os
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(run_folder[0], folder)
    (folder / "labels.jsonl").unlink()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def read_only(path: str | Path, mode: str = "r", *rest: object, **options: object) -> object:
        if set(mode) & set("wxa+"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return builtins.open(path, mode, *rest, **options)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr("mathcanon.files.open", read_only, raising=False)
        code, out, err = call("pipeline", "--out", folder, "--resume")
    assert (code, out) == (2, "")
    (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
    assert line.startswith(f"error: {folder}") and line.endswith("Read-only file system")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert call("pipeline", "--out", folder, "--resume")[:2] == (
        0,
        run_folder[1].replace(str(run_folder[0]), str(folder)),
    )


def test_a_full_disk_is_one_line_and_loses_nothing(
    run_folder: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The labels can't be written; the run goes on where it was once there is room."""
    import errno
    import os
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(run_folder[0], folder)
    (folder / "labels.jsonl").unlink()
    real = os.replace
    with monkeypatch.context() as patched:

        def full(temporary: str, target: Path) -> None:
            if target.name == "labels.jsonl":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(temporary, target)

        patched.setattr(os, "replace", full)
        code, _, err = call("pipeline", *TINY, "--ranker", "basic", "--out", folder, "--resume")
    assert code == 2
    assert [line for line in err.splitlines() if line.startswith("error: ")] == [
        f"error: {folder / 'labels.jsonl'}: No space left on device"
    ]
    assert not (folder / "labels.jsonl").exists()
    code, _, err = call("pipeline", *TINY, "--ranker", "basic", "--out", folder, "--resume")
    assert code == 0, err
    assert (folder / "labels.jsonl").read_bytes() == (run_folder[0] / "labels.jsonl").read_bytes()


def test_problems_that_met_a_limit_are_listed_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from weaksup.search import search_corpus

    real = search_corpus.search_shards
    given: list[int] = []

    def search_in_little_memory(shards: object, **settings: Any) -> Any:
        given.append(settings["memory"])
        return real(shards, **settings | {"memory": 1_500_000})

    monkeypatch.setattr(search_corpus, "search_shards", search_in_little_memory)
    rows = [{"id": f"sum{i}", "text": f"{i} and {i + 3} make?", "answer": 2 * i + 3} for i in range(2, 22)]
    rows += [{"id": f"ones{i}", "text": "1 and 1 and 1 and 1 and 1 make?", "answer": 1} for i in range(6)]
    mine, out = tmp_path / "mine.jsonl", tmp_path / "run"
    mine.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["pipeline", "--path", mine, *DRAFTS, "--epochs", "1", "--rounds", "0", "--workers", "1", "--out", out]
    code, shown, err = call(*command, "--memory", "500MB")
    assert code == 0, err
    assert set(given) == {5 * 10**8}
    assert "memory = 500000000\n" in (out / "config.toml").read_text()
    sets = read_records(out / "candidates.jsonl", CandidateSet)
    searched = {found.id: found.limits for found in sets if found.limits}
    assert searched
    assert {id[:4] for id in searched} == {"ones"}
    limited = json.loads((out / "metrics.json").read_text())["limited"]
    assert searched.keys() <= limited.keys()
    assert f"{len(limited)} without some stages, which met a limit (see --memory):\n" in shown
    page = (out / "report.html").read_text()
    for id, limits in limited.items():
        stages = ", ".join(f"{one['stage']} ({one['reason']})" for one in limits)
        assert f"  {id}: {stages}\n" in shown
        assert f">{id}</th>" in page
        assert stages in page
    code, _, err = call(*command[:-1], tmp_path / "strict", "--strict")
    assert code == 2
    assert err.splitlines()[-1].startswith("error: problem ones")
