"""The numbers of a run as tables and figures."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from weaksup.measure.calibration import Bin
from weaksup.measure.metrics import Arm, ArmRun, Evaluation, Metrics, TrainingRow
from weaksup.report.curves import arm_style, training_line
from weaksup.report.figures import (
    arm_size_figure,
    calibration_figure,
    distribution_figure,
    grouped,
    merged_bins,
    oracle_figure,
    size_figure,
    training_figures,
)
from weaksup.report.headline import facts, headline
from weaksup.report.numbers_text import spread_of
from weaksup.report.published import CHECKER
from weaksup.report.tables import ablation_table, calibration_table, label_table, line_table, search_tables, size_table

from .synthetic_run import metrics

SIZE = 60


@pytest.fixture(scope="module")
def run() -> Metrics:
    return metrics(size=SIZE)


def arm(name: str, *trainings: list[tuple[int, float]], accuracy: float | None = 0.5) -> Arm:
    test = Evaluation(problems=10, beam=1, answer_accuracy=accuracy, equation_accuracy=None, by_quantities={})
    rows = [[TrainingRow(step=step, loss=loss) for step, loss in training] for training in trainings]
    return Arm(
        name=name,
        about="",
        runs=[ArmRun(seed=i, labels=10, training=row, evaluation=test) for i, row in enumerate(rows)],
    )


# --- spreads ----------------------------------------------------------------------------------------------------------


def test_a_spread_is_mean_and_sample_deviation_of_what_is_known() -> None:
    spread = spread_of([0.5, None, 0.6, 0.7])
    assert (spread.percent, spread.runs) == ("60.0 ± 10.0", 3)
    assert spread_of([0.5]).percent == spread_of([0.5, 0.5]).percent == "50.0"
    assert (spread_of([None]).percent, spread_of([]).mean) == ("–", None)
    assert (spread_of([300, 300]).count, spread_of([1, 2]).count) == ("300", "1.5 ± 0.7")


# --- tables -----------------------------------------------------------------------------------------------------------


def test_the_ablation_table_has_every_arm_with_its_mean(run: Metrics) -> None:
    table = ablation_table(run.arms, paper=False)
    assert [row[0].text for row in table.rows] == ["em", "beam", "basic", "random", "single", "gold"]
    answers = table.head.index("answers right %")
    values = [spread_of([r.evaluation.answer_accuracy for r in arm.runs]) for arm in run.arms]
    assert [row[answers].text for row in table.rows] == [value.percent for value in values]
    assert all("±" in value.percent for value in values)
    assert [row[answers].sort for row in table.rows] == [value.mean for value in values]
    assert "sample standard deviation" in table.note


def test_the_paper_stands_only_beside_math23k(run: Metrics) -> None:
    for table in (ablation_table(run.arms, paper=False), label_table(run, paper=False)):
        assert "paper" not in " ".join([*table.head, table.note])
    assert not any(tile.paper for tile in headline(run, paper=False))
    ablation = {row[0].text: row[2].text for row in ablation_table(run.arms, paper=True).rows}
    assert ablation == {"em": "–", "beam": "60.0", "basic": "59.2", "random": "56.3", "single": "57.5", "gold": "–"}
    labels = {row[0].text: [cell.text for cell in row[-3:]] for row in label_table(run, paper=True).rows}
    assert labels["all candidates"] == ["81.4", "2.7", "23.0"]
    assert (labels["basic"], labels["beam"]) == (["–", "45.6", "–"], ["–", "47.7", "76.3"])
    assert CHECKER in label_table(run, paper=True).note and "law structure" in CHECKER
    tiles = {tile.name: tile.paper for tile in headline(run, paper=True)}
    assert tiles["Test answers right"] == "paper (Math23K) 60.0% GTS"
    assert tiles["Recall of the search"] == "paper (Math23K) 94.5%"
    assert tiles["Gold in set"] == "the paper has no such figure"


@pytest.mark.parametrize(
    ("solver", "figure"), [("g2t", "60.5% G2T"), ({"solver": "gts"}, "60.0% GTS"), (None, "60.0% GTS, 60.5% G2T")]
)
def test_the_figure_of_the_paper_is_that_of_the_solver(run: Metrics, solver: object, figure: str) -> None:
    asked = replace(run, config={"solver": solver})
    assert headline(asked, paper=True)[0].paper == f"paper (Math23K) {figure}"


def test_the_tables_of_the_search_have_the_counts_of_the_oracle(run: Metrics) -> None:
    assert run.candidates
    problems, stages = search_tables(run.candidates, paper=False)
    counts = {row[0].text: row[1].sort for row in problems.rows}
    assert (counts["all problems"], counts["covered"]) == (SIZE, run.covered)
    assert counts["one candidate"] == run.candidates.single and counts["several candidates"] == run.candidates.multiple
    assert sum(row[1].sort or 0 for row in stages.rows) == run.covered
    published = search_tables(run.candidates, paper=True)[0]
    assert published.head[-2:] == ("paper (Math23K)", "paper (Math23K) %")


def test_the_table_by_quantities_takes_what_there_is(run: Metrics) -> None:
    runs = run.arms[0].runs
    whole = size_table(run.candidates, runs)
    assert [row[0].text for row in whole.rows] == ["1", "2", "3", "4", "5", "6+"]
    assert sum(row[1].sort or 0 for row in whole.rows) == SIZE
    unjudged = size_table(None, [replace(run, oracle=None) for run in runs])
    assert [row[1].text for row in unjudged.rows] == ["–"] * 6
    assert list(size_table(None, []).rows) == []


def test_the_table_by_quantities_averages_the_runs(run: Metrics) -> None:
    """As the table of the arms does, and not the first seed alone."""
    runs = run.arms[0].runs
    table = size_table(run.candidates, runs)
    answers, tested = table.head.index("answers right %"), table.head.index("problems tested")
    for row in table.rows:
        found = [run.evaluation.by_quantities[row[0].text] for run in runs]
        assert row[answers].text == spread_of([of.answer_accuracy for of in found]).percent
        assert row[tested].sort == found[0].problems  # the same test part, three times
    folds = [replace(run, fold=i) for i, run in enumerate(runs)]
    assert [row[tested].sort for row in size_table(run.candidates, folds).rows] == [
        3 * (row[tested].sort or 0) for row in table.rows
    ]


def test_without_a_search_recall_is_that_of_the_labels(run: Metrics) -> None:
    arm = replace(run.arms[4], name="lbf", runs=run.arms[4].runs[:1])
    alone = replace(run, candidates=None, distribution={}, arms=[arm])
    labels = arm.runs[0].oracle
    assert labels
    rows = size_table(None, arm.runs).rows
    assert [row[2].sort for row in rows] == [of.recall for of in labels.by_quantities.values()]
    assert [row[5].sort for row in rows] == [of.macro for of in labels.by_quantities.values()]
    assert {row[3].text for row in rows} == {"–"}  # there is no set that gold could be in
    tiles = {tile.name: tile for tile in headline(alone, paper=True)}
    assert tiles["Recall of the labels"].about == f"{labels.covered} of {SIZE} problems have a label"
    assert tiles["Recall of the labels"].paper == "paper (Math23K) 80.1%"
    assert tiles["Test answers right"].paper == "paper (Math23K) 55.4% GTS"
    assert ("baseline", "lbf") in facts(alone, "math23k")


# --- figures ----------------------------------------------------------------------------------------------------------


def test_a_line_is_the_mean_of_runs_validated_at_different_steps() -> None:
    line = training_line(arm("em", [(0, 1.0), (10, 0.0)], [(0, 3.0), (5, 2.0), (20, 2.0)]), 0, lambda row: row.loss)
    assert line and line.points == ((0, 2.0), (5, 1.25), (10, 1.0))
    assert line.band == ((0, 1.0, 3.0), (5, 0.5, 2.0), (10, 0.0, 2.0))
    alone = training_line(arm("em", [(1, 1.0), (1, 2.0)]), 0, lambda row: row.loss)
    assert alone and (alone.points, alone.band) == (((1, 2.0),), ())
    assert training_line(arm("em", []), 0, lambda row: row.loss) is None
    assert training_line(arm("em", [(1, 1.0)]), 0, lambda row: row.valid_answer_accuracy) is None


def test_gold_is_neutral_and_dashed_and_arms_differ(run: Metrics) -> None:
    styles = [arm_style(run.arms, arm) for arm in run.arms]
    assert len(set(styles)) == len(styles) and styles[-1] == 6
    accuracy, loss = training_figures(run.arms)
    assert [line.dashed for line in accuracy.legend] == [False] * 5 + [True]
    assert "em 7" in accuracy.summary and loss.table
    assert loss.table.rows[0][0].text == "75"


def test_the_oracle_test_says_how_far_it_is_to_gold() -> None:
    figure = oracle_figure([arm("em", [], accuracy=0.6), arm("gold", [], accuracy=0.75)])
    assert figure and figure.title == "Oracle test"
    assert figure.summary == (
        "em answers 60.0% of the problems; gold labels on the same problems 75.0%, 15.0 points more."
    )
    worse = oracle_figure([arm("em", [], accuracy=0.6), arm("gold", [], accuracy=0.55)])
    assert worse and worse.summary.endswith("5.0 points less.")
    equal = oracle_figure([arm("em", [], accuracy=0.6), arm("gold", [], accuracy=0.6)])
    assert equal and equal.summary.endswith("gold labels on the same problems 60.0%, as many.")
    without = oracle_figure([arm("em", [], accuracy=0.6)])
    assert without and (without.title, without.summary) == ("Answers of the arms", "em answers 60.0% of the problems.")
    assert oracle_figure([arm("em", [], accuracy=None)]) is None


def test_candidates_are_grouped_and_none_is_lost() -> None:
    counts = {"0": 3, "1": 50, "5": 2, "6": 1, "10": 1, "11": 4, "1000": 1, "1001": 7}
    groups = grouped(counts)
    assert sum(count for _, count in groups) == sum(counts.values())
    assert dict(groups)["6–10"] == 2 and groups[0] == ("0", 3) and groups[-1] == ("> 1,000", 7)
    assert grouped({"1": 1}) == [("1", 1)] and distribution_figure({}) is None


def test_bins_of_runs_are_merged_and_shared_labels_count_once() -> None:
    one = Bin(low=0.9, high=1.0, labels=10, posterior=0.9, right=0.5)
    other = Bin(low=0.9, high=1.0, labels=30, posterior=1.0, right=0.9)
    (both,) = merged_bins([[one], [other], [replace(one, right=None)]])
    assert both.labels == 40
    assert [both.posterior, both.right] == pytest.approx([0.975, 0.8])
    run = arm("em", [], []).runs[0]
    same = Arm(name="em", about="", runs=[replace(run, calibration=[one])] * 3)
    figure = calibration_figure(same)
    assert figure and figure.summary.startswith("Over 10 labels chosen")
    assert "off by 40.0 points on average, mostly too sure." in figure.summary
    honest = replace(run, calibration=[replace(one, right=0.9)])
    exact = calibration_figure(Arm(name="em", about="", runs=[honest]))
    assert exact and "off by 0.0 points on average. On the dashed line" in exact.summary
    assert calibration_figure(arm("em", [])) is None
    assert [cell.text for cell in calibration_table([one]).rows[0]] == ["0.9 to 1", "10", "0.900", "50.0"]


def test_figures_by_quantities_have_a_line_each(run: Metrics) -> None:
    figure = size_figure(run.candidates, run.arms[0].runs)
    assert figure and [line.name for line in figure.legend] == [
        "recall",
        "gold in set",
        "labels right",
        "answers right",
    ]
    arms = arm_size_figure(run.arms)
    assert arms and arms.table and arms.table.rows[-1][0].text == "6+"
    assert size_figure(None, []) is None and arm_size_figure([]) is None


def test_a_table_of_lines_has_a_column_each() -> None:
    line = training_line(arm("em", [(1, 0.5), (2, 0.25)]), 0, lambda row: row.loss)
    assert line
    table = line_table("Loss", "step", [line], shares=False)
    assert (table.head, [[cell.text for cell in row] for row in table.rows]) == (
        ("step", "em"),
        [["1", "0.500"], ["2", "0.250"]],
    )


def test_facts_tell_what_kind_of_run_it_was(run: Metrics) -> None:
    assert dict(facts(run, "stories")) == {
        "data": "stories", "split": run.split, "plan": "full", "solver": "GTS", "ranker": "em", "seeds": "3",
    }  # fmt: skip
    for given, told in (
        ({"answer_model": True, "equation_model": True}, "both"),
        ({"answer_model": True, "equation_model": False}, "answers"),
        ({"answer_model": False, "equation_model": True}, "equations"),
        ({"answer_model": False, "equation_model": False}, "none"),
        ({"answer_model": True}, "answers"),  # a run of an older version
    ):
        assert dict(facts(replace(run, config={**run.config, **given}), "stories"))["second opinions"] == told


def test_seeds_and_folds_are_counted_apart(run: Metrics) -> None:
    main = run.arms[0]
    several = [replace(done, fold=fold) for fold in range(5) for done in main.runs]
    found = dict(facts(replace(run, arms=[replace(main, runs=several)]), "stories"))
    assert (found["seeds"], found["folds"]) == ("3", "5")
