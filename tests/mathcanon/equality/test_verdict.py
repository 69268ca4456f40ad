"""Equivalence: exact, with a reason and a counterexample; sympy is the oracle."""

import random
import threading
from fractions import Fraction

import pytest
import sympy

import mathcanon as mc


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ("a-b+c", "a+c-b", "structure"),
        ("(a-b)*(c-d)", "(b-a)*(d-c)", "structure"),
        ("a*b+a*c", "a*(b+c)", "identity"),
        ("(a+b)^2", "a^2+2*a*b+b^2", "identity"),
        ("n/n*n", "n", "identity"),
        ("1+2", "3", "identity"),
        ("40%*a", "a*2/5", "identity"),
        ("(a^2-b^2)/(a-b)", "a+b", "identity"),
        ("a^-1", "1/a", "identity"),
        ("1/(1/a+1/b)", "a*b/(a+b)", "identity"),
        ("pi*r^2", "r*r*pi", "identity"),
        ("a^0", "1", "identity"),
        ("0*a", "0", "identity"),
    ],
)
def test_the_same_function(left: str, right: str, reason: str) -> None:
    verdict = mc.equivalent(left, right)
    assert verdict
    assert verdict.reason == reason
    assert verdict.certain
    assert verdict.point is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a-b-c", "a-(b-c)"),
        ("a/b/c", "a/(b/c)"),
        ("a*b", "a+b"),
        ("2*2", "2+3"),
        ("a", "b"),
        ("a", "-a"),
        ("a^2", "a^3"),
        ("(a+b)^2", "a^2+b^2"),
        ("pi", "3.14"),
        ("pi*2", "6"),
        ("a/(b-c)", "a/(c-b)"),
        ("a*0", "1"),
        ("2305843009213693951*a", "0"),
        ("1/2305843009213693951", "0"),
    ],
)
def test_a_counterexample_is_small_and_right(left: str, right: str) -> None:
    verdict = mc.equivalent(left, right)
    assert not verdict
    assert verdict.reason == "counterexample"
    assert verdict.point is not None
    at = {
        **verdict.point,
        "pi": Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"),
    }
    here, there = mc.evaluate(left, at), mc.evaluate(right, at)
    assert abs(here - verdict.left) < Fraction(1, 10**50)
    assert abs(there - verdict.right) < Fraction(1, 10**50)
    assert here != there
    assert all(abs(value) <= 100 for value in verdict.point.values())


@pytest.mark.parametrize(
    ("left", "right", "sides"),
    [
        ("b/(c/(z-z))", "0", ("left",)),
        ("b/(c/(z-z))", "b*(z-z)/c", ("left",)),
        ("1", "1/(2-1-1)", ("right",)),
        ("1/(a-a)", "1/(a-a)", ("left", "right")),
        ("0^-1", "a", ("left",)),
        ("a/((b+c)^2-b^2-2*b*c-c^2)", "a", ("left",)),
    ],
)
def test_dividing_by_what_is_always_zero_means_nothing(left: str, right: str, sides: tuple[str, ...]) -> None:
    verdict = mc.equivalent(left, right)
    assert not verdict
    assert verdict.reason == "undefined"
    assert verdict.undefined == sides


@pytest.mark.parametrize(
    ("left", "right", "domain"),
    [
        ("a/a", "1", ["a"]),
        ("1", "a/a", ["a"]),
        ("a/(b/c)", "a*c/b", ["c"]),
        ("(a^2-b^2)/(a-b)", "a+b", ["a-b"]),
        ("a*b/(a*c)", "b/c", ["a"]),
        ("a/b", "2*a/(2*b)", []),
        ("(a+b)/(b+a)/c", "1/c", ["a+b"]),
        ("c/((99999999999*a+1)*(a+7))", "c*k/(((99999999999*a+1)*(a+7))*k)", ["k"]),  # beyond a C int
        (f"c/(({2**64}*a+1)*(a+7))*({2**64}*a+1)", "c/(a+7)", [f"a*{2**64}+1"]),
    ],
)
def test_removable_singularities_are_noted(left: str, right: str, domain: list[str]) -> None:
    verdict = mc.equivalent(left, right)
    assert verdict
    assert [str(divisor) for divisor in verdict.domain] == domain
    assert verdict.domain_note is None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("(a^5040-1)/(a^5040-1)*b", "b"),  # degree
        ("b/(a^50*2^9999+c)*(a^50*2^9999+c)", "b"),  # bits
        ("x*(a+b+c+d+e+f)^18/(a+b+c+d+e+f)^18", "x"),  # terms
        ("+".join(["0", *[f"a{i}/(a{i}+b)-a{i}/(b+a{i})" for i in range(400)]]), "0"),  # many
    ],
)
def test_a_domain_that_would_take_too_long_is_not_worked_out_and_says_so(left: str, right: str) -> None:
    verdict = mc.equivalent(left, right)
    assert verdict
    assert verdict.domain == ()
    assert verdict.domain_note == "not worked out: too large"
    assert verdict.to_dict()["domain_note"] == "not worked out: too large"
    assert verdict.to_dict()["domain"] == []


def test_equal_divisors_are_not_worth_factoring() -> None:
    verdict = mc.equivalent("b/(a^5040-1)", "-b/(1-a^5040)")
    assert verdict
    assert (verdict.domain, verdict.domain_note) == ((), None)
    assert "domain_note" not in verdict.to_dict()


def test_past_the_budget_the_answer_is_a_fingerprint_and_says_so() -> None:
    power = "(a+b+c+d+e+f)^400"
    verdict = mc.equivalent(f"{power}*(a+b+c+d+e+f)", power.replace("400", "401"))
    assert verdict
    assert verdict.reason == "fingerprint"
    assert not verdict.certain
    assert verdict.domain_note == "not worked out: too large"
    assert 0 < verdict.error_bound < 1e-12
    unequal = mc.equivalent(f"{power}*(a+b+c+d+e+f)", f"{power}*(a+b+c+d+e-f)")
    assert not unequal
    assert unequal.certain


def test_a_huge_input_does_not_hang() -> None:
    many = "+".join(f"1/(a{i}+b)" for i in range(2_000))
    backwards = "+".join(f"1/(b+a{i})" for i in reversed(range(2_000)))
    assert mc.equivalent(many, backwards).reason == "structure"
    assert not mc.equivalent(many, backwards + "+b/1000000")
    assert mc.equivalent(many, backwards + "+b-b").reason in ("identity", "fingerprint")


def _random_text(rng: random.Random, size: int) -> str:
    if size == 1:
        return rng.choice(["a", "b", "c", "1", "2", "0.5"])
    left = rng.randint(1, size - 1)
    text = f"({_random_text(rng, left)}{rng.choice('+-*/')}{_random_text(rng, size - left)})"
    return text + "^2" if rng.random() < 0.1 else text


def test_it_agrees_with_sympy_on_random_pairs() -> None:
    rng = random.Random(20230502)
    compared = equal = 0
    while compared < 400 or equal < 40:
        left, right = _random_text(rng, rng.randint(1, 6)), _random_text(rng, rng.randint(1, 6))
        if rng.random() < 0.4:
            right = str(sympy.factor(sympy.sympify(left.replace("^", "**"), rational=True))).replace("**", "^")
        ours = mc.equivalent(left, right) if "zoo" not in right and "nan" not in right else None
        theirs = [sympy.sympify(text.replace("^", "**"), rational=True) for text in (left, right)]
        if ours is None or any(term.has(sympy.zoo, sympy.nan) for term in theirs):
            continue
        if ours.reason == "undefined":  # sympy cancels b/(c/(z-z)) silently
            continue
        compared += 1
        equal += bool(ours)
        assert bool(ours) == (sympy.cancel(theirs[0] - theirs[1]) == 0), (left, right)


def test_threads_get_the_same_answers() -> None:
    pairs = [("a*b+a*c", "a*(b+c)", True), ("a*b+a*c", "a*(b-c)", False), ("a/a", "1", True)] * 30
    wrong: list[tuple[str, str]] = []

    def work() -> None:
        wrong.extend((left, right) for left, right, same in pairs if bool(mc.equivalent(left, right)) is not same)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_expressions_and_texts_can_be_mixed() -> None:
    assert mc.equivalent(mc.parse("a+b"), "b+a")
    with pytest.raises(mc.ParseError):
        mc.equivalent("a+b", "2a")


def test_a_value_too_large_for_a_float_is_shown() -> None:
    verdict = mc.equivalent("pi*10^400", "a")
    assert (verdict.reason, verdict.value_text("left"), verdict.value_text("right")) == (
        "counterexample",
        "3.14159e+400",
        "2",
    )


def test_a_value_past_the_budget_is_not_shown() -> None:
    verdict = mc.equivalent("pi^4021", "a")
    assert (verdict.equivalent, verdict.reason, verdict.certain) == (False, "counterexample", True)
    assert (verdict.point, verdict.value_text("left")) == (None, None)


def test_values_are_shown_without_the_brackets_of_the_grammar() -> None:
    verdict = mc.equivalent("1-5/3", "2/7")
    assert (verdict.value_text("left"), verdict.value_text("right")) == ("-2/3", "2/7")
    assert "-2/3 against 2/7" in mc.grade("1-5/3", "2/7").reason
    assert "both are -2/3" in mc.grade("1-5/3", "2-8/3").reason
