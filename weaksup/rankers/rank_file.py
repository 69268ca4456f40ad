"""A candidate file -> a label file with its sidecar, by one of the rankers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from mathcanon.files import AnyPath

from ..errors import DataError
from ..meaning.writing import needed_quantities
from ..records import CandidateSet, Label, Problem
from ..search.batch import search_problems
from ..search.budget import DEFAULT_MEMORY
from ..search.plans import Plan
from ..storage.json_files import write_json
from ..storage.json_lines import read_records, write_records
from ..storage.provenance import RunInfo, check_output, read_run_info, run_info_path, versions
from ..storage.whole_files import digest_file
from .drafts import Draft, TrainDraft
from .table import (
    check_needs,
    check_prior,
    check_rounds,
    check_words,
    rank_candidates,
    rank_with_draft,
    rank_with_trained_drafts,
    rank_with_words,
)

if TYPE_CHECKING:
    from .words import Search

__all__ = ["count_changed", "rank_file", "rank_file_by_rounds", "write_label_info"]

_SCHEMA = "weaksup/labels"


def rank_file(
    candidates: AnyPath,
    out: AnyPath,
    *,
    ranker: str = "em",
    seed: int = 0,
    prior: str | None = None,
    draft: Draft | None = None,
    words: bool = False,
    decoys: bool = False,
    problems: Iterable[Problem] = (),
    settings: Mapping[str, Any] | None = None,
    inputs: Iterable[AnyPath] = (),
    force: bool = False,
) -> tuple[RunInfo, list[Label]]:
    """Rank the candidates of a file, write the labels to `out`, and return the record of the run and the labels.

    Parameters
    ----------
    candidates
        A candidate file.
    out
        The label file to write.  Labels of the same corpus are replaced; anything else only with `force`.
    ranker
        One of `RANKERS`.
    seed
        For rankers that draw at random.
    prior
        "shipped", "none" or the path of a prior table.  None is the default of the ranker.
    draft
        For rankers that use one; it reads the texts of `problems`.
    words
        The ranker reads these texts itself, without a draft.
    decoys
        With `words`: search for wrong answers too, and calibrate the posteriors by them (`decoys.py`).
    problems
        The problems of the candidates, if texts are read.
    settings
        What describes the draft, for the sidecar.
    inputs
        Other files that were read; they and `candidates` are never replaced.
    force
        Replace whatever `out` holds.

    Returns
    -------
    tuple
        The record of the run, which is in the sidecar of `out`, and the labels.

    Raises
    ------
    OverwriteError, ConfigError
        If `out` may not be replaced.
    DataError
        If the candidates are damaged or don't belong to the problems.
    """
    if words:
        check_words(ranker)
    else:
        check_needs(ranker, draft=draft is not None)
    check_prior(ranker, prior)
    check_output(out, inputs=[candidates, *inputs], force=force, schema=_SCHEMA)
    sets = list(_read_sets(candidates))
    by_id = _by_id(problems)
    if draft is not None or words:
        _check_problems(sets, by_id)
    if draft is not None:
        labels = rank_with_draft(ranker, sets, by_id, draft, prior=prior)
    elif words:
        labels = rank_with_words(ranker, sets, by_id, prior=prior, search=_same_search(candidates) if decoys else None)
    else:
        labels = rank_candidates(ranker, sets, seed=seed, prior=prior)
    read = {name: True for name, given in (("words", words), ("decoys", decoys)) if given}
    made = {"ranker": ranker, **read, **_prior_settings(prior), **(settings or {})}
    return _write_labels(candidates, out, sets, labels, seed=seed, settings=made)


def rank_file_by_rounds(
    candidates: AnyPath,
    out: AnyPath,
    train_draft: TrainDraft,
    *,
    ranker: str,
    rounds: int,
    train: Iterable[Problem],
    valid: Iterable[Problem],
    unseen: AnyPath | None = None,
    seed: int = 0,
    prior: str | None = None,
    settings: Mapping[str, Any] | None = None,
    inputs: Iterable[AnyPath] = (),
    force: bool = False,
) -> tuple[RunInfo, list[Label]]:
    """Like `rank_file`, for the problems of the train part, by a ranker whose drafts are trained first.

    Parameters
    ----------
    candidates
        A candidate file.
    out
        The label file to write.  Labels of the same corpus are replaced; anything else only with `force`.
    train_draft
        Called with lessons; returns a trained draft.
    ranker, seed, prior
        As for `rank_file`.
    rounds
        The number of drafts.
    train
        The problems that are labelled.
    valid
        Problems that no draft is trained on; their candidates come from `candidates` and `unseen`.
    unseen
        A second candidate file.
    settings
        What describes the draft, for the sidecar.
    inputs
        Other files that were read; they and `candidates` are never replaced.
    force
        Replace whatever `out` holds.

    Returns
    -------
    tuple
        The record of the run, which is in the sidecar of `out`, and the labels.

    Raises
    ------
    OverwriteError, ConfigError
        If `out` may not be replaced.
    DataError
        If the candidates are damaged or don't belong to the problems.
    """
    check_rounds(ranker, rounds)
    check_prior(ranker, prior)
    check_output(out, inputs=[candidates, *inputs, *([] if unseen is None else [unseen])], force=force, schema=_SCHEMA)
    given = list(_read_sets(candidates))
    more = [] if unseen is None else list(_read_sets(unseen))
    seen, kept_out = _by_id(train), _by_id(valid)
    sets = [found for found in given if found.id in seen]
    if given and not sets:
        raise DataError(f"{os.fspath(candidates)} has no problem of the train part: do corpus and split belong to it?")
    labels = rank_with_trained_drafts(
        ranker,
        sets,
        seen | kept_out,
        train_draft,
        seed=seed,
        rounds=rounds,
        unseen=list({found.id: found for found in [*given, *more] if found.id in kept_out}.values()),
        prior=prior,
    )
    made = {"ranker": ranker, "rounds": rounds, **_prior_settings(prior), **(settings or {})}
    return _write_labels(candidates, out, sets, labels, seed=seed, settings=made)


def _same_search(candidates: AnyPath) -> Search:
    """The search that made a file of candidates, by its sidecar; raises `DataError` without one."""
    info = read_run_info(run_info_path(candidates))
    if info is None or "plan" not in info.config:
        raise DataError("wrong answers can't be searched for without the record of the search", path=str(candidates))
    plan = msgspec.convert(info.config["plan"], Plan)
    limit, memory = info.config.get("limit"), info.config.get("memory", DEFAULT_MEMORY)
    return lambda problems: search_problems(problems, plan, limit=limit, memory=memory)


def _prior_settings(prior: str | None) -> dict[str, str]:
    """What the sidecar says of a prior that was given."""
    return {} if prior is None else {"prior": prior}


def _write_labels(
    candidates: AnyPath,
    out: AnyPath,
    sets: Sequence[CandidateSet],
    made: Iterable[Label],
    *,
    seed: int,
    settings: Mapping[str, Any],
) -> tuple[RunInfo, list[Label]]:
    labels = list(made)
    write_records(out, labels)
    counts = {"problems": len(sets), "labels": len(labels)}
    return write_label_info(candidates, out, seed=seed, settings=settings, **counts), labels


def _by_id(problems: Iterable[Problem]) -> dict[str, Problem]:
    """The problems by id, without their gold, which a draft must not read."""
    return {problem.id: problem.without_gold() for problem in problems}


def _check_problems(sets: Iterable[CandidateSet], problems: Mapping[str, Problem]) -> None:
    if missing := [found.id for found in sets if found.id not in problems]:
        raise DataError(f"the corpus has no problem {missing[0]}: do candidates and corpus belong together?")


def write_label_info(
    candidates: AnyPath, out: AnyPath, *, seed: int, settings: Mapping[str, Any], **counts: int
) -> RunInfo:
    """Write the sidecar of the label file `out`, and return it; the corpus is that of the candidates."""
    searched = read_run_info(run_info_path(candidates))
    made = RunInfo(
        schema=_SCHEMA,
        config={"corpus": searched.config.get("corpus") if searched else None, **settings},
        input=digest_file(candidates),
        seed=seed,
        versions=versions(),
        output=digest_file(out),
        source=searched.source if searched else None,
        counts=counts,
    )
    write_json(run_info_path(out), made)
    return made


def count_changed(candidates: AnyPath, labels: Iterable[Label], *, prior: str | None = None) -> int:
    """The number of labels that differ from those of `em` without drafts."""
    plain = {label.id: label.expr for label in rank_candidates("em", _read_sets(candidates), prior=prior)}
    return sum(plain.get(label.id) != label.expr for label in labels)


def _read_sets(path: AnyPath) -> Iterator[CandidateSet]:
    """Yield the candidate sets of a file; raises `DataError` for one that no search can have written."""
    for found in read_records(path, CandidateSet):
        for candidate in found.candidates:
            if needed_quantities(candidate.expr) > len(found.values):
                message = f"problem {found.id}: {candidate.expr!r} is not an expression over its quantities"
                raise DataError(message, path=os.fspath(path))
        if len(found.surfaces) != len(found.values):
            raise DataError(f"problem {found.id}: there must be as many values as surfaces", path=os.fspath(path))
        yield found
