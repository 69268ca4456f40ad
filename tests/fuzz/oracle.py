r"""A second reader and evaluator, written for these tests: it shares no code with the package.

Recursive descent over the characters of infix text, straight to an exact Fraction at one point.  It reads the grammar
of docs/reference/grammar.md without LaTeX.  `Unreadable` means that the text is not in the grammar, `Undefined` that it
divides by zero at the point, `TooLarge` that this slow reader has no opinion.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

MAX_DEPTH = 40
MAX_EXPONENT = 64
MAX_BITS = 20_000

BLANKS = " \t\n\r\v\f\u00a0\u2009\u202f\u3000\u200b"
SIGNS = {"×": "*", "·": "*", "÷": "/", "：": "/", ":": "/", "−": "-", "＋": "+", "（": "(", "）": ")"}
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
DIGITS = "0123456789"
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Unreadable(Exception):
    """Not in the grammar."""


class Undefined(Exception):
    """Divides by zero at the point."""


class TooLarge(Exception):
    """Past what this reader takes on."""


def value_at(text: str, point: Mapping[str, Fraction]) -> Fraction:
    """The value of infix text where each operand has the value that `point` gives it."""
    reader = _Reader(text, point)
    value = reader.sum(0)
    if reader.next():
        raise Unreadable(f"{reader.next()!r} at {reader.at}")
    if reader.undefined:
        raise Undefined(text)
    return value


class _Reader:
    def __init__(self, text: str, point: Mapping[str, Fraction] | None) -> None:
        self.text = "".join([SIGNS.get(char, char) for char in text])
        self.point = point
        self.at = 0
        self.undefined = False  # noted, so that the rest is still read

    def next(self) -> str:
        """The next character that is not blank, or nothing at the end."""
        while self.at < len(self.text) and self.text[self.at] in BLANKS:
            self.at += 1
        return self.text[self.at : self.at + 1]

    def run(self, chars: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1
        return self.text[start : self.at]

    def take(self, word: str) -> None:
        if self.next() != word:
            raise Unreadable(f"{word!r} is due at {self.at}")
        self.at += 1

    def sum(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise TooLarge
        value = self.product(depth)
        while (sign := self.next()) and sign in "+-":
            self.at += 1
            term = self.product(depth)
            value = self.checked(value + term if sign == "+" else value - term)
        return value

    def product(self, depth: int) -> Fraction:
        value = self.factor(depth)
        while (sign := self.next()) and sign in "*/" and not self.text.startswith("**", self.at):
            self.at += 1
            factor = self.factor(depth)
            value = self.checked(value * factor if sign == "*" else value * self.inverse(factor))
        return value

    def factor(self, depth: int) -> Fraction:
        sign = 1
        while self.next() == "-":
            self.at += 1
            sign = -sign
        return sign * self.power(self.atom(depth), depth)

    def power(self, base: Fraction, depth: int) -> Fraction:
        char = self.next()
        if char == "^" or self.text.startswith("**", self.at):
            self.at += 1 if char == "^" else 2
            exponent = self.exponent(depth)
        elif char and char in SUPERSCRIPTS + "⁻":
            minus = bool(self.run("⁻"))
            digits = self.run(SUPERSCRIPTS)
            if not digits:
                raise Unreadable("a superscript minus alone")
            exponent = self.power(Fraction("".join([str(SUPERSCRIPTS.index(digit)) for digit in digits])), depth)
            exponent = -exponent if minus else exponent
        else:
            return base
        if exponent.denominator != 1:
            raise Unreadable("an exponent that is not whole")
        if abs(exponent) > MAX_EXPONENT:
            raise TooLarge
        if exponent < 0:
            base, exponent = self.inverse(base), -exponent
        bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * exponent.numerator
        if bits > MAX_BITS:
            raise TooLarge
        return base**exponent.numerator

    def exponent(self, depth: int) -> Fraction:
        """A factor without operands: `-2^2` in an exponent is -(2^2)."""
        (point, self.point), (undefined, self.undefined) = (self.point, None), (self.undefined, False)
        value = self.factor(depth + 1)
        if self.undefined:
            raise Unreadable("an exponent that divides by zero")
        self.point, self.undefined = point, undefined
        return value

    def atom(self, depth: int) -> Fraction:
        char = self.next()
        if not char:
            raise Unreadable("something is missing at the end")
        if char in LETTERS or char == "π":
            name = self.run(LETTERS + DIGITS) if char != "π" else "pi" * len(self.run("π"))
            if self.point is None:
                raise Unreadable("an operand in an exponent")
            if name not in self.point:
                raise Unreadable(f"no value for {name}")
            return self.point[name]
        if char in DIGITS + ".":
            return self.number()
        if char in CLOSING:
            self.at += 1
            value = self.sum(depth + 1)
            self.take(CLOSING[char])
            return value
        raise Unreadable(f"{char!r} at {self.at}")

    def number(self) -> Fraction:
        whole = self.run(DIGITS)
        if len(whole) > 900:
            raise TooLarge
        if whole and self.text[self.at : self.at + 1] == "(":
            return Fraction(whole) + self.fraction()
        decimals = ""
        if self.text[self.at : self.at + 1] == ".":
            self.at += 1
            decimals = self.run(DIGITS)
            if not whole and not decimals:
                raise Unreadable("a point alone")
            if len(decimals) > 900:
                raise TooLarge
        value = Fraction(int((whole + decimals) or "0"), 10 ** len(decimals))
        if self.next() == "%":
            self.at += 1
            value /= 100
        return value

    def fraction(self) -> Fraction:
        """`(1/2)` or `((1)/(2))` right after digits: the fraction of a mixed number."""
        self.take("(")
        bracketed = self.next() == "("
        parts = []
        for end in "/)":
            if bracketed:
                self.take("(")
            self.next()
            parts.append(self.run(DIGITS))
            if bracketed:
                self.take(")")
            self.take(end)
        if not all(parts):
            raise Unreadable("a number before a bracket")
        if len(parts[0]) + len(parts[1]) > 900:
            raise TooLarge
        return int(parts[0]) * self.inverse(Fraction(int(parts[1])))

    def inverse(self, value: Fraction) -> Fraction:
        if value == 0:
            self.undefined = True
            return Fraction(1)
        return 1 / value

    def checked(self, value: Fraction) -> Fraction:
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            raise TooLarge
        return value
