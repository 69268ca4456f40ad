"""Labels as training data: what is joined, and every format read again by a reader of its own."""

from __future__ import annotations

import csv
import io
import json

import pytest

from weaksup.errors import DataError
from weaksup.export import FORMATS, ExportedExample, export_bytes, join_labels
from weaksup.records import Label, Problem, Quantity


def problem(id: str, text: str, language: str) -> Problem:
    quantities = tuple(Quantity(value=v, surface=v, start=0, end=1, token=i) for i, v in enumerate(("5", "1/3")))
    return Problem(
        id=id,
        text=text,
        tokens=("5", "1/3", "?"),
        quantities=quantities,
        answer="5/3",
        language=language,
        gold="x=5*(1/3)+0",
    )


def label(id: str, equation: str = "x=5*(1/3)") -> Label:
    return Label(
        id=id, expr="N0*N1", equation=equation, posterior=0.75, candidates=2, stage="all", ranker="em", others=()
    )


#: A text with all that a format may stumble over.
ODD = 'He said "5, or {text}";\r\nthen\n1/3 é'
PROBLEMS = [problem("a", ODD, "en"), problem("b", "五的三分之一", "zh"), problem("c", "no language", "")]
LABELS = [label("b"), label("a"), label("c")]


def exported(format: str) -> str:
    return b"".join(export_bytes(join_labels(LABELS, PROBLEMS), format)).decode()


def test_a_label_is_joined_with_its_problem_and_gold_stays_behind() -> None:
    examples = list(join_labels(LABELS, PROBLEMS))
    assert [example.id for example in examples] == ["b", "a", "c"]
    assert examples[1] == ExportedExample(
        id="a",
        text=ODD,
        tokens=("5", "1/3", "?"),
        quantities=("5", "1/3"),
        positions=(0, 1),
        expr="N0*N1",
        equation="x=5*(1/3)",
        answer="5/3",
        posterior=0.75,
        language="en",
    )
    assert all("+0" not in exported(format) for format in FORMATS)


def test_labels_of_another_corpus_are_an_error() -> None:
    with pytest.raises(DataError, match="the corpus has no problem d"):
        list(join_labels([label("d")], PROBLEMS))
    with pytest.raises(DataError, match="the label of problem a"):
        list(join_labels([label("a", "x=6*2")], PROBLEMS))


def test_json_lines_hold_everything() -> None:
    rows = [json.loads(line) for line in exported("jsonl").removesuffix("\n").split("\n")]
    assert [row["text"] for row in rows] == [PROBLEMS[1].text, ODD, PROBLEMS[2].text]
    assert all(row.keys() == set(ExportedExample.__struct_fields__) for row in rows)
    assert rows[0]["quantities"] == ["5", "1/3"] and rows[0]["positions"] == [0, 1]


def test_csv_is_read_again_by_the_standard_library() -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv"), newline="")))
    assert [row["text"] for row in rows] == [PROBLEMS[1].text, ODD, PROBLEMS[2].text]
    assert rows[1]["tokens"] == "5 1/3 ?" and rows[1]["posterior"] == "0.75"


def test_chat_asks_in_the_language_of_the_problem() -> None:
    turns = {turn["id"]: turn for turn in map(json.loads, exported("chat").removesuffix("\n").split("\n"))}
    assert {turn["response"] for turn in turns.values()} == {"x=5*(1/3)"}
    for problem in PROBLEMS:
        prompt = turns[problem.id]["prompt"]
        assert prompt.endswith(f"\n\n{problem.text}")
        assert ("方程" in prompt) == (problem.language == "zh")


@pytest.mark.parametrize("format", FORMATS)
def test_no_labels_are_an_empty_file(format: str) -> None:
    head = ",".join(ExportedExample.__struct_fields__) + "\n" if format == "csv" else ""
    assert b"".join(export_bytes([], format)).decode() == head
