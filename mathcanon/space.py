"""Every canonical expression on given operands, once each: lazily, by number, or at random.

A class is written block by block, the block of the smallest remaining operand first, so a few *states* determine what
may come next (`_STATES`): the first block of a sum is added, later ones are added or subtracted; a product that
began with a divisor still owes a multiplied block.  The number of ways to go on depends only on the state, on how
many operands remain and on whether a subtraction occurs (*polar*), so counting, listing, ranking and unranking
are one table read in four ways.

Order: expressions without subtraction first, then polar ones, each followed by its opposite; sums before
products; then by size of the first block, its operands, its mark, the block, and the rest.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, islice, pairwise, product
from math import comb
from typing import Any, NamedTuple

from .canonical_form import as_tree, is_polar, signed_class
from .errors import ArgumentError, LimitError
from .expr import Expr, ExprLike, Number, Operand, Product, Sum, as_expr, make_product, make_sum

__all__ = ["MAX_OPERANDS", "expressions", "rank", "sample", "unrank"]

MAX_OPERANDS = 100
_KEEP = 4  # classes on at most this many operands are kept in memory while listing

Blocks = tuple[tuple[int, Expr], ...]
Parts = tuple[Blocks, Blocks]  # what is added or multiplied, and what is subtracted or divided: the canonical order
Kept = dict[tuple[str, tuple[Expr, ...], bool], list[Any]]


class _State(NamedTuple):
    kind: str  # what is being written: a sum or a product
    moves: tuple[tuple[int, str], ...]  # (mark of the next block, state after it)
    may_end: bool  # whether the class may end here


_STATES = {
    "sum": _State("sum", ((1, "terms"),), False),
    "terms": _State("sum", ((1, "terms"), (-1, "terms")), True),
    "product": _State("product", ((1, "factors"), (-1, "divided")), False),
    "factors": _State("product", ((1, "factors"), (-1, "factors")), True),
    "divided": _State("product", ((1, "factors"), (-1, "divided")), False),
}
_MAKE: dict[str, Callable[[Blocks], Expr]] = {"sum": make_sum, "product": make_product}
_BLOCK = {"sum": "product", "product": "sum"}  # what the larger blocks are made of


class _Choice(NamedTuple):
    """The first block has `size` operands and this mark and polarity; the rest follows in this state."""

    size: int
    mark: int
    polar_block: bool
    state: str
    polar_rest: bool
    subsets: int
    blocks: int
    rests: int


@cache
def _choices(state: str, polar: bool, size: int) -> tuple[_Choice, ...]:
    """All ways to write the first block, in order, with the numbers of ways to fill in each."""
    kind, moves, may_end = _STATES[state]
    largest = size if may_end or state == "divided" else size - 1  # a class has two blocks or more
    choices = []
    for block_size, (mark, after) in product(range(1, largest + 1), moves):
        subtracts = kind == "sum" and mark < 0
        for polar_block, polar_rest in product((False, True), repeat=2):
            if (subtracts or polar_block or polar_rest) != polar:
                continue
            blocks = _count_block(_BLOCK[kind], polar_block, block_size)
            rests = _count(after, polar_rest, size - block_size)
            if blocks and rests:
                subsets = comb(size - 1, block_size - 1)
                choices.append(_Choice(block_size, mark, polar_block, after, polar_rest, subsets, blocks, rests))
    return tuple(choices)


@cache
def _count(state: str, polar: bool, size: int) -> int:
    if size == 0:
        return int(_STATES[state].may_end and not polar)
    return sum(choice.subsets * choice.blocks * choice.rests for choice in _choices(state, polar, size))


def _count_block(kind: str, polar: bool, size: int) -> int:
    return int(not polar) if size == 1 else _count(kind, polar, size)


def _sections(size: int) -> list[tuple[str, bool, int]]:
    """The parts of the whole list: (kind, polar, how many expressions)."""
    return [
        (kind, polar, _count(kind, polar, size) * (2 if polar else 1))
        for polar in (False, True)
        for kind in ("sum", "product")
    ]


def expressions(operands: Iterable[ExprLike], start: int = 0, stop: int | None = None) -> Iterator[Expr]:
    """Each canonical expression that uses every operand once, lazily; `count(n)` tells how many there are.

    Parameters
    ----------
    operands
        Distinct names, or expressions of one leaf; at most 100.
    start, stop
        The part of the list to yield.  Nothing before `start` is listed.

    Yields
    ------
    Expr
        Each canonical, in a fixed order; see `rank`.

    Raises
    ------
    ArgumentError
        If there is no operand, one is given twice or is not a leaf, or `start` or `stop` is negative.
    LimitError
        If there are more than 100 operands.

    Notes
    -----
    A table of counts is made once for each number of operands; from then on the time for an expression does not depend
    on its index, and memory does not grow with the number of expressions.

    References
    ----------
    OEIS A140606.

    Examples
    --------
    >>> [str(e) for e in expressions("ab")]
    ['a+b', 'a*b', 'a/b', 'b/a', 'a-b', 'b-a']
    >>> [str(e) for e in expressions("abc", 64)]
    ['c/(a-b)', 'c/(b-a)', 'b/(a-c)', 'b/(c-a)']
    """
    leaves = _leaves(operands)
    total = _total(len(leaves))
    if start < 0 or (stop is not None and stop < 0):
        raise ArgumentError("start and stop must not be negative")
    if stop is None or stop >= total:
        return _from(leaves, start)
    return islice(_from(leaves, start), min(max(0, stop - start), sys.maxsize))


def unrank(operands: Iterable[ExprLike], index: int) -> Expr:
    """The expression at `index` in the order of `expressions`, without listing those before it.

    Parameters
    ----------
    operands
        As for `expressions`.
    index
        From 0 up to `count(n) - 1`, for n operands.

    Returns
    -------
    Expr
        A canonical expression with every operand once.

    Raises
    ------
    IndexError
        If there is no expression with this index.
    ArgumentError, LimitError
        As `expressions` does.

    Notes
    -----
    As for `rank`.

    Examples
    --------
    >>> unrank("abcdef", 12345)
    Expr('(a+e)*d+f/b+c')
    """
    leaves = _leaves(operands)
    if not 0 <= index < _total(len(leaves)):
        raise IndexError(
            f"there are {_total(len(leaves))} expressions on {len(leaves)} operands: index {index} is out of range"
        )
    return next(_from(leaves, index))


def rank(expr: ExprLike) -> int:
    """The index of an expression among those on its operands, in the order of `expressions`; the inverse of `unrank`.

    Parameters
    ----------
    expr
        An expression or text in which each operand occurs once.

    Returns
    -------
    int
        From 0 up to `count(n) - 1`, for n operands.

    Raises
    ------
    ArgumentError
        If an operand occurs twice, or the expression needs a power or a unary minus.

    Notes
    -----
    The cost is polynomial in the number of operands: a table of counts is read from the root down, nothing is listed.

    Examples
    --------
    >>> rank(unrank("abcdef", 12345))
    12345
    """
    sign, node = signed_class(expr)
    leaves = list(node.leaves())
    if len(set(leaves)) < len(leaves):
        raise ArgumentError(f"an operand occurs twice in {node}: only expressions that use each once are numbered")
    _check_size(len(leaves))
    if len(leaves) == 1:
        if sign < 0 or not isinstance(node, Operand | Number):
            raise ArgumentError(f"{as_tree(sign, node)} is not in the list: it needs a unary minus or a power")
        return 0
    polar, kind = is_polar(node), "sum" if isinstance(node, Sum) else "product"
    if sign < 0 and not polar:
        raise ArgumentError(f"{as_tree(sign, node)} is not in the list: it can't be written without a unary minus")
    before = 0
    for section_kind, section_polar, number in _sections(len(leaves)):
        if (section_kind, section_polar) == (kind, polar):
            break
        before += number
    index = _rank_class(node, kind)
    return before + (2 * index + (sign < 0) if polar else index)


def sample(operands: Iterable[ExprLike], rng: random.Random | int | None = None) -> Expr:
    """One of the expressions on these operands, all equally likely.

    Parameters
    ----------
    operands
        As for `expressions`, which raises the same errors.
    rng
        A generator, or a seed for a new one.

    Returns
    -------
    Expr
        A canonical expression with every operand once.

    Raises
    ------
    ArgumentError, LimitError
        As `expressions` does.

    Notes
    -----
    One random index, then `unrank`.

    Examples
    --------
    >>> sample("abcd", random.Random(1)) == sample("abcd", 1)
    True
    """
    leaves = _leaves(operands)
    rng = rng if isinstance(rng, random.Random) else random.Random(rng)
    return next(_from(leaves, rng.randrange(_total(len(leaves)))))


def _leaves(operands: Iterable[ExprLike]) -> tuple[Expr, ...]:
    leaves = sorted([as_expr(operand) for operand in operands])
    if not leaves:
        raise ArgumentError("no operands given")
    _check_size(len(leaves))
    for leaf in leaves:
        if not isinstance(leaf, Operand | Number) or (isinstance(leaf, Number) and leaf.value < 0):
            raise ArgumentError(f"not an operand: {leaf}")
    for leaf, following in pairwise(leaves):
        if leaf == following:
            raise ArgumentError(f"the operand {leaf} is given twice")
    return tuple(leaves)


def _check_size(size: int) -> None:
    if size > MAX_OPERANDS:
        raise LimitError("the number of operands", size, MAX_OPERANDS, hint="`count` goes further")


def _total(size: int) -> int:
    return 1 if size == 1 else sum(number for _, _, number in _sections(size))


def _from(leaves: tuple[Expr, ...], skip: int) -> Iterator[Expr]:
    """The list from index `skip` on."""
    if len(leaves) == 1:
        yield from leaves[skip:]
        return
    kept: Kept = {}
    for kind, polar, number in _sections(len(leaves)):
        if skip >= number:
            skip -= number
            continue
        make = _MAKE[kind]
        if not polar:
            for plus, minus in _list(kind, leaves, False, skip, kept):
                yield make(plus + minus)
        else:
            skip, second = divmod(skip, 2)
            for plus, minus in _list(kind, leaves, True, skip, kept):
                node = make(plus + minus)
                if not second:
                    yield node
                yield as_tree(-1, node)
                second = 0
        skip = 0


def _list(
    state: str,
    leaves: tuple[Expr, ...],
    polar: bool,
    skip: int,
    kept: Kept,
) -> Iterator[Parts]:
    """The ways to write the remaining operands in this state, from number `skip` on, as marked blocks."""
    size = len(leaves)
    if size == 0:
        yield from (((), ()),)[skip:]
        return
    for choice in _choices(state, polar, size):
        ways = choice.subsets * choice.blocks * choice.rests
        if skip >= ways:
            skip -= ways
            continue
        subset, skip = divmod(skip, choice.blocks * choice.rests)
        kind = _BLOCK[_STATES[state].kind]
        for block_leaves, rest_leaves in _splits(leaves, choice.size, subset):
            skip_blocks, skip = divmod(skip, choice.rests)
            for block in _list_blocks(kind, block_leaves, choice.polar_block, skip_blocks, kept):
                first = ((choice.mark, block),)
                rests = _list_kept(choice.state, rest_leaves, choice.polar_rest, skip, kept)
                if choice.mark > 0:
                    for plus, minus in rests:
                        yield first + plus, minus
                else:
                    for plus, minus in rests:
                        yield plus, first + minus
                skip = 0


def _list_kept(
    state: str,
    leaves: tuple[Expr, ...],
    polar: bool,
    skip: int,
    kept: Kept,
) -> Iterable[Parts]:
    if len(leaves) > _KEEP:
        return _list(state, leaves, polar, skip, kept)
    ways = kept.get((state, leaves, polar))
    if ways is None:
        ways = kept[state, leaves, polar] = list(_list(state, leaves, polar, 0, kept))
    return ways[skip:] if skip else ways


def _list_blocks(
    kind: str,
    leaves: tuple[Expr, ...],
    polar: bool,
    skip: int,
    kept: Kept,
) -> Iterable[Expr]:
    if len(leaves) == 1:
        return leaves[skip:]
    make = _MAKE[kind]
    if len(leaves) > _KEEP:
        return (make(plus + minus) for plus, minus in _list(kind, leaves, polar, skip, kept))
    blocks = kept.get((kind + " blocks", leaves, polar))
    if blocks is None:
        blocks = [make(plus + minus) for plus, minus in _list(kind, leaves, polar, 0, kept)]
        kept[kind + " blocks", leaves, polar] = blocks
    return blocks[skip:] if skip else blocks


def _splits(leaves: tuple[Expr, ...], size: int, skip: int) -> Iterator[tuple[tuple[Expr, ...], tuple[Expr, ...]]]:
    """The smallest leaf with `size - 1` others, and what remains; from number `skip` on, in lexicographic order."""
    for chosen in _combinations(len(leaves) - 1, size - 1, skip):
        inside = set(chosen)
        others = leaves[1:]
        block = (leaves[0], *[others[i] for i in chosen])
        yield block, tuple([leaf for i, leaf in enumerate(others) if i not in inside])


def _combinations(n: int, r: int, skip: int) -> Iterator[tuple[int, ...]]:
    if skip == 0:
        yield from combinations(range(n), r)
        return
    first = 0
    if r == 0:
        return
    while skip >= comb(n - first - 1, r - 1):
        skip -= comb(n - first - 1, r - 1)
        first += 1
    for rest in _combinations(n - first - 1, r - 1, skip):
        yield (first, *[first + 1 + i for i in rest])
    yield from combinations(range(first + 1, n), r)


def _rank_combination(chosen: list[int], n: int) -> int:
    index, previous = 0, -1
    for i, element in enumerate(chosen):
        for skipped in range(previous + 1, element):
            index += comb(n - skipped - 1, len(chosen) - i - 1)
        previous = element
    return index


def _rank_class(node: Expr, kind: str) -> int:
    """The index of a class among those of its kind and polarity on its operands."""
    parts = node.terms if isinstance(node, Sum) else node.factors if isinstance(node, Product) else ()
    if not parts:
        raise ArgumentError(f"a power is not in the list: {node}")
    blocks = []
    for mark, block in parts:
        leaves = sorted(block.leaves())
        inner = 0 if len(leaves) == 1 and not block.children else _rank_class(block, _BLOCK[kind])
        blocks.append((leaves, mark, is_polar(block), inner))
    blocks.sort(key=lambda block: block[0][0])
    # Where each block leads, from the first to the last; then the index is put together from the last to the first.
    state, states = kind, []
    for _, mark, _, _ in blocks:
        state = dict(_STATES[state].moves)[mark]
        states.append(state)
    remaining: list[Expr] = []
    index, polar = 0, False
    for i in reversed(range(len(blocks))):
        leaves, mark, polar_block, inner = blocks[i]
        others = sorted([*leaves, *remaining])[1:]
        subset = _rank_combination([others.index(leaf) for leaf in leaves[1:]], len(others))
        here = _STATES[states[i - 1]] if i else _STATES[kind]
        now_polar = polar or polar_block or (here.kind == "sum" and mark < 0)
        wanted = (len(leaves), mark, polar_block, states[i], polar)
        before = 0
        for choice in _choices(states[i - 1] if i else kind, now_polar, 1 + len(others)):
            if choice[:5] == wanted:
                index += (subset * choice.blocks + inner) * choice.rests
                break
            before += choice.subsets * choice.blocks * choice.rests
        index += before
        remaining, polar = [leaves[0], *others], now_polar
    return index
