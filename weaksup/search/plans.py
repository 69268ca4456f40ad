"""Search plans: which numbers are combined, stage by stage, and when to stop.

A stage says how many quantities to leave out and what to add: the constant 1, pi (3.14), a quantity a second time,
or a quantity squared or cubed.  A plan is a list of stages from simple to less simple, in a TOML file:

    name = "mine"
    about = "one line"
    stop = "first-match"        # or "never": go through all stages
    dedupe = "value"            # "value": equal values are one variable; "position": each quantity is its own; "none"
    tolerance = "0"             # how far from the answer a value may be; "<0.01" for less than that, as floats see it

    [[stage]]
    name = "omit-1"
    omit = 1                    # quantities to leave out
    extras = ["1", "twice"]     # of "1", "pi", "twice", "square", "cube"
    max_quantities = 5          # problems with more quantities skip this stage
    max_operands = 6            # as do those with more operands, extras included
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from mathcanon import MathCanonError, parse_number

from ..errors import ConfigError

__all__ = ["PLANS", "Plan", "Stage", "load_plan"]

PLANS = ("full", "paper", "powers", "released")
MAX_OPERANDS = 7

Extra = Literal["1", "pi", "twice", "square", "cube"]


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a plan."""

    name: str
    omit: int = 0
    extras: tuple[Extra, ...] = ()
    min_quantities: int = 1
    max_quantities: int = 99
    max_operands: int = MAX_OPERANDS

    def applies_to(self, quantities: int) -> bool:
        """Whether a problem with so many quantities goes through this stage."""
        added = sum(extra not in ("square", "cube") for extra in self.extras)
        kept = quantities - self.omit
        return (
            self.min_quantities <= quantities <= self.max_quantities
            and kept >= 1
            and kept + added <= min(self.max_operands, MAX_OPERANDS)
        )


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stages from simple to less simple, and when to stop."""

    name: str
    stage: tuple[Stage, ...]
    about: str = ""
    stop: Literal["first-match", "never"] = "never"
    dedupe: Literal["value", "position", "none"] = "value"
    tolerance: str = "0"

    @property
    def exact_tolerance(self) -> Fraction:
        return parse_number(self.tolerance.removeprefix("<"))

    @property
    def as_floats(self) -> bool:
        """Whether the tolerance is "less than", decided in floats where it is a close call."""
        return self.tolerance.startswith("<")

    def stages_for(self, quantities: int) -> tuple[Stage, ...]:
        return tuple([stage for stage in self.stage if stage.applies_to(quantities)])


def load_plan(name_or_path: str) -> Plan:
    """One of `PLANS`, or the plan in a TOML file.

    >>> load_plan("released").stop
    'first-match'
    """
    if name_or_path in PLANS:
        source = files(__package__).joinpath(f"{name_or_path}.toml").read_text(encoding="utf-8")
        return _read_plan(source, f"{name_or_path}.toml")
    if not name_or_path.endswith(".toml"):
        raise ConfigError(f"no plan is called {name_or_path!r}: one of {', '.join(PLANS)}, or a .toml file")
    try:
        source = Path(name_or_path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name_or_path}: not UTF-8 text") from error
    return _read_plan(source, name_or_path)


def _read_plan(source: str, where: str) -> Plan:
    try:
        plan = msgspec.convert(tomllib.loads(source), Plan)
        negative = plan.exact_tolerance < 0
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, MathCanonError) as error:
        raise ConfigError(f"{where}: {str(error).splitlines()[0]}") from None
    if negative:
        raise ConfigError(f"{where}: a tolerance is not negative: {plan.tolerance}")
    names = [stage.name for stage in plan.stage]
    if len(set(names)) < len(names) or not names:
        raise ConfigError(f"{where}: stages need different names, and there must be one at least")
    for stage in plan.stage:
        if stage.omit < 0:
            raise ConfigError(f"{where}: stage {stage.name} can't omit {stage.omit} quantities")
    return plan
