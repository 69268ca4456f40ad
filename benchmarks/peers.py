"""How other packages are asked whether two texts mean the same.  One function a peer; each imports what it needs.

A peer is a function that, called once with the names of the operands, returns the function to be timed: (left text,
right text) -> bool.  Peers without a reader of infix text (python-flint, z3) are given one made of Python's own `ast`.
Where a package has several exact ways, the fastest one stands here.

Not here: giac and GiNaC, which no package for pip brings alone (giac comes with parts of Sage, GiNaC not at all).
symbolica runs without a licence key on one core, one process a user; a second process of it stops at once.
"""

from __future__ import annotations

import ast
import operator
import signal
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Ask = Callable[[str, str], bool]


class Undecided(Exception):
    """The peer gave no answer: it was not sure, or ran out of time."""


class Peer(NamedTuple):
    name: str
    make: Callable[[Sequence[str]], Ask]  # the names of the operands -> what is timed
    largest: int  # how many pairs it is asked at the most, so that the whole run takes minutes
    exact: bool  # whether it claims to decide equality of rational functions


def mathcanon_equivalent(names: Sequence[str]) -> Ask:
    from mathcanon import equivalent

    return lambda left, right: equivalent(left, right).equivalent


def pari_equal(names: Sequence[str]) -> Ask:
    from cypari import pari

    pari.allocatemem(2**26, 2**30)
    return lambda left, right: bool(pari(f"({left})==({right})"))


def symbolica_ratio(names: Sequence[str]) -> Ask:
    from symbolica import RationalPolynomial

    names = list(names)
    return lambda left, right: bool(RationalPolynomial.parse(left, names) == RationalPolynomial.parse(right, names))


def symengine_ratio(names: Sequence[str]) -> Ask:
    from symengine import expand, sympify

    def ask(left: str, right: str) -> bool:
        above, below = sympify(left).as_numer_denom()
        over, under = sympify(right).as_numer_denom()
        return bool(expand(above * under - over * below) == 0)

    return ask


def symengine_equal(names: Sequence[str]) -> Ask:
    from symengine import sympify

    return lambda left, right: bool(sympify(left) == sympify(right))


def flint_ratio(names: Sequence[str]) -> Ask:
    import flint

    context = flint.fmpz_mpoly_ctx.get(list(names), flint.Ordering.degrevlex)
    one = context.constant(1)
    operands = {name: (generator, one) for name, generator in zip(names, context.gens(), strict=True)}

    def binary(op: str, left: Any, right: Any) -> Any:
        (a, b), (c, d) = left, right
        match op:
            case "+":
                return a * d + c * b, b * d
            case "-":
                return a * d - c * b, b * d
            case "*":
                return a * c, b * d
            case "/":
                return a * d, b * c
        return a ** int(str(c)), b ** int(str(c))

    def ask(left: str, right: str) -> bool:
        a, b = _read(left, operands.__getitem__, lambda n: (context.constant(n), one), binary)
        c, d = _read(right, operands.__getitem__, lambda n: (context.constant(n), one), binary)
        return bool(a * d == c * b)

    return ask


def sympy_cancel(names: Sequence[str]) -> Ask:
    from sympy import cancel, sympify

    return lambda left, right: cancel(sympify(left) - sympify(right)) == 0


def sympy_equal(names: Sequence[str]) -> Ask:
    from sympy import sympify

    return lambda left, right: sympify(left) == sympify(right)


def sympy_simplify(names: Sequence[str]) -> Ask:
    from sympy import simplify, sympify

    return _limited(lambda left, right: simplify(sympify(left) - sympify(right)) == 0, seconds=20)


def z3_solver(names: Sequence[str]) -> Ask:
    """No point where all divisors are nonzero and the two differ (real arithmetic, one second a pair)."""
    import z3

    operands = {name: z3.Real(name) for name in names}
    binaries = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}

    def ask(left: str, right: str) -> bool:
        solver = z3.Solver()
        solver.set("timeout", 1000)

        def binary(op: str, x: Any, y: Any) -> Any:
            if op == "/":
                solver.add(y != 0)
            return binaries[op](x, y)

        one, other = (_read(text, operands.__getitem__, z3.RealVal, binary) for text in (left, right))
        solver.add(one != other)
        answer = solver.check()
        if answer == z3.unknown:
            raise Undecided
        return bool(answer == z3.unsat)

    return ask


def math_verify(names: Sequence[str]) -> Ask:
    from math_verify import parse, verify

    return lambda left, right: verify(parse(f"${left}$"), parse(f"${right}$"))


OURS = Peer("mathcanon", mathcanon_equivalent, 10**9, True)
PEERS = [
    Peer("PARI ==", pari_equal, 10**9, True),
    Peer("symbolica, rational polynomials", symbolica_ratio, 10**9, True),
    Peer("symengine as_numer_denom, expand", symengine_ratio, 10**9, True),
    Peer("symengine ==", symengine_equal, 10**9, False),
    Peer("python-flint, read with ast", flint_ratio, 10**9, True),
    Peer("sympy cancel", sympy_cancel, 1000, True),
    Peer("sympy ==", sympy_equal, 1000, False),
    Peer("sympy simplify", sympy_simplify, 100, True),
    Peer("z3, real arithmetic", z3_solver, 100, True),
    Peer("Math-Verify", math_verify, 200, False),
]


_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}


def _read(text: str, operand: Callable[[str], Any], number: Callable[[int], Any], binary: Callable[..., Any]) -> Any:
    """What the three functions make of infix text."""

    def walk(node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp):
            return binary(_OPERATORS[type(node.op)], walk(node.left), walk(node.right))
        if isinstance(node, ast.Name):
            return operand(node.id)
        assert isinstance(node, ast.Constant)
        return number(node.value)

    return walk(ast.parse(text.replace("^", "**"), mode="eval").body)


def _limited(ask: Ask, seconds: int) -> Ask:
    """Undecided after so many seconds by the clock (where the system has such a timer).

    Not by a timer of CPU time: on some systems that makes the CPU clock itself jump.
    """
    if not hasattr(signal, "setitimer"):
        return ask

    def stop(*_: object) -> None:
        raise Undecided

    def limited(left: str, right: str) -> bool:
        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return ask(left, right)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return limited
