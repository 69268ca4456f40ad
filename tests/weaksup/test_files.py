"""Records in files: whole or not at all, read line by line, and the sidecar that tells runs apart."""

from __future__ import annotations

import errno
import gzip
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import mathcanon
from weaksup.errors import ConfigError, DataError
from weaksup.files import (
    RunInfo,
    check_same_run,
    digest_file,
    read_records,
    read_run_info,
    run_info_path,
    versions,
    whole_file,
    write_records,
    write_run_info,
)
from weaksup.records import Candidate, CandidateSet, Label, Problem, Quantity, Scored

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


# --- records ----------------------------------------------------------------------------------------------------------


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


# --- whole or not at all ----------------------------------------------------------------------------------------------


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


def test_a_file_has_the_rights_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_records(tmp_path / "labels.jsonl", [LABEL])
    finally:
        os.umask(before)
    assert (tmp_path / "labels.jsonl").stat().st_mode & 0o777 == 0o640


def test_any_content_is_packed_where_the_name_says_so(tmp_path: Path) -> None:
    with whole_file(tmp_path / "text.csv.gz") as file:
        file.writelines([b"one\n", b"two\n"])
    assert gzip.decompress((tmp_path / "text.csv.gz").read_bytes()) == b"one\ntwo\n"
    with pytest.raises(RuntimeError), whole_file(tmp_path / "text.csv.gz") as file:
        raise RuntimeError("in the middle")
    assert gzip.decompress((tmp_path / "text.csv.gz").read_bytes()) == b"one\ntwo\n"
    assert os.listdir(tmp_path) == ["text.csv.gz"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "real.jsonl", tmp_path / "link.jsonl"
    target.write_text("")
    link.symlink_to(target)
    write_records(link, [LABEL])
    assert link.is_symlink()
    assert list(read_records(target, Label)) == [LABEL]


def test_a_pipe_is_written_straight(tmp_path: Path) -> None:
    code = "import sys; from weaksup.files import whole_file\nwith whole_file('/dev/stdout') as f: f.write(b'text')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"text"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "none" / "file"):
        pass
    assert caught.value.filename == str(tmp_path / "none" / "file")


def test_a_read_only_disk_names_the_file_and_not_the_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, *args: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))

    monkeypatch.setattr("weaksup.files.open", refuse, raising=False)
    monkeypatch.setattr(Path, "unlink", refuse)  # as Linux does there, even for what does not exist
    with pytest.raises(OSError, match="Read-only file system") as caught, whole_file(tmp_path / "labels.jsonl"):
        pass
    assert caught.value.filename == str(tmp_path / "labels.jsonl")


def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match=re.escape(str(path))):
            write_records(path, [LABEL] * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []


# --- runs -------------------------------------------------------------------------------------------------------------


def run(**changes: object) -> RunInfo:
    plan = {"name": "mine", "tolerance": "0", "stage": [{"name": "all", "omit": 0}, {"name": "less", "omit": 1}]}
    config = {"corpus": {"name": "stories", "size": 60}, "plan": plan, "limit": None}
    info = RunInfo(schema="weaksup/candidates", config=config, input="abcdef0123456789", versions=versions())
    return msgspec.structs.replace(info, **changes)


def config(**changes: object) -> RunInfo:
    return run(config={**run().config, **changes})


def plan(**changes: object) -> RunInfo:
    return config(plan={**run().config["plan"], **changes})


def refusal(old: RunInfo, new: RunInfo) -> str:
    with pytest.raises(ConfigError) as caught:
        check_same_run(old, new, what="candidates.jsonl", advice="Mind it.")
    message = str(caught.value)
    assert message.startswith("candidates.jsonl was made with other settings: ")
    assert message.endswith(". Mind it.")
    assert "\n" not in message
    return message.removeprefix("candidates.jsonl was made with other settings: ").removesuffix(". Mind it.")


def test_the_sidecar_is_read_as_it_was_written(tmp_path: Path) -> None:
    sidecar = run_info_path(tmp_path / "candidates.jsonl")
    assert sidecar == tmp_path / "candidates.jsonl.run.json"
    assert read_run_info(sidecar) is None
    write_run_info(sidecar, run(seed=3, output="ff", counts={"problems": 2}))
    again = read_run_info(sidecar)
    assert again == run(seed=3, output="ff", counts={"problems": 2})
    check_same_run(again, run(seed=3), what="", advice="")


def test_the_versions_are_those_that_run() -> None:
    found = versions()
    assert set(found) == {"mathcanon", "numpy", "numba", "python-flint", "python"}
    assert found["mathcanon"] == mathcanon.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert all(re.match(r"\d+\.\d+", version) for version in found.values())


def test_a_damaged_sidecar_is_told(tmp_path: Path) -> None:
    for content in (b"{", b"[]", b'{"schema": 1}', gzip.compress(b"{}")):
        (tmp_path / "x.run.json").write_bytes(content)
        with pytest.raises(DataError, match=r"x\.run\.json: not the record of a run"):
            read_run_info(tmp_path / "x.run.json")


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (config(limit=10), "limit was not given, now 10"),
        (config(corpus={"name": "stories", "size": 61}), "corpus.size was 60, now 61"),
        (config(corpus={"name": "mawps"}), "corpus was stories, now mawps"),
        (plan(name="other", stage=[], tolerance="1"), "plan was mine, now other"),
        (plan(tolerance="0.1"), "plan.tolerance was 0, now 0.1"),
        (plan(stage=[{"name": "all", "omit": 0}, {"name": "less", "omit": 2}]), "plan.stage[1].omit was 1, now 2"),
        (plan(stage=[{"name": "all", "omit": 0}]), "plan.stage was 2 items, now 1 items"),
        (run(input="0" * 64), "input was abcdef012345, now 000000000000"),
        (run(seed=1), "seed was not given, now 1"),
        (run(versions={**versions(), "mathcanon": "9.9"}), f"mathcanon was {mathcanon.__version__}, now 9.9"),
        (run(schema="weaksup/labels"), "schema was weaksup/candidates 1, now weaksup/labels 1"),
        (
            run(config={"a": 1, "b": 2, "corpus": {}, "plan": {}, "limit": 5}, seed=7),
            "corpus was stories, now not given; plan was mine, now not given; limit was not given, now 5; and 3 more",
        ),
    ],
)
def test_what_differs_between_two_runs_is_named(new: RunInfo, says: str) -> None:
    assert refusal(run(), new) == says


def test_other_versions_of_numpy_and_python_make_the_same() -> None:
    other = run(versions={"mathcanon": mathcanon.__version__, "numpy": "0.1", "python": "4.0"})
    check_same_run(run(), other, what="", advice="")
