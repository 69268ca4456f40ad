"""Ctrl-C that takes effect at the end of a training step, so that training can resume exactly from the checkpoint."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

__all__ = ["LateInterrupt"]


class LateInterrupt:
    """A block in which the first Ctrl-C or SIGTERM only sets `wanted`, until `deliver`; a second one acts at once.

    Only signals that already have a handler are deferred: a background process that ignores Ctrl-C still does, and
    SIGTERM still kills if nothing handles it.  Outside the main thread this does nothing: only that one gets signals.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._noted: int | None = None

    @property
    def wanted(self) -> bool:
        return self._noted is not None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if callable(signal.getsignal(number)):
                    self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.wanted:
            self._noted = number
            self.deliver()
        self._noted = number

    def deliver(self) -> NoReturn:
        """Call the original handler, which raises KeyboardInterrupt or a subclass of it."""
        assert self._noted is not None
        self._before[self._noted](self._noted, None)
        raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
