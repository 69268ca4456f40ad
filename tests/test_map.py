"""The map of the code: its tables list every part, its paths lead through parts, its drawing shows the imports."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAP = runpy.run_path(str(ROOT / "docs" / "draw_map.py"))
PAGE = MAP["PAGE"].read_text("utf-8")


def parts_on_disk() -> list[str]:
    """The folders and modules of the two libraries, and the command line as one part."""
    found = ["cli/"]
    for package in ("weaksup", "mathcanon"):
        for path in (ROOT / package).iterdir():
            if (path / "__init__.py").exists():
                found.append(f"{package}/{path.name}/")
            elif path.suffix == ".py" and path.stem != "__init__":
                found.append(f"{package}/{path.name}")
    return sorted(found)


def test_the_tables_list_every_part_once() -> None:
    assert sorted(re.findall(r"^\| `([^`]+)` \|", PAGE, flags=re.MULTILINE)) == parts_on_disk()


def test_the_paths_lead_through_parts() -> None:
    paths = MAP["paths"](PAGE)
    assert sorted(paths) == ["expression", "problem"]
    for parts in paths.values():
        assert len(parts) > 1
        assert set(parts) <= set(parts_on_disk())


def test_the_drawing_is_that_of_the_imports() -> None:
    drawn = MAP["draw"](MAP["import_graph"](), MAP["paths"](PAGE))
    assert MAP["PICTURE"].read_text("utf-8") == drawn, "run python docs/draw_map.py"


def test_an_import_is_an_arrow_from_part_to_part() -> None:
    graph = MAP["import_graph"]()
    assert sorted(graph) == parts_on_disk()
    assert graph.has_edge("mathcanon/grading.py", "mathcanon/equality/")
    assert graph.has_edge("weaksup/search/", "mathcanon/reaching/")
    assert not graph.has_edge("mathcanon/equality/", "mathcanon/grading.py")


def test_a_part_stands_below_all_that_import_it() -> None:
    graph = MAP["import_graph"]()
    inside = graph.subgraph([part for part in graph if part.startswith("weaksup/")])
    rows = MAP["rows_of"](inside)
    row_of = {part: i for i, row in enumerate(rows) for part in row if ">" not in part}
    assert sorted(row_of) == sorted(inside)
    assert all(row_of[one] < row_of[other] for one, other in inside.edges)
