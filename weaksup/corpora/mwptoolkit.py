"""A data folder of MWPToolkit: `trainset.json`, `validset.json` and `testset.json` of any of its data sets.

The toolkit keeps the fields that each data set was published with, so the fields of a record decide how it is read:
those of Math23K (Ape210K and MAWPS there have them too), MAWPS, ASDiv (`@ID`), SVAMP, or the masked SVAMP csv.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..records import Problem, Skipped
from .asdiv import asdiv_problem
from .data_files import read_text
from .math23k import math23k_problem
from .mawps import mawps_problem
from .quantities import NumberWords, language_of
from .records_json import Record, iterate_records
from .svamp import masked_problem, svamp_problem

__all__ = ["FILES", "read_mwptoolkit"]

FILES = ({"train": "trainset.json", "valid": "validset.json", "test": "testset.json"},)


def read_mwptoolkit(
    path: Path, *, number_words: NumberWords | None = None, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of one file, in order."""
    language = language_of(read_text(path))  # of the whole file: the text of a problem may be a bare calculation
    for number, record in enumerate(iterate_records(path), start=1):
        id = f"{part}-{number}" if part else str(number)
        yield _problem(record, id=id, words=number_words, segmenter=segmenter, language=language)


def _problem(record: Record, *, id: str, words: NumberWords | None, segmenter: str, language: str) -> Problem | Skipped:
    if "Numbers" in record:
        return masked_problem(record, id=record.name("id") if "id" in record else id)
    if "Formula" in record:
        return asdiv_problem(record, number_words=True if words is None else words, segmenter=segmenter)
    if "Body" in record:
        return svamp_problem(record, number_words=words or False, segmenter=segmenter)
    read = mawps_problem if "sQuestion" in record else math23k_problem
    return read(record, number_words=words or False, segmenter=segmenter, language=language)
