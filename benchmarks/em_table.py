"""The prior table of the EM (`weaksup/rankers/prior_table.py`), from the answers of public corpora or of your own.

The EM runs on each corpus by itself, without any table.  The table has the expected count of each template, and of each
kind of number in each role.  No gold equation is read, and no text reaches the table.

    python benchmarks/em_table.py --data-dir DATA --candidates FOLDER -o weaksup/rankers/prior.json
    python benchmarks/em_table.py --own mine=candidates.jsonl -o prior.json

The first command makes the table that is shipped.  For the second, `mwp-weak search` has written `candidates.jsonl`;
`mwp-weak rank --prior prior.json` uses the result.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from public_corpora import add_arguments, read_public

from weaksup.meaning.kinds import KINDS
from weaksup.rankers.em import EMOptions, Model
from weaksup.rankers.prior_table import PriorTable, TableCorpus, table_of, write_prior
from weaksup.records import CandidateSet
from weaksup.storage.json_lines import read_records
from weaksup.storage.provenance import versions
from weaksup.wording.readings import ROLES

IN_TABLE = ("math23k", "svamp", "asdiv-a", "mawps")
LEAST = 0.75  # the least expected count of a template in the table


def learn(name: str, part: str, sets: Sequence[CandidateSet], *, options: EMOptions | None = None) -> TableCorpus:
    """What the EM learns from a corpus by itself."""
    found = sorted((one for one in sets if one.candidates), key=lambda one: one.id)
    unmatched = sum(one.reason == "no-match" for one in sets)
    model = Model(found, unmatched=unmatched)
    posteriors = model.fit(options or EMOptions())
    templates = model.templates
    roles = np.bincount(model.kinds.cell, posteriors[model.kinds.reading], ROLES * KINDS)
    return TableCorpus(
        name=name,
        part=part,
        digest=hashlib.sha256(b"".join(map(msgspec.json.encode, sets))).hexdigest(),
        problems=len(found),
        templates=table_of(
            templates.reading.counts(posteriors), model.readings, templates.quantities, templates.simplest, least=LEAST
        ),
        roles=tuple(map(tuple, roles.reshape(ROLES, KINDS).round(1).tolist())),
    )


def corpora(given: argparse.Namespace) -> Iterator[tuple[str, str, list[CandidateSet]]]:
    """Name, part and candidate sets of each corpus."""
    for own in given.own:
        name, _, path = own.partition("=")
        yield name, "own", list(read_records(path, CandidateSet))
    if given.data_dir is not None:
        for corpus, _, sets in read_public(given):
            yield corpus.name, corpus.part, sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, IN_TABLE)
    for action in parser._actions:
        action.required = False
    parser.add_argument("--own", nargs="+", default=[], metavar="NAME=FILE", help="candidate files of your own")
    parser.add_argument("-o", "--output", required=True, type=Path)
    given = parser.parse_args()
    if not given.own and (given.data_dir is None or given.candidates is None):
        parser.error("give --own, or --data-dir and --candidates")
    made = []
    for name, part, sets in corpora(given):
        made.append(learn(name, part, sets))
        kept = sum(sum(counts.values()) for counts in made[-1].templates.values())
        rows = sum(map(len, made[-1].templates.values()))
        print(f"{name}: {made[-1].problems} problems, {rows} templates with {kept:.0f} of the expected counts")
    public = "public corpora" if not given.own else "these corpora"
    table = PriorTable(
        about=f"Expected counts of templates, learnt by the EM of weaksup from answers of {public}; no text, no gold",
        command="python benchmarks/em_table.py",
        least=LEAST,
        versions=versions(),
        corpora=tuple(made),
    )
    write_prior(given.output, table)
    print(f"{given.output}: {given.output.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
