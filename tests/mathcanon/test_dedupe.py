"""Deduplication, against brute force."""

import random
from itertools import count, islice

import pytest

import mathcanon as mc

from .brute_force import all_trees, some_points, text, value


def test_classes_of_all_trees_are_those_of_exact_values() -> None:
    point = next(some_points("abc"))
    trees = list(all_trees("abc"))
    random.Random(1).shuffle(trees)
    seen: mc.Deduper[str] = mc.Deduper(text(tree) for tree in trees)
    expected: dict[object, list[str]] = {}
    for tree in trees:
        expected.setdefault(value(tree, point), []).append(text(tree))
    assert seen.groups() == list(expected.values())
    assert list(mc.dedupe(map(text, trees))) == [group[0] for group in expected.values()]


def test_by_value_joins_what_is_equal_as_functions_and_nothing_else() -> None:
    texts = [
        "a*b+a*c",
        "a*(b+c)",
        "(b+c)*a",
        "a*b-a*c",
        "2*a",
        "a+a",
        "a*2",
        "1/(a-a)",
        "1/(b-b)",
        "1/(a-a)",
        "0",
        "a-a",
    ]
    groups = mc.Deduper(texts, by="value").groups()
    assert groups == [
        ["a*b+a*c", "a*(b+c)", "(b+c)*a"],
        ["a*b-a*c"],
        ["2*a", "a+a", "a*2"],
        ["1/(a-a)", "1/(a-a)"],
        ["1/(b-b)"],
        ["0", "a-a"],
    ]
    assert len(mc.Deduper(texts, by="structure")) == 9


def test_it_is_lazy() -> None:
    endless = (f"a+{i % 3}" for i in count())
    assert list(islice(mc.dedupe(endless), 3)) == ["a+0", "a+1", "a+2"]


def test_membership_does_not_add() -> None:
    seen: mc.Deduper[mc.Expr | str] = mc.Deduper(by="value")
    assert "a+b" not in seen
    assert seen.add("a+b")
    assert mc.parse("b+a") in seen
    assert "(a*b+b*b)/b" in seen
    assert len(seen) == 1
    assert list(seen) == ["a+b"]


def test_a_bad_text_changes_nothing() -> None:
    seen: mc.Deduper[str] = mc.Deduper(["a+b"])
    with pytest.raises(mc.ParseError):
        seen.add("2a")
    assert seen.groups() == [["a+b"]]


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="structure, value"):
        mc.Deduper(by="looks")
    with pytest.raises(ValueError, match="not to keep members"):
        mc.Deduper(keep_members=False).groups()
