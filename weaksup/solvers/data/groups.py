"""Cells from the `group_num` file that was published with Graph2Tree for Math23K.

For each problem the file has a flat list of token positions, cell after cell.  The lists were made for a different
segmentation than that of the published texts: many point past the end or miss the numbers.  A list is therefore used
only if it fits: all positions lie within the text and every quantity is among them.  The other problems keep the cells
that `graphs.py` finds; `align_groups` reports how many.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from mathcanon.files import AnyPath

from ...errors import DataError
from ...records import Problem
from ...storage.whole_files import read_file
from .graphs import Cell, is_word

__all__ = ["align_groups", "group_cells", "read_group_num"]

Places = tuple[int, ...]


def read_group_num(path: AnyPath) -> dict[str, Places]:
    """The lists by problem id, from a JSON object of arrays, plain or gzipped; raises DataError for anything else."""
    try:
        return msgspec.json.decode(read_file(path), type=dict[str, Places])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DataError(f"not a JSON object of lists of token positions: {error}", path=os.fspath(path)) from error


def align_groups(
    problems: Iterable[Problem], groups: Mapping[str, Sequence[int]]
) -> tuple[dict[str, tuple[Cell, ...]], Counter[str]]:
    """The cells of the problems whose list fits, by id, and the number of problems with each outcome.

    Outcomes: `fits`, `place past the end`, `quantity not listed`, `no list`.
    """
    cells: dict[str, tuple[Cell, ...]] = {}
    outcomes: Counter[str] = Counter()
    for problem in problems:
        places = groups.get(problem.id)
        if places is None:
            outcomes["no list"] += 1
        elif not all(0 <= place < len(problem.tokens) for place in places):
            outcomes["place past the end"] += 1
        elif not {quantity.token for quantity in problem.quantities} <= set(places):
            outcomes["quantity not listed"] += 1
        else:
            cells[problem.id] = group_cells(problem, places)
            outcomes["fits"] += 1
    return cells, outcomes


def group_cells(problem: Problem, places: Iterable[int]) -> tuple[Cell, ...]:
    """The cells of a list that fits.

    A run is a maximal sequence of consecutive positions.  A word belongs to the nearest quantity of its run, or to both
    if they are equally near.  A run without a quantity becomes the cell of its middle word: in the published file it
    marks the question.
    """
    quantities = {quantity.token for quantity in problem.quantities}
    cells: dict[int, list[int]] = {}
    for run in _runs(sorted(set(places))):
        centres = [place for place in run if place in quantities] or [run[len(run) // 2]]
        for centre in centres:
            cells.setdefault(centre, [])
        for place in run:
            if place in centres or not is_word(problem.tokens[place]):
                continue
            near = min(abs(place - centre) for centre in centres)
            for centre in centres:
                if abs(place - centre) == near:
                    cells[centre].append(place)
    return tuple(Cell(centre, tuple(words)) for centre, words in sorted(cells.items()))


def _runs(places: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
