"""A solver as a draft asks its network about each equation once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from weaksup.records import Problem
from weaksup.solvers.decoding import solver_draft as draft_module
from weaksup.solvers.decoding.solver_draft import SolverDraft


def test_what_was_scored_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def lengths(solver: object, problems: Sequence[Problem], exprs: Sequence[Sequence[str]]) -> list[list[float]]:
        asked.extend((problem.id, expr) for problem, row in zip(problems, exprs, strict=True) for expr in row)
        return [[-float(len(expr)) for expr in row] for row in exprs]

    monkeypatch.setattr(draft_module, "log_probabilities", lengths)
    one, other = (Problem(id=id, text="", tokens=(), quantities=(), answer="1") for id in "ab")
    draft = SolverDraft(None)  # type: ignore[arg-type]
    assert draft.score([one, other], [["N0", "N0+N1"], ["N0"]]) == [[-2.0, -5.0], [-2.0]]
    assert draft.score([other, one], [["N0"], ["N0*N1*N2", "N0"]]) == [[-2.0], [-8.0, -2.0]]
    assert asked == [("a", "N0"), ("a", "N0+N1"), ("b", "N0"), ("a", "N0*N1*N2")]
