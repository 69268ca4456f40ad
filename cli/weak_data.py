"""`mwp-weak data`: list the corpora, and show what is in one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weaksup.settings import Natural

from ._arguments import in_range
from ._options import FILE, Part, Source, force_option, json_option, option_name, part_options, source_options
from ._output import print_json, print_table
from ._terminal import echo

if TYPE_CHECKING:
    from weaksup.records import Problem

__all__ = ["data"]

_IDS = 10  # ids shown without --ids


@click.group()
def data() -> None:
    """List the corpora, and show what is in one.

    \b
    mwp-weak data list
    mwp-weak data show
    """


@data.command("list")
@json_option
def data_list(as_json: bool) -> None:
    """List every corpus that can be read, with its files and options.

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
                    "files": reader.file_names,
                    "options": sorted(reader.options),
                }
                for name, reader in READERS.items()
            ]
        )
        return
    for name, reader in READERS.items():
        echo(f"{name:<11}{reader.about}")
        files = ", ".join(reader.file_names)
        options = ", ".join(map(option_name, sorted(reader.options)))
        echo(f"{'':<11}{'files: ' + files if files else 'no file needed'}; options: {options}")


@data.command("show")
@click.argument("name", metavar="[SET]", required=False)
@source_options
@part_options
@click.option("--id", "wanted", help="Show only the problem with this id.")
@click.option("--ids", "only_ids", is_flag=True, help="Print only the ids of the problems, one per line.")
@click.option("--limit", type=in_range(Natural), default=3, show_default=True, help="Number of problems to show.")
@click.option(
    "--graph",
    "picture",
    type=FILE,
    help="Draw the G2T input graph of one problem (--id, else the first) to this .png or .svg.",
)
@force_option
@json_option
def data_show(
    name: str | None,
    source: Source,
    part: Part,
    wanted: str | None,
    only_ids: bool,
    limit: int,
    picture: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show a corpus: its size, skipped problems with reasons, quantities per problem, ids, and the first problems.

    SET is the same as --data.

    \b
    mwp-weak data show
    mwp-weak data show --path mine.csv --text-field story
    mwp-weak data show math23k --path Math_23K.json --split-file split.json --limit 5
    mwp-weak data show stories --id story-00003
    mwp-weak data show stories --id story-00003 --graph story.png
    """
    if name is not None and source.data not in (None, name):
        raise click.UsageError(f"SET is {name} and --data is {source.data}: give one of them")
    source = replace(source, data=name or source.data)
    corpus = source.read()
    if picture is not None:
        from weaksup.storage.provenance import check_output

        check_output(picture, inputs=[*corpus.paths, part.split_file], force=force)
        problems = part.problems(corpus)[0]
        if wanted is None and not problems:
            raise click.UsageError("there is no problem to draw")
        _draw_graph(problems[0] if wanted is None else corpus.problem(wanted), picture, as_json)
        return
    if wanted is not None:
        problem = corpus.problem(wanted)
        print_json(problem) if as_json else _print_problem(problem)
        return
    parts = part.of(corpus)
    problems = corpus.problems if part.split is None else part.problems(corpus)[0]
    ids = [problem.id for problem in problems]
    if only_ids:
        print_json(ids) if as_json else echo("\n".join(ids))
        return
    quantities = dict(sorted(Counter(problem.printed for problem in problems).items()))
    shown = problems[:limit]
    if as_json:
        print_json(
            {
                "data": corpus.name,
                "paths": list(corpus.paths),
                "digest": corpus.digest,
                "problems": len(corpus.problems),
                "skipped": corpus.skipped_by_reason,
                "skipped_problems": corpus.skipped,
                "gold_missing": corpus.gold_missing,
                "quantities": {str(number): count for number, count in quantities.items()},
                "split": {"name": parts.name, "sizes": parts.sizes},
                "interpreted_answers": {problem.id: problem.answer_text for problem in corpus.interpreted_answers},
                "ids": ids,
                "examples": shown,
            }
        )
        return
    echo(f"{corpus.name}: {len(corpus.problems):,} problems, {len(corpus.skipped):,} skipped")
    if source.path is not None and source.path.is_dir():
        echo(f"  read: {', '.join(corpus.paths)}")
    for reason, count in corpus.skipped_by_reason.items():
        lost = [skipped.id for skipped in corpus.skipped if skipped.reason == reason]
        echo(f"  skipped, {reason}: {count:,} ({', '.join(lost[:10])}{', ...' if count > 10 else ''})")
    for reason, count in corpus.gold_missing.items():
        echo(f"  without gold, {reason}: {count:,}")
    echo(f"split {parts}\n")
    if part.split is not None:
        echo(f"{part.split} part")
    total = max(1, len(problems))
    rows = [(number, count, f"{count / total:.1%}") for number, count in quantities.items()]
    print_table(("quantities", "problems", "share"), rows)
    if ids:
        named = ", ".join(ids if len(ids) <= _IDS else [*ids[: _IDS - 1], "...", ids[-1]])
        echo(f"\nids: {named}" + (" (all of them: --ids)" if len(ids) > _IDS else ""))
    for problem in shown:
        echo()
        _print_problem(problem)


def _draw_graph(problem: Problem, picture: Path, as_json: bool) -> None:
    from weaksup.report.graph_drawing import draw_graph
    from weaksup.solvers.data.graphs import make_graphs

    stands_for = draw_graph(problem, picture)
    if as_json:
        graphs = make_graphs(problem)
        edges = {"comparisons": graphs.comparisons, "cells": graphs.cells}
        print_json({"problem": problem, "picture": str(picture), **edges, "labels": stands_for})
        return
    _print_problem(problem)
    echo(f"  its graph: {picture}")
    if stands_for:
        echo("  no installed font has these letters; in the picture they are")
        for label, word in stands_for.items():
            echo(f"  {label:>5} {word}")


def _print_problem(problem: Problem) -> None:
    from weaksup.measure.cases import marked_text

    echo(f"{problem.id}: {marked_text(problem)}")
    gold = problem.gold or f"none ({problem.gold_missing or 'not in the corpus'})"
    echo(f"  answer {problem.answer}, gold {gold}")
