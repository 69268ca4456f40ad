"""SVAMP as JSON and as csv with masked numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.errors import DataError

from .writing import listed, write

HEADER = "Question,Numbers,Equation,Answer,group_nums,Body,Ques\n"
ROWS = (
    '"lee had number0 dogs , then $ number1 more .",12.0 3.5,- number0 number1,8.5,"[1, 2]",b,q\n'
    '"multiply number0 by number1\nand number1 mp3 .",-2.0 4,* number0 + number1 100.0,-208.0,[],b,q\n'
)


def test_json(tmp_path: Path) -> None:
    record = {"ID": "c-1", "Body": "Bo had 8 cats and lost 3", "Question": "How many now?", "Equation": "( 8.0 - 3.0 )",
              "Answer": 5.0, "Type": "Subtraction"}  # fmt: skip
    problem = read_corpus("svamp", write(tmp_path / "a", listed([record]))).problems[0]
    assert (problem.id, problem.text) == ("c-1", "Bo had 8 cats and lost 3 How many now?")
    assert (problem.gold, problem.answer) == ("( 8.0 - 3.0 )", "5")


def test_masked_numbers_are_put_back(tmp_path: Path) -> None:
    first, second = read_corpus("svamp", write(tmp_path / "a.csv", HEADER + ROWS, packed=True)).problems
    assert first.text == "lee had 12 dogs , then $ 3.5 more ."
    assert [(q.surface, q.value, q.token) for q in first.quantities] == [("12", "12", 2), ("3.5", "7/2", 7)]
    assert (first.id, first.gold, first.answer) == ("1", "12-3.5", "17/2")
    assert [q.surface for q in second.quantities] == ["-2", "4", "4"]
    assert (second.gold, second.answer) == ("(-2)*(4+100.0)", "-208")
    for problem in (first, second):
        for quantity in problem.quantities:
            assert problem.text[quantity.start : quantity.end] == quantity.surface == problem.tokens[quantity.token]


def test_a_folder_is_train_and_test(tmp_path: Path) -> None:
    write(tmp_path / "train.csv", HEADER + ROWS)
    write(tmp_path / "dev.csv.gz", HEADER + ROWS, packed=True)
    corpus = read_corpus("svamp", tmp_path)
    assert str(split(corpus.problems, corpus="svamp", parts=corpus.parts)) == "svamp published parts: train 2 / test 2"
    assert [problem.id for problem in corpus.problems] == ["train-1", "train-2", "test-1", "test-2"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("has number0 and number1,3.0,number0,3.0,[],b,q\n", "number-missing"),
        ("has number0,three,number0,3.0,[],b,q\n", "quantity-unreadable"),
        ("has number0,3.0,number0,many,[],b,q\n", "answer-unreadable"),
    ],
)
def test_rows_that_cannot_be_read_are_skipped(tmp_path: Path, row: str, reason: str) -> None:
    assert read_corpus("svamp", write(tmp_path / "a", HEADER + row)).skipped_by_reason == {reason: 1}


@pytest.mark.parametrize("equation", ["- number0", "number7", "+ + number0", "number0 number0"])
def test_bad_equations_are_no_gold(tmp_path: Path, equation: str) -> None:
    corpus = read_corpus("svamp", write(tmp_path / "a", f"{HEADER}has number0,3.0,{equation},3.0,[],b,q\n"))
    assert corpus.problems[0].gold is None and sum(corpus.gold_missing.values()) == 1


@pytest.mark.parametrize("content", ["", "one,two\n1,2\n", HEADER + "a,b\n", HEADER + '"never closed'])
def test_other_files_are_one_clear_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=r"x\.csv:\d"):
        read_corpus("svamp", write(tmp_path / "x.csv", content))
