"""How good the log-linear model of `rank --words` can get: the same model, trained on gold instead of on answers.

    python benchmarks/words_ceiling.py --data-dir DATA --candidates FOLDER [--corpora NAME...]

Each part of a corpus is judged by models of the other parts, in both cases.  What is printed: the share of all problems
with gold that have it among their candidates, among the thirty that the model chooses from, and as their label.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from public_corpora import add_arguments, read_public

from weaksup.measure.judge import Judge
from weaksup.rankers.em import EMOptions, Model
from weaksup.rankers.prior_table import load_prior
from weaksup.rankers.word_options import find_options
from weaksup.rankers.words import _cross_fit
from weaksup.records import CandidateSet, Problem
from weaksup.wording.log_linear import Learner, Options, WordOptions
from weaksup.wording.readings import Array
from weaksup.wording.text_features import NumberedTexts, number_features, text_features


def ceiling(name: str, problems: Sequence[Problem], sets: Sequence[CandidateSet]) -> dict[str, float]:
    """Shares of the problems with gold: gold in the set, among the options, label right by answers and by gold."""
    judge = Judge(problems)
    by_id = {problem.id: problem for problem in problems}
    prior = load_prior("shipped")
    found = sorted((one for one in sets if one.candidates), key=lambda one: one.id)
    right = [judge.judge_set(one).right for one in found]
    total = sum(judge.gold(problem) is not None for problem in problems)
    options = EMOptions()
    model = Model(found, prior=prior and prior.without(name), unmatched=sum(one.reason == "no-match" for one in sets))
    posteriors = model.fit(options)
    template, kinds = model.chances(posteriors, options)
    choices = find_options(model, found, template, template * kinds)
    read = [text_features(by_id[one.id]) for one in found]
    texts = NumberedTexts(read, number_features(read, [1.0] * len(found), least=3))
    problem = np.repeat(np.arange(len(found)), np.diff(choices.start))
    gold = np.zeros(len(problem), bool)
    for option in np.flatnonzero(choices.own).tolist():
        marks = right[problem[option]]
        gold[option] = marks is not None and marks[choices.candidate[option]]
    has_gold = np.bincount(problem[gold], minlength=len(found)) > 0

    nothing = np.array([1 - row.sum() for row in model.candidates(posteriors)])
    share = model.none.probability(nothing, options.none_strength)
    by_answers = Learner(choices, texts, model.none.answers(options.answer_strength), share)
    by_gold = Learner(choices._replace(own=gold), texts, np.zeros(len(found)), 1e-9)
    return {
        "in the set": sum(any(marks or ()) for marks in right) / total,
        "among the options": has_gold.sum() / total,
        "right, from answers": _right(by_answers, np.ones(len(found), bool), choices, problem, gold) / total,
        "right, from gold": _right(by_gold, has_gold, choices, problem, gold) / total,
    }


def _right(learner: Learner, taught: Array, choices: Options, problem: Array, gold: Array) -> int:
    """How many problems have a right label, if models learn from those that are `taught`."""
    usable = np.diff(choices.start) > 0
    logs = _cross_fit(learner, taught, usable, np.arange(len(usable)), WordOptions())
    logs = np.where(choices.own, logs, -np.inf)
    best: dict[int, int] = {}
    for option in np.flatnonzero(choices.own).tolist():
        place = int(problem[option])
        if place not in best or logs[option] > logs[best[place]]:
            best[place] = option
    return int(gold[list(best.values())].sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    given = parser.parse_args()
    for corpus, problems, sets in read_public(given):
        figures = ceiling(corpus.name, problems, sets)
        print(f"{corpus.name:8}", "  ".join(f"{what} {100 * share:.1f}" for what, share in figures.items()), flush=True)


if __name__ == "__main__":
    main()
