"""A benchmark in a process of its own: results come back, limits hold, failures say why."""

from __future__ import annotations

import sys

import pytest
from alone import MEGABYTE, builds, run_alone


def test_the_result_comes_back_with_the_memory() -> None:
    outcome = run_alone("math", "factorial", 20)
    assert (outcome.result, outcome.failed) == (2432902008176640000, "")
    assert outcome.peak_bytes > MEGABYTE


def test_what_the_function_prints_is_not_the_result() -> None:
    assert run_alone("builtins", "print", "{not JSON").result is None
    assert run_alone("builtins", "print", "{not JSON").failed == ""


def test_large_arguments_arrive() -> None:
    assert run_alone("builtins", "len", ["a+b"] * 300_000).result == 300_000


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_too_much_memory_is_refused() -> None:
    assert run_alone("builtins", "bytearray", 10**10, memory=1024 * MEGABYTE).failed == "out of memory"


def test_too_much_time_is_stopped() -> None:
    assert run_alone("builtins", "pow", 3, 10**9, seconds=1).failed == "over 1 s"


@pytest.mark.parametrize(
    ("module", "function", "failed"),
    [("no_such_package", "f", "not installed"), ("math", "no_such_function", "stopped with 1: AttributeError")],
)
def test_a_failure_says_why(module: str, function: str, failed: str) -> None:
    assert run_alone(module, function).failed.startswith(failed)


def test_a_build_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(builds()) <= {"compiled", "pure"}
    monkeypatch.setenv("MATHCANON_PURE", "1")  # what the user has set does not decide
    for build in builds():
        assert run_alone("alone", "build_here", build=build).result == build
    assert "MATHCANON_PURE" not in run_alone("os", "getenv", "MATHCANON_PURE", "", build="compiled").result
    assert run_alone("os", "getenv", "MATHCANON_PURE", build="pure").result == "1"
