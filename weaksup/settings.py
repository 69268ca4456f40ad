"""Settings that people write, checked: a wrong one is a line that says what would do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from .errors import ConfigError

__all__ = ["check_names", "convert_settings"]

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r"(?P<what>.*) - at `\$\.(?P<name>\w+)`")


def check_names(given: Iterable[str], known: Iterable[str], *, what: str = "setting") -> None:
    """ConfigError for a name that there is not, with one that is near."""
    known = list(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
            raise ConfigError(f"unknown {what} {name!r}{hint}")


def convert_settings(values: Mapping[str, Any], kind: type[T]) -> T:
    """Settings as a record; ConfigError for a value that it can't have.

    >>> class Settings(msgspec.Struct):
    ...     size: Literal["small", "large"] = "small"
    >>> convert_settings({"size": "huge"}, Settings)
    Traceback (most recent call last):
    weaksup.errors.ConfigError: size can't be 'huge'; one of small, large
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_explained(error, values, kind)) from error


def _explained(error: msgspec.ValidationError, values: Mapping[str, Any], kind: type[msgspec.Struct]) -> str:
    found = _PLACE.fullmatch(str(error))
    if found is None or found["name"] not in values:
        return str(error)
    name = found["name"]
    choices = _choices(get_type_hints(kind)[name])
    wanted = f"one of {', '.join(choices)}" if choices else found["what"].replace("`", "").lower()
    return f"{name} can't be {values[name]!r}; {wanted}"


def _choices(hint: Any) -> list[str]:
    """What a setting may be, where that is a list of words."""
    return [str(choice) for choice in get_args(hint)] if get_origin(hint) is Literal else []
