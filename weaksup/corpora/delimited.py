"""Tables as text: csv and tsv with a header line, plain or gzip.

The delimiter of a csv is a comma, a semicolon (as spreadsheets write it in some countries), a vertical bar or a tab,
whichever the header line has most; that of a tsv is a tab.  Cells may be quoted.  A row with more or fewer cells than
the header is skipped with the reason, because its cells can't be assigned to columns.  Rows of empty cells, which
spreadsheets leave at the end of a table, count as blank lines.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from ..errors import DataError
from ..records import Skipped
from .data_files import read_text
from .own_data import own_reader
from .records_json import Record

__all__ = ["CSV_FILES", "TSV_FILES", "delimiter_of", "read_csv", "read_tsv", "table_rows"]

CSV_FILES = ({"train": "train.csv", "valid": "valid.csv", "test": "test.csv"},)
TSV_FILES = ({"train": "train.tsv", "valid": "valid.tsv", "test": "test.tsv"},)


def delimiter_of(header: str) -> str:
    """The delimiter of a csv file with this header line."""
    return max(",;|\t", key=header.count)


def table_rows(path: Path, *, delimiter: str = "") -> Iterator[Record | Skipped]:
    """Each row of a table in order; the delimiter of a csv is found by its header."""
    text = read_text(path)
    rows = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter or delimiter_of(text.partition("\n")[0]), strict=True
    )
    number, line = 0, 1
    try:
        header = [name.strip() for name in next(rows, [])]
        if not any(header):
            raise DataError("the file is empty: a header line is expected", path=str(path))
        if twice := [name for name in header if name and header.count(name) > 1]:
            raise DataError(f"two columns have the name {twice[0]!r}", path=str(path), line=1)
        line = rows.line_num + 1
        for cells in rows:
            if any(map(str.strip, cells)):  # not a blank line
                number += 1
                if len(cells) == len(header):
                    yield Record(dict(zip(header, cells, strict=True)), path, line)
                else:
                    detail = f"{len(cells)} cells, the header has {len(header)}"
                    yield Skipped(id=str(number), reason="row-damaged", detail=detail, line=line)
            line = rows.line_num + 1
        if not number:
            raise DataError(f"the table has no rows; its columns are {', '.join(header)[:200]}", path=str(path))
    except csv.Error as error:
        raise DataError(f"not a table: {error}", path=str(path), line=line) from error


def _tab_rows(path: Path) -> Iterator[Record | Skipped]:
    return table_rows(path, delimiter="\t")


#: The problems of a table, in order.
read_csv, read_tsv = own_reader(table_rows), own_reader(_tab_rows)
