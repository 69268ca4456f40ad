"""Problems without equations, as numbers: the texts that a teacher's model reads, and the values of its trees."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec
import torch
from flint import fmpq

from ..errors import NothingToLearn
from ..meaning.kinds import kind_of
from ..meaning.operand_names import CONSTANTS
from ..records import Problem
from ..solvers.data.batches import Batch, Example, make_batch
from ..solvers.data.lessons import example_of
from ..solvers.data.vocabulary import Vocabulary, make_vocabulary
from ..solvers.presets import SolverConfig
from .fixing import OPERATORS, value_of

__all__ = ["Unlabelled", "exact", "operand_values", "weak_vocabulary", "with_answer"]


def weak_vocabulary(problems: Sequence[Problem], *, min_word_count: int) -> Vocabulary:
    """The words of the problems, with all operators and constants, since there are no equations to count them in."""
    read = make_vocabulary(problems, [], min_word_count=min_word_count)
    return msgspec.structs.replace(read, operators=OPERATORS, constants=tuple(CONSTANTS))


def operand_values(problem: Problem) -> dict[str, fmpq]:
    """The values of the operands that equations of a problem may have: the constants and its quantities."""
    values = CONSTANTS | {f"N{i}": quantity.exact for i, quantity in enumerate(problem.quantities)}
    return {name: exact(value) for name, value in values.items()}


def exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def with_answer(problem: Problem) -> Problem:
    """The problem with words about its answer after those of its text.

    A network that reads numbers by their kind only reads the answer likewise: its kind, then for each quantity in turn
    whether the answer is less, equal or greater, and whether it is a multiple of the quantity.
    """
    answer = problem.exact_answer
    about = [f"answer {kind_of(problem.answer, problem.answer)}"]
    for quantity in problem.quantities:
        value = quantity.exact
        order = "<" if answer < value else ">" if answer > value else "="
        multiple = " multiple" if value and (answer / value).denominator == 1 else ""
        about.append(f"answer {order} N{multiple}")
    return msgspec.structs.replace(problem, tokens=(*problem.tokens, *about) if problem.tokens else ())


class Unlabelled:
    """The problems that have a text, with their examples, operands and answers; all are lists in the same order."""

    def __init__(
        self,
        problems: Sequence[Problem],
        config: SolverConfig,
        *,
        min_word_count: int,
        device: torch.device | str = "cpu",  # of the batches
        answers: bool = False,  # whether the texts end with what can be said of the answer
    ) -> None:
        self.device = device
        read = [with_answer(problem) for problem in problems] if answers else problems
        self.vocabulary = weak_vocabulary(read, min_word_count=min_word_count)
        index = self.vocabulary.index()
        examples = [example_of(problem, self.vocabulary, config, index) for problem in read]
        self.problems = [problem for problem, example in zip(problems, examples, strict=True) if example.words]
        self.examples = [example for example in examples if example.words]
        if not self.examples:
            raise NothingToLearn("there is nothing to train with: no problem has a text")
        self.operands = [operand_values(problem) for problem in self.problems]
        self.answers = [exact(problem.exact_answer) for problem in self.problems]

    def batch(self, places: Sequence[int]) -> Batch:
        return self.batch_of([self.examples[place] for place in places])

    def batch_of(self, examples: Sequence[Example]) -> Batch:
        return make_batch(
            examples,
            operators=len(self.vocabulary.operators),
            constants=len(self.vocabulary.constants),
            device=self.device,
        )

    def prefix(self, tokens: Sequence[int]) -> list[str]:
        """The prefix sequence of a tree that is given as token numbers."""
        return [self.vocabulary.text(token) for token in tokens]

    def tokens(self, prefix: Sequence[str]) -> tuple[int, ...]:
        """The token numbers of a prefix sequence."""
        numbers = [self.vocabulary.token(text) for text in prefix]
        return tuple(number for number in numbers if number is not None)

    def is_right(self, place: int, tokens: Sequence[int]) -> bool:
        """Whether a tree has the value of the answer."""
        return bool(value_of(self.prefix(tokens), self.operands[place]) == self.answers[place])
