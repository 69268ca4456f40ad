"""Text of other people on a terminal: control characters and direction marks come out as escapes."""

from __future__ import annotations

import ast
import json
import os
import pty
import shutil
import subprocess
import sysconfig
import unicodedata
from pathlib import Path

import click
import mwp_cli
import pytest
from click.testing import CliRunner
from mwp_cli import canon, weak

#: Set the title, colour, C1 control sequence, backspace, override of direction, isolate, a line separator.
EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\x08\u202e\u2066\u2028\x7f"


def assert_safe(text: str) -> None:
    bad = [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") and c not in "\n\t"]
    assert not bad, f"{bad} in {text!r}"


def printed(main: click.Command, *args: str, stdin: str | None = None) -> str:
    """All that a command prints; there must be something, and it must be safe."""
    result = CliRunner().invoke(main, args, input=stdin)
    assert result.exit_code in (0, 1, 2), result.stderr
    assert_safe(result.stdout + result.stderr)
    return result.stdout + result.stderr


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus in which everything is evil; the current folder is its own."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"1{EVIL}", "text": f"Tom {EVIL} has 3 apples and buys 5 {EVIL} more.", "answer": 8, "equation": "3+5"},
        {"id": f"2{EVIL}", "text": f"Ann has 4 {EVIL} pears.", "answer": f"{EVIL}", "equation": "4"},
        {"id": f"3{EVIL}", "text": "Ann has 4 pears and eats 1.", "answer": 3, "equation": f"4-1{EVIL}"},
    ]
    path = tmp_path / f"corpus{EVIL}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "JSON"])
def test_ids_texts_and_answers_of_a_corpus(corpus: Path, as_json: list[str]) -> None:
    source = ["--data", "jsonl", "--path", str(corpus)]
    shown = printed(weak.main, "data", "show", "jsonl", *source[2:], *as_json)
    assert ("\\u001b]0;owned" if as_json else "\\x1b]0;owned") in shown
    assert "owned" in printed(weak.main, "data", "show", "jsonl", *source[2:], "--id", f"1{EVIL}", *as_json)
    printed(weak.main, "search", *source, "--plan", "paper", "--workers", "1", "-o", f"c{EVIL}.jsonl", *as_json)
    assert "owned" in printed(weak.main, "show", f"c{EVIL}.jsonl", "--id", f"1{EVIL}", *as_json)
    assert "owned" in printed(weak.main, "oracle", f"c{EVIL}.jsonl", *as_json)
    assert "owned" in printed(weak.main, "rank", f"c{EVIL}.jsonl", "-o", f"l{EVIL}.jsonl", *as_json)


def test_json_is_the_same_when_it_is_read_again(corpus: Path) -> None:
    shown = printed(weak.main, "data", "show", "jsonl", "--path", str(corpus), "--id", f"1{EVIL}", "--json")
    assert json.loads(shown.splitlines()[0])["id"] == f"1{EVIL}"


def test_field_names_and_values_of_graded_records(tmp_path: Path) -> None:
    path = tmp_path / "graded.jsonl"
    path.write_text(json.dumps({f"p{EVIL}": f"a+b{EVIL}", f"g{EVIL}": "a+b"}) + "\n")
    fields = ("--pred", f"p{EVIL}", "--gold", f"g{EVIL}")
    printed(canon.main, "grade", str(path), *fields)
    assert "owned" in printed(canon.main, "grade", str(path), *fields, "--json")
    assert "owned" in printed(canon.main, "grade", str(path), "--pred", f"x{EVIL}", "--gold", "g")


@pytest.mark.parametrize(
    "args",
    [
        ["canonical", f"a{EVIL}+b"],
        ["equivalent", "a", f"b{EVIL}"],
        ["count", f"3{EVIL}"],
        ["count", "3", "--law", EVIL],
        ["reach", EVIL, "1"],
        ["enumerate", "1", "--operands", EVIL],
        ["draw", "a", "-o", f"no-folder/{EVIL}.svg"],
        ["draw", "a", "-o", f"tree.{EVIL}"],
        ["dedupe", f"missing{EVIL}"],
        [f"no-command{EVIL}"],
        ["count", f"--no-option{EVIL}"],
    ],
    ids=lambda args: args[0].partition("\x1b")[0],
)
def test_arguments_in_errors(args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed(canon.main, *args).strip()


def test_a_name_with_lines_is_one_line_of_error() -> None:
    result = CliRunner().invoke(weak.main, ["oracle", "first\nsecond"])
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


# --- data come out as they were ---------------------------------------------------------------------------------------

PROGRAM = str(shutil.which("mwp-canon", path=sysconfig.get_path("scripts")))
LINES = b"a\x0b+\x0cb\na*b\n"  # blanks to the parser, movements of the cursor to a terminal


def test_dedupe_gives_the_bytes_that_it_read_to_a_pipe() -> None:
    done = subprocess.run([PROGRAM, "dedupe", "-"], input=LINES, capture_output=True, check=True)
    assert done.stdout == LINES


def test_dedupe_escapes_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    subprocess.run([PROGRAM, "dedupe", "-"], input=LINES, stdout=theirs, stderr=subprocess.PIPE, check=True)
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        assert terminal.read(1000) == b"a\\x0b+\\x0cb\r\na*b\r\n"


def test_there_is_one_place_that_prints() -> None:
    """Else a new command would forget it.  `prove` draws its own numbers over each other."""
    allowed = {"_terminal.py": 3}
    for path in Path(mwp_cli.__file__).parent.glob("*.py"):
        calls = [node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        prints = [ast.unparse(call) for call in calls if ast.unparse(call) in ("click.echo", "click.secho", "print")]
        assert len(prints) == allowed.get(path.name, 0), path
