"""The few numbers that a reader wants first, the paper's beside them, and what kind of run it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..published import ARM_LABELS, RECALL, TEST_ANSWERS
from ..run_folder import Metrics
from .numbers_text import NOTHING, percent, spread_of

__all__ = ["Tile", "facts", "headline"]

PAPER = "paper (Math23K)"
NO_FIGURE = "the paper has no such figure"


class Tile(NamedTuple):
    """A headline number."""

    name: str
    value: str  # without the deviation
    deviation: str
    about: str
    paper: str  # the paper's figure in words; empty for other data


def headline(metrics: Metrics, *, paper: bool) -> list[Tile]:
    """Test accuracy, label accuracy, recall, gold in set; what is not known is left out."""
    main = metrics.arms[0] if metrics.arms else None
    tiles: list[Tile] = []
    if main and main.runs:
        answers = spread_of([run.evaluation.answer_accuracy for run in main.runs])
        labels = spread_of([run.oracle.micro if run.oracle else None for run in main.runs])
        of = main.runs[0].evaluation
        part = of.split or "test"
        tested = f"{of.problems:,} {part} problems, labels by {main.name}"
        tiles.append(
            _tile(
                f"{part.capitalize()} answers right", answers.mean, answers.deviation, tested, _answers(metrics.config)
            )
        )
        if labels.mean is not None:
            about = f"labels of {main.name}, equivalent to gold"
            paper_labels = f"{PAPER} {ARM_LABELS['beam']:.1f}%, Beam Ranker"
            tiles.append(_tile("Labels right", labels.mean, labels.deviation, about, paper_labels))
    if score := metrics.candidates:
        about = f"{score.covered:,} of {score.problems:,} problems have a candidate"
        tiles.append(_tile("Recall of the search", score.recall, None, about, f"{PAPER} {RECALL:.1f}%"))
        if score.gold_in_set is not None:
            about = "problems with the gold equation among the candidates"
            tiles.append(_tile("Gold in set", score.gold_in_set, None, about, NO_FIGURE))
    return [tile if paper else tile._replace(paper="") for tile in tiles]


def _tile(name: str, value: float | None, deviation: float | None, about: str, paper: str) -> Tile:
    spread = "" if deviation is None else f"± {100 * deviation:.1f}"
    return Tile(name, NOTHING if value is None else percent(value, sign=True), spread, about, paper)


def _answers(config: Mapping[str, Any]) -> str:
    solver = solver_name(config)
    chosen = [solver] if solver in TEST_ANSWERS else list(TEST_ANSWERS)
    return f"{PAPER} " + ", ".join([f"{TEST_ANSWERS[name]:.1f}% {name.upper()}" for name in chosen])


def solver_name(config: Mapping[str, Any]) -> str:
    """
    >>> solver_name({"solver": "gts"}), solver_name({"solver": {"solver": "g2t"}}), solver_name({})
    ('gts', 'g2t', '')
    """
    return _named(config.get("solver"), "solver")


def facts(metrics: Metrics, data: str) -> list[tuple[str, str]]:
    """What kind of run it was: data, split, plan, solver, ranker, runs."""
    config = metrics.config
    found = [
        ("data", data),
        ("split", metrics.split),
        ("plan", _named(config.get("plan"), "plan")),
        ("solver", solver_name(config).upper()),
        ("ranker", metrics.arms[0].name if metrics.arms else _named(config.get("ranker"), "ranker")),
    ]
    runs = max([len(arm.runs) for arm in metrics.arms], default=0)
    if runs > 1:
        folds = any(run.fold is not None for arm in metrics.arms for run in arm.runs)
        found.append(("folds" if folds else "seeds", str(runs)))
    return [(name, value) for name, value in found if value]


def _named(value: Any, key: str) -> str:
    """A setting that is a word, or a table with the word in it."""
    if isinstance(value, Mapping):
        value = value.get(key, value.get("name"))
    return value if isinstance(value, str) else ""
