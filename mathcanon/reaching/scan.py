"""The compiled loops that run a `program.Program`: modulo a prime for exact search, in floats for a tolerance.

Modulo a prime p < 2^31 equal rationals have equal residues, so the search for an exact value misses nothing, has no
rounding to think about, and a query is one comparison: |y| (the smaller of y and p-y, as classes are up to sign)
equals the asked value.  All queries on a set go into one hash table, and each value of the set is looked up once.
Residues are kept in Montgomery form (a is held as a*2^32 mod p), where a product costs three multiplications and no
division, and 32-bit residues let the compiler use the widest registers.  The reciprocals of all sums with the same
number of operands are found together, with one inversion.  1/0 is 0 here: a hit that divides by zero is for the exact
check to refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from .program import ADD, INVERT, OVER_X, SUMS, TIMES, X_OVER, Workspace

__all__ = ["DONE", "EXPLODED", "FULL", "scan_exact", "scan_near"]

DONE, FULL, EXPLODED = 0, 1, 2  # how a scan ended: done; no room for hits; every class on an open set is a hit

Array = np.ndarray[Any, Any]
Residue = np.uint32
Program = tuple[Array, Array, Array]  # instructions, steps, links
Int = int | np.int64

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ANY = np.uint32(0xFFFFFFFF)  # a query that every value answers: 0 times anything is 0
_SHORT = 2  # so few are combined in a plain loop, because slices would cost more than they save
_SNAP = 1e-13  # a float sum that cancels further than this is taken for an exact zero


def _compiled(function: Callable[..., Any]) -> Any:
    try:
        return njit(function, cache=True, nogil=True, error_model="numpy")
    except RuntimeError:  # numba has no folder for its cache
        return njit(function, nogil=True, error_model="numpy")


@_compiled
def _times(a: Residue, b: Residue, p: Residue, p_inverse: Residue) -> Residue:
    """a*b/2^32 mod p (Montgomery); `p_inverse` is -1/p mod 2^32."""
    product = np.uint64(a) * np.uint64(b)
    fill = ((product & _LOW) * np.uint64(p_inverse)) & _LOW
    reduced = np.uint32((product + fill * np.uint64(p)) >> _HALF)
    return np.uint32(min(reduced, np.uint32(reduced - p)))


@_compiled
def _plus(a: Residue, b: Residue, p: Residue) -> Residue:
    total = np.uint32(a + b)
    return np.uint32(min(total, np.uint32(total - p)))


@_compiled
def _minus(a: Residue, b: Residue, p: Residue) -> Residue:
    difference = np.uint32(a - b)
    return np.uint32(min(difference, np.uint32(difference + p)))


@_compiled
def _magnitude(a: Residue, p: Residue) -> Residue:
    return np.uint32(min(a, np.uint32(p - a)))


@_compiled
def _inverse(a: Residue, one: Residue, p: Residue, p_inverse: Residue) -> Residue:
    """1/a by Fermat: a^(p-2)."""
    result, power = one, np.uint32(p - np.uint32(2))
    while power:
        if power & np.uint32(1):
            result = _times(result, a, p, p_inverse)
        a = _times(a, a, p, p_inverse)
        power = np.uint32(power >> np.uint32(1))
    return result


@_compiled
def _evaluate(
    values: Array, instructions: Array, first: Int, end: Int, one: Residue, p: Residue, p_inverse: Residue
) -> Int:
    """Run some instructions; return how many zeros were met where reciprocals are taken."""
    zeros, inverted = 0, first
    for row in range(first, end):
        opcode, out, x, x_length, y, y_length = instructions[row]
        if opcode == INVERT:
            if row >= inverted:
                inverted = row
                while inverted < end and instructions[inverted, 0] != SUMS:
                    inverted += 1
                zeros += _invert_all(values, instructions[row:inverted], one, p, p_inverse)
            continue
        if y_length <= _SHORT:
            for i in range(x_length):
                for j in range(y_length):
                    if opcode == SUMS:
                        values[out] = _plus(values[x + i], values[y + j], p)
                        values[out + y_length] = _minus(values[x + i], values[y + j], p)
                    else:
                        values[out] = _times(values[x + i], values[y + j], p, p_inverse)
                    out += 1
                out += y_length if opcode == SUMS else 0
            continue
        ys = values[y : y + y_length]
        for i in range(x_length):
            a = values[x + i]
            if opcode == SUMS:
                sums = values[out : out + y_length]
                differences = values[out + y_length : out + 2 * y_length]
                out += 2 * y_length
                for j in range(y_length):
                    sums[j] = _plus(a, ys[j], p)
                for j in range(y_length):
                    differences[j] = _minus(a, ys[j], p)
            else:
                products = values[out : out + y_length]
                out += y_length
                for j in range(y_length):
                    products[j] = _times(a, ys[j], p, p_inverse)
    return zeros


@_compiled
def _invert_all(values: Array, instructions: Array, one: Residue, p: Residue, p_inverse: Residue) -> Int:
    """Run all INVERT instructions among these with one inversion, as `_invert` does for one stretch."""
    running, zeros = one, 0
    for row in range(len(instructions)):
        opcode, out, x, length, _, _ = instructions[row]
        if opcode == INVERT:
            for i in range(length):
                values[out + i] = running
                if values[x + i]:
                    running = _times(running, values[x + i], p, p_inverse)
    running = _inverse(running, one, p, p_inverse)
    for row in range(len(instructions) - 1, -1, -1):
        opcode, out, x, length, _, _ = instructions[row]
        if opcode == INVERT:
            for i in range(length - 1, -1, -1):
                if values[x + i]:
                    values[out + i] = _times(values[out + i], running, p, p_inverse)
                    running = _times(running, values[x + i], p, p_inverse)
                else:
                    values[out + i] = np.uint32(0)
                    zeros += 1
    return zeros


@_compiled
def _invert(out: Array, source: Array, one: Residue, p: Residue, p_inverse: Residue) -> Int:
    """All reciprocals with one inversion: products up to each value, then back down; return the number of zeros."""
    running, zeros = one, 0
    for i in range(len(source)):
        out[i] = running
        if source[i]:
            running = _times(running, source[i], p, p_inverse)
    running = _inverse(running, one, p, p_inverse)
    for i in range(len(source) - 1, -1, -1):
        if source[i]:
            out[i] = _times(out[i], running, p, p_inverse)
            running = _times(running, source[i], p, p_inverse)
        else:
            out[i] = np.uint32(0)
            zeros += 1
    return zeros


@_compiled
def scan_exact(
    program: Program,
    stored: Int,
    numbers: Array,
    targets: Array,
    skipped: Array,
    start: Int,
    prime: Array,
    work: Workspace,
    zeros: Array,
    hits: Array,
) -> tuple[Int, Int, Int]:
    """Find the hits of problems from `start` on, as rows (problem, query on the open set, join, x, step, index).

    `skipped` has for each problem whether to leave out a step.
    `zeros` counts the zeros that each problem met in a place where they matter: as divisors, or as a value asked for.
    Returns how it ended, the number of hits, and the problem to resume with, whose own hits are not included.
    """
    instructions, steps, links = program
    values, asked, queries = work.values, work.asked, work.queries
    p, p_inverse, one = prime[0], prime[1], prime[2]
    n = numbers.shape[1]
    nothing, count = np.int64(0), np.int64(0)  # typed, or numba compiles the callees a second time for literals
    bounds = np.zeros((len(steps) + 1, 2), np.int64)
    for problem in range(start, len(numbers)):
        before = count
        for i in range(n):
            values[i] = numbers[problem, i]
        zeros[problem] += _evaluate(values, instructions, nothing, stored, one, p, p_inverse)
        asked[0, 0] = _magnitude(targets[problem], p)
        asked[1, 0] = _inverse(asked[0, 0], one, p, p_inverse)
        queries[3, 0] = 7
        bounds[0, 0], bounds[0, 1] = 0, 1
        open_sets, begin = 1, np.int64(1)
        for step in range(len(steps)):
            if skipped[problem, step]:
                continue
            is_open = steps[step, 0]
            met = zeros[problem : problem + 1]
            end = _ask(links[steps[step, 4] : steps[step, 5]], is_open, bounds, work, begin, met, p, p_inverse)
            if end < 0:
                return EXPLODED, before, problem
            if is_open:
                bounds[open_sets, 0], bounds[open_sets, 1] = begin, end
                open_sets += 1
                for query in range(begin, end):
                    asked[1, query] = _inverse(asked[0, query], one, p, p_inverse)
                begin = end
            elif begin < end:
                _evaluate(values, instructions, steps[step, 2], steps[step, 3], one, p, p_inverse)
                first = count
                count = _match(work, steps[step, 1], begin, end, p, hits, count)
                if count < 0:
                    return FULL, before, problem
                for i in range(first, count):
                    query = hits[i, 0]
                    hits[i, 5] = hits[i, 1]
                    hits[i, 4] = step
                    hits[i, 0] = problem
                    for column in range(3):
                        hits[i, column + 1] = queries[column, query]
    return DONE, count, len(numbers)


@_compiled
def _ask(
    links: Array, is_open: Int, bounds: Array, work: Workspace, end: Int, zeros: Array, p: Residue, p_inverse: Residue
) -> Int:
    """Append the queries on a set that follow from those on its open supersets; return the new end, -1 if exploded."""
    values, asked, queries = work.values, work.asked, work.queries
    for row in range(len(links)):
        join, needs, x, length = links[row, 1], links[row, 2], links[row, 3], links[row, 5]
        factor = links[row, 4] if join == TIMES else x
        low, high = (links[row, 6], 0) if is_open else (links[row, 7], links[row, 8])
        for query in range(bounds[links[row, 0], 0], bounds[links[row, 0], 1]):
            if not queries[3, query] & needs:
                continue
            q = asked[0, query]
            q_factor = asked[1, query] if join == X_OVER else q
            for i in range(length):
                value = values[factor + i]
                second = _ANY
                if join == ADD:
                    second = _magnitude(_plus(q, value, p), p)
                    value = _magnitude(_minus(q, value, p), p)
                elif value == 0:
                    if q or join == OVER_X:
                        continue
                    if is_open:
                        return -1
                    value = _ANY
                elif q == 0 and join == X_OVER:
                    zeros[0] += query > 0  # the first query is the target, a true zero
                    continue
                else:
                    value = _magnitude(_times(value, q_factor, p, p_inverse), p)
                for wanted in (value, second):
                    asked[0, end] = wanted
                    queries[0, end], queries[1, end], queries[2, end] = query, join, x + i
                    queries[3, end], queries[4, end] = low, high
                    end += 1
                    if join != ADD or second == value:
                        break
    return end


@_compiled
def _match(work: Workspace, address: Int, begin: Int, end: Int, p: Residue, hits: Array, count: Int) -> Int:
    """Append (query, index) for each value that answers a query; -1 if there is no room."""
    values, wanted, lows, highs = work.values, work.asked[0], work.queries[3], work.queries[4]
    size = 256
    while size < 2 * (end - begin):
        size *= 2
    mask = np.uint32(size - 1)
    heads = work.table[0, :size]
    chain = work.table[1]
    for slot in range(size):
        heads[slot] = -1
    low, high = highs[begin], 0
    for query in range(begin, end):
        if wanted[query] == _ANY:
            for index in range(lows[query], highs[query]):
                if count == len(hits):
                    return -1
                hits[count, 0], hits[count, 1] = query, index
                count += 1
        else:
            slot = wanted[query] & mask
            chain[query - begin] = heads[slot]
            heads[slot] = query - begin
            low, high = min(low, lows[query]), max(high, highs[query])
    for index in range(low, high):
        value = _magnitude(values[address + index], p)
        entry = heads[value & mask]
        while entry >= 0:
            query = begin + entry
            if wanted[query] == value and lows[query] <= index < highs[query]:
                if count == len(hits):
                    return -1
                hits[count, 0], hits[count, 1] = query, index
                count += 1
            entry = chain[entry]
    return count


@_compiled
def _evaluate_floats(values: Array, instructions: Array, first: Int, end: Int) -> None:
    for row in range(first, end):
        opcode, out, x, x_length, y, y_length = instructions[row]
        if opcode == INVERT:
            for i in range(x_length):
                values[out + i] = 1.0 / values[x + i]
            continue
        for i in range(x_length):
            a = values[x + i]
            for j in range(y_length):
                b = values[y + j]
                if opcode == SUMS:
                    least = _SNAP * (abs(a) + abs(b))
                    values[out + j] = a + b if abs(a + b) > least else 0.0
                    values[out + y_length + j] = a - b if abs(a - b) > least else 0.0
                else:
                    values[out + j] = a * b
            out += 2 * y_length if opcode == SUMS else y_length


@_compiled
def scan_near(
    program: Program, stored: Int, numbers: Array, targets: Array, slack: Array, start: Int, values: Array, hits: Array
) -> tuple[Int, Int, Int]:
    """As `scan_exact`, for values within slack[problem, 0] + slack[problem, 1] * (sizes of x and y) of the target.

    The program must have one open set, the whole.
    """
    instructions, steps, links = program
    n = numbers.shape[1]
    nothing, count = np.int64(0), np.int64(0)
    for problem in range(start, len(numbers)):
        before = count
        for i in range(n):
            values[i] = numbers[problem, i]
        _evaluate_floats(values, instructions, nothing, stored)
        target = abs(targets[problem])
        absolute, relative = slack[problem, 0], slack[problem, 1]
        for step in range(len(steps)):
            _, address, first_instruction, end_instruction, first_link, end_link = steps[step]
            _evaluate_floats(values, instructions, first_instruction, end_instruction)
            for row in range(first_link, end_link):
                _, join, _, x, x_inverse, length, _, low, high = links[row]
                for i in range(length):
                    a = values[x_inverse + i] if join == OVER_X else values[x + i]
                    for index in range(low, high):
                        b = values[address + index]
                        if join == ADD:
                            near = absolute + relative * (abs(a) + abs(b))
                            away = min(abs(abs(a + b) - target), abs(abs(a - b) - target))
                        else:
                            value = abs(a / b) if join == X_OVER else abs(a * b)
                            near = absolute + relative * value
                            away = abs(value - target)
                        if away <= near and near < np.inf:
                            if count == len(hits):
                                return FULL, before, problem
                            hits[count, 0], hits[count, 1], hits[count, 2] = problem, 0, join
                            hits[count, 3], hits[count, 4], hits[count, 5] = x + i, step, index
                            count += 1
    return DONE, count, len(numbers)
