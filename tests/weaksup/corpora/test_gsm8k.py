"""GSM8K: gold equations rebuilt from worked solutions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from mathcanon import equivalent, evaluate
from weaksup.corpora import read_corpus
from weaksup.corpora.gsm8k import rebuild_gold

from .writing import lines, write


def record(question: str, solution: str) -> dict[str, object]:
    return {"question": question, "answer": solution}


def test_problems_are_numbered_and_steps_joined(tmp_path: Path) -> None:
    records = [
        record("Kim bakes 30 rolls and half as many buns.", "30/2=<<30/2=15>>15\nAll <<30+15=45>>45.\n#### 45"),
        record("It costs $1,200 twice.", "So 2400.\n#### 2,400"),
    ]
    corpus = read_corpus("gsm8k", write(tmp_path / "a", lines(records)))
    first, second = corpus.problems
    assert (first.id, first.gold, first.answer) == ("1", "30+30/2", "45")
    assert [quantity.surface for quantity in first.quantities] == ["30", "half"]
    assert (second.answer, second.gold) == ("2400", None)
    assert [quantity.value for quantity in second.quantities] == ["1200", "2"]
    assert corpus.gold_missing == {"gold-no-steps": 1}


@pytest.mark.parametrize(
    ("solution", "question", "gold"),
    [
        ("<<2+3=5>>5 and <<5*4=20>>20 #### 20", "2, 3 and 4", "(2+3)*4"),
        ("<<12/60=0.2>>0.2 of 50 is <<0.2*50=10>>10 #### 10", "12 and 50", "(12/60)*50"),
        ("She has 7*2=14 left, so 14-3 = $<<14-3=11>>11 #### 11", "7, 2 and 3", "7*2-3"),  # a step in prose
        ("<<5*7=35>>35 and 75-35 = 40 is left, so 40/4 = $10 #### 10", "5, 7, 75 and 4", "(75-5*7)/4"),
    ],
)
def test_results_stand_for_their_steps(solution: str, question: str, gold: str) -> None:
    answer = Fraction(solution.rpartition("####")[2].strip())
    rebuilt = rebuild_gold(solution, question, answer=answer).equation
    assert rebuilt is not None and evaluate(rebuilt) == answer
    assert equivalent(rebuilt, gold)


@pytest.mark.parametrize(
    ("solution", "missing"),
    [
        ("#### 3", "gold-no-steps"),
        ("It must be three. #### 3", "gold-no-steps"),
        ("<<1+1=2>>2 #### 3", "gold-no-steps"),
        ("<<1+2=4>>4, so <<4-1=3>>3 #### 3", "gold-steps-not-answer"),
        ("<<" + "1+" * 3000 + "1=3>>3 #### 3", "gold-too-long"),
    ],
)
def test_what_cannot_be_rebuilt_says_why(solution: str, missing: str) -> None:
    assert rebuild_gold(solution, "a question", answer=Fraction(3)).missing == missing


def test_a_solution_without_result_is_skipped(tmp_path: Path) -> None:
    corpus = read_corpus("gsm8k", write(tmp_path / "a", lines([record("Add 1.", "It is 2.")])))
    assert corpus.skipped_by_reason == {"answer-unreadable": 1}


def test_a_folder_is_train_and_test(tmp_path: Path) -> None:
    for name in ("train.jsonl", "test.jsonl"):
        write(tmp_path / name, lines([record("Add 1.", "#### 2")]))
    assert read_corpus("gsm8k", tmp_path).parts == {"train": ["train-1"], "test": ["test-1"]}
