"""How many expressions there are on n operands, each used once: exact counts under every law of the paper.

An expression is a sign times a class, and a class is an operand, a sum of blocks or a product of blocks.  A set of
blocks is the exponential of a generating function, so the counts of forms come from equations between exponential
generating functions (docs/proofs.md derives them), run here as recurrences over Python integers, O(n^2)
multiplications.  The four counts of canonical forms go on beyond n = 100 by Newton iteration on power series:
n = 1000 takes about a second, n = 5000 a minute and a half and 1.5 GB.

The columns of the paper's search-space table count *merge histories* (which two items are joined first, second...),
not expressions; the laws named `tree-...` count the distinct expression trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import accumulate
from math import comb, factorial, pi

from .errors import ArgumentError, LimitError
from .power_series import class_counts

__all__ = ["LAWS", "Asymptotics", "Row", "asymptotics", "count", "sequence", "table"]

Progress = Callable[[int, int], None]

#: What each law counts.
LAWS: dict[str, str] = {
    "full": "expressions that differ as functions, written with + - * / (A140606)",
    "unary-minus": "the same with unary minus allowed: every class and its opposite (A182173)",
    "classes": "expressions that differ as functions, up to sign",
    "plain": "expressions that differ as functions, without subtraction",
    "none": "the paper's brute force: merge histories of ordered pairs",
    "brackets": "the paper's Removing Brackets: merge histories, no - right below + or -, no / right below * or /",
    "commutative": "the paper's Commutative: merge histories of unordered pairs, see docs/proofs.md",
    "tree-none": "ordered binary trees",
    "tree-brackets": "ordered binary trees, no - right below + or -, no / right below * or /",
    "tree-commutative": "binary trees up to the order below + and *",
    "tree-associative": "trees up to order and grouping of + and of *",
    "tree-unsigned-products": "canonical forms in which no sign is moved through a product",
    "series-reduced": "Schroeder's fourth problem: labelled trees in which no inner node has one child (A000311)",
}

#: The largest n of laws with a closed form or a Newton iteration, of laws with a recurrence, and of `table`.
MAX_N, MAX_N_RECURRENCE, MAX_N_TABLE = 5_000, 500, 100

#: Up to this n the recurrences over plain integers are used; they are as fast, and need no import of flint.
_SMALL = 100


def count(n: int, law: str = "full", *, progress: Progress | None = None) -> int:
    """The number of expressions on n operands, each used once.

    Parameters
    ----------
    n
        The number of operands: up to 5,000, or 500 for laws that are computed by a recurrence only.
    law
        What is counted: one of `LAWS`.
    progress
        Called as `progress(done, total)` now and then during a long computation, with the number of terms known.

    Returns
    -------
    int
        The exact number; it has about n log10(n) digits.

    Raises
    ------
    ArgumentError
        If the law is unknown or n is not a positive integer.
    LimitError
        If n is above the limit of the law.

    Notes
    -----
    Up to n = 100 recurrences over integers take O(n^2) multiplications; beyond that, the four counts of canonical forms
    come from a Newton iteration on power series.

    References
    ----------
    OEIS A140606 (law "full"), A182173 ("unary-minus") and A000311 ("series-reduced"); the laws "none", "brackets" and
    "commutative" are those of Liu et al., *ComSearch*, EACL 2023.

    Examples
    --------
    >>> count(6)
    793002
    >>> count(6, "none")
    88473600
    """
    return sequence(n, law, progress=progress)[-1]


def sequence(n: int, law: str = "full", *, progress: Progress | None = None) -> list[int]:
    """The counts for 1, 2, ..., n operands, computed in one go.

    Parameters
    ----------
    n, law, progress
        As in `count`, which raises the same errors.

    Returns
    -------
    list of int
        n counts; the first is that for one operand.

    Raises
    ------
    ArgumentError, LimitError
        As `count` does.

    Notes
    -----
    The cost is that of `count` for the last term alone.

    References
    ----------
    As for `count`.

    Examples
    --------
    >>> sequence(7)
    [1, 6, 68, 1170, 27142, 793002, 27914126]
    >>> sequence(4, "tree-none")
    [1, 8, 192, 7680]
    """
    if law not in LAWS:
        raise ArgumentError(f"unknown law {law!r}; one of {', '.join(LAWS)}")
    _check_n(n, MAX_N_RECURRENCE if law in _RECURRENCES else MAX_N, hint=f"law {law!r}")
    return _BY_CLASSES[law](n, progress or _quiet) if law in _BY_CLASSES else _TERMS[law](n)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the paper's search-space table, and the exact numbers of trees beside it."""

    n: int
    none: int
    brackets: int
    commutative: int
    full: int
    ratio: float  # none / full, to one decimal as published
    tree_none: int
    tree_brackets: int
    tree_commutative: int
    tree_associative: int
    tree_unsigned_products: int


def table(max_n: int = 6) -> list[Row]:
    """The paper's search-space table for 1, 2, ..., max_n operands.

    Parameters
    ----------
    max_n
        The number of rows, at most 100.

    Returns
    -------
    list of Row
        One row for each number of operands, with the exact counts beside the paper's figures.

    Raises
    ------
    ArgumentError
        If `max_n` is not a positive integer.
    LimitError
        If `max_n` is above 100.

    Notes
    -----
    The cost is that of `sequence` for each column.

    References
    ----------
    Liu et al., *ComSearch*, EACL 2023.

    Examples
    --------
    >>> row = table()[-1]
    >>> row.none, row.brackets, row.commutative, row.full, row.ratio
    (88473600, 27993600, 19841760, 793002, 111.6)
    >>> row.tree_none, row.tree_commutative
    (30965760, 7348320)
    """
    _check_n(max_n, MAX_N_TABLE, hint="rows of the table")
    columns = {law: sequence(max_n, law) for law in LAWS}
    return [
        Row(
            n=i + 1,
            none=columns["none"][i],
            brackets=columns["brackets"][i],
            commutative=columns["commutative"][i],
            full=columns["full"][i],
            ratio=round(columns["none"][i] / columns["full"][i], 1),
            tree_none=columns["tree-none"][i],
            tree_brackets=columns["tree-brackets"][i],
            tree_commutative=columns["tree-commutative"][i],
            tree_associative=columns["tree-associative"][i],
            tree_unsigned_products=columns["tree-unsigned-products"][i],
        )
        for i in range(max_n)
    ]


@dataclass(frozen=True, slots=True)
class Asymptotics:
    """The constants of s_n ~ n! c / sqrt(2 pi n^3) r^(-n + 1/2), and the approximation at one n if asked for."""

    r: Decimal  # r and c to 30 digits
    c: Decimal
    n: int | None = None
    approximation: Decimal | None = None  # 15 digits
    exact: int | None = None
    ratio: float | None = None  # approximation / exact


def asymptotics(n: int | None = None, *, progress: Progress | None = None) -> Asymptotics:
    """The growth constants of A140606; with n also the approximation, the exact count and their ratio.

    Parameters
    ----------
    n
        The number of operands to approximate the count for, at most 5,000.
    progress
        As in `count`, for the exact count.

    Returns
    -------
    Asymptotics
        The constants `r` and `c` of the growth law and, if n is given, `approximation`, `exact` and `ratio`.

    Raises
    ------
    ArgumentError
        If n is not a positive integer.
    LimitError
        If n is above 5,000.

    Notes
    -----
    The constants take constant time, in decimals of 60 digits; with n, the cost is that of `count` for the exact
    number.

    References
    ----------
    Flajolet and Sedgewick, *Analytic Combinatorics*, the smooth implicit-function schema; docs/proofs.md applies it.

    Examples
    --------
    >>> constants = asymptotics()
    >>> print(f"{constants.r:.15f} {constants.c:.12f}")
    0.161424183039808 1.877221309505
    >>> at_50 = asymptotics(50)
    >>> print(f"{at_50.approximation:.4e} {at_50.exact:.4e} {at_50.ratio:.4f}")
    1.0342e+101 1.0418e+101 0.9927
    """
    if n is not None:
        _check_n(n, MAX_N)
    with localcontext(prec=60):  # Decimals, because floats overflow from n = 150 on
        r, c = _growth()
        constants = Asymptotics(r=_rounded(r, 30), c=_rounded(c, 30))
        if n is None:
            return constants
        # pi as a float is right to 15 digits; the relative error of the approximation itself is of order 1/n.
        approximation = factorial(n) * c / (Decimal(2 * pi) * n**3).sqrt() * r.sqrt() / r**n
        exact = count(n, progress=progress)
        return Asymptotics(
            r=constants.r,
            c=constants.c,
            n=n,
            approximation=_rounded(approximation, 15),
            exact=exact,
            ratio=float(approximation / exact),
        )


def _growth() -> tuple[Decimal, Decimal]:
    """r and c to the precision of the decimal context: from the maximum of the inverse z(y) of docs/proofs.md."""
    # dz/dy = 0 at the largest root of 4y^4 - 6y^3 + 2y - 1; Newton steps from the right descend to it.
    y, lower = Decimal(2), Decimal("1.5")
    while lower < y:
        y = lower
        lower = y - (4 * y**4 - 6 * y**3 + 2 * y - 1) / (16 * y**3 - 18 * y**2 + 2)
    w = y * y - y
    r = (1 + 2 * w).ln() / 2 - w + y.ln()
    curvature = 4 * w / (1 + 2 * w) ** 2 + 2 + 1 / y**2  # minus the second derivative of z
    return r, 2 * (2 * y - 1) / curvature.sqrt()


def _rounded(x: Decimal, digits: int) -> Decimal:
    with localcontext(prec=digits):
        return +x


def _check_n(n: int, limit: int, *, hint: str = "") -> None:
    """Raise an error unless n is an integer between 1 and the limit."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ArgumentError(f"the number of operands must be an integer of at least 1, not {n!r}")
    if n > limit:
        raise LimitError("the number of operands", n, limit, hint=hint)


# In what follows a generating function f is the list of its coefficients f[m] = m! [z^m] f, with f[0] = 0,
# and the exponential of weight * f is grown along with f: its m-th coefficient is weight * f[m] + _rest(...).


def _rest(weight: int, f: list[int], exponential: list[int]) -> int:
    """The next coefficient of e^(weight*f), without the part weight * f[m]; reads f below m only."""
    m = len(exponential)
    return sum(comb(m - 1, k - 1) * weight * f[k] * exponential[m - k] for k in range(1, m))


def _quiet(done: int, total: int) -> None:
    """A progress callback that does nothing."""


def _classes(n: int, signs: int, progress: Progress) -> list[int]:
    """Canonical classes: up to sign (signs=2), or without subtraction (signs=1)."""
    if n > _SMALL:
        return class_counts(n, signs=signs, progress=progress)
    # sums = z + (e^(signs*products) - 1 - signs*products) / signs: a sign per block, up to a common sign
    # products = z + e^(2*sums) - e^sums - sums: an exponent 1 or -1 per block, not all -1
    sums, products = [0, 1], [0, 1]
    exp_products, exp_sums, exp_2_sums = [1, signs], [1, 1], [1, 2]
    for m in range(2, n + 1):
        rest = _rest(signs, products, exp_products)
        sums.append(rest // signs)
        rest_1, rest_2 = _rest(1, sums, exp_sums), _rest(2, sums, exp_2_sums)
        products.append(rest_2 - rest_1)
        exp_sums.append(rest_1 + sums[m])
        exp_2_sums.append(rest_2 + 2 * sums[m])
        exp_products.append(rest + signs * products[m])
    return [1] + [sums[m] + products[m] for m in range(2, n + 1)]


def _full(n: int, progress: Progress) -> list[int]:
    """Each class and its opposite, less the opposites that cannot be written: those of classes without subtraction."""
    every = _classes(n, 2, lambda done, total: progress(done, 2 * total))
    plain = _classes(n, 1, lambda done, total: progress(total + done, 2 * total))
    return [2 * classes - positive for classes, positive in zip(every, plain, strict=True)]


def _tree_unsigned_products(n: int) -> list[int]:
    """Sums = products = z + e^(2*sums) - e^sums - sums: blocks added or subtracted, not all subtracted."""
    sums, exp_sums, exp_2_sums = [0, 1], [1, 1], [1, 2]
    for m in range(2, n + 1):
        rest_1, rest_2 = _rest(1, sums, exp_sums), _rest(2, sums, exp_2_sums)
        sums.append(rest_2 - rest_1)
        exp_sums.append(rest_1 + sums[m])
        exp_2_sums.append(rest_2 + 2 * sums[m])
    return [1] + [2 * sums[m] for m in range(2, n + 1)]


def _series_reduced(n: int) -> list[int]:
    """trees = z + e^trees - 1 - trees: a leaf, or a set of two or more trees."""
    trees, exp_trees = [0, 1], [1, 1]
    for m in range(2, n + 1):
        trees.append(_rest(1, trees, exp_trees))
        exp_trees.append(2 * trees[m])
    return trees[1:]


def _tree_associative(n: int) -> list[int]:
    """trees = z + 2*plus + 2*trees^2, where plus = e^b - 1 - b is a set of blocks b = trees - plus."""
    trees, blocks, exp_blocks = [0, 1], [0, 1], [1, 1]
    for m in range(2, n + 1):
        plus = _rest(1, blocks, exp_blocks)
        square = sum(comb(m, k) * trees[k] * trees[m - k] for k in range(1, m))
        trees.append(2 * plus + 2 * square)
        blocks.append(trees[m] - plus)
        exp_blocks.append(plus + blocks[m])
    return trees[1:]


def _commutative(n: int) -> list[int]:
    """Merge histories on a list: join any pair and append the result; + (or *) must not repeat the earlier item's.

    A history on m merges ends by joining an earlier item made in e merges and a later one.  Unless both are operands,
    the later one contains the last merge but one: choose which of the other m-2 merges and which operands
    belong to the earlier item.  `marked` counts the histories whose last operator is + or *.
    """
    every, marked = [1, 6], [0, 2]  # by number of merges
    for m in range(2, n):
        both_sides = [(comb(m - 2, e) * comb(m + 1, e + 1) * every[m - 1 - e], e) for e in range(m - 1)]
        marked.append(sum(ways * (2 * every[e] - marked[e]) for ways, e in both_sides))
        every.append(marked[m] + 4 * sum(ways * every[e] for ways, e in both_sides))
    return every[:n]


def _growing(factor: Callable[[int], int]) -> Callable[[int], list[int]]:
    """The sequence 1, factor(1), factor(1)*factor(2), ...: factor(k) leads from k to k+1 operands."""
    return lambda n: list(accumulate(range(1, n), lambda term, k: term * factor(k), initial=1))


# From k to k+1 operands a history gains an ordered pair out of k+1 items, (k+1)*k ways; a tree gains an operand beside
# one of its 2k-1 subtrees, left or right of it if the order counts.  Below the first
# operator the bracket rule leaves 3 of the 4 operators.
_TERMS: dict[str, Callable[[int], list[int]]] = {
    "none": _growing(lambda k: 4 * k * (k + 1)),
    "brackets": _growing(lambda k: (4 if k == 1 else 3) * k * (k + 1)),
    "commutative": _commutative,
    "tree-none": _growing(lambda k: 4 * 2 * (2 * k - 1)),
    "tree-brackets": _growing(lambda k: (4 if k == 1 else 3) * 2 * (2 * k - 1)),
    "tree-commutative": _growing(lambda k: 6 * (2 * k - 1)),
    "tree-associative": _tree_associative,
    "tree-unsigned-products": _tree_unsigned_products,
    "series-reduced": _series_reduced,
}
_BY_CLASSES: dict[str, Callable[[int, Progress], list[int]]] = {
    "full": _full,
    "unary-minus": lambda n, progress: [2 * classes for classes in _classes(n, 2, progress)],
    "classes": lambda n, progress: _classes(n, 2, progress),
    "plain": lambda n, progress: _classes(n, 1, progress),
}
_RECURRENCES = {"commutative", "tree-associative", "tree-unsigned-products", "series-reduced"}
