"""The public corpora that the EM is tried on, with their candidates: problems of parts that are not for testing.

Math23K and GSM8K have a published test part, so their train parts are used.  SVAMP, ASDiv-A and MAWPS are used whole:
SVAMP is one set, and the others are cross-validated.  Ape210K is here with its valid part, the only part but test
that comes with the data of this project.

Searching takes minutes, so the candidates are kept: in the folder `candidates`, one file for each corpus.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from weaksup.corpora import read_corpus
from weaksup.corpora.splits import split
from weaksup.records import CandidateSet, Problem
from weaksup.search.batch import search_problems
from weaksup.search.plans import load_plan
from weaksup.storage.json_lines import read_records, write_records


class Public(NamedTuple):
    """Where a corpus is, below the data folder, and how it is read."""

    name: str
    data: str
    path: str
    part: str
    subset: str | None = None
    split_file: str | None = None


CORPORA = (
    Public("math23k", "math23k", "math23k/Math_23K.json.gz", "train part", split_file="math23k/split.json"),
    Public("svamp", "svamp", "svamp/SVAMP.json.gz", "all 1,000 problems"),
    Public("asdiv-a", "asdiv", "asdiv", "ASDiv-A", subset="a"),
    Public("mawps", "mawps", "mawps/mawps_single.json.gz", "mawps_single, all problems"),
    Public("gsm8k", "gsm8k", "gsm8k/train.jsonl.gz", "train part"),
    Public("ape210k", "ape210k", "ape210k/valid.ape.json.gz", "valid part"),
)
NAMES = tuple(corpus.name for corpus in CORPORA)
LIMIT = 300  # candidates for each problem


def add_arguments(parser: argparse.ArgumentParser, names: Sequence[str] = NAMES) -> None:
    parser.add_argument("--data-dir", required=True, type=Path, help="the folder of the public corpora")
    parser.add_argument("--candidates", required=True, type=Path, help="folder of candidate files, made where missing")
    parser.add_argument(
        "--corpora", nargs="+", default=list(names), choices=NAMES, metavar="NAME", help=", ".join(NAMES)
    )


def read_problems(corpus: Public, data_dir: Path) -> Sequence[Problem]:
    options = {} if corpus.subset is None else {"subset": corpus.subset}
    problems = read_corpus(corpus.data, data_dir / corpus.path, **options).problems
    if corpus.split_file is None:
        return problems
    return split(problems, corpus=corpus.data, file=data_dir / corpus.split_file)["train"]


def read_sets(corpus: Public, problems: Iterable[Problem], folder: Path) -> list[CandidateSet]:
    """The candidate sets of the problems, by plan `full`, from the folder or searched and written there."""
    file = folder / f"{corpus.name}.jsonl"
    if not file.exists():
        print(f"searching {corpus.name}...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        write_records(file, search_problems(problems, load_plan("full"), limit=LIMIT))
    ids = {problem.id for problem in problems}
    return [found for found in read_records(file, CandidateSet) if found.id in ids]


def read_public(given: argparse.Namespace) -> Iterator[tuple[Public, Sequence[Problem], list[CandidateSet]]]:
    """The chosen corpora with their problems and candidate sets."""
    for corpus in CORPORA:
        if corpus.name in given.corpora:
            problems = read_problems(corpus, given.data_dir)
            yield corpus, problems, read_sets(corpus, problems, given.candidates)
