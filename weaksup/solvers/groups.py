"""Cells from the `group_num` file that was published with Graph2Tree for Math23K.

For each problem it has a flat list of token places, the cells one after the other.  They were made on another
segmentation than the published texts have: many lists point past the end or beside the numbers.
So a list is used only where it fits, all places within the text and every quantity among them; the other problems keep
the cells of the rule in `graphs.py`, and how many do is a result.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ..errors import DataError
from ..files import AnyPath
from ..records import Problem
from .graphs import Cell, is_word

__all__ = ["align_groups", "group_cells", "read_group_num"]

Places = tuple[int, ...]


def read_group_num(path: AnyPath) -> dict[str, Places]:
    """The lists of the file by problem id: a JSON object of arrays, plain or gzipped; DataError for anything else."""
    try:
        raw = Path(path).read_bytes()
        return msgspec.json.decode(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, type=dict[str, Places])
    except (msgspec.MsgspecError, EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        raise DataError(f"not an object of lists of token places: {error}", path=os.fspath(path)) from error


def align_groups(
    problems: Iterable[Problem], groups: Mapping[str, Sequence[int]]
) -> tuple[dict[str, tuple[Cell, ...]], Counter[str]]:
    """The cells of the problems whose list fits, by id, and how many lists do, by outcome.

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

    Places in a row are a run.  A word belongs to the nearest quantity of its run, to both if they are equally near.
    A run without a quantity is the cell of its middle word: as published, what is asked for.
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
