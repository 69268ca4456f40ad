"""The flat program that evaluates every class on every subset of n operands.

A class on a set S of operands splits in exactly one way at its top: the block B that holds the smallest operand,
and the rest R.  With sums S, products without divisors M, and products with divisors, D, and their inverses I:

    S = p+c, p-c for p in M|D|I(B), c in S|M|D|I(R)        M = s*r for s in S(B), r in S|M(R)
    D = s/r for r in S|M(R), s*r for r in D|I(R)           I = 1/D          (an operand can take any of the roles)

so each class is listed once, up to sign: 1, 5, 47, 733, 15907, 443825 on 1..6 operands.  Only subsets of up to
`largest` operands are evaluated.  A larger set is *open*: instead of values it has queries, which are values that
one of its classes should have.  A `link` turns a query on an open set into queries on its larger part, given each
value of the smaller (target minus block, target over block...).  The structure depends on n alone, so
it is compiled once for each n.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Program", "Workspace", "class_counts", "compile_program", "repeated_steps", "values_needed"]

SUMS, PRODUCTS, INVERT = 0, 1, 2  # opcodes of instructions: x+y and x-y; x*y; 1/x
ADD, TIMES, OVER_X, X_OVER = 0, 1, 2, 3  # how a hit joins x and y: x+y or x-y, x*y, y/x, x/y
SUM, MUL, RATIO = 1, 2, 4  # kinds of classes, as bits
PLUS, MINUS, MULTIPLY, DIVIDE = 0, 1, 2, 3  # operators of the steps that a hit is traced to
PLACE_BITS = 5  # bits of a place in those steps: at most 9 operands and 8 results
INT64 = 4.6e18  # numerators and denominators below this, about 2^62, are computed in 64 bits

Range = tuple[int, int, int]  # of a stretch of values: their address, their reciprocals' address (-1: none), length
Instruction = tuple[int, int, int, int, int, int]  # opcode, out, x, length of x, y, length of y


class Workspace(NamedTuple):
    """Memory for a search modulo a prime, allocated once for all its problems."""

    values: np.ndarray[Any, Any]  # uint32: the results of the instructions
    asked: np.ndarray[Any, Any]  # uint32, two rows: the value that a query asks for, and its reciprocal
    queries: np.ndarray[Any, Any]  # int32, five rows: query it comes from, join, address of x, range of values it asks
    table: np.ndarray[Any, Any]  # int32, two rows: a hash table of what is asked for, and its chains


class Link(NamedTuple):
    """Queries on an open set -> queries on its larger part."""

    open_set: int
    join: int
    needs: int  # kinds the query must ask for
    x: int
    x_inverse: int
    length: int
    kinds: int  # of the larger part, and where they lie within its values
    start: int
    stop: int


class ProgramStep(NamedTuple):
    """A set of operands to query: an open one, or one whose values are (or will be) at `address`."""

    mask: int
    is_open: int
    address: int
    first_instruction: int
    end_instruction: int
    first_link: int
    end_link: int


class Program(NamedTuple):
    """What to run for n operands: instructions, and the steps that query their results."""

    n: int
    largest: int
    memory: int  # how many values it needs room for
    queries: int  # the most queries at any time
    stored: int  # how many instructions are run before any step
    instructions: list[Instruction]
    steps: list[ProgramStep]
    links: list[Link]
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray]

    @property
    def has_open_sets(self) -> bool:
        """Whether there are open sets besides the whole set, so that a hit has several joins."""
        return self.largest < self.n - 1


class Counts(NamedTuple):
    """How many classes of each kind there are on k operands."""

    sums: int
    products: int
    ratios: int  # of each of the two halves, D and I

    @property
    def all(self) -> int:
        return self.sums + self.products + 2 * self.ratios


@cache
def class_counts(k: int) -> Counts:
    """The number of sum, product and ratio classes on k operands; an operand counts as a sum.

    >>> [class_counts(k).all for k in range(1, 7)]
    [1, 5, 47, 733, 15907, 443825]
    """
    if k == 1:
        return Counts(1, 0, 0)
    sums = products = ratios = 0
    for b in range(1, k):
        ways, block, rest = comb(k - 1, b - 1), class_counts(b), class_counts(k - b)
        in_sum = 1 if b == 1 else block.products + 2 * block.ratios
        sums += ways * 2 * in_sum * rest.all
        products += ways * block.sums * (rest.sums + rest.products)
        ratios += ways * block.sums * (rest.sums + rest.products + 2 * rest.ratios)
    return Counts(sums, products, ratios)


@cache
def compile_program(n: int, largest: int) -> Program:
    """The program for n >= 2 operands that evaluates subsets of up to `largest` < n operands.

    `largest` must be more than half of n, so that the smaller part of a split is always evaluated.
    """
    if not n // 2 < max(largest, 2) <= max(n - 1, 2):
        raise ValueError(f"no program for {n} operands with sets of up to {largest}")
    import numpy as np

    layout = _Layout(n, largest)
    instructions: list[Instruction] = [(INVERT, n, 0, n, 0, 0)]
    by_size = sorted(range(1, 1 << n), key=lambda mask: (mask.bit_count(), mask))
    for size in range(2, largest):
        masks = [mask for mask in by_size if mask.bit_count() == size]
        for mask in masks:
            instructions.extend(_evaluate(layout, mask))
        for mask in masks:  # after all values of this size, because the scan inverts them together
            instructions.extend(_reciprocals(layout, mask))
    open_sets = [mask for mask in reversed(by_size) if mask.bit_count() > largest]
    number = {mask: i for i, mask in enumerate(open_sets)}
    asked = [1] + [0] * (len(open_sets) - 1)
    steps: list[ProgramStep] = []
    links: list[Link] = []
    stored, most = len(instructions), 0
    for mask in reversed(by_size[:-1]):
        size = mask.bit_count()
        first = len(instructions), len(links)
        for whole in open_sets:
            if mask & ~whole == 0 and _is_larger_part(mask, whole):
                links.extend(_links(layout, number[whole], whole, mask))
        if len(links) == first[1]:
            continue
        if size == largest > 1:
            instructions.extend(_evaluate(layout, mask))
        queries = sum(asked[link.open_set] * link.length * (2 if link.join == ADD else 1) for link in links[first[1] :])
        most = max(most, queries)
        if mask in number:
            asked[number[mask]] = queries
        address = -1 if mask in number else layout.address(mask)
        steps.append(ProgramStep(mask, int(mask in number), address, first[0], len(instructions), first[1], len(links)))
    arrays = (
        np.array(instructions, dtype=np.int64),
        np.array([(*step[1:],) for step in steps], dtype=np.int64),
        np.array(links, dtype=np.int64),
    )
    return Program(n, largest, layout.memory, sum(asked) + most, stored, instructions, steps, links, arrays)


def values_needed(n: int, largest: int) -> int:
    """How many values the program for these sizes needs room for, found without compiling it.

    >>> values_needed(9, 6)
    3825299
    """
    return _Layout(n, largest).memory


def repeated_steps(program: Program, twins: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each row of `twins` and each step, whether the step finds nothing but what an earlier one has found.

    `twins` has for each operand the first that is the same.  Exchanging such operands turns a hit into one that is
    written alike, and a step into any other on the same operands.  If the smallest operand changes sides by that, the
    hit may split elsewhere at its top, but then into a larger set, and steps go from large sets to small ones.  Among
    sets of a size, those without the smallest operand come first.  Below open sets no step is left out.
    """
    import numpy as np

    rows, which = np.unique(twins @ (1 << 4 * np.arange(program.n)), return_inverse=True)
    found = [_repeated(program.n, program.largest, coded) for coded in rows.tolist()]
    return np.array(found, bool)[which]


@lru_cache(maxsize=4096)
def _repeated(n: int, largest: int, twins: int) -> list[bool]:
    program = compile_program(n, largest)
    if program.has_open_sets:
        return [False] * len(program.steps)
    sets = [sorted([twins >> 4 * i & 15 for i in range(n) if step.mask >> i & 1]) for step in program.steps]
    return [operands in sets[:number] for number, operands in enumerate(sets)]


class _Layout:
    """Where the values of each set lie: sums, products, ratios, inverse ratios; and the reciprocals of the first two.

    Operands come first, then the sets by size.  The reciprocals of the sets of a size follow the values of all of them.
    The largest sets, needed one at a time, share the last stretch.
    """

    def __init__(self, n: int, largest: int) -> None:
        self.n, self.largest = n, largest
        self._addresses: dict[int, int] = {}
        self._inverses: dict[int, int] = {}
        end = 2 * n
        for size in range(2, largest):
            counts = class_counts(size)
            masks = [mask for mask in range(1, 1 << n) if mask.bit_count() == size]
            for places, length in ((self._addresses, counts.all), (self._inverses, counts.sums + counts.products)):
                places.update(zip(masks, range(end, end + length * len(masks), length), strict=True))
                end += length * len(masks)
        self._shared = end
        self.memory = self._shared + (class_counts(largest).all if largest > 1 else 0)

    def address(self, mask: int) -> int:
        if mask.bit_count() == 1:
            return mask.bit_length() - 1
        return self._addresses.get(mask, self._shared)

    def of_kinds(self, mask: int, kinds: int) -> list[Range]:
        """The stretches of values of these kinds; an operand is of every kind but RATIO alone."""
        at = self.address(mask)
        if mask.bit_count() == 1:
            return [] if kinds == RATIO else [(at, at + self.n, 1)]
        sums, products, ratios = class_counts(mask.bit_count())
        inverse = self._inverses.get(mask, -1)
        found = []
        if kinds & SUM:
            found.append((at, inverse, sums))
        if kinds & MUL:
            found.append((at + sums, inverse + sums, products))
        if kinds & RATIO:
            d, i = at + sums + products, at + sums + products + ratios
            found += [(d, i, ratios), (i, d, ratios)]
        return found

    def whole(self, mask: int, kinds: int) -> tuple[int, int]:
        """The address and length of the values of these kinds, which lie side by side."""
        ranges = self.of_kinds(mask, kinds)
        return (ranges[0][0], sum(r[2] for r in ranges)) if ranges else (0, 0)


def _splits(mask: int) -> Iterator[tuple[int, int]]:
    """Each way to split a set in two, the part with the smallest operand first."""
    smallest = mask & -mask
    rest = mask ^ smallest
    part = rest
    while part:
        yield mask ^ part, part
        part = (part - 1) & rest


def _evaluate(layout: _Layout, mask: int) -> Iterator[Instruction]:
    """The values of a set."""
    out = layout.address(mask)

    def run(opcode: int, x: tuple[int, int], y: tuple[int, int]) -> Iterator[Instruction]:
        nonlocal out
        if x[1] and y[1]:
            yield _instruction(opcode, out, x, y)
            out += x[1] * y[1] * (2 if opcode == SUMS else 1)

    plain = SUM | MUL
    for block, rest in _splits(mask):
        yield from run(SUMS, layout.whole(block, MUL | RATIO), layout.whole(rest, SUM | MUL | RATIO))
    for block, rest in _splits(mask):
        yield from run(PRODUCTS, layout.whole(block, SUM), layout.whole(rest, plain))
    for inverted in (False, True):
        for block, rest in _splits(mask):
            for s, s_inverse, s_length in layout.of_kinds(block, SUM):
                for r, r_inverse, r_length in _merged(layout.of_kinds(rest, plain)):
                    x, y = (s_inverse, r) if inverted else (s, r_inverse)
                    yield from run(PRODUCTS, (x, s_length), (y, r_length))
                for r, r_inverse, r_length in layout.of_kinds(rest, RATIO):
                    x, y = (s_inverse, r_inverse) if inverted else (s, r)
                    yield from run(PRODUCTS, (x, s_length), (y, r_length))


def _reciprocals(layout: _Layout, mask: int) -> Iterator[Instruction]:
    """The reciprocals of the sums and products of a set."""
    address, out, length = layout.of_kinds(mask, SUM)[0]
    yield INVERT, out, address, length, 0, 0
    out += length
    for block, rest in _splits(mask):
        for _, s_inverse, s_length in layout.of_kinds(block, SUM):
            for _, r_inverse, r_length in _merged(layout.of_kinds(rest, SUM | MUL)):
                yield _instruction(PRODUCTS, out, (s_inverse, s_length), (r_inverse, r_length))
                out += s_length * r_length


def _instruction(opcode: int, out: int, x: tuple[int, int], y: tuple[int, int]) -> Instruction:
    if x[1] > y[1]:
        x, y = y, x  # the inner loop runs over the longer one
    return opcode, out, *x, *y


def _merged(ranges: list[Range]) -> list[Range]:
    """Neighbouring stretches of sums and products as one."""
    return [(ranges[0][0], ranges[0][1], sum(r[2] for r in ranges))]


def _is_larger_part(part: int, whole: int) -> bool:
    other = whole ^ part
    sizes = part.bit_count(), other.bit_count()
    return bool(other) and (sizes[0] > sizes[1] or (sizes[0] == sizes[1] and not part & (whole & -whole)))


def _links(layout: _Layout, number: int, whole: int, part: int) -> Iterator[Link]:
    other = whole ^ part
    plain, every = SUM | MUL, SUM | MUL | RATIO

    def link(join: int, needs: int, x_kinds: int, y_kinds: int) -> Iterator[Link]:
        start, length = 0, 1
        if part.bit_count() <= layout.largest:
            start, length = layout.whole(part, y_kinds)
            start -= layout.address(part)
        for x, x_inverse, x_length in layout.of_kinds(other, x_kinds):
            if length and x_length:
                yield Link(number, join, needs, x, x_inverse, x_length, y_kinds, start, start + length)

    if other & (whole & -whole):  # x is the block of the smallest operand, y the rest
        yield from link(ADD, SUM, MUL | RATIO, every)
        yield from link(TIMES, MUL, SUM, plain)
        yield from link(TIMES, RATIO, SUM, RATIO)
        yield from link(OVER_X, RATIO, SUM, every)
        yield from link(X_OVER, RATIO, SUM, plain)
    else:
        yield from link(ADD, SUM, every, MUL | RATIO)
        yield from link(TIMES, MUL, plain, SUM)
        yield from link(OVER_X, RATIO, plain, SUM)
        yield from link(X_OVER, RATIO, plain, SUM)
        yield from link(TIMES, RATIO, RATIO, SUM)
        yield from link(X_OVER, RATIO, RATIO, SUM)
