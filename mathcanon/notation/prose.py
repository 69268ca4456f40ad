r"""Text written by a person or a model -> the equations in it.

One pass over the pieces of the text builds one equation at a time: words after a number are its unit
(`20 sheep + 60 sheep`), a word before `=` is a name or a label, and a piece that cannot continue the equation ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from .numerals import number_text
from .pieces import CLOSING, NAME, OPENING, OPERATORS, read_pieces

__all__ = ["Equation", "read_equations"]

_SPOKEN = {"times": "*", "multiplied": "*", "plus": "+", "minus": "-", "divided": "/"}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_CONJUNCTIONS = frozenset(("and", "or", "so", "then", "but", "because", "which", "since", "if"))
_ARTICLES = frozenset(("the", "a", "an", "his", "her", "its", "their", "my", "our", "your", "another", "only", "about"))
_ENDING = frozenset(("equals", "stop", "soft", "calculation"))
_REMAINDER = re.compile(r"r[0-9]*|remainder")
_UNIT_LETTERS = frozenset("mglhstLkKCF")
#: A letter used in a calculation or introduced by a sentence; not a unit such as the g of `5 g + 3 g`.
_UNKNOWN = re.compile(
    r"(?<![0-9])(?<![0-9]\s)(?<!\w)([A-Za-z])(?!\w)\s{0,3}[-+*=]|[-+*=]\s{0,3}([A-HJ-Zb-z])(?![\w'’])|\b[Ll]et\s\W?([A-Za-z])\b"
)
_OPERAND = re.compile(r"\s{0,3}[\w.($-]")
_WORD = re.compile(r"\s{0,3}([^\W\d_]\w*)")


class Equation(NamedTuple):
    """Sides in plain infix, as they stand between the equals signs; a lone expression has one side."""

    sides: tuple[str, ...]
    name: str  # what stands before the first equals sign, if that is a name
    place: int
    end: int
    calculation: bool = False  # written as <<left=right>>
    floored: bool = False  # the quotient is rounded down: written with // or with a remainder


def read_equations(text: str) -> Iterator[Equation]:
    r"""Every equation, expression and number of `text`, in order.

    >>> [equation.sides for equation in read_equations("She sold 48/2 = <<48/2=24>>24 clips, 20 red + 4 blue = $24$.")]
    [('48 / 2', '24'), ('20 + 4', '24')]
    """
    return _Scanner(text).scan()


class _Scanner:
    """The equation being read: its finished sides, the tokens of the current side, and what may come next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.unknowns = {letter for found in _UNKNOWN.finditer(text) for letter in found.groups() if letter}
        self.names = set(self.unknowns)  # and the words that stood before an equals sign
        self.found: list[Equation] = []
        self._start()

    def _start(self) -> None:
        self.sides: list[list[str]] = []
        self.tokens: list[str] = []
        self.words: list[str] = []  # since the last break, not yet part of anything
        self.name = ""
        self.ready = False  # whether an operand has just ended
        self.units = self.depth = 0
        self.place = self.end = -1
        self.spoilt = self.soft = self.floored = False

    def scan(self) -> Iterator[Equation]:
        for kind, piece, start, end in read_pieces(self.text):
            if self.soft and kind not in ("equals", "sign", "space"):
                self._finish()
            if self.spoilt and kind == "word" and piece.lower() in _CONJUNCTIONS:
                self._finish()
            if not self.spoilt or kind in _ENDING:
                getattr(self, "_" + kind)(piece, start, end)
            if self.found:
                yield from self.found
                self.found.clear()
        self._finish()
        yield from self.found

    def _add(self, token: str, start: int, end: int) -> None:
        if self.place < 0:
            self.place = start
        self.tokens.append(token)
        self.end = end

    def _number(self, piece: str, start: int, end: int) -> None:
        if self.ready and not (self.tokens[-1] in CLOSING and start == self.end):
            self._finish()
        if self.ready:
            self._add("*", start, start)
        self._add(piece, start, end)
        self.ready, self.units = True, 0

    def _fraction(self, piece: str, start: int, end: int) -> None:
        """A fraction without spaces; after `/` and a space the whole fraction is the divisor."""
        if self.tokens and self.tokens[-1] == "/":
            self._number(f"({piece})", start, end)
        else:
            above, _, below = piece.partition("/")
            self._number(above, start, end)
            self._sign("/", start, end)
            self._number(below, start, end)

    def _name(self, piece: str, start: int, end: int) -> None:
        """A name that is certainly an operand."""
        if self.ready and start != self.end:
            self._finish()
        if self.ready:
            self._add("*", start, start)
        self._add(piece, start, end)
        self.ready = True

    def _word(self, piece: str, start: int, end: int) -> None:
        joined = start == self.end and len(piece) == 1 and piece not in _UNIT_LETTERS  # 2x, not 2 m
        if joined or (piece in self.unknowns and self.tokens and (start == self.end or not self.ready)):
            self._name(piece, start, end)
        elif self.ready:
            self._after_operand(piece.lower(), start, end)
        elif self.tokens and piece in self.names:
            self._name(piece, start, end)
        elif self.tokens and self.tokens[-1] in OPERATORS:
            self.spoilt |= piece.lower() not in _ARTICLES
        elif self.tokens:
            self._finish()
        if not self.tokens:
            self.words.append(piece)

    def _after_operand(self, word: str, start: int, end: int) -> None:
        last = self.tokens[-1]
        if word in _SCALES and not self.units and re.fullmatch(r"[0-9.]+", last):
            self.tokens[-1] = number_text(Fraction(last) * _SCALES[word])
        elif word == "of" and not self.units and (last[-1] == "%" or "/" in self.tokens[-2:-1]):
            self._operator("*", start, end)
        elif word in _CONJUNCTIONS:
            self._finish()
        elif _REMAINDER.fullmatch(word):
            self.floored = True
        self.units += 1

    def _unit(self, piece: str, start: int, end: int) -> None:
        pass

    def _space(self, piece: str, start: int, end: int) -> None:
        pass

    def _times(self, piece: str, start: int, end: int) -> None:
        if self.ready:
            self._sign("*", start, end)
        else:
            self._word(piece, start, end)

    def _spoken(self, piece: str, start: int, end: int) -> None:
        if self.ready:
            self._sign(_SPOKEN[piece.split()[0]], start, end)
        else:
            self._finish()

    def _operator(self, piece: str, start: int, end: int) -> None:
        after = self.text[end : end + 1]
        if not self.ready and self.words and self.words[-1] in self.names and piece in "+-*/":
            self._name(self.words[-1], start - 1, start)
        if piece == "**" and not _OPERAND.match(self.text, end):
            return  # the end of bold text
        if self.ready:
            following = _WORD.match(self.text, end)
            if piece in ("-", "/") and following and following[1] not in self.names and len(following[1]) > 1:
                return  # a hyphen, or a unit such as miles/hour
            self.floored |= piece == "//"
            self._sign({"//": "/", "**": "^"}.get(piece, piece), start, end)
        elif piece == "-" and (after.isdigit() or after in "$(."):
            self._sign(piece, start, end)
        elif self.tokens and piece not in ("**", "+"):
            self.spoilt = True

    def _sign(self, piece: str, start: int, end: int) -> None:
        self._add(piece, start, end)
        self.ready, self.units, self.soft = False, 0, False

    def _power(self, piece: str, start: int, end: int) -> None:
        if self.ready:
            self._add(piece, start, end)

    def _bracket(self, piece: str, start: int, end: int) -> None:
        if piece in OPENING:
            if self.ready and (start != self.end or self.units):
                self._finish()
            if self.ready:
                self._add("*", start, start)
            self._add("(", start, end)
            self.ready = False
            self.depth += 1
        elif self.depth and self.ready:
            self._add(")", start, end)
            self.depth -= 1
        else:
            self._finish()

    def _equals(self, piece: str, start: int, end: int) -> None:
        if not self.sides and not self.tokens and self.words:
            self._label()
        if self.depth:  # perhaps a remark in brackets that holds an equation
            leading = next((i for i, token in enumerate(self.tokens) if token != "("), 0)
            remark = min(self.depth, leading)
            self.depth -= remark
            self.tokens = self.tokens[remark:]
        self._end_side()
        self.place = start if self.place < 0 else self.place
        self.end = end

    def _label(self) -> None:
        word = self.words[-1]
        if NAME.fullmatch(word) and (len(self.words) == 1 or len(word) == 1 or not word.isalpha()):
            self.name = word
            self.names.add(word)

    def _end_side(self) -> None:
        whole = self.ready and not self.depth and not self.spoilt
        self.sides.append(self.tokens if whole else [])
        if whole and len(self.tokens) == 1 and NAME.fullmatch(self.tokens[0]):
            self.names.add(self.tokens[0])
        self.tokens, self.words = [], []
        self.ready = self.spoilt = self.soft = False
        self.depth = self.units = 0

    def _calculation(self, piece: str, start: int, end: int) -> None:
        """`<<48/2=24>>`: a lone side before it repeats it and is dropped, unless it spells out `<<24=24>>`."""
        self._end_side()
        name, sides = self.name, [side for side in self.sides if side]
        self.sides = sides if len(sides) > 1 else []
        self._finish()
        for equation in _Scanner(piece[2 : piece.index(">>")]).scan():
            spelled = (" ".join(sides[-1]),) if sides and equation.sides[0] in equation.sides[1:] else ()
            self.found.append(Equation(spelled + equation.sides, name, start, end, True, equation.floored))

    def _soft(self, piece: str, start: int, end: int) -> None:
        self.soft = True

    def _spoil(self, piece: str, start: int, end: int) -> None:
        """An unknown sign, which makes the side that contains it unreadable."""
        self.spoilt = True

    def _stop(self, piece: str, start: int, end: int) -> None:
        self._finish()

    def _finish(self) -> None:
        place, end, floored, name = self.place, self.end, self.floored, self.name
        self._end_side()
        sides = tuple([" ".join(side) for side in self.sides if side])
        self._start()
        if sides:
            self.found.append(Equation(sides, name, place, end, False, floored))
