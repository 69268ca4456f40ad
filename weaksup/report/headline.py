"""The headline numbers of a run with the paper's beside them, and the main facts about the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..measure.metrics import Metrics
from .numbers_text import NOTHING, interval_text, percent, spread_of
from .published import ARM_LABELS, BASELINE_RECALL, RECALL, RESULTS
from .tables import tested_problems

__all__ = ["Tile", "facts", "headline"]

PAPER = "paper (Math23K)"
NO_FIGURE = "the paper has no such figure"
OURS = "ours"  # the paper's own method, in its tables


class Tile(NamedTuple):
    """A headline number."""

    name: str
    value: str  # without the deviation
    deviation: str
    about: str
    paper: str  # the paper's figure in words; empty for other data
    interval: str = ""  # of confidence


def headline(metrics: Metrics, *, paper: bool) -> list[Tile]:
    """Test accuracy, label accuracy, recall and gold in set; unknown numbers are left out."""
    main = metrics.arms[0] if metrics.arms else None
    row = _row(main.name if main else "", metrics.config)
    tiles: list[Tile] = []
    if main and main.runs:
        answers = spread_of([run.evaluation.answer_accuracy for run in main.runs])
        labels = spread_of([run.oracle.micro if run.oracle else None for run in main.runs])
        of = main.runs[0].evaluation
        part = of.split or "test"
        tested = f"{of.problems:,} {part} problems, labels by {main.name}"
        tiles.append(
            _tile(
                f"{part.capitalize()} answers right",
                answers.mean,
                answers.deviation,
                tested,
                _answers(row, metrics.config),
                of=tested_problems(main.runs)[0],
            )
        )
        if labels.mean is not None:
            about = f"labels of {main.name}, equivalent to gold by law value"
            stricter = f"{PAPER} {ARM_LABELS['beam']:.1f}%, Beam Ranker, by a checker close to law structure"
            paper_labels = stricter if row == OURS else NO_FIGURE
            tiles.append(
                _tile("Labels right", labels.mean, labels.deviation, about, paper_labels, of=main.runs[0].labels)
            )
    if score := metrics.candidates:
        about = f"{score.covered:,} of {score.problems:,} problems have a candidate"
        tiles.append(
            _tile("Recall of the search", score.recall, None, about, f"{PAPER} {RECALL:.1f}%", of=score.problems)
        )
        if score.gold_in_set is not None:
            about = "problems with the gold equation among the candidates"
            judged = score.problems - score.without_gold
            tiles.append(_tile("Gold in set", score.gold_in_set, None, about, NO_FIGURE, of=judged))
    elif searched := sum(metrics.distribution.values()):
        about = f"{metrics.covered:,} of {searched:,} problems have a candidate"
        recall = metrics.covered / searched
        tiles.append(_tile("Recall of the search", recall, None, about, f"{PAPER} {RECALL:.1f}%", of=searched))
    elif main and (scores := [run.oracle for run in main.runs if run.oracle]):
        found = spread_of([score.recall for score in scores])
        about = f"{scores[0].covered:,} of {scores[0].problems:,} problems have a label"
        known = BASELINE_RECALL.get(row)
        figure = NO_FIGURE if known is None else f"{PAPER} {known:.1f}%"
        tiles.append(_tile("Recall of the labels", found.mean, found.deviation, about, figure, of=scores[0].problems))
    return [tile if paper else tile._replace(paper="") for tile in tiles]


def _tile(name: str, value: float | None, deviation: float | None, about: str, paper: str, *, of: int) -> Tile:
    """A tile for a share of `of` problems."""
    spread = "" if deviation is None else f"± {100 * deviation:.1f}"
    interval = interval_text(value, of)
    return Tile(
        name,
        NOTHING if value is None else percent(value, sign=True),
        spread,
        about,
        paper,
        f"95% interval {interval}" if interval else "",
    )


def _row(arm: str, config: Mapping[str, Any]) -> str:
    """The row of the paper's table of results to compare an arm with.

    >>> _row("em", {}), _row("lbf", {"lbf": {"memory": True}}), _row("warm", {"warm": {"beam": 10}}), _row("warm", {})
    ('ours', 'lbf-memory', 'warm-beam', 'warm')
    """
    how = config.get(arm) or {}
    if arm == "lbf":
        return "lbf-memory" if how.get("memory") else "lbf"
    if arm == "warm":
        return "warm-beam" if how.get("beam", 1) != 1 else "warm"
    return OURS


def _answers(row: str, config: Mapping[str, Any]) -> str:
    solver = solver_name(config)
    published = {name: rows[row].test for name, rows in RESULTS.items() if row in rows}
    chosen = [solver] if solver in RESULTS else list(published)
    known = [f"{published[name]:.1f}% {name.upper()}" for name in chosen if name in published]
    return f"{PAPER} " + ", ".join(known) if known else NO_FIGURE


def solver_name(config: Mapping[str, Any]) -> str:
    """
    >>> solver_name({"solver": "gts"}), solver_name({"solver": {"solver": "g2t"}}), solver_name({})
    ('gts', 'g2t', '')
    """
    return _named(config.get("solver"), "solver")


def facts(metrics: Metrics, data: str) -> list[tuple[str, str]]:
    """The main facts about a run: data, split, plan, solver, ranker, second opinions, seeds and folds."""
    config = metrics.config
    maker = "ranker" if metrics.distribution else "baseline"  # baselines do not search
    found = [
        ("data", data),
        ("split", metrics.split),
        ("plan", _named(config.get("plan"), "plan")),
        ("solver", solver_name(config).upper()),
        (maker, metrics.arms[0].name if metrics.arms else _named(config.get("ranker"), "ranker")),
    ]
    if "answer_model" in config:
        found.append(("second opinions", _second_opinions(config)))
    runs = [run for arm in metrics.arms for run in arm.runs]
    for name, different in (("seeds", {run.seed for run in runs}), ("folds", {run.fold for run in runs})):
        found += [(name, str(len(different)))] if len(different) > 1 else []
    return [(name, value) for name, value in found if value]


def _second_opinions(config: Mapping[str, Any]) -> str:
    """What ranks the predictions besides the decoder; runs of older versions have no equation model."""
    used = [name for name in ("answers", "equations") if config.get(f"{name.removesuffix('s')}_model")]
    return "both" if len(used) > 1 else used[0] if used else "none"


def _named(value: Any, key: str) -> str:
    """A setting that is given as a string, or as a table with that string under `key` or `name`."""
    if isinstance(value, Mapping):
        value = value.get(key, value.get("name"))
    return value if isinstance(value, str) else ""
