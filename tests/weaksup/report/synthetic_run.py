"""A run folder as a pipeline would leave it, without training anything: real search, real EM, invented trainings.

python -m tests.weaksup.report.synthetic_run FOLDER [DATA]
"""

from __future__ import annotations

import random
import sys
from functools import cache
from math import exp
from pathlib import Path
from typing import NamedTuple

import msgspec

from weaksup.corpora.stories import read_stories
from weaksup.measure.calibration import Bin, calibration
from weaksup.measure.judge import Judge
from weaksup.measure.metrics import Accuracy, Arm, ArmRun, Evaluation, Metrics, TrainingRow
from weaksup.measure.predictions import JudgedPrediction
from weaksup.measure.score import Score, score_candidates, score_labels
from weaksup.measure.sizes import SIZES, size_of
from weaksup.rankers import rank_em, rank_random, rank_single
from weaksup.records import CandidateSet, Label, Problem
from weaksup.report import sample_examples, sample_rule
from weaksup.report.score_tables import count_distribution
from weaksup.report.shown_predictions import sample_predictions
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan
from weaksup.storage.json_lines import write_records
from weaksup.storage.run_files import EXAMPLES, METRICS, TEST_EXAMPLES

ABOUT = {
    "em": "templates and draft model, re-estimated",
    "beam": "draft model, beam predictions added",
    "basic": "draft model only",
    "random": "no ranking: any candidate",
    "single": "no multiple data: one candidate only",
    "gold": "oracle test: gold labels, same problems",
}
STRENGTH = {"em": 0.78, "beam": 0.71, "basic": 0.7, "random": 0.58, "single": 0.63, "gold": 0.85}


class Made(NamedTuple):
    """What search and rankers gave."""

    problems: list[Problem]
    sets: list[CandidateSet]
    labels: dict[str, list[Label]]
    judge: Judge


@cache
def made(size: int = 300) -> Made:
    problems = list(read_stories(size=size))
    sets = list(search_problems(problems, load_plan("full")))
    labels = {"em": list(rank_em(sets)), "random": list(rank_random(sets)), "single": list(rank_single(sets))}
    return Made(problems, sets, labels, Judge(problems))


def metrics(data: str = "stories", *, size: int = 300, seeds: int = 3) -> Metrics:
    """The numbers of a run of all arms; whatever a solver would give is invented."""
    given = made(size)
    labels = {**given.labels, "beam": given.labels["random"], "basic": given.labels["random"]}
    arms = []
    for name, about in ABOUT.items():
        chosen = labels.get(name, [])
        score = score_labels(chosen, given.problems) if chosen else None
        bins = calibration(chosen, given.judge) if chosen and name != "single" else []
        runs = [_run(name, data, seed, score, bins) for seed in range(seeds)]
        arms.append(Arm(name=name, about=about, runs=runs))
    return Metrics(
        config={
            "data": data, "plan": "full", "solver": "gts", "ranker": "em", "seed": 0, "seeds": seeds,
            "train": {"epochs": 20, "batch_size": 64, "learning_rate": 0.001, "optimizer": "adam"},
        },
        split="seeded thirds: 300 train, 50 valid, 100 test",
        sizes={"train": 300, "valid": 50, "test": 100},
        candidates=score_candidates(given.sets, given.problems),
        covered=sum(bool(found.candidates) for found in given.sets),
        distribution={str(k): n for k, n in count_distribution(given.sets).items()},
        arms=arms,
        examples_rule=sample_rule(len(given.problems)),
    )  # fmt: skip


def _run(name: str, data: str, seed: int, score: Score | None, bins: list[Bin]) -> ArmRun:
    rng = random.Random(f"{name}:{seed}")
    top = STRENGTH[name] + rng.uniform(-0.015, 0.015)
    rows = [
        TrainingRow(
            step=step,
            loss=2.4 * exp(-step / 260) + 0.35 - 0.2 * top + rng.uniform(0, 0.03),
            valid_answer_accuracy=round(50 * top * (1 - exp(-step / 200)) + rng.uniform(-0.7, 0.7)) / 50,
        )
        for step in range(75, 1501, 75)
    ]
    by_size = {
        size: Accuracy(problems=n, answer_accuracy=max(0.0, top - 0.09 * i), equation_accuracy=max(0.0, top - 0.11 * i))
        for i, (size, n) in enumerate(zip(SIZES, (12, 30, 30, 18, 8, 2), strict=True))
    }
    evaluation = Evaluation(
        data=data,
        split="test",
        problems=100,
        beam=5,
        answer_accuracy=round(top, 3),
        equation_accuracy=round(top - 0.04, 3),
        false_matches=rng.randrange(2, 7),
        by_quantities=by_size,
    )
    changed = 23 + seed if name == "em" else None
    return ArmRun(
        seed=seed,
        labels=score.covered if score else 300,
        changed=changed,
        oracle=score,
        calibration=bins,
        training=rows,
        evaluation=evaluation,
    )


def write_run(folder: Path, data: str = "stories", *, size: int = 300, seeds: int = 3) -> Path:
    """A folder with metrics.json and examples.jsonl."""
    given = made(size)
    folder.mkdir(parents=True, exist_ok=True)
    found = msgspec.json.encode(metrics(data, size=size, seeds=seeds))
    (folder / METRICS).write_bytes(msgspec.json.format(found, indent=2))
    write_records(folder / EXAMPLES, sample_examples(given.problems, given.sets, given.labels["em"], judge=given.judge))
    write_records(folder / TEST_EXAMPLES, sample_predictions(given.problems, _predictions(given)))
    return folder


def _predictions(given: Made) -> list[JudgedPrediction]:
    """Random candidates as predictions; every fifth has a wrong value and every seventh problem has none."""
    found = []
    for i, label in enumerate(given.labels["random"]):
        problem = given.judge.problems[label.id]
        judged = JudgedPrediction(
            id=label.id, quantities=size_of(problem), right_answer=False, right_equation=False if problem.gold else None
        )
        if i % 7:
            judged = msgspec.structs.replace(
                judged,
                expr=label.expr,
                equation=label.equation,
                value=problem.answer if i % 5 else "-1",
                probability=0.5,
                right_answer=i % 5 > 0,
                right_equation=given.judge.judge_label(label) if i % 5 else False,
            )
        found.append(judged)
    return found


if __name__ == "__main__":
    from weaksup.report import write_report

    sys.stdout.write(f"{write_report(write_run(Path(sys.argv[1]), *sys.argv[2:]))}\n")
