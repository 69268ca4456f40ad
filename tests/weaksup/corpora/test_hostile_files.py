"""Damaged and foreign files: one clear error with file and line, from every reader, never a crash."""

from __future__ import annotations

import gzip
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaksup.corpora import READERS, read_corpus
from weaksup.corpora.answers import AnswerError, read_answer
from weaksup.corpora.gold import read_gold
from weaksup.errors import DataError

from .writing import lines, write

NAMES = [name for name in READERS if name != "stories"]
GOOD = b'{"text": "Add 1.", "answer": 2}\n'


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"   \n \n",
        b"not a corpus",
        b"\x00\x01\x02",
        b"\xff\xfe{}",
        b"[1, 2]",
        b'["text"]',
        b"{}",
        b'{"unrelated": 1}',
        b"null",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        gzip.compress(b"not a corpus either", mtime=0),
        gzip.compress(b'{"id": 1}' * 1000, mtime=0)[:-20],
        b"\x1f\x8b" + b"garbage" * 10,
    ],
    ids=lambda content: repr(content[:20]) if isinstance(content, bytes) else content,
)
def test_every_reader_refuses_what_is_not_its_file(tmp_path: Path, name: str, content: bytes) -> None:
    path = write(tmp_path / "some.file", content)
    with pytest.raises(DataError, match=r"some\.file"):
        read_corpus(name, path)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_corpus(name, tmp_path / "absent.json")


def test_a_text_that_is_not_unicode_costs_only_itself(tmp_path: Path) -> None:
    corpus = read_corpus("jsonl", write(tmp_path / "f", GOOD + b'{"text": "\\ud800", "answer": 1}\n' + GOOD))
    assert [problem.id for problem in corpus.problems] == ["1", "3"]
    (skipped,) = corpus.skipped
    assert (skipped.id, skipped.line, skipped.field) == ("2", 2, "text")
    assert skipped.detail == "not valid Unicode at character 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD * 2 + b'{"text": "Add', r"f:3: not JSON"),
        (GOOD + b'\n\n{"text": 1 2}', r"f:4: not JSON"),
        (GOOD + b'{"text": "\xff"}', r"f:2: not UTF-8 text: byte 0xff"),
        (b"[" + GOOD + b"," + GOOD, r"f:3: the list is never closed"),
        (b"[" + GOOD + GOOD + b"]", r"f:2: not JSON: a comma is expected"),
        (b"[" + GOOD + b"]\n7", r"f:3: unexpected text after the end"),
        (b"[" + GOOD + b",\n]", r"f:3: not JSON"),
        (GOOD + b'["text"]', r"f:2: an object is expected, not a list"),
        (GOOD + b'{"text": "Add 1.", "answer": ' + b"9" * 5000 + b"}", r"f:2: not JSON that can be read"),
    ],
)
def test_damage_is_reported_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_corpus("jsonl", write(tmp_path / "f", content))


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    assert len(read_corpus("jsonl", write(tmp_path / "f", b"\xef\xbb\xbf" + GOOD)).problems) == 1


def test_an_empty_list_is_a_corpus_without_problems(tmp_path: Path) -> None:
    assert read_corpus("jsonl", write(tmp_path / "f", "[]")).problems == []


@pytest.mark.parametrize("answer", [b"1e999", b"NaN", b"-Infinity"])
def test_numbers_that_are_none_are_skipped(tmp_path: Path, answer: bytes) -> None:
    corpus = read_corpus("jsonl", write(tmp_path / "f", b'{"text": "x 1", "answer": ' + answer + b"}"))
    assert corpus.skipped_by_reason == {"answer-unreadable": 1}


def test_endless_brackets_in_an_equation_are_no_gold(tmp_path: Path) -> None:
    equation = "(" * 50_000 + "1" + ")" * 50_000
    path = write(tmp_path / "f", lines([{"text": "x 1", "answer": 1, "equation": equation}]))
    corpus = read_corpus("jsonl", path)
    assert corpus.gold_missing == {"gold-not-arithmetic": 1}


def test_a_calculation_past_the_budget_of_exact_values_costs_its_record_only(tmp_path: Path) -> None:
    huge = f"1/{10**60 + 57}^9999+1/{10**60 + 99}^9999"
    records = [
        {"text": "x 1", "answer": huge},
        {"text": "x 1", "answer": 1, "equation": huge},
        {"text": "x 1", "answer": 1, "equation": "1"},
    ]
    corpus = read_corpus("jsonl", write(tmp_path / "f", lines(records)))
    assert corpus.skipped_by_reason == {"answer-unreadable": 1}
    assert corpus.gold_missing == {"gold-not-arithmetic": 1}
    assert len(corpus.problems) == 2


@given(st.text(max_size=40) | st.text(alphabet="0123456789()/%.+-*^ x=:,$", max_size=40))
def test_no_answer_and_no_equation_crashes_the_reader(text: str) -> None:
    read_gold(text)
    with suppress(AnswerError):
        read_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "1 " * 50_000,
        "1" + " " * 100_000,
        "a third " * 20_000,
        "two and " * 20_000,
        "一" * 50_000,
        "(" * 100_000,
        "1/" * 50_000,
    ],
    ids=lambda text: text[:8],
)
def test_long_texts_take_linear_time(tmp_path: Path, text: str) -> None:
    record = {"text": text, "answer": "(a" + text, "equation": "1=" + " " * 50_000 + text, "segmented": text}
    start = time.process_time()
    read_corpus("jsonl", write(tmp_path / "f", lines([record, record | {"answer": 1}])), number_words=True)
    assert time.process_time() - start < 20
