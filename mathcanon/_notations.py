"""Reading back the package's own notations: the paper's skeleton, JSON and DOT (`render` writes them)."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from ._numerals import NUMBER, read_number
from .algebra import Algebra
from .errors import LimitError, ParseError
from .expr import MAX_DEPTH, check_exponent

__all__ = ["read_dot", "read_json", "read_skeleton"]

T = TypeVar("T")

_SKELETON_TOKEN = re.compile(r"[A-Za-z]|\[[^\[\]]*\]|\^-?[0-9]+|[()&]|\S")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(NUMBER, re.ASCII)
_DOT_NODE = re.compile(r'\s*n(\d+) \[label="[^"]*", kind=(\w+), value="([^"]*)"\];')
_DOT_EDGE = re.compile(r'\s*n(\d+) -> n(\d+) \[label="([^"]*)"\];')
_MARK = {"+": 1, "-": -1, "*": 1, "/": -1, "": 1}


def read_skeleton(text: str, algebra: Algebra[T]) -> T:
    """The paper's `ab&c`: left of `&` what is added (or multiplied), right what is subtracted (or divided).

    The outermost level adds, each pair of brackets changes between adding and multiplying; a leaf that is not
    a single letter stands in square brackets, as in `[N0][3.14]&b`.
    """
    frames: list[tuple[list[tuple[int, T]], int]] = []
    parts: list[tuple[int, T]] = []
    mark = 1
    for found in _SKELETON_TOKEN.finditer(text):
        token, place = found[0], found.start()
        if token == "(":
            frames.append((parts, mark))
            if len(frames) > MAX_DEPTH:
                raise LimitError("the depth of brackets", len(frames), MAX_DEPTH)
            parts, mark = [], 1
        elif token == ")" and frames:
            value = _close(parts, len(frames), text, place, algebra)
            parts, mark = frames.pop()
            parts.append((mark, value))
        elif token == "&" and mark > 0:
            mark = -1
        elif token[0] == "^" and len(token) > 1 and parts:
            check_exponent(int(token[1:]))
            parts[-1] = (parts[-1][0], algebra.power(parts[-1][1], int(token[1:])))
        elif token[0] == "[" and len(token) > 1:
            parts.append((mark, _leaf(token[1:-1], text, place, algebra)))
        elif token.isalpha() and token.isascii():
            parts.append((mark, algebra.operand(token)))
        else:
            raise ParseError(f"unexpected {token!r} in a skeleton", text, place)
    if frames:
        raise ParseError("'(' is never closed", text, len(text), hint="add ')'")
    return _close(parts, 0, text, len(text), algebra)


def _close(parts: list[tuple[int, T]], level: int, text: str, place: int, algebra: Algebra[T]) -> T:
    if not parts:
        raise ParseError("empty brackets" if level else "there is no expression", text, place)
    if len(parts) == 1 and parts[0][0] > 0:
        return parts[0][1]
    if level % 2 == 0:
        return algebra.sum(parts)
    if all(mark < 0 for mark, _ in parts):
        raise ParseError("a product of divisors only", text, place, hint="something must stand left of '&'")
    return algebra.product(parts)


def _leaf(word: str, text: str, place: int, algebra: Algebra[T]) -> T:
    if _NAME.fullmatch(word):
        return algebra.operand(word)
    if _NUMBER.fullmatch(word):
        return read_number(word, algebra)
    raise ParseError(f"not an operand or number: {word!r}", text, place)


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
                done.append(getattr(algebra, step)(list(zip(marks, values, strict=True))))
            continue
        match item:
            case {"operand": str(name)} if _NAME.fullmatch(name):
                done.append(algebra.operand(name))
            case {"number": str(word)} if _NUMBER.fullmatch(word):
                done.append(read_number(word, algebra))
            case {"power": [base, int(exponent)]}:
                check_exponent(exponent)
                todo += [("power", [exponent]), ("read", base)]
            case {"sum": [_, *_] as parts} | {"product": [_, _, *_] as parts} if all(map(_is_part, parts)):
                todo.append((next(iter(item)), [_MARK[mark] for mark, _ in parts]))
                todo += [("read", child) for _, child in reversed(parts)]
            case _:
                raise ParseError(f"not a node of an expression: {json.dumps(item)[:60]}", text, 0)
    return done.pop()


def _is_part(part: Any) -> bool:
    return isinstance(part, list) and len(part) == 2 and isinstance(part[0], str) and part[0] in _MARK


def read_dot(text: str, algebra: Algebra[T]) -> T:
    """The DOT text that `render` writes (not DOT in general)."""
    nodes: dict[int, tuple[str, str]] = {}
    children: dict[int, list[tuple[str, int]]] = {}
    for line in text.splitlines():
        if node := _DOT_NODE.fullmatch(line):
            nodes[int(node[1])] = (node[2], node[3])
        elif edge := _DOT_EDGE.fullmatch(line):
            children.setdefault(int(edge[1]), []).append((edge[3], int(edge[2])))
    done: dict[int, T] = {}
    try:
        for number in sorted(nodes, reverse=True):  # a node is numbered before those below it
            kind, value = nodes[number]
            parts = [(_MARK[label], done[child]) for label, child in children.get(number, [])]
            match kind:
                case "operand" | "number":
                    done[number] = _leaf(value, text, 0, algebra)
                case "power":
                    done[number] = algebra.power(parts[0][1], int(value))
                case "sum" | "product" if parts:
                    done[number] = getattr(algebra, kind)(parts)
                case _:
                    raise ParseError(f"unknown kind of node {kind!r}", text, 0)
        return done[0]
    except (KeyError, IndexError):
        raise ParseError("not the DOT text of an expression", text, 0) from None
