"""Invented problems with their candidates, by the real search."""

from __future__ import annotations

import random
from fractions import Fraction

from weaksup.records import CandidateSet, Problem, Quantity
from weaksup.search.batch import search_problems
from weaksup.search.plans import Plan, Stage

PLAN = Plan(
    name="small",
    stage=(
        Stage(name="all"),
        Stage(name="omit-1", omit=1),
        Stage(name="add-1", extras=("1",), max_quantities=2),
        Stage(name="twice", extras=("twice",), max_quantities=2),
    ),
)


def make_problem(id: str, surfaces: list[str], answer: Fraction) -> Problem:
    quantities = []
    for i, surface in enumerate(surfaces):
        value = Fraction(surface.removesuffix("%")) / (100 if surface.endswith("%") else 1)
        quantities.append(Quantity(value=str(value), surface=surface, start=2 * i, end=2 * i + 1, token=i))
    return Problem(id=id, text="", tokens=(), quantities=tuple(quantities), answer=str(answer))


def problem_of(found: CandidateSet) -> Problem:
    """A problem without words that has the quantities of a candidate set."""
    quantities = [
        Quantity(value=value, surface=surface, start=2 * i, end=2 * i + 1, token=i)
        for i, (value, surface) in enumerate(zip(found.values, found.surfaces, strict=True))
    ]
    return Problem(id=found.id, text="", tokens=(), quantities=tuple(quantities), answer=found.answer)


def make_sets(size: int, *, seed: int) -> list[CandidateSet]:
    """Candidate sets of problems whose numbers are small, so that false matches and equal values abound."""
    rng = random.Random(seed)
    problems = []
    for i in range(size):
        a, b, c = (rng.randint(1, 9) for _ in range(3))
        surfaces, answer = rng.choice(
            [
                ([f"{a}", f"{b}"], Fraction(a * b)),
                ([f"{a + b}", f"{b}"], Fraction(a)),
                ([f"{a}", f"{b * 10}%"], a * (1 - Fraction(b, 10))),
                ([f"{a}", f"{b}"], Fraction(a * (b - 1))),
                ([f"{a}", f"{b}", f"{c}"], Fraction(a * b + c)),
                ([f"{a}", f"{b}", f"{c}"], Fraction(a * b)),
            ]
        )
        problems.append(make_problem(str(i), surfaces, answer))
    return list(search_problems(problems, PLAN))
