"""Deduplication of more lines than fit in memory, with several processes.

Equal meaning, equal key.  So lines are spread over files, the buckets, by the first digits of their keys, and each
bucket is then deduplicated by itself, with only its own keys in memory.  The classes of a bucket stay in the order of
the lines, so that merging the buckets restores the order of the input.  Worker processes compute keys for chunks of
lines.  By structure, the key is a digest of the canonical form; by value, it is the fingerprint at a secret that the
processes share, and equal fingerprints are confirmed exactly in each bucket.

Disk space: the lines and 40 bytes for each; one bucket at a time is stored twice.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory
from typing import Any

from .batches import collection_paused
from .deduping import Deduper
from .digests import key
from .equality.fingerprints import ZeroDivisor, fingerprint
from .errors import MathCanonError
from .files import AnyPath
from .processes import in_order, open_pool

__all__ = ["Class", "spilled_classes"]

_BUCKETS = 128  # files open at once; some systems allow only 256
_CHUNK = 500  # lines that are sent to a process at once

Line = tuple[int, str]  # its number and its text
Class = tuple[int, list[str]]  # the number of its first line, and its members (or only the first)
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]  # `map`, or the same in several processes


def spilled_classes(
    lines: Iterable[Line],
    bad: Callable[[int, MathCanonError], bool],
    *,
    by: str = "structure",
    members: bool = False,
    workers: int = 1,
    folder: AnyPath | None = None,
) -> Generator[Class]:
    """The classes of numbered lines in the order of their first lines: the first member of each, or all `members`.

    `bad` is called for each line that has no key, and returns whether to go on reading.  Temporary files are in a
    folder of their own below `folder` (by default the system's folder for temporary files), and are removed at the
    end, also after an exception.  To stop early, close the iterator.

    >>> list(spilled_classes(enumerate(["a+b", "a*b", "b+a"]), lambda number, error: True, members=True))
    [(0, ['a+b', 'b+a']), (1, ['a*b'])]
    """
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="mathcanon-dedupe-", dir=folder)))
        mapped: Map = partial(in_order, stack.enter_context(open_pool(workers)), workers) if workers > 1 else map
        buckets = [place / f"{i:03}" for i in range(_BUCKETS)]
        secret = token_bytes(32) if by == "value" else None
        _spread(lines, bad, partial(_keys, secret), buckets, mapped)
        kept = list(mapped(partial(_keep, by=by, members=members), buckets))
        yield from heapq.merge(*map(_read_classes, kept), key=itemgetter(0))


def _spread(
    lines: Iterable[Line],
    bad: Callable[[int, MathCanonError], bool],
    keys: Callable[[list[Line]], list[tuple[Line, str | MathCanonError]]],
    buckets: list[Path],
    mapped: Map,
) -> None:
    """Write each line with its key to its bucket."""
    chunks: Iterator[list[Line]] = iter(partial(_take, iter(lines)), [])
    with ExitStack() as stack:
        files = [stack.enter_context(open(bucket, "wb")) for bucket in buckets]
        for chunk in mapped(keys, chunks):
            for (number, line), found in chunk:
                if isinstance(found, str):
                    record = f"{found} {number} {line}\n".encode(errors="surrogateescape")
                    files[int(found[:2], 16) * _BUCKETS // 256].write(record)
                elif not bad(number, found):
                    return


def _take(lines: Iterator[Line]) -> list[Line]:
    return list(islice(lines, _CHUNK))


def _keys(secret: bytes | None, lines: list[Line]) -> list[tuple[Line, str | MathCanonError]]:
    """Each line with its key, or with the error that says why it has none."""
    return [(line, _key_or_error(line[1], secret)) for line in lines]


def _key_or_error(line: str, secret: bytes | None) -> str | MathCanonError:
    try:
        return key(line) if secret is None else f"{fingerprint(line, secret=secret) % 2**60:015x}"
    except ZeroDivisor:  # equal to those of the same structure only
        return key(line)
    except MathCanonError as error:
        return error


def _keep(bucket: Path, *, by: str, members: bool) -> Path:
    """Replace a bucket with a file of its classes."""
    classes: dict[bytes, list[tuple[int, bytes]]] = {}
    with open(bucket, "rb") as file, collection_paused():
        for record in file:
            digest, number, line = record[:-1].split(b" ", 2)
            if members or by == "value":
                classes.setdefault(digest, []).append((int(number), line))
            elif digest not in classes:
                classes[digest] = [(int(number), line)]
    bucket.unlink()
    kept = bucket.with_suffix(".kept")
    with open(kept, "w", encoding="ascii") as out:
        out.writelines([json.dumps(found) + "\n" for found in _confirmed(classes.values(), by, members)])
    return kept


def _confirmed(classes: Iterable[list[tuple[int, bytes]]], by: str, members: bool) -> Iterator[Class]:
    """Classes of equal keys as classes of equal meaning, in the order of their first lines."""
    found = []
    for numbered in classes:
        lines = [line.decode(errors="surrogateescape") for _, line in numbered]
        if by == "structure" or len(lines) == 1:
            found.append((numbered[0][0], lines))
            continue
        seen = Deduper(lines, by="value")
        first = {line: number for (number, _), line in zip(reversed(numbered), reversed(lines))}
        found += [(first[group[0]], group if members else group[:1]) for group in seen.groups()]
    return iter(sorted(found))


def _read_classes(kept: Path) -> Iterator[Class]:
    with open(kept, encoding="ascii") as file:
        for record in file:
            number, members = json.loads(record)
            yield number, members
