"""The interface of draft models, drafts supplied by users, and posteriors from scores.

A draft is any object with the two methods of `Draft`; `SolverDraft` (solvers.decoding) wraps a trained solver.
`load_draft("package.module:name")` loads one that a user wrote, or one of `weaksup.scorers`.  If its code fails or
returns something invalid, a `ScorerError` says in one line what happened and where.
"""

from __future__ import annotations

import importlib
import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isnan
from types import ModuleType
from typing import Any, NoReturn, Protocol, SupportsFloat, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError, WeakSupError
from ..records import Label, Problem

__all__ = ["CheckedDraft", "Draft", "ScorerError", "TrainDraft", "beliefs", "load_draft"]

T = TypeVar("T")

_OWN_FILES = (__file__, importlib.__file__)  # files of a traceback that are not the user's
_REFERENCE = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)(?:=(?P<argument>.+))?")


class Draft(Protocol):
    """A model that scores equations given the text of a problem."""

    def score(self, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        """The log-probability of each expression (over N0, N1...) of each problem; -inf for one it can't write."""
        ...

    def explore(self, problems: Sequence[Problem]) -> list[list[str]]:
        """Expressions that the model itself proposes for each problem, most likely first; only `beam` needs this."""
        ...


class TrainDraft(Protocol):
    """The function through which a ranker has a draft trained; the caller decides where the weights are kept."""

    def __call__(self, name: str, labels: Mapping[str, Label], *, soft: str, longer: float = 1.0) -> Draft:
        """The draft `name` of this run, trained on labels by problem id.

        `soft` is the setting of that name (`TrainConfig.soft`); training takes `longer` times the usual epochs.
        """
        ...


def beliefs(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The softmax of log-probabilities.

    Parameters
    ----------
    scores
        A log-probability for each candidate.

    Returns
    -------
    array
        Posteriors that add up to 1, all equal if every score is -inf.
    """
    given = np.asarray(scores, np.float64)
    if not len(given):
        raise WeakSupError("there are no candidates to choose from")
    best = given.max()
    if best == -inf:
        return np.full(len(given), 1 / len(given))
    shares = np.exp(given - best)
    return np.asarray(shares / shares.sum())


# --- drafts supplied by users -----------------------------------------------------------------------------------------


class ScorerError(WeakSupError):
    """Raised if a draft supplied by a user fails or returns something invalid."""


def load_draft(reference: str, *, explores: bool = False) -> CheckedDraft:
    """The draft that a reference such as `package.module:name` names.

    Parameters
    ----------
    reference
        An object, or a class or function that returns one without arguments.  With `package.module:name=argument`, the
        class or function is called with that string.
    explores
        Whether the draft must have the method `explore`.

    Returns
    -------
    CheckedDraft
        The draft; what it returns is checked.

    Raises
    ------
    ConfigError
        If there is no such object, or it lacks a method.
    ScorerError
        If its code fails.
    """
    found = _REFERENCE.fullmatch(reference)
    if not found:
        raise ConfigError(
            f"a scorer is given as package.module:name or package.module:name=argument, not {reference!r}"
        )
    module = _run(reference, lambda: _find_module(found["module"]))
    try:
        given = getattr(module, found["name"])
    except AttributeError:
        raise ConfigError(f"scorer {reference}: the module {found['module']} has no {found['name']}") from None
    arguments = () if found["argument"] is None else (found["argument"],)
    if isinstance(given, type) or (not hasattr(given, "score") and callable(given)):
        _check_takes(reference, given, arguments)
        given = _run(reference, lambda: given(*arguments))
    elif arguments:
        raise ConfigError(f"scorer {reference}: {found['name']} is an object, which takes no argument")
    draft = CheckedDraft(given, reference)
    if explores:
        draft.check_explores()
    return draft


class CheckedDraft:
    """A draft supplied by a user, with checks of what it returns; `explore` may be missing if it is not needed."""

    def __init__(self, draft: Any, name: str) -> None:
        if not callable(getattr(draft, "score", None)):
            raise ConfigError(f"scorer {name}: {_kind(draft)} has no method score(problems, exprs)")
        self.draft, self.name = draft, name

    def check_explores(self) -> None:
        """Raise `ConfigError` if the draft has no `explore`; to be called before an hour of scoring, not after it."""
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
                self._refuse(f"proposed {_short(wrong[0])} for problem {problem.id}, which is not a string")
        return rows

    def _asked(
        self, what: str, method: Callable[..., Any], problems: Sequence[Problem], *others: object
    ) -> list[list[Any]]:
        """Call a method of the draft and check that it returns one row per problem; no call without problems."""
        if not problems:
            return []

        def answer() -> Any:
            given = method(problems, *others)
            # Iterate inside `_run`: a generator runs the user's code as well.
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
        # Otherwise the module exists, but imports another one that does not.
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise ConfigError(f"there is no module {error.name} in the current folder or on the Python path") from None


def _check_takes(reference: str, maker: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    try:
        inspect.signature(maker).bind(*arguments)
    except TypeError as error:
        how = "with one argument" if arguments else "without arguments"
        raise ConfigError(f"scorer {reference} can't be called {how}: {error}") from None
    except ValueError:  # it has no signature, so only the call can tell
        return


def _run(name: str, code: Callable[[], T]) -> T:
    """Run the user's code and return its result; what it raises becomes a `ScorerError` of one line with the place."""
    try:
        return code()
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        raise ScorerError(f"scorer {name} failed: {text}{_place(error)}") from error


def _place(error: BaseException) -> str:
    """The last line of the user's file that the error passed through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename not in _OWN_FILES]
    frames = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    theirs = [frame for frame in frames if frame.filename == frames[0].filename]
    if not theirs or isinstance(error, SyntaxError):  # its message names the place already
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
