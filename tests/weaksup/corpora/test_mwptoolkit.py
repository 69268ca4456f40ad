"""The folder of MWPToolkit, with each family of fields it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.errors import DataError

from .writing import chinese, listed, write


def test_three_files_are_three_parts(tmp_path: Path) -> None:
    write(tmp_path / "trainset.json", listed([chinese("1", segmented="有 3 人"), chinese("2", segmented="3 + 4 =")]))
    write(tmp_path / "validset.json", listed([chinese("8", segmented="有 30kg")]))
    write(tmp_path / "testset.json.gz", listed([chinese("1", segmented="有 5 人")]), packed=True)
    corpus = read_corpus("mwptoolkit", tmp_path)
    assert corpus.parts == {"train": ["1", "2"], "valid": ["8"], "test": ["test-1"]}  # ids numbered anew get the part
    assert str(split(corpus.problems, corpus="mine", parts=corpus.parts)) == (
        "mine published parts: train 2 / valid 1 / test 1"
    )
    assert {problem.language for problem in corpus.problems} == {"zh"}


@pytest.mark.parametrize(
    ("record", "gold"),
    [
        ({"iIndex": 4, "sQuestion": "Add 3.", "lEquations": ["X=3+1"], "lSolutions": [4.0]}, "X=3+1"),
        ({"ID": "c-1", "Body": "Add 3", "Question": "What?", "Equation": "( 3 + 1 )", "Answer": 4.0}, "( 3 + 1 )"),
        ({"@ID": "n-1", "Body": "Add three.", "Question": "What?", "Answer": "4 (cm)", "Formula": "3+1=4"}, "3+1"),
        ({"id": "9", "Question": "add number0", "Numbers": "3", "Equation": "+ number0 1", "Answer": 4.0}, "3+1"),
    ],
)
def test_each_record_is_read_by_its_fields(tmp_path: Path, record: dict[str, object], gold: str) -> None:
    problem = read_corpus("mwptoolkit", write(tmp_path / "testset.json", listed([record]))).problems[0]
    assert (problem.gold, problem.answer, [q.value for q in problem.quantities]) == (gold, "4", ["3"])


def test_a_folder_without_its_files_says_which_they_are(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"trainset\.json, validset\.json, testset\.json"):
        read_corpus("mwptoolkit", tmp_path)
