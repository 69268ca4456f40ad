"""The table of rankers: every line can be called, and what a ranker does not have is refused."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from weaksup.errors import ConfigError
from weaksup.late_imports import find_name
from weaksup.rankers.table import RANKERS, check_rounds, rank_candidates, rank_with_draft
from weaksup.records import Label

from .problems import make_sets


def test_rankers_without_a_draft_read_candidate_sets_and_nothing_else() -> None:
    sets = make_sets(20, seed=9)
    plain = [name for name, ranker in RANKERS.items() if ranker.plain]
    assert plain == ["em", "random", "single"]
    for name in plain:
        assert list(inspect.signature(find_name(RANKERS[name].plain)).parameters)[:2] == ["sets", "seed"]
        labels = list(rank_candidates(name, sets, seed=0))
        assert labels and all(isinstance(label, Label) and label.ranker == name for label in labels)


@pytest.mark.parametrize("name", [name for name, ranker in RANKERS.items() if ranker.draft])
def test_rankers_with_a_draft_take_the_problems_and_the_draft(name: str) -> None:
    assert list(inspect.signature(find_name(RANKERS[name].draft)).parameters)[:3] == ["sets", "problems", "draft"]


def test_what_a_ranker_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="ranker basic needs a draft model"):
        rank_candidates("basic", [])
    with pytest.raises(ConfigError, match="ranker random does not use a model"):
        rank_with_draft("random", [], {}, None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="ranker beam trains one draft, not 2"):
        check_rounds("beam", 2)
    with pytest.raises(ConfigError, match="ranker single trains no drafts, not 1"):
        check_rounds("single", 1)
    check_rounds("em", 7)


def test_the_tables_load_neither_numpy_nor_torch() -> None:
    code = (
        "import sys, weaksup.rankers.table, weaksup.solvers.table;"
        "print([name for name in ('numpy', 'numba', 'torch') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
