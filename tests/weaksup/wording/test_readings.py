"""Readings: the programs that candidates become, run on a stack and compared with evaluating their texts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from mathcanon import evaluate
from weaksup.errors import DataError
from weaksup.rankers.templates import find_templates
from weaksup.records import Candidate, CandidateSet
from weaksup.wording.readings import ADD, DIVIDE, LEAF, MULTIPLY, NO_LEAF, POWER, SUBTRACT, Readings, read_candidates

EXPRS = [
    "N0", "N0+N1", "N0-N1", "N0*(N1-1)", "N0-(N1-N2)", "N0-(N1+N2)*3.14", "N0/(N1/N2)", "N0/N1/N2", "N0^2*N1",
    "(N0+N1)^3/N2", "N2-N1+N0-1", "-N0+N1", "-N0-N1", "1/N0", "((N0))", "N0*N0-N1*N1",
]  # fmt: skip


def found(exprs: list[str], *values: str) -> CandidateSet:
    candidates = tuple([Candidate(expr=expr, stage="all", value="1") for expr in exprs])
    return CandidateSet(id="1", values=values, surfaces=values, answer="1", candidates=candidates)


def value_of(readings: Readings, row: int, values: list[Fraction]) -> Fraction:
    """What a reading is worth, by a stack machine."""
    form = readings.skeleton[row]
    leaves = iter(readings.leaves[row])
    stack: list[Fraction] = []
    for code in readings.programs[form, : readings.lengths[form]]:
        if code == LEAF:
            leaf = int(next(leaves))
            stack.append(values[leaf] if leaf >= 0 else readings.constants[~leaf])
        elif code > DIVIDE:
            stack.append(stack.pop() ** (int(code) - POWER))
        else:
            right, left = stack.pop(), stack.pop()
            results = {ADD: left + right, SUBTRACT: left - right, MULTIPLY: left * right}
            stack.append(left / right if code == DIVIDE else results[int(code)])
    assert all(leaf == NO_LEAF for leaf in leaves)
    (value,) = stack
    return value


def test_a_program_has_the_value_of_its_expression() -> None:
    texts = ("2", "5", "11")
    values = [Fraction(text) for text in texts]
    readings = read_candidates([found(EXPRS, *texts)])
    assert readings.candidate.tolist() == list(range(len(EXPRS)))
    for row, expr in enumerate(EXPRS):
        assert value_of(readings, row, values) == evaluate(expr, {"N0": 2, "N1": 5, "N2": 11}), expr


def test_equal_values_are_read_in_every_way_up_to_the_limit() -> None:
    readings = read_candidates([found(["N0*N1-1"], "1", "7", "7")])
    same: dict[str, list[int]] = {"N0": [0, -1], "N1": [1, 2], "1": [0, -1]}
    assert readings.leaves.tolist() == [list(row) for row in product(same["N0"], same["N1"], same["1"])]
    assert len(read_candidates([found(["N0*N1-1"], "1", "7", "7")], limit=3).leaves) == 3


def test_expressions_of_any_size_are_told_apart_as_functions() -> None:
    """More leaves than any search makes: an own file may have them."""
    chain = "+".join(["N0*N1"] * 40)
    exprs = [chain, "+".join(["N1*N0"] * 40), "N0*N1*" + "(" + "+".join(["1"] * 40) + ")", chain + "+N0", "N0^200"]
    templates = find_templates(read_candidates([found(exprs, "2", "5")]))
    one, turned, product_, more, power = templates.reading.of.tolist()
    assert one == turned == product_
    assert len({one, more, power}) == 3


def test_an_operand_that_is_no_quantity_is_told() -> None:
    with pytest.raises(DataError, match="x is not a quantity"):
        read_candidates([found(["N0+x"], "2")])


def test_no_candidates_are_no_readings() -> None:
    readings = read_candidates([found([], "2")])
    assert readings.leaves.shape[0] == len(readings.skeleton) == 0
    assert np.array_equal(readings.quantities, [1])
