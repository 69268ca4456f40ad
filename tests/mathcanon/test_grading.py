"""Grading: right answer, right method?"""

import itertools
import multiprocessing
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import mathcanon as mc


@pytest.mark.parametrize(
    ("predicted", "gold", "grade"),
    [
        ("150+50*2", "150*2-50", "same-value"),
        ("150*2-50", "x=150*2-50", "same-method"),
        ("2*150-50", "150*2-50", "same-method"),
        ("300-50", "150*2-50", "same-value"),
        ("150*2", "150*2-50", "different"),
        ("4*5-2", "(4+5)*2", "same-value"),
        ("4*2+5*2", "(4+5)*2", "same-method"),
        ("30-(1/5)*5", "30*(1-(1/5))+5", "same-value"),
        ("5*4*3.14", "4*5*3.14", "same-method"),
        ("3*1", "3", "same-method"),
        ("2+2", "2*2", "same-value"),
        ("0.4*50", "40%*50", "same-method"),
        ("1/0", "5", "different"),
        ("a*2*3", "a*6", "same-value"),
        ("a+b", "b+a", "same-method"),
        ("8-8/8", "8-1", "same-method"),
    ],
)
def test_grades(predicted: str, gold: str, grade: str) -> None:
    result = mc.grade(predicted, gold)
    assert result == grade
    assert mc.grade(gold, predicted) == grade
    assert result.reason


def test_a_fraction_in_brackets_is_a_quantity_or_a_division() -> None:
    assert mc.grade("(1/6)*12", "12*(1/6)") == "same-method"
    assert mc.grade("(2/6)*12", "12*2/6") == "same-method"
    assert mc.grade("(2/6)*12", "12*2/6", quantities=["12", "(2/6)"]) == "same-value"
    assert mc.grade("(2/6)*12", "12*2/6", quantities=[12, 2, 6]) == "same-method"
    assert mc.grade("12/3", "12*(1/3)", quantities=[12, "(1/3)"]) == "same-value"
    assert mc.grade("3(1/2)*2", "2*3.5", quantities=["3.5", 2]) == "same-method"


def test_constants_stay_numbers() -> None:
    assert mc.grade("5+1-1", "5") == "same-method"
    assert mc.grade("5+1-1", "5", constants=()) == "same-method"
    assert mc.grade("5*2/2", "5+2-2") == "same-method"
    assert mc.grade("5*1", "5/1") == "same-method"
    assert mc.grade("5*1", "5/1", constants=()) == "same-value"
    assert mc.grade("3*2", "3+2+1", constants=("1", "2", "3")) == "same-method"


def test_a_grade_knows_its_reasons() -> None:
    result = mc.grade("150+50*2", "150*2-50")
    assert "250" in result.reason
    assert result.method.point is not None
    assert result.value
    assert "divides by zero" in mc.grade("5/(3-3)", "5").reason
    assert pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(mc.ParseError):
        mc.grade("2a", "2")


GOLD = "48/2 = <<48/2=24>>24 clips in May.\n48+24 = <<48+24=72>>72 in all.\n#### 72"


@pytest.mark.parametrize(
    ("predicted", "grade"),
    [
        ("48+48/2", "same-method"),
        ("She sold 48 + 48/2 = 72 clips. The answer is 72.", "same-method"),
        ("24*3=72", "same-value"),
        (r"\boxed{72}", "same-value"),
        ("A: 72", "same-value"),
        ("48/2=24; 48+24=73 #### 73", "different"),
        ("48*2=96; 48+96=144", "different"),
    ],
)
def test_solutions_are_graded(predicted: str, grade: str) -> None:
    assert mc.grade(predicted, GOLD) == grade
    assert mc.grade(mc.read_solution(predicted), mc.read_solution(GOLD)).kind == grade


def test_a_grade_names_the_steps_that_went_wrong() -> None:
    slip = mc.grade("48/2=22; 48+22=70 #### 70", GOLD)
    assert slip.answers == (70, 72)
    assert slip.wrong_step is not None and str(slip.wrong_step.expr) == "48/2"
    assert slip.foreign_step == slip.wrong_step
    assert "48/2 is 24, not 22" in slip.reason
    other = mc.grade("48/2=24; 24*48=1152", GOLD)
    assert other.wrong_step is None
    assert other.foreign_step is not None and str(other.foreign_step.expr) == "24*48"
    assert mc.grade(GOLD, GOLD).foreign_step is None
    assert pickle.loads(pickle.dumps(slip)).wrong_step == slip.wrong_step


def test_the_question_says_which_numbers_are_quantities() -> None:
    text = "5-1=4; 2*2=4; 4*3=12"
    assert mc.grade(text, "4*3", question="4 boxes of 3, 2 by 2") == "same-method"
    assert mc.grade(text, "4*3") == "same-value"


def test_rounded_results_agree_within_the_tolerance() -> None:
    assert mc.grade("0.3333333*60", "60/3") == "different"
    assert mc.grade("0.3333333*60", "60/3", tolerance="0.000001") == "same-value"
    assert mc.grade("19", "60/3", tolerance="0.000001") == "different"


@pytest.mark.parametrize("text", ["None", "nan", "unknown", "N/A", "I don't know", "", "#### None"])
def test_text_that_is_no_arithmetic_is_unreadable_and_never_different(text: str) -> None:
    with pytest.raises(mc.ParseError):
        mc.grade(text, "150*2-50")
    with pytest.raises(mc.ParseError):
        mc.grade("150*2-50", text)
    first, second = mc.grade_many([(text, "150*2-50"), ("150*2-50", text)])
    assert first == second == "unreadable"
    assert first.reason.startswith("the prediction") and second.reason.startswith("gold")


def test_many_grades_come_lazily_and_in_order() -> None:
    taken = []

    def pairs() -> Iterator[tuple[str, str]]:
        for i in range(5):
            taken.append(i)
            yield f"{i}+1", f"1+{i}"

    grades = mc.grade_many(pairs())
    assert next(grades) == "same-method"
    assert taken == [0]


def test_bad_records_do_not_stop_the_others() -> None:
    no_pairs: list[Any] = [("1+1",), ("1", "2", "3", [4], "5"), None, 5]
    unreadable: list[Any] = [(None, "1"), ("1", object()), (float("nan"), "1"), ("9^9^9", "1"), ("1", "2", None, 4)]
    bad = no_pairs + unreadable
    grades = list(mc.grade_many([*bad, ("1+2", "2+1")]))
    assert grades == ["unreadable"] * len(bad) + ["same-method"]
    assert all(grade.reason for grade in grades)


def test_a_pair_may_bring_its_quantities() -> None:
    pair = ("30*(1/6)", "30/6")
    quantities: tuple[list[Any] | None, ...] = ([30, 6], [30, "(1/6)"], None)
    expected = [mc.grade(*pair, quantities=given) for given in quantities]
    assert expected == ["same-method", "same-value", "same-method"]
    assert list(mc.grade_many([(*pair, None, given) for given in quantities])) == expected


def test_leaving_off_ends_the_processes_at_once() -> None:
    grades = mc.grade_many(((f"{i}+1", f"1+{i}") for i in itertools.count()), workers=2)
    assert next(grades) == "same-method"
    workers = multiprocessing.active_children()
    assert len(workers) == 2
    del grades
    assert [worker.is_alive() for worker in workers] == [False, False]


def test_processes_give_the_same_grades_in_the_same_order() -> None:
    pairs = [(f"{i}+{i % 7}", f"{i % 7}+{i % 5}" if i % 3 else f"{i % 7}+{i}") for i in range(300)]
    pairs[17] = ("unknown", "1")
    alone = list(mc.grade_many(pairs))
    together = list(mc.grade_many(iter(pairs), workers=2))
    assert together == alone
    assert [grade.reason for grade in together] == [grade.reason for grade in alone]
    with pytest.raises(ValueError, match="worker"):
        mc.grade_many(pairs, workers=0)


@pytest.mark.parametrize(
    "text", ["50*20%", "50*0.2", "50*.20", "50*20/100", "50*(20/100)", "50*20*0.01", "50-50*(100-20)/100"]
)
def test_a_percentage_is_one_quantity_however_it_is_written(text: str) -> None:
    assert mc.grade(text, "50*20%") == "same-method"
    assert mc.grade(text, "50*20%", question="20% of 50?") == "same-method"
    assert mc.grade(text, "50/5") == "same-value"


def test_without_the_constant_100_a_percentage_is_a_quantity_of_its_own() -> None:
    assert mc.grade("50*20/100", "50*0.2", constants=(1,)) == "same-value"
    assert mc.grade("50*20%", "50*0.2", constants=(1,)) == "same-method"


def test_nothing_added_is_the_same_method() -> None:
    assert mc.grade("4*5+0", "4*5") == "same-method"
    assert mc.grade("4*5+0", "4*5", constants=(1,)) == "same-value"
