"""WARM, weakly supervised by reinforcement (Chatterjee, Waghmare, Kumar & Ramakrishnan 2021).

A generator is trained by REINFORCE: trees are drawn from it, one of the right value is rewarded with 1, and the
gradient of its log-probability is weighted by the reward less the usual one (a moving average).  What the trained
generator then finds, its best tree or with a beam all of them, where the value is right, teaches a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from typing import Any

from ..records import Problem
from ..solvers.batches import Example, bucketed
from ..solvers.beam import beam_search
from .finds import Finds
from .fixing import value_of
from .lbf import exact, operand_values
from .learner import Learner
from .sampling import write_trees

__all__ = ["Reinforcer", "harvest", "leaf_range"]

_DECAY = 0.95  # of the moving average of rewards


class Reinforcer:
    """The teacher of WARM's generator."""

    def __init__(self, learner: Learner, problems: Sequence[Problem], *, draws: int) -> None:
        self.learner, self.problems, self.draws = learner, problems, draws
        self.usual = 0.0  # reward

    def teach(self, places: Sequence[int], step: int) -> list[Example]:
        examples = [self.learner.examples[place] for place in places]
        sizes = [leaf_range(len(self.problems[place].quantities)) for place in places]
        batch = self.learner.batch(examples)
        written = write_trees(self.learner.model, batch, sizes, draws=self.draws)  # type: ignore[arg-type]
        lessons, rewards = [], []
        for place, example, drawn in zip(places, examples, written, strict=True):
            trees = tuple(tree.tokens for tree in drawn)
            gained = [float(is_right(self.learner, self.problems[place], tree)) for tree in trees]
            weights = tuple((reward - self.usual) / self.draws for reward in gained)
            # Only the very tokens that were drawn are answered for, not others of the same value.
            lessons.append(replace(example, trees=trees, weights=weights, same=tuple(range(len(example.same)))))
            rewards += gained
        self.usual = _DECAY * self.usual + (1 - _DECAY) * sum(rewards) / len(rewards)
        return lessons

    def state(self) -> Any:
        return self.usual

    def restore(self, state: Any) -> None:
        self.usual = state


def leaf_range(quantities: int) -> tuple[int, int]:
    """The fewest and the most leaves of the trees of a problem: nearly all equations of the corpora are within.

    >>> [leaf_range(quantities) for quantities in (1, 2, 3, 5)]
    [(2, 3), (2, 3), (2, 4), (4, 6)]
    """
    return max(2, quantities - 1), max(3, quantities + 1)


def is_right(learner: Learner, problem: Problem, tokens: Sequence[int]) -> bool:
    """Whether a tree has the value of the answer."""
    prefix = [learner.vocabulary.text(token) for token in tokens]
    return value_of(prefix, operand_values(problem)) == exact(problem.exact_answer)


def harvest(learner: Learner, problems: Sequence[Problem], *, beam: int, batch_size: int = 64) -> Finds:
    """The right-valued trees of the beam for each problem; a beam of 1 is the best tree.

    Their weights are their probabilities over that of the likeliest of them: a generator that is sure of something
    wrong gives the right ones probabilities that no float has.
    """
    model = learner.averaged().model
    finds: Finds = {}
    by_size: dict[int, list[int]] = {}
    for place in learner.readable:
        by_size.setdefault(len(problems[place].quantities), []).append(place)
    for quantities, members in sorted(by_size.items()):
        for chosen in bucketed([len(learner.examples[i].words) for i in members], batch_size=batch_size):
            places = [members[i] for i in chosen.tolist()]
            batch = learner.batch([learner.examples[i] for i in places])
            longest = 2 * leaf_range(quantities)[1] - 1
            found = beam_search(model, batch, beam=beam, max_tokens=longest)  # type: ignore[arg-type]
            for place, hypotheses in zip(places, found, strict=True):
                right = [tree for tree in hypotheses if is_right(learner, problems[place], tree.tokens)]
                if right:
                    most = max(tree.log_probability for tree in right)
                    finds[problems[place].id] = {
                        " ".join(learner.vocabulary.text(token) for token in tree.tokens): exp(
                            tree.log_probability - most
                        )
                        for tree in right
                    }
    return finds
