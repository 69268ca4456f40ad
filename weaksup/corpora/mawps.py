"""MAWPS (Koncel-Kedziorski et al. 2016): English, in the three forms in use.

`mawps_single.json` (the original fields: sQuestion, lEquations, lSolutions), the five-fold files of Deductive-MWP
(the same plus `answer`, read from a folder as five parts), and `MAWPS.json` of GTS and Graph2Tree (fields of
Math23K).  Number words are off by default: the published number lists have numerals only.  The publishers turned
fractions into floats, so a gold equation may miss its answer by 1e-16; both are kept as published.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..records import Problem, Skipped
from .gold import Gold, read_gold
from .math23k import math23k_problem
from .problems import make_problem
from .quantities import NumberWords
from .records_json import Record, iterate_records

__all__ = ["FILES", "mawps_problem", "read_mawps"]

FILES = ({f"fold{k}": f"test_{k}.json" for k in range(5)}, {"": "mawps_single.json"}, {"": "MAWPS.json"})


def read_mawps(
    path: Path, *, number_words: NumberWords = False, segmenter: str = "", part: str = ""
) -> Iterator[Problem | Skipped]:
    """The problems of the file, in order."""
    for record in iterate_records(path):
        read = math23k_problem if "original_text" in record else mawps_problem
        yield read(record, number_words=number_words, segmenter=segmenter, language="en")


def mawps_problem(
    record: Record, *, number_words: NumberWords = False, segmenter: str = "", language: str = "en"
) -> Problem | Skipped:
    """The problem of a record with the fields of the original MAWPS."""
    solutions = "answer" if "lSolutions" not in record and "answer" in record else "lSolutions"
    answer = record.value(solutions)
    if solutions == "lSolutions":
        answer = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    return make_problem(
        record,
        id=record.name("iIndex"),
        text=record.text("sQuestion"),
        answer=answer,
        answer_field=solutions,
        gold=_gold(record),
        number_words=number_words,
        segmenter=segmenter,
        language=language,
    )


def _gold(record: Record) -> Gold:
    if "lEquations" not in record:
        return Gold(None, "gold-absent")
    equations = record.value("lEquations")
    if not isinstance(equations, list) or not all(isinstance(equation, str) for equation in equations):
        raise record.error("a list of texts is expected", "lEquations")
    return read_gold(equations[0]) if len(equations) == 1 else Gold(None, "gold-several-equations")
