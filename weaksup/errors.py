"""The exception family of weaksup: one root, leaves that are also the builtin a caller would expect."""

from __future__ import annotations

__all__ = ["ConfigError", "DataError", "NothingToLearn", "WeakSupError"]


class WeakSupError(Exception):
    """Root of everything this package raises on purpose."""


class DataError(WeakSupError, ValueError):
    """Bad data in a file; knows the file, the line and the field where they are known."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None, field: str = "") -> None:
        super().__init__(message)
        self.message, self.path, self.line, self.field = message, path, line, field

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line) if part not in ("", None))
        where = f"{place}: " if place else ""
        return f"{where}{self.message}" + (f" (field {self.field})" if self.field else "")


class NothingToLearn(DataError):
    """There is no example to train with."""


class ConfigError(WeakSupError, ValueError):
    """A setting that is unknown, or does not fit the others."""
