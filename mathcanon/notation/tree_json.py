"""An expression as nested JSON objects that keep every node: sums and products as lists of marked parts."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from ..algebra import Algebra, fold
from ..errors import LimitError, ParseError
from ..expr import MAX_DEPTH, Expr, check_exponent
from .blocks import LITERAL, MARK, MARKS, NAME, block_of
from .numerals import number_text, read_number

__all__ = ["json_text", "read_json"]

T = TypeVar("T")


def read_json(text: str, algebra: Algebra[T]) -> T:
    """Nested objects: {"sum": [["+", x], ["-", y]]}, {"product": [["*", x], ["/", y]]}, {"power": [x, 2]}, leaves."""
    try:
        tree = json.loads(text)
    except RecursionError:
        raise LimitError("the depth of the JSON text", text.count("["), MAX_DEPTH) from None
    except ValueError as error:
        raise ParseError(f"not JSON: {error}", text, getattr(error, "pos", 0)) from None
    done: list[T] = []
    todo: list[tuple[str, Any]] = [("read", tree)]
    while todo:
        step, item = todo.pop()
        if step != "read":
            marks = item
            values = done[-len(marks) :]
            del done[-len(marks) :]
            if step == "power":
                done.append(algebra.power(values[0], marks[0]))
            else:
                done.append(block_of(step, list(zip(marks, values, strict=True)), text, 0, algebra))
            continue
        match item:
            case {"operand": str(name)} if NAME.fullmatch(name):
                done.append(algebra.operand(name))
            case {"number": str(word)} if LITERAL.fullmatch(word):
                done.append(read_number(word, algebra))
            case {"power": [base, int(exponent)]} if not isinstance(exponent, bool):
                check_exponent(exponent)
                todo += [("power", [exponent]), ("read", base)]
            case {"sum": [_, *_] as parts} | {"product": [_, _, *_] as parts} if len(item) == 1 and _are_parts(item):
                todo.append((next(iter(item)), [MARK[mark] for mark, _ in parts]))
                todo += [("read", child) for _, child in reversed(parts)]
            case _:
                raise ParseError(f"not a node of an expression: {reprlib.repr(item)}", text, 0)
    return done.pop()


def _are_parts(item: dict[str, Any]) -> bool:
    ((kind, parts),) = item.items()
    return all(isinstance(part, list) and len(part) == 2 and part[0] in MARKS[kind] for part in parts)


def json_text(expr: Expr) -> str:
    """The JSON text that `read_json` reads."""
    return fold(expr, _JSON)


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
