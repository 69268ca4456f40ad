"""Where the lessons of a training step come from: they are fixed in advance, or a teacher makes them during training.

The training loop asks its lesson source for the examples of each batch.  Fixed lessons never change.  A teacher
(`weaksup.baselines`) makes lessons with the current weights and may remember what it found; that state is part of the
checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from torch import nn

from ..data.batches import Example

__all__ = ["FixedLessons", "LessonSource", "Moment"]


class Moment(NamedTuple):
    """The current model and the progress of training, from which a teacher makes lessons."""

    model: nn.Module
    step: int
    steps: int  # in total
    per_epoch: int


class LessonSource(Protocol):
    """The interface through which the training loop gets its examples."""

    @property
    def examples(self) -> Sequence[Example]:
        """One example per problem; the loop groups them into batches by length."""
        ...

    @property
    def about(self) -> Mapping[str, Any] | None:
        """The settings of a teacher, which help to identify a run; None if `examples` are the lessons."""
        ...

    def teach(self, places: Sequence[int], now: Moment) -> list[Example]:
        """The examples to learn from, with trees and weights, for those at `places`; some may have none.

        Random draws must come from torch's generator, which is seeded at each step, or depend only on (seed, step).
        """
        ...

    def state(self) -> Any:
        """The state of the source as JSON-compatible data; None if it has no state."""
        ...

    def restore(self, state: Any) -> None:
        """Restore what `state` returned; raises ValueError for anything else."""
        ...


class FixedLessons:
    """Lessons that are fixed in advance: the examples themselves."""

    about = None

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples

    def teach(self, places: Sequence[int], now: Moment) -> list[Example]:
        return [self.examples[place] for place in places]

    def state(self) -> None:
        return None

    def restore(self, state: Any) -> None:
        if state is not None:
            raise ValueError("fixed lessons have no state to restore")
