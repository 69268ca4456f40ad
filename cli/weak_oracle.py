"""`mwp-weak oracle` and `show`: compare candidates and labels with gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weaksup.settings import Count

from ._arguments import in_range
from ._options import FILE, Part, Source, json_option, part_options, source_options
from ._output import print_json, print_table, record_fields
from ._terminal import echo, warn

if TYPE_CHECKING:
    from weaksup.measure.cases import Shown
    from weaksup.measure.conditions import Condition
    from weaksup.records import CandidateSet, Label, Problem
    from weaksup.report.score_tables import TextTable

__all__ = ["oracle", "show"]


@click.command()
@click.argument("file", type=FILE)
@source_options
@part_options
@click.option("--law", metavar="LAW", help="When an equation is right: value, mentioned or structure, see above.")
@click.option("--distribution", is_flag=True, help="Also print how many problems have 1, 2, ... 50 candidates.")
@json_option
def oracle(file: Path, source: Source, part: Part, law: str | None, distribution: bool, as_json: bool) -> None:
    """Compare the candidates or labels of FILE with the gold equations of the corpus.

    The default corpus is the one that FILE was made from.  FILE may also be JSON Lines with id and equation, made by
    another program.  For Math23K, the paper's figures and its case study are printed too.

    An equation is right by one of three laws.  value: it is the same function of the quantities as the gold equation,
    where equal values are one variable and 0, 1 and 3.14 are constants.  mentioned: the same, but a 0, 1 or 3.14 in the
    text is a variable too.  structure: it has the same canonical form.

    \b
    mwp-weak oracle candidates.jsonl
    mwp-weak oracle labels.jsonl --data math23k --path Math_23K.json --split-file split.json --split train
    """
    from weaksup.measure.cases import case_study
    from weaksup.measure.foreign_labels import read_scored
    from weaksup.measure.score import score_records
    from weaksup.records import CandidateSet, Label
    from weaksup.report.score_tables import count_distribution, distribution_table, score_tables
    from weaksup.search.plans import stage_order

    records = read_scored(file)
    corpus = source.behind(file).read()
    problems, name = part.problems(corpus)
    ids = {problem.id for problem in problems}
    chosen = None if part.split is None else ids
    score = score_records(
        records,
        corpus.problems,
        part=chosen,
        skipped=corpus.skipped,
        stage_order=stage_order(),
        law=law,
        path=str(file),
    )
    sets = [record for record in records if isinstance(record, CandidateSet) and record.id in ids]
    labels = [record for record in records if isinstance(record, Label) and record.id in ids]
    counts = count_distribution(sets or labels)
    cases = case_study(problems, sets, law=score.law) if corpus.name == "math23k" else []
    if as_json:
        result = {"file": str(file), "data": corpus.name, "part": name, **record_fields(score)}
        print_json({**result, "distribution": counts, "cases": [found for _, found in cases]})
        return
    echo(f"{file}: {score.kind} of {name}")
    for table in score_tables(score, paper=corpus.name == "math23k"):
        _print_titled(table)
    if distribution:
        _print_titled(distribution_table(counts))
    for case, found in cases:
        for problem in found:
            echo(f"\ncase study: {case.about}")
            _print_shown(problem, limit=5)
    if score.without_gold:
        echo(f"\n{score.without_gold:,} problems have no gold equation and count only for recall")
    if score.unreadable:
        echo(f"\n{score.unreadable:,} equations can't be read and count as wrong")


def _print_titled(table: TextTable) -> None:
    echo(f"\n{table.title}")
    print_table(table.head, table.rows)
    if table.note:
        echo(table.note)


@click.command()
@click.argument("file", type=FILE)
@click.option("--id", "wanted", multiple=True, help="The id of a problem; may be given several times.")
@click.option("--where", metavar="CONDITION", help="Show the problems that fulfil a condition, see above.")
@click.option("--labels", type=FILE, help="A label file: marks the label of each problem, and gives the posteriors.")
@click.option("--problems", "most", type=in_range(Count), default=10, show_default=True,
              help="With --where: number of problems to show.")  # fmt: skip
@click.option("--limit", type=in_range(Count), default=20, show_default=True, help="Number of candidates to show.")
@click.option("--law", default="value", metavar="LAW", help="When an equation is right, see mwp-weak oracle --help.")
@source_options
@part_options
@json_option
def show(
    file: Path,
    wanted: tuple[str, ...],
    where: str | None,
    labels: Path | None,
    most: int,
    limit: int,
    law: str,
    source: Source,
    part: Part,
    as_json: bool,
) -> None:
    """Show problems of FILE (candidates or labels): the text with the quantities marked, and each candidate with
    its stage, its value, its posterior and whether it is equivalent to the gold equation.  The label comes first.

    A condition joins words and comparisons by and, or, not and brackets.  The words are right and wrong (the label
    against gold), covered, single and multiple (by number of candidates), reachable (gold is among the candidates) and
    gold (there is a gold equation).  Numbers that can be compared are n (quantities), candidates, posterior and answer;
    texts are stage, ranker, reason and id.

    \b
    mwp-weak show candidates.jsonl --id story-00003 --id story-00005
    mwp-weak show candidates.jsonl --labels labels.jsonl --where "wrong and n>=4"
    mwp-weak show labels.jsonl --where "posterior<0.5 and not single" --problems 3
    """
    from weaksup.measure.cases import show_problem
    from weaksup.measure.conditions import parse_condition
    from weaksup.measure.foreign_labels import records_by_id
    from weaksup.records import Label
    from weaksup.storage.provenance import check_same_corpus

    if bool(wanted) == (where is not None):
        raise click.UsageError("give the ids of problems (--id) or a condition (--where)")
    condition = None if where is None else parse_condition(where)
    records = records_by_id(file)
    chosen = {} if labels is None else records_by_id(labels)
    if any(not isinstance(label, Label) for label in chosen.values()):
        raise click.UsageError(f"{labels} holds candidates, not labels")
    known = {id: label for id, label in chosen.items() if isinstance(label, Label)}
    if labels is not None:
        check_same_corpus(file, labels, advice="Give labels of the same corpus")
        if known and not known.keys() & records.keys():
            raise click.UsageError(f"{labels} has no label for any problem of {file}")
    corpus = source.behind(file).read()
    if condition is not None:
        found = _fulfilling(condition, part.problems(corpus)[0], records, known, law=law)
        warn(f"{len(found):,} problems: {where}" + (f"; the first {most:,} are shown" if len(found) > most else ""))
        wanted = tuple(problem.id for problem in found[:most])
    problems = {problem.id: problem for problem in corpus.problems}
    for i, id in enumerate(wanted):
        if id not in records:
            raise click.ClickException(f"{file} has no problem {id}")
        problem = problems.get(id) or corpus.problem(id)
        shown = show_problem(problem, records[id], label=known.get(id), law=law)
        if as_json:
            print_json(shown)
        else:
            if i:
                echo()
            _print_shown(shown, limit=limit)


def _fulfilling(
    condition: Condition,
    problems: Sequence[Problem],
    records: Mapping[str, CandidateSet | Label],
    labels: Mapping[str, Label],
    *,
    law: str,
) -> list[Problem]:
    """The problems that fulfil a condition, in order."""
    from weaksup.measure.cases import problem_facts
    from weaksup.measure.judge import Judge

    here = [problem for problem in problems if problem.id in records]
    judge = Judge(here, law=law)
    facts = [problem_facts(problem, records[problem.id], judge, label=labels.get(problem.id)) for problem in here]
    for name in ("right", "wrong", "posterior", "ranker"):
        if name in condition.names and here and not any(known["ranker"] for known in facts):
            raise click.UsageError(f"{name} is about labels: give a label file with --labels")
    if condition.names & {"right", "wrong", "reachable"} and not any(known["gold"] for known in facts):
        warn("no problem has a gold equation: right, wrong and reachable are never true")
    return [problem for problem, known in zip(here, facts, strict=True) if condition.holds(known)]


def _print_shown(shown: Shown, *, limit: int) -> None:
    from weaksup.report.score_tables import shown_table

    echo(f"{shown.id}: {shown.text}")
    echo(f"answer {shown.answer}, gold {shown.gold or 'unknown'}")
    if shown.limits:
        echo("not searched: " + ", ".join(f"{one.stage} ({one.reason})" for one in shown.limits))
    if not shown.candidates:
        echo(f"no candidates: {shown.reason}")
        return
    rows = shown_table(shown).rows
    # Right candidates are always shown.
    kept = [row for row, candidate in zip(rows, shown.candidates, strict=True) if candidate.right]
    kept = rows[:limit] + [row for row in kept if row not in rows[:limit]]
    right = sum(candidate.right is True for candidate in shown.candidates)
    judged = any(candidate.right is not None for candidate in shown.candidates)
    echo(f"{len(rows):,} candidates" + (f", {right:,} equivalent to gold" if judged else ""))
    print_table(shown_table(shown).head, kept)
    if len(kept) < len(rows):
        echo(f"... and {len(rows) - len(kept):,} more")
