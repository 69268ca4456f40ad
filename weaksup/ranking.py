"""A file of candidates -> a file of labels with its sidecar, by one of the rankers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .errors import ConfigError, DataError
from .files import (
    AnyPath,
    RunInfo,
    digest_file,
    read_records,
    read_run_info,
    run_info_path,
    versions,
    write_records,
    write_run_info,
)
from .labels import needed_quantities
from .rankers import DRAFT_RANKERS, RANKERS, rank_em
from .rankers.draft import Draft
from .records import CandidateSet, Label, Problem

__all__ = ["count_changed", "rank_file", "write_label_info"]

_EXACT = re.compile(r"-?\d+(/[1-9]\d*)?", re.ASCII)


def rank_file(
    candidates: AnyPath,
    out: AnyPath,
    *,
    ranker: str = "em",
    seed: int = 0,
    draft: Draft | None = None,
    problems: Iterable[Problem] = (),
    settings: Mapping[str, Any] | None = None,
) -> tuple[RunInfo, list[Label]]:
    """How `out` was made, and the labels in it.  The sidecar names the corpus that the candidates were searched for.

    With a `draft`, which reads the texts of `problems`, its rankers are to be had; `settings` say what it is.
    """
    table = RANKERS if draft is None else DRAFT_RANKERS
    if ranker not in RANKERS and ranker not in DRAFT_RANKERS:
        raise ConfigError(f"unknown ranker {ranker!r}; one of {', '.join({**RANKERS, **DRAFT_RANKERS})}")
    if ranker not in table:
        raise ConfigError(
            f"ranker {ranker} " + ("needs a draft model (--model or --scorer)" if draft is None else "asks no model")
        )
    if os.path.realpath(out) == os.path.realpath(candidates):
        raise ConfigError(f"{out}: the labels would take the place of the candidates")
    sets = list(_read_sets(candidates))
    if draft is None:
        labels = list(RANKERS[ranker](sets, seed=seed))
    else:
        by_id = {problem.id: problem.without_gold() for problem in problems}
        if missing := [found.id for found in sets if found.id not in by_id]:
            raise DataError(f"the corpus has no problem {missing[0]}: do candidates and corpus belong together?")
        labels = list(DRAFT_RANKERS[ranker](sets, by_id, draft))
    write_records(out, labels)
    counts = {"problems": len(sets), "labels": len(labels)}
    return write_label_info(
        candidates, out, seed=seed, settings={"ranker": ranker, **(settings or {})}, **counts
    ), labels


def write_label_info(
    candidates: AnyPath, out: AnyPath, *, seed: int, settings: Mapping[str, Any], **counts: int
) -> RunInfo:
    """How the labels `out` were made, written beside them: the corpus is that of the candidates."""
    searched = read_run_info(run_info_path(candidates))
    made = RunInfo(
        schema="weaksup/labels",
        config={"corpus": searched.config.get("corpus") if searched else None, **settings},
        input=digest_file(candidates),
        seed=seed,
        versions=versions(),
        output=digest_file(out),
        source=searched.source if searched else None,
        counts=counts,
    )
    write_run_info(run_info_path(out), made)
    return made


def count_changed(candidates: AnyPath, labels: Iterable[Label]) -> int:
    """How many labels are other than the text-free pick."""
    plain = {label.id: label.expr for label in rank_em(_read_sets(candidates))}
    return sum(plain.get(label.id) != label.expr for label in labels)


def _read_sets(path: AnyPath) -> Iterator[CandidateSet]:
    """The candidate sets of a file; one that no search can have written is a `DataError`."""
    for found in read_records(path, CandidateSet):
        for candidate in found.candidates:
            if needed_quantities(candidate.expr) > len(found.values):
                message = f"problem {found.id}: {candidate.expr!r} is not over its quantities"
                raise DataError(message, path=os.fspath(path))
        if len(found.surfaces) != len(found.values) or not all(map(_EXACT.fullmatch, found.values)):
            raise DataError(
                f"problem {found.id}: values and surfaces are not those of quantities", path=os.fspath(path)
            )
        yield found
