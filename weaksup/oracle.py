"""How good are candidates and labels?  Measured against gold equations, which are read here and in supervised training.

An equation is right if it means the same as gold, by one of three laws:

- "value": the same function at value level (see `value_level`): equal values are one variable, the values 0, 1 and 3.14
  are constants, and a fraction in brackets is one quantity if a quantity has its value;
- "mentioned": the same, but a 1 or 0 of the text is a variable (see `mentioned_level`).  Foreign labels are judged by
  this law unless another is asked for: nobody has cleared them of a needless `*1.0`;
- "structure": the same canonical form at value level.

All shares are between 0 and 1:

- recall: problems with at least one candidate (or a label), of all problems;
- gold_in_set: problems with a right candidate, of all problems;
- micro: right (problem, candidate) pairs of all pairs; for label files, right labels of all labels;
- macro: the mean over all problems of the share of right candidates, nothing found counting as 0; for label files that
  is right labels of all problems.

A problem whose gold equation is missing or unreadable can't be judged: it counts for recall, is left out of
the other shares, and `without_gold` says how many there are.  A problem that the reader of the corpus skipped has
nothing found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import fsum
from statistics import median
from typing import Literal, NamedTuple, cast

import msgspec

from mathcanon import MathCanonError

from .errors import ConfigError, DataError
from .labels import check_label
from .mentioned_level import mentioned_equation_function, mentioned_expression_function
from .oracle_files import ForeignLabel, Records, exact_equation
from .records import CandidateSet, Label, Problem, Skipped
from .search.plans import load_plan
from .value_level import Function, equation_function, expression_function

__all__ = ["SIZES", "Judge", "Score", "SizeScore", "score_candidates", "score_labels", "score_records", "size_of"]

SIZES = ("1", "2", "3", "4", "5", "6+")
LAWS = ("value", "mentioned", "structure")

Kind = Literal["candidates", "labels"]


class SizeScore(msgspec.Struct, frozen=True, kw_only=True):
    """The shares for the problems with some number of quantities; None where there is nothing to divide by."""

    problems: int
    covered: int
    recall: float | None
    gold_in_set: float | None
    micro: float | None
    macro: float | None


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What the oracle says of a file; the module says what the shares are."""

    kind: Kind
    law: str
    problems: int
    covered: int
    recall: float | None
    single: int  # problems with one candidate
    multiple: int
    largest: int  # candidates of one problem
    mean: float | None  # candidates of a covered problem
    median: float | None
    skipped: dict[str, int]  # problems with nothing found, by reason; with `covered` they are all problems
    stages: dict[str, int]  # covered problems by the stage of the simplest candidate (or of the label)
    gold_stages: dict[str, int]  # problems with gold in the set, by the stage that found it
    without_gold: int
    uncovered_power: int  # problems with nothing found whose gold equation has a power
    unreadable: int  # candidates or labels that can't be read; they count as wrong
    gold_in_set: float | None
    micro: float | None
    macro: float | None
    micro_single: float | None
    micro_multiple: float | None
    by_quantities: dict[str, SizeScore]


class Judged(NamedTuple):
    """The equations of a problem: how many candidates there were, and whether each equation is right."""

    candidates: int
    right: tuple[bool, ...] | None  # None: no gold
    stages: tuple[str, ...] = ()
    unreadable: int = 0
    reason: str = "no-match"


class Judge:
    """Knows the gold equations of a corpus."""

    def __init__(self, problems: Iterable[Problem], *, law: str = "value") -> None:
        if law not in LAWS:
            raise ConfigError(f"unknown law {law!r}: one of {', '.join(LAWS)}")
        self.law = law
        self.problems = {problem.id: problem for problem in problems}
        self._gold: dict[str, Function] = {}

    def gold(self, problem: Problem) -> Function:
        """What the gold equation means; None if there is none or it can't be read."""
        if problem.id not in self._gold:
            values = [quantity.exact for quantity in problem.quantities]
            text = problem.gold
            self._gold[problem.id] = None if text is None else self.equation_meaning(text, values)
        return self._gold[problem.id]

    def meaning(self, expr: str, values: Sequence[Fraction]) -> Function:
        """What an expression over N0, N1... means; None if it can't be read."""
        if self.law == "mentioned":
            return mentioned_expression_function(expr, values)
        try:
            return expression_function(expr, values, law=self.law)
        except MathCanonError:
            return None

    def equation_meaning(self, equation: str, values: Sequence[Fraction]) -> Function:
        """What an equation in literal numbers means; None if it can't be read."""
        if self.law == "mentioned":
            return mentioned_equation_function(equation, values)
        return equation_function(equation, values, law=self.law)

    def judge_set(self, found: CandidateSet) -> Judged:
        problem = self.problems[found.id]
        if found.values != tuple([quantity.value for quantity in problem.quantities]):
            here = ", ".join(quantity.value for quantity in problem.quantities)
            message = (
                f"problem {found.id} was searched with the quantities {', '.join(found.values)}, the corpus has {here}"
            )
            raise DataError(f"{message}; read it with the options of the search")
        values = [quantity.exact for quantity in problem.quantities]
        meanings = [self.meaning(candidate.expr, values) for candidate in found.candidates]
        stages = tuple([candidate.stage for candidate in found.candidates])
        return self._judged(problem, len(meanings), meanings, stages, found.reason or "no-match")

    def judge_labels(self, labels: Sequence[Label | ForeignLabel]) -> Judged:
        """The labels of one problem: one of ours, or any number of foreign ones."""
        problem = self.problems[str(labels[0].id)]
        values = [quantity.exact for quantity in problem.quantities]
        candidates = len(labels)
        meanings: list[Function] = []
        stages: list[str] = []
        for label in labels:
            if isinstance(label, Label):
                check_label(label, problem)
                candidates = label.candidates
                meanings.append(self.meaning(label.expr, values))
                stages.append(label.stage)
            else:
                meanings.append(self.equation_meaning(exact_equation(label.equation, values), values))
        return self._judged(problem, candidates, meanings, tuple(stages), "no-label")

    def _judged(
        self, problem: Problem, candidates: int, meanings: Sequence[Function], stages: tuple[str, ...], reason: str
    ) -> Judged:
        gold = self.gold(problem)
        right = None if gold is None else tuple([meaning == gold for meaning in meanings])
        return Judged(candidates, right, stages, sum(meaning is None for meaning in meanings), reason)


def size_of(problem: Problem) -> str:
    """The number of quantities as tables have it: "1" to "5", "6+" (and "0" where a corpus has such problems)."""
    return "6+" if len(problem.quantities) >= 6 else str(len(problem.quantities))


def score_records(
    records: Records,
    problems: Iterable[Problem],
    *,
    part: Collection[str] | None = None,
    skipped: Iterable[Skipped] = (),
    law: str | None = None,
    path: str = "",
) -> Score:
    """The score of what `read_scored` gives.

    `problems` and `skipped` are the corpus; `part` are the ids to count, by default all.  An id that the corpus does
    not have, or that stands twice (foreign labels may), is a `DataError`.  A problem that the file does not
    have counts as skipped: "not-in-file", or "no-label".  `law` is "value" by default, "mentioned" for foreign labels.
    """
    law = law or ("mentioned" if records and isinstance(records[0], ForeignLabel) else "value")
    if records and not isinstance(records[0], CandidateSet):
        return score_labels(cast("list[Label]", records), problems, part=part, skipped=skipped, law=law, path=path)
    sets = cast("list[CandidateSet]", records)
    return score_candidates(sets, problems, part=part, skipped=skipped, law=law, path=path)


def score_candidates(
    sets: Iterable[CandidateSet],
    problems: Iterable[Problem],
    *,
    part: Collection[str] | None = None,
    skipped: Iterable[Skipped] = (),
    law: str = "value",
    path: str = "",
) -> Score:
    """The score of candidate sets; see `score_records`."""
    judge = Judge(problems, law=law)
    skipped = list(skipped)
    by_id: dict[str, CandidateSet] = {}
    for found in sets:
        if found.id in by_id:
            raise DataError(f"problem {found.id} stands twice in the file", path=path)
        by_id[found.id] = found
    _check_ids(by_id, judge, skipped, path)
    judged = {
        id: judge.judge_set(found)
        for id, found in by_id.items()
        if id in judge.problems and (part is None or id in part)
    }
    return _score("candidates", judge, judged, part, skipped, absent="not-in-file")


def score_labels(
    labels: Iterable[Label] | Iterable[ForeignLabel],
    problems: Iterable[Problem],
    *,
    part: Collection[str] | None = None,
    skipped: Iterable[Skipped] = (),
    law: str = "value",
    path: str = "",
) -> Score:
    """The score of labels, ours or foreign; see `score_records`.

    Single and multiple say how many candidates a label was chosen from; where that is not known (foreign labels), how
    many labels the problem has.
    """
    judge = Judge(problems, law=law)
    skipped = list(skipped)
    by_id: dict[str, list[Label | ForeignLabel]] = {}
    for label in labels:
        same = by_id.setdefault(str(label.id), [])
        if same and isinstance(label, Label):
            raise DataError(f"problem {label.id} is labelled twice", path=path)
        same.append(label)
    _check_ids(by_id, judge, skipped, path)
    judged = {
        id: judge.judge_labels(same)
        for id, same in by_id.items()
        if id in judge.problems and (part is None or id in part)
    }
    return _score("labels", judge, judged, part, skipped, absent="no-label")


def _check_ids(ids: Iterable[str], judge: Judge, skipped: Iterable[Skipped], path: str) -> None:
    known = {*judge.problems, *[problem.id for problem in skipped]}
    unknown = [id for id in ids if id not in known]
    if unknown:
        named = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        raise DataError(f"{len(unknown)} ids of the file are not in the corpus: {named}", path=path, field="id")


class _Tally:
    """Counts on the way to shares."""

    def __init__(self) -> None:
        self.problems = self.covered = self.with_gold = self.with_right = self.pairs = self.right = 0
        self.shares: list[float] = []

    def add(self, judged: Judged, *, has_gold: bool) -> None:
        self.problems += 1
        self.covered += judged.candidates > 0
        if not has_gold:
            return
        self.with_gold += 1
        if judged.right:
            right = sum(judged.right)
            self.pairs += len(judged.right)
            self.right += right
            self.with_right += right > 0
            self.shares.append(right / len(judged.right))

    @property
    def micro(self) -> float | None:
        return _share(self.right, self.pairs)

    @property
    def macro(self) -> float | None:
        return _share(fsum(self.shares), self.with_gold)

    def size_score(self) -> SizeScore:
        return SizeScore(
            problems=self.problems,
            covered=self.covered,
            recall=_share(self.covered, self.problems),
            gold_in_set=_share(self.with_right, self.with_gold),
            micro=self.micro,
            macro=self.macro,
        )


def _score(
    kind: Kind,
    judge: Judge,
    judged: Mapping[str, Judged],
    part: Collection[str] | None,
    skipped: Iterable[Skipped],
    *,
    absent: str,
) -> Score:
    nothing = Judged(0, (), reason=absent)
    whole, single, multiple = _Tally(), _Tally(), _Tally()
    sizes = {size: _Tally() for size in SIZES}
    reasons: Counter[str] = Counter()
    powers = without_gold = 0
    for problem in judge.problems.values():
        if part is not None and problem.id not in part:
            continue
        result = judged.get(problem.id, nothing)
        has_gold = judge.gold(problem) is not None
        without_gold += not has_gold
        for tally in (whole, sizes.setdefault(size_of(problem), _Tally())):
            tally.add(result, has_gold=has_gold)
        if result.candidates:
            (single if result.candidates == 1 else multiple).add(result, has_gold=has_gold)
        else:
            reasons[result.reason] += 1
            powers += _has_power(problem)
    for bad in skipped:
        if part is None or bad.id in part:
            whole.add(nothing, has_gold=True)
            reasons[bad.reason] += 1
    found = [result for result in judged.values() if result.candidates]
    counts = [result.candidates for result in found]
    total = whole.size_score()
    return Score(
        kind=kind,
        law=judge.law,
        problems=total.problems,
        covered=total.covered,
        recall=total.recall,
        single=single.problems,
        multiple=multiple.problems,
        largest=max(counts, default=0),
        mean=_share(sum(counts), len(counts)),
        median=float(median(counts)) if counts else None,
        skipped=dict(sorted(reasons.items())),
        stages=_by_stage(result.stages[0] for result in found if result.stages),
        gold_stages=_by_stage(
            result.stages[result.right.index(True)]
            for result in found
            if result.stages and result.right and any(result.right)
        ),
        without_gold=without_gold,
        uncovered_power=powers,
        unreadable=sum(result.unreadable for result in found),
        gold_in_set=total.gold_in_set,
        micro=total.micro,
        macro=total.macro,
        micro_single=single.micro,
        micro_multiple=multiple.micro,
        by_quantities={size: sizes[size].size_score() for size in sorted(sizes)},
    )


def _share(some: float, of: int) -> float | None:
    return some / of if of else None


def _has_power(problem: Problem) -> bool:
    return problem.gold is not None and ("^" in problem.gold or "**" in problem.gold)


def _by_stage(stages: Iterator[str]) -> dict[str, int]:
    """Counts in the order of the plan `full`, stages of other plans behind."""
    counts = Counter(stages)
    order = [stage.name for stage in load_plan("full").stage]
    return {name: counts[name] for name in [*order, *sorted(counts.keys() - set(order))] if name in counts}
