"""How good candidates and labels are: the share of right equations, as `Judge` decides.

All shares are between 0 and 1:

- recall: problems with at least one candidate (or a label), of all problems;
- gold_in_set: problems with a right candidate, of all problems;
- micro: right (problem, candidate) pairs of all pairs; for label files, right labels of all labels;
- macro: the mean over all problems of the share of right candidates, which is 0 if there are none; for label files,
  right labels of all problems.

A problem whose gold equation is missing or unreadable can't be judged: it counts for recall only, and `without_gold`
is the number of such problems.  So gold_in_set and macro are shares of the problems with gold.  A problem that the
reader of the corpus skipped counts as one without candidates; its number of quantities is unknown, so it counts in the
whole but not by size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from statistics import median
from typing import Any, Literal

import msgspec

from ..errors import DataError
from ..records import CandidateSet, Label, Problem, Skipped
from .foreign_labels import ForeignLabel, Records
from .judge import Judge, Judged
from .shares import share
from .sizes import SIZES, size_of

__all__ = ["Score", "SizeScore", "score_candidates", "score_labels", "score_records"]

Kind = Literal["candidates", "labels"]


class SizeScore(msgspec.Struct, frozen=True, kw_only=True):
    """The shares for the problems with a given number of quantities; None if the denominator is 0."""

    problems: int
    with_gold: int | None = None  # the denominator of gold_in_set and macro; None in files of older versions
    covered: int
    recall: float | None
    gold_in_set: float | None
    micro: float | None
    macro: float | None


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the oracle for a file; the docstring of the module defines the shares."""

    kind: Kind
    law: str
    problems: int
    covered: int
    recall: float | None
    single: int  # problems with one candidate
    multiple: int
    largest: int  # most candidates of a problem
    mean: float | None  # candidates per covered problem
    median: float | None
    skipped: dict[str, int]  # problems that are not covered, by reason
    stages: dict[str, int]  # covered problems by the stage of the simplest candidate (or of the label)
    gold_stages: dict[str, int]  # problems with a right candidate, by the stage that found it
    without_gold: int
    uncovered_power: int  # problems that are not covered and whose gold equation has a power
    unreadable: int  # candidates or labels that can't be read; they count as wrong
    gold_in_set: float | None
    micro: float | None
    macro: float | None
    micro_single: float | None
    micro_multiple: float | None
    by_quantities: dict[str, SizeScore]


def score_records(
    records: Records,
    problems: Iterable[Problem],
    *,
    part: Collection[str] | None = None,
    skipped: Iterable[Skipped] = (),
    stage_order: Sequence[str] = (),
    law: str | None = None,
    path: str = "",
) -> Score:
    """The score of the records that `read_scored` returns.

    Parameters
    ----------
    records
        Candidates, labels or foreign labels.
    problems, part, skipped, stage_order, path
        As for `score_candidates`.  A problem that is not in the file counts as skipped: "not-in-file" or "no-label".
    law
        When an equation is right, see `Judge`; by default "value", for foreign labels "mentioned".

    Returns
    -------
    Score
        Counts and shares, in all and by number of quantities.

    Raises
    ------
    DataError
        If the corpus does not have an id, or an id occurs twice (foreign labels may repeat ids).

    Notes
    -----
    One comparison with gold for each candidate.
    """
    law = law or ("mentioned" if records and isinstance(records[0], ForeignLabel) else "value")
    score: Any = score_labels if records and not isinstance(records[0], CandidateSet) else score_candidates
    found: Score = score(records, problems, part=part, skipped=skipped, stage_order=stage_order, law=law, path=path)
    return found


def score_candidates(
    sets: Iterable[CandidateSet],
    problems: Iterable[Problem],
    *,
    part: Collection[str] | None = None,
    skipped: Iterable[Skipped] = (),
    stage_order: Sequence[str] = (),
    law: str = "value",
    path: str = "",
) -> Score:
    """The score of candidate sets: coverage, recall, and the share of right candidates.

    Parameters
    ----------
    sets
        The candidates to judge.
    problems
        All problems of the corpus, with their gold equations.
    part
        The ids of the problems that count; None means all.
    skipped
        Problems that were not read, which count as not covered.
    stage_order
        The stages of the search plan, in order.
    law
        When an equation is right, see `Judge`.
    path
        The file that errors name.

    Returns
    -------
    Score
        Counts and shares, in all and by number of quantities.
    """
    judge = Judge(problems, law=law)
    skipped = list(skipped)
    by_id: dict[str, CandidateSet] = {}
    for found in sets:
        if found.id in by_id:
            raise DataError(f"problem {found.id} is in the file twice", path=path)
        by_id[found.id] = found
    _check_ids(by_id, judge, skipped, path)
    judged = {
        id: judge.judge_set(found)
        for id, found in by_id.items()
        if id in judge.problems and (part is None or id in part)
    }
    return _score("candidates", judge, judged, part, skipped, stage_order, absent="not-in-file")


def score_labels(
    labels: Iterable[Label] | Iterable[ForeignLabel],
    problems: Iterable[Problem],
    *,
    part: Collection[str] | None = None,
    skipped: Iterable[Skipped] = (),
    stage_order: Sequence[str] = (),
    law: str = "value",
    path: str = "",
) -> Score:
    """The score of labels, our own or foreign: coverage and the share of right labels.

    `single` and `multiple` refer to the candidates that a label was chosen from; for foreign labels, of which these are
    unknown, to the labels of a problem.

    Parameters
    ----------
    labels
        The labels to judge.
    problems
        All problems of the corpus, with their gold equations.
    part
        The ids of the problems that count; None means all.
    skipped
        Problems that were not read, which count as not covered.
    stage_order
        The stages of the search plan, in order.
    law
        When an equation is right, see `Judge`.
    path
        The file that errors name.

    Returns
    -------
    Score
        Counts and shares, in all and by number of quantities.
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
    return _score("labels", judge, judged, part, skipped, stage_order, absent="no-label")


def _check_ids(ids: Iterable[str], judge: Judge, skipped: Iterable[Skipped], path: str) -> None:
    known = {*judge.problems, *[problem.id for problem in skipped]}
    unknown = [id for id in ids if id not in known]
    if unknown:
        named = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        raise DataError(f"{len(unknown)} ids of the file are not in the corpus: {named}", path=path, field="id")


class _Tally:
    """The counts from which shares are computed."""

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
        return share(self.right, self.pairs)

    @property
    def macro(self) -> float | None:
        return share(fsum(self.shares), self.with_gold)

    def size_score(self) -> SizeScore:
        return SizeScore(
            problems=self.problems,
            with_gold=self.with_gold,
            covered=self.covered,
            recall=share(self.covered, self.problems),
            gold_in_set=share(self.with_right, self.with_gold),
            micro=self.micro,
            macro=self.macro,
        )


def _score(
    kind: Kind,
    judge: Judge,
    judged: Mapping[str, Judged],
    part: Collection[str] | None,
    skipped: Iterable[Skipped],
    stage_order: Sequence[str],
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
    has_gold = whole.with_gold > 0  # else a corpus without gold would get the share 0 for its skipped problems
    for bad in skipped:
        if part is None or bad.id in part:
            whole.add(nothing, has_gold=has_gold)
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
        mean=share(sum(counts), len(counts)),
        median=float(median(counts)) if counts else None,
        skipped=dict(sorted(reasons.items())),
        stages=_by_stage([result.stages[0] for result in found if result.stages], stage_order),
        gold_stages=_by_stage(
            [
                result.stages[result.right.index(True)]
                for result in found
                if result.stages and result.right and any(result.right)
            ],
            stage_order,
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


def _has_power(problem: Problem) -> bool:
    return problem.gold is not None and ("^" in problem.gold or "**" in problem.gold)


def _by_stage(stages: Iterable[str], order: Sequence[str]) -> dict[str, int]:
    """Counts in the given order of stages, other stages after them by name."""
    counts = Counter(stages)
    return {name: counts[name] for name in [*order, *sorted(counts.keys() - set(order))] if name in counts}
