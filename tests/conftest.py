"""What all tests share.

Where the real data are: environment variable MATHCANON_DATA, by default `../shared/data` beside the repository.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines are shared, so nothing fails for being slow.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

_DIGITS = sys.get_int_max_str_digits()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the real data sets; a test that asks for it is skipped where they are not."""
    given = os.environ.get("MATHCANON_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (folder / "math23k").is_dir():
        pytest.skip(f"no data sets in {folder} (set MATHCANON_DATA)")
    return folder


@pytest.fixture(autouse=True)
def _keep_digit_limit() -> None:
    """The command line lifts Python's limit on the digits of integers; a test in the same process must not notice."""
    sys.set_int_max_str_digits(_DIGITS)
