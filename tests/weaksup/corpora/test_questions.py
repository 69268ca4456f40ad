"""Questions to be solved, from files and folders of every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.corpora.questions import Question, read_questions
from weaksup.errors import DataError

from .writing import write

ASDIV = """<?xml version="1.0"?><Machine-Reading-Corpus-File><ProblemSet><Problem ID="p1" Grade="1" Source="s">
<Body>Tom has 3 pens.</Body><Question>He buys 5. How many?</Question><Solution-Type>Sum</Solution-Type>
<Answer>8 (pens)</Answer><Formula>3+5=8</Formula></Problem></ProblemSet></Machine-Reading-Corpus-File>"""


def test_published_corpora_are_read_by_their_readers(tmp_path: Path) -> None:
    svamp = write(
        tmp_path / "dev.csv", "Question,Numbers,Equation,Answer\nhe has number0 and number1,3 5,+ number0 number1,8\n"
    )
    assert [question.text for question in read_questions(svamp)] == ["he has 3 and 5"]
    asdiv = write(tmp_path / "ASDiv.xml", ASDIV)
    assert list(read_questions(asdiv)) == [Question("p1", "Tom has 3 pens. He buys 5. How many?")]


def test_a_named_field_makes_it_own_data(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '[{"question": "1 and 2?", "hint": "3 and 4", "answer": "#### 3"}]')
    assert [question.text for question in read_questions(path)] == ["1 and 2?"]
    assert [question.text for question in read_questions(path, text_field="hint")] == ["3 and 4"]


def test_a_folder_of_parts_is_read_part_by_part(tmp_path: Path) -> None:
    write(tmp_path / "train.csv", "question,answer\n3 and 5?,8\n")
    write(tmp_path / "test.csv", "question,answer\n4 and 5?,9\n")
    assert list(read_questions(tmp_path)) == [Question("train-1", "3 and 5?"), Question("test-1", "4 and 5?")]


def test_what_no_reader_knows_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not an ASDiv file"):
        list(read_questions(write(tmp_path / "a.xml", "<html><body>3 and 5?</body></html>")))
    with pytest.raises(DataError, match="no reader knows this folder"):
        list(read_questions(tmp_path))
