"""Number mentions: found where they stand, worth what they say."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaksup.corpora.number_words import find_chinese_words, read_chinese
from weaksup.corpora.quantities import (
    QuantityError,
    add_number_words,
    find_number_words,
    find_quantities,
    find_token_quantities,
    language_of,
)


def found(text: str, **options: object) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], str(m.value)) for m in find_quantities(text, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann has 12 pens.", [("12", "12")]),
        ("It costs $5.25, or .5 less", [("5.25", "21/4"), (".5", "1/2")]),
        ("(1/6) of it and 2/3 of that", [("(1/6)", "1/6"), ("2/3", "2/3")]),
        ("2 1/2 cups and 3(1/4) cups", [("2 1/2", "5/2"), ("3(1/4)", "13/4")]),
        ("1½ cups, ¾ cup", [("1½", "3/2"), ("¾", "3/4")]),
        ("40% of 12.5 % of 1,250,000", [("40%", "2/5"), ("12.5 %", "1/8"), ("1,250,000", "1250000")]),
        ("a 30cm rope, a 120-page book, the 4th", [("30", "30"), ("120", "120"), ("4", "4")]),
        ("an mp3 player, room D12.5, 3rd", [("3", "3")]),
        ("It was -3 degrees, then 5-2", [("-3", "-3"), ("5", "5"), ("2", "2")]),
        ("in 2010 1/2 of them", [("2010", "2010"), ("1/2", "1/2")]),
        ("5 8/4", [("5", "5"), ("8/4", "2")]),
        ("1/0 is nothing", [("1", "1"), ("0", "0")]),
        ("on 1/2/2003", [("1", "1"), ("2", "2"), ("2003", "2003")]),
        ("1,2,3 and 12,34", [("1", "1"), ("2", "2"), ("3", "3"), ("12", "12"), ("34", "34")]),
        ("at 6:00.", [("6", "6"), ("00", "0")]),
        ("40 m^2 at €3,50, 2^3 cm^3", [("40", "40"), ("3,50", "7/2"), ("2", "2"), ("3", "3")]),
        ("for €1,200 or €1,2,3", [("1,200", "1200"), ("1", "1"), ("2", "2"), ("3", "3")]),
        ("no number", []),
        ("", []),
    ],
)
def test_english_numerals(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("每隔2米种30棵", [("2", "2"), ("30", "30")]),
        ("用去(1/6)，又用去1(5/6)吨", [("(1/6)", "1/6"), ("1(5/6)", "11/6")]),
        ("用去（1/6）后", [("（1/6）", "1/6")]),
        ("长３．５米，占２０％", [("３．５", "7/2"), ("２０％", "1/5")]),
        ("共3．5个班", [("3", "3"), ("5", "5")]),  # a full stop, not a point
        ("走了全程的7/12的地方", [("7/12", "7/12")]),
        ("计算360/4/3和5/9=", [("360", "360"), ("4", "4"), ("3", "3"), ("5", "5"), ("9", "9")]),
        ("每Kg4.5元", [("4.5", "9/2")]),
        ("一共两个", []),
    ],
)
def test_chinese_numerals(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text, language="zh") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two boys ate twenty-two pies", ["2", "22"]),
        ("two hundred and five, one thousand two hundred", ["205", "1200"]),
        ("a hundred and three million", ["100", "3000000"]),
        ("half of a dozen; half a dozen", ["1/2", "12", "1/2", "12"]),
        ("twice as many, double, triple", ["2", "2", "3"]),
        ("one third, two-thirds, a quarter of it", ["1/3", "2/3", "1/4"]),
        ("the twenty-fifth day, the third day", []),
        ("three quarters and a dime", ["3"]),
        ("three-quarters of it, two and a half, 3 and a half", ["3/4", "5/2", "7/2"]),
        ("2.5 million people, 20 percent, ten percent, 40% percent", ["2500000", "1/5", "1/10", "2/5"]),
        ("each one, no one, one of them", ["1"]),
        ("one two three", ["1", "2", "3"]),
        ("zero, ZERO", ["0", "0"]),
        ("someone, often, tend, none", []),
    ],
)
def test_english_number_words(text: str, expected: list[str]) -> None:
    assert [str(mention.value) for mention in find_quantities(text, number_words=True)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("三个人分两个瓜", ["3", "2"]),
        ("十二只鸡，一百二十只鸭，两万五千只鹅", ["12", "120", "25000"]),
        ("用去三分之一，还剩百分之二十", ["1/3", "1/5"]),
        ("一半是百，半小时", ["1/2", "100", "1/2"]),
        ("第一天一共运来5千克，半径3千米，十分钟", ["5", "3", "10"]),
        ("降低百分之几？星期三，三角形，零件，十几", []),
        ("人口3万，产值1.5亿元", ["30000", "150000000"]),
        ("三四个，二〇一八年", ["2018"]),
    ],
)
def test_chinese_number_words(text: str, expected: list[str]) -> None:
    assert [str(mention.value) for mention in find_quantities(text, number_words=True)] == expected


def test_number_words_are_off_unless_asked_for() -> None:
    assert find_quantities("two") == [] == find_quantities("两个")


def test_words_of_ones_own_are_added() -> None:
    assert found("a score of pairs", number_words={"score": 20, "pairs": "2"}) == [("score", "20"), ("pairs", "2")]
    assert [m.value for m in find_number_words("一双鞋", number_words={"双": 2})] == [1, 2]
    assert list(find_chinese_words("半打", extra={"半打": Fraction(6)})) == [(0, 2, 6)]


def test_mentions_never_overlap() -> None:
    mentions = add_number_words("3 million and a half", find_quantities("3 million and a half"))
    assert [str(mention.value) for mention in mentions] == ["6000001/2"]


@pytest.mark.parametrize(("numeral", "value"), [("十", 10), ("百", 100), ("三千零五", 3005), ("一亿零一", 100000001)])
def test_chinese_numerals_are_read(numeral: str, value: int) -> None:
    assert read_chinese(numeral) == value


def test_the_usual_reader_takes_the_beginning_of_a_token() -> None:
    tokens = ["(1/5)5", "1(5/6)", "30cm", "l4", "+6", "15.5%", "0.8", "(", "7/8"]
    values = [(index, length, str(value)) for index, length, value in find_token_quantities(tokens)]
    assert values == [(0, 6, "1/5"), (1, 6, "11/6"), (2, 2, "30"), (5, 5, "31/200"), (6, 3, "4/5"), (8, 1, "7")]


@pytest.mark.parametrize("token", ["(3/0)", "9" * 2000])
def test_a_number_without_value_is_an_error(token: str) -> None:
    with pytest.raises(QuantityError):
        find_token_quantities([token])


def test_a_number_of_thousands_of_digits_is_an_error_in_running_text() -> None:
    with pytest.raises(QuantityError):
        find_quantities("about " + "7" * 5000)


def test_the_language_is_seen_by_the_characters() -> None:
    assert (language_of("2 米"), language_of("2 m")) == ("zh", "en")


@given(st.text(alphabet="12 0.,/%()-½三半个two half０％．a", max_size=60), st.booleans(), st.sampled_from(["en", "zh"]))
def test_spans_are_in_order_inside_the_text_and_apart(text: str, words: bool, language: str) -> None:
    end = 0
    for mention in find_quantities(text, language=language, number_words=words):
        assert end <= mention.start < mention.end <= len(text)
        assert not text[mention.start].isspace() and not text[mention.end - 1].isspace()
        end = mention.end
