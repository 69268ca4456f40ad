"""Numbers are checked where they enter, before work begins: by flags, by --set and in config files alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from mwp_cli.weak import main


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(*args: str) -> str:
    """The line of a command that refuses its input and leaves nothing behind."""
    before = sorted(Path().rglob("*"))
    result = CliRunner().invoke(main, args)
    assert (result.exit_code, result.stdout) == (2, ""), result.stderr
    assert sorted(Path().rglob("*")) == before
    (line,) = result.stderr.splitlines()
    return line


def options(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Parameter]]:
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from options(child, (*path, name))
    else:
        yield from ((f"{' '.join(path)} {option.name}", option) for option in command.params)


def test_every_number_of_every_command_has_an_upper_bound() -> None:
    found = dict(options(main))
    assert not [name for name, option in found.items() if option.type in (click.INT, click.FLOAT)]
    ranges = {name: option.type for name, option in found.items() if isinstance(option.type, click.IntRange)}
    assert len(ranges) > 40
    assert not [name for name, kind in ranges.items() if kind.min is None or kind.max is None]


@pytest.mark.parametrize(
    "args",
    [
        "train --epochs inf",
        "train --epochs nan",
        "train --epochs 1e300",
        "train --set epochs=NaN",
        "train --set epochs=Infinity",
        "train --hidden 100000",
        "train --set layers=10000000",
        "train --set hidden=1e9",
        "train --set seed=-1",
        "train --threads 100000",
        "train --learning-rate nan",
        "train --folds 1000000000",
        "pipeline --epochs inf",
        "pipeline --beam 0",
        "pipeline --folds -1",
        "baseline lbf --hidden 100000",
        "evaluate model --folds 1000000000",
        "evaluate model --tolerance 1e1000000000",
        "evaluate model --tolerance 10^400",
        "export labels.jsonl --min-posterior nan",
        "search --workers 1000000",
        "data show --size 1000000000000",
    ],
)
def test_a_number_out_of_range_is_refused_before_work_begins(args: str) -> None:
    assert re.search("range|can't be|not a number", refusal(*args.split()))


@pytest.mark.parametrize(
    "setting", ["beam = 0", "folds = -1", "epochs = nan", "epochs = inf", "hidden = 100000", "seeds = 0", "size = 1e9"]
)
def test_a_config_file_has_the_same_ranges(setting: str) -> None:
    Path("config.toml").write_text(f"{setting}\n")
    name = setting.partition(" ")[0]
    assert refusal("pipeline", "--config", "config.toml").startswith(f"error: config.toml: {name} can't be ")


@pytest.mark.parametrize(
    "args", ["--epochs 1 --set epochs=2", "--set epochs=2 --epochs 1", "--set epochs=1 --set epochs=1"]
)
def test_a_setting_given_twice_is_refused(args: str) -> None:
    assert "epochs is given twice" in refusal("train", *args.split())


def test_the_seed_may_be_set_like_any_other_setting() -> None:
    pytest.importorskip("torch")
    small = ["--size", "30", "--max-steps", "1", "--hidden", "8", "--set", "embedding=8", "--set", "min_word_count=1"]
    for folder, seed in (("one", ["--seed", "7"]), ("two", ["--set", "seed=7"])):
        result = CliRunner().invoke(main, ["train", *small, *seed, "-o", folder])
        assert result.exit_code == 0, result.stderr
    assert Path("one/config.json").read_bytes() == Path("two/config.json").read_bytes()
