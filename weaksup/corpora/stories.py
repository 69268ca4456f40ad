"""The embedded corpus: word problems generated from grammars, so that every command runs without a data file.

The grammars (`stories_en.toml`, `stories_zh.toml`) have some hundred kinds of stories in English and Chinese with one
to six quantities.  Numbers are small, so that other equations often reach the answer too (false matches).  Nearly
identical stories ask for different things, some numbers are irrelevant, and some equations need 1 or 3.14.  The same
seed gives the same bytes on every machine and Python version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from os import PathLike
from random import Random

from ..errors import ConfigError, DataError
from ..records import Problem, Quantity
from ..storage.whole_files import read_file
from ._story_grammar import Grammar, Scheme, Telling, read_grammar, shuffled

__all__ = ["LANGUAGES", "read_stories", "story_grammars", "story_split"]

LANGUAGES = ("en", "zh")
PARTS = ("train", "valid", "test")

_MAX_REPEATS = 100  # duplicates in a row, after which a scheme is skipped for the round
_DEAL = (
    "train", "train", "valid", "train", "train", "test", "train", "train", "valid", "train",
    "train", "test", "train", "train", "valid", "train", "train", "test", "train", "train",
)  # fmt: skip
_NUMBER_SLOT = re.compile(r"\{([a-z])\}")
_ENGLISH_TOKEN = re.compile(r"\d+/\d+|\d+(?:\.\d+)?%?|[A-Za-z]+(?:'[a-z]+)?|\S")
_SENTENCE_START = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")


def read_stories(
    path: str | PathLike[str] | None = None, *, seed: int = 0, size: int = 2000, language: str | None = None
) -> Iterator[Problem]:
    """Different word problems with gold equations, generated from a seed.

    A smaller corpus is a prefix of a larger one.

    Parameters
    ----------
    path
        A grammar file to use instead of the embedded ones.
    seed
        The seed of the generator.
    size
        The number of problems.
    language
        "en" or "zh", to have problems in one language only.

    Yields
    ------
    Problem
        Each problem, with its gold equation.

    Raises
    ------
    DataError
        If the grammar file is invalid.

    Examples
    --------
    >>> problem = next(read_stories(seed=1, language="en"))
    >>> problem.id, problem.gold.startswith("x=")
    ('story-00000', True)
    """
    if size < 0:
        raise ConfigError(f"the size of a corpus can't be negative: {size}")
    grammars = story_grammars() if path is None else (read_grammar(read_file(path), path=str(path)),)
    chosen = [grammar for grammar in grammars if language in (None, grammar.language)]
    if not chosen:
        raise ConfigError(f"no stories in language {language!r}; one of {', '.join(g.language for g in grammars)}")
    return _tell(chosen, Random(seed), size)


def story_grammars() -> tuple[Grammar, ...]:
    """The embedded grammars, one per language."""
    folder = resources.files(__package__ or "weaksup.corpora")
    names = [f"stories_{language}.toml" for language in LANGUAGES]
    return tuple(read_grammar(folder.joinpath(name).read_bytes(), path=name) for name in names)


def story_split(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """The default split of the stories: 70% train, 15% valid, 15% test.

    Each scheme is split by itself, so that all parts have the same kinds of stories, with different words and numbers.

    >>> {part: len(problems) for part, problems in story_split(read_stories(size=100)).items()}
    {'train': 70, 'valid': 15, 'test': 15}
    """
    parts: dict[str, list[Problem]] = {part: [] for part in PARTS}
    turn: dict[str | None, int] = {}
    for problem in problems:
        at = turn.setdefault(problem.scheme, 7 * len(turn))  # schemes start apart: 7 and 20 have no common divisor
        parts[_DEAL[at % len(_DEAL)]].append(problem)
        turn[problem.scheme] = at + 1
    return parts


def _tell(grammars: list[Grammar], rng: Random, size: int) -> Iterator[Problem]:
    schemes = tuple((grammar, scheme) for grammar in grammars for scheme in grammar.scheme)
    seen: set[str] = set()
    while len(seen) < size:
        before = len(seen)
        for grammar, scheme in shuffled(schemes, rng):  # one story of each scheme per round keeps them balanced
            for _ in range(_MAX_REPEATS):
                problem = _make_problem(len(seen), grammar.tell(scheme, rng), grammar, scheme)
                if problem.text not in seen:
                    seen.add(problem.text)
                    yield problem
                    break
            if len(seen) == size:
                return
        if len(seen) == before:
            raise DataError(f"the grammar can't tell {size} different stories; it stopped at {before}")


def _make_problem(index: int, telling: Telling, grammar: Grammar, scheme: Scheme) -> Problem:
    text, tokens, spans = _WRITERS[grammar.language](telling)
    quantities = []
    for slot, start, token in spans:
        surface = telling.surfaces[slot]
        value = str(telling.values[slot])
        end = start + len(surface)
        quantities.append(Quantity(value=value, surface=surface, start=start, end=end, token=token))
    return Problem(
        id=f"story-{index:05d}",
        text=text,
        tokens=tuple(tokens),
        quantities=tuple(quantities),
        answer=str(telling.answer),
        language=grammar.language,
        gold=f"x={telling.equation}",
        scheme=f"{grammar.language}-{scheme.id}",
    )


Written = tuple[str, list[str], list[tuple[str, int, int]]]  # text, tokens, (slot, start in the text, token index)


def _write_english(telling: Telling) -> Written:
    """English text, tokenized into words, numbers and punctuation marks."""
    template = _SENTENCE_START.sub(lambda letter: letter[0].upper(), telling.template)
    text, starts, done = "", {}, 0
    for slot in _NUMBER_SLOT.finditer(template):
        text += template[done : slot.start()]
        starts[len(text)] = slot[1]
        text += telling.surfaces[slot[1]]
        done = slot.end()
    text += template[done:]
    tokens = list(_ENGLISH_TOKEN.finditer(text))
    spans = [(starts[token.start()], token.start(), i) for i, token in enumerate(tokens) if token.start() in starts]
    return text, [token[0] for token in tokens], spans


def _write_chinese(telling: Telling) -> Written:
    """Chinese text: the grammar has spaces between words, which become token boundaries and are not in the text."""
    text, tokens, spans = "", [], []
    for i, word in enumerate(telling.template.split()):
        if slot := _NUMBER_SLOT.fullmatch(word):
            spans.append((slot[1], len(text), i))
            word = telling.surfaces[slot[1]]
        tokens.append(word)
        text += word
    return text, tokens, spans


_WRITERS = {"en": _write_english, "zh": _write_chinese}
