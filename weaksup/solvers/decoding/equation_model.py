"""How plausible is an equation for a text?  A second opinion on what a decoder proposes, learnt from its own lessons.

A network reads the whole text and writes the equation token by token; it is good at what it has seen often.  This model
is log-linear (`weaksup.wording.log_linear`): the words around each quantity favour its role in the equation, those
around two quantities the operation that joins them, and the question the last operation.  The two err on different
problems.  Predictions are ranked by log P(equation | text) + WEIGHT * score of the equation.

It is trained with a softmax to tell the equation of each lesson from rivals: the commonest equations of problems with
the same number of quantities, and a random sample of the others, whose weight makes up for those that were not drawn.
How usual an equation is does not enter, because the decoder knows that better.  All equations are read in canonical
form, so it makes no difference how they are written.  Cost: a second or two per thousand lessons.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Self

import msgspec
import numpy as np
import torch

from mathcanon import Expr, canonical
from mathcanon.files import AnyPath

from ...errors import DataError
from ...records import Problem
from ...wording.log_linear import MOST_QUANTITIES, Learner, Options, WordOptions, describe, flag_steps, weight_shapes
from ...wording.readings import Array, Readings, read_equations
from ...wording.text_features import Known, NumberedTexts, number_features, text_features
from ..data.lessons import Lesson
from ..data.trees import expression_of
from ..network.model_files import load_tensors, save_tensors

__all__ = ["WEIGHT", "EquationModel", "learn_equations"]

WEIGHT = 0.5  # as that of the answer model

_COMMON, _SAMPLED = 100, 100  # the most rivals of each kind
_OPTIONS = WordOptions(penalty=3.0)
_NAMES = "features"  # in the metadata of the file

_Names = tuple[list[str], list[str], list[str]]  # of the features of quantities, pairs and wholes


class EquationModel:
    """A log-linear model that scores equations; it knows some features of texts by name."""

    def __init__(self, known: Known, weights: Array) -> None:
        self.known, self.weights = known, weights

    def score(self, problem: Problem, exprs: Sequence[str]) -> list[float]:
        """A score of each expression over N0, N1...; only differences between scores have a meaning.

        All scores are 0 for a problem without quantities or with too many.
        """
        if not exprs or not _fits(problem):
            return [0.0] * len(exprs)
        readings = read_equations([(_values(problem), [_canonical(expr) for expr in exprs])], limit=1)
        rows = np.arange(len(exprs))
        options = _options(
            readings,
            rows,
            form=rows,
            problem=np.zeros_like(rows),
            values=[_values(problem)],
            own=np.ones(len(rows), bool),
            weight=np.zeros(len(rows)),
        )
        texts = NumberedTexts([text_features(problem)], self.known)
        logs = np.zeros(len(exprs))
        Learner(options, texts, np.zeros(1), 0.0).judge(np.zeros(1, np.int64), self.weights, logs)
        found: list[float] = logs.tolist()
        return found

    def save(self, path: AnyPath) -> None:
        names = msgspec.json.encode([list(numbers) for numbers in self.known]).decode()
        save_tensors(path, {"weights": torch.tensor(self.weights, dtype=torch.float32)}, {_NAMES: names})

    @classmethod
    def load(cls, path: AnyPath) -> Self:
        """Load the model from a file; raises `DataError` if it is damaged."""
        tensors, about = load_tensors(path)
        try:
            names = msgspec.json.decode(about.get(_NAMES, ""), type=_Names)
        except msgspec.DecodeError:
            names = ([], [], [])
        known = tuple({name: i for i, name in enumerate(group)} for group in names)
        weights = tensors["weights"].double().numpy() if tensors.keys() == {"weights"} else np.zeros(0)
        if weights.shape != (_size(known),) or not np.isfinite(weights).all():
            raise DataError("not an equation model, or damaged", path=str(path))
        return cls(known, weights)


def _canonical(expr: Expr | str) -> str:
    return str(canonical(expr))


def _size(known: Known) -> int:
    """How many weights there are."""
    return sum(prod(shape) for shape in weight_shapes([len(group) for group in known]))


def _fits(problem: Problem) -> bool:
    return 0 < len(problem.quantities) <= MOST_QUANTITIES


def _values(problem: Problem) -> list[str]:
    return [quantity.value for quantity in problem.quantities]


def _options(
    readings: Readings,
    rows: Array,
    *,
    form: Array,
    problem: Array,
    values: Sequence[Sequence[str]],
    own: Array,
    weight: Array,
) -> Options:
    """Options with their forms, and their problems in order; `rows` are the readings that the forms stand for."""
    return Options(
        np.searchsorted(problem, np.arange(len(values) + 1)),
        form,
        own,
        weight,
        flag_steps(readings, rows[form], values, problem),
        np.where(own, 0, -1),
        rows,
        *describe(readings, rows),
        np.zeros(len(rows)),  # how usual an equation is does not enter
    )


# --- learning ---------------------------------------------------------------------------------------------------------


def learn_equations(lessons: Sequence[Lesson], *, seed: int) -> EquationModel:
    """Train the equation model on the likeliest equation of each lesson.

    Parameters
    ----------
    lessons
        Problems with equations; those without quantities, or with too many, are left out.
    seed
        The seed of the rivals and of the training.

    Returns
    -------
    EquationModel
        The trained model.
    """
    taught = [lesson for lesson in lessons if _fits(lesson.problem)]
    texts = [text_features(lesson.problem) for lesson in taught]
    known = number_features(texts, [1.0] * len(taught), least=_OPTIONS.least)
    if not taught:
        return EquationModel(known, np.zeros(_size(known)))
    rng = np.random.default_rng(seed)
    values = [_values(lesson.problem) for lesson in taught]
    exprs = [[_canonical(expression_of(lesson.trees[int(np.argmax(lesson.weights))]))] for lesson in taught]
    options = _with_rivals(read_equations(list(zip(values, exprs, strict=True)), limit=1), values, rng)
    learner = Learner(options, NumberedTexts(texts, known), np.zeros(len(taught)), 0.0)
    weights = learner.fit(np.arange(len(taught)), _OPTIONS, rng)
    return EquationModel(known, weights.astype(np.float32).astype(np.float64))  # as it is saved


def _with_rivals(readings: Readings, values: Sequence[Sequence[str]], rng: np.random.Generator) -> Options:
    """The equation of each problem, and its rivals: equations of other problems with as many quantities."""
    wholes = np.column_stack([readings.quantities, readings.skeleton, readings.leaves])
    _, rows, own, times = np.unique(wholes, axis=0, return_index=True, return_inverse=True, return_counts=True)
    own = own.reshape(-1)
    usual: dict[int, Array] = {}  # the forms for each number of quantities, the commonest first
    for count in np.unique(readings.quantities).tolist():
        here = np.flatnonzero(readings.quantities[rows] == count)
        usual[count] = here[np.lexsort((here, -times[here]))]
    forms: list[Array] = []
    weights: list[Array] = []
    for mine, count in zip(own.tolist(), readings.quantities.tolist(), strict=True):
        common, rare = np.split(usual[count], [_COMMON])
        sampled = rng.choice(rare, min(_SAMPLED, len(rare)), replace=False)
        rivals = np.concatenate([common, sampled])
        weight = np.zeros(len(rivals))
        weight[len(common) :] = np.log(len(rare) / max(len(sampled), 1)) if len(rare) else 0.0
        other = rivals != mine
        forms.append(np.append(mine, rivals[other]))
        weights.append(np.append(0.0, weight[other]))
    sizes = [len(some) for some in forms]
    first = np.zeros(sum(sizes), bool)
    first[np.cumsum([0, *sizes[:-1]])] = True
    return _options(
        readings,
        rows,
        form=np.concatenate(forms),
        problem=np.repeat(np.arange(len(values)), sizes),
        values=values,
        own=first,
        weight=np.concatenate(weights),
    )
