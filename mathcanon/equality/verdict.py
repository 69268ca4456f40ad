"""Do two expressions mean the same?  The cheapest methods come first.

1. *structure*: the same canonical form.  While each operand occurs once, this decides both ways (docs/proofs.md).
2. Short expressions: one evaluation at a point so large that it proves the answer (`kronecker`),
   *identity* or *counterexample*.
3. All others: different values at a secret point modulo a secret prime prove different functions (*counterexample*);
   if they are equal there, cancelling opposite terms and equal factors may make them the same, else equality of integer
   polynomials settles it exactly (*identity*).  Past a budget of work the answer is *fingerprint*, with `certain=False`
   and the probability of error stated.

Every divisor is checked for being identically zero: such an expression means nothing (*undefined*), and cross-
multiplying would hide it.  The explanation of a verdict (a point where the two differ, the divisors of one side
only) is computed when it is asked for.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any

from ..canonical_form import structure
from ..compiled import DIFFERENT, NOT_MINE, SAME_FUNCTION, SAME_STRUCTURE, UNDEFINED, core
from ..errors import LimitError
from ..expr import Expr, ExprLike, Operand, Power, as_expr
from ..notation.numerals import decimal_text, number_text, value_text
from ..values import evaluate
from .cancelling import equal_after_cancelling
from .domain import one_sided_divisors
from .fingerprints import BITS, ZeroDivisor, fingerprint, residue_at, same_value
from .kronecker import MAX_BITS, NotPlain, Reading, far_point, near_point, plain_text, ratio
from .polynomial import ratios

__all__ = ["Verdict", "equivalent"]

#: pi to 60 places: enough to tell values apart, exact enough to show them.
PI = Fraction("3.141592653589793238462643383279502884197169399375105820974944")
_MAX_SIZE_OF_EXAMPLE = 20_000
#: What the compiled core finds, as a verdict: equivalent, reason.
_FOUND = {
    DIFFERENT: (False, "counterexample"),
    SAME_STRUCTURE: (True, "structure"),
    SAME_FUNCTION: (True, None),
    UNDEFINED: (False, "undefined"),
}
_FEW = 12  # leaves: the far point is nearer than two canonical forms
_MANY = 100  # leaves: the integers at the near point are no longer short
_SHORT = 2_000  # bits: the far point takes no longer than the near one
_SHOWN = 300  # characters of a text in `repr` and in notebooks
_LONG_TEXT = 120  # characters: cancelling takes less than polynomials


class Verdict:
    """The answer of `equivalent`; truthy where the two are equivalent.  Immutable."""

    equivalent: bool
    certain: bool
    error_bound: float
    _left: Expr | str
    _right: Expr | str

    def __init__(
        self,
        equivalent: bool,
        reason: str | None,  # None: equal, in a way that is worked out when it is asked for
        left: Expr | str,
        right: Expr | str,
        certain: bool = True,
        error_bound: float = 0.0,
    ) -> None:
        mine = self.__dict__
        mine["equivalent"], mine["certain"], mine["error_bound"] = equivalent, certain, error_bound
        mine["_left"], mine["_right"] = left, right
        if reason is not None:
            mine["reason"] = reason

    @cached_property
    def reason(self) -> str:
        """structure, identity, counterexample, undefined or fingerprint"""
        return "structure" if _same_form(self._left, self._right) else "identity"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a verdict is immutable: cannot set {name!r}")

    def __repr__(self) -> str:
        shown = (
            f"equivalent={self.equivalent!r}, reason={self.reason!r}, "
            f"certain={self.certain!r}, error_bound={self.error_bound!r}"
        )
        if self.point is not None:
            left, right = self.value_text("left"), self.value_text("right")
            shown += f", point={_cut(self._point_text)!r}, left={left!r}, right={right!r}"
        return f"Verdict({shown})"

    def _repr_html_(self) -> str:
        """What notebooks show: the summary, both sides and the notes."""
        rows = [
            f"<tr><th>{side}</th><td><code>{escape(_cut(str(expr)))}</code></td></tr>"
            for side, expr in (("left", self._left), ("right", self._right))
        ]
        notes = [f"<p>{escape(_cut(note))}</p>" for note in self.notes]
        return f"<p><strong>{escape(_cut(self.summary))}</strong></p><table>{''.join(rows)}</table>{''.join(notes)}"

    def __bool__(self) -> bool:
        return self.equivalent

    @property
    def point(self) -> dict[str, Fraction] | None:
        """Small values of the operands where the two differ."""
        return self._example[0] if self._example else None

    @property
    def _point_text(self) -> str:
        return ", ".join([f"{name}={value}" for name, value in (self.point or {}).items()])

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
        where = f"at {self._point_text} " if self.point else ""
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

    Parameters
    ----------
    left, right
        Expressions or texts; operands are compared by name.

    Returns
    -------
    Verdict
        True or false as a condition, with the reason and, where they differ, a point that shows it.

    Raises
    ------
    ParseError, LimitError
        If a text can't be read.

    Notes
    -----
    The answer is exact, unless the expressions are too large: then they are compared by `fingerprint`, `certain` is
    False, and `error_bound` bounds the probability of a wrong answer.  The cost is one sort for each node where the
    canonical forms are identical or each operand occurs once.  Otherwise polynomials are expanded, up to a fixed amount
    of work (`equality.polynomial.MAX_WORK`); beyond it, a fingerprint is linear in the size.

    References
    ----------
    The bound for fingerprints is that of R. A. DeMillo and R. J. Lipton, *A probabilistic remark on algebraic program
    testing*, 1978, and of J. T. Schwartz, *Fast probabilistic algorithms for verification of polynomial identities*,
    1980.

    Examples
    --------
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
    if core is not None and isinstance(left, str) and isinstance(right, str):
        found = core.compare(left, right)
        if found != NOT_MINE:
            return Verdict(*_FOUND[found], left, right)
    one, other = (side if isinstance(side, str) else as_expr(side) for side in (left, right))
    try:
        return _by_one_value(one, other, Reading(str(one)), Reading(str(other)))
    except NotPlain:
        _same_form(one, other)  # says what is wrong with a text, if anything is
    try:
        return _by_one_value(one, other, Reading(plain_text(as_expr(one))), Reading(plain_text(as_expr(other))))
    except NotPlain:
        return _by_polynomials(one, other, differ=None)


def _by_one_value(left: Expr | str, right: Expr | str, one: Reading, other: Reading) -> Verdict:
    """The verdict of plain text, at a point that decides unless it would be too large.  Raises `NotPlain`."""
    leaves = len(one.leaves) + len(other.leaves)
    read_once = leaves > _FEW and one.is_read_once() and other.is_read_once()
    differ, bits = None, _SHORT
    if not read_once:
        point, bits = far_point(one, other)
    if bits >= _SHORT and leaves < _MANY and (bits <= MAX_BITS or not (one.powers or other.powers)):
        differ = _differ_nearby(one, other)
        if differ:
            return Verdict(False, "counterexample", left, right)
    if read_once:
        same = _same_form(left, right)
        return Verdict(same, "structure" if same else "counterexample", left, right)
    if bits > MAX_BITS:
        return _by_polynomials(left, right, differ)
    try:
        above, below = ratio(one.tokens, point)
        over, under = ratio(other.tokens, point)
    except ZeroDivisor:
        _same_form(left, right)  # reads the text after the divisor too
        return Verdict(False, "undefined", left, right)
    if above * under != over * below:
        return Verdict(False, "counterexample", left, right)
    return Verdict(True, None, left, right)


def _differ_nearby(one: Reading, other: Reading) -> bool | None:
    """Whether two texts differ at a point of short integers; None if a divisor vanishes there."""
    point = near_point(one, other)
    try:
        above, below = ratio(one.tokens, point)
        over, under = ratio(other.tokens, point)
    except ZeroDivisor:
        return None
    return bool(above * under != over * below)


def _by_polynomials(left: Expr | str, right: Expr | str, differ: bool | None) -> Verdict:
    """The verdict without one value; `differ` says whether the two differ at some point where both have a value."""
    same = _same_form(left, right)
    # The canonical form moves divisors, so divisors that are identically zero are looked for in the original.
    try:
        differ = fingerprint(left) != fingerprint(right) if differ is None else differ
    except ZeroDivisor:
        return _exactly(left, right, same)
    if differ:
        return Verdict(False, "counterexample", left, right)
    if same:
        return Verdict(True, "structure", left, right)
    if len(str(left)) + len(str(right)) > _LONG_TEXT and equal_after_cancelling(left, right):
        return Verdict(True, "identity", left, right)
    return _exactly(left, right, same)


def _same_form(left: Expr | str, right: Expr | str) -> bool:
    """Whether two expressions have the same canonical form."""
    one, other = structure(left), structure(right)
    return one == other


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
    if equal and equal_after_cancelling(left, right):
        return Verdict(True, "identity", left, right)
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


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        if all(candidate % prime for prime in primes):
            primes.append(candidate)
        candidate += 1
    return primes
