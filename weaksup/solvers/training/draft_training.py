"""Training of draft models on a ranker's current labels: the function that the rankers take as `train_draft`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ...records import Label, Problem
from ...watching import Watcher, watch_nothing
from ..data.lessons import label_lessons
from ..decoding.solver import Solver, find_device
from ..decoding.solver_draft import SolverDraft
from ..presets import draft_preset
from .loop import train_solver
from .model_folder import AlreadyTrained

__all__ = ["DraftTrainer"]


class DraftTrainer:
    """Trains draft models, each in a folder of its own, or loads one that is already trained.

    `preset` and `changes` are the settings of the drafts, `train` and `valid` the problems of the two parts without
    gold, and `beam` is the beam width when a draft proposes equations.
    """

    def __init__(
        self,
        folder: Path,
        train: Sequence[Problem],
        valid: Sequence[Problem],
        *,
        preset: str,
        changes: Mapping[str, Any],
        beam: int,
        device: str = "auto",
        watch: Watcher = watch_nothing,
        curves: Callable[[Path], Any] | None = None,
    ) -> None:
        self.folder, self.train, self.valid = folder, train, valid
        self.preset, self.changes, self.beam, self.device = preset, changes, beam, device
        self.watch, self.curves = watch, curves
        self._loaded: dict[str, SolverDraft] = {}

    def __call__(self, name: str, labels: Mapping[str, Label], *, soft: str, longer: float = 1.0) -> SolverDraft:
        """The draft `name`, trained on `labels` (by problem id) for `longer` times the epochs of the preset."""
        if name not in self._loaded:
            self.watch.say(f"draft {name}: {len(labels):,} labels")
            self._train(self.folder / name, labels, soft=soft, longer=longer)
            self._loaded[name] = SolverDraft(Solver.load(self.folder / name, device=self.device), beam=self.beam)
        return self._loaded[name]

    def _train(self, place: Path, labels: Mapping[str, Label], *, soft: str, longer: float) -> None:
        config, train = draft_preset(self.preset, soft=soft, **self.changes)
        train = msgspec.structs.replace(train, epochs=train.epochs * longer)
        chosen = [problem for problem in self.train if problem.id in labels]
        lessons, _ = label_lessons(chosen, labels, writing=train.writing, soft=soft != "none")
        with suppress(AlreadyTrained):
            train_solver(
                lessons,
                self.valid,
                place,
                config=config,
                train=train,
                device=find_device(self.device),
                progress=self.watch.progress("examples"),
                on_validation=self.curves(place) if self.curves else None,
                answer_model=False,
                equation_model=False,
            )
