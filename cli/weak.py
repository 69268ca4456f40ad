"""`mwp-weak`: from questions and answers to candidate equations and labels, from the command line.

Everything heavy is imported inside the commands: `mwp-weak --help` loads no numpy, numba or torch.
"""

from __future__ import annotations

import functools
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import mathcanon as mc

from ._output import YES, Commands, Progress, print_json, print_table, warn

if TYPE_CHECKING:
    from weaksup.corpora import Corpus
    from weaksup.corpora.splits import Split
    from weaksup.records import Problem

__all__ = ["main"]

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False, path_type=Path)


def _json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


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


# --- which corpus, which part of it -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """The options that say what to read."""

    data: str
    path: Path | None
    number_words: bool | None
    segmenter: str | None
    subset: str | None
    size: int | None
    seed: int | None
    language: str | None
    strict: bool

    @property
    def options(self) -> dict[str, Any]:
        """Those that were given and change what is read."""
        given = asdict(self)
        return {
            name: value for name, value in given.items() if name not in ("data", "path", "strict") and value is not None
        }

    def read(self) -> Corpus:
        from weaksup.corpora import read_corpus

        corpus = read_corpus(self.data, self.path, strict=self.strict, **self.options)
        if corpus.skipped:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in corpus.skipped_by_reason.items())
            warn(f"{len(corpus.skipped):,} problems of {self.data} skipped: {reasons} (mwp-weak data show lists them)")
        return corpus


_READING = (
    click.option("--path", type=click.Path(path_type=Path), help="The file or folder of the corpus; gzip is unpacked."),
    click.option("--number-words/--no-number-words", default=None, help="Whether words such as two are quantities."),
    click.option("--segmenter", metavar="NAME", help="Cut the text anew: english, characters or rjieba."),
    click.option("--subset", metavar="NAME", help="Of asdiv: a for ASDiv-A."),
    click.option("--size", type=click.IntRange(min=0), help="How many stories (of stories only)."),
    click.option("--seed", type=int, help="Which stories (of stories only)."),
    click.option("--language", metavar="en|zh", help="Stories of one language."),
    click.option("--strict", is_flag=True, help="Stop at the first problem that can't be read, with file and line."),
)
_DATA = click.option("--data", metavar="SET", default="stories", show_default=True, help="See mwp-weak data list.")


def _source_options(command: F, *, with_data: bool = True) -> F:
    """Give a command the options of `Source` and pass it as `source`."""

    @functools.wraps(command)
    def with_source(*args: Any, **given: Any) -> Any:
        source = Source(**{name: given.pop(name) for name in Source.__dataclass_fields__})
        return command(*args, source=source, **given)

    wrapped: Any = with_source
    for option in reversed((_DATA, *_READING) if with_data else _READING):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Part:
    """The options that say how to split, and which part to take."""

    split: str | None
    split_file: Path | None
    folds: int | None
    fold: int

    def of(self, corpus: Corpus) -> Split:
        from weaksup.corpora.splits import Split, split
        from weaksup.corpora.stories import story_split

        if corpus.name == "stories" and self.split_file is None and self.folds is None:
            return Split("stories 70/15/15 by scheme", story_split(corpus.problems))
        return split(
            corpus.problems,
            corpus=corpus.name,
            file=self.split_file,
            parts=corpus.parts if self.folds is None else None,
            folds=self.folds,
            fold=self.fold,
            skipped=corpus.skipped,
        )

    def problems(self, corpus: Corpus) -> tuple[list[Problem], str]:
        """The problems of the part that was asked for, and what they are called."""
        if self.split is None:
            if self.split_file is not None or self.folds is not None:
                raise click.UsageError("--split-file and --folds need --split train, valid or test")
            return corpus.problems, f"{corpus.name}, all {len(corpus.problems):,} problems"
        parts = self.of(corpus)
        if self.split not in parts:
            raise click.BadParameter(f"{parts.name} has the parts {', '.join(parts)}", param_hint="--split")
        return parts[self.split], f"{self.split} part of {parts}"


_PARTS = (
    click.option("--split", metavar="PART", help="Only the train, valid or test part."),
    click.option("--split-file", type=click.Path(path_type=Path), help="The id lists of the parts (split.json)."),
    click.option("--folds", type=int, help="Split by cross-validation with so many folds."),
    click.option("--fold", type=int, default=0, help="Which fold is the test part."),
)


def _part_options(command: F) -> F:
    """Give a command the options of `Part` and pass it as `part`."""

    @functools.wraps(command)
    def with_part(*args: Any, **given: Any) -> Any:
        part = Part(**{name: given.pop(name) for name in Part.__dataclass_fields__})
        return command(*args, part=part, **given)

    wrapped: Any = with_part
    for option in reversed(_PARTS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


# --- data -------------------------------------------------------------------------------------------------------------


@main.group()
def data() -> None:
    """The corpora: which there are, and what is in a file.

    \b
    mwp-weak data list
    mwp-weak data show
    """


@data.command("list")
@_json_option
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
@functools.partial(_source_options, with_data=False)
@_part_options
@click.option("--id", "wanted", help="One problem, whole.")
@click.option("--limit", type=click.IntRange(min=0), default=3, show_default=True, help="How many problems to show.")
@_json_option
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
    """The problem with its quantities marked: `Tom has [N0: 3] apples`."""
    click.echo(f"{problem.id}: {_marked(problem)}")
    gold = problem.gold or f"none ({problem.gold_missing or 'not in the corpus'})"
    click.echo(f"  answer {problem.answer}, gold {gold}")


def _marked(problem: Problem) -> str:
    pieces, at = [], 0
    for i, quantity in enumerate(problem.quantities):
        value = "" if quantity.surface == quantity.value else f" = {quantity.value}"
        pieces += [problem.text[at : quantity.start], f"[N{i}: {quantity.surface}{value}]"]
        at = quantity.end
    return "".join([*pieces, problem.text[at:]])


# --- search -----------------------------------------------------------------------------------------------------------


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@main.command()
@_source_options
@click.option("-o", "--output", type=_FILE, default="candidates.jsonl", show_default=True, help="JSON Lines, or .gz.")
@click.option(
    "--plan", default="full", show_default=True, metavar="PLAN", help="full, paper, released, or a .toml file."
)
@click.option("--limit", type=click.IntRange(min=1), help="Keep the simplest so many candidates of a problem.")
@click.option("--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True,
              help="Processes of this machine, or a Dask cluster.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="How many processes; by default one a core.")
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster; without it, Dask runs on this machine.")
@click.option("--overwrite", is_flag=True, help="Replace an output that was made with other settings.")
@_json_option
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
