"""The parts of a corpus as every command takes them: by id lists, published parts, folds, or the corpus' own rule."""

from __future__ import annotations

from ..files import AnyPath
from . import Corpus
from .splits import Split, split
from .stories import story_split

__all__ = ["split_corpus"]


def split_corpus(corpus: Corpus, *, file: AnyPath | None = None, folds: int | None = None, fold: int = 0) -> Split:
    """The split of a corpus: `file` and `folds` come first, then its own parts; stories are dealt out by scheme."""
    if corpus.name == "stories" and file is None and folds is None:
        return Split("stories 70/15/15 by scheme", story_split(corpus.problems))
    return split(
        corpus.problems,
        corpus=corpus.name,
        file=file,
        parts=corpus.parts if folds is None else None,
        folds=folds,
        fold=fold,
        skipped=corpus.skipped,
    )
