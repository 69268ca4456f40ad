"""Draws `images/map.svg` for the page `map.md`: the parts of the packages and what imports what, from the code.

A part is a folder or a module of a package.  An arrow leads from a part to one that it imports; an arrow that follows
from others is left out.  A part stands below everything that imports it.  The numbers in circles are the two paths that
the page describes, read from its numbered lists.  Run it when a test says that the drawing is out of date:

    python docs/draw_map.py
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from itertools import count, pairwise
from pathlib import Path

import grimp
import networkx as nx

from weaksup.report.palette import with_dark_colours

DOCS = Path(__file__).resolve().parent
PAGE, PICTURE = DOCS / "map.md", DOCS / "images" / "map.svg"
FOLDERS = {"mwp_cli": "cli", "weaksup": "weaksup", "mathcanon": "mathcanon"}  # packages and folders, from the top down

WIDTH, ROW, BOX_HEIGHT, FLOOR_GAP, LETTER = 900, 58, 30, 34, 7.3
INK, LINE, FILE, FOLDER, FLOOR = "#24292f", "#8c959f", "#ffffff", "#dbe9f6", "#f6f8fa"
DARK = {INK: "#e6edf3", LINE: "#6e7681", FILE: "#0d1117", FOLDER: "#1c3a5a", FLOOR: "#161b22"}
PATHS = {"expression": "#0969da", "problem": "#bc4c00"}

Point = tuple[float, float]


def import_graph() -> nx.DiGraph:
    """The parts as paths, such as `weaksup/search/` or `mathcanon/expr.py`, and the imports between them."""
    found = grimp.build_graph(*FOLDERS, cache_dir=None)
    graph = nx.DiGraph()
    for module in sorted(found.modules):
        part = part_of(module)
        if part:
            graph.add_node(part)
            imported = {part_of(other) for other in found.find_modules_directly_imported_by(module)}
            graph.add_edges_from((part, other) for other in sorted(imported - {part, ""}))
    return graph


def part_of(module: str) -> str:
    """The part that a module stands in; none for the `__init__` of a package, which imports from all of them."""
    package, *inside = module.split(".")
    folder = FOLDERS[package]
    if package == "mwp_cli":
        return f"{folder}/"
    if not inside:
        return ""
    path = DOCS.parent / folder / inside[0]
    return f"{folder}/{inside[0]}/" if path.is_dir() else f"{folder}/{inside[0]}.py"


def paths(page: str) -> dict[str, list[str]]:
    """The parts on each path, in order, from the numbered lists of the page."""
    sections = re.split(r"^## ", page, flags=re.MULTILINE)
    return {
        name: re.findall(r"^\d+\. `([^`]+)`", section, flags=re.MULTILINE)
        for name in PATHS
        for section in sections
        if section.startswith(f"The path of one {name}")
    }


def rows_of(graph: nx.DiGraph) -> list[list[str]]:
    """The parts of one package in rows from the top down, each as near as it can be below what imports it.

    An arrow that passes a row has a place in it, named after both ends, so that no box stands in its way.
    """
    level: dict[str, int] = {}
    for part in reversed(list(nx.lexicographical_topological_sort(graph))):
        level[part] = 1 + max([level[other] for other in graph.successors(part)], default=-1)
    for part in nx.lexicographical_topological_sort(graph):
        level[part] = min([level[other] - 1 for other in graph.predecessors(part)], default=level[part])
    rows: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    for part in sorted(graph):
        rows[-1 - level[part]].append(part)
    for one, other in sorted(graph.edges):
        for between in range(level[other] + 1, level[one]):
            rows[-1 - between].append(_passing(one, other))
    for i in range(1, len(rows)):
        rows[i].sort(key=partial(_middle_above, graph=graph, above=rows[i - 1]))
    return rows


def _passing(one: str, other: str) -> str:
    return f"{one}>{other}"


def _middle_above(item: str, graph: nx.DiGraph, above: list[str]) -> float:
    """Where what leads to a part, or to a place of an arrow, stands in the row above, on the average."""
    one, _, other = item.partition(">")
    arrows = [(one, other)] if other else list(graph.in_edges(item))
    wanted = {end for arrow in arrows for end in (arrow[0], _passing(*arrow))}
    places = [(place + 0.5) / len(above) for place, thing in enumerate(above) if thing in wanted]
    return sum(places) / len(places) if places else 0.5


def draw(graph: nx.DiGraph, steps: dict[str, list[str]]) -> str:
    """The SVG text."""
    arrows = nx.transitive_reduction(graph)
    places: dict[str, Point] = {}
    bends: defaultdict[str, list[Point]] = defaultdict(list)
    floors: list[str] = []
    top = 10.0
    for folder in FOLDERS.values():
        inside = [part for part in graph if part.split("/")[0] == folder]
        rows = rows_of(nx.transitive_reduction(graph.subgraph(inside)))
        height = len(rows) * ROW + FLOOR_GAP - (ROW - BOX_HEIGHT) + 12
        floors.append(f'<rect x="10" y="{top:g}" width="{WIDTH - 20}" height="{height}" rx="8" fill="{FLOOR}"/>')
        floors.append(f'<text x="24" y="{top + 22:g}" font-weight="bold">{folder}</text>')
        for i, row in enumerate(rows):
            y = top + FLOOR_GAP + i * ROW + BOX_HEIGHT / 2
            gap = (WIDTH - 2 * sum(map(_half, row))) / (len(row) + 1)
            x = 0.0
            for item in row:
                x += gap + _half(item)
                if ">" in item:
                    bends[item].append((x, y))
                else:
                    places[item] = (x, y)
                x += _half(item)
        top += height + 14
    lines = [
        _arrow([places[one], *bends[_passing(one, other)], places[other]])
        for one, other in sorted(arrows.edges)
        if _same_floor(one, other)
    ]
    boxes = [_box(part, *places[part]) for part in sorted(places)]
    picture = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:g}" font-family="sans-serif" '
            f'font-size="13" fill="{INK}">',
            f'<rect width="{WIDTH}" height="{top:g}" fill="{FILE}"/>',
            f'<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto">'
            f'<path d="M0,0 L8,4 L0,8 z" fill="{LINE}"/></marker></defs>',
            *floors,
            *lines,
            *boxes,
            *_badges(steps, places),
            "</svg>\n",
        ]
    )
    return with_dark_colours(picture, DARK, ink=DARK[INK])


def _same_floor(one: str, other: str) -> bool:
    """Every part may import those of the floors below; arrows to there would hide the others."""
    return one.split("/")[0] == other.split("/")[0]


def _half(part: str) -> float:
    """Half the width of a box, or of the place of an arrow."""
    return 6 if ">" in part else LETTER * len(_label(part)) / 2 + 10


def _label(part: str) -> str:
    return part if part == "cli/" else part.partition("/")[2]


def _arrow(points: list[Point]) -> str:
    """A line from box to box, straight down where it passes a row."""
    half = BOX_HEIGHT / 2
    ends = [(points[0][0], points[0][1] + half)]
    for x, y in points[1:-1]:
        ends += [(x, y - half), (x, y + half)]
    ends.append((points[-1][0], points[-1][1] - half))
    curve = f"M{ends[0][0]:.0f},{ends[0][1]:.0f}"
    for (x, y), (to_x, to_y) in pairwise(ends):
        middle = (y + to_y) / 2
        curve += f" C{x:.0f},{middle:.0f} {to_x:.0f},{middle:.0f} {to_x:.0f},{to_y:.0f}"
    return f'<path d="{curve}" fill="none" stroke="{LINE}" marker-end="url(#tip)"/>'


def _box(part: str, x: float, y: float) -> str:
    fill, half = FOLDER if part.endswith("/") else FILE, _half(part)
    return (
        f'<rect x="{x - half:.0f}" y="{y - BOX_HEIGHT / 2:.0f}" width="{2 * half:.0f}" height="{BOX_HEIGHT}" rx="5" '
        f'fill="{fill}" stroke="{LINE}"/>'
        f'<text x="{x:.0f}" y="{y + 4.5:.1f}" text-anchor="middle">{_label(part)}</text>'
    )


def _badges(steps: dict[str, list[str]], places: dict[str, Point]) -> list[str]:
    """The steps of the paths as numbers in circles on the parts, beginning at the right corner."""
    taken: defaultdict[str, count[int]] = defaultdict(count)
    return [
        f'<g transform="translate({places[part][0] + _half(part) - 20 * next(taken[part]):.0f},'
        f'{places[part][1] - BOX_HEIGHT / 2:.0f})"><circle r="9" fill="{PATHS[name]}"/>'
        f'<text y="4" text-anchor="middle" font-size="11" fill="white">{number}</text></g>'
        for name, parts in steps.items()
        for number, part in enumerate(parts, 1)
    ]


if __name__ == "__main__":
    PICTURE.write_text(draw(import_graph(), paths(PAGE.read_text("utf-8"))), encoding="utf-8")
