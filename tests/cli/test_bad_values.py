"""Every command with bad values for each of its options and each file that it reads: one line, never a traceback.

Options and their types come from click, and the files from watching which ones a call that works opens, so both lists
are complete by themselves.  The quick tests stop where training or a pipeline's search would begin; the slow ones, with
more values and more damage, go on with a training of one step.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from weaksup.errors import WeakSupError

from .every_command import CALLS, GROUPS, call, commands, noting_opened_files, run, write_files

pytest.importorskip("torch")

COMMANDS = commands()
EVIL = "\x1b]0;owned\x07\u202e"
#: Where the work begins that takes long.
TRAINING = "weaksup.solvers.training.loop.train_solver"
LONGER = ("weaksup.pipeline.steps.run_search", "weaksup.pipeline.steps.find_equations")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("files")
    write_files(place)
    return place


def stop(*args: object, **options: object) -> None:
    raise WeakSupError("stopped where the work begins")


@pytest.fixture
def _no_long_work(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LONGER:
        monkeypatch.setattr(name, stop)


@pytest.fixture
def _no_work(_no_long_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TRAINING, stop)


def check(args: list[str], result: Result) -> None:
    """An orderly end: 0, 1, or 2 with one line that begins with `error:`, below it at most the place in a text."""
    shown = f"{args} ended with {result.exit_code}:\n{result.stderr[-2000:]}"
    assert result.exception is None or isinstance(result.exception, SystemExit), (shown, result.exception)
    assert result.exit_code in (0, 1, 2), shown
    assert "Traceback" not in result.output, shown
    assert not [c for c in result.stderr if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"], shown
    lines = [line for line in result.stderr.splitlines() if not line.startswith("  ")]
    errors = [line for line in lines if line.startswith("error: ")]
    if result.exit_code == 2 and args[0] not in ("dedupe", "grade"):  # which go on and report line by line
        assert len(errors) == 1 and lines[-1] == errors[0] and len(errors[0]) < 1000, shown
    assert len(errors) <= 1, shown


# --- options and arguments --------------------------------------------------------------------------------------------


def test_every_command_has_a_call() -> None:
    assert list(CALLS) == list(COMMANDS)


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_call_works(name: str, files: Path) -> None:
    args = call(name, files)
    result = run(name, args)
    check(args, result)
    assert result.exit_code == 0 or "stopped where the work begins" in result.stderr, result.stderr


def bad_values(parameter: click.Parameter, *, more: bool) -> list[str]:
    """Values that a parameter should refuse, or take without harm."""
    kind = parameter.type
    if isinstance(kind, click.Path | click.File):
        values = ["", "missing", ".", "two\nlines", EVIL, "x" * 5000]
        return values + ["missing/missing", "\udcff", ".run.json", "~", "x" * 200 + ".gz"] * more
    if isinstance(kind, click.IntRange | click.FloatRange):
        beyond = [f"{kind.min - 1}" if kind.min is not None else "-1", f"{kind.max + 1}" if kind.max else "9" * 400]
        return ["", "x", "nan", *beyond] + ["inf", "-inf", "1e400", "0x10", "1_0", "９", "9" * 5000, EVIL] * more
    if kind is click.INT:
        return ["", "x", "-1", "0", "9" * 30] + ["nan", "1.5", "9" * 5000, EVIL] * more
    if isinstance(kind, click.Choice):
        return ["", "x"] + [EVIL, "\udcff", kind.choices[0].upper() + "x"] * more
    texts = ["", "x", "1/0", EVIL, "x" * 5000]
    if parameter.name == "settings":
        texts += ["seed=1", "hidden=1e9", "layers=10000000", "epochs=NaN", "epochs=" + "[" * 5000, "=", "writing=1"]
    if parameter.name in ("tolerance", "constants", "target", "number"):
        texts += ["10^400", "-1", "1e-400", "1e1000000000", "9" * 5000]
    return texts + [" ", "\udcff", "-", "9^9^9", "a" * 100_000, "[" * 1000, "a:b", "json:nothing", "\n", "gold"] * more


def tried(name: str, parameter: click.Parameter, files: Path, *, more: bool) -> Iterator[list[str]]:
    """Calls of a command with bad values of one of its parameters."""
    if isinstance(parameter, click.Argument):
        assert parameter.name
        for value in bad_values(parameter, more=more):
            yield call(name, files, instead=(parameter.name, value))
    elif isinstance(parameter, click.Option) and parameter.is_flag:
        for flag in (*parameter.opts, *parameter.secondary_opts):
            yield call(name, files, flag)
            yield call(name, files, f"{flag}=x")
    else:
        for value in bad_values(parameter, more=more):
            yield call(name, files, parameter.opts[-1], value)


def listed_in_help(name: str) -> int:
    """How many options and arguments a command has, as its help shows them."""
    shown = CliRunner().invoke(GROUPS[name.split()[0]], [*name.split()[1:], "--help"]).stdout
    options = re.findall(r"(?m)^  -", shown.partition("\nOptions:\n")[2].partition("\nLaws:")[0])
    arguments = shown.split("\n")[0].partition("[OPTIONS]")[2].split()
    return len(options) - 1 + len(arguments)  # without --help


def try_all(name: str, files: Path, *, more: bool) -> None:
    pairs = set()
    for parameter in COMMANDS[name].params:
        calls = list(tried(name, parameter, files, more=more))
        assert calls
        for args in calls:
            check(args, run(name, args))
        pairs.add((name, parameter.name))
    assert len(pairs) == listed_in_help(name)


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize("name", COMMANDS)
def test_bad_values_of_each_option_are_one_line(name: str, files: Path) -> None:
    try_all(name, files, more=False)


@pytest.mark.slow
@pytest.mark.usefixtures("_no_long_work")
@pytest.mark.parametrize("name", COMMANDS)
def test_more_bad_values_of_each_option_are_one_line(name: str, files: Path) -> None:
    try_all(name, files, more=True)


# --- files ------------------------------------------------------------------------------------------------------------

Damage = Callable[[bytes], bytes]
DAMAGES: list[Damage] = [
    lambda content: b"",
    lambda content: content[: len(content) // 2],
    lambda content: b"\xff\xfe\x00" + content,
    lambda content: b"[" * 100_000,
    lambda content: b'{"id": 7, "words": [], "solver": {"layers": 10000000}, "config": [], "stage": {"omit": 1e9}}\n',
    lambda content: re.sub(rb'"([a-z_]+)":', rb'"\1x":', content),
]


def swapped(value: bytes) -> Damage:
    """Each number becomes `value`; digits within words stay."""
    return lambda content: re.sub(rb"(?<![\w.\"])-?\d+(\.\d+)?(?![\w.\"])", value, content)


MORE_DAMAGES: list[Damage] = [
    *[
        swapped(value)
        for value in (b"-1", b"1e999", b"NaN", b'"x"', b"null", b"[]", b"{}", b"9" * 400, b"true", b"0.5")
    ],
    lambda content: b"null\n",
    lambda content: b"7\n",
    lambda content: b'"text"\n',
    lambda content: b"\x1f\x8b" + content,
    lambda content: content * 2,
    lambda content: content.replace(b'"', b"'"),
    lambda content: re.sub(rb': ?"[^"]*"', b": 7", content),
    lambda content: re.sub(rb': ?"[^"]*"', b': ""', content),
    lambda content: re.sub(rb': ?"[^"]*"', b': "\\\\u0000\\\\u001b]0;owned"', content),
    lambda content: b"\n" * 10_000 + content,
]


def flipped(seed: int) -> Damage:
    """Some bytes become others."""

    def damage(content: bytes) -> bytes:
        rng = random.Random(seed)
        damaged = bytearray(content)
        for _ in range(min(len(damaged), rng.choice([1, 3, 10]))):
            damaged[rng.randrange(min(len(damaged), 2000))] = rng.randrange(256)
        return bytes(damaged)

    return damage


def files_of(name: str, files: Path) -> list[Path]:
    """The files that a command reads in a call that works."""
    with noting_opened_files() as opened:
        run(name, call(name, files))
    found = {path for path in map(Path, opened) if path.is_relative_to(files) and path.is_file()}
    # What is not opened by Python code: weights.
    found |= {weights for path in found if path.name == "config.json" for weights in path.parent.glob("*.safetensors")}
    return sorted(found)


def damage_all(name: str, files: Path, damages: list[Damage]) -> int:
    """Run a command with each of its files damaged in each way; how many files there are."""
    args = call(name, files)
    read = files_of(name, files)
    for path in read:
        content = path.read_bytes()
        try:
            path.unlink()
            check(args, run(name, args))
            for damage in damages:
                path.write_bytes(damage(content))
                check([*args, f"(damaged: {path.name})"], run(name, args))
        finally:
            path.write_bytes(content)
    return len(read)


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize("name", [name for name, given in CALLS.items() if "{}" in f"{given}"])
def test_damaged_files_are_one_line(name: str, files: Path) -> None:
    named = {word for word in call(name, files) if word.startswith(str(files))}
    assert damage_all(name, files, DAMAGES) >= len(named)


@pytest.mark.slow
@pytest.mark.usefixtures("_no_long_work")
@pytest.mark.parametrize("name", [name for name, given in CALLS.items() if "{}" in f"{given}"])
def test_files_damaged_in_more_ways_are_one_line(name: str, files: Path) -> None:
    assert damage_all(name, files, [*DAMAGES, *MORE_DAMAGES, *map(flipped, range(20))])
