"""Which problems the report shows and what it says of them."""

from __future__ import annotations

from msgspec.structs import replace

from weaksup.measure.judge import Judge
from weaksup.rankers.labels import make_label
from weaksup.records import Candidate, CandidateSet, Problem, Quantity
from weaksup.report import sample_examples, sample_rule
from weaksup.report.shown_problems import LARGE, SHOWN

from .synthetic_run import made

SIZE = 120


def example(id: str = "p", *, gold: str | None = "x=2*50+3") -> tuple[Problem, CandidateSet]:
    text = "2 of 50 and 3"
    spans = [(0, 1), (5, 7), (12, 13)]
    quantities = [
        Quantity(value=text[a:b], surface=text[a:b], start=a, end=b, token=i) for i, (a, b) in enumerate(spans)
    ]
    problem = Problem(
        id=id, text=text, tokens=tuple(text.split()), quantities=tuple(quantities), answer="103", gold=gold
    )
    exprs = ["N0*N1+N2", "N1+N1+N2", "(N1-1)*N0+N2+N0"]
    found = CandidateSet(
        id=id,
        values=("2", "50", "3"),
        surfaces=("2", "50", "3"),
        answer="103",
        candidates=tuple([Candidate(expr=expr, stage="all", value="103") for expr in exprs]),
    )
    return problem, found


def test_a_problem_is_shown_with_its_candidates_likeliest_first() -> None:
    problem, found = example()
    label = make_label(found, [0.3, 0.6, 0.1], ranker="em")
    (shown,) = sample_examples([problem], [found], [label], judge=Judge([problem]))
    assert (shown.id, shown.quantities, shown.answer, shown.gold) == ("p", 3, "103", "x=2*50+3")
    assert [shown.text[start:end] for start, end in shown.marks] == ["2", "50", "3"]
    assert (shown.label, shown.expr, shown.posterior, shown.right) == ("x=50+50+3", "N1+N1+N2", 0.6, False)
    assert (shown.stage, shown.candidates) == ("all", 3)
    assert [(c.equation, c.posterior, c.right) for c in shown.shown] == [
        ("x=50+50+3", 0.6, False), ("x=2*50+3", 0.3, True), ("x=(50-1)*2+3+2", 0.1, True),
    ]  # fmt: skip


def test_without_gold_nothing_is_right_or_wrong() -> None:
    problem, found = example(gold=None)
    label = make_label(found, [0.3, 0.6, 0.1], ranker="em")
    for judge in (Judge([problem]), None):
        (shown,) = sample_examples([problem], [found], [label], judge=judge)
        assert {shown.right, *[c.right for c in shown.shown]} == {None}


def test_problems_without_label_or_candidates_are_shown_too() -> None:
    problem, found = example()
    (unlabelled,) = sample_examples([problem], [found], [], judge=Judge([problem]))
    assert (unlabelled.label, unlabelled.candidates, unlabelled.stage) == (None, 3, "all")
    assert [c.posterior for c in unlabelled.shown] == [None] * 3
    (unsearched,) = sample_examples([problem], [], [], judge=Judge([problem]))
    assert (unsearched.candidates, unsearched.stage, unsearched.shown) == (0, None, [])


def test_an_equation_of_the_model_that_was_not_searched_comes_first() -> None:
    problem, found = example()
    label = replace(
        make_label(found, [1, 0, 0], ranker="beam"), expr="N1*N0+N2+N2-N2", equation="x=50*2+3+3-3", posterior=0.8
    )
    (shown,) = sample_examples([problem], [found], [label], judge=Judge([problem]))
    assert (shown.shown[0].equation, shown.shown[0].right, len(shown.shown)) == ("x=50*2+3+3-3", True, 4)


def test_the_likeliest_right_candidate_is_shown_however_unlikely() -> None:
    problem, found = example()
    wrong = [Candidate(expr=f"N1+N1+N2+{i}-{i}", stage="all", value="103") for i in range(40)]
    found = replace(found, candidates=(*wrong, *found.candidates))
    (shown,) = sample_examples([problem], [found], [], judge=Judge([problem]))
    assert len(shown.shown) == SHOWN
    assert [c.right for c in shown.shown] == [False] * (SHOWN - 1) + [True]


def test_all_problems_are_shown_if_they_are_few() -> None:
    given = made(SIZE)
    shown = sample_examples(given.problems, given.sets, given.labels["em"], judge=given.judge, limit=SIZE)
    assert [example.id for example in shown] == [problem.id for problem in given.problems]
    assert all(len(example.shown) <= SHOWN + 1 for example in shown)
    right = {label.id: given.judge.judge_labels([label]).right for label in given.labels["em"]}
    assert [(example.right,) for example in shown] == [right[example.id] for example in shown]


def test_a_sample_is_the_same_every_time_and_has_more_of_what_is_hard() -> None:
    given = made(SIZE)

    def sample(seed: int, *, backwards: bool = False) -> list[str]:
        step = -1 if backwards else 1
        shown = sample_examples(
            given.problems, given.sets[::step], given.labels["em"][::step], judge=given.judge, limit=30, seed=seed
        )
        return [example.id for example in shown]

    assert sample(0) == sample(0, backwards=True) != sample(1)
    assert len(set(sample(0))) == 30
    assert sample(0) == sorted(sample(0))  # the order of the corpus
    right = {label.id: given.judge.judge_labels([label]).right == (True,) for label in given.labels["em"]}
    hard = {p.id for p in given.problems if len(p.quantities) >= LARGE or not right[p.id]}
    assert len(hard & set(sample(0))) / 30 > 1.2 * len(hard) / SIZE
    assert len(set(sample(0)) - hard) >= 5


def test_a_sample_is_filled_where_nothing_is_hard() -> None:
    pairs = [example(f"p{i}") for i in range(20)]
    shown = sample_examples([p for p, _ in pairs], [f for _, f in pairs], [], limit=7)
    assert len(shown) == 7


def test_the_rule_says_what_was_done() -> None:
    assert sample_rule(300) == "All 300 problems."
    rule = sample_rule(23162, seed=3)
    assert rule.startswith("1,000 of 23,162 problems") and "seed 3" in rule and "4 or more quantities" in rule
