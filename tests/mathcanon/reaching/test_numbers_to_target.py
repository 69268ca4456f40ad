"""reach: against brute force over all binary trees, sympy, and the enumeration of all expressions."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mathcanon.reaching.hits as hits_module
import mathcanon.reaching.number_table as number_table
from mathcanon import Algebra, Deduper, Expr, Number, Power, Product, Sum, canonical, evaluate, fold, parse
from mathcanon.errors import EvaluationError, LimitError, ParseError
from mathcanon.expr import make_number
from mathcanon.reaching.numbers_to_target import Hit, reach, reach_batch
from mathcanon.reaching.program import class_counts, compile_program
from mathcanon.reaching.shapes import shape_of
from mathcanon.reaching.trace import trace
from mathcanon.space import expressions

F = Fraction


@cache
def binary_texts(leaves: tuple[str, ...]) -> tuple[str, ...]:
    """Every binary tree over these leaves, in all shapes, orders and operators, as text."""
    if len(leaves) == 1:
        return leaves
    texts = []
    for size in range(1, len(leaves)):
        for left in combinations(leaves, size):
            right = tuple(leaf for leaf in leaves if leaf not in left)
            for a in binary_texts(left):
                for b in binary_texts(right):
                    texts += [f"({a}{operator}{b})" for operator in "+-*/"]
    return tuple(texts)


@cache
def every_expression(n: int) -> dict[Expr, None]:
    """The canonical form of every binary tree on N0..: what can be written at all, found by writing all of it."""
    return dict.fromkeys(canonical(text) for text in binary_texts(tuple(f"N{i}" for i in range(n))))


def value_of(expr: Expr, numbers: list) -> Fraction | None:
    try:
        return evaluate(expr, {f"N{i}": number for i, number in enumerate(numbers)})
    except EvaluationError:
        return None


def brute_force(numbers: list, target: Fraction, tolerance: Fraction | int = 0) -> set[Expr]:
    found = set()
    for expr in every_expression(len(numbers)):
        value = value_of(expr, numbers)
        if value is not None and abs(value - target) <= tolerance:
            found.add(expr)
    return found


def batch_of_one(numbers: list, target: object, **options: object) -> list[Hit]:
    return next(reach_batch([(numbers, target)], **options))


def canonical_hits(hits: list[Hit]) -> set[Expr]:
    forms = [canonical(hit.expr) for hit in hits]
    assert len(forms) == len(set(forms)), "a hit came twice"
    return set(forms)


HARD = [
    ([4, 7, 8, 8], 24),
    ([1, 2, 3, 4], 0),
    ([0, 0, 3, 5], 0),
    ([0, 1, 1, 2], 1),
    ([-3, 5, F(1, 2), 2], -1),
    ([-1, -1, -2, 1], 2),
    ([F(1, 3), F(2, 3), 1, 7], 7),
    ([F(1, 10), F(2, 10), F(3, 10), 5], 5),
    ([F(1, 10), F(2, 10), F(3, 10), 5], 0),
    ([2, 2, 2, 2], 2),
    ([3, 3, 8, 8], 24),
    ([10**20, 10**20 + 1, 1, 3], 2),
    ([10**400, 3, 7, 10**399], F(70, 3)),
    ([F(1, 10**30), 5, 2, 3], 5 * 10**30),
    ([2147483647, 2, 3, 5], 2147483647),
    ([F(1, 2147483647), 2147483629, 3, 5], 8),
    ([0, 0, 0, 0], 0),
    ([5], 5),
    ([5], -5),
    ([6, 6], 1),
    ([6, 6], 0),
    ([0, 6], 0),
]


@pytest.mark.parametrize("numbers, target", HARD)
def test_hits_are_those_of_brute_force_over_all_binary_trees(numbers, target):
    assert canonical_hits(batch_of_one(numbers, target)) == brute_force(numbers, F(target))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.fractions(-6, 6, max_denominator=4), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.booleans(),
)
@example([F(0), F(0), F(1)], random.Random(0), True)
def test_hits_are_those_of_brute_force_on_random_numbers(numbers, rng, reachable):
    target = F(rng.randint(-6, 6))
    if reachable:  # a target that some expression reaches
        value = value_of(rng.choice(list(every_expression(len(numbers)))), numbers)
        target = target if value is None else value
    assert canonical_hits(batch_of_one(numbers, target)) == brute_force(numbers, target)


@pytest.mark.parametrize("tolerance", ["0.01", 1, F(1, 3)])
@pytest.mark.parametrize(
    "numbers, target", [case for case in HARD if all(max(abs(F(x)), F(x).denominator) < 10**10 for x in case[0])]
)
def test_a_tolerance_accepts_what_is_near_and_nothing_else(numbers, target, tolerance):
    hits = batch_of_one(numbers, target, tolerance=tolerance)
    assert canonical_hits(hits) == brute_force(numbers, F(target), F(tolerance))
    assert all(value_of(hit.expr, numbers) == hit.value for hit in hits)


@pytest.mark.parametrize("numbers, target", [([3, 5, 7, 11, 2], 24), ([1, 2, 3, 4, 5], 0), ([6, 6, 1, F(1, 2), -3], 6)])
def test_hits_on_five_numbers_are_those_of_the_enumeration(numbers, target):
    names = [f"N{i}" for i in range(len(numbers))]
    expected = {expr for expr in expressions(names) if value_of(expr, numbers) == target}
    assert {canonical(expr) for expr in expected} == canonical_hits(batch_of_one(numbers, target))


def values_up_to_sign(numbers: tuple[Fraction, ...]) -> list[list[tuple[Fraction, bool]]]:
    """Values and polarity of all classes, by set partitions: blocks of sums and of products, a way of its own."""
    n = len(numbers)

    def partitions(mask: int):
        if not mask:
            yield ()
            return
        low, rest = mask & -mask, mask & (mask - 1)
        part = rest
        while True:
            for others in partitions(rest & ~part):
                yield (low | part, *others)
            if not part:
                return
            part = (part - 1) & rest

    table: dict[tuple[int, bool], list[tuple[Fraction, bool]]] = {}
    for mask in sorted(range(1, 1 << n), key=int.bit_count):
        if mask.bit_count() == 1:
            table[mask, True] = table[mask, False] = [(numbers[mask.bit_length() - 1], False)]
            continue
        sums, products = [], []
        for blocks in partitions(mask):
            if len(blocks) == 1:
                continue
            totals = [(value, polar) for value, polar in table[blocks[0], False]]
            ratios = [
                (value**e, polar, e) for value, polar in table[blocks[0], True] for e in (1, -1) if value or e > 0
            ]
            for block in blocks[1:]:
                totals = [
                    (a + s * b, p or q or s < 0) for a, p in totals for b, q in table[block, False] for s in (1, -1)
                ]
                ratios = [
                    (a * b**e, p or q, max(f, e))
                    for a, p, f in ratios
                    for b, q in table[block, True]
                    for e in (1, -1)
                    if b or e > 0
                ]
            sums += totals
            products += [(value, polar) for value, polar, e in ratios if e > 0]
        table[mask, True], table[mask, False] = sums, products
    full = (1 << n) - 1
    return table[full, True] + (table[full, False] if n > 1 else [])


def count_by_partitions(numbers: list, target: int) -> int:
    """How many expressions reach the target."""
    count = 0
    for value, polar in values_up_to_sign(tuple(map(F, numbers))):
        count += (value == target) + (polar and -value == target)
    return count


@pytest.mark.parametrize("n, classes", [(1, 1), (2, 5), (3, 47), (4, 733), (5, 15907)])
def test_the_oracle_by_partitions_counts_classes_right(n, classes):
    assert len(values_up_to_sign(tuple(F(p) for p in (2, 31, 577, 9973, 100003)[:n]))) == classes  # no sum is zero


@pytest.mark.slow
@pytest.mark.parametrize("numbers, target", [([2, 3, 5, 7, 11, 13], 24), ([1, 1, 2, 3, 4, 0], 6)])
def test_the_number_of_hits_on_six_numbers_agrees_with_the_oracle_by_partitions(numbers, target):
    assert len(batch_of_one(numbers, target)) == count_by_partitions(numbers, target)


def test_each_class_has_one_place_in_the_program():
    for n in range(2, 6):
        program = compile_program(n, n - 1)
        hits = [
            (0, 0, link.join, x, i, y)
            for i, step in enumerate(program.steps)
            for link in program.links[step.first_link : step.end_link]
            for x in range(link.x, link.x + link.length)
            for y in range(link.start, link.stop)
        ]
        rows, codes = np.empty(2 * len(hits), np.int64), np.empty((2 * len(hits), n - 1), np.uint16)
        queries = np.empty((5, 0), np.int32)
        count = trace(program.arrays, program.stored, n, queries, np.array(hits, np.int32), rows, codes)
        places = [shape_of(n, code.tobytes())[1].expr.identity for code in codes[:count]]
        assert len(places) == len(set(places)) == class_counts(n).all


def test_class_counts_are_the_known_ones():
    assert [class_counts(n).all for n in range(1, 8)] == [1, 5, 47, 733, 15907, 443825, 15129599]


@pytest.mark.parametrize("n", [5, 6, 7])
def test_pushing_targets_down_finds_what_direct_evaluation_finds(n, monkeypatch):
    rng = random.Random(n)
    problems = [([rng.randint(1, 300) for _ in range(n)], rng.randint(0, 999)) for _ in range(3)]
    direct = [canonical_hits(hits) for hits in reach_batch(problems)]
    monkeypatch.setattr(hits_module, "_LARGEST", n // 2 + 1)
    pushed = [canonical_hits(hits) for hits in reach_batch(problems)]
    assert direct == pushed


def test_results_on_eight_numbers_have_the_value_and_are_as_many_as_without_pushing(monkeypatch):
    numbers, target = [97, 89, 83, 79, 73, 71, 67, 61], 1009
    hits = batch_of_one(numbers, target)
    assert hits and all(value_of(hit.expr, numbers) == target for hit in hits)
    monkeypatch.setattr(hits_module, "_LARGEST", 5)
    assert canonical_hits(batch_of_one(numbers, target)) == canonical_hits(hits)


@pytest.mark.slow
def test_results_on_eight_numbers_are_those_of_direct_evaluation_in_floats():
    numbers, target = [97, 89, 83, 79, 73, 71, 67, 61], 1009
    near = batch_of_one(numbers, target, tolerance=F(1, 10**12))
    exact = {hit.expr for hit in batch_of_one(numbers, target)}
    assert {hit.expr for hit in near if hit.value == target} == exact


def test_problems_with_eight_numbers_do_not_disturb_each_other_in_a_batch():
    problems = [([97, 89, 83, 79, 73, 71, 67, 61], 1009), ([3, 5, 201, 2027, 77, 912, 31, 4], 100003)]
    assert list(reach_batch(problems)) == [batch_of_one(*problem) for problem in problems]


@pytest.mark.slow
def test_results_on_nine_numbers_have_the_value():
    numbers, target = [97, 89, 83, 79, 73, 71, 67, 61, 59], 10007
    hits = batch_of_one(numbers, target)
    assert len(hits) > 100 and all(value_of(hit.expr, numbers) == target for hit in hits)


def test_a_batch_is_its_problems_one_by_one():
    rng = random.Random(5)
    problems = [([rng.randint(0, 12) for _ in range(rng.randint(1, 5))], rng.randint(-3, 24)) for _ in range(150)]
    together = list(reach_batch(problems))
    assert together == [batch_of_one(*problem) for problem in problems]


def test_a_batch_is_lazy_and_shares_its_shapes():
    def forever():
        while True:
            yield (3, 4, 5), 12

    hits = reach_batch(forever())
    first, second = next(hits), next(hits)
    assert first and all(a.shape is b.shape for a, b in zip(first, second, strict=True))


def test_no_room_for_all_hits_at_once_changes_nothing(monkeypatch):
    problems = [([1, 2, 3, 4], 5), ([2, 2, 4, 4], 4), ([1, 1, 1, 1], 0)] * 3
    expected = list(reach_batch(problems))
    monkeypatch.setattr(hits_module, "_FIRST_ROWS", 1)
    assert list(reach_batch(problems)) == expected


# Functions told apart by names.

NAMES = [
    tuple(names.split())
    for names in (
        "a b", "a a", "a 1", "a 0", "a b 1", "a b a", "a b 0", "a 0 1", "a b 1 1", "a b c a", "a b b 1", "a 0 b 0",
        "a^2 b", "a a^2 1", "a^2 b a 1", "a^3 a b", "a b c a b", "a b 1 1 a",
    )
]  # fmt: skip


def over_names(expr: Expr, names: tuple[str, ...]) -> Expr:
    leaves = {f"N{i}": parse(name) for i, name in enumerate(names)}
    algebra = Algebra(operand=leaves.__getitem__, number=make_number, sum=Sum, product=Product, power=Power)
    return fold(expr, algebra)


def named_problems(names: tuple[str, ...], rng: random.Random) -> list[tuple[list[Fraction], Fraction]]:
    """Values for the names, small so that there are many hits, and targets that are reached, 0 often among them."""
    problems = []
    for _ in range(50 // len(names)):
        values = {name: F(rng.choice([2, 3, 4, 6, 12, -3, F(1, 2)])) for name in "abc"}
        numbers = [evaluate(name, values) for name in names]
        target = value_of(rng.choice(list(every_expression(min(len(numbers), 4)))), numbers)
        problems.append((numbers, F(0) if target is None or rng.random() < 0.2 else target))
    return problems


@pytest.mark.parametrize("tolerance", [0, "0.1"])
@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_with_names_each_function_is_one_hit_and_none_is_lost(names, tolerance):
    problems = named_problems(names, random.Random(" ".join(names)))
    every = list(reach_batch(problems, tolerance=tolerance))
    named = list(reach_batch(problems, names=names, tolerance=tolerance))
    assert sum(map(len, named)) > 5 and len(every) == len(named)
    for (numbers, target), all_hits, hits in zip(problems, every, named, strict=True):
        assert set(hits) <= set(all_hits)
        assert all(value_of(hit.expr, numbers) == hit.value for hit in hits)
        assert all(abs(hit.value - target) <= F(tolerance) for hit in hits)
        functions = Deduper((over_names(hit.expr, names) for hit in hits), by="value")
        assert len(functions) == len(hits)
        assert not any(functions.add(over_names(hit.expr, names)) for hit in all_hits)


def test_with_names_hits_do_not_depend_on_the_random_points_nor_on_the_company():
    names = ("a", "b", "1", "a")
    problems = named_problems(names, random.Random(7))
    expected = list(reach_batch(problems, names=names))
    number_table.name_residues.cache_clear()
    number_table._secret.cache_clear()
    assert list(reach_batch(problems, names=names)) == expected
    assert [next(reach_batch([problem], names=names)) for problem in problems] == expected


def test_names_are_for_eight_numbers_too():
    numbers, target = [97, 89, 83, 79, 73, 71, 67, 1], 1009
    every = batch_of_one(numbers, target)
    distinct = batch_of_one(numbers, target, names=[f"x{i}" for i in range(8)])
    assert distinct == every
    names = ("a", "b", "c", "d", "e", "f", "g", "1")
    functions = Deduper((over_names(hit.expr, names) for hit in every), by="value")
    assert len(batch_of_one(numbers, target, names=names)) == len(functions) < len(every)


def test_a_function_is_found_though_its_first_writing_divides_by_zero():
    # Modulo a prime 1/0 is taken for 0, so b-a/0 looks like b until it is checked.
    (hit,) = batch_of_one([0, 8, 25], 25, names="0ab")
    assert value_of(hit.expr, [0, 8, 25]) == 25


def test_names_and_numbers_are_as_many():
    with pytest.raises(ValueError, match="each problem needs 2 numbers"):
        batch_of_one([1, 2, 3], 6, names="ab")


@pytest.mark.parametrize("tolerance", [0, 5])
def test_numbers_at_the_edge_of_64_bits_are_checked_exactly(tolerance):
    for bits in (20, 29, 30, 31, 32, 61, 62, 63, 64):
        if tolerance and bits > 40:
            continue  # floats have too few digits to look for these
        numbers = [2**bits - 1, 2**bits + 1, 3]
        for target in (numbers[0] * numbers[1] + 3, numbers[0] * numbers[1] - 3, F(numbers[0], 3) + numbers[1]):
            found = canonical_hits(batch_of_one(numbers, target, tolerance=tolerance))
            assert found == brute_force(numbers, F(target), tolerance)
    assert [hit.value for hit in batch_of_one([2**62], 2**62)] == [2**62]
    assert batch_of_one([2**62], 0) == []


# The list a user sees.


def test_equal_numbers_are_one_quantity():
    assert [str(expr) for expr in reach([4, 7, 8, 8], 24)] == ["7*8-4*8", "(4+7-8)*8", "4*(7-8/8)"]
    assert len(reach([8, 8], 1)) == len(reach([8, 8], 0)) == 1


@pytest.mark.parametrize(
    "numbers, target", [([2, 2, 3, 4], 4), ([1, 5, 5, 2], 2), ([0, 3, 4, 3], 12), ([1, 1, 2, 3], 0), ([6, 2, 6, 6], 6)]
)
def test_the_list_has_one_expression_of_each_function_by_sympy(numbers, target):
    import sympy

    values = sorted(set(numbers))
    symbols = {v: sympy.Integer(v) if v in (0, 1) else sympy.Symbol(f"v{v}") for v in values}

    def function(expr: Expr) -> sympy.Expr:
        match expr:
            case Number(value):
                return symbols[int(value)]
            case Sum(terms):
                return sympy.Add(*[mark * function(child) for mark, child in terms])
            case Product(factors):
                return sympy.Mul(*[function(child) ** mark for mark, child in factors])
        raise AssertionError(expr)

    def over_values(expr: Expr) -> sympy.Expr:
        text = str(expr)
        for i, number in enumerate(numbers):
            text = text.replace(f"N{i}", str(number))
        return sympy.cancel(function(parse(text)))

    expected = {over_values(expr) for expr in brute_force(numbers, F(target))}
    found = [sympy.cancel(function(expr)) for expr in reach(numbers, target)]
    assert len(found) == len(set(found)) and set(found) == expected


def test_expressions_are_written_with_the_numbers_and_without_unary_minus():
    assert [str(expr) for expr in reach([2, 22], 20)] == ["22-2"]
    for numbers, target in [([2, 3, 5, 22], 40), ([9, 2, 7, 1], 14), ([1, 2, 3, 4], -10)]:
        for expr in reach(numbers, target):
            assert evaluate(expr) == target
            assert sorted(leaf.value for leaf in expr.leaves()) == sorted(numbers)
            assert not any(len(node.terms) == 1 for node in nodes(expr) if isinstance(node, Sum))
            assert evaluate(parse(str(expr))) == target


def nodes(expr: Expr) -> list[Expr]:
    return [expr, *[node for child in expr.children for node in nodes(child)]]


def test_spelling_of_numbers_is_kept():
    assert [str(expr) for expr in reach(["40%", 50], 20)] == ["40%*50"]
    assert [str(expr) for expr in reach(["(1/6)", 3], 18)] == ["3/(1/6)"]
    assert [str(expr) for expr in reach(["1/6", 3], 18)] == ["3/(1/6)"]


def test_a_mapping_gives_expressions_over_its_names():
    assert [str(expr) for expr in reach({"price": 8, "pieces": 3}, 24)] == ["pieces*price"]
    names = {"a": 2, "b": 2, "c": 3}
    found = reach(names, 3)
    assert len(found) == len(brute_force([2, 2, 3], F(3)))
    assert all(evaluate(expr, names) == 3 for expr in found)


def test_results_do_not_depend_on_the_order_of_the_numbers():
    numbers = [3, 8, 3, 8]
    assert len({tuple(reach(order, 24)) for order in permutations(numbers)}) == 1
    assert [str(expr) for expr in reach(numbers, 24)] == ["8/(3-8/3)"]


def test_the_simplest_come_first():
    texts = [str(expr) for expr in reach([1, 2, 3, 4], 10)]
    assert [len(text) for text in texts] == sorted(map(len, texts))
    assert {"1+2+3+4", "1*2*3+4"} <= set(texts[:4])


def test_limits_are_named():
    with pytest.raises(LimitError, match="number of numbers is 10, the limit is 9"):
        reach(range(10), 5)
    with pytest.raises(LimitError, match="the number of bits of the tolerance is 1329, the limit is 100"):
        reach([1, 2], 3, tolerance="10^400")
    assert len(reach([1, 2], 3, tolerance=2**99)) == len(reach([1, 2], 3, tolerance=100))
    with pytest.raises(LimitError, match="the limit is 8"):
        reach(range(9), 5, tolerance=1)
    with pytest.raises(LimitError, match="number of expressions"):
        reach([1, 2, 3, 4], 10, limit=2)
    with pytest.raises(LimitError, match="memory"):
        reach(range(1, 8), 5, memory=1000)
    with pytest.raises(LimitError, match="number of hits"):
        reach([0, 0, 0, 0, 0, 0], 0, memory=1 << 20)
    with pytest.raises(LimitError, match="number of hits"):
        reach([0, 0, 1, 2, 3, 4, 5, 6, 7], 0)
    with pytest.raises(LimitError, match="bits"):
        reach([10**40, 2], 5, tolerance=1)
    assert len(reach([1, 2, 3, 4], 10, limit=100)) > 2


def test_bad_input_is_refused():
    with pytest.raises(ParseError):
        reach(["2x", 3], 5)
    with pytest.raises(ValueError, match="no numbers"):
        reach([], 5)
    with pytest.raises(ValueError, match="tolerance"):
        reach([1], 1, tolerance=-1)
    with pytest.raises(TypeError):
        reach([None], 1)


def test_importing_reach_loads_no_numpy():
    code = (
        "import sys, mathcanon.reaching.numbers_to_target; "
        "print([m for m in ('numpy', 'numba', 'sympy', 'flint') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
