"""How many problems the EM needs: labels right and calibration error against the size of the corpus.

Random samples of public corpora of 40, 100, 300, 1,000 and 3,000 problems and the whole, labelled without gold, without
the text or with `--words`; gold is read here only, to score them.  Each size is labelled several times, by other
samples, and the mean is given.  The table of the prior has been made from some of these corpora, so each is labelled
with the table without it ("others"), with the table as it is shipped, and with none; `--prior` chooses among them.

    python benchmarks/em_curve.py --data-dir DATA --candidates FOLDER [--whole] [--words] [--decoys] [--json]

`--whole` labels the whole corpora only; `--decoys` calibrates the posteriors of `--words` by wrong answers.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from public_corpora import LIMIT, add_arguments, read_public

from weaksup.measure.calibration import calibration, calibration_error
from weaksup.measure.judge import Judge
from weaksup.rankers.em import em_posteriors
from weaksup.rankers.labels import make_label
from weaksup.rankers.prior_table import PriorTable, load_prior
from weaksup.rankers.words import rank_words
from weaksup.records import CandidateSet, Label, Problem
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan

SIZES = (40, 100, 300, 1000, 3000)
LABELS = 600  # samples of a size are drawn until they have this many problems together
MOST = 5  # samples of a size
PRIORS = ("others", "shipped", "none")


def samples(sets: Sequence[CandidateSet], size: int) -> Iterator[list[CandidateSet]]:
    """Random samples of a corpus, always the same."""
    for seed in range(max(1, min(MOST, LABELS // size))):
        yield random.Random(f"{size} {seed}").sample(list(sets), size)


def label(
    sets: Sequence[CandidateSet], prior: PriorTable | None, problems: Mapping[str, Problem] | None, *, decoys: bool
) -> list[Label]:
    """Labels by templates or, given the problems, by words too."""
    if problems is not None:
        return list(rank_words(sets, problems, prior=prior, search=search if decoys else None))
    return [
        make_label(found, belief.tolist(), ranker="em")
        for found, belief in zip(sets, em_posteriors(sets, prior=prior), strict=True)
        if found.candidates
    ]


def search(problems: Sequence[Problem]) -> Iterator[CandidateSet]:
    """Candidates as `public_corpora` finds them."""
    return search_problems(problems, load_plan("full"), limit=LIMIT)


def measure(
    problems: Sequence[Problem],
    groups: Sequence[Sequence[CandidateSet]],
    prior: PriorTable | None,
    *,
    words: bool,
    decoys: bool,
) -> dict[str, Any]:
    """The share of labels that are right, of all problems too, and the calibration error, over all groups."""
    judge = Judge(problems)
    by_id = {problem.id: problem.without_gold() for problem in problems} if words else None
    begin = time.process_time()
    labels = [one for sets in groups for one in label(sets, prior, by_id, decoys=decoys)]
    seconds = time.process_time() - begin
    verdicts = [judge.judge_label(one) for one in labels]
    judged = [right for right in verdicts if right is not None]
    return {
        "labels": len(labels),
        "micro": sum(judged) / len(judged),
        "macro": sum(judged) / (sum(map(len, groups)) - verdicts.count(None)),
        "error": calibration_error(calibration(labels, judge)),
        "cpu_seconds": round(seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--whole", action="store_true", help="the whole corpora only")
    parser.add_argument("--prior", nargs="+", default=list(PRIORS), choices=PRIORS, help="the tables of the prior")
    parser.add_argument("--words", action="store_true", help="read the words of the texts too")
    parser.add_argument("--decoys", action="store_true", help="with --words: calibrate posteriors by wrong answers")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    given = parser.parse_args()
    shipped = load_prior("shipped")
    assert shipped is not None
    for corpus, problems, sets in read_public(given):
        sizes = [] if given.whole else [size for size in SIZES if size < len(sets)]
        for size in [*sizes, len(sets)]:
            groups = [sets] if size == len(sets) else list(samples(sets, size))
            priors = {"others": shipped.without(corpus.name), "shipped": shipped, "none": None}
            for name in given.prior:
                figures = measure(problems, groups, priors[name], words=given.words, decoys=given.decoys)
                row = {"corpus": corpus.name, "size": size, "prior": name, **figures}
                if given.json:
                    print(json.dumps(row), flush=True)
                else:
                    error = 100 * row["error"]
                    print(
                        f"{corpus.name:8} {size:6} {name:8} {100 * row['micro']:6.1f} {100 * row['macro']:6.1f}", end=""
                    )
                    print(f"  off by {error:4.1f}  {row['cpu_seconds']:6.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
