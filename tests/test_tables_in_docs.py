"""The tables of rankers, solvers and corpora in the documentation are those of the code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from mwp_cli._options import option_name

from weaksup.corpora import READERS
from weaksup.pipeline.config import arms
from weaksup.rankers.table import RANKERS, Ranker
from weaksup.solvers.table import SOLVERS

DOCS = Path(__file__).resolve().parents[1] / "docs"


def table(head: str, rows: Iterable[str]) -> str:
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *rows])


def draft_of(ranker: Ranker) -> str:
    if ranker.rounds:
        return "several rounds, each trained on beliefs in all likely candidates"
    return "one, trained on problems with one candidate" if ranker.draft else "none"


def ranker_table() -> str:
    rows = [f"| `{name}` | {about} | {draft_of(RANKERS[name])} |" for name, about in arms().items() if name in RANKERS]
    return table("| `--ranker` | labels | drafts |", rows)


def solver_table() -> str:
    rows = [f"| `{name}` | {kind.about} | {'yes' if kind.graphs else 'no'} |" for name, kind in SOLVERS.items()]
    return table("| `--solver` | network | reads graphs |", rows)


def corpus_table() -> str:
    rows = []
    for name, reader in READERS.items():
        options = ", ".join(f"`{option_name(option)}`" for option in sorted(reader.options))
        rows.append(f"| `{name}` | {reader.about} | {options} |")
    return table("| `--data` | corpus | options |", rows)


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("howto/pipeline.md", ranker_table()),
        ("howto/train.md", solver_table()),
        ("reference/mwp-weak.md", corpus_table()),
    ],
)
def test_a_table_is_that_of_the_code(page: str, wanted: str) -> None:
    assert wanted in (DOCS / page).read_text("utf-8"), f"put this table into {page}:\n{wanted}"
