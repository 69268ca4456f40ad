"""Enumeration, random access and sampling."""

import random
from collections import Counter
from itertools import islice, pairwise

import pytest

import mathcanon as mc

from .brute_force import all_trees, some_points, text, value


@pytest.mark.parametrize("operands", ["a", "ab", "abc", "abcd"])
def test_each_function_is_listed_once(operands: str) -> None:
    points = list(some_points(operands))
    listed = Counter(tuple(expr.evaluate(point) for point in points) for expr in mc.expressions(operands))
    existing = {tuple(value(tree, point) for point in points) for tree in all_trees(operands)}
    assert set(listed) == existing
    assert set(listed.values()) == {1}


@pytest.mark.parametrize("operands", ["a", "ab", "abc", "abcd", "abcde"])
def test_what_is_listed_is_canonical_and_written_with_binary_operators(operands: str) -> None:
    listed = list(mc.expressions(operands))
    assert len(listed) == mc.count(len(operands))
    for expr in listed[:: max(1, len(listed) // 2000)]:
        assert mc.canonical(str(expr)) == expr
        assert not str(expr).startswith("-")
        assert "(-" not in str(expr)


def test_parts_of_the_list_make_up_the_whole() -> None:
    whole = list(mc.expressions("abcd"))
    rng = random.Random(3)
    cuts = [0, *sorted(rng.sample(range(1170), 9)), 1170]
    parts = [list(mc.expressions("abcd", start, stop)) for start, stop in pairwise(cuts)]
    assert [expr for part in parts for expr in part] == whole
    assert list(mc.expressions("abcd", 1168, 99_999)) == whole[1168:]
    assert list(mc.expressions("abcd", 1170)) == []


@pytest.mark.parametrize("operands", ["a", "ab", "abc", "abcd"])
def test_unrank_and_rank_go_with_the_list(operands: str) -> None:
    for i, expr in enumerate(mc.expressions(operands)):
        assert mc.unrank(operands, i) == expr
        assert mc.rank(expr) == i


def test_random_access_without_listing() -> None:
    operands = [f"N{i}" for i in range(20)]
    total = mc.count(20)
    rng = random.Random(5)
    for index in [0, total - 1, *[rng.randrange(total) for _ in range(20)]]:
        expr = mc.unrank(operands, index)
        assert mc.rank(expr) == index
        assert expr.operands() == tuple(operands)
        assert next(mc.expressions(operands, index)) == expr
    start = total // 3
    assert [mc.rank(expr) for expr in islice(mc.expressions(operands, start), 50)] == list(range(start, start + 50))


def test_a_sample_is_uniform() -> None:
    rng = random.Random(8)
    draws = 1170 * 5
    seen = Counter(mc.rank(mc.sample("abcd", rng)) for _ in range(draws))
    expected = draws / 1170
    chi_square = sum((seen[i] - expected) ** 2 / expected for i in range(1170))
    # 1169 degrees of freedom: mean 1169, deviation 48; the bounds are 4 deviations away.
    assert 1169 - 4 * 48 < chi_square < 1169 + 4 * 48


def test_the_order_of_the_operands_given_does_not_matter() -> None:
    assert list(mc.expressions("cab")) == list(mc.expressions("abc"))
    assert [str(e) for e in mc.expressions(["x", "2"])] == ["x+2", "x*2", "x/2", "2/x", "x-2", "2-x"]


@pytest.mark.parametrize("operands", ["", "aa", ["a+b"], ["a", "-1"], ["a", "N1", "a"]])
def test_bad_operands_are_refused(operands: object) -> None:
    with pytest.raises(ValueError):
        mc.expressions(operands)  # type: ignore[arg-type]


def test_limits_and_bad_indices() -> None:
    with pytest.raises(IndexError):
        mc.unrank("ab", 6)
    with pytest.raises(IndexError):
        mc.unrank("ab", -1)
    with pytest.raises(ValueError):
        mc.expressions("ab", -1)
    with pytest.raises(mc.LimitError):
        mc.sample([f"N{i}" for i in range(1000)])
    for text_ in ("a+a", "-a", "-(a+b)", "a^2", "a*b^2"):
        with pytest.raises(ValueError):
            mc.rank(text_)


def test_all_trees_have_a_rank_and_every_rank_is_hit() -> None:
    assert {mc.rank(text(tree)) for tree in all_trees("abcd")} == set(range(1170))
