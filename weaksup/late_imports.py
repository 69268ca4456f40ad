"""Lazy imports: names are imported on first use, so `import weaksup` and `--help` load neither numpy nor torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["find_name", "late_attributes"]


def find_name(reference: str) -> Any:
    """The object that `package.module:name` refers to.

    >>> find_name("fractions:Fraction")
    <class 'fractions.Fraction'>
    """
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def late_attributes(package: str, references: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package that imports each name from its reference (`module:name`) on access."""

    def attribute(name: str) -> Any:
        if name in references:
            return find_name(references[name])
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute
