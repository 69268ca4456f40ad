"""Arguments that are expressions or numbers: they may begin with a minus, and a number must be one."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from itertools import takewhile
from typing import Any

import click

import mathcanon as mc

__all__ = ["MINUS", "OnExpressions", "number_as_written", "read_constants"]

#: `mwp-canon canonical "-a+b"`
MINUS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}


class OnExpressions(click.Command):
    """A command with `MINUS`: two dashes and a word are an option all the same, so that a misspelt one is noticed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = [name for option in self.get_params(ctx) for name in option.opts]
        for arg in takewhile(lambda arg: arg != "--", args):
            name = arg.partition("=")[0]
            if re.fullmatch("--[a-z]{2,}(-[a-z]+)*", name) and name not in known:
                raise click.NoSuchOption(name, possibilities=get_close_matches(name, known), ctx=ctx)
        return super().parse_args(ctx, args)


def number_as_written(context: click.Context, argument: click.Parameter, given: Any) -> Any:
    """A number, or several, as they were written."""
    for text in [given] if isinstance(given, str) else given:
        try:
            mc.parse_number(text)
        except mc.EvaluationError as error:
            raise click.BadParameter(f"{text!r} is not a number: {error}") from None
    return given


def read_constants(context: click.Context, option: click.Parameter, given: str) -> list[Fraction]:
    """Numbers with commas between them."""
    texts = [text for text in given.split(",") if text.strip()]
    return [mc.parse_number(text) for text in number_as_written(context, option, texts)]
