"""Corpora: one reader a file, one table, one function.

`read_corpus("math23k", "Math_23K.json.gz")` gives the problems, what was skipped and why, and the digest of the
input. A reader yields `Problem` or `Skipped` in file order; damage to the file itself (not JSON, not UTF-8, cut
gzip, missing fields, another corpus) is a `DataError` with file and line.  A path may be a folder: then the file
names of the corpus are looked for, and where it is published in parts, those become the parts of its own split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import ConfigError, DataError
from ..quantities import NumberWords
from ..records import Problem, Skipped
from . import ape210k, asdiv, gsm8k, jsonl, math23k, mawps, mwptoolkit, svamp
from .files import digest_files

__all__ = ["READERS", "Corpus", "Reader", "read_corpus"]


class Reader(NamedTuple):
    """How a corpus is read."""

    read: Callable[..., Iterator[Problem | Skipped]]
    files: tuple[dict[str, str], ...]  # what a folder may hold, part -> file name (one nameless part: one file)
    about: str
    options: frozenset[str] = frozenset({"number_words", "segmenter"})

    @property
    def file_names(self) -> list[str]:
        return [name for layout in self.files for name in layout.values()]

    def find_files(self, folder: Path) -> dict[str, Path]:
        """part -> file, plain or .gz, by the first layout of which the folder has any file; empty if there is none."""
        for layout in self.files:
            places = {part: (folder / name, folder / f"{name}.gz") for part, name in layout.items()}
            found = {part: next(filter(Path.is_file, both), None) for part, both in places.items()}
            if any(found.values()):
                return {part: file for part, file in found.items() if file}
        return {}


def _stories(path: Path | None, **options: Any) -> Iterator[Problem | Skipped]:
    from .stories import read_stories

    yield from read_stories(path, **options)


#: Every corpus.  A new one is a file in this folder and a line here.
READERS: dict[str, Reader] = {
    "stories": Reader(
        _stories, (), "embedded story problems, English and Chinese", frozenset({"seed", "size", "language"})
    ),
    "math23k": Reader(math23k.read_math23k, math23k.FILES, "Chinese, 23,162 problems, segmented"),
    "ape210k": Reader(ape210k.read_ape210k, ape210k.FILES, "Chinese, JSON Lines, split by character"),
    "mawps": Reader(mawps.read_mawps, mawps.FILES, "English; mawps_single.json, MAWPS.json or the five folds"),
    "asdiv": Reader(asdiv.read_asdiv, asdiv.FILES, "English, XML", frozenset({"number_words", "segmenter", "subset"})),
    "svamp": Reader(svamp.read_svamp, svamp.FILES, "English; SVAMP.json, or the csv with masked numbers"),
    "gsm8k": Reader(gsm8k.read_gsm8k, gsm8k.FILES, "English, worked solutions, gold rebuilt from their steps"),
    "mwptoolkit": Reader(mwptoolkit.read_mwptoolkit, mwptoolkit.FILES, "folder of trainset, validset, testset .json"),
    "jsonl": Reader(jsonl.read_jsonl, jsonl.FILES, "your own: text, answer, optional id and equation"),
}


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """What was read."""

    name: str
    paths: tuple[str, ...]
    digest: str  # SHA-256 of the unpacked input; "" for the embedded stories
    problems: list[Problem]
    skipped: list[Skipped]
    parts: dict[str, list[str]] = {}  # part -> ids, where the corpus is a folder of parts

    def problem(self, id: str) -> Problem:
        """The problem of this id; a `DataError` says why there is none."""
        for problem in self.problems:
            if problem.id == id:
                return problem
        for skipped in self.skipped:
            if skipped.id == id:
                why = f"{skipped.reason}: {skipped.detail}" if skipped.detail else skipped.reason
                raise DataError(f"problem {id} was skipped: {why}")
        example = f"; the first is {self.problems[0].id}" if self.problems else ""
        raise DataError(f"{self.name} has no problem {id}{example}")

    @property
    def skipped_by_reason(self) -> dict[str, int]:
        return dict(sorted(Counter(skipped.reason for skipped in self.skipped).items()))

    @property
    def gold_missing(self) -> dict[str, int]:
        """Problems kept without a gold equation, by reason."""
        reasons = (problem.gold_missing for problem in self.problems if problem.gold_missing)
        return dict(sorted(Counter(reasons).items()))


def read_corpus(
    name: str,
    path: str | PathLike[str] | None = None,
    *,
    strict: bool = False,
    number_words: NumberWords | None = None,
    segmenter: str | None = None,
    subset: str | None = None,
    seed: int | None = None,
    size: int | None = None,
    language: str | None = None,
) -> Corpus:
    """The problems of a file or folder.

    `strict` makes the first problem that would be skipped a `DataError`.  Options that are None take the default of the
    corpus; one that the corpus does not have is a `ConfigError`.
    """
    if name not in READERS:
        raise ConfigError(f"unknown corpus {name!r}; one of {', '.join(READERS)}")
    reader = READERS[name]
    given = {
        "number_words": number_words,
        "segmenter": segmenter,
        "subset": subset,
        "seed": seed,
        "size": size,
        "language": language,
    }
    options = {option: value for option, value in given.items() if value is not None}
    for option in options:
        if option not in reader.options:
            raise ConfigError(f"{name} has no option {option}; it has {', '.join(sorted(reader.options)) or 'none'}")
    if path is None and reader.files:
        raise ConfigError(f"{name} needs a path, --path on the command line: {reader.about}")
    files = {"": None} if path is None else _find_files(name, reader, Path(path))
    problems: list[Problem] = []
    skipped: list[Skipped] = []
    parts: dict[str, list[str]] = {}
    for part, file in files.items():
        stream = reader.read(file, part=part, **options) if reader.files else reader.read(file, **options)
        new, bad = _collect(stream, part=part, seen={problem.id for problem in problems}, strict=strict, file=file)
        problems += new
        skipped += bad
        if part:
            parts[part] = [problem.id for problem in new]
    paths = [file for file in files.values() if file is not None]
    return Corpus(
        name=name,
        paths=tuple(map(str, paths)),
        digest=digest_files(paths) if paths else "",
        problems=problems,
        skipped=skipped,
        parts=parts,
    )


def _collect(
    stream: Iterator[Problem | Skipped], *, part: str, seen: set[str], strict: bool, file: Path | None
) -> tuple[list[Problem], list[Skipped]]:
    """What a reader yields, ids made unique: `seen` are those of earlier parts, which may number anew."""
    problems: list[Problem] = []
    skipped: list[Skipped] = []
    here: set[str] = set()
    for item in stream:
        if item.id in seen:
            item = msgspec.structs.replace(item, id=f"{part}-{item.id}")
        if isinstance(item, Problem) and item.id in here:
            item = Skipped(id=item.id, reason="duplicate-id", detail="an earlier problem has this id", field="id")
        if isinstance(item, Problem):
            here.add(item.id)
            problems.append(item)
        elif strict:
            message = f"problem {item.id}: {item.reason}" + (f": {item.detail}" if item.detail else "")
            raise DataError(message, path=str(file or ""), line=item.line, field=item.field)
        else:
            skipped.append(item)
    return problems, skipped


def _find_files(name: str, reader: Reader, path: Path) -> Mapping[str, Path | None]:
    """part -> file: the path itself, or the files of a folder that have the names of the corpus."""
    if not path.is_dir():
        return {"": path}
    if found := reader.find_files(path):
        return found
    inside = [folder.name for folder in sorted(path.iterdir()) if folder.is_dir() and reader.find_files(folder)]
    others = [other for other in READERS if READERS[other].find_files(path)]
    advice = f"; its folder {inside[0]} does" if inside else f"; it looks like {others[0]}" if others else ""
    names = ", ".join(reader.file_names)
    raise DataError(f"the folder holds none of the files of {name}: {names} (or with .gz){advice}", path=str(path))
