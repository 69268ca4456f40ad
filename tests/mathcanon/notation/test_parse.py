"""Text -> expression: the grammar, what people paste, errors with a caret, limits."""

import random
import re
from fractions import Fraction

import pytest

import mathcanon as mc
from mathcanon.notation.notations import FORMATS, MAX_LENGTH


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
        ("2 ** 3 ** 2", 512),
        ("2^ 3 ^(2)", 512),
        ("2^(3)^2", 512),
        ("(2^3)^2", 64),
        ("2^-2^2", Fraction(1, 16)),
        ("2^(-2)^2", 16),
        ("2^3²", 512),
        ("2^(1+1)^3/2", 128),
        ("2^2.0", 4),
        ("2**(4/2)", 4),
        ("2^200%", 4),
        ("2^[(8-2)/3]", 4),
        (r"2^\frac{4}{2}", 4),
        ("2⁻¹", Fraction(1, 2)),
        ("1²³+2¹⁰", 1025),
        ("2^--3", 8),
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
        ("^ a 2.0", "prefix", "a^2"),
        ("a 200% ^", "postfix", "a^2"),
        ("^ ^ a 2 3", "prefix", "(a^2)^3"),
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
        ("a b", 2, "write a*b"),
        ("3 1/2", 2, "write 3(1/2) for the mixed number"),
        ("2+3 1/2*a", 4, "write 3(1/2) for the mixed number"),
        ("3 2/1", 2, "write 3*2"),
        ("3 1/a", 2, "write 3*1"),
        (f"3 1/{'9' * 5000}", 2, "write 3*1"),
        ("(a)(b)", 3, "side by side"),
        ("a+", 2, "missing"),
        ("a+*b", 2, "missing before '*'"),
        ("(a+b", 4, "never closed"),
        ("a+b)", 3, "closes nothing"),
        ("(a+b]", 4, "does not close"),
        ("()", 1, "missing before ')'"),
        ("a^b", 1, "not an integer"),
        ("a^0.5", 1, "not an integer"),
        ("a^2^-1", 1, "not an integer"),
        ("a^(1/0)", 1, "not an integer"),
        ("a^(2*(pi-pi))", 1, "not an integer"),
        ("a^2(1/2)", 1, "not an integer"),
        ("a^", 2, "exponent is missing"),
        ("a^-", 3, "operand is missing"),
        ("a^*b", 2, "missing before '*'"),
        ("a^(2]", 4, "does not close"),
        ("a^(2", 4, "never closed"),
        ("2+^3", 2, "no base"),
        ("a^2 b", 4, "between them"),
        ("1,00", 1, "groups of three"),
        ("a=b", 1, "one side"),
        ("a & b", 2, "unexpected"),
        ("", 0, "no expression"),
        ("   ", 0, "no expression"),
        ("a+\x00", 2, "unexpected"),
        ("a+😀", 2, "unexpected"),
        (r"\sqrt{2}", 0, "functions are not supported"),
        (r"\foo{2}", 0, "unknown command"),
        (r"\frac{1}", 8, "denominator"),
        ("1e5x", 1, "side by side"),
        ("__import__('os')", 0, "functions are not supported"),
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
        "2^9999^9999",
        "2^" + "9" * 900 + "^9",
        "2" + "^9" * 100_000,
        "2" + "^(2" * 100_000 + ")" * 100_000,
        "2^(" + "+".join(f"1/{n}" for n in range(1, 9_999)) + ")",
        "a^99999999",
        "(" * 100_000 + "a" + ")" * 100_000,
        "a/(b+" * 100_000 + "c" + ")" * 100_000,
        "1" * 100_000,
        "a" + "+a" * MAX_LENGTH,
        "- a " * 100_000 + "b",
        "a " + "b + c / " * 50_000,
        "\\frac{" * 100_000 + "a" + "}{b}" * 100_000,
    ],
    ids=[
        "tower",
        "high",
        "wide",
        "long",
        "nested",
        "sum",
        "exponent",
        "brackets",
        "deep",
        "digits",
        "length",
        "prefix",
        "postfix",
        "fractions",
    ],
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


@pytest.mark.parametrize("seed", range(200))
def test_a_tower_is_read_from_the_right_however_it_is_spaced(seed: int) -> None:
    rng = random.Random(seed)
    tower = [rng.choice((0, 1, 2, -1, -2)) for _ in range(rng.randint(1, 4))]
    exponent = Fraction(1)
    for base in reversed(tower):
        if exponent.denominator > 1 or (base == 0 and exponent < 0):
            return  # not an integer exponent, or no value
        exponent = Fraction(abs(base)) ** exponent.numerator * (-1 if base < 0 else 1)
    text = "a"
    for base in tower:
        words = ("", rng.choice(("^", "**")), "-" * (base < 0), str(abs(base)))
        text += rng.choice(("", " ", "\t", "\n  ")).join(words)
    if exponent.denominator == 1:
        assert mc.parse(text) == mc.Power(mc.Operand("a"), exponent.numerator)
    else:
        with pytest.raises(mc.ParseError, match="not an integer"):
            mc.parse(text)


@pytest.mark.parametrize("exponent", [-5_000, -2, -1, 0, 1, 2, 23, 5_000])
@pytest.mark.parametrize("base", ["a", "-a", "(a+b)", "(1/6)", "3(1/2)", "40%", "(a^2)", "(2/4)", "[1/6]"])
def test_every_notation_writes_a_power_that_it_reads(base: str, exponent: int) -> None:
    power = mc.Power(mc.parse(base), exponent)
    assert mc.parse(str(power)) == power
    for format in FORMATS:
        assert mc.canonical(mc.parse(mc.render(power, format), format)) == mc.canonical(power), format


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("a^2^3", "skeleton"),
        ('{"power": [{"operand": "a"}, true]}', "json"),
        ('{"product": [["/", {"operand": "a"}], ["/", {"operand": "b"}]]}', "json"),
        ('{"sum": [["*", {"operand": "a"}], ["+", {"operand": "b"}]]}', "json"),
        ('{"sum": [[[], {"operand": "a"}], ["+", {"operand": "b"}]]}', "json"),
        ('n0 [label="", kind=power, value="2.5"];\nn1 [label="", kind=operand, value="a"];\n'
         'n0 -> n1 [label=""];', "dot"),
        ('n0 [label="", kind=sum, value=""];\nn1 [label="", kind=operand, value="a"];\n'
         'n0 -> n1 [label="+"];\nn0 -> n1 [label="+"];', "dot"),
    ],
)  # fmt: skip
def test_other_notations_refuse_what_they_do_not_write(text: str, syntax: str) -> None:
    with pytest.raises(mc.ParseError):
        mc.parse(text, syntax)


BLANKS = [" ", "\t", "\n", "\r", "\v", "\f", "\u00a0", "\u2009", "\u202f", "\u3000", "\u200b"]


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
@pytest.mark.parametrize(
    "words",
    [
        "a ^ - 1", "a ** ( - 2 )", "a ^ { 4 / 2 }", "( 1 / 6 ) * a", "40 % + 0.5 %", "3( 1 / 2 )", "5( ( 1 ) / ( 2 ) )",
        "- ( a + b ) * [ 2 - c ]", "a ² - b ⁻¹", "150 × 2 − 50",
    ],
)  # fmt: skip
def test_blanks_of_any_kind_between_tokens_do_not_matter(words: str, blank: str) -> None:
    text = words.replace(" ", blank)
    expr = mc.parse(text)
    assert expr == mc.parse(words.replace(" ", ""))
    for format in ("infix", "latex", "prefix", "postfix", "json", "dot"):
        written = mc.render(expr, format)
        assert mc.canonical(mc.parse(written, format)) == mc.canonical(expr)
    assert str(expr).split() == [str(expr)]
    assert mc.parse(str(expr)) == expr
    assert mc.grade(text, words) == "same-method"
    assert list(mc.dedupe([words, text], by="value")) == [words]


@pytest.mark.parametrize("blank", BLANKS[:-1], ids=ascii)
def test_blanks_of_any_kind_separate_the_words_of_prefix_and_postfix(blank: str) -> None:
    assert mc.parse("- * a 2 b".replace(" ", blank)) == mc.parse("a 2 * b -".replace(" ", blank)) == mc.parse("a*2-b")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000+500", 1500),
        ("1,234,567.5", Fraction("1234567.5")),
        ("1,000%", 10),
        ("+5", 5),
        ("2++3", 5),
        ("2*+3", 6),
        ("-+-4", 4),
        ("1e3", 1000),
        ("1.5e-3", Fraction(3, 2000)),
        ("2E2*3", 600),
        ("½", Fraction(1, 2)),
        ("3½", Fraction(7, 2)),
        ("2*⅔", Fraction(4, 3)),
        ("€5+£2", 7),
    ],
)
def test_numbers_as_people_type_them(text: str, value: object) -> None:
    expr = mc.parse(text)
    assert expr.evaluate({}) == value
    assert mc.parse(str(expr)) == expr


@pytest.mark.parametrize(
    ("text", "names"), [("x₁+x₁₂", ("x_1", "x_12")), ("α*β-α", ("alpha", "beta")), ("Δ₂/λ", ("Delta_2", "lambda"))]
)
def test_subscripts_and_greek_letters_are_names(text: str, names: tuple[str, ...]) -> None:
    assert set(mc.parse(text).operands()) == set(names)


@pytest.mark.parametrize("text", ["sqrt(2)", "sin(x)", "f(x)", "a_1(x)", "2*f(x)", "f (x)"])
def test_a_function_is_called_one(text: str) -> None:
    with pytest.raises(mc.ParseError, match="functions are not supported"):
        mc.parse(text)


@pytest.mark.parametrize(
    "text", ["2a", "a b", "10 000", "2(3+4)", "(a)(b)", "2½a", "1e5x", "1,00", "a 2", "a^2 b", "3 %a"]
)
def test_a_suggestion_can_be_read(text: str) -> None:
    with pytest.raises(mc.ParseError) as caught:
        mc.parse(text)
    for suggestion in re.findall(r"write (\S+)", caught.value.hint):
        mc.parse(suggestion)
