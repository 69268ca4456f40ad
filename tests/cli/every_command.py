"""Every command with a call that works, and the files for it: what `test_bad_values.py` makes worse.

A new option is tried by itself, since options come from click's own list.  A new command needs a line in `CALLS`.
"""

from __future__ import annotations

import json
import signal
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from unittest.mock import patch

import click
from click.testing import CliRunner, Result
from mwp_cli import canon, weak

from weaksup.corpora.stories import read_stories
from weaksup.measure.metrics import Metrics
from weaksup.report.shown_problems import ShownExample
from weaksup.storage.json_lines import write_records
from weaksup.storage.run_files import EXAMPLES, METRICS

SECONDS = 60  # for a call; most take milliseconds


@dataclass(frozen=True)
class Call:
    """A call of a command that works: its options, then its arguments by name.  `{}` is the folder of the files."""

    options: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


_CORPUS = "--data jsonl --path {}/corpus.jsonl"
_TINY = "--max-steps 1 --hidden 8"
CALLS = {
    "mwp-canon count": Call("", (("n", "3"),)),
    "mwp-canon sequence": Call("", (("n", "3"),)),
    "mwp-canon table": Call("--max 3"),
    "mwp-canon asymptotics": Call("", (("n", "3"),)),
    "mwp-canon canonical": Call("", (("expr", "a-(b-c)"),)),
    "mwp-canon equivalent": Call("", (("a", "a+b"), ("b", "b+a"))),
    "mwp-canon enumerate": Call("--limit 2", (("n", "2"),)),
    "mwp-canon sample": Call("--seed 1", (("n", "2"),)),
    "mwp-canon dedupe": Call("", (("file", "{}/expressions.txt"),)),
    "mwp-canon reach": Call("", (("target", "3"), ("number", "1"), ("number", "2"))),
    "mwp-canon grade": Call("", (("file", "{}/graded.jsonl"),)),
    "mwp-canon serve": Call("--port 0"),
    "mwp-canon prove": Call("", (("n", "2"),)),
    "mwp-canon draw": Call("", (("expr", "a-b"),)),
    "mwp-canon completion": Call("", (("shell", "zsh"),)),
    "mwp-weak data list": Call(),
    "mwp-weak data show": Call("--path {}/corpus.jsonl --split-file {}/split.json --split test", (("name", "jsonl"),)),
    "mwp-weak search": Call(f"{_CORPUS} --plan {{}}/plan.toml --workers 1 -o out.jsonl"),
    "mwp-weak rank": Call("--ranker basic --model {}/model -o out.jsonl", (("file", "{}/candidates.jsonl"),)),
    "mwp-weak export": Call("--split-file {}/split.json --split train", (("file", "{}/labels.jsonl"),)),
    "mwp-weak oracle": Call("", (("file", "{}/candidates.jsonl"),)),
    "mwp-weak show": Call("--id p4 --labels {}/labels.jsonl", (("file", "{}/candidates.jsonl"),)),
    "mwp-weak report": Call("", (("folder", "{}/run"),)),
    "mwp-weak pipeline": Call("--config {}/pipeline.toml --out out"),
    "mwp-weak train": Call(
        f"--labels {{}}/labels.jsonl --split-file {{}}/split.json --groups {{}}/groups.json {_TINY} -o out"
    ),
    "mwp-weak evaluate": Call("--groups {}/groups.json", (("models", "{}/model"),)),
    "mwp-weak solve": Call("", (("models", "{}/model"), ("text", "Tom has 3 apples and buys 5 more. How many?"))),
    "mwp-weak baseline lbf": Call(f"{_CORPUS} --split-file {{}}/split.json {_TINY} -o out"),
    "mwp-weak baseline warm": Call(f"{_CORPUS} --split-file {{}}/split.json {_TINY} -o out"),
    "mwp-weak completion": Call("", (("shell", "zsh"),)),
}
GROUPS = {"mwp-canon": canon.main, "mwp-weak": weak.main}


def commands() -> dict[str, click.Command]:
    """Every command by its name."""
    return {name: command for program, group in GROUPS.items() for name, command in _below(program, group)}


def _below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for part, child in command.commands.items():
            yield from _below(f"{name} {part}", child)
    else:
        yield name, command


def call(name: str, files: Path, *extra: str, instead: tuple[str, str] | None = None) -> list[str]:
    """The arguments of the call that works, with `extra` options, and with another value `instead` of an argument."""
    given = CALLS[name]
    options = [word.replace("{}", str(files)) for word in given.options.split()]
    arguments = [(key, value.replace("{}", str(files))) for key, value in given.arguments]
    if instead is not None:
        arguments = [(key, value) for key, value in arguments if key != instead[0]]
        first = [key for key, _ in given.arguments].index(instead[0]) if instead[0] in dict(given.arguments) else 0
        arguments.insert(first, instead)
    values = [value for _, value in arguments]
    return [*name.split()[1:], *options, *extra, *(["--", *values] if values else [])]


class TooLong(BaseException):
    """A call has had its time."""


def run(name: str, args: list[str]) -> Result:
    """What a command does, in an empty folder and within `SECONDS`."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    try:
        # A server ends at once, and no window is opened.
        ended = patch.object(ThreadingHTTPServer, "serve_forever"), patch.object(webbrowser, "open")
        with TemporaryDirectory() as folder, chdir(folder), ended[0], ended[1]:
            signal.alarm(SECONDS)
            return CliRunner().invoke(GROUPS[name.split()[0]], args, input="")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- the files --------------------------------------------------------------------------------------------------------


def write_files(place: Path) -> None:
    """The files that `CALLS` name, made by the commands themselves where there is a command for it."""
    problems = list(read_stories(size=24, seed=3, language="en"))
    rows = [{"id": f"p{i}", "text": p.text, "answer": p.answer, "equation": p.gold} for i, p in enumerate(problems)]
    (place / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (place / "split.json").write_text(json.dumps({"valid": ["p0", "p2"], "test": ["p3", "p4"]}))
    (place / "groups.json").write_text(json.dumps({f"p{i}": [0, 1] for i in range(24)}))
    (place / "plan.toml").write_text('name = "mine"\n[[stage]]\nname = "all"\nmax_quantities = 3\n')
    (place / "expressions.txt").write_text("a+b\nb+a\na*b\n")
    (place / "graded.jsonl").write_text('{"pred": "3+5", "gold": "5+3"}\n{"pred": "2+2", "gold": "2*2"}\n')
    (place / "pipeline.toml").write_text(
        f'data = "jsonl"\npath = "{place}/corpus.jsonl"\n'
        f'split_file = "{place}/split.json"\nplan = "{place}/plan.toml"\n'
        'preset = "small"\nhidden = 8\nepochs = 0.1\ndraft_epochs = 0.1\nrounds = 1\nbeam = 1\n'
    )
    (place / "run").mkdir()
    write_records(
        place / "run" / METRICS,
        [Metrics(config={"data": "toy"}, split="", sizes={}, covered=0, distribution={}, arms=[])],
    )
    example = ShownExample(id="p", text="3 and 4", marks=[(0, 1)], quantities=1, answer="3", candidates=0)
    write_records(place / "run" / EXAMPLES, [example])
    corpus = f"--data jsonl --path {place}/corpus.jsonl"
    for line in (
        f"search {corpus} --plan {place}/plan.toml --workers 1 -o {place}/candidates.jsonl",
        f"rank {place}/candidates.jsonl --ranker random -o {place}/labels.jsonl",
        f"train {corpus} --split-file {place}/split.json --solver g2t --preset small --epochs 3 --hidden 8"
        f" --set embedding=8 --set min_word_count=1 --set min_constant_count=1 -o {place}/model",
    ):
        result = CliRunner().invoke(weak.main, line.split())
        assert result.exit_code == 0, result.stderr


_opened: list[str] | None = None


def _note(event: str, args: tuple[object, ...]) -> None:
    if _opened is not None and event == "open" and isinstance(args[0], str):
        _opened.append(args[0])


@contextmanager
def noting_opened_files() -> Iterator[list[str]]:
    """The names of the files that Python code opens meanwhile."""
    global _opened
    if not hasattr(sys, "_notes_opened_files"):
        sys.addaudithook(_note)  # for good: there is no way to take one back
        sys._notes_opened_files = True  # type: ignore[attr-defined]
    _opened = found = []
    try:
        yield found
    finally:
        _opened = None
