"""Pairs made from the gold equations of real corpora: numbers among the operands, and operands that occur twice.

An equation is read with Python's `ast`.  Numbers of equal value are one operand: a name for what is not whole, and for
half of the whole numbers; the other half stay numbers, as in `2*a+(a-1)/3`.  Half of the pairs are equal (rewritten,
and distributed where a product or a quotient of a sum is found), half are near misses.  As in pairs.py, nothing here
uses mathcanon's arithmetic, and each truth is confirmed by exact Fractions at random points.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from fractions import Fraction

from measure import data_folder
from pairs import NAMES, Pair, Tree, confirmed, damage, is_sound, leaves, rewrite, same_value

CORPORA = ("math23k", "ape210k", "gsm8k")
GROUPS = ("real, equal", "real, near miss")
SMALLEST, LARGEST = 3, 12  # leaves of the equation as published
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")


def make_real_pairs(per_group: int, seed: int = 4) -> list[Pair]:
    """Pairs of both groups, mixed, an equal share from each corpus; none where the data are absent."""
    rng = random.Random(seed)
    pairs: list[Pair] = []
    for corpus in CORPORA:
        if not (data_folder() / corpus).is_dir():
            return []
        trees = gold_trees(corpus)
        rng.shuffle(trees)
        pairs += _pairs(trees, -(-per_group // len(CORPORA)), rng)
    rng.shuffle(pairs)
    return pairs


def _pairs(trees: list[Tree], per_group: int, rng: random.Random) -> list[Pair]:
    """So many pairs of each group, one of each tree; fewer if the trees do not suffice."""
    wanted = [group for group in GROUPS for _ in range(per_group)]
    pairs: list[Pair] = []
    for published in trees:
        if not wanted:
            break
        tree = with_names(published, rng)
        other = rewrite(distribute(tree, rng), rng)
        if wanted[-1] == GROUPS[1]:
            other = damage(other, rng)
        if other == tree or not is_sound(tree) or not is_sound(other):
            continue
        equal = wanted[-1] == GROUPS[0]
        if equal or not same_value(tree, other, rng):
            pairs.append(confirmed(tree, other, equal, wanted.pop(), rng))
    return pairs


def gold_trees(corpus: str) -> list[Tree]:
    """The gold equations of a corpus that have between `SMALLEST` and `LARGEST` leaves, and a name for each value."""
    from weaksup.corpora import read_corpus

    golds = [problem.gold for problem in read_corpus(corpus, data_folder() / corpus).problems if problem.gold]
    trees = [tree for gold in golds if (tree := read_gold(gold)) is not None]
    sized = [tree for tree in trees if SMALLEST <= len(leaves(tree)) <= LARGEST]
    return [tree for tree in sized if len(set(leaves(tree))) <= len(NAMES)]


def read_gold(equation: str) -> Tree | None:
    """The tree of an equation such as `x=(11-1)*20%`; None for what is not binary arithmetic on numbers."""
    text = equation.replace("[", "(").replace("]", ")").replace("^", "**").strip()
    text = _PERCENT.sub(lambda found: str(Fraction(found[1]) / 100), re.sub(r"^x\s*=", "", text))
    try:
        return _tree(ast.parse(text.strip(), mode="eval").body, text.strip())
    except (SyntaxError, ValueError):
        return None


def _tree(node: ast.expr, text: str) -> Tree:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        op = _OPERATORS[type(node.op)]
        left, right = _tree(node.left, text), _tree(node.right, text)
        if op == "^" and right not in {"2", "3"}:
            raise ValueError("not a small power")
        return op, left, right
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return str(Fraction(ast.get_source_segment(text, node) or ""))  # as written, not as a float
    raise ValueError("no arithmetic on numbers")


def with_names(tree: Tree, rng: random.Random) -> Tree:
    """The tree with names in place of numbers that are not whole, and of half of the others."""
    values = sorted(set(leaves(tree)))
    free = iter(rng.sample(NAMES, len(NAMES)))
    names = {}
    for value in values:
        if not value.isdecimal() or value == "0" or rng.random() < 0.5:
            names[value] = next(free)
    return _renamed(tree, names)


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    if isinstance(tree, str):
        return names.get(tree, tree)
    right = tree[2] if tree[0] == "^" else _renamed(tree[2], names)
    return tree[0], _renamed(tree[1], names), right


def distribute(tree: Tree, rng: random.Random) -> Tree:
    """The tree with one product or quotient of a sum multiplied out, if it has one."""
    places = list(_distributable(tree))
    return rng.choice(places) if places else tree


def _distributable(tree: Tree) -> Iterator[Tree]:
    """The tree after each single step of distribution."""
    if isinstance(tree, str) or tree[0] == "^":
        return
    op, left, right = tree
    if op in "*/" and left[0] in "+-" and not isinstance(left, str):
        yield left[0], (op, left[1], right), (op, left[2], right)
    if op == "*" and right[0] in "+-" and not isinstance(right, str):
        yield right[0], (op, left, right[1]), (op, left, right[2])
    yield from ((op, other, right) for other in _distributable(left))
    yield from ((op, left, other) for other in _distributable(right))
