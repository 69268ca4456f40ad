"""The rules by which graphs are built, on sentences in both languages, and cells from the `group_num` file."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.corpora.problems import segment_text, words_of_segmented
from weaksup.errors import ConfigError, DataError
from weaksup.records import Problem
from weaksup.solvers.data import graphs as graphs_module
from weaksup.solvers.data.graphs import Cell, find_asked, find_cells, make_graphs, shared_words
from weaksup.solvers.data.groups import align_groups, group_cells, read_group_num
from weaksup.solvers.presets import preset


def english(text: str) -> Problem:
    text, tokens, quantities = segment_text(text, language="en")
    return Problem(id="1", text=text, tokens=tokens, quantities=quantities, answer="1", language="en")


def chinese(segmented: str) -> Problem:
    text, tokens, quantities = words_of_segmented(segmented.replace(" ", ""), segmented, language="zh")
    return Problem(id="1", text=text, tokens=tokens, quantities=quantities, answer="1", language="zh")


def said(problem: Problem, cells: tuple[Cell, ...]) -> dict[str, str]:
    """Cells as words; the centres of these sentences differ."""
    return {problem.tokens[cell.centre]: " ".join(problem.tokens[word] for word in cell.words) for cell in cells}


def compared(problem: Problem) -> set[tuple[str, str]]:
    return {(problem.tokens[one], problem.tokens[other]) for one, other in make_graphs(problem).comparisons}


# --- comparisons ------------------------------------------------------------------------------------------------------


def test_edges_lead_from_larger_to_smaller() -> None:
    assert compared(english("5 boys and 12 girls ate 7 pies.")) == {("12", "5"), ("12", "7"), ("7", "5")}


def test_values_are_compared_exactly() -> None:
    problem = chinese("甲 (1/3) ， 乙 33% ， 丙 0.3333 ， 丁 2")
    assert compared(problem) == {
        ("2", "(1/3)"), ("2", "33%"), ("2", "0.3333"), ("(1/3)", "33%"), ("(1/3)", "0.3333"), ("0.3333", "33%"),
    }  # fmt: skip


def test_between_equal_quantities_there_is_no_edge_however_they_are_written() -> None:
    assert compared(chinese("甲 50% ， 乙 0.5 ， 丙 (1/2)")) == set()
    assert make_graphs(english("3 boys ate 3 pies.")).comparisons == ()


# --- cells ------------------------------------------------------------------------------------------------------------


# --- the edges of the published code ----------------------------------------------------------------------------------


def published_matrices(problem: Problem, cells: tuple[Cell, ...]) -> tuple[list[list[int]], list[list[int]]]:
    """The matrices of the published rules, filled in entry by entry; the diagonal is left empty."""
    size = len(problem.tokens)
    greater, shared = ([[0] * size for _ in range(size)] for _ in range(2))
    for one in problem.quantities:
        for other in problem.quantities:
            if one.exact > other.exact:
                greater[one.token][other.token] = 1
            else:
                greater[other.token][one.token] = 1
    numbers = [quantity.token for quantity in problem.quantities]
    words = ["NUM" if place in numbers else token for place, token in enumerate(problem.tokens)]
    group = [place for cell in cells for place in (cell.centre, *cell.words)]
    for number in numbers:
        for place in group:
            if place not in numbers and abs(number - place) < 4:
                shared[number][place] = shared[place][number] = 1
    for one in group:
        for other in group:
            if words[one] == words[other]:
                shared[one][other] = shared[other][one] = 1
    for place in range(size):
        greater[place][place] = shared[place][place] = 0
    return greater, shared


def test_published_edges_are_those_of_the_published_rules() -> None:
    texts = (
        "Tom has 3 red pens and 3 blue pens. Ann has 5 pens. How many pens do they have?",
        "A train runs 60 km in 1 hour and 1.0 km in 30 s. How far does it run in 2 hours?",
        "How many legs have 4 dogs?",
        "Nothing here.",
    )
    for problem in map(english, texts):
        cells = find_cells(problem)
        found = make_graphs(problem, published=True)
        for edges, matrix in zip(found, published_matrices(problem, cells), strict=True):
            assert set(edges) == {(i, j) for i, row in enumerate(matrix) for j, one in enumerate(row) if one}
            assert len(set(edges)) == len(edges)


def test_published_edges_link_equal_quantities_both_ways() -> None:
    problem = english("3 pens and 3 cups and 5 hats")
    places = [quantity.token for quantity in problem.quantities]
    assert set(make_graphs(problem, published=True).comparisons) == {
        (places[0], places[1]),
        (places[1], places[0]),
        (places[2], places[0]),
        (places[2], places[1]),
    }


# --- cells ------------------------------------------------------------------------------------------------------------


def test_english_cells_are_the_nearest_content_words_of_the_clause() -> None:
    problem = english("In the old shop Tom buys 3 red pens, and he has 20 dollars left. How many pens does he have?")
    assert said(problem, find_cells(problem)) == {"3": "Tom buys red pens", "20": "dollars left", "many": "pens"}


def test_a_cell_ends_at_the_next_number() -> None:
    problem = english("Each of 4 boxes holds 12 eggs")
    assert said(problem, find_cells(problem)) == {"4": "Each boxes holds", "12": "boxes holds eggs"}


def test_signs_of_money_belong_to_the_cell() -> None:
    problem = english("It costs $ 5.")
    assert said(problem, find_cells(problem)) == {"5": "costs $"}


CHINESE = "小明 每 小时 走 5 千米 ， 他 一共 走 了 3 个 小时 ， 买 水 花 了 8 元 ， 共 走 了 多少 千米 ？"


def test_chinese_cells_are_chosen_by_tags() -> None:
    pytest.importorskip("rjieba")
    problem = chinese(CHINESE)
    # 一共 and 共 are no content words by their tags; 元 is tagged as a numeral, but follows a number.
    assert said(problem, find_cells(problem)) == {
        "5": "小时 走 千米",
        "3": "走 小时",
        "8": "水 花 元",
        "多少": "走 千米",
    }


def test_chinese_cells_without_tags_are_a_window() -> None:
    problem = chinese(CHINESE)
    found = said(problem, find_cells(problem, tags=False))
    assert found == {"5": "小时 走 千米", "3": "一共 走 小时", "8": "水 花 元", "多少": "共 走 千米"}


def test_without_rjieba_the_window_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = chinese(CHINESE)
    monkeypatch.setattr(graphs_module, "_tagger", lambda: None)
    assert find_cells(problem) == find_cells(problem, tags=False)


def test_without_rjieba_a_solver_that_was_trained_with_tags_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs_module, "_tagger", lambda: None)
    settings, _ = preset("small", solver="g2t", tags=True)
    with pytest.raises(ConfigError, match="rjieba"):
        make_graphs(chinese(CHINESE), tags=settings.tags)
    assert make_graphs(english("3 boys ate 3 pies."), tags=True) == make_graphs(english("3 boys ate 3 pies."))


@pytest.mark.parametrize("installed", [True, False])
def test_a_g2t_preset_takes_tags_where_there_are_some(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    monkeypatch.setattr(graphs_module, "_tagger", lambda: list if installed else None)
    assert preset("small", solver="g2t")[0].tags is installed
    assert preset("small", solver="gts")[0].tags is False


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Tom has 3 pens. How many pens are left?", "many"),
        ("How old is Tom if he is 3 years older than 7?", "old"),
        ("What is the sum of 3 and 4?", "What"),
        ("Find 3 + 4.", None),
    ],
)
def test_the_word_that_asks_in_english(text: str, word: str | None) -> None:
    problem = english(text)
    place = find_asked(problem)
    assert (None if place is None else problem.tokens[place]) == word


@pytest.mark.parametrize(
    ("segmented", "word"),
    [
        ("有 几个 人 ， 走 了 3 人 ， 剩 多少 人 ？", "多少"),
        ("女生 比 男生 多 百分之几 ， 男生 3 人", "百分之几"),
        ("3 + 4 的 和 = ？", "="),
        ("3 + 4 = 7", None),
    ],
)
def test_the_word_that_asks_in_chinese(segmented: str, word: str | None) -> None:
    problem = chinese(segmented)
    place = find_asked(problem)
    assert (None if place is None else problem.tokens[place]) == word


def test_cells_that_share_a_word_are_linked_but_for_case_and_plural() -> None:
    problem = english("Pens cost 3 dollars. Tom has 4 dollars. One pen for 1 day is how much?")
    cells = find_cells(problem)
    shared = {(problem.tokens[a], problem.tokens[b]): word for (a, b), word in shared_words(problem, cells).items()}
    assert shared[("3", "4")] == "dollars" and shared[("3", "1")] == "Pens"
    edges = set(make_graphs(problem).cells)
    for cell in cells:
        assert {(cell.centre, word) for word in cell.words} <= edges
    assert set(shared_words(problem, cells)) <= edges
    assert {(other, one) for one, other in edges} == edges  # both ways


def test_a_problem_without_numbers_or_words_has_empty_graphs() -> None:
    assert make_graphs(english("?")) == ((), ())


def test_no_edge_joins_a_place_with_itself() -> None:
    for problem in read_corpus("stories", size=300).problems:
        graphs = make_graphs(problem)
        assert all(one != other for edges in graphs for one, other in edges)
        assert all(0 <= place < len(problem.tokens) for edges in graphs for edge in edges for place in edge)


def test_graphs_need_no_torch() -> None:
    code = "import sys, weaksup.solvers.data.groups, weaksup.report.graph_drawing; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# --- the published file -----------------------------------------------------------------------------------------------


def test_cells_of_the_file_are_runs_of_places_around_the_quantities() -> None:
    problem = chinese("每隔 2 米 种 3 棵 ， 小路 长 多少 米")
    cells = group_cells(problem, [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 10])
    # The word between two quantities belongs to the nearer one; punctuation to none; a run without one has its middle.
    assert said(problem, cells) == {"2": "每隔 米", "3": "种 棵", "多少": "长 米"}
    assert group_cells(chinese("2 米 3 棵"), [0, 1, 2]) == (Cell(0, (1,)), Cell(2, (1,)))


def test_lists_that_do_not_fit_are_counted_and_left_to_the_rule() -> None:
    problems = [chinese("走 2 米 ， 3 棵")] * 4
    problems = [Problem(**{**_fields(problem), "id": str(i)}) for i, problem in enumerate(problems)]
    cells, outcomes = align_groups(problems, {"0": (0, 1, 2, 4, 5), "1": (0, 1, 2, 5), "2": (1, 4, 6)})
    assert outcomes == {"fits": 1, "quantity not listed": 1, "place past the end": 1, "no list": 1}
    assert cells == {"0": (Cell(1, (0, 2)), Cell(4, (5,)))}


def _fields(problem: Problem) -> dict[str, object]:
    return {name: getattr(problem, name) for name in problem.__struct_fields__}


def test_the_file_may_be_gzipped(tmp_path: Path) -> None:
    text = json.dumps({"1": [1, 2], "2": []}).encode()
    (tmp_path / "plain.json").write_bytes(text)
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(text))
    for name in ("plain.json", "packed.json.gz"):
        assert read_group_num(tmp_path / name) == {"1": (1, 2), "2": ()}


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"1": ["a"]}', b'{"1": 2}', b"\xff"])
def test_another_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "groups.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"groups\.json: not a JSON object of lists of token positions"):
        read_group_num(path)


def test_damaged_gzip_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "groups.json"
    path.write_bytes(b"\x1f\x8b\x08rubbish")
    with pytest.raises(DataError, match=r"groups\.json: .*gzip"):
        read_group_num(path)


@pytest.mark.slow
def test_half_of_the_published_lists_fit(data_dir: Path) -> None:
    corpus = read_corpus("math23k", data_dir / "math23k" / "Math_23K.json.gz")
    cells, outcomes = align_groups(corpus.problems, read_group_num(data_dir / "math23k" / "group_num.json.gz"))
    assert outcomes == {"fits": 11_386, "quantity not listed": 11_252, "place past the end": 524}
    assert len(cells) == 11_386
