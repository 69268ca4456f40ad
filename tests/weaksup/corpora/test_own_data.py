"""A user's own problems, in every format: the same problems, whatever file they come from."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import weaksup as ws
from weaksup.corpora import READERS, infer_corpus, read_corpus
from weaksup.errors import ConfigError, DataError

from .writing import lines, write

ROWS: list[dict[str, str]] = [
    {"name": "a", "question": 'Tom, "the boy", has 3 pens; he buys 5.', "final_answer": "8 pens", "how": "3+5"},
    {"name": "b", "question": "A train goes 120 km\nin 2 hours. How fast?", "final_answer": "60 km/h", "how": "120/2"},
    {"name": "c", "question": "A field of 8 m by 5 m: its area?", "final_answer": "40 m^2", "how": "8*5"},
    {"name": "d", "question": "Twelve chairs at $100 each?", "final_answer": "$1,200", "how": ""},
]
ANSWERS = {"a": "8", "b": "60", "c": "40", "d": "1200"}
FIELDS = {"gold_field": "how", "id_field": "name"}


def _csv(rows: list[dict[str, str]], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _files(folder: Path) -> dict[str, Path]:
    """The rows in each format, by the name of its reader."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(ROWS), folder / "mine.parquet")
    return {
        "jsonl": write(folder / "mine.jsonl", lines(ROWS)),
        "csv": write(folder / "mine.csv", "\ufeff" + _csv(ROWS)),
        "tsv": write(folder / "mine.tsv", _csv(ROWS, "\t")),
        "parquet": folder / "mine.parquet",
    }


@pytest.mark.parametrize("name", ["jsonl", "csv", "tsv", "parquet"])
def test_every_format_gives_the_same_problems(tmp_path: Path, name: str) -> None:
    path = _files(tmp_path)[name]
    corpus = read_corpus(None, path, **FIELDS)
    assert (corpus.name, infer_corpus(path)) == (name, name)
    assert {problem.id: problem.answer for problem in corpus.problems} == ANSWERS
    assert [problem.text for problem in corpus.problems] == [row["question"] for row in ROWS]
    assert [problem.gold for problem in corpus.problems] == ["3+5", "120/2", "8*5", None]
    assert [problem.answer_text for problem in corpus.interpreted_answers] == [row["final_answer"] for row in ROWS]


def test_python_objects_give_the_same_problems_as_files(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    expected = read_corpus("jsonl", write(tmp_path / "a", lines(ROWS)), **FIELDS).problems
    tables: list[Any] = [
        ROWS,
        pandas.DataFrame(ROWS),
        pyarrow.Table.from_pylist(ROWS),
        datasets.Dataset.from_list(ROWS),
    ]
    for table in tables:
        assert ws.read_objects(table, **FIELDS).problems == expected
    assert len({ws.read_objects(table, **FIELDS).digest for table in tables}) == 1


def test_a_saved_dataset_is_read_with_its_parts(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    parts = {"train": ROWS[:2], "validation": ROWS[2:3], "test": ROWS[3:]}
    saved = datasets.DatasetDict({part: datasets.Dataset.from_list(rows) for part, rows in parts.items()})
    saved.save_to_disk(str(tmp_path / "all"))
    saved["train"].save_to_disk(str(tmp_path / "train"), num_shards=2)
    corpus = read_corpus(None, tmp_path / "all", **FIELDS)
    assert (corpus.name, corpus.parts) == ("dataset", {"train": ["a", "b"], "valid": ["c"], "test": ["d"]})
    assert {problem.id: problem.answer for problem in corpus.problems} == ANSWERS
    assert ws.read_objects(saved, **FIELDS).parts == corpus.parts
    assert [problem.id for problem in read_corpus(None, tmp_path / "train", **FIELDS).problems] == ["a", "b"]
    arrow = next((tmp_path / "all" / "test").glob("*.arrow"))
    before = corpus.digest
    saved["test"].map(lambda row: {"final_answer": "7"}).save_to_disk(str(tmp_path / "other"))
    arrow.write_bytes(next((tmp_path / "other").glob("*.arrow")).read_bytes())
    assert read_corpus(None, tmp_path / "all", **FIELDS).digest != before


def test_a_dataset_can_name_no_file_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    write(tmp_path / "state.json", json.dumps({"_data_files": [{"filename": "../secret.arrow"}]}))
    with pytest.raises(DataError, match="must be in the folder"):
        read_corpus("dataset", tmp_path)


@pytest.mark.parametrize(
    ("record", "text", "answer"),
    [
        ({"Body": "Tom has 3.", "Question": "And 5 more?", "Answer": 8.0}, "Tom has 3. And 5 more?", "8"),
        ({"Problem": "3 and 5?", "label": 8}, "3 and 5?", "8"),
        ({"question": "3 and 5?", "answer": "3+5=<<3+5=8>>8\n#### 8"}, "3 and 5?", "8"),
        ({"text": "3 and 5?", "question": "other", "ans": "8"}, "3 and 5?", "8"),
    ],
)
def test_usual_names_are_found(tmp_path: Path, record: dict[str, object], text: str, answer: str) -> None:
    (problem,) = read_corpus("jsonl", write(tmp_path / "a", lines([record]))).problems
    assert (problem.id, problem.text, problem.answer) == ("1", text, answer)


def test_named_fields_come_before_usual_ones(tmp_path: Path) -> None:
    record = {"text": "no", "stem": "Tom has 3.", "ask": "And 5 more?", "answer": "9", "n+m": "8"}
    path = write(tmp_path / "a", lines([record]))
    (problem,) = read_corpus("jsonl", path, text_field="stem+ask", answer_field="n+m").problems
    assert (problem.text, problem.answer) == ("Tom has 3. And 5 more?", "8")
    with pytest.raises(DataError, match=r"a:1: the field is missing \(tried nope\).*--text-field \(field text\)"):
        read_corpus("jsonl", path, text_field="nope")
    with pytest.raises(ConfigError, match="math23k has no option text_field"):
        read_corpus("math23k", path, text_field="nope")


@pytest.mark.parametrize(
    ("asked", "advice"),
    [("question", "did you mean Question?"), ("quesion", "did you mean Question?"), ("Body+question", "Question?"),
     ("stem", "choose the field with --text-field")],
)  # fmt: skip
def test_a_field_in_the_wrong_case_or_misspelt_is_named(tmp_path: Path, asked: str, advice: str) -> None:
    path = write(tmp_path / "a.csv", "Body,Question,Answer\nTom has 3.,And 5 more?,8\n")
    with pytest.raises(DataError, match=re.escape(advice)):
        read_corpus("csv", path, text_field=asked)
    with pytest.raises(DataError, match="did you mean Answer"):
        read_corpus("csv", path, gold_field="answr")


def test_a_damaged_row_or_a_null_costs_only_itself(tmp_path: Path) -> None:
    table = "question,answer\nTom has 3 and 5?,8\nAnn, who has 2, buys 3?,5\n,4\nTom has 1?,\n"
    corpus = read_corpus("csv", write(tmp_path / "a.csv", table))
    assert [problem.id for problem in corpus.problems] == ["1"]
    assert corpus.skipped_by_reason == {"answer-unreadable": 1, "row-damaged": 1, "text-empty": 1}
    assert [skipped.line for skipped in corpus.skipped] == [3, 4, 5]
    nulls = write(tmp_path / "b.jsonl", lines([{"text": None, "answer": 1}, {"text": "1?", "answer": None}]))
    assert read_corpus("jsonl", nulls).skipped_by_reason == {"answer-unreadable": 1, "text-empty": 1}


def test_a_record_without_its_fields_costs_only_itself(tmp_path: Path) -> None:
    good = {"id": 1, "text": "3 and 5?", "answer": 8}
    bad: list[dict[str, object]] = [
        {"id": 2, "text": "3 and 5?"},
        {"id": "", "text": "3 and 5?", "answer": 8},
        {"id": None, "text": "3 and 5?", "answer": 8},
        {"id": 5, "text": ["3 and 5?"], "answer": 8},
    ]
    path = write(tmp_path / "a", lines([*bad, good]))
    corpus = read_corpus("jsonl", path)
    assert [problem.id for problem in corpus.problems] == ["1"]
    assert corpus.skipped_by_reason == {"field-unreadable": len(bad)}
    assert [(skipped.line, skipped.id, skipped.field) for skipped in corpus.skipped] == [
        (1, "2", "answer"), (2, "2", "id"), (3, "3", "id"), (4, "5", "text")
    ]  # fmt: skip
    with pytest.raises(DataError, match="a:1: problem 2: field-unreadable: the field is missing"):
        read_corpus("jsonl", path, strict=True)
    with pytest.raises(DataError, match="a:1: the field is missing"):  # in every record: a wrong choice of fields
        read_corpus("jsonl", write(tmp_path / "a", lines(bad)))


def test_ids_may_be_floats_as_tables_write_them(tmp_path: Path) -> None:
    rows = [{"id": id, "text": "3 and 5?", "answer": 8} for id in (1.0, 2.5)]
    assert [problem.id for problem in read_corpus("jsonl", write(tmp_path / "a", lines(rows))).problems] == ["1", "2.5"]


def test_rows_of_empty_cells_are_blank_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv", "id,question,answer\r\n1,Tom has 3 and 5?,8\r\n,,\r\n2,Ann has 3 and 5?,8\r\n, ,\r\n"
    )
    corpus = read_corpus(None, path)
    assert ([problem.id for problem in corpus.problems], corpus.skipped) == (["1", "2"], [])


def test_a_csv_may_have_tabs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "question\tanswer\nTom has 3, and 5?\t8\n")
    assert [problem.text for problem in read_corpus(None, path).problems] == ["Tom has 3, and 5?"]


def test_semicolons_and_gzip(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv.gz", gzip.compress(b"problem;ans\nTom has 3, and 5?;8\n"))
    assert [(p.text, p.answer) for p in read_corpus(None, path).problems] == [("Tom has 3, and 5?", "8")]


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [
        ("a", '{"original_text": "一", "segmented_text": "1", "equation": "x=1", "ans": "1"}\n', "ape210k"),
        ("a", '{\n"original_text": "一", "segmented_text": "1", "equation": "x=1", "ans": "1"}\n', "math23k"),
        ("a", '[{"sQuestion": "1", "lSolutions": [1], "lEquations": ["x=1"]}]', "mawps"),
        ("a", '[{"ID": "1", "Body": "1", "Question": "1", "Equation": "1", "Answer": 1}]', "svamp"),
        ("a", '{"question": "1", "answer": "#### 1"}', "gsm8k"),
        ("a", '{"question": "1", "answer": "1"}', "jsonl"),
        ("a.csv", "Question,Numbers,Equation,Answer\n", "svamp"),
        ("a", "question\tanswer\n1\t1\n", "tsv"),
        ("a.txt", "question,answer\n1,1\n", "csv"),
        ("a.toml", "language = 'en'\n", "stories"),
        ("a.xml", "<Machine-Reading-Corpus-File/>", "asdiv"),
    ],
)
def test_the_format_is_told_by_name_and_content(tmp_path: Path, name: str, content: str, reader: str) -> None:
    assert infer_corpus(write(tmp_path / name, content)) == reader


def test_folders_are_told_by_their_files(tmp_path: Path) -> None:
    write(tmp_path / "g" / "train.jsonl", '{"question": "1", "answer": "#### 1"}')
    write(tmp_path / "j" / "train.jsonl", '{"question": "1", "answer": "1"}')
    write(tmp_path / "s" / "dev.csv", "Question,Numbers,Equation,Answer\n")
    write(tmp_path / "c" / "train.csv", "question,answer\n")
    assert [infer_corpus(tmp_path / folder) for folder in "gjsc"] == ["gsm8k", "jsonl", "svamp", "csv"]
    with pytest.raises(DataError, match="no reader knows this folder: it has no file with a known name"):
        infer_corpus(tmp_path)


def test_a_wrong_guess_says_what_was_tried(tmp_path: Path) -> None:
    path = write(tmp_path / "notes.md", "# Just words\n")
    with pytest.raises(DataError, match=r"no reader knows this file: its suffix is \.md, .*Tried stories, math23k"):
        read_corpus(None, path)
    other = write(tmp_path / "a.json", '{"story": "3 and 5?", "answer": 8}')
    with pytest.raises(DataError, match=r"a\.json:1: the field is missing.*has: answer, story.*read as jsonl.*--data"):
        read_corpus(None, other)


def test_published_corpora_are_recognized(data_dir: Path) -> None:
    for name in ("math23k", "ape210k", "mawps", "asdiv", "svamp", "gsm8k"):
        files = [
            file for file in (data_dir / name).glob("*") if file.name.removesuffix(".gz") in READERS[name].file_names
        ]
        assert files
        assert {infer_corpus(file) for file in files} == {name}
