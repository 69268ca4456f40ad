"""The paper's enumeration lists the same expressions as the fast one."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import mathcanon as mc
from mathcanon.skeletons import enum_skel, skeletons, unit_skel_div, unit_skel_sub


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_skeletons_are_the_expressions(n: int) -> None:
    listed = list(skeletons("abcde"[:n]))
    forms = {mc.canonical(mc.parse(skeleton, syntax="skeleton")) for skeleton in listed}
    assert len(listed) == len(forms)
    assert forms == set(mc.expressions("abcde"[:n]))


def test_the_skeletons_are_different_functions() -> None:
    rng = random.Random(1)
    at = {name: Fraction(rng.randrange(1, 10**9)) for name in "abcd"}
    values = {mc.evaluate(mc.parse(skeleton, syntax="skeleton"), at) for skeleton in skeletons("abcd")}
    assert len(values) == 1170  # A140606


def test_long_names_stand_in_square_brackets() -> None:
    assert set(skeletons(["N1", "N0"])) == {"[N0][N1]", "[N0]&[N1]", "[N1]&[N0]", "([N0][N1])", "([N0]&[N1])",
                                           "([N1]&[N0])"}  # fmt: skip


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_units_are_sets_and_their_complements(size: int) -> None:
    blocks = "abcd"[:size]
    for unit, number in ((unit_skel_div, 2**size - 1), (unit_skel_sub, 2 ** (size - 1))):
        found = list(unit(blocks))
        assert len(set(found)) == len(found) == number
        assert all(left and sorted(left + right) == list(blocks) for left, right in found)
    assert all(left[0] == "a" for left, _ in unit_skel_sub(blocks))


def test_up_to_sign_there_are_as_many_as_classes() -> None:
    for n in (2, 3, 4):
        names = "abcd"[:n]
        both = len(list(enum_skel(names, True))) + len(list(enum_skel(names, False)))
        assert both == mc.count(n, "classes")
