"""How a long run reports what it does: by lines of text, by progress counts and by the beginning and end of steps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

__all__ = ["Progress", "Watcher", "watch_nothing"]

Progress = Callable[[int, int], None]  # called with the number done and the total


def _unwatched_step(name: str) -> AbstractContextManager[None]:
    return nullcontext()


class Watcher(NamedTuple):
    """Callbacks through which a run reports."""

    say: Callable[[str], None]
    progress: Callable[[str], Progress]  # name of the items counted -> callback
    step: Callable[[str], AbstractContextManager[None]] = _unwatched_step  # name of a step -> what surrounds its work


def _ignore(*told: object) -> None:
    """Discard the report."""


#: The watcher that discards every report.
watch_nothing = Watcher(_ignore, lambda what: _ignore)
