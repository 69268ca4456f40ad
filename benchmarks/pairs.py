"""Expressions for the benchmarks, with their meaning known by construction.

A tree is a leaf (text) or a node (operator, left, right).  Nothing here uses mathcanon: trees are rewritten by a few
laws of arithmetic, and every truth is confirmed by exact Fractions at random points.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

Tree = str | tuple  # leaf, or (operator, left, right); the right side of "^" is a leaf

#: No d, e, f, i: readers of LaTeX may take them for a differential, Euler's number, a function, the imaginary unit.
NAMES = "abckmnpq"
SMALLEST, LARGEST = 3, 8  # how many operands and numbers stand in one expression
_INVERSE = {"+": "-", "-": "+", "*": "/", "/": "*"}
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


class Pair(NamedTuple):
    left: str
    right: str
    equivalent: bool
    group: str


def make_pairs(per_group: int, seed: int = 1) -> list[Pair]:
    """Pairs of the four groups, mixed; the same for the same seed."""
    rng = random.Random(seed)
    makers = [_rewritten, _near_miss, _distributed, _near_miss_repeated]
    pairs = [make(rng) for make in makers for _ in range(per_group)]
    rng.shuffle(pairs)
    return pairs


def _rewritten(rng: random.Random) -> Pair:
    """Each operand once: the same expression, written in another way."""
    while True:  # a few trees, such as a-b/c, can be written in one way only
        tree = read_once_tree(rng)
        other = rewrite(tree, rng)
        if other != tree:
            return confirmed(tree, other, True, "rewritten", rng)


def _near_miss(rng: random.Random) -> Pair:
    """Each operand once: rewritten, then one operator changed or two operands exchanged."""
    while True:
        tree = read_once_tree(rng)
        other = damage(rewrite(tree, rng), rng)
        if not same_value(tree, other, rng):
            return confirmed(tree, other, False, "near miss", rng)


def _distributed(rng: random.Random) -> Pair:
    """Operands repeated, numbers, squares: equal, but only by distribution, cancelling or counting."""
    tree, other = repeated_trees(rng)
    return confirmed(tree, other, True, "distributed", rng)


def _near_miss_repeated(rng: random.Random) -> Pair:
    """As `_distributed`, then one operator changed or two operands exchanged."""
    while True:
        tree, other = repeated_trees(rng)
        other = damage(other, rng)
        if is_sound(other) and not same_value(tree, other, rng):
            return confirmed(tree, other, False, "near miss, repeated", rng)


def confirmed(tree: Tree, other: Tree, equivalent: bool, group: str, rng: random.Random) -> Pair:
    if same_value(tree, other, rng) != equivalent:
        raise AssertionError(f"{text(tree)} and {text(other)}: expected equivalent={equivalent}")
    return Pair(text(tree), text(other), equivalent, group)


def read_once_tree(rng: random.Random) -> Tree:
    """A random binary tree on 3 to 8 operands, each used once."""
    return random_tree(rng.sample(NAMES, rng.randint(SMALLEST, LARGEST)), rng)


def random_tree(leaves: list[str], rng: random.Random) -> Tree:
    if len(leaves) == 1:
        return leaves[0]
    cut = rng.randrange(1, len(leaves))
    return rng.choice("+-*/"), random_tree(leaves[:cut], rng), random_tree(leaves[cut:], rng)


# x, y and z are put in place of X, Y and Z; 2 and 3 are numbers.
_IDENTITIES = [
    (("*", "X", ("+", "Y", "Z")), ("+", ("*", "X", "Y"), ("*", "X", "Z"))),
    (("*", "X", ("-", "Y", "Z")), ("-", ("*", "X", "Y"), ("*", "X", "Z"))),
    (("/", ("-", "Y", "Z"), "X"), ("-", ("/", "Y", "X"), ("/", "Z", "X"))),
    (("/", ("+", "Y", "X"), "X"), ("+", ("/", "Y", "X"), "1")),
    (("*", "X", ("-", "1", "Y")), ("-", "X", ("*", "X", "Y"))),
    (("^", ("+", "X", "Y"), "2"), ("+", ("+", ("^", "X", "2"), ("*", ("*", "2", "X"), "Y")), ("^", "Y", "2"))),
    (("*", ("+", "X", "Y"), ("-", "X", "Y")), ("-", ("^", "X", "2"), ("^", "Y", "2"))),
    (("+", ("/", "1", "X"), ("/", "1", "Y")), ("/", ("+", "X", "Y"), ("*", "X", "Y"))),
    (("-", ("*", "3", "X"), "X"), ("+", "X", "X")),
    (("*", "X", "X"), ("^", "X", "2")),
    (("/", ("*", "X", "Y"), "Y"), "X"),
    (("-", ("+", "X", "Y"), "Y"), "X"),
    (("*", "2", ("+", "X", "3")), ("+", ("*", "2", "X"), "6")),
]


def repeated_trees(rng: random.Random) -> tuple[Tree, Tree]:
    """Two trees that are equal by one of the identities inside a random expression, both of 3 to 8 leaves."""
    while True:
        left, right = rng.choice(_IDENTITIES)
        inner = {hole: random_tree(rng.choices(NAMES, k=rng.choice((1, 1, 1, 2))), rng) for hole in "XYZ"}
        around = random_tree(["HOLE", *rng.choices(NAMES + "23", k=rng.randint(0, 3))], rng)
        trees = [_fill(around, {"HOLE": _fill(side, inner)}) for side in (left, right)]
        rng.shuffle(trees)
        tree, other = trees[0], rewrite(trees[1], rng)
        sizes = [len(leaves(side)) for side in (tree, other)]
        if min(sizes) >= SMALLEST and max(sizes) <= LARGEST and is_sound(tree) and is_sound(other):
            return tree, other


def _fill(tree: Tree, holes: dict[str, Tree]) -> Tree:
    if isinstance(tree, str):
        return holes.get(tree, tree)
    return tree[0], _fill(tree[1], holes), _fill(tree[2], holes)


def is_sound(tree: Tree) -> bool:
    """Whether no part is identically zero (none is zero at a random point), so that any part may become a divisor."""

    def parts(tree: Tree) -> Iterator[Tree]:
        yield tree
        if not isinstance(tree, str):
            yield from parts(tree[1])
            yield from parts(tree[2])

    try:
        return all(value(part, _SOME_POINT) for part in parts(tree))
    except ZeroDivisionError:
        return False


def rewrite(tree: Tree, rng: random.Random) -> Tree:
    """The same expression after many random steps of commuting, reassociating and moving signs."""
    for _ in range(4 * len(leaves(tree))):
        tree = _rewrite_somewhere(tree, rng)
    return tree


def _rewrite_somewhere(tree: Tree, rng: random.Random) -> Tree:
    if isinstance(tree, str) or tree[0] == "^":
        return tree
    op, left, right = tree
    where = rng.random()
    if where < 0.3 and not isinstance(left, str):
        return op, _rewrite_somewhere(left, rng), right
    if where < 0.6 and not isinstance(right, str):
        return op, left, _rewrite_somewhere(right, rng)
    ways = list(_ways(op, left, right))
    return rng.choice(ways) if ways else tree


def _ways(op: str, x: Tree, y: Tree) -> Iterator[Tree]:
    """Each law that can be applied at this node; + and - are one family, * and / the other."""
    if op in "+*":
        yield op, y, x
    family = "+-" if op in "+-" else "*/"
    if x[0] in family and not isinstance(x, str):
        inner, a, b = x
        yield inner, (op, a, y), b  # a-b+c -> a+c-b
        yield inner, a, (op if inner == family[0] else _INVERSE[op], b, y)  # a-b+c -> a-(b-c), a/b*c -> a/(b/c)
    if y[0] in family and not isinstance(y, str):
        inner, a, b = y
        yield inner if op == family[0] else _INVERSE[inner], (op, x, a), b  # a-(b-c) -> a-b+c, a/(b/c) -> a/b*c
    turned_x, turned_y = opposite(x), opposite(y)
    if family == "+-" and turned_y is not None:
        yield _INVERSE[op], x, turned_y  # a-b*(c-k) -> a+b*(k-c)
    if family == "*/" and turned_x is not None and turned_y is not None:
        yield op, turned_x, turned_y  # (a-b)*(c-k) -> (b-a)*(k-c)


def opposite(tree: Tree) -> Tree | None:
    """The tree with the other sign, where a subtraction can be turned round."""
    if isinstance(tree, str) or tree[0] == "^":
        return None
    op, left, right = tree
    if op == "-":
        return op, right, left
    turned_left, turned_right = opposite(left), opposite(right)
    if turned_left is not None:
        return "-" if op == "+" else op, turned_left, right
    if turned_right is not None:
        return ("-", turned_right, left) if op == "+" else (op, left, turned_right)
    return None


def damage(tree: Tree, rng: random.Random) -> Tree:
    """The tree with one operator changed or two leaves exchanged: most often another function."""
    if rng.random() < 0.5:
        return _with_operator(tree, rng.choice(list(_operators(tree))), rng)
    row = leaves(tree)
    i, j = rng.sample(range(len(row)), 2)
    row[i], row[j] = row[j], row[i]
    return _with_leaves(tree, iter(row))


def _operators(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The path to each node whose operator is not a power."""
    if not isinstance(tree, str):
        if tree[0] != "^":
            yield path
        yield from _operators(tree[1], (*path, 1))
        yield from _operators(tree[2], (*path, 2))


def _with_operator(tree: Tree, path: tuple[int, ...], rng: random.Random) -> Tree:
    if not path:
        return rng.choice([op for op in "+-*/" if op != tree[0]]), tree[1], tree[2]
    parts = list(tree)
    parts[path[0]] = _with_operator(tree[path[0]], path[1:], rng)
    return tuple(parts)


def _with_leaves(tree: Tree, row: Iterator[str]) -> Tree:
    if isinstance(tree, str):
        return next(row)
    return tree[0], _with_leaves(tree[1], row), tree[2] if tree[0] == "^" else _with_leaves(tree[2], row)


def leaves(tree: Tree) -> list[str]:
    """Operands and numbers from left to right, exponents left out."""
    if isinstance(tree, str):
        return [tree]
    return leaves(tree[1]) + ([] if tree[0] == "^" else leaves(tree[2]))


def text(tree: Tree) -> str:
    """Infix text that keeps the shape: brackets wherever another reading would change the tree."""
    if isinstance(tree, str):
        return tree
    op, left, right = tree
    before = f"({text(left)})" if _binds(left) < _binds(tree) or op == left[0] == "^" else text(left)
    after = f"({text(right)})" if _binds(right) <= _binds(tree) else text(right)
    return before + op + after


def _binds(tree: Tree) -> int:
    return 4 if isinstance(tree, str) else _BINDS[tree[0]]


def point(rng: random.Random) -> dict[str, Fraction]:
    return {name: Fraction(rng.randint(1, 10**6), rng.randint(1, 10**3)) for name in NAMES}


_SOME_POINT = point(random.Random(7))


def value(tree: Tree, at: dict[str, Fraction]) -> Fraction:
    """The exact value; raises `ZeroDivisionError`."""
    if isinstance(tree, str):
        return at[tree] if tree in at else Fraction(tree)
    op, left, right = tree
    x, y = value(left, at), value(right, at)
    match op:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "/":
            return x / y
    return x ** int(y)


def same_value(tree: Tree, other: Tree, rng: random.Random, points: int = 4) -> bool:
    """Whether two trees agree at random points; one that divides by zero there counts as different."""
    for _ in range(points):
        at = point(rng)
        try:
            if value(tree, at) != value(other, at):
                return False
        except ZeroDivisionError:
            return False
    return True


class Labelled(NamedTuple):
    text: str
    truth: object  # equal for equal functions


def make_strings(number: int, *, repeated: bool, per_class: int = 5, seed: int = 2) -> list[Labelled]:
    """Different strings, about `per_class` of each class, mixed; with `repeated`, half of them repeat operands."""
    rng = random.Random(seed)
    points = [point(rng) for _ in range(2)]
    found: dict[str, Labelled] = {}
    while len(found) < number:
        trees = list(repeated_trees(rng)) if repeated and rng.random() < 0.5 else [read_once_tree(rng)]
        truth = tuple([value(trees[0], at) for at in points])
        for _ in range(rng.randint(1, 2 * per_class - 1)):
            written = text(rewrite(rng.choice(trees), rng))
            found.setdefault(written, Labelled(written, truth))
    strings = list(found.values())[:number]
    rng.shuffle(strings)
    return strings
