"""Problems that a program already holds: a Hugging Face dataset, a data frame, or any sequence of dictionaries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import ConfigError, DataError
from ..records import Problem, Skipped
from . import Corpus, collect
from .arrow import plain_value
from .implied import add_implied
from .lexicons import DEFAULT_LEXICON, load_lexicons
from .own_data import OPTIONS, own_problems
from .records_json import Record

__all__ = ["read_objects"]

_PART_NAMES = {"train": "train", "valid": "valid", "validation": "valid", "dev": "valid", "test": "test"}


def read_objects(
    data: Any, *, name: str = "objects", strict: bool = False, lexicon: str = DEFAULT_LEXICON, **options: Any
) -> Corpus:
    """The corpus in Python objects.

    Parameters
    ----------
    data
        A `datasets.Dataset`, a pandas or pyarrow table, or an iterable of dictionaries.  A `DatasetDict`, or a
        dictionary from train, valid and test to such tables, gives a corpus with these parts.
    name
        The name of the corpus.
    strict, lexicon
        As for `read_corpus`.
    options
        Those of the reader `jsonl`: `text_field="question"` and so on.

    Returns
    -------
    Corpus
        As `read_corpus` returns it.

    Raises
    ------
    DataError
        If a field is missing or, with `strict`, if a problem would be skipped.

    Examples
    --------
    >>> corpus = read_objects([{"question": "Tom has 3 pens and buys 5. How many?", "answer": "8 pens"}])
    >>> corpus.problems[0].answer, corpus.problems[0].id
    ('8', '1')
    """
    if unknown := [option for option in options if option not in OPTIONS]:
        raise ConfigError(f"objects have no option {unknown[0]}; they have {', '.join(sorted(OPTIONS))}")
    options = {option: value for option, value in options.items() if value is not None}
    lexicons = load_lexicons(lexicon)
    digest = hashlib.sha256()
    problems: list[Problem] = []
    skipped: list[Skipped] = []
    parts: dict[str, list[str]] = {}
    for part, table in _parts(data).items():
        records = _records(table, name if not part else f"{name}[{part}]", digest)
        stream = own_problems(records, part=part, **options)
        stream = (add_implied(one, lexicons) if isinstance(one, Problem) else one for one in stream)
        new, bad = collect(stream, part=part, seen={problem.id for problem in problems}, strict=strict, file=None)
        problems += new
        skipped += bad
        if part:
            parts[part] = [problem.id for problem in new]
    return Corpus(name=name, paths=(), digest=digest.hexdigest(), problems=problems, skipped=skipped, parts=parts)


def _parts(data: Any) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        return {"": data}
    if unknown := [part for part in data if part not in _PART_NAMES]:
        raise ConfigError(f"a dictionary of tables has the keys train, valid and test, not {unknown[0]!r}")
    return {_PART_NAMES[part]: table for part, table in data.items()}


def _rows(table: Any) -> Iterable[Any]:
    if hasattr(table, "to_pylist"):  # pyarrow
        return list(table.to_pylist())
    if hasattr(table, "columns") and hasattr(table, "to_dict"):  # pandas
        return list(table.to_dict("records"))
    if isinstance(table, str | bytes) or not isinstance(table, Iterable):
        raise ConfigError(f"a table or a sequence of dictionaries is expected, not {type(table).__name__}")
    return table


def _records(table: Any, name: str, digest: Any) -> Iterator[Record]:
    for number, row in enumerate(_rows(table), start=1):
        if not isinstance(row, Mapping):
            raise DataError(f"a dictionary is expected, not {type(row).__name__}", path=name, line=number)
        fields = {str(key): plain_value(value) for key, value in row.items()}
        digest.update(json.dumps(fields, sort_keys=True, default=str).encode() + b"\n")
        yield Record(fields, Path(name), number)
