"""The certificate: it holds, and it would notice if it did not."""

from collections.abc import Callable
from functools import reduce
from itertools import combinations

import pytest

import mathcanon as mc
from mathcanon import proof


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_proved(n: int) -> None:
    result = mc.prove(n)
    assert result, str(result)
    assert len(result.checks) == 5
    assert str(result).endswith(f"proved for n = {n}")


@pytest.mark.slow
def test_proved_for_six() -> None:
    assert mc.prove(6)


def test_a_missing_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "expressions", lambda operands: list(mc.expressions(operands))[1:])
    assert [check.holds for check in mc.prove(3).checks] == [False, True, True, False, True]


def test_a_form_listed_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "expressions", lambda operands: [*mc.expressions(operands), mc.parse("a+b+c")])
    assert [check.holds for check in mc.prove(3).checks][:2] == [False, False]


def test_a_wrong_law_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = proof.CANONICAL.sum

    def plus_for_minus(terms: list) -> object:  # type: ignore[type-arg]
        return right([(1, part) for _, part in terms])

    wrong = mc.Algebra(
        operand=proof.CANONICAL.operand,
        number=proof.CANONICAL.number,
        sum=plus_for_minus,
        product=proof.CANONICAL.product,
        power=proof.CANONICAL.power,
    )
    monkeypatch.setattr(proof, "CANONICAL", wrong)
    assert [check.holds for check in mc.prove(3).checks] == [True, True, True, False, False]


def test_equal_values_at_one_point_do_not_pass_for_equal_functions() -> None:
    """A form that joins different functions is noticed whatever their values are: numerators are whole polynomials."""
    point = proof._FarPoint("abcd")
    ratios = []
    for text in ("a*b+c*d", "a*c+b*d", "a*d+b*c", "a/(b+c)*d", "(a-b)/(c-d)", "a/c-b/d", "a/d-b/c"):
        ratios.append(mc.fold(mc.parse(text), far_point_algebra(point)))
    assert all(not proof._is_same(a, b) for a, b in combinations(ratios, 2))
    assert proof._is_same(ratios[4], mc.fold(mc.parse("(b-a)/(d-c)"), far_point_algebra(point)))


def far_point_algebra(point: proof._FarPoint) -> mc.Algebra[tuple[int, int]]:
    def joined(kind: str) -> Callable[[list[tuple[int, tuple[int, int]]]], tuple[int, int]]:
        neutral = (0, 1) if kind == "sum" else (1, 1)
        return lambda parts: reduce(lambda left, part: getattr(point, kind)(left, *part), parts, neutral)

    return mc.Algebra(
        operand=point.operand,
        number=lambda value, text: (value.numerator, value.denominator),
        sum=joined("sum"),
        product=joined("product"),
        power=lambda base, exponent: base,
    )


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_far_point_reads_back_all_coefficients(n: int) -> None:
    """The integer of a numerator has the coefficients that SymPy finds as its digits."""
    sympy = pytest.importorskip("sympy")
    names = "abcd"[:n]
    point, base = proof._FarPoint(names), 2 ** (n + 1)
    symbols = sympy.symbols(" ".join(names))
    for expr in list(mc.expressions(names))[:: 1 if n < 4 else 23]:
        above, below = mc.fold(expr, far_point_algebra(point))
        ratio = sympy.fraction(sympy.cancel(expr.to_sympy()))
        expected = [sympy.Poly(side, *symbols).as_dict() for side in ratio]
        found = [digits(side, base, n) for side in (above, below)]
        opposite = [{powers: -value for powers, value in side.items()} for side in expected]
        assert found in (expected, opposite), expr


def digits(number: int, base: int, n: int) -> dict[tuple[int, ...], int]:
    """Powers of the operands -> coefficient, from digits between -base/2 and base/2."""
    found = {}
    for index in range(2**n):
        digit = (number + base // 2) % base - base // 2
        number = (number - digit) // base
        if digit:
            found[tuple([index >> i & 1 for i in range(n)])] = digit
    assert number == 0
    return found


def test_progress_ends_with_all_trees() -> None:
    seen: list[tuple[int, int]] = []
    mc.prove(4, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7680, 7680)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_limits() -> None:
    with pytest.raises(mc.LimitError):
        mc.prove(9)
    with pytest.raises(ValueError):
        mc.prove(0)
