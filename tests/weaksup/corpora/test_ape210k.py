"""Ape210K: quantities joined from characters, answers left undone."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from weaksup.corpora import read_corpus
from weaksup.errors import ConfigError

from .writing import chinese, lines, write


def read(tmp_path: Path, **fields: object) -> object:
    record = chinese("7", segmented="运 来 1 ( 5 / 6 ) 吨 ， 用 去 20% ， 长 10 cm") | fields
    return read_corpus("ape210k", write(tmp_path / "a", lines([record]))).problems[0]


def test_torn_fractions_are_joined(tmp_path: Path) -> None:
    problem = read(tmp_path)
    assert problem.tokens == ("运", "来", "1(5/6)", "吨", "，", "用", "去", "20%", "，", "长", "10", "cm")  # type: ignore[attr-defined]
    assert [q.value for q in problem.quantities] == ["11/6", "1/5", "10"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ans", "value"),
    [("(2/7)/(4/21)", "3/2"), ("90/(1-40%)", "150"), ("2(1/3)", "7/3"), ("37.5%", "3/8"), ("210-130+90", "170")],
)
def test_answers_left_undone_are_calculated(tmp_path: Path, ans: str, value: str) -> None:
    assert read(tmp_path, ans=ans).answer == value  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("equation", "gold"),
    [
        ("(8*6)*100", "(8*6)*100"),
        ("x=+60/12", "x=+60/12"),
        ("x=3*2**(4/2)", "x=3*2**(4/2)"),
        ("x=5/(98+2)%", "5/((98+2)/100)"),
        ("x=5:2", "x=5:2"),
    ],
)
def test_its_habits_of_writing_are_understood(tmp_path: Path, equation: str, gold: str) -> None:
    assert read(tmp_path, equation=equation).gold == gold  # type: ignore[attr-defined]


def test_without_rjieba_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: object, **more: object) -> object:
        if name == "rjieba":
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    path = write(tmp_path / "a", lines([chinese("1", segmented="有 3 人")]))
    with pytest.raises(ConfigError, match=r"pip install .*\[zh\]"):
        read_corpus("ape210k", path, segmenter="rjieba")
