"""WARM, weakly supervised by reinforcement (Chatterjee, Waghmare, Kumar & Ramakrishnan 2021).

A generator is trained by REINFORCE: trees are sampled from it, a tree with the right value gets a reward of 1, and the
gradient of each log-probability is weighted by the reward minus a baseline, the moving average of the rewards.  The
trained generator's right-valued trees (of its best ones or of its whole beam) are the labels that train a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
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
from ..solvers.training.loop import OnValidation, Progress, TrainingRun
from ..solvers.training.model_folder import AlreadyTrained
from ..storage.json_lines import write_records
from ..storage.run_files import GENERATOR, LABELS
from .finds import Finds, labels_of
from .sampling import write_trees
from .table import WARMConfig
from .unlabelled import Unlabelled

__all__ = ["Reinforcer", "generate_labels", "harvest", "leaf_range"]

_DECAY = 0.95  # of the moving average of rewards


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
    """Train a generator into `folder`/generator, and write the equations that it then finds to `folder`/labels.jsonl.

    The weights of the last step are used: the generator only has to solve `problems` themselves, so `valid` is ignored.
    """
    given = Unlabelled(problems, config, min_word_count=train.min_word_count, device=device)
    weighted = msgspec.structs.replace(train, soft="expected")
    with suppress(AlreadyTrained), ExitStack() as held:  # it is if the run was killed after training
        teacher = Reinforcer(given, draws=how.draws)
        run = TrainingRun(
            teacher, given.vocabulary, [], folder / GENERATOR, config=config, train=weighted, device=device
        )
        run.prepare(held)
        run.train(progress=progress, on_validation=on_validation)
        run.finish()
    generator = Solver.load(folder / GENERATOR, device=str(device))
    write_records(folder / LABELS, labels_of(problems, harvest(generator.model, given, beam=how.beam), baseline="warm"))


class Reinforcer:
    """The lesson source of WARM's generator: sampled trees, weighted by their rewards."""

    def __init__(self, given: Unlabelled, *, draws: int) -> None:
        self.given, self.examples, self.draws = given, given.examples, draws
        self.about = {"name": "warm", "draws": draws}
        self.usual = 0.0  # the moving average of the rewards

    def teach(self, places: Sequence[int], now: Moment) -> list[Example]:
        now.model.eval()
        examples = [self.examples[place] for place in places]
        sizes = [leaf_range(len(self.given.problems[place].quantities)) for place in places]
        written = write_trees(now.model, self.given.batch(places), sizes, draws=self.draws)  # type: ignore[arg-type]
        lessons, rewards = [], []
        for place, example, drawn in zip(places, examples, written, strict=True):
            trees = tuple(tree.tokens for tree in drawn)
            gained = [float(self.given.is_right(place, tree)) for tree in trees]
            weights = tuple((reward - self.usual) / self.draws for reward in gained)
            # The gradient is for the sampled tokens only, not for other operands of the same value.
            lessons.append(replace(example, trees=trees, weights=weights, same=tuple(range(len(example.same)))))
            rewards += gained
        self.usual = _DECAY * self.usual + (1 - _DECAY) * sum(rewards) / len(rewards)
        return lessons

    def state(self) -> Any:
        return self.usual

    def restore(self, state: Any) -> None:
        self.usual = msgspec.convert(state, float)


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
            longest = 2 * leaf_range(quantities)[1] - 1
            found = beam_search(model, given.batch(places), beam=beam, max_tokens=longest)  # type: ignore[arg-type]
            for place, hypotheses in zip(places, found, strict=True):
                right = [tree for tree in hypotheses if given.is_right(place, tree.tokens)]
                if right:
                    most = max(tree.log_probability for tree in right)
                    finds[given.problems[place].id] = {
                        " ".join(given.prefix(tree.tokens)): exp(tree.log_probability - most) for tree in right
                    }
    return finds
