"""The strengths of the text-free EM, chosen on answers: those that foretell the answers of unseen problems best.

A template applied to the quantities of a problem gives an answer, so a model of templates is a model of answers:
P(answer | quantities) is the sum of P(template) over the candidates, as these are all templates that give the answer.
The EM learns from four fifths of the train part; what counts is the mean log of this P on the other fifth:

    log  sum over templates of the candidates of s(t)  -  log  sum over all templates of n quantities of s(t)

where s is what the EM believes in proportion to: chance of the template times the factor of the problem's kinds.  "All
templates" are those of any candidate of a problem with as many quantities.  No gold is read, and no text.

From `START` each strength in turn goes up and down the `GRID` as long as that foretells better by more than `ENOUGH`;
the search ends when no single step does.

    python benchmarks/em_strengths.py --path Math_23K.json.gz --split-file split.json [--candidates candidates.jsonl]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from labels_ablation import STRENGTHS, read_train

from weaksup.meaning.kinds import KINDS
from weaksup.rankers.em import EMOptions, Model
from weaksup.rankers.readings import Array, Readings, read_candidates
from weaksup.rankers.templates import Templates, find_templates
from weaksup.records import CandidateSet

START = EMOptions(template_backoff=0.3, order_backoff=0.3, shape_backoff=0.3, kind_backoff=10.0, kind_weight=1.0)
GRID = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
ENOUGH = 0.001  # nats a problem
UNSEEN = 5  # one problem in so many
_TOGETHER = 1 << 14  # templates at a time


def unseen_log_likelihood(model: Model, readings: Readings, templates: Templates) -> float:
    """The mean log P(answer) of the problems that the model has not seen."""
    weights = model.fit() * model.seen[model.place]
    chance, counts = model.chance(weights), model.reading.counts(weights)
    of_problem = np.unique(model.place * model.reading.size + model.reading.of)  # each template once
    problem, template = np.divmod(of_problem, model.reading.size)
    logs: list[Array] = []
    for n in np.unique(readings.quantities).tolist():
        unseen = np.flatnonzero((readings.quantities == n) & (model.seen == 0))
        here = np.flatnonzero(templates.quantities == n)
        local = np.zeros(model.reading.size, np.int64)
        local[here] = np.arange(len(here))
        factors = kind_factors(model, weights, counts, n, here, local)  # (templates, n, kinds)
        kinds = kinds_of(model, n)
        mine = np.isin(problem, unseen)
        score = chance[template[mine]]
        for i in range(n):
            score *= factors[local[template[mine]], i, kinds[problem[mine], i]]
        reached = np.bincount(problem[mine], score, len(kinds))[unseen]
        logs.append(np.log(reached) - np.log(totals(chance[here], factors, kinds[unseen])))
    return float(np.concatenate(logs).mean())


def kinds_of(model: Model, n: int) -> Array:
    return np.zeros((model.problems, n), np.int64) if model.kinds is None else model.kinds.kind[:, :n]


def kind_factors(model: Model, weights: Array, counts: Array, n: int, here: Array, local: Array) -> Array:
    """(P(kind | template, i) / P(kind)) ^ weight for each template of `here`, quantity i and kind."""
    if model.kinds is None:
        return np.ones((len(here), n, KINDS))
    mine = np.flatnonzero(np.isin(model.reading.of, here))
    row, kinds = local[model.reading.of[mine]], model.kinds
    role = np.zeros((len(here), n), np.int64)
    role[row] = kinds.role[mine, :n]
    slot = (row[:, None] * n + np.arange(n)) * KINDS + kinds.kind[model.place[mine], :n]
    counted = np.bincount(slot.ravel(), np.repeat(weights[mine], n), len(here) * n * KINDS)
    backoff = model.options.kind_backoff
    chance = counted.reshape(len(here), n, KINDS) + backoff * kinds.by_role(weights)[role]
    chance /= (counts[here] + backoff)[:, None, None]
    with np.errstate(invalid="ignore", divide="ignore"):  # a kind that no quantity has
        return np.asarray((chance / kinds.anyhow) ** model.options.kind_weight)


def totals(chance: Array, factors: Array, kinds: Array) -> Array:
    """For each row of kinds, the sum over templates of chance times factors; rows share the sums of their halves."""
    half = kinds.shape[1] // 2
    left, in_left = np.unique(kinds[:, :half], axis=0, return_inverse=True)
    right, in_right = np.unique(kinds[:, half:], axis=0, return_inverse=True)
    table = np.zeros((len(left), len(right)))
    for at in range(0, len(chance), _TOGETHER):
        some = slice(at, at + _TOGETHER)
        a = chance[some, None] * products(factors[some, :half], left)
        table += a.T @ products(factors[some, half:], right)
    return np.asarray(table[in_left.ravel(), in_right.ravel()])


def products(factors: Array, kinds: Array) -> Array:
    """(templates, rows of kinds): the product of the factors of a row's kinds."""
    out = np.ones((len(factors), len(kinds)))
    for i in range(kinds.shape[1]):
        out *= factors[:, i, kinds[:, i]]
    return out


def steps(options: EMOptions, strength: str) -> Iterator[EMOptions]:
    """The options with the next larger and the next smaller number of the grid."""
    at = GRID.index(getattr(options, strength))
    for value in (GRID[at + 1], GRID[at - 1]):
        yield msgspec.structs.replace(options, **{strength: value})


def choose(sets: Sequence[CandidateSet], start: EMOptions = START, *, seed: int = 0) -> EMOptions:
    """The strengths where no single step foretells better; each trial is printed."""
    readings = read_candidates(sets)
    templates = find_templates(readings)
    seen = np.ones(len(sets), bool)
    seen[random.Random(seed).sample(range(len(sets)), len(sets) // UNSEEN)] = False
    print(f"{seen.sum()} problems seen, {len(sets) - seen.sum()} unseen, {templates.reading.size} templates")
    print(*[f"{strength:>16}" for strength in STRENGTHS], "  mean log P  CPU s")
    tried: dict[EMOptions, float] = {}

    def foretold(options: EMOptions) -> float:
        if options not in tried:
            begin = time.process_time()
            model = Model(sets, readings, templates, options, seen=seen)
            tried[options] = unseen_log_likelihood(model, readings, templates)
            seconds = time.process_time() - begin
            values = [f"{getattr(options, strength):16.3g}" for strength in STRENGTHS]
            print(*values, f"{tried[options]:12.4f} {seconds:6.1f}", flush=True)
        return tried[options]

    best, before = start, None
    while best != before:
        before = best
        for strength in STRENGTHS:
            for direction in (0, 1):
                while foretold(step := list(steps(best, strength))[direction]) > foretold(best) + ENOUGH:
                    best = step
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", required=True, help="Math_23K.json, plain or gzip")
    parser.add_argument("--split-file", required=True, help="the id lists of the test and valid parts")
    parser.add_argument("--candidates", help="what `mwp-weak search` wrote; searched anew without it")
    given = parser.parse_args()
    _, sets = read_train(given.path, given.split_file, given.candidates)
    best = choose([candidates for candidates in sets if candidates.candidates])
    print("chosen:", ", ".join(f"{strength} = {getattr(best, strength):g}" for strength in STRENGTHS))


if __name__ == "__main__":
    main()
