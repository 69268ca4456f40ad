"""Batches give what single calls give, in order, in one process or several, and leave the collector as it was."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from itertools import count, islice

import pytest

import mathcanon as mc

from .generated_texts import random_pair, random_text

RNG = random.Random(11)
TEXTS = [random_text(RNG) for _ in range(1_500)]
PAIRS = [random_pair(RNG) for _ in range(1_200)]


def one_by_one(text: str) -> str | None:
    try:
        return mc.key(text)
    except mc.MathCanonError:
        return None


@pytest.mark.parametrize("workers", [1, 2])
def test_keys_are_those_of_single_calls(workers: int) -> None:
    assert list(mc.keys(TEXTS, workers=workers, errors="none")) == [one_by_one(text) for text in TEXTS]


def test_keys_by_value_are_those_of_single_calls() -> None:
    texts = ["a*b+a*c", "a*(b+c)", "1/(a-a)", "2"]
    assert list(mc.keys(texts, "value")) == [mc.key(text, "value") for text in texts]


@pytest.mark.parametrize("workers", [1, 2])
def test_verdicts_are_those_of_single_calls(workers: int) -> None:
    found = mc.equivalent_many(PAIRS, workers=workers, errors="none")
    for (left, right), verdict in zip(PAIRS, found, strict=True):
        try:
            expected = mc.equivalent(left, right)
        except mc.MathCanonError:
            assert verdict is None
        else:
            assert (verdict.equivalent, verdict.reason) == (expected.equivalent, expected.reason)


@pytest.mark.parametrize("workers", [1, 2])
def test_many_are_parsed_as_one_is(workers: int) -> None:
    valid = [text for text in TEXTS if one_by_one(text)]
    assert mc.parse_many(valid, workers=workers) == [mc.parse(text) for text in valid]
    assert mc.parse_many(["a+", "b"], errors="none") == [None, mc.parse("b")]


def test_an_error_is_raised_in_its_turn() -> None:
    found = mc.keys(["a", "b+", "c"])
    assert next(found) == mc.key("a")
    with pytest.raises(mc.ParseError):
        next(found)


def test_an_endless_input_is_read_as_it_is_asked_for() -> None:
    read = []

    def numbers() -> Iterator[str]:
        for i in count():
            read.append(i)
            yield f"a+{i}"

    assert list(islice(mc.keys(numbers()), 3)) == [mc.key(f"a+{i}") for i in range(3)]
    assert list(islice(mc.dedupe(numbers()), 3)) == ["a+0", "a+1", "a+2"]
    assert len(read) <= 8


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was(enabled: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if enabled else gc.disable()
        mc.parse_many(["a+b"] * 10)
        with pytest.raises(mc.ParseError):
            mc.parse_many(["a+"])
        mc.Deduper(["a", "b"])
        assert gc.isenabled() == enabled
    finally:
        gc.enable() if before else gc.disable()


@pytest.mark.parametrize("by", ["structure", "value"])
@pytest.mark.parametrize("errors", ["skip", "keep"])
def test_several_processes_keep_the_same_firsts(by: str, errors: str) -> None:
    items = [*TEXTS, "a*(b+c)", "a*b+a*c", None, "1/(a-a)", "2/(a-a)", *TEXTS]
    alone = list(mc.dedupe(items, by=by, errors=errors))  # type: ignore[type-var]
    assert list(mc.dedupe(items, by=by, errors=errors, workers=2)) == alone  # type: ignore[type-var]
    assert list(mc.dedupe(iter(items), by=by, errors=errors)) == alone  # type: ignore[type-var]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("by", ["structure", "value"])
def test_adding_many_is_adding_each(by: str, workers: int) -> None:
    valid = [text for text in TEXTS if one_by_one(text)]
    each: mc.Deduper[str] = mc.Deduper(by=by)
    expected = [text for text in valid if each.add(text)]
    many: mc.Deduper[str] = mc.Deduper(["a", "b"], by=by)
    each_again: mc.Deduper[str] = mc.Deduper(["a", "b"], by=by)
    assert many.add_many(valid, workers=workers) == [text for text in valid if each_again.add(text)]
    assert many.groups() == each_again.groups()
    assert len(expected) == len(each)


def test_fingerprints_of_one_secret_are_the_same_everywhere() -> None:
    import subprocess
    import sys

    code = "import mathcanon as mc; print(mc.fingerprint('a*(b+c)/3', secret='0123456789abcdef'), mc.fingerprint('a'))"
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    shared, own = zip(*[run.stdout.split() for run in done], strict=True)
    assert {int(value) for value in shared} == {mc.fingerprint("(a*b+c*a)/3", secret=b"0123456789abcdef")}
    assert own[0] != own[1]
    assert mc.fingerprint("a", secret="another secret...") != mc.fingerprint("a", secret="0123456789abcdef")


def test_a_secret_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(mc.ArgumentError, match="16 characters"):
        mc.fingerprint("a", secret="short")


@pytest.mark.parametrize(
    "call", [lambda: mc.keys([], workers=0), lambda: mc.keys([], errors="x"), lambda: mc.keys([], "x")]
)
def test_wrong_arguments_are_refused_at_once(call: object) -> None:
    with pytest.raises(mc.ArgumentError):
        call()  # type: ignore[operator]
