"""Settings: flags over a file over defaults, and errors that help."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.errors import ConfigError
from weaksup.pipeline.config import PipelineConfig, merge_config, read_config, write_config


def test_flags_come_before_the_file_and_the_file_before_defaults(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('ranker = "beam"\nseed = 7\n')
    config = merge_config(tmp_path / "run.toml", {"seed": 8, "epochs": None})
    assert (config.ranker, config.seed, config.epochs, config.plan) == ("beam", 8, None, "full")


def test_an_unknown_key_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('rankr = "beam"\n')
    with pytest.raises(ConfigError, match="unknown key 'rankr'; did you mean ranker"):
        merge_config(tmp_path / "run.toml", {})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("seed = ", "is not TOML"),
        ('seed = "x"', "seed can't be 'x'; expected int"),
        ('ranker = "best"', "ranker can't be 'best'; one of em, beam"),
        ('compare = ["best"]', "unknown arm 'best'"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(ConfigError, match=complaint):
        merge_config(tmp_path / "run.toml", {})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        merge_config(tmp_path / "none.toml", {})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    config = PipelineConfig(data="math23k", path='a "quoted" \\ path/数据.json', epochs=2.5, compare=("random", "gold"))
    write_config(tmp_path / "config.toml", config)
    assert read_config(tmp_path / "config.toml") == config
