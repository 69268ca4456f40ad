"""One of each: group a stream of expressions by meaning.

By structure, an expression is known by its canonical form.  By value (equality as rational functions), canonical
forms that are new are looked up by keyed fingerprint and confirmed exactly, once per form, so repeated operands and
numbers (`a*b+a*c` and `a*(b+c)`) fall together and nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from ._fingerprint import ZeroDivisor, fingerprint
from .canonical import CANONICAL
from .equivalence import equivalent
from .expr import Expr
from .parse import apply

__all__ = ["Deduper", "dedupe"]

X = TypeVar("X", bound=Expr | str)


def dedupe(exprs: Iterable[X], by: str = "structure") -> Iterator[X]:
    """The first of each class, lazily, in the order of first sight, as it was given.

    >>> list(dedupe(["a+b", "b+a", "a*b"]))
    ['a+b', 'a*b']
    >>> list(dedupe(["a*b+a*c", "a*(b+c)"])), list(dedupe(["a*b+a*c", "a*(b+c)"], by="value"))
    (['a*b+a*c', 'a*(b+c)'], ['a*b+a*c'])
    """
    seen: Deduper[X] = Deduper(by=by, keep_members=False)
    return (expr for expr in exprs if seen.add(expr))


class Deduper(Generic[X]):
    """A growing set of expressions up to meaning.

    >>> seen = Deduper(["a+b", "b+a"])
    >>> len(seen), "b+a" in seen, seen.add("a-b"), seen.add("-b+a")
    (1, True, True, False)
    >>> seen.groups()
    [['a+b', 'b+a'], ['a-b', '-b+a']]
    """

    def __init__(self, exprs: Iterable[X] = (), *, by: str = "structure", keep_members: bool = True) -> None:
        if by not in ("structure", "value"):
            raise ValueError(f"unknown way to compare {by!r}; one of structure, value")
        self.by = by
        self._class_of: dict[str, int] = {}  # identity of a canonical form, with its sign -> class
        self._by_value: dict[int, list[tuple[X, int]]] = {}  # fingerprint -> a member of each class, the class
        self._members: list[list[X]] | None = [] if keep_members else None
        self._count = 0
        for expr in exprs:
            self.add(expr)

    def add(self, expr: X) -> bool:
        """Put `expr` in; True if it is the first of its class."""
        form = _form(expr)
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
        return self.by == "value" and self._same_value(expr, remember=False) is not None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[X]:
        return (members[0] for members in self.groups())

    def groups(self) -> list[list[X]]:
        """The members of each class, both in the order of first sight."""
        if self._members is None:
            raise ValueError("this Deduper was told not to keep members")
        return [list(members) for members in self._members]

    def _same_value(self, expr: X, *, remember: bool) -> int | None:
        """The class that equals `expr` as a function, if there is one."""
        try:
            value = fingerprint(expr)
        except ZeroDivisor:
            return None  # it means nothing, so only its like in structure is the same
        candidates = self._by_value.get(value, [])
        for member, known in candidates:
            if equivalent(member, expr):
                return known
        if remember:
            self._by_value.setdefault(value, []).append((expr, self._count))
        return None


def _form(expr: Expr | str) -> str:
    form = apply(CANONICAL, expr)
    identity: str = form[0]
    return "-" + identity if form[1] < 0 else identity
