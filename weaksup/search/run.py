"""A whole corpus -> `candidates.jsonl`, in parts that outlast an interruption.

Finished shards go to the folder `candidates.jsonl.parts/`, each whole or not at all, named by its number and by the
digest of settings and input.  A search that was interrupted or killed takes up the parts that are there; with other
settings that is an error.  At the end the parts are joined, the sidecar is written and the folder removed.
The result does not depend on the engine, the number of workers or the number of interruptions.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ..corpora import Corpus
from ..errors import ConfigError, DataError
from ..files import (
    AnyPath,
    RunInfo,
    check_same_run,
    digest_file,
    read_run_info,
    run_info_path,
    versions,
    whole_file,
    write_run_info,
)
from ..records import Problem
from .executors import Engine, search_shards
from .plans import Plan

__all__ = ["SHARD", "parts_folder", "run_search"]

SHARD = 512  # problems: enough to fill batches, few enough to lose little

Progress = Callable[[int, int], None]  # problems done, problems in all

_OURS = re.compile(r"\d{6}-[0-9a-f]{16}\.jsonl|run\.json|\..+\.tmp")
_ADVICE = "Choose another output, or overwrite it (--overwrite)"


def run_search(
    corpus: Corpus,
    plan: Plan,
    out: AnyPath,
    *,
    workers: int = 1,
    engine: Engine = "local",
    scheduler: str | None = None,
    limit: int | None = None,
    options: Mapping[str, Any] | None = None,
    source: AnyPath | None = None,
    shard: int = SHARD,
    overwrite: bool = False,
    advice: str = _ADVICE,
    progress: Progress | None = None,
) -> RunInfo:
    """How `out` was made: the candidates of every problem, in the order of the corpus, and its sidecar.

    `options` and `source` (its path) are what the corpus was read with; they are recorded.  A finished file of the same
    settings is left as it is, one of other settings is a `ConfigError`, which ends with `advice`, unless `overwrite`
    says to replace it.
    """
    path = Path(os.path.realpath(out))
    if os.path.exists(out) and not os.path.isfile(out):
        raise ConfigError(f"{out} is not a file: a search keeps its parts beside its output")
    if not path.parent.is_dir():
        raise ConfigError(f"{out}: there is no folder {path.parent}")
    parts = parts_folder(path)
    config = {
        "corpus": {"name": corpus.name, **(options or {})},
        "plan": plan,
        "limit": limit,
        "shard": shard,
    }
    run = RunInfo(
        schema="weaksup/candidates",
        config=msgspec.json.decode(msgspec.json.encode(config)),  # as it is read again
        input=_digest_input(corpus.problems),
        seed=(options or {}).get("seed"),
        versions=versions(),
        source=None if source is None else os.fspath(source),
    )
    begun = read_run_info(parts / "run.json") if any(parts.glob("*.jsonl")) else None
    if begun is not None and not overwrite:
        check_same_run(begun, run, what=f"what is begun in {parts}", advice=advice)
    elif begun is None and not overwrite and (finished := _finished(path, out, run, advice)):
        if parts.is_dir():  # killed while it cleared up
            with _one_at_a_time(parts):
                _remove_parts(parts)
            _remove_folder(parts)
        return finished
    parts.mkdir(exist_ok=True)
    with _one_at_a_time(parts):
        if begun is None or not _is_same(begun, run):
            _remove_parts(parts)
            write_run_info(parts / "run.json", run)
        shards = dict(enumerate(corpus.problems[i : i + shard] for i in range(0, len(corpus.problems), shard)))
        files = {number: parts / f"{number:06d}-{_digest_run(run)}.jsonl" for number in shards}
        _search_missing(shards, files, plan, limit, engine, workers, scheduler, progress)
        done = _joined(path, [files[number] for number in shards], run, skipped=len(corpus.skipped))
        _remove_parts(parts)
    _remove_folder(parts)
    return done


def parts_folder(out: AnyPath) -> Path:
    """Where finished shards wait for the others."""
    return Path(out).with_name(Path(out).name + ".parts")


def _search_missing(
    shards: Mapping[int, Sequence[Problem]],
    files: Mapping[int, Path],
    plan: Plan,
    limit: int | None,
    engine: Engine,
    workers: int,
    scheduler: str | None,
    progress: Progress | None,
) -> None:
    missing = {number: some for number, some in shards.items() if not _is_whole(files[number], len(some))}
    total = sum(map(len, shards.values()))
    done = total - sum(map(len, missing.values()))
    if progress:
        progress(done, total)
    some_workers = min(workers, max(1, len(missing)))
    found = search_shards(missing, plan, limit=limit, engine=engine, workers=some_workers, scheduler=scheduler)
    with closing(found):  # an interruption here ends the workers too
        for number, lines in found:
            with whole_file(files[number]) as file:
                file.write(lines)
            done += len(shards[number])
            if progress:
                progress(done, total)


def _joined(path: Path, files: Sequence[Path], run: RunInfo, *, skipped: int) -> RunInfo:
    """Join the parts to the file and write its sidecar."""
    decoder = msgspec.json.Decoder(_Counted)
    sizes: list[int] = []
    digest = hashlib.sha256()
    # By way of the folder of the parts, so that a kill leaves nothing elsewhere.
    with whole_file(path, by_way_of=files[0].parent if files else None) as file:
        for part in files:
            lines = part.read_bytes()
            digest.update(lines)
            file.write(lines)
            try:
                sizes += [len(decoder.decode(line).candidates) for line in lines.splitlines()]
            except msgspec.DecodeError as error:
                raise DataError(f"damaged, delete it and search again: {error}", path=str(part)) from error
    counts = {
        "problems": len(sizes),
        "skipped": skipped,
        "covered": sum(size > 0 for size in sizes),
        "single": sum(size == 1 for size in sizes),
        "candidates": sum(sizes),
        "largest": max(sizes, default=0),
    }
    done = msgspec.structs.replace(run, output=digest.hexdigest(), counts=counts)
    write_run_info(run_info_path(path), done)
    return done


class _Counted(msgspec.Struct):
    candidates: list[msgspec.Raw] = []


def _finished(path: Path, out: AnyPath, run: RunInfo, advice: str) -> RunInfo | None:
    """The run that made the file, if it is this one and the file is as it left it."""
    if not path.is_file():
        return None
    old = read_run_info(run_info_path(path))
    if old is None:
        raise ConfigError(f"{out} is there already, and no search made it. {advice}")
    check_same_run(old, run, what=str(out), advice=advice)
    if digest_file(path) != old.output:
        raise ConfigError(f"{out} was changed since the search that made it: remove it to search again")
    return old


def _is_same(old: RunInfo, new: RunInfo) -> bool:
    try:
        check_same_run(old, new, what="", advice="")
    except ConfigError:
        return False
    return True


def _digest_input(problems: Sequence[Problem]) -> str:
    """Of what the search reads: neither text nor gold."""
    digest = hashlib.sha256()
    for problem in problems:
        quantities = [(quantity.value, quantity.surface) for quantity in problem.quantities]
        digest.update(msgspec.json.encode((problem.id, quantities, problem.answer)))
    return digest.hexdigest()


def _digest_run(run: RunInfo) -> str:
    decisive = (run.schema, run.version, run.config, run.input, run.versions["mathcanon"])
    return hashlib.sha256(msgspec.json.encode(decisive, order="deterministic")).hexdigest()[:16]


@contextmanager
def _one_at_a_time(parts: Path) -> Iterator[None]:
    """Refuse a second search with the same output, where the file system has locks."""
    with open(parts / "lock", "wb") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(f"another search is at work in {parts}") from error
        except (ImportError, OSError):
            pass
        yield


def _is_whole(part: Path, problems: int) -> bool:
    return part.is_file() and part.read_bytes().count(b"\n") == problems


def _remove_parts(folder: Path) -> None:
    """Empty the folder of what a search leaves there, and of nothing else.

    `run.json` goes first: what is left without it, if this is cut short, is not taken for begun.
    """
    found = sorted((path for path in folder.iterdir() if path.name != "lock"), key=lambda path: path.name != "run.json")
    strange = [path.name for path in found if not _OURS.fullmatch(path.name)]
    if strange:
        raise ConfigError(f"{folder} holds {strange[0]}, which is not of a search: move it away")
    for path in found:
        path.unlink()


def _remove_folder(parts: Path) -> None:
    (parts / "lock").unlink()
    parts.rmdir()
