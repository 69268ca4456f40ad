"""How a long run reports what it does: by lines of text and by progress counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Progress", "Watcher", "watch_nothing"]

Progress = Callable[[int, int], None]  # called with the number done and the total


class Watcher(NamedTuple):
    """Callbacks through which a run reports."""

    say: Callable[[str], None]
    progress: Callable[[str], Progress]  # name of the items counted -> callback


def _ignore(*told: object) -> None:
    """Discard the report."""


#: The watcher that discards every report.
watch_nothing = Watcher(_ignore, lambda what: _ignore)
