"""Records in JSON Lines files: written whole or not at all, read line by line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weaksup.errors import DataError
from weaksup.records import Candidate, CandidateSet, Label, Problem, Quantity, Scored
from weaksup.storage.json_lines import read_records, write_records
from weaksup.storage.whole_files import digest_file

CANDIDATES = CandidateSet(
    id="1",
    values=("2", "1/6"),
    surfaces=("2", "(1/6)"),
    answer="1/3",
    candidates=(Candidate(expr="N0*N1", stage="all", value="1/3"),),
)
EMPTY = CandidateSet(id="2", values=(), surfaces=(), answer="5", reason="no-quantity")
LABEL = Label(
    id="3",
    expr="N0+N1",
    equation="x=1+2",
    posterior=0.1 + 0.2,
    candidates=2,
    stage="all",
    ranker="em",
    others=(Scored(expr="N0*N1", posterior=1e-300),),
)
PROBLEM = Problem(
    id="题\u2028\n",
    text='三个"苹果"\ud7ff',
    tokens=("三", "个"),
    quantities=(Quantity(value="3", surface="三", start=0, end=1, token=0),),
    answer="3",
)


@pytest.mark.parametrize("name", ["records.jsonl", "records.jsonl.gz"])
@pytest.mark.parametrize(
    "records", [[CANDIDATES, EMPTY], [LABEL], [PROBLEM], []], ids=["sets", "label", "text", "none"]
)
def test_what_is_written_is_read(name: str, records: list[msgspec.Struct], tmp_path: Path) -> None:
    path = tmp_path / name
    assert write_records(path, records) == len(records)
    type_ = type(records[0]) if records else Label
    assert list(read_records(path, type_)) == records
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert os.listdir(tmp_path) == [name]


def test_the_same_records_are_the_same_bytes_even_packed(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_records(tmp_path / name, [CANDIDATES, EMPTY] * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_gzip_is_told_by_content_not_by_name(tmp_path: Path) -> None:
    write_records(tmp_path / "packed.gz", [LABEL])
    (tmp_path / "packed.gz").rename(tmp_path / "odd.jsonl")
    write_records(tmp_path / "plain", [LABEL])
    (tmp_path / "plain").rename(tmp_path / "odd.gz")
    assert (
        list(read_records(tmp_path / "odd.jsonl", Label)) == list(read_records(tmp_path / "odd.gz", Label)) == [LABEL]
    )
    assert digest_file(tmp_path / "odd.jsonl") == digest_file(tmp_path / "odd.gz")


def test_records_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    write_records(path, [LABEL, LABEL])
    with path.open("ab") as file:
        file.write(b"damage\n")
    records = read_records(path, Label)
    assert [next(records), next(records)] == [LABEL, LABEL]
    with pytest.raises(DataError, match=r"records\.jsonl:3: not JSON"):
        next(records)


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\n" + msgspec.json.encode(LABEL) + b"\r\n  \n" + msgspec.json.encode(LABEL))
    assert list(read_records(path, Label)) == [LABEL, LABEL]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "not JSON"),
        (b'{"id": "\xff"}', "not JSON"),
        (b"[" * 100_000, "not JSON|not a record"),
        (b"null", "not a record of type Label"),
        (b'{"id": "1"}', "not a record of type Label: Object missing required field"),
        (b'{"id": 1}', "not a record of type Label: Expected `str`"),
        (msgspec.json.encode(CANDIDATES), "not a record of type Label"),
    ],
)
def test_damage_is_told_with_file_and_line(line: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(msgspec.json.encode(LABEL) + b"\n\n" + line + b"\n")
    with pytest.raises(DataError, match=says) as caught:
        list(read_records(path, Label))
    assert str(caught.value).startswith(f"{path}:3: ")
    assert (caught.value.path, caught.value.line) == (str(path), 3)


@pytest.mark.parametrize("number", ["1e999999999", "x", "1/0", "", "9" * 100_000])
def test_a_number_that_is_none_or_too_long_is_told_before_it_is_worked_out(number: str, tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    for field, value in (("answer", number), ("values", [number])):
        path.write_bytes(msgspec.json.encode(msgspec.to_builtins(CANDIDATES) | {field: value}))
        with pytest.raises(DataError, match=rf"not a record of type CandidateSet: Expected `str`.*`\$\.{field}"):
            list(read_records(path, CandidateSet))


def test_cut_and_damaged_gzip_are_told(tmp_path: Path) -> None:
    # Lines that differ, so that the packed data are longer than what is cut off.
    many = [msgspec.structs.replace(LABEL, id=os.urandom(8).hex()) for _ in range(2000)]
    write_records(tmp_path / "whole.gz", many)
    raw = (tmp_path / "whole.gz").read_bytes()
    (tmp_path / "cut.gz").write_bytes(raw[: len(raw) // 2])
    (tmp_path / "damaged.gz").write_bytes(raw[:5000] + b"\0" * 50 + raw[5050:])
    with pytest.raises(DataError, match=r"cut\.gz:\d+: the gzip data end too early"):
        list(read_records(tmp_path / "cut.gz", Label))
    with pytest.raises(DataError, match=r"damaged\.gz:\d+: "):
        list(read_records(tmp_path / "damaged.gz", Label))


def test_a_file_that_is_not_there_or_a_folder_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.jsonl: cannot be read: No such file"):
        list(read_records(tmp_path / "none.jsonl", Label))
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        list(read_records(tmp_path, Label))


def test_a_line_past_the_limit_is_told_with_file_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labels.jsonl"
    write_records(path, [LABEL, LABEL])
    longest = len(msgspec.json.encode(LABEL)) + 1
    monkeypatch.setattr("mathcanon.files.MAX_LINE", longest)
    assert len(list(read_records(path, Label))) == 2
    with path.open("ab") as file:
        file.write(b" " * (longest + 1))
    with pytest.raises(DataError, match=r"labels\.jsonl:3: the line is longer than [\d,]+ bytes"):
        list(read_records(path, Label))


def failing() -> Iterator[Label]:
    yield LABEL
    raise RuntimeError("in the middle")


def test_a_failure_in_the_middle_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    for before in ([], [LABEL, LABEL]):
        if before:
            write_records(path, before)
        names = os.listdir(tmp_path)
        with pytest.raises(RuntimeError):
            write_records(path, failing())
        assert os.listdir(tmp_path) == names
        assert not before or list(read_records(path, Label)) == before
