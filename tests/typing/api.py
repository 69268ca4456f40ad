"""Typed examples of the public API: mypy checks what each call gives, `tests/test_packaging.py` runs them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import assert_type

import mathcanon as mc


def example_expressions() -> None:
    e = assert_type(mc.parse("a - b + c"), mc.Expr)
    assert_type(mc.canonical("a-(b-c)"), mc.Expr)
    assert_type(mc.canonical(e), mc.Expr)
    assert_type(mc.key(e), str)
    assert_type(e + 1, mc.Expr)
    assert_type(2 * e - Fraction(1, 2), mc.Expr)
    assert_type(-e / "b", mc.Expr)
    assert_type(e**2, mc.Expr)
    assert_type(e < mc.Operand("z"), bool)
    assert_type({e: 1}[e], int)
    assert_type(e.depth, int)
    assert_type(e.size, int)
    assert_type(e.children, tuple[mc.Expr, ...])
    assert_type(e.operands(), tuple[str, ...])
    assert_type(list(e.leaves()), list[mc.Operand | mc.Number])


def example_nodes() -> None:
    node = mc.parse("a-2")
    match node:
        case mc.Sum(terms):
            assert_type(terms, tuple[tuple[int, mc.Expr], ...])
        case mc.Product(factors):
            assert_type(factors, tuple[tuple[int, mc.Expr], ...])
        case mc.Power(base, exponent):
            assert_type(base, mc.Expr)
            assert_type(exponent, int)
        case mc.Number(value):
            assert_type(value, Fraction)
        case mc.Operand(name):
            assert_type(name, str)
    assert_type(mc.Number("1/3").value, Fraction)
    assert_type(mc.Number(2).text, str | None)


def example_algebra() -> None:
    size: mc.Algebra[int] = mc.Algebra(
        operand=lambda name: 1,
        number=lambda value, text: 1,
        sum=lambda terms: sum(x for _, x in terms),
        product=lambda factors: sum(x for _, x in factors),
        power=lambda base, exponent: base,
    )
    assert assert_type(mc.fold(mc.parse("a*(b-2)"), size), int) == 3


def example_equivalence() -> None:
    verdict = assert_type(mc.equivalent("a-b-c", mc.parse("a-(b-c)")), mc.Verdict)
    assert assert_type(bool(verdict), bool) is False
    assert_type(verdict.equivalent, bool)
    assert_type(verdict.reason, str)
    assert_type(verdict.certain, bool)
    assert_type(verdict.error_bound, float)
    assert_type(verdict.point, dict[str, Fraction] | None)
    assert_type(verdict.left, Fraction | None)
    assert_type(verdict.right, Fraction | None)
    assert_type(verdict.domain, tuple[mc.Expr, ...])
    grade = assert_type(mc.grade("150+50*2", "150*2-50", constants=("1", "3.14")), mc.Grade)
    assert assert_type(grade.reason, str) and grade == "same-value"
    assert_type(grade.method, mc.Verdict | None)
    assert_type(grade.value, mc.Verdict | None)


def example_dedupe() -> None:
    assert_type(mc.dedupe(["a+b", "b+a", "a*b"]), Iterator[str])
    assert_type(mc.dedupe([mc.parse("a+b")], by="value"), Iterator[mc.Expr])
    seen = assert_type(mc.Deduper(["a+b"]), mc.Deduper[str])
    assert_type(seen.add("b+a"), bool)
    assert_type("a+b" in seen, bool)
    assert_type(len(seen), int)
    assert_type(seen.groups(), list[list[str]])
    assert_type(list(seen), list[str])


def example_counting() -> None:
    assert assert_type(mc.count(6), int) == 793002
    assert_type(mc.count(6, law="unary-minus"), int)
    assert_type(mc.sequence(30), list[int])
    assert_type(mc.LAWS, dict[str, str])
    growth = assert_type(mc.asymptotics(50), mc.Asymptotics)
    assert_type(growth.r, Decimal)
    assert_type(growth.exact, int | None)
    assert_type(growth.ratio, float | None)
    (row,) = mc.table(1)
    assert_type(row.full, int)
    assert_type(row.ratio, float)


def example_space() -> None:
    assert_type(mc.expressions("abc"), Iterator[mc.Expr])
    assert_type(mc.expressions([mc.Operand("a"), "b"], start=2, stop=4), Iterator[mc.Expr])
    e = assert_type(mc.unrank("abcdef", 12345), mc.Expr)
    assert assert_type(mc.rank(e), int) == 12345
    assert_type(mc.sample("abcdef", random.Random(1)), mc.Expr)
    proof = assert_type(mc.prove(3), mc.Proof)
    assert_type(proof.n, int)
    assert [assert_type(check.claim, str) for check in proof.checks if not check.holds] == []


def example_reach() -> None:
    found = assert_type(mc.reach([150, 2, 50], 250), list[mc.Expr])
    assert {assert_type(e.evaluate({}), Fraction) for e in found} == {250}
    assert_type(mc.reach({"a": 22, "b": "40%"}, Fraction(5), tolerance="0.1", limit=5), list[mc.Expr])
    for hits in mc.reach_batch([((3, 4), 12)]):
        assert_type(hits, list[mc.Hit])
        assert_type(hits[0].expr, mc.Expr)


def example_values() -> None:
    assert_type(mc.evaluate("a*(1-b)", {"a": 30, "b": "20%"}), Fraction)
    assert_type(mc.parse("a/b").evaluate({"a": 1, "b": Decimal("0.5")}), Fraction)
    assert_type(mc.parse_number("3(1/2)"), Fraction)
    assert_type(mc.parse_equation("x=(11-1)*2"), mc.Expr)


def example_text_and_pictures() -> None:
    e = mc.parse("a*(b-c)", "infix")
    assert_type(str(e), str)
    assert_type(mc.render(e), str)
    assert_type(mc.render(e, "prefix"), str)
    assert_type(e.to_latex(), str)
    assert_type(e.to_dot(), str)
    assert_type(mc.draw(e), str)
    assert_type(mc.draw(e, "svg"), str)
    assert_type(mc.tree_text(e), str)
    assert_type(mc.tree_svg(e), str)
    assert_type(mc.tree_png("a"), bytes)
    assert_type(mc.draw("a", "png"), bytes)


def example_interop() -> None:
    e = mc.parse("a-b/c")
    assert_type(mc.from_sympy(e.to_sympy()), mc.Expr)
    assert_type(mc.from_sympy(mc.to_sympy("a-b/c")), mc.Expr)
    assert_type(mc.from_networkx(e.to_networkx()), mc.Expr)
    assert_type(mc.from_networkx(mc.to_networkx(e)), mc.Expr)


def example_errors() -> None:
    try:
        mc.parse("2a")
    except mc.ParseError as error:
        assert assert_type(error.position, int) == 1
        assert_type(error.text, str)
        assert_type(error.hint, str)
        assert_type(error.pointed(), str)
    try:
        mc.parse("9^9^9^9")
    except mc.LimitError as error:
        assert_type(error.limit, int)
        value_error: ValueError = error
        assert value_error is error
    try:
        mc.count(3, "no law")
    except mc.ArgumentError as error:
        bad_value: ValueError = error
        assert bad_value is error
    try:
        mc.evaluate("1/a", {"a": 0})
    except mc.EvaluationError as error:
        zero_division: ZeroDivisionError = error
        assert zero_division is error
