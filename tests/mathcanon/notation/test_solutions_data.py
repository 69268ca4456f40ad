"""Public data, read and graded.  The targets are those of the project; the data is not part of the repository.

`MATHCANON_DATA` names the folder with `math/`, `gsm8k/` and `asdiv/`; without it `../shared/data` is tried.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import mathcanon as mc
from mathcanon.expr import as_expr

DATA = Path(os.environ.get("MATHCANON_DATA", Path(__file__).parents[4] / "shared" / "data"))
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def records(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not there")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def value_or_none(expr: mc.Expr) -> Fraction | None:
    try:
        return mc.evaluate(expr)
    except mc.MathCanonError:
        return None


def read_or_none(text: str) -> mc.Solution | None:
    try:
        return mc.read_solution(text)
    except mc.MathCanonError:
        return None


def test_rational_answers_of_math_parse_as_latex_and_are_found_in_the_worked_solutions() -> None:
    rational = [record for record in records("math/solutions.jsonl.gz") if record["rational"]]
    parsed, found = 0, 0
    for record in rational:
        try:
            answer = mc.parse(record["answer"], syntax="latex")
        except mc.MathCanonError:
            continue
        parsed += 1
        solution = read_or_none(record["solution"])
        found += solution is not None and bool(mc.equivalent(as_expr(solution.answer), answer))
    assert parsed >= 0.995 * len(rational)
    assert found == parsed


def test_model_solutions_of_gsm8k_are_graded_as_they_are_marked() -> None:
    marked = [
        (record[model]["solution"], record["ground_truth"], record["question"], record[model]["is_correct"])
        for record in records("gsm8k/model_solutions.jsonl.gz")
        for model in MODELS
    ]
    grades = list(mc.grade_many(row[:3] for row in marked))
    counts = Counter((row[3], str(grade)) for row, grade in zip(marked, grades, strict=True))
    readable = {
        mark: sum(n for (m, g), n in counts.items() if m == mark and g != "unreadable") for mark in (True, False)
    }
    assert sum(readable.values()) >= 0.98 * len(marked)
    assert counts[True, "same-method"] + counts[True, "same-value"] >= 0.97 * readable[True]
    assert counts[False, "different"] >= 0.99 * readable[False]


def final_answer(text: str) -> Fraction:
    return Fraction(text.rpartition("####")[2].strip().replace(",", ""))


@pytest.mark.parametrize("part", ["train", "test"])
def test_worked_solutions_of_gsm8k_are_composed_to_their_answers(part: str) -> None:
    texts = [record["answer"] for record in records(f"gsm8k/{part}.jsonl.gz")]
    solutions = [mc.read_solution(text) for text in texts]
    for text, solution in zip(texts, solutions, strict=True):
        assert solution.answer == final_answer(text)
        stated = Counter(step.stated for step in solution.steps)
        written = Counter(Fraction(right) for right in re.findall(r"<<[^<>]*=([^<>=]+)>>", text))
        assert written <= stated, "every calculation is a step"
    composed = [value_or_none(solution.expr) for solution in solutions]
    right = sum(value == final_answer(text) for value, text in zip(composed, texts, strict=True))
    assert right >= 0.99 * len(texts)
    # The others solve an equation in an unknown, or take the answer from the words: their expression is the number.
    assert sum(bool(solution.expr.children) for solution in solutions) >= 0.96 * len(texts)


def test_solutions_of_gsm8k_mean_the_same_without_their_calculations() -> None:
    texts = [record["answer"] for record in records("gsm8k/test.jsonl.gz")]
    plain = [re.sub(r"<<.*?>>", "", text) for text in texts]
    counts = Counter(map(str, mc.grade_many(zip(plain, texts, strict=True))))
    assert counts["same-method"] >= 0.95 * len(texts)
    assert counts["same-method"] + counts["same-value"] == len(texts)


def test_formulas_of_asdiv_a_are_read() -> None:
    path = DATA / "asdiv" / "ASDiv.xml.gz"
    if not path.exists():
        pytest.skip("ASDiv is not there")
    arithmetic = {line for fold in (DATA / "asdiv" / "asdiv-a").glob("*.txt") for line in fold.read_text().split()}
    with gzip.open(path) as file:
        problems = [problem for problem in ElementTree.parse(file).iter("Problem") if problem.get("ID") in arithmetic]
    assert len(problems) == len(arithmetic)
    for problem in problems:
        formula = problem.findtext("Formula") or ""
        expression, _, result = formula.partition("=")
        solution = mc.read_solution(formula)
        assert solution.expr == mc.parse(expression)
        assert solution.answer == mc.parse_number(result.split("r")[0])
        assert [step.right for step in solution.steps] == [True]
