"""Hits as columns, and their collector: hits of the scan are traced, checked exactly, and kept once each.

A hit is kept if its steps give the target in exact integers: 64 bits where they fit, Python's integers otherwise.  Of
hits that are one class of a problem (with names: one function), the first that the scan meets is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..errors import LimitError
from .number_table import NAME_PRIMES, Numbers, montgomery, name_residues
from .program import ADD, INT64, MINUS, PLACE_BITS, Program
from .shapes import Pair, evaluate_codes

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["Collector", "HitRows", "Names", "Refusal"]

Reason = Literal["hits", "memory", "numbers"]  # too many hits, too little memory for any search, a number too large

_BLOCK = 1 << 17  # hits that are traced and checked at a time


class Names(NamedTuple):
    """The operands of each problem by name: `rows` has indices into `names`."""

    names: Sequence[str]
    rows: Array


class Refusal(NamedTuple):
    """Why a problem has no hits: a limit was met."""

    reason: Reason
    error: LimitError


class HitRows(NamedTuple):
    """Hits as columns, those of one problem next to each other."""

    problem: Array  # index of the problem
    codes: Array  # the steps, see `trace`
    sign: Array  # of the steps: 1 or -1
    function: Array | None  # with names: a number that equal functions of the names share, in this process
    values: list[Fraction] | None  # with a tolerance; else the value is the target
    refused: dict[int, Refusal]  # the problems that met a limit, by index


class Collector:
    """Collects the hits of some problems: traced, checked exactly, each once."""

    def __init__(
        self,
        numbers: Numbers,
        problems: Array,
        targets: Array,
        names: Names | None,
        tolerance: Fraction,
        room: int,
    ) -> None:
        import numpy as np

        self.numbers, self.problems, self.targets, self.tolerance = numbers, problems, targets, tolerance
        self.names = names
        self.twins = np.zeros_like(problems) + np.arange(problems.shape[1])  # for each the first that is the same
        if names is not None:
            same = names.rows * len(numbers.values) + problems
            for i in range(problems.shape[1] - 1, -1, -1):
                self.twins[same == same[:, i : i + 1]] = i
        self.room = room  # for the hits of one problem
        self.bits = numbers.bits[problems].sum(axis=1) + problems.shape[1] - 1  # of numerators, at most
        self._parts: list[HitRows] = []
        self._refused: dict[int, Refusal] = {}
        if names is not None:
            residues = [name_residues(name) for name in names.names]
            self._residues = np.array(residues, np.uint32).reshape(-1, len(NAME_PRIMES)).T.copy()

    def collect(self, program: Program, hits: Array, queries: Array, which: Array) -> None:
        """Trace rows of hits and keep those that are right; `which` has the indices of their problems."""
        for at in range(0, len(hits), _BLOCK):
            self._collect_block(program, hits[at : at + _BLOCK], queries, which)

    def _collect_block(self, program: Program, hits: Array, queries: Array, which: Array) -> None:
        import numpy as np

        from .trace import trace

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
        self._parts.append(_once(HitRows(problem, codes, sign, function, values, {})))

    def refuse(self, problem: Any, reason: Reason, error: LimitError) -> None:
        """Record that a problem met a limit."""
        self._refused[int(problem)] = Refusal(reason, error)

    def refuse_hits(self, problem: Any, least: int = 0) -> None:
        """Record that a problem has more hits than there is room for, at least so many."""
        size, hint = max(least, self.room + 1), "give fewer numbers or more memory"
        self.refuse(problem, "hits", LimitError("the number of hits", size, self.room, hint=hint))

    @property
    def is_full(self) -> bool:
        """Whether the hits that were kept should be handed over before more problems are searched."""
        return sum([len(part.problem) for part in self._parts]) > self.room // 4

    def take(self) -> HitRows:
        """The hits kept since the last call, without those of refused problems; what both primes found occurs once."""
        import numpy as np

        parts, refused = self._parts, self._refused
        self._parts, self._refused = [], {}
        if len(parts) == 1:
            return _without(parts[0], refused)
        parts = [_nothing(self.problems.shape[1]), *parts]
        function = None if self.names is None else np.concatenate([part.function for part in parts])
        hits = HitRows(
            np.concatenate([part.problem for part in parts]),
            np.concatenate([part.codes for part in parts]),
            np.concatenate([part.sign for part in parts]),
            function,
            [value for part in parts for value in part.values or ()] if self.tolerance else None,
            {},
        )
        return _without(_once(hits), refused)

    def _checked(self, problem: Array, codes: Array) -> tuple[Array, Array, list[Fraction] | None]:
        """Which hits have the right value in exact arithmetic, their signs, and with a tolerance their values."""
        import numpy as np

        from .trace import FITS_NOT, judge, run_exact

        pairs = np.empty((len(codes), 2), np.int64)
        run_exact(codes, problem, self.problems, self.numbers.pairs, pairs)
        slack, unit = self.tolerance.numerator, self.tolerance.denominator
        found = np.full(len(codes), FITS_NOT, np.uint8)
        if max(slack, unit) < INT64:
            judge(codes, pairs, self.targets[problem], self.numbers.pairs, self.numbers.heights, slack, unit, found)
        is_right = found[:, None] & np.array([[1, 2]], np.uint8) != 0
        is_large = found == FITS_NOT
        large: dict[int, Pair] = {}
        for hit in np.flatnonzero(is_large).tolist():
            above, below = large[hit] = self._large_pair(problem[hit], codes[hit])
            is_polar = bool((codes[hit] >> 2 * PLACE_BITS == MINUS).any())
            is_right[hit, 0] = self._is_near(above, below, problem[hit])
            is_right[hit, 1] = is_polar and self._is_near(-above, below, problem[hit])
        chosen, is_minus = np.nonzero(is_right)
        sign = (1 - 2 * is_minus).astype(np.int8)
        if not self.tolerance:
            return chosen, sign, None
        values = [self.numbers.values[i] for i in self.targets[problem[chosen]].tolist()]
        for k, hit in enumerate(chosen.tolist()):
            above, below = large[hit] if hit in large else pairs[hit].tolist()
            if int(sign[k]) * above * values[k].denominator != values[k].numerator * below:
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
        np.zeros(0, np.int64), np.zeros((0, n - 1), np.uint16), np.zeros(0, np.int8), np.zeros(0, np.uint64), None, {}
    )


def _without(hits: HitRows, refused: dict[int, Refusal]) -> HitRows:
    """The hits without those of the refused problems."""
    import numpy as np

    if not refused:
        return hits
    return _chosen(hits, np.flatnonzero(~np.isin(hits.problem, list(refused))), refused)


def _chosen(hits: HitRows, rows: Array, refused: dict[int, Refusal]) -> HitRows:
    return HitRows(
        hits.problem[rows],
        hits.codes[rows],
        hits.sign[rows],
        None if hits.function is None else hits.function[rows],
        None if hits.values is None else [hits.values[i] for i in rows.tolist()],
        refused,
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
    return _chosen(hits, first, hits.refused)
