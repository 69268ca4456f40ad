"""Many problems -> their candidates, in one pass over the stages of a plan.

All problems and all choices of operands of a stage are searched together by `mathcanon.reaching.hits.reach_rows`, as
rows of indices into a table of numbers.  Each hit comes with a number that identifies its function of the operands, so
hits of all choices and stages are deduplicated as arrays (`held_hits`).  Only the hits that are kept become text.

Stages run in order of simplicity: fewer leaves first, unless the plan stops at the first stage that matches.  So a
problem that has as many candidates as `limit` asks for is not searched further.  A stage that finds more for a problem
than the memory has room for is left out for this problem, which is recorded.  Both depend on the problem alone, not on
those that are searched with it: if the problems of a batch need too much memory together, the batch is divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mathcanon import MathCanonError
from mathcanon.reaching.numbers_to_target import HitRows, Names, TextWriter, as_table, reach_rows, shape_of

from ..errors import WeakSupError
from ..meaning.operand_names import operand_leaf, operand_value, quantity_number, rename_operand
from ..meaning.value_level import value_names
from ..records import Candidate, CandidateSet, Limited, Problem
from .budget import DEFAULT_MEMORY, Budget
from .held_hits import HeldHits, Hits
from .operands import assignments
from .plans import MAX_OPERANDS, Plan

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["search_problems"]

_TOGETHER = 4096  # problems searched at a time: enough to fill batches, few enough to fit in memory

_writer = TextWriter(operand_leaf)  # one for all searches, because problems share most blocks
_exact = lru_cache(maxsize=1 << 16)(Fraction)  # cached, because the numbers of a corpus repeat


class _Found(NamedTuple):
    """A candidate with its sort keys first, so that the smallest tuple is the simplest candidate."""

    leaves: int
    stage: int
    length: int
    text: str
    value: Fraction
    row: int


class _Group(NamedTuple):
    """Problems with equally many quantities of each kind, and all operands that a stage may choose, as columns."""

    printed: int
    implied: int
    lexicon: bool  # whether they were read with a lexicon
    problems: Array  # indices of the problems
    column: dict[str, int]  # operand -> column
    numbers: Array  # (problems, operands): indices into the table of numbers
    names: Array  # (problems, operands): indices of the operand names used for deduplication


class _Crowded(Exception):
    """Problems that together hold more hits than there is room for."""


def search_problems(
    problems: Iterable[Problem],
    plan: Plan,
    *,
    limit: int | None = None,
    memory: int = DEFAULT_MEMORY,
    strict: bool = False,
) -> Iterator[CandidateSet]:
    """The candidates of each problem, in order.

    Candidates are sorted, simplest first: by number of leaves, then by stage, then by length of the text, then
    alphabetically.

    Parameters
    ----------
    problems
        The problems; their texts and gold equations are not read.
    plan
        Which numbers to combine, and when to stop; see `load_plan`.
    limit
        The most candidates per problem.
    memory
        The most bytes for the hits of a problem.  A stage that would need more is left out for this problem, and listed
        in `CandidateSet.limits`.
    strict
        Whether such a stage is an error instead.

    Yields
    ------
    CandidateSet
        One for each problem, also if nothing was found.

    Raises
    ------
    WeakSupError
        If the search of a problem fails; it names the problem.

    Notes
    -----
    All problems of a stage are searched together, in compiled loops; see `mathcanon.reach_batch`.
    """
    given = iter(problems)
    budget = Budget(memory)
    while together := list(islice(given, _TOGETHER)):
        waiting = [together]
        while waiting:
            some = waiting.pop()
            try:
                chunk = _Chunk(some, plan, limit, budget, strict=strict)
                chunk.search()
            except WeakSupError:
                raise
            except Exception as error:
                if len(some) == 1:
                    raise _with_id(error, some[0].id) from error
                half = len(some) // 2  # they need too much memory together, or one of them has an error
                waiting += [some[half:], some[:half]]
            else:
                yield from chunk.candidate_sets()


def _with_id(error: Exception, id: str) -> Exception:
    """An error of the search of one problem; what we do not expect is a fault of the program, and stays one."""
    if isinstance(error, MathCanonError | MemoryError):
        return WeakSupError(f"problem {id}: {str(error) or 'out of memory'}")
    return RuntimeError(f"problem {id}: {type(error).__name__}: {error}")


class _Chunk:
    """Problems that are searched together."""

    def __init__(
        self, problems: Sequence[Problem], plan: Plan, limit: int | None, budget: Budget, *, strict: bool
    ) -> None:
        import numpy as np

        self.problems, self.plan, self.tolerance = problems, plan, plan.exact_tolerance
        self.limit, self.budget, self.strict = limit, budget, strict
        self.limited: dict[int, list[Limited]] = {}  # stages that met a limit, by problem
        self.held = HeldHits(len(problems), by_function=plan.dedupe != "none")
        self.is_open = np.ones(len(problems), bool)  # whether a problem is still to be searched
        self.choices: list[tuple[str, ...]] = []  # every choice of operands so far
        self.names: dict[str, int] = {}  # operand name for deduplication -> index
        values = [tuple([_exact(quantity.value) for quantity in problem.quantities]) for problem in problems]
        sizes = [_size(problem) for problem in problems]
        by_size: dict[tuple[int, int, bool], list[int]] = {}
        for i, size in enumerate(sizes):
            by_size.setdefault(size, []).append(i)
        others = {size: _other_operands(plan, *size) for size in by_size}
        # A row consists of the quantities, the other operands, and the answer.
        rows = [
            [*given, *[operand_value(name, given) for name in others[size]], _exact(problem.answer)]
            for problem, given, size in zip(problems, values, sizes, strict=True)
        ]
        self.numbers, table = as_table(rows)
        self.answers = np.array([row[-1] for row in table])
        self.groups = []
        for size, chosen in by_size.items():
            operands = [*[f"N{i}" for i in range(size[0] + size[1])], *others[size]]
            numbers = np.array([table[i][:-1] for i in chosen], np.int64)
            names = np.array([self._named(operands, values[i]) for i in chosen], np.int64)
            column = {name: k for k, name in enumerate(operands)}
            self.groups.append(_Group(*size, np.array(chosen), column, numbers, names))

    def _named(self, operands: Iterable[str], values: tuple[Fraction, ...]) -> list[int]:
        """The indices of the operand names used for deduplication; at value level, equal values share a name."""
        if self.plan.dedupe == "value":
            same = value_names(values)
            operands = [rename_operand(name, same) for name in operands]
        return [self.names.setdefault(name, len(self.names)) for name in operands]

    def search(self) -> None:
        """Run all stages; `_Crowded` if the problems hold too many hits together."""
        levels = [
            (group.printed - stage.omit + stage.added, number)
            for number, stage in enumerate(self.plan.stage)
            for group in self.groups
            if stage.applies_to(group.printed, group.implied, group.lexicon)
        ]
        by_stage = self.plan.stop == "first-match"
        for leaves, number in sorted(set(levels), key=lambda level: level[::-1] if by_stage else level):
            self._search_level(leaves, number)
            if by_stage:
                self.is_open &= self.held.counts == 0

    def _search_level(self, leaves: int, number: int) -> None:
        """Search the open problems that have so many leaves in a stage, and keep what is allowed."""
        import numpy as np

        stage = self.plan.stage[number]
        batch: list[tuple[Array, ...]] = []
        for group in self.groups:
            here = group.printed - stage.omit + stage.added
            if not stage.applies_to(group.printed, group.implied, group.lexicon) or here != leaves:
                continue
            chosen = np.flatnonzero(self.is_open[group.problems])
            for names in assignments(stage, group.printed, group.implied):
                at = np.ix_(chosen, np.array([group.column[name] for name in names]))
                choice = np.full(len(chosen), len(self.choices))
                self.choices.append(names)
                batch.append((group.problems[chosen], choice, group.numbers[at], group.names[at]))
        problem, choice, numbers, named = [np.concatenate(column) for column in zip(*batch, strict=True)]
        parts = reach_rows(
            self.numbers,
            numbers,
            self.answers[problem],
            names=None if self.plan.dedupe == "none" else Names(list(self.names), named),
            tolerance=self.tolerance,
            memory=self.budget.scan,
        )
        refused = np.zeros(len(self.problems), bool)
        for part in parts:
            for row, refusal in part.refused.items():
                self._refuse(int(problem[row]), number, refusal.reason, str(refusal.error), refused)
            hits = self._columns(part, problem, choice, numbers, number)
            self.held.add(hits.chosen(~refused[hits.problem]) if refused.any() else hits)
            if self.held.size > self.budget.held:
                self._settle(number, refused)
        self._settle(number, refused)
        if self.held.size > self.budget.held and len(self.problems) > 1:
            raise _Crowded

    def _settle(self, number: int, refused: Array) -> None:
        """Give up what may not be held after a stage, or in the course of it."""
        import numpy as np

        most = self.budget.candidates
        if self.limit is not None and self.limit <= most:
            if (self.held.counts >= self.limit + (~self.is_open)).any():  # a problem that is done may have one more hit
                self._prune(self.limit)
        elif (self.held.counts > most).any():
            for problem in np.flatnonzero(self.held.functions() > most).tolist():
                message = f"more than {most:,} candidates; give more memory or a limit"
                self._refuse(problem, number, "candidates", message, refused)
        hits = self.held.joined() if refused.any() else None
        if hits is not None:
            self.held.replace(hits.chosen(~(refused[hits.problem] & (hits.stage == number))))

    def _refuse(self, problem: int, number: int, reason: str, message: str, refused: Array) -> None:
        """Record that a stage met a limit for a problem: none of its hits are kept."""
        stage = self.plan.stage[number].name
        if self.strict:
            raise WeakSupError(f"problem {self.problems[problem].id}: stage {stage}: {message}")
        if not refused[problem]:
            refused[problem] = True
            self.limited.setdefault(problem, []).append(Limited(stage=stage, reason=reason))

    def _prune(self, limit: int) -> None:
        """Keep the simplest hits of problems that have as many candidates as they may; such problems are done."""
        import numpy as np

        full = np.flatnonzero((self.held.functions() >= limit) & (self.held.counts >= limit + (~self.is_open)))
        hits = self.held.joined()
        if hits is None or not len(full):
            return
        is_kept = ~np.isin(hits.problem, full)
        ends, counts = self.held.counts.cumsum().tolist(), self.held.counts.tolist()
        written = [self._rows_to_write(hits, ends[i] - counts[i], ends[i]) for i in full.tolist()]
        texts = iter(self._texts(hits, np.concatenate(written)))
        for problem, rows in zip(full.tolist(), written, strict=True):
            best = self._simplest(hits, rows, list(islice(texts, len(rows))))[:limit]
            is_kept[[found.row for found in best]] = True
            self.is_open[problem] = len(best) < limit
        self.held.replace(hits.chosen(is_kept))

    def _columns(self, hits: HitRows, problem: Array, choice: Array, numbers: Array, stage: int) -> Hits:
        """The hits of one batch, whose rows have these problems, choices and numbers."""
        import numpy as np

        codes = np.zeros((len(hits.codes), MAX_OPERANDS - 1), np.uint16)
        codes[:, : hits.codes.shape[1]] = hits.codes
        answers = np.array(self.numbers.values, object)[self.answers[problem[hits.problem]]]
        values = answers if hits.values is None else np.array(hits.values, object)
        columns = Hits(
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
        return Hits(*[column[is_kept] for column in columns])

    def _is_less_in_floats(self, hits: Hits, i: int, numbers: Array) -> bool:
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

    def candidate_sets(self) -> Iterator[CandidateSet]:
        """The candidates of each problem, after the search."""
        import numpy as np

        hits = self.held.joined()
        rows = np.arange(0 if hits is None else len(hits.problem))
        texts = [] if hits is None else self._texts(hits, rows)
        start = 0
        for i, (problem, count) in enumerate(zip(self.problems, self.held.counts.tolist(), strict=True)):
            here = slice(start, start := start + count)
            found = [] if hits is None else self._simplest(hits, rows[here], texts[here])
            yield _candidate_set(problem, found[: self.limit], self.plan, self.limited.get(i, ()))

    def _texts(self, hits: Hits, rows: Array) -> list[str]:
        return _writer.texts(hits.codes[rows], hits.sign[rows], hits.choice[rows], self.choices)

    def _simplest(self, hits: Hits, rows: Array, texts: list[str]) -> list[_Found]:
        """The candidates of a problem, given rows of hits and their texts, simplest first; each function once."""
        columns = [column[rows].tolist() for column in (hits.function, hits.leaves, hits.stage, hits.value)]
        by_function = self.plan.dedupe != "none"
        best: dict[object, _Found] = {}
        for text, row, function, leaves, stage, value in zip(texts, rows.tolist(), *columns, strict=True):
            new = _Found(leaves, stage, len(text), text, value, row)
            key = function if by_function else text
            old = best.get(key)
            if old is None or new < old:
                best[key] = new
        return sorted(best.values())

    def _rows_to_write(self, hits: Hits, start: int, end: int) -> Array:
        """The rows among these that may be within the limit, judged by leaves and stage alone."""
        import numpy as np

        if self.limit is None or self.plan.dedupe == "none":
            return np.arange(start, end)
        level = hits.leaves[start:end] * len(self.plan.stage) + hits.stage[start:end]  # the same for all of a function
        is_new = np.append(True, hits.function[start + 1 : end] != hits.function[start : end - 1])
        return start + np.flatnonzero(level <= np.sort(level[is_new])[: self.limit][-1])


def _size(problem: Problem) -> tuple[int, int, bool]:
    """The numbers of printed and implied quantities, and whether a lexicon was asked for the latter."""
    return problem.printed, len(problem.quantities) - problem.printed, bool(problem.lexicon)


def _other_operands(plan: Plan, printed: int, implied: int, lexicon: bool) -> list[str]:
    """The operands, other than the quantities, that a plan uses for problems of this size."""
    stages = plan.stages_for(printed, implied, lexicon)
    choices = [names for stage in stages for names in assignments(stage, printed, implied)]
    used = dict.fromkeys([name for names in choices for name in names])
    return [name for name in used if quantity_number(name) is None]


def _candidate_set(problem: Problem, found: Sequence[_Found], plan: Plan, limited: Sequence[Limited]) -> CandidateSet:
    reason = None
    if not found:
        if limited:
            reason = "limit-met"
        elif not problem.printed:
            reason = "no-quantity"
        else:
            reason = "no-match" if plan.stages_for(*_size(problem)) else "too-many-quantities"
    written = {id(value): str(value) for value in {id(item.value): item.value for item in found}.values()}
    return CandidateSet(
        id=problem.id,
        values=tuple([quantity.value for quantity in problem.quantities]),
        surfaces=tuple([quantity.surface for quantity in problem.quantities]),
        answer=problem.answer,
        implied=len(problem.quantities) - problem.printed,
        candidates=tuple(
            [
                Candidate(expr=item.text, stage=plan.stage[item.stage].name, value=written[id(item.value)])
                for item in found
            ]
        ),
        reason=reason,
        limits=tuple(limited),
    )
