"""Texts of hits: what folding, parsing and `str` give, for every class and both signs."""

from __future__ import annotations

import random
from itertools import product

import pytest

from mathcanon import canonical
from mathcanon.canonical_form import as_tree, signed_class
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
