"""The oracle on invented problems with figures worked out by hand, against sympy, and on Math23K as published."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
import sympy

from weaksup.corpora import Corpus, read_corpus
from weaksup.errors import ConfigError, DataError
from weaksup.measure.cases import CASES, case_study, find_case, marked_text, show_problem
from weaksup.measure.foreign_labels import ForeignLabel, exact_equation, read_scored
from weaksup.measure.judge import Judge
from weaksup.measure.score import score_candidates, score_labels, score_records
from weaksup.records import Candidate, CandidateSet, Label, Problem, Quantity, Scored, Skipped
from weaksup.report.score_tables import (
    accuracy_table,
    count_distribution,
    distribution_table,
    recall_table,
    score_tables,
    search_table,
    shown_table,
    size_table,
)
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan


def problem(id: str, surfaces: str, answer: str, gold: str | None) -> Problem:
    """A problem whose text is its quantities with a word between them; `surfaces` by spaces."""
    text, quantities = "", []
    for token, surface in enumerate(surfaces.split()):
        text += " and " if text else "there are "
        value = Fraction(surface.strip("()%")) / (100 if surface.endswith("%") else 1)
        start = len(text)
        text += surface
        quantities.append(Quantity(value=str(value), surface=surface, start=start, end=len(text), token=token))
    return Problem(id=id, text=text, tokens=tuple(text.split()), quantities=tuple(quantities), answer=answer, gold=gold)


def found(of: Problem, *exprs: str, stage: str = "all", reason: str | None = None) -> CandidateSet:
    return CandidateSet(
        id=of.id,
        values=tuple(quantity.value for quantity in of.quantities),
        surfaces=tuple(quantity.surface for quantity in of.quantities),
        answer=of.answer,
        candidates=tuple(Candidate(expr=expr, stage=stage, value=of.answer) for expr in exprs),
        reason=reason,
    )


def label(id: str, expr: str, *, candidates: int = 1, stage: str = "all") -> Label:
    return Label(id=id, expr=expr, equation="", posterior=1.0, candidates=candidates, stage=stage, ranker="em")


# One right candidate; two, one of them right; three, none right; nothing found; no gold; too many quantities.
ONE = problem("1", "2 11", "20", "x=(11-1)*2")
TWO = problem("2", "6 2 4", "16", "x=6*2+4")
THREE = problem("3", "4 2", "8", "x=4+4")
NONE = problem("4", "7", "50", "x=7^2+1")
NO_GOLD = problem("5", "3 5", "8", None)
SIX = problem("6", "1 2 3 4 5 6", "21", "x=1+2+3+4+5+6")
PROBLEMS = [ONE, TWO, THREE, NONE, NO_GOLD, SIX]
SETS = [
    found(ONE, "N0*(N1-1)", stage="add-1"),
    found(TWO, "(N0-N1)*N2", "N0*N1+N2"),
    found(THREE, "N0*N1", "N0+N1+N1", "N1^3"),
    found(NONE, reason="no-match"),
    found(NO_GOLD, "N0+N1"),
    found(SIX, reason="too-many-quantities"),
]


# --- figures by hand --------------------------------------------------------------------------------------------------


def test_candidates_are_counted_as_worked_out_by_hand() -> None:
    score = score_candidates(SETS, PROBLEMS, stage_order=["twice", "all"])
    assert (score.problems, score.covered, score.single, score.multiple, score.largest) == (6, 4, 2, 2, 3)
    assert score.recall == pytest.approx(4 / 6)
    assert (score.mean, score.median) == (7 / 4, 1.5)
    assert score.skipped == {"no-match": 1, "too-many-quantities": 1}
    assert list(score.stages.items()) == [("all", 3), ("add-1", 1)]  # in the order given, others behind
    assert score.gold_stages == {"all": 1, "add-1": 1}
    assert (score.without_gold, score.uncovered_power, score.unreadable) == (1, 1, 0)
    assert score.gold_in_set == pytest.approx(2 / 5)
    assert score.micro == pytest.approx(2 / 6)  # 1 + 2 + 3 pairs with gold, two of them right
    assert score.macro == pytest.approx((1 + 1 / 2 + 0 + 0 + 0) / 5)
    assert (score.micro_single, score.micro_multiple) == (1.0, 1 / 5)


def test_sizes_have_their_own_figures() -> None:
    sizes = score_candidates(SETS, PROBLEMS).by_quantities
    assert list(sizes) == ["1", "2", "3", "4", "5", "6+"]
    assert [size.problems for size in sizes.values()] == [1, 3, 1, 0, 0, 1]
    two = sizes["2"]
    assert (two.recall, two.gold_in_set, two.micro, two.macro) == (1.0, 1 / 2, 1 / 4, 1 / 2)
    assert (sizes["4"].recall, sizes["4"].micro) == (None, None)
    assert (sizes["6+"].recall, sizes["6+"].micro, sizes["6+"].macro) == (0.0, None, 0.0)


def test_labels_are_counted_as_worked_out_by_hand() -> None:
    labels = [label("1", "N1*N0-N0"), label("2", "N0*N1+N2", candidates=2), label("3", "N0*N1", candidates=3)]
    score = score_labels(labels, PROBLEMS)
    assert (score.covered, score.single, score.multiple, score.largest) == (3, 1, 2, 3)
    assert score.skipped == {"no-label": 3}
    assert score.micro == pytest.approx(2 / 3)
    assert score.macro == score.gold_in_set == pytest.approx(2 / 5)
    assert (score.micro_single, score.micro_multiple) == (1.0, 1 / 2)


def test_the_keys_of_the_interface_are_there() -> None:
    promised = "problems covered single multiple largest skipped stages gold_in_set micro macro micro_single"
    shown = json.loads(msgspec.json.encode(score_candidates(SETS, PROBLEMS)))
    assert {*promised.split(), "micro_multiple", "by_quantities"} <= shown.keys()
    assert {"problems", "recall", "gold_in_set", "micro", "macro"} <= shown["by_quantities"]["6+"].keys()


def test_covered_and_skipped_are_all_problems() -> None:
    bad = [Skipped(id="7", reason="answer-unreadable")]
    score = score_candidates(SETS[:2], PROBLEMS, skipped=bad)
    assert score.skipped == {"answer-unreadable": 1, "not-in-file": 4}
    assert score.problems == score.covered + sum(score.skipped.values()) == 7
    assert score.macro == pytest.approx(1.5 / 6)


def test_a_part_counts_its_own_problems_only() -> None:
    score = score_candidates(SETS, PROBLEMS, part={"1", "3"})
    assert (score.problems, score.covered, score.micro, score.macro) == (2, 2, 1 / 4, 1 / 2)


def test_an_empty_file_covers_nothing() -> None:
    score = score_records([], PROBLEMS)
    assert (score.covered, score.recall, score.micro, score.macro, score.median) == (0, 0.0, None, 0.0, None)


# --- what is equal ----------------------------------------------------------------------------------------------------


def is_right(of: Problem, expr: str, *, law: str = "value") -> bool:
    right = Judge([of], law=law).judge_set(found(of, expr)).right
    assert right is not None
    return right[0]


@pytest.mark.parametrize(
    ("surfaces", "gold", "expr", "right"),
    [
        ("3 4 3", "x=3*4", "N1*N2", True),  # equal values are one variable: either 3 will do
        ("3 4 3", "x=3*4-3", "N0*N1-N2", True),
        ("3 4", "x=3*4-3", "N0*N1-N0", True),
        ("3 4", "x=3*(4-1)", "N0*N1-N0", True),
        ("3 4", "x=3+3*4", "N0*(N1+1)", True),
        ("3 4", "x=3*3", "N0+N0+N0", False),  # 9 either way, by another function
        ("8 1", "x=8-1", "N0-1", True),  # a quantity of value 1 is the constant
        ("8 1", "x=8", "N0/N1", True),
        ("8 0", "x=8", "N0+N1", True),  # and so is one of value 0
        ("8 0", "x=8-0", "N0", True),
        ("30 (1/5)", "x=30*(1/5)", "N0*N1", True),  # a fraction in brackets is a quantity if there is one
        ("30 1 5", "x=30*(1/5)", "N0*N1/N2", True),  # else a division
        ("30 20%", "x=30*(1/5)", "N0*N1", True),  # of that value, whatever its spelling
        ("30 5", "x=30*(1/5)", "N0/N1", True),
        ("30 0.2", "x=30*20%", "N0*N1", True),
        ("10", "x=3.14*10*10", "3.14*N0^2", True),
        ("10 3.14", "x=3.14*10*10", "N0*N0*N1", True),
        ("5 4", "x=5*4/2", "N0*N1", False),  # a number of its own is not the constant 1
        ("5 4", "x=5-4", "N1-N0", False),
    ],
)
def test_equal_is_equal_at_value_level(surfaces: str, gold: str, expr: str, right: bool) -> None:
    assert is_right(problem("1", surfaces, "0", gold), expr) is right


@pytest.mark.parametrize(
    ("surfaces", "gold", "expr", "right"),
    [
        ("8 1", "x=8", "N0/N1", False),
        ("8 0", "x=8", "N0+N1", False),
        ("8 1", "x=8-1", "N0-1", True),  # a 1 is the 1 of the text
        ("8 1", "x=8-1", "N0-N1", True),
        ("8 2", "x=8/1-2", "N0-N1", True),  # the text has no 1
        ("3 4 3", "x=3*4", "N1*N2", True),
        ("30 (1/5)", "x=30*(1/5)", "N0*N1", True),
        ("30 1 5", "x=30*(1/5)", "N0*N1/N2", True),
    ],
)
def test_a_mentioned_one_can_be_a_variable(surfaces: str, gold: str, expr: str, right: bool) -> None:
    assert is_right(problem("1", surfaces, "0", gold), expr, law="mentioned") is right


def test_the_law_of_structure_is_stricter() -> None:
    one = problem("1", "3 4", "9", "x=3*(4-1)")
    assert is_right(one, "N0*N1-N0")
    assert not is_right(one, "N0*N1-N0", law="structure")
    assert is_right(one, "(N1-1)*N0", law="structure")


def test_an_unknown_law_is_an_error() -> None:
    with pytest.raises(ConfigError, match="one of value, mentioned, structure"):
        score_candidates(SETS, PROBLEMS, law="value-ish")


def test_unreadable_gold_is_not_judged() -> None:
    strange = problem("1", "80 2", "40", "x=80km/h")
    score = score_candidates([found(strange, "N0/N1")], [strange])
    assert (score.covered, score.without_gold, score.micro, score.macro, score.gold_in_set) == (1, 1, None, None, None)


def test_gold_that_divides_by_zero_is_not_judged() -> None:
    zero = problem("1", "80 2", "40", "x=80/(2-2)")
    assert score_candidates([found(zero, "N0/N1")], [zero]).without_gold == 1


@pytest.mark.parametrize("expr", ["N0+N7", "N0+", "N0/(N1-N1)"])
@pytest.mark.parametrize("law", ["value", "mentioned"])
def test_an_unreadable_candidate_is_wrong_and_counted(expr: str, law: str) -> None:
    score = score_candidates([found(ONE, expr, "N0*(N1-1)")], [ONE], law=law)
    assert (score.unreadable, score.micro) == (1, 1 / 2)


def sympy_function(text: str, values: list[Fraction], *, literal: bool) -> sympy.Expr:
    """An equation at value level, by sympy alone."""
    variables = {value: sympy.Symbol(f"v{i}") for i, value in enumerate(dict.fromkeys(values))}
    variables |= {
        Fraction(0): sympy.Integer(0),
        Fraction(1): sympy.Integer(1),
        Fraction("3.14"): sympy.Rational("3.14"),
    }
    if not literal:
        names = {f"N{i}": variables[value] for i, value in enumerate(values)}
        return sympy.sympify(text.replace("^", "**"), locals=names, rational=True)
    text = text.partition("=")[2].replace("[", "(").replace("]", ")").replace("^", "**")
    table: dict[str, sympy.Expr] = {}

    def leaf(match: re.Match[str]) -> str:
        word = match[0]
        value = Fraction(word.strip("()%")) / (100 if word.endswith("%") else 1)
        if word.startswith("(") and (value not in variables or value.denominator == 1):  # (144/36) is a division
            return re.sub(r"\d+", lambda digits: leaf(re.match(r"\d+", digits[0])), word)  # type: ignore[arg-type]
        name = f"leaf{len(table)}"
        table[name] = variables.get(value, sympy.Symbol(f"own_{value.numerator}_{value.denominator}"))
        return name

    # An exponent is a number, not a quantity.
    pieces = re.split(r"(\*\*\d+)", text)
    text = "".join(
        piece if piece.startswith("**") else re.sub(r"\(\d+/\d+\)|\d+(?:\.\d+)?%?", leaf, piece) for piece in pieces
    )
    return sympy.sympify(text, locals=table)


def test_sympy_agrees_on_invented_problems() -> None:
    rng = random.Random(3)
    for _ in range(60):
        surfaces = " ".join(rng.choice(["1", "2", "3", "(1/2)", "50%", "0.5", "7"]) for _ in range(3))
        numbers = surfaces.split()
        gold = "x=" + rng.choice(["{}*({}-{})", "{}*{}-{}", "{}+{}/{}", "({}+{})*{}", "{}-{}-{}"]).format(*numbers)
        one = problem("1", surfaces, "0", gold)
        for expr in ("N0*(N1-N2)", "N0*N1-N0*N2", "N0*N1-N2", "N0+N1/N2", "N2*(N0+N1)", "N0-(N1+N2)", "N0*N1/N2"):
            values = [quantity.exact for quantity in one.quantities]
            ours = sympy_function(expr, values, literal=False)
            theirs = sympy_function(gold, values, literal=True)
            assert is_right(one, expr) is (sympy.simplify(ours - theirs) == 0), (surfaces, gold, expr)


# --- files ------------------------------------------------------------------------------------------------------------


def test_ids_that_the_corpus_does_not_have_are_an_error() -> None:
    strangers = [label(str(i), "N0") for i in range(1, 20)]
    with pytest.raises(
        DataError, match=r"labels.jsonl: 13 ids of the file are not in the corpus: 7, 8, 9, 10, 11, \.\.\."
    ):
        score_labels(strangers, PROBLEMS, path="labels.jsonl")
    with pytest.raises(DataError, match="1 ids of the file are not in the corpus: 1"):
        score_candidates([SETS[0]], PROBLEMS[1:])


def test_a_label_of_a_skipped_problem_is_no_error() -> None:
    score = score_labels([ForeignLabel(id="9", equation="x=1")], [ONE], skipped=[Skipped(id="9", reason="no-quantity")])
    assert score.skipped == {"no-label": 1, "no-quantity": 1}


def test_labels_of_other_quantities_are_an_error() -> None:
    made_for_one = msgspec.structs.replace(label("1", "(N1-1)*N0"), equation="x=(11-1)*2")
    assert score_labels([made_for_one], [ONE]).micro == 1
    other = problem("1", "3 11", "30", "x=(11-1)*3")
    said = r"the label of problem 1 is \(N1-1\)\*N0 and x=\(11-1\)\*2, the corpus has 3, 11; read the corpus"
    with pytest.raises(DataError, match=said):
        score_labels([made_for_one], [other])
    with pytest.raises(DataError, match=said):
        show_problem(other, made_for_one)


def test_a_problem_stands_once_in_our_files() -> None:
    with pytest.raises(DataError, match="problem 1 is in the file twice"):
        score_candidates([SETS[0], SETS[0]], PROBLEMS)
    with pytest.raises(DataError, match="problem 1 is labelled twice"):
        score_labels([label("1", "N0"), label("1", "N1")], PROBLEMS)


def test_foreign_labels_may_be_several() -> None:
    labels = [ForeignLabel(id=1, equation="x=2*11-2"), ForeignLabel(id="1", equation="x=11+11-2")]
    score = score_labels(labels, PROBLEMS)
    assert (score.covered, score.multiple, score.largest, score.micro) == (1, 1, 2, 1 / 2)
    assert score.macro == pytest.approx(0.5 / 5)


def test_candidates_of_other_quantities_are_an_error() -> None:
    other = msgspec.structs.replace(ONE, quantities=ONE.quantities[:1])
    with pytest.raises(DataError, match="problem 1 was searched with the quantities 2, 11, the corpus has 2"):
        score_candidates(SETS[:1], [other])


def test_the_first_record_says_what_a_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    for records in ([SETS[0], SETS[3]], [label("1", "N0")], [ForeignLabel(id="1", equation="x=2")]):
        path.write_bytes(b"\n".join(map(msgspec.json.encode, records)))
        assert read_scored(path) == records
    path.write_text("")
    assert read_scored(path) == []
    path.write_text('{"id": "1", "equation": "x=2", "ans": 2}\n{"id": "2"}\n')
    with pytest.raises(DataError, match=r"file\.jsonl:2: .*`equation`"):
        read_scored(path)
    path.write_text("null\n")
    with pytest.raises(DataError, match="neither candidates nor labels"):
        read_scored(path)
    path.write_text('{"question": "?"}\n')
    with pytest.raises(DataError, match="neither candidates nor labels"):
        read_scored(path)


# --- foreign labels ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "values", "exact"),
    [
        ("x=16.0*4.0/2.0", "16 4 2", "x=16*4/2"),
        ("x=24.0*0.16666666666666666", "24 1/6", "x=24*(1/6)"),
        ("x=24.0*0.1667", "24 1/6", "x=24*(1/6)"),  # rounded by somebody
        ("x=24.0*0.17", "24 1/6", "x=24*0.17"),  # too coarse to be sure
        ("x=2.0+1", "2.04 7", "x=2.0+1"),
        ("x=0.30000000000000004*5.0", "3/10 5", "x=(3/10)*5"),
        ("x=3.14*2.0", "2", "x=(157/50)*2"),
        ("x=1e-05*3", "1/100000 3", "x=(1/100000)*3"),
        ("x=2.5e-05*3", "3", "x=0.000025*3"),
        ("x=40%*(1/6)+1.5%", "2/5 1/6", "x=40%*(1/6)+1.5%"),  # left alone
        ("x=.5*3.", "1/2 3", "x=(1/2)*3"),
        ("x=1e9999999999+2.0", "2", "x=1e9999999999+2"),  # would take all memory; the parser refuses it
    ],
)
def test_floats_become_the_quantities_they_come_from(equation: str, values: str, exact: str) -> None:
    assert exact_equation(equation, [Fraction(value) for value in values.split()]) == exact


def test_foreign_labels_are_judged_with_a_mentioned_one_as_a_quantity() -> None:
    one = problem("1", "140 58 1 (1/3)", "8120", "x=140*58")
    labels = [ForeignLabel(id="1", equation="x=140.0*58.0/1.0")]
    assert (score_records(labels, [one]).law, score_records(labels, [one]).micro) == ("mentioned", 0.0)
    assert score_records(labels, [one], law="value").micro == 1.0
    third = problem("2", "9 (1/3)", "3", "x=9*(1/3)")
    assert score_records([ForeignLabel(id="2", equation="x=9.0*0.3333333333333333")], [third]).micro == 1.0


# --- shown ------------------------------------------------------------------------------------------------------------


def test_a_problem_is_shown_with_its_quantities_and_verdicts() -> None:
    best = msgspec.structs.replace(label("2", "N0*N1+N2"), posterior=0.75, others=(Scored(expr="N0", posterior=0.125),))
    shown = show_problem(TWO, SETS[1], label=best)
    assert shown.text == "there are [N0=6] and [N1=2] and [N2=4]"
    assert shown.quantities == {"N0": "6", "N1": "2", "N2": "4"}
    table = shown_table(shown)
    assert table.head == ("", "candidate", "equation", "stage", "value", "posterior", "gold")
    assert table.rows == [
        ("label", "N0*N1+N2", "x=6*2+4", "all", "16", "0.750", "yes"),
        ("", "(N0-N1)*N2", "x=(6-2)*4", "all", "16", "0.000", "no"),
    ]


def test_without_gold_and_posterior_there_is_no_verdict() -> None:
    assert shown_table(show_problem(NO_GOLD, SETS[4])).rows == [("N0+N1", "x=3+5", "all", "8", "-")]
    assert show_problem(NONE, SETS[3]).reason == "no-match"
    with pytest.raises(DataError, match="candidates of problem 2"):
        show_problem(ONE, SETS[1])


def test_a_label_is_shown_with_the_candidates_it_kept() -> None:
    best = msgspec.structs.replace(label("2", "N2+N0*N1"), posterior=0.75, others=(Scored(expr="N0", posterior=0.125),))
    assert shown_table(show_problem(TWO, best)).rows == [
        ("label", "N2+N0*N1", "x=4+6*2", "all", "16", "0.750", "yes"),
        ("", "N0", "x=6", "", "16", "0.125", "no"),
    ]
    # However the label writes it, it is the same candidate.
    assert [row[5] for row in shown_table(show_problem(TWO, SETS[1], label=best)).rows] == ["0.750", "0.000"]


def test_marks_stand_around_what_the_text_has() -> None:
    assert marked_text(problem("1", "40% (1/6)", "1", None)) == "there are [N0=40%] and [N1=(1/6)]"


def test_the_cases_are_found_by_numbers_answer_and_gold() -> None:
    lookalike = problem("8", "2 11", "20", "x=11+11-2")
    longer = problem("9", "2 11 3", "20", "x=(11-1)*2")
    assert find_case(CASES[0], [lookalike, longer, ONE]) == [ONE]
    [(case, [shown]), (_, none), _] = case_study(PROBLEMS, SETS)
    assert (case.gold, shown.id, shown.candidates[0].right, none) == ("x=(11-1)*2", "1", True, [])


# --- tables -----------------------------------------------------------------------------------------------------------


def test_tables_have_the_paper_beside_us() -> None:
    score = score_candidates(SETS, PROBLEMS)
    rows = {row[0]: row[1:] for row in search_table(score).rows}
    assert rows["covered"] == (4, "66.7", 21906, "94.5")
    assert rows["too-many-quantities"] == (1, "16.7", 233, "1.0")
    assert rows["nothing found, gold has a power"] == (1, "16.7", 51, "0.2")
    assert recall_table(score).rows[1] == ("2", 3, 3, "100.0", "93.4")
    assert accuracy_table(score).rows[:3] == [
        ("micro, single", "100.0", "81.4"),
        ("micro, multiple", "20.0", "2.7"),
        ("micro, all", "33.3", "23.0"),
    ]
    judged = score_candidates([], [ONE, TWO])
    assert size_table(judged).rows[3] == ("4", 0, "-", "-", "-")
    labels = score_labels([label("1", "N0")], [ONE, TWO, THREE])
    assert size_table(labels).rows[1] == ("2", 2, "0.0", "0.0", "0.0", "94.8", "88.7")


def test_tables_of_right_equations_say_how_the_paper_judged() -> None:
    candidates, labels = score_candidates(SETS, PROBLEMS), score_labels([label("1", "N0")], PROBLEMS)
    for score, judged in ((candidates, {"accuracy"}), (labels, {"accuracy", "size"})):
        tables = {"accuracy": accuracy_table(score), "size": size_table(score), "recall": recall_table(score)}
        assert {name for name, table in tables.items() if "law structure" in table.note} == judged
        assert not any(table.note for table in score_tables(score, paper=False))


def test_shares_by_size_say_how_many_problems_they_are_of() -> None:
    """Of the three problems with two quantities, 1 is right, 3 has no right candidate of three, 5 has no gold."""
    table = size_table(score_candidates(SETS, PROBLEMS))
    assert table.head == ("quantities", "problems", "with gold", "gold in set %", "micro %", "macro %")
    assert table.rows[1] == ("2", 3, 2, "50.0", "25.0", "50.0")
    by_size = score_candidates(SETS, PROBLEMS).by_quantities.values()
    assert (sum(size.problems for size in by_size), sum(size.with_gold or 0 for size in by_size)) == (6, 5)


def test_macro_is_the_mean_of_the_sizes_weighted_by_their_problems_with_gold() -> None:
    score = score_candidates(SETS, PROBLEMS)
    parts = [(size.with_gold or 0, size.macro) for size in score.by_quantities.values() if size.macro is not None]
    assert score.macro == pytest.approx(sum(count * macro for count, macro in parts) / 5)


@pytest.mark.parametrize("paper", [True, False])
def test_every_row_is_as_long_as_the_head(paper: bool) -> None:
    for score in (score_candidates(SETS, PROBLEMS), score_labels([label("1", "N0")], PROBLEMS), score_records([], [])):
        for table in score_tables(score, paper=paper):
            assert {len(row) for row in table.rows} <= {len(table.head)}
            assert paper or not any("paper" in head for head in table.head)


def test_the_distribution_counts_problems() -> None:
    distribution = count_distribution(SETS)
    assert distribution == {0: 2, 1: 2, 2: 1, 3: 1}
    assert distribution_table(distribution, first=1, last=2).rows == [(1, 2), (2, 1), ("> 2", 1)]
    assert count_distribution([label("1", "N0", candidates=7)]) == {7: 1}


# --- Math23K ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def math23k(data_dir: Path) -> Corpus:
    return read_corpus("math23k", data_dir / "math23k" / "Math_23K.json.gz")


@pytest.fixture(scope="module")
def released(math23k: Corpus) -> list[CandidateSet]:
    return list(search_problems(math23k.problems, load_plan("released")))


@pytest.mark.slow
def test_the_released_plan_gives_the_figures_of_the_released_code(
    math23k: Corpus, released: list[CandidateSet]
) -> None:
    score = score_candidates(released, math23k.problems)
    assert (score.problems, score.covered, score.largest) == (23162, 21685, 3914)
    assert score.stages == {"all": 13750, "omit-1": 938, "add-1": 5378, "twice": 1619}
    recall = [round(100 * (score.by_quantities[size].recall or 0), 1) for size in "12345"]
    assert recall == [67.3, 93.4, 96.5, 98.2, 94.7]
    assert score.skipped == {"no-match": 1173, "too-many-quantities": 304}
    assert (score.uncovered_power, score.without_gold) == (51, 2)  # the paper's 51 "power operator"


@pytest.mark.slow
def test_the_paper_plan_covers_what_an_exact_search_covers(math23k: Corpus) -> None:
    score = score_candidates(search_problems(math23k.problems, load_plan("paper")), math23k.problems)
    assert score.covered == 21988


@pytest.mark.slow
def test_the_case_study_of_the_paper_is_found(math23k: Corpus, released: list[CandidateSet]) -> None:
    study = case_study(math23k.problems, released)
    assert [[shown.id for shown in found] for _, found in study] == [["1"], ["16892"], ["1203"]]
    verdicts = [[candidate.right for candidate in found[0].candidates] for _, found in study]
    assert verdicts == [[True], [False], [False, True]]
    for case, [shown] in study:  # the paper's own candidates, and no others
        judge = Judge(math23k.problems)
        values = [quantity.exact for quantity in judge.problems[shown.id].quantities]
        theirs = {judge.equation_meaning(f"x={text}", values) for text in case.candidates}
        assert {judge.meaning(candidate.expr, values) for candidate in shown.candidates} == theirs


@pytest.mark.slow
def test_sympy_agrees_on_a_sample_of_math23k(math23k: Corpus, released: list[CandidateSet]) -> None:
    judge = Judge(math23k.problems)
    sample = random.Random(5).sample([sets for sets in released if sets.candidates], 150)
    for sets in sample:
        gold = judge.problems[sets.id].gold
        right = judge.judge_set(sets).right
        if gold is None or right is None:
            continue
        values = [Fraction(value) for value in sets.values]
        theirs = sympy_function(gold, values, literal=True)
        for candidate, verdict in list(zip(sets.candidates, right, strict=True))[:4]:
            ours = sympy_function(candidate.expr, values, literal=False)
            assert verdict is (sympy.simplify(ours - theirs) == 0), (sets.id, gold, candidate.expr)


def test_the_labels_that_the_authors_released_are_half_right(math23k: Corpus, data_dir: Path) -> None:
    labels = read_scored(data_dir / "math23k" / "authors_scored.jsonl.gz")
    score = score_records(labels, math23k.problems)
    assert (len(labels), score.covered, score.unreadable) == (3916, 3916, 0)
    assert round(100 * (score.micro or 0), 1) == 51.0
    assert round(100 * (score_records(labels, math23k.problems, law="value").micro or 0), 1) == 59.8
