"""Numbers and a target -> every expression that uses each number once and has the target's value.

`hits` finds them by position (each number its own variable).  Here they become expressions: numbers are read, hits that
are one function of the distinct numbers are grouped (by value at a random point modulo a prime, then exactly), and
the simplest of each group is written, its sums oriented to be positive.  Costs, on one core: 20 microseconds a
problem for three numbers in a batch, 20 ms for seven, 0.15 s for eight, 0.7 s for nine, and for each hit of a class
not met before 0.05 ms; up to 6 kB of memory a hit, so that by default up to 170,000 hits are taken.

For hundreds of thousands of problems, stay with arrays: `as_table` gives each number an index, `reach_rows` returns
hits as columns, a part of the problems at a time, and `TextWriter` or `shape_of` turns one into text or an expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from ..algebra import substituted
from ..canonical_form import as_tree, canonical_form
from ..equality.fingerprints import fingerprint
from ..equality.verdict import equivalent
from ..errors import ArgumentError, LimitError
from ..expr import Expr, Number, Operand, Product, Sum, make_operand, make_product, make_sum
from ..notation.notations import parse
from ..values import as_fraction
from .collector import HitRows, Names, Refusal
from .hits import MAX_MEMORY, MAX_NUMBERS, check_tolerance, reach_rows
from .number_table import Numbers, as_table
from .shapes import Hit, Shape, shape_of
from .texts import TextWriter

__all__ = [
    "MAX_MEMORY",
    "MAX_NUMBERS",
    "Hit",
    "HitRows",
    "Names",
    "Numbers",
    "Refusal",
    "Shape",
    "TextWriter",
    "as_table",
    "check_tolerance",
    "reach",
    "reach_batch",
    "reach_rows",
    "shape_of",
]

_CHUNK = 2048  # problems read at a time
_BYTES_AN_EXPRESSION = 6144  # memory of a hit as an expression, about


def reach(
    numbers: Iterable[Any] | Mapping[str, Any],
    target: Any,
    *,
    tolerance: Any = 0,
    limit: int | None = None,
    memory: int = MAX_MEMORY,
) -> list[Expr]:
    """Every non-equivalent expression over + - * / with each number once and this value, simplest first.

    Simplest means fewest characters, then canonical order.  The list is never cut short.

    Parameters
    ----------
    numbers
        At most 9 of int, Fraction, `Number` or text ("0.5", "40%", "(1/6)").  Equal numbers are the same quantity, and
        0 and 1 are constants: of expressions that are then equal as rational functions (`a*b-a*c` and `a*(b-c)`) the
        simplest is kept.  Given a mapping from names to numbers, the expressions are over the names, and names stay
        distinct whatever their values.
    target
        The value to reach.
    tolerance
        Values that differ from the target by no more than this are accepted.  Above 0, the search is in floats, for at
        most 8 numbers, and may miss a hit whose subtractions together cancel more than 9 digits.
    limit
        The most expressions to return.
    memory
        The most bytes that the search may take.

    Returns
    -------
    list of Expr
        Empty if there is none.

    Raises
    ------
    LimitError
        If there are more numbers or more expressions, or the search would take more memory.

    Notes
    -----
    All classes on n numbers are evaluated in compiled loops, modulo a prime, and each hit is checked exactly.  On one
    core, a problem takes about 20 microseconds for three numbers in a batch, 20 ms for seven and 0.7 s for nine.  The
    first call compiles the loops, or loads them, which takes half a second to ten seconds.

    Examples
    --------
    >>> reach([150, 2, 50], 250)
    [Expr('2*50+150'), Expr('2*150-50')]
    >>> reach([4, 7, 8, 8], 24)
    [Expr('7*8-4*8'), Expr('(4+7-8)*8'), Expr('4*(7-8/8)')]
    >>> reach({"a": 22, "b": 2}, 20)
    [Expr('a-b')]
    """
    if isinstance(numbers, Mapping):
        given: list[tuple[Expr, Fraction]] = [(Operand(name), as_fraction(x)) for name, x in numbers.items()]
    else:
        literals = [_literal(number) for number in numbers]
        given = [(literal, literal.value) for literal in sorted(literals, key=lambda x: (x.identity, x.text or ""))]
    given.sort(key=lambda pair: pair[0].identity)  # so that results do not depend on the order of the numbers
    exact = [value for _, value in given]
    hits = next(reach_batch([(exact, target)], tolerance=tolerance, memory=memory))
    if isinstance(numbers, Mapping):
        groups = [[hit] for hit in hits]
    else:
        groups = _grouped(hits, exact)
    if limit is not None and len(groups) > limit:
        raise LimitError("the number of expressions", len(groups), limit, hint="give fewer numbers or a higher limit")
    leaves = {f"N{i}": leaf for i, (leaf, _) in enumerate(given)}
    values = {f"N{i}": value for i, (_, value) in enumerate(given)}
    written = [min([_simplicity(_write(hit, leaves, values)) for hit in group]) for group in groups]
    return [expr for _, _, expr in sorted(written)]


def reach_batch(
    problems: Iterable[tuple[Iterable[Any], Any]],
    *,
    names: Sequence[str] | None = None,
    tolerance: Any = 0,
    memory: int = MAX_MEMORY,
) -> Iterator[list[Hit]]:
    """For each problem its hits, in canonical order; lazily, and fast for many problems.

    Numbers are taken by position: N0 is the first.  Equal numbers stay distinct; nothing is grouped.  For a
    target of 0, a class with a subtraction gives two hits, such as `a-b` and `b-a`.

    Parameters
    ----------
    problems
        Pairs of numbers and a target, as for `reach`.
    names
        One name for each number of a problem.  Equal names are one operand ("1" and "0" are the constants, "a^2" is the
        square of "a"), and hits that are the same function of the operands are one hit.
    tolerance, memory
        As for `reach`.

    Yields
    ------
    list of Hit
        For each problem, in order.

    Raises
    ------
    ArgumentError
        If a problem does not have as many numbers as there are names.
    LimitError
        As in `reach`.

    Notes
    -----
    As for `reach`; the problems share the work of setting up.

    Examples
    --------
    >>> [[str(hit.expr) for hit in hits] for hits in reach_batch([((3, 4), 12), ((22, 2), 20), ((2, 22), 20)])]
    [['N0*N1'], ['N0-N1'], ['N1-N0']]
    >>> problem = ((3, 4, 1), 12)
    >>> len(*reach_batch([problem])), len(*reach_batch([problem], names="ab1"))
    (2, 1)
    """
    checked = as_fraction(tolerance)
    check_tolerance(checked)
    named = None if names is None else tuple(names)
    read = ([*map(as_fraction, numbers), as_fraction(target)] for numbers, target in problems)
    while chunk := list(islice(read, _CHUNK)):
        if named is not None and any(len(problem) != len(named) + 1 for problem in chunk):
            raise ArgumentError(f"each problem needs {len(named)} numbers, one for each name")
        yield from _hits_of_chunk(chunk, named, checked, memory)


def _hits_of_chunk(
    chunk: list[list[Fraction]], names: tuple[str, ...] | None, tolerance: Fraction, memory: int
) -> list[list[Hit]]:
    """The hits of problems, each given as its numbers and then its target; problems of equal size run together."""
    import numpy as np

    numbers, rows = as_table(chunk)
    found: list[list[Hit]] = [[] for _ in chunk]
    by_size: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        by_size.setdefault(len(row) - 1, []).append(i)
    for size, chosen in by_size.items():
        table = np.array([rows[i] for i in chosen])
        named = None if names is None else Names(names, np.broadcast_to(np.arange(size), (len(table), size)))
        parts = reach_rows(
            numbers,
            table[:, :-1],
            table[:, -1],
            names=named,
            tolerance=tolerance,
            memory=memory,
            bytes_a_hit=_BYTES_AN_EXPRESSION,
        )
        for hits in parts:
            for refusal in hits.refused.values():
                raise refusal.error
            for k, (row, turned) in enumerate(zip(hits.problem.tolist(), hits.sign.tolist(), strict=True)):
                sign, shape = shape_of(size, hits.codes[k].tobytes())
                value = chunk[chosen[row]][-1] if hits.values is None else hits.values[k]
                found[chosen[row]].append(Hit(shape, sign * turned, value))
    for hits_of_problem in found:
        hits_of_problem.sort(key=lambda hit: (hit.shape.expr.identity, -hit.sign))
    return found


def _literal(number: Any) -> Number:
    """A number with its spelling, where that is one token: `40%` and `(1/6)` are, `1/6` and `-2` are not."""
    expr = parse(number) if isinstance(number, str) else number
    return expr if isinstance(expr, Number) else Number(as_fraction(number))


def _grouped(hits: list[Hit], numbers: Sequence[Fraction]) -> list[list[Hit]]:
    """The hits grouped by the function of the distinct numbers that they are; 0 and 1 are constants.

    Compared first by fingerprint, then exactly; of hits that are written alike, one is kept.
    """
    if len(set(numbers)) == len(numbers) and not {0, 1} & set(numbers):
        return [[hit] for hit in hits]  # each number occurs once: different classes are different functions
    order = {value: i for i, value in enumerate(dict.fromkeys(numbers))}
    names: dict[str, Expr] = {f"N{i}": make_operand(f"V{order[value]}") for i, value in enumerate(numbers)}
    leaves = {f"N{i}": Number(x) if x in (0, 1) else names[f"N{i}"] for i, x in enumerate(numbers)}
    seen: set[tuple[int, str]] = set()
    groups: dict[int, list[tuple[Expr, list[Hit]]]] = {}
    for hit in hits:
        form = canonical_form(substituted(hit.expr, names.__getitem__))
        if (form.sign, form.identity) in seen:
            continue  # differs only in which of the equal numbers is where
        seen.add((form.sign, form.identity))
        expr = substituted(hit.expr, leaves.__getitem__)
        value = fingerprint(expr)
        for first, members in groups.setdefault(value, []):
            if equivalent(first, expr):
                members.append(hit)
                break
        else:
            groups[value].append((expr, [hit]))
    return [members for same in groups.values() for _, members in same]


def _simplicity(expr: Expr) -> tuple[int, str, Expr]:
    return len(str(expr)), expr.identity, expr


def _write(hit: Hit, leaves: Mapping[str, Expr], values: Mapping[str, Fraction]) -> Expr:
    """The expression of a hit over its numbers, its sums oriented to be positive where possible."""
    sign, expr, _ = _oriented(hit.shape.expr, leaves, values)
    return as_tree(sign * hit.sign, expr)


def _oriented(node: Expr, leaves: Mapping[str, Expr], values: Mapping[str, Fraction]) -> tuple[int, Expr, Fraction]:
    """A sign, an expression and its value; sign times expression is `node`."""
    if isinstance(node, Operand):
        return 1, leaves[node.name], values[node.name]
    total, sign = Fraction(0), 1
    parts: list[tuple[int, Expr]] = []
    if isinstance(node, Sum):
        for mark, child in node.terms:
            turned, expr, value = _oriented(child, leaves, values)
            parts.append((mark * turned, expr))
            total += mark * turned * value
        marks = {mark for mark, _ in parts}
        if marks == {-1} or (total < 0 and -1 in marks):
            parts, total, sign = [(-mark, expr) for mark, expr in parts], -total, -1
        return sign, make_sum(sorted(parts, key=lambda part: (-part[0], part[1].identity))), total
    assert isinstance(node, Product)
    total = Fraction(1)
    for mark, child in node.factors:
        turned, expr, value = _oriented(child, leaves, values)
        parts.append((mark, expr))
        total *= value**mark
        sign *= turned
    return sign, make_product(parts), total
