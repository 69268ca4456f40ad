"""The compiled loops of the log-linear model: relations, steps of an equation, probabilities, gradients."""

from __future__ import annotations

import numpy as np

from .em_loops import compiled, link
from .readings import ADD, DIVIDE, LEAF, POWER, SUBTRACT, Array

__all__ = ["EXTRAS", "FLAGS", "RELATIONS", "ROOTS", "adam", "learn", "pair_number", "relations", "steps"]

#: How two quantities are combined: not at all, or in a sum or product as ++, +-, -+ or --.
RELATIONS = 9
#: The last operation: none, + - * / or a power.
ROOTS = 6
#: Constants, repeated quantities and omitted ones, up to two each.
EXTRAS = 27
#: Negative steps, steps that are not whole, a negative result, one that is not whole, a division by zero.
FLAGS = 5

_WHOLE = 1e-6
_LOW = -1e30


@compiled
def pair_number(i: int, j: int, n: int) -> int:
    """The place of the pair i < j among those of n quantities: (0, 1), (0, 2)... (1, 2)..."""
    return i * n - i * (i + 1) // 2 + j - i - 1


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
            negative, broken = value < -_WHOLE, abs(value - np.round(value)) > _WHOLE * max(1.0, abs(value))
            last = 2 if q == length - 1 else 0
            out[r, last] = min(out[r, last] + negative, 3)
            out[r, last + 1] = min(out[r, last + 1] + broken, 3)


@compiled
def learn(
    chosen: Array,
    counts: Array,
    features: tuple[Array, ...],
    options: tuple[Array, ...],
    forms: tuple[Array, ...],
    none: Array,
    share: float,
    weights: tuple[Array, ...],
    gradients: tuple[Array, ...],
    learning: bool,
    logs: Array,
) -> float:
    """The sum of -log P(answer) over the `chosen` problems; `logs` gets the log-probability of each of their options.

    If `learning`, the gradients with respect to the weights are added to `gradients`.  `share` is P(none).
    """
    quantity_start, quantity_feature, pair_start, pair_feature, whole_start, whole_feature = features
    first_quantity, first_pair, option_start, form, own, extra_weight, flags = options
    roles, related, root, extras, prior = forms
    of_quantity, of_pair, of_whole, of_steps = weights
    most = 0
    for p in chosen:
        most = max(most, option_start[p + 1] - option_start[p])
    score = np.zeros(most)
    widest = 0
    for p in chosen:
        widest = max(widest, counts[p])
    at_quantity = np.zeros((widest, of_quantity.shape[1]))
    at_pair = np.zeros((max(widest * (widest - 1) // 2, 1), of_pair.shape[1]))
    at_whole = np.zeros(of_whole.shape[1])
    loss = 0.0
    for p in chosen:
        n = counts[p]
        pairs = n * (n - 1) // 2
        at_quantity[:n], at_pair[:pairs], at_whole[:] = 0.0, 0.0, 0.0
        for i in range(n):
            here = first_quantity[p] + i
            for f in quantity_feature[quantity_start[here] : quantity_start[here + 1]]:
                at_quantity[i] += of_quantity[f]
        for i in range(pairs):
            here = first_pair[p] + i
            for f in pair_feature[pair_start[here] : pair_start[here + 1]]:
                at_pair[i] += of_pair[f]
        for f in whole_feature[whole_start[p] : whole_start[p + 1]]:
            at_whole += of_whole[f]

        first, end = option_start[p], option_start[p + 1]
        highest = _LOW
        for o in range(first, end):
            row = form[o]
            total = of_steps[FLAGS] * prior[row]
            for k in range(FLAGS):
                total += of_steps[k] * flags[o, k]
            for i in range(n):
                total += at_quantity[i, roles[row, i]]
            for i in range(pairs):
                total += at_pair[i, related[row, i]]
            total += at_whole[root[row]] + at_whole[ROOTS + extras[row]]
            score[o - first] = total
            highest = max(highest, total + extra_weight[o])
        normal = right = 0.0
        for o in range(first, end):
            chance = np.exp(score[o - first] - highest)
            normal += chance * np.exp(extra_weight[o])
            if own[o]:
                right += chance
        for o in range(first, end):
            logs[o] = score[o - first] - highest - np.log(normal)
        reached = (1 - share) * right / normal
        answer = reached + share * none[p]
        loss -= np.log(answer)
        if not learning:
            continue
        believed = reached / answer
        at_quantity[:n], at_pair[:pairs], at_whole[:] = 0.0, 0.0, 0.0
        for o in range(first, end):
            row = form[o]
            slope = believed * np.exp(logs[o] + extra_weight[o])
            if own[o]:
                slope -= (1 - share) * np.exp(logs[o]) / answer
            for i in range(n):
                at_quantity[i, roles[row, i]] += slope
            for i in range(pairs):
                at_pair[i, related[row, i]] += slope
            at_whole[root[row]] += slope
            at_whole[ROOTS + extras[row]] += slope
            for k in range(FLAGS):
                gradients[3][k] += slope * flags[o, k]
            gradients[3][FLAGS] += slope * prior[row]
        for i in range(n):
            here = first_quantity[p] + i
            for f in quantity_feature[quantity_start[here] : quantity_start[here + 1]]:
                gradients[0][f] += at_quantity[i]
        for i in range(pairs):
            here = first_pair[p] + i
            for f in pair_feature[pair_start[here] : pair_start[here + 1]]:
                gradients[1][f] += at_pair[i]
        for f in whole_feature[whole_start[p] : whole_start[p + 1]]:
            gradients[2][f] += at_whole
    return loss


@compiled
def adam(weights: Array, gradients: Array, mean: Array, square: Array, rate: float, decay: float, time: int) -> None:
    """One step of Adam on flat arrays, with `decay` times the weights added to the gradients, which are reset to 0."""
    above, below = 1 - 0.9**time, 1 - 0.999**time
    for i in range(len(weights)):
        slope = gradients[i] + decay * weights[i]
        mean[i] += 0.1 * (slope - mean[i])
        square[i] += 0.001 * (slope * slope - square[i])
        weights[i] -= rate * (mean[i] / above) / (np.sqrt(square[i] / below) + 1e-8)
        gradients[i] = 0.0
