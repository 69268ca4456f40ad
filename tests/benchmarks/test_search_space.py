"""The sizes of the search space against counting by hand: every history of merges, every tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest
from reproduce.place import Place
from reproduce.search_tables import search_space

from tests.mathcanon.brute_force import Tree, all_trees, some_points, value
from weaksup.report.published import SEARCH_SPACE


def _last_operator(tree: Tree) -> str:
    return "" if isinstance(tree, str) else tree[1]


def _ordered_merges(items: list[Tree]) -> Iterator[list[Tree]]:
    """Two items, in either order, under one of four operators."""
    for i, left in enumerate(items):
        for j, right in enumerate(items):
            if i != j:
                rest = [item for k, item in enumerate(items) if k not in (i, j)]
                for operator in "+-*/":
                    yield [*rest, (left, operator, right)]


def _without_brackets(items: list[Tree]) -> Iterator[list[Tree]]:
    """The same, but a difference is not an operand of a sum or difference, nor a quotient of a product or quotient."""
    for merged in _ordered_merges(items):
        made = merged[-1]
        assert not isinstance(made, str)
        forbidden = "-" if made[1] in "+-" else "/"
        if forbidden not in (_last_operator(made[0]), _last_operator(made[2])):
            yield merged


def _unordered_merges(items: list[Tree]) -> Iterator[list[Tree]]:
    """Two items under one of six operators; a sum (product) that comes first is not added (multiplied) to."""
    for i, j in combinations(range(len(items)), 2):
        rest = [item for k, item in enumerate(items) if k not in (i, j)]
        first, second = items[i], items[j]
        for operator in "+*":
            if _last_operator(first) != operator:
                yield [*rest, (first, operator, second)]
        for operator in "-/":
            yield [*rest, (first, operator, second)]
            yield [*rest, (second, operator, first)]


def _histories(items: list[Tree], merges: Callable[[list[Tree]], Iterator[list[Tree]]]) -> int:
    return 1 if len(items) == 1 else sum(_histories(merged, merges) for merged in merges(items))


def _functions(n: int) -> int:
    """How many functions all trees are: told apart by their exact values at two points."""
    names = "abcd"[:n]
    points = list(some_points(names))
    return len({tuple([value(tree, point) for point in points]) for tree in all_trees(names)})


def _here(n: int) -> dict[str, float | int | None]:
    """Our figures in a row of the table."""
    found: dict[str, float | int | None] = {}
    for part in search_space([Place(Path("none"), Path("none"))]).parts:
        row = next(row for row in part.rows if row.name == str(n))
        found |= {head: cell.value for head, cell in zip(part.head[1:], row.cells, strict=True)}
    return {head: value for head, value in found.items() if head.endswith(", here")}


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_column_is_what_counting_one_by_one_gives(n: int) -> None:
    items: list[Tree] = list("abcd"[:n])
    found = _here(n)
    assert found["brute force, here"] == _histories(items, _ordered_merges)
    assert found["removing brackets, here"] == _histories(items, _without_brackets)
    assert found["commutative, here"] == _histories(items, _unordered_merges)
    assert found["ComSearch, here"] == _functions(n)
    assert found["ratio, here"] == round(_histories(items, _ordered_merges) / _functions(n), 1)


@pytest.mark.parametrize("n", [5, 6])
def test_where_counting_one_by_one_takes_long_it_is_what_the_paper_has(n: int) -> None:
    theirs, found = SEARCH_SPACE[n], _here(n)
    assert list(found.values()) == list(theirs)
