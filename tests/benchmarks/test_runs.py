"""Every run is commands that `mwp-weak` understands."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from mwp_cli.weak import main as mwp_weak
from reproduce.place import HERE, SHOWN, Place
from reproduce.runs import RUNS, Step, steps_of
from reproduce.tables import TABLES, runs_of

from weaksup.pipeline.config import merge_config

PLACE = Place(Path("work"), Path("data"))
EVERY_STEP = [(run, step) for run in RUNS for step in steps_of(run, PLACE)]


@pytest.mark.parametrize(("run", "step"), EVERY_STEP, ids=lambda given: getattr(given, "closing", given))
def test_the_command_line_takes_the_arguments_of_each_step(run: str, step: Step) -> None:
    command: click.Command = mwp_weak
    context = click.Context(command)
    arguments = list(step.arguments)
    while isinstance(command, click.Group):
        found = command.get_command(context, arguments.pop(0))
        assert found is not None
        command = found
    command.make_context(command.name, arguments)  # an unknown option or value is a UsageError


def test_each_step_leaves_a_file_of_its_own() -> None:
    closing = [step.closing for seed in (0, 1) for run in RUNS for step in steps_of(run, PLACE._replace(seed=seed))]
    seeded = [step.closing for run in RUNS if not RUNS[run].seeded for step in steps_of(run, PLACE)]
    assert len(set(closing)) == len(closing) - len(seeded)


def test_seeds_reach_the_commands_and_the_labels_of_the_same_seed() -> None:
    (training, *_) = steps_of("equal-g2t-em", PLACE._replace(seed=3))
    assert training.arguments[training.arguments.index("--seed") + 1] == "3"
    assert training.arguments[training.arguments.index("--labels") + 1] == "work/equal-gts-seed-3/labels.jsonl"


def test_the_settings_of_the_equal_run_are_those_of_a_pipeline() -> None:
    config = merge_config(HERE / "equal.toml", {})
    assert (config.data, config.preset, config.ranker, config.plan) == ("math23k", "quick", "em", "full")
    assert {*config.compare} == {"gold", "beam", "basic", "random", "single"}


def test_runs_come_after_those_that_they_need() -> None:
    order = list(RUNS)
    assert all(order.index(need) < order.index(run) for run in RUNS for need in RUNS[run].needs)
    assert runs_of("main-results").index("equal-gts") < runs_of("main-results").index("long-gts-em")


def test_every_run_is_for_a_table() -> None:
    assert {run for table in TABLES for run in runs_of(table)} == {*RUNS}


def test_commands_that_are_shown_name_no_folder_of_a_machine() -> None:
    shown = [argument for run in RUNS for step in steps_of(run, SHOWN) for argument in step.arguments]
    assert not any(argument.startswith("/") for argument in shown)
