r"""What people write, and what it means: the cases of `bench_reading.py`.

Written for this benchmark from what the documentation of Math-Verify, latex2sympy2 and SymPy's LaTeX parser says that
they read, within + - * / and integer powers.  The meaning is given in SymPy's own notation, so that it does not depend
on any of the readers; `why` says how it follows, where readers may differ.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    text: str  # LaTeX, without dollar signs
    meaning: str  # for sympy.sympify
    why: str = ""  # it means that


PRODUCT = "adjacent letters are a product"
NAME = "text and subscripts make one name"
CASE = "R and r are different names"

CASES = [
    # numbers
    Case("42", "42"),
    Case("-7", "-7"),
    Case("+7", "7", "a sign before a number"),
    Case("3.14", "157/50", "a decimal is exact"),
    Case(".5", "1/2", "a decimal may begin with its point"),
    Case("1,000", "1000", "a comma between groups of three digits"),
    Case(r"1{,}234{,}567", "1234567", "braces keep TeX from putting a space after the comma"),
    Case(r"12,\!345", "12345", "a thin negative space closes the gap"),
    Case(r"10\%", "1/10", "percent is a hundredth"),
    Case(r"12.5\%", "1/8", "percent of an exact decimal is exact"),
    Case(r"\$18.90", "189/10", "a currency sign is no part of the number"),
    Case(r"90^\circ", "90", "a degree sign is a unit"),
    Case(r"12\text{ cm}", "12", "a unit after a number is no part of it"),
    Case(r"5\,\mathrm{kg}", "5", "a unit after a number is no part of it"),
    Case(r"2 \times 10^{3}", "2000"),
    Case(r"6.02 \cdot 10^{-2}", "301/5000"),
    # fractions
    Case(r"\frac{3}{4}", "3/4"),
    Case(r"\dfrac{9}{7}", "9/7"),
    Case(r"\tfrac{1}{3}", "1/3"),
    Case(r"\frac34", "3/4", "one digit each without braces"),
    Case(r"\frac1{72}", "1/72", "one digit without braces, then a group"),
    Case(r"\frac{7}2", "7/2", "a group, then one digit without braces"),
    Case(r"-\frac{2}{3}", "-2/3"),
    Case(r"\frac{-2}{3}", "-2/3"),
    Case(r"3\frac{1}{2}", "7/2", "a number before a numeric fraction is a mixed number"),
    Case(r"137 \frac{1}{2}", "275/2", "a number before a numeric fraction is a mixed number"),
    Case(r"5\frac{x}{2}", "5*x/2", "before a fraction with a letter it is a product"),
    Case(r"\frac{\frac{1}{2}}{\frac{3}{4}}", "2/3"),
    Case("1/2", "1/2"),
    Case("a/b/c", "a/(b*c)", "division is read from the left"),
    Case("a/bc", "a/(b*c)", "side by side binds more tightly than a slash; a bare bc has no other use"),
    # products and names
    Case("xy", "x*y", PRODUCT),
    Case("2xy", "2*x*y", PRODUCT),
    Case(r"\frac{xy}{y}", "x", PRODUCT),
    Case("abc", "a*b*c", PRODUCT),
    Case("3s^2", "3*s**2", "the power goes to the letter"),
    Case("2x(15x^2-4x+10)", "30*x**3-8*x**2+20*x"),
    Case("(x+1)(x-1)", "x**2-1"),
    Case(r"2\cdot 3", "6"),
    Case(r"a \times b", "a*b"),
    Case(r"12 \div 5", "12/5"),
    Case("x_1+x_2", "x_1+x_2", NAME),
    Case("x_{10}", "x_10", NAME),
    Case(r"\alpha+\beta", "alpha+beta"),
    Case(r"\pi r^2", "pi*r**2"),
    Case("3R^2-r", "3*R**2-r", CASE),
    Case("4t", "4*t", "a letter after a number is a factor: nothing says that it is a unit"),
    Case("7m+2", "7*m+2", "a letter after a number is a factor"),
    # powers, signs, brackets
    Case("x^{10}", "x**10"),
    Case("2^{-3}", "1/8"),
    Case("x^{-1}", "1/x"),
    Case("-x^2", "-x**2", "a power binds more tightly than a minus"),
    Case("(-x)^2", "x**2"),
    Case("2^{3^2}", "512", "a tower is read from its top"),
    Case("a-b-c", "a-b-c", "subtraction is read from the left"),
    Case("a-(b-c)", "a-b+c"),
    Case("a - -b", "a+b", "a sign before a number or letter"),
    Case(r"\left(a+b\right)c", "a*c+b*c"),
    Case(r"\left[a+b\right]c", "a*c+b*c", "square brackets group"),
    Case(r"\{a+b\}c", "a*c+b*c", "braces group"),
]
