"""Many expressions at once: the same answers as one at a time, at a speed that lasts for millions.

Two things slow long loops down.  Python's garbage collector looks through all objects made so far again and again while
they pile up, so it is paused; nothing here makes reference cycles.  And one process uses one core, so `workers`
processes take slices of the input; results come back in order, and only a few slices are in flight.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from .digests import BY, key
from .equality.verdict import Verdict, equivalent
from .errors import ArgumentError, MathCanonError
from .expr import Expr, ExprLike, as_expr

__all__ = ["collection_paused", "equivalent_many", "keys", "mapped", "parse_many", "slices"]

_SLICE = 1_000  # items that are worked on, or sent to a process, at once

S = TypeVar("S")
T = TypeVar("T")


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage collection inside the block, if there was any before."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def slices(items: Iterable[S]) -> Iterator[list[S]]:
    """Lists of items: long ones of a sequence, one item each of an iterator, which may be a pipe that waits."""
    if isinstance(items, Sequence):
        return (list(items[start : start + _SLICE]) for start in range(0, len(items), _SLICE))
    return ([item] for item in items)


def mapped(
    job: Callable[[list[S]], list[T]], parts: Iterable[list[S]], workers: int = 1, *, size: int = _SLICE
) -> Iterator[T]:
    """What `job` makes of the lists, one after the other, in order.

    With several workers, `job` must be picklable, and each process is sent lists of `size` items.
    """
    if workers == 1:
        return chain.from_iterable(map(job, parts))
    return _in_processes(job, chain.from_iterable(parts), workers, size)


def _in_processes(job: Callable[[list[S]], list[T]], items: Iterator[S], workers: int, size: int) -> Iterator[T]:
    from .processes import in_order, open_pool

    with open_pool(workers) as pool:
        yield from chain.from_iterable(in_order(pool, workers, job, iter(lambda: list(islice(items, size)), [])))


def keys(
    exprs: Iterable[ExprLike], by: str = "structure", *, workers: int = 1, errors: str = "raise"
) -> Iterator[str | None]:
    """The key of each expression, in order, as they are asked for.

    Parameters
    ----------
    exprs, by
        As for `key`.
    workers
        Above 1, slices of the input are read ahead and worked on in that many processes.
    errors
        With "none", the key of what is not an expression is None; with "raise", it raises, as `key` does.

    Yields
    ------
    str or None
        As `key` returns them.

    Raises
    ------
    ArgumentError
        If `by`, `workers` or `errors` is not one of these.

    Notes
    -----
    The cost is that of `key` for each expression, divided among the workers; only a few slices of the input are in
    memory.

    Examples
    --------
    >>> list(keys(["a+b", "b+a"])) == [key("a+b")] * 2
    True
    """
    if by not in BY:
        raise ArgumentError(f"unknown way to compare {by!r}; one of {', '.join(BY)}")
    return _answers(partial(key, by=by), exprs, workers, errors)


def parse_many(exprs: Iterable[ExprLike], *, workers: int = 1, errors: str = "raise") -> list[Expr | None]:
    """The expressions that texts write, as `parse` reads them.

    Parameters
    ----------
    exprs
        Texts or expressions.
    workers, errors
        As for `keys`.

    Returns
    -------
    list
        An expression for each text, in order; None for what can't be read, if `errors` is "none".

    Raises
    ------
    ParseError, LimitError
        If a text can't be read and `errors` is "raise".

    Notes
    -----
    The cost is that of `parse` for each text, divided among the workers.

    Examples
    --------
    >>> parse_many(["a+b", "2*a"])
    [Expr('a+b'), Expr('2*a')]
    """
    with collection_paused():
        return list(_answers(as_expr, exprs, workers, errors))


def equivalent_many(
    pairs: Iterable[tuple[ExprLike, ExprLike]], *, workers: int = 1, errors: str = "raise"
) -> Iterator[Verdict | None]:
    """The verdict of each pair, in order, as they are asked for.

    Parameters
    ----------
    pairs
        Pairs of expressions or texts, as for `equivalent`.
    workers, errors
        As for `keys`.

    Yields
    ------
    Verdict or None
        None for a pair that can't be read, if `errors` is "none".

    Raises
    ------
    ParseError, LimitError
        If a text can't be read.

    Notes
    -----
    The cost is that of `equivalent` for each pair, divided among the workers.

    Examples
    --------
    >>> [bool(verdict) for verdict in equivalent_many([("a+b", "b+a"), ("a-b", "b-a")])]
    [True, False]
    """
    return _answers(_verdict, pairs, workers, errors)


def _verdict(pair: tuple[ExprLike, ExprLike]) -> Verdict:
    left, right = pair
    return equivalent(left, right)


def _answers(one: Callable[[S], T], items: Iterable[S], workers: int, errors: str) -> Iterator[T | None]:
    if errors not in ("raise", "none"):
        raise ArgumentError(f"unknown errors={errors!r}; one of raise, none")
    if workers < 1:
        raise ArgumentError(f"workers must be at least 1, not {workers}")
    return map(partial(_unless_error, errors), mapped(partial(_each, one), slices(items), workers))


def _each(one: Callable[[S], T], items: list[S]) -> list[T | Exception]:
    found: list[T | Exception] = []
    for item in items:
        try:
            found.append(one(item))
        except (MathCanonError, TypeError, ValueError) as error:
            found.append(error)
    return found


def _unless_error(errors: str, found: T | Exception) -> T | None:
    if not isinstance(found, Exception):
        return found
    if errors == "raise":
        raise found
    return None
