"""The enumeration of the paper's appendix: every skeleton by `enum_skel` and its two `unit_skel`.

A skeleton such as `a(bc)&d` is a set of blocks with a `&` among them: left of it what is added, right of it what is
subtracted, and one level deeper in the brackets what is multiplied and divided, and so on.  To list all skeletons of
one level, cut the operands into blocks, let each block be a skeleton of the other level, and let `unit_skel` put the
`&`: among added blocks the first one stays on the left, because the opposite of a skeleton is added later;
among factors any choice will do that leaves one on the left.

This is the definition, written to be read; `mathcanon.expressions` is fast, starts anywhere, and is tested against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple, Union

__all__ = ["Level", "Skeleton", "enum_skel", "skeletons", "unit_skel_div", "unit_skel_sub"]


class Level(NamedTuple):
    """Blocks of one level: a sum if `adds`, else a product; left and right of the `&`."""

    adds: bool
    left: tuple[Skeleton, ...]
    right: tuple[Skeleton, ...]


Skeleton = Union[str, Level]  # noqa: UP007 - an operand, or a level; `Level` does not exist before the class above


def skeletons(operands: Iterable[str]) -> Iterator[str]:
    """Each skeleton on the operands, each of them used once: one for each expression that `expressions` lists.

    Names of more than one letter stand in square brackets.  The cost of a skeleton grows with the operands; there are
    `count(n)` of them.

    >>> list(skeletons("ab"))
    ['ab', 'a&b', 'b&a', '(ab)', '(a&b)', '(b&a)']
    """
    names = sorted([name if len(name) == 1 else f"[{name}]" for name in operands])
    if len(names) == 1:
        yield names[0]
        return
    for adds in (True, False):
        for skeleton in enum_skel(names, adds):
            yield _top_text(skeleton)
            if _subtracts(skeleton):
                yield _top_text(_opposite(skeleton))


def enum_skel(names: Sequence[str], adds: bool) -> Iterator[Skeleton]:
    """Each skeleton of one level on two or more names, up to its sign; on one name, the name.

    >>> len(list(enum_skel("abc", True))), len(list(enum_skel("abc", False)))
    (22, 25)
    """
    if len(names) == 1:
        yield names[0]
        return
    unit_skel = unit_skel_sub if adds else unit_skel_div
    for parts in _partitions(names):
        if len(parts) > 1:
            for blocks in product(*[list(enum_skel(part, not adds)) for part in parts]):
                for left, right in unit_skel(blocks):
                    yield Level(adds, left, right)


Units = Iterator[tuple[tuple[Skeleton, ...], tuple[Skeleton, ...]]]


def unit_skel_div(blocks: Sequence[Skeleton]) -> Units:
    """Each choice of factors, and what is divided by: any set with a block in it, and its complement.

    >>> list(unit_skel_div("ab"))
    [(('a', 'b'), ()), (('a',), ('b',)), (('b',), ('a',))]
    """
    for size in range(len(blocks), 0, -1):
        for chosen in combinations(range(len(blocks)), size):
            yield (
                tuple([blocks[i] for i in chosen]),
                tuple([block for i, block in enumerate(blocks) if i not in chosen]),
            )


def unit_skel_sub(blocks: Sequence[Skeleton]) -> Units:
    """Each choice of what is added, and what is subtracted: any set with the first block in it, and its complement.

    >>> list(unit_skel_sub("ab"))
    [(('a', 'b'), ()), (('a',), ('b',))]
    """
    return ((left, right) for left, right in unit_skel_div(blocks) if left[0] is blocks[0])


def _partitions(names: Sequence[str]) -> Iterator[list[Sequence[str]]]:
    """Each way to cut the names into blocks: the block of the first name, then the others."""
    if not names:
        yield []
        return
    first, others = names[0], names[1:]
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            for blocks in _partitions([name for name in others if name not in chosen]):
                yield [(first, *chosen), *blocks]


def _subtracts(skeleton: Skeleton) -> bool:
    """Whether a subtraction occurs anywhere, so that the opposite can be written too."""
    if isinstance(skeleton, str):
        return False
    return (skeleton.adds and bool(skeleton.right)) or any(map(_subtracts, skeleton.left + skeleton.right))


def _opposite(skeleton: Skeleton) -> Skeleton:
    """The skeleton with the other sign; a subtraction must occur in it."""
    assert isinstance(skeleton, Level)
    adds, left, right = skeleton
    if adds and right:
        return Level(adds, right, left)
    blocks = left + right
    turned = next(i for i, block in enumerate(blocks) if _subtracts(block))
    if adds:  # nothing is subtracted here, so one block changes its own sign and the others are subtracted from it
        return Level(adds, (_opposite(left[turned]),), left[:turned] + left[turned + 1 :])
    blocks = (*blocks[:turned], _opposite(blocks[turned]), *blocks[turned + 1 :])
    return Level(adds, blocks[: len(left)], blocks[len(left) :])


def _text(skeleton: Skeleton) -> str:
    if isinstance(skeleton, str):
        return skeleton
    left, right = (
        "".join([block if isinstance(block, str) else f"({_text(block)})" for block in side]) for side in skeleton[1:]
    )
    return f"{left}&{right}" if right else left


def _top_text(skeleton: Skeleton) -> str:
    """The outermost level adds, so a product stands in brackets there."""
    return f"({_text(skeleton)})" if isinstance(skeleton, Level) and not skeleton.adds else _text(skeleton)
