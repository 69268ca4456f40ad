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
            name: value
            for name, value in given.items()
            if name not in ("data", "path", "strict") and value is not None
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
@click.argument("set", metavar="[SET]", default="stories")
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
