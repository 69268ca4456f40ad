"""Independent, slow and plain: every binary tree as nested tuples, its text and its exact value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations

Tree = str | tuple["Tree", str, "Tree"]


@cache
def all_trees(operands: str) -> tuple[Tree, ...]:
    """Every binary tree over these operands: all shapes, all orders, all operators."""
    if len(operands) == 1:
        return (operands,)
    found: list[Tree] = []
    for size in range(1, len(operands)):
        for chosen in combinations(operands, size):
            left = "".join(chosen)
            right = "".join(sorted(set(operands) - set(chosen)))
            found += [(a, o, b) for a in all_trees(left) for b in all_trees(right) for o in "+-*/"]
    return tuple(found)


def text(tree: Tree) -> str:
    """Fully bracketed infix."""
    return tree if isinstance(tree, str) else f"({text(tree[0])}{tree[1]}{text(tree[2])})"


def value(tree: Tree, at: Mapping[str, Fraction]) -> Fraction:
    if isinstance(tree, str):
        return at[tree]
    a, b = value(tree[0], at), value(tree[2], at)
    return {"+": a + b, "-": a - b, "*": a * b}[tree[1]] if tree[1] != "/" else a / b


def trees_by_value(operands: str, at: Mapping[str, Fraction]) -> dict[Fraction, list[Tree]]:
    """All trees that have a value at the point, grouped by it."""
    groups: dict[Fraction, list[Tree]] = {}
    for tree in all_trees(operands):
        try:
            groups.setdefault(value(tree, at), []).append(tree)
        except ZeroDivisionError:
            continue
    return groups


def some_points(operands: str) -> Iterator[dict[str, Fraction]]:
    """Two generic points: large primes over large primes, so that no two different small functions agree at both."""
    for shift in (0, 7):
        primes = [
            100003,
            100019,
            100043,
            100049,
            100057,
            100069,
            100103,
            100109,
            100129,
            100151,
            100153,
            100169,
            100183,
        ]
        yield {name: Fraction(primes[i + shift], primes[i + shift - 3]) for i, name in enumerate(operands)}
