"""LBF, learning by fixing (Hong, Li, Ciao, Huang & Zhu, AAAI 2021), as in the authors' code.

Each step decodes a batch greedily with the current weights, fixes the trees of a wrong value (`fixing.py`), preferring
tokens that the model finds likely, and learns the fixed trees as they were found.  Trees have as many leaves as there
are quantities, then one more, then two more, until a fix is found.  Dropout is on while decoding, so that a problem
gets other trees in other epochs.  In the first epoch no constants are written; in the first five, but at most in the
first quarter of the training, a coin decides the shape of trees of three leaves.  With memory, each step learns all
trees ever found for its problems, each of them as an example of its own; without it, only those just found.

The authors' code also writes powers; docs/decisions.md says why this one does not.  Ways in which one may differ from
that code are options (`LBFConfig`): shapes drawn at random for trees of all sizes (fixing keeps the shape of a tree), a
walk that accepts every step, and fixes that are rewritten like other training equations, so that a+b and b+a are the
same target.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import torch

from ..records import Problem
from ..solvers.data.batches import Example
from ..solvers.data.trees import expression_of, write_tree
from ..solvers.presets import SolverConfig, TrainConfig
from ..solvers.training.lesson_sources import Moment
from ..solvers.training.loop import OnValidation, TrainingRun
from ..storage.json_lines import write_records
from ..storage.run_files import LABELS, SOLVER
from ..watching import Progress
from .finds import Finds, labels_of
from .fixing import OPERATORS, Replacement, fix
from .sampling import Written, write_trees
from .table import LBFConfig
from .unlabelled import Unlabelled

__all__ = ["Fixer", "learn_by_fixing"]

_MORE_LEAVES = (0, 1, 2)  # beyond the number of quantities
_SHAPED_EPOCHS = 5  # the first epochs, in which shapes are tossed; at most a quarter of all


def learn_by_fixing(
    problems: Sequence[Problem],
    valid: Sequence[Problem],
    folder: Path,
    *,
    config: SolverConfig,
    train: TrainConfig,
    how: LBFConfig,
    device: torch.device | str = "cpu",
    progress: Progress | None = None,
    on_validation: OnValidation | None = None,
) -> None:
    """Train a solver into `folder`/solver, and write the equations that it found to `folder`/labels.jsonl.

    Raises `AlreadyTrained` if both are complete.
    """
    given = Unlabelled(problems, config, min_word_count=train.min_word_count, device=device)
    fixer = Fixer(given, how, writing=train.writing, seed=train.seed)
    weighted = msgspec.structs.replace(train, soft="expected")
    run = TrainingRun(fixer, given.vocabulary, valid, folder / SOLVER, config=config, train=weighted, device=device)
    with ExitStack() as held:
        run.prepare(held)
        run.train(progress=progress, on_validation=on_validation)
        latest_first = {id: dict(reversed(found.items())) for id, found in fixer.finds.items()}
        write_records(folder / LABELS, labels_of(problems, latest_first, baseline="lbf"))
        run.finish()  # only now, as the checkpoint holds the fixes


class Fixer:
    """The lesson source of LBF, which makes each batch's lessons with the current model."""

    def __init__(self, given: Unlabelled, how: LBFConfig, *, writing: str, seed: int) -> None:
        self.given, self.examples, self.problems = given, given.examples, given.problems
        self.how, self.writing, self.seed = how, writing, seed
        self.about = {"name": "lbf", **msgspec.structs.asdict(how)}
        self.finds: Finds = {}

    def teach(self, places: Sequence[int], now: Moment) -> list[Example]:
        now.model.train()  # with dropout
        found: dict[int, str] = {}
        for more in _MORE_LEAVES:
            open_ = [place for place in places if place not in found]
            for place, tree in zip(open_, self._decoded(open_, more, now), strict=True):
                if mended := self._fixed(place, tree, Random(f"{self.seed}:{now.step}:{more}:{place}")):
                    found[place] = mended
                    counts = self.finds.setdefault(self.problems[place].id, {})
                    counts[mended] = counts.pop(mended, 0) + 1  # the latest find comes last
        taught = {}
        for place in places:
            known = self.finds.get(self.problems[place].id, {})
            if trees := [prefix for prefix in known if self.how.memory or prefix == found.get(place)]:
                taught[place] = tuple(self.given.tokens(prefix.split()) for prefix in trees)
        # The loss is the mean over the problems: these weights make it the mean over all trees.
        weight = len(taught) / max(1, sum(map(len, taught.values())))
        return [
            replace(self.examples[place], trees=trees, weights=(weight,) * len(trees))
            for place, trees in taught.items()
        ]

    def _decoded(self, places: Sequence[int], more: int, now: Moment) -> list[Written]:
        """The greedily decoded trees of some problems, with `more` leaves than there are quantities."""
        if not places:
            return []
        sizes = [max(1, len(self.problems[place].quantities)) + more for place in places]
        tossing = now.step < min(_SHAPED_EPOCHS * now.per_epoch, now.steps / 4)
        written = write_trees(
            now.model,  # type: ignore[arg-type]
            self.given.batch(places),
            [(size, size) for size in sizes],
            shapes=("any" if self.how.shapes else "three") if tossing else "model",
            constants=now.step >= now.per_epoch,
        )
        return [tree for (tree,) in written]

    def _fixed(self, place: int, tree: Written, rng: Random) -> str | None:
        """The fixed tree of a problem; None if no fix was found."""
        operands = self.given.operands[place]
        prefix = self.given.prefix(tree.tokens)
        numbers = {text: self.given.tokens([text])[0] for text in (*OPERATORS, *operands)}

        def gain(change: Replacement) -> float:
            """The gain in log-probability from the old token to the new one; -inf for one that may not be written."""
            chances = tree.chances[change.place]
            before, after = chances[numbers[change.old]], chances[numbers[change.new]]
            return after - before if after > -inf else -inf

        target = self.given.answers[place]
        mended = fix(prefix, operands, target, rng, gain, self.how.walk, free=self.how.free_walk)
        if mended is None:
            return None
        if self.how.rewrite:
            written = write_tree(expression_of(mended), self.problems[place], writing=self.writing)
            mended = tuple(written) if written and numbers.keys() >= set(written) else mended
        return " ".join(mended)

    def state(self) -> Any:
        return self.finds

    def restore(self, state: Any) -> None:
        self.finds = msgspec.convert(state, dict[str, dict[str, int | float]])
