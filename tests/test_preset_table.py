"""The table of presets in docs/howto/train.md says what the presets are."""

from __future__ import annotations

import re
from pathlib import Path

import click
import msgspec
from mwp_cli.weak import main

from weaksup.solvers.presets import PRESETS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "howto" / "train.md"
ORDER = ("small", "quick", "cpu", "paper")


def preset_table() -> str:
    """The settings of all presets as a Markdown table."""
    columns = [
        [*msgspec.structs.asdict(solver).items(), *msgspec.structs.asdict(train).items()]
        for solver, train in map(PRESETS.__getitem__, ORDER)
    ]
    lines = [f"| setting | {' | '.join(ORDER)} |", f"|---|{'---|' * len(ORDER)}"]
    for cells in zip(*columns, strict=True):
        name = cells[0][0]
        if name not in ("solver", "seed"):  # options of their own, the same in all
            lines.append(f"| `{name}` | {' | '.join(_shown(value) for _, value in cells)} |")
    return "\n".join(lines)


def _shown(value: object) -> str:
    return (
        "none"
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def test_the_help_of_the_option_names_them() -> None:
    option = next(option for option in main.commands["train"].params if option.name == "preset")
    assert isinstance(option, click.Option) and option.help is not None
    assert set(re.findall("[a-z]+", option.help.partition(".")[0])) - {"or"} == set(PRESETS)


def test_the_table_of_presets_is_that_of_the_code() -> None:
    assert sorted(ORDER) == sorted(PRESETS)
    assert preset_table() in PAGE.read_text("utf-8"), f"put this table into {PAGE.name}:\n{preset_table()}"
