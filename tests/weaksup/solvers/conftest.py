"""One thread for all tests of the solvers: they are small, the machine is shared, and bytes depend on it."""

from __future__ import annotations

import os

import pytest
import torch

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ["OMP_NUM_THREADS"] = "1"  # of the processes that tests start


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
