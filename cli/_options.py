"""Options that many commands share: the corpus, the part of it, paths, --json and --force."""

from __future__ import annotations

import functools
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TextIO, TypeVar, cast, get_args, get_type_hints

import click

from mathcanon.files import bounded_lines, is_named_pipe
from weaksup.errors import DataError
from weaksup.settings import Fold, Folds, Memory, ReadingOptions, Seed, SourceOptions, given_options

from ._arguments import ByteSize, in_range
from ._progress import working
from ._terminal import warn

if TYPE_CHECKING:
    from weaksup.corpora import Corpus
    from weaksup.corpora.splits import Split
    from weaksup.records import Problem
    from weaksup.storage.run_origin import RunOrigin

__all__ = [
    "DATA_OPTION",
    "FILE",
    "FOLDER",
    "PATH_OPTION",
    "PLACE",
    "SPLIT_FILE_OPTION",
    "STRICT_OPTION",
    "Part",
    "Source",
    "TextInput",
    "corpus_notices",
    "described",
    "force_option",
    "json_option",
    "memory_option",
    "option_name",
    "part_options",
    "reading_options",
    "source_options",
    "story_seed_option",
    "text_lines",
    "with_options",
]

F = TypeVar("F", bound=Callable[..., Any])


class _Named(click.Path):
    """A path that must not be empty, because "" would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(value, param, ctx) if value else self.fail("The name is empty.", param, ctx)


#: Types of arguments and options: a file, a folder, or either, for reading or writing.
FILE = _Named(dir_okay=False, path_type=Path)
FOLDER = _Named(file_okay=False, path_type=Path)
PLACE = _Named(path_type=Path)


class Described(Protocol):
    """An entry of a table of choices, with a short description."""

    @property
    def about(self) -> str: ...


def described(table: Mapping[str, Described]) -> str:
    """The choices of a table with their descriptions, for the help of an option."""
    return ", ".join(f"{name} ({line.about})" for name, line in table.items())


class TextInput(click.File):
    """A text input: a file, - for stdin, or the shell's <(...); decompressed if it is gzip."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value != "-" and is_named_pipe(value):
            self.fail(f"'{value}' is a named pipe, which may have no writer: use - and redirect it", param, ctx)
        file: Any = super().convert(value, param, ctx)
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        return io.TextIOWrapper(
            cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file, "utf-8", "surrogateescape"
        )


def text_lines(file: TextIO) -> Iterator[tuple[int, str]]:
    """Each line of a `TextInput` that is not blank, with its number."""
    try:
        for number, line in bounded_lines(file, file.name):
            line = (line.removeprefix("\ufeff") if number == 1 else line).strip()  # without a byte-order mark
            if line:
                yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"damaged gzip data: {error}", path=file.name) from error


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def force_option(command: F) -> F:
    return click.option("--force", is_flag=True, help="Replace an existing file.")(command)


def memory_option(command: F) -> F:
    return click.option(
        "--memory",
        type=ByteSize(Memory),
        metavar="SIZE",
        help="Memory of each search process for hits and candidates, such as 500MB or 2GB.  A stage that needs more "
        "for a problem is left out for this problem.  [default: 1GB]",
    )(command)


_LARGE = 5_000_000  # bytes; reading a file of this size takes more than a moment
_NAMED = 5  # ids in a notice


def corpus_notices(corpus: Corpus, *, brief: bool = False) -> Iterator[str]:
    """What a user should know about a corpus: skipped problems and, unless `brief`, answers that were interpreted."""
    if corpus.skipped:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in corpus.skipped_by_reason.items())
        yield f"{len(corpus.skipped):,} problems of {corpus.name} skipped: {reasons}"
    if (found := corpus.interpreted_answers) and not brief:
        examples = ", ".join(f"{problem.id} ({problem.answer_text} as {problem.answer})" for problem in found[:_NAMED])
        more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
        yield f"{len(found):,} answers with a unit, separators or a percent sign were read as numbers: {examples}{more}"


@dataclass(frozen=True)
class Source:
    """The options that select a corpus and how to read it."""

    data: str | None
    path: Path | None
    reading: SourceOptions
    strict: bool
    is_known: bool = False  # whether an earlier command read the same corpus, and told what the user should know

    @property
    def options(self) -> dict[str, Any]:
        """The reading options that were given."""
        return given_options(self.reading, SourceOptions)

    def read(self) -> Corpus:
        """The corpus, after telling the user what was skipped and which answers were interpreted."""
        from weaksup.corpora import read_corpus

        size = self.path.stat().st_size if self.path is not None and self.path.is_file() else 0
        with working(f"reading {self.path}") if size > _LARGE else nullcontext():
            corpus = read_corpus(self.data, self.path, strict=self.strict, **self.options)
        for line in corpus_notices(corpus, brief=self.is_known):
            warn(line)
        return corpus

    @property
    def inferred(self) -> Source:
        """The same with the name of the corpus, as the file shows it."""
        from weaksup.corpora import infer_corpus

        return self if self.data or self.path is None else replace(self, data=infer_corpus(self.path))

    def behind(self, file: Path) -> Source:
        """The corpus that `file` was made from, according to its sidecar, unless the options select another."""
        from weaksup.storage.provenance import run_info_path
        from weaksup.storage.run_origin import read_run_origin

        made = read_run_origin(run_info_path(file))
        if made is None and self.data is None and self.path is None and file.exists():
            warn(f"{file} does not say which corpus it was made from; using stories (choose another with --data)")
        return self.of_run(made)

    def of_run(self, made: RunOrigin | None) -> Source:
        """The corpus that a run read, unless the options select another."""
        if made is None or made.corpus is None or self.data not in (None, made.corpus.name):
            return self
        if self.data is None and self.path is not None and self._has_own_format(made.corpus.name):
            return self.inferred
        path = None if made.source is None else Path(made.source)
        reading = SourceOptions(**{**given_options(made.corpus, SourceOptions), **self.options})
        return Source(made.corpus.name, self.path or path, reading, self.strict, is_known=True)

    def _has_own_format(self, other: str) -> bool:
        """Whether the path leads to a user's own data in another format than `other`."""
        from weaksup.corpora import READERS

        data = self.inferred.data
        return data is not None and data != other and READERS[data].is_own_data


def option_name(field: str) -> str:
    """The option of the command line for a field of `SourceOptions`."""
    return "--story-seed" if field == "seed" else f"--{field.replace('_', '-')}"


def reading_options(kind: type[ReadingOptions]) -> list[Callable[[F], F]]:
    """A click option for each field of `kind`."""
    hints = get_type_hints(kind, include_extras=True)
    return [_reading_option(option_name(name), get_args(hints[name])[0]) for name in kind.__struct_fields__]


def _reading_option(name: str, declared: Any) -> Callable[[F], F]:
    of, *metas = get_args(declared)
    help = metas[-1].description
    if of is bool:
        return click.option(f"{name}/--no-{name.removeprefix('--')}", default=None, help=help)
    if of is str:
        return click.option(name, metavar=metas[-1].title, help=help)
    return click.option(name, type=in_range(declared), help=help)


DATA_OPTION = click.option(
    "--data",
    metavar="SET",
    help="The corpus or format, see mwp-weak data list.  [default: as --path shows; stories without it]",
)
PATH_OPTION = click.option("--path", type=PLACE, help="The file or folder of the corpus, plain or gzip.")
STRICT_OPTION = click.option("--strict", is_flag=True, help="Fail at the first problem that can't be read.")


def story_seed_option(*, own_seed: bool) -> Callable[[F], F]:
    """--story-seed, which is also called --seed in commands without a seed of their own."""
    names = ("--story-seed",) if own_seed else ("--story-seed", "--seed")
    return click.option(*names, "story_seed", type=in_range(Seed), help="Seed of the generator (stories only).")


def source_options(command: F, *, own_seed: bool = False) -> F:
    """Add the options of `Source` to a command, which gets them as `source`; `own_seed` if it has another --seed."""

    @functools.wraps(command)
    def with_source(*args: Any, **given: Any) -> Any:
        reading = {name: given.pop(name) for name in ReadingOptions.__struct_fields__}
        options = SourceOptions(**reading, seed=given.pop("story_seed"))
        source = Source(given.pop("data"), given.pop("path"), options, given.pop("strict"))
        return command(*args, source=source, **given)

    reading = [*reading_options(ReadingOptions), story_seed_option(own_seed=own_seed)]
    return with_options(cast(F, with_source), [DATA_OPTION, PATH_OPTION, *reading, STRICT_OPTION])


def with_options(command: F, options: Sequence[Callable[[F], F]]) -> F:
    """Add several options to a command, in the order in which its help lists them."""
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True)
class Part:
    """The options that say how to split the corpus and which part to use."""

    split: str | None
    split_file: Path | None
    folds: int | None
    fold: int | None

    @property
    def options(self) -> dict[str, Any]:
        """The split options that were given."""
        given = {"split_file": self.split_file and str(self.split_file), "folds": self.folds, "fold": self.fold}
        return {name: value for name, value in given.items() if value is not None}

    def of_run(self, made: RunOrigin) -> Part:
        """The split that a run used, unless the options select another."""
        if self.split_file is not None or self.folds is not None:
            return self
        known = made.split
        file = None if known.split_file is None else Path(known.split_file)
        return Part(self.split, file, known.folds, known.fold if self.fold is None else self.fold)

    def of(self, corpus: Corpus) -> Split:
        from weaksup.corpora.parts import split_corpus

        split = split_corpus(corpus, file=self.split_file, folds=self.folds, fold=self.fold or 0)
        if self.fold is not None and f" fold {self.fold}" not in split.name:
            raise click.UsageError(f"--fold needs --folds or a --split-file with folds; the split is {split.name}")
        return split

    def problems(self, corpus: Corpus) -> tuple[list[Problem], str]:
        """The problems of the selected part, and a description of them."""
        if self.split is None:
            if self.split_file is not None or self.folds is not None:
                raise click.UsageError("--split-file and --folds need --split train, valid or test")
            return corpus.problems, f"{corpus.name}, all {len(corpus.problems):,} problems"
        parts = self.of(corpus)
        if self.split not in parts:
            raise click.BadParameter(f"{parts.name} has the parts {', '.join(parts)}", param_hint="--split")
        return parts[self.split], f"{self.split} part of {parts}"


SPLIT_FILE_OPTION = click.option("--split-file", type=PLACE, help="File with the ids of each part (split.json).")
_PARTS = (
    click.option("--split", metavar="PART", help="Use only the train, valid or test part."),
    SPLIT_FILE_OPTION,
    click.option("--folds", type=in_range(Folds), help="Number of folds for cross-validation."),
    click.option("--fold", type=in_range(Fold), help="The fold that is the test part."),
)


def part_options(command: F, *, whole: bool = False) -> F:
    """Add the options of `Part` to a command, which gets them as `part`; no --split if it uses the `whole` split."""

    @functools.wraps(command)
    def with_part(*args: Any, **given: Any) -> Any:
        if whole:
            given["split"] = None
        part = Part(**{name: given.pop(name) for name in Part.__dataclass_fields__})
        return command(*args, part=part, **given)

    return with_options(cast(F, with_part), _PARTS[1:] if whole else _PARTS)
