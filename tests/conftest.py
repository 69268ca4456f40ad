"""Where the real data are: environment variable MATHCANON_DATA, by default `../shared/data` beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the real data sets; a test that asks for it is skipped where they are not."""
    given = os.environ.get("MATHCANON_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (folder / "math23k").is_dir():
        pytest.skip(f"no data sets in {folder} (set MATHCANON_DATA)")
    return folder
