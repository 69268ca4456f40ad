"""How much a search may hold: numbers of hits and of candidates, derived from an amount of memory.

The shares are fixed, and nothing depends on how much memory happens to be free, nor on the number of workers.  So the
same memory setting gives the same candidates everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from mathcanon.files import MAX_LINE

__all__ = ["DEFAULT_MEMORY", "Budget"]

DEFAULT_MEMORY = 10**9  # bytes of a worker

_BYTES_A_HELD_HIT = 256  # as columns, while they are sorted
_BYTES_A_CANDIDATE = 1024  # as text, record and JSON
_BYTES_OF_JSON = 256  # of these, at most as a rule


class Budget(NamedTuple):
    """The memory of a worker, divided among the steps of the search."""

    memory: int

    @property
    def scan(self) -> int:
        """Bytes for the arrays and the hits of one batch."""
        return self.memory // 2

    @property
    def held(self) -> int:
        """The number of hits that problems searched together may hold."""
        return self.memory // 4 // _BYTES_A_HELD_HIT

    @property
    def candidates(self) -> int:
        """The largest number of candidates of one problem; they are one line of a file, which has a limit too."""
        return min(self.memory // 4 // _BYTES_A_CANDIDATE, MAX_LINE // _BYTES_OF_JSON)
