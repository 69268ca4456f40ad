"""Expression -> picture of its tree: SVG, PNG or text.

The layout is tidy (after Reingold and Tilford, 1981): subtrees keep their shape, stand side by side as closely as
their outlines allow, and a parent stands over the middle of its children.  Each subtree is kept as its left and
right outlines, level by level, and built from the leaves up, without recursion.  Operators are circles, operands and
numbers boxes; a minus or a division sign is a badge on the edge to the subtrahend or divisor.

The SVG is one self-contained text for light and dark pages; the PNG shows the same layout and needs matplotlib.
"""

from __future__ import annotations

from html import escape
from io import BytesIO
from typing import Any, Literal, NamedTuple, overload

from .errors import ArgumentError, LimitError, MathCanonError, install_command
from .expr import Expr, ExprLike, as_expr
from .notation.notations import render
from .notation.tree_nodes import TreeNode, tree_nodes

__all__ = [
    "DRAWINGS",
    "MAX_NODES",
    "MissingExtraError",
    "draw",
    "small_html",
    "small_svg",
    "tree_png",
    "tree_svg",
    "tree_text",
]

MAX_NODES = 2_000
DRAWINGS = ("svg", "png", "txt", "dot")

_LEVEL = 64.0  # from one level to the next
_GAP = 18.0  # between neighbours
_MARGIN = 8.0
_RADIUS = 16.0  # of an operator, and half the height of a box
_CORNER = 5.0
_BADGE = 9.0
_LETTER = 8.6  # the width of a letter in the 14 px monospace font
_SMALL = 100  # nodes that notebooks show as a picture
_LONGEST = 16  # letters in a box; a longer name is cut, the SVG shows the whole as a tooltip
_MAX_PIXELS = 16_000_000
_MAX_SIDE = 30_000  # pixels that common PNG viewers and matplotlib can handle
_BADGES = {"-": "−", "/": "÷"}

# Fill and line of each kind of shape, and the colours of text and edges, on light and on dark pages.
_LIGHT = {
    "operator": ("#ddf4ff", "#0969da"),
    "operand": ("#f6f8fa", "#57606a"),
    "number": ("#fff8c5", "#9a6700"),
    "badge": ("#ffebe9", "#cf222e"),
}
_DARK = {
    "operator": ("#0c2d4d", "#4493f8"),
    "operand": ("#21262d", "#8d96a0"),
    "number": ("#3a2c05", "#d29922"),
    "badge": ("#4c1519", "#f85149"),
}
_TEXT, _EDGE = "#24292f", "#8c959f"
_DARK_TEXT, _DARK_EDGE = "#e6edf3", "#6e7681"


class MissingExtraError(MathCanonError, ImportError):
    """An optional package that this feature needs is not installed."""


class _Box(NamedTuple):
    """A node with its position; x and y are those of its centre."""

    node: TreeNode
    x: float
    y: float
    half: float  # of the width
    text: str


@overload
def draw(expr: ExprLike, format: Literal["png"]) -> bytes: ...
@overload
def draw(expr: ExprLike, format: Literal["svg", "txt", "dot"] = "txt") -> str: ...
@overload
def draw(expr: ExprLike, format: str) -> str | bytes: ...
def draw(expr: ExprLike, format: str = "txt") -> str | bytes:
    """The tree of an expression as a drawing.

    Parameters
    ----------
    expr
        An expression or text.
    format
        "txt", "svg", "png" or "dot".

    Returns
    -------
    str or bytes
        Bytes for "png", else text.

    Raises
    ------
    ArgumentError
        If the format is unknown.
    LimitError
        If the tree has more than 2,000 nodes ("dot" has no such limit).

    Notes
    -----
    The cost is linear in the size of the tree.

    Examples
    --------
    >>> print(draw("a-b", "txt"))
    sum
    ├─ + a
    └─ - b
    """
    match format:
        case "svg":
            return tree_svg(expr)
        case "png":
            return tree_png(expr)
        case "txt":
            return tree_text(expr)
        case "dot":
            return render(as_expr(expr), "dot")
    raise ArgumentError(f"unknown drawing {format!r}; one of {', '.join(DRAWINGS)}")


def tree_text(expr: ExprLike) -> str:
    """The tree in box-drawing characters, one node a line, each after the operator that joins it to its siblings.

    Parameters
    ----------
    expr
        An expression or text.

    Returns
    -------
    str
        Lines of text, without a final line break.

    Raises
    ------
    LimitError
        If the tree has more than 2,000 nodes.

    Notes
    -----
    The cost is linear in the size of the tree.

    Examples
    --------
    >>> print(tree_text("a*(b-c)^2/3"))
    product
    ├─ * a
    ├─ * power 2
    │  └─ sum
    │     ├─ + b
    │     └─ - c
    └─ / 3
    """
    nodes = _limited_nodes(expr)
    children = _children(nodes)
    lines = []
    stack = [(0, "", "")]  # node, prefix of its line, prefix of the lines below it
    while stack:
        i, lead, below = stack.pop()
        node = nodes[i]
        words = (node.edge, "" if node.kind in ("operand", "number") else node.kind, node.value)
        lines.append(lead + _printable(" ".join([word for word in words if word])))
        for child in reversed(children[i]):
            last = child == children[i][-1]
            stack.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
    return "\n".join(lines)


def tree_svg(expr: ExprLike) -> str:
    """A self-contained SVG picture of the tree, for light and dark pages, with a title and description.

    Parameters
    ----------
    expr
        An expression or text.

    Returns
    -------
    str
        The text of an SVG file.

    Raises
    ------
    LimitError
        If the tree has more than 2,000 nodes.

    Notes
    -----
    The cost is linear in the size of the tree.

    References
    ----------
    The layout is after Reingold and Tilford, *Tidier Drawings of Trees*, 1981.

    Examples
    --------
    >>> svg = tree_svg("a-b")
    >>> svg.startswith("<svg"), "<title>a-b</title>" in svg
    (True, True)
    """
    expr = as_expr(expr)
    boxes, width, height = _layout(_limited_nodes(expr))
    edges, badges, shapes = [], [], []
    for box in boxes:
        if box.node.parent is not None:
            parent = boxes[box.node.parent]
            edges.append(f"M{parent.x:.1f} {parent.y:.1f}L{box.x:.1f} {box.y:.1f}")
            if box.node.edge in _BADGES:
                x, y = _badge_place(parent, box)
                badges.append(f'<circle class="badge" cx="{x:.1f}" cy="{y:.1f}" r="{_BADGE:g}"/>')
                badges.append(f'<text x="{x:.1f}" y="{y + 4.5:.1f}">{_BADGES[box.node.edge]}</text>')
        shapes += [_svg_shape(box), f'<text x="{box.x:.1f}" y="{box.y + 4.5:.1f}">{_escaped(box.text)}</text>']
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mc-tree" role="img" {size}>',
        f"<title>{_escaped(_cut(str(expr), 200))}</title>",
        f"<desc>{_escaped(_description(boxes))}</desc>",
        f"<style>\n{_style()}\n</style>",
        *([f'<path d="{"".join(edges)}"/>'] if edges else []),
        *badges,
        *shapes,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def small_svg(expr: Expr) -> str | None:
    """What notebooks show of an expression: `tree_svg` of at most 100 nodes, None for a larger tree."""
    return tree_svg(expr) if expr.size <= _SMALL else None


def small_html(expr: Expr) -> str | None:
    """The same as HTML, with the expression below its tree.

    >>> small_html(as_expr("a-b")).endswith("<figcaption><code>a-b</code></figcaption></figure>")
    True
    """
    svg = small_svg(expr)
    if svg is None:
        return None
    caption = f"<figcaption><code>{_escaped(_cut(str(expr), 200))}</code></figcaption>"
    return f'<figure style="margin: 0; overflow-x: auto">{svg}{caption}</figure>'


def tree_png(expr: ExprLike, *, scale: float = 2.0) -> bytes:
    """A PNG picture of the tree on white; needs matplotlib.

    Parameters
    ----------
    expr
        An expression or text.
    scale
        Pixels to a unit of the SVG; fewer are taken where the tree is very large.

    Returns
    -------
    bytes
        The content of a PNG file.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    LimitError
        If the tree has more than 2,000 nodes.

    Notes
    -----
    The cost is linear in the size of the tree, plus the drawing by matplotlib.

    Examples
    --------
    >>> tree_png("a-b")[:4]
    b'\\x89PNG'
    """
    try:
        from matplotlib.collections import LineCollection
        from matplotlib.figure import Figure
        from matplotlib.patches import Circle, FancyBboxPatch
    except ImportError:
        needs = f"drawing a PNG needs matplotlib, SVG and text do not: {install_command('draw')}"
        raise MissingExtraError(needs) from None

    boxes, width, height = _layout(_limited_nodes(expr))
    scale = min(scale, _MAX_SIDE / max(width, height), (_MAX_PIXELS / (width * height)) ** 0.5)
    dots = 72 * scale  # so that one point is one unit of the layout
    figure = Figure(figsize=(width / 72, height / 72), dpi=dots, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()

    def write(x: float, y: float, text: str) -> None:
        font: dict[str, Any] = {"fontsize": 14, "family": "monospace", "color": _TEXT, "parse_math": False}
        axes.text(x, y, text, ha="center", va="center_baseline", zorder=4, **font)

    edges = []
    for box in boxes:
        kind = _shape_kind(box)
        fill, line = _LIGHT[kind]
        look: dict[str, Any] = {"facecolor": fill, "edgecolor": line, "linewidth": 1.5, "zorder": 3}
        if kind == "operator" and box.half <= _RADIUS:
            axes.add_patch(Circle((box.x, box.y), _RADIUS, **look))
        else:
            corner, rounding = (box.x - box.half, box.y - _RADIUS), _RADIUS if kind == "operator" else _CORNER
            style = f"round,pad=0,rounding_size={rounding}"
            axes.add_patch(FancyBboxPatch(corner, 2 * box.half, 2 * _RADIUS, style, **look))
        write(box.x, box.y, box.text)
        if box.node.parent is not None:
            parent = boxes[box.node.parent]
            edges.append([(parent.x, parent.y), (box.x, box.y)])
            if box.node.edge in _BADGES:
                x, y = _badge_place(parent, box)
                fill, line = _LIGHT["badge"]
                axes.add_patch(Circle((x, y), _BADGE, facecolor=fill, edgecolor=line, linewidth=1.2, zorder=2))
                write(x, y, _BADGES[box.node.edge])
    axes.add_collection(LineCollection(edges, colors=_EDGE, linewidths=1.5, zorder=1))
    out = BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


def _limited_nodes(expr: ExprLike) -> list[TreeNode]:
    expr = as_expr(expr)
    if expr.size > MAX_NODES:
        raise LimitError("the number of nodes to draw", expr.size, MAX_NODES, hint="draw a part, or write DOT")
    return tree_nodes(expr)


def _children(nodes: list[TreeNode]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        if node.parent is not None:
            children[node.parent].append(i)
    return children


def _layout(nodes: list[TreeNode]) -> tuple[list[_Box], float, float]:
    """Each node with its place, and the width and height of the whole."""
    texts = [_cut(_printable(node.label), _LONGEST) for node in nodes]
    halves = [max(_RADIUS, len(text) * _LETTER / 2 + 7) for text in texts]
    children = _children(nodes)
    offset = [0.0] * len(nodes)  # of a node's centre from its parent's
    outlines: list[tuple[list[float], list[float]]] = [([], [])] * len(nodes)
    for i in reversed(range(len(nodes))):
        left, right = _stand_side_by_side(children[i], outlines, offset)
        # The deepest level comes first, so that a new level on top is appended.
        outlines[i] = ([*left, -halves[i]], [*right, halves[i]])
    left, right = outlines[0]
    x, y = [_MARGIN - min(left)] * len(nodes), [_MARGIN + _RADIUS] * len(nodes)
    for i, node in enumerate(nodes):
        if node.parent is not None:
            x[i], y[i] = x[node.parent] + offset[i], y[node.parent] + _LEVEL
    boxes = [_Box(*place) for place in zip(nodes, x, y, halves, texts, strict=True)]
    return boxes, max(right) - min(left) + 2 * _MARGIN, (len(left) - 1) * _LEVEL + 2 * (_RADIUS + _MARGIN)


def _stand_side_by_side(
    children: list[int], outlines: list[tuple[list[float], list[float]]], offset: list[float]
) -> tuple[list[float], list[float]]:
    """The outline of some subtrees side by side, relative to the middle above them; sets their `offset`."""
    left: list[float] = []
    right: list[float] = []
    for child in children:
        its_left, its_right = outlines[child]
        common = min(len(right), len(its_left))
        shift = max([right[-k] - its_left[-k] + _GAP for k in range(1, common + 1)], default=0.0)
        offset[child] = shift
        # The new subtree is the right outline; it adds to the left one only at levels below the earlier subtrees.
        left = [x + shift for x in its_left[: len(its_left) - common]] + left
        right = right[: len(right) - common] + [x + shift for x in its_right]
        outlines[child] = ([], [])
    if not children:
        return left, right
    middle = (offset[children[0]] + offset[children[-1]]) / 2
    for child in children:
        offset[child] -= middle
    return [x - middle for x in left], [x - middle for x in right]


def _badge_place(parent: _Box, box: _Box) -> tuple[float, float]:
    """On the edge, just above the child, where siblings' edges are furthest apart."""
    share = (_RADIUS + _BADGE + 3) / _LEVEL
    return box.x + (parent.x - box.x) * share, box.y + (parent.y - box.y) * share


def _shape_kind(box: _Box) -> str:
    return box.node.kind if box.node.kind in _LIGHT else "operator"


def _svg_shape(box: _Box) -> str:
    kind = _shape_kind(box)
    if kind == "operator" and box.half <= _RADIUS:
        return f'<circle class="operator" cx="{box.x:.1f}" cy="{box.y:.1f}" r="{_RADIUS:g}"/>'
    place = f'x="{box.x - box.half:.1f}" y="{box.y - _RADIUS:.1f}" width="{2 * box.half:.1f}" height="{2 * _RADIUS:g}"'
    rounding = _RADIUS if kind == "operator" else _CORNER
    tooltip = f"<title>{_escaped(box.node.label)}</title>" if box.text != box.node.label else ""
    return f'<rect class="{kind}" {place} rx="{rounding:g}">{tooltip}</rect>'


def _style() -> str:
    def colours(shapes: dict[str, tuple[str, str]], text: str, edge: str) -> list[str]:
        rules = [f".mc-tree .{kind} {{ fill: {fill}; stroke: {line}; }}" for kind, (fill, line) in shapes.items()]
        return [f".mc-tree {{ color: {text}; }}", f".mc-tree path {{ stroke: {edge}; }}", *rules]

    lines = [
        ".mc-tree { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }",
        ".mc-tree path, .mc-tree rect, .mc-tree circle { stroke-width: 1.5; }",
        ".mc-tree text { fill: currentColor; text-anchor: middle; }",
        *colours(_LIGHT, _TEXT, _EDGE),
        "@media (prefers-color-scheme: dark) {",
        *colours(_DARK, _DARK_TEXT, _DARK_EDGE),
        "}",
    ]
    return "\n".join(lines)


def _description(boxes: list[_Box]) -> str:
    kinds = [box.node.kind for box in boxes]
    counts = [(kinds.count(kind), kind) for kind in ("operand", "number", "sum", "product", "power")]
    return "Expression tree: " + ", ".join([f"{n} {kind}{'s' * (n > 1)}" for n, kind in counts if n])


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join([c if c.isprintable() else "\ufffd" for c in text])


def _escaped(text: str) -> str:
    return escape(_printable(text))
