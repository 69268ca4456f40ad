"""The options of reading are declared once: readers, commands, the pipeline and sidecars have the same."""

from __future__ import annotations

import inspect

import click
import pytest
from mwp_cli.weak import main

from weaksup.corpora import READERS, read_corpus
from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError
from weaksup.pipeline.config import PipelineConfig
from weaksup.settings import ReadingOptions, SourceOptions
from weaksup.storage.run_origin import CorpusOptions

READING_COMMANDS = ("search", "rank", "export", "oracle", "show", "pipeline", "train", "evaluate")


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_the_options_that_its_line_names(name: str) -> None:
    reader = READERS[name]
    function = read_stories if name == "stories" else reader.read
    parameters = inspect.signature(function).parameters
    assert set(parameters) - {"path", "part"} == reader.options
    assert reader.options <= set(SourceOptions.__struct_fields__)


def test_every_option_belongs_to_a_corpus() -> None:
    of_readers = set().union(*[reader.options for reader in READERS.values()])
    assert of_readers | {"lexicon"} == set(SourceOptions.__struct_fields__)  # every corpus has a lexicon
    assert "lexicon" not in of_readers


def test_commands_pipeline_and_sidecars_have_all_of_them() -> None:
    assert set(ReadingOptions.__struct_fields__) < set(PipelineConfig.__struct_fields__)
    assert set(SourceOptions.__struct_fields__) < set(CorpusOptions.__struct_fields__)
    baseline = main.commands["baseline"]
    assert isinstance(baseline, click.Group)
    names = {"data", "path", "strict", "story_seed", *ReadingOptions.__struct_fields__}
    for command in (*[main.commands[name] for name in READING_COMMANDS], *baseline.commands.values()):
        assert names <= {option.name for option in command.params}
        flags = {flag for option in command.params for flag in option.opts}
        assert {"--data", "--path", "--story-seed", "--strict", "--number-words", "--text-field"} <= flags


def test_an_option_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ConfigError, match="stories has no option colour; it has language, seed, size"):
        read_corpus("stories", colour="red")
