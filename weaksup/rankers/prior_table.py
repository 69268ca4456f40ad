"""The prior table: how often each template occurs in public corpora, as the EM itself learnt it from their answers.

A small corpus can't tell by itself which templates are usual.  The table lends it experience: it acts as a few dozen
problems more (`EMOptions.prior_problems`) whose templates are known, in the proportions of the table, and each corpus
of the table has an equal part in them.  The table has neither texts nor gold equations.  `benchmarks/em_table.py` makes
the one that is shipped, `prior.json`, and can make another one from your own candidates.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from mathcanon.files import AnyPath

from ..errors import ConfigError, DataError
from ..meaning.kinds import KINDS
from ..meaning.writing import needed_quantities
from ..records import Candidate, CandidateSet
from ..storage.json_files import decode_json, read_json, write_json
from ..wording.readings import ADD, DIVIDE, LEAF, MULTIPLY, POWER, ROLES, SUBTRACT, Array, Readings

__all__ = ["SHIPPED", "PriorTable", "TableCorpus", "load_prior", "table_of", "template_text", "write_prior"]

#: The name of the table that is part of the package.
SHIPPED = "shipped"
_SCHEMA = "weaksup/prior"
_SIGNS = {ADD: "+", SUBTRACT: "-", MULTIPLY: "*", DIVIDE: "/"}


class TableCorpus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the EM learnt from one corpus."""

    name: str
    part: str = ""  # the part of the corpus, and how it was read
    digest: str = ""  # SHA-256 of the candidates
    problems: int  # with candidates
    templates: dict[str, dict[str, float]]  # expected counts by number of quantities, then by template
    roles: tuple[tuple[float, ...], ...]  # expected counts of kinds of number (`meaning.kinds`) by role (`readings`)


class PriorTable(msgspec.Struct, frozen=True, kw_only=True):
    """Expected counts of templates in some corpora, and how they were made."""

    schema: str = _SCHEMA
    version: int = 1
    about: str = ""
    command: str = ""
    least: float = 0.0  # templates with a smaller count are left out
    versions: dict[str, str] = {}
    corpora: tuple[TableCorpus, ...]

    def without(self, name: str) -> PriorTable:
        """The table without one of its corpora, to measure on that corpus as if the table had not seen it."""
        return msgspec.structs.replace(self, corpora=tuple(one for one in self.corpora if one.name != name))

    def problems(self) -> tuple[list[CandidateSet], Array]:
        """Problems with one candidate each, the templates of the table, and their weights, which add up to 1."""
        shares: dict[tuple[int, str], float] = {}
        for corpus in self.corpora:
            total = sum(sum(counts.values()) for counts in corpus.templates.values()) * len(self.corpora)
            for n, counts in corpus.templates.items():
                for expr, number in counts.items():
                    shares[int(n), expr] = shares.get((int(n), expr), 0.0) + number / total
        return [_problem(n, expr) for n, expr in shares], np.array(list(shares.values()))

    def roles(self) -> Array:
        """Counts of kinds by role, one row after the other, per problem of the table."""
        tables = [np.array(one.roles) / one.problems / len(self.corpora) for one in self.corpora]
        return np.asarray(sum(tables)).reshape(-1)


def _problem(n: int, expr: str) -> CandidateSet:
    values = tuple(f"{10**9 + i}" for i in range(n))  # different, and not those of constants: one reading each
    candidate = Candidate(expr=expr, stage="table", value="0")
    return CandidateSet(id="", values=values, surfaces=values, answer="0", candidates=(candidate,))


def load_prior(name_or_path: str) -> PriorTable | None:
    """The table of a file, the shipped one ("shipped") or None ("none"); raises DataError or ConfigError."""
    if name_or_path == "none":
        return None
    return _shipped() if name_or_path == SHIPPED else _checked(_read(name_or_path), name_or_path)


def _read(path: str) -> PriorTable:
    if not path.endswith(".json"):
        raise ConfigError(f"unknown prior {path!r}: one of {SHIPPED}, none, or a .json file")
    return read_json(path, PriorTable, what="a prior table")


@cache
def _shipped() -> PriorTable:
    text = files(__package__).joinpath("prior.json").read_bytes()
    return _checked(decode_json(text, PriorTable, path="prior.json", what="a prior table"), "prior.json")


def _checked(table: PriorTable, path: str) -> PriorTable:
    """The table, if it is one that this version can use."""
    if table.schema != _SCHEMA or not table.corpora:
        raise DataError("not a prior table: it has no corpora", path=path)
    for corpus in table.corpora:
        if len(corpus.roles) != ROLES or any(len(row) != KINDS for row in corpus.roles) or corpus.problems < 1:
            raise DataError(f"{corpus.name}: the counts by role are those of another version", path=path)
        for n, counts in corpus.templates.items():
            if not n.isdecimal() or not 0 < int(n) <= 64 or not counts or min(counts.values()) <= 0:
                raise DataError(f"{corpus.name}: there are no counts of templates of {n!r} quantities", path=path)
            for expr in counts:
                if needed_quantities(expr) > int(n):
                    raise DataError(f"{corpus.name}: {expr!r} is not a template of {n} quantities", path=path)
    return table


def write_prior(path: AnyPath, table: PriorTable) -> None:
    write_json(path, table, indent=1)


def table_of(
    counts: Array, readings: Readings, quantities: Array, simplest: Array, *, least: float
) -> dict[str, dict[str, float]]:
    """The counts of templates that are at least `least`, as in `TableCorpus.templates`, most frequent first."""
    found: dict[int, list[tuple[float, str]]] = {}
    for template in np.flatnonzero(counts >= least).tolist():
        text = template_text(readings, simplest[template])
        found.setdefault(int(quantities[template]), []).append((-round(float(counts[template]), 2), text))
    return {str(n): {text: -count for count, text in sorted(rows)} for n, rows in sorted(found.items())}


def template_text(readings: Readings, reading: int) -> str:
    """A reading as text."""
    from mathcanon import canonical

    form = readings.skeleton[reading]
    leaves = iter(readings.leaves[reading].tolist())
    stack: list[str] = []
    for code in readings.programs[form, : readings.lengths[form]].tolist():
        if code == LEAF:
            leaf = next(leaves)
            stack.append(f"N{leaf}" if leaf >= 0 else _constant(readings, leaf))
        elif code in _SIGNS:
            right = stack.pop()
            stack.append(f"({stack.pop()}{_SIGNS[code]}{right})")
        else:
            stack.append(f"({stack.pop()})^{code - POWER}")
    return str(canonical(stack[0]))


def _constant(readings: Readings, leaf: int) -> str:
    value = readings.constants[~leaf]
    return "3.14" if value * 50 == 157 else str(value) if value.denominator == 1 else f"({value})"
