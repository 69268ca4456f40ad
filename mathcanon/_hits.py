"""Problems -> hits: run the program on many problems at once, decode what it finds, check it exactly.

All classes on n numbers are evaluated by one flat program (`_program`) in compiled loops (`_scan`), modulo a 31-bit
prime: equal rationals have equal residues, so nothing is rounded.  The top level is never built: the target is
pushed down to the parts (target minus block, target over block), where it is looked up.  Only hits are decoded to
expressions, each class once for all problems, and each hit is checked with exact integers, so all that is returned
is right.

What could be missed: a hit that divides by a nonzero value whose numerator the prime divides.  The scan counts the
zeros it meets among divisors.  If there are none, or if 2^(n-1) times the product of the numbers' heights (the
larger of numerator and denominator) is below the prime, nothing was missed.  Else a second prime is used as well,
and a miss takes divisors of one hit that are multiples of each: chance of about 10^-16.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ._functions import function_table
from ._program import Program, class_counts, compile_program, decode_hit, values_needed
from .algebra import Algebra, fold
from .canonical import as_tree, is_polar
from .errors import LimitError
from .expr import Expr, make_operand

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MAX_NUMBERS", "Hit", "Problem", "Shape", "evaluate_steps", "search"]

MAX_NUMBERS = 9
_MAX_NEAR = 8  # numbers, in a search with a tolerance
_LARGEST = 6  # sets of more operands are not evaluated but asked
_BYTES_A_HIT = 6144  # what a decoded hit takes, about
_FIRST_ROWS = 1 << 14  # room for hits to begin with
_PRIMES = (2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497)

Pair = tuple[int, int]  # numerator and denominator, not reduced
Joins = tuple[Pair, ...]  # (join, address of x), inside out
Found = dict[Any, tuple["Shape", ...]]  # place of a hit in the program -> the classes it can be


class Shape(NamedTuple):
    """A class on the operands N0, N1... (the positions of the numbers), shared by all problems it is a hit of."""

    expr: Expr
    polar: bool  # whether its opposite can be written too
    steps: tuple[tuple[str, int, int], ...]  # operator and the places of its operands; each result gets the next place


class Hit(NamedTuple):
    """One expression of a problem with the right value: a sign times a class."""

    shape: Shape
    sign: int
    value: Fraction

    @property
    def expr(self) -> Expr:
        """The expression over N0, N1..., its sign pushed inward."""
        return as_tree(self.sign, self.shape.expr)


class Problem(NamedTuple):
    """Exact numbers, each to be used once, and the value to reach."""

    numbers: tuple[Fraction, ...]
    target: Fraction


def search(
    problems: Sequence[Problem], tolerance: Fraction, memory: int, names: tuple[str, ...] | None = None
) -> Iterator[list[Hit]]:
    """The hits of each problem, in order; problems with the same number of numbers run together.

    With `names` (of the operands, for all problems), hits that are one function of them are one hit.
    """
    found: list[Found] = [{} for _ in problems]  # place of a hit -> what it can be
    by_size: dict[int, list[int]] = {}
    for i, problem in enumerate(problems):
        by_size.setdefault(len(problem.numbers), []).append(i)
    for n, chosen in by_size.items():
        if n == 0:
            raise ValueError("no numbers to reach the target with")
        most = _MAX_NEAR if tolerance else MAX_NUMBERS
        if n > most:
            hint = "a search without a tolerance takes one more" if n == MAX_NUMBERS else ""
            raise LimitError("the number of numbers", n, most, hint=hint)
        if n == 1:
            for i in chosen:
                found[i][None] = (_shape(1, make_operand("N0")),)
        elif tolerance:
            _run_near([problems[i] for i in chosen], [found[i] for i in chosen], tolerance, memory, names)
        else:
            _run_exact([problems[i] for i in chosen], [found[i] for i in chosen], memory, names)
    for problem, candidates in zip(problems, found, strict=True):
        yield _confirmed(problem, candidates, tolerance)


def _confirmed(problem: Problem, found: Found, tolerance: Fraction) -> list[Hit]:
    """Those candidates that have the value, by exact arithmetic, in canonical order."""
    pairs = [(number.numerator, number.denominator) for number in problem.numbers]
    above, below = problem.target.numerator, problem.target.denominator
    hits = []
    for shapes in found.values():
        for shape in shapes:
            value = evaluate_steps(shape.steps, pairs)
            if value is None:
                continue
            left, right = value[0] * below, above * value[1]
            for sign in (1, -1) if shape.polar else (1,):
                if sign * left == right:
                    hits.append(Hit(shape, sign, problem.target))
                elif tolerance and abs(sign * Fraction(*value) - problem.target) <= tolerance:
                    hits.append(Hit(shape, sign, sign * Fraction(*value)))
    if len(hits) > 1:
        hits.sort(key=lambda hit: (hit.shape.expr.identity, -hit.sign))
    return hits


def evaluate_steps(steps: tuple[tuple[str, int, int], ...], pairs: list[Pair]) -> Pair | None:
    """The value of a shape as numerator and denominator; None if it divides by zero."""
    places = pairs.copy()
    for operator, i, j in steps:
        a, b = places[i]
        c, d = places[j]
        if operator == "+":
            places.append((a * d + c * b, b * d))
        elif operator == "-":
            places.append((a * d - c * b, b * d))
        elif operator == "*":
            places.append((a * c, b * d))
        elif c:
            places.append((a * d, b * c))
        else:
            return None
    return places[-1]


@lru_cache(maxsize=1 << 17)
def _shapes(n: int, largest: int, step: int, index: int, joins: Joins) -> tuple[Shape, ...]:
    """What a hit can be."""
    return tuple([_shape(n, node) for node in decode_hit(compile_program(n, largest), step, index, joins)])


def _shape(n: int, node: Expr) -> Shape:
    steps: list[tuple[str, int, int]] = []

    def chain(operators: str, parts: list[tuple[int, int]]) -> int:
        place = parts[0][1]  # the first block of a class is added, or multiplied
        for mark, part in parts[1:]:
            steps.append((operators[mark < 0], place, part))
            place = n + len(steps) - 1
        return place

    fold(
        node,
        Algebra(
            operand=lambda name: int(name[1:]),
            number=lambda value, text: -1,
            sum=lambda terms: chain("+-", terms),
            product=lambda factors: chain("*/", factors),
            power=lambda base, exponent: base,
        ),
    )
    return Shape(node, is_polar(node), tuple(steps))


def _run_exact(problems: list[Problem], found: list[Found], memory: int, names: tuple[str, ...] | None) -> None:
    """Collect the hits of problems of one size, modulo one prime or two."""
    import numpy as np

    n = len(problems[0].numbers)
    program = compile_program(n, min(n - 1, _LARGEST))
    table = 256
    while table < 2 * program.queries:
        table *= 2
    rows = _rows_within(memory, 4 * (program.memory + 7 * program.queries + 2 * table))
    room = (
        np.empty(program.memory, np.uint32),
        np.empty((2, program.queries), np.uint32),
        np.empty((5, program.queries), np.int32),
        np.empty((2, table), np.int32),
    )
    # Where targets are pushed down, the queries of a problem are needed to decode its hits, before those of the next.
    together = 1 if any(step.is_open for step in program.steps) else len(problems)
    turn = [1] * len(problems)  # 1: the first prime is due, 2: the second, 0: done
    for prime in _PRIMES:
        chosen = [i for i, problem in enumerate(problems) if turn[i] and _is_good(problem, prime)]
        for at in range(0, len(chosen), together):
            part = chosen[at : at + together]
            zeros = _run_modulo(
                prime, program, [problems[i] for i in part], [found[i] for i in part], room, rows, names
            )
            for i, met in zip(part, zeros.tolist(), strict=True):
                in_doubt = met and turn[i] == 1 and not _is_below(problems[i], prime)
                turn[i] = 2 if in_doubt else 0
    if any(turn):
        raise LimitError("the primes that divide a number or the target", len(_PRIMES), len(_PRIMES) - 2)


def _is_below(problem: Problem, prime: int) -> bool:
    """Whether no class can have a numerator as large as the prime, so that zero modulo the prime is zero."""
    height = 1 << (len(problem.numbers) - 1)
    for number in problem.numbers:
        height *= max(abs(number.numerator), number.denominator)
    return height < prime


def _is_good(problem: Problem, prime: int) -> bool:
    """Whether no number, nor the target, becomes zero or infinite modulo the prime."""
    for x in (*problem.numbers, problem.target):
        if x.denominator % prime == 0 or (x.numerator % prime == 0 and x.numerator):
            return False
    return True


def _rows_within(memory: int, needed: int) -> int:
    if needed > memory:
        raise LimitError("the memory for the search in bytes", needed, memory, hint="give fewer numbers or more memory")
    return max(1, (memory - needed) // _BYTES_A_HIT)


def _residue(value: Fraction, prime: int) -> int:
    """Value modulo the prime, in Montgomery form."""
    if value.denominator == 1:
        return (value.numerator << 32) % prime
    return (value.numerator << 32) * pow(value.denominator, -1, prime) % prime


def _run_modulo(
    prime: int,
    program: Program,
    problems: list[Problem],
    found: list[Found],
    room: tuple[np.ndarray, ...],
    rows: int,
    names: tuple[str, ...] | None,
) -> np.ndarray:
    """Collect the hits modulo a prime; gives for each problem how many zeros were met that matter."""
    import numpy as np

    from ._scan import DONE, EXPLODED, scan_exact

    numbers = np.array([[_residue(x, prime) for x in problem.numbers] for problem in problems], np.uint32)
    targets = np.array([_residue(problem.target, prime) for problem in problems], np.uint32)
    constants = np.array([prime, pow(-prime, -1, 1 << 32), (1 << 32) % prime], np.uint32)
    zeros = np.zeros(len(problems), np.int64)
    size, start, status = min(rows, _FIRST_ROWS), 0, -1
    while status != DONE:
        hits = np.empty((size, 6), np.int32)
        status, count, stop = scan_exact(
            program.arrays, program.stored, numbers, targets, start, constants, *room, zeros, hits
        )
        _collect(program, hits[:count], found, room[2], names)
        if status == EXPLODED:
            raise _too_many(class_counts(program.largest + 1).all, rows)
        size, start = _next_size(size, rows, status == DONE or stop > start), stop
    return zeros


def _run_near(
    problems: list[Problem], found: list[Found], tolerance: Fraction, memory: int, names: tuple[str, ...] | None
) -> None:
    """Collect candidates of problems of one size by floats; loosely, as each is checked exactly later."""
    import numpy as np

    n = len(problems[0].numbers)
    rows = _rows_within(memory, 8 * values_needed(n, n - 1))
    program = compile_program(n, n - 1)

    from ._scan import DONE, scan_near

    numbers = np.array([[_float(x) for x in problem.numbers] for problem in problems])
    targets = np.array([_float(problem.target) for problem in problems])
    slack = np.empty((len(problems), 2))
    slack[:, 0] = _float(tolerance) * (1 + 1e-9) + 1e-6 * abs(targets)
    slack[:, 1] = 1e-6
    values = np.empty(program.memory)
    size, start, status = min(rows, _FIRST_ROWS), 0, -1
    while status != DONE:
        hits = np.empty((size, 6), np.int32)
        status, count, stop = scan_near(program.arrays, program.stored, numbers, targets, slack, start, values, hits)
        _collect(program, hits[:count], found, None, names)
        size, start = _next_size(size, rows, status == DONE or stop > start), stop


def _float(x: Fraction) -> float:
    """A float whose products with 8 others stay finite."""
    digits = max(abs(x.numerator), x.denominator).bit_length()
    if digits > 100:
        raise LimitError(
            "the bits of a number in a search with a tolerance", digits, 100, hint="leave out the tolerance"
        )
    return float(x)


def _next_size(size: int, rows: int, went_on: bool) -> int:
    """Room for the hits of the next run; larger if those of one problem did not fit."""
    if went_on:
        return size
    if size >= rows:
        raise _too_many(size, rows)
    return min(rows, 4 * size)


def _too_many(size: int, rows: int) -> LimitError:
    return LimitError("the number of hits", max(size, rows + 1), rows, hint="give fewer numbers or more memory")


def _collect(
    program: Program,
    hits: np.ndarray,
    found: list[Found],
    queries: np.ndarray | None,
    names: tuple[str, ...] | None,
) -> None:
    """Decode rows of hits; the same hit found twice (by both primes, by x and -x) is one."""
    n, largest = program.n, program.largest
    if names is not None:
        rows, minus, functions = function_table(n, largest, names).first_of_each(hits)
        for (problem, _, join, x, step, index), sign, function in zip(
            hits[rows].tolist(), minus.tolist(), functions.tolist(), strict=True
        ):
            if function not in found[problem]:
                shape = _shapes(n, largest, step, index, ((join, x),))[sign]
                # The function that is always 0 is its own opposite.
                found[problem][function] = (shape if function else shape._replace(polar=False),)
        return
    for problem, query, join, x, step, index in hits.tolist():
        joins: Joins = ((join, x),)
        while query > 0 and queries is not None:
            joins += ((int(queries[1, query]), int(queries[2, query])),)
            query = int(queries[0, query])
        place = (step, index, joins)
        if place not in found[problem]:
            found[problem][place] = _shapes(n, largest, step, index, joins)
