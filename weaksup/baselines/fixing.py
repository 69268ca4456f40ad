"""A tree with the wrong value -> a similar tree with the right value (Hong et al. 2021, "Learning by Fixing").

Abduction: the root should have the answer as its value; the value that a child should have follows from its parent's,
the operator and the value of its sibling.  One pass from the root down therefore finds, for every token at once, the
replacements that fix the whole tree.  If there are none, a random walk goes on to another tree and tries again.

Trees are prefix sequences over + - * / and operands whose exact values are given, as Fraction or as flint's fmpq, which
is several times as fast.  As in the authors' code, a division by 1 has no value, like one by 0: it would only add a
needless step.  (Their powers, whose exponents are quantities of the text, are no expressions here.)  The target of a
node is usually one value.  But if a subtree without a value stands beside a factor 0, any value will do, or any but 0
and 1.  Targets are therefore sets of values, finite or with a finite complement, so that every one-token fix is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, inf
from random import Random
from typing import Any, NamedTuple

__all__ = ["OPERATORS", "Gain", "Replacement", "fix", "one_token_fixes", "value_of"]

Exact = Any  # a Fraction or an fmpq; all numbers of a call have the same type

OPERATORS = ("+", "-", "*", "/")  # no powers: their exponents, 2 to 9, are not among the constants


class Replacement(NamedTuple):
    """The replacement of a token by another of its kind (operator or operand)."""

    place: int
    old: str
    new: str


#: The gain in log-probability from the old token of a replacement to the new one.
Gain = Callable[[Replacement], float]


def fix(
    prefix: Sequence[str],
    operands: Mapping[str, Exact],
    target: Exact,
    rng: Random,
    gain: Gain,
    max_steps: int = 50,
    *,
    free: bool = False,
) -> tuple[str, ...] | None:
    """A tree of the same shape with the value `target`, or None if `max_steps` steps of the walk do not find one.

    Of several one-token fixes, that with the highest gain is used.  If there is none, the walk goes on to another tree
    as in the authors' code (`_metropolis`), or, if `free`, changes one token whatever its gain.

    >>> from fractions import Fraction
    >>> values = {"N0": Fraction(150), "N1": Fraction(2), "N2": Fraction(50)}
    >>> fix(("+", "*", "N0", "N1", "N2"), values, Fraction(250), Random(0), lambda change: 0.0, max_steps=0)
    ('-', '*', 'N0', 'N1', 'N2')
    """
    tree, seen = list(prefix), set[tuple[str, ...]]()
    for step in range(max_steps + 1):
        nodes = _evaluated(tree, operands)
        if nodes[0].value == target:
            return tuple(tree)
        if mending := list(_mending(tree, nodes, operands, target)):
            _replace(tree, max(mending, key=gain))
            return tuple(tree)
        if step == max_steps:
            return None
        if free:
            tree = _changed(tree, [rng.randrange(len(tree))], operands, rng, gain)[0]
        else:
            tree = _metropolis(tree, operands, rng, gain, seen) or tree
    return None


_TRIES = 6  # proposals for a step of the walk, before it is given up


def _metropolis(
    tree: Sequence[str], operands: Mapping[str, Exact], rng: Random, gain: Gain, seen: set[tuple[str, ...]]
) -> list[str] | None:
    """The next tree of a Metropolis walk that visits no tree twice; None if no proposal is accepted.

    A proposal changes |N(0, 1)| tokens, rounded down, but at least one, to tokens that are drawn by their probability;
    it is accepted with the ratio of the probabilities of both trees.
    """
    for _ in range(_TRIES):
        many = min(len(tree), max(1, int(abs(rng.gauss(0.0, 1.0)))))
        proposed, gained = _changed(tree, rng.sample(range(len(tree)), many), operands, rng, gain)
        if rng.random() < exp(min(0.0, gained)) and tuple(proposed) not in seen:
            seen.add(tuple(proposed))
            return proposed
    return None


def _changed(
    tree: Sequence[str], places: Sequence[int], operands: Mapping[str, Exact], rng: Random, gain: Gain
) -> tuple[list[str], float]:
    """The tree with other tokens at some places, drawn by their probabilities, and the gain."""
    changed, gained = list(tree), 0.0
    for place in places:
        others = OPERATORS if tree[place] in OPERATORS else operands
        choices = [Replacement(place, tree[place], token) for token in others if token != tree[place]]
        gains = [gain(choice) for choice in choices]
        if not gains or max(gains) == -inf:  # there is no other token, or none that may be written
            continue
        (chosen,) = rng.choices(range(len(choices)), [exp(one - max(gains)) for one in gains])
        _replace(changed, choices[chosen])
        gained += gains[chosen]
    return changed, gained


def _replace(tree: list[str], replacement: Replacement) -> None:
    tree[replacement.place] = replacement.new


def value_of(prefix: Sequence[str], operands: Mapping[str, Exact]) -> Exact | None:
    """The exact value of a tree; None if it divides by zero.

    >>> from fractions import Fraction
    >>> value_of(("-", "N0", "1"), {"N0": Fraction(1, 2), "1": Fraction(1)})
    Fraction(-1, 2)
    """
    return _evaluated(prefix, operands)[0].value


class _Node(NamedTuple):
    """The value of a node, and its children as positions in the prefix sequence."""

    value: Exact | None
    left: int = -1  # -1 for a leaf
    right: int = -1


def _evaluated(prefix: Sequence[str], operands: Mapping[str, Exact]) -> list[_Node]:
    nodes = [_Node(None)] * len(prefix)
    pending: list[int] = []
    for place in reversed(range(len(prefix))):
        token = prefix[place]
        if token in OPERATORS and len(pending) > 1:
            left, right = pending.pop(), pending.pop()
            nodes[place] = _Node(_applied(token, nodes[left].value, nodes[right].value), left, right)
        elif token in operands:
            nodes[place] = _Node(operands[token])
        else:
            break
        pending.append(place)
    if pending != [0]:
        raise ValueError(f"not a tree: {' '.join(prefix)}")
    return nodes


def _applied(operator: str, left: Exact | None, right: Exact | None) -> Exact | None:
    if left is None or right is None:
        return None
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    return left / right if right and right != 1 else None


# --- abduction --------------------------------------------------------------------------------------------------------


class _Wanted(NamedTuple):
    """The values of a node that fix the tree: these, or all but these."""

    values: tuple[Exact, ...]  # so few that comparing is cheaper than hashing
    all_but: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.values and not self.all_but

    def has(self, value: Exact | None) -> bool:
        return value is not None and (value in self.values) != self.all_but

    def through(self, inverse: Callable[[Exact], Exact]) -> _Wanted:
        """The operands that an invertible operation maps to these values."""
        return _Wanted(tuple(map(inverse, self.values)), self.all_but)


_NOTHING = _Wanted(())
_ANYTHING = _Wanted((), all_but=True)
_ANY_DIVISOR = _Wanted((0, 1), all_but=True)


def one_token_fixes(prefix: Sequence[str], operands: Mapping[str, Exact], target: Exact) -> Iterator[Replacement]:
    """Yield every replacement of one token that gives the tree the value `target`, from the root down.

    The tree must have another value to begin with.
    """
    return _mending(prefix, _evaluated(prefix, operands), operands, target)


def _mending(
    prefix: Sequence[str], nodes: Sequence[_Node], operands: Mapping[str, Exact], target: Exact
) -> Iterator[Replacement]:
    pending = [(0, _Wanted((target,)))]
    for place, wanted in pending:  # `pending` grows meanwhile
        old = prefix[place]
        _, left, right = nodes[place]
        if left < 0:
            yield from (Replacement(place, old, new) for new, value in operands.items() if wanted.has(value))
            continue
        before, after = nodes[left].value, nodes[right].value
        for new in OPERATORS:
            if new != old and wanted.has(_applied(new, before, after)):
                yield Replacement(place, old, new)
        # If one child has no value, no change in the other can fix the tree.
        if after is not None and not (of_left := _wanted_left(old, after, wanted)).is_empty:
            pending.append((left, of_left))
        if before is not None and not (of_right := _wanted_right(old, before, wanted)).is_empty:
            pending.append((right, of_right))


def _wanted_left(operator: str, right: Exact, wanted: _Wanted) -> _Wanted:
    """The values x for which `x operator right` is wanted."""
    if operator == "+":
        return wanted.through(lambda value: value - right)
    if operator == "-":
        return wanted.through(lambda value: value + right)
    if operator == "*":
        return _wanted_factor(right, wanted)
    return wanted.through(lambda value: value * right) if right and right != 1 else _NOTHING


def _wanted_right(operator: str, left: Exact, wanted: _Wanted) -> _Wanted:
    """The values x for which `left operator x` is wanted."""
    if operator == "+":
        return wanted.through(lambda value: value - left)
    if operator == "-":
        return wanted.through(lambda value: left - value)
    if operator == "*":
        return _wanted_factor(left, wanted)
    if not left:
        return _ANY_DIVISOR if wanted.has(left) else _NOTHING
    quotients = tuple([left / value for value in wanted.values if value])
    if wanted.all_but:
        return _Wanted(quotients + _ANY_DIVISOR.values, all_but=True)
    return _Wanted(tuple([divisor for divisor in quotients if divisor != 1]))


def _wanted_factor(other: Exact, wanted: _Wanted) -> _Wanted:
    """The values x for which `x * other` is wanted."""
    if other:
        return wanted.through(lambda value: value / other)
    return _ANYTHING if wanted.has(other) else _NOTHING
