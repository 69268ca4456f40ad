"""Texts as word pieces of a pretrained encoder, with the place of each word among them.

A Hugging Face model folder has a tokenizer that cuts words into pieces.  The words of a problem are cut one by one, so
the piece at which each word begins is known: that is where a quantity stands for the solver, and where an edge of a
graph ends.  Numbers are read as they are written.  Pieces beyond what the encoder can read are cut off.

Nothing here runs code from the folder: its tokenizer must be one that the `tokenizers` library reads (tokenizer.json).
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mathcanon.errors import install_command

from ...errors import ConfigError
from ...records import Problem
from .graphs import Edges, Graphs

__all__ = ["PieceReader", "Pieces", "encoder_config", "from_local", "piece_reader", "quiet_transformers"]


class Pieces(NamedTuple):
    """A text as word pieces."""

    numbers: tuple[int, ...]  # of the pieces, with the special ones that the encoder expects
    starts: tuple[int | None, ...]  # for each word, its first piece; None if it has none

    def places(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """The first pieces of some words; one without a piece is represented by the first piece of the text."""
        return tuple(self.starts[word] or 0 for word in words)

    def graphs(self, given: Graphs) -> Graphs:
        """The edges between words as edges between their first pieces."""
        return Graphs(self._edges(given.comparisons), self._edges(given.cells))

    def _edges(self, edges: Edges) -> Edges:
        moved = ((self.starts[one], self.starts[other]) for one, other in edges)
        return tuple((one, other) for one, other in moved if one is not None and other is not None)


class PieceReader:
    """The tokenizer of an encoder folder."""

    def __init__(self, folder: str) -> None:
        config = encoder_config(folder)
        self.tokenizer = from_local("AutoTokenizer", folder, add_prefix_space=True)
        if not self.tokenizer.is_fast:
            raise ConfigError(f"{folder} has no tokenizer.json: save it with a fast tokenizer of transformers")
        # Some encoders count their positions from 2.
        most = (getattr(config, "max_position_embeddings", None) or 10**9) - 2
        self.most = min(most, self.tokenizer.model_max_length)

    def read(self, problem: Problem) -> Pieces:
        words = list(problem.tokens)
        found = self.tokenizer(words, is_split_into_words=True, truncation=True, max_length=self.most)
        starts: list[int | None] = [None] * len(words)
        for place, word in enumerate(found.word_ids()):
            if word is not None and starts[word] is None:
                starts[word] = place
        return Pieces(tuple(found["input_ids"]), tuple(starts))

    def save(self, folder: Path) -> None:
        self.tokenizer.save_pretrained(str(folder))


@lru_cache(maxsize=4)
def piece_reader(folder: str) -> PieceReader:
    """The tokenizer of an encoder folder, loaded once; raises `ConfigError` if there is none."""
    return PieceReader(folder)


def encoder_config(folder: str) -> Any:
    """The `transformers` configuration of an encoder folder; raises `ConfigError` if it has none."""
    return from_local("AutoConfig", folder)


def from_local(kind: str, folder: str, **options: Any) -> Any:
    """`transformers.KIND.from_pretrained` of a local folder, without network, pickles or code of the folder.

    Raises `ConfigError` if transformers is not installed or the folder does not hold what is needed.
    """
    if not os.path.isdir(folder):
        raise ConfigError(f"there is no folder {folder}: an encoder is a local folder of a Hugging Face model")
    transformers = quiet_transformers()
    try:
        return getattr(transformers, kind).from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, **options
        )
    except (OSError, ValueError, KeyError, AttributeError, ImportError, RuntimeError) as error:
        text = " ".join(str(error).split())
        raise ConfigError(f"{folder} can't be read as a Hugging Face model ({kind}): {text[:300]}") from error


def quiet_transformers() -> Any:
    """The module `transformers`, without its progress bars and messages; raises `ConfigError` if not installed."""
    try:
        import transformers
    except ImportError as error:
        raise ConfigError(f"pretrained models need transformers: {install_command('hf')}") from error
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return transformers
