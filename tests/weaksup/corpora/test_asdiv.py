"""ASDiv: XML, number words, units in answers, ASDiv-A by id lists."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.errors import ConfigError, DataError

from .writing import write


def element(id: str, body: str, answer: str, formula: str) -> str:
    fields = {"Body": body, "Question": "How many are there?", "Solution-Type": "Sum", "Answer": answer}
    inner = "".join(f"<{tag}>{escape(text)}</{tag}>\n" for tag, text in {**fields, "Formula": formula}.items())
    return f'<Problem ID="{id}" Grade="1" Source="none">\n{inner}</Problem>\n'


def corpus_file(folder: Path, *elements: str) -> Path:
    inner = "".join(elements)
    return write(folder / "ASDiv.xml", f"<?xml version='1.0'?>\n<Set><ProblemSet>\n{inner}</ProblemSet></Set>")


PROBLEMS = [
    element("p1", "Seven hens and two ducks & geese sit on 30cm.", "9 (birds)", "7+2=9"),
    element("p2", "Split 27 pens among 5.", "5 (pens)", "27/5=5 r2"),
    element("p3", "Red to blue is 15 to 18.", "5:6", "15:18=5:6"),
    element("p4", "Who has more than 3?", "Yes", "2+3=5 > 3"),
    element("p5", "It is 2 now.", "5:45", "(2*60)/60=5 r45; hh:mm=5:45"),
    element("p6", "The sum is 7.", "3; 4", "x+y=7; x-y=1"),
    element("p7", "Three of 12 and 8.", "4 (cm)", "GCD(12,8)=4"),
]


def test_problems_answers_and_formulas(tmp_path: Path) -> None:
    corpus = read_corpus("asdiv", corpus_file(tmp_path, *PROBLEMS))
    by_id = {problem.id: problem for problem in corpus.problems}
    assert list(by_id) == ["p1", "p2", "p3", "p7"]
    assert by_id["p1"].text == "Seven hens and two ducks & geese sit on 30cm. How many are there?"
    assert [(q.surface, q.value) for q in by_id["p1"].quantities] == [("Seven", "7"), ("two", "2"), ("30", "30")]
    assert (by_id["p1"].answer, by_id["p1"].gold) == ("9", "7+2")
    assert (by_id["p2"].answer, by_id["p2"].gold) == ("5", "27/5")
    assert (by_id["p3"].answer, by_id["p3"].gold) == ("5/6", "15:18")
    assert by_id["p7"].gold is None and corpus.gold_missing == {"gold-not-arithmetic": 1}
    assert [(skipped.id, skipped.reason) for skipped in corpus.skipped] == [
        ("p4", "answer-unreadable"), ("p5", "answer-unreadable"), ("p6", "answer-unreadable"),
    ]  # fmt: skip


def test_number_words_can_be_turned_off(tmp_path: Path) -> None:
    problem = read_corpus("asdiv", corpus_file(tmp_path, *PROBLEMS), number_words=False).problems[0]
    assert [quantity.surface for quantity in problem.quantities] == ["30"]


def test_strict_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ASDiv\.xml:24: problem p4: answer-unreadable.*Answer"):
        read_corpus("asdiv", corpus_file(tmp_path, *PROBLEMS), strict=True)


def test_asdiv_a_is_given_by_its_folds(tmp_path: Path) -> None:
    path = corpus_file(tmp_path, *PROBLEMS)
    write(tmp_path / "asdiv-a" / "fold0.txt", "p2\n")
    write(tmp_path / "asdiv-a" / "fold1.txt", "p1\np7\n")
    corpus = read_corpus("asdiv", tmp_path, subset="a")
    assert [problem.id for problem in corpus.problems] == ["p1", "p2", "p7"]
    folds = split(corpus.problems, corpus="asdiv-a", file=tmp_path / "asdiv-a", fold=0)
    assert str(folds) == "asdiv-a asdiv-a fold 0: train 2 / test 1"
    every = read_corpus("asdiv", path)
    folds = split(every.problems, file=tmp_path / "asdiv-a", fold=1, skipped=every.skipped)
    assert str(folds) == "asdiv-a fold 1 (1 problems in no fold left out): train 1 / test 2"


def test_asdiv_a_without_folds_says_what_is_missing(tmp_path: Path) -> None:
    path = corpus_file(tmp_path, *PROBLEMS)
    with pytest.raises(DataError, match=r"fold0\.txt"):
        read_corpus("asdiv", path, subset="a")
    with pytest.raises(ConfigError, match="subset"):
        read_corpus("asdiv", path, subset="b")


@pytest.mark.parametrize(
    "content",
    [
        "<a><b></a>",
        "{}",
        "",
        "<a/>",
        '<!DOCTYPE a [<!ENTITY b "c">]><a><Problem ID="1">&b;</Problem></a>',
        '<a><Problem ID="1"><Body>x</Body></Problem></a>',
    ],
)
def test_other_files_are_one_clear_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=r"x\.xml"):
        read_corpus("asdiv", write(tmp_path / "x.xml", content))
