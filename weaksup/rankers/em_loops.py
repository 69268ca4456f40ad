"""The compiled loops of EM over readings: the function of a reading and its shape.

Functions are identified by their values at fixed points modulo a prime (two points: 62 bits).  The *shape* is the
expression with its quantities made anonymous.  It is a hash that does not depend on the order of the blocks of a sum or
product; a leaf is a constant, a quantity used once, or a quantity used several times, and blocks that are the same
quantity are marked (`a+a` is not `a+b`).
"""

from __future__ import annotations

import numpy as np

from ..wording.compiling import compiled
from ..wording.readings import ADD, DIVIDE, LEAF, MULTIPLY, NO_LEAF, POWER, SUBTRACT, Array

__all__ = ["PRIME", "fingerprints", "shapes"]

PRIME = 2**31 - 1

_CLOSED, _SUM, _PRODUCT, _END = 0, 1, 2, 3


@compiled
def _power(base: int, exponent: int, prime: int) -> int:
    result = 1
    while exponent > 0:
        if exponent & 1:
            result = result * base % prime
        base = base * base % prime
        exponent >>= 1
    return result


@compiled
def fingerprints(
    programs: Array, lengths: Array, skeleton: Array, leaves: Array, points: Array, constants: int, prime: int
) -> Array:
    """The value modulo `prime` of each reading, if quantity i is `points[constants + i]` and leaf -1-j `points[j]`."""
    out = np.zeros(len(skeleton), np.int64)
    above = np.zeros(leaves.shape[1], np.int64)
    below = np.zeros(leaves.shape[1], np.int64)
    for r in range(len(skeleton)):
        top = leaf = 0
        for q in range(lengths[skeleton[r]]):
            code = programs[skeleton[r], q]
            if code == LEAF:
                name = leaves[r, leaf]
                above[top] = points[constants + name] if name >= 0 else points[-1 - name]
                below[top] = 1
                leaf += 1
                top += 1
            elif code > DIVIDE:
                above[top - 1] = _power(above[top - 1], code - POWER, prime)
                below[top - 1] = _power(below[top - 1], code - POWER, prime)
            else:
                top -= 1
                a, b, c, d = above[top - 1], below[top - 1], above[top], below[top]
                if code == MULTIPLY:
                    above[top - 1], below[top - 1] = a * c % prime, b * d % prime
                elif code == DIVIDE:
                    above[top - 1], below[top - 1] = a * d % prime, b * c % prime
                else:
                    c = c if code == ADD else prime - c
                    above[top - 1], below[top - 1] = (a * d % prime + c * b % prime) % prime, b * d % prime
        out[r] = above[0] * _power(below[0], prime - 2, prime) % prime
    return out


@compiled
def _mixed(number: int, salt: int) -> int:
    """A scrambled 64-bit number (splitmix64)."""
    x = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15) * np.uint64(salt + 1)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))  # type: ignore[return-value]


@compiled
def shapes(programs: Array, lengths: Array, skeleton: Array, leaves: Array, hashes: Array, symmetries: Array) -> None:
    """Fill in the shape of each reading, and the logarithm of the number of ways to permute its equal blocks."""
    # The stack holds sums and products with all their blocks: a hash, a mark (+1 or -1), and the leaf of a leaf block.
    deep = leaves.shape[1]
    kind = np.zeros(deep, np.int64)
    size = np.zeros(deep, np.int64)
    block = np.zeros((deep, deep), np.uint64)
    mark = np.zeros((deep, deep), np.int64)
    name = np.zeros((deep, deep), np.int64)
    for r in range(len(skeleton)):
        form = skeleton[r]
        top = leaf = 0
        orders = 0.0
        for q in range(lengths[form] + 1):
            code = programs[form, q] if q < lengths[form] else LEAF
            if code == LEAF and q < lengths[form]:
                own = leaves[r, leaf]
                times = 0
                for other in leaves[r]:
                    times += other == own
                kind[top], size[top] = _CLOSED, 1
                block[top, 0] = _mixed(-own, 1) if own < 0 else _mixed(min(times, 3), 2)
                mark[top, 0], name[top, 0] = 1, own
                leaf += 1
                top += 1
                continue
            # An operand of another kind of operation is closed: its blocks are combined into one hash.
            arms = 2 if ADD <= code <= DIVIDE else 1
            around = _END if code == LEAF or code > DIVIDE else _SUM if code <= SUBTRACT else _PRODUCT
            for e in range(top - arms, top):
                if kind[e] == _CLOSED or kind[e] == around:
                    continue
                total = np.uint64(0)
                for i in range(size[e]):
                    total += _mixed(block[e, i], 10 + mark[e, i])
                    alike = 1
                    same_leaf = False
                    for j in range(i):
                        if name[e, i] != NO_LEAF and name[e, i] == name[e, j]:
                            same_leaf = True
                            total += _mixed(7 + mark[e, i] * mark[e, j], 50)
                        elif block[e, i] == block[e, j] and mark[e, i] == mark[e, j]:
                            alike += 1
                    if not same_leaf:
                        orders += np.log(alike)
                block[e, 0] = _mixed(total, 20 + kind[e])
                kind[e], size[e], mark[e, 0], name[e, 0] = _CLOSED, 1, 1, NO_LEAF
            if code > DIVIDE:
                block[top - 1, 0], name[top - 1, 0] = _mixed(block[top - 1, 0], 100 + code), NO_LEAF
            elif code > LEAF:
                top -= 1
                sign = -1 if code in (SUBTRACT, DIVIDE) else 1
                for i in range(size[top]):
                    end = size[top - 1]
                    block[top - 1, end] = block[top, i]
                    mark[top - 1, end] = mark[top, i] * sign
                    name[top - 1, end] = name[top, i]
                    size[top - 1] = end + 1
                kind[top - 1] = around
        hashes[r], symmetries[r] = block[0, 0], orders
