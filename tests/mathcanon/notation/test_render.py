"""Expression -> text."""

from fractions import Fraction

import pytest

import mathcanon as mc
from mathcanon.notation.notations import FORMATS
from mathcanon.notation.numerals import decimal_text, number_text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("((a+b))", "a+b"),
        ("(a*b)+(c/d)", "a*b+c/d"),
        ("a-(b+c)", "a-(b+c)"),
        ("a-(b*c)", "a-b*c"),
        ("(a+b)*c", "(a+b)*c"),
        ("a/(b*c)", "a/(b*c)"),
        ("(a^2)*b", "a^2*b"),
        ("(a*b)^2", "(a*b)^2"),
        ("(a^2)^3", "(a^2)^3"),
        ("(-a)*b", "(-a)*b"),
        ("-(a*b)", "-a*b"),
        ("a+(-b)", "a+(-b)"),
        ("[a]", "a"),
        ("40%*(1/6)", "40%*(1/6)"),
        ("a*[1/6]", "a*[1/6]"),
    ],
)
def test_infix_keeps_the_tree_with_the_fewest_brackets(text: str, written: str) -> None:
    expr = mc.parse(text)
    assert str(expr) == written
    assert mc.parse(written) == expr
    for i, char in enumerate(written):  # no pair of brackets can be left out, unless it is part of a number
        if char in "([" and not written[i:].startswith("(1/6)"):
            depth, j = 0, i
            while True:
                depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(written[j], 0)
                if depth == 0:
                    break
                j += 1
            without = written[:i] + written[i + 1 : j] + written[j + 1 :]
            try:
                assert mc.parse(without) != expr
            except mc.ParseError:
                continue


@pytest.mark.parametrize(
    ("text", "format", "written"),
    [
        ("a/b", "latex", r"\frac{a}{b}"),
        ("2*(a+b)/(3*c)", "latex", r"\frac{2 \times \left(a+b\right)}{3 \times c}"),
        ("40%*pi", "latex", r"40\% \times \pi"),
        ("(1/6)+a^2", "latex", r"\tfrac{1}{6}+a^{2}"),
        ("a-b+c", "prefix", "+ - a b c"),
        ("a-b+c", "postfix", "a b - c +"),
        ("-a", "prefix", "~ a"),
        ("a+b-c", "skeleton", "ab&c"),
        ("a-b/c", "skeleton", "a&(b&c)"),
        ("a*b-c", "skeleton", "(ab)&c"),
        ("a/b", "skeleton", "(a&b)"),
        ("N0+N1-N2", "skeleton", "[N0][N1]&[N2]"),
        ("a-2", "json", '{"sum": [["+", {"operand": "a"}], ["-", {"number": "2"}]]}'),
    ],
)
def test_the_other_formats(text: str, format: str, written: str) -> None:
    assert mc.render(mc.parse(text), format) == written


TEXTS = [
    "a",
    "2",
    "-a",
    "a-b-c",
    "a-(b-c)",
    "a/(b/c)",
    "(b-a)*(d-c)^3",
    "-(a*b)^2",
    "3(1/2)*a-40%",
    "N10/N9",
    "a^-2",
    "pi*r^2",
    "1-a",
    "(a-b)^2/(c-d)",
    "-(a+b*(c-d))",
    "2^3*a",
    "0.125",
    "(2/6)*a",
    "(a-a)*-b",
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", TEXTS)
def test_every_format_is_read_back_to_the_same_canonical_form(text: str, format: str) -> None:
    expr = mc.parse(text)
    for tree in (expr, mc.canonical(expr)):
        assert mc.canonical(mc.parse(mc.render(tree, format), format)) == mc.canonical(expr)


def test_dot_and_text_of_negative_numbers() -> None:
    expr = mc.Number(-3) * mc.Operand("a")
    for format in FORMATS:
        assert mc.equivalent(mc.parse(mc.render(expr, format), format), "-3*a")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(12), "12"),
        (Fraction(1, 8), "0.125"),
        (Fraction(5, 2), "2.5"),
        (Fraction(1, 6), "(1/6)"),
        (Fraction(-7, 3), "-(7/3)"),
        (Fraction(1, 2**40), f"(1/{2**40})"),
        (Fraction(10**5000), "1" + "0" * 5000),
    ],
)
def test_numbers_are_written_as_the_grammar_reads_them(value: Fraction, text: str) -> None:
    assert number_text(value) == text
    if abs(value) < 10**900:
        assert mc.parse_number(text) == value


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown format"):
        mc.render(mc.parse("a"), "roman")


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("{", "json"),
        ('{"sum": []}', "json"),
        ('{"product": [["*", {"operand": "a"}]]}', "json"),
        ('{"operand": "2"}', "json"),
        ("[[]]", "json"),
        ("digraph {}", "dot"),
        ("a)", "skeleton"),
        ("(a", "skeleton"),
        ("()", "skeleton"),
        ("(&a)", "skeleton"),
        ("", "skeleton"),
        ("a&b&c", "skeleton"),
        ("[" * 5000 + "]" * 5000, "json"),
        ("(" * 5000, "skeleton"),
    ],
)
def test_damaged_notations_are_refused(text: str, syntax: str) -> None:
    with pytest.raises((mc.ParseError, mc.LimitError)):
        mc.parse(text, syntax)


@pytest.mark.parametrize("digits", ["1", "-2.5", "333333", "-987654"])
@pytest.mark.parametrize("exponent", [0, 3, -3, 12, -12, 308, -400, 5_000, -5_000, 1_200_000])
def test_six_digits_of_a_value_of_any_size(digits: str, exponent: int) -> None:
    value = Fraction(digits) * Fraction(10) ** exponent
    assert Fraction(decimal_text(value)) == value
    assert Fraction(decimal_text(value + value / 10**7)) == value
