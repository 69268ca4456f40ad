"""`mwp-weak`: from questions and answers to candidate equations and labels, from the command line.

Everything heavy is imported inside the commands: `mwp-weak --help` loads no numpy, numba or torch.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mathcanon as mc

from ._options import Part, Source, json_option, part_options, source_options
from ._output import Commands, Progress, print_json, print_table, warn

if TYPE_CHECKING:
    from weaksup.corpora import Corpus
    from weaksup.oracle_cases import Shown
    from weaksup.oracle_tables import Table
    from weaksup.records import CandidateSet, Label, Problem

__all__ = ["main"]

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mc.__version__, prog_name="mwp-weak")
def main() -> None:
    """Math-word-problem solvers from answers alone: search equations, choose labels, measure them.

    Without --data, every command uses the embedded story problems.

    \b
    mwp-weak data show
    mwp-weak search -o candidates.jsonl
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak oracle labels.jsonl
    """


# --- data -------------------------------------------------------------------------------------------------------------


@main.group()
def data() -> None:
    """The corpora: which there are, and what is in a file.

    \b
    mwp-weak data list
    mwp-weak data show
    """


@data.command("list")
@json_option
def data_list(as_json: bool) -> None:
    """Every corpus that can be read, with its options.

    \b
    mwp-weak data list
    """
    from weaksup.corpora import READERS

    if as_json:
        print_json(
            [
                {
                    "data": name,
                    "about": reader.about,
                    "files": list(reader.files.values()),
                    "options": sorted(reader.options),
                }
                for name, reader in READERS.items()
            ]
        )
        return
    for name, reader in READERS.items():
        click.echo(f"{name:<11}{reader.about}")
        files = ", ".join(file for file in reader.files.values() if file)
        options = ", ".join(f"--{option.replace('_', '-')}" for option in sorted(reader.options))
        click.echo(f"{'':<11}{'files: ' + files if files else 'no file needed'}; options: {options}")


@data.command("show")
@click.argument("data", metavar="[SET]", default="stories")
@functools.partial(source_options, with_data=False)
@part_options
@click.option("--id", "wanted", help="One problem, whole.")
@click.option("--limit", type=click.IntRange(min=0), default=3, show_default=True, help="How many problems to show.")
@json_option
def data_show(source: Source, part: Part, wanted: str | None, limit: int, as_json: bool) -> None:
    """What is in a corpus: sizes, what was skipped and why, quantities a problem, and the first problems.

    \b
    mwp-weak data show
    mwp-weak data show math23k --path Math_23K.json --split-file split.json --limit 5
    mwp-weak data show stories --id story-00003
    """
    corpus = source.read()
    if wanted is not None:
        problem = _problem(corpus, wanted)
        print_json(_as_dict(problem)) if as_json else _print_problem(problem)
        return
    parts = part.of(corpus)
    quantities = dict(sorted(Counter(len(problem.quantities) for problem in corpus.problems).items()))
    shown = corpus.problems[:limit]
    if as_json:
        print_json(
            {
                "data": corpus.name,
                "paths": list(corpus.paths),
                "digest": corpus.digest,
                "problems": len(corpus.problems),
                "skipped": corpus.skipped_by_reason,
                "skipped_problems": [_as_dict(skipped) for skipped in corpus.skipped],
                "gold_missing": corpus.gold_missing,
                "quantities": {str(number): count for number, count in quantities.items()},
                "split": {"name": parts.name, "sizes": parts.sizes},
                "examples": [_as_dict(problem) for problem in shown],
            }
        )
        return
    click.echo(f"{corpus.name}: {len(corpus.problems):,} problems, {len(corpus.skipped):,} skipped")
    for reason, count in corpus.skipped_by_reason.items():
        ids = [skipped.id for skipped in corpus.skipped if skipped.reason == reason]
        click.echo(f"  skipped, {reason}: {count:,} ({', '.join(ids[:10])}{', ...' if count > 10 else ''})")
    for reason, count in corpus.gold_missing.items():
        click.echo(f"  without gold, {reason}: {count:,}")
    click.echo(f"split {parts}\n")
    total = max(1, len(corpus.problems))
    rows = [(number, count, f"{count / total:.1%}") for number, count in quantities.items()]
    print_table(("quantities", "problems", "share"), rows)
    for problem in shown:
        click.echo()
        _print_problem(problem)


def _problem(corpus: Corpus, wanted: str) -> Problem:
    for problem in corpus.problems:
        if problem.id == wanted:
            return problem
    for skipped in corpus.skipped:
        if skipped.id == wanted:
            why = f"{skipped.reason}: {skipped.detail}" if skipped.detail else skipped.reason
            raise click.ClickException(f"problem {wanted} was skipped: {why}")
    example = f"; the first is {corpus.problems[0].id}" if corpus.problems else ""
    raise click.ClickException(f"{corpus.name} has no problem {wanted}{example}")


def _as_dict(record: Any) -> dict[str, Any]:
    import msgspec

    return msgspec.to_builtins(record)  # type: ignore[no-any-return]


def _print_problem(problem: Problem) -> None:
    from weaksup.oracle_cases import marked_text

    click.echo(f"{problem.id}: {marked_text(problem)}")
    gold = problem.gold or f"none ({problem.gold_missing or 'not in the corpus'})"
    click.echo(f"  answer {problem.answer}, gold {gold}")


# --- search -----------------------------------------------------------------------------------------------------------


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@main.command()
@source_options
@click.option("-o", "--output", type=_FILE, default="candidates.jsonl", show_default=True, help="JSON Lines, or .gz.")
@click.option(
    "--plan", default="full", show_default=True, metavar="PLAN", help="full, paper, powers, released, or a .toml file."
)
@click.option("--limit", type=click.IntRange(min=1), help="Keep the simplest so many candidates of a problem.")
@click.option("--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True,
              help="Processes of this machine, or a Dask cluster.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="How many processes; by default one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster; without it, Dask runs on this machine.")
@click.option("--overwrite", is_flag=True, help="Replace an output that was made with other settings.")
@json_option
def search(
    source: Source,
    output: Path,
    plan: str,
    limit: int | None,
    engine: str,
    workers: int | None,
    scheduler: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Every equation that gives the answer, for each problem: JSON Lines of candidate sets.

    Interrupted and run again with the same options, it goes on where it stopped.  The output is the same whatever
    the number of workers.  --limit keeps the simplest: fewest leaves, then the earlier stage of the plan, then the
    shorter text, then by alphabet.

    \b
    mwp-weak search --size 100 -o candidates.jsonl
    mwp-weak search --data math23k --path Math_23K.json.gz --plan paper -o candidates.jsonl
    mwp-weak search --engine dask --scheduler tcp://10.0.0.1:8786 -o candidates.jsonl
    """
    from weaksup.search.plans import load_plan
    from weaksup.search.run import parts_folder, run_search

    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler is for --engine dask")
    chosen = load_plan(plan)
    corpus = source.read()
    start = time.monotonic()
    with Progress("problems") as progress:
        try:
            made = run_search(
                corpus,
                chosen,
                output,
                workers=workers or _cores(),
                engine="dask" if engine == "dask" else "local",
                scheduler=scheduler,
                limit=limit,
                options=source.options,
                source=source.path,
                overwrite=overwrite,
                progress=progress,
            )
        except KeyboardInterrupt:
            if parts_folder(output).is_dir():
                warn(f"what is finished is in {parts_folder(output)}: the same command goes on from there")
            raise
    if not progress.called:
        warn(f"{output} is complete already: nothing to do")
    seconds = time.monotonic() - start
    counts = made.counts
    if as_json:
        skipped = corpus.skipped_by_reason
        result = {"output": str(output), "data": corpus.name, "plan": chosen.name, **counts, "skipped": skipped}
        print_json({**result, "seconds": round(seconds, 3)})
        return
    share = counts["covered"] / max(1, counts["problems"])
    click.echo(f"{output}: {corpus.name}, plan {chosen.name}")
    click.echo(f"{counts['problems']:,} problems, {counts['covered']:,} covered ({share:.1%}), ", nl=False)
    click.echo(f"{counts['single']:,} with one candidate, {counts['covered'] - counts['single']:,} with several")
    click.echo(f"{counts['candidates']:,} candidates, largest set {counts['largest']:,}")


# --- what was found, against gold -------------------------------------------------------------------------------------


@main.command()
@click.argument("file", type=_FILE)
@source_options
@part_options
@click.option("--law", metavar="LAW", help="What counts as gold: value, mentioned or structure, see above.")
@click.option("--distribution", is_flag=True, help="Also how many problems have 1, 2, ... 50 candidates.")
@json_option
def oracle(file: Path, source: Source, part: Part, law: str | None, distribution: bool, as_json: bool) -> None:
    """How good the candidates or labels of FILE are, against the gold equations of the corpus.

    Without --data it is the corpus that FILE was made from.  Laws: value: the same function of the quantities, equal
    values being one variable and 0, 1 and 3.14 constants; mentioned: a 1 or 0 of the text is a variable too;
    structure: the same canonical form only, as stricter checkers do.  FILE may also hold labels of other people:
    JSON Lines with id and equation.  For Math23K the paper's figures stand beside ours, and its case study below.

    \b
    mwp-weak oracle candidates.jsonl
    mwp-weak oracle labels.jsonl --data math23k --path Math_23K.json --split-file split.json --split train
    """
    from weaksup.oracle import score_records
    from weaksup.oracle_cases import case_study
    from weaksup.oracle_files import read_scored
    from weaksup.oracle_tables import count_distribution, distribution_table, score_tables
    from weaksup.records import CandidateSet, Label

    records = read_scored(file)
    corpus = source.behind(file).read()
    problems, name = part.problems(corpus)
    ids = {problem.id for problem in problems}
    chosen = None if part.split is None else ids
    score = score_records(records, corpus.problems, part=chosen, skipped=corpus.skipped, law=law, path=str(file))
    sets = [record for record in records if isinstance(record, CandidateSet) and record.id in ids]
    labels = [record for record in records if isinstance(record, Label) and record.id in ids]
    counts = count_distribution(sets or labels)
    cases = case_study(problems, sets, law=score.law) if corpus.name == "math23k" else []
    if as_json:
        shown = [[_as_dict(problem) for problem in found] for _, found in cases]
        result = {"file": str(file), "data": corpus.name, "part": name, **_as_dict(score)}
        print_json({**result, "distribution": {str(k): count for k, count in counts.items()}, "cases": shown})
        return
    click.echo(f"{file}: {score.kind} of {name}")
    for table in score_tables(score, paper=corpus.name == "math23k"):
        _print_titled(table)
    if distribution:
        _print_titled(distribution_table(counts))
    for case, found in cases:
        for problem in found:
            click.echo(f"\ncase study: {case.about}")
            _print_shown(problem, limit=5)
    if score.without_gold:
        click.echo(f"\n{score.without_gold:,} problems have no gold equation and count for recall only")
    if score.unreadable:
        click.echo(f"\n{score.unreadable:,} equations can't be read and count as wrong")


def _print_titled(table: Table) -> None:
    click.echo(f"\n{table.title}")
    print_table(table.head, table.rows)


@main.command()
@click.argument("file", type=_FILE)
@click.option("--id", "wanted", required=True, help="Which problem.")
@click.option("--labels", type=_FILE, help="A label file, for the posteriors.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many candidates to show.")
@click.option("--law", default="value", metavar="LAW", help="What counts as gold, see mwp-weak oracle --help.")
@source_options
@json_option
def show(file: Path, wanted: str, labels: Path | None, limit: int, law: str, source: Source, as_json: bool) -> None:
    """One problem of FILE (candidates or labels): its quantities marked, and each candidate with its stage, its value,
    its posterior and whether it is equivalent to the gold equation.

    \b
    mwp-weak show candidates.jsonl --id story-00003
    mwp-weak show candidates.jsonl --id story-00003 --labels labels.jsonl
    """
    from weaksup.oracle_cases import label_posteriors, show_problem
    from weaksup.records import Candidate, CandidateSet, Label

    record = _record(file, wanted)
    problem = _problem(source.behind(file).read(), wanted)
    label = record if labels is None else _record(labels, wanted)
    posteriors = label_posteriors(label) if isinstance(label, Label) else {}
    if isinstance(record, Label):
        stages = {record.expr: record.stage}  # of the next best it is not known
        record = CandidateSet(
            id=wanted,
            values=tuple([quantity.value for quantity in problem.quantities]),
            surfaces=tuple([quantity.surface for quantity in problem.quantities]),
            answer=problem.answer,
            candidates=tuple(
                [Candidate(expr=expr, stage=stages.get(expr, ""), value=problem.answer) for expr in posteriors]
            ),
        )
    # A label is written by a rule of its own, and only the canonical form tells which candidate it is.
    believed = {mc.canonical(expr): posterior for expr, posterior in posteriors.items()}
    by_text = {candidate.expr: believed.get(mc.canonical(candidate.expr), 0.0) for candidate in record.candidates}
    shown = show_problem(problem, record, posteriors=by_text if believed else None, law=law)
    print_json(_as_dict(shown)) if as_json else _print_shown(shown, limit=limit)


def _record(file: Path, wanted: str) -> CandidateSet | Label:
    """What a file of candidates or labels has for a problem."""
    from weaksup.oracle_files import ForeignLabel, read_scored

    for record in read_scored(file):
        if str(record.id) == wanted and not isinstance(record, ForeignLabel):
            return record
    raise click.ClickException(f"{file} has no problem {wanted}")


def _print_shown(shown: Shown, *, limit: int) -> None:
    from weaksup.oracle_cases import shown_table

    click.echo(f"{shown.id}: {shown.text}")
    click.echo(f"answer {shown.answer}, gold {shown.gold or 'unknown'}")
    if not shown.candidates:
        click.echo(f"no candidates: {shown.reason}")
        return
    rows = shown_table(shown).rows
    # The one that is right is always shown.
    kept = [row for row, candidate in zip(rows, shown.candidates, strict=True) if candidate.right]
    kept = rows[:limit] + [row for row in kept if row not in rows[:limit]]
    right = sum(candidate.right is True for candidate in shown.candidates)
    click.echo(f"{len(rows):,} candidates, {right:,} equivalent to gold")
    print_table(shown_table(shown).head, kept)
    if len(kept) < len(rows):
        click.echo(f"... and {len(rows) - len(kept):,} more")


# --- labels -----------------------------------------------------------------------------------------------------------


@main.command()
@click.argument("file", type=_FILE)
@click.option("--ranker", default="em", show_default=True, metavar="NAME", help="em, random or single.")
@click.option("--model", type=click.Path(path_type=Path), help="The solver that the rankers basic and beam need.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the ranker random.")
@click.option("-o", "--output", type=_FILE, default="labels.jsonl", show_default=True, help="JSON Lines, or .gz.")
@json_option
def rank(file: Path, ranker: str, model: Path | None, seed: int, output: Path, as_json: bool) -> None:
    """One label for each problem of FILE (candidates), with its posterior: JSON Lines.

    em: the templates that explain the whole corpus best, reading neither text nor gold; random: any candidate;
    single: problems with one candidate only.

    \b
    mwp-weak rank candidates.jsonl -o labels.jsonl
    mwp-weak rank candidates.jsonl --ranker single -o labels.jsonl
    """
    from weaksup.files import (
        RunInfo,
        digest_file,
        read_records,
        read_run_info,
        run_info_path,
        versions,
        write_records,
        write_run_info,
    )
    from weaksup.rankers import RANKERS
    from weaksup.records import CandidateSet

    if model is not None or ranker in ("basic", "beam"):
        raise click.ClickException("rankers with a model (basic, beam) are not yet there; use em, random or single")
    if ranker not in RANKERS:
        raise click.ClickException(f"unknown ranker {ranker!r}; one of {', '.join(RANKERS)}")
    start = time.monotonic()
    sets = list(read_records(file, CandidateSet))
    labels = list(RANKERS[ranker](sets, seed=seed))
    write_records(output, labels)
    searched = read_run_info(run_info_path(file))
    made = RunInfo(
        schema="weaksup/labels",
        config={"corpus": searched.config.get("corpus") if searched else None, "ranker": ranker},
        input=digest_file(file),
        seed=seed,
        versions=versions(),
        output=digest_file(output),
        source=searched.source if searched else None,
        counts={"problems": len(sets), "labels": len(labels)},
    )
    write_run_info(run_info_path(output), made)
    sure = sum(label.posterior > 0.9 for label in labels)
    if as_json:
        result = {"output": str(output), "ranker": ranker, **made.counts, "posterior_above_0.9": sure}
        print_json({**result, "seconds": round(time.monotonic() - start, 3)})
        return
    click.echo(f"{output}: {len(labels):,} labels for {len(sets):,} problems by {ranker}, ", nl=False)
    click.echo(f"{sure:,} with a posterior above 0.9")


@main.command()
@click.argument("file", type=_FILE)
@source_options
@part_options
@click.option("--format", "format_", type=click.Choice(["jsonl", "csv", "chat"]), default="jsonl", show_default=True,
              help="Everything as JSON Lines, as columns, or prompt and response.")  # fmt: skip
@click.option("--min-posterior", type=click.FloatRange(0, 1), default=0.0, help="Leave out labels less sure than this.")
@click.option("-o", "--output", type=_FILE, help="A file; by default stdout.")
def export(file: Path, source: Source, part: Part, format_: str, min_posterior: float, output: Path | None) -> None:
    """The labels of FILE joined with the text of their problems: a training set for any model.

    \b
    mwp-weak export labels.jsonl --format chat --min-posterior 0.9 -o train.jsonl
    mwp-weak export labels.jsonl --format csv --split train -o train.csv
    """
    from weaksup.export import export_bytes, join_labels
    from weaksup.files import read_records, whole_file
    from weaksup.labels import filter_labels
    from weaksup.records import Label

    corpus = source.behind(file).read()
    chosen = {problem.id for problem in part.problems(corpus)[0]}
    labels = list(read_records(file, Label))
    sure = filter_labels(labels, posterior=min_posterior)
    examples = [example for example in join_labels(sure, corpus.problems) if example.id in chosen]
    pieces = export_bytes(examples, format_)
    if output is None:
        sys.stdout.buffer.writelines(pieces)
    else:
        with whole_file(output) as out:
            out.writelines(pieces)
    warn(f"{len(examples):,} of {len(labels):,} labels")
