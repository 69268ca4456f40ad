"""GSM8K: gold equations rebuilt from calculator steps."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from mathcanon.values import evaluate
from weaksup.corpora import read_corpus
from weaksup.corpora.gsm8k import join_steps

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
    ("steps", "answer", "known", "gold"),
    [
        (["2+3=5", "5*4=20"], 20, [2, 3, 4], "(2+3)*4"),
        (["2+3=5", "5*5=25"], 25, [2, 3, 5], "(2+3)*(2+3)"),  # not used yet: the step
        (["2+3=5", "5*4=20", "20+5=25"], 25, [2, 3, 4, 5], "(2+3)*4+5"),  # used already: the number of the text
        (["12/60=0.2", "0.2*50=10"], 10, [12, 50], "(12/60)*50"),
        (["+3+3=6", "6//2=3"], 3, [3], "(3+3)/2"),
        (["7=7"], 7, [7], "7"),
    ],
)
def test_results_stand_for_their_steps(steps: list[str], answer: int, known: list[int], gold: str) -> None:
    joined = join_steps(steps, answer=Fraction(answer), known=[Fraction(value) for value in known])
    assert joined.equation is not None and evaluate(joined.equation) == answer
    assert joined.equation == gold


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        ([], "gold-no-steps"),
        (["1+1=2"], "gold-last-step-not-answer"),
        (["1+2=4"], "gold-step-wrong"),
        (["a+2=3"], "gold-step-unreadable"),
        (["1/0=3"], "gold-step-unreadable"),
        (["3"], "gold-step-unreadable"),
        (["1+1=2", *["2*1=2"] * 3000, "2+1=3"], "gold-too-long"),
        (["9" * 3000 + "=3"], "gold-too-long"),
    ],
)
def test_what_cannot_be_joined_says_why(steps: list[str], missing: str) -> None:
    assert join_steps(steps, answer=Fraction(3)).missing == missing


def test_a_solution_without_result_is_skipped(tmp_path: Path) -> None:
    corpus = read_corpus("gsm8k", write(tmp_path / "a", lines([record("Add 1.", "It is 2.")])))
    assert corpus.skipped_by_reason == {"answer-unreadable": 1}


def test_a_folder_is_train_and_test(tmp_path: Path) -> None:
    for name in ("train.jsonl", "test.jsonl"):
        write(tmp_path / name, lines([record("Add 1.", "#### 2")]))
    assert read_corpus("gsm8k", tmp_path).parts == {"train": ["train-1"], "test": ["test-1"]}
