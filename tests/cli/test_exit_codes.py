"""Errors that nobody expected: an exit code of their own, one line that asks for a report, a traceback on request."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mwp_cli import _output
from mwp_cli.canon import main

import mathcanon as mc


class Panic(BaseException):
    """As Rust packages raise it: not an Exception."""


FAULTS = [
    KeyError("x"),
    ValueError("two\nlines"),
    OverflowError("too large"),
    EOFError(),
    RecursionError("deep"),
    Panic(),
]


def count_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> Result:
    """What `mwp-canon count 3` does where the library raises `error`."""

    def fail(*args: object, **options: object) -> int:
        raise error

    monkeypatch.setattr(mc, "count", fail)
    return CliRunner().invoke(main, ["count", "3"])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fault_is_exit_code_70_and_one_line_that_asks_for_a_report(
    monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    monkeypatch.delenv("MATHCANON_DEBUG", raising=False)
    result = count_with(monkeypatch, fault)
    assert (result.exit_code, result.stdout) == (70, "")
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith(f"internal error: {type(fault).__name__}")
    assert "report" in line and "MATHCANON_DEBUG=1" in line


def test_the_traceback_is_shown_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHCANON_DEBUG", "1")
    result = count_with(monkeypatch, KeyError("x"))
    assert result.exit_code == 70
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("internal error: KeyError: 'x'")


def test_a_fault_with_a_long_text_is_a_short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    result = count_with(monkeypatch, ValueError("x" * 100_000))
    assert len(result.stderr) < 1000


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: can't allocate memory: you tried to ..."),
        RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB"),
    ],
)
def test_want_of_memory_is_exit_code_2(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    result = count_with(monkeypatch, error)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: out of memory")
    assert len(result.stderr.splitlines()) == 1


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    result = count_with(monkeypatch, KeyboardInterrupt())
    assert (result.exit_code, result.stderr.split()) == (130, ["interrupted"])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("count 0", "at least 1"),
        ("count 3 --law none-such", "none-such"),
        ("sequence -- -1", "at least 1"),
        ("prove 0", "positive"),
        ("enumerate 2 --operands a,a", "twice"),
        ("enumerate 2 --operands a,b+c", "not an operand"),
        ("reach 3 1 2 --tolerance -1", "not in the range"),
        ("draw a -o tree.bmp", "bmp"),
    ],
)
def test_bad_arguments_are_exit_code_2(args: str, said: str) -> None:
    """Not faults, though the library raises them: they are errors of our own."""
    result = CliRunner().invoke(main, args.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "passage", "code"),
    [
        ("reference/grammar.md", r"## Exit codes\n(.*?)```", r"(?m)^\| (\d+) \|"),
        ("reference/mwp-canon.md", r"end with exit code (.*?)\.\n", r"(\d+) \("),
        ("reference/mwp-weak.md", r"The exit codes are those of (.*?)\.\n", r"\b(\d+) [a-z]"),
        ("promises.md", r"## Exit codes\n(.*?)\n## ", r"(?m)^- (\d+) means"),
    ],
)
def test_every_page_that_lists_the_exit_codes_lists_all(page: str, passage: str, code: str) -> None:
    found = re.search(passage, (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert found
    codes = [_output.YES, _output.NO, _output.BAD, _output.FAULT, _output.INTERRUPTED, _output.TERMINATED]
    assert [int(number) for number in re.findall(code, found[1])] == codes
