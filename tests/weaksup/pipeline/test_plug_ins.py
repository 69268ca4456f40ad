"""A ranker or a solver is one file and one line in one table: toys of each, and the pipeline runs with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.errors import ConfigError
from weaksup.pipeline.config import arms, merge_config
from weaksup.rankers.table import RANKERS, Ranker, find_ranker, rank_candidates
from weaksup.records import CandidateSet, Label
from weaksup.solvers.table import SOLVERS, SolverKind
from weaksup.storage.json_lines import read_records

from .test_run import run

pytest.importorskip("torch", reason="the pipeline trains solvers")

TOYS = """
from weaksup.rankers.labels import make_label
from weaksup.solvers.network.gts import GTS

built = []


def rank_last(sets, *, seed=0):
    for found in sets:
        if size := len(found.candidates):
            yield make_label(found, [1 / size] * size, ranker="last", pick=size - 1)


def rank_worst(sets, problems, draft):
    for found in sets:
        if size := len(found.candidates):
            (scores,) = draft.score([problems[found.id]], [[candidate.expr for candidate in found.candidates]])
            yield make_label(found, [1 / size] * size, ranker="worst", pick=scores.index(min(scores)), scores=scores)


class Toy(GTS):
    def __init__(self, config, vocabulary):
        super().__init__(config, vocabulary)
        built.append(config.solver)
"""


def test_a_new_ranker_and_a_new_solver_are_a_file_and_a_line_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toys_of_a_test.py").write_text(TOYS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(RANKERS, "last", Ranker("the last candidate", plain="toys_of_a_test:rank_last"))
    monkeypatch.setitem(RANKERS, "worst", Ranker("the least likely", draft="toys_of_a_test:rank_worst"))
    monkeypatch.setitem(SOLVERS, "toy", SolverKind("a toy", "toys_of_a_test:Toy"))
    folder = tmp_path / "run"
    metrics = run(folder, ranker="last", solver="toy", compare=["worst"])
    assert [(arm.name, arm.about) for arm in metrics.arms] == [
        ("last", "the last candidate"),
        ("worst", "the least likely"),
    ]
    sets = {found.id: found for found in read_records(folder / "candidates.jsonl", CandidateSet)}
    labels = list(read_records(folder / "labels.jsonl", Label))
    assert labels and all(label.stage == sets[label.id].candidates[-1].stage for label in labels)
    worst = list(read_records(folder / "ablation/worst/labels.jsonl", Label))
    assert all(label.score is None or all(label.score <= (one.score or 0) for one in label.others) for label in worst)
    from toys_of_a_test import built  # type: ignore[import-not-found]

    assert set(built) == {"toy"}


@pytest.mark.parametrize(("setting", "one_of"), [("ranker", RANKERS), ("solver", SOLVERS)])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(setting: str, one_of: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=f"{setting} can't be 'nope'; one of {', '.join(one_of)}"):
        merge_config(None, {setting: "nope"})
    with pytest.raises(ConfigError, match=f"unknown arm 'nope'; one of {', '.join(arms())}"):
        merge_config(None, {"compare": ["nope"]})


def test_an_unknown_ranker_is_no_ranker() -> None:
    with pytest.raises(ConfigError, match="unknown ranker 'nope'; one of em, beam"):
        find_ranker("nope")
    with pytest.raises(ConfigError, match="unknown ranker 'nope'"):
        rank_candidates("nope", [])
