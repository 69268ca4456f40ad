"""Nothing hangs: every operation answers or refuses in at most a second for each KB of text."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

import mathcanon as mc
from weaksup.corpora import read_corpus

from .growing_inputs import FAMILIES

VALUES = import_module("mathcanon.values")
FORMATS = ("infix", "latex", "prefix", "postfix", "skeleton", "json", "dot")


def _evaluated(text: str) -> None:
    names = mc.parse(text).operands()
    mc.evaluate(text, {name: 3 + place for place, name in enumerate(names)})


def _rendered(text: str) -> None:
    expr = mc.parse(text)
    for format in FORMATS:
        mc.render(expr, format)


def _deduped(*texts: str) -> None:
    list(mc.dedupe(texts))
    list(mc.dedupe(texts, by="value"))


def _as_a_record(text: str, folder: Path) -> None:
    path = folder / "corpus.jsonl"
    path.write_text(json.dumps({"text": f"Add 1 and 2. {text}", "answer": text, "equation": f"x={text}"}) + "\n")
    read_corpus("jsonl", str(path))


def _operations(text: str, folder: Path) -> Iterator[tuple[str, int, Callable[[], object]]]:
    """What is done, to how many characters, and the call that does it."""
    infix = mc.parse(text)  # to be combined with others, whatever the notation
    same, other = infix + mc.parse("z-z"), infix + 1
    size = len(text)
    yield "parse", size, lambda: mc.parse(text)
    yield "canonical", size, lambda: str(mc.canonical(text))
    yield "key", size, lambda: mc.key(text)
    yield "key by value", size, lambda: mc.key(text, by="value")
    yield "render", size, lambda: _rendered(text)
    yield "evaluate", size, lambda: _evaluated(text)
    yield "equivalent", 2 * size, lambda: mc.equivalent(text, same).to_dict()
    yield "not equivalent", 2 * size, lambda: mc.equivalent(text, other).to_dict()
    yield "grade", 2 * size, lambda: mc.grade(text, same)
    yield "grade different", 2 * size, lambda: mc.grade(text, other)
    yield "dedupe", 3 * size, lambda: _deduped(text, str(same), str(other))
    yield "read a record", 3 * size, lambda: _as_a_record(text, folder)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [100, 1_000, 5_000, 20_000])
def test_every_operation_takes_at_most_a_second_for_each_kilobyte(family: str, size: int, tmp_path: Path) -> None:
    text = FAMILIES[family](size)
    late = {}
    for name, characters, operation in _operations(text, tmp_path):
        start = time.process_time()
        with suppress(mc.MathCanonError):
            operation()
        seconds = time.process_time() - start
        if seconds > max(1.0, characters / 1000):
            late[name] = round(seconds, 2)
    assert late == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_of_a_kilobyte_is_answered_or_refused(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick half of the test above, without a clock: no value that was computed is longer than foreseen."""
    longest = 0

    def measured(compute: Callable[..., Fraction]) -> Callable[..., Fraction]:
        def call(*args: object) -> Fraction:
            nonlocal longest
            value = compute(*args)
            longest = max(longest, value.numerator.bit_length(), value.denominator.bit_length())
            return value

        return call

    for name in ("sum_of", "product_of", "power_of"):
        monkeypatch.setattr(VALUES, name, measured(getattr(VALUES, name)))
    for _, _, operation in _operations(FAMILIES[family](1_000), tmp_path):
        with suppress(mc.MathCanonError):
            operation()
    assert longest <= VALUES.MAX_BITS


@pytest.mark.parametrize(
    ("family", "refused"),
    [("large values times zero", False), ("coprime denominators", True), ("huge exponents", True)],
)
def test_the_budget_of_bits_is_met_where_it_should_be(family: str, refused: bool) -> None:
    text = FAMILIES[family](2_000)
    if refused:
        with pytest.raises(mc.LimitError):
            mc.evaluate(text)
    else:
        assert mc.evaluate(text) == 0


@pytest.mark.parametrize("family", ["dense products", "sums of quotients"])
def test_the_budget_of_an_exact_comparison_is_met_where_it_should_be(family: str) -> None:
    text = FAMILIES[family](1_000)
    verdict = mc.equivalent(text, f"({text})*(z+1)-z*({text})")  # equal only when it is multiplied out
    assert (verdict.reason, verdict.certain) == ("fingerprint", False)


def test_the_budget_of_a_domain_is_met_where_it_should_be() -> None:
    large, many = (mc.equivalent(FAMILIES[family](500), "1") for family in ("large domains", "many domains"))
    assert large
    assert (large.domain, large.domain_note) == ((), "not worked out: too large")
    assert many
    assert (len(many.domain), many.domain_note) == (FAMILIES["many domains"](500).count("/"), None)
