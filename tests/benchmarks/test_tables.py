"""The figures of the tables are those of the runs; what was not run says so."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import msgspec
import pytest
from reproduce.cells import Cell, Table
from reproduce.folders import run_facts
from reproduce.place import Place
from reproduce.tables import TABLES, known_runs, write_table

from weaksup.errors import DataError
from weaksup.report import published

from .left_runs import (
    evaluation,
    leave_answers,
    leave_baseline,
    leave_folds,
    leave_model,
    leave_pipeline,
    leave_printed,
    leave_taught,
    score,
    trained,
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "work", tmp_path / "data")


def fill(name: str, *places: Place) -> Table:
    """From what is there: see test_records.py for what was recorded."""
    return TABLES[name].fill(known_runs(name, places, places[0].work / "results", fresh=True))


def cell(table: Table, row: str, column: str, part: int = 0) -> Cell:
    chosen = table.parts[part]
    line = next(line for line in chosen.rows if line.name == row)
    return line.cells[chosen.head.index(column) - 1]


def shown(table: Table) -> list[str]:
    return [one.shown for part in table.parts for row in part.rows for one in row.cells]


#: The other tables have rows of ours.
WITH_COLUMNS_OF_OURS = {"ablation", "main-results", "by-quantities", "baselines"}


@pytest.mark.parametrize("name", [name for name in TABLES if name != "search-space"])
def test_without_runs_the_paper_stands_alone(name: str, place: Place) -> None:
    table = fill(name, place)
    heads = [head for part in table.parts for row in part.rows for head in part.head[1:]]
    ours = {text for text, head in zip(shown(table), heads, strict=True) if head.endswith("here")}
    if name in WITH_COLUMNS_OF_OURS:
        assert ours == {"not run"}
    assert "not run" in shown(table)


@pytest.mark.parametrize("name", TABLES)
def test_tables_with_the_paper_s_labels_say_how_it_judged_them(name: str, place: Place) -> None:
    table = fill(name, place)
    right_labels = {f"{published.ARM_LABELS['beam']}", f"{published.MICRO_BY_QUANTITIES['ours']['1']}"}
    assert right_labels.isdisjoint(shown(table)) == (published.CHECKER not in " ".join(table.notes))


def test_search_statistics_are_the_counts_of_the_oracle(place: Place) -> None:
    found = score(
        problems=10, covered=7, recall=0.7, single=5, multiple=2, uncovered_power=1,
        skipped={"too-many-quantities": 2, "no-match": 1},
    )  # fmt: skip
    leave_printed(place, "search-paper", "all", found)
    table = fill("search-statistics", place)
    column = [cell(table, row.name, "plan `paper`").value for row in table.parts[0].rows]
    assert column == [10, 2, 1, 5, 2, 7, 70.0]
    assert cell(table, "covered", "plan `full`").shown == "not run"
    assert cell(table, "single", "published").value == 17_959


def test_recall_is_by_size_and_summed_by_problems(place: Place) -> None:
    sizes = {"1": (10, 5, 0, 0), "3": (30, 30, 0, 0), "4": (4, 3, 0, 0), "6+": (4, 0, 0, 0)}
    leave_printed(place, "search-full", "all", score(sizes=sizes))
    leave_baseline(place, "lbf", trained(0.5, oracle=score(sizes={"2": (8, 2, 0.0, 0.0)})))
    table = fill("recall", place)
    assert cell(table, "`full`, here", "1").value == 50.0
    assert cell(table, "`full`, here", "2").shown == "-"  # no such problems
    assert cell(table, "`full`, here", "6 and more").value == 0.0
    assert cell(table, "`full`, here", "up to 3", part=1).value == 87.5  # 35 of 40
    assert cell(table, "`full`, here", "4 and more", part=1).value == 37.5  # 3 of 8
    assert cell(table, "LBF, here (train part)", "2").value == 25.0
    assert cell(table, "ComSearch, paper", "6 and more").value == 73.8


def test_main_results_take_each_row_from_its_run(place: Place) -> None:
    leave_answers(place, "middle-gts-paper", valid=0.601, test=0.611)
    leave_answers(place, "middle-gts-em", valid=0.68, test=0.67)
    leave_printed(place, "middle-gts-em", "test.answers", evaluation(0.72))
    leave_answers(place, "middle-gts-gold", valid=0.71, test=0.7)
    leave_baseline(place, "lbf", trained(0.33))
    leave_printed(place, "lbf", "valid", evaluation(0.34))
    leave_printed(place, "middle-g2t-em", "test", evaluation(0.644))
    leave_printed(place, "middle-g2t-paper", "test", evaluation(0.633))
    table = fill("main-results", place)
    theirs = "the paper's method (Beam Ranker)"
    assert [cell(table, theirs, f"{part}, here").shown for part in ("valid", "test")] == ["60.1", "61.1"]
    assert cell(table, theirs, "test, paper").shown == "60.0 ± 0.3"
    ours = "ours (EM with drafts)"
    assert cell(table, ours, "test, here").value == 67.0
    assert cell(table, ours, "test, paper").shown == "-"  # the paper has no such method
    assert cell(table, f"{ours}, with answer model", "test, here").value == 72.0
    assert cell(table, f"{ours}, with answer model", "valid, here").shown == "not run"
    assert cell(table, "supervised", "test, here").value == 70.0
    assert cell(table, "supervised", "test, paper").value == 75.6
    assert cell(table, "LBF", "valid, here").value == 34.0
    assert cell(table, "LBF", "test, here").value == 33.0
    assert cell(table, "WARM", "test, here").shown == "not run"
    assert cell(table, ours, "test, here", part=1).value == 64.4
    assert cell(table, theirs, "test, here", part=1).value == 63.3
    published_g2t = [cell(table, theirs, f"{part}, paper", part=1).shown for part in ("valid", "test")]
    assert published_g2t == ["61.7 ± 1.1", "60.5 ± 0.6"]


def test_the_curve_is_that_of_the_training(place: Place) -> None:
    leave_taught(place, "published-gts", [0.25, 0.375, 0.5])
    table = fill("published-curve", place)
    assert [(row.name, row.cells[0].value) for row in table.parts[0].rows] == [("1", 25.0), ("2", 37.5), ("3", 50.0)]
    assert table.figure is not None and "epoch 2: 37.5" in table.figure


def test_an_accuracy_has_its_binomial_standard_error(place: Place) -> None:
    leave_answers(place, "middle-gts-em", valid=0.5, test=0.6, problems=1000)
    found = cell(fill("main-results", place), "ours (EM with drafts)", "test, here")
    assert found.standard_error == pytest.approx(100 * sqrt(0.6 * 0.4 / 1000), abs=0.01)


def test_several_seeds_are_mean_and_deviation_of_those_that_were_run(place: Place) -> None:
    places = [place._replace(seed=seed) for seed in (0, 1, 2)]
    leave_answers(places[0], "middle-gts-em", valid=0.5, test=0.6)
    leave_answers(places[2], "middle-gts-em", valid=0.5, test=0.62)
    leave_answers(places[1], "middle-gts-gold", valid=0.5, test=0.7)
    table = fill("main-results", *places)
    both = cell(table, "ours (EM with drafts)", "test, here")
    assert both.seeds == (60.0, 62.0)
    assert both.shown == "61.0 ± 1.4 (2)"  # the sample deviation of 60 and 62 is the root of 2
    assert cell(table, "supervised", "test, here").shown == "70.0"
    assert cell(table, "LBF", "test, here").shown == "not run"


def test_ablation_has_the_paper_s_arms_on_its_own_plan(place: Place) -> None:
    leave_answers(place, "middle-gts-single", valid=0.4, test=0.41)
    leave_model(place.of("middle-gts-single") / "solver", hidden=256, epochs=24, cpu=[1.0])
    leave_pipeline(place, {arm: trained(share, labels=n) for arm, share, n in (("beam", 0.51, 9), ("single", 0.2, 4))})
    table = fill("ablation", place)
    row, heads = "w/o multiple data", ("labels, here", "test, paper", "test, here")
    assert [cell(table, row, head).value for head in heads] == [100, 57.5, 41.0]  # 100: see `leave_model`
    assert [cell(table, row, head, 1).value for head in heads] == [4, None, 20.0]
    assert cell(table, "w/o ranking", "labels, here").shown == "not run"
    assert cell(table, "proposed method (Beam Ranker)", "test, here").shown == "not run"
    assert cell(table, "proposed method (Beam Ranker)", "test, here", 1).value == 51.0
    assert cell(table, "gold, all problems", "test, paper").shown == "-"


def test_equation_accuracy_is_by_law(place: Place) -> None:
    leave_printed(place, "search-released", "train.value", score(micro_single=0.91, micro_multiple=0.105, micro=0.25))
    leave_printed(
        place, "search-released", "train.structure", score(micro_single=0.815, micro_multiple=0.05, micro=0.2)
    )
    leave_printed(place, "middle-gts-paper", "train.value", score(micro=0.77, micro_multiple=0.66))
    leave_printed(place, "middle-gts-paper", "train.structure", score(micro=0.71, micro_multiple=0.6))
    leave_printed(place, "em-labels", "train.value", score(micro=0.9, micro_multiple=0.85))
    leave_pipeline(place, {"beam": trained(0.5, oracle=score(micro=0.4, micro_multiple=0.3))})
    table = fill("equation-accuracy", place)
    row = "single, plan `released`"
    assert [cell(table, row, head).value for head in ("paper", "`value`", "`structure`")] == [81.4, 91.0, 81.5]
    assert cell(table, "all data, plan `released`", "`value`").value == 25.0
    row = "Beam Ranker (multiple)"
    assert [cell(table, row, head, 1).value for head in ("paper", "`value`", "`structure`")] == [47.7, 66.0, 60.0]
    assert cell(table, "Beam Ranker (all data)", "`value`", 1).value == 77.0
    assert cell(table, "EM with drafts (all data)", "`value`", 1).value == 90.0
    assert cell(table, "EM with drafts (all data)", "paper", 1).shown == "-"
    assert [cell(table, row, head, 2).value for head in ("paper", "`value`")] == [None, 30.0]
    assert cell(table, "EM with drafts (all data)", "`value`", 2).shown == "not run"


def test_by_quantities_has_labels_of_train_and_answers_of_test(place: Place) -> None:
    leave_printed(place, "em-labels", "train.value", score(sizes={"4": (8, 7, 0.75, 0.5)}))
    leave_answers(place, "middle-gts-em", valid=0.5, test=0.6, sizes={"4": (124, 0.25)})
    leave_answers(place, "middle-gts-paper", valid=0.5, test=0.6, sizes={"4": (124, 0.2)})
    leave_baseline(place, "lbf", trained(0.3, oracle=score(sizes={"4": (8, 2, 0.5, 0.125)}), sizes={"4": (124, 0.0)}))
    table = fill("by-quantities", place)
    figures = [
        [cell(table, "4", f"{name}, here", part).value for part in range(3)] for name in ("EM with drafts", "LBF")
    ]
    assert figures == [[75.0, 50.0, 25.0], [50.0, 12.5, 0.0]]
    assert cell(table, "4", "the paper's method, here").shown == "not run"
    assert cell(table, "4", "the paper's method, here", 2).value == 20.0
    assert cell(table, "1", "EM with drafts, here").shown == "-"  # no such problems
    assert [cell(table, "4", head, 3).value for head in ("paper", "here")] == [12.4, 12.4]
    assert cell(table, "6 and more", "LBF, paper", 2).value == 0.0


def test_baselines_have_recall_and_right_labels(place: Place) -> None:
    leave_baseline(place, "warm-beam", trained(0.2, oracle=score(recall=0.8, micro=0.5, macro=0.4)))
    table = fill("baselines", place)
    heads = ("recall, paper", "recall, here", "micro, here", "macro, here", "test, paper", "test, here")
    assert [cell(table, "WARM + beam", head).value for head in heads] == [80.1, 80.0, 50.0, 40.0, 54.3, 20.0]
    assert cell(table, "LBF + memory", "recall, paper").shown == "-"


def test_the_oracle_test_says_how_far_behind_gold(place: Place) -> None:
    leave_answers(place, "middle-gts-paper", valid=0.5, test=0.525)
    leave_pipeline(place, {"random": trained(0.4, labels=7), "gold": trained(0.5, labels=7)})
    table = fill("oracle-test", place)
    assert cell(table, "Beam Ranker", "points behind gold").shown == "not run"
    assert table.figure is None
    leave_answers(place, "middle-gts-gold", valid=0.6, test=0.7)
    table = fill("oracle-test", place)
    assert cell(table, "Beam Ranker", "points behind gold").shown == "17.5"
    assert cell(table, "gold equations", "points behind gold").value == 0.0
    assert cell(table, "any candidate", "points behind gold", 1).value == pytest.approx(10.0)
    assert table.figure is not None
    assert "Beam Ranker: 52.5" in table.figure


def test_the_oracle_test_compares_seed_by_seed(place: Place) -> None:
    for seed, (ours, gold) in enumerate([(0.6, 0.65), (0.62, 0.64)]):
        leave_answers(place._replace(seed=seed), "middle-gts-em", valid=ours - 0.01, test=ours + 0.01)
        leave_answers(place._replace(seed=seed), "middle-gts-gold", valid=gold, test=gold)
    leave_answers(place._replace(seed=2), "middle-gts-gold", valid=0.9, test=0.9)  # ours has no such seed
    leave_printed(place, "middle-gts-em", "test.answers", evaluation(0.72))  # valid is missing
    table = fill("oracle-test", *(place._replace(seed=seed) for seed in range(3)))
    row = "GTS, decoder alone"
    assert [cell(table, row, head, 2).value for head in ("ours, %", "gold, %")] == [61.0, 64.5]
    assert cell(table, row, "points behind gold", 2).seeds == pytest.approx((5.0, 2.0))
    assert cell(table, row, "points behind gold", 2).value == pytest.approx(3.5)
    assert cell(table, "GTS, with answer model", "points behind gold", 2).shown == "not run"
    assert "Basic Ranker" not in table.figure  # not run


def test_cross_validation_is_the_mean_of_all_folds(place: Place) -> None:
    shares = (0.5, 0.6, 0.5, 0.6, 0.55)
    folds = [msgspec.structs.replace(trained(share), fold=fold) for fold, share in enumerate(shares)]
    leave_folds(place, "folds-em", "em", folds)
    leave_folds(place, "folds-lbf-memory", "lbf", folds[:3])
    table = fill("cross-validation", place)
    ours = "ours (EM with words, no drafts)"
    assert [cell(table, ours, f"fold {fold}").value for fold in range(5)] == [50.0, 60.0, 50.0, 60.0, 55.0]
    assert cell(table, ours, "here").shown == "55.0 ± 5.0 (5)"
    assert cell(table, "LBF + memory", "here").shown == "not run"  # two folds are missing
    assert cell(table, "LBF + memory", "fold 1").value == 60.0
    theirs = "the paper's method (Beam Ranker)"
    assert [cell(table, theirs, head).shown for head in ("paper", "here")] == ["59.7 ± 1.0", "not run"]
    leave_folds(place, "folds-paper", "beam", folds)
    assert cell(fill("cross-validation", place), theirs, "here").shown == "55.0 ± 5.0 (5)"


def test_sets_are_counted_by_size_and_the_paper_s_examples_by_right_candidates(place: Place) -> None:
    case = {"id": "1", "candidates": [{"expr": "N0", "right": True}, {"expr": "N1", "right": False}]}
    told = {"distribution": {"1": 5, "2": 4, "5": 3, "6": 2, "60": 1, "50": 1}, "cases": [[case], [], [case, case]]}
    leave_printed(place, "search-paper", "all", score(problems=16), **told)
    table = fill("candidate-distribution", place)
    assert [cell(table, row.name, "plan `paper`").value for row in table.parts[0].rows] == [5, 4, 3, 2, 0, 1, 1]
    assert [row.name for row in table.parts[0].rows][1:4] == ["2", "3 to 5", "6 to 10"]
    assert cell(table, "1", "plan `full`").shown == "not run"
    study = fill("case-study", place)
    for whose, figures in (("published", [[1, 1, 2], [1, 0, 1]]), ("plan `paper`", [[2, 0, 2], [1, 0, 1]])):
        names = [f"{whose}, {what}" for what in ("candidates", "right")]
        assert [[cell(study, name, head).value for head in study.parts[0].head[1:]] for name in names] == figures


def test_a_file_that_no_run_leaves_is_an_error_that_names_it(place: Place) -> None:
    leave_pipeline(place, {}).write_text("{}")
    with pytest.raises(DataError, match=r"metrics\.json"):
        fill("ablation", place)


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_say_how_the_figures_were_made(place: Place, tmp_path: Path) -> None:
    leave_pipeline(place, {"em": trained(0.6)})
    leave_model(place.of("equal-gts") / "solver", hidden=256, epochs=8, cpu=[60.0, 120.0])
    leave_model(place.of("equal-gts") / "draft" / "round-1", hidden=256, epochs=6, cpu=[30.0])
    markdown = write_table("ablation", [place], tmp_path)
    record = json.loads((tmp_path / "ablation.json").read_bytes())
    assert (tmp_path / "ablation.md").read_text(encoding="utf-8") == markdown
    run = next(run for run in record["runs"] if run["run"] == "equal-gts")
    assert (run["run"], run["preset"], run["cpu_seconds"], run["made"]) == ("equal-gts", "quick", 150.0, {})
    assert [(model["folder"], model["epochs"]) for model in run["models"]] == [("draft/round-1", 6), ("solver", 8)]
    em = next(row for row in record["parts"][1]["rows"] if row["arm"] == "em")
    assert em["run"] == "equal-gts"
    assert em["cells"]["test, here"] == {"shown": "60.0", "value": 60.0, "standard_error": 1.55}
    assert (record["data"], record["seeds"], record["beam"]) == ("math23k", [0], 5)
    assert "gts, hidden 256, 8 epochs" in markdown
    assert "2.5 CPU minutes" in markdown
    assert "`python benchmarks/reproduce ablation --seed 0`" in markdown


@pytest.mark.parametrize("name", TABLES)
def test_the_same_runs_give_the_same_bytes_wherever_they_are(name: str, tmp_path: Path) -> None:
    written = []
    for where in ("here", "elsewhere"):
        place = Place(tmp_path / where / "work", tmp_path / where)
        leave_pipeline(place, {arm: trained(0.5) for arm in ("em", "beam", "basic", "random", "gold")})
        folder = tmp_path / where / "results"
        write_table(name, [place], folder)
        written.append({path.name: path.read_bytes() for path in folder.rglob("*.*")})
    assert written[0] == written[1]
    assert str(tmp_path).encode() not in b"".join(written[0].values())


def test_a_picture_goes_with_its_figures(place: Place, tmp_path: Path) -> None:
    leave_answers(place, "middle-gts-em", valid=0.5, test=0.5)
    leave_answers(place, "middle-gts-gold", valid=0.5, test=0.5)
    assert "(oracle-test.svg)" in write_table("oracle-test", [place], tmp_path)
    assert (tmp_path / "oracle-test.svg").exists()
    place.beside("middle-gts-gold", "test").unlink()
    assert "oracle-test.svg" not in write_table("oracle-test", [place], tmp_path, fresh=True)
    assert not (tmp_path / "oracle-test.svg").exists()


def test_a_training_that_was_taken_up_again_adds_its_times(place: Place) -> None:
    leave_model(place.of("middle-gts-gold"), hidden=256, epochs=24, cpu=[10.0, 20.0, 5.0, 15.0])
    assert run_facts(place, "middle-gts-gold").cpu_seconds == 35.0


def test_a_run_is_in_part_until_all_its_files_are_there(place: Place) -> None:
    assert run_facts(place, "lbf").state == "not run"
    leave_baseline(place, "lbf", trained(0.3))
    assert run_facts(place, "lbf").state == "in part"
    leave_printed(place, "lbf", "valid", evaluation(0.3))
    assert run_facts(place, "lbf").state == "done"


def test_the_paper_agrees_with_itself() -> None:
    statistics = published.SEARCH_STATISTICS
    assert statistics["single"] + statistics["multiple"] == statistics["covered"]
    assert round(100 * statistics["covered"] / statistics["problems"], 1) == pytest.approx(published.RECALL, abs=0.11)
    assert sum(published.TEST_PROPORTION.values()) == pytest.approx(100, abs=0.11)
    assert published.ABLATION["beam"].test == published.RESULTS["gts"]["ours"].test
