"""Expressions as prefix sequences and back; gold equations over quantities; the ways to write a tree."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mathcanon import Expr, Operand, equivalent, evaluate, parse
from mathcanon.errors import MathCanonError
from mathcanon.testing import expressions
from weaksup.corpora.stories import read_stories
from weaksup.meaning.value_level import equation_function, expression_function
from weaksup.records import Problem, Quantity
from weaksup.solvers.data.trees import OPERATORS, WRITINGS, expression_of, gold_expression, prefix_of, write_tree

NAMES = ("N0", "N1", "N2", "N3")
POINTS = [
    dict(zip(NAMES, map(Fraction, row), strict=True))
    for row in (("2", "3", "5", "7"), ("1/3", "11", "4", "1/7"), ("13", "2/5", "19", "6"))
]


def problem_of(values: list[str], gold: str | None = None, *, surfaces: list[str] | None = None) -> Problem:
    quantities = tuple(
        Quantity(value=value, surface=surface, start=i, end=i + 1, token=i)
        for i, (value, surface) in enumerate(zip(values, surfaces or values, strict=True))
    )
    tokens = tuple(surfaces or values) or ("word",)
    return Problem(id="1", text=" ".join(tokens), tokens=tokens, quantities=quantities, answer="0", gold=gold)


def value_at(expr: Expr, point: dict[str, Fraction]) -> Fraction | None:
    try:
        return evaluate(expr, point)
    except MathCanonError:
        return None


@given(expressions(NAMES))
def test_a_prefix_sequence_has_the_value_of_its_expression(expr: Expr) -> None:
    try:
        prefix = prefix_of(expr)
    except ValueError:
        assume(False)
        return
    back = expression_of(prefix)
    assert [value_at(back, point) for point in POINTS] == [value_at(expr, point) for point in POINTS]
    operators = sum(token in OPERATORS for token in prefix)
    assert len(prefix) == 2 * operators + 1


@given(expressions(NAMES, with_negation=False, with_powers=False))
def test_every_expression_without_minus_and_powers_has_a_tree(expr: Expr) -> None:
    """Only a sum that subtracts everything has none: nothing stands before its first minus."""
    nodes, blocked = [expr], False
    while nodes:
        node = nodes.pop()
        nodes += node.children
        blocked |= bool(node.children) and all(mark < 0 for mark, _ in getattr(node, "terms", [(1, node)]))
    try:
        prefix_of(expr)
        assert not blocked
    except ValueError:
        assert blocked


trees = st.recursive(
    st.sampled_from(["N0", "N1", "N2", "N3", "1", "3.14", "2", "1/2"]).map(lambda leaf: (leaf,)),
    lambda below: st.one_of(
        st.tuples(st.sampled_from("+-*/"), below, below).map(lambda t: (t[0], *t[1], *t[2])),
        st.tuples(below, st.integers(2, 9)).map(lambda t: ("^", *t[0], str(t[1]))),
    ),
    max_leaves=8,
)


def slow_value(prefix: list[str], point: dict[str, Fraction]) -> Fraction:
    token = prefix.pop(0)
    if token not in OPERATORS:
        return point[token] if token in point else Fraction(token)
    left, right = slow_value(prefix, point), slow_value(prefix, point)
    match token:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
    return left ** int(right)


@given(trees)
def test_a_sequence_is_read_as_a_pocket_calculator_does(prefix: tuple[str, ...]) -> None:
    """Against arithmetic on the sequence itself, division by zero included."""
    for point in POINTS:
        try:
            expected = slow_value(list(prefix), point)
        except ZeroDivisionError:
            expected = None
        assert value_at(expression_of(prefix), point) == expected
    again = prefix_of(expression_of(prefix))
    assert expression_of(again) == expression_of(prefix)


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("N0", "N0"),
        ("N0-N1-N2", "- - N0 N1 N2"),
        ("N0-(N1-N2)", "- N0 - N1 N2"),
        ("N0/N1*N2", "* / N0 N1 N2"),
        ("-N0+N1", "- N1 N0"),
        ("(N0+1)^2*3.14", "* ^ + N0 1 2 3.14"),
        ("(N0+N1)/(N2-N3)", "/ + N0 N1 - N2 N3"),
    ],
)
def test_sequences_by_hand(text: str, prefix: str) -> None:
    assert " ".join(prefix_of(text)) == prefix
    assert equivalent(expression_of(prefix.split()), parse(text))


@pytest.mark.parametrize("text", ["-N0", "-N0-N1", "N0^-1", "N0^12", "N0^0", "N0*(-N1)"])
def test_what_no_tree_of_ours_can_say_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        prefix_of(text)
    assert write_tree(text, problem_of(["2", "3"]), writing="as-written") is None


@pytest.mark.parametrize("prefix", ["", "+", "+ N0", "N0 N1", "+ N0 N1 N2", "^ N0 N1", "^ N0 1", "^ N0 10", "^ N0 1/2"])
def test_a_sequence_that_is_no_tree_is_a_value_error(prefix: str) -> None:
    with pytest.raises(ValueError):
        expression_of(prefix.split())


# --- gold -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "gold", "expected"),
    [
        (["11", "2"], "x=(11-1)*2", "(N0-1)*N1"),
        (["3", "5", "3"], "x=3*5+3", "N0*N1+N0"),  # equal numbers are the first of them
        (["30", "1/6"], "x=30*(1-(1/6))", "N0*(1-N1)"),  # a fraction that the text has is one quantity
        (["30", "1", "6"], "x=30*(1/6)", "N0*(N1/N2)"),  # another one is a division
        (["30", "6"], "x=30*(1/6)", "N0*(1/N1)"),
        (["5"], "x=5^2*pi", "N0^2*3.14"),
        (["5"], "x=3.14*5", "3.14*N0"),
        (["3.14", "5"], "x=3.14*5", "N0*N1"),  # mentioned in the text
        (["2/5", "20"], "x=20*40%", "N1*N0"),
        (["1", "4"], "x=4+1", "N1+N0"),
        (["4"], "x=4*7", "N0*7"),
    ],
)
def test_gold_equations_over_quantities(values: list[str], gold: str, expected: str) -> None:
    found = gold_expression(problem_of(values, gold))
    assert found is not None and str(found) == str(parse(expected))


@pytest.mark.parametrize("gold", [None, "x=", "x=(3", "x=3*y", "3 apples"])
def test_gold_that_can_not_be_read_is_none(gold: str | None) -> None:
    assert gold_expression(problem_of(["3"], gold)) is None


# --- writings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writing", sorted(WRITINGS))
def test_a_writing_keeps_value_and_meaning(writing: str) -> None:
    written = 0
    for problem in read_stories(size=150, seed=5):
        expr = gold_expression(problem)
        assert expr is not None
        tree = write_tree(expr, problem, writing=writing)
        if tree is None:
            continue
        written += 1
        values = [quantity.exact for quantity in problem.quantities]
        back = expression_of(tree)
        assert evaluate(back, {f"N{i}": value for i, value in enumerate(values)}) == problem.exact_answer
        assert problem.gold is not None
        assert expression_function(str(back), values) == equation_function(problem.gold, values) is not None
    assert written >= 148


def test_writings_differ_as_documented() -> None:
    problem = problem_of(["2", "11", "5"])
    shown = {name: write_tree("N2*(N1-N0)", problem, writing=name) for name in WRITINGS}
    assert shown["as-written"] == ("*", "N2", "-", "N1", "N0")
    assert shown["label"] == ("*", "-", "N1", "N0", "N2")  # the order of the text


def test_a_quantity_that_the_problem_does_not_have_is_not_taught() -> None:
    for writing in WRITINGS:
        assert write_tree("N0+N2", problem_of(["2", "3"]), writing=writing) is None
        assert write_tree("N0+x", problem_of(["2", "3"]), writing=writing) is None


def test_a_division_by_zero_is_not_taught_by_the_label_rule() -> None:
    assert write_tree("N0/(N1-N2)", problem_of(["2", "3", "3"]), writing="label") is None


def test_operands_are_leaves() -> None:
    assert prefix_of(Operand("N0")) == ("N0",)
