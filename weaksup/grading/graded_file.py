"""Graded records in a file, of which no record is graded twice.

While it is not finished, `graded.jsonl.parts` holds the records so far and the settings.  The same command goes on from
there; other settings or another input are an error.  At the end the file gets its name and a sidecar, and the folder
goes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from mathcanon.files import whole_file

from ..errors import ConfigError
from ..storage.claims import check_same
from ..storage.folder_lock import lock_folder
from ..storage.json_files import write_json
from ..storage.json_lines import numbered_lines
from ..storage.provenance import RunInfo, read_run_info, run_info_path, versions
from ..storage.whole_files import digest_file
from .graded_records import GradedRecord, GradeOptions

__all__ = ["grade_to_file", "grading_run", "unfinished_folder"]

_ADVICE = "Choose another output, or start again (--force)"
_RUN, _RECORDS = "run.json", "records.jsonl"


def grading_run(lines: Iterable[tuple[int, str]], options: GradeOptions) -> tuple[RunInfo, int]:
    """What decides over the result of grading these lines, and how many they are."""
    digest, total = hashlib.sha256(), 0
    for _, line in lines:
        digest.update(line.encode(errors="surrogatepass") + b"\n")
        total += 1
    run = RunInfo(schema="mathcanon/grades", config=options.to_dict(), input=digest.hexdigest(), versions=versions())
    return run, total


def unfinished_folder(out: Path) -> Path:
    """Where the records wait until all are graded."""
    return out.with_name(out.name + ".parts")


def grade_to_file(
    out: Path,
    run: RunInfo,
    grade_from: Callable[[int], Iterator[GradedRecord]],
    *,
    force: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[GradedRecord]:
    """Every graded record in order; when all have been taken, they are in `out`.

    `grade_from(n)` grades the records after the first n.  Records that an interrupted run of the same settings left are
    not graded again, and a finished file of the same settings is only read.  `progress` gets the number of records
    done, at first of those done before; it is not called if all were.
    """
    path = Path(os.path.realpath(out))
    parts = unfinished_folder(path)
    begun = read_run_info(parts / _RUN)
    if not force:
        if begun is not None:
            check_same(begun.decisive, run.decisive, what=f"what is begun in {parts}", advice=_ADVICE)
        elif path.exists() and path.stat().st_size:
            _check_finished(path, run)
            yield from _read(path)
            return
    with lock_folder(parts):
        if force or begun is None:
            (parts / _RECORDS).unlink(missing_ok=True)
            write_json(parts / _RUN, run)
        yield from _go_on(parts / _RECORDS, grade_from, progress)
        _finish(parts, path, run)
    with suppress(OSError):  # somebody else is there already
        parts.rmdir()


def _check_finished(path: Path, run: RunInfo) -> None:
    made = read_run_info(run_info_path(path))
    if made is None:
        raise ConfigError(f"{path} already exists, and does not hold grades. {_ADVICE}")
    check_same(made.decisive, run.decisive, what=str(path), advice=_ADVICE)
    if digest_file(path) != made.output:
        raise ConfigError(f"{path} was changed since it was graded. {_ADVICE}")


def _go_on(
    records: Path, grade_from: Callable[[int], Iterator[GradedRecord]], progress: Callable[[int], None]
) -> Iterator[GradedRecord]:
    done = 0
    with open(records, "ab+") as file:
        _cut_unfinished_line(records)
        for record in _read(records):
            done += 1
            yield record
        progress(done)
        for record in grade_from(done):
            # What UTF-8 can't encode becomes an escape, which JSON reads as the same.
            file.write(json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n")
            done += 1
            progress(done)
            yield record


def _cut_unfinished_line(records: Path) -> None:
    with open(records, "rb+") as file:
        file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))


def _read(path: Path) -> Iterator[GradedRecord]:
    return (json.loads(line) for _, line in numbered_lines(path))


def _finish(parts: Path, path: Path, run: RunInfo) -> None:
    digest = hashlib.sha256()
    with open(parts / _RECORDS, "rb") as records, whole_file(path, by_way_of=parts) as file:
        while block := records.read(1 << 20):
            digest.update(block)
            file.write(block)
    write_json(run_info_path(path), msgspec.structs.replace(run, output=digest.hexdigest()))
    (parts / _RUN).unlink()
    (parts / _RECORDS).unlink()
