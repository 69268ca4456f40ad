"""Arguments that are expressions or numbers: they may begin with a minus, and numbers are checked."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from itertools import takewhile
from math import isnan
from typing import Any, get_args

import click

import mathcanon as mc

__all__ = ["MINUS", "ByteSize", "OnExpressions", "in_range", "number_as_written", "read_constants", "read_tolerance"]

#: Context settings that allow arguments with a leading minus: `mwp-canon canonical "-a+b"`.  As an option, click would
#: find -h in "-h+b" too, so `OnExpressions` looks for it.
MINUS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}

_SCIENTIFIC = re.compile(
    r"[0-9]+(\.[0-9]*)?[eE](?P<exponent>[+-]?[0-9]{1,20})"
)  # 1e-6, which `parse_number` does not read
_SIZE = re.compile(r"(?P<number>[0-9]{1,15}(\.[0-9]{1,9})?) ?(?P<unit>[kmgt]i?b)", re.IGNORECASE)
_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_MAX_EXPONENT = 100  # well within the range of floats, 10^308


class OnExpressions(click.Command):
    """A command with `MINUS` settings that still reports misspelt long options such as `--jsn`.

    An argument -h asks for help; the expression of that name comes after `--`, or in brackets.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ours = list(takewhile(lambda arg: arg != "--", args))
        args = ["--help" if arg == "-h" else arg for arg in ours] + args[len(ours) :]
        known = [name for option in self.get_params(ctx) for name in option.opts]
        for arg in takewhile(lambda arg: arg != "--", args):
            name = arg.partition("=")[0]
            if re.fullmatch("--[a-z]{2,}(-[a-z]+)*", name) and name not in known:
                raise click.NoSuchOption(name, possibilities=get_close_matches(name, known), ctx=ctx)
        return super().parse_args(ctx, args)


def number_as_written(context: click.Context, argument: click.Parameter, given: Any) -> Any:
    """Check that the argument is a number, or several, and return it as text, as it was written."""
    for text in [given] if isinstance(given, str) else given:
        try:
            mc.parse_number(text)
        except mc.EvaluationError as error:
            raise click.BadParameter(f"{text!r} is not a number: {error}") from None
    return given


class _Real(click.FloatRange):
    """A float in a range; NaN is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        return self.fail(f"{value!r} is not a number.", param, ctx) if isnan(number) else number


class ByteSize(click.ParamType[int]):
    """An amount of memory with a unit, such as 500MB, 2GB or 1.5GiB, in a range of bytes."""

    name = "size"

    def __init__(self, declared: Any) -> None:
        _, meta = get_args(declared)
        self.least, self.most = meta.ge, meta.le

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        read = _SIZE.fullmatch(value.strip())
        if read is None:
            self.fail(f"{value!r} is not a size such as 500MB or 2GB.", param, ctx)
        size = int(Fraction(read["number"]) * _UNITS[read["unit"].lower()])
        if not self.least <= size <= self.most:
            self.fail(f"{value!r} is not in the range {_size(self.least)}<=x<={_size(self.most)}.", param, ctx)
        return size


def _size(count: int) -> str:
    """A number of bytes as it can be given."""
    unit = max([unit for unit in ("MB", "GB", "TB") if _UNITS[unit.lower()] <= count], key=lambda u: _UNITS[u.lower()])
    return f"{count / _UNITS[unit.lower()]:g}{unit}"


def in_range(declared: Any) -> click.ParamType[Any]:
    """The click type for a number whose range is declared in `weaksup.settings`."""
    kind, meta, *_ = get_args(declared)
    low = meta.ge if meta.gt is None else meta.gt
    high = meta.le if meta.lt is None else meta.lt
    of = click.IntRange if kind is int else _Real
    return of(low, high, min_open=meta.gt is not None, max_open=meta.lt is not None)


def read_tolerance(context: click.Context, option: click.Parameter, given: str) -> Fraction:
    """Parse a tolerance: a number as `parse_number` reads it, or scientific notation."""
    if scientific := _SCIENTIFIC.fullmatch(given):
        tolerance = Fraction(given) if abs(int(scientific["exponent"])) <= _MAX_EXPONENT else Fraction(-1)
    else:
        tolerance = mc.parse_number(number_as_written(context, option, given))
    if not 0 <= tolerance <= 10**_MAX_EXPONENT:
        raise click.BadParameter(f"{given!r} is not in the range 0<=x<=10^{_MAX_EXPONENT}.")
    return tolerance


def read_constants(context: click.Context, option: click.Parameter, given: str) -> list[Fraction]:
    """Parse comma-separated numbers."""
    texts = [text for text in given.split(",") if text.strip()]
    return [mc.parse_number(text) for text in number_as_written(context, option, texts)]
