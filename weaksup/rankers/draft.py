"""What rankers ask of a draft model, drafts of other people, and beliefs from scores.

A draft is anything with the two methods of `Draft`; `weaksup.solvers.draft.SolverDraft` makes one of a trained solver.
`load_draft("package.module:name")` finds one that somebody else wrote.  What that code raises or gets wrong becomes a
`ScorerError` of one line that says where.
"""

from __future__ import annotations

import importlib
import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from math import inf, isnan
from types import ModuleType
from typing import Any, NoReturn, Protocol, SupportsFloat, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError, WeakSupError
from ..records import Problem

__all__ = ["CheckedDraft", "Draft", "ScorerError", "beliefs", "load_draft"]

T = TypeVar("T")

_NOT_THEIRS = (__file__, importlib.__file__)  # of a traceback
_REFERENCE = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)")


class Draft(Protocol):
    """A model that has read the problems' texts."""

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        """The log-probability of each expression (over N0, N1...) of each problem; -inf for one it can't write."""
        ...

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        """Expressions that the model itself proposes for each problem, likeliest first; the ranker beam asks."""
        ...


def beliefs(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Scores in logarithms as beliefs that add up to 1; equal ones where nothing has a score."""
    given = np.asarray(scores, np.float64)
    if not len(given):
        raise WeakSupError("no candidate to believe in")
    best = given.max()
    if best == -inf:
        return np.full(len(given), 1 / len(given))
    shares = np.exp(given - best)
    return np.asarray(shares / shares.sum())


# --- drafts of other people -------------------------------------------------------------------------------------------


class ScorerError(WeakSupError):
    """A draft of somebody else that failed, or answered something else than it was asked."""


def load_draft(reference: str, *, explores: bool = False) -> CheckedDraft:
    """The draft that `package.module:name` is, or makes if it is a class or function without arguments.

    `ConfigError` if there is none, or if it should explore and can't; `ScorerError` if its code fails.
    """
    found = _REFERENCE.fullmatch(reference)
    if not found:
        raise ConfigError(f"a scorer is package.module:name, not {reference!r}")
    module = _run(reference, lambda: _find_module(found["module"]))
    try:
        given = getattr(module, found["name"])
    except AttributeError:
        raise ConfigError(f"scorer {reference}: the module {found['module']} has no {found['name']}") from None
    if isinstance(given, type) or (not hasattr(given, "score") and callable(given)):
        _check_takes_nothing(reference, given)
        given = _run(reference, given)
    draft = CheckedDraft(given, reference)
    if explores:
        draft.check_explores()
    return draft


class CheckedDraft:
    """A draft of somebody else.  What it answers is checked; `explore` may be missing where nobody asks for it."""

    def __init__(self, draft: Any, name: str) -> None:
        if not callable(getattr(draft, "score", None)):
            raise ConfigError(f"scorer {name}: {_kind(draft)} has no method score(problems, exprs)")
        self.draft, self.name = draft, name

    def check_explores(self) -> None:
        """`ConfigError` if it can't be asked to explore; better before it has scored for an hour."""
        if not callable(getattr(self.draft, "explore", None)):
            kind = _kind(self.draft)
            raise ConfigError(f"scorer {self.name}: {kind} has no method explore(problems), which beam needs")

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        rows = self._asked("scores", self.draft.score, problems, exprs)
        for problem, given, row in zip(problems, exprs, rows, strict=True):
            if len(row) != len(given):
                self._refuse(
                    f"gave {_counted(row, 'score')} for the {len(given):,} expressions of problem {problem.id}"
                )
        return [
            [self._number(score, problem, expr) for score, expr in zip(row, given, strict=True)]
            for problem, given, row in zip(problems, exprs, rows, strict=True)
        ]

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        self.check_explores()
        rows = self._asked("expressions", self.draft.explore, problems)
        for problem, row in zip(problems, rows, strict=True):
            if wrong := [expr for expr in row if not isinstance(expr, str)]:
                self._refuse(f"proposed {_short(wrong[0])} for problem {problem.id}, which is no text")
        return rows

    def _asked(
        self, what: str, method: Callable[..., Any], problems: Sequence[Problem], *others: object
    ) -> list[list[Any]]:
        """A row for each problem; about no problems nobody is asked."""
        if not problems:
            return []

        def answer() -> Any:
            given = method(problems, *others)
            # Iterated here: a generator is code of the scorer too.
            return [_row(row) for row in given] if isinstance(given, Iterable) else given

        rows = _run(self.name, answer)
        if not isinstance(rows, list):
            self._refuse(f"gave {_kind(rows)}, not a list of {what} for each problem")
        if len(rows) != len(problems):
            self._refuse(f"gave {what} for {len(rows):,} problems instead of {len(problems):,}")
        for problem, row in zip(problems, rows, strict=True):
            if not isinstance(row, list):
                self._refuse(f"gave {_short(row)} for problem {problem.id}, not a list of {what}")
        return rows

    def _number(self, score: object, problem: Problem, expr: str) -> float:
        try:
            value = float(score) if isinstance(score, SupportsFloat) else inf
        except (TypeError, ValueError, OverflowError):  # an array, or a number beyond floats
            value = inf
        if isnan(value) or value == inf:
            self._refuse(
                f"gave {_short(score)} for {expr} of problem {problem.id}, which is neither a finite number nor -inf"
            )
        return value

    def _refuse(self, what: str) -> NoReturn:
        raise ScorerError(f"scorer {self.name} {what}")


def _find_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Else it is there, and imports something that is not.
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise ConfigError(f"there is no module {error.name} in the current folder or on the Python path") from None


def _check_takes_nothing(reference: str, maker: Callable[..., Any]) -> None:
    try:
        inspect.signature(maker).bind()
    except TypeError as error:
        raise ConfigError(f"scorer {reference} can't be called without arguments: {error}") from None
    except ValueError:  # it has no signature: the call will tell
        return


def _run(name: str, code: Callable[[], T]) -> T:
    """What code of somebody else gives; what it raises as one line with its place."""
    try:
        return code()
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        raise ScorerError(f"scorer {name} failed: {text}{_place(error)}") from error


def _place(error: BaseException) -> str:
    """The last line of the file that was called which the error came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename not in _NOT_THEIRS]
    frames = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    theirs = [frame for frame in frames if frame.filename == frames[0].filename]
    if not theirs or isinstance(error, SyntaxError):  # which says itself where
        return ""
    return f" ({theirs[-1].filename}, line {theirs[-1].lineno})"


def _row(row: object) -> object:
    return list(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else row


def _counted(row: Sequence[object], what: str) -> str:
    return f"{len(row):,} {what}" + ("" if len(row) == 1 else "s")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
