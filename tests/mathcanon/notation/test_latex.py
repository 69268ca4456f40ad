"""LaTeX as people and models write it: what it means, and where it is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

import mathcanon as mc


@pytest.mark.parametrize(
    ("latex", "infix"),
    [
        ("2xy", "2*x*y"),
        (r"\frac{xy}{y}", "(x*y)/y"),
        ("3s^2", "3*s^2"),
        ("2x(15x^2-4x+10)", "2*x*(15*x^2-4*x+10)"),
        ("(x+3) (x-3)", "(x+3)*(x-3)"),
        (r"x^{96}(4z+1)", "x^96*(4*z+1)"),
        (r"\frac{1}{2 - x}", "1/(2-x)"),
        (r"-\frac1{2x}", "-1/(2*x)"),
        (r"\frac xy", "x/y"),
        (r"\frac\pi4", "pi/4"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\frac{2}{3}\pi", "2/3*pi"),
        (r"\left[a+\left\{b-c\right\}\right]\cdot 2", "(a+(b-c))*2"),
        (r"\alpha\beta", "alpha*beta"),
        (r"x_1 + x_{12} + v_{\text{max}}", "x_1+x_12+v_max"),
        (r"\mathrm{temp\_a} \times N10", "temp_a*N10"),
        ("1/2x", "1/(2*x)"),
        ("1/2x+3/4y", "1/(2*x)+3/(4*y)"),
        ("a/b c/d", "a/(b*c)/d"),
        (r"3\text{ cm} + 4\text{ cm}", "3+4"),
        (r"\boxed{x+1}", "x+1"),
        (r"\(a + b\)", "a+b"),
    ],
)
def test_latex_is_read_as_the_same_expression_in_infix(latex: str, infix: str) -> None:
    assert mc.canonical(mc.parse(latex, syntax="latex")) == mc.canonical(mc.parse(infix, syntax="infix"))


@pytest.mark.parametrize(
    ("latex", "value"),
    [
        (r"\frac56", Fraction(5, 6)),
        (r"\dfrac{9}{7}", Fraction(9, 7)),
        (r"-\tfrac34", Fraction(-3, 4)),
        (r"\frac 9{19}", Fraction(9, 19)),
        (r"1,\!000,\!000", 1_000_000),
        ("61,328", 61_328),
        ("10{,}000", 10_000),
        (r"\$115,000.50", Fraction("115000.5")),
        (r"-\$0.50", Fraction("-0.5")),
        (r"137 \frac{1}{2}", Fraction(275, 2)),
        (r"3\frac18", Fraction(25, 8)),
        (r"2\frac{5}{2}", 5),  # no mixed number has 5/2: a product
        (r"44\%", Fraction(44, 100)),
        (r"90^\circ", 90),
        (r"80^{\circ}", 80),
        (r"440\text{ cm}^2", 440),
        (r"18\text{ ways.}", 18),
        (r"864 \mbox{ inches}^{2}", 864),
        (r"0.25\,\text{ cm}", Fraction(1, 4)),
        (r"\text{13}", 13),
        ("1:2", Fraction(1, 2)),
        (r"7 \div 2.", Fraction(7, 2)),
        (r"\frac{7.}{2. + 3}", Fraction(7, 5)),
    ],
)
def test_numbers_and_their_units(latex: str, value: Fraction | int) -> None:
    assert mc.evaluate(mc.parse(latex, syntax="latex")) == value


@pytest.mark.parametrize(
    ("latex", "column", "words"),
    [
        ("(15,-11)", 3, "comma"),
        ("(3,200)", 1, "pair"),
        ("1,3", 1, "comma"),
        ("2112_6", 4, "bases"),
        (r"3\sqrt{2}", 1, "functions"),
        ("f(x)", 0, "functions"),
        (r"19 \text{ and } -43", 3, "and"),
        (r"\frac{1}{", 9, "arguments"),
        ("x^2^3", 3, "second exponent"),
        ("2 3", 2, "side by side"),
        (r"\text{June 20}", 0, "not a name"),
        (r"\begin{pmatrix}", 0, "unknown command"),
    ],
)
def test_what_is_no_arithmetic_is_refused_with_its_place(latex: str, column: int, words: str) -> None:
    with pytest.raises(mc.ParseError) as caught:
        mc.parse(latex, syntax="latex")
    assert caught.value.position == column
    assert words in str(caught.value)


def test_letters_are_a_product_in_latex_and_a_name_in_infix() -> None:
    assert mc.equivalent("$xy$", "$yx$")
    assert mc.equivalent(r"\frac{xy}{y}", "x")
    assert mc.parse("xy").operands() == ("xy",)
