"""One thread for all tests of the baselines: they are small, the machine is shared, and bytes depend on it."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
