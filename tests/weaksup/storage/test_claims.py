"""Claims: a new folder gets its record first, the same settings go on, and anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from weaksup.errors import ConfigError
from weaksup.storage.claims import claim_folder, differences

SETTINGS = {"plan": "full", "compare": ["random", "gold"], "limit": None}


def claim(folder: Path, settings: Mapping[str, Any] = SETTINGS) -> bool:
    return claim_folder(
        folder,
        "settings.json",
        settings,
        kind="run",
        read=lambda path: json.loads(path.read_bytes()),
        write=lambda path: path.write_bytes(json.dumps(settings).encode()),
        advice="Choose another",
    )


def test_a_new_folder_is_made_and_a_run_of_the_same_settings_goes_on(tmp_path: Path) -> None:
    assert not claim(tmp_path / "deep" / "run")
    assert json.loads((tmp_path / "deep" / "run" / "settings.json").read_bytes()) == SETTINGS
    (tmp_path / "deep" / "run" / "labels.jsonl").write_text("{}")
    assert claim(tmp_path / "deep" / "run")


def test_a_folder_with_what_a_killed_writer_left_is_free(tmp_path: Path) -> None:
    (tmp_path / ".mathcanon-0123456789abcdef.tmp").write_bytes(b"half of i")
    assert not claim(tmp_path)


def test_what_is_not_a_run_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for place in (tmp_path, tmp_path / "thesis.tex"):
        with pytest.raises(ConfigError, match=r"exists and holds no run\. Choose another$"):
            claim(place)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("thesis.tex", "years of work")]


def test_other_settings_are_refused_and_named(tmp_path: Path) -> None:
    claim(tmp_path / "run")
    before = (tmp_path / "run" / "settings.json").read_bytes()
    with pytest.raises(ConfigError) as caught:
        claim(tmp_path / "run", {"plan": "full", "compare": [], "limit": 5})
    assert str(caught.value) == (
        f"{tmp_path / 'run'} was made with other settings: "
        "compare was random, gold, now none; limit was not given, now 5. Choose another"
    )
    assert (tmp_path / "run" / "settings.json").read_bytes() == before


def test_what_goes_by_another_name_is_named_alone() -> None:
    assert list(differences({"name": "lbf", "walk": 5}, {"name": "warm", "draws": 5})) == ["name was lbf, now warm"]
    assert list(differences({"plan": {"name": "a", "x": 1}}, {"plan": {"name": "b"}})) == ["plan was a, now b"]
