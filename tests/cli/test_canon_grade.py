"""`mwp-canon grade`: solutions, nested fields, processes, interruptions and the page."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mwp_cli import canon

GOLD = "She sold 48/2 = <<48/2=24>>24 in May. Altogether 48+24 = <<48+24=72>>72.\n#### 72"
SOLUTIONS = [
    ("24 clips a month for 3 months are 24*3 = 72.", "same-value"),
    ("48/2 = 24. 24+48 = 72. The answer is 72.", "same-method"),
    ("10*2 = 20, and 24*3 = 72.", "same-value"),
    ("48/2 = 22 and 48+22 = 70.", "different"),
    ("no idea", "unreadable"),
]


def run(*args: object) -> Result:
    return CliRunner().invoke(canon.main, ["grade", *map(str, args)])


def written(path: Path, records: list[Any]) -> Path:
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    records = [{"question": "How many?", "model": {"solution": text}, "gold": GOLD} for text, _ in SOLUTIONS]
    return written(tmp_path / "solutions.jsonl.gz", records)


FIELDS = ("--pred", "model.solution", "--question", "question")


def test_solutions_in_nested_fields_of_a_packed_file(file: Path) -> None:
    result = run(file, *FIELDS, "--json")
    assert result.exit_code == 0, result.stderr
    *records, tally = map(json.loads, result.stdout.splitlines())
    assert [record["grade"] for record in records] == [grade for _, grade in SOLUTIONS]
    assert tally["tally"] == {"same-method": 1, "same-value": 2, "different": 1, "unreadable": 1}
    assert records[1]["answers"] == ["72", "72"]
    assert records[2]["foreign_step"] == "10*2=20" and records[2]["wrong_step"] is None
    assert records[3]["wrong_step"] == "48/2=22" and records[3]["answers"] == ["70", "72"]
    assert records[4]["answers"] == [None, "72"]


def test_lines_name_the_first_wrong_and_the_first_foreign_step(file: Path) -> None:
    lines = run(file, *FIELDS).stdout.splitlines()
    assert lines[2].endswith("; first foreign step 10*2=20")
    assert lines[3] == "4: different: 70 against 72; 48/2 is 24, not 22"


def test_numbers_are_read_as_well_as_texts(tmp_path: Path) -> None:
    path = written(tmp_path / "numbers.jsonl", [{"pred": "1/2+2", "gold": 2.5}, {"pred": 3, "gold": "1+2"}])
    assert [line.split(": ")[1] for line in run(path).stdout.splitlines()[:2]] == ["same-value"] * 2


def test_tolerance(tmp_path: Path) -> None:
    path = written(tmp_path / "rounded.jsonl", [{"pred": "0.3333333*60", "gold": "60/3"}])
    assert run(path).stdout.startswith("1: different")
    assert run(path, "--tolerance", "1e-6").stdout.startswith("1: same-value")


def test_only_chooses_what_is_printed_and_not_what_is_counted(file: Path) -> None:
    result = run(file, *FIELDS, "--only", "different, unreadable")
    assert [line.partition(":")[0] for line in result.stdout.splitlines()[:2]] == ["4", "5"]
    assert "same-value        2" in result.stdout
    wrong = run(file, *FIELDS, "--only", "wrong")
    assert wrong.exit_code == 2 and "'wrong' is not a grade" in wrong.stderr
    both = run(file, *FIELDS, "--only", "different", "-o", file.with_name("out.jsonl"))
    assert both.exit_code == 2 and "--only" in both.stderr


def test_a_question_that_is_not_there_is_reported(file: Path) -> None:
    result = run(file, "--pred", "model.solution", "--question", "problem")
    assert result.exit_code == 2
    assert result.stdout.startswith("1: unreadable: no text in the field 'problem'")


@pytest.mark.parametrize("name", ["graded.jsonl", "graded.jsonl.gz"])
def test_processes_write_the_same_bytes(name: str, file: Path, tmp_path: Path) -> None:
    outputs = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        assert run(file, *FIELDS, "--workers", workers, "-o", folder / name).exit_code == 0
        assert {path.name for path in folder.iterdir()} == {name, f"{name}.run.json"}
        outputs.append((folder / name).read_bytes())
    assert outputs[0] == outputs[1]
    content = gzip.decompress(outputs[0]) if name.endswith(".gz") else outputs[0]
    assert content.decode().splitlines() == run(file, *FIELDS, "--json").stdout.splitlines()[:-1]


def test_a_finished_file_is_not_graded_again(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded.jsonl"
    first = run(file, *FIELDS, "-o", out)
    before = out.stat()
    again = run(file, *FIELDS, "-o", out)
    assert again.stdout == first.stdout
    assert "complete already: nothing was graded" in again.stderr
    assert out.stat().st_mtime_ns == before.st_mtime_ns
    other = run(file, *FIELDS, "--tolerance", "0.1", "-o", out)
    assert other.exit_code == 2 and "made with other settings: tolerance was 0, now 1/10" in other.stderr
    assert run(file, *FIELDS, "--tolerance", "0.1", "-o", out, "--force").exit_code == 0
    out.write_text("{}\n")
    assert "was changed since it was graded" in run(file, *FIELDS, "--tolerance", "0.1", "-o", out).stderr


def test_another_input_is_refused(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "graded.jsonl"
    run(file, *FIELDS, "-o", out)
    other = written(tmp_path / "other.jsonl", [{"pred": "1", "gold": "1"}])
    refused = run(other, "-o", out)
    assert refused.exit_code == 2 and "input was " in refused.stderr
    own = run(other, "-o", other)
    assert own.exit_code == 2 and "is an input of this command" in own.stderr
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine")
    assert "does not hold grades" in run(other, "-o", foreign).stderr
    assert foreign.read_text() == "mine"


def test_stdin_can_not_be_read_twice(tmp_path: Path) -> None:
    command = [sys.executable, Path(sysconfig.get_path("scripts")) / "mwp-canon", "grade", "-", "-o", tmp_path / "out"]
    done = subprocess.run(command, input=b"{}\n", capture_output=True, check=False)
    # From a pipe; `< file` can be read twice.
    assert done.returncode == 2 and b"read twice" in done.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_goes_on(workers: int, tmp_path: Path) -> None:
    texts = [f"{i} + {i + 1} = {2 * i + 1}" for i in range(4_000)]
    path = written(tmp_path / "many.jsonl", [{"pred": text, "gold": text} for text in texts])
    out, records = tmp_path / "out.jsonl", tmp_path / "out.jsonl.parts" / "records.jsonl"
    command = [sys.executable, Path(sysconfig.get_path("scripts")) / "mwp-canon", "grade", path, "-o", out]
    command += ["--workers", str(workers)]
    started = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # It is ignored where tests run in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not (records.exists() and records.stat().st_size):
        assert started.poll() is None
        time.sleep(0.01)
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    _, stderr = started.communicate()
    assert started.returncode == 130
    assert b"run the same command again to resume" in stderr and b"Traceback" not in stderr
    with open(records, "ab") as file:
        file.write(b'{"line": 1')  # what a killed process would leave
    kept = records.read_bytes().count(b"\n")
    assert 0 < kept < len(texts)
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{kept:,} of 4,000 records were done before".encode() in done.stderr
    graded = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["line"] for record in graded] == list(range(1, len(texts) + 1))
    assert {record["grade"] for record in graded} == {"same-method"}
    assert not records.parent.exists()


def test_a_damaged_packed_file_is_one_clear_line(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"pred": "1", "gold": "1"}\n' * 5_000)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    result = run(tmp_path / "cut.jsonl.gz")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "cut.jsonl.gz" in line and "damaged gzip data" in line


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_has_the_disagreements_and_is_the_same_after_a_resumption(file: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "graded.jsonl", tmp_path / "page.html"
    assert run(file, *FIELDS, "--html", page).exit_code == 0
    html = page.read_text()
    assert html.count('<li class="example') == 4  # all but the one of the same method
    assert '<mark class="wrong">48/2 = 22<small>is 24</small></mark>' in html
    assert '<mark class="foreign">10*2 = 20<small>not in gold</small></mark>' in html
    assert "How many?" in html and "solutions.jsonl.gz" in html
    for name in ("first.html", "again.html"):
        assert run(file, *FIELDS, "-o", out, "--html", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_text() == html
    refused = run(file, *FIELDS, "--html", page)
    assert refused.exit_code == 2 and "already exists" in refused.stderr


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    evil = "1+1=2 </script><script>alert(1)</script> \"'><img src=x onerror=alert(2)> \x00\x1b[2J\u202e\ud800 &amp;"
    path = written(tmp_path / "evil.jsonl", [{"q": evil, "pred": evil, "gold": "4/2", evil: evil}])
    result = run(path, "--question", "q", "--html", tmp_path / "page.html")
    assert result.exit_code == 0, result.stderr
    html = (tmp_path / "page.html").read_bytes().decode()
    assert "<script" not in html and "<img" not in html
    assert "&lt;script&gt;alert(1)" in html and "&amp;amp;" in html
    assert "\\x00\\x1b[2J\\u202e\\ud800" in html
    assert not {"\x00", "\x1b", "\u202e"} & set(html)
