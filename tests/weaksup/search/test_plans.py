"""Plans: what the shipped ones say, the keys of a TOML file, and one clear line for what is wrong in one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from weaksup.errors import ConfigError, DataError
from weaksup.meaning.operand_names import operand_value
from weaksup.search.operands import assignments
from weaksup.search.plans import MAX_OPERANDS, PLANS, Plan, Stage, load_plan

STAGE = '[[stage]]\nname = "all"\n'


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


# --- the shipped plans ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLANS)
def test_a_shipped_plan_has_its_name_and_says_what_it_is(name: str) -> None:
    plan = load_plan(name)
    assert plan.name == name
    assert plan.about
    assert plan.stage[0] == Stage(name="all", max_quantities=plan.stage[0].max_quantities)


def test_released_follows_the_code_of_the_authors() -> None:
    plan = load_plan("released")
    assert (plan.stop, plan.dedupe, plan.exact_tolerance, plan.as_floats) == (
        "first-match",
        "none",
        Fraction(1, 100),
        True,
    )
    assert [stage.name for stage in plan.stage] == ["all", "omit-1", "add-1", "twice"]
    names = {n: [stage.name for stage in plan.stages_for(n)] for n in range(8)}
    assert names[1] == ["all", "add-1", "twice"]
    assert names[2] == names[4] == ["all", "omit-1", "add-1", "twice"]
    assert names[5] == ["all", "omit-1"]
    assert names[0] == names[6] == names[7] == []


def test_paper_is_exact_and_goes_to_six_quantities() -> None:
    plan = load_plan("paper")
    assert (plan.stop, plan.tolerance, plan.as_floats) == ("first-match", "0", False)
    assert [stage.name for stage in plan.stages_for(6)] == ["all", "omit-1", "add-1", "add-pi", "twice"]
    assert plan.stages_for(7) == ()


def test_full_never_stops_early() -> None:
    plan = load_plan("full")
    assert (plan.stop, plan.dedupe, plan.tolerance) == ("never", "value", "0")
    assert {stage.name for stage in load_plan("paper").stage} <= {stage.name for stage in plan.stage}


@pytest.mark.parametrize("name", ["full", "powers"])
def test_a_stage_is_called_what_it_does(name: str) -> None:
    words = {"1": "add-1", "pi": "add-pi", "twice": "twice", "square": "square", "cube": "cube"}
    for stage in load_plan(name).stage:
        left_out = [f"omit-{stage.omit}"] * (stage.omit > 0)
        implied = [f"implied-{stage.implied}"] * (stage.implied > 0)
        said = " ".join([*left_out, *implied, *[words[extra] for extra in stage.extras]])
        assert stage.name == said or stage.name == "all"


def test_only_problems_with_a_lexicon_are_searched_with_implied_quantities() -> None:
    plan = load_plan("full")
    assert all(stage.lexicon for stage in plan.stage if stage.implied)
    with_lexicon = [stage.name for stage in plan.stages_for(3, 1, True)]
    assert "implied-1" in with_lexicon and "implied-2" not in with_lexicon
    assert "add-pi" not in with_lexicon and "add-pi" in [stage.name for stage in plan.stages_for(3)]


def test_a_stage_with_and_without_lexicon_may_share_a_name_but_no_problem_may_meet_it_twice(tmp_path: Path) -> None:
    stages = '[[stage]]\nname = "all"\nlexicon = true\n[[stage]]\nname = "all"\n'
    both = tmp_path / "both.toml"
    both.write_text(f'name = "both"\n{stages}lexicon = false\n')
    assert len(load_plan(str(both)).stages_for(2)) == len(load_plan(str(both)).stages_for(2, 0, True)) == 1
    both.write_text(f'name = "both"\n{stages}')
    with pytest.raises(ConfigError, match="different names"):
        load_plan(str(both))


def test_powers_begins_with_full() -> None:
    full, powers = load_plan("full"), load_plan("powers")
    assert powers.stage[: len(full.stage)] == full.stage


# --- keys of a file ---------------------------------------------------------------------------------------------------


def test_every_documented_key_is_read(tmp_path: Path) -> None:
    text = """
    name = "mine"
    about = "one line"
    stop = "first-match"
    dedupe = "position"
    tolerance = "<0.01"

    [[stage]]
    name = "omit-1"
    omit = 1
    extras = ["1", "pi", "twice", "square", "cube"]
    min_quantities = 2
    max_quantities = 5
    max_operands = 6
    """
    stage = Stage(
        name="omit-1",
        omit=1,
        extras=("1", "pi", "twice", "square", "cube"),
        min_quantities=2,
        max_quantities=5,
        max_operands=6,
    )
    expected = Plan(
        name="mine", about="one line", stop="first-match", dedupe="position", tolerance="<0.01", stage=(stage,)
    )
    assert load_plan(written(tmp_path, text)) == expected


def test_defaults_are_exact_by_value_and_to_the_end(tmp_path: Path) -> None:
    plan = load_plan(written(tmp_path, f'name = "mine"\n{STAGE}'))
    assert (plan.stop, plan.dedupe, plan.tolerance, plan.about) == ("never", "value", "0", "")
    assert plan.stage == (Stage(name="all"),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (STAGE, "name"),
        ('name = "mine"', "stage"),
        ('name = "mine"\nstage = []', "at least one stage"),
        (f'name = "mine"\n{STAGE}{STAGE}', "different names"),
        (f'name = "mine"\nspeed = 1\n{STAGE}', "unknown field `speed`"),
        (f'name = "mine"\n{STAGE}omits = 1', "unknown field `omits`"),
        (f'name = "mine"\nstop = "soon"\n{STAGE}', "Invalid enum value 'soon'"),
        (f'name = "mine"\ndedupe = "all"\n{STAGE}', "Invalid enum value 'all'"),
        (f'name = "mine"\ntolerance = 0.01\n{STAGE}', "Expected `str`"),
        (f'name = "mine"\ntolerance = "-1"\n{STAGE}', "at least 0"),
        (f'name = "mine"\ntolerance = "much"\n{STAGE}', "much"),
        (f'name = "mine"\ntolerance = ""\n{STAGE}', ""),
        (f'name = "mine"\n{STAGE}omit = "one"', "Expected `int`"),
        (f'name = "mine"\n{STAGE}extras = ["2"]', "Invalid enum value '2'"),
        (f'name = "mine"\n{STAGE}extras = "1"', "Expected `array`"),
        (f'name = "mine"\n{STAGE}omit = -1', "Expected `int` >= 0 - at `$.stage[0].omit`"),
        (f'name = "mine"\n{STAGE}omit = 99999999999999999999999', "Expected `int` <= 99 - at `$.stage[0].omit`"),
        (f'name = "mine"\n{STAGE}omit = {"9" * 400}', "Expected `int` <= 99 - at `$.stage[0].omit`"),
        (f'name = "mine"\n{STAGE}omit = -{"9" * 400}', "Expected `int` >= 0 - at `$.stage[0].omit`"),
        (f'name = "mine"\n{STAGE}max_operands = {"9" * 5000}', "limit"),
        (f'name = "mine"\ntolerance = "10^400"\n{STAGE}', "the number of bits of the tolerance is 1329"),
        (f'name = "mine"\ntolerance = "<10^9999"\n{STAGE}', "the number of bits of the tolerance is 33216"),
        (f'name = "mine"\nabout = {"[" * 5000}{"]" * 5000}\n{STAGE}', "nested too deeply"),
        ('name = "mine', "Unterminated string"),
        ("\nname = mine", "line 2"),
        ("", "name"),
    ],
)
def test_what_is_wrong_in_a_plan_is_one_line_with_its_file(text: str, says: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_plan(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message


def test_a_plan_in_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    with pytest.raises(ConfigError, match=r"latin\.toml: not UTF-8 text"):
        load_plan(str(tmp_path / "latin.toml"))


def test_an_unknown_plan_names_those_there_are() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown plan 'ful'; one of full, paper, powers, released, or a \.toml file"
    ):
        load_plan("ful")


def test_a_plan_that_is_not_there_is_the_error_of_its_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.toml: cannot be read: No such file"):
        load_plan(str(tmp_path / "none.toml"))


# --- operands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stage", "quantities", "expected"),
    [
        (Stage(name="s"), 2, [("N0", "N1")]),
        (Stage(name="s", omit=1), 3, [("N0", "N1"), ("N0", "N2"), ("N1", "N2")]),
        (Stage(name="s", extras=("pi", "1")), 1, [("N0", "3.14", "1")]),
        (Stage(name="s", extras=("1", "1")), 1, [("N0", "1", "1")]),
        (Stage(name="s", extras=("twice",)), 2, [("N0", "N1", "N0"), ("N0", "N1", "N1")]),
        (
            Stage(name="s", extras=("twice", "twice")),
            2,
            [("N0", "N1", "N0", "N0"), ("N0", "N1", "N0", "N1"), ("N0", "N1", "N1", "N1")],
        ),
        (Stage(name="s", omit=1, extras=("square",)), 2, [("N0^2",), ("N1^2",)]),
        (Stage(name="s", extras=("cube",)), 2, [("N0^3", "N1"), ("N0", "N1^3")]),
        (Stage(name="s", implied=1), 1, [("N0", "N1"), ("N0", "N2")]),
        (
            Stage(name="s", omit=1, implied=2, extras=("1", "twice")),
            2,
            [("N0", "N2", "N3", "1", "N0"), ("N1", "N2", "N3", "1", "N1")],
        ),
    ],
)
def test_a_stage_chooses_its_operands(stage: Stage, quantities: int, expected: list[tuple[str, ...]]) -> None:
    assert list(assignments(stage, quantities, 2)) == expected


def test_each_choice_of_operands_comes_once() -> None:
    for plan in map(load_plan, PLANS):
        for stage in plan.stage:
            for quantities in range(1, 6):
                if stage.applies_to(quantities, 2, lexicon=bool(stage.lexicon)):
                    chosen = assignments(stage, quantities, 2)
                    assert len(set(chosen)) == len(chosen) > 0


def test_no_stage_goes_past_the_largest_number_of_operands() -> None:
    stage = Stage(name="s", extras=("1", "twice"), max_operands=99)
    assert stage.applies_to(MAX_OPERANDS - 2)
    assert not stage.applies_to(MAX_OPERANDS - 1)
    assert not Stage(name="s", omit=2).applies_to(2)


def test_operands_have_their_values() -> None:
    values = [Fraction(3), Fraction(1, 2)]
    names = ["N0", "N1", "1", "3.14", "N0^2", "N1^3"]
    assert [operand_value(name, values) for name in names] == [
        Fraction(3), Fraction(1, 2), Fraction(1), Fraction("3.14"), Fraction(9), Fraction(1, 8),
    ]  # fmt: skip
