"""The strengths of the text-free EM, chosen on answers: those that best predict the answers of unseen problems.

A template applied to the quantities of a problem gives an answer, so a model of templates is a model of answers:
P(answer | quantities) is the sum over the candidates, as these are all templates that give the answer, and over the
case that none of them is right.  What counts is the mean log of this P over problems from which the EM did not learn.

The strengths must serve small corpora and large ones.  So from each public corpus the EM learns from 40, 300 and 1,000
random problems, with the prior table made from the *other* corpora, and predicts the answers of 200 others.  The mean
is over all corpora and sizes.  No gold is read, and no text.

From the defaults each strength in turn goes up and down the `GRID` as long as that predicts better by more than
`ENOUGH`; the search ends when no single step does.

    python benchmarks/em_strengths.py --data-dir DATA --candidates FOLDER
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from em_table import IN_TABLE, learn
from public_corpora import add_arguments, read_public

from weaksup.rankers.em import EMOptions, Model
from weaksup.rankers.prior_table import PriorTable
from weaksup.records import CandidateSet

STRENGTHS = (
    "prior_problems",
    "template_strength",
    "order_strength",
    "shape_strength",
    "number_strength",
    "role_strength",
    "kind_strength",
    "used_strength",
    "size_strength",
    "answer_strength",
)
GRID = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0)
ENOUGH = 0.001  # nats a problem
SIZES = (40, 300, 1000)
REPEATS = {40: 3}  # samples of a size, where one would be too few
UNSEEN = 200


class Trial(msgspec.Struct, frozen=True):
    """A model that learns from some problems, and the others whose answers it predicts."""

    corpus: str
    size: int
    model: Model
    weight: float

    def predicted(self, options: EMOptions) -> float:
        """The mean log P(answer) of the problems that the model has not seen."""
        return unseen_log_likelihood(self.model, options)


def unseen_log_likelihood(model: Model, options: EMOptions) -> float:
    """The mean log P(answer) of the problems that the model has not seen."""
    model.fit(options)
    return float(np.log(model.evidence[model.seen == 0]).mean())


def trials(corpus: str, sets: Sequence[CandidateSet], prior: PriorTable | None) -> Iterator[Trial]:
    """Models of samples of a corpus."""
    found = sorted((one for one in sets if one.candidates), key=lambda one: one.id)
    unmatched = sum(one.reason == "no-match" for one in sets) / max(len(found), 1)
    for size in SIZES:
        for repeat in range(REPEATS.get(size, 1)):
            chosen = random.Random(f"{corpus} {repeat}").sample(found, min(size + UNSEEN, len(found)))
            seen = np.arange(len(chosen)) < len(chosen) - UNSEEN
            model = Model(chosen, seen=seen, prior=prior, unmatched=round(size * unmatched))
            yield Trial(corpus, size, model, 1 / REPEATS.get(size, 1))


def steps(options: EMOptions, strength: str) -> Iterator[EMOptions]:
    """The options with the next larger and the next smaller number of the grid."""
    at = GRID.index(getattr(options, strength))
    for place in (at + 1, at - 1):
        value = GRID[min(max(place, 0), len(GRID) - 1)]
        yield msgspec.structs.replace(options, **{strength: value})


def choose(models: Sequence[Trial], start: EMOptions) -> EMOptions:
    """The strengths where no single step predicts better; each trial is printed."""
    print(*[f"{strength.split('_')[0]:>9}" for strength in STRENGTHS], " mean log P  CPU s")
    tried: dict[EMOptions, float] = {}
    total = sum(trial.weight for trial in models)

    def predicted(options: EMOptions) -> float:
        if options not in tried:
            begin = time.process_time()
            tried[options] = sum(trial.weight * trial.predicted(options) for trial in models) / total
            values = [f"{getattr(options, strength):9.3g}" for strength in STRENGTHS]
            print(*values, f"{tried[options]:11.4f} {time.process_time() - begin:6.1f}", flush=True)
        return tried[options]

    best, before = start, None
    while best != before:
        before = best
        for strength in STRENGTHS:
            for direction in (0, 1):
                while predicted(step := list(steps(best, strength))[direction]) > predicted(best) + ENOUGH:
                    best = step
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    given = parser.parse_args()
    start = EMOptions()
    sets = {corpus.name: found for corpus, _, found in read_public(given)}
    table = PriorTable(corpora=tuple(learn(name, "", sets[name]) for name in IN_TABLE if name in sets))
    models = [trial for name, found in sets.items() for trial in trials(name, found, table.without(name))]
    best = choose(models, start)
    print("chosen:", ", ".join(f"{strength} = {getattr(best, strength):g}" for strength in STRENGTHS))
    for trial in models:
        print(f"{trial.corpus:10} {trial.size:5} {trial.predicted(start):9.4f} -> {trial.predicted(best):9.4f}")


if __name__ == "__main__":
    main()
