"""The nodes of an expression as a picture or a graph shows them, each with the edge that leads to it."""

from __future__ import annotations

from typing import NamedTuple

from ..expr import Expr, Number, Operand, Power, Product, Sum
from .numerals import number_text

__all__ = ["TreeNode", "tree_nodes"]


class TreeNode(NamedTuple):
    """A node of the tree as a picture shows it, and the edge that leads to it."""

    kind: str  # operand, number, sum, product, power
    value: str  # the name, the number or the exponent
    label: str  # what the picture shows
    parent: int | None
    edge: str  # "+", "-", "*", "/" or ""


def tree_nodes(expr: Expr) -> list[TreeNode]:
    """The nodes, each after its parent, siblings from left to right.

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
