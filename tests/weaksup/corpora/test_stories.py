"""The embedded stories: the same bytes everywhere, true gold, honest spans, and enough false matches to matter."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random

import msgspec
import pytest

from mathcanon.deduping import dedupe
from mathcanon.expr import Number
from mathcanon.grading import grade, lift
from mathcanon.notation.notations import parse_equation
from mathcanon.reaching.numbers_to_target import reach
from mathcanon.values import evaluate
from weaksup.corpora._story_grammar import draw_below, read_grammar, shuffled
from weaksup.corpora.stories import read_stories, story_grammars, story_split
from weaksup.errors import ConfigError, DataError
from weaksup.records import Problem

ONE, PI = Fraction(1), Fraction("3.14")

GRAMMAR = """
language = "en"
[words.thing]
forms = ["", "s"]
rows = ["pen pens", "cup cups"]
[[scheme]]
id = "left"
equation = "a-b"
numbers = { a = "2..9", b = "2..9" }
where = ["a > b"]
texts = ["{a} {thing.s}, {b} gone. How many are left?"]
"""


@pytest.fixture(scope="module")
def stories() -> list[Problem]:
    return list(read_stories())


def digest(problems: list[Problem]) -> str:
    return hashlib.sha256(b"\n".join(map(msgspec.json.encode, problems))).hexdigest()


def used_numbers(problem: Problem) -> list[Fraction]:
    assert problem.gold is not None
    return [leaf.value for leaf in parse_equation(problem.gold).leaves() if isinstance(leaf, Number)]


def test_the_same_seed_gives_the_same_bytes_in_any_process(stories: list[Problem]) -> None:
    program = (
        "import hashlib, msgspec; from weaksup.corpora.stories import read_stories;"
        "print(hashlib.sha256(b'\\n'.join(map(msgspec.json.encode, read_stories()))).hexdigest())"
    )
    root = str(Path(__file__).parents[3])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "4321")
    }
    assert digests == {digest(stories)}
    assert digest(list(read_stories(seed=1))) != digest(stories)


def test_a_shorter_corpus_is_the_beginning_of_a_longer_one(stories: list[Problem]) -> None:
    assert list(read_stories(size=300)) == stories[:300]
    assert list(read_stories(size=0)) == []
    assert [problem.id for problem in stories[:2]] == ["story-00000", "story-00001"]


def test_no_two_problems_have_the_same_text(stories: list[Problem]) -> None:
    assert len(stories) == 2000
    assert len({problem.text for problem in stories}) == len({problem.id for problem in stories}) == len(stories)


def test_gold_has_exactly_the_value_of_the_answer(stories: list[Problem]) -> None:
    for problem in stories:
        assert problem.gold is not None and problem.gold.startswith("x=")
        assert evaluate(parse_equation(problem.gold), {}) == problem.exact_answer > 0, problem


def test_quantities_agree_with_text_and_tokens(stories: list[Problem]) -> None:
    for problem in stories:
        glue = "" if problem.language == "zh" else " "
        assert re.sub(r"\s", "", problem.text) == "".join(problem.tokens)
        assert glue or " " not in problem.text
        for quantity in problem.quantities:
            assert problem.text[quantity.start : quantity.end] == quantity.surface == problem.tokens[quantity.token]
            assert evaluate(quantity.surface) == quantity.exact
            assert ("/" in quantity.surface) <= (quantity.surface.startswith("(") == (problem.language == "zh"))
        starts = [quantity.start for quantity in problem.quantities]
        assert starts == sorted(starts)
        with_digits = [i for i, token in enumerate(problem.tokens) if re.search(r"\d", token)]
        assert with_digits == [quantity.token for quantity in problem.quantities]
        assert not re.search(r"[{}<>~|\[\]]", problem.text)


def test_the_equation_uses_only_numbers_of_the_text_and_1_and_pi(stories: list[Problem]) -> None:
    for problem in stories:
        assert set(used_numbers(problem)) <= {quantity.exact for quantity in problem.quantities} | {ONE, PI}, problem


def test_schemes_are_many_and_cover_what_real_problems_have(stories: list[Problem]) -> None:
    schemes = Counter(problem.scheme for problem in stories)
    assert len(schemes) >= 60
    assert max(schemes.values()) - min(schemes.values()) <= 1
    assert {str(scheme)[:3] for scheme in schemes} == {"en-", "zh-"}
    sizes = Counter(len(problem.quantities) for problem in stories)
    assert sorted(sizes) == [1, 2, 3, 4, 5, 6] and min(sizes.values()) >= 40

    def share(has: object) -> float:
        assert callable(has)
        return sum(bool(has(problem)) for problem in stories) / len(stories)

    def values(problem: Problem) -> set[Fraction]:
        return {quantity.exact for quantity in problem.quantities}

    assert share(lambda p: values(p) - set(used_numbers(p))) > 0.03  # numbers beside the point
    assert share(lambda p: {ONE} & set(used_numbers(p)) - values(p)) > 0.08
    assert share(lambda p: {PI} & set(used_numbers(p)) - values(p)) > 0.03
    assert share(lambda p: len(used_numbers(p)) > len(p.quantities) and not {ONE, PI} & set(used_numbers(p))) > 0.08
    assert share(lambda p: any("%" in q.surface for q in p.quantities)) > 0.03
    assert share(lambda p: any("/" in q.surface for q in p.quantities)) > 0.05
    assert share(lambda p: any("." in q.surface for q in p.quantities)) > 0.01
    assert share(lambda p: p.exact_answer.denominator > 1) > 0.05


def test_a_third_of_the_problems_has_false_matches(stories: list[Problem]) -> None:
    """Candidates: all numbers once, and, up to four numbers, all numbers and a 1."""
    several, covered, chance_of_random_pick = 0, 0, 0.0
    sample = stories[:336]  # three rounds over the schemes
    for problem in sample:
        numbers = [quantity.exact for quantity in problem.quantities]
        found = reach(numbers, problem.exact_answer)
        if len(numbers) <= 4:
            found += reach([*numbers, ONE], problem.exact_answer)
        kinds = list(dedupe([lift(expr, numbers, constants=[ONE]) for expr in found], by="value"))
        several += len(kinds) > 1
        if kinds:
            assert problem.gold is not None
            gold = lift(parse_equation(problem.gold), numbers, constants=[ONE, PI])
            covered += 1
            chance_of_random_pick += (len(list(dedupe([*kinds, gold], by="value"))) == len(kinds)) / len(kinds)
    assert 0.25 <= several / len(sample) <= 0.45
    assert 0.55 <= chance_of_random_pick / covered <= 0.75


def test_the_same_numbers_in_other_words_want_another_equation(stories: list[Problem]) -> None:
    answers: dict[tuple[str, ...], set[str]] = {}
    for problem in stories:
        answers.setdefault(tuple(sorted(quantity.value for quantity in problem.quantities)), set()).add(problem.answer)
    assert sum(len(different) > 1 for different in answers.values()) > 50


def test_the_split_deals_every_scheme_to_every_part(stories: list[Problem]) -> None:
    parts = story_split(stories)
    assert sorted(problem.id for part in parts.values() for problem in part) == [problem.id for problem in stories]
    everything = {problem.scheme for problem in stories}
    for part, share in (("train", 0.70), ("valid", 0.15), ("test", 0.15)):
        assert len(parts[part]) / len(stories) == pytest.approx(share, abs=0.005)
        assert {problem.scheme for problem in parts[part]} == everything


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_language_can_be_had_alone(language: str) -> None:
    problems = list(read_stories(language=language, size=200))
    assert {problem.language for problem in problems} == {language}
    chinese = [bool(re.search(r"[\u4e00-\u9fff]", problem.text)) for problem in problems]
    assert set(chinese) == {language == "zh"}


def test_wrong_settings_are_errors() -> None:
    with pytest.raises(ConfigError, match="one of en, zh"):
        read_stories(language="fr")
    with pytest.raises(ConfigError, match="can't be negative"):
        read_stories(size=-1)


def test_a_grammar_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(GRAMMAR)
    problems = list(read_stories(file, size=20))
    assert {problem.scheme for problem in problems} == {"en-left"}
    with pytest.raises(DataError, match="can't tell 1000 different stories"):
        list(read_stories(file, size=1000))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("a > b", "a > 10", "scheme left: .*no numbers"),
        ("a > b", "a = b", "scheme left: a condition is"),
        ("{b} gone", "some gone", "lacks the numbers b"),
        ("{b} gone", "{b} of {b} gone", "has the number b twice"),
        ("{thing.s}", "{fruit}", "unknown slot fruit"),
        ("{thing.s}", "{thing.x}", "no such form"),
        ('"a-b"', '"a-"', "scheme left: "),
        ('"2..9", b', '"9..2", b', "is empty"),
        ("texts", "text", "not a story grammar"),
        ('"en"', '"fr"', "unknown language"),
    ],
)
def test_a_mistake_in_a_grammar_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as raised:
        read_grammar(GRAMMAR.replace(old, new, 1).encode(), path="own.toml")
    assert "own.toml" in str(raised.value)


def test_every_scheme_can_tell_many_stories() -> None:
    rng = Random(7)
    for grammar in story_grammars():
        assert len({scheme.id for scheme in grammar.scheme}) == len(grammar.scheme)
        for scheme in grammar.scheme:
            tellings = [grammar.tell(scheme, rng) for _ in range(60)]
            assert len({(t.template, *sorted(t.surfaces.items())) for t in tellings}) >= 30, scheme.id
            assert 2 <= len(scheme.texts) <= 6, scheme.id


def test_shuffling_and_drawing_stay_in_bounds() -> None:
    rng = Random(3)
    assert sorted(shuffled((1, 2, 3, 4), rng)) == [1, 2, 3, 4]
    assert {draw_below(rng, 3) for _ in range(100)} == {0, 1, 2}


def test_false_matches_are_told_apart_from_gold(stories: list[Problem]) -> None:
    """Some problem's answer is reached by all its numbers in a way that is not its gold equation."""
    four = next(p for p in stories if p.scheme == "en-two-purchases")
    numbers = [quantity.exact for quantity in four.quantities]
    assert four.gold is not None
    grades = Counter(str(grade(found, four.gold, quantities=numbers)) for found in reach(numbers, four.exact_answer))
    assert grades["same-method"] >= 1 and grades["different"] == 0
