"""`mwp-weak report`: its path, and one line for what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mwp_cli.weak import main

from weaksup.measure.metrics import Metrics
from weaksup.report.shown_problems import ShownExample
from weaksup.storage.json_lines import write_records
from weaksup.storage.run_files import EXAMPLES, METRICS

EXAMPLE = ShownExample(id="p", text="3 and 4", marks=[(0, 1)], quantities=1, answer="3", candidates=0)


def run(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_records(
        tmp_path / METRICS, [Metrics(config={"data": "toy"}, split="", sizes={}, covered=0, distribution={}, arms=[])]
    )
    write_records(tmp_path / EXAMPLES, [EXAMPLE])
    return tmp_path


def test_the_path_is_printed_and_the_page_written_again(folder: Path) -> None:
    first = run("report", folder)
    assert (first.exit_code, first.stdout, first.stderr) == (0, f"{folder / 'report.html'}\n", "")
    page = (folder / "report.html").read_bytes()
    (folder / "report.html").write_bytes(b"old")
    assert run("report", folder).exit_code == 0
    assert (folder / "report.html").read_bytes() == page


@pytest.mark.parametrize("name", [METRICS, EXAMPLES])
@pytest.mark.parametrize("content", [None, b'{"damaged'], ids=["missing", "damaged"])
def test_a_missing_or_damaged_file_is_one_line(folder: Path, name: str, content: bytes | None) -> None:
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    result = run("report", folder)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"error: {folder / name}:")
    assert not (folder / "report.html").exists()


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    result = run("report", tmp_path / "none")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(
        f"error: {tmp_path / 'none' / METRICS}: no such file: this is not the folder of a finished run"
    )


def test_without_jinja_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("report", folder)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line == 'error: the report needs jinja2: in the clone, pip install -c constraints.txt ".[solver]"'
