"""Compilation by numba of the loops over many equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

__all__ = ["compiled"]


def compiled(function: Callable[..., Any]) -> Any:
    """The function, compiled when it is first called; the code is cached on disk if that is possible."""
    try:
        return njit(function, cache=True, nogil=True)
    except RuntimeError:  # there is no writable folder for the cache of compiled code
        return njit(function, nogil=True)
