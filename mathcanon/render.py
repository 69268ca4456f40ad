r"""Expression -> text: infix, prefix, postfix, LaTeX, the paper's skeleton, DOT and JSON.

Infix keeps the tree and writes the fewest brackets that do so, so `parse(str(e)) == e` for every parsed `e`; the
other notations give back the same canonical form.  Each notation is an `Algebra` on pieces of text that know how
tightly they bind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from .algebra import Algebra, fold
from .expr import Expr, Number, Operand, Power, Product, Sum, set_infix, upwards_without

__all__ = ["FORMATS", "number_text", "render"]

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_INTEGER_RATIO = re.compile(r"\d+/\d+")

P = TypeVar("P")


def render(expr: Expr, format: str = "infix") -> str:
    r"""`expr` as text in one of `FORMATS`.

    >>> from mathcanon import parse
    >>> e = parse("a*(b-c)/2")
    >>> [render(e, format) for format in ("infix", "latex", "prefix", "postfix", "skeleton")]
    ['a*(b-c)/2', '\\frac{a \\times \\left(b-c\\right)}{2}', '/ * a - b c 2', 'a b c - * 2 /', '(a(b&c)&[2])']
    """
    try:
        return _WRITERS[format](expr)
    except KeyError:
        raise ValueError(f"unknown format {format!r}; one of {', '.join(FORMATS)}") from None


def number_text(value: Fraction) -> str:
    """A number as the grammar reads it: `12`, `0.5`, or `(1/6)` where decimals do not end.

    >>> number_text(Fraction(5, 2)), number_text(Fraction(1, 6))
    ('2.5', '(1/6)')
    """
    if value < 0:
        return "-" + number_text(-value)
    if value.denominator == 1:
        return _integer_text(value.numerator)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest > 1 or places > 30:
        return f"({_integer_text(value.numerator)}/{_integer_text(value.denominator)})"
    whole, part = divmod(value.numerator * 10**places // value.denominator, 10**places)
    return f"{_integer_text(whole)}.{part:0{places}}"


def _integer_text(value: int) -> str:
    # str() refuses integers of more than 4,300 digits; Decimal does not.
    return str(value) if value.bit_length() < 14_000 else f"{Decimal(value):f}"


class _Piece(NamedTuple):
    text: str
    level: int  # how tightly it binds


def _spelling(value: Fraction, text: str | None) -> _Piece:
    if value < 0:
        return _Piece(number_text(value), _SUM)
    return _Piece(text or number_text(value), _ATOM)


def infix_text(expr: Expr) -> str:
    """Infix text; pieces are kept with the nodes, because listed expressions share most of their blocks."""
    write = _INFIX[type(expr)]
    try:
        return write(expr)[0]
    except AttributeError:  # some block has no text yet
        for child in expr.children:
            for node in upwards_without(child, "_infix"):
                set_infix(node, _INFIX[type(node)](node))
        return write(expr)[0]


def _infix_sum(node: Sum) -> tuple[str, int]:
    out = ""
    for sign, child in node.terms:
        text, level = child._infix
        if level == _SUM:
            text = f"({text})"
        out += f"-{text}" if sign < 0 else f"+{text}" if out else text
    return out, _SUM


def _infix_product(node: Product) -> tuple[str, int]:
    out = ""
    for exponent, child in _multiplied_first(node.factors):
        text, level = child._infix
        if level <= _PRODUCT:
            text = _bracketed(text)
        out += f"/{text}" if exponent < 0 else f"*{text}" if out else text
    return out, _PRODUCT


def _infix_power(node: Power) -> tuple[str, int]:
    text, level = node.base._infix
    return f"{text if level > _POWER else _bracketed(text)}^{node.exponent}", _POWER


def _bracketed(text: str) -> str:
    # (1/6) is one number; a division of two whole numbers is told apart by square brackets.
    return f"[{text}]" if text[0].isdigit() and _INTEGER_RATIO.fullmatch(text) else f"({text})"


_INFIX: dict[type[Expr], Callable[[Any], tuple[str, int]]] = {
    Operand: lambda node: (node.name, _ATOM),
    Number: lambda node: _spelling(node.value, node.text),
    Sum: _infix_sum,
    Product: _infix_product,
    Power: _infix_power,
}


def _multiplied_first(factors: Sequence[tuple[int, P]]) -> Sequence[tuple[int, P]]:
    """The same factors, with one that is multiplied in the first place."""
    if factors[0][0] > 0:
        return factors
    first = next(i for i, (exponent, _) in enumerate(factors) if exponent > 0)
    return [factors[first], *factors[:first], *factors[first + 1 :]]


# LaTeX: what is divided by goes under a fraction bar; a fraction that is one number is a \tfrac.
def _latex_number(value: Fraction, text: str | None) -> _Piece:
    piece = _spelling(value, text)
    if "/" in piece.text and value >= 0:
        whole, _, fraction = piece.text.replace("((", "(").replace("))", ")").replace(")/(", "/").partition("(")
        if whole:  # a mixed number
            return _latex_number(value, None)
        return _Piece(r"\tfrac{" + fraction.rstrip(")").replace("/", "}{") + "}", _ATOM)
    return _Piece(piece.text.replace("%", r"\%"), piece.level)


def _latex_brackets(piece: _Piece, above: int) -> str:
    return piece.text if piece.level > above else rf"\left({piece.text}\right)"


def _latex_sum(terms: list[tuple[int, _Piece]]) -> _Piece:
    out = []
    for i, (sign, piece) in enumerate(terms):
        out.append("-" if sign < 0 else "+" if i else "")
        out.append(_latex_brackets(piece, _SUM))
    return _Piece("".join(out), _SUM)


def _latex_product(factors: list[tuple[int, _Piece]]) -> _Piece:
    above = [piece for exponent, piece in factors if exponent > 0]
    below = [piece for exponent, piece in factors if exponent < 0]
    if below:
        return _Piece(rf"\frac{{{_latex_factors(above)}}}{{{_latex_factors(below)}}}", _PRODUCT)
    return _Piece(_latex_factors(above), _PRODUCT)


def _latex_factors(pieces: list[_Piece]) -> str:
    if len(pieces) == 1:
        return pieces[0].text
    return r" \times ".join([_latex_brackets(piece, _PRODUCT) for piece in pieces])


_LATEX: Algebra[_Piece] = Algebra(
    operand=lambda name: _Piece(r"\pi" if name == "pi" else name, _ATOM),
    number=_latex_number,
    sum=_latex_sum,
    product=_latex_product,
    power=lambda base, exponent: _Piece(f"{_latex_brackets(base, _POWER)}^{{{exponent}}}", _POWER),
)


def _polish(*, prefix: bool) -> Algebra[str]:
    """Prefix or postfix text: a sum or product of many parts is a chain of binary operators, deep on the left."""

    def chain(parts: Sequence[tuple[int, str]], plus: str, minus: str) -> str:
        operators = [plus if mark > 0 else minus for mark, _ in parts[1:]]
        texts = [text for _, text in parts]
        if prefix:
            return " ".join([*reversed(operators), *texts])
        return " ".join(
            [texts[0], *[f"{text} {operator}" for text, operator in zip(texts[1:], operators, strict=True)]]
        )

    def sum(terms: list[tuple[int, str]]) -> str:
        if terms[0][0] < 0:
            opposite = f"~ {terms[0][1]}" if prefix else f"{terms[0][1]} ~"
            terms = [(1, opposite), *terms[1:]]
        return chain(terms, "+", "-")

    def number(value: Fraction, text: str | None) -> str:
        return sum([(-1, number_text(-value))]) if value < 0 else text or number_text(value)

    def power(base: str, exponent: int) -> str:
        return f"^ {base} {exponent}" if prefix else f"{base} {exponent} ^"

    return Algebra(
        operand=str,
        number=number,
        sum=sum,
        product=lambda factors: chain(_multiplied_first(factors), "*", "/"),
        power=power,
    )


_PREFIX, _POSTFIX = _polish(prefix=True), _polish(prefix=False)


# The skeleton: a level adds, the next one multiplies, and so on; one block alone in brackets is the block itself.
def _skeleton(expr: Expr) -> str:
    from .canonical import canonical

    text, kind = fold(canonical(expr), _SKELETON)
    return f"({text})" if kind == "product" else text


def _skeleton_leaf(text: str) -> tuple[str, str]:
    return (text if len(text) == 1 and text.isalpha() else f"[{text}]"), "leaf"


def _skeleton_level(here: str) -> Callable[[list[tuple[int, tuple[str, str]]]], tuple[str, str]]:
    def level(parts: list[tuple[int, tuple[str, str]]]) -> tuple[str, str]:
        sides = [
            "".join([_in_level(here, text, kind) for mark, (text, kind) in parts if mark == side]) for side in (1, -1)
        ]
        return "&".join(sides) if sides[1] else sides[0], here

    return level


def _in_level(here: str, text: str, kind: str) -> str:
    """A block of kind sum, product, leaf, or a power that was written for a level of sums."""
    if kind == "leaf":
        return text
    return f"(({text}))" if kind == here else f"({text})"


def _skeleton_power(base: tuple[str, str], exponent: int) -> tuple[str, str]:
    text, kind = base
    # A power is written as a product of one block, so that the level it stands in does not matter.
    return f"{_in_level('product', text, kind)}^{exponent}", "product"


_SKELETON: Algebra[tuple[str, str]] = Algebra(
    operand=_skeleton_leaf,
    number=lambda value, text: _skeleton_leaf(number_text(value)),
    sum=_skeleton_level("sum"),
    product=_skeleton_level("product"),
    power=_skeleton_power,
)


def _json_number(value: Fraction, text: str | None) -> str:
    if value < 0:
        return f'{{"sum": [["-", {_json_number(-value, None)}]]}}'
    return f'{{"number": {json.dumps(text or number_text(value))}}}'


def _json_parts(kind: str, plus: str, minus: str) -> Callable[[list[tuple[int, str]]], str]:
    return lambda parts: (
        f'{{"{kind}": [' + ", ".join([f'["{plus if mark > 0 else minus}", {text}]' for mark, text in parts]) + "]}"
    )


_JSON: Algebra[str] = Algebra(
    operand=lambda name: f'{{"operand": "{name}"}}',
    number=_json_number,
    sum=_json_parts("sum", "+", "-"),
    product=_json_parts("product", "*", "/"),
    power=lambda base, exponent: f'{{"power": [{base}, {exponent}]}}',
)


class TreeNode(NamedTuple):
    """A node of the tree as a picture shows it, and the edge that leads to it."""

    kind: str  # operand, number, sum, product, power
    value: str  # the name, the number or the exponent
    label: str  # what the picture shows
    parent: int | None
    edge: str  # "+", "-", "*", "/" or ""


def tree_nodes(expr: Expr) -> list[TreeNode]:
    """The nodes in an order where each stands after its parent, siblings from left to right.

    >>> from mathcanon import parse
    >>> [(node.label, node.parent, node.edge) for node in tree_nodes(parse("a-b"))]
    [('+', None, ''), ('a', 0, '+'), ('b', 0, '-')]
    """
    nodes: list[TreeNode] = []
    queue: list[tuple[Expr, int | None, str]] = [(expr, None, "")]
    for node, parent, edge in queue:
        here = len(nodes)
        match node:
            case Operand(name):
                nodes.append(TreeNode("operand", name, name, parent, edge))
            case Number(value):
                if value < 0:
                    nodes.append(TreeNode("sum", "", "+", parent, edge))
                    queue.append((Number(-value), here, "-"))
                else:
                    text = node.text or number_text(value)
                    nodes.append(TreeNode("number", text, text, parent, edge))
            case Sum(terms):
                nodes.append(TreeNode("sum", "", "+", parent, edge))
                queue += [(child, here, "+" if mark > 0 else "-") for mark, child in terms]
            case Product(factors):
                nodes.append(TreeNode("product", "", "×", parent, edge))
                queue += [(child, here, "*" if mark > 0 else "/") for mark, child in factors]
            case Power(base, exponent):
                nodes.append(TreeNode("power", str(exponent), f"^{exponent}", parent, edge))
                queue.append((base, here, ""))
    return nodes


def _dot(expr: Expr) -> str:
    lines = ["digraph expression {", "  ordering=out; node [shape=circle];"]
    for i, node in enumerate(tree_nodes(expr)):
        lines.append(f'  n{i} [label="{node.label}", kind={node.kind}, value="{node.value}"];')
        if node.parent is not None:
            lines.append(f'  n{node.parent} -> n{i} [label="{node.edge}"];')
    return "\n".join([*lines, "}"])


_WRITERS: dict[str, Callable[[Expr], str]] = {
    "infix": infix_text,
    "latex": lambda expr: fold(expr, _LATEX).text,
    "prefix": lambda expr: fold(expr, _PREFIX),
    "postfix": lambda expr: fold(expr, _POSTFIX),
    "skeleton": _skeleton,
    "dot": _dot,
    "json": lambda expr: fold(expr, _JSON),
}
FORMATS = tuple(_WRITERS)
