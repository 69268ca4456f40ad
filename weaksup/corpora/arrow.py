"""Arrow tables: Parquet files, and Hugging Face datasets that `save_to_disk` wrote.

Both are read by pyarrow, batch by batch.  A saved dataset is a folder with `state.json`, which names its Arrow files; a
`DatasetDict` is a folder of such folders, whose names are the parts.  Nothing in the files is executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import Any

from mathcanon.errors import install_command

from ..errors import ConfigError, DataError
from ..storage.whole_files import open_unpacked
from .data_files import MAX_BYTES, read_text
from .own_data import own_reader
from .records_json import Record

__all__ = [
    "DATASET_FILES",
    "PARQUET_FILES",
    "STATE",
    "dataset_files",
    "dataset_rows",
    "parquet_rows",
    "plain_value",
    "read_dataset",
    "read_parquet",
]

PARQUET_FILES = ({"train": "train.parquet", "valid": "valid.parquet", "test": "test.parquet"},)
STATE = "state.json"
DATASET_FILES = (
    {"train": f"train/{STATE}", "valid": f"validation/{STATE}", "test": f"test/{STATE}"},
    {"": STATE},
)
_ROWS_AT_ONCE = 4096


def parquet_rows(path: Path) -> Iterator[Record]:
    """Each row of a Parquet file in order; its number stands for the line."""
    pyarrow = _load_pyarrow("parquet")
    with open_unpacked(path) as file:
        try:
            table = pyarrow.parquet.ParquetFile(file)
            groups = range(table.metadata.num_row_groups)
            if sum(table.metadata.row_group(i).total_byte_size for i in groups) > MAX_BYTES:
                raise DataError(f"the file has more than {MAX_BYTES:,} bytes when decompressed", path=str(path))
            yield from _rows(table.iter_batches(_ROWS_AT_ONCE), path, start=1)
        except pyarrow.ArrowException as error:
            raise DataError(f"not a Parquet file that can be read: {error}", path=str(path)) from error


def dataset_rows(path: Path) -> Iterator[Record]:
    """Each row of a saved dataset in order, given the path of its `state.json`."""
    pyarrow = _load_pyarrow("dataset")
    start = 1
    for shard in dataset_files(path)[1:]:
        with open_unpacked(shard) as file:
            try:
                for record in _rows(pyarrow.ipc.open_stream(file), shard, start=start):
                    yield record
                    start = record.line + 1
            except pyarrow.ArrowException as error:
                raise DataError(f"not an Arrow file that can be read: {error}", path=str(shard)) from error


def dataset_files(path: Path) -> list[Path]:
    """`state.json` and the Arrow files that it names, which must be beside it."""
    text = read_text(path)
    try:
        names = [one["filename"] for one in json.loads(text)["_data_files"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError("not the state of a dataset written by save_to_disk", path=str(path)) from error
    if strange := [name for name in names if not isinstance(name, str) or Path(name).name != name]:
        raise DataError(f"a data file must be in the folder of the dataset: {strange[0]!r}", path=str(path))
    return [path, *[path.parent / name for name in names]]


def _rows(batches: Any, path: Path, *, start: int) -> Iterator[Record]:
    number = start
    for batch in batches:
        for row in batch.to_pylist():
            yield Record({name: plain_value(value) for name, value in row.items()}, path, number)
            number += 1


def plain_value(value: Any) -> Any:
    """A cell as a JSON value: decimals as text, numpy scalars as Python numbers, NaN and pandas' NA as null."""
    if isinstance(value, Decimal):
        return str(value)
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    missing = (isinstance(value, float) and isnan(value)) or type(value).__name__ in ("NAType", "NaTType")
    return None if missing else value


def _load_pyarrow(what: str) -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(f"{what} files need pyarrow: {install_command('parquet')}") from None
    return pyarrow


#: The problems of a table, in order.
read_parquet, read_dataset = own_reader(parquet_rows), own_reader(dataset_rows)
