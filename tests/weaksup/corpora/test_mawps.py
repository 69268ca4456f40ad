"""MAWPS in its three forms."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.errors import DataError

from .writing import listed, write


def single(id: int, text: str, equation: str, solution: object) -> dict[str, object]:
    return {"iIndex": id, "sQuestion": text, "lEquations": [equation], "lSolutions": [solution]}


def test_the_original_form(tmp_path: Path) -> None:
    records = [
        single(7, " Each jar holds 1,500 beans. How many are in 3 jars? ", "X=(1500.0*3.0)", 4500.0),
        single(8, "Jo ate 0.16666666666666666 of a pie .", "0.16666666666666666", "0.16666666666666666"),
    ]
    problems = read_corpus("mawps", write(tmp_path / "a", listed(records), packed=True)).problems
    assert [problem.id for problem in problems] == ["7", "8"]
    assert problems[0].text.startswith("Each jar") and problems[0].text.endswith("jars?")
    assert [quantity.value for quantity in problems[0].quantities] == ["1500", "3"]
    assert problems[0].answer == "4500"
    assert problems[1].exact_answer == Fraction("0.16666666666666666")  # as it prints, not 1/6
    assert problems[1].gold == "0.16666666666666666"


def test_the_fields_of_math23k_in_english(tmp_path: Path) -> None:
    text = "Sue took 4 of the mp3 players . How many of 9 are left ?"
    record = {"id": 3, "original_text": text, "segmented_text": text, "equation": "X=9-4", "ans": 5.0}
    problem = read_corpus("mawps", write(tmp_path / "a", listed([record]))).problems[0]
    assert (problem.id, problem.language, problem.answer) == ("3", "en", "5")
    assert [quantity.token for quantity in problem.quantities] == [2, 11]


def test_a_folder_of_folds_is_five_parts(tmp_path: Path) -> None:
    for k in range(5):
        record = single(k, f"Add {k} and 1.", f"{k}+1=x", None) | {"answer": k + 1.0}
        del record["lSolutions"]
        write(tmp_path / f"test_{k}.json", listed([record]))
    corpus = read_corpus("mawps", tmp_path)
    assert corpus.parts == {f"fold{k}": [str(k)] for k in range(5)}
    folds = split(corpus.problems, corpus="mawps", parts=corpus.parts, fold=2)
    assert str(folds) == "mawps published parts fold 2: train 4 / test 1"
    assert [problem.id for problem in folds["test"]] == ["2"]


def test_a_folder_without_folds_is_its_one_file(tmp_path: Path) -> None:
    text = "Sue took 4 of 9 ."
    other = {"id": 3, "original_text": text, "segmented_text": text, "equation": "X=9-4", "ans": 5.0}
    write(tmp_path / "MAWPS.json", listed([other]))
    assert [problem.id for problem in read_corpus("mawps", tmp_path).problems] == ["3"]
    file = write(tmp_path / "mawps_single.json.gz", listed([single(7, "Add 1.", "x=1", 1.0)]), packed=True)
    corpus = read_corpus("mawps", tmp_path)
    assert ([problem.id for problem in corpus.problems], corpus.paths, corpus.parts) == (["7"], (str(file),), {})


def test_a_folder_of_something_else_says_where_to_look(tmp_path: Path) -> None:
    write(tmp_path / "mawps" / "five-fold" / "test_3.json", "[]")
    with pytest.raises(DataError, match=r"none of the files of mawps: test_0\.json, .*; its folder five-fold does$"):
        read_corpus("mawps", tmp_path / "mawps")
    write(tmp_path / "toolkit" / "trainset.json", "[]")
    with pytest.raises(DataError, match=r"MAWPS\.json \(or with \.gz\); it looks like mwptoolkit$"):
        read_corpus("mawps", tmp_path / "toolkit")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"\(or with \.gz\)$"):
        read_corpus("mawps", tmp_path / "empty")


@pytest.mark.parametrize("equation", ["(5.0*x)+6.0=(2.0*x)-9.0", "X=0.5=0.25", "X-8=5", "X=1/0"])
def test_equations_that_are_not_plain_arithmetic_are_no_gold(tmp_path: Path, equation: str) -> None:
    corpus = read_corpus("mawps", write(tmp_path / "a", listed([single(1, "Add 1.", equation, 1.0)])))
    assert corpus.problems[0].gold is None and sum(corpus.gold_missing.values()) == 1


def test_another_unknown_is_dropped(tmp_path: Path) -> None:
    record = single(1, "Walk 6 miles.", "days=6.0*0.5/4.0", 0.75)
    assert read_corpus("mawps", write(tmp_path / "a", listed([record]))).problems[0].gold == "6.0*0.5/4.0"


def test_two_solutions_are_no_answer_and_two_equations_no_gold(tmp_path: Path) -> None:
    first = single(1, "Add 1.", "x=1", 1.0) | {"lSolutions": [1.0, 2.0]}
    second = single(2, "Add 1.", "x=1", 1.0) | {"lEquations": ["x=1", "y=2"]}
    corpus = read_corpus("mawps", write(tmp_path / "a", listed([first, second])))
    assert corpus.skipped_by_reason == {"answer-unreadable": 1}
    assert corpus.gold_missing == {"gold-several-equations": 1}


def test_equations_of_a_wrong_type_are_an_error(tmp_path: Path) -> None:
    record = single(1, "Add 1.", "x=1", 1.0) | {"lEquations": "x=1"}
    with pytest.raises(DataError, match=r"a:2: .*lEquations"):
        read_corpus("mawps", write(tmp_path / "a", listed([record])))
