"""Files are read with a bound, and only regular ones."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from weaksup.errors import DataError
from weaksup.storage.json_lines import read_records
from weaksup.storage.whole_files import digest_file, read_file


def test_a_file_past_the_limit_is_told(tmp_path: Path) -> None:
    (tmp_path / "file.gz").write_bytes(gzip.compress(b"a" * 1000))
    assert read_file(tmp_path / "file.gz", limit=1000) == b"a" * 1000
    with pytest.raises(DataError, match=r"file\.gz: the file has more than 999 bytes"):
        read_file(tmp_path / "file.gz", limit=999)


@pytest.mark.parametrize("name", ["pipe", os.devnull])
def test_what_is_no_regular_file_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name  # an absolute name stays what it is
    if name == "pipe":
        os.mkfifo(path)
    for read in (lambda: list(read_records(path, dict)), lambda: digest_file(path), lambda: read_file(path)):
        with pytest.raises(DataError, match="not a regular file"):
            read()
