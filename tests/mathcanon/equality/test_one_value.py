"""Verdicts by one value are those by polynomials, with the same reasons and messages; numbers fold, terms cancel."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings

import mathcanon as mc
from mathcanon.equality import kronecker
from mathcanon.equality.cancelling import equal_after_cancelling
from mathcanon.equality.kronecker import NotPlain, Reading, far_point, ratio
from mathcanon.equality.verdict import _by_polynomials

from ...fuzz.texts import pairs


def by_polynomials(left: str, right: str) -> Any:
    """The same question without the far point: canonical forms, a fingerprint, integer polynomials."""
    try:
        mc.canonical(left), mc.canonical(right)
        verdict = _by_polynomials(left, right, differ=None)
        return verdict.equivalent, verdict.reason
    except (mc.MathCanonError, RecursionError) as error:
        return type(error), str(error)


def by_one_value(left: str, right: str) -> Any:
    try:
        verdict = mc.equivalent(left, right)
        return verdict.equivalent, verdict.reason
    except (mc.MathCanonError, RecursionError) as error:
        return type(error), str(error)


@settings(max_examples=1500)
@given(pairs())
def test_the_verdict_is_that_of_polynomials(pair: tuple[str, str]) -> None:
    found, expected = by_one_value(*pair), by_polynomials(*pair)
    assert found == expected or expected[1] == "fingerprint"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a+",
        "+a b",
        "a b +",
        "(a",
        "a)",
        "3(1/2)",
        "a^2^3",
        "a^x",
        "2a",
        "a(b)",
        "1e3",
        "1,000",
        "[a+b]",
        "a^(2)",
        "½",
    ],
)
def test_what_is_not_plain_is_left_to_the_general_reader(text: str) -> None:
    with pytest.raises(NotPlain):
        reading = Reading(text)
        ratio(reading.tokens, far_point(reading, reading)[0])


@pytest.mark.parametrize("left", ["a*(b+", "1/0)", "1/0+x y", "x-x)/(x-x)"])
def test_an_error_after_a_zero_divisor_is_still_an_error(left: str) -> None:
    with pytest.raises(mc.ParseError):
        mc.equivalent(left, "a")


def test_a_verdict_can_be_pickled_before_and_after_its_reason_is_known() -> None:
    import pickle

    verdict = mc.equivalent("a*b+a*c", "a*(b+c)")
    assert pickle.loads(pickle.dumps(verdict)).reason == verdict.reason == "identity"
    assert repr(verdict) == "Verdict(equivalent=True, reason='identity', certain=True, error_bound=0.0)"
    with pytest.raises(AttributeError):
        verdict.equivalent = False


def read_once(size: int, rng: random.Random) -> tuple[str, str]:
    """A product of sums of so many operands, and the same with its factors and terms in another order."""
    names = [f"v{i}" for i in range(size)]
    rng.shuffle(names)
    couples = list(zip(names[::2], names[1::2], strict=True))
    left = "*".join([f"({a}+{b})" for a, b in couples])
    rng.shuffle(couples)
    return left, "*".join([f"({b}+{a})" for a, b in couples])


@pytest.mark.parametrize("size", [20, 100, 400])
@pytest.mark.parametrize("extra", ["+x-x", "*x/x", "+0*x", "+3-2-1", "*(2+x)/(x+2)"])
def test_what_cancels_leaves_read_once_text_certain(size: int, extra: str) -> None:
    left, right = read_once(size, random.Random(size))
    verdict = mc.equivalent(left, f"({right}){extra}")
    assert (verdict.equivalent, verdict.reason, verdict.certain) == (True, "identity", True)
    changed = mc.equivalent(left, f"({right}){extra}+x")
    assert (changed.equivalent, changed.reason, changed.certain) == (False, "counterexample", True)


@settings(max_examples=500)
@given(pairs())
def test_equal_after_cancelling_means_equal(pair: tuple[str, str]) -> None:
    try:
        verdict = mc.equivalent(*pair)
    except mc.MathCanonError:
        return
    if verdict.reason in ("identity", "structure", "counterexample") and equal_after_cancelling(*pair):
        assert verdict


def test_numbers_are_folded_before_operands_are_compared() -> None:
    rng = random.Random(5)
    numbers = "".join([f"{rng.randint(1, 999)}{rng.choice('+-*')}" for _ in range(3000)]) + "1"
    left, right = Reading(f"x*({numbers})+y"), Reading(f"y+({numbers})*x")
    _, bits = far_point(left, right)
    assert bits <= kronecker.MAX_BITS
    assert mc.equivalent(f"x*({numbers})+y", f"y+({numbers})*x").certain
    assert not mc.equivalent(f"x*({numbers})+y", f"y+({numbers}+1)*x")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("0*(b/(1/(a-8)))+c", "c"),  # what is multiplied by zero must not shrink the point
        ("(1/(a-1024))^0*b", "b"),
        ("(a-8)*0+" + "+".join(["1000*a"] * 60), "60000*a"),
    ],
)
def test_a_divisor_that_only_vanishes_somewhere_is_no_zero_divisor(left: str, right: str) -> None:
    assert mc.equivalent(left, right).reason == "identity"
