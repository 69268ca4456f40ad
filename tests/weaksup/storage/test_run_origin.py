"""What is behind a file: a sidecar is checked like any other settings, and an error names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from weaksup.errors import DataError
from weaksup.storage.json_files import write_json
from weaksup.storage.provenance import RunInfo
from weaksup.storage.run_origin import CorpusOptions, RunOrigin, SplitOptions, read_run_origin

CONFIG = {
    "corpus": {"name": "stories", "size": 30, "seed": 2, "language": "en"},
    "split": {"folds": 5, "fold": 1},
    "plan": {"name": "full"},
}


def sidecar(folder: Path, config: dict[str, Any], source: str | None = None) -> Path:
    path = folder / "labels.jsonl.run.json"
    write_json(path, RunInfo(schema="weaksup/labels", config=config, input="", versions={}, source=source))
    return path


def test_the_corpus_and_its_split_come_back(tmp_path: Path) -> None:
    corpus = CorpusOptions(name="stories", size=30, seed=2, language="en")
    expected = RunOrigin(corpus=corpus, split=SplitOptions(folds=5, fold=1), source="a.json")
    assert read_run_origin(sidecar(tmp_path, CONFIG, "a.json")) == expected


def test_without_a_sidecar_nothing_is_known(tmp_path: Path) -> None:
    assert read_run_origin(tmp_path / "nothing.run.json") is None


@pytest.mark.parametrize(
    "change",
    [
        {"corpus": 7},
        {"corpus": []},
        {"corpus": {}},
        {"corpus": {"name": 7}},
        {"corpus": {"name": "stories", "size": "30"}},
        {"corpus": {"name": "stories", "size": 10**12}},
        {"corpus": {"name": "stories", "seed": -1}},
        {"corpus": {"name": "stories", "number_words": "yes"}},
        {"corpus": {"name": "stories", "wings": 2}},
        {"split": "test"},
        {"split": {"folds": 10**9}},
        {"split": {"folds": 1}},
        {"split": {"fold": -1}},
        {"split": {"split_file": 3}},
        {"split": {"split_file": "a\0b"}},
    ],
    ids=json.dumps,
)
def test_a_setting_of_another_type_or_out_of_range_is_an_error_that_names_the_sidecar(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    path = sidecar(tmp_path, {**CONFIG, **change})
    with pytest.raises(DataError, match="not the record of a run") as error:
        read_run_origin(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


def test_a_path_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not the record of a run"):
        read_run_origin(sidecar(tmp_path, CONFIG, "a\0b"))
