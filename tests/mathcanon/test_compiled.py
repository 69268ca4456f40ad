"""The compiled core gives the answers of the Python code, or none; the Python code is the oracle."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mathcanon as mc
from mathcanon.algebra import apply
from mathcanon.canonical_form import CANONICAL
from mathcanon.compiled import NOT_MINE
from mathcanon.equality import verdict
from mathcanon.equality.fingerprints import ZeroDivisor, _point

from .generated_texts import random_pair, random_text

_core: Any = pytest.importorskip("mathcanon._core", reason="the compiled core is not built")
ROOT = Path(__file__).resolve().parents[2]
REASONS = {0: {"counterexample"}, 1: {"structure"}, 2: {"structure", "identity"}, 3: {"undefined"}}
PARTS = ("fuzz", "read", "form", "residue", "polynomial", "equal", "texts")
SOURCES = [ROOT / "mathcanon/csrc" / f"{name}.c" for name in PARTS]


@pytest.fixture
def pure(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The Python code alone."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mathcanon.") and getattr(module, "core", None) is _core:
            monkeypatch.setattr(module, "core", None)
    yield


def check_text(text: str) -> bool:
    """Whether the core answers; if it does, its answers must be those of the algebras."""
    form, point = _core.form(text), _point(None)
    residue = _core.residue(text, point.prime, point)
    if form is None:
        return False
    identity, sign, *_ = apply(CANONICAL, text)
    assert form == f"{sign}{identity}", text
    try:
        above, below = apply(point.algebra, text)
        expected = above * pow(below, -1, point.prime) % point.prime
    except ZeroDivisor:
        expected = -1
    assert residue == expected, text
    return True


def check_pair(left: str, right: str) -> bool:
    found = _core.compare(left, right)
    if found == NOT_MINE:
        return False
    expected = verdict.equivalent(left, right)
    assert expected.reason in REASONS[found], (left, right, found, expected)
    assert expected.certain, (left, right)
    return True


def check_generated(seed: int, number: int) -> None:
    rng = random.Random(seed)
    texts = sum([check_text(random_text(rng)) for _ in range(number)])
    pairs = sum([check_pair(*random_pair(rng)) for _ in range(number // 2)])
    assert texts > number * 0.4  # the core is there to answer
    assert pairs > number * 0.15


def test_generated_texts_mean_the_same(pure: None) -> None:
    check_generated(seed=1, number=6_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_million_generated_texts_mean_the_same(pure: None, seed: int) -> None:
    check_generated(seed, number=100_000)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "a+", "2a", "a b", "+a", "a^b", "a^2^3", "a^101", "(a^100)^101", "a(b)", "(a]", "1e3", "1,000",
        "3(1/2)", "½", "α", "x\x00", "$a$", "\\frac{a}{b}", "\ud800", "a" * 2001,
        "(" * 201 + "a" + ")" * 201, "1234567890123456",
    ],
)  # fmt: skip
def test_what_is_unusual_is_left_to_python(text: str) -> None:
    assert _core.form(text) is None
    assert _core.residue(text, 101, {}) is None
    assert _core.compare(text, "a") == _core.compare("a", text) == NOT_MINE


@pytest.mark.parametrize("thing", [None, 1, b"a+b", mc.parse("a+b")])
def test_what_is_no_text_is_left_to_python(thing: object) -> None:
    assert _core.form(thing) is None
    assert _core.compare(thing, "a") == NOT_MINE


def test_large_things_are_left_to_python_or_right(pure: None) -> None:
    rng = random.Random(3)
    names = [f"v{i}" for i in range(60)]
    sums = "*".join([f"({a}+{b}-{rng.randint(1, 9)})" for a, b in zip(names[::2], names[1::2], strict=True)])
    for text in (sums, sums.replace("*", "/"), "+".join(names * 3), "*".join(names * 4), "1/(" * 150 + "a" + ")" * 150):
        check_text(text)
        check_pair(text, f"({text})+x-x")
    assert _core.compare(f"({'+'.join(names[:8])})^30", "a") in (0, NOT_MINE)
    assert _core.compare(f"({'+'.join(names[:8])})^30", f"({'+'.join(names[:8])})^15^2") == NOT_MINE


def test_the_core_is_not_more_certain_than_python(pure: None) -> None:
    large = "((N1/x_1)^-2+N10+N0+2%/N1)**99*1234567890"  # found among a million: a side too large, the other undefined
    assert not mc.equivalent(large, "1/(a-a)").certain
    assert _core.compare(large, "1/(a-a)") == NOT_MINE


def test_an_error_of_the_point_is_passed_on() -> None:
    class Broken(dict[str, int]):
        def __missing__(self, name: str) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.residue("a+b", 101, Broken())
    with pytest.raises(OverflowError):
        _core.residue("a", 101, {"a": -1})
    with pytest.raises(ValueError, match="out of range"):
        _core.residue("a", 2**63, {"a": 1})
    with pytest.raises(TypeError):
        _core.residue("a")
    with pytest.raises(TypeError):
        _core.compare("a")


def test_threads_do_not_disturb_each_other() -> None:
    rng = random.Random(9)
    pairs = [random_pair(rng) for _ in range(500)]
    expected = [_core.compare(*pair) for pair in pairs]
    wrong: list[int] = []

    def run() -> None:
        for _ in range(5):
            wrong.extend([i for i, pair in enumerate(pairs) if _core.compare(*pair) != expected[i]])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(("setting", "build"), [("", "compiled"), ("0", "compiled"), ("1", "pure")])
def test_the_core_can_be_switched_off(setting: str, build: str) -> None:
    code = "import mathcanon as mc; print(mc.__build__, mc.equivalent('a*b+a*c', 'a*(b+c)').reason)"
    env = {**os.environ, "MATHCANON_PURE": setting}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [build, "identity"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_no_text_breaks_the_core_under_sanitizers(tmp_path: Path) -> None:
    rng = random.Random(5)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for i in range(500):
        (corpus / str(i)).write_bytes("\n".join(random_pair(rng)).encode())
    flags = ["-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
    built = subprocess.run(["clang", *flags, *SOURCES, "-o", tmp_path / "fuzz"], capture_output=True, text=True)
    if "libclang_rt" in built.stderr:
        pytest.skip("clang has no sanitizers here")
    assert built.returncode == 0, built.stderr
    options = ["-max_total_time=60", "-max_len=400", f"-dict={ROOT / 'mathcanon/csrc/fuzz.dict'}"]
    done = subprocess.run([tmp_path / "fuzz", *options, corpus], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
