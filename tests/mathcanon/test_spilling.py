"""Deduplication through files, against `Deduper`, which does it in memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

import mathcanon as mc
from mathcanon.spilling import spilled_classes

from .brute_force import all_trees, text


def go_on(number: int, error: mc.MathCanonError) -> bool:
    return True


def some_lines() -> list[str]:
    lines = [text(tree) for tree in all_trees("abc")] + ["a*b+a*c", "2*a", "a+a", "1/(a-a)", "1/(b-b)", "0", "a-a"]
    random.Random(5).shuffle(lines)
    return lines


@pytest.mark.parametrize("by", ["structure", "value"])
@pytest.mark.parametrize("workers", [1, 2])
def test_classes_are_those_of_a_deduper_in_the_same_order(by: str, workers: int, tmp_path: Path) -> None:
    lines = some_lines()
    groups = mc.Deduper(lines, by=by).groups()
    first_at = [lines.index(group[0]) for group in groups]
    found = list(spilled_classes(enumerate(lines), go_on, by=by, members=True, workers=workers, folder=tmp_path))
    assert found == list(zip(first_at, groups, strict=True))
    firsts = list(spilled_classes(enumerate(lines), go_on, by=by, workers=workers, folder=tmp_path))
    assert firsts == [(number, group[:1]) for number, group in found]
    assert list(tmp_path.iterdir()) == []


def test_bad_lines_are_reported_in_order_and_may_end_the_reading() -> None:
    lines = ["a+b", "2a", "b+a", "", "c"]
    said: list[tuple[int, str]] = []

    def bad(number: int, error: mc.MathCanonError) -> bool:
        said.append((number, type(error).__name__))
        return len(said) < 2

    assert list(spilled_classes(enumerate(lines), bad)) == [(0, ["a+b"])]
    assert said == [(1, "ParseError"), (3, "ParseError")]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_leaves_nothing_behind(workers: int, tmp_path: Path) -> None:
    def interrupted() -> Iterator[tuple[int, str]]:
        for number in count():
            if number == 30_000:
                assert len(list(tmp_path.iterdir())) == 1
                raise KeyboardInterrupt
            yield number, f"a+{number}"

    with pytest.raises(KeyboardInterrupt):
        next(spilled_classes(interrupted(), go_on, workers=workers, folder=tmp_path))
    assert list(tmp_path.iterdir()) == []
    with closing(spilled_classes(enumerate(["a", "b"]), go_on, folder=tmp_path)) as classes:
        assert next(classes) == (0, ["a"])
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_number_of_lines(tmp_path: Path) -> None:
    import tracemalloc

    def peak(size: int) -> int:
        tracemalloc.start()
        lines = ((i, f"a*{i % (size // 2)}+b") for i in range(size))
        assert sum(1 for _ in spilled_classes(lines, go_on, folder=tmp_path)) == size // 2
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1000)  # load what loads late
    assert peak(40_000) < 2 * peak(10_000)
