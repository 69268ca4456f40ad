"""Is this value a plausible answer to this question?  Learnt from questions and answers alone, to rank predictions.

A decoder writes an equation without knowing what it comes to, so it may propose -3 apples, or 13/7 children.  The
answer model knows nothing of equations.  The score of a value is linear in what can be seen of it: its kind (whole,
decimal, endless...) together with the words of the text, and how it compares with the quantities.  It learns to tell
the answer of each problem from the values that usual equations would have there, drawn from problems with as many
quantities (a softmax over the answer and those others).  A prediction is ranked by log P(equation | text) + weight *
score of its value.
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

from ..errors import DataError
from ..files import AnyPath
from ..records import Problem
from .checkpoint import load_tensors, save_tensors
from .examples import Lesson
from .trees import expression_of
from .vocabulary import Vocabulary

__all__ = ["ANSWERS", "WEIGHT", "AnswerModel", "learn_answers"]

ANSWERS = "answers.safetensors"  # in a model folder
WEIGHT = 0.5  # chosen on the answers of the valid part of Math23K, with a draft

_OTHERS = 12  # values that an answer is told from
_STEPS, _BATCH, _RATE = 320, 256, 0.02
_PENALTY = 0.5  # on the squares of all weights, against the log-likelihood of all problems


class AnswerModel:
    """Scores of values."""

    def __init__(self, words: Tensor, features: Tensor) -> None:
        self.words, self.features = words, features  # (words, kinds) and (features,)

    def score(self, problem: Problem, values: Sequence[Fraction], *, words: Sequence[int]) -> list[float]:
        """How plausible each value is as the answer; only differences mean something.

        `words` are the numbers of the words of the text, with kinds of numbers.
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
        """The model in a file; `DataError` if it is damaged or belongs to another vocabulary."""
        tensors, _ = load_tensors(path)
        shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
        if shapes != {"words": (len(vocabulary.words), _KINDS), "features": (_FEATURES,)}:
            raise DataError("not the answer model of this solver", path=str(path))
        return cls(tensors["words"], tensors["features"])


# --- what can be seen of a value --------------------------------------------------------------------------------------


class _Quantities(NamedTuple):
    """What a value is compared with."""

    values: frozenset[Fraction]
    places: int  # the most decimal places
    endless: bool  # whether one has no end
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
    """Negative; whole; and by size and decimal places: below 1 or above, endless, up to two places, more."""
    if value < 0:
        return 0
    if places == 0:
        return 1
    return 2 + (value > 1) + 2 * (0 if places is None else 1 if places <= 2 else 2)


_KINDS = 8
_FEATURES = 17  # of `_see`


def decimal_places(value: Fraction) -> int | None:
    """How many decimal places a number has; None if there is no end.

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
    """The words of a problem; the answer, then other values."""

    words: list[int]
    values: list[_Seen]


def learn_answers(lessons: Sequence[Lesson], vocabulary: Vocabulary, *, seed: int) -> AnswerModel:
    """The answer model of the problems of some lessons; their equations are where other values come from."""
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
    """Batches without end, if there are examples."""
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
        named = {f"N{i}": quantity.exact for i, quantity in enumerate(problem.quantities)}
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
    """Minus the mean log-probability of the answers among the values."""
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
