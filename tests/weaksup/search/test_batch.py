"""The batched search against a brute force over all binary trees, on small invented problems."""

from __future__ import annotations

import ast
import operator
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any

import pytest
from msgspec.structs import replace

from weaksup.records import CandidateSet, Problem, Quantity
from weaksup.search.batch import search_problems
from weaksup.search.plans import PLANS, Plan, Stage, load_plan

PRIME = 2**61 - 1
CONSTANTS = {"1": Fraction(1), "3.14": Fraction("3.14")}
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}

Function = tuple[int, ...]  # residues at random points: equal functions are equal, others almost surely are not


def problem(values: Sequence[object], answer: object, id: str = "p") -> Problem:
    quantities = [
        Quantity(value=str(Fraction(str(value))), surface=str(value), start=0, end=0, token=i)
        for i, value in enumerate(values)
    ]
    return Problem(id=id, text="", tokens=(), quantities=tuple(quantities), answer=str(Fraction(str(answer))))


def search(values: Sequence[object], answer: object, plan: Plan, limit: int | None = None) -> CandidateSet:
    (found,) = search_problems([problem(values, answer)], plan, limit=limit)
    return found


def plan_of(*stages: Stage, **settings: Any) -> Plan:
    return Plan(name="mine", stage=stages, **settings)


ALL = Stage(name="all")


# --- the brute force --------------------------------------------------------------------------------------------------


class Residues(tuple[int, ...]):
    """A function as its values at some points modulo a prime; dividing by zero raises, as with Fractions."""

    def _with(self, other: Residues, apply: Callable[[int, int], int]) -> Residues:
        return Residues([apply(a, b) % PRIME for a, b in zip(self, other, strict=True)])

    def __add__(self, other: Any) -> Residues:
        return self._with(other, operator.add)

    def __sub__(self, other: Residues) -> Residues:
        return self._with(other, operator.sub)

    def __mul__(self, other: Any) -> Residues:
        return self._with(other, operator.mul)

    def __truediv__(self, other: Residues) -> Residues:
        if 0 in other:
            raise ZeroDivisionError
        return self._with(other, lambda a, b: a * pow(b, -1, PRIME))

    def __pow__(self, exponent: Residues) -> Residues:
        return Residues([pow(a, b, PRIME) for a, b in zip(self, exponent, strict=True)])


def residues(value: Fraction) -> Residues:
    return Residues([value.numerator * pow(value.denominator, -1, PRIME) % PRIME] * 3)


def points(values: Sequence[Fraction], level: str) -> dict[str, Residues]:
    """What each quantity is as a function: its own variable, or that of its value."""
    rng = random.Random(7)
    of_value: dict[Fraction, Residues] = {value: residues(value) for value in (Fraction(0), *CONSTANTS.values())}
    named = {}
    for i, value in enumerate(values):
        own = Residues([rng.randrange(PRIME) for _ in range(3)])
        named[f"N{i}"] = of_value.setdefault(value, own) if level == "value" else own
    return named


def leaf(name: str, values: Sequence[Fraction], level: str) -> tuple[Fraction, Residues]:
    base, _, exponent = name.partition("^")
    if base in CONSTANTS:
        return CONSTANTS[base], residues(CONSTANTS[base])
    power = int(exponent or 1)
    value, function = values[int(base[1:])], points(values, level)[base]
    return value**power, Residues([pow(a, power, PRIME) for a in function])


def all_trees(leaves: Sequence[tuple[Fraction, Residues]]) -> set[tuple[Fraction, Residues]]:
    """Value and function of every binary tree that uses each leaf once."""
    if len(leaves) == 1:
        return {leaves[0]}
    found = set()
    places = range(len(leaves))
    for left in chain.from_iterable(combinations(places, size) for size in range(1, len(leaves))):
        right = [place for place in places if place not in left]
        for (a, f), (b, g) in product(all_trees([leaves[i] for i in left]), all_trees([leaves[i] for i in right])):
            found |= {(a + b, f + g), (a - b, f - g), (a * b, f * g)}
            if b and 0 not in g:
                found.add((a / b, f / g))
    return found


def choices(stage: Stage, quantities: int) -> Iterator[tuple[str, ...]]:
    constants = [{"1": "1", "pi": "3.14"}[extra] for extra in stage.extras if extra in ("1", "pi")]
    powers = [{"square": "^2", "cube": "^3"}[extra] for extra in stage.extras if extra in ("square", "cube")]
    for kept in combinations([f"N{i}" for i in range(quantities)], quantities - stage.omit):
        for again in combinations_with_replacement(kept, stage.extras.count("twice")):
            for raised in product(kept, repeat=len(powers)):
                power = dict(zip(raised, powers, strict=True))
                yield (*[name + power.get(name, "") for name in kept], *constants, *again)


def brute_force(values: Sequence[Fraction], answer: Fraction, plan: Plan) -> dict[Function, tuple[int, int]]:
    """Every function that gives the answer, with the fewest leaves and the first stage of those."""
    level = "value" if plan.dedupe == "value" else "position"
    tolerance = plan.exact_tolerance
    simplest: dict[Function, tuple[int, int]] = {}
    for number, stage in enumerate(plan.stage):
        if not stage.applies_to(len(values)):
            continue
        for names in choices(stage, len(values)):
            for value, function in all_trees([leaf(name, values, level) for name in names]):
                distance = abs(value - answer)
                if distance < tolerance or (distance == tolerance and not plan.as_floats):
                    new = (len(names), number)
                    simplest[function] = min(simplest.get(function, new), new)
        if simplest and plan.stop == "first-match":
            break
    return simplest


def evaluated(expr: str, leaves: Mapping[str, Any], constant: Callable[[Fraction], Any]) -> Any:
    def walk(node: ast.AST) -> Any:
        match node:
            case ast.Expression(body):
                return walk(body)
            case ast.BinOp(left, op, ast.Constant(exponent)) if isinstance(op, ast.Pow):
                power = walk(left)
                for _ in range(int(str(exponent)) - 1):
                    power = power * walk(left)
                return power
            case ast.BinOp(left, op, right):
                return OPERATORS[type(op)](walk(left), walk(right))
            case ast.Name(id):
                return leaves[id]
            case ast.Constant(value):
                return constant(Fraction(str(value)))
        raise AssertionError(f"{ast.dump(node)} in {expr}")

    return walk(ast.parse(expr.replace("^", "**"), mode="eval"))


def leaves_of(expr: str) -> list[str]:
    return re.findall(r"N\d+(?:\^\d)?|(?<![N\d.^])\d+(?:\.\d+)?", expr)


def check(values: Sequence[object], answer: object, plan: Plan) -> CandidateSet:
    """The search finds what the brute force finds, each function once, written as simply as can be, in order."""
    numbers, target = [Fraction(str(value)) for value in values], Fraction(str(answer))
    found = search(values, answer, plan)
    level = "value" if plan.dedupe == "value" else "position"
    expected = brute_force(numbers, target, plan)
    named, order, functions = points(numbers, level), [], []
    stages = [stage.name for stage in plan.stage]
    for candidate in found.candidates:
        value = evaluated(candidate.expr, {f"N{i}": number for i, number in enumerate(numbers)}, Fraction)
        assert value == Fraction(candidate.value)
        assert abs(value - target) <= plan.exact_tolerance
        function = evaluated(candidate.expr, named, residues)
        simplicity = (len(leaves_of(candidate.expr)), stages.index(candidate.stage))
        if plan.dedupe != "none":
            assert expected[function] == simplicity, candidate
        functions.append(function)
        order.append((*simplicity, len(candidate.expr), candidate.expr))
    assert set(functions) == set(expected)
    assert order == sorted(order)
    if plan.dedupe != "none":
        assert len(set(functions)) == len(functions)
    assert len({candidate.expr for candidate in found.candidates}) == len(found.candidates)
    return found


# --- each plan --------------------------------------------------------------------------------------------------------

PROBLEMS: list[tuple[tuple[object, ...], object]] = [
    ((5,), 5),
    ((5,), 25),
    ((4,), "4/5"),
    ((2, 3), 6),
    ((3, 3), 6),
    ((3, 3), 0),
    ((1, 4), 4),
    ((0, 4), 4),
    (("1/2", 10), 5),
    ((6, "0.2"), "7.2"),
    (("3.14", 2), "12.56"),
    ((10, 2), "62.8"),
    ((7, 11), 1000),
]
LARGER: list[tuple[tuple[object, ...], object]] = [
    ((2, 3, 4), 24),
    ((2, 2, 3), 7),
    ((150, 2, 50), 250),
    ((1, 1, 2), 3),
    ((6, 3, 2), 0),
    ((10, "0.5", 4), 9),
]


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(("values", "answer"), PROBLEMS, ids=str)
def test_a_plan_finds_what_brute_force_finds(name: str, values: tuple[object, ...], answer: object) -> None:
    plan = load_plan(name)
    if name in ("full", "powers"):  # more than four operands take the brute force too long
        plan = plan_of(*[stage for stage in plan.stage if len(values) - stage.omit + len(stage.extras) <= 4])
    check(values, answer, plan)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(("values", "answer"), LARGER, ids=str)
def test_a_plan_finds_what_brute_force_finds_with_three_quantities(
    name: str, values: tuple[object, ...], answer: object
) -> None:
    plan = load_plan(name)
    stages = [stage for stage in plan.stage if 3 - stage.omit + len(stage.extras) <= (4 if name == "paper" else 3)]
    settings = {key: getattr(plan, key) for key in ("stop", "dedupe", "tolerance")}
    check(values, answer, plan_of(*stages, **settings))


def test_random_problems_are_searched_as_by_brute_force() -> None:
    rng = random.Random(3)
    stages = (ALL, Stage(name="omit", omit=1), Stage(name="1", extras=("1",)), Stage(name="twice", extras=("twice",)))
    for _ in range(25):
        values = [rng.choice([0, 1, 2, 3, 5, "1/2", "3.14", 8]) for _ in range(rng.randint(1, 3))]
        answer = rng.choice([0, 1, 2, 6, "5/2", 10, "1/3"])
        some = stages if len(values) < 3 else stages[:2]
        check(values, answer, plan_of(*some, dedupe=rng.choice(["value", "position"])))


# --- stages, order, limit ---------------------------------------------------------------------------------------------


def test_the_first_stage_that_matches_ends_the_search() -> None:
    add, less = Stage(name="add", extras=("1",)), Stage(name="add-less", omit=1, extras=("1",))
    stages = (Stage(name="omit", omit=1), ALL, add, less)
    first = check((6, 2), 6, plan_of(*stages, stop="first-match"))
    assert [candidate.stage for candidate in first.candidates] == ["omit"]
    later = check((6, 2), 3, plan_of(*stages, stop="first-match"))
    assert [(candidate.expr, candidate.stage) for candidate in later.candidates] == [("N0/N1", "all")]
    never = check((6, 2), 3, plan_of(*stages))
    assert [(candidate.expr, candidate.stage) for candidate in never.candidates] == [
        ("N0/N1", "all"),
        ("N1+1", "add-less"),
        ("N0-N1-1", "add"),
    ]


def test_a_function_is_written_with_the_fewest_leaves_even_if_a_later_stage_finds_that() -> None:
    twice, add = Stage(name="twice", extras=("twice",)), Stage(name="add", extras=("1",))
    found = check((6, "0.2"), "7.2", plan_of(Stage(name="many", extras=("1", "twice")), twice, add))
    assert [(candidate.expr, candidate.stage) for candidate in found.candidates] == [
        ("N0*N0*N1", "twice"),
        ("N0+N0*N1", "twice"),  # also N0*(N1+1), of a later stage, and N0*1+N0*N1, with more leaves
        ("N0+N1+1", "add"),
    ]
    found = check((6, "0.2"), "7.2", plan_of(add, twice))
    assert ("N0*(N1+1)", "add") in [(candidate.expr, candidate.stage) for candidate in found.candidates]


def test_a_limit_keeps_the_simplest() -> None:
    plan = load_plan("full")
    whole = search((2, 3, 4), 24, plan)
    assert len(whole.candidates) > 20
    for limit in (1, 7, 10_000):
        assert search((2, 3, 4), 24, plan, limit).candidates == whole.candidates[:limit]
    assert whole.candidates[0].expr in ("N0*N1*N2", "N1*N2*N0")


# --- implied quantities -----------------------------------------------------------------------------------------------


def with_implied(printed: Sequence[object], implied: Sequence[object], answer: object) -> Problem:
    plain = problem((*printed, *implied), answer)
    marked = [replace(quantity, implied="word") for quantity in plain.quantities[len(printed) :]]
    return replace(plain, quantities=(*plain.quantities[: len(printed)], *marked), lexicon="mine")


@pytest.mark.parametrize("implied", [(), (60,), (7, 2), (60, 7, "1/100")], ids=str)
def test_implied_quantities_are_used_as_if_each_choice_of_them_were_printed(implied: tuple[object, ...]) -> None:
    """The stage with k implied quantities finds what `all` finds for each choice of k of them."""
    for printed, answer in (((20, 3), 1), ((5, 7), 245), ((3,), 180), ((10, 50), 20), ((2, 2), 14)):
        for used in range(3):
            plan = plan_of(Stage(name="implied", implied=used), Stage(name="never", lexicon=False))
            (found,) = search_problems([with_implied(printed, implied, answer)], plan)
            numbers = [Fraction(str(value)) for value in (*printed, *implied)]
            named = points(numbers, "value")
            functions = [evaluated(candidate.expr, named, residues) for candidate in found.candidates]
            expected: set[object] = set()
            for chosen in combinations(range(len(printed), len(numbers)), used):
                names = [f"N{i}" for i in (*range(len(printed)), *chosen)]
                trees = all_trees([leaf(name, numbers, "value") for name in names])
                expected |= {function for value, function in trees if value == Fraction(str(answer))}
            assert set(functions) == expected and len(functions) == len(expected)
            assert found.implied == len(implied)


def test_a_stage_may_be_for_problems_with_or_without_a_lexicon() -> None:
    plan = plan_of(Stage(name="with", lexicon=True), Stage(name="without", lexicon=False))
    for one, stage in ((with_implied((2, 3), (), 6), "with"), (problem((2, 3), 6), "without")):
        (found,) = search_problems([one], plan)
        assert [candidate.stage for candidate in found.candidates] == [stage]


# --- levels of deduplication ------------------------------------------------------------------------------------------


def test_equal_values_are_one_variable_at_value_level_only() -> None:
    by_level = {level: check((3, 3, 2), 6, plan_of(Stage(name="omit", omit=1), dedupe=level)) for level in
                ("value", "position")}  # fmt: skip
    assert [c.expr for c in by_level["value"].candidates] == ["N0*N2", "N0+N1"]
    assert [c.expr for c in by_level["position"].candidates] == ["N0*N2", "N0+N1", "N1*N2"]


def test_a_quantity_of_value_one_is_the_constant_at_value_level_only() -> None:
    plan = {level: plan_of(ALL, Stage(name="omit", omit=1), dedupe=level) for level in ("value", "position")}
    assert [c.expr for c in check((1, 4), 4, plan["value"]).candidates] == ["N1"]
    assert {c.expr for c in check((1, 4), 4, plan["position"]).candidates} == {"N1", "N0*N1", "N1/N0"}


def test_without_deduplication_every_class_of_every_choice_stays() -> None:
    plan = plan_of(Stage(name="twice", extras=("twice",)), dedupe="none")
    assert [c.expr for c in check((5, 5), 15, plan).candidates] == ["N0+N0+N1", "N0+N1+N1"]
    assert [c.expr for c in check((5, 5), 15, plan_of(*plan.stage)).candidates] == ["N0+N0+N1"]


# --- powers -----------------------------------------------------------------------------------------------------------


def test_squares_and_cubes_are_operands() -> None:
    square = plan_of(Stage(name="square", extras=("square",)), Stage(name="cube", extras=("cube",)))
    assert [c.expr for c in check((5,), 25, square).candidates] == ["N0^2"]
    assert [c.expr for c in check((5,), 125, square).candidates] == ["N0^3"]
    assert {c.expr for c in check((2, 3), 11, square).candidates} == {"N0+N1^2", "N0^3+N1"}
    area = plan_of(Stage(name="area", extras=("square", "pi")))
    assert [c.expr for c in check((10,), 314, area).candidates] == ["N0^2*3.14"]


def test_a_square_and_a_quantity_twice_are_one_function() -> None:
    both = plan_of(Stage(name="twice", extras=("twice",)), Stage(name="square", extras=("square",)))
    found = check((7,), 49, both)
    assert [(candidate.expr, candidate.stage) for candidate in found.candidates] == [("N0^2", "square")]


# --- tolerance --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tolerance", "answer", "expected"),
    [
        ("0", "3.33", []),
        ("0", "10/3", ["N0/N1"]),
        ("0.01", "3.33", ["N0/N1"]),
        ("1/300", "3.33", ["N0/N1"]),
        ("0.003", "3.33", []),
        ("<0.01", "3.33", ["N0/N1"]),
        ("<0.003", "3.33", []),
        ("7", 20, ["N0+N1"]),
        ("<7", 20, []),
    ],
)
def test_a_value_may_be_off_by_the_tolerance(tolerance: str, answer: object, expected: list[str]) -> None:
    found = check((10, 3), answer, plan_of(ALL, tolerance=tolerance))
    assert [candidate.expr for candidate in found.candidates] == expected
    assert all(candidate.value == ("13" if answer == 20 else "10/3") for candidate in found.candidates)


# --- whole corpora ----------------------------------------------------------------------------------------------------


def test_the_problems_come_back_in_order_whatever_their_size_and_company() -> None:
    problems = [problem(values, answer, id=str(i)) for i, (values, answer) in enumerate(PROBLEMS + LARGER)]
    for name in PLANS:
        plan = load_plan(name)
        together = list(search_problems(problems, plan))
        assert [found.id for found in together] == [problem.id for problem in problems]
        assert together == [found for one in problems for found in search_problems([one], plan)]
        assert list(search_problems(reversed(problems), plan)) == together[::-1]


def test_a_problem_without_candidates_says_why() -> None:
    plan = plan_of(Stage(name="all", max_quantities=2))
    cases = [((), 5), ((1, 2, 3), 6), ((2, 3), 100), ((2, 3), 5)]
    found = list(search_problems([problem(values, answer) for values, answer in cases], plan))
    assert [one.reason for one in found] == ["no-quantity", "too-many-quantities", "no-match", None]
    assert [len(one.candidates) for one in found] == [0, 0, 0, 1]


def test_a_candidate_set_has_what_a_ranker_needs() -> None:
    found = search(("0.5", "40"), 20, plan_of(ALL))
    assert (found.values, found.surfaces, found.answer) == (("1/2", "40"), ("0.5", "40"), "20")


def test_there_may_be_no_problem_at_all() -> None:
    assert list(search_problems([], load_plan("full"))) == []
