"""The log-linear model of the text: its parts against plain implementations, and what it learns from answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import exp, log

import numpy as np
import pytest

from mathcanon import expressions, parse
from weaksup.errors import ConfigError, DataError
from weaksup.rankers import rank_em, rank_words
from weaksup.rankers.em import EMOptions, Model
from weaksup.rankers.table import rank_with_words
from weaksup.rankers.word_options import find_options
from weaksup.rankers.words import word_chances
from weaksup.records import Candidate, CandidateSet, Problem, Quantity
from weaksup.search.batch import search_problems
from weaksup.wording.equation_loops import FLAGS, ROOTS, pair_number, relations, steps
from weaksup.wording.log_linear import MOST_QUANTITIES, Learner, WordOptions
from weaksup.wording.readings import read_candidates
from weaksup.wording.text_features import NumberedTexts, TextFeatures, number_features, text_features

from .problems import PLAN, make_sets, problem_of

QUICK = WordOptions(epochs=2, parts=2, least=1)


def told(id: str, text: str, answer: int) -> Problem:
    """A problem from a text whose tokens stand between spaces."""
    tokens = text.split()
    numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
    quantities = [Quantity(value=tokens[i], surface=tokens[i], start=0, end=1, token=i) for i in numbers]
    return Problem(id=id, text=text, tokens=tuple(tokens), quantities=tuple(quantities), answer=str(answer))


def found_for(*exprs: str, values: tuple[str, ...] = ("3", "5", "2", "7")) -> CandidateSet:
    candidates = tuple(Candidate(expr=expr, stage="all", value="0") for expr in exprs)
    return CandidateSet(id="x", values=values, surfaces=values, answer="0", candidates=candidates)


# --- what is read from a text -----------------------------------------------------------------------------------------


def test_features_name_the_neighbours_the_clause_and_the_question() -> None:
    text = text_features(told("a", "Tom buys 3 boxes , each costs 5 coins . How many coins ?", 15))
    assert len(text.quantities) == 2 and len(text.pairs) == 1
    first, second = text.quantities
    assert {"just before buys", "just after boxes", "clause tom", "unit not asked", "asked coins"} <= set(first)
    assert {"just before costs", "clause each", "unit asked"} <= set(second)
    assert "clause each" not in first and "in question" not in second
    assert {"same unit False", "same clause False", "between each"} <= set(text.pairs[0])


def test_features_do_not_depend_on_the_numbers() -> None:
    one, other = (text_features(told("a", f"Tom has {a} nuts and {b} figs .", 0)) for a, b in ((31, 45), (77, 68)))
    assert one == other


def test_a_text_without_words_and_one_with_more_quantities_than_words_are_read() -> None:
    empty = Problem(id="a", text="", tokens=(), quantities=(), answer="1")
    assert text_features(empty).quantities == []
    assert len(text_features(problem_of(found_for("N0"))).pairs) == 6


def test_only_features_of_enough_counted_problems_get_a_number() -> None:
    texts = [TextFeatures([["x", name]], [], ["w"]) for name in "abab"]
    numbered = NumberedTexts(texts, number_features(texts, [1, 1, 1, 0], least=2))  # b is counted once
    starts, features = numbered.features[:2]
    assert numbered.sizes == (2, 0, 1)
    assert [features[a:b].tolist() for a, b in pairwise(starts)] == [[1, 0], [1], [1, 0], [1]]


# --- what is read from an equation ------------------------------------------------------------------------------------


def test_pairs_are_numbered_in_order() -> None:
    assert [pair_number(i, j, 4) for i in range(4) for j in range(i + 1, 4)] == list(range(6))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("N0-N1-N2", {(0, 1): "+-", (0, 2): "+-", (1, 2): "--"}),
        ("N0-(N1-N2)", {(0, 1): "+-", (0, 2): "++", (1, 2): "+-"}),
        ("N0/N1/N2", {(0, 1): "*/", (0, 2): "*/", (1, 2): "//"}),
        ("N0*(N1-N2)", {(0, 1): "**", (0, 2): "**", (1, 2): "+-"}),
        ("N0*N1-N2*N3", {(0, 1): "**", (0, 2): "+-", (2, 3): "**", (1, 3): "+-"}),
        ("(N0-N1)/(N2+N3)", {(0, 1): "+-", (0, 2): "*/", (2, 3): "++", (1, 3): "*/"}),
        ("N0+1", {(0, 1): ""}),
    ],
)
def test_relations_are_the_signs_of_the_blocks_that_are_joined(expr: str, expected: dict[tuple[int, int], str]) -> None:
    readings = read_candidates([found_for(expr)])
    out = np.zeros((1, 6), np.int8)
    relations(readings.programs, readings.lengths, readings.skeleton, readings.leaves, np.array([4]), out)
    names = ["", "++", "+-", "-+", "--", "**", "*/", "/*", "//"]
    assert {pair: names[out[0, pair_number(*pair, 4)]] for pair in expected} == expected


def test_steps_are_flagged_as_exact_arithmetic_says() -> None:
    rng = random.Random(5)
    exprs = [str(expr) for expr in expressions(["N0", "N1", "N2"])]
    for _ in range(20):
        values = tuple(str(rng.randint(0, 6)) for _ in range(3))
        readings = read_candidates([found_for(*exprs, values=values)], limit=1)
        numbers = np.tile(np.array([float(value) for value in values]), (len(readings.skeleton), 1))
        out = np.zeros((len(readings.skeleton), FLAGS), np.int8)
        constants = np.array([float(one) for one in readings.constants])
        steps(readings.programs, readings.lengths, readings.skeleton, readings.leaves, constants, numbers, out)
        for row, expr in enumerate(exprs):
            value = plain_value(expr, {f"N{i}": Fraction(v) for i, v in enumerate(values)})
            assert (out[row, 4] > 0) == (value is None), (expr, values)
            if value is not None:
                assert out[row, 2:4].tolist() == [value < 0, value.denominator > 1], (expr, values)


def plain_value(expr: str, values: dict[str, Fraction]) -> Fraction | None:
    try:
        return parse(expr).evaluate(values)
    except ZeroDivisionError:
        return None


# --- learning ---------------------------------------------------------------------------------------------------------


def learner_of(sets: list[CandidateSet], problems: dict[str, Problem]) -> Learner:
    model = Model(sets)
    posteriors = model.fit(EMOptions())
    chances, kinds = model.chances(posteriors, EMOptions())
    read = [text_features(problems[found.id]) for found in sets]
    texts = NumberedTexts(read, number_features(read, [1] * len(sets), least=1))
    answers = model.none.answers(100.0)
    return Learner(find_options(model, sets, chances, chances * kinds), texts, answers, 0.1)


def test_the_probabilities_are_those_of_the_formula_and_the_gradient_is_that_of_finite_differences() -> None:
    sets = sorted([found for found in make_sets(12, seed=1) if found.candidates], key=lambda found: found.id)
    problems = {found.id: problem_of(found) for found in sets}
    learner = learner_of(sets, problems)
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 0.3, learner.ends[-1])
    weights[-1] = 0.7
    everything = np.arange(len(sets))
    logs, gradients = np.zeros(len(learner.choices.form)), np.zeros_like(weights)
    loss = learner.judge(everything, weights, logs, gradients)
    assert loss == pytest.approx(plain_loss(learner, weights))
    for place in [*rng.choice(len(weights) - FLAGS - 1, 40, replace=False), *range(-FLAGS - 1, 0)]:
        moved = [weights.copy(), weights.copy()]
        moved[0][place] += 1e-5
        moved[1][place] -= 1e-5
        slope = (plain_loss(learner, moved[0]) - plain_loss(learner, moved[1])) / 2e-5
        assert gradients[place] == pytest.approx(slope, abs=1e-6)


def plain_loss(learner: Learner, weights: np.ndarray) -> float:
    """-log P(answers), term by term."""
    of_quantity, of_pair, of_whole, of_steps = learner._views(weights)
    texts, choices = learner.texts, learner.choices
    loss = 0.0
    for p, n in enumerate(texts.counts.tolist()):
        right = normal = 0.0

        def features(group: int, item: int) -> list[int]:
            starts, found = texts.features[2 * group : 2 * group + 2]
            return list(found[starts[item] : starts[item + 1]])

        for o in range(choices.start[p], choices.start[p + 1]):
            form = choices.form[o]
            score = float(of_steps[:FLAGS] @ choices.flags[o]) + of_steps[FLAGS] * choices.prior[form]
            for i in range(n):
                score += sum(of_quantity[f, choices.roles[form, i]] for f in features(0, texts.first_quantity[p] + i))
            for i in range(n * (n - 1) // 2):
                score += sum(of_pair[f, choices.relations[form, i]] for f in features(1, texts.first_pair[p] + i))
            for f in features(2, p):
                score += of_whole[f, choices.root[form]] + of_whole[f, ROOTS + choices.extras[form]]
            right += choices.own[o] * exp(score)
            normal += exp(score + choices.weight[o])
        loss -= log(0.9 * right / normal + 0.1 * learner.answers[p])
    return loss


def test_options_are_the_candidates_and_rivals_that_are_none() -> None:
    sets = sorted([found for found in make_sets(60, seed=2) if found.candidates], key=lambda found: found.id)
    model = Model(sets)
    chances, kinds = model.chances(model.fit(EMOptions()), EMOptions())
    options = find_options(model, sets, chances, chances * kinds)
    template = model.templates.reading.of
    for p, found in enumerate(sets):
        mine = slice(options.start[p], options.start[p + 1])
        own = options.candidate[mine][options.own[mine]]
        assert set(own.tolist()) <= set(range(len(found.candidates)))
        here = set(template[model.place == p].tolist())
        rivals = template[options.reading[options.form[mine][~options.own[mine]]]]
        assert here.isdisjoint(rivals.tolist())


SHAPES: list[tuple[str, Callable[[int, int], int]]] = [
    ("Tom has {a} nuts and finds {b} nuts . How many has he altogether ?", lambda a, b: a + b),
    ("Each of {a} boxes holds {b} nuts . How many nuts are there in all ?", lambda a, b: a * b),
]


def ambiguous(size: int) -> tuple[list[CandidateSet], dict[str, Problem]]:
    """Problems of two kinds; every fifth has 2 and 2, whose sum is also the product: only the words can tell."""
    rng = random.Random(7)
    problems = []
    for i in range(size):
        text, answer = SHAPES[i % 2]
        a, b = (2, 2) if i % 5 == 0 else (rng.randint(5, 30), rng.randint(31, 60))
        problems.append(told(f"{i:03}", text.format(a=a, b=b), answer(a, b)))
    return list(search_problems(problems, PLAN)), {problem.id: problem for problem in problems}


def test_words_decide_where_numbers_cannot() -> None:
    sets, problems = ambiguous(120)
    labels = {label.id: label for label in rank_words(sets, problems)}
    doubtful = [id for id in labels if int(id) % 5 == 0]
    wanted = {id: "N0*N1" if int(id) % 2 else "N0+N1" for id in doubtful}
    assert {id: labels[id].expr for id in doubtful} == wanted
    text_free = {label.id: label.expr for label in rank_em(sets)}
    assert {id: text_free[id] for id in doubtful} != wanted  # so it is the words that tell


def test_unseen_problems_are_judged_by_what_the_others_taught() -> None:
    sets, problems = ambiguous(80)
    seen, unseen = sets[:60], sets[60:]
    rows = word_chances(seen, problems, unseen=unseen, options=QUICK)
    best = [found.candidates[int(row[:-1].argmax())].expr for found, row in zip(unseen, rows[60:], strict=True)]
    assert best == ["N0*N1" if int(found.id) % 2 else "N0+N1" for found in unseen]


def test_the_order_of_the_problems_makes_no_difference() -> None:
    sets, problems = ambiguous(40)
    rows = word_chances(sets, problems, options=QUICK)
    turned = word_chances(sets[::-1], problems, options=QUICK)[::-1]
    assert all((one == two).all() for one, two in zip(rows, turned, strict=True))


def test_chances_are_probabilities_and_leave_room_for_none() -> None:
    sets = make_sets(40, seed=5)
    rows = word_chances(sets, {found.id: problem_of(found) for found in sets}, options=QUICK)
    for found, row in zip(sets, rows, strict=True):
        assert len(row) == len(found.candidates) + 1
        assert (row >= 0).all() and row.sum() <= 1 + 1e-9


def test_few_problems_none_and_too_many_quantities_are_no_trouble() -> None:
    assert word_chances([], {}) == []
    (one, *_) = [found for found in make_sets(5, seed=1) if found.candidates]
    [row] = word_chances([one], {one.id: problem_of(one)})
    assert row.sum() > 0
    values = tuple(str(i + 2) for i in range(MOST_QUANTITIES + 1))
    large = CandidateSet(
        id="large",
        values=values,
        surfaces=values,
        answer="5",
        candidates=(Candidate(expr="N0+N1", stage="all", value="5"),),
    )
    [label] = rank_words([large], {"large": problem_of(large)})
    assert label.expr == "N0+N1"


def test_a_corpus_with_other_quantities_is_refused() -> None:
    (found, *_) = [found for found in make_sets(5, seed=1) if found.candidates]
    empty = Problem(id=found.id, text="", tokens=(), quantities=(), answer="1")
    with pytest.raises(DataError, match="was searched with the quantities"):
        word_chances([found], {found.id: empty})


def test_only_em_reads_words_without_a_draft() -> None:
    with pytest.raises(ConfigError, match="ranker random can't read the words"):
        rank_with_words("random", [], {})
