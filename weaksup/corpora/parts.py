"""The split of a corpus that all commands share: by id lists, published parts, folds, or the corpus' own rule.

Solvers are trained on the train part; accuracy on the valid part, of which only the answers are read, selects the
weights to keep.  If a split has no valid part (folds of MAWPS, published train and test files), a tenth of train is
held out, always the same one.
"""

from __future__ import annotations

from typing import NamedTuple

from mathcanon.files import AnyPath

from ..errors import ConfigError
from ..records import Problem
from . import Corpus
from .splits import Split, shuffle_problems, split
from .stories import story_split

__all__ = ["Division", "divide", "split_corpus"]


def split_corpus(corpus: Corpus, *, file: AnyPath | None = None, folds: int | None = None, fold: int = 0) -> Split:
    """The split of a corpus into train, valid and test.

    Parameters
    ----------
    corpus
        The corpus to split.
    file
        A published split or list of folds, as JSON.
    folds, fold
        Cut the corpus into this many folds by a fixed seed, and use one of them as the test part.

    Returns
    -------
    Split
        The problems by part.  Without `file` and `folds`, the split is the published one of the corpus, for stories one
        by scheme, else 80/10/10 by a fixed seed.
    """
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


class Division(NamedTuple):
    """The problems to train on and those to validate with."""

    train: list[Problem]
    valid: list[Problem]
    held_out: bool  # whether valid was taken out of the train part


def divide(split: Split, *, valid_part: str = "valid") -> Division:
    """The train and the valid problems of a split; without a valid part, a tenth of train is held out for it."""
    if not split.get("train"):
        raise ConfigError(f"{split} has no problems to train on")
    if valid_part == "train":
        raise ConfigError("the train part can't be the valid part too")
    if split.get(valid_part):
        return Division(split["train"], split[valid_part], held_out=False)
    if valid_part != "valid":
        raise ConfigError(f"{split.name} has no part {valid_part!r}; it has {', '.join(split)}")
    train = split["train"]
    out = {problem.id for problem in shuffle_problems(train, seed=0)[: len(train) // 10]}
    kept = [problem for problem in train if problem.id not in out]
    return Division(kept, [problem for problem in train if problem.id in out], held_out=True)
