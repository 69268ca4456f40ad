"""Families of texts that grow: each makes a text of about `size` characters that is hard for some operation."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["FAMILIES"]

MAX_NESTED = 490  # just within the limit of brackets
MAX_NESTED_LATEX = 245  # each fraction is two


def _joined(size: int, separator: str, part: Callable[[int], str]) -> str:
    """Part 0, part 1... with separators, until there are `size` characters."""
    parts = [part(0), part(1)]
    length = len(parts[0]) + len(parts[1]) + 1
    while length < size:
        parts.append(part(len(parts)))
        length += len(parts[-1]) + 1
    return separator.join(parts)


def _nested(size: int, before: str, inner: str, after: str, most: int = MAX_NESTED) -> str:
    depth = max(1, min(size // len(before + after), most))
    return before * depth + inner + after * depth


def _times_a_sum(size: int) -> str:
    long_sum = _joined(size // 2, "+", lambda i: f"a{i % 9}")
    return f"({long_sum})*(b+c)-({long_sum})*b"


FAMILIES: dict[str, Callable[[int], str]] = {
    "nesting": lambda size: _nested(size, "(", "a", "+b)*c"),
    "long sums": lambda size: _joined(size, "+", lambda i: f"a{i % 50}*b{i % 7}"),
    "sums of quotients": lambda size: _joined(size, "+", lambda i: f"a{i}/(b+c{i})"),
    "powers of sums": lambda size: _joined(size, "-", lambda i: f"(a+b+c+{i})^{i % 40 + 2}"),
    "products of binomials": lambda size: _joined(size, "*", lambda i: f"(a+{i})^{i + 1}"),
    "continued fractions": lambda size: _nested(size, "1+1/(", "a", ")"),
    "repeating decimals": lambda size: _joined(size, "*", lambda i: "0." + "3" * (20 + i % 900)),
    "long digit runs": lambda size: _joined(size, "*", lambda i: "9" * (990 - i % 9)),
    "power towers": lambda size: _joined(size, "*", lambda i: f"(a+{i}^2^3)^2^{i % 4}"),
    "squares of squares": lambda size: _nested(size, "(", "2", ")^2+1"),
    "divisions by long polynomials": lambda size: (
        "1/(" + _joined(size, "+", lambda i: f"a^{i % 9999 + 1}*{i + 2}") + ")"
    ),
    "nested LaTeX fractions": lambda size: _nested(size, r"\frac{a}{b+", "c", "}", MAX_NESTED_LATEX),
    "prefix": lambda size: "+ " * (size // 8) + " ".join([f"a{i}" for i in range(size // 8 + 1)]),
    "postfix": lambda size: "a0 " + " ".join([f"b{i} *" for i in range(size // 7)]),
    "many operands": lambda size: _joined(size, "*", lambda i: f"x{i}"),
    "repeated operands": lambda size: _joined(size, "+", lambda i: "a*b-b*a"),
    "percent chains": lambda size: _joined(size, "*", lambda i: f"(1+{i % 99 + 1}%)"),
    "mixed numbers": lambda size: _joined(size, "+", lambda i: f"{i}({i % 97 + 1}/{i % 89 + 103})"),
    "deep unary minus": lambda size: _nested(size, "-(", "a", ")"),
    "huge exponents": lambda size: _joined(size, "+", lambda i: f"1/{i + 2}^{9999 - i % 100}"),
    "large values times zero": lambda size: _joined(size, "+", lambda i: f"(1/31^{9000 - i}+1/37^{9000 - i})*0"),
    "equal after expanding": _times_a_sum,
    "many domains": lambda size: _joined(size, "*", lambda i: f"(a+b^{i % 999 + 2})/(a+b^{i % 999 + 2})"),
    "large domains": lambda size: _joined(
        size, "*", lambda i: f"(a^{i % 999 + 30}-{i + 1})/(a^{i % 999 + 30}-{i + 1})"
    ),
    "coprime denominators": lambda size: _joined(size, "+", lambda i: f"1/{10**60 + 57 + 2 * i}^50"),
    "dense products": lambda size: _joined(size, "*", lambda i: f"(a^{97 - i % 9}+a^{96 - i % 9}+a+{i})^60"),
}
