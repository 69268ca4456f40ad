"""The words a solver reads and the tokens it writes.

Words are those that occur often enough in the training texts; a number in the text is read as `NUM`, or by its kind.
Tokens are the operators, then the constants (numbers that occur often enough in the equations without being in the
text), then the quantities N0, N1... of the problem at hand, as many as it has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from ...meaning.kinds import kind_of
from ...records import Problem
from .trees import OPERATORS

__all__ = ["PAD", "UNKNOWN", "Vocabulary", "make_vocabulary"]

PAD, UNKNOWN = 0, 1
_NUMBER = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40}|/[0-9]{0,40}[1-9][0-9]{0,40})?")
_NUMBERS = ("NUM", "NUM%", "NUM/", "NUM.", "NUM1")  # any or whole, percent, fraction, decimal, the number 1
_RESERVED = ("", "UNKNOWN", *_NUMBERS)
_WORD_OF_KIND = {0: 1, 1: 2, 2: 3, 3: 4}  # by `kind_of`; whole numbers above 1 are NUM


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Both vocabularies; a token's number is its index in `operators + constants + quantities`."""

    words: tuple[str, ...]
    operators: tuple[str, ...]
    constants: tuple[str, ...]

    @property
    def fixed(self) -> int:
        """The number of tokens before the quantities."""
        return len(self.operators) + len(self.constants)

    @property
    def is_readable(self) -> bool:
        """Whether texts can be read: the words begin with the reserved ones (padding, unknown word, numbers)."""
        return self.words[: len(_RESERVED)] == _RESERVED

    @property
    def is_writable(self) -> bool:
        """Whether the tokens can form equations: at least one operator, all of them known, and plain numbers."""
        return set() < set(self.operators) <= set(OPERATORS) and all(map(_NUMBER.fullmatch, self.constants))

    def index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def token(self, text: str) -> int | None:
        """The number of a token of a prefix sequence; None if the solver can't write it.

        >>> vocabulary = Vocabulary(words=(), operators=("+", "-"), constants=("1",))
        >>> [vocabulary.token(text) for text in ["-", "1", "N2", "*", "7"]]
        [1, 2, 5, None, None]
        """
        if text in self.operators:
            return self.operators.index(text)
        if text in self.constants:
            return len(self.operators) + self.constants.index(text)
        return self.fixed + int(text[1:]) if text[0] == "N" else None

    def text(self, token: int) -> str:
        known = self.operators + self.constants
        return known[token] if token < len(known) else f"N{token - len(known)}"

    def word_numbers(self, problem: Problem, index: dict[str, int], *, kinds: bool) -> list[int]:
        """The words of a problem as numbers; `kinds` tells percent, fraction, decimal, 1 and other numbers apart."""
        found = [index.get(word, UNKNOWN) for word in problem.tokens]
        first = len(_RESERVED) - len(_NUMBERS)
        for quantity in problem.quantities[: problem.printed]:  # an implied quantity is read as its word
            kind = _WORD_OF_KIND.get(kind_of(quantity.value, quantity.surface), 0) if kinds else 0
            found[quantity.token] = first + kind
        return found


def make_vocabulary(
    problems: Iterable[Problem],
    trees: Iterable[Sequence[str]],
    *,
    min_word_count: int = 5,
    min_constant_count: int = 5,
) -> Vocabulary:
    """The vocabulary of the training problems and their equations."""
    words: Counter[str] = Counter()
    for problem in problems:
        numbers = {quantity.token for quantity in problem.quantities[: problem.printed]}
        words.update(token for i, token in enumerate(problem.tokens) if i not in numbers)
    tokens = Counter(token for tree in trees for token in set(tree))
    kept = [word for word, count in words.items() if count >= min_word_count and word not in _RESERVED]
    constants = [token for token, count in tokens.items() if token[0].isdigit() and count >= min_constant_count]
    return Vocabulary(
        words=(*_RESERVED, *sorted(kept, key=lambda word: (-words[word], word))),
        # At least one operator: torch has no layer of width 0.
        operators=tuple(operator for operator in OPERATORS if operator in tokens) or OPERATORS[:1],
        constants=tuple(sorted(constants, key=lambda token: (-tokens[token], token))),
    )
