"""The options that many commands share: which corpus, which part of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ._output import warn

if TYPE_CHECKING:
    from weaksup.corpora import Corpus
    from weaksup.corpora.splits import Split
    from weaksup.files import RunInfo
    from weaksup.records import Problem

__all__ = ["FILE", "Part", "Source", "json_option", "part_options", "source_options"]

F = TypeVar("F", bound=Callable[..., Any])

#: A file to read or to write, as argument or option.
FILE = click.Path(dir_okay=False, path_type=Path)


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


@dataclass(frozen=True)
class Source:
    """The options that say what to read."""

    data: str | None
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

        corpus = read_corpus(self.data or "stories", self.path, strict=self.strict, **self.options)
        if corpus.skipped:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in corpus.skipped_by_reason.items())
            warn(f"{len(corpus.skipped):,} problems of {corpus.name} skipped: {reasons}")
        return corpus

    def behind(self, file: Path) -> Source:
        """What FILE was made from, as its sidecar tells, where the options do not say otherwise."""
        from weaksup.files import read_run_info, run_info_path

        made = read_run_info(run_info_path(file))
        if made is None and self.data is None and file.exists():
            warn(f"nothing says which corpus {file} is for (--data): taking stories")
        return self.of_run(made)

    def of_run(self, made: RunInfo | None) -> Source:
        """What a run read, where the options do not say otherwise."""
        corpus = dict(made.config.get("corpus") or {}) if made else {}
        if made is None or self.data not in (None, corpus.get("name")):
            return self
        path = None if made.source is None else Path(made.source)
        known = {"data": corpus.pop("name", None), "path": path, **corpus}
        given = {name: value for name, value in asdict(self).items() if value is not None}
        merged = {**asdict(self), **known, **given}
        return Source(**{name: merged[name] for name in asdict(self)})


_SEED = click.option("--seed", type=int, help="Which stories (of stories only).")
_READING = (
    click.option("--path", type=click.Path(path_type=Path), help="The file or folder of the corpus; gzip is unpacked."),
    click.option("--number-words/--no-number-words", default=None, help="Whether words such as two are quantities."),
    click.option("--segmenter", metavar="NAME", help="Cut the text anew: english, characters or rjieba."),
    click.option("--subset", metavar="NAME", help="Of asdiv: a for ASDiv-A."),
    click.option("--size", type=click.IntRange(min=0), help="How many stories (of stories only)."),
    _SEED,
    click.option("--language", metavar="en|zh", help="Stories of one language."),
    click.option("--strict", is_flag=True, help="Stop at the first problem that can't be read, with file and line."),
)
#: For commands that have a seed of their own.
_STORY_SEED = click.option("--story-seed", type=int, help="Which stories (of stories only).")
_DATA = click.option("--data", metavar="SET", help="The corpus, see mwp-weak data list.  [default: stories]")


def source_options(command: F, *, with_data: bool = True, own_seed: bool = False) -> F:
    """Give a command the options of `Source` and pass it as `source`; `own_seed` if it has another --seed."""

    @functools.wraps(command)
    def with_source(*args: Any, **given: Any) -> Any:
        named = {name: "story_seed" if name == "seed" and own_seed else name for name in Source.__dataclass_fields__}
        source = Source(**{name: given.pop(option) for name, option in named.items()})
        return command(*args, source=source, **given)

    wrapped: Any = with_source
    options = (_DATA, *_READING) if with_data else _READING
    for option in reversed(options):
        if option is _SEED and own_seed:
            option = _STORY_SEED
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Part:
    """The options that say how to split, and which part to take."""

    split: str | None
    split_file: Path | None
    folds: int | None
    fold: int | None

    @property
    def options(self) -> dict[str, Any]:
        """How the corpus is cut, as far as the options say."""
        given = {"split_file": self.split_file and str(self.split_file), "folds": self.folds, "fold": self.fold}
        return {name: value for name, value in given.items() if value is not None}

    def of_run(self, made: RunInfo | None) -> Part:
        """How a run cut its corpus, where the options do not say otherwise."""
        known = {} if made is None else {**(made.config.get("split") or {})}
        if self.split_file is not None or self.folds is not None:
            known = {}
        merged = {**known, **self.options}
        file = merged.pop("split_file", None)
        return Part(self.split, None if file is None else Path(file), merged.get("folds"), merged.get("fold"))

    def of(self, corpus: Corpus) -> Split:
        from weaksup.corpora.parts import split_corpus

        split = split_corpus(corpus, file=self.split_file, folds=self.folds, fold=self.fold or 0)
        if self.fold is not None and f" fold {self.fold}" not in split.name:
            raise click.UsageError(f"--fold is for folds (--folds, or a --split-file of them), not for {split.name}")
        return split

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
    click.option("--fold", type=int, help="Which fold is the test part."),
)


def part_options(command: F, *, whole: bool = False) -> F:
    """Give a command the options of `Part` and pass it as `part`; without --split if it takes the `whole` split."""

    @functools.wraps(command)
    def with_part(*args: Any, **given: Any) -> Any:
        if whole:
            given["split"] = None
        part = Part(**{name: given.pop(name) for name in Part.__dataclass_fields__})
        return command(*args, part=part, **given)

    wrapped: Any = with_part
    for option in reversed(_PARTS[1:] if whole else _PARTS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]
