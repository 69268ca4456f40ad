"""The compiled loops over readings that say what an equation does: roles of quantities, relations of pairs, steps."""

from __future__ import annotations

import numpy as np

from .compiling import compiled
from .readings import ADD, DIVIDE, LEAF, POWER, SUBTRACT, Array

__all__ = ["EXTRAS", "FLAGS", "RELATIONS", "ROOTS", "pair_number", "relations", "roles", "steps"]

#: How two quantities are combined: not at all, or in a sum or product as ++, +-, -+ or --.
RELATIONS = 9
#: The last operation: none, + - * / or a power.
ROOTS = 6
#: Constants, repeated quantities and omitted ones, up to two each.
EXTRAS = 27
#: Negative steps, steps that are not whole, a negative result, one that is not whole, a division by zero.
FLAGS = 5

_LEFT_OUT, _AGAIN, _ALONE = 0, 1, 2  # roles
_EXACT = 1e-6


@compiled
def pair_number(i: int, j: int, n: int) -> int:
    """The place of the pair i < j among those of n quantities: (0, 1), (0, 2)... (1, 2)..."""
    return i * n - i * (i + 1) // 2 + j - i - 1


@compiled
def link(code: Array, length: int, parent: Array, right: Array, leaf_at: Array, stack: Array) -> int:
    """Fill in the parent of each node of a program, whether it is a right operand, and where the leaves are.

    The parent of the root is -1.  Returns the number of leaves; `stack` is for work.
    """
    top = count = 0
    for q in range(length):
        parent[q], right[q] = -1, 0
        if code[q] == LEAF:
            leaf_at[count] = q
            count += 1
            top += 1
        elif code[q] <= DIVIDE:
            top -= 1
            parent[stack[top - 1]] = q
            parent[stack[top]], right[stack[top]] = q, 1
        else:
            parent[stack[top - 1]] = q
        stack[top - 1] = q
    return count


@compiled
def roles(programs: Array, lengths: Array, skeleton: Array, leaves: Array, out: Array) -> None:
    """Fill in the role of each quantity in each reading, as listed at `readings.ROLES`."""
    stack = np.zeros(leaves.shape[1], np.int64)
    parent = np.zeros(programs.shape[1], np.int64)
    right = np.zeros(programs.shape[1], np.int64)
    leaf_at = np.zeros(leaves.shape[1], np.int64)
    for r in range(len(skeleton)):
        code = programs[skeleton[r]]
        count = link(code, lengths[skeleton[r]], parent, right, leaf_at, stack)
        out[r] = _LEFT_OUT
        for leaf in range(count):
            own = leaves[r, leaf]
            if own < 0:
                continue
            steps = 0
            role = _ALONE
            node = leaf_at[leaf]
            while parent[node] >= 0 and steps < 2:
                above = parent[node]
                if code[above] > DIVIDE:
                    node = above
                    continue
                done = (code[above] - ADD) // 2 * 2  # 0 in a sum, 2 in a product
                minus = right[node] * (code[above] - ADD - done)
                role = 3 + done + minus if steps == 0 else role + 4 * (1 + done + minus)
                # Skip the other operations of the same sum or product: they count as one.
                while (
                    parent[above] >= 0
                    and code[parent[above]] <= DIVIDE
                    and (code[parent[above]] - ADD) // 2 * 2 == done
                ):
                    above = parent[above]
                node = above
                steps += 1
            out[r, own] = role if out[r, own] == _LEFT_OUT else _AGAIN


@compiled
def relations(programs: Array, lengths: Array, skeleton: Array, leaves: Array, counts: Array, out: Array) -> None:
    """Fill in the relation of each pair of quantities in each reading, by its first occurrence.

    The operation that joins the two decides; `counts` has the number of quantities of each reading.  Signs are those
    of the two blocks in this sum or product: in a-b-c the relation of b and c is --, in a-(b-c) it is +-.
    """
    longest = programs.shape[1]
    parent, right = np.zeros(longest, np.int64), np.zeros(longest, np.int64)
    depth, stack = np.zeros(longest, np.int64), np.zeros(longest + 1, np.int64)
    leaf_at = np.zeros(leaves.shape[1], np.int64)
    node, sign, kind = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for r in range(len(skeleton)):
        code, length = programs[skeleton[r]], lengths[skeleton[r]]
        count = link(code, length, parent, right, leaf_at, stack)
        for q in range(length - 1, -1, -1):
            depth[q] = 0 if parent[q] < 0 else depth[parent[q]] + 1
        for a in range(count):
            for b in range(count):
                i, j = leaves[r, a], leaves[r, b]
                if i < 0 or j <= i:
                    continue
                pair = pair_number(i, j, counts[r])
                if out[r, pair] != 0:
                    continue
                node[0], node[1] = leaf_at[a], leaf_at[b]
                sign[:], kind[:] = 1, -1
                while node[0] != node[1]:
                    side = 0 if depth[node[0]] >= depth[node[1]] else 1
                    above = parent[node[side]]
                    step = code[above]
                    family = (step - ADD) // 2 if step <= DIVIDE else -1  # 0: a sum, 1: a product, -1: a power
                    if family != kind[side]:
                        sign[side], kind[side] = 1, family
                    if right[node[side]] == 1 and step in (SUBTRACT, DIVIDE):
                        sign[side] = -sign[side]
                    node[side] = above
                joined = (code[node[0]] - ADD) // 2
                out[r, pair] = 1 + 4 * joined + (1 - sign[0]) + (1 - sign[1]) // 2


@compiled
def steps(
    programs: Array, lengths: Array, skeleton: Array, leaves: Array, constants: Array, numbers: Array, out: Array
) -> None:
    """Fill in the flags of each reading, if its quantities have the values of its row of `numbers`."""
    stack = np.zeros(leaves.shape[1] + 1)
    for r in range(len(skeleton)):
        code, length = programs[skeleton[r]], lengths[skeleton[r]]
        top = leaf = 0
        for q in range(length):
            if code[q] == LEAF:
                name = leaves[r, leaf]
                stack[top] = numbers[r, name] if name >= 0 else constants[-1 - name]
                leaf += 1
                top += 1
                continue
            if code[q] > DIVIDE:
                value = stack[top - 1] ** (code[q] - POWER)
            else:
                top -= 1
                one, other = stack[top - 1], stack[top]
                if code[q] == ADD:
                    value = one + other
                elif code[q] == SUBTRACT:
                    value = one - other
                elif code[q] < DIVIDE:
                    value = one * other
                elif other == 0:
                    value = 0.0
                    out[r, 4] = 1
                else:
                    value = one / other
            stack[top - 1] = value
            negative, broken = value < -_EXACT, abs(value - np.round(value)) > _EXACT * max(1.0, abs(value))
            last = 2 if q == length - 1 else 0
            out[r, last] = min(out[r, last] + negative, 3)
            out[r, last + 1] = min(out[r, last + 1] + broken, 3)
