"""Every run is commands that `mwp-weak` understands."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from mwp_cli.weak import main as mwp_weak
from reproduce.place import HERE, SHOWN, Place
from reproduce.runs import RUNS, Step, steps_of, with_needs
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
    for run in ("middle-gts-em", "middle-g2t-em"):
        (training, *_) = steps_of(run, PLACE._replace(seed=3))
        assert training.arguments[training.arguments.index("--seed") + 1] == "3"
        assert training.arguments[training.arguments.index("--labels") + 1] == "work/em-labels-seed-3/labels.jsonl"


def test_the_paper_s_rankers_share_its_candidates_and_its_draft() -> None:
    draft = steps_of("paper-draft", PLACE._replace(seed=2))[1].arguments
    trained = draft[draft.index("-o") + 1]
    for run in ("middle-gts-paper", "middle-gts-basic"):
        rank = steps_of(run, PLACE._replace(seed=2))[0].arguments
        assert rank[1] == "work/search-paper/candidates.jsonl"
        assert rank[rank.index("--model") + 1] == trained
    assert "--model" not in steps_of("middle-gts-random", PLACE)[0].arguments


def test_both_solvers_learn_the_same_labels_by_the_paper_s_method() -> None:
    rank = steps_of("middle-gts-paper", PLACE._replace(seed=2))[0].arguments
    for run in ("middle-g2t-paper", "published-gts"):
        training = steps_of(run, PLACE._replace(seed=2))[0].arguments
        assert training[training.index("--labels") + 1] == rank[rank.index("-o") + 1]


def test_the_settings_of_the_equal_run_are_those_of_a_pipeline() -> None:
    config = merge_config(HERE / "equal.toml", {})
    assert (config.data, config.preset, config.ranker, config.plan) == ("math23k", "quick", "em", "full")
    assert {*config.compare} == {"gold", "beam", "basic", "random", "single"}


def test_the_folds_differ_in_plan_and_labels_only() -> None:
    folds = {run: merge_config(HERE / f"{run}.toml", {}) for run in ("folds-em", "folds-paper", "folds-lbf-memory")}
    assert {run: config.ranker for run, config in folds.items()} == {
        "folds-em": "em",
        "folds-paper": "beam",
        "folds-lbf-memory": "lbf",
    }
    assert (folds["folds-em"].plan, folds["folds-paper"].plan) == ("full", "paper")
    for config in folds.values():
        assert (config.data, config.preset, config.solver, config.compare) == ("math23k", "quick", "gts", ())
        assert not config.answer_model and not config.equation_model


def test_runs_come_after_those_that_they_need() -> None:
    order = list(RUNS)
    assert all(order.index(need) < order.index(run) for run in RUNS for need in RUNS[run].needs)
    assert runs_of("main-results").index("em-labels") < runs_of("main-results").index("middle-g2t-em")
    assert with_needs(["middle-gts-paper"]) == ["search-paper", "paper-draft", "middle-gts-paper"]


def test_every_run_is_for_a_table() -> None:
    assert {run for table in TABLES for run in runs_of(table)} == {*RUNS}


def test_commands_that_are_shown_name_no_folder_of_a_machine() -> None:
    shown = [argument for run in RUNS for step in steps_of(run, SHOWN) for argument in step.arguments]
    assert not any(argument.startswith("/") for argument in shown)
