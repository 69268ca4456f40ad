"""A user's own file from the command line: read, searched, shown; and -h everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mwp_cli import canon, weak

from .every_command import commands

TABLE = """nr,question,final_answer,how
a1,Ann has 12 pens and gives 5 away. How many are left?,7 pens,12-5
a2,A box holds 60 eggs. How many eggs are in 20 boxes?,"1,200",60*20
a3,A train goes 180 km in 3 hours. How fast is it?,60 km/h,180/3
a4,Who is taller?,Eve,
"""


def run(*args: object) -> Result:
    return CliRunner().invoke(weak.main, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table without gold (mine.csv) and its candidates and labels, with and without gold."""
    place = tmp_path_factory.mktemp("own")
    (place / "mine.csv").write_text(TABLE)
    for name, gold in (("gold", ["--gold-field", "how"]), ("plain", [])):
        fields = ["--path", place / "mine.csv", "--id-field", "nr", *gold]
        found = place / f"{name}.candidates.jsonl"
        assert run("search", *fields, "--plan", "paper", "--workers", 1, "-o", found).exit_code == 0
        assert run("rank", found, "-o", place / f"{name}.labels.jsonl").exit_code == 0
    return place


def test_the_answers_that_were_interpreted_are_told_once(folder: Path) -> None:
    told = run("data", "show", "--path", folder / "mine.csv", "--id-field", "nr").stderr
    assert "a1 (7 pens as 7), a2 (1,200 as 1200), a3 (60 km/h as 60)" in told and "answer-unreadable 1" in told
    assert "7 pens" not in run("oracle", folder / "plain.labels.jsonl").stderr


def test_ids_and_set_and_data(folder: Path) -> None:
    place = ["--path", folder / "mine.csv", "--id-field", "nr"]
    assert run("data", "show", *place, "--ids").stdout.split() == ["a1", "a2", "a3"]
    assert run("data", "show", "csv", *place).stdout == run("data", "show", "--data", "csv", *place).stdout
    both = run("data", "show", "csv", "--data", "tsv", *place)
    assert both.exit_code == 2 and "SET is csv and --data is tsv" in both.stderr


def test_without_gold_shares_are_unknown_not_zero(folder: Path) -> None:
    for kind in ("candidates", "labels"):
        score = json.loads(run("oracle", folder / f"plain.{kind}.jsonl", "--json").stdout)
        assert {score[name] for name in ("gold_in_set", "micro", "macro", "micro_single")} == {None}
        assert score["recall"] == 0.75  # three of the four rows
    assert "0.0" not in run("oracle", folder / "plain.labels.jsonl").stdout.partition("equation accuracy")[2]


def test_show_takes_ids_and_conditions(folder: Path) -> None:
    candidates, labels = folder / "gold.candidates.jsonl", folder / "gold.labels.jsonl"
    shown = [
        json.loads(line) for line in run("show", candidates, "--id", "a3", "--id", "a1", "--json").stdout.splitlines()
    ]
    assert [one["id"] for one in shown] == ["a3", "a1"]
    by_condition = run("show", candidates, "--labels", labels, "--where", "n=2 and (right or wrong)", "--json")
    found = [json.loads(line) for line in by_condition.stdout.splitlines()]
    assert [one["id"] for one in found] == ["a1", "a2", "a3"]
    for one in found:
        assert [candidate["chosen"] for candidate in one["candidates"]].index(True) == 0
    assert "label" in run("show", candidates, "--labels", labels, "--id", "a1").stdout
    for wrong, message in (
        (["--where", "n>>2"], "n needs a comparison"),
        (["--where", "right"], "give a label file with --labels"),
        ([], "--id"),
        (["--id", "nix"], "has no problem nix"),
    ):
        result = run("show", candidates, *wrong)
        assert result.exit_code == 2 and message in result.stderr


@pytest.mark.parametrize("name", commands())
def test_h_is_help_everywhere(name: str) -> None:
    program, *path = name.split()
    main = {"mwp-canon": canon.main, "mwp-weak": weak.main}[program]
    short, long = (CliRunner().invoke(main, [*path, option], prog_name=program) for option in ("-h", "--help"))
    assert short.exit_code == 0 and short.stdout == long.stdout
    assert short.stdout.startswith("Usage: ")


def test_an_expression_may_still_begin_with_minus_h() -> None:
    def canonical(*args: str) -> str:
        return CliRunner().invoke(canon.main, ["canonical", *args]).stdout

    assert canonical("-h+b") == "b-h\n"
    assert canonical("--", "-h") == "-h\n"
