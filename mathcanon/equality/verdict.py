"""Do two expressions mean the same?  The cheapest methods come first.

1. *structure*: the same canonical form.  While each operand occurs once, this decides both ways (docs/proofs.md).
2. Short expressions: one evaluation at a point so large that it proves the answer (`kronecker`),
   *identity* or *counterexample*.
3. All others: different values at a secret point modulo a secret prime prove different functions (*counterexample*);
   if they are equal there, equality of integer polynomials settles it exactly (*identity*).  Past a budget of work
   the answer is *fingerprint*, with `certain=False` and the probability of error stated.

Every divisor is checked for being identically zero: such an expression means nothing (*undefined*), and cross-
multiplying would hide it.  The explanation of a verdict (a point where the two differ, the divisors of one side
only) is computed when it is asked for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..algebra import apply
from ..canonical_form import CANONICAL, is_read_once, leaves_of
from ..errors import LimitError
from ..expr import Expr, ExprLike, Operand, Power, as_expr
from ..notation.numerals import decimal_text, number_text, value_text
from ..values import evaluate
from .domain import one_sided_divisors
from .fingerprints import BITS, ZeroDivisor, fingerprint, residue_at, same_value
from .kronecker import far_point, same_at
from .polynomial import ratios

__all__ = ["Verdict", "equivalent"]

#: pi to 60 places: enough to tell values apart, exact enough to show them.
PI = Fraction("3.141592653589793238462643383279502884197169399375105820974944")
_MAX_SIZE_OF_EXAMPLE = 20_000


@dataclass(frozen=True, eq=False)
class Verdict:
    """The answer of `equivalent`; truthy where the two are equivalent."""

    equivalent: bool
    reason: str  # structure, identity, counterexample, undefined or fingerprint
    _left: Expr | str = field(repr=False)
    _right: Expr | str = field(repr=False)
    certain: bool = True
    error_bound: float = 0.0

    def __bool__(self) -> bool:
        return self.equivalent

    @property
    def point(self) -> dict[str, Fraction] | None:
        """Small values of the operands where the two differ."""
        return self._example[0] if self._example else None

    @property
    def left(self) -> Fraction | None:
        """The left value at `point` (where pi occurs, to 60 places)."""
        return self._example[1] if self._example else None

    @property
    def right(self) -> Fraction | None:
        """The right value at `point`."""
        return self._example[2] if self._example else None

    @cached_property
    def undefined(self) -> tuple[str, ...]:
        """Which sides divide by something identically zero: "left", "right"."""
        sides = (("left", self._left), ("right", self._right))
        return tuple([side for side, expr in sides if self.reason == "undefined" and _is_undefined(as_expr(expr))])

    @property
    def domain(self) -> tuple[Expr, ...]:
        """The divisors of one side only: where one is zero, that side has no value and the other may have one.

        Also empty if `domain_note` says that it was not worked out.
        """
        return self._domain or ()

    @property
    def domain_note(self) -> str | None:
        """ "not worked out: too large" where finding `domain` would take too long, else None."""
        return "not worked out: too large" if self._domain is None else None

    @cached_property
    def _domain(self) -> tuple[Expr, ...] | None:
        """The divisors of one side only; None if that is too much work."""
        if not self.equivalent:
            return ()
        if self.reason == "fingerprint":
            return None
        try:
            return one_sided_divisors(self._left, self._right)
        except LimitError:
            return None

    @cached_property
    def _example(self) -> tuple[dict[str, Fraction], Fraction, Fraction] | None:
        if self.reason != "counterexample":
            return None
        return _small_counterexample(as_expr(self._left), as_expr(self._right))

    def to_dict(self) -> dict[str, Any]:
        """What `mwp-canon equivalent --json` prints; `domain_note` only if it is not None."""
        point = self.point
        note = {} if self.domain_note is None else {"domain_note": self.domain_note}
        return {
            "equivalent": self.equivalent,
            "reason": self.reason,
            "certain": self.certain,
            "point": None if point is None else {name: number_text(value) for name, value in point.items()},
            "left": self.value_text("left"),
            "right": self.value_text("right"),
            "domain": [str(divisor) for divisor in self.domain],
            **note,
        }

    @property
    def summary(self) -> str:
        """The verdict as a sentence, with the counterexample if there is one.

        >>> equivalent("a*(b+c)", "a*b+c").summary
        'not equivalent: at a=2, b=3, c=5 left is 16, right is 11'
        """
        if self.equivalent:
            certain = "" if self.certain else f", wrong with probability below {self.error_bound:.1g}"
            return f"equivalent ({self.reason}{certain})"
        if self.reason == "undefined":
            return f"not equivalent: {' and '.join(self.undefined)} divides by something that is always zero"
        if self.point is None:
            return "not equivalent: the values differ modulo a prime"
        point = ", ".join([f"{name}={value}" for name, value in self.point.items()])
        where = f"at {point} " if point else ""
        return f"not equivalent: {where}left is {self.value_text('left')}, right is {self.value_text('right')}"

    @property
    def notes(self) -> list[str]:
        """Where only one side of two equivalent expressions has a value, a sentence for each case.

        >>> equivalent("a/a", "1").notes
        ['one side has no value where a is zero']
        """
        notes = [f"one side has no value where {divisor} is zero" for divisor in self.domain]
        if self.domain_note:
            notes.append(f"the points where only one side has a value were {self.domain_note}")
        return notes

    def value_text(self, side: str) -> str | None:
        """The value of a side at `point`, for reading: decimals where pi occurs, "undefined" if it divides by zero."""
        if side in self.undefined:
            return "undefined"
        value = self.left if side == "left" else self.right
        if value is None:
            return None
        expr = as_expr(self._left if side == "left" else self._right)
        return decimal_text(value) if "pi" in expr.operands() else value_text(value)


def equivalent(left: ExprLike, right: ExprLike) -> Verdict:
    """Whether two expressions are equal as rational functions of their operands.

    >>> bool(equivalent("a-b+c", "a+c-b"))
    True
    >>> equivalent("a*b+a*c", "a*(b+c)").reason
    'identity'
    >>> verdict = equivalent("a-b-c", "a-(b-c)")
    >>> verdict.reason, verdict.point, verdict.left, verdict.right
    ('counterexample', {'a': Fraction(2, 1), 'b': Fraction(3, 1), 'c': Fraction(5, 1)}, Fraction(-6, 1), Fraction(4, 1))
    >>> equivalent("a/a", "1").domain
    (Expr('a'),)
    """
    left, right = (side if isinstance(side, str) else as_expr(side) for side in (left, right))
    left_form, right_form = apply(CANONICAL, left), apply(CANONICAL, right)
    same_class = left_form[0] == right_form[0]
    same = same_class and left_form[1] == right_form[1]
    left_leaves = leaves_of(left_form)
    right_leaves = left_leaves if same_class else leaves_of(right_form)
    if left_leaves is not None and right_leaves is not None:
        if is_read_once(left_leaves) and is_read_once(right_leaves):
            return Verdict(same, "structure" if same else "counterexample", left, right)
        point = far_point(left_leaves + right_leaves)
        if point is not None:
            return _far_out(point, left, right, same)
    # The canonical form moves divisors, so divisors that are identically zero are looked for in the original.
    try:
        differ = fingerprint(left) != fingerprint(right)
    except ZeroDivisor:
        return _exactly(left, right, same)
    if differ:
        return Verdict(False, "counterexample", left, right)
    return Verdict(True, "structure", left, right) if same else _exactly(left, right, same)


def _far_out(point: dict[str, tuple[Any, Any]], left: Expr | str, right: Expr | str, same: bool) -> Verdict:
    """The verdict from the values at a point so large that they decide."""
    try:
        equal = same_at(point, left, right)
    except ZeroDivisor:
        return Verdict(False, "undefined", left, right)
    reason = "counterexample" if not equal else "structure" if same else "identity"
    return Verdict(equal, reason, left, right)


def _exactly(left: Expr | str, right: Expr | str, same: bool) -> Verdict:
    try:
        (one, other), _, _, budget = ratios((left, right))
        bits = one.bits + other.bits
        crossed = budget.times(one.numerator, other.denominator, bits) - budget.times(
            other.numerator, one.denominator, bits
        )
    except ZeroDivisor:
        return Verdict(False, "undefined", left, right)
    except LimitError:
        return _by_fingerprint(as_expr(left), as_expr(right))
    if crossed != 0:
        return Verdict(False, "counterexample", left, right)
    return Verdict(True, "structure" if same else "identity", left, right)


def _by_fingerprint(left: Expr, right: Expr) -> Verdict:
    try:
        equal = fingerprint(left) == fingerprint(right)
    except ZeroDivisor:
        return Verdict(False, "undefined", left, right, certain=False, error_bound=_degree(left, right) / 2**BITS)
    # Unequal values would be a proof; this is reached only when they are equal.
    return Verdict(equal, "fingerprint", left, right, certain=False, error_bound=_degree(left, right) / 2**BITS)


def _degree(left: Expr, right: Expr) -> int:
    """A bound on the degree of the polynomial that would have to vanish: each leaf, raised through the powers above."""
    total = 0
    stack = [(left, 1), (right, 1)]
    while stack:
        node, times = stack.pop()
        if isinstance(node, Power):
            times *= max(1, abs(node.exponent))
        if not node.children:
            total += times
        stack.extend((child, times) for child in node.children)
    return total


def _is_undefined(expr: Expr) -> bool:
    try:
        ratios((expr,))
    except ZeroDivisor:
        return True
    except LimitError:
        try:
            fingerprint(expr)
        except ZeroDivisor:
            return True
    return False


def _small_counterexample(left: Expr, right: Expr) -> tuple[dict[str, Fraction], Fraction, Fraction] | None:
    """A point with small values where both are defined and differ: first 2, 3, 5, 7..., then small random ones.

    A point is tried modulo a prime first, which costs the same however large the exact values are.
    """
    if left.size + right.size > _MAX_SIZE_OF_EXAMPLE:
        return None
    names = sorted({*left.operands(), *right.operands()} - {"pi"}, key=lambda name: Operand(name).identity)
    rng = random.Random(len(names))
    for attempt in range(200):
        values = _primes(len(names)) if attempt == 0 else [rng.randint(1, 3 + attempt) for _ in names]
        point = {name: Fraction(value) for name, value in zip(names, values, strict=True)}
        at = {"pi": PI, **point}
        try:
            if not same_value(residue_at(at, left), residue_at(at, right)):
                return point, evaluate(left, at), evaluate(right, at)
        except ZeroDivisor:
            continue
        except LimitError:
            return None
    return None


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        if all(candidate % prime for prime in primes):
            primes.append(candidate)
        candidate += 1
    return primes
