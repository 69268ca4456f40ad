"""Deduplication, against brute force."""

import copy
import pickle
import random
import subprocess
import sys
import threading
import time
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
    with pytest.raises(ValueError, match="keep_members=False"):
        mc.Deduper(keep_members=False).groups()


class SlowDeduper(mc.Deduper[str]):
    """Lets another thread run in the middle of an addition."""

    def _same_value(self, expr: str, value: int | None, *, remember: bool) -> int | None:
        known = super()._same_value(expr, value, remember=remember)
        time.sleep(0.0005)
        return known


@pytest.mark.parametrize("by", ["structure", "value"])
def test_threads_that_share_a_deduper_find_each_class_once(by: str) -> None:
    texts = [f"{left}{i}*b" for i in range(20) for left in ("a", "b*a/b*a", "-b+b+a")]
    expected = len(mc.Deduper(texts, by=by))
    seen = SlowDeduper(by=by)
    new: list[bool] = []
    threads = [threading.Thread(target=lambda: new.extend([seen.add(text) for text in texts])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == sum(new) == len(seen.groups()) == expected
    assert sum(map(len, seen.groups())) == 4 * len(texts)


@pytest.mark.parametrize("by", ["structure", "value"])
def test_a_deduper_goes_on_in_another_process(by: str) -> None:
    seen: mc.Deduper[str] = mc.Deduper(["a*b+a*c", "1/(a-a)", "b+a"], by=by)
    script = (
        "import pickle, sys; seen = pickle.load(sys.stdin.buffer); "
        "print(*[int(seen.add(text)) for text in ('a*(b+c)', 'a+b', 'a-b')], len(seen))"
    )
    done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(seen), capture_output=True, check=True)
    assert done.stdout.split() == ([b"1", b"0", b"1", b"5"] if by == "structure" else [b"0", b"0", b"1", b"4"])
    copied = copy.deepcopy(seen)
    assert copied.add("a-b")
    assert "a-b" not in seen
