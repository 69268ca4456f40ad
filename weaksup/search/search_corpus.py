"""A whole corpus -> `candidates.jsonl`, in shards, so that an interrupted search can be resumed.

Finished shards are written atomically to the folder `candidates.jsonl.parts/`, named by their number and by a digest of
settings and input.  A search that was interrupted or killed resumes with the shards that are there; with other settings
that is an error.  At the end the shards are joined, the sidecar is written and the folder is removed.  The result does
not depend on the engine, the number of workers or the number of interruptions.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from mathcanon.batches import collection_paused
from mathcanon.files import AnyPath, whole_file

from ..corpora import Corpus
from ..errors import ConfigError, DataError, WeakSupError
from ..records import Limited, Problem
from ..storage.claims import check_same, differences
from ..storage.folder_lock import LOCK, lock_folder
from ..storage.json_files import write_json
from ..storage.json_lines import read_records
from ..storage.provenance import RunInfo, check_output, read_run_info, run_info_path, versions
from ..storage.whole_files import digest_file
from ..watching import Progress
from .budget import DEFAULT_MEMORY
from .executors import Engine, search_shards
from .plans import Plan

__all__ = ["SHARD", "limited_problems", "parts_folder", "run_search"]

SHARD = 512  # problems per shard: enough to fill batches, few enough that an interruption loses little


_SCHEMA = "weaksup/candidates"
_OURS = re.compile(r"\d{6}-[0-9a-f]{16}\.jsonl|run\.json|\..+\.tmp|lock")
_ADVICE = "Choose another output, or replace it (--force)"


def run_search(
    corpus: Corpus,
    plan: Plan,
    out: AnyPath,
    *,
    workers: int = 1,
    engine: Engine = "local",
    scheduler: str | None = None,
    limit: int | None = None,
    memory: int = DEFAULT_MEMORY,
    strict: bool = False,
    options: Mapping[str, Any] | None = None,
    source: AnyPath | None = None,
    shard: int = SHARD,
    overwrite: bool = False,
    advice: str = _ADVICE,
    progress: Progress | None = None,
) -> RunInfo:
    """Write the candidates of every problem, in the order of the corpus, to `out`, and return its sidecar.

    A finished file with the same settings is left as it is, and an interrupted search is resumed.

    Parameters
    ----------
    corpus
        The problems.
    plan
        What may be combined, see `load_plan`.
    out
        The file to write.
    workers, engine, scheduler
        Processes on this machine ("local") or on a Dask cluster ("dask"); the bytes of the file do not depend on them.
    limit
        The most candidates to keep for a problem, simplest first.
    memory
        A stage that needs more than this many bytes for a problem is left out for this problem (see `search_problems`);
        `limited_problems` lists such problems.
    strict
        Raise for the first problem that meets a limit.
    options, source
        How the corpus was read, and its path, for the sidecar.
    shard
        The number of problems that are searched and stored together.
    overwrite
        Replace a file that was made with other settings.
    advice
        The end of the message if such a file may not be replaced.
    progress
        Called with the number of problems done and the total.

    Returns
    -------
    RunInfo
        The settings, versions, digests and counts in the sidecar.

    Raises
    ------
    ConfigError
        If `out` was made with other settings and `overwrite` is not set.
    WeakSupError
        If a problem meets a limit and `strict` is set.

    Notes
    -----
    The cost is that of `search_problems`; memory does not grow with the corpus.
    """
    path = Path(os.path.realpath(out))
    if os.path.exists(out) and not os.path.isfile(out):
        raise ConfigError(f"{out} is not a regular file: a search keeps its parts beside its output")
    if not path.parent.is_dir():
        raise ConfigError(f"{out}: the folder {path.parent} does not exist")
    for file in (out, run_info_path(path)):
        check_output(file, inputs=corpus.paths, force=True)  # `_finished` checks what may be replaced
    parts = parts_folder(path)
    config = {
        "corpus": {"name": corpus.name, **(options or {})},
        "plan": plan,
        "limit": limit,
        "memory": memory,
        "shard": shard,
    }
    run = RunInfo(
        schema=_SCHEMA,
        config=msgspec.json.decode(msgspec.json.encode(config)),  # as it will be read back
        input=_digest_input(corpus.problems),
        seed=(options or {}).get("seed"),
        versions=versions(),
        source=None if source is None else os.fspath(source),
    )
    begun = read_run_info(parts / "run.json") if any(parts.glob("*.jsonl")) else None
    if begun is not None and not overwrite:
        check_same(begun.decisive, run.decisive, what=f"the unfinished search in {parts}", advice=advice)
    elif begun is None and not overwrite and (finished := _finished(path, out, run, advice)):
        if parts.is_dir():  # the search was killed while it removed them
            with _parts_held(parts):
                _remove_parts(parts)
        _check_limits(path, finished, strict=strict)
        return finished
    with _parts_held(parts):
        if begun is None or any(differences(begun.decisive, run.decisive)):
            _remove_parts(parts)
            write_json(parts / "run.json", run)
        shards = dict(enumerate(corpus.problems[i : i + shard] for i in range(0, len(corpus.problems), shard)))
        files = {number: parts / f"{number:06d}-{_digest_run(run)}.jsonl" for number in shards}
        work = partial(
            search_shards,
            plan=plan,
            limit=limit,
            memory=memory,
            strict=strict,
            engine=engine,
            scheduler=scheduler,
        )
        _search_missing(shards, files, work, workers, progress)
        done = _joined(path, [files[number] for number in shards], run, skipped=len(corpus.skipped))
        _remove_parts(parts)
    _check_limits(path, done, strict=strict)
    return done


def limited_problems(path: AnyPath) -> dict[str, tuple[Limited, ...]]:
    """The problems in a candidate file for which a stage met a limit, by id, with these stages."""
    return {found.id: found.limits for found in read_records(path, _Counted) if found.limits}


def _check_limits(path: Path, made: RunInfo, *, strict: bool) -> None:
    """With `strict`, refuse a file in which a stage of a problem is missing; a resumed part may have such a problem."""
    if strict and made.counts.get("limited"):
        id, limits = next(iter(limited_problems(path).items()))
        raise WeakSupError(f"problem {id}: stage {limits[0].stage} met a limit ({limits[0].reason})")


def parts_folder(out: AnyPath) -> Path:
    """The folder for the finished shards of a search with this output."""
    return Path(out).with_name(Path(out).name + ".parts")


def _search_missing(
    shards: Mapping[int, Sequence[Problem]],
    files: Mapping[int, Path],
    search: Callable[..., Generator[tuple[int, bytes], None, None]],
    workers: int,
    progress: Progress | None,
) -> None:
    missing = {number: some for number, some in shards.items() if not _is_whole(files[number], len(some))}
    total = sum(map(len, shards.values()))
    done = total - sum(map(len, missing.values()))
    if progress:
        progress(done, total)
    found = search(missing, workers=min(workers, max(1, len(missing))))
    # Closed, so that an interruption here ends the workers too; paused, because a search here remembers many objects.
    with closing(found), collection_paused():
        for number, lines in found:
            with whole_file(files[number]) as file:
                file.write(lines)
            done += len(shards[number])
            if progress:
                progress(done, total)


def _joined(path: Path, files: Sequence[Path], run: RunInfo, *, skipped: int) -> RunInfo:
    """Concatenate the parts to the output file, and write its sidecar."""
    decoder = msgspec.json.Decoder(_Counted)
    sizes: list[int] = []
    limited = 0
    digest = hashlib.sha256()
    # The temporary file is in the folder of the parts, so that a killed process leaves nothing elsewhere.
    with whole_file(path, by_way_of=files[0].parent if files else None) as file:
        for part in files:
            lines = part.read_bytes()
            digest.update(lines)
            file.write(lines)
            try:
                found = [decoder.decode(line) for line in lines.splitlines()]
            except msgspec.DecodeError as error:
                raise DataError(f"damaged; delete it and search again: {error}", path=str(part)) from error
            sizes += [len(one.candidates) for one in found]
            limited += sum([bool(one.limits) for one in found])
    counts = {
        "problems": len(sizes),
        "skipped": skipped,
        "covered": sum(size > 0 for size in sizes),
        "single": sum(size == 1 for size in sizes),
        "candidates": sum(sizes),
        "largest": max(sizes, default=0),
        "limited": limited,
    }
    done = msgspec.structs.replace(run, output=digest.hexdigest(), counts=counts)
    write_json(run_info_path(path), done)
    return done


class _Counted(msgspec.Struct):
    """What the counts need to know of a candidate set."""

    id: str
    candidates: list[msgspec.Raw] = []
    limits: tuple[Limited, ...] = ()


def _finished(path: Path, out: AnyPath, run: RunInfo, advice: str) -> RunInfo | None:
    """The sidecar of a finished file with the same settings; None if there is no file."""
    if not path.is_file():
        return None
    old = read_run_info(run_info_path(path))
    if old is None:
        raise ConfigError(f"{out} already exists, and was not made by a search. {advice}")
    check_same(old.decisive, run.decisive, what=str(out), advice=advice)
    if digest_file(path) != old.output:
        raise ConfigError(f"{out} was changed after the search: delete it to search again")
    return old


def _digest_input(problems: Sequence[Problem]) -> str:
    """The digest of what the search reads of the problems: no text, no gold."""
    digest = hashlib.sha256()
    for problem in problems:
        quantities = [
            (quantity.value, quantity.surface, quantity.implied)
            if quantity.implied
            else (quantity.value, quantity.surface)
            for quantity in problem.quantities
        ]
        digest.update(msgspec.json.encode((problem.id, quantities, problem.answer)))
    return digest.hexdigest()


def _digest_run(run: RunInfo) -> str:
    decisive = (run.schema, run.version, run.config, run.input, run.versions["mathcanon"])
    return hashlib.sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()[:16]


@contextmanager
def _parts_held(parts: Path) -> Iterator[None]:
    """Lock the folder against a second search with the same output, and remove it at the end if it is empty."""
    with lock_folder(parts):
        yield
    with suppress(OSError):  # it is not empty, or another search uses it already
        parts.rmdir()


def _is_whole(part: Path, problems: int) -> bool:
    return part.is_file() and part.read_bytes().count(b"\n") == problems


def _remove_parts(folder: Path) -> None:
    """Delete the files of a search in the folder; `ConfigError` if it has any other file.

    `run.json` goes first: parts without it, which an interruption here may leave, are not resumed.
    """
    found = sorted((path for path in folder.iterdir() if path.name != LOCK), key=lambda path: path.name != "run.json")
    strange = [path.name for path in found if not _OURS.fullmatch(path.name)]
    if strange:
        raise ConfigError(f"{folder} holds {strange[0]}, which does not belong to a search: move it away")
    for path in found:
        path.unlink()
