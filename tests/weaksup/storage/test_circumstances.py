"""The circumstances of a run are noted once."""

from __future__ import annotations

from pathlib import Path

from weaksup.storage.circumstances import note_circumstances, read_circumstances


def test_a_resumed_run_keeps_the_circumstances_of_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    assert read_circumstances(path) is None
    note_circumstances(path, command="mwp-weak pipeline", threads=2)
    note_circumstances(path, command="mwp-weak pipeline --resume", threads=1)
    found = read_circumstances(path)
    assert found is not None
    assert (found.command, found.threads, found.workers) == ("mwp-weak pipeline", 2, None)
    assert "mathcanon" in found.versions and found.begun.endswith(" UTC")
