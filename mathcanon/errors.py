"""The exceptions of the package: one base class, and subclasses that are also the builtin a caller would expect."""

from __future__ import annotations

from pathlib import Path
from unicodedata import east_asian_width

__all__ = [
    "ArgumentError",
    "EvaluationError",
    "LimitError",
    "MathCanonError",
    "OverwriteError",
    "ParseError",
    "SolutionError",
    "install_command",
]


class MathCanonError(Exception):
    """Base class of the exceptions that this package defines."""


class ParseError(MathCanonError, ValueError):
    """A text that is not an expression; carries the text, the position of the error and a hint how to mend it.

    >>> print(ParseError("two operands side by side", "2a", 1, hint="write 2*a").pointed())
    two operands side by side (write 2*a)
      2a
       ^
    """

    #: How much of a long text is shown around the offending place.
    CONTEXT = 60

    def __init__(self, message: str, text: str, position: int, hint: str = "") -> None:
        super().__init__(message, text, position, hint)
        self.message, self.text, self.position, self.hint = message, text, position, hint

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.message}{hint}, at character {self.position + 1}"

    def pointed(self) -> str:
        """The message with the text below it and a caret under the offending character."""
        start = max(0, self.position - self.CONTEXT // 2)
        stop = min(len(self.text), start + self.CONTEXT)
        shown = "".join(c if c.isprintable() else " " for c in self.text[start:stop])
        before, after = "..." if start else "", "..." if stop < len(self.text) else ""
        # A terminal shows full-width characters two columns wide.
        wide = sum([east_asian_width(c) in "WF" for c in shown[: self.position - start]])
        caret = " " * (len(before) + self.position - start + wide) + "^"
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.message}{hint}\n  {before}{shown}{after}\n  {caret}"


class ArgumentError(MathCanonError, ValueError):
    """An argument that a function does not accept: an unknown name, a number out of range, an operand given twice."""


class SolutionError(ParseError):
    """A text from which no solution can be read; carries the text and the position, as `ParseError` does."""


class LimitError(MathCanonError, ValueError):
    """An input past a stated limit (length, depth, digits, exponent, memory)."""

    def __init__(self, what: str, size: int, limit: int, hint: str = "") -> None:
        super().__init__(what, size, limit, hint)
        self.what, self.size, self.limit, self.hint = what, size, limit, hint

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        size = f"{self.size}" if abs(self.size) < 10**20 else f"over {'-' * (self.size < 0)}10^20"
        return f"{self.what} is {size}, the limit is {self.limit}{hint}"


class EvaluationError(MathCanonError, ZeroDivisionError):
    """An expression without a value at the given point: it divides by zero, or an operand has no value there."""


class OverwriteError(MathCanonError, FileExistsError):
    """An output that would replace an input, or a file that another command made."""


def install_command(extra: str) -> str:
    """How to install an extra of this package, for a message: by name, or from the clone that the package runs in."""
    if (Path(__file__).resolve().parents[1] / "constraints.txt").is_file():
        return f'in the clone, pip install -c constraints.txt ".[{extra}]"'
    return f'pip install "mathcanon[{extra}]"'
