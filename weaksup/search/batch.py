"""Many problems -> their candidates, in one pass over the stages of a plan.

All problems and all choices of operands of a stage are searched together by `mathcanon.reaching.hits.reach_rows`, as
rows of indices into a table of numbers.  Each hit comes with a number that identifies its function of the operands, so
hits of all choices and stages are deduplicated as arrays: of each function, the hit with the fewest leaves is kept
(`N0*(1+N1)`, not `N0*N1+N0`), then the one of the earliest stage.  Only the hits that are kept are converted to text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mathcanon.canonical_form import Form, canonical_form
from mathcanon.reaching.numbers_to_target import MAX_MEMORY, HitRows, Names, as_table, reach_rows, shape_of, written

from ..meaning.operand_names import operand_leaf, operand_value, quantity_number, rename_operand
from ..meaning.value_level import value_names
from ..records import Candidate, CandidateSet, Problem
from .operands import assignments
from .plans import MAX_OPERANDS, Plan, Stage

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["search_problems"]

_TOGETHER = 4096  # problems searched at a time: enough to fill batches, few enough to fit in memory

_exact = lru_cache(maxsize=1 << 16)(Fraction)  # cached, because the numbers of a corpus repeat


class _Found(NamedTuple):
    """A candidate with its sort keys first, so that the smallest tuple is the simplest candidate."""

    leaves: int
    stage: int
    length: int
    text: str
    value: Fraction


class _Group(NamedTuple):
    """Problems with the same number of quantities, and all operands that a stage may choose, as columns."""

    size: int
    problems: Array  # indices of the problems
    column: dict[str, int]  # operand -> column
    numbers: Array  # (problems, operands): indices into the table of numbers
    names: Array  # (problems, operands): indices of the operand names used for deduplication


class _Hits(NamedTuple):
    """Hits as parallel arrays."""

    problem: Array
    function: Array  # equal for equal functions; 0 without deduplication
    leaves: Array
    stage: Array
    choice: Array  # index of the choice of operands
    sign: Array
    codes: Array  # (hits, MAX_OPERANDS - 1): the steps, padded with 0
    value: Array  # exact


def search_problems(problems: Iterable[Problem], plan: Plan, *, limit: int | None = None) -> Iterator[CandidateSet]:
    """The candidates of each problem, in order; at most `limit` per problem, simplest first.

    Simplest first means: by number of leaves, then by stage, then by length of the text, then alphabetically.
    """
    given = iter(problems)
    while chunk := list(islice(given, _TOGETHER)):
        for problem, found in zip(chunk, _Chunk(chunk, plan).search(), strict=True):
            yield _candidate_set(problem, found, plan, limit)


class _Chunk:
    """Problems that are searched together."""

    def __init__(self, problems: Sequence[Problem], plan: Plan) -> None:
        import numpy as np

        self.plan, self.tolerance = plan, plan.exact_tolerance
        self.choices: list[tuple[str, ...]] = []  # every choice of operands so far
        self.names: dict[str, int] = {}  # operand name for deduplication -> index
        values = [tuple([_exact(quantity.value) for quantity in problem.quantities]) for problem in problems]
        by_size: dict[int, list[int]] = {}
        for i, quantities in enumerate(values):
            by_size.setdefault(len(quantities), []).append(i)
        others = {size: _other_operands(plan, size) for size in by_size}
        # A row consists of the quantities, the other operands, and the answer.
        rows = [
            [*given, *[operand_value(name, given) for name in others[len(given)]], _exact(problem.answer)]
            for problem, given in zip(problems, values, strict=True)
        ]
        self.numbers, table = as_table(rows)
        self.answers = np.array([row[-1] for row in table])
        self.groups = []
        for size, chosen in by_size.items():
            operands = [*[f"N{i}" for i in range(size)], *others[size]]
            numbers = np.array([table[i][:-1] for i in chosen], np.int64)
            names = np.array([self._named(operands, values[i]) for i in chosen], np.int64)
            column = {name: k for k, name in enumerate(operands)}
            self.groups.append(_Group(size, np.array(chosen), column, numbers, names))

    def _named(self, operands: Iterable[str], values: tuple[Fraction, ...]) -> list[int]:
        """The indices of the operand names used for deduplication; at value level, equal values share a name."""
        if self.plan.dedupe == "value":
            same = value_names(values)
            operands = [rename_operand(name, same) for name in operands]
        return [self.names.setdefault(name, len(self.names)) for name in operands]

    def search(self) -> list[Iterable[_Found]]:
        """The candidates of each problem."""
        import numpy as np

        is_open = np.ones(len(self.answers), bool)
        parts: list[_Hits] = []
        for number, stage in enumerate(self.plan.stage):
            new = list(self._run_stage(number, stage, is_open))
            parts += new
            if self.plan.stop == "first-match":
                for hits in new:
                    is_open[hits.problem] = False
        found: list[dict[object, _Found]] = [{} for _ in self.answers]
        if parts:
            hits = _Hits(*[np.concatenate(column) for column in zip(*parts, strict=True)])
            self._write(hits if self.plan.dedupe == "none" else _simplest(hits), found)
        return [functions.values() for functions in found]

    def _run_stage(self, number: int, stage: Stage, is_open: Array) -> Iterator[_Hits]:
        """The hits of a stage for the open problems; choices with the same number of operands form one batch."""
        import numpy as np

        batches: dict[int, list[tuple[Array, ...]]] = {}
        for group in self.groups:
            if not stage.applies_to(group.size):
                continue
            chosen = np.flatnonzero(is_open[group.problems])
            for names in assignments(stage, group.size):
                at = np.ix_(chosen, np.array([group.column[name] for name in names]))
                choice = np.full(len(chosen), len(self.choices))
                self.choices.append(names)
                batch = batches.setdefault(len(names), [])
                batch.append((group.problems[chosen], choice, group.numbers[at], group.names[at]))
        for batch in batches.values():
            problem, choice, numbers, named = [np.concatenate(column) for column in zip(*batch, strict=True)]
            hits = reach_rows(
                self.numbers,
                numbers,
                self.answers[problem],
                names=None if self.plan.dedupe == "none" else Names(list(self.names), named),
                tolerance=self.tolerance,
                memory=MAX_MEMORY,
            )
            yield self._columns(hits, problem, choice, numbers, number)

    def _columns(self, hits: HitRows, problem: Array, choice: Array, numbers: Array, stage: int) -> _Hits:
        """The hits of one batch, whose rows have these problems, choices and numbers."""
        import numpy as np

        codes = np.zeros((len(hits.codes), MAX_OPERANDS - 1), np.uint16)
        codes[:, : hits.codes.shape[1]] = hits.codes
        answers = np.array(self.numbers.values, object)[self.answers[problem[hits.problem]]]
        values = answers if hits.values is None else np.array(hits.values, object)
        columns = _Hits(
            problem=problem[hits.problem],
            function=np.zeros(len(codes), np.uint64) if hits.function is None else hits.function,
            leaves=np.full(len(codes), numbers.shape[1]),
            stage=np.full(len(codes), stage),
            choice=choice[hits.problem],
            sign=hits.sign,
            codes=codes,
            value=values,
        )
        if not self.plan.as_floats:
            return columns
        is_kept = np.array([value is answer for value, answer in zip(values, answers, strict=True)], bool)
        for i in np.flatnonzero(~is_kept).tolist():
            is_kept[i] = self._is_less_in_floats(columns, i, numbers[hits.problem[i]])
        return _Hits(*[column[is_kept] for column in columns])

    def _is_less_in_floats(self, hits: _Hits, i: int, numbers: Array) -> bool:
        """Whether the value is closer than the tolerance; at exactly that distance, whether floats say so."""
        answer = self.numbers.values[self.answers[hits.problem[i]]]
        distance = abs(hits.value[i] - answer)
        if distance != self.tolerance:
            return bool(distance < self.tolerance)
        turned, shape = shape_of(len(numbers), hits.codes[i, : len(numbers) - 1].tobytes())
        places = [float(self.numbers.values[number]) for number in numbers]
        for operator, j, k in shape.steps:
            a, b = places[j], places[k]
            places.append(
                a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b
            )
        return abs(turned * int(hits.sign[i]) * places[-1] - float(answer)) < float(self.tolerance)

    def _write(self, hits: _Hits, found: list[dict[object, _Found]]) -> None:
        """Convert each hit to text, and keep the simplest one of each function."""
        choices = [self.choices[choice] for choice in hits.choice.tolist()]
        codes, width = hits.codes.tobytes(), 2 * (MAX_OPERANDS - 1)
        columns = (column.tolist() for column in (hits.problem, hits.function, hits.stage, hits.sign, hits.value))
        for i, (names, problem, function, stage, sign, value) in enumerate(zip(choices, *columns, strict=True)):
            leaves = len(names)
            text = _text(codes[i * width : i * width + 2 * leaves - 2], sign, names)
            new = _Found(leaves, stage, len(text), text, value)
            key = function if self.plan.dedupe != "none" else text
            old = found[problem].get(key)
            if old is None or new < old:
                found[problem][key] = new


def _other_operands(plan: Plan, size: int) -> list[str]:
    """The operands, other than the quantities, that a plan uses for problems with `size` quantities."""
    choices = [names for stage in plan.stages_for(size) for names in assignments(stage, size)]
    used = dict.fromkeys([name for names in choices for name in names])
    return [name for name in used if quantity_number(name) is None]


def _simplest(hits: _Hits) -> _Hits:
    """For each function of a problem, the hits with the fewest leaves, and among these the ones of the first stage."""
    import numpy as np

    order = np.lexsort((hits.stage, hits.leaves, hits.function, hits.problem))
    problem, function = hits.problem[order], hits.function[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (problem[1:] != problem[:-1]) | (function[1:] != function[:-1])
    first = order[np.flatnonzero(is_first)[np.cumsum(is_first) - 1]]  # for each hit, the first of its function
    kept = order[(hits.leaves[order] == hits.leaves[first]) & (hits.stage[order] == hits.stage[first])]
    return _Hits(*[column[kept] for column in hits])


@lru_cache(maxsize=1 << 17)
def _text(codes: bytes, sign: int, names: tuple[str, ...]) -> str:
    """The text of the expression with these steps over these operands."""
    return str(written(codes, sign, _leaves(names)))


@lru_cache(maxsize=4096)
def _leaves(names: tuple[str, ...]) -> tuple[Form, ...]:
    return tuple([canonical_form(operand_leaf(name)) for name in names])


def _candidate_set(problem: Problem, found: Iterable[_Found], plan: Plan, limit: int | None) -> CandidateSet:
    ordered = sorted(found)[:limit]
    reason = None
    if not ordered:
        if not problem.quantities:
            reason = "no-quantity"
        else:
            reason = "no-match" if plan.stages_for(len(problem.quantities)) else "too-many-quantities"
    return CandidateSet(
        id=problem.id,
        values=tuple([quantity.value for quantity in problem.quantities]),
        surfaces=tuple([quantity.surface for quantity in problem.quantities]),
        answer=problem.answer,
        candidates=tuple(
            [Candidate(expr=item.text, stage=plan.stage[item.stage].name, value=str(item.value)) for item in ordered]
        ),
        reason=reason,
    )
