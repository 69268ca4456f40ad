"""The compiled core, if it was built and is not switched off; None means pure Python.

The core (mathcanon/csrc/) answers for plain infix text of moderate size and says "not mine" to all else, so each caller
asks it first and goes on in Python where it has no answer.  `MATHCANON_PURE=1` in the environment switches it off.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

__all__ = ["BUILD", "DIFFERENT", "NOT_MINE", "SAME_FUNCTION", "SAME_STRUCTURE", "UNDEFINED", "core"]

NOT_MINE, DIFFERENT, SAME_STRUCTURE, SAME_FUNCTION, UNDEFINED = range(-1, 4)


def _load() -> Any:
    if os.environ.get("MATHCANON_PURE", "") not in ("", "0"):
        return None
    try:
        return import_module("mathcanon._core")
    except ImportError:  # not built
        return None


core: Any = _load()

#: "compiled" or "pure": which one runs.
BUILD = "pure" if core is None else "compiled"
