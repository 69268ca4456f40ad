"""The conditions of `mwp-weak show --where`, against Python's own `eval` of the same text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weaksup.errors import ConfigError
from weaksup.measure.conditions import parse_condition

_TESTS = st.sampled_from(["right", "wrong", "single", "n>=3", "n = 2", "posterior<1/2", "candidates!=1", "stage=all"])
_TEXTS = st.recursive(
    _TESTS,
    lambda inner: st.one_of(
        inner.map("not {}".format),
        inner.map("({})".format),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
    ),
    max_leaves=12,
)
_FACTS = st.fixed_dictionaries(
    {
        "right": st.booleans(),
        "wrong": st.booleans(),
        "single": st.booleans(),
        "n": st.integers(1, 4),
        "posterior": st.sampled_from([0.25, 0.5, 0.75]),
        "candidates": st.integers(0, 2),
        "stage": st.sampled_from(["all", "omit"]),
    }
)


@given(_TEXTS, _FACTS)
def test_a_condition_means_what_python_takes_it_to_mean(text: str, facts: dict[str, object]) -> None:
    python = text.replace("n = 2", "n == 2").replace("stage=all", "stage == 'all'")
    assert parse_condition(text).holds(facts) == eval(python, {}, dict(facts))  # noqa: S307


def test_unknown_values_are_false() -> None:
    facts = {"right": None, "wrong": None, "posterior": None, "n": 3}
    assert not any(parse_condition(text).holds(facts) for text in ("right", "wrong", "posterior<1", "posterior!=2"))
    assert parse_condition("not right and n=3").holds(facts)


def test_numbers_and_texts() -> None:
    facts = {"answer": Fraction(1, 3), "stage": "omit-1 add-1", "id": "story-00001"}
    assert parse_condition("answer = 1/3 and stage='omit-1 add-1' and id=story-00001").holds(facts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early at character 1"),
        ("right and", "ends too early"),
        ("(right", "ends too early"),
        ("right)", r"unexpected '\)' at character 6"),
        ("right wrong", "unexpected 'wrong' at character 7"),
        ("size>2", "unknown word 'size'; one of right, wrong"),
        ("n", "n needs a comparison, such as n>=2"),
        ("n>=x", "n is a number, 'x' is not"),
        ("stage>all", "stage is text"),
        ("n>=4 & right", "unexpected '&'"),
        ("stage='all", "unexpected"),
        ("__import__('os')", "unknown word"),
    ],
)
def test_what_is_wrong_is_said_with_the_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_condition(text)


def test_brackets_may_be_deep() -> None:
    assert parse_condition("(" * 4000 + "right" + ")" * 4000).holds({"right": True})
    with pytest.raises(ConfigError, match="20,005 characters"):
        parse_condition("(" * 10_000 + "right" + ")" * 10_000)
