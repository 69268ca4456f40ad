"""What the settings in which the published solvers differ from ours bring, at a small budget.

GTS as published averages the loss over tokens (ours: over trees), gives the goals of children dropout masks of their
own (ours: those of their parent's scores) and drops out the goal that the attention asks with too.  G2T as published
has wider heads, other edges and an adjacency that is not normalised (`graph`).  Each variant changes one of them in
preset `quick` with a smaller network, gold equations of Math23K.  Answers of the valid part, beam 5, no answer model.
The difference from the first variant of the same solver is paired by problem, and so is its standard error, which
does not cover that other seeds would give other weights.

    python benchmarks/solver_settings.py --path Math_23K.json.gz --split-file split.json --work FOLDER
        [--solver gts|g2t] [--seeds 2] [--json]

What is trained in FOLDER is not trained again, so more seeds can be added later.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.measure.predictions import judge_all
from weaksup.records import Problem
from weaksup.solvers.data.lessons import Lesson, gold_lessons
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.presets import preset
from weaksup.solvers.training.loop import train_solver
from weaksup.solvers.training.model_folder import AlreadyTrained

PRESET, HIDDEN, BEAM = "quick", 192, 5

VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "gts": {
        "default": {},
        "loss averaged over tokens": {"average": "token"},
        "children have masks of their own": {"child_dropout": True},
        "dropout on the attention query": {"query_dropout": True},
    },
    "g2t": {
        "compact graph encoder (default)": {"graph": "compact"},
        "published graph encoder": {"graph": "published"},
    },
}


def train_and_answer(
    folder: Path, lessons: Sequence[Lesson], valid: Sequence[Problem], seed: int, settings: dict[str, Any]
) -> list[bool]:
    """Whether each valid problem is answered rightly."""
    config, how = preset(PRESET, hidden=HIDDEN, seed=seed, **settings)
    with suppress(AlreadyTrained):
        train_solver(lessons, valid, folder, config=config, train=how, answer_model=False, equation_model=False)
    judged = judge_all(Solver.load(folder, answer_model=False), valid, beam=BEAM)
    return [one.right_answer for one in judged]


def paired(right: Sequence[Sequence[bool]], than: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """The mean difference and its standard error; a problem's difference is its mean over the seeds."""
    differences = [
        statistics.fmean(one - other for one, other in zip(here, there, strict=True))
        for here, there in zip(zip(*right, strict=True), zip(*than, strict=True), strict=True)
    ]
    return statistics.fmean(differences), statistics.stdev(differences) / math.sqrt(len(differences))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", required=True, help="Math_23K.json, plain or gzip")
    parser.add_argument("--split-file", required=True, help="the id lists of the test and valid parts")
    parser.add_argument("--work", required=True, type=Path, help="where the models are kept")
    parser.add_argument("--solver", choices=list(VARIANTS), default="gts")
    parser.add_argument("--seeds", type=int, default=2, help="how many seeds, from 0 on")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    given = parser.parse_args()

    torch.set_num_threads(1)
    parts = split(read_corpus("math23k", given.path).problems, corpus="math23k", file=given.split_file)
    lessons, _ = gold_lessons(parts["train"], writing="label")
    first: list[list[bool]] = []
    for number, (name, changes) in enumerate(VARIANTS[given.solver].items()):
        settings = {"solver": given.solver, **changes}
        folders = [given.work / f"{given.solver}-{number}-seed-{seed}" for seed in range(given.seeds)]
        right = [
            train_and_answer(folder, lessons, parts["valid"], seed, settings) for seed, folder in enumerate(folders)
        ]
        first = first or right
        difference, error = paired(right, first)
        shares = [100 * statistics.fmean(answers) for answers in right]
        if given.json:
            about = {"solver": given.solver, "variant": name, "valid": shares}
            print(json.dumps({**about, "difference": 100 * difference, "error": 100 * error}), flush=True)
        else:
            seeds = " ".join(f"{share:5.1f}" for share in shares)
            print(f"{name:36} {seeds}  {100 * difference:+5.2f} ± {100 * error:4.2f}", flush=True)


if __name__ == "__main__":
    main()
