"""A user's own JSON Lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.corpora import READERS, read_corpus
from weaksup.errors import ConfigError, DataError

from .writing import lines, write


def test_fields_and_defaults(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"id": "a", "text": "Tom has two apples and buys 5 more.", "answer": 7, "equation": "2+5", "note": [1]},
        {"text": "运来1/3吨", "answer": "40%", "segmented": "运来 1 / 3 吨"},
        {"id": 9, "text": "Half of $5.", "answer": "$2.50", "equation": None},
    ]
    first, second, third = read_corpus("jsonl", write(tmp_path / "a", lines(records))).problems
    assert (first.id, first.gold, [q.value for q in first.quantities]) == ("a", "2+5", ["2", "5"])
    assert (second.id, second.answer, second.gold, second.gold_missing) == ("2", "2/5", None, None)
    assert (third.id, third.answer, [q.surface for q in third.quantities]) == ("9", "5/2", ["Half", "5"])


def test_number_words_by_choice(tmp_path: Path) -> None:
    path = write(tmp_path / "a", lines([{"text": "a pair and two", "answer": 4}]))
    for words, values in ((False, []), ({"pair": 2}, ["2", "2"])):
        problem = read_corpus("jsonl", path, number_words=words, lexicon="none").problems[0]
        assert [quantity.value for quantity in problem.quantities] == values


def test_raw_chinese_is_segmented_by_rjieba(tmp_path: Path) -> None:
    pytest.importorskip("rjieba")
    path = write(tmp_path / "a", lines([{"text": "学校买来30千克苹果", "answer": 1}]))
    assert read_corpus("jsonl", path).problems[0].tokens == ("学校", "买来", "30", "千克", "苹果")


def test_a_problem_without_any_number_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a", lines([{"text": "How many?", "answer": 1}]))
    assert read_corpus("jsonl", path).problems[0].quantities == ()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"answer": 1}, r"a:1: the field is missing \(tried text, .*the record has: answer; .*\(field text\)"),
        ({"text": "x"}, r"\(field answer\)"),
        ({"text": 5, "answer": 1}, r"text is expected, not a number \(field text\)"),
        ({"text": "x", "answer": 1, "id": []}, r"\(field id\)"),
        ({"text": "x", "answer": 1, "id": " "}, r"the id is empty"),
        ({"text": "x", "answer": 1, "id": True}, r"\(field id\)"),
        ({"text": "x", "answer": 1, "equation": 3}, r"\(field equation\)"),
    ],
)
def test_missing_fields_and_wrong_types_name_file_line_and_field(
    tmp_path: Path, record: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_corpus("jsonl", write(tmp_path / "a", lines([record])))


@pytest.mark.parametrize("answer", [None, True, [1], {"a": 1}, "", "many", "1; 2", "x", "1/0", "9^9^9^9", "12:30 pm"])
def test_answers_that_are_no_number_are_skipped(tmp_path: Path, answer: object) -> None:
    corpus = read_corpus("jsonl", write(tmp_path / "a", lines([{"text": "Add 1.", "answer": answer}])))
    assert corpus.skipped_by_reason == {"answer-unreadable": 1}


def test_unknown_names_and_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown corpus 'nope'; one of stories, math23k"):
        read_corpus("nope", tmp_path)
    with pytest.raises(ConfigError, match="jsonl needs a path"):
        read_corpus("jsonl")
    with pytest.raises(ConfigError, match="jsonl has no option subset"):
        read_corpus("jsonl", tmp_path, subset="a")
    path = write(tmp_path / "a", lines([{"text": "x 1", "answer": 1}]))
    with pytest.raises(ConfigError, match="unknown segmenter 'nope'"):
        read_corpus("jsonl", path, segmenter="nope")


def test_the_table_holds_every_corpus() -> None:
    assert set(READERS) == {
        "stories", "math23k", "ape210k", "mawps", "asdiv", "svamp", "gsm8k", "mwptoolkit", "jsonl",
        "csv", "tsv", "parquet", "dataset",
    }  # fmt: skip
