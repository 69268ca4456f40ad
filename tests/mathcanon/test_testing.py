"""The hypothesis strategies that other projects use: what they promise, and that they reach what they should."""

from __future__ import annotations

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from mathcanon.canonical_form import canonical
from mathcanon.equality.verdict import equivalent
from mathcanon.expr import Expr, Number, Operand, Power, Product, Sum
from mathcanon.notation.notations import parse
from mathcanon.testing import expressions, non_equivalent_pairs, numbers, rewrites, texts

law = settings(max_examples=60, deadline=None)
search = settings(max_examples=3_000, deadline=None, database=None, phases=[Phase.generate])


def nodes(expr: Expr) -> list[Expr]:
    found = [expr]
    for node in found:
        found += node.children
    return found


@law
@given(expressions("xyz", max_leaves=5))
def test_expressions_keep_to_their_operands_and_size(expr: Expr) -> None:
    assert set(expr.operands()) <= set("xyz")
    assert 1 <= len(list(expr.leaves())) <= 5


@law
@given(expressions("abcd", read_once=True))
def test_read_once_expressions_use_each_operand_at_most_once(expr: Expr) -> None:
    names = [leaf.name for leaf in expr.leaves() if isinstance(leaf, Operand)]
    assert len(names) == len(set(names)) == len(list(expr.leaves()))
    assert not any(isinstance(node, Power) for node in nodes(expr))


@law
@given(expressions(with_numbers=False, with_powers=False, with_negation=False))
def test_options_leave_out_numbers_powers_and_unary_minus(expr: Expr) -> None:
    assert not any(isinstance(node, Number | Power) for node in nodes(expr))
    assert not any(isinstance(node, Sum) and len(node.terms) == 1 for node in nodes(expr))


@pytest.mark.parametrize(
    "wanted",
    [
        lambda expr: isinstance(expr, Sum) and len(expr.terms) == 3,
        lambda expr: isinstance(expr, Sum) and len(expr.terms) == 1,
        lambda expr: isinstance(expr, Product) and any(mark < 0 for mark, _ in expr.factors),
        lambda expr: isinstance(expr, Sum) and any(isinstance(child, Sum) for child in expr.children),
        lambda expr: isinstance(expr, Power) and expr.exponent < 0,
        lambda expr: len(list(expr.leaves())) == 8,
        lambda expr: len(expr.operands()) < sum(isinstance(leaf, Operand) for leaf in expr.leaves()),
    ],
    ids=["three terms", "unary minus", "division", "sum in sum", "negative power", "largest", "repeated operand"],
)
def test_expressions_reach_every_kind_of_tree(wanted: object) -> None:
    assert isinstance(find(expressions(), wanted, settings=search), Expr)  # type: ignore[arg-type]


def test_read_once_expressions_on_two_operands_reach_all_six_forms() -> None:
    wanted = {canonical(text) for text in ("a+b", "a-b", "b-a", "a*b", "a/b", "b/a")}
    seen: set[Expr] = set()

    def all_seen(expr: Expr) -> bool:
        seen.add(canonical(expr))
        return wanted <= seen

    find(expressions("ab", read_once=True), all_seen, settings=search)
    assert wanted <= seen


@law
@given(numbers())
def test_numbers_are_not_negative(number: Number) -> None:
    assert number.value >= 0


@law
@given(texts())
def test_texts_are_read_as_infix(text: str) -> None:
    assert parse(text, "infix") == parse(text)


@law
@given(texts("xy", with_numbers=False, with_powers=False, pasted=False, max_leaves=4))
def test_plain_texts_keep_to_ascii_and_their_operands(text: str) -> None:
    assert set(text) <= set("xy+-*/() ")
    assert len(list(parse(text).leaves())) <= 4


@pytest.mark.parametrize("part", ["%", "3(1/2)", "（", "×", "^", " ", "--", "(("])
def test_texts_reach_every_kind_of_spelling(part: str) -> None:
    assert part in find(texts(), lambda text: part in text, settings=search)


@law
@given(st.data(), expressions())
def test_rewrites_keep_the_canonical_form(data: st.DataObject, expr: Expr) -> None:
    assert canonical(data.draw(rewrites(expr))) == canonical(expr)


@law
@given(st.data(), expressions(max_leaves=5))
def test_rewrites_by_identities_keep_the_meaning(data: st.DataObject, expr: Expr) -> None:
    verdict = equivalent(expr, data.draw(rewrites(expr, identities=True)))
    assert verdict or verdict.reason == "undefined"


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        ("a-(b-c)", "a-b+c"),
        ("a-b+c", "a-(b-c)"),
        ("a/(b/c)", "a/b*c"),
        ("a/b*c", "a/(b/c)"),
        ("(a-b)*(c-d)", "(b-a)*(d-c)"),
        ("a+b", "b+a"),
        ("a*b*c", "a*(b*c)"),
        ("a", "-(-a)"),
        ("-(a*b)", "(-a)*b"),
        ("a-b", "a+(-b)"),
        ("(a-b)^2", "(b-a)^2"),
        ("(a-b)^3", "-(b-a)^3"),
        ("a^6", "(a^2)^3"),
        ("(a^2)^3", "a^6"),
    ],
)
def test_rewrites_reach(start: str, goal: str) -> None:
    wanted = parse(goal)
    assert find(rewrites(start, max_steps=2), lambda other: other == wanted, settings=search) == wanted


@pytest.mark.parametrize(
    ("start", "goal"), [("a*(b-c)/d", "a*b/d-a*c/d"), ("a", "a+0"), ("a", "a*1"), ("a^3", "a*a^2")]
)
def test_identities_reach_what_plain_rewrites_do_not(start: str, goal: str) -> None:
    wanted = parse(goal)
    with_identities = rewrites(start, identities=True, max_steps=1)
    assert find(with_identities, lambda other: other == wanted, settings=search) == wanted
    with pytest.raises(NoSuchExample):
        find(rewrites(start, max_steps=1), lambda other: other == wanted, settings=settings(search, max_examples=200))


@law
@given(non_equivalent_pairs("abcd"))
def test_non_equivalent_pairs_are_on_the_same_operands_and_differ(pair: tuple[Expr, Expr]) -> None:
    left, right = pair
    assert left.operands() == right.operands()
    assert not equivalent(left, right)
