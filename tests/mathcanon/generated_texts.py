"""Random texts for comparing two ways of reading: most are expressions, some are damaged, some are noise."""

from __future__ import annotations

import random

__all__ = ["random_pair", "random_text"]

_PIECES = [
    *"abcabcabc+-*/^()+-*/()+-*/[]{}%.,=:~ 0123479", "**", "N0", "N10", "pi", "x_1", "12", "0.5", ".5", "2.", "40%",
    "(1/6)", "3(1/2)", "(4/2)", "(1/0)", "^2", "^-1", "^(-2)", "^0", "^2^3", "** 2", "\t", "×", "÷", "−", "999999",
    "3" * 40, "x" * 30 + "1" * 40, " ", "$", "\\frac{a}{b}", "- ", "+ ", "\x00", "\x1f", "1e3", "1,000",
]  # fmt: skip
_NUMBERS = [
    "1",
    "2",
    "3",
    "0",
    "0.5",
    "40%",
    "12",
    "(1/6)",
    "1.25",
    "100",
    "(4/2)",
    "7.",
    "3(1/2)",
    "2 %",
    "123456789012",
]
_NAMES = ["ab", "abcd", "abcdefgh", "abcdefghijkl", ["N0", "N1", "N10", "x_1", "temp_a2b3"]]
_EXPONENTS = ["2", "3", "-1", "0", "1", "-2", "(2)", "2^2", "99", " 2", "2.0"]


def _tree(rng: random.Random, depth: int, names: list[str] | str) -> str:
    if depth == 0 or rng.random() < 0.25:
        return rng.choice(names) if rng.random() < 0.65 else rng.choice(_NUMBERS)
    op = rng.choice(["+", "+", "-", "-", "*", "*", "/", "/", "^", "negative"])
    left = _tree(rng, depth - 1, names)
    if op == "^":
        return f"({left}){rng.choice(['^', '^', '**'])}{rng.choice(_EXPONENTS)}"
    if op == "negative":
        return rng.choice([f"-({left})", f"-{left}"])
    if rng.random() < 0.1:
        op = f" {op} "
    return _bracketed(rng, left) + op + _bracketed(rng, _tree(rng, depth - 1, names))


def _bracketed(rng: random.Random, text: str) -> str:
    return rng.choices([text, f"({text})", f"[{text}]", f"( {text} )", f"{{{text}}}"], [7, 11, 1, 1, 1])[0]


def random_text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.15:
        return "".join([rng.choice(_PIECES) for _ in range(rng.randint(0, 14))])
    text = _tree(rng, rng.randint(1, 5), rng.choice(_NAMES))
    if kind > 0.3:
        return text
    start = rng.randrange(len(text) + 1)
    return text[:start] + rng.choice(["", *_PIECES]) + text[start + rng.randint(0, 2) :]


def random_pair(rng: random.Random) -> tuple[str, str]:
    """Two texts, often one made from the other."""
    left = random_text(rng)
    match rng.randrange(9):
        case 0:
            return left, random_text(rng)
        case 1:
            return left, f"({left})*{rng.choice(['1', 'b/b', '(a-a+1)', '2/2', 'a^0', '-1'])}"
        case 2:
            return left, f"{rng.choice(['0', 'a-a', 'c', '0*c', '1/a-1/a'])}+({left})"
        case 3:
            return left, f"-(-({left}))"
        case 4:
            return f"({left})^2", f"({left})*({left})"
        case 5:
            return f"a*({left}+b)", f"a*b+({left})*a"
        case 6:
            return left, f"1/(1/({left}))"
        case 7:
            other = random_text(rng)
            return f"{left}-({other})", f"-({other}-({left}))"
    start = rng.randrange(len(left) + 1)
    return left, left[:start] + rng.choice("+-*/ab2(") + left[start + 1 :]
