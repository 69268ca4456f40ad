r"""LaTeX: the reader turns it into infix tokens that keep their positions, so that errors point to the right place.

In LaTeX adjacent letters are a product and implicit products are normal: `2xy`, `3s^2`, `2x(x-1)`.  A name is one
letter, a Greek letter, a letter with digits or a subscript, or the content of `\mathrm{}` or `\text{}`; right
after an operand these commands are its unit and are skipped, as degrees and dollar signs are.  A whole number
before a proper fraction is a mixed number.  An implicit product binds tighter than a slash: `1/2x` is 1/(2x), as
SymPy reads it.  One pass from left to right, with a stack of open groups.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple, TypeVar

from ..algebra import Algebra, fold
from ..errors import ParseError
from ..expr import Expr
from .infix import ATOM, POWER, PRODUCT, SUM, Piece, run_tokens, spelling
from .pasted import to_ascii

__all__ = ["is_latex", "latex_text", "latex_tokens", "read_latex"]

T = TypeVar("T")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GREEK = _words(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega ell Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_SIGNS = {
    "times": "*", "cdot": "*", "ast": "*", "div": "/", "colon": ":", "lbrace": "{", "rbrace": "}",
    "lbrack": "[", "rbrack": "]", "{": "{", "}": "}", "approx": "=",
}  # fmt: skip
_SKIPPED = _words(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr quad qquad thinspace displaystyle "
    "textstyle limits degree circ boxed fbox , ; : ! $ ( ) [ ]"
) | {" ", "\n"}
_TEXT = _words("text mathrm mbox textrm textbf textit textnormal mathbf mathit mathsf operatorname hbox")
_FUNCTIONS = _words(
    "sqrt sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp binom dbinom tbinom sum prod int "
    "lim max min gcd lcm det mod bmod pmod lfloor lceil lvert"
)
_FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "cfrac"))
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_NOT_UNITS = frozenset(("and", "or", "to", "if", "when", "where", "for"))

_NUMBER = r"(?:[0-9]{1,3}(?:(?:,\\!|,|\{,\}|\\,)[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+"
_TOKEN = re.compile(rf"\s+|\\[A-Za-z]+|\\.|{_NUMBER}|[A-Za-z][0-9]*|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\S", re.DOTALL)
_WHOLE = r"\s*(?:\{\s*([0-9]+)\s*\}|([0-9]))"
_WHOLE_FRACTION = re.compile(_WHOLE + _WHOLE)
_ARGUMENT = re.compile(r"\s*(\{|[0-9A-Za-z]|\\[A-Za-z]+)")
_EXPONENT = re.compile(r"\s*(?:\{\s*(-?)\s*\+?\s*([0-9]+)\s*\}|(-?)([0-9]+))")
_DEGREES = re.compile(r"\s*(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})")
_UNIT_POWER = re.compile(r"\s*\^\s*(?:\{\s*-?[0-9]+\s*\}|[0-9])")
_SUBSCRIPT = re.compile(r"\s*(?:([A-Za-z]|[0-9]+)|\{([^{}]*)\}|\{\s*\\[a-z]+\s*\{([^{}]*)\}\s*\}|\\([A-Za-z]+))")
_BRACED = re.compile(r"\s*\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_END = re.compile(r"[\s$]*\Z")
_LETTER_WITH_DIGITS = re.compile(r"[A-Za-z][0-9]*")  # read as one name
_PAIR = re.compile(r"[(\[]\s*[0-9,]+\s*[)\]]")


def is_latex(text: str) -> bool:
    r"""Whether `text` is to be read as LaTeX: it has a backslash, or stands between dollar signs.

    >>> is_latex(r"\frac{x}{2}"), is_latex("$xy$"), is_latex("$5 + $3")
    (True, True, False)
    """
    stripped = text.strip()
    return "\\" in text or (len(stripped) > 2 and stripped[0] == stripped[-1] == "$")


def latex_tokens(text: str) -> list[tuple[str, int]]:
    r"""The infix tokens of `text`, each with its place in it.

    >>> " ".join(token for token, _ in latex_tokens(r"\frac56 xy^{2} - 3\frac{1}{2}\text{ cm}"))
    '( 5 / 6 ) * x * y ^ 2 - 3(1/2)'
    """
    return _Reader(text).read()


class _Group(NamedTuple):
    """An open group: what opened it, and the empty slot after a slash where a bracket may be inserted."""

    kind: str  # a bracket, "numerator" or "denominator"
    slot: int | None
    wrapped: bool


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.clean, self.position = text, to_ascii(text), 0
        self.tokens: list[str] = []
        self.places: list[int] = []
        self.groups: list[_Group] = []
        self.slot: int | None = None  # after a slash: where "(" goes if an implicit product follows
        self.wrapped = False
        self.ended = ""  # the kind of operand that has just ended: number, name, power, close, or none

    def read(self) -> list[tuple[str, int]]:
        while self.position < len(self.text):
            self._next()
        if any(group.kind in ("numerator", "denominator") for group in self.groups):
            raise ParseError(r"\frac needs two arguments", self.text, len(self.text), hint=r"write \frac{a}{b}")
        self._end_product(len(self.text))
        return [(token, place) for token, place in zip(self.tokens, self.places, strict=True) if token]

    def _next(self) -> None:
        found = _TOKEN.match(self.clean, self.position)
        assert found is not None  # the pattern ends with "any character"
        token, place = found[0], self.position
        self.position = found.end()
        if token[0].isspace() or token in "$~&":
            return
        if token[0] == "\\" and len(token) > 1:
            self._command(token[1:], place)
        elif token[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
            self._emit(token, place)
            self.ended = "power"
        elif token[0].isdigit() or (token[0] == "." and len(token) > 1):
            self._number(token, place)
        elif token in ("f", "g") and self.clean.startswith("(", self.position):
            raise ParseError("functions are not supported", self.text, place)
        elif token[0].isalpha():
            self._operand("pi" if token == "π" else token, place, "name")
        elif token in _CLOSING:
            self._open(token, token, place)
        elif token in ")]}":
            self._close(token, place)
        elif token == "^":
            self._exponent(place)
        elif token == "_":
            self._subscript(place)
        elif token != "." or not _END.match(self.clean, self.position):
            self._sign(token, place)

    def _emit(self, token: str, place: int) -> None:
        self.tokens.append(token)
        self.places.append(place)

    def _operand(self, token: str, place: int, kind: str) -> None:
        self._multiply(place, by=kind)
        self._emit(token, place)
        self.ended = kind

    def _multiply(self, place: int, by: str) -> None:
        """Emit the sign of an implicit product if an operand has just ended and the next one begins."""
        if self.ended and not by == self.ended == "number":  # 2 3 is not a product
            if self.slot is not None and not self.wrapped:
                self.tokens[self.slot], self.wrapped = "(", True
            self._emit("*", place)

    def _end_product(self, place: int) -> None:
        if self.wrapped:
            self._emit(")", place)
        self.slot, self.wrapped = None, False

    def _sign(self, token: str, place: int) -> None:
        self._end_product(place)
        self._emit(token, place)
        self.ended = ""
        if token in ("/", ":"):
            self.slot = len(self.tokens)
            self._emit("", place)

    def _number(self, token: str, place: int) -> None:
        if "," in token and _PAIR.match(self.clean, place - 1 if place else 0):
            raise ParseError("a pair of numbers", self.text, place, hint="write 1000, not (1,000)")
        self._operand(re.sub(r"[^0-9.]", "", token), place, "number")

    def _open(self, kind: str, token: str, place: int) -> None:
        self._multiply(place, by="open")
        self._emit(token, place)
        self.groups.append(_Group(kind, self.slot, self.wrapped))
        self.slot, self.wrapped, self.ended = None, False, ""

    def _close(self, token: str, place: int) -> None:
        self._end_product(place)
        kind = ""
        if self.groups:
            kind, self.slot, self.wrapped = self.groups.pop()
        if kind in ("numerator", "denominator"):
            self._end_argument(kind, place)
        else:
            self._emit(token, place)
            self.ended = "close"

    def _command(self, name: str, place: int) -> None:
        if name in _FRACTIONS:
            self._fraction(name, place)
        elif name in _TEXT:
            self._words(place)
        elif name in GREEK:
            self._operand(name, place, "name")
        elif name in ("{", "lbrace", "lbrack"):
            self._open(_SIGNS[name], _SIGNS[name], place)
        elif name in ("}", "rbrace", "rbrack"):
            self._close(_SIGNS[name], place)
        elif name in _SIGNS:
            self._sign(_SIGNS[name], place)
        elif name == "%" and self.ended == "number":
            self.tokens[-1] += "%"
        elif name in _FUNCTIONS:
            raise ParseError("functions are not supported", self.text, place)
        elif name not in _SKIPPED:
            self._sign("\\" + name if name != "%" else name, place)

    def _fraction(self, name: str, place: int) -> None:
        found = _WHOLE_FRACTION.match(self.clean, self.position)
        if not found:
            self._open("fraction", "(", place)
            self._argument("numerator", place)
            return
        self.position = found.end()
        above, below = found[1] or found[2], found[3] or found[4]
        if self.ended == "number" and self.tokens[-1].isdigit() and int(above) < int(below):
            self.tokens[-1] += f"({above}/{below})"
        elif name == "tfrac":  # written by `latex_text` for a fraction that is one number
            self._operand(f"({above}/{below})", place, "close")
        else:
            self._multiply(place, by="open")
            for token in ("(", above, "/", below, ")"):
                self._emit(token, place)
            self.ended = "close"

    def _argument(self, kind: str, place: int) -> None:
        r"""Open an argument of \frac: a group in braces, or a single digit, letter or Greek letter."""
        found = _ARGUMENT.match(self.clean, self.position)
        if not found or (found[1][0] == "\\" and found[1][1:] not in GREEK):
            raise ParseError(rf"\frac needs its {kind} in braces", self.text, self.position, hint=r"write \frac{a}{b}")
        self.position = found.end()
        self._open(kind, "(", place)
        if found[1] != "{":
            self._emit(found[1].removeprefix("\\"), place)
            self._close("", place)

    def _end_argument(self, kind: str, place: int) -> None:
        self._emit(")", place)
        self.ended = ""
        if kind == "numerator":
            self._emit("/", place)
            self._argument("denominator", place)
        else:
            self._close(")", place)

    def _words(self, place: int) -> None:
        r"""What stands in \text{}: a unit after an operand, otherwise a name or a number."""
        found = _BRACED.match(self.clean, self.position)
        if not found:
            raise ParseError("braces are missing", self.text, self.position, hint=r"write \text{name}")
        self.position = found.end()
        words = found[1].strip(" .~\\,").replace("\\_", "_")
        if self.ended:
            if words.lower() in _NOT_UNITS or any(c in words for c in "0123456789="):
                raise ParseError(f"'{words}' between operands", self.text, place)
            power = _UNIT_POWER.match(self.clean, self.position)
            self.position = power.end() if power else self.position
        elif words.isdigit():
            self._operand(words, place, "number")
        elif _NAME.fullmatch(name := "_".join(words.split())) and not (" " in words and any(map(str.isdigit, words))):
            self._operand(name, place, "name")
        elif words:
            raise ParseError(f"not a name: '{words}'", self.text, place)

    def _exponent(self, place: int) -> None:
        degrees = _DEGREES.match(self.clean, self.position)
        if degrees and self.ended:
            self.position = degrees.end()
            return
        if self.ended == "power":
            raise ParseError("a second exponent", self.text, place, hint="write {x^2}^3 or x^{6}")
        self._emit("^", place)
        self.ended = ""
        if found := _EXPONENT.match(self.clean, self.position):  # any other exponent is read as a group
            self.position = found.end()
            for part in filter(None, found.groups()):
                self._emit(part, place)
            self.ended = "power"

    def _subscript(self, place: int) -> None:
        if self.ended == "number":
            raise ParseError("number bases are not supported", self.text, place)
        found = _SUBSCRIPT.match(self.clean, self.position)
        index = re.sub(r"[^A-Za-z0-9]+", "_", next(filter(None, found.groups()), "")).strip("_") if found else ""
        if self.ended != "name" or not found or not index:
            raise ParseError("not a subscript of a name", self.text, place)
        self.position = found.end()
        self.tokens[-1] += "_" + index


def read_latex(text: str, algebra: Algebra[T]) -> T:
    """What `algebra` makes of LaTeX text."""
    return run_tokens(text, latex_tokens(text), algebra)


def latex_text(expr: Expr) -> str:
    """LaTeX text of an expression."""
    return fold(expr, _LATEX).text


# LaTeX: what is divided by goes under a fraction bar; a fraction that is one number is a \tfrac.
def _write_number(value: Fraction, text: str | None) -> Piece:
    piece = spelling(value, text)
    if "/" in piece.text and value >= 0:
        whole, _, fraction = piece.text.replace("((", "(").replace("))", ")").replace(")/(", "/").partition("(")
        if whole:  # a mixed number
            return _write_number(value, None)
        return Piece(r"\tfrac{" + fraction.rstrip(")").replace("/", "}{") + "}", ATOM)
    return Piece(piece.text.replace("%", r"\%"), piece.level)


def _write_name(name: str) -> str:
    if name in GREEK:
        return "\\" + name
    if _LETTER_WITH_DIGITS.fullmatch(name):
        return name
    return r"\mathrm{" + name.replace("_", r"\_") + "}"


def _write_brackets(piece: Piece, above: int) -> str:
    return piece.text if piece.level > above else rf"\left({piece.text}\right)"


def _write_sum(terms: list[tuple[int, Piece]]) -> Piece:
    out = []
    for i, (sign, piece) in enumerate(terms):
        out.append("-" if sign < 0 else "+" if i else "")
        out.append(_write_brackets(piece, SUM))
    return Piece("".join(out), SUM)


def _write_product(factors: list[tuple[int, Piece]]) -> Piece:
    above = [piece for exponent, piece in factors if exponent > 0]
    below = [piece for exponent, piece in factors if exponent < 0]
    if below:
        return Piece(rf"\frac{{{_write_factors(above)}}}{{{_write_factors(below)}}}", PRODUCT)
    return Piece(_write_factors(above), PRODUCT)


def _write_factors(pieces: list[Piece]) -> str:
    if len(pieces) == 1:
        return pieces[0].text
    return r" \times ".join([_write_brackets(piece, PRODUCT) for piece in pieces])


_LATEX: Algebra[Piece] = Algebra(
    operand=lambda name: Piece(_write_name(name), ATOM),
    number=_write_number,
    sum=_write_sum,
    product=_write_product,
    power=lambda base, exponent: Piece(f"{_write_brackets(base, POWER)}^{{{exponent}}}", POWER),
)
