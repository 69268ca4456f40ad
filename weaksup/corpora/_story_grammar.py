"""Story grammars: schemes of word problems in TOML, from which random stories are drawn.

A grammar has word lists and schemes.  A scheme has an `equation` over number slots (one letter each), `numbers` that
say how each slot is drawn (in file order), `where` conditions, and a few `texts`, which are templates of the story:

    {a}                   a number slot
    {person}, {person2}   a word of the list `person`; a different word of the same list
    {person.his}          another form of the same word
    [left|still unread]   one of the alternatives
    <fact. ~ fact.>       all of the sentences, in random order

Numbers: `2..40`, `0.4..2 step 0.1`, `5%..60% step 5%`, `1/3 2/5 3/8` (one of these), `= k*b` (computed from earlier
slots; a slot that is in no text, such as k, only serves to keep answers whole).  Conditions: `a > b`, `a < b*c`,
`a != b`, `whole a/b`.  Numbers are drawn again until all conditions hold and the answer is positive.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property, partial
from random import Random
from typing import NamedTuple, TypeVar

import msgspec

from mathcanon.errors import MathCanonError
from mathcanon.notation.notations import parse
from mathcanon.values import as_fraction, evaluate

from ..errors import DataError

__all__ = ["Grammar", "Scheme", "Telling", "WordList", "draw_below", "read_grammar", "shuffled"]

T = TypeVar("T")
Values = Mapping[str, Fraction]
Formula = Callable[[Values], Fraction]
Comparison = Callable[[Fraction, Fraction], bool]

MAX_DRAWS = 10_000  # a scheme whose conditions fail this often in a row is a mistake in the grammar

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_ANY_ORDER = re.compile(r"<([^<>]*)>")
_SLOT = re.compile(r"\{([a-z]+)(\d?)(?:\.([a-z]+))?\}")
_COMPARISONS: dict[str, Comparison] = {"!=": operator.ne, "<": operator.lt, ">": operator.gt}
_LETTER = re.compile(r"\b[a-z]\b")


class Telling(NamedTuple):
    """A story whose words are filled in and whose numbers are still slots such as `{a}`, with those numbers."""

    template: str
    surfaces: dict[str, str]  # slot -> the number as the text writes it
    values: dict[str, Fraction]
    equation: str  # over literal numbers
    answer: Fraction


class WordList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of one kind, one per row; `forms` names the columns, of which the first is the word itself."""

    rows: tuple[str, ...]
    forms: tuple[str, ...] = ("",)


class Scheme(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One kind of story."""

    id: str
    equation: str
    numbers: dict[str, str]
    texts: tuple[str, ...]
    where: tuple[str, ...] = ()

    @cached_property
    def draws(self) -> dict[str, Callable[[Random, Values], Fraction]]:
        return {slot: _parse_draw(spec) for slot, spec in self.numbers.items()}

    @cached_property
    def conditions(self) -> tuple[Callable[[Values], bool], ...]:
        return tuple(_parse_condition(text) for text in self.where)

    @cached_property
    def answer(self) -> Formula:
        return _parse_formula(self.equation)

    def draw_numbers(self, rng: Random) -> tuple[dict[str, Fraction], Fraction]:
        """Values for all slots, and the answer."""
        for _ in range(MAX_DRAWS):
            values: dict[str, Fraction] = {}
            for slot, draw in self.draws.items():
                values[slot] = draw(rng, values)
            if all(condition(values) for condition in self.conditions):
                answer = self.answer(values)
                if answer > 0:
                    return values, answer
        raise DataError(f"scheme {self.id}: no numbers found that satisfy its conditions", field="where")


class Grammar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Word lists and schemes of one language."""

    language: str
    words: dict[str, WordList]
    scheme: tuple[Scheme, ...]

    def tell(self, scheme: Scheme, rng: Random) -> Telling:
        """One story of this scheme."""
        values, answer = scheme.draw_numbers(rng)
        template = _fill_words(_pick(scheme.texts, rng), self.words, rng)
        told = {slot for slot, _, _ in _SLOT.findall(template) if slot in values}
        surfaces = {slot: _surface(values[slot], scheme.numbers[slot], self.language) for slot in sorted(told)}
        written = {slot: f"({text.strip('()')})" if "/" in text else text for slot, text in surfaces.items()}
        equation = _LETTER.sub(lambda slot: written[slot[0]], scheme.equation)
        return Telling(template, surfaces, {slot: values[slot] for slot in surfaces}, equation, answer)


def read_grammar(data: bytes, *, path: str) -> Grammar:
    """The grammar in the content of a TOML file; `DataError` names `path` and the invalid scheme."""
    try:
        grammar = msgspec.toml.decode(data, type=Grammar)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not a story grammar: {error}", path=path) from error
    if grammar.language not in ("en", "zh"):
        raise DataError(f"unknown language {grammar.language!r}; en or zh", path=path, field="language")
    if not grammar.scheme:
        raise DataError("a story grammar needs at least one [[scheme]]", path=path, field="scheme")
    for scheme in grammar.scheme:
        try:
            _check(scheme, grammar.words)
        except (DataError, MathCanonError) as error:
            raise DataError(f"scheme {scheme.id}: {error}", path=path) from error
    return grammar


def draw_below(rng: Random, bound: int) -> int:
    """A number in 0..bound-1.  Built on `random()`, the one method whose stream Python promises to keep."""
    return int(rng.random() * bound)


def _draw_small(rng: Random, bound: int) -> int:
    """A number in 0..bound-1, small ones more often: as in real problems, they lead to false matches."""
    share = rng.random()
    return int(share * share * bound)


def shuffled(items: tuple[T, ...], rng: Random) -> list[T]:
    """The items in random order (Fisher-Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = draw_below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def _pick(items: tuple[T, ...], rng: Random) -> T:
    return items[draw_below(rng, len(items))]


def _fill_words(text: str, words: Mapping[str, WordList], rng: Random) -> str:
    text = _ANY_ORDER.sub(lambda facts: " ".join(shuffled(tuple(map(str.strip, facts[1].split("~"))), rng)), text)
    text = _CHOICE.sub(lambda options: _pick(tuple(options[1].split("|")), rng), text)
    rows: dict[str, list[str]] = {}

    def word(slot: re.Match[str]) -> str:
        name, index, form = slot[1], int(slot[2] or 1) - 1, slot[3] or ""
        if name not in words:
            return slot[0]  # a number slot
        if name not in rows:
            rows[name] = shuffled(words[name].rows, rng)
        return rows[name][index].split()[words[name].forms.index(form)]

    return _SLOT.sub(word, text)


def _surface(value: Fraction, spec: str, language: str) -> str:
    """The number as the text writes it: a percent, fraction or decimal like its `spec`."""
    if "%" in spec:
        return f"{_decimal(value * 100)}%"
    if "/" in spec and not spec.startswith("="):
        return f"({value})" if language == "zh" else str(value)
    return _decimal(value)


def _decimal(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    places = next((places for places in range(1, 7) if 10**places % value.denominator == 0), None)
    if places is None:
        raise DataError(f"{value} is not a short decimal")
    digits = str(value.numerator * 10**places // value.denominator).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}"


def _parse_draw(spec: str) -> Callable[[Random, Values], Fraction]:
    if spec.startswith("="):
        formula = _parse_formula(spec[1:])
        return lambda rng, values: formula(values)
    if ".." in spec:
        low_text, _, rest = spec.partition("..")
        high_text, _, step_text = rest.partition(" step ")
        low, high = as_fraction(low_text), as_fraction(high_text)
        step = as_fraction(step_text or ("1%" if "%" in spec else "1"))
        count = (high - low) // step + 1
        if count < 1:
            raise DataError(f"the range {spec!r} is empty", field="numbers")
        return lambda rng, values: low + step * _draw_small(rng, count)
    options = tuple(as_fraction(text) for text in spec.split())
    if not options:
        raise DataError("a slot has no numbers to draw from", field="numbers")
    return lambda rng, values: _pick(options, rng)


def _parse_condition(text: str) -> Callable[[Values], bool]:
    if text.startswith("whole "):
        formula = _parse_formula(text.removeprefix("whole "))
        return lambda values: formula(values).denominator == 1
    for sign, holds in _COMPARISONS.items():
        before, found, after = text.partition(sign)
        if found:
            left, right = _parse_formula(before), _parse_formula(after)
            return partial(_compare, holds, left, right)
    raise DataError(f"a condition is `a > b`, `a < b`, `a != b` or `whole a`, not {text!r}", field="where")


def _compare(holds: Comparison, left: Formula, right: Formula, values: Values) -> bool:
    return holds(left(values), right(values))


def _parse_formula(text: str) -> Formula:
    expr = parse(text)
    return lambda values: evaluate(expr, values)


def _check(scheme: Scheme, words: Mapping[str, WordList]) -> None:
    """Raise `DataError` unless all slots are known, each text has all numbers of the equation, and numbers fit."""
    used = set(_LETTER.findall(scheme.equation))
    for text in scheme.texts:
        told: set[str] = set()
        for name, index, form in _SLOT.findall(text):
            if name in scheme.numbers and not index and not form:
                if name in told:
                    raise DataError(f"the text has the number {name} twice: {text!r}", field="texts")
                told.add(name)
            elif name not in words:
                raise DataError(f"unknown slot {name} in {text!r}", field="texts")
            elif form not in words[name].forms or int(index or 1) > len(words[name].rows):
                raise DataError(f"no such form or word: {name}{index}.{form} in {text!r}", field="texts")
        if not used <= told:
            raise DataError(f"the text lacks the numbers {', '.join(sorted(used - told))}: {text!r}", field="texts")
    if not scheme.texts or not used:
        raise DataError("a scheme needs a text and a number", field="texts")
    scheme.draw_numbers(Random(0))
