"""Laws that hold for all expressions, tried on random ones; the oracles are sympy and a tiny evaluator."""

from __future__ import annotations

import copy
import pickle
import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from mathcanon.canonical_form import canonical, signed_class
from mathcanon.digests import key
from mathcanon.equality.verdict import equivalent
from mathcanon.errors import EvaluationError
from mathcanon.expr import Expr, Number, Operand, Power, Product, Sum
from mathcanon.interop import to_sympy
from mathcanon.notation.notations import FORMATS, parse, render
from mathcanon.testing import expressions, non_equivalent_pairs, rewrites, texts
from mathcanon.values import evaluate

law = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
sympy_law = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SMALL = expressions("ab", max_leaves=4)
READ_ONCE = expressions("abcde", read_once=True)
VALUES = st.fractions(-5, 5, max_denominator=6)


def value(expr: Expr, point: dict[str, Fraction]) -> Fraction:
    """The value by plain recursion; ZeroDivisionError where there is none."""
    match expr:
        case Operand(name):
            return point[name]
        case Number(number):
            return number
        case Sum(terms):
            return sum((mark * value(child, point) for mark, child in terms), Fraction(0))
        case Product(factors):
            product = Fraction(1)
            for mark, child in factors:
                product = product * value(child, point) if mark > 0 else product / value(child, point)
            return product
        case Power(base, exponent):
            return value(base, point) ** exponent
    raise AssertionError(expr)


def is_undefined(expr: Expr) -> bool:
    """Whether a divisor is identically zero, asked of sympy from the leaves up."""
    if any(is_undefined(child) for child in expr.children):
        return True
    divisors: list[Expr] = []
    if isinstance(expr, Product):
        divisors = [child for mark, child in expr.factors if mark < 0]
    elif isinstance(expr, Power) and expr.exponent < 0:
        divisors = [expr.base]
    return any(sympy.cancel(to_sympy(divisor)) == 0 for divisor in divisors)


# Canonical form


@law
@given(expressions())
@example(parse("-(a-b)*(b-b)"))
def test_canonical_is_idempotent(expr: Expr) -> None:
    once = canonical(expr)
    assert canonical(once) == once


@law
@given(st.data(), expressions())
def test_canonical_does_not_change_under_rewrites(data: st.DataObject, expr: Expr) -> None:
    assert canonical(data.draw(rewrites(expr))) == canonical(expr)


@law
@given(expressions(), st.fixed_dictionaries(dict.fromkeys("abcdef", VALUES)))
def test_canonical_keeps_the_value(expr: Expr, point: dict[str, Fraction]) -> None:
    try:
        expected = value(expr, point)
        actual = value(canonical(expr), point)
    except ZeroDivisionError:  # a/(b/c) and its canonical form a*c/b are not defined at the same points
        assume(False)
    assert actual == expected


@law
@given(READ_ONCE, READ_ONCE)
def test_different_canonical_read_once_forms_differ_at_a_point(left: Expr, right: Expr) -> None:
    assume(canonical(left) != canonical(right))
    assert differ_somewhere(left, right)


@law
@given(non_equivalent_pairs("abcde"))
def test_one_turned_operator_gives_another_canonical_form(pair: tuple[Expr, Expr]) -> None:
    left, right = pair
    assert differ_somewhere(left, right)
    assert canonical(left) != canonical(right)


def differ_somewhere(left: Expr, right: Expr) -> bool:
    rng = random.Random(0)
    for _ in range(20):
        point = {name: Fraction(rng.randint(-(10**6), 10**6), rng.randint(1, 1000)) for name in "abcde"}
        try:
            if value(left, point) != value(right, point):
                return True
        except ZeroDivisionError:
            continue
    return False


@law
@given(expressions(), st.data())
def test_key_is_equal_exactly_when_canonical_forms_are(expr: Expr, data: st.DataObject) -> None:
    other = data.draw(st.one_of(rewrites(expr), rewrites(expr, identities=True), expressions()))
    assert (key(expr) == key(other)) == (canonical(expr) == canonical(other))


@law
@given(expressions())
def test_the_opposite_has_the_same_class(expr: Expr) -> None:
    sign, node = signed_class(expr)
    opposite_sign, opposite = signed_class(-expr)
    assert opposite == node
    assert opposite_sign in (sign, -sign)
    if opposite_sign == sign:  # its own opposite, so zero
        assert equivalent(expr, "0") or equivalent(expr, "0").reason == "undefined"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a-(b-b)*c", "a+(b-b)*c"),
        ("-(a-b)*(b-b)", "(a-b)*(b-b)"),
        ("-(b-b)^3", "(b-b)^3"),
        ("-((b-b)*c+d-d)", "d-d+(b-b)*c"),
        ("-(a+(b-b)*c)", "-a+(b-b)*c"),
        ("-(b-b)*c*d", "(b-b)*c*d"),
    ],
)
def test_a_part_that_is_its_own_opposite_takes_no_sign(left: str, right: str) -> None:
    assert canonical(left) == canonical(right)


@law
@given(texts())
def test_canonical_of_text_is_canonical_of_its_tree(text: str) -> None:
    assert canonical(text) == canonical(parse(text))


# Text


@law
@given(texts())
@example("a*[1/2]")
@example("2-[1/2]^2")
def test_parsing_what_is_printed_gives_the_expression_back(text: str) -> None:
    expr = parse(text)
    assert parse(str(expr)) == expr
    assert str(parse(str(expr))) == str(expr)


@pytest.mark.parametrize("format", FORMATS)
@law
@given(expressions(operands=("a", "b", "N10", "temp_a", "pi")))
def test_every_format_reads_back_to_the_same_canonical_form(format: str, expr: Expr) -> None:
    assert canonical(parse(render(expr, format), format)) == canonical(expr)


@pytest.mark.parametrize("format", FORMATS)
@law
@given(texts())
def test_every_format_of_parsed_text_reads_back(format: str, text: str) -> None:
    expr = parse(text)
    assert canonical(parse(render(expr, format), format)) == canonical(expr)


@law
@given(texts())
def test_spaces_between_tokens_do_not_matter_around_operators(text: str) -> None:
    spaced = text.replace("+", " + ").replace("×", " × ").replace("÷", "  ÷ ")
    assert parse(spaced) == parse(text)


@law
@given(texts(with_numbers=False), st.fixed_dictionaries(dict.fromkeys("abcdef", VALUES)))
def test_evaluate_agrees_with_a_plain_recursion(text: str, point: dict[str, Fraction]) -> None:
    try:
        expected = value(parse(text), point)
    except ZeroDivisionError:
        with pytest.raises(EvaluationError):
            evaluate(text, point)
    else:
        assert evaluate(text, point) == evaluate(parse(text), point) == expected


# Values: hash, equality, order, copies


@law
@given(st.data(), expressions("ab", max_leaves=3))
def test_hash_equality_and_order_agree(data: st.DataObject, left: Expr) -> None:
    right = data.draw(st.one_of(expressions("ab", max_leaves=3), st.just(pickle.loads(pickle.dumps(left)))))
    assert (left == right) == (left.identity == right.identity) == (repr_tree(left) == repr_tree(right))
    if left == right:
        assert hash(left) == hash(right)
    assert (left < right) + (left == right) + (left > right) == 1
    assert (left <= right) == (left < right or left == right)
    assert (left >= right) == (right <= left)


def repr_tree(expr: Expr) -> tuple[object, ...]:
    """The nodes as nested tuples: what equality should mean."""
    match expr:
        case Operand(name):
            return ("operand", name)
        case Number(number):
            return ("number", number)
        case Sum(parts) | Product(parts):
            return (type(expr).__name__, *[(mark, repr_tree(child)) for mark, child in parts])
        case Power(base, exponent):
            return ("power", repr_tree(base), exponent)
    raise AssertionError(expr)


@law
@given(st.lists(expressions("ab", max_leaves=3), min_size=3, max_size=6))
def test_order_is_total(exprs: list[Expr]) -> None:
    ordered = sorted(exprs)
    assert all(left <= right for i, left in enumerate(ordered) for right in ordered[i:])


@law
@given(expressions(), texts())
def test_pickle_and_copies_give_the_expression_back(expr: Expr, text: str) -> None:
    for original in (expr, canonical(expr), parse(text)):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            loaded = pickle.loads(pickle.dumps(original, protocol))
            assert loaded == original
            assert hash(loaded) == hash(original)
            assert str(loaded) == str(original)
        assert copy.copy(original) == copy.deepcopy(original) == original
        assert copy.deepcopy([original, original])[0] == original


# Equivalence, against sympy


@sympy_law
@given(SMALL, SMALL)
def test_equivalent_agrees_with_sympy_on_random_pairs(left: Expr, right: Expr) -> None:
    check_against_sympy(left, right)


@sympy_law
@given(st.data(), SMALL)
def test_equivalent_agrees_with_sympy_on_rewritten_pairs(data: st.DataObject, left: Expr) -> None:
    check_against_sympy(left, data.draw(rewrites(left, identities=True, max_steps=4)))


@sympy_law
@given(st.data(), expressions(("a", "b", "pi"), max_leaves=4, with_powers=False))
def test_equivalent_agrees_with_sympy_on_nearly_equal_pairs(data: st.DataObject, left: Expr) -> None:
    other = data.draw(rewrites(left, identities=True, max_steps=3))
    check_against_sympy(left, data.draw(st.sampled_from((other + Number("1/2"), other * Operand("a"), -other))))


def check_against_sympy(left: Expr, right: Expr) -> None:
    verdict = equivalent(left, right)
    if is_undefined(left) or is_undefined(right):
        assert verdict.reason == "undefined"
        assert not verdict
        assert verdict.undefined == tuple(
            side for side, expr in (("left", left), ("right", right)) if is_undefined(expr)
        )
        return
    assert verdict.certain
    assert bool(verdict) == (sympy.cancel(to_sympy(left) - to_sympy(right)) == 0)
    assert verdict.reason in (("structure", "identity") if verdict else ("counterexample",))
    if verdict.point is not None:
        point = {**verdict.point, "pi": Fraction("3.141592653589793")}
        assert value(left, point) != value(right, point)


@law
@given(st.data(), expressions())
def test_equivalent_is_symmetric_and_sees_through_identities(data: st.DataObject, left: Expr) -> None:
    right = data.draw(rewrites(left, identities=True))
    verdict, mirrored = equivalent(left, right), equivalent(right, left)
    assert (bool(verdict), verdict.reason) == (bool(mirrored), mirrored.reason)
    assert verdict or verdict.reason == "undefined"


@law
@given(non_equivalent_pairs())
def test_equivalent_refutes_with_a_point(pair: tuple[Expr, Expr]) -> None:
    verdict = equivalent(*pair)
    assert not verdict
    assert verdict.point is not None
    assert value(pair[0], verdict.point) == verdict.left != verdict.right == value(pair[1], verdict.point)


@law
@given(SMALL)
def test_dividing_by_zero_written_in_any_way_is_undefined(expr: Expr) -> None:
    divided = Product(((1, Operand("b")), (-1, Product(((1, Operand("c")), (-1, expr - expr))))))
    verdict = equivalent(divided, "0")
    assert verdict.reason == "undefined"
    assert verdict.undefined == ("left",)
