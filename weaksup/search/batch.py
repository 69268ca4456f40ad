"""Many problems -> their candidates, in one pass over the stages of a plan.

All problems and all choices of operands of a stage run together, as rows of indices into a table of numbers, through
`mathcanon.reach.reach_rows`.  Each hit comes with a number that tells its function of the operands, so hits are
joined over choices and stages as columns of arrays: the writing with the fewest leaves is kept (`N0*(1+N1)`, not
`N0*N1+N0`), then that of the earlier stage.  Only what is kept becomes text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mathcanon.canonical import Form, canonical_form
from mathcanon.reach import MAX_MEMORY, HitRows, Names, as_table, reach_rows, shape_of, written

from ..records import Candidate, CandidateSet, Problem
from ..value_level import named_leaf, value_names
from .operands import assignments, operand_value
from .plans import MAX_OPERANDS, Plan, Stage

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["search_problems"]

_TOGETHER = 4096  # problems searched at a time: enough to fill batches, few enough for memory

_exact = lru_cache(maxsize=1 << 16)(Fraction)  # a corpus has the same numbers again and again


class _Found(NamedTuple):
    """A candidate on its way: how simple it is comes first, so that the smallest is the simplest."""

    leaves: int
    stage: int
    length: int
    text: str
    value: Fraction


class _Group(NamedTuple):
    """Problems with equally many quantities: all operands that a stage may choose, as columns."""

    size: int
    problems: Array  # which ones
    column: dict[str, int]  # of each operand
    numbers: Array  # (problems, operands): indices into the table of numbers
    names: Array  # (problems, operands): indices of what operands are called where functions are told apart


class _Hits(NamedTuple):
    """Hits as columns."""

    problem: Array
    function: Array  # equal numbers for equal functions, 0 where they are not told apart
    leaves: Array
    stage: Array
    choice: Array  # which choice of operands
    sign: Array
    codes: Array  # the steps, filled up to the most there can be
    value: Array  # exact


def search_problems(problems: Iterable[Problem], plan: Plan, *, limit: int | None = None) -> Iterator[CandidateSet]:
    """The candidates of each problem, in order; with `limit`, the simplest so many.

    Simplest: fewest leaves, then the earlier stage, then fewest characters, then by alphabet.
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
        self.choices: list[tuple[str, ...]] = []  # of operands: all that were made so far
        self.names: dict[str, int] = {}  # of operands, where functions are told apart
        values = [tuple([_exact(quantity.value) for quantity in problem.quantities]) for problem in problems]
        by_size: dict[int, list[int]] = {}
        for i, quantities in enumerate(values):
            by_size.setdefault(len(quantities), []).append(i)
        others = {size: _other_operands(plan, size) for size in by_size}
        # A row has the quantities, the other operands, and the answer.
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
        """What operands are called where functions are told apart; at value level equal values share a name."""
        if self.plan.dedupe == "value":
            same = value_names(values)
            operands = [_at_value_level(name, same) for name in operands]
        return [self.names.setdefault(name, len(self.names)) for name in operands]

    def search(self) -> list[Iterable[_Found]]:
        """What is found for each problem."""
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
        """The hits of a stage for open problems; all choices of equally many operands run together."""
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
        """Hits of one batch, whose rows had these problems, choices and numbers."""
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
        """Whether the value is nearer than the tolerance; at just that distance, what floats make of it."""
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
        """Write each hit, and keep the simplest of each function."""
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
    """The operands besides the quantities themselves that a plan uses for problems with so many quantities."""
    choices = [names for stage in plan.stages_for(size) for names in assignments(stage, size)]
    used = dict.fromkeys([name for names in choices for name in names])
    return [name for name in used if not (name[0] == "N" and name[1:].isdigit())]


def _at_value_level(name: str, same: dict[str, str]) -> str:
    base, caret, exponent = name.partition("^")
    base = same.get(base, base)
    return base if base in ("0", "1") else base + caret + exponent


def _simplest(hits: _Hits) -> _Hits:
    """Of each function of a problem the hits with the fewest leaves, and of those the ones of the first stage."""
    import numpy as np

    order = np.lexsort((hits.stage, hits.leaves, hits.function, hits.problem))
    problem, function = hits.problem[order], hits.function[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (problem[1:] != problem[:-1]) | (function[1:] != function[:-1])
    first = order[np.flatnonzero(is_first)[np.cumsum(is_first) - 1]]  # of the same function, for each
    kept = order[(hits.leaves[order] == hits.leaves[first]) & (hits.stage[order] == hits.stage[first])]
    return _Hits(*[column[kept] for column in hits])


@lru_cache(maxsize=1 << 17)
def _text(codes: bytes, sign: int, names: tuple[str, ...]) -> str:
    """The text of traced steps over these operands."""
    return str(written(codes, sign, _leaves(names)))


@lru_cache(maxsize=4096)
def _leaves(names: tuple[str, ...]) -> tuple[Form, ...]:
    return tuple([canonical_form(named_leaf(name)) for name in names])


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
