"""Labels: how expressions are written, equations in numbers, and what is kept of the beliefs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathcanon import EvaluationError, equivalent, evaluate, parse_equation
from mathcanon.testing import expressions
from weaksup.labels import equation_text, filter_labels, make_label, write_expr
from weaksup.records import Candidate, CandidateSet

NAMES = ("N0", "N1", "N2", "N3")


def fractions_of(*values: int | str) -> list[Fraction]:
    return [Fraction(value) for value in values]


@pytest.mark.parametrize(
    ("expr", "values", "written"),
    [
        ("(N0-N1)*(N2-N3)", (2, 11, 3, 5), "(N1-N0)*(N3-N2)"),
        ("(N0-N1)/(N2-N3)", (2, 11, 3, 5), "(N1-N0)/(N3-N2)"),
        ("N2-(N0-N1)*N2", (2, 11, 3), "(N1-N0)*N2+N2"),
        ("N1*N0", (2, 3), "N0*N1"),
        ("1+N0", (2,), "N0+1"),
        ("1-N0", ("1/3",), "1-N0"),
        ("N0*(1+N1)", (2, 3), "N0*(N1+1)"),
        ("3.14*N0*N1", (2, 3), "N0*N1*3.14"),
        ("N2/N0*N1", (2, 3, 4), "N1/N0*N2"),
        ("N0-N1", (2, 3), "N0-N1"),  # a negative answer stays one
        ("(N0-N1)*N2", (3, 3, 5), "(N0-N1)*N2"),  # an answer of 0 has no side
        ("N1-N0", (3, 3), "N1-N0"),
        ("N1^2*N0", (2, 3), "N0*N1^2"),
    ],
)
def test_expressions_are_written_by_one_rule(expr: str, values: tuple[int | str, ...], written: str) -> None:
    assert write_expr(expr, fractions_of(*values)) == written


@given(expressions(operands=NAMES), st.lists(st.integers(-5, 9), min_size=4, max_size=4))
def test_writing_keeps_the_function_and_the_value(expr: object, numbers: list[int]) -> None:
    text, values = str(expr), fractions_of(*numbers)
    points = dict(zip(NAMES, values, strict=True))
    try:
        value = evaluate(text, points)
    except EvaluationError:
        return
    written = write_expr(text, values)
    assert evaluate(written, points) == value
    assert equivalent(written, text)
    assert write_expr(written, values) == written


@pytest.mark.parametrize(
    ("surface", "value", "equation"),
    [
        ("40%", "2/5", "x=40%*1"),
        ("(1/6)", "1/6", "x=(1/6)*1"),
        ("1/6", "1/6", "x=(1/6)*1"),
        ("0.50", "1/2", "x=0.50*1"),
        ("1,000", "1000", "x=1000*1"),
        ("two", "2", "x=2*1"),
        ("3(1/2)", "7/2", "x=3(1/2)*1"),
        ("7", "70", "x=70*1"),  # a surface that means something else is not used
    ],
)
def test_equations_have_the_numbers_of_the_text(surface: str, value: str, equation: str) -> None:
    assert equation_text("N0*1", fractions_of(value), [surface]) == equation
    assert evaluate(parse_equation(equation)) == Fraction(value)


def test_an_equation_in_brackets_where_a_division_of_two_numbers_is_meant() -> None:
    equation = equation_text("N2/(N0/N1)", fractions_of(1, 6, 3), ["1", "6", "3"])
    assert evaluate(parse_equation(equation)) == 18


def three() -> CandidateSet:
    candidates = tuple(Candidate(expr=e, stage="all", value="4") for e in ("N0+N1", "N0*N1", "N0*(N1+N1-N0)"))
    return CandidateSet(id="7", values=("2", "2"), surfaces=("2", "2"), answer="4", candidates=candidates)


def test_a_label_is_the_likeliest_candidate_and_keeps_the_others() -> None:
    label = make_label(three(), [0.2, 0.5, 0.3], ranker="em")
    assert (label.id, label.expr, label.equation, label.posterior) == ("7", "N0*N1", "x=2*2", 0.5)
    assert (label.candidates, label.stage, label.ranker) == (3, "all", "em")
    assert [(other.expr, other.posterior) for other in label.others] == [("N0*(N1+N1-N0)", 0.3), ("N0+N1", 0.2)]


def test_equal_beliefs_go_to_the_simplest_candidate() -> None:
    assert make_label(three(), [0.3 + 1e-12, 0.4 - 1e-13, 0.4], ranker="em").expr == "N0*N1"


def test_only_so_many_others_are_kept_and_none_that_nobody_believes_in() -> None:
    assert len(make_label(three(), [0.2, 0.5, 0.3], ranker="em", kept=1).others) == 1
    assert make_label(three(), [0.0, 1.0, 0.0], ranker="em").others == ()


def test_labels_are_filtered_by_belief() -> None:
    labels = [make_label(three(), [share, 1 - share, 0.0], ranker="em") for share in (0.95, 0.6, 0.9)]
    assert [label.posterior for label in filter_labels(labels, posterior=0.9)] == [0.95, 0.9]
