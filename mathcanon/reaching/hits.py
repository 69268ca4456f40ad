"""Problems -> hits: run the program on many problems at once, trace what it finds, check it exactly.

All classes on n numbers are evaluated by one flat program (`program`) in compiled loops (`scan`), modulo a 31-bit
prime: equal rationals have equal residues, so nothing is rounded.  The top level is never built: the target is
pushed down to the parts (target minus block, target over block), where it is looked up.  Only hits are traced back to
the steps that make them (`trace`), and each is checked with exact integers, so all that is returned is right.  Hits
stay rows of arrays; one becomes an expression only when it is asked for.

What could be missed: a hit that divides by a nonzero value whose numerator the prime divides.  The scan counts the
zeros it meets among divisors.  If there are none, or if 2^(n-1) times the product of the numbers' heights (the
larger of numerator and denominator) is below the prime, nothing was missed.  Otherwise a second prime is
used as well, and a hit is missed only if each prime divides one of its divisors: a chance of about 10^-16.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ArgumentError, LimitError
from .number_table import MAX_BITS_NEAR, NAME_PRIMES, Numbers, montgomery, name_residues
from .program import ADD, INT64, MINUS, PLACE_BITS, Program, Workspace, class_counts, compile_program, values_needed
from .shapes import Pair, evaluate_codes

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["MAX_MEMORY", "MAX_NUMBERS", "HitRows", "Names", "reach_rows"]

MAX_MEMORY = 1 << 30
MAX_NUMBERS = 9
_MAX_NEAR = 8  # the most numbers in a search with a tolerance
_LARGEST = 6  # sets of more operands are not evaluated but queried, see `program`
_BYTES_A_HIT = 6144  # memory of a hit as an expression, about
_FIRST_ROWS = 1 << 14  # initial room for hits
_PRIMES = (2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497)


class Names(NamedTuple):
    """The operands of each problem by name: `rows` has indices into `names`."""

    names: Sequence[str]
    rows: Array


class HitRows(NamedTuple):
    """Hits as columns, those of one problem next to each other."""

    problem: Array  # index of the problem
    codes: Array  # the steps, see `trace`
    sign: Array  # of the steps: 1 or -1
    function: Array | None  # with names: a number that equal functions of the names share, in this process
    values: list[Fraction] | None  # with a tolerance; else the value is the target


def reach_rows(
    numbers: Numbers,
    problems: Array,
    targets: Array,
    *,
    names: Names | None = None,
    tolerance: Fraction = Fraction(0),
    memory: int = MAX_MEMORY,
) -> HitRows:
    """The hits of problems with equally many numbers, given as rows of indices into `numbers`.

    With `names`, hits of a problem that are one function of them are one hit, the first that the scan meets.

    >>> import numpy as np
    >>> from mathcanon.reaching.numbers_to_target import as_table, shape_of
    >>> numbers, rows = as_table([[Fraction(3), Fraction(4), Fraction(12)], [Fraction(2), Fraction(22), Fraction(20)]])
    >>> table = np.array(rows)
    >>> hits = reach_rows(numbers, table[:, :2], table[:, 2])
    >>> [(int(i), shape_of(2, codes.tobytes())[1]) for i, codes in zip(hits.problem, hits.codes)]
    [(0, Shape('N0*N1')), (1, Shape('N0-N1'))]
    """
    import numpy as np

    n = problems.shape[1]
    if n == 0:
        raise ArgumentError("no numbers to reach the target with")
    most = _MAX_NEAR if tolerance else MAX_NUMBERS
    if n > most:
        hint = "a search without a tolerance takes one more" if n == MAX_NUMBERS else ""
        raise LimitError("the number of numbers", n, most, hint=hint)
    check_tolerance(tolerance)
    found = _Found(numbers, problems, targets, names, tolerance)
    if n == 1:
        found.keep(np.arange(len(problems)), np.empty((len(problems), 0), np.uint16))
    elif tolerance:
        _search_near(found, memory)
    else:
        _search_exact(found, memory)
    return found.rows()


def check_tolerance(tolerance: Fraction) -> None:
    """Raise an error if a tolerance is negative, or too large for the search in floats."""
    if tolerance < 0:
        raise ArgumentError(f"the tolerance must be at least 0, not {tolerance}")
    bits = (tolerance.numerator // tolerance.denominator).bit_length()
    if bits > MAX_BITS_NEAR:
        raise LimitError("the number of bits of the tolerance", bits, MAX_BITS_NEAR)


class _Found:
    """Collects the hits of some problems: traced, checked exactly, each once."""

    def __init__(
        self, numbers: Numbers, problems: Array, targets: Array, names: Names | None, tolerance: Fraction
    ) -> None:
        import numpy as np

        self.numbers, self.problems, self.targets, self.tolerance = numbers, problems, targets, tolerance
        self.names = names
        self.bits = numbers.bits[problems].sum(axis=1) + problems.shape[1] - 1  # of numerators, at most
        self._parts: list[HitRows] = []
        if names is not None:
            residues = [name_residues(name) for name in names.names]
            self._residues = np.array(residues, np.uint32).reshape(-1, len(NAME_PRIMES)).T.copy()

    def collect(self, program: Program, hits: Array, queries: Array, which: Array) -> None:
        """Trace rows of hits and keep those that are right; `which` has the indices of their problems."""
        import numpy as np

        from .trace import trace

        if not len(hits):
            return
        sums = np.count_nonzero(hits[:, 2] == ADD)
        most = len(hits) << (program.n - program.largest) if program.has_open_sets else len(hits) + sums
        rows = np.empty(most, np.int64)
        codes = np.empty((most, program.n - 1), np.uint16)
        count = trace(program.arrays, program.stored, program.n, queries, hits, rows, codes)
        self.keep(which[hits[rows[:count], 0]], codes[:count])

    def keep(self, problem: Array, codes: Array) -> None:
        """Keep the traced hits that are right, one for each class (with names: each function) of a problem."""
        import numpy as np

        from .trace import run_modulo

        chosen, sign, values = self._checked(problem, codes)
        problem, codes = problem[chosen], codes[chosen]
        function = None
        if self.names is not None:
            function = np.zeros(len(codes), np.uint64)
            for prime, residues in zip(NAME_PRIMES, self._residues, strict=True):
                out = np.empty(len(codes), np.uint32)
                run_modulo(codes, problem, self.names.rows, residues, montgomery(prime), out)
                opposite = np.where(out > 0, np.uint32(prime) - out, out)
                function = function << np.uint64(32) | np.where(sign < 0, opposite, out)
        self._parts.append(_once(HitRows(problem, codes, sign, function, values)))

    def rows(self) -> HitRows:
        """All hits that were kept; a hit that both primes found occurs once."""
        import numpy as np

        if len(self._parts) == 1:
            return self._parts[0]
        parts = [_nothing(self.problems.shape[1]), *self._parts]
        function = None if self.names is None else np.concatenate([part.function for part in parts])
        return _once(
            HitRows(
                np.concatenate([part.problem for part in parts]),
                np.concatenate([part.codes for part in parts]),
                np.concatenate([part.sign for part in parts]),
                function,
                [value for part in parts for value in part.values or ()] if self.tolerance else None,
            )
        )

    def _checked(self, problem: Array, codes: Array) -> tuple[Array, Array, list[Fraction] | None]:
        """Which hits have the right value in exact arithmetic, their signs, and with a tolerance their values."""
        import numpy as np

        from .trace import run_exact

        pairs = np.empty((len(codes), 2), np.int64)
        run_exact(codes, problem, self.problems, self.numbers.pairs, pairs)
        targets = self.numbers.pairs[self.targets[problem]]
        left, right, total = pairs[:, 0] * targets[:, 1], targets[:, 0] * pairs[:, 1], pairs[:, 1] * targets[:, 1]
        slack, unit = self.tolerance.numerator, self.tolerance.denominator
        is_large = (pairs[:, 0] != 0) & (pairs[:, 1] == 0)
        if max(slack, unit) < INT64:
            bits = np.log2(abs(pairs).max(axis=1) + 1.0) + self.numbers.bits[self.targets[problem]]
            is_large |= bits + log2(max(slack, unit)) + 1 >= log2(INT64)
        else:
            is_large[:], slack, unit = True, 0, 1
        is_polar = (codes >> 2 * PLACE_BITS == MINUS).any(axis=1)
        plus, minus = [abs(away) * unit <= slack * abs(total) for away in (left - right, left + right)]
        is_right = np.stack([plus, minus & is_polar], axis=1) & (total != 0)[:, None]
        large: dict[int, Pair] = {}
        for hit in np.flatnonzero(is_large).tolist():
            above, below = large[hit] = self._large_pair(problem[hit], codes[hit])
            is_right[hit, 0] = self._is_near(above, below, problem[hit])
            is_right[hit, 1] = is_polar[hit] and self._is_near(-above, below, problem[hit])
        chosen, is_minus = np.nonzero(is_right)
        sign = (1 - 2 * is_minus).astype(np.int8)
        if not self.tolerance:
            return chosen, sign, None
        values = [self.numbers.values[i] for i in self.targets[problem[chosen]].tolist()]
        for k in np.flatnonzero((left[chosen] != sign * right[chosen]) | is_large[chosen]).tolist():
            hit = int(chosen[k])
            above, below = large[hit] if hit in large else pairs[hit].tolist()
            values[k] = Fraction(int(sign[k]) * above, below)
        return chosen, sign, values

    def _large_pair(self, problem: Any, codes: Array) -> Pair:
        """What `run_exact` gives, for numbers that do not fit in 64 bits."""
        numbers = [self.numbers.values[i] for i in self.problems[problem]]
        return evaluate_codes(codes.tobytes(), [(x.numerator, x.denominator) for x in numbers]) or (0, 0)

    def _is_near(self, above: int, below: int, problem: Any) -> bool:
        """Whether a value differs from the target by at most the tolerance; a denominator of 0 means no value."""
        target = self.numbers.values[self.targets[problem]]
        away = above * target.denominator - target.numerator * below
        unit = abs(below * target.denominator)
        return below != 0 and abs(away) * self.tolerance.denominator <= self.tolerance.numerator * unit


def _nothing(n: int) -> HitRows:
    import numpy as np

    return HitRows(
        np.zeros(0, np.int64), np.zeros((0, n - 1), np.uint16), np.zeros(0, np.int8), np.zeros(0, np.uint64), None
    )


def _once(hits: HitRows) -> HitRows:
    """The first hit of each class (with names: of each function) of a problem; in the order of problems."""
    import numpy as np

    same = (hits.sign, *hits.codes.T) if hits.function is None else (hits.function,)
    order = np.lexsort((*same, hits.problem))  # stable: among equal hits the first stays first
    is_new = np.ones(len(order), bool)
    is_new[1:] = False
    for column in (*same, hits.problem):
        ordered = column[order]
        is_new[1:] |= ordered[1:] != ordered[:-1]
    first = order[is_new]
    first = first[np.lexsort((first, hits.problem[first]))]
    return HitRows(
        hits.problem[first],
        hits.codes[first],
        hits.sign[first],
        None if hits.function is None else hits.function[first],
        None if hits.values is None else [hits.values[i] for i in first.tolist()],
    )


def _search_exact(found: _Found, memory: int) -> None:
    """Collect the hits, modulo one prime or two."""
    import numpy as np

    n = found.problems.shape[1]
    program = compile_program(n, min(n - 1, _LARGEST))
    table = 256
    while table < 2 * program.queries:
        table *= 2
    rows = _rows_within(memory, 4 * (program.memory + 7 * program.queries + 2 * table))
    work = Workspace(
        np.empty(program.memory, np.uint32),
        np.empty((2, program.queries), np.uint32),
        np.empty((5, program.queries), np.int32),
        np.empty((2, table), np.int32),
    )
    # Where targets are pushed down, tracing the hits of a problem needs its queries, which the next one overwrites.
    together = 1 if program.has_open_sets else max(1, len(found.problems))
    turn = np.ones(len(found.problems), np.int8)  # the next prime is 1: the first, 2: the second, 0: none, done
    for prime in _PRIMES:
        _, is_good = found.numbers.modulo(prime)
        chosen = np.flatnonzero((turn > 0) & is_good[found.problems].all(axis=1) & is_good[found.targets])
        for at in range(0, len(chosen), together):
            part = chosen[at : at + together]
            zeros = _search_modulo(prime, program, found, part, work, rows)
            # Where no class can have a numerator as large as the prime, zero modulo the prime is zero.
            in_doubt = (zeros > 0) & (turn[part] == 1) & (found.bits[part] > 30.99)
            turn[part] = np.where(in_doubt, 2, 0)
        if not turn.any():
            return
    raise LimitError("the primes that divide a number or the target", len(_PRIMES), len(_PRIMES) - 2)


def _search_modulo(prime: int, program: Program, found: _Found, part: Array, work: Workspace, rows: int) -> Array:
    """Collect the hits of some problems modulo a prime; return for each the number of zeros met that matter."""
    import numpy as np

    from .scan import DONE, EXPLODED, scan_exact

    residues, _ = found.numbers.modulo(prime)
    numbers, targets = residues[found.problems[part]], residues[found.targets[part]]
    zeros = np.zeros(len(part), np.int64)
    size, start, status = min(rows, _FIRST_ROWS), 0, -1
    while status != DONE:
        hits = np.empty((size, 6), np.int32)
        status, count, stop = scan_exact(
            program.arrays, program.stored, numbers, targets, start, montgomery(prime), work, zeros, hits
        )
        found.collect(program, hits[:count], work.queries, part)
        if status == EXPLODED:
            raise _too_many(class_counts(program.largest + 1).all, rows)
        size, start = _next_size(size, rows, status == DONE or stop > start), stop
    return zeros


def _search_near(found: _Found, memory: int) -> None:
    """Collect candidates in floats, with some slack: each is checked exactly later."""
    import numpy as np

    n = found.problems.shape[1]
    rows = _rows_within(memory, 8 * values_needed(n, n - 1))
    program = compile_program(n, n - 1)

    from .scan import DONE, scan_near

    floats = found.numbers.floats
    numbers, targets = floats[found.problems], floats[found.targets]
    slack = np.empty((len(targets), 2))
    slack[:, 0] = float(found.tolerance) * (1 + 1e-9) + 1e-6 * abs(targets)
    slack[:, 1] = 1e-6
    values = np.empty(program.memory)
    queries, every = np.empty((5, 0), np.int32), np.arange(len(targets))
    size, start, status = min(rows, _FIRST_ROWS), 0, -1
    while status != DONE:
        hits = np.empty((size, 6), np.int32)
        status, count, stop = scan_near(program.arrays, program.stored, numbers, targets, slack, start, values, hits)
        found.collect(program, hits[:count], queries, every)
        size, start = _next_size(size, rows, status == DONE or stop > start), stop


def _rows_within(memory: int, needed: int) -> int:
    if needed > memory:
        raise LimitError("the memory for the search in bytes", needed, memory, hint="give fewer numbers or more memory")
    return max(1, (memory - needed) // _BYTES_A_HIT)


def _next_size(size: int, rows: int, went_on: bool) -> int:
    """Room for the hits of the next run; larger if those of one problem did not fit."""
    if went_on:
        return size
    if size >= rows:
        raise _too_many(size, rows)
    return min(rows, 4 * size)


def _too_many(size: int, rows: int) -> LimitError:
    return LimitError("the number of hits", max(size, rows + 1), rows, hint="give fewer numbers or more memory")
