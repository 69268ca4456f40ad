"""The exceptions of weaksup: one root class; the others are also the builtin exceptions a caller would expect."""

from __future__ import annotations

__all__ = ["ConfigError", "DataError", "NothingToLearn", "WeakSupError"]


class WeakSupError(Exception):
    """Base class of every exception that this package raises on purpose."""


class DataError(WeakSupError, ValueError):
    """Invalid data, with the file, the line and the field at fault as far as they are known."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None, field: str = "") -> None:
        super().__init__(message)
        self.message, self.path, self.line, self.field = message, path, line, field

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line) if part not in ("", None))
        where = f"{place}: " if place else ""
        return f"{where}{self.message}" + (f" (field {self.field})" if self.field else "")


class NothingToLearn(DataError):
    """There are no examples to train on."""


class ConfigError(WeakSupError, ValueError):
    """A setting that is unknown, out of range, or in conflict with another one."""
