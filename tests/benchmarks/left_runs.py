"""Runs as they leave their files, small and written by hand: every figure is an argument of a test."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from reproduce.place import Place

from weaksup.measure.metrics import Accuracy, Arm, ArmRun, Evaluation, Metrics
from weaksup.measure.score import Score, SizeScore
from weaksup.measure.sizes import SIZES


def score(**given: Any) -> Score:
    """A score in which nothing was found, but for what is given; `sizes` are (problems, covered, micro, macro)."""
    sizes: Mapping[str, tuple[int, int, float, float]] = given.pop("sizes", {})
    by_quantities = {}
    for size in SIZES:
        problems, covered, micro, macro = sizes.get(size, (0, 0, None, None))
        recall = covered / problems if problems else None
        by_quantities[size] = SizeScore(
            problems=problems, covered=covered, recall=recall, gold_in_set=None, micro=micro, macro=macro
        )
    nothing: dict[str, Any] = {
        "kind": "candidates",
        "law": "value",
        **dict.fromkeys(("problems", "covered", "single", "multiple", "largest"), 0),
        **dict.fromkeys(("without_gold", "uncovered_power", "unreadable"), 0),
        **dict.fromkeys(("recall", "mean", "median", "gold_in_set", "micro", "macro"), None),
        **dict.fromkeys(("micro_single", "micro_multiple"), None),
        **{name: {} for name in ("skipped", "stages", "gold_stages")},
    }
    return Score(**{**nothing, **given}, by_quantities=by_quantities)


def evaluation(
    share: float, *, problems: int = 1000, sizes: Mapping[str, tuple[int, float]] | None = None
) -> Evaluation:
    by_quantities = {
        size: Accuracy(problems=n, answer_accuracy=right, equation_accuracy=right)
        for size, (n, right) in (sizes or {}).items()
    }
    return Evaluation(
        data="math23k",
        split="test",
        problems=problems,
        beam=5,
        answer_accuracy=share,
        equation_accuracy=share,
        by_quantities=by_quantities,
    )


def trained(share: float, *, labels: int = 0, oracle: Score | None = None, **given: Any) -> ArmRun:
    """A solver with this share of right answers on test."""
    return ArmRun(seed=0, labels=labels, oracle=oracle, evaluation=evaluation(share, **given))


def leave_pipeline(place: Place, arms: Mapping[str, ArmRun], *, run: str = "equal-gts") -> Path:
    return _leave_metrics(place, run, {name: [trained] for name, trained in arms.items()})


def leave_folds(place: Place, run: str, arm: str, folds: list[ArmRun]) -> Path:
    return _leave_metrics(place, run, {arm: folds})


def _leave_metrics(place: Place, run: str, arms: Mapping[str, list[ArmRun]]) -> Path:
    metrics = Metrics(
        config={},
        split="",
        sizes={"train": 21_162, "valid": 1_000, "test": 1_000},
        covered=0,
        distribution={},
        arms=[Arm(name=name, about="", runs=runs) for name, runs in arms.items()],
    )
    return _leave(place.of(run) / "metrics.json", metrics)


def leave_baseline(place: Place, run: str, found: ArmRun) -> Path:
    return leave_pipeline(place, {run: found}, run=run)


def leave_printed(place: Place, run: str, what: str, record: Score | Evaluation, **more: Any) -> Path:
    """What a command printed about a run, with the fields that the command line adds."""
    told = {**msgspec.to_builtins(record), "part": "a part", "data": "math23k", **more}
    return _leave(place.beside(run, what), told)


def leave_answers(place: Place, run: str, *, valid: float, test: float, **given: Any) -> None:
    """A run that trains a solver, as far as its answers."""
    leave_printed(place, run, "valid", evaluation(valid))
    leave_printed(place, run, "test", evaluation(test, **given))


def leave_taught(place: Place, run: str, valid: list[float]) -> None:
    """What `train` leaves: answers on valid each time that they were measured, and what it printed."""
    rows = [{"step": 100 * i, "loss": 1.0, "valid_answer_accuracy": share} for i, share in enumerate(valid, start=1)]
    model = place.of(run)
    model.mkdir(parents=True, exist_ok=True)
    (model / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    _leave(place.beside(run, "train"), {"examples": 100, "valid_answer_accuracy": valid[-1]})


def leave_model(folder: Path, *, solver: str = "gts", hidden: int, epochs: float, cpu: list[float]) -> None:
    """A model folder as far as it is told about; `cpu` are the seconds of its validations."""
    settings = {"epochs": epochs, "soft": "none", "seed": 0, "batch_size": 64}
    _leave(
        folder / "config.json",
        {
            "format": "weaksup/solver",
            "version": 1,
            "solver": {"solver": solver, "hidden": hidden, "layers": 2},
            "training": {"settings": settings, "examples": 100},
        },
    )
    rows = [{"step": i, "examples": i, "seconds": seconds, "cpu_seconds": seconds} for i, seconds in enumerate(cpu)]
    (folder / "times.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _leave(path: Path, record: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(record))
    return path
