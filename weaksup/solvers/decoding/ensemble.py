"""Several solvers that answer as one: their beams are pooled, and every member judges every tree.

The probability of a tree is the mean of those that the members give it.  A member's beam has the probabilities of its
own trees; the others it scores with teacher forcing, which costs less than the beam did.  From there on the trees are
read like those of a single solver: trees of one meaning are one prediction, and the second opinions, which are averaged
too, reweight the predictions.  The members may differ in kind, size and vocabulary; a tree that a member can't
write has probability 0 for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, fsum
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from mathcanon import Expr
from mathcanon.files import AnyPath

from ...errors import ConfigError, DataError
from ...records import Problem
from ...storage.run_origin import RunOrigin, read_origin
from .scoring import tree_log_probabilities
from .second_opinions import plausibility
from .solver import Prediction, Solver, read_trees, text_problem

__all__ = ["Ensemble", "common_origin"]


class Ensemble:
    """Solvers that answer as one, with the methods of `Solver` that answer questions.

    One member alone gives the predictions of that solver.  The order of the members does not matter.
    """

    def __init__(self, members: Sequence[Solver]) -> None:
        if not members:
            raise ConfigError("an ensemble needs at least one solver")
        self.members = tuple(members)

    @classmethod
    def load(
        cls, folders: Sequence[AnyPath], *, device: str = "cpu", answer_model: bool = True, equation_model: bool = True
    ) -> Self:
        """Load model folders as in `Solver.load`; raises `DataError` if they were trained on different corpora."""
        common_origin(folders)
        with_models = {"answer_model": answer_model, "equation_model": equation_model}
        return cls([Solver.load(folder, device=device, **with_models) for folder in folders])

    def solve(
        self, text: str, *, beam: int = 5, language: str = "", number_words: bool = True, lexicon: str = "none"
    ) -> list[Prediction]:
        """Predictions for a text, most likely first; see `Solver.solve`."""
        problem = text_problem(text, language=language, number_words=number_words, lexicon=lexicon)
        return self.predict([problem], beam=beam)[0]

    def predict(self, problems: Sequence[Problem], *, beam: int = 5, batch_size: int = 64) -> list[list[Prediction]]:
        """For each problem, the equations of all beams that have a value, most likely first."""
        pools = self._pools(problems, beam=beam, batch_size=batch_size)
        return [
            read_trees(problem, _likeliest_first(pool), plausibility=self.plausibility)
            for problem, pool in zip(problems, pools, strict=True)
        ]

    def plausibility(self, problem: Problem, found: Sequence[tuple[Expr, Fraction]]) -> npt.NDArray[np.float64]:
        """What the second opinions of all members add to the log-probability of each equation with its value."""
        return plausibility(self.members, problem, found)

    def _pools(self, problems: Sequence[Problem], *, beam: int, batch_size: int) -> list[_Pool]:
        pools: list[_Pool] = [{} for _ in problems]
        for number, member in enumerate(self.members):
            for place, hypotheses in member.decode(problems, beam=beam, batch_size=batch_size):
                for hypothesis in hypotheses:
                    judged = pools[place].setdefault(member.prefix(hypothesis), {})
                    judged[number] = hypothesis.log_probability
        for number, member in enumerate(self.members):
            # Sorted, so that the batches do not depend on the order of the members.
            unknown = [sorted(tree for tree, judged in pool.items() if number not in judged) for pool in pools]
            scores = tree_log_probabilities(member, problems, unknown, alike=False)
            for pool, trees, row in zip(pools, unknown, scores, strict=True):
                for tree, score in zip(trees, row, strict=True):
                    pool[tree][number] = score
        return pools


_Pool = dict[tuple[str, ...], dict[int, float]]  # trees with the log-probability by each member


def _likeliest_first(pool: _Pool) -> list[tuple[tuple[str, ...], float]]:
    means = [(tree, fsum(map(exp, judged.values())) / len(judged)) for tree, judged in pool.items()]
    return sorted(means, key=lambda pair: (-pair[1], pair[0]))


def common_origin(folders: Sequence[AnyPath], *, same_split: bool = False) -> RunOrigin | None:
    """The corpus and split that the models were trained on; None if no folder records them.

    Raises `DataError` if two models were trained on different corpora or, with `same_split`, with different splits:
    then the test part of one may be what another was trained on.
    """
    known = [(folder, made) for folder in folders if (made := read_origin(folder)) is not None]
    if not known:
        return None
    first, origin = known[0]
    for folder, made in known[1:]:
        if made.corpus != origin.corpus:
            raise DataError(f"trained on another corpus than {Path(first)}", path=str(Path(folder)))
        if same_split and made.split != origin.split:
            message = f"trained with another split than {Path(first)}; choose one with --split-file or --folds"
            raise DataError(message, path=str(Path(folder)))
    return origin
