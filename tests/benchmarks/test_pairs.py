"""The pairs of the equivalence benchmarks mean what their labels say, as SymPy sees it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
import real_pairs
from bench_growth import KINDS, make_growing_pairs
from pairs import Pair, leaves, make_pairs, text
from real_pairs import GROUPS, distribute, gold_trees, read_gold, with_names
from sympy import cancel, sympify

EQUATIONS = [
    "x=(11-1)*2", "x=316+230*(6-1)", "(12/60)*50", "x=200*(1-20%)/(1+25%)", "x=[3.5+(1/2)]*4-3.5", "48+48/2",
    "x=(6*(2*4)**2)/(6*2**2)-1", "x=3.14*(10/2)^2", "( 76.0 - 25.0 ) * 3", "x=1-(1/5)-(1/4)",
]  # fmt: skip


def is_true(pair: Pair) -> bool:
    same = cancel(sympify(pair.left.replace("^", "**")) - sympify(pair.right.replace("^", "**"))) == 0
    return same == pair.equivalent


@pytest.mark.parametrize(
    ("equation", "written"),
    [
        ("x=(11-1)*2", "(11-1)*2"),
        ("x=[3.5+1]*20%", "(7/2+1)*1/5"),  # a number that is not whole is one leaf, which becomes a name
        ("( 76.0 - 25.0 )", "76-25"),
        ("x=5**2+3^3", "5^2+3^3"),
    ],
)
def test_gold_is_read_exactly(equation: str, written: str) -> None:
    tree = read_gold(equation)
    assert tree is not None
    assert text(tree) == written


@pytest.mark.parametrize("equation", ["x=-3+5", "x+3=5", "2^10", "sqrt(4)", "f()", "", "a*b", "3 apples"])
def test_what_is_not_binary_arithmetic_is_left_out(equation: str) -> None:
    assert read_gold(equation) is None


def test_equal_values_get_one_name_and_only_whole_numbers_stay() -> None:
    tree = read_gold("x=3.5*4+3.5*7+4/100")
    assert tree is not None
    for seed in range(20):
        row = leaves(with_names(tree, random.Random(seed)))
        assert row[0] == row[2] and row[0].isalpha()
        assert row[1] == row[4]
        assert all(leaf.isalpha() or leaf in ("4", "7", "100") for leaf in row)


def test_distribution_keeps_the_function() -> None:
    changed = 0
    for seed, equation in enumerate(EQUATIONS * 3):
        tree = with_names(read_gold(equation) or "", random.Random(seed))
        other = distribute(tree, random.Random(seed))
        changed += other != tree
        assert is_true(Pair(text(tree), text(other), True, ""))
    assert changed > 5


def test_real_pairs_mean_what_they_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MATHCANON_DATA", str(tmp_path))
    assert real_pairs.make_real_pairs(10) == []  # no data, no pairs
    for corpus in real_pairs.CORPORA:
        (tmp_path / corpus).mkdir()
    trees = [read_gold(equation) for equation in EQUATIONS * 4]
    monkeypatch.setattr(real_pairs, "gold_trees", lambda corpus: list(trees))
    pairs = real_pairs.make_real_pairs(9)
    assert Counter(pair.group for pair in pairs) == dict.fromkeys(GROUPS, 9)
    assert all(map(is_true, pairs))


def test_gold_trees_of_a_real_corpus(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHCANON_DATA", str(data_dir))
    trees = gold_trees("ape210k")
    assert len(trees) > 3000
    assert all(3 <= len(leaves(tree)) <= 12 for tree in trees)


def test_mixed_pairs_mean_what_they_say() -> None:
    assert all(map(is_true, make_pairs(4, seed=11)))


@pytest.mark.parametrize("kind", KINDS)
def test_growing_pairs_mean_what_they_say(kind: str) -> None:
    pairs = make_growing_pairs(kind, 9)
    assert [pair.equivalent for pair in pairs] == [True, False, True, False]
    assert all(map(is_true, pairs))
