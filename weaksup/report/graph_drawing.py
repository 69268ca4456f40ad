"""A picture of the graphs that G2T builds for a problem: PNG or SVG, drawn with networkx and matplotlib.

Only tokens with an edge are shown, in the order of the text: quantities and the question word in a row, the words of
their cells below.  Comparisons are arrows above the row, from the larger quantity to the smaller one; dashed arcs
connect cells that share a word.  If no installed font has the letters, words are labelled by their position in the
text, and `draw_graph` returns the words that the labels stand for.  An SVG adapts to light and dark screens.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mathcanon.drawing import MissingExtraError
from mathcanon.errors import install_command
from mathcanon.files import AnyPath, whole_file

from ..errors import ConfigError
from ..records import Problem
from ..solvers.data.graphs import Cell, find_cells, make_graphs, shared_words
from .palette import with_dark_colours

if TYPE_CHECKING:
    import networkx

__all__ = ["PICTURES", "draw_graph", "problem_graph"]

PICTURES = (".png", ".svg")

_COMPARISON, _CELL = "#cf222e", "#0969da"
#: What each colour of an SVG becomes on dark screens.
_DARK = {
    "#ffffff": "#0d1117", "#cf222e": "#ff7b72", "#0969da": "#58a6ff", "#fff8c5": "#4d3800", "#9a6700": "#d29922",
    "#dafbe1": "#12361f", "#1a7f37": "#3fb950", "#f6f8fa": "#21262d", "#57606a": "#8b949e",
}  # fmt: skip
_DARK_INK = "#e6edf3"
_FILLS = {"quantity": ("#fff8c5", "#9a6700"), "asked": ("#dafbe1", "#1a7f37"), "word": ("#f6f8fa", "#57606a")}
_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "comparison": ("larger to smaller", {"edge_color": _COMPARISON, "width": 1.4, "arrowstyle": "-|>"}),
    "cell": ("a quantity and its words", {"edge_color": _CELL, "width": 1.2, "arrowstyle": "-"}),
    "shared": ("cells that share a word", {"edge_color": _CELL, "width": 1.2, "arrowstyle": "-", "style": "dashed"}),
}
# All lengths are inches.
_FONT_POINTS = 11
_LETTER, _WIDE_LETTER, _PAD = 0.095, 0.16, 0.16
_GAP = 0.2  # between the labels of a row
_STEP = 0.45  # the least distance between the centres of two nodes
_ROW = 0.6  # from one row to the next
_ARC, _ARC_MORE = 0.45, 0.3  # the height of an arc between neighbours, and what each node in between adds
_LEGEND, _LEAST_WIDTH = 0.5, 7.0
_MAX_PIXELS, _MAX_SIDE = 40_000_000, 30_000


def problem_graph(problem: Problem, cells: Sequence[Cell] | None = None) -> networkx.MultiDiGraph:
    """Both graphs as one networkx graph: nodes are token positions with `text` and `role`, edges have a `kind`.

    Kinds: `comparison` (larger to smaller), `cell` (centre to word) and `shared` (between centres, with the `word`).
    """
    import networkx

    found = find_cells(problem) if cells is None else cells
    quantities = {quantity.token for quantity in problem.quantities}
    graph = networkx.MultiDiGraph()
    for centre in sorted(quantities | {cell.centre for cell in found}):
        graph.add_node(centre, text=problem.tokens[centre], role="quantity" if centre in quantities else "asked")
    for cell in found:
        for word in cell.words:
            if word not in graph:
                graph.add_node(word, text=problem.tokens[word], role="word")
            graph.add_edge(cell.centre, word, kind="cell")
    for (one, other), text in shared_words(problem, found).items():
        graph.add_edge(one, other, kind="shared", word=text)
    for larger, smaller in make_graphs(problem, found).comparisons:
        graph.add_edge(larger, smaller, kind="comparison")
    return graph


def draw_graph(problem: Problem, path: AnyPath, cells: Sequence[Cell] | None = None) -> dict[str, str]:
    """Write a picture of the graphs, and return the words that labels such as `#3` stand for (see the module).

    Raises ConfigError for another file ending than those of `PICTURES`, and MissingExtraError without matplotlib.
    """
    ending = Path(path).suffix.lower()
    if ending not in PICTURES:
        raise ConfigError(f"{path}: the name of a picture must end in {' or '.join(PICTURES)}")
    graph = problem_graph(problem, cells)
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(f"drawing a graph needs matplotlib: {install_command('draw')}") from None
    labels: dict[int, str] = dict(graph.nodes(data="text"))
    font = _font_with("".join(labels.values()))
    stands_for: dict[str, str] = {}
    if font is None:
        stands_for = {f"#{node}": text for node, text in sorted(labels.items()) if not text.isascii()}
        labels = {node: text if text.isascii() else f"#{node}" for node, text in labels.items()}
    places, width = _layout(graph, labels)
    centres = [node for node, role in graph.nodes(data="role") if role != "word"]
    top = _ROW / 2 + _ARC + _ARC_MORE * max(0, len(centres) - 2)
    bottom = -2.5 * _ROW - _LEGEND
    figure = Figure(figsize=(width, top - bottom), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(bottom, top))
    axes.set_axis_off()
    _draw_edges(axes, graph, places, centres)
    for node, role in graph.nodes(data="role"):
        fill, line = _FILLS[role]
        box = {"boxstyle": f"round,pad={_PAD * 72 / 2 / _FONT_POINTS}", "facecolor": fill, "edgecolor": line}
        look: dict[str, Any] = {"fontsize": _FONT_POINTS, "parse_math": False, "bbox": box, "zorder": 3}
        axes.text(*places[node], labels[node], ha="center", va="center_baseline", fontproperties=font, **look)
    _draw_legend(axes, graph)
    dots = min(150.0, _MAX_SIDE / width, (_MAX_PIXELS / (width * (top - bottom))) ** 0.5)
    out = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "graph"}):  # makes the bytes reproducible
        figure.savefig(out, format=ending[1:], dpi=dots, metadata={"Date": None} if ending == ".svg" else None)
    picture = out.getvalue()
    if ending == ".svg":
        picture = with_dark_colours(picture.decode(), _DARK, ink=_DARK_INK).encode()
    with whole_file(path) as file:
        file.write(picture)
    return stands_for


def _layout(graph: networkx.MultiDiGraph, labels: dict[int, str]) -> tuple[dict[int, tuple[float, float]], float]:
    """The centre of each node and the width of the picture: text order, centres above, words on two rows below."""
    lower = _lower_words(graph)
    ends = [0.0, 0.0, 0.0]  # of the rows
    places: dict[int, tuple[float, float]] = {}
    x = 0.0
    for node in sorted(graph):
        row = 0 if graph.nodes[node]["role"] != "word" else 2 if node in lower else 1
        half = _PAD + sum(_LETTER if letter.isascii() else _WIDE_LETTER for letter in labels[node]) / 2
        x = max(x + _STEP, ends[row] + _GAP + half)
        ends[row] = x + half
        places[node] = (x, -row * _ROW)
    return places, max(_LEAST_WIDTH, *(end + _GAP for end in ends))


def _lower_words(graph: networkx.MultiDiGraph) -> set[int]:
    """The words of the lower row: those between a centre and a farther word of its cell, so no line crosses a label."""
    cells: dict[int, list[int]] = {}
    for centre, word, kind in graph.edges(data="kind"):
        if kind == "cell":
            cells.setdefault(word, []).append(centre)
    return {
        word
        for word, centres in cells.items()
        if len(centres) == 1
        and any(
            abs(other - centres[0]) > abs(word - centres[0]) and (other < centres[0]) == (word < centres[0])
            for other in cells
            if centres[0] in cells[other]
        )
    }


def _draw_edges(
    axes: Any, graph: networkx.MultiDiGraph, places: dict[int, tuple[float, float]], centres: Sequence[int]
) -> None:
    """Draw cells as straight lines, and arcs above the row between centres: higher if farther apart or a comparison."""
    import networkx

    order = {node: i for i, node in enumerate(sorted(centres))}
    above = {node: (x, y + _ROW / 4) for node, (x, y) in places.items()}
    for one, other, key, kind in graph.edges(keys=True, data="kind"):
        bend = 0.0
        if kind != "cell":
            height = _ARC + _ARC_MORE * (abs(order[one] - order[other]) - 1) - (0.2 if kind == "shared" else 0.0)
            # An arc3 is a Bezier curve that rises by half its bend times its length, to the left of its direction.
            bend = 2 * height / (places[one][0] - places[other][0])
        networkx.draw_networkx_edges(
            graph,
            places if kind == "cell" else above,
            edgelist=[(one, other, key)],
            ax=axes,
            connectionstyle=f"arc3,rad={bend}",
            node_size=0,
            **_KINDS[kind][1],
        )


def _draw_legend(axes: Any, graph: networkx.MultiDiGraph) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown = {kind for _, _, kind in graph.edges(data="kind")}
    lines = [
        Line2D([], [], color=look["edge_color"], label=text, linestyle=look.get("style", "solid"))
        for kind, (text, look) in _KINDS.items()
        if kind in shown
    ]
    handles: list[Any] = lines
    if "asked" in dict(graph.nodes(data="role")).values():
        fill, line = _FILLS["asked"]
        handles = [*lines, Patch(facecolor=fill, edgecolor=line, label="asked for")]
    axes.legend(handles=handles, loc="lower center", ncols=4, frameon=False, fontsize=9)


def _font_with(letters: str) -> Any:
    """A font that has all these letters, the default font if possible; None if there is none."""
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    wanted = {ord(letter) for letter in letters}
    default = FontProperties()
    paths = [fontManager.findfont(default), *sorted({font.fname for font in fontManager.ttflist})]
    for path in paths:
        font = get_font(path)
        # The Last Resort font has an empty box for every letter.
        if "Last Resort" not in font.family_name and wanted <= font.get_charmap().keys():
            return default if path == paths[0] else FontProperties(fname=path)
    return None
