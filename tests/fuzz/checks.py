"""What must hold for any text: nothing but a clear refusal leaves a public function, and values and verdicts are right.

`check` takes one text and tries every public function that takes an expression; `check_pair` takes two and asks whether
they mean the same.  The oracle decides what the values are.
"""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import mathcanon as mc
from mathcanon.notation.notations import FORMATS, SYNTAXES

from .oracle import TooLarge, Undefined, Unreadable, value_at

T = TypeVar("T")

#: Above this many nodes SymPy and pictures are not tried, nor pairs compared; bounds on work have tests of their own.
MAX_SIZE = 60

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def attempt(function: Callable[..., T], *arguments: Any, **options: Any) -> T | None:
    """What the function returns; None if it refuses with an error that says why."""
    refusals = (mc.MathCanonError, ValueError) if function is mc.rank else mc.MathCanonError
    try:
        return function(*arguments, **options)
    except refusals as error:
        assert str(error).strip(), f"{type(error).__name__} without a message"
        assert pickle.loads(pickle.dumps(error)).args == error.args
        if isinstance(error, mc.ParseError):
            assert 0 <= error.position <= len(error.text)
            assert error.pointed()
        return None


def check(text: str) -> None:
    """Try every public function on one text."""
    for syntax in SYNTAXES:
        expr = attempt(mc.parse, text, syntax)
        if expr is not None:
            check_expression(expr)
    attempt(mc.parse_equation, text)
    for function in (mc.canonical, mc.key, mc.signed_class, mc.tree_text, mc.parse_number):
        attempt(function, text)
    check_value(text)


def check_expression(expr: mc.Expr) -> None:
    """What holds for every expression: it is written and read, and its forms agree."""
    assert mc.parse(str(expr), "infix") == expr
    assert pickle.loads(pickle.dumps(expr)) == expr
    form = attempt(mc.canonical, expr)
    if form is None:
        return
    assert attempt(mc.canonical, form) == form == mc.canonical(str(expr))
    assert mc.key(expr) == mc.key(form) == mc.key(str(expr))
    for format in FORMATS:
        written = mc.render(expr, format)
        assert mc.canonical(mc.parse(written, format)) == form, format
    assert mc.from_networkx(mc.to_networkx(expr)) == expr
    mc.tree_text(expr)
    attempt(mc.rank, form)
    attempt(mc.fingerprint, expr)
    if expr.size > MAX_SIZE:
        return
    mc.tree_svg(expr)
    back = mc.from_sympy(mc.to_sympy(expr))
    assert mc.equivalent(back, expr) or mc.equivalent(expr, expr).reason == "undefined"


def check_value(text: str) -> None:
    """The reader and the evaluator of the package against the oracle's."""
    point = _points(text)[0]
    try:
        expected: Fraction | None = value_at(text, point)
    except Undefined:
        expected = None
    except (Unreadable, TooLarge):
        attempt(mc.evaluate, text, point)
        return
    try:
        value: Fraction | None = mc.evaluate(mc.parse(text, "infix"), point)
    except mc.EvaluationError:
        value = None
    except mc.LimitError:
        return
    assert value == expected


def check_pair(left: str, right: str) -> None:
    """The verdict on two texts, their grade and their classes, against their values at random points."""
    exprs = [attempt(mc.parse, text, "infix") for text in (left, right)]
    if any(expr is None or expr.size > MAX_SIZE for expr in exprs):
        return
    one, other = exprs
    verdict = attempt(mc.equivalent, one, other)
    if verdict is None:
        return
    verdict.to_dict()
    grade = attempt(mc.grade, one, other)
    classes = attempt(lambda: list(mc.dedupe([one, other, one], by="value")))
    if verdict.reason != "undefined":
        assert classes is None or len(classes) == (1 if verdict else 2)
        assert grade is None or (grade == "different") != bool(verdict)
    try:
        values = [(_value(left, point), _value(right, point)) for point in _points(left + " " + right)]
    except (Unreadable, TooLarge):
        return
    defined = [pair for pair in values if None not in pair]
    if verdict:
        assert all(here == there for here, there in defined)
    elif verdict.reason == "undefined":
        assert not defined
    else:
        assert any(here != there for here, there in defined) or not defined
        if verdict.point is not None and "pi" not in verdict.point and "π" not in left + right:
            at = {"pi": Fraction(0), **verdict.point}
            if not {"pi"} & set(_NAME.findall(left + " " + right)):
                assert (_value(left, at), _value(right, at)) == (verdict.left, verdict.right)


def _value(text: str, point: dict[str, Fraction]) -> Fraction | None:
    try:
        return value_at(text, point)
    except Undefined:
        return None


def _points(text: str) -> list[dict[str, Fraction]]:
    """A few points far from where small expressions happen to agree."""
    names = sorted({*_NAME.findall(text.translate(_FULL_WIDTH)), "pi"})
    rng = random.Random(len(text))
    return [{name: Fraction(rng.randint(10**6, 10**9), rng.randint(1, 99)) for name in names} for _ in range(3)]


_FULL_WIDTH = {ord(char): " " for char in "×·÷：−＋（）"}
