"""What was measured is kept when its folder is gone; what is there comes first; the two are never mixed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from reproduce.command import RESULTS
from reproduce.figures import figures_of
from reproduce.folders import MADE, MadeStep, RunFacts, write
from reproduce.origin import is_clean
from reproduce.place import Place
from reproduce.records import RunRecord
from reproduce.run_queue import QUEUE
from reproduce.tables import TABLES, write_table

from weaksup.errors import DataError
from weaksup.measure.sizes import SIZES

from .left_runs import evaluation, leave_baseline, leave_model, leave_pipeline, leave_printed, score, trained

LBF = "LBF"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "work", tmp_path / "data")


@pytest.fixture
def gone(tmp_path: Path) -> Place:
    """Another machine: nothing is there."""
    return Place(tmp_path / "elsewhere", tmp_path / "data")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def leave_lbf(place: Place, *, valid: float | None, test: float) -> None:
    """The run `lbf`: whole, or without its second step."""
    leave_baseline(place, "lbf", trained(test, oracle=score(recall=0.9, micro=0.8, macro=0.7)))
    if valid is not None:
        leave_printed(place, "lbf", "valid", evaluation(valid))


def written(table: str, results: Path) -> Any:
    return json.loads((results / f"{table}.json").read_bytes())


def answers(results: Path, row: str = LBF, table: str = "baselines") -> list[str]:
    """What a row shows for valid and test."""
    rows = [line for part in written(table, results)["parts"] for line in part["rows"]]
    cells = next(line for line in rows if line["name"] == row)["cells"]
    return [cells[f"{part}, here"]["shown"] for part in ("valid", "test")]


def test_figures_and_facts_outlive_the_folder(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=0.45, test=0.44)
    leave_model(place.of("lbf") / "solver", hidden=256, epochs=6, cpu=[60.0])
    write(place.beside("lbf", MADE), {"metrics.json": MadeStep(commits=("c0ffee",), cpu_seconds=90.0)})
    there = write_table("baselines", [place], results)
    before = written("baselines", results)
    later = write_table("baselines", [gone], results)
    after = written("baselines", results)
    assert after["parts"] == before["parts"]
    assert [run["recorded"] for run in before["runs"]] == [False] * 4
    assert [run["recorded"] for run in after["runs"]] == [True, False, False, False]  # lbf is the first
    assert after["runs"][0] == {**before["runs"][0], "recorded": True}
    assert after["runs"][0]["made"]["metrics.json"]["commits"] == ["c0ffee"]
    assert "recorded earlier" not in there
    assert "; 1.5 CPU minutes; recorded earlier: lbf; not run, or in part: lbf-memory, warm, warm-beam; " in later


@pytest.mark.parametrize("name", TABLES)
def test_every_table_can_be_written_from_records(name: str, place: Place, gone: Place, results: Path) -> None:
    whole = score(problems=9, recall=0.9, micro=0.8, sizes={"2": (9, 8, 0.5, 0.4)})
    arms = ("em", "beam", "basic", "random", "single", "gold")
    leave_pipeline(place, {arm: trained(0.6, labels=7, oracle=whole, sizes={"2": (9, 0.5)}) for arm in arms})
    for plan in ("released", "paper", "full"):
        for what in ("all", "train.value", "train.structure"):
            leave_printed(place, f"search-{plan}", what, whole)
    leave_lbf(place, valid=0.45, test=0.44)
    write_table(name, [place], results)
    before = {path.name: path.read_bytes() for path in results.iterdir() if path.suffix == ".svg"}
    parts = written(name, results)["parts"]
    write_table(name, [gone], results)
    assert written(name, results)["parts"] == parts
    assert {path.name: path.read_bytes() for path in results.iterdir() if path.suffix == ".svg"} == before


def test_a_record_is_for_every_table_of_the_run(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=0.45, test=0.44)
    write_table("baselines", [place], results)
    write_table("main-results", [gone], results)
    assert answers(results, table="main-results") == ["45.0", "44.0"]


def test_a_whole_run_replaces_the_record(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=0.45, test=0.44)
    write_table("baselines", [place], results)
    leave_lbf(place, valid=0.35, test=0.34)
    assert "recorded earlier" not in write_table("baselines", [place], results)
    assert answers(results) == ["35.0", "34.0"]
    write_table("baselines", [gone], results)
    assert answers(results) == ["35.0", "34.0"]


def test_a_run_in_part_is_not_mixed_with_its_record(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=0.45, test=0.44)
    write_table("baselines", [place], results)
    leave_lbf(gone, valid=None, test=0.34)
    assert "recorded earlier: lbf;" in write_table("baselines", [gone], results)
    assert answers(results) == ["45.0", "44.0"]


def test_more_of_a_run_replaces_a_record_of_less(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=None, test=0.34)
    write_table("baselines", [place], results)
    said = write_table("baselines", [gone], results)
    assert "recorded earlier: lbf; not run, or in part: lbf, " in said
    assert answers(results) == ["not run", "34.0"]  # a figure that the record lacks
    leave_lbf(gone, valid=0.45, test=0.44)
    write_table("baselines", [gone], results)
    assert answers(results) == ["45.0", "44.0"]


def test_fresh_takes_nothing_recorded_and_leaves_it_for_later(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=0.45, test=0.44)
    write_table("baselines", [place], results)
    assert "recorded earlier" not in write_table("baselines", [gone], results, fresh=True)
    assert answers(results) == ["not run", "not run"]
    leave_lbf(gone, valid=None, test=0.34)
    write_table("baselines", [gone], results, fresh=True)
    assert answers(results) == ["not run", "34.0"]
    write_table("baselines", [gone], results)
    assert answers(results) == ["45.0", "44.0"]


def test_a_record_is_for_its_seed_only(place: Place, gone: Place, results: Path) -> None:
    one, other = place._replace(seed=1), gone._replace(seed=1)
    leave_lbf(place, valid=0.45, test=0.44)
    write_table("baselines", [place], results)
    write_table("baselines", [other], results)
    assert answers(results) == ["not run", "not run"]
    write_table("baselines", [gone, other], results)
    assert answers(results) == ["45.0", "44.0"]  # of the seed that was run
    leave_lbf(one, valid=0.47, test=0.46)
    assert "recorded earlier: lbf;" in write_table("baselines", [gone, one], results)
    assert answers(results) == ["46.0 ± 1.4 (2)", "45.0 ± 1.4 (2)"]
    assert "recorded earlier: lbf, lbf-seed-1;" in write_table("baselines", [gone, other], results)
    assert answers(results) == ["46.0 ± 1.4 (2)", "45.0 ± 1.4 (2)"]


def test_the_record_of_a_search_is_for_every_seed(place: Place, gone: Place, results: Path) -> None:
    leave_printed(place, "search-paper", "all", score(problems=10, covered=7, recall=0.7))
    write_table("search-statistics", [place], results)
    write_table("search-statistics", [gone._replace(seed=1)], results)
    covered = written("search-statistics", results)["parts"][0]["rows"][-1]["cells"]
    assert covered["plan `paper`"]["shown"] == "70.0"
    assert [path.name for path in (results / "records").iterdir()] == ["search-paper.json"]


def test_what_is_only_begun_leaves_no_record(place: Place, results: Path) -> None:
    leave_model(place.of("lbf") / "solver", hidden=256, epochs=6, cpu=[60.0])
    write_table("baselines", [place], results)
    assert not (results / "records").exists()


def test_the_record_of_another_run_is_an_error_that_names_it(place: Place, gone: Place, results: Path) -> None:
    leave_lbf(place, valid=0.45, test=0.44)
    write_table("baselines", [place], results)
    record = results / "records" / "lbf.json"
    record.rename(record.with_name("warm.json"))
    with pytest.raises(DataError, match=r"the record of run lbf with seed 0, not of run warm with seed 0") as caught:
        write_table("baselines", [gone], results)
    assert "warm.json" in str(caught.value)


def test_figures_are_named_after_the_files_that_have_them(place: Place) -> None:
    leave_pipeline(place, {"em": trained(0.6, labels=7, oracle=score(micro=0.125), sizes={"6+": (250, 0.5)})})
    leave_printed(place, "equal-gts", "em.valid", evaluation(0.62))
    leave_printed(place, "equal-gts", "em.structure", score(micro_multiple=1 / 3))
    figures = figures_of(place, "equal-gts")
    names = ("em.labels", "em.test", "em.test.problems", "em.test.6+", "em.test.problems.6+", "em.test.share.6+")
    assert [figures[name] for name in names] == [7, 60.0, 1000, 50.0, 250, 25.0]
    assert (figures["em.valid"], figures["em.value.micro"], figures["em.structure.micro.multiple"]) == (
        62.0,
        12.5,
        33.3333,
    )
    assert figures["em.test.1"] is None  # no such problems
    assert "beam.test" not in figures
    assert {name.rsplit(".", 1)[1] for name in figures if ".recall." in name} == {*SIZES, "1-3", "4-6+"}


#: Records that do not say which machine made them; the queue makes them again.
MADE_AGAIN = {"equal-gts"}


def test_our_records_name_commit_machine_and_cpu_time() -> None:
    """Where this fails for a record that was made again, take it off the list."""
    paths = (RESULTS / "records").glob("*.json")
    facts = [msgspec.json.decode(path.read_bytes(), type=RunRecord).facts for path in paths]
    assert {one.name for one in facts if not is_accounted(one)} == MADE_AGAIN
    assert {task.name for task in QUEUE} >= MADE_AGAIN


def is_accounted(facts: RunFacts) -> bool:
    """As `RunFacts.accounted`, but for the steps that are done; a record may have a part of them."""
    known = [made.machines and made.commits and all(map(is_clean, made.commits)) for made in facts.made.values()]
    return all(known) and len(known) >= facts.done and all(made.cpu_seconds for made in facts.made.values())


@pytest.mark.parametrize("name", TABLES)
def test_our_tables_are_those_of_our_records(name: str, gone: Place, results: Path) -> None:
    """Where this fails a run was recorded with one of its tables: `python benchmarks/reproduce all --no-run`."""
    (results / "records").mkdir(parents=True)
    for path in (RESULTS / "records").iterdir():
        (results / "records" / path.name).write_bytes(path.read_bytes())
    recorded = written(name, RESULTS)
    write_table(name, [gone._replace(seed=seed) for seed in recorded["seeds"]], results)
    assert written(name, results)["parts"] == recorded["parts"]
