"""The compiled way back from hits: each is traced to the binary steps that make it, and those are run.

A hit is a place in the program; its steps are found by asking which instruction wrote an address, and going on with
the addresses it read.  A step is one 16-bit code: the operator, and the places of its two operands; operands come
first, and each result gets the next place.  So an expression on n operands is n-1 codes.  Run on exact 64-bit
numerators and denominators they prove a hit; run on residues of names they identify its function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import ADD, DIVIDE, INT64, INVERT, MINUS, MULTIPLY, OVER_X, PLACE_BITS, PLUS, SUMS, TIMES
from .scan import Int, Program, _compiled, _invert, _minus, _plus, _times

__all__ = ["FITS_NOT", "judge", "run_exact", "run_modulo", "trace"]

FITS_NOT = 4  # a hit that can't be judged in 64 bits

_PLACE = (1 << PLACE_BITS) - 1
_LEAF = -1

Array = np.ndarray[Any, Any]


@_compiled
def trace(program: Program, stored: Int, n: Int, queries: Array, hits: Array, rows: Array, codes: Array) -> Int:
    """Trace hits (see `scan_exact`) to steps; return the number of traced hits.

    A sum leaves open whether x and y are added or subtracted, as y is known up to sign: both are given, next to each
    other.  `rows` gets the row of the hit, `codes` its steps.  `queries` are those of the scan.
    """
    instructions, steps, _ = program
    nothing, count = np.int64(0), np.int64(0)
    places = np.empty(2, np.int64)  # of x and y
    sums = np.empty(n, np.int64)  # which steps are joins that add
    room = np.empty((4, 2 * n), np.int64)
    for row in range(len(hits)):
        code, step, added = codes[count], hits[row, 4], 0
        first, end = steps[step, 2], steps[step, 3]
        if first == end:
            first, end = nothing, stored
        address = steps[step, 1] + hits[row, 5]
        made = _trace_value(instructions, stored, n, address, first, end, code, nothing, places[1:], room)
        query, join, x = hits[row, 1], hits[row, 2], np.int64(hits[row, 3])
        while True:
            made = _trace_value(instructions, stored, n, x, nothing, stored, code, made, places, room)
            left, right = places
            if join == OVER_X:
                left, right = right, left
            operator = PLUS if join == ADD else MULTIPLY if join == TIMES else DIVIDE
            code[made] = (operator << (2 * PLACE_BITS)) | (left << PLACE_BITS) | right
            if join == ADD:
                sums[added] = made
                added += 1
            places[1] = n + made
            made += 1
            if query <= 0:
                break
            join, x, query = queries[1, query], np.int64(queries[2, query]), queries[0, query]
        for variant in range(1 << added):
            codes[count] = code
            for k in range(added):
                if variant >> k & 1:
                    codes[count, sums[k]] |= MINUS << (2 * PLACE_BITS)
            rows[count] = row
            count += 1
    return count


@_compiled
def _trace_value(
    instructions: Array,
    stored: Int,
    n: Int,
    address: Int,
    first: Int,
    end: Int,
    code: Array,
    made: Int,
    place: Array,
    room: Array,
) -> Int:
    """Append the steps that make the value at an address, written by one of some instructions.

    place[0] becomes the place of the value; returns the new number of steps.
    """
    # For a leaf `lefts` has its operand, else the node of the left part; the right part is the next node.
    addresses, operators, lefts, inverted = room[0], room[1], room[2], room[3]
    nodes = 1
    addresses[0] = address
    for node in range(2 * n):  # parts come after what is made of them
        if node == nodes:
            break
        at = addresses[node]
        operators[node], lefts[node], inverted[node] = _LEAF, at, 0
        while at >= n:
            low, high = first, end
            while high - low > 1:  # the last instruction that writes at or before the address
                middle = (low + high) // 2
                if instructions[middle, 1] <= at:
                    low = middle
                else:
                    high = middle
            opcode, out, x, _, y, y_length = instructions[low]
            offset = at - out
            first, end = 0, stored
            if opcode == INVERT:
                inverted[node] ^= 1
                at = x + offset
                lefts[node] = at
                continue
            operators[node] = MULTIPLY
            width = y_length
            if opcode == SUMS:
                width = 2 * y_length
                operators[node] = PLUS if offset % width < y_length else MINUS
            lefts[node] = nodes
            addresses[nodes] = x + offset // width
            addresses[nodes + 1] = y + offset % width % y_length
            nodes += 2
            break
    for node in range(nodes - 1, -1, -1):
        operator, left = operators[node], lefts[node]
        if operator == _LEAF:
            addresses[node] = left  # from here on the place of the result
            continue
        right = left + 1
        if operator == MULTIPLY and inverted[left] != inverted[right]:
            operator = DIVIDE
            if inverted[left]:
                left, right = right, left
        elif operator == MULTIPLY and inverted[left]:
            inverted[node] ^= 1
        code[made] = (operator << (2 * PLACE_BITS)) | (addresses[left] << PLACE_BITS) | addresses[right]
        addresses[node] = n + made
        made += 1
    place[0] = addresses[0]
    return made


@_compiled
def _decoded(code: Int) -> tuple[Int, Int, Int]:
    return code >> (2 * PLACE_BITS), (code >> PLACE_BITS) & _PLACE, code & _PLACE


@_compiled
def run_exact(codes: Array, problems: Array, numbers: Array, pairs: Array, out: Array) -> None:
    """Numerators and denominators of traced hits; (0, 0) for a division by zero, (1, 0) if 64 bits overflow.

    `problems` has the row of `numbers` for each hit: indices into `pairs`, where (0, 0) is a number that does not fit.
    """
    n = numbers.shape[1]
    above = np.empty(2 * n, np.int64)
    below = np.empty(2 * n, np.int64)
    for hit in range(len(codes)):
        fits = True
        for i in range(n):
            index = numbers[problems[hit], i]
            above[i], below[i] = pairs[index, 0], pairs[index, 1]
            fits = fits and below[i] != 0
        for k in range(n - 1):
            operator, i, j = _decoded(np.int64(codes[hit, k]))
            a, b, c, d = above[i], below[i], above[j], below[j]
            fits = fits and 2.0 * max(abs(a), abs(b)) * max(abs(c), abs(d)) < INT64
            if operator == PLUS:
                a, b = a * d + c * b, b * d
            elif operator == MINUS:
                a, b = a * d - c * b, b * d
            elif operator == MULTIPLY:
                a, b = a * c, b * d
            elif c == 0:
                a, b = np.int64(0), np.int64(0)
            else:
                a, b = a * d, b * c
            above[n + k], below[n + k] = a, b
        out[hit, 0], out[hit, 1] = above[2 * n - 2], below[2 * n - 2]
        if not fits:
            out[hit, 0], out[hit, 1] = 1, 0


@_compiled
def judge(
    codes: Array, values: Array, targets: Array, pairs: Array, heights: Array, slack: Int, unit: Int, out: Array
) -> None:
    """Which hits are at most slack/unit from their target: 1 for the value, 2 for its opposite, or FITS_NOT.

    `values` are those of `run_exact`.  The opposite counts only if it can be written, that is if something is
    subtracted.
    """
    for hit in range(len(codes)):
        a, b = values[hit, 0], values[hit, 1]
        c, d = pairs[targets[hit], 0], pairs[targets[hit], 1]
        out[hit] = 0
        if (a and not b) or 2.0 * max(abs(a), abs(b)) * heights[targets[hit]] * max(slack, unit) >= INT64:
            out[hit] = FITS_NOT
            continue
        room = slack * abs(b * d)
        if not b:
            continue
        if abs(a * d - c * b) * unit <= room:
            out[hit] = 1
        if abs(a * d + c * b) * unit <= room:
            for k in range(codes.shape[1]):
                if codes[hit, k] >> (2 * PLACE_BITS) == MINUS:
                    out[hit] |= 2
                    break


@_compiled
def run_modulo(codes: Array, problems: Array, names: Array, residues: Array, prime: Array, out: Array) -> None:
    """The residues of traced hits, where the operands are residues[names[problem]], in Montgomery form."""
    p, p_inverse, one = prime[0], prime[1], prime[2]
    n = names.shape[1]
    above = np.empty(2 * n, np.uint32)
    below = np.empty(2 * n, np.uint32)
    divisors = np.empty(len(codes), np.uint32)
    for hit in range(len(codes)):
        for i in range(n):
            above[i], below[i] = residues[names[problems[hit], i]], one
        for k in range(n - 1):
            operator, i, j = _decoded(np.int64(codes[hit, k]))
            a, b, c, d = above[i], below[i], above[j], below[j]
            if operator == DIVIDE:
                above[n + k] = _times(a, d, p, p_inverse)
                below[n + k] = _times(b, c, p, p_inverse)
                continue
            below[n + k] = _times(b, d, p, p_inverse)
            if operator == MULTIPLY:
                above[n + k] = _times(a, c, p, p_inverse)
                continue
            left, right = _times(a, d, p, p_inverse), _times(c, b, p, p_inverse)
            above[n + k] = _plus(left, right, p) if operator == PLUS else _minus(left, right, p)
        out[hit], divisors[hit] = above[2 * n - 2], below[2 * n - 2]
    reciprocals = np.empty(len(codes), np.uint32)
    _invert(reciprocals, divisors, one, p, p_inverse)
    for hit in range(len(codes)):
        out[hit] = _times(out[hit], reciprocals[hit], p, p_inverse)
