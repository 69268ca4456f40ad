"""Problems -> hits: run the program on many problems at once, and collect what it finds.

All classes on n numbers are evaluated by one flat program (`program`) in compiled loops (`scan`), modulo a 31-bit
prime: equal rationals have equal residues, so nothing is rounded.  The top level is never built: the target is
pushed down to the parts (target minus block, target over block), where it is looked up.  Only hits are traced back to
the steps that make them (`trace`), and each is checked with exact integers (`collector`), so all that is returned is
right.  Hits stay rows of arrays; one becomes an expression only when it is asked for.

What could be missed: a hit that divides by a nonzero value whose numerator the prime divides.  The scan counts the
zeros it meets among divisors.  If there are none, or if 2^(n-1) times the product of the numbers' heights (the
larger of numerator and denominator) is below the prime, nothing was missed.  Otherwise a second prime is
used as well, and a hit is missed only if each prime divides one of its divisors: a chance of about 10^-16.

A problem with more hits than the memory has room for is refused: it gets no hits but a reason, and the others go on.
The room for one problem follows from `memory` alone, so what is found for it does not depend on the other problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, LimitError
from .collector import Collector, HitRows, Names
from .number_table import MAX_BITS_NEAR, Numbers, montgomery
from .program import Program, Workspace, class_counts, compile_program, repeated_steps, values_needed

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["MAX_MEMORY", "MAX_NUMBERS", "check_tolerance", "reach_rows"]

MAX_MEMORY = 1 << 30
MAX_NUMBERS = 9
_MAX_NEAR = 8  # the most numbers in a search with a tolerance
_LARGEST = 6  # sets of more operands are not evaluated but queried, see `program`
_BYTES_A_HIT = 256  # memory of a hit as columns, while hits are deduplicated
_FIRST_ROWS = 1 << 14  # initial room for hits
_PRIMES = (2147483647, 2147483629, 2147483587, 2147483579, 2147483563, 2147483549, 2147483543, 2147483497)


def reach_rows(
    numbers: Numbers,
    problems: Array,
    targets: Array,
    *,
    names: Names | None = None,
    tolerance: Fraction = Fraction(0),
    memory: int = MAX_MEMORY,
    bytes_a_hit: int = _BYTES_A_HIT,
) -> Iterator[HitRows]:
    """The hits of problems with equally many numbers, given as rows of indices into `numbers`.

    They come in parts, each with all hits of some problems, as large as `memory` bytes have room for; `bytes_a_hit` is
    what the caller needs for one.  A problem whose own hits have no room is refused, and the others are searched.

    With `names`, hits of a problem that are one function of them are one hit, the first that the scan meets.

    >>> import numpy as np
    >>> from mathcanon.reaching.numbers_to_target import as_table, shape_of
    >>> numbers, rows = as_table([[Fraction(3), Fraction(4), Fraction(12)], [Fraction(2), Fraction(22), Fraction(20)]])
    >>> table = np.array(rows)
    >>> (hits,) = reach_rows(numbers, table[:, :2], table[:, 2])
    >>> [(int(i), shape_of(2, codes.tobytes())[1]) for i, codes in zip(hits.problem, hits.codes)]
    [(0, Shape('N0*N1')), (1, Shape('N0-N1'))]
    """
    n = problems.shape[1]
    if n == 0:
        raise ArgumentError("no numbers to reach the target with")
    most = _MAX_NEAR if tolerance else MAX_NUMBERS
    if n > most:
        hint = "a search without a tolerance takes one more" if n == MAX_NUMBERS else ""
        raise LimitError("the number of numbers", n, most, hint=hint)
    check_tolerance(tolerance)
    largest = n - 1 if tolerance else min(n - 1, _LARGEST)
    needed = 8 * values_needed(n, largest) if n > 1 and tolerance else 0
    if n > 1 and not tolerance:
        program = compile_program(n, largest)
        needed = 4 * (program.memory + 7 * program.queries + 2 * _table_size(program))
    room = max(1, (memory - needed) // bytes_a_hit)
    found = Collector(numbers, problems, targets, names, tolerance, room)
    if needed > memory:
        return _refuse_all(found, needed, memory)
    search = _keep_all if n == 1 else _search_near if tolerance else _search_exact
    return search(found)


def check_tolerance(tolerance: Fraction) -> None:
    """Raise an error if a tolerance is negative, or too large for the search in floats."""
    if tolerance < 0:
        raise ArgumentError(f"the tolerance must be at least 0, not {tolerance}")
    bits = (tolerance.numerator // tolerance.denominator).bit_length()
    if bits > MAX_BITS_NEAR:
        raise LimitError("the number of bits of the tolerance", bits, MAX_BITS_NEAR)


def _refuse_all(found: Collector, needed: int, memory: int) -> Iterator[HitRows]:
    """No hits, because the search itself does not fit in the memory."""
    what, hint = "the memory for the search in bytes", "give fewer numbers or more memory"
    for problem in range(len(found.problems)):
        found.refuse(problem, "memory", LimitError(what, needed, memory, hint=hint))
    yield found.take()


def _keep_all(found: Collector) -> Iterator[HitRows]:
    """The hits of problems with one number: those whose number is the target."""
    import numpy as np

    every = np.arange(len(found.problems))
    found.keep(every, np.empty((len(every), 0), np.uint16))
    yield found.take()


def _search_exact(found: Collector) -> Iterator[HitRows]:
    """The hits, modulo one prime or two."""
    import numpy as np

    n = found.problems.shape[1]
    program = compile_program(n, min(n - 1, _LARGEST))
    work = Workspace(
        np.empty(program.memory, np.uint32),
        np.empty((2, program.queries), np.uint32),
        np.empty((5, program.queries), np.int32),
        np.empty((2, _table_size(program)), np.int32),
    )
    start = 0
    while start < len(found.problems):
        start = _search_from(start, program, found, work)
        yield found.take()


def _table_size(program: Program) -> int:
    size = 256
    while size < 2 * program.queries:
        size *= 2
    return size


def _search_from(start: int, program: Program, found: Collector, work: Workspace) -> int:
    """Collect the hits of problems from `start` on, until there is enough; return the problem to go on with."""
    import numpy as np

    # Where targets are pushed down, tracing the hits of a problem needs its queries, which the next one overwrites.
    end = len(found.problems)
    together = 1 if program.has_open_sets else end
    turn = np.zeros(end, np.int8)  # the next prime is 1: the first, 2: the second, 0: none, done
    turn[start:] = 1
    for prime in _PRIMES:
        _, is_good = found.numbers.modulo(prime)
        chosen = np.flatnonzero((turn > 0) & is_good[found.problems].all(axis=1) & is_good[found.targets])
        for at in range(0, len(chosen), together):
            part = chosen[at : at + together]
            is_first = prime == _PRIMES[0]
            done, zeros = _search_modulo(prime, program, found, part, work, may_stop=is_first)
            # Where no class can have a numerator as large as the prime, zero modulo the prime is zero.
            in_doubt = (zeros > 0) & (turn[part] == 1) & (found.bits[part] > 30.99)
            turn[part] = np.where(in_doubt, 2, 0)
            if is_first and found.is_full:
                end = int(part[done - 1]) + 1
                turn[end:] = 0
                break
        if not turn.any():
            return end
    for problem in np.flatnonzero(turn):
        bad = LimitError("the primes that divide a number or the target", len(_PRIMES), len(_PRIMES) - 2)
        found.refuse(problem, "numbers", bad)
    return end


def _search_modulo(
    prime: int, program: Program, found: Collector, part: Array, work: Workspace, *, may_stop: bool
) -> tuple[int, Array]:
    """Collect the hits of some problems modulo a prime.

    Returns how many of the problems were searched (all of them, unless it may stop when there are many hits), and for
    each the number of zeros met that matter.
    """
    import numpy as np

    from .scan import EXPLODED, FULL, scan_exact

    residues, _ = found.numbers.modulo(prime)
    numbers, targets = residues[found.problems[part]], residues[found.targets[part]]
    skipped = repeated_steps(program, found.twins[part])
    zeros = np.zeros(len(part), np.int64)
    size, start = min(found.room, _FIRST_ROWS), 0
    while start < len(part) and not (may_stop and found.is_full):
        hits = np.empty((size, 6), np.int32)
        status, count, stop = scan_exact(
            program.arrays, program.stored, numbers, targets, skipped, start, montgomery(prime), work, zeros, hits
        )
        found.collect(program, hits[:count], work.queries, part)
        if status == EXPLODED:
            found.refuse_hits(part[stop], class_counts(program.largest + 1).all)
            stop += 1
        elif status == FULL and stop == start:
            if size < found.room:
                size = min(found.room, 4 * size)
            else:
                found.refuse_hits(part[stop])
                stop += 1
        start = stop
    return start, zeros


def _search_near(found: Collector) -> Iterator[HitRows]:
    """Candidates found in floats, with some slack: each is checked exactly later."""
    import numpy as np

    from .scan import FULL, scan_near

    n = found.problems.shape[1]
    program = compile_program(n, n - 1)
    floats = found.numbers.floats
    is_finite = np.isfinite(floats[found.problems]).all(axis=1) & np.isfinite(floats[found.targets])
    for problem in np.flatnonzero(~is_finite):
        found.refuse(problem, "numbers", found.numbers.too_large([*found.problems[problem], found.targets[problem]]))
    every = np.flatnonzero(is_finite)
    numbers, targets = floats[found.problems[every]], floats[found.targets[every]]
    slack = np.empty((len(targets), 2))
    slack[:, 0] = float(found.tolerance) * (1 + 1e-9) + 1e-6 * abs(targets)
    slack[:, 1] = 1e-6
    values = np.empty(program.memory)
    queries = np.empty((5, 0), np.int32)
    size, start = min(found.room, _FIRST_ROWS), 0
    while start < len(every):
        hits = np.empty((size, 6), np.int32)
        status, count, stop = scan_near(program.arrays, program.stored, numbers, targets, slack, start, values, hits)
        found.collect(program, hits[:count], queries, every)
        if status == FULL and stop == start:
            if size < found.room:
                size = min(found.room, 4 * size)
            else:
                found.refuse_hits(every[stop])
                stop += 1
        start = stop
        if found.is_full and start < len(every):
            yield found.take()
    yield found.take()
