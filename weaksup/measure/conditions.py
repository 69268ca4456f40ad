"""Conditions on problems, as `mwp-weak show --where` takes them: `wrong and n>=4`.

    condition  = words, comparisons and brackets, joined by `and`, `or`, `not`
    word       = right | wrong | covered | single | multiple | reachable | gold
    comparison = (n | candidates | posterior | answer) (= | != | < | <= | > | >=) number
               | (stage | ranker | reason | id) (= | !=) text

`not` binds tighter than `and`, `and` tighter than `or`.  A text with blanks is in quotes.  A comparison with a value
that a problem does not have (the posterior without a label) is false, as are `right` and `wrong` without a label or
gold.  The text is parsed by Dijkstra's shunting yard, so brackets may be nested to any depth.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from ..errors import ConfigError

__all__ = ["NUMBERS", "TEXTS", "WORDS", "Condition", "parse_condition"]

WORDS = ("right", "wrong", "covered", "single", "multiple", "reachable", "gold")
NUMBERS = ("n", "candidates", "posterior", "answer")
TEXTS = ("stage", "ranker", "reason", "id")

Facts = Mapping[str, Any]  # what is known of a problem, by the names above; None where unknown
_MAX_LENGTH = 10_000

_TOKEN = re.compile(
    r"""\s*(?:(?P<bracket>[()])|(?P<compare>==|!=|<=|>=|=|<|>)|"(?P<double>[^"]*)"|'(?P<single>[^']*)'"""
    r"""|(?P<word>[^\s()=!<>"']+))"""
)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_BINDS = {"or": 1, "and": 2, "not": 3}


class _Test(NamedTuple):
    """One word or comparison."""

    name: str
    compare: str = ""
    value: Fraction | str = ""

    def holds(self, facts: Facts) -> bool:
        known = facts.get(self.name)
        if known is None:
            return False
        return _COMPARE[self.compare](known, self.value) if self.compare else bool(known)


class Condition(NamedTuple):
    """A condition in postfix order."""

    steps: tuple[_Test | str, ...]

    def holds(self, facts: Facts) -> bool:
        """Whether a problem with these facts fulfils the condition."""
        stack: list[bool] = []
        for step in self.steps:
            if isinstance(step, _Test):
                stack.append(step.holds(facts))
            elif step == "not":
                stack.append(not stack.pop())
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(left and right if step == "and" else left or right)
        return stack[0]

    @property
    def names(self) -> set[str]:
        """The words and values that the condition asks for."""
        return {step.name for step in self.steps if isinstance(step, _Test)}


def parse_condition(text: str) -> Condition:
    """The condition that a text describes; `ConfigError` says what is wrong and where.

    >>> parse_condition("wrong and n>=4").holds({"wrong": True, "n": 5})
    True
    >>> parse_condition("not (single or n = 2)").holds({"single": False, "n": 2})
    False
    """
    if len(text) > _MAX_LENGTH:
        raise ConfigError(f"a condition of {len(text):,} characters; at most {_MAX_LENGTH:,} are read")
    tokens = _tokens(text)
    steps: list[_Test | str] = []
    waiting: list[str] = []  # operators and opening brackets
    wants_test = True
    while tokens:
        kind, token, place = tokens.pop(0)
        if wants_test and kind == "word" and token not in _BINDS:
            steps.append(_test(token, place, tokens, text))
            wants_test = False
        elif wants_test and token in ("not", "("):
            waiting.append(token)
        elif not wants_test and token in ("and", "or"):
            _move(waiting, steps, binding=_BINDS[token])
            waiting.append(token)
            wants_test = True
        elif not wants_test and token == ")" and "(" in waiting:
            _move(waiting, steps, binding=0)
            waiting.pop()
        else:
            raise _error(text, place, f"unexpected {token!r}")
    if wants_test or "(" in waiting:
        raise _error(text, len(text), "the condition ends too early")
    _move(waiting, steps, binding=0)
    return Condition(tuple(steps))


def _move(waiting: list[str], steps: list[_Test | str], *, binding: int) -> None:
    """Move the operators that bind at least as tightly as `binding` to the steps, up to an opening bracket."""
    while waiting and waiting[-1] != "(" and _BINDS[waiting[-1]] >= binding:
        steps.append(waiting.pop())


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """(kind, token, place) of each token."""
    found = []
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise _error(text, place, f"unexpected {text[place:].lstrip()[:1]!r}")
        kind = "quoted" if match.lastgroup in ("double", "single") else match.lastgroup
        found.append((kind, match[match.lastgroup], match.start(match.lastgroup)))
        place = match.end()
    return found


def _test(name: str, place: int, rest: list[tuple[str, str, int]], text: str) -> _Test:
    if name in WORDS:
        return _Test(name)
    if name not in (*NUMBERS, *TEXTS):
        raise _error(text, place, f"unknown word {name!r}; one of {', '.join((*WORDS, *NUMBERS, *TEXTS))}")
    if len(rest) < 2 or rest[0][0] != "compare" or rest[1][0] not in ("word", "quoted"):
        raise _error(text, place, f"{name} needs a comparison, such as {name}{'>=2' if name in NUMBERS else '=all'}")
    compare, value, at = rest.pop(0)[1], rest[0][1], rest[0][2]
    rest.pop(0)
    if name in TEXTS:
        if compare not in ("=", "==", "!="):
            raise _error(text, at, f"{name} is text: compare it with = or !=")
        return _Test(name, compare, value)
    if not re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30}|/0*[1-9]\d{0,29})?", value, re.ASCII):
        raise _error(text, at, f"{name} is a number, {value!r} is not")
    return _Test(name, compare, Fraction(value))


def _error(text: str, place: int, what: str) -> ConfigError:
    return ConfigError(f"--where {text!r:.200}: {what} at character {place + 1}")
