"""Fixes against an oracle that tries every replacement of one token and evaluates each tree anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weaksup.baselines import fixing
from weaksup.baselines.fixing import OPERATORS, Replacement, fix, one_token_fixes, value_of
from weaksup.baselines.unlabelled import exact

# Zeros and equal values are common: they make divisions by zero and ambiguous fixes.
NUMBERS = st.sampled_from([Fraction(number) for number in ("0", "0", "1", "1", "2", "3", "6", "-2", "1/2", "5")])
SHAPES = st.recursive(st.just(None), lambda tree: st.tuples(tree, tree), max_leaves=6)


@st.composite
def trees(draw: st.DrawFn) -> tuple[tuple[str, ...], dict[str, Fraction]]:
    """A prefix sequence and the values of the operands that there are."""
    operands = {f"N{i}": draw(NUMBERS) for i in range(draw(st.integers(1, 4)))} | {"1": Fraction(1)}

    def written(shape: object) -> list[str]:
        if not isinstance(shape, tuple):
            return [draw(st.sampled_from(sorted(operands)))]
        return [draw(st.sampled_from(OPERATORS)), *written(shape[0]), *written(shape[1])]

    return tuple(written(draw(SHAPES))), operands


def indifferent(change: Replacement) -> float:
    """The gain, if all tokens are equally likely."""
    return 0.0


def naive_value(prefix: Sequence[str], operands: Mapping[str, Fraction]) -> Fraction | None:
    """The value by recursion; None for a division by 0 or 1."""
    tokens = list(prefix)

    def read() -> Fraction:
        token = tokens.pop(0)
        if token not in OPERATORS:
            return operands[token]
        left, right = read(), read()
        if token == "/" and right == 1:
            raise ZeroDivisionError  # it has no value either
        return {"+": left.__add__, "-": left.__sub__, "*": left.__mul__, "/": left.__truediv__}[token](right)

    try:
        return read()
    except ZeroDivisionError:
        return None


def naive_fixes(prefix: Sequence[str], operands: Mapping[str, Fraction], target: Fraction) -> set[Replacement]:
    """All replacements of one token after which the tree has the value."""
    found = set()
    for place, old in enumerate(prefix):
        for new in OPERATORS if old in OPERATORS else operands:
            changed = (*prefix[:place], new, *prefix[place + 1 :])
            if new != old and naive_value(changed, operands) == target:
                found.add(Replacement(place, old, new))
    return found


def near_values(prefix: Sequence[str], operands: Mapping[str, Fraction]) -> list[Fraction]:
    """The values of the trees that differ in one token, and one that none may have."""
    values = {
        naive_value((*prefix[:place], new, *prefix[place + 1 :]), operands)
        for place, old in enumerate(prefix)
        for new in (OPERATORS if old in OPERATORS else operands)
    }
    return sorted(value for value in values | {Fraction(7)} if value is not None)


@given(trees())
def test_the_value_is_exact(tree: tuple[tuple[str, ...], dict[str, Fraction]]) -> None:
    assert value_of(*tree) == naive_value(*tree)


ZERO_AND_ONE = {"N0": Fraction(0), "N1": Fraction(5), "1": Fraction(1)}


@given(trees(), st.data())
@example((("*", "/", "N1", "N0", "N0"), ZERO_AND_ONE), None)  # anything defined will do in the left factor
@example((("/", "N0", "-", "N1", "N1"), ZERO_AND_ONE), None)  # anything but 0 will do on the right
def test_abduction_finds_all_fixes_of_one_token(
    tree: tuple[tuple[str, ...], dict[str, Fraction]], data: st.DataObject | None
) -> None:
    prefix, operands = tree
    target = data.draw(st.sampled_from(near_values(prefix, operands))) if data else Fraction(0)
    if naive_value(prefix, operands) == target:
        return
    found = list(one_token_fixes(prefix, operands, target))
    assert len(set(found)) == len(found)
    assert set(found) == naive_fixes(prefix, operands, target)
    by_flint = {name: exact(value) for name, value in operands.items()}
    assert list(one_token_fixes(prefix, by_flint, exact(target))) == found


@given(trees(), st.data(), st.integers())
def test_without_a_walk_a_fix_is_found_exactly_if_there_is_one(
    tree: tuple[tuple[str, ...], dict[str, Fraction]], data: st.DataObject, seed: int
) -> None:
    prefix, operands = tree
    target = data.draw(st.sampled_from(near_values(prefix, operands)))
    fixed = fix(prefix, operands, target, Random(seed), indifferent, max_steps=0)
    if naive_value(prefix, operands) == target:
        assert fixed == prefix
    elif naive_fixes(prefix, operands, target):
        assert fixed is not None
        assert naive_value(fixed, operands) == target
        assert sum(old != new for old, new in zip(prefix, fixed, strict=True)) == 1
    else:
        assert fixed is None


@pytest.mark.parametrize("free", [False, True])
@given(tree=trees(), target=NUMBERS, seed=st.integers(), max_steps=st.integers(0, 20))
def test_what_a_walk_returns_has_the_value_and_the_shape(
    free: bool, tree: tuple[tuple[str, ...], dict[str, Fraction]], target: Fraction, seed: int, max_steps: int
) -> None:
    prefix, operands = tree

    def gain(change: Replacement) -> float:
        assert change.new != change.old and (change.new in OPERATORS) == (change.old in OPERATORS)
        return 0.0

    fixed = fix(prefix, operands, target, Random(seed), gain, max_steps, free=free)
    if fixed is not None:
        assert naive_value(fixed, operands) == target
        assert [token in OPERATORS for token in fixed] == [token in OPERATORS for token in prefix]


def test_a_walk_reaches_what_one_token_does_not() -> None:
    operands = {"N0": Fraction(150), "N1": Fraction(2), "N2": Fraction(50)}
    prefix = ("/", "/", "N0", "N1", "N2")  # two operators away from 150*2-50
    assert fix(prefix, operands, Fraction(250), Random(0), indifferent, max_steps=0) is None
    for free in (False, True):
        fixed = fix(prefix, operands, Fraction(250), Random(0), indifferent, free=free)
        assert fixed is not None and naive_value(fixed, operands) == 250


#: No one-token fix leads from trees over these to the target, so that a walk goes on to its end.
HOPELESS = {"N0": Fraction(2), "N1": Fraction(3), "N2": Fraction(5)}


def visited(steps: int, gain: Callable[[Replacement], float], monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The trees at which a walk looks for fixes."""
    found: list[tuple[str, ...]] = []
    evaluated = fixing._evaluated

    def noting(tree: Sequence[str], operands: Mapping[str, Fraction]) -> Any:
        found.append(tuple(tree))
        return evaluated(tree, operands)

    monkeypatch.setattr(fixing, "_evaluated", noting)
    assert fix(("+", "N0", "N1"), HOPELESS, Fraction(1, 97), Random(1), gain, steps) is None
    return found


def test_the_walk_visits_no_tree_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = visited(300, indifferent, monkeypatch)
    moves = [tree for before, tree in pairwise(seen) if tree != before]
    assert len(moves) == len(set(moves)) > 20  # of the 36 trees of this shape
    assert len(seen) == 301


def test_the_walk_accepts_by_the_ratio_of_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    dear = dict.fromkeys(("-", "*", "/", "N2"), -30.0)  # all but impossible

    def gain(change: Replacement) -> float:
        return dear.get(change.new, 0.0) - dear.get(change.old, 0.0)

    likely = {("+", left, right) for left in ("N0", "N1") for right in ("N0", "N1")}
    assert set(visited(300, gain, monkeypatch)) == likely


def test_a_token_that_may_not_be_written_is_not_walked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = visited(300, lambda change: -inf if change.new in ("N2", "-", "*", "/") else 0.0, monkeypatch)
    assert {token for tree in seen for token in tree} == {"+", "N0", "N1"}


def test_of_several_fixes_the_preferred_one_is_taken() -> None:
    operands = {"N0": Fraction(2), "N1": Fraction(3), "N2": Fraction(3)}
    prefix, target = ("+", "N0", "N0"), Fraction(5)
    for place, token in [(1, "N1"), (1, "N2"), (2, "N1"), (2, "N2")]:
        wanted = Replacement(place, "N0", token)
        fixed = fix(prefix, operands, target, Random(0), wanted.__eq__, 0)
        assert fixed == (*prefix[:place], token, *prefix[place + 1 :])


def test_a_walk_with_nothing_to_walk_to_ends() -> None:
    only = {"N0": Fraction(3)}
    for free in (False, True):
        assert fix(("N0",), only, Fraction(4), Random(0), indifferent, free=free) is None


def test_a_division_by_1_has_no_value() -> None:
    operands = {"N0": Fraction(6), "1": Fraction(1), "N1": Fraction(2)}
    assert value_of(("/", "N0", "1"), operands) is None
    assert Replacement(2, "N1", "1") not in one_token_fixes(("/", "N0", "N1"), operands, Fraction(6))


@pytest.mark.parametrize("prefix", [("+", "N0"), ("N0", "N0"), ("N1",), ("^", "N0", "N0"), ()])
def test_what_is_no_tree_is_refused(prefix: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="not a tree"):
        value_of(prefix, {"N0": Fraction(1)})
