"""Counts against slow second ways: enumeration by value, by tree and by history, and naive power series."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial
from typing import Any

import pytest

from mathcanon.counting import LAWS, MAX_N, MAX_N_RECURRENCE, MAX_N_TABLE, asymptotics, count, sequence, table
from mathcanon.errors import LimitError
from mathcanon.power_series import class_counts

PUBLISHED = {
    "full": [1, 6, 68, 1170, 27142, 793002, 27914126, 1150212810],
    "unary-minus": [2, 10, 94, 1466, 31814, 887650, 30259198, 1218864842],
    "classes": [1, 5, 47, 733, 15907, 443825, 15129599],
    "plain": [1, 4, 26, 296, 4672, 94648, 2345072],
    "none": [1, 8, 192, 9216, 737280, 88473600],
    "brackets": [1, 8, 144, 5184, 311040, 27993600],
    "commutative": [1, 6, 108, 3816, 224640, 19841760],
    "tree-none": [1, 8, 192, 7680, 430080, 30965760],
    "tree-brackets": [1, 8, 144, 4320, 181440, 9797760],
    "tree-commutative": [1, 6, 108, 3240, 136080, 7348320],
    "tree-associative": [1, 6, 104, 3012, 122152, 6369792],
    "tree-unsigned-products": [1, 6, 68, 1260, 32632, 1085952],
    "series-reduced": [1, 1, 4, 26, 236, 2752, 39208, 660032],  # A000311
}


@pytest.mark.parametrize("law", LAWS)
def test_published_numbers(law: str) -> None:
    assert sequence(len(PUBLISHED[law]), law) == PUBLISHED[law]


@pytest.mark.parametrize("law", LAWS)
def test_count_is_the_last_term_of_sequence(law: str) -> None:
    assert [count(n, law) for n in range(1, 13)] == sequence(12, law)


# --- expressions told apart by their value at a random point modulo a prime -------------------------------------------

PRIME = 2**61 - 1


def splits(operands: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each ordered way to split the operands into two nonempty parts."""
    for size in range(1, len(operands)):
        for left in combinations(operands, size):
            yield left, tuple(x for x in operands if x not in left)


def distinct(n: int, leaf: Callable[[int], Any], join: Callable[[Any, Any], Iterator[Any]]) -> set[Any]:
    """Everything that binary trees over n operands give, where `join` yields what two subtrees make."""
    made: dict[tuple[int, ...], set[Any]] = {}
    for size in range(1, n + 1):
        for operands in combinations(range(n), size):
            made[operands] = {leaf(operands[0])} if size == 1 else set()
            for left, right in splits(operands):
                for a in made[left]:
                    for b in made[right]:
                        made[operands].update(join(a, b))
    return made[tuple(range(n))]


POINT = [random.Random(i).randrange(PRIME) for i in range(6)]
INVERSES: dict[int, int] = {}


def inverse(b: int) -> int:
    if b not in INVERSES:
        INVERSES[b] = pow(b, -1, PRIME)
    return INVERSES[b]


def values(a: int, b: int) -> Iterator[int]:
    yield (a + b) % PRIME
    yield (a - b) % PRIME
    yield a * b % PRIME
    yield a * inverse(b) % PRIME


def values_without_subtraction(a: int, b: int) -> Iterator[int]:
    yield (a + b) % PRIME
    yield a * b % PRIME
    yield a * inverse(b) % PRIME


def values_and_opposites(a: int, b: int) -> Iterator[int]:
    for value in values(a, b):
        yield value
        yield -value % PRIME


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_full_counts_values_at_a_random_point(n: int) -> None:
    found = distinct(n, POINT.__getitem__, values)
    assert len(found) == count(n)
    assert len({min(value, PRIME - value) for value in found}) == count(n, "classes")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_plain_counts_values_without_subtraction(n: int) -> None:
    assert len(distinct(n, POINT.__getitem__, values_without_subtraction)) == count(n, "plain")


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_unary_minus_counts_values_and_opposites(n: int) -> None:
    found = distinct(n, POINT.__getitem__, values_and_opposites)
    assert len(found | {-value % PRIME for value in found}) == count(n, "unary-minus")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_full_counts_values_on_exact_fractions(n: int) -> None:
    def exact(a: Fraction, b: Fraction) -> Iterator[Fraction]:
        yield from (a + b, a - b, a * b, a / b)

    assert len(distinct(n, [Fraction(1009, 31), Fraction(7919, 5), Fraction(-389)].__getitem__, exact)) == count(n)


# --- trees told apart by their writing --------------------------------------------------------------------------------


def ordered(a: Any, b: Any) -> Iterator[Any]:
    for operator in "+-*/":
        yield (operator, a, b)


def top(tree: Any) -> str:
    return tree[0] if isinstance(tree, tuple) else ""


def without_brackets(a: Any, b: Any) -> Iterator[Any]:
    below = top(a) + top(b)
    for operator in "+-*/":
        if ("-" if operator in "+-" else "/") not in below:
            yield (operator, a, b)


def commutative(a: Any, b: Any) -> Iterator[Any]:
    yield from (("+", frozenset((a, b))), ("*", frozenset((a, b))), ("-", a, b), ("/", a, b))


def associative(a: Any, b: Any) -> Iterator[Any]:
    yield from (("-", a, b), ("/", a, b))
    for operator in "+*":
        yield (operator, frozenset().union(*(x[1] if top(x) == operator else {x} for x in (a, b))))


def unsigned_products(a: Any, b: Any) -> Iterator[Any]:
    """Two sides a node, added and subtracted or multiplied and divided; a sum moves into a sum, nothing else moves."""
    for operator in "+*":
        (plus_a, minus_a), (plus_b, minus_b) = (
            x[1:] if top(x) == operator else (frozenset({x}), frozenset()) for x in (a, b)
        )
        yield (operator, plus_a | plus_b, minus_a | minus_b)
        yield (operator, plus_a | minus_b, minus_a | plus_b)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("law", "join"),
    [
        ("tree-none", ordered),
        ("tree-brackets", without_brackets),
        ("tree-commutative", commutative),
        ("tree-associative", associative),
        ("tree-unsigned-products", unsigned_products),
    ],
)
def test_tree_laws_count_distinct_trees(law: str, join: Callable[[Any, Any], Iterator[Any]], n: int) -> None:
    assert len(distinct(n, int, join)) == count(n, law)


@pytest.mark.parametrize(
    ("law", "join"), [("tree-associative", associative), ("tree-unsigned-products", unsigned_products)]
)
def test_tree_laws_count_distinct_trees_on_five_operands(law: str, join: Callable[[Any, Any], Iterator[Any]]) -> None:
    assert len(distinct(5, int, join)) == count(5, law)


def sums_and_products(a: Any, b: Any) -> Iterator[Any]:
    yield from (tree for tree in associative(a, b) if top(tree) in ("+", "*"))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_series_reduced_trees_are_half_of_the_expressions_of_plus_and_times(n: int) -> None:
    found = distinct(n, int, sums_and_products)
    assert len([tree for tree in found if top(tree) in ("", "+")]) == count(n, "series-reduced")
    assert n == 1 or len(found) == 2 * count(n, "series-reduced")


# --- merge histories, counted one by one ------------------------------------------------------------------------------


def histories(items: list[str], choices: Callable[[list[str], int, int], str]) -> int:
    """How many ways to merge a list down to one item; items are their top operators, the result is appended."""
    if len(items) == 1:
        return 1
    total = 0
    for i, j in permutations(range(len(items)), 2):
        rest = [item for k, item in enumerate(items) if k not in (i, j)]
        for operator in choices(items, i, j):
            total += histories([*rest, operator], choices)
    return total


def any_operator(items: list[str], i: int, j: int) -> str:
    return "+-*/"


def no_brackets(items: list[str], i: int, j: int) -> str:
    below = items[i] + items[j]
    return ("" if "-" in below else "+-") + ("" if "/" in below else "*/")


def once_a_pair(items: list[str], i: int, j: int) -> str:
    return "-/" if i > j else "-/" + "+*".replace(items[i] or " ", "")


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("law", "choices"), [("none", any_operator), ("brackets", no_brackets), ("commutative", once_a_pair)]
)
def test_the_papers_columns_count_merge_histories(
    law: str, choices: Callable[[list[str], int, int], str], n: int
) -> None:
    assert histories([""] * n, choices) == count(n, law)


def test_commutative_histories_on_five_items() -> None:
    assert histories([""] * 5, once_a_pair) == count(5, "commutative")


def test_the_papers_words_for_removing_brackets_do_not_give_its_numbers() -> None:
    """ "- and / can not be the children of + and *", taken operator by operator or altogether."""

    def pairwise(items: list[str], i: int, j: int) -> str:
        below = items[i] + items[j]
        return "-/" + ("" if "-" in below else "+") + ("" if "/" in below else "*")

    def altogether(items: list[str], i: int, j: int) -> str:
        below = items[i] + items[j]
        return "-/" + ("" if "-" in below or "/" in below else "+*")

    assert histories([""] * 3, pairwise) == 168 != count(3, "brackets")
    assert histories([""] * 4, altogether) == 4992 != count(4, "brackets")


# --- naive power series -----------------------------------------------------------------------------------------------

Series = list[Fraction]


def times(f: Series, g: Series) -> Series:
    return [sum((f[i] * g[m - i] for i in range(m + 1)), Fraction(0)) for m in range(len(f))]


def exponential(f: Series) -> Series:
    """The sum of f^k / k!; f has no constant term."""
    total = power = [Fraction(1)] + [Fraction(0)] * (len(f) - 1)
    for k in range(1, len(f)):
        power = [c / k for c in times(power, f)]
        total = [a + b for a, b in zip(total, power, strict=True)]
    return total


def solve(n: int, signs: int) -> tuple[Series, Series]:
    """v and x of the paper's appendix (p and q if signs is 1), by iterating its equations from zero."""
    z = [Fraction(int(m == 1)) for m in range(n + 1)]
    one = [Fraction(int(m == 0)) for m in range(n + 1)]
    sums = products = [Fraction(0)] * (n + 1)
    for _ in range(2 * n):
        e = exponential([signs * c for c in products])
        sums = [a + (b - o - signs * c) / signs for a, b, o, c in zip(z, e, one, products, strict=True)]
        e1, e2 = exponential(sums), exponential([2 * c for c in sums])
        products = [a + c2 - c1 - c for a, c2, c1, c in zip(z, e2, e1, sums, strict=True)]
    return sums, products


def test_counts_solve_the_equations_of_the_appendix() -> None:
    n = 8
    v, x = solve(n, 2)
    p, q = solve(n, 1)
    classes = [factorial(m) * (v[m] + x[m]) - (m == 1) for m in range(1, n + 1)]
    plain = [factorial(m) * (p[m] + q[m]) - (m == 1) for m in range(1, n + 1)]
    assert sequence(n, "classes") == classes
    assert sequence(n, "plain") == plain
    assert sequence(n) == [2 * a - b for a, b in zip(classes, plain, strict=True)]


def lagrange(n: int, signs: int) -> int:
    """The number of classes on n operands by inverting z = ln(1 + k*w)/k - w + v, w = e^(2v) - e^v."""
    w = [Fraction(0)] + [Fraction(2**m - 1, factorial(m)) for m in range(1, n + 1)]
    log, power = [Fraction(0)] * (n + 1), [Fraction(1)] + [Fraction(0)] * n
    for k in range(1, n + 1):
        power = times(power, [-signs * c for c in w])
        log = [a - b / k for a, b in zip(log, power, strict=True)]
    z = [a / signs - b + (m == 1) for m, (a, b) in enumerate(zip(log, w, strict=True))]
    ratio = z[1:]  # z / v, constant term 1
    inverse_ratio: Series = []
    for m in range(n):
        inverse_ratio.append(int(m == 0) - sum((ratio[i] * inverse_ratio[m - i] for i in range(1, m + 1)), Fraction(0)))
    power = [Fraction(1)] + [Fraction(0)] * (n - 1)
    for _ in range(n):
        power = times(power, inverse_ratio)
    slope = [(m + 1) * w[m + 1] for m in range(n)]
    coefficient = factorial(n) * times(slope, power)[n - 1] / n
    assert coefficient.denominator == 1
    return coefficient.numerator


@pytest.mark.parametrize("n", [1, 2, 5, 14])
def test_counts_agree_with_lagrange_inversion(n: int) -> None:
    assert (count(n, "classes"), count(n, "plain")) == (lagrange(n, 2), lagrange(n, 1))


@pytest.mark.parametrize("signs", [1, 2])
def test_newton_iteration_agrees_with_plain_integers(signs: int) -> None:
    law = {1: "plain", 2: "classes"}[signs]
    for n in (1, 2, 3, 7, 8, 9, 100):
        assert class_counts(n, signs=signs) == sequence(n, law)


def test_long_sequences_begin_like_short_ones() -> None:
    assert sequence(130)[:100] == sequence(100)
    assert sequence(130) == sequence(300)[:130]


def classes_modulo(n: int, signs: int, prime: int) -> list[int]:
    """The equations of the appendix over a prime field, ordinary coefficients, one term after another."""
    inverses = [0, 1]
    for m in range(2, n + 1):
        inverses.append(-(prime // m) * inverses[prime % m] % prime)

    def rest(weight: int, f: list[int], e: list[int]) -> int:
        m = len(e)
        return sum(k * weight * f[k] * e[m - k] for k in range(1, m)) * inverses[m] % prime

    sums, products, exp_p, exp_1, exp_2 = [0, 1], [0, 1], [1, signs], [1, 1], [1, 2]
    for m in range(2, n + 1):
        rest_p = rest(signs, products, exp_p)
        sums.append(rest_p * inverses[signs] % prime)
        rest_1, rest_2 = rest(1, sums, exp_1), rest(2, sums, exp_2)
        products.append((rest_2 - rest_1) % prime)
        exp_1.append(rest_1 + sums[m])
        exp_2.append(rest_2 + 2 * sums[m])
        exp_p.append(rest_p + signs * products[m])
    scale, counts = 1, [1]
    for m in range(2, n + 1):
        scale = scale * m % prime
        counts.append(scale * (sums[m] + products[m]) % prime)
    return counts


@pytest.mark.parametrize("n", [400, pytest.param(1000, marks=pytest.mark.slow)])
def test_large_counts_agree_modulo_a_prime(n: int) -> None:
    every, plain = classes_modulo(n, 2, PRIME), classes_modulo(n, 1, PRIME)
    assert [term % PRIME for term in sequence(n)] == [(2 * a - b) % PRIME for a, b in zip(every, plain, strict=True)]


# --- growth -----------------------------------------------------------------------------------------------------------


def test_growth_constants() -> None:
    constants = asymptotics()
    assert abs(constants.r - Decimal("0.161424183039808")) < Decimal("1e-15")
    assert abs(constants.c - Decimal("1.877221309505")) < Decimal("1e-12")
    assert (constants.n, constants.approximation, constants.exact, constants.ratio) == (None, None, None, None)


def test_growth_constants_from_the_counts_themselves() -> None:
    """1/r is the limit of s_n / (n s_(n-1)), here extrapolated in 1/n with no equation solved."""
    terms = sequence(400)
    points = range(390, 400)
    limits = [Decimal(terms[n]) / terms[n - 1] / (n + 1) for n in points]
    for j in range(1, 8):
        limits = [
            ((points[i + j] + 1) * limits[i + 1] - (points[i] + 1) * limits[i]) / j for i in range(len(limits) - 1)
        ]
    assert abs(1 / limits[-1] - asymptotics().r) < Decimal("1e-12")


def test_what_the_proofs_page_says_about_the_paper() -> None:
    """The schema's function has a negative coefficient, r1/r is 1.38, and sums and products are not as many."""
    w = [Fraction(0)] + [Fraction(2**m - 1, factorial(m)) for m in range(1, 7)]
    g, power = w, [Fraction(1)] + [Fraction(0)] * 6
    for k in range(1, 7):
        power = times(power, [-c for c in w])
        g = [a + b / k for a, b in zip(g, power, strict=True)]
    assert g[2:] == [Fraction(1, 2), Fraction(7, 6), Fraction(25, 24), Fraction(31, 120), Fraction(-119, 720)]

    terms = sequence(400, "plain")
    inverse_r1 = terms[399] / terms[398] / 400 * (400 / 399) ** 1.5
    assert round(float(1 / asymptotics().r) / inverse_r1, 2) == 1.38

    (v, x), (p, q) = solve(4, 2), solve(4, 1)
    assert [int(24 * (2 * every[4] - plain[4])) for every, plain in ((v, p), (x, q))] == [558, 612]


def test_approximation_approaches_the_exact_count() -> None:
    at_50 = asymptotics(50)
    assert at_50.exact == count(50)
    assert at_50.ratio is not None and round(at_50.ratio, 4) == 0.9927
    errors = [abs(1 - (asymptotics(n).ratio or 0)) for n in (30, 60, 120, 240)]
    assert errors == sorted(errors, reverse=True)


def test_approximation_does_not_overflow() -> None:
    at_400 = asymptotics(400)
    assert at_400.approximation is not None and at_400.approximation > Decimal("1e1000")
    assert at_400.ratio is not None and 0.999 < at_400.ratio < 1


# --- the paper's table, and what is refused ---------------------------------------------------------------------------


def test_table_is_the_published_one() -> None:
    rows = table()
    assert [row.n for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row.none for row in rows] == [1, 8, 192, 9216, 737280, 88473600]
    assert [row.brackets for row in rows] == [1, 8, 144, 5184, 311040, 27993600]
    assert [row.commutative for row in rows] == [1, 6, 108, 3816, 224640, 19841760]
    assert [row.full for row in rows] == [1, 6, 68, 1170, 27142, 793002]
    assert [row.ratio for row in rows] == [1, 1.3, 2.8, 7.9, 27.2, 111.6]
    for column, law in [
        ("tree_none", "tree-none"),
        ("tree_brackets", "tree-brackets"),
        ("tree_commutative", "tree-commutative"),
        ("tree_associative", "tree-associative"),
        ("tree_unsigned_products", "tree-unsigned-products"),
    ]:
        assert [getattr(row, column) for row in rows] == PUBLISHED[law]


def test_the_largest_table_can_be_made() -> None:
    assert len(table(MAX_N_TABLE)) == MAX_N_TABLE


def test_an_unknown_law_is_told_which_there_are() -> None:
    with pytest.raises(ValueError, match=r"'commutativ'.*full.*tree-unsigned-products"):
        count(3, "commutativ")


@pytest.mark.parametrize("n", [0, -1, 2.0, "3", None, True])
def test_a_number_of_operands_that_is_none_is_refused(n: Any) -> None:
    for function in (count, sequence, table):
        with pytest.raises(ValueError, match="integer of at least 1"):
            function(n)
    if n is not None:
        with pytest.raises(ValueError, match="integer of at least 1"):
            asymptotics(n)


def test_too_many_operands_are_a_limit_error() -> None:
    for call in (
        lambda: count(MAX_N + 1),
        lambda: sequence(MAX_N + 1, "none"),
        lambda: count(MAX_N_RECURRENCE + 1, "commutative"),
        lambda: table(MAX_N_TABLE + 1),
        lambda: asymptotics(MAX_N + 1),
    ):
        with pytest.raises(LimitError, match="the limit is"):
            call()


def test_results_are_immutable() -> None:
    with pytest.raises(AttributeError):
        table(1)[0].n = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        asymptotics().n = 2  # type: ignore[misc]


def test_small_counts_load_no_heavy_module() -> None:
    code = (
        "import sys; from mathcanon.counting import count; assert count(6) == 793002; "
        "print([m for m in ('flint', 'numpy', 'numba', 'sympy', 'networkx', 'torch') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(("law", "series"), [("full", 2), ("classes", 1)])
def test_who_asks_is_told_how_many_terms_are_known(law: str, series: int) -> None:
    told: list[tuple[int, int]] = []
    assert sequence(300, law, progress=lambda done, total: told.append((done, total))) == sequence(300, law)
    assert told == sorted(set(told))
    assert told[0] == (0, 300 * series)
    assert told[-1][0] >= 300 * series - 150
    assert {total for _, total in told} == {300 * series}
