"""What each idea of the text-free EM brings: label accuracy on the train part of Math23K, by number of quantities.

Labels are made without text and without gold; gold is read here only, to score them (`weaksup.measure.score`).
`micro` is the share of labels that are right, `macro` that of all problems, `>0.9` how many labels are believed
more than that and how many of those are right.  CPU time is that of the ranker; the first one compiles its loops.

    python benchmarks/labels_ablation.py --path Math_23K.json.gz --split-file split.json
        [--candidates candidates.jsonl] [--strengths] [--json]

Without `--candidates` the problems are searched with plan `full` first.  `--strengths` adds the EM with each of its
strengths divided and multiplied by 3: how much hangs on them.  They were chosen without gold, by `em_strengths.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from em_strengths import STRENGTHS

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.measure.score import score_candidates, score_labels
from weaksup.measure.sizes import SIZES
from weaksup.rankers import rank_em, rank_random, rank_single
from weaksup.rankers.em import EMOptions
from weaksup.rankers.labels import filter_labels
from weaksup.records import CandidateSet, Label, Problem
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan
from weaksup.storage.json_lines import read_records

IDEAS = {
    "em: default": EMOptions(),
    "without kinds of numbers": EMOptions(kinds=False),
    "without the case that none is right": EMOptions(none=False),
    "without the prior table": EMOptions(prior_problems=0.0),
    "one reading a candidate": EMOptions(readings=1),
}


def read_train(path: str, split_file: str, candidates: str | None) -> tuple[Sequence[Problem], list[CandidateSet]]:
    """The train part of Math23K and its candidates: those of the file, or found by plan `full`."""
    train = split(read_corpus("math23k", path).problems, corpus="math23k", file=split_file)["train"]
    if candidates is None:
        print("searching...", file=sys.stderr)
        return train, list(search_problems(train, load_plan("full")))
    ids = {problem.id for problem in train}
    return train, [found for found in read_records(candidates, CandidateSet) if found.id in ids]


def runs(sets: Sequence[CandidateSet], *, strengths: bool) -> Iterator[tuple[str, list[Label], float]]:
    """Name, labels and CPU seconds of each way to label."""
    for name, rank in (("single", rank_single), ("random", rank_random)):
        start = time.process_time()
        labels = list(rank(sets, seed=0))
        yield name, labels, time.process_time() - start
    ideas = dict(IDEAS)
    if strengths:
        usual = EMOptions()
        for strength in STRENGTHS:
            for factor in (1 / 3, 3):
                value = getattr(usual, strength) * factor
                ideas[f"{strength} = {value:.3g}"] = msgspec.structs.replace(usual, **{strength: value})
    for name, options in ideas.items():
        start = time.process_time()
        labels = list(rank_em(sets, options=options))
        yield name, labels, time.process_time() - start


def measure(name: str, labels: list[Label], seconds: float, problems: Sequence[Problem]) -> dict[str, Any]:
    score = score_labels(labels, problems)
    sure = list(filter_labels(labels, posterior=0.9))
    return {
        "name": name,
        "labels": len(labels),
        "micro": score.micro,
        "macro": score.macro,
        "by_quantities": {size: score.by_quantities[size].micro for size in SIZES if size in score.by_quantities},
        "sure": len(sure),
        "micro_sure": score_labels(sure, problems).micro,
        "cpu_seconds": seconds,
    }


def percent(share: float | None) -> str:
    return "   - " if share is None else f"{100 * share:5.2f}"


def print_row(row: dict[str, Any]) -> None:
    sizes = " ".join(percent(row["by_quantities"].get(size)) for size in SIZES)
    sure = f"{row['sure']:6} {percent(row['micro_sure'])}"
    print(
        f"{row['name']:38} {row['labels']:6} {percent(row['micro'])} {percent(row['macro'])}  {sizes}  {sure}"
        f"  {row['cpu_seconds']:5.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", required=True, help="Math_23K.json, plain or gzip")
    parser.add_argument("--split-file", required=True, help="the id lists of the test and valid parts")
    parser.add_argument("--candidates", help="what `mwp-weak search` wrote; searched anew without it")
    parser.add_argument("--strengths", action="store_true", help="also each strength of the EM divided and times 3")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()

    train, sets = read_train(given.path, given.split_file, given.candidates)
    ceiling = score_candidates(sets, train)
    rows = []
    if not given.json:
        print(f"{len(train)} problems; gold in the candidate set: {percent(ceiling.gold_in_set)}%")
        sizes = " ".join(f"{'n=' + size:>5}" for size in SIZES)
        print(f"{'':38} {'labels':>6} {'micro':>5} {'macro':>5}  {sizes}  {'>0.9':>6} {'micro':>5}  {'CPU s':>5}")
    for name, labels, seconds in runs(sets, strengths=given.strengths):
        rows.append(measure(name, labels, seconds, train))
        if not given.json:
            print_row(rows[-1])
    if given.json:
        print(json.dumps({"problems": len(train), "gold_in_set": ceiling.gold_in_set, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
