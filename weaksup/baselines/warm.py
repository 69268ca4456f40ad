"""WARM, weakly supervised by reinforcement (Chatterjee, Waghmare, Kumar & Ramakrishnan 2021).

A generator reads the problem and what can be said of its answer, and is trained by REINFORCE: trees are drawn from it
with a limited number of leaves, a tree with the right value gets a reward of 1, and the gradient of the probability of
that very draw is weighted by the reward minus a baseline, the mean reward of the problem's other draws.  A small bonus
for unlikely trees keeps the entropy up.  With a beam, the generator also explores while it is trained, by a beam search
that samples without replacement at each step: the right trees of each problem, and right subtrees of wrong ones, are
kept, and it learns to write any of them.  The right trees of the trained generator,
or those kept where it writes none, are the labels that train a solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import exp
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import nn

from ..records import Problem
from ..solvers.data.batches import Example, bucketed
from ..solvers.decoding.beam import beam_search
from ..solvers.decoding.solver import Solver
from ..solvers.presets import SolverConfig, TrainConfig
from ..solvers.training.lesson_sources import Moment
from ..solvers.training.loop import OnValidation, TrainingRun
from ..storage.json_lines import write_records
from ..storage.run_files import GENERATOR, LABELS
from ..watching import Progress
from .finds import Finds, labels_of
from .sampling import Written, write_trees
from .table import WARMConfig
from .unlabelled import Unlabelled

__all__ = ["Reinforcer", "generate_labels", "harvest", "leaf_range"]

_KEPT = 20  # right trees of a problem, the first that are found


def generate_labels(
    problems: Sequence[Problem],
    valid: Sequence[Problem],
    folder: Path,
    *,
    config: SolverConfig,
    train: TrainConfig,
    how: WARMConfig,
    device: torch.device | str = "cpu",
    progress: Progress | None = None,
    on_validation: OnValidation | None = None,
) -> None:
    """Train a generator into `folder`/generator, and write the equations that it found to `folder`/labels.jsonl.

    The weights of the last step are used: the generator only has to solve `problems` themselves, so `valid` is ignored.
    Raises `AlreadyTrained` if both are complete.
    """
    config = msgspec.structs.replace(config, dropout=0.0, word_dropout=0.0)  # it learns the distribution it draws from
    config = msgspec.structs.replace(config, hidden=how.generator_hidden or config.hidden)
    given = Unlabelled(problems, config, min_word_count=train.min_word_count, device=device, answers=True)
    teacher = Reinforcer(given, draws=how.draws, beam=how.beam, entropy=how.entropy)
    weighted = msgspec.structs.replace(train, soft="expected", epochs=how.generator_epochs or train.epochs)
    run = TrainingRun(teacher, given.vocabulary, [], folder / GENERATOR, config=config, train=weighted, device=device)
    with ExitStack() as held:
        run.prepare(held)
        run.train(progress=progress, on_validation=on_validation)
        generator = Solver.load(folder / GENERATOR, device=str(device))
        found = {**teacher.finds, **harvest(generator.model, given, beam=how.beam)}
        write_records(folder / LABELS, labels_of(problems, found, baseline="warm"))
        run.finish()  # only now, as the checkpoint holds the right trees


class Reinforcer:
    """The lesson source of WARM's generator: sampled trees, weighted by their rewards, and the right trees it keeps."""

    def __init__(self, given: Unlabelled, *, draws: int, beam: int, entropy: float) -> None:
        self.given, self.draws, self.beam, self.entropy = given, draws, beam, entropy
        # The gradient is for the sampled tokens only, not for other operands of the same value.
        self.examples = [
            replace(example, same=tuple(range(len(example.same))), leaves=leaf_range(len(problem.quantities)))
            for example, problem in zip(given.examples, given.problems, strict=True)
        ]
        self.about = {"name": "warm", "draws": draws, "beam": beam, "entropy": entropy}
        self.finds: Finds = {}  # with a beam: how often each right tree was found

    def teach(self, places: Sequence[int], now: Moment) -> list[Example]:
        return [lesson for lesson in map(merge_equal, self.weigh(places, now)) if lesson.trees]

    def weigh(self, places: Sequence[int], now: Moment) -> list[Example]:
        """For each problem the trees that are drawn, then those that are kept, with their weights."""
        now.model.eval()
        batch, leaves = self.given.batch(places), [self._leaves(place) for place in places]
        written = write_trees(now.model, batch, leaves, draws=self.draws)  # type: ignore[arg-type]
        lessons = {place: self._drawn(place, drawn) for place, drawn in zip(places, written, strict=True)}
        if self.beam > 1:
            self._explore([place for place in places if self.given.problems[place].id not in self.finds], now)
            for place, kept in self._remembered(places, now).items():
                lesson = lessons[place]
                trees, weights = zip(*kept, strict=True)
                lessons[place] = replace(lesson, trees=lesson.trees + trees, weights=lesson.weights + weights)
        return list(lessons.values())

    def _leaves(self, place: int) -> tuple[int, int]:
        return leaf_range(len(self.given.problems[place].quantities))

    def _drawn(self, place: int, drawn: Sequence[Written]) -> Example:
        """The trees drawn for a problem.  Each is weighed against the mean of the others: their baseline."""
        right = [self.given.is_right(place, tree.tokens) for tree in drawn]
        for tree in [tree for tree, good in zip(drawn, right, strict=True) if good]:
            self._keep(place, tree.tokens)
        gained = [good - self.entropy * tree.log_probability for tree, good in zip(drawn, right, strict=True)]
        return replace(self.examples[place], trees=tuple(tree.tokens for tree in drawn), weights=advantages(gained))

    def _explore(self, places: Sequence[int], now: Moment) -> None:
        """Look for a right tree in the beam of each problem that has none yet."""
        if places:
            leaves = [self._leaves(place) for place in places]
            batch = self.given.batch(places)
            found = beam_search(now.model, batch, beam=self.beam, leaves=leaves, sampled=True)  # type: ignore[arg-type]
            for place, hypotheses in zip(places, found, strict=True):
                for tree in hypotheses:
                    for tokens in self._parts(place, tree.tokens):
                        if self.given.is_right(place, tokens):
                            self._keep(place, tokens)

    def _parts(self, place: int, tokens: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The tree, and those of its subtrees that have enough leaves."""
        operators, (fewest, _) = len(self.given.vocabulary.operators), self._leaves(place)
        for start, first in enumerate(tokens):
            missing, end = 1, start
            while missing:
                missing += 1 if tokens[end] < operators else -1
                end += 1
            if first < operators and end - start >= 2 * fewest - 1:
                yield tokens[start:end]

    def _keep(self, place: int, tokens: Sequence[int]) -> None:
        if self.beam > 1:
            found = self.finds.setdefault(self.given.problems[place].id, {})
            text = " ".join(self.given.prefix(tokens))
            if text in found or len(found) < _KEPT:
                found[text] = found.get(text, 0) + 1

    def _remembered(self, places: Sequence[int], now: Moment) -> dict[int, list[tuple[tuple[int, ...], float]]]:
        """The right trees kept for each problem, weighted by their probabilities relative to each other.

        These are the weights of the gradient of the log-probability of writing any of them.
        """
        kept = {
            place: tuple(self.given.tokens(text.split()) for text in found)
            for place in places
            if (found := self.finds.get(self.given.problems[place].id))
        }
        if not kept:
            return {}
        examples = [replace(self.examples[place], trees=trees) for place, trees in kept.items()]
        batch = self.given.batch_of(examples)
        with torch.inference_mode():
            chances = iter(now.model(batch).tolist())
        of_place: dict[int, list[float]] = {}
        order = list(kept)
        for row in batch.order:
            of_place[order[row]] = [next(chances) for _ in kept[order[row]]]
        return {place: list(zip(kept[place], softmax(of_place[place]), strict=True)) for place in kept}

    def state(self) -> Any:
        return self.finds

    def restore(self, state: Any) -> None:
        self.finds = msgspec.convert(state, dict[str, dict[str, int | float]])


def merge_equal(lesson: Example) -> Example:
    """The same lesson with each tree once, and without trees of weight 0: they cost time and teach nothing.

    >>> lesson = Example((1,), (), (), trees=((5,), (6,), (5,), (7,)), weights=(0.5, 0.25, 0.5, 0.0))
    >>> merge_equal(lesson).trees, merge_equal(lesson).weights
    (((5,), (6,)), (1.0, 0.25))
    """
    weights: dict[tuple[int, ...], float] = {}
    for tree, weight in zip(lesson.trees, lesson.weights, strict=True):
        weights[tree] = weights.get(tree, 0.0) + weight
    kept = {tree: weight for tree, weight in weights.items() if weight}
    return replace(lesson, trees=tuple(kept), weights=tuple(kept.values()))


def advantages(gained: Sequence[float]) -> tuple[float, ...]:
    """What each draw gained beyond the mean of the others, divided by the number of draws.

    The others are independent of the draw, so that the gradient stays unbiased (Kool, van Hoof & Welling 2019).

    >>> advantages([1.0, 0.0, 0.0])
    (0.3333333333333333, -0.16666666666666666, -0.16666666666666666)
    """
    others, whole = len(gained) - 1, sum(gained)
    return tuple((one - (whole - one) / others) / len(gained) for one in gained)


def softmax(logs: Sequence[float]) -> list[float]:
    """Shares in proportion to numbers of which the logarithms are given.

    >>> softmax([-1000.0, -1000.0])
    [0.5, 0.5]
    """
    most = max(logs)
    parts = [exp(one - most) for one in logs]
    return [part / sum(parts) for part in parts]


def leaf_range(quantities: int) -> tuple[int, int]:
    """The fewest and the most leaves of a problem's trees; nearly all equations of the corpora are in this range.

    >>> [leaf_range(quantities) for quantities in (1, 2, 3, 5)]
    [(2, 3), (2, 3), (2, 4), (4, 6)]
    """
    return max(2, quantities - 1), max(3, quantities + 1)


def harvest(model: nn.Module, given: Unlabelled, *, beam: int, batch_size: int = 64) -> Finds:
    """The right-valued trees of the beam for each problem; a beam of 1 gives the best tree only.

    Their weights are probabilities relative to the most likely of them: if the generator is confident in a wrong tree,
    the probabilities of the right ones may be too small for a float.
    """
    model.eval()
    finds: Finds = {}
    by_size: dict[int, list[int]] = {}
    for place, problem in enumerate(given.problems):
        by_size.setdefault(len(problem.quantities), []).append(place)
    for quantities, members in sorted(by_size.items()):
        for chosen in bucketed([len(given.examples[i].words) for i in members], batch_size=batch_size):
            places = [members[i] for i in chosen.tolist()]
            leaves = [leaf_range(quantities)] * len(places)
            found = beam_search(model, given.batch(places), beam=beam, leaves=leaves)  # type: ignore[arg-type]
            for place, hypotheses in zip(places, found, strict=True):
                right = [tree for tree in hypotheses if given.is_right(place, tree.tokens)]
                if right:
                    most = max(tree.log_probability for tree in right)
                    finds[given.problems[place].id] = {
                        " ".join(given.prefix(tree.tokens)): exp(tree.log_probability - most) for tree in right
                    }
    return finds
