"""DOT, the language of Graphviz: what `dot_text` writes, `read_dot` reads back (not DOT in general)."""

from __future__ import annotations

import re
from typing import TypeVar

from ..algebra import Algebra
from ..errors import LimitError, ParseError
from ..expr import MAX_DEPTH, Expr
from .blocks import MARK, MARKS, block_of, exponent_of, leaf_of
from .tree_nodes import tree_nodes

__all__ = ["dot_text", "read_dot"]

T = TypeVar("T")

_NODE = re.compile(r'\s*n(\d{1,7}) \[label="[^"]*", kind=(\w+), value="([^"]*)"\];')
_EDGE = re.compile(r'\s*n(\d{1,7}) -> n(\d{1,7}) \[label="([^"]*)"\];')


def read_dot(text: str, algebra: Algebra[T]) -> T:
    """What `algebra` makes of the text that `dot_text` writes."""
    nodes: dict[int, tuple[str, str]] = {}
    children: dict[int, list[tuple[str, int]]] = {}
    for line in text.splitlines():
        if node := _NODE.fullmatch(line):
            nodes[int(node[1])] = (node[2], node[3])
        elif edge := _EDGE.fullmatch(line):
            children.setdefault(int(edge[1]), []).append((edge[3], int(edge[2])))
    done: dict[int, tuple[T, int]] = {}  # the value and depth of a node, until its only parent takes it
    for number in sorted(nodes, reverse=True):  # a node is numbered before those below it
        kind, value = nodes[number]
        parts, depth = [], 1
        for label, child in children.get(number, []):
            if child not in done or label not in MARKS.get(kind, ()):
                raise ParseError(f"the edge from n{number} to n{child} does not belong to the tree", text, 0)
            part, depth_below = done.pop(child)
            parts.append((MARK[label], part))
            depth = max(depth, 1 + depth_below)
        if depth > MAX_DEPTH:
            raise LimitError("the depth of the expression", depth, MAX_DEPTH)
        done[number] = _node(kind, value, parts, text, algebra), depth
    if len(done) != 1:
        raise ParseError("not the DOT text of one expression", text, 0)
    return done.popitem()[1][0]


def _node(kind: str, value: str, parts: list[tuple[int, T]], text: str, algebra: Algebra[T]) -> T:
    match kind, parts:
        case (("operand" | "number"), []):
            return leaf_of(value, text, 0, algebra)
        case "power", [(_, base)]:
            return algebra.power(base, exponent_of(value, text, 0))
        case (("sum" | "product"), [_, *_]):
            return block_of(kind, parts, text, 0, algebra)
    raise ParseError(f"not a node of an expression: a {kind} of {len(parts)} parts", text, 0)


def dot_text(expr: Expr) -> str:
    """Graphviz text of the tree, with a node and an edge on each line."""
    lines = ["digraph expression {", "  ordering=out; node [shape=circle];"]
    for i, node in enumerate(tree_nodes(expr)):
        lines.append(f'  n{i} [label="{node.label}", kind={node.kind}, value="{node.value}"];')
        if node.parent is not None:
            lines.append(f'  n{node.parent} -> n{i} [label="{node.edge}"];')
    return "\n".join([*lines, "}"])
