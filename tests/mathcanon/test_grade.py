"""Grading: right answer, right method?"""

import pickle

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
