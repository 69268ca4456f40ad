"""A log-linear model of which equation belongs to a text: what it looks at, and how its weights are learnt.

For an equation t of a problem x with n quantities,

    log P(t | x) = sum over quantities i of U[features of i][role of i in t]
                   + sum over pairs i, j of V[features of i, j][relation of i and j in t]
                   + G[features of x][last operation of t, constants, repeated and omitted quantities]
                   + s flags of the steps of t (negative, not whole...) + a prior of t
                   - log of the sum over all equations,

where `Options` stand for all equations: for each problem, those that may be right and rivals that are not.  The weights
maximize the probability of the right ones, less a penalty on their squares.  `rankers/words.py` learns from candidates,
`solvers/decoding/equation_model.py` from the equations that a solver is taught.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec
import numpy as np

from .readings import NO_LEAF, ROLES, Array, Readings
from .text_features import NumberedTexts

__all__ = ["MOST_QUANTITIES", "Learner", "Options", "WordOptions", "describe", "flag_steps", "weight_shapes"]

#: Problems with more quantities have no options.
MOST_QUANTITIES = 9


class WordOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the training, chosen by the likelihood of the answers of problems that a model was not trained on."""

    epochs: int = 10
    batch: int = 64  # problems per step, but at most `steps` steps per epoch
    steps: int = 80
    rate: float = 0.01  # of Adam
    penalty: float = 10.0  # on the sum of the squared weights
    parts: int = 5  # of the corpus, each judged by a model of the others
    least: int = 3  # features of fewer problems are not used
    seed: int = 0


class Options(NamedTuple):
    """The options of all problems, one problem after the other, and the forms that they have."""

    start: Array  # the first option of each problem, and the end
    form: Array  # of each option
    own: Array  # whether it may be right: a candidate, or what is taught
    weight: Array  # logarithm of how many equations it stands for
    flags: Array  # (options, FLAGS)
    candidate: Array  # its number among those that may be right; -1 for a rival
    reading: Array  # of each form
    roles: Array  # (forms, MOST_QUANTITIES): of each quantity
    relations: Array  # (forms, pairs): of each pair of quantities
    root: Array  # of each form
    extras: Array
    prior: Array  # of each form, a logarithm

    @property
    def of_problems(self) -> tuple[Array, ...]:
        return self.start, self.form, self.own, self.weight, self.flags

    @property
    def forms(self) -> tuple[Array, ...]:
        return self.roles, self.relations, self.root, self.extras, self.prior


def describe(readings: Readings, rows: Array) -> tuple[Array, Array, Array, Array]:
    """Roles, relations, root and extras of some readings."""
    from .equation_loops import relations, roles

    skeleton, leaves = readings.skeleton[rows], readings.leaves[rows]
    counts = np.minimum(readings.quantities[readings.place[rows]], MOST_QUANTITIES)
    role = np.zeros((len(rows), int(readings.quantities.max(initial=1))), np.int64)
    roles(readings.programs, readings.lengths, skeleton, leaves, role)
    related = np.zeros((len(rows), MOST_QUANTITIES * (MOST_QUANTITIES - 1) // 2), np.int8)
    relations(readings.programs, readings.lengths, skeleton, leaves, counts, related)
    last = readings.programs[skeleton, readings.lengths[skeleton] - 1]
    times = np.stack([(leaves == i).sum(1) for i in range(MOST_QUANTITIES)], axis=1)
    parts = (
        ((leaves < 0) & (leaves != NO_LEAF)).sum(1),
        np.maximum(times - 1, 0).sum(1),
        counts - (times > 0).sum(1),
    )
    constants, again, omitted = (np.clip(part, 0, 2) for part in parts)
    wide = np.zeros((len(rows), MOST_QUANTITIES), np.int8)
    wide[:, : role.shape[1]] = role[:, :MOST_QUANTITIES]
    return wide, related, np.minimum(last, 5).astype(np.int8), (constants * 9 + again * 3 + omitted).astype(np.int8)


def flag_steps(readings: Readings, rows: Array, values: Sequence[Sequence[str]], problem: Array) -> Array:
    """What is suspect about the steps of each option, with the numbers of its problem."""
    from .equation_loops import FLAGS, steps

    numbers = np.zeros((len(values), MOST_QUANTITIES))
    for p, row in enumerate(values):
        here = [_float(value) for value in row[:MOST_QUANTITIES]]
        numbers[p, : len(here)] = here
    out = np.zeros((len(rows), FLAGS), np.int8)
    constants = np.array([float(constant) for constant in readings.constants])
    with np.errstate(over="ignore", invalid="ignore"):
        skeleton, leaves = readings.skeleton[rows], readings.leaves[rows]
        steps(readings.programs, readings.lengths, skeleton, leaves, constants, numbers[problem], out)
    return out


def _float(value: str) -> float:
    try:
        return float(Fraction(value))
    except OverflowError:
        return 1e300


def weight_shapes(sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The shapes of U, V, G and s, if there are `sizes` features of quantities, pairs and wholes."""
    from .equation_loops import EXTRAS, FLAGS, RELATIONS, ROOTS

    quantities, pairs, wholes = sizes
    return (quantities, ROLES), (pairs, RELATIONS), (wholes, ROOTS + EXTRAS), (FLAGS + 1,)


class Learner:
    """The log-linear model of some problems; its weights are one flat array."""

    def __init__(self, choices: Options, texts: NumberedTexts, answers: Array, share: float) -> None:
        self.choices, self.texts, self.answers, self.share = choices, texts, answers, share
        self.shapes = weight_shapes(texts.sizes)
        self.ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)])

    def fit(self, problems: Array, options: WordOptions, rng: np.random.Generator) -> Array:
        """The weights that best predict the answers of some problems."""
        from .learning_loops import adam

        weights, gradients, mean, square, total = (np.zeros(self.ends[-1]) for _ in range(5))
        weights[-1] = 1.0  # of the prior
        logs = np.zeros(len(self.choices.form))
        time, batch = 0, max(options.batch, -(-len(problems) // options.steps))
        for _ in range(options.epochs):
            order = rng.permutation(problems)
            for first in range(0, len(order), batch):
                chosen = order[first : first + batch]
                self.judge(chosen, weights, logs, gradients)
                gradients /= len(chosen)
                time += 1
                adam(weights, gradients, mean, square, options.rate, 2 * options.penalty / len(problems), time)
                total += weights
        return total / time if time else weights

    def judge(self, problems: Array, weights: Array, logs: Array, gradients: Array | None = None) -> float:
        """Fill in `logs` for the options of some problems, add to the `gradients`, and return -log P(answers)."""
        from .learning_loops import learn

        loss: float = learn(
            problems,
            self.texts.counts,
            self.texts.features,
            (self.texts.first_quantity, self.texts.first_pair, *self.choices.of_problems),
            self.choices.forms,
            self.answers,
            self.share,
            self._views(weights),
            self._views(weights if gradients is None else gradients),
            gradients is not None,
            logs,
        )
        return loss

    def _views(self, flat: Array) -> tuple[Array, ...]:
        bounds = zip(self.ends, self.ends[1:], self.shapes, strict=False)
        return tuple(flat[start:end].reshape(shape) for start, end, shape in bounds)
