"""A minute of random texts: coverage-guided with atheris where it is installed, else with hypothesis."""

import importlib.util
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from .checks import check, check_pair
from .corpus import TEXTS
from .texts import any_text, pairs

SECONDS = 60


def run_for(seconds: float, test: Callable[..., None], *strategies: st.SearchStrategy[Any]) -> None:
    """Examples with ever new seeds until the time is over; hypothesis shrinks and shows what fails."""
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        quiet = settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        quiet(seed(secrets.randbits(32))(given(*strategies)(test)))()


@settings(max_examples=100, deadline=None)
@given(any_text())
def test_a_few_random_texts(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(pairs())
def test_a_few_random_pairs(pair: tuple[str, str]) -> None:
    check_pair(*pair)


@pytest.mark.slow
def test_random_texts_for_a_minute() -> None:
    run_for(SECONDS / 2, check, any_text())
    run_for(SECONDS / 2, lambda pair: check_pair(*pair), pairs())


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris")
def test_coverage_guided_texts_for_a_minute(tmp_path: Path) -> None:
    start, finds = tmp_path / "start", tmp_path / "finds"
    for folder in (start, finds):
        folder.mkdir()
    for i, text in enumerate(text for text in TEXTS if len(text) < 400):
        (start / str(i)).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tests.fuzz.with_atheris", str(start), f"-max_total_time={SECONDS}"]
    root = Path(__file__).parents[2]
    done = subprocess.run([*command, f"-artifact_prefix={finds}/"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
