"""Search plans: which numbers are combined, stage by stage, and when to stop.

A stage says how many quantities to leave out and what to add: the constant 1, pi (3.14), a second use of a quantity,
or its square or cube.  A plan is a TOML file with a list of stages, simplest first:

    name = "mine"
    about = "one line"
    stop = "first-match"        # after the first stage that finds something; "never": run all stages
    dedupe = "value"            # "value": equal values are one variable; "position": each quantity is one; or "none"
    tolerance = "0"             # largest distance from the answer; "<0.01": less than 0.01, ties decided in floats

    [[stage]]
    name = "omit-1"
    omit = 1                    # quantities to leave out
    extras = ["1", "twice"]     # of "1", "pi", "twice", "square", "cube"
    implied = 1                 # implied quantities to use; problems with fewer skip this stage
    lexicon = true              # only for problems that were read with a lexicon; false: only for the others
    max_quantities = 5          # problems with more quantities (printed ones) skip this stage
    max_operands = 6            # so do problems with more operands, extras and implied quantities included
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from importlib.resources import files
from typing import Annotated, Literal

import msgspec

from mathcanon import MathCanonError, parse_number
from mathcanon.reaching.numbers_to_target import check_tolerance

from ..errors import ConfigError
from ..storage.whole_files import read_file

__all__ = ["PLANS", "Plan", "Stage", "load_plan", "stage_order"]

PLANS = ("full", "paper", "powers", "released")
MAX_OPERANDS = 7

Few = Annotated[int, msgspec.Meta(ge=0, le=99)]
Extra = Literal["1", "pi", "twice", "square", "cube"]


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One stage of a plan; the docstring of the module explains the fields."""

    name: str
    omit: Few = 0
    extras: tuple[Extra, ...] = ()
    implied: Few = 0
    lexicon: bool | None = None
    min_quantities: Few = 1
    max_quantities: Few = 99
    max_operands: Few = MAX_OPERANDS

    @property
    def added(self) -> int:
        """The number of operands besides the printed quantities; a square or a cube replaces its quantity."""
        return self.implied + sum(extra not in ("square", "cube") for extra in self.extras)

    def applies_to(self, quantities: int, implied: int = 0, lexicon: bool = False) -> bool:
        """Whether this stage searches problems with these numbers of printed and implied quantities."""
        kept = quantities - self.omit
        return (
            self.min_quantities <= quantities <= self.max_quantities
            and kept >= 1
            and self.lexicon in (None, lexicon)
            and self.implied <= implied
            and kept + self.added <= min(self.max_operands, MAX_OPERANDS)
        )


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stages, simplest first, and when to stop; the docstring of the module explains the fields."""

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
        """Whether the tolerance is "less than", with ties decided in floating point."""
        return self.tolerance.startswith("<")

    def stages_for(self, quantities: int, implied: int = 0, lexicon: bool = False) -> tuple[Stage, ...]:
        return tuple([stage for stage in self.stage if stage.applies_to(quantities, implied, lexicon)])


def load_plan(name_or_path: str) -> Plan:
    """One of `PLANS`, or the plan in a TOML file.

    Parameters
    ----------
    name_or_path
        The name of a plan, or the path of a file that ends in `.toml`.

    Returns
    -------
    Plan
        The stages, checked.

    Raises
    ------
    ConfigError
        If there is no such plan, or the file has an unknown key or a bad value.

    Examples
    --------
    >>> load_plan("released").stop
    'first-match'
    """
    if name_or_path in PLANS:
        source = files(__package__).joinpath(f"{name_or_path}.toml").read_text(encoding="utf-8")
        return _read_plan(source, f"{name_or_path}.toml")
    if not name_or_path.endswith(".toml"):
        raise ConfigError(f"unknown plan {name_or_path!r}; one of {', '.join(PLANS)}, or a .toml file")
    try:
        source = read_file(name_or_path).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name_or_path}: not UTF-8 text") from error
    return _read_plan(source, name_or_path)


def stage_order() -> list[str]:
    """The names of the stages of the plan `full`, simplest first: the order in which tables list stages."""
    return list(dict.fromkeys([stage.name for stage in load_plan("full").stage]))


def _read_plan(source: str, where: str) -> Plan:
    try:
        plan = msgspec.convert(tomllib.loads(source), Plan)
        check_tolerance(plan.exact_tolerance)
    except RecursionError:
        raise ConfigError(f"{where}: lists or tables are nested too deeply") from None
    except (ValueError, msgspec.ValidationError, MathCanonError) as error:
        raise ConfigError(f"{where}: {str(error).splitlines()[0]}") from None
    for lexicon in (False, True):
        names = [stage.name for stage in plan.stage if stage.lexicon in (None, lexicon)]
        if len(set(names)) < len(names) or not plan.stage:
            raise ConfigError(f"{where}: a plan needs at least one stage, and stages need different names")
    return plan
