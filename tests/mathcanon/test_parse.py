"""Text -> expression: the grammar, what people paste, errors with a caret, limits."""

from fractions import Fraction

import pytest

import mathcanon as mc
from mathcanon.parse import MAX_LENGTH


def value(text: str, **at: object) -> Fraction:
    return mc.evaluate(text, at)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("8-3-2", 3),
        ("8-(3-2)", 7),
        ("8/4/2", 1),
        ("8/(4/2)", 4),
        ("[8-{3-(2-1)}]", 6),
        ("2^3", 8),
        ("2**3", 8),
        ("2^3^2", 512),
        ("2^-1", Fraction(1, 2)),
        ("2^(-1)", Fraction(1, 2)),
        ("2^{3}", 8),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("3--2", 5),
        ("3*-2", -6),
        ("6/-2", -3),
        ("40%", Fraction(2, 5)),
        ("12.5%", Fraction(1, 8)),
        ("0.1+0.2", Fraction(3, 10)),
        (".5", Fraction(1, 2)),
        ("(1/6)*12", 2),
        ("( 1 / 6 )*12", 2),
        ("(10/4)", Fraction(5, 2)),
        ("3(1/2)", Fraction(7, 2)),
        ("5((1)/(2))", Fraction(11, 2)),
        ("((3)/(5))", Fraction(3, 5)),
        ("150×2 − 50", 250),
        ("6÷2", 3),
        ("6：2", 3),
        ("6:2", 3),
        ("２＋３", 5),
        ("（2＋3）×4", 20),
        ("3·4", 12),
        ("5²+2³", 33),
        (r"\frac{1}{2}+\frac{3}{4}", Fraction(5, 4)),
        (r"\dfrac{1+2}{\frac{3}{4}}", 4),
        (r"3 \times \left(2 + 1\right) \div 9 \cdot 2", 2),
        (r"$40\% \times 5$", 2),
        (r"2^{3}", 8),
        (r"\tfrac{1}{6}", Fraction(1, 6)),
    ],
)
def test_a_text_has_the_value_that_people_mean(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "syntax", "same"),
    [
        ("+ a b", "auto", "a+b"),
        ("- * a 2 b", "auto", "a*2-b"),
        ("- a b", "auto", "a-b"),
        ("-a", "auto", "-a"),
        ("- a", "auto", "-a"),
        ("a b +", "auto", "a+b"),
        ("a b c * -", "auto", "a-b*c"),
        ("* number0 number1", "auto", "number0*number1"),
        ("~ a", "prefix", "-a"),
        ("^ a 2", "prefix", "a^2"),
        ("a -2 ^", "postfix", "a^-2"),
        ("+ + a b c", "prefix", "a+b+c"),
        ("ab&c", "skeleton", "a+b-c"),
        ("a&(b&c)", "skeleton", "a-b/c"),
        ("(ab)&c", "skeleton", "a*b-c"),
        ("(ab)", "skeleton", "a*b"),
        ("[N0](a[0.5])&b", "skeleton", "N0+a*0.5-b"),
        ('{"sum": [["+", {"operand": "a"}], ["-", {"number": "2"}]]}', "json", "a-2"),
    ],
)
def test_other_notations(text: str, syntax: str, same: str) -> None:
    assert mc.parse(text, syntax) == mc.parse(same)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("2a", 1, "write 2*a"),
        ("a b", 2, "side by side"),
        ("(a)(b)", 3, "side by side"),
        ("a+", 2, "missing"),
        ("a+*b", 2, "missing before '*'"),
        ("(a+b", 4, "never closed"),
        ("a+b)", 3, "closes nothing"),
        ("(a+b]", 4, "does not close"),
        ("()", 1, "missing before ')'"),
        ("a^b", 1, "not an integer"),
        ("a^0.5", 1, "not an integer"),
        ("1,000", 1, "not 1,000"),
        ("a=b", 1, "one side"),
        ("a & b", 2, "unexpected"),
        ("", 0, "no expression"),
        ("   ", 0, "no expression"),
        ("a+\x00", 2, "unexpected"),
        ("a+😀", 2, "unexpected"),
        (r"\sqrt{2}", 0, "unknown command"),
        (r"\frac{1}", 8, "denominator"),
        ("1e5", 1, "side by side"),
        ("__import__('os')", 10, "side by side"),
    ],
)
def test_an_error_points_at_the_offending_character(text: str, column: int, words: str) -> None:
    with pytest.raises(mc.ParseError) as caught:
        mc.parse(text)
    assert caught.value.position == column
    assert words in str(caught.value)
    shown, caret = caught.value.pointed().splitlines()[-2:]
    assert caret.index("^") - 2 == column
    assert len(shown) >= 2


def test_a_long_text_is_shown_around_the_error_only() -> None:
    with pytest.raises(mc.ParseError) as caught:
        mc.parse("a+" * 500 + "?+" + "b+" * 500 + "c")
    *_, shown, caret = caught.value.pointed().splitlines()
    assert len(shown) < 80
    assert shown[caret.index("^")] == "?"


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9^9",
        "a^99999999",
        "(" * 100_000 + "a" + ")" * 100_000,
        "a/(b+" * 100_000 + "c" + ")" * 100_000,
        "1" * 100_000,
        "a" + "+a" * MAX_LENGTH,
        "- a " * 100_000 + "b",
        "a " + "b + c / " * 50_000,
        "\\frac{" * 100_000 + "a" + "}{b}" * 100_000,
    ],
    ids=["tower", "exponent", "brackets", "deep", "digits", "length", "prefix", "postfix", "fractions"],
)
def test_what_is_too_large_is_refused_and_not_crashed_on(text: str) -> None:
    with pytest.raises((mc.LimitError, mc.ParseError)):
        mc.parse(text)


def test_a_hundred_thousand_terms_are_handled() -> None:
    many = mc.parse("+".join(f"a{i}" for i in range(100_000)))
    assert len(many.operands()) == 100_000
    assert mc.parse(str(many)) == many
    assert mc.canonical(many) == mc.canonical("+".join(f"a{i}" for i in reversed(range(100_000))))
    assert len(mc.parse(" ".join(["+"] * 99_999 + ["a"] * 100_000)).children) == 100_000


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("x=(11-1)*2", "(11-1)*2"),
        ("X = 8.0*33.0", "8.0*33.0"),
        ("3+4=x", "3+4"),
        ("3+4 =", "3+4"),
        ("3+4", "3+4"),
        ("x＝1+2", "1+2"),
    ],
)
def test_an_equation_in_one_unknown_is_its_expression(text: str, same: str) -> None:
    assert mc.parse_equation(text) == mc.parse(same)


def test_an_equation_error_points_into_the_users_text() -> None:
    with pytest.raises(mc.ParseError) as caught:
        mc.parse_equation("x=2a")
    assert caught.value.position == 3


def test_unknown_syntax_and_wrong_types_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown syntax"):
        mc.parse("a", "roman")
    with pytest.raises(TypeError):
        mc.parse(5)  # type: ignore[arg-type]
