"""The numbers of parameters that docs/howto/gpu.md states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from weaksup.solvers.data.vocabulary import Vocabulary
from weaksup.solvers.presets import PRESETS, preset
from weaksup.solvers.table import build_model

PAGE = Path(__file__).parents[4] / "docs" / "howto" / "gpu.md"
WORDS = tuple(f"word{number}" for number in range(4_000))
VOCABULARY = Vocabulary(words=WORDS, operators=("+", "-", "*", "/", "^"), constants=("1", "3.14"))


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "quick"])
def test_the_page_states_the_parameters_of_a_preset(name: str) -> None:
    row = re.search(rf"\| `{name}` \| ([\d.]+) million[^|]*\| ([\d.]+) million", PAGE.read_text(encoding="utf-8"))
    assert row
    for stated, solver in zip(row.groups(), ("gts", "g2t"), strict=True):
        model = build_model(preset(name, solver=solver)[0], VOCABULARY)
        millions = sum(parameter.numel() for parameter in model.parameters()) / 1e6
        digits = len(stated.partition(".")[2])
        assert round(millions, digits) == float(stated), solver
