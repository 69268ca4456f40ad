"""The compiled loops that train a log-linear model: probabilities, gradients, and a step of Adam."""

from __future__ import annotations

import numpy as np

from .compiling import compiled
from .equation_loops import FLAGS, ROOTS
from .readings import Array

__all__ = ["adam", "learn"]

_LOW = -1e30


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
