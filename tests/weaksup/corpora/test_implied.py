"""Quantities that a text implies: where they stand, when a conversion counts, and what a lexicon may say."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaksup.corpora import READERS, lexicon_of, read_corpus
from weaksup.corpora.implied import find_implied
from weaksup.corpora.lexicons import LEXICONS, Lexicon, load_lexicon, load_lexicons
from weaksup.corpora.python_objects import read_objects
from weaksup.corpora.quantities import Mention, find_quantities
from weaksup.errors import ConfigError

from .writing import lines, write


def values(text: str, language: str = "en", *, number_words: bool = True) -> list[str]:
    mentions = find_quantities(text, language=language, number_words=number_words)
    return [str(one.value) for one in find_implied(text, mentions, load_lexicon(language))]


# --- what is implied --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A couple of days", ["2"]),
        ("She buys three pairs of socks, and both are red.", ["2"]),  # a number is implied once
        ("He drives 20 miles each way.", ["2"]),
        ("A Round-Trip of 20 miles", ["2"]),  # in any case, with a hyphen
        ("The movie lasts 2 hours and 10 minutes.", ["60"]),
        ("The movie lasts 2 hours.", []),  # both units must occur
        ("How many minutes is 2 hours?", ["60"]),  # the question counts
        ("She saves $5 a week for a year.", ["52"]),
        ("8 feet and 3 inches", ["12"]),
        ("$3 and 20 cents", ["100"]),
        ("30% of 50", ["1/100"]),
        ("What percentage of 50 is 10?", ["1/100"]),
        ("two dozen eggs", []),  # printed already
        ("an hourglass and a minuteman", []),  # whole words only
        ("", []),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert values(text) == expected


def test_words_that_are_not_read_as_numbers_imply_them() -> None:
    assert values("twice as many, half of them in two dozen boxes", number_words=False) == ["2", "1/2", "12"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一本书每天看20页，一周看多少页？", ["7"]),
        ("长5米，宽30厘米", ["100"]),
        ("宽30厘米，长5厘米", []),  # 厘米 is not 米
        ("每小时走4千米，30分钟走多少千米？", ["60"]),
        ("来回一共多少千米？", ["2"]),
        ("40%的学生", ["1/100"]),
    ],
)
def test_chinese(text: str, expected: list[str]) -> None:
    assert values(text, "zh", number_words=False) == expected


# --- against a slow search --------------------------------------------------------------------------------------------

WORDS = ("hour", "hours", "minute", "half", "an", "day", "week", "pair", "of", "both", "round", "trip", "20", "%", "$")


def slow_values(text: str, mentions: list[Mention], lexicon: Lexicon) -> set[Fraction]:
    """The implied numbers, by one regular expression for each word of the lexicon."""

    def spans(words: tuple[str, ...]) -> list[tuple[int, int]]:
        found = []
        for word in words:
            tokens = re.findall(r"[A-Za-z]+|[^A-Za-z\s'-]", word)
            pattern = r"[\s\d_'’–-]*".join(map(re.escape, tokens))
            if word[0].isalpha():
                pattern = rf"(?<![A-Za-z]){pattern}(?![A-Za-z])"
            found += [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
        return found

    implied = set()
    for word in lexicon.word:
        outside = [
            span
            for span in spans(word.words)
            if not any(set(range(*span)) & set(range(m.start, m.end)) for m in mentions)
        ]
        implied |= {Fraction(word.value)} if outside else set()
    for pair in lexicon.conversion:
        implied |= {Fraction(pair.value)} if spans(pair.whole) and spans(pair.part) else set()
    if lexicon.percent and spans(lexicon.percent.words):
        implied.add(Fraction(1, 100))
    return implied


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from([" ", "  ", "-", ", "]))
def test_the_same_as_a_regular_expression_for_each_word(words: list[str], between: str) -> None:
    text, lexicon = between.join(words), load_lexicon("en")
    mentions = find_quantities(text, language="en", number_words=True)
    found = find_implied(text, mentions, lexicon)
    assert {one.value for one in found} == slow_values(text, mentions, lexicon)
    assert len({one.value for one in found}) == len(found)
    assert found == sorted(found)
    for one in found:
        entries = {
            *[word.lower() for entry in lexicon.word if Fraction(entry.value) == one.value for word in entry.words],
            *[
                word.lower()
                for pair in lexicon.conversion
                if Fraction(pair.value) == one.value
                for word in (*pair.whole, *pair.part)
            ],
            *(lexicon.percent.words if lexicon.percent else ()),
        }
        assert re.sub(r"[\s-]+", " ", text[one.start : one.end].lower()) in entries


# --- in a problem -----------------------------------------------------------------------------------------------------


def problem_of(tmp_path: Path, text: str, **options: str) -> object:
    path = write(tmp_path / "mine.jsonl", lines([{"text": text, "answer": "1"}]))
    return read_corpus("jsonl", path, **options).problems[0]


def test_implied_quantities_come_last_and_leave_the_tokens_alone(tmp_path: Path) -> None:
    text = "He reads a couple of hours a day, 30 minutes of them alone. What is it in a week of 5 days?"
    without, with_lexicon = [problem_of(tmp_path, text, lexicon=name) for name in ("none", "en")]
    assert without.tokens == with_lexicon.tokens
    assert without.quantities == with_lexicon.quantities[: with_lexicon.printed]
    implied = with_lexicon.quantities[with_lexicon.printed :]
    assert {quantity.value for quantity in implied} == {"2", "24", "60", "7"}
    assert all(quantity.implied for quantity in implied)
    for quantity in implied:
        assert with_lexicon.tokens[quantity.token] == quantity.surface == text[quantity.start : quantity.end]
    assert (without.lexicon, with_lexicon.lexicon) == ("", "en")


def test_no_two_quantities_share_a_token(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, "30% of 50 a year, by month, week or day", lexicon="en")
    tokens = [quantity.token for quantity in problem.quantities]
    assert len(set(tokens)) == len(tokens) == 2 + 7  # 1/100, and 12, 52, 365, 4, 30, 7 by units
    percent = next(quantity for quantity in problem.quantities if quantity.value == "1/100")
    assert (percent.surface, problem.tokens[percent.token]) == ("%", "of")


def test_a_lexicon_reads_only_its_language(tmp_path: Path) -> None:
    assert problem_of(tmp_path, "a pair of shoes for 5", lexicon="zh").lexicon == ""
    assert problem_of(tmp_path, "a pair of shoes for 5", lexicon="auto").lexicon == "en"


def test_the_lexicon_is_a_switch_of_each_corpus(tmp_path: Path) -> None:
    assert {name for name in READERS if lexicon_of(name) == "none"} == {"stories", "math23k", "ape210k"}
    assert lexicon_of("a corpus of Python objects") == "en"
    record = {"question": "A couple has 3 cats each.", "answer": "<<2*3=6>>6 #### 6"}
    path = write(tmp_path / "train.jsonl", lines([record]))
    assert [quantity.value for quantity in read_corpus("gsm8k", path).problems[0].quantities] == ["3", "2"]
    assert [quantity.value for quantity in read_corpus("gsm8k", path, lexicon="none").problems[0].quantities] == ["3"]


def test_own_english_texts_have_the_english_lexicon_and_chinese_ones_none(tmp_path: Path) -> None:
    english, chinese = "A pair of shoes costs 5.", "一双鞋5元，一打铅笔多少元？"
    for text, language, values in ((english, "en", ["5", "2"]), (chinese, "", ["5"])):
        for problem in (
            problem_of(tmp_path, text),
            read_objects([{"text": text, "answer": 1}]).problems[0],
        ):
            assert problem.lexicon == language
            assert [quantity.value for quantity in problem.quantities] == values


# --- lexicon files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEXICONS)
def test_every_shipped_word_is_found_where_it_stands(name: str) -> None:
    lexicon = load_lexicon(name)
    assert lexicon.language == name and lexicon.about
    for entry in lexicon.word:
        for word in entry.words:
            assert Fraction(entry.value) in {one.value for one in find_implied(f"{word} ", [], lexicon)}, word
    for pair in lexicon.conversion:
        assert set(pair.whole).isdisjoint(pair.part) or name == "en"
        for whole in pair.whole:
            text = f"{whole} , {pair.part[0]}"
            assert Fraction(pair.value) in {one.value for one in find_implied(text, [], lexicon)}, text


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nlanguage = "en"\n[[word]]\nwords = ["egg-carton"]\nvalue = "6"\n')
    found = problem_of(tmp_path, "2 egg cartons? No, an Egg carton.", lexicon=str(file)).quantities[-1]
    assert (found.value, found.surface, found.implied) == ("6", "Egg carton", "egg-carton")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("name = 'a'", "language"),
        ("name = 'a'\nlanguage = 'fr'", "fr"),
        ("name = 'a'\nlanguage = 'en'\n[[word]]\nwords = []\nvalue = '2'", "length"),
        ("name = 'a'\nlanguage = 'en'\n[[word]]\nwords = ['x']\nvalue = '-2'", "regex"),
        ("name = 'a'\nlanguage = 'en'\n[[word]]\nwords = ['x']\nvalue = '1/0'", "regex"),
        ("name = 'a'\nlanguage = 'en'\n[[word]]\nwords = ['x']\nvalue = '0'", "is 0"),
        ("name = 'a'\nlanguage = 'en'\ncolour = 'red'", "colour"),
        ("name = ", "Invalid value"),
        ("a = " + "[" * 5000, "nested|Invalid"),
    ],
)
def test_a_bad_lexicon_is_one_line(tmp_path: Path, source: str, message: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(source)
    with pytest.raises(ConfigError, match=message) as error:
        load_lexicon(str(file))
    assert "\n" not in str(error.value) and str(file) in str(error.value)


def test_an_unknown_lexicon_says_which_there_are() -> None:
    with pytest.raises(ConfigError, match=r"unknown lexicon 'fr'; one of auto, none, en, zh, or a \.toml file"):
        load_lexicons("fr")


@pytest.mark.parametrize(
    ("text", "surfaces", "sign"),
    [
        ("What is 30 of 30%?", ["30", "30%"], "%"),
        ("What is 30% of 30 pens?", ["30%", "30"], "%"),
        ("Of 30 pens, 30 percent are red. How many?", ["30", "30 percent"], "percent"),
        ("30的30%是多少？", ["30", "30%"], "%"),
        ("３０的３０％是多少？", ["３０", "３０％"], "％"),
    ],
)
def test_a_percent_is_a_quantity_of_its_own_beside_the_same_number(text: str, surfaces: list[str], sign: str) -> None:
    values = {surface: "3/10" if len(surface) > 2 else "30" for surface in surfaces}
    for lexicon, implied in (("none", []), ("auto", [(sign, "1/100")])):
        (problem,) = read_objects([{"text": text, "answer": 9}], lexicon=lexicon).problems
        found = [(text[quantity.start : quantity.end], quantity.value) for quantity in problem.quantities]
        assert found == [*values.items(), *implied]
