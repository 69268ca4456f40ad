"""The map of the house: its tables are the folder list, its ways go through rooms, its drawing is that of the code."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAP = runpy.run_path(str(ROOT / "docs" / "draw_rooms.py"))
PAGE = MAP["PAGE"].read_text("utf-8")


def rooms_on_disk() -> list[str]:
    """The folders and modules of the two libraries, and the command line as one room."""
    found = ["cli/"]
    for package in ("weaksup", "mathcanon"):
        for path in (ROOT / package).iterdir():
            if (path / "__init__.py").exists():
                found.append(f"{package}/{path.name}/")
            elif path.suffix == ".py" and path.stem != "__init__":
                found.append(f"{package}/{path.name}")
    return sorted(found)


def test_the_tables_list_every_room_once() -> None:
    assert sorted(re.findall(r"^\| `([^`]+)` \|", PAGE, flags=re.MULTILINE)) == rooms_on_disk()


def test_the_ways_lead_through_rooms() -> None:
    ways = MAP["ways"](PAGE)
    assert sorted(ways) == ["expression", "problem"]
    for rooms in ways.values():
        assert len(rooms) > 1
        assert set(rooms) <= set(rooms_on_disk())


def test_the_drawing_is_that_of_the_imports() -> None:
    drawn = MAP["draw"](MAP["import_graph"](), MAP["ways"](PAGE))
    assert MAP["PICTURE"].read_text("utf-8") == drawn, "run python docs/draw_rooms.py"


def test_an_import_is_an_arrow_from_room_to_room() -> None:
    graph = MAP["import_graph"]()
    assert sorted(graph) == rooms_on_disk()
    assert graph.has_edge("mathcanon/grading.py", "mathcanon/equality/")
    assert graph.has_edge("weaksup/search/", "mathcanon/reaching/")
    assert not graph.has_edge("mathcanon/equality/", "mathcanon/grading.py")


def test_a_room_stands_below_all_that_import_it() -> None:
    graph = MAP["import_graph"]()
    inside = graph.subgraph([room for room in graph if room.startswith("weaksup/")])
    rows = MAP["rows_of"](inside)
    row_of = {room: i for i, row in enumerate(rows) for room in row if ">" not in room}
    assert sorted(row_of) == sorted(inside)
    assert all(row_of[one] < row_of[other] for one, other in inside.edges)
