"""What is known of a run, its figures and how it was made: from its folder, or from a record where the folder is gone.

A record is RESULTS/records/RUN.json, beside the tables.  Writing a table writes the records of its runs that are there.
A run is read from one place only, the folder or the record: what is whole there replaces the record, what is there in
part replaces a record with fewer steps done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from weaksup.errors import DataError

from .figures import Figures, figures_of
from .folders import RunFacts, read, run_facts, write
from .place import Place

__all__ = ["Records", "RunRecord", "known_run", "read_record"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run with one seed."""

    facts: RunFacts
    figures: Figures
    recorded: bool = False  # whether it was read from a record


#: Every run of a table by its name, with each seed; a run that no seed changes stands once.
Records = Mapping[str, Sequence[RunRecord]]


def known_run(place: Place, run: str, results: Path, *, fresh: bool = False) -> RunRecord:
    """A run as it is there, else as it was recorded; `fresh` takes nothing recorded.

    A run that is there and replaces its record is recorded now.
    """
    here = RunRecord(facts=run_facts(place, run), figures=figures_of(place, run))
    path = _path(results, here.facts)
    recorded = read_record(results, here.facts)
    if recorded is None or _replaces(here.facts, recorded.facts):
        if here.figures:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, here)
        return here
    return here if fresh else recorded


def _path(results: Path, facts: RunFacts) -> Path:
    return results / "records" / f"{facts.name}.json"


def read_record(results: Path, expected: RunFacts) -> RunRecord | None:
    """The record of the run and seed that facts are expected of; None without one."""
    path = _path(results, expected)
    found = read(path, RunRecord)
    if found is None:
        return None
    named, wanted = [f"run {facts.run} with seed {facts.seed}" for facts in (found.facts, expected)]
    if named != wanted:
        raise DataError(f"the record of {named}, not of {wanted}", path=str(path))
    return msgspec.structs.replace(found, recorded=True)


def _replaces(here: RunFacts, recorded: RunFacts) -> bool:
    return here.state == "done" or here.done > recorded.done
