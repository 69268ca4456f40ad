"""How plausible is a value as the answer to a question?  Learnt from questions and answers alone, to rank predictions.

A decoder writes an equation without knowing its value, so it may propose -3 apples or 13/7 children.  The answer model
sees only the value.  Its score is linear in features: the kind of number (whole, terminating or repeating decimal...)
combined with the words of the text, and comparisons with the quantities.  It is trained with a softmax to tell the
answer of each problem from negative examples: the values of equations drawn from problems with the same number of
quantities.  Predictions are ranked by log P(equation | text) + WEIGHT * score of the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from mathcanon import Expr, MathCanonError, evaluate
from mathcanon.files import AnyPath

from ...errors import DataError
from ...meaning.operand_names import by_name
from ...records import Problem
from ..data.lessons import Lesson
from ..data.trees import expression_of
from ..data.vocabulary import Vocabulary
from ..network.model_files import load_tensors, save_tensors

__all__ = ["WEIGHT", "AnswerModel", "learn_answers"]

WEIGHT = 0.5  # tuned on the answers of the valid part of Math23K, with a draft model

_OTHERS = 12  # negative examples drawn per problem
_STEPS, _BATCH, _RATE = 320, 256, 0.02
_PENALTY = 0.5  # L2 penalty, relative to the log-likelihood summed over all problems


class AnswerModel:
    """A linear model that scores values as answers."""

    def __init__(self, words: Tensor, features: Tensor) -> None:
        self.words, self.features = words, features  # (words, kinds) and (features,)

    def score(self, problem: Problem, values: Sequence[Fraction], *, words: Sequence[int]) -> list[float]:
        """A score of each value as the answer; only differences between scores have a meaning.

        `words` are the words of the text, from `Vocabulary.word_numbers` with `kinds`.
        """
        text = self.words[sorted(set(words))].sum(0)  # (kinds,)
        seen = [_see(value, _Quantities.of(problem)) for value in values]
        marks = torch.tensor([one.features for one in seen], dtype=self.features.dtype).reshape(-1, _FEATURES)
        scores: list[float] = (marks @ self.features + text[[one.kind for one in seen]]).tolist()
        return scores

    def save(self, path: AnyPath) -> None:
        save_tensors(path, {"words": self.words, "features": self.features})

    @classmethod
    def load(cls, path: AnyPath, vocabulary: Vocabulary) -> Self:
        """Load the model from a file; raises `DataError` if it is damaged or belongs to another vocabulary."""
        tensors, _ = load_tensors(path)
        shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
        if shapes != {"words": (len(vocabulary.words), _KINDS), "features": (_FEATURES,)}:
            raise DataError("the answer model does not fit the solver's vocabulary", path=str(path))
        return cls(tensors["words"], tensors["features"])


# --- features of a value ----------------------------------------------------------------------------------------------


class _Quantities(NamedTuple):
    """The quantities of a problem, summarized for comparison with a value."""

    values: frozenset[Fraction]
    places: int  # the most decimal places of a terminating one
    endless: bool  # whether one is a repeating decimal
    least: Fraction
    most: Fraction

    @classmethod
    def of(cls, problem: Problem) -> Self:
        values = frozenset(quantity.exact for quantity in problem.quantities)
        places = [decimal_places(value) for value in values]
        return cls(
            values=values,
            places=max((count for count in places if count is not None), default=0),
            endless=None in places,
            least=min(values, default=Fraction(0)),
            most=max(values, default=Fraction(0)),
        )


class _Seen(NamedTuple):
    kind: int
    features: tuple[bool, ...]


def _see(value: Fraction, quantities: _Quantities) -> _Seen:
    places = decimal_places(value)
    all_whole = quantities.places == 0 and not quantities.endless
    features = (
        value < 0,
        value == 0,
        value == 1,
        value in quantities.values,
        value > quantities.most,
        value > 100 * quantities.most,
        value < quantities.least,
        0 < value < Fraction(1, 100),
        0 < value < 1 and all_whole,
        places == 0,
        places == 0 and all_whole,
        places is None,
        places is None and all_whole,
        places is None and not quantities.endless,
        places is not None and places > quantities.places,
        places is not None and places > 2,
        places is not None and places > 4,
    )
    return _Seen(_kind(value, places), features)


def _kind(value: Fraction, places: int | None) -> int:
    """0: negative; 1: whole; the rest by size (below or above 1) and decimals (repeating, up to two places, more)."""
    if value < 0:
        return 0
    if places == 0:
        return 1
    return 2 + (value > 1) + 2 * (0 if places is None else 1 if places <= 2 else 2)


_KINDS = 8
_FEATURES = 17  # of `_see`


def decimal_places(value: Fraction) -> int | None:
    """The number of decimal places; None for a repeating decimal.

    >>> [decimal_places(Fraction(text)) for text in ("7", "1/8", "0.4", "1/3", "7/15")]
    [0, 3, 1, None, None]
    """
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None


# --- learning ---------------------------------------------------------------------------------------------------------


class _Example(NamedTuple):
    """The words of a problem, and the features of its answer followed by those of the negative examples."""

    words: list[int]
    values: list[_Seen]


def learn_answers(lessons: Sequence[Lesson], vocabulary: Vocabulary, *, seed: int) -> AnswerModel:
    """Train the answer model on the problems of the lessons; their equations supply the negative examples.

    Parameters
    ----------
    lessons
        Problems with equations.
    vocabulary
        The words of the solver.
    seed
        The seed of the training.

    Returns
    -------
    AnswerModel
        The trained model.
    """
    rng = np.random.default_rng(seed)
    words = torch.zeros(len(vocabulary.words), _KINDS, requires_grad=True)
    features = torch.zeros(_FEATURES, requires_grad=True)
    examples = _examples(lessons, vocabulary, rng)
    optimizer = torch.optim.Adam([words, features])
    for step, batch in zip(range(_STEPS), _batches(examples, rng), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - step / _STEPS)
        size = words.square().sum() + features.square().sum()
        loss = _loss(batch, words, features) + _PENALTY * size / len(examples)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return AnswerModel(words.detach(), features.detach())


def _batches(examples: Sequence[_Example], rng: np.random.Generator) -> Iterator[list[_Example]]:
    """Yield batches forever, or none if there are no examples."""
    while examples:
        order = rng.permutation(len(examples))
        for start in range(0, len(order), _BATCH):
            yield [examples[i] for i in order[start : start + _BATCH]]


def _examples(lessons: Sequence[Lesson], vocabulary: Vocabulary, rng: np.random.Generator) -> list[_Example]:
    index = vocabulary.index()
    known: dict[tuple[str, ...], Expr] = {}
    usual: dict[int, list[Expr]] = {}  # equations by number of quantities
    for lesson in lessons:
        tree = lesson.trees[int(np.argmax(lesson.weights))]
        expr = known.setdefault(tree, expression_of(tree))
        usual.setdefault(len(lesson.problem.quantities), []).append(expr)
    examples = []
    for problem in [lesson.problem for lesson in lessons]:
        named = by_name([quantity.exact for quantity in problem.quantities])
        exprs = usual[len(named)]
        found = [_value(exprs[i], named) for i in rng.integers(len(exprs), size=_OTHERS)]
        answer, quantities = problem.exact_answer, _Quantities.of(problem)
        if others := [value for value in found if value is not None and value != answer]:
            words = sorted(set(vocabulary.word_numbers(problem, index, kinds=True)))
            examples.append(_Example(words, [_see(value, quantities) for value in (answer, *others)]))
    return examples


def _value(expr: Expr, named: Mapping[str, Fraction]) -> Fraction | None:
    try:
        return evaluate(expr, named)
    except MathCanonError:  # a division by zero
        return None


def _loss(examples: Sequence[_Example], words: Tensor, features: Tensor) -> Tensor:
    """The mean negative log-probability of the answer among the values of its example."""
    sizes = [len(example.values) for example in examples]
    owner = torch.repeat_interleave(torch.arange(len(examples)), torch.tensor(sizes))  # (values,)
    first = torch.tensor([0, *accumulate(sizes[:-1])])  # (examples,) where the answers are
    starts = torch.tensor([0, *accumulate(len(example.words) for example in examples[:-1])])
    read = torch.tensor([word for example in examples for word in example.words])
    text = embedding_bag(read, words, starts, mode="sum")  # (examples, kinds)
    seen = [value for example in examples for value in example.values]
    kinds = torch.tensor([value.kind for value in seen])
    marks = torch.tensor([value.features for value in seen], dtype=features.dtype)
    scores = marks @ features + text[owner, kinds]  # (values,)
    above = (scores - scores[first][owner]).exp()
    return torch.zeros(len(examples)).index_add(0, owner, above).log().mean()
