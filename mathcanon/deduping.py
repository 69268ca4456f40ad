"""Deduplication: group a stream of expressions by meaning.

By structure, a class is all expressions with the same canonical form.  By value (equality as rational functions), each
new canonical form is looked up by keyed fingerprint and a match is confirmed exactly, so that forms with repeated
operands or numbers (`a*b+a*c` and `a*(b+c)`) are one class where they are equal, and only there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from threading import Lock
from typing import Any, Generic, TypeVar

from .algebra import apply
from .canonical_form import CANONICAL
from .equality.fingerprints import ZeroDivisor, fingerprint
from .equality.verdict import equivalent
from .errors import ArgumentError, MathCanonError
from .expr import ExprLike

__all__ = ["Deduper", "dedupe"]

X = TypeVar("X", bound=ExprLike)


def dedupe(exprs: Iterable[X], by: str = "structure", *, errors: str = "raise") -> Iterator[X]:
    """Yield the first expression of each class, as it was given, in the order of the input.

    An item that is not an expression raises `ParseError`, `LimitError` or TypeError; with
    `errors="skip"` it is left out, with `errors="keep"` it is passed through.

    >>> list(dedupe(["a+b", "b+a", "a*b"]))
    ['a+b', 'a*b']
    >>> list(dedupe(["a+b", "a+", None, "b+a"], errors="skip"))
    ['a+b']
    >>> list(dedupe(["a*b+a*c", "a*(b+c)"])), list(dedupe(["a*b+a*c", "a*(b+c)"], by="value"))
    (['a*b+a*c', 'a*(b+c)'], ['a*b+a*c'])
    """
    if errors not in ("raise", "skip", "keep"):
        raise ValueError(f"unknown errors={errors!r}; one of raise, skip, keep")
    return _firsts(exprs, Deduper(by=by, keep_members=False), errors)


def _firsts(exprs: Iterable[X], seen: Deduper[X], errors: str) -> Iterator[X]:
    for expr in exprs:
        try:
            new = seen.add(expr)
        except (MathCanonError, TypeError):
            if errors == "raise":
                raise
            new = errors == "keep"
        if new:
            yield expr


class Deduper(Generic[X]):
    """A growing set of expressions up to meaning.  Threads may share one: each class is new to exactly one of them.

    >>> seen = Deduper(["a+b", "b+a"])
    >>> len(seen), "b+a" in seen, seen.add("a-b"), seen.add("-b+a")
    (1, True, True, False)
    >>> seen.groups()
    [['a+b', 'b+a'], ['a-b', '-b+a']]
    """

    def __init__(self, exprs: Iterable[X] = (), *, by: str = "structure", keep_members: bool = True) -> None:
        if by not in ("structure", "value"):
            raise ArgumentError(f"unknown way to compare {by!r}; one of structure, value")
        self.by = by
        self._class_of: dict[str, int] = {}  # identity of a canonical form, with its sign -> class
        self._by_value: dict[int, list[tuple[X, int]]] = {}  # fingerprint -> a member of each class, the class
        self._members: list[list[X]] | None = [] if keep_members else None
        self._count = 0
        self._lock = Lock()
        for expr in exprs:
            self.add(expr)

    def add(self, expr: X) -> bool:
        """Add `expr`; True if it is the first of its class."""
        form = _form(expr)
        with self._lock:
            known = self._class_of.get(form)
            if known is None and self.by == "value":
                known = self._same_value(expr, remember=True)
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
        form = _form(expr)
        if form in self._class_of:
            return True
        with self._lock:
            return self.by == "value" and self._same_value(expr, remember=False) is not None

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
            by_value.setdefault(fingerprint(expr), []).append((expr, known))
        vars(self).update(state, _by_value=by_value, _lock=Lock())

    def _same_value(self, expr: X, *, remember: bool) -> int | None:
        """The class that equals `expr` as a function, if there is one."""
        try:
            value = fingerprint(expr)
        except ZeroDivisor:
            return None  # undefined: only expressions with the same structure are in its class
        candidates = self._by_value.get(value, [])
        for member, known in candidates:
            if equivalent(member, expr):
                return known
        if remember:
            self._by_value.setdefault(value, []).append((expr, self._count))
        return None


def _form(expr: ExprLike) -> str:
    form = apply(CANONICAL, expr)
    identity: str = form[0]
    return "-" + identity if form[1] < 0 else identity
