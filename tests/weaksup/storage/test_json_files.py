"""A record in a file of its own: written, read, and told what it should be."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from weaksup.errors import DataError
from weaksup.storage.json_files import read_json, write_json


class Settings(msgspec.Struct):
    name: str
    sizes: dict[str, int] = {}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    record = Settings(name="\u9898", sizes={"train": 3})
    write_json(tmp_path / "settings.json", record)
    text = (tmp_path / "settings.json").read_text("utf-8")
    assert text == '{\n  "name": "\u9898",\n  "sizes": {\n    "train": 3\n  }\n}\n'
    assert read_json(tmp_path / "settings.json", Settings, what="settings") == record


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"name": 1}', b"\xff", b"[" * 100_000])
def test_damage_is_told_with_the_file_and_what_it_should_be(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_bytes(content)
    with pytest.raises(DataError, match=r"settings\.json: not the settings of a run: "):
        read_json(tmp_path / "settings.json", Settings, what="the settings of a run")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"settings\.json: cannot be read: No such file"):
        read_json(tmp_path / "settings.json", Settings, what="settings")
