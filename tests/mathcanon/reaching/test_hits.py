"""Many problems at once: parts of bounded size, and problems that meet a limit."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from math import prod

import numpy as np
import pytest

from mathcanon.reaching import hits as hits_module
from mathcanon.reaching.numbers_to_target import HitRows, Names, as_table, reach_batch, reach_rows, shape_of
from mathcanon.reaching.program import Program, repeated_steps

PROBLEMS = [([2, 3, 4, i], 6 + i % 5) for i in range(1, 40)]
MANY = ([1, 1, 1, 1], 1)  # has the most hits of all


def rows_of(problems: list[tuple[list[int], int]], **settings: object) -> list[HitRows]:
    numbers, rows = as_table([[*map(Fraction, given), Fraction(target)] for given, target in problems])
    table = np.array(rows)
    return list(reach_rows(numbers, table[:, :-1], table[:, -1], **settings))  # type: ignore[arg-type]


def hits_by_problem(parts: list[HitRows], size: int) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for part in parts:
        for problem, codes, sign in zip(part.problem.tolist(), part.codes, part.sign.tolist(), strict=True):
            turned, shape = shape_of(size, codes.tobytes())
            found.setdefault(problem, set()).add(f"{turned * sign:+}({shape.expr})")
    return found


def one_by_one(problems: list[tuple[list[int], int]]) -> dict[int, set[str]]:
    """The oracle: each problem alone, with room for everything."""
    found = {}
    for i, (numbers, target) in enumerate(problems):
        (hits,) = reach_batch([(numbers, target)])
        found[i] = {f"{hit.sign:+}({hit.shape.expr})" for hit in hits}
    return {i: hits for i, hits in found.items() if hits}


@pytest.mark.parametrize("tolerance", [Fraction(0), Fraction(1, 10**9)])
def test_a_problem_with_too_many_hits_is_refused_and_the_others_are_searched(tolerance: Fraction) -> None:
    problems = [*PROBLEMS[:5], MANY, *PROBLEMS[5:], MANY]
    refused = {5, len(problems) - 1}
    expected = {i: hits for i, hits in one_by_one(problems).items() if i not in refused}
    assert max(len(hits) for hits in expected.values()) < 60
    assert len(next(reach_batch([MANY]))) > 100
    parts = rows_of(problems, tolerance=tolerance, memory=1 << 20, bytes_a_hit=(1 << 20) // 100)
    assert {i: refusal.reason for part in parts for i, refusal in part.refused.items()} == dict.fromkeys(
        refused, "hits"
    )
    assert hits_by_problem(parts, 4) == expected
    assert all("the number of hits" in str(refusal.error) for part in parts for refusal in part.refused.values())


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("tolerance", [Fraction(0), Fraction(1, 10**9)])
def test_the_parts_together_are_what_a_large_memory_gives_at_once(named: bool, tolerance: Fraction) -> None:
    settings = {"tolerance": tolerance}
    names = Names(["a", "b", "c", "d"], np.tile(np.arange(4), (len(PROBLEMS), 1))) if named else None
    whole = rows_of(PROBLEMS, names=names, **settings)
    parts = rows_of(PROBLEMS, names=names, **settings, memory=1 << 20, bytes_a_hit=(1 << 20) // 100)
    assert len(whole) == 1
    assert len(parts) > 1
    for earlier, later in itertools.pairwise(parts):  # all hits of a problem are in one part
        assert earlier.problem.max() < later.problem.min()
    assert hits_by_problem(parts, 4) == hits_by_problem(whole, 4) == one_by_one(PROBLEMS)


def test_a_problem_that_no_prime_suits_is_refused_alone() -> None:
    bad = prod(hits_module._PRIMES)
    problems = [([2, 3], 6), ([bad, 3], bad * 3), ([4, 3], 12)]
    parts = rows_of(problems)
    assert {i: refusal.reason for part in parts for i, refusal in part.refused.items()} == {1: "numbers"}
    assert hits_by_problem(parts, 2) == {0: {"+1(N0*N1)"}, 2: {"+1(N0*N1)"}}


def test_a_number_too_large_for_floats_is_refused_alone() -> None:
    problems = [([2, 3], 6), ([10**40, 3], 1), ([4, 3], 10**40), ([4, 3], 12)]
    parts = rows_of(problems, tolerance=Fraction(1, 100))
    assert {i: refusal.reason for part in parts for i, refusal in part.refused.items()} == {1: "numbers", 2: "numbers"}
    assert hits_by_problem(parts, 2) == {0: {"+1(N0*N1)"}, 3: {"+1(N0*N1)"}}
    assert all("bits of a number" in str(refusal.error) for part in parts for refusal in part.refused.values())


def test_eight_numbers_explode_alone() -> None:
    """A zero that is multiplied by every class on seven numbers is too much; the problem beside it is searched."""
    problems = [([0] * 8, 0), ([1, 2, 4, 8, 16, 32, 64, 128], 255)]
    parts = rows_of(problems, memory=1 << 27)
    assert [i for part in parts for i in part.refused] == [0]
    assert "+1(N0+N1+N2+N3+N4+N5+N6+N7)" in hits_by_problem(parts, 8)[1]


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_steps_that_repeat_others_may_be_left_out(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(size)
    problems, named, names = [], [], ("0", "1", "a", "b", "c", "d^2")
    for _ in range(12 if size == 6 else 60):
        values = [0, 1, *[rng.randrange(6) for _ in names[2:]]]
        chosen = [rng.randrange(len(names)) for _ in range(size)]
        problems.append(([values[i] if rng.random() < 0.9 else 7 for i in chosen], rng.randrange(9)))
        named.append(chosen)
    settings = {"names": Names(names, np.array(named)), "memory": 1 << 34}
    found = rows_of(problems, **settings)
    left_out: list[np.ndarray] = []

    def nothing_left_out(program: Program, twins: np.ndarray) -> np.ndarray:
        left_out.append(repeated_steps(program, twins))
        return np.zeros_like(left_out[-1])

    monkeypatch.setattr(hits_module, "repeated_steps", nothing_left_out)
    expected = rows_of(problems, **settings)
    assert any(steps.any() for steps in left_out)
    assert len(found) == len(expected) and sum(len(part.problem) for part in found) > 50
    for part, other in zip(found, expected, strict=True):
        for column in ("problem", "codes", "sign", "function"):
            assert (getattr(part, column) == getattr(other, column)).all()
