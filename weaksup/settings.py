"""Ranges of all numeric settings, and checks whose messages say which values are allowed.

The structs of settings are declared with these ranges, so values from TOML files, JSON files and `--set` are checked
against them, and the command line builds its options from them.  The upper bounds are far beyond useful values: they
only refuse what would exhaust the memory or never end.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from .errors import ConfigError

__all__ = [
    "BatchSize",
    "Beam",
    "Clip",
    "Count",
    "Decay",
    "Draws",
    "Epochs",
    "FilePath",
    "Fold",
    "Folds",
    "Heads",
    "Hidden",
    "Layers",
    "LearningRate",
    "Memory",
    "Natural",
    "Precision",
    "Probability",
    "ReadingOptions",
    "Rounds",
    "Seed",
    "Seeds",
    "Share",
    "Soft",
    "SourceOptions",
    "Stories",
    "Threads",
    "Walk",
    "Width",
    "Workers",
    "check_choice",
    "check_names",
    "convert_settings",
    "given_options",
]

# --- ranges -----------------------------------------------------------------------------------------------------------

Natural = Annotated[int, Meta(ge=0, le=10**9)]
Count = Annotated[int, Meta(ge=1, le=10**9)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Share = Annotated[float, Meta(ge=0, lt=1)]
Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)]
FilePath = Annotated[str, Meta(pattern=r"^[^\x00]+$")]

# Of a corpus and its parts.
Stories = Annotated[int, Meta(ge=0, le=10**6)]
Folds = Annotated[int, Meta(ge=2, le=1000)]
Fold = Annotated[int, Meta(ge=0, le=999)]

# Of a network.
Width = Annotated[int, Meta(ge=1, le=4096)]
Hidden = Annotated[int, Meta(ge=2, le=4096)]
Layers = Annotated[int, Meta(ge=1, le=16)]
Heads = Annotated[int, Meta(ge=1, le=64)]

# Of training.
Epochs = Annotated[float, Meta(gt=0, le=10**5)]
BatchSize = Annotated[int, Meta(ge=1, le=2**14)]
LearningRate = Annotated[float, Meta(gt=0, le=10)]
Decay = Annotated[float, Meta(ge=0, le=10)]
Clip = Annotated[float, Meta(ge=0, le=10**6)]
Walk = Annotated[int, Meta(ge=0, le=10**4)]
Draws = Annotated[int, Meta(ge=2, le=1000)]
Soft = Literal["none", "expected", "marginal"]  # how the loss weights the several equations of a problem
Precision = Literal["auto", "fp32", "bf16"]  # of the network in training; auto: bf16 on CUDA, else fp32
Rounds = Annotated[int, Meta(ge=0, le=100)]
Seeds = Annotated[int, Meta(ge=1, le=1000)]
Beam = Annotated[int, Meta(ge=1, le=100)]

# Of the machine.
Threads = Annotated[int, Meta(ge=1, le=256)]
Workers = Annotated[int, Meta(ge=1, le=256)]
Memory = Annotated[int, Meta(ge=10**8, le=10**15)]  # bytes; with less, a search has no room for hits


# --- reading a corpus -------------------------------------------------------------------------------------------------


def _told(help: str, metavar: str | None = None) -> Meta:
    """The help text of an option and the placeholder for its value."""
    return Meta(description=help, title=metavar)


class ReadingOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to read a corpus; None means the default of the corpus.  `corpora.READERS` lists the options of each corpus.

    A new option is one line here: the commands, the pipeline and the sidecar files take it from this struct.
    """

    number_words: Annotated[bool, _told("Whether number words such as two are quantities.")] | None = None
    segmenter: Annotated[str, _told("Tokenize the text with english, characters or rjieba.", "NAME")] | None = None
    text_field: Annotated[str, _told("Field of the text, or several: body+question (own data).", "NAME")] | None = None
    answer_field: Annotated[str, _told("Field of the answer (own data).", "NAME")] | None = None
    gold_field: Annotated[str, _told("Field of the gold equation, if any (own data).", "NAME")] | None = None
    id_field: Annotated[str, _told("Field of the id (own data).", "NAME")] | None = None
    lexicon: (
        Annotated[str, _told("Words that imply a quantity: auto, none, en, zh or a .toml file.", "NAME")] | None
    ) = None
    subset: Annotated[str, _told("Subset of asdiv: all, or a for ASDiv-A.", "NAME")] | None = None
    language: Annotated[str, _told("Language of the stories (stories only).", "en|zh")] | None = None
    size: Annotated[Stories, _told("Number of problems (stories only).")] | None = None


class SourceOptions(ReadingOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`ReadingOptions` and the seed of the stories, for commands that have no other seed."""

    seed: Annotated[Seed, _told("Seed of the generator (stories only).")] | None = None


# --- settings ---------------------------------------------------------------------------------------------------------

T = TypeVar("T", bound=msgspec.Struct)

_PLACE = re.compile(r"(?P<what>.*) - at `\$\.(?P<name>\w+)`")


def check_names(given: Iterable[str], known: Iterable[str], *, what: str = "setting") -> None:
    """Raise `ConfigError` for the first unknown name; the message suggests the closest known one."""
    known = list(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; one of {', '.join(known)}"
            raise ConfigError(f"unknown {what} {name!r}{hint}")


def given_options(settings: msgspec.Struct, kind: type[ReadingOptions]) -> dict[str, Any]:
    """The options of `kind` that are set in `settings`, that is, not None."""
    return {name: value for name in kind.__struct_fields__ if (value := getattr(settings, name)) is not None}


def check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    """Raise `ConfigError` if the value of the setting `name` is not one of the choices."""
    if value not in (known := list(choices)):
        raise ConfigError(f"{name} can't be {value!r}; one of {', '.join(known)}")


def convert_settings(values: Mapping[str, Any], kind: type[T]) -> T:
    """The settings as a struct of type `kind`; `ConfigError` if a value is not allowed.

    >>> class Settings(msgspec.Struct):
    ...     size: Literal["small", "large"] = "small"
    >>> convert_settings({"size": "huge"}, Settings)
    Traceback (most recent call last):
    weaksup.errors.ConfigError: size can't be 'huge'; one of small, large
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(_explained(error, values, kind)) from error


def _explained(error: msgspec.ValidationError, values: Mapping[str, Any], kind: type[msgspec.Struct]) -> str:
    found = _PLACE.fullmatch(str(error))
    if found is None or found["name"] not in values:
        return str(error)
    name = found["name"]
    choices = _choices(get_type_hints(kind)[name])
    wanted = f"one of {', '.join(choices)}" if choices else found["what"].replace("`", "").lower()
    return f"{name} can't be {values[name]!r}; {wanted}"


def _choices(hint: Any) -> list[str]:
    """The allowed values of a setting, if its type lists them."""
    return [str(choice) for choice in get_args(hint)] if get_origin(hint) is Literal else []
