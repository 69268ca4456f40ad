"""Forms of answers and equations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mathcanon.notation.notations import parse_equation
from weaksup.corpora.answers import AnswerError, read_answer
from weaksup.corpora.gold import read_gold, rewrite_habits


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("20", "20"), ("98.50", "197/2"), ("-410.0", "-410"), ("40%", "2/5"), ("37.5%", "3/8"),
        ("((3)/(5))", "3/5"), ("1((7)/(9))", "16/9"), ("(3/5)", "3/5"), ("2(1/3)", "7/3"), ("3/5", "3/5"),
        ("1 1/2", "3/2"), ("-1 1/2", "-3/2"), ("-(1/3)", "-1/3"), ("5:6", "5/6"),
        ("15 (balls)", "15"), ("2.92 (dollars)", "73/25"), ("12 (km/hour)", "12"), ("35公里", "35"), ("15 cm", "15"),
        ("$1,250", "1250"), ("-$5", "-5"), ("1,234,567", "1234567"), (" 7 ", "7"), ("３", "3"),
        ("90/(1-40%)", "150"), (504.0, "504"), (0.1, "1/10"), (1e22, "10000000000000000000000"), (7, "7"),
        ("3½", "7/2"), ("½", "1/2"), ("2⅔ cups", "8/3"), ("-1¼", "-5/4"), ("1/2%", "1/200"), ("7 1/2 %", "3/40"),
        ("$1.5 million", "1500000"), ("3 dozen eggs", "36"), ("2 1/2 thousand", "2500"), ("336/48%", "700"),
        ("２５个", "25"), ("３６％", "9/25"), ("１，２００元", "1200"),
        ("€3,50", "7/2"), ("3,5 €", "7/2"), ("€1,200", "1200"), ("$2k", "2000"), ("$1.5M", "1500000"), ("1.5 m", "3/2"),
        ("10²", "100"), ("$5/hour", "5"), ("25¢", "25"),
        (0.16666666666666666, "8333333333333333/50000000000000000"),
    ],
)  # fmt: skip
def test_answers(raw: object, value: str) -> None:
    assert read_answer(raw) == Fraction(value)


@pytest.mark.parametrize(
    "raw",
    [
        "3; 4", "Yes", "", "5:45 p.m.", "9:03:36", "1 2", "x+1", "1/0", "2^999999", "3 or 4",
        "1,2", "2020-01-31", "12/15/2020",
    ],
)  # fmt: skip
def test_what_is_not_one_number(raw: str) -> None:
    with pytest.raises(AnswerError):
        read_answer(raw)


@pytest.mark.parametrize(
    "equation",
    [
        "x=(11-1)*2",
        "56*9=x",
        "X = 0.125 + 0.5",
        "( 76.0 - 25.0 )",
        "3*4=",
        "x=12/[(1-6%)-(1-30%)]",
        "x=3^2*pi",
        "2+2=?",
    ],
)
def test_equations_that_mathcanon_reads_stay_as_they_are(equation: str) -> None:
    assert read_gold(equation).equation == equation
    parse_equation(equation)


@pytest.mark.parametrize(
    ("equation", "missing"),
    [
        ("", "gold-absent"),
        ("x=1/0", "gold-undefined"),
        ("x=y+1", "gold-not-arithmetic"),
        ("x=(1/6)0", "gold-not-arithmetic"),
    ],
)
def test_what_is_no_gold(equation: str, missing: str) -> None:
    gold = read_gold(equation)
    assert (gold.equation, gold.missing) == (None, missing)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2*((1+1)%+3%)", "2*(((1+1)/100)+3%)"),
        ("(1)%*(2)%", "((1)/100)*((2)/100)"),
        (")%", ")%"),
        ("(2)**(1/2)", "(2)**(1/2)"),
    ],
)
def test_habits(text: str, plain: str) -> None:
    assert rewrite_habits(text) == plain
