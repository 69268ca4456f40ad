"""How a long run reports what it does: by lines of text, by progress counts and by the beginning and end of steps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

__all__ = ["Progress", "Watcher", "duration_text", "watch_nothing"]

Progress = Callable[[int, int], None]  # called with the number done and the total


def duration_text(seconds: float) -> str:
    """Seconds as text; whole numbers have no decimal.

    >>> duration_text(3.21), duration_text(3), duration_text(65), duration_text(7200)
    ('3.2 s', '3 s', '1:05 min', '2:00:00 h')
    """
    if seconds < 60:
        return f"{seconds} s" if isinstance(seconds, int) else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d} h" if hours else f"{minutes}:{rest:02d} min"


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
