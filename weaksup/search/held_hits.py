"""The hits of problems that are searched together, as columns; of each function only the simplest are held.

Stages add hits as they find them.  Of each function of a problem, the hits with the fewest leaves are held
(`N0*(1+N1)`, not `N0*N1+N0`), and among these the ones of the earliest stage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["HeldHits", "Hits"]


class Hits(NamedTuple):
    """Hits as parallel arrays."""

    problem: Array
    function: Array  # equal for equal functions; 0 without deduplication
    leaves: Array
    stage: Array
    choice: Array  # index of the choice of operands
    sign: Array
    codes: Array  # (hits, MAX_OPERANDS - 1): the steps, padded with 0
    value: Array  # exact

    def chosen(self, rows: Array) -> Hits:
        """These rows: indices, or a mask."""
        return Hits(*[column[rows] for column in self])


class HeldHits:
    """Hits that are added in parts, and joined when somebody asks for them."""

    def __init__(self, problems: int, *, by_function: bool) -> None:
        import numpy as np

        self.counts = np.zeros(problems, np.int64)  # of each problem; a function may be counted more than once
        self._by_function = by_function
        self._parts: list[Hits] = []
        self._is_joined = True  # whether there is at most one part, which is sorted and has each function once

    def add(self, hits: Hits) -> None:
        """Hold more hits."""
        import numpy as np

        if len(hits.problem):
            self._parts.append(hits)
            self._is_joined = False
            self.counts += np.bincount(hits.problem, minlength=len(self.counts))

    @property
    def size(self) -> int:
        """The number of hits that are held."""
        return sum([len(part.problem) for part in self._parts])

    def joined(self) -> Hits | None:
        """All hits, of each function the simplest; those of a problem are side by side.  None if there are none."""
        import numpy as np

        if not self._is_joined:
            columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
            self.replace(Hits(*columns))
        return self._parts[0] if self._parts else None

    def replace(self, hits: Hits) -> None:
        """Hold these hits and no others, of each function the simplest."""
        self._parts, self.counts = [], self.counts * 0
        self.add(_simplest(hits) if self._by_function else hits.chosen(hits.problem.argsort(kind="stable")))
        self._is_joined = True

    def functions(self) -> Array:
        """The number of functions of each problem; without deduplication, the number of hits."""
        import numpy as np

        hits = self.joined()
        if hits is None or not self._by_function:
            return self.counts
        is_new = np.ones(len(hits.problem), bool)
        is_new[1:] = (hits.problem[1:] != hits.problem[:-1]) | (hits.function[1:] != hits.function[:-1])
        return np.bincount(hits.problem[is_new], minlength=len(self.counts))


def _simplest(hits: Hits) -> Hits:
    """For each function of a problem, the hits with the fewest leaves, and among these the ones of the first stage."""
    import numpy as np

    order = np.lexsort((hits.stage, hits.leaves, hits.function, hits.problem))
    problem, function = hits.problem[order], hits.function[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (problem[1:] != problem[:-1]) | (function[1:] != function[:-1])
    first = order[np.flatnonzero(is_first)[np.cumsum(is_first) - 1]]  # for each hit, the first of its function
    kept = order[(hits.leaves[order] == hits.leaves[first]) & (hits.stage[order] == hits.stage[first])]
    return hits.chosen(kept)
