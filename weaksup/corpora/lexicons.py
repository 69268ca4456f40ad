"""Lexicons: words of a language that bring a number which the text does not print, as TOML files.

`a couple of days` brings 2, `an hour` brings 60 if the text also speaks of minutes, `30%` brings 30 and 1/100:

    name = "mine"
    language = "en"                # "en": words, in any case; "zh": characters, the longest word first

    [[word]]                       # brings its value wherever it occurs
    words = ["couple", "round trip"]
    value = "2"

    [[conversion]]                 # brings its value only where a word of `whole` and one of `part` occur
    whole = ["hour", "hours"]      # the quantity stands at the first of these words
    part = ["minute", "minutes"]
    value = "60"

    [percent]                      # brings 1/100, and 30 for a printed 30%
    words = ["%", "percent"]

`implied` finds the quantities of a text; `en` and `zh` are shipped.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal

import msgspec

from ..errors import ConfigError
from ..storage.whole_files import read_file

__all__ = ["DEFAULT_LEXICON", "LEXICONS", "Conversion", "Lexicon", "Percent", "Word", "load_lexicon", "load_lexicons"]

LEXICONS = ("en", "zh")

#: For a corpus that does not say otherwise: English texts are read with the English lexicon, with which more gold
#: equations are found among fewer candidates on every English corpus tried; Chinese texts with none, because the
#: Chinese lexicon loses some on Math23K (docs/howto/implied.md has the figures).
DEFAULT_LEXICON = "en"

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Texts = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
Value = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,18}(/0*[1-9][0-9]{0,17})?$")]


class Word(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words that bring a number by themselves."""

    words: Texts
    value: Value


class Conversion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two units: `value` parts are a whole."""

    whole: Texts
    part: Texts
    value: Value


class Percent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words for a hundredth."""

    words: Texts


class Lexicon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words of one language that bring a number; the docstring of the module explains the fields."""

    name: Text
    language: Literal["en", "zh"]
    about: str = ""
    word: tuple[Word, ...] = ()
    conversion: tuple[Conversion, ...] = ()
    percent: Percent | None = None


def load_lexicons(name_or_path: str) -> Mapping[str, Lexicon]:
    """The lexicons to use, by language: all that are shipped for "auto", nothing for "none", else one.

    >>> list(load_lexicons("auto")), list(load_lexicons("zh")), list(load_lexicons("none"))
    (['en', 'zh'], ['zh'], [])
    """
    if name_or_path == "none":
        return {}
    names = LEXICONS if name_or_path == "auto" else (name_or_path,)
    lexicons = [load_lexicon(name) for name in names]
    return {lexicon.language: lexicon for lexicon in lexicons}


@lru_cache(maxsize=16)
def load_lexicon(name_or_path: str) -> Lexicon:
    """One of `LEXICONS`, or the lexicon in a TOML file.

    Parameters
    ----------
    name_or_path
        A name in `LEXICONS`, or the path of a TOML file.

    Returns
    -------
    Lexicon
        The lexicon.

    Raises
    ------
    ConfigError
        If there is no such lexicon, or the file is invalid.

    Examples
    --------
    >>> load_lexicon("en").language
    'en'
    """
    if name_or_path in LEXICONS:
        return _read(files(__package__).joinpath(f"lexicon_{name_or_path}.toml").read_bytes(), name_or_path)
    if not name_or_path.endswith(".toml"):
        known = ", ".join(("auto", "none", *LEXICONS))
        raise ConfigError(f"unknown lexicon {name_or_path!r}; one of {known}, or a .toml file")
    return _read(read_file(name_or_path), name_or_path)


def _read(source: bytes, where: str) -> Lexicon:
    try:
        lexicon = msgspec.convert(tomllib.loads(source.decode()), Lexicon)
    except UnicodeDecodeError:
        raise ConfigError(f"{where}: not UTF-8 text") from None
    except RecursionError:
        raise ConfigError(f"{where}: lists or tables are nested too deeply") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise ConfigError(f"{where}: {str(error).splitlines()[0]}") from None
    for value in [word.value for word in lexicon.word] + [pair.value for pair in lexicon.conversion]:
        if Fraction(value) == 0:
            raise ConfigError(f"{where}: the value {value} of an entry is 0")
    return lexicon
