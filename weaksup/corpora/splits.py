"""Train, valid and test parts, by published id lists or by a seed; a split has a name that is shown with results.

Id lists: `split.json` of Math23K (`{"test": [...], "valid": [...]}`, train is the rest), `folds.json` of MAWPS
(`{"fold0": [...], ...}`), the folder of ASDiv-A (`fold0.txt`, ...).  With folds, fold k is the test part and the
others are train.  By seed: problems are ordered by a hash of seed and id, whatever their order in the file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from ..errors import ConfigError, DataError
from ..records import Problem, Skipped
from .data_files import read_text

__all__ = ["PARTS", "Split", "shuffle_problems", "split"]

PARTS = ("train", "valid", "test")

_SAME = {"dev": "valid", "validation": "valid"}
_FOLD = re.compile(r"fold_?(\d+)")


class Split(dict[str, list[Problem]]):
    """The problems of each part; `name` says how they were split."""

    def __init__(self, name: str, parts: Mapping[str, list[Problem]]) -> None:
        super().__init__({part: parts.get(part, []) for part in PARTS if part in parts})
        self.name = name

    @property
    def sizes(self) -> dict[str, int]:
        return {part: len(problems) for part, problems in self.items()}

    def __str__(self) -> str:
        return f"{self.name}: " + " / ".join(f"{part} {size}" for part, size in self.sizes.items())


def split(
    problems: Sequence[Problem],
    *,
    corpus: str = "",
    file: str | PathLike[str] | None = None,
    parts: Mapping[str, Iterable[str]] | None = None,
    folds: int | None = None,
    fold: int = 0,
    seed: int = 0,
    skipped: Iterable[Skipped] = (),
) -> Split:
    """Split `problems` into parts.

    The id lists of `file` (a file, or a folder of fold lists) come first; then `parts`, the ids of each part as in
    `Corpus.parts`; else the seed decides: `folds`-fold cross-validation, or 80 / 10 / 10 without `folds`.  Fold
    number `fold` is the test part.  The lists may contain ids of `skipped` problems; `DataError` if an id is unknown or
    in two parts.
    """
    if file is not None:
        path = Path(file)
        lists, name = _read_lists(path), f"{corpus} {path.name}".strip()
        return _by_lists(problems, lists, name=name, fold=fold, skipped=skipped, path=str(path))
    if parts:
        named = {_SAME.get(part, part): list(ids) for part, ids in parts.items()}
        name = f"{corpus} published parts".strip()
        return _by_lists(problems, named, name=name, fold=fold, skipped=skipped, path="")
    ordered = shuffle_problems(problems, seed=seed)
    if folds is None:
        tenth = len(ordered) // 10
        name = f"{corpus} 80/10/10 by seed {seed}".strip()
        chosen = {"train": ordered[2 * tenth :], "valid": ordered[:tenth], "test": ordered[tenth : 2 * tenth]}
        return Split(name, {part: _in_order(problems, some) for part, some in chosen.items()})
    if folds < 2:
        raise ConfigError(f"cross-validation needs at least 2 folds, not {folds}")
    cut = {f"fold{k}": [problem.id for problem in ordered[k::folds]] for k in range(folds)}
    name = f"{corpus} {folds}-fold by seed {seed}".strip()
    return _by_lists(problems, cut, name=name, fold=fold, skipped=(), path="")


def shuffle_problems(problems: Iterable[Problem], *, seed: int) -> list[Problem]:
    """The problems in an order that depends only on the seed and their ids."""
    return sorted(problems, key=lambda problem: hashlib.sha256(f"{seed}:{problem.id}".encode()).digest())


def _in_order(problems: Sequence[Problem], chosen: Iterable[Problem]) -> list[Problem]:
    ids = {problem.id for problem in chosen}
    return [problem for problem in problems if problem.id in ids]


def _by_lists(
    problems: Sequence[Problem],
    lists: Mapping[str, list[str]],
    *,
    name: str,
    fold: int,
    skipped: Iterable[Skipped],
    path: str,
) -> Split:
    part_of = _part_of(lists, path)
    known = {problem.id for problem in problems} | {problem.id for problem in skipped}
    unknown = [id for id in part_of if id not in known]
    if unknown:
        message = f"{len(unknown)} ids of the split are not in the corpus: {', '.join(unknown[:5])}"
        raise DataError(message, path=path)
    if all(_FOLD.fullmatch(part) for part in lists):
        if f"fold{fold}" not in lists:
            raise ConfigError(f"there is no fold {fold}; the folds are {', '.join(lists)}")
        left_out = sum(problem.id not in part_of for problem in problems)
        name += f" fold {fold}" + (f" ({left_out} problems in no fold left out)" if left_out else "")
        part_of = {id: "test" if part == f"fold{fold}" else "train" for id, part in part_of.items()}
        rest = ""
        names: set[str] = {"train", "test"}
    else:
        strange = [part for part in lists if part not in PARTS]
        if strange:
            message = f"unknown part {strange[0]!r}; parts are {', '.join(PARTS)}, or fold0, fold1, ..."
            raise DataError(message, path=path)
        rest = "" if "train" in lists else "train"
        names = {*lists, rest} - {""}
    parts: dict[str, list[Problem]] = {part: [] for part in names}
    for problem in problems:
        if part := part_of.get(problem.id, rest):
            parts[part].append(problem)
    if rest and not parts[rest]:
        del parts[rest]  # the lists name every problem
    return Split(name, parts)


def _part_of(lists: Mapping[str, list[str]], path: str) -> dict[str, str]:
    part_of: dict[str, str] = {}
    for part, ids in lists.items():
        for id in ids:
            if id in part_of:
                other = part_of[id]
                where = f"twice in {part}" if other == part else f"in {other} and in {part}"
                raise DataError(f"id {id} is {where}", path=path)
            part_of[id] = part
    return part_of


def _read_lists(path: Path) -> dict[str, list[str]]:
    """part -> ids, from a JSON object, a list of ids (the test part), or a folder of fold lists."""
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if _FOLD.fullmatch(file.name.split(".")[0]))
        if not files:
            raise DataError("the folder holds no fold lists such as fold0.txt", path=str(path))
        return {file.name.split(".")[0].replace("_", ""): read_text(file).split() for file in files}
    text = read_text(path)
    if not text.lstrip().startswith(("{", "[")):
        return {"test": text.split()}
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise DataError(f"not JSON: {error}", path=str(path), line=line) from error
    named = content if isinstance(content, dict) else {"test": content}
    lists = {}
    for part, ids in named.items():
        good = isinstance(ids, list) and all(isinstance(id, int | str) and not isinstance(id, bool) for id in ids)
        if not good:
            raise DataError("a list of ids is expected", path=str(path), field=part)
        lists[_SAME.get(part, part).replace("fold_", "fold")] = [str(id) for id in ids]
    return lists
