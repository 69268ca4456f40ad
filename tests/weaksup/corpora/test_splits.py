"""Splits by id lists and by seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weaksup.corpora.splits import split
from weaksup.errors import ConfigError, DataError
from weaksup.records import Problem, Skipped

from .writing import write

PROBLEMS = [Problem(id=str(k), text="x", tokens=("x",), quantities=(), answer="1") for k in range(1, 21)]


def ids(problems: list[Problem]) -> list[str]:
    return [problem.id for problem in problems]


def test_train_is_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path / "split.json", json.dumps({"test": ["3", 4], "valid": ["1"]}))
    parts = split(PROBLEMS, corpus="math23k", file=path)
    assert str(parts) == "math23k split.json: train 17 / valid 1 / test 2"
    assert list(parts) == ["train", "valid", "test"]
    assert (ids(parts["valid"]), ids(parts["test"])) == (["1"], ["3", "4"])
    assert parts.sizes == {"train": 17, "valid": 1, "test": 2}


def test_lists_that_have_every_problem_leave_no_train_part() -> None:
    published = {"valid": ids(PROBLEMS[:5]), "test": ids(PROBLEMS[5:])}
    assert split(PROBLEMS, parts=published).sizes == {"valid": 5, "test": 15}


def test_a_train_list_is_kept_to(tmp_path: Path) -> None:
    path = write(tmp_path / "s.json", json.dumps({"train": ["5"], "dev": ["6"], "test": ["7"]}))
    assert split(PROBLEMS, file=path).sizes == {"train": 1, "valid": 1, "test": 1}


def test_a_plain_list_is_the_test_part(tmp_path: Path) -> None:
    assert split(PROBLEMS, file=write(tmp_path / "test.txt", "2\n3\n")).sizes == {"train": 18, "test": 2}
    assert split(PROBLEMS, file=write(tmp_path / "test.json", "[2, 3]")).sizes == {"train": 18, "test": 2}


def test_folds(tmp_path: Path) -> None:
    path = write(tmp_path / "folds.json", json.dumps({"fold0": list(range(1, 11)), "fold1": list(range(11, 21))}))
    assert str(split(PROBLEMS, file=path, fold=1)) == "folds.json fold 1: train 10 / test 10"
    with pytest.raises(ConfigError, match="there is no fold 2; the folds are fold0, fold1"):
        split(PROBLEMS, file=path, fold=2)


def test_cross_validation_by_seed_covers_everything_once() -> None:
    tests = [split(PROBLEMS, corpus="c", folds=5, fold=fold, seed=7) for fold in range(5)]
    assert sorted(int(id) for parts in tests for id in ids(parts["test"])) == list(range(1, 21))
    assert str(tests[0]) == "c 5-fold by seed 7 fold 0: train 16 / test 4"
    backwards = split(PROBLEMS[::-1], folds=5, fold=0, seed=7)
    assert set(ids(backwards["test"])) == set(ids(tests[0]["test"]))
    assert ids(split(PROBLEMS, folds=5, seed=8)["test"]) != ids(tests[0]["test"])
    with pytest.raises(ConfigError):
        split(PROBLEMS, folds=1)


def test_without_lists_a_tenth_each_by_seed() -> None:
    parts = split(PROBLEMS, corpus="mine", seed=3)
    assert str(parts) == "mine 80/10/10 by seed 3: train 16 / valid 2 / test 2"
    assert sorted(int(problem.id) for some in parts.values() for problem in some) == list(range(1, 21))


def test_skipped_problems_may_stand_in_a_list(tmp_path: Path) -> None:
    path = write(tmp_path / "s.json", json.dumps({"test": ["1", "99"]}))
    skipped = [Skipped(id="99", reason="answer-unreadable")]
    assert split(PROBLEMS, file=path, skipped=skipped).sizes == {"train": 19, "test": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"test": ["1", "99"]}', r"1 ids of the split are not in the corpus: 99"),
        ('{"test": ["1"], "valid": ["1"]}', r"id 1 is in test and in valid"),
        ('{"test": ["1", "1"]}', r"id 1 is twice in test"),
        ('{"exam": ["1"]}', r"unknown part 'exam'"),
        ('{"test": "1"}', r"a list of ids is expected \(field test\)"),
        ('{"test": [1.5]}', r"a list of ids is expected"),
        ('{"test": [true]}', r"a list of ids is expected"),
        ('{"test": ["1"]\n', r"s:2: not JSON"),
        ("[" * 100_000, r"not JSON"),
    ],
)
def test_bad_lists(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        split(PROBLEMS, file=write(tmp_path / "s", content))


def test_a_folder_without_fold_lists(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no fold lists"):
        split(PROBLEMS, file=tmp_path)
