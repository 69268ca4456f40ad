"""Texts of hits: what folding, parsing and `str` give, for every class and both signs."""

from __future__ import annotations

import random
import sys
from itertools import product

import numpy as np
import pytest

from mathcanon import canonical
from mathcanon.canonical_form import as_tree, signed_class
from mathcanon.compiled import core
from mathcanon.notation.notations import parse
from mathcanon.reaching import texts
from mathcanon.reaching.program import PLACE_BITS
from mathcanon.reaching.texts import TextWriter

NAMES = ("N0", "N1", "N0", "1", "N10", "3.14", "N1^2", "N2")


def steps_and_text(rng: random.Random, names: tuple[str, ...]) -> tuple[list[int], str]:
    """Random steps that use every operand once, and the same as text with all brackets."""
    places = [f"({name})" for name in names]
    free, codes = list(range(len(names))), []
    while len(free) > 1:
        i, j = (free.pop(rng.randrange(len(free))) for _ in range(2))
        operator = rng.randrange(4)
        codes.append(operator << 2 * PLACE_BITS | i << PLACE_BITS | j)
        places.append(f"({places[i]}{'+-*/'[operator]}{places[j]})")
        free.append(len(places) - 1)
    return codes, places[-1]


def signed(text: str, sign: int) -> str:
    """The oracle: parse, canonical form, times the sign, as text; a class that is its own opposite has sign 1."""
    turned, node = signed_class(text)
    return str(as_tree(turned * sign, node))


@pytest.mark.parametrize("most", [1 << 17, 3])
def test_a_text_is_that_of_the_canonical_form(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_MAX_BLOCKS", most)
    writer, rng = TextWriter(parse), random.Random(1)
    seen = set()
    for _ in range(4000):
        names = tuple(rng.choices(NAMES, k=rng.randint(1, 7)))
        codes, text = steps_and_text(rng, names)
        for sign in (1, -1) if codes and "-" in text else (1,):
            found = writer.text(codes, sign, names)
            assert found == signed(text, sign)
            seen.add(found)
        if codes and "-" not in text:
            assert writer.text(codes, 1, names) == str(canonical(text))
    assert len(seen) > 4000


def rows_of(jobs: list[tuple[list[int], int, int]], width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps, signs and choices as the columns that `texts` takes."""
    codes = np.zeros((len(jobs), width), np.uint16)
    for row, (steps, _, _) in enumerate(jobs):
        codes[row, : len(steps)] = steps
    return codes, np.array([sign for _, sign, _ in jobs], np.int8), np.array([choice for _, _, choice in jobs])


@pytest.mark.parametrize("width", [6, 9])
def test_many_texts_are_those_of_the_canonical_forms(width: int) -> None:
    rng = random.Random(width)
    choices = [tuple(rng.choices((*NAMES, "a", "a1", "ab", "3", "3.5"), k=rng.randint(1, 7))) for _ in range(300)]
    jobs, expected = [], []
    for _ in range(5000):
        choice = rng.randrange(len(choices))
        steps, text = steps_and_text(rng, choices[choice])
        sign = rng.choice((1, -1)) if "-" in text else 1
        jobs.append((steps, sign, choice))
        expected.append(signed(text, sign))
    assert TextWriter(parse).texts(*rows_of(jobs, width), choices) == expected


@pytest.mark.parametrize("leaf", ["a+b", "a/b", "-3", "2*a"])
def test_leaves_that_are_no_leaves_are_written_all_the_same(leaf: str) -> None:
    names = ("x", leaf, "y")
    rng = random.Random(3)
    jobs = [(steps_and_text(rng, names)[0], sign, 0) for sign in (1, -1) for _ in range(50)]
    one, other = TextWriter(parse), TextWriter(parse)
    assert one.texts(*rows_of(jobs, 2), [names]) == [other.text(steps, sign, names) for steps, sign, _ in jobs]


def test_there_may_be_more_leaves_than_a_byte_can_count() -> None:
    choices = [(f"N{2 * i}", f"N{2 * i + 1}") for i in range(200)]
    jobs = [([1 << 2 * PLACE_BITS | 1 << PLACE_BITS], 1, i) for i in range(200)]  # the second minus the first
    assert TextWriter(str).texts(*rows_of(jobs, 1), choices) == [f"N{2 * i + 1}-N{2 * i}" for i in range(200)]


def test_nothing_to_write_is_no_text() -> None:
    assert TextWriter(str).texts(*rows_of([], 3), []) == []


@pytest.mark.skipif(core is None, reason="pure Python")
def test_the_core_refuses_rows_that_make_no_sense() -> None:
    leaves, names = ((b"a", b"a"), (b"b", b"b")), (bytes([0, 1]),)
    plus = (0).to_bytes(2, sys.byteorder)
    beyond = (5).to_bytes(2, sys.byteorder)  # a place that no step has made
    first, second = (i.to_bytes(8, sys.byteorder) for i in (0, 1))
    assert core.texts(leaves, names, first, beyond, b"\1") == [None]
    assert core.texts(leaves, (b"",), first, plus, b"\1") == [None]
    assert core.texts(leaves, (bytes(range(2)) * 20,), first, plus, b"\1") == [None]
    for arguments in [
        (leaves, names, second, plus, b"\1"),
        (leaves, (bytes([0, 2]),), first, plus, b"\1"),
        (leaves, names, first, plus, b"\1\1"),
        (leaves, names, first, plus[:1], b"\1"),
        (leaves, ("ab",), first, plus, b"\1"),
        (((b"a",),), names, first, plus, b"\1"),
        (((b"a", b"a" * 5000),) * 2, names, first, plus, b"\1"),
    ]:
        with pytest.raises((IndexError, TypeError, ValueError)):
            core.texts(*arguments)


def test_a_class_that_has_no_opposite_gets_a_leading_minus() -> None:
    codes = [2 << 2 * PLACE_BITS | 0 << PLACE_BITS | 1]
    assert TextWriter(str).text(codes, -1, ("a", "b")) == "-a*b" == signed("a*b", -1)


def test_the_order_of_writing_does_not_matter() -> None:
    rng = random.Random(2)
    jobs = [(*steps_and_text(rng, ("a", "b", "c", "a"))[:1], sign) for _, sign in product(range(300), (1, -1))]
    one, other = TextWriter(str), TextWriter(str)
    forward = [one.text(codes, sign, ("a", "b", "c", "a")) for codes, sign in jobs]
    backward = [other.text(codes, sign, ("a", "b", "c", "a")) for codes, sign in reversed(jobs)]
    assert forward == backward[::-1]
