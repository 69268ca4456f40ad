"""LBF, learning by fixing (Hong, Li, Ciao, Huang & Zhu, AAAI 2021).

Each step decodes a batch greedily with the weights of the moment, mends the trees of the wrong value (`fixing.py`) by
tokens that the model itself finds likely, and learns the mended trees.  As in the authors' code, trees have as many
leaves as there are quantities, then one more, then two more, until a fix is found; mending keeps the shape of a tree,
so shapes are drawn by chance in the first epochs.

A fix is learnt in the writing of all lessons (`TrainConfig.writing`): a+b and b+a, found by turns, would only confuse.
With memory, all different trees that were ever found for a problem are learnt each time, with equal weights; without
it only the one that was found now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp
from random import Random
from typing import Any

from flint import fmpq

from ..records import Problem
from ..solvers.batches import Example
from ..solvers.trees import expression_of, write_tree
from ..value_level import CONSTANTS
from .finds import Finds
from .fixing import OPERATORS, Replacement, fix
from .learner import Learner
from .sampling import Written, write_trees

__all__ = ["Fixer", "exact", "operand_values"]

_MORE_LEAVES = (0, 1, 2)  # than there are quantities
_SHAPED_EPOCHS = 5  # in which shapes are drawn, or a quarter of all if that is less


def operand_values(problem: Problem) -> dict[str, fmpq]:
    """What equations of a problem are made of: constants and its quantities."""
    values = CONSTANTS | {f"N{i}": quantity.exact for i, quantity in enumerate(problem.quantities)}
    return {name: exact(value) for name, value in values.items()}


def exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


class Fixer:
    """The teacher of LBF."""

    def __init__(self, learner: Learner, problems: Sequence[Problem], *, memory: bool, walk: int) -> None:
        self.learner, self.problems, self.memory, self.walk = learner, problems, memory, walk
        self.operands = [operand_values(problem) for problem in problems]
        self.finds: Finds = {}

    def teach(self, places: Sequence[int], step: int) -> list[Example]:
        found: dict[int, str] = {}
        for more in _MORE_LEAVES:
            open_ = [place for place in places if place not in found]
            for place, tree in zip(open_, self._decoded(open_, more, step), strict=True):
                if mended := self._fixed(place, tree, Random(f"{self.learner.train.seed}:{step}:{more}:{place}")):
                    found[place] = mended
                    counts = self.finds.setdefault(self.problems[place].id, {})
                    counts[mended] = counts.pop(mended, 0) + 1  # the latest last
        lessons = []
        for place in places:
            known = self.finds.get(self.problems[place].id, {})
            trees = [prefix for prefix in known if self.memory or prefix == found.get(place)]
            if trees:
                numbers = tuple(self._numbers(prefix.split()) for prefix in trees)
                weights = (1 / len(trees),) * len(trees)
                lessons.append(replace(self.learner.examples[place], trees=numbers, weights=weights))
        return lessons

    def _decoded(self, places: Sequence[int], more: int, step: int) -> list[Written]:
        """The greedy trees of some problems, with so many leaves more than there are quantities."""
        if not places:
            return []
        sizes = [max(1, len(self.problems[place].quantities)) + more for place in places]
        written = write_trees(
            self.learner.model,  # type: ignore[arg-type]
            self.learner.batch([self.learner.examples[place] for place in places]),
            [(size, size) for size in sizes],
            any_shape=step < min(_SHAPED_EPOCHS * self.learner.per_epoch, self.learner.steps / 4),
        )
        return [tree for (tree,) in written]

    def _fixed(self, place: int, tree: Written, rng: Random) -> str | None:
        """The mended tree of a problem, written as equations are taught."""
        problem, operands = self.problems[place], self.operands[place]
        prefix = [self.learner.vocabulary.text(token) for token in tree.tokens]
        numbers = {text: self._numbers([text])[0] for text in (*OPERATORS, *operands)}

        def gain(change: Replacement) -> float:
            """How much likelier the model finds the new token than the old one."""
            chances = tree.chances[change.place]
            return chances[numbers[change.new]] - chances[numbers[change.old]]

        def propose(changes: Sequence[Replacement]) -> Replacement:
            gains = list(map(gain, changes))
            return rng.choices(changes, [exp(one - max(gains)) for one in gains])[0]

        mended = fix(prefix, operands, exact(problem.exact_answer), rng, propose, self.walk, prefer=gain)
        if mended is None:
            return None
        written = write_tree(expression_of(mended), problem, writing=self.learner.train.writing)
        return " ".join(written if written and numbers.keys() >= set(written) else mended)

    def _numbers(self, prefix: Sequence[str]) -> tuple[int, ...]:
        tokens = [self.learner.vocabulary.token(text) for text in prefix]
        return tuple(token for token in tokens if token is not None)

    def state(self) -> Any:
        return self.finds

    def restore(self, state: Any) -> None:
        self.finds = state
