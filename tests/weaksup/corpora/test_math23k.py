"""Math23K: segmented Chinese, three layouts, quantities of the usual reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.errors import DataError

from .writing import chinese, concatenated, lines, listed, write

RECORDS = [
    chinese("1", segmented="船 上 有 12 人 ， 下 了 (1/4) ， 还有 多少 人 ？", equation="x=12*(1-(1/4))", ans="9"),
    chinese("2", segmented="绳 长 30cm ， 剪 去 40% ， 剩 几分 之 几 ？", equation="x=1-40%", ans="((3)/(5))"),
    chinese("3", segmented="一本 书 ， 第一天 看 了 l4 页 ， 又 看 了 7 页 ．", equation="x=7", ans="1((1)/(2))"),
]


@pytest.mark.parametrize("layout", [concatenated, lines, listed])
@pytest.mark.parametrize("packed", [False, True])
def test_all_layouts_plain_or_packed_read_the_same(tmp_path: Path, layout: object, packed: bool) -> None:
    path = write(tmp_path / "file.txt", layout(RECORDS), packed=packed)  # type: ignore[operator]
    corpus = read_corpus("math23k", path)
    assert [problem.id for problem in corpus.problems] == ["1", "2", "3"]
    assert [problem.answer for problem in corpus.problems] == ["9", "3/5", "3/2"]
    assert corpus.problems[0].gold == "x=12*(1-(1/4))"
    assert corpus.skipped == [] and corpus.gold_missing == {}
    assert corpus.problems[0].language == "zh"


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    plain = write(tmp_path / "a", concatenated(RECORDS))
    packed = write(tmp_path / "b", concatenated(RECORDS), packed=True)
    assert read_corpus("math23k", plain).digest == read_corpus("math23k", packed).digest != ""


def test_a_number_glued_to_a_unit_is_a_token_of_its_own(tmp_path: Path) -> None:
    problem = read_corpus("math23k", write(tmp_path / "a", lines(RECORDS))).problems[1]
    assert problem.tokens[:5] == ("绳", "长", "30", "cm", "，")
    assert [(q.surface, q.value, q.token) for q in problem.quantities] == [("30", "30", 2), ("40%", "2/5", 7)]
    for quantity in problem.quantities:
        assert problem.text[quantity.start : quantity.end] == quantity.surface == problem.tokens[quantity.token]


def test_a_number_inside_a_token_does_not_count(tmp_path: Path) -> None:
    problem = read_corpus("math23k", write(tmp_path / "a", lines(RECORDS))).problems[2]
    assert [quantity.surface for quantity in problem.quantities] == ["7"]


def test_number_words_count_when_asked_for(tmp_path: Path) -> None:
    problem = read_corpus("math23k", write(tmp_path / "a", lines(RECORDS)), number_words=True).problems[2]
    assert [quantity.surface for quantity in problem.quantities] == ["一", "7"]
    assert problem.tokens[:2] == ("一", "本")


def test_a_bare_calculation_is_read_like_the_rest(tmp_path: Path) -> None:
    record = chinese("1", segmented="25 * 4 - (1/6) =", equation="x=25*4-(1/6)", ans="99((5)/(6))")
    problem = read_corpus("math23k", write(tmp_path / "a", lines([record]))).problems[0]
    assert (problem.language, [q.value for q in problem.quantities]) == ("zh", ["25", "4", "1/6"])


def test_a_segmented_text_that_is_another_text_takes_its_place(tmp_path: Path) -> None:
    record = chinese("1", segmented="有 3 人") | {"original_text": "共有4人"}
    problem = read_corpus("math23k", write(tmp_path / "a", lines([record]))).problems[0]
    assert (problem.text, problem.tokens) == ("有 3 人", ("有", "3", "人"))


def test_what_cannot_be_read_is_skipped_and_counted(tmp_path: Path) -> None:
    bad = [
        chinese("4", segmented="有 3 人", ans="很多"),
        chinese("5", segmented="有 (3/0) 人"),
        chinese("6", segmented=" "),
        chinese("1", segmented="有 3 人"),
    ]
    path = write(tmp_path / "a", lines([*RECORDS, *bad]))
    corpus = read_corpus("math23k", path)
    assert len(corpus.problems) == 3
    assert corpus.skipped_by_reason == {
        "answer-unreadable": 1, "duplicate-id": 1, "quantity-unreadable": 1, "text-empty": 1,
    }  # fmt: skip
    assert [(skipped.id, skipped.line) for skipped in corpus.skipped[:2]] == [("4", 4), ("5", 5)]
    with pytest.raises(DataError, match=r"a:4: problem 4: answer-unreadable: .*\(field ans\)"):
        read_corpus("math23k", path, strict=True)


def test_an_equation_that_is_no_arithmetic_leaves_the_problem_without_gold(tmp_path: Path) -> None:
    record = chinese("1", segmented="有 3 人", equation="x=35公里/天")
    corpus = read_corpus("math23k", write(tmp_path / "a", lines([record])), strict=True)
    assert corpus.problems[0].gold is None
    assert corpus.gold_missing == {"gold-not-arithmetic": 1}


def test_rjieba_can_segment_instead(tmp_path: Path) -> None:
    pytest.importorskip("rjieba")
    corpus = read_corpus("math23k", write(tmp_path / "a", lines(RECORDS)), segmenter="rjieba")
    problem = corpus.problems[0]
    assert "".join(problem.tokens) == problem.text
    assert [quantity.surface for quantity in problem.quantities] == ["12", "(1/4)"]
