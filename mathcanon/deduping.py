"""Deduplication: group a stream of expressions by meaning.

By structure, a class is all expressions with the same canonical form.  By value (equality as rational functions), each
new canonical form is looked up by keyed fingerprint and a match is confirmed exactly, so that forms with repeated
operands or numbers (`a*b+a*c` and `a*(b+c)`) are one class where they are equal, and only there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from secrets import token_bytes
from threading import Lock
from typing import Any, Generic, TypeVar

from .batches import collection_paused, mapped, slices
from .canonical_form import structure
from .equality.fingerprints import ZeroDivisor, fingerprint
from .equality.verdict import equivalent
from .errors import ArgumentError, MathCanonError
from .expr import ExprLike

__all__ = ["Deduper", "dedupe"]

X = TypeVar("X", bound=ExprLike)
Examined = tuple[X, str | Exception, int | None]  # an item, its structure or what is wrong with it, its fingerprint


def dedupe(
    exprs: Iterable[X],
    by: str = "structure",
    *,
    errors: str = "raise",
    workers: int = 1,
    secret: bytes | str | None = None,
) -> Iterator[X]:
    """Yield the first expression of each class, as it was given, in the order of the input.

    Parameters
    ----------
    exprs
        Expressions or texts; read lazily.
    by
        "structure" (the same canonical form) or "value" (equal as rational functions).
    errors
        What to do with an item that is not an expression: "raise", "skip" (leave it out) or "keep" (pass it through).
    workers
        Above 1, items are read ahead and examined in that many processes.
    secret
        The secret that the processes share, see `fingerprint`; by default a random one.

    Yields
    ------
    item of exprs
        The first of each class, the very object that was given.

    Raises
    ------
    ParseError, LimitError, TypeError
        If an item is not an expression and `errors` is "raise".
    ValueError
        If `by`, `errors` or `workers` is not one of these.

    Notes
    -----
    The text of each distinct canonical form is kept in memory.  By value, a new form is looked up by its fingerprint,
    and a match is confirmed by `equivalent`.

    Examples
    --------
    >>> list(dedupe(["a+b", "b+a", "a*b"]))
    ['a+b', 'a*b']
    >>> list(dedupe(["a+b", "a+", None, "b+a"], errors="skip"))
    ['a+b']
    >>> list(dedupe(["a*b+a*c", "a*(b+c)"])), list(dedupe(["a*b+a*c", "a*(b+c)"], by="value"))
    (['a*b+a*c', 'a*(b+c)'], ['a*b+a*c'])
    """
    if errors not in ("raise", "skip", "keep"):
        raise ValueError(f"unknown errors={errors!r}; one of raise, skip, keep")
    if workers < 1:
        raise ArgumentError(f"workers must be at least 1, not {workers}")
    return _firsts(exprs, Deduper(by=by, keep_members=False, secret=secret), errors, workers)


def _firsts(exprs: Iterable[X], seen: Deduper[X], errors: str, workers: int) -> Iterator[X]:
    for expr, form, value in seen._examined(exprs, workers):
        if isinstance(form, str):
            if seen._insert(expr, form, value):
                yield expr
        elif errors == "raise":
            raise form
        elif errors == "keep":
            yield expr


def _examine(by: str, secret: bytes | str | None, exprs: list[X]) -> list[Examined[X]]:
    """Each item with its structure, and with its fingerprint where the structure is new and that matters."""
    seen: set[str] = set()
    examined: list[Examined[X]] = []
    for expr in exprs:
        value = None
        try:
            form: str | Exception = structure(expr)
        except (MathCanonError, TypeError) as error:
            form = error
        if by == "value" and isinstance(form, str) and form not in seen:
            seen.add(form)
            value = _fingerprint(expr, secret)
        examined.append((expr, form, value))
    return examined


def _fingerprint(expr: ExprLike, secret: bytes | str | None) -> int:
    """The fingerprint; -1 where a divisor vanishes: only expressions with the same structure are in its class."""
    try:
        return fingerprint(expr, secret=secret)
    except ZeroDivisor:
        return -1


class Deduper(Generic[X]):
    """A growing set of expressions up to meaning.  Threads may share one: each class is new to exactly one of them.

    >>> seen = Deduper(["a+b", "b+a"])
    >>> len(seen), "b+a" in seen, seen.add("a-b"), seen.add("-b+a")
    (1, True, True, False)
    >>> seen.groups()
    [['a+b', 'b+a'], ['a-b', '-b+a']]
    """

    def __init__(
        self,
        exprs: Iterable[X] = (),
        *,
        by: str = "structure",
        keep_members: bool = True,
        secret: bytes | str | None = None,
    ) -> None:
        if by not in ("structure", "value"):
            raise ArgumentError(f"unknown way to compare {by!r}; one of structure, value")
        self.by = by
        self._secret = secret
        self._class_of: dict[str, int] = {}  # sign and identity of a canonical form -> class
        self._by_value: dict[int, list[tuple[X, int]]] = {}  # fingerprint -> a member of each class, the class
        self._members: list[list[X]] | None = [] if keep_members else None
        self._count = 0
        self._lock = Lock()
        self.add_many(exprs)

    def add(self, expr: X) -> bool:
        """Add `expr`; True if it is the first of its class."""
        return self._insert(expr, structure(expr), None)

    def add_many(self, exprs: Iterable[X], *, workers: int = 1) -> list[X]:
        """Add expressions and return those that are the first of their class, in order.

        With `workers` above 1 they are examined in that many processes.  Those before one that is not an expression are
        added.

        >>> seen = Deduper(["a+b"])
        >>> seen.add_many(["b+a", "a*b", "b*a", "c"])
        ['a*b', 'c']
        """
        with collection_paused():
            return list(_firsts(exprs, self, "raise", workers))

    def _examined(self, exprs: Iterable[X], workers: int) -> Iterator[Examined[X]]:
        """Items with what `_insert` wants to know, as lazily as one process and an iterator allow."""
        if workers == 1:  # fingerprints are computed when a structure is new
            return mapped(partial(_examine, "structure", None), slices(exprs))
        secret = token_bytes(32) if self._secret is None else self._secret
        if not self._by_value:
            self._secret = secret
        by = self.by if self._secret is secret else "structure"
        return mapped(partial(_examine, by, secret), slices(exprs), workers)

    def _insert(self, expr: X, form: str, value: int | None) -> bool:
        """Add an expression of this structure and, if it is known, this fingerprint; True if its class is new."""
        with self._lock:
            known = self._class_of.get(form)
            if known is None and self.by == "value":
                known = self._same_value(expr, value, remember=True)
            new = known is None
            if known is None:
                known = self._count
                self._count += 1
                if self._members is not None:
                    self._members.append([])
            self._class_of[form] = known
            if self._members is not None:
                self._members[known].append(expr)
        return new

    def __contains__(self, expr: X) -> bool:
        if structure(expr) in self._class_of:
            return True
        with self._lock:
            return self.by == "value" and self._same_value(expr, None, remember=False) is not None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[X]:
        return (members[0] for members in self.groups())

    def groups(self) -> list[list[X]]:
        """The members of each class; classes and members in the order in which they were added."""
        if self._members is None:
            raise ArgumentError("this Deduper was made with keep_members=False")
        with self._lock:
            return [list(members) for members in self._members]

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # locks can't be copied, and fingerprints differ between processes
            kept = {name: copy(value) for name, value in vars(self).items() if name not in ("_lock", "_by_value")}
            return kept | {"_by_value": [pair for pairs in self._by_value.values() for pair in pairs]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        by_value: dict[int, list[tuple[X, int]]] = {}
        for expr, known in state["_by_value"]:
            by_value.setdefault(fingerprint(expr, secret=state["_secret"]), []).append((expr, known))
        vars(self).update(state, _by_value=by_value, _lock=Lock())

    def _same_value(self, expr: X, value: int | None, *, remember: bool) -> int | None:
        """The class that equals `expr` as a function, if there is one."""
        if value is None:
            value = _fingerprint(expr, self._secret)
        if value < 0:
            return None
        candidates = self._by_value.get(value)
        for member, known in candidates or ():
            if equivalent(member, expr):
                return known
        if remember:
            self._by_value.setdefault(value, []).append((expr, self._count))
        return None
