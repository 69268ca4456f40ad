"""Every example in README.md and docs/ is run.

How to write one, in Markdown, between fences of three backticks:

- ``pycon`` or ``python`` with prompts: run as a doctest.  ``...`` in the output matches anything.
- ``python`` without prompts: executed; it fails if it raises.
- ``console``: each line that begins with ``$`` and a blank is a command, what stands below it is the output
  (stdout and stderr as a terminal shows them), compared exactly; ``...`` matches anything, also several lines.
  A block is run if ``mwp-canon`` or ``mwp-weak`` occurs in a command; its commands share one shell, so ``$ echo $?``
  shows the exit code.  Such a block has no other programs than those in `PROGRAMS` (no ``pip install``: write that in
  a block of its own).  A command is continued with a backslash at the end of the line, or by lines that begin with
  ``>`` and a blank (where the shell itself would ask for more: quotes, here-documents).

A page is one session, from top to bottom: its blocks share one namespace (empty at first) and one temporary folder
(empty at first).  A comment on the line right above the fence changes what is done with a block:

- ``<!-- not run: reason -->`` skips it.
- ``<!-- file: NAME -->`` makes it, whatever its language, a file in the folder.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]
OURS = ("mwp-canon", "mwp-weak")
#: What a block with one of our commands may run.
PROGRAMS = {*OURS, "cat", "cd", "echo", "head", "ls", "mkdir", "printf", "python", "sort", "tail", "wc"}

_FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<language>[^`\s]*)[^`]*")
_COMMENT = re.compile(r" *<!-- *(?P<what>not run|file)(?: *: *(?P<text>.*?))? *--> *")
_FLAGS = doctest.ELLIPSIS


@dataclass
class Block:
    """A fenced block: where it stands, what is in it, and what the comment above it says."""

    page: str
    line: int  # of its first line of text
    language: str
    text: str
    comment: str = ""  # "not run", "file" or ""
    about: str = ""  # the reason or the name of the file

    def __str__(self) -> str:
        first = next((line for line in self.text.splitlines() if line.strip()), "")
        return f"{self.page}:{self.line}: {first.strip()[:50]}"


@dataclass
class Command:
    """A command of a console block and the output shown below it."""

    line: int
    text: str
    output: str


class DocsError(AssertionError):
    """An example that is not written as the docstring of this module says, or that does not do what it shows."""


# --- reading ----------------------------------------------------------------------------------------------------------


def read_blocks(text: str, page: str) -> list[Block]:
    """The fenced blocks of a page, with what the comments above them ask for."""
    blocks: list[Block] = []
    lines = text.splitlines()
    i = 0
    while i < len(lines):
        opened = _FENCE.fullmatch(lines[i])
        if not opened:
            i += 1
            continue
        fence, indent, start = opened["fence"], len(opened["indent"]), i + 1
        closing = re.compile(rf" *{fence[0]}{{{len(fence)},}} *")
        i = next((k for k in range(start, len(lines)) if closing.fullmatch(lines[k])), -1)
        if i < 0:
            raise DocsError(f"{page}:{start}: this fence is never closed")
        inside = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines[start:i]]
        block = Block(page, start + 1, opened["language"], "".join(f"{line}\n" for line in inside))
        if start > 1:
            _follow_comment(block, lines[start - 2])
        blocks.append(block)
        i += 1
    return blocks


def _follow_comment(block: Block, above: str) -> None:
    found = _COMMENT.fullmatch(above)
    if not found:
        return
    block.comment, block.about = found["what"], (found["text"] or "").strip()
    if not block.about:
        raise DocsError(f"{block.page}:{block.line}: say what for: <!-- {block.comment}: ... -->")
    if block.comment == "file" and Path(block.about).name != block.about:
        raise DocsError(f"{block.page}:{block.line}: the name of a file, without a folder: {block.about}")


def is_python(block: Block) -> bool:
    return block.language in ("python", "pycon") and not block.comment


def is_console(block: Block) -> bool:
    """Whether a block is a console session with one of our commands."""
    with_ours = re.search(rf"(?m)^[$>] .*(?:{'|'.join(OURS)})", block.text)
    return block.language == "console" and not block.comment and with_ours is not None


def read_commands(block: Block) -> list[Command]:
    """The commands of a console block with the output below each."""
    commands: list[Command] = []
    continued = False
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            commands.append(Command(number, line[2:], ""))
            continued = True
        elif not commands:
            raise DocsError(f"{block.page}:{number}: a console block begins with a command: $ ...")
        elif continued and (line.startswith("> ") or line == ">"):
            commands[-1].text += "\n" + line[2:]
        elif continued and commands[-1].text.endswith("\\"):
            commands[-1].text += "\n" + line
        else:
            continued = False
            commands[-1].output += line + "\n"
    return commands


def _programs(command: str) -> Iterator[str]:
    """The names of the programs that a command line starts; here-documents are not looked into."""
    first = command.replace("\\\n", " ").splitlines()[0] if "<<" in command else command.replace("\\\n", " ")
    words = shlex.shlex(first, posix=True, punctuation_chars="|&;")
    words.whitespace_split, words.commenters = True, ""
    at_start = True
    for word in words:
        if set(word) <= set("|&;"):
            at_start = True
        elif at_start and not re.match(r"\w+=", word):
            yield word
            at_start = False


# --- running ----------------------------------------------------------------------------------------------------------


def same_output(expected: str, got: str) -> bool:
    """Whether two outputs are the same, `...` matching anything; blank lines at the end do not count."""
    expected, got = expected.rstrip("\n") + "\n", got.rstrip("\n") + "\n"
    return expected == got or doctest.OutputChecker().check_output(expected, got, _FLAGS)


class Session:
    """The blocks of a page in their order, with one namespace and one folder; each is run once."""

    def __init__(self, blocks: list[Block], folder: Path) -> None:
        self.blocks, self.folder = blocks, folder
        self.namespace: dict[str, object] = {"__name__": "page"}
        self.outcomes: list[Exception | None] = []

    def run(self, block: Block) -> None:
        """Run a block, those above it first; raise what it raised."""
        place = self.blocks.index(block)
        while len(self.outcomes) <= place:
            try:
                self._run_next(self.blocks[len(self.outcomes)])
            except Exception as error:  # noqa: BLE001 - whatever an example raises belongs to the test of that example
                self.outcomes.append(error)
            else:
                self.outcomes.append(None)
        if error := self.outcomes[place]:
            raise error

    def _run_next(self, block: Block) -> None:
        if block.comment == "file":
            (self.folder / block.about).write_text(block.text, encoding="utf-8")
        elif is_console(block):
            run_console(block, self.folder)
        elif is_python(block):
            with chdir(self.folder):
                run_python(block, self.namespace)


def run_console(block: Block, folder: Path) -> None:
    """Run the commands of a block in one shell and compare the output of each."""
    commands = read_commands(block)
    for command in commands:
        others = set(_programs(command.text)) - PROGRAMS
        if others:
            names = ", ".join(sorted(others))
            raise DocsError(f"{block.page}:{command.line}: {names} is not run here; split the block or mark it not run")
    mark = f"--- {uuid4().hex} ---"
    # After each command the mark; its exit code is there for the next one.
    ends = f"code=$?; printf %s '{mark}'; (exit $code)"
    script = "exec 2>&1\n" + "".join(f"{command.text}\n{ends}\n" for command in commands)
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    env = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "COLUMNS": "80", "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=env, capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    outputs = done.stdout.decode("utf-8", "replace").split(mark)
    if len(outputs) != len(commands) + 1:
        raise DocsError(f"{block}: the shell stopped: {done.stdout.decode()}{done.stderr.decode()}")
    for command, got in zip(commands, outputs, strict=False):
        if not same_output(command.output, got):
            where = f"{block.page}:{command.line}: $ {command.text}"
            raise DocsError(f"{where}\n--- shown\n{command.output.rstrip()}\n--- printed\n{got.rstrip()}")


def run_python(block: Block, namespace: dict[str, object]) -> None:
    """Run the Python of a block in a namespace."""
    if re.search(r"(?m)^>>> ", block.text):
        _run_doctest(block, namespace)
        return
    # As many lines are put above it as in the page, so that a traceback shows the right ones.
    code = compile("\n" * (block.line - 1) + block.text, str(ROOT / block.page), "exec")
    exec(code, namespace)  # noqa: S102 - the repository's own pages


def _run_doctest(block: Block, namespace: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, namespace, str(block), block.page, block.line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_FLAGS, verbose=False)
    failed, _ = runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    if failed:
        raise DocsError("".join(report))


# --- the pages --------------------------------------------------------------------------------------------------------

BLOCKS: list[Block] = []
ILL_FORMED: list[str] = []
for _page in PAGES:
    try:
        BLOCKS += read_blocks(_page.read_text("utf-8"), _page.relative_to(ROOT).as_posix())
    except DocsError as error:
        ILL_FORMED.append(str(error))


def test_every_page_is_well_formed() -> None:
    assert ILL_FORMED == []


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Session]:
    pages = {block.page for block in BLOCKS}
    return {
        page: Session([block for block in BLOCKS if block.page == page], tmp_path_factory.mktemp("page"))
        for page in pages
    }


@pytest.mark.parametrize("block", [block for block in BLOCKS if is_python(block) or is_console(block)], ids=str)
def test_block(block: Block, sessions: dict[str, Session]) -> None:
    for name in re.findall(r"(?m)^(?:>>> )?(?:import|from) (\w+)", block.text if is_python(block) else ""):
        pytest.importorskip(name, reason=f"the example needs {name}", exc_type=ModuleNotFoundError)
    sessions[block.page].run(block)


def escaping(blocks: list[Block]) -> list[str]:
    """Blocks that look like examples and would not be run, because they are not marked as ones."""
    prompt = re.compile(rf"(?m)^(?:>>> |\$ .*(?:{'|'.join(OURS)}))")
    return [str(b) for b in blocks if not b.comment and prompt.search(b.text) and not (is_python(b) or is_console(b))]


def test_no_example_escapes() -> None:
    assert escaping(BLOCKS) == []


# --- the runner itself ------------------------------------------------------------------------------------------------


def block(language: str, *lines: str, above: str = "") -> str:
    return "\n".join([*([above] if above else []), f"```{language}", *lines, "```", ""])


def only(text: str) -> Block:
    *_, last = read_blocks(text, "page.md")
    return last


def test_blocks_are_found_with_line_and_language() -> None:
    text = "# Title\n\n" + block("python", "x = 1") + "\n- item\n\n  ```console\n  $ mwp-canon count 2\n    6\n  ```\n"
    found = [(b.language, b.line, b.text) for b in read_blocks(text, "page.md")]
    assert found == [("python", 4, "x = 1\n"), ("console", 10, "$ mwp-canon count 2\n  6\n")]


def test_a_longer_fence_holds_a_shorter_one() -> None:
    (outer,) = read_blocks("````markdown\n```python\nx\n```\n````\n", "page.md")
    assert (outer.language, outer.text) == ("markdown", "```python\nx\n```\n")


def test_a_fence_that_is_not_closed_is_an_error() -> None:
    with pytest.raises(DocsError, match=r"page\.md:2: this fence is never closed"):
        read_blocks("text\n```python\nx\n", "page.md")


def test_an_id_says_where_and_what() -> None:
    assert str(only(block("console", "$ mwp-canon count 6"))) == "page.md:2: $ mwp-canon count 6"


@pytest.mark.parametrize("language", ["python", "pycon", "console"])
def test_a_block_marked_not_run_is_not_run(language: str) -> None:
    skipped = only(block(language, "$ mwp-canon count 6", above="<!-- not run: takes an hour -->"))
    assert not is_python(skipped)
    assert not is_console(skipped)
    assert escaping([skipped]) == []


@pytest.mark.parametrize("comment", ["<!-- not run -->", "<!-- not run: -->", "<!-- file -->"])
def test_a_comment_without_a_reason_is_an_error(comment: str) -> None:
    with pytest.raises(DocsError, match="say what for"):
        read_blocks(block("python", "x", above=comment), "page.md")


def test_a_console_block_without_our_commands_is_not_run() -> None:
    assert not is_console(only(block("console", "$ pip install mathcanon")))
    assert is_console(only(block("console", "$ printf 'a\\n' | mwp-canon dedupe -", "a")))


def test_an_example_in_another_language_is_noticed() -> None:
    assert len(escaping(read_blocks(block("text", "$ mwp-canon count 6") + block("", ">>> 1", "1"), "page.md"))) == 2
    assert escaping([only(block("text", "mwp-canon is a command"))]) == []


@pytest.mark.parametrize(
    "lines",
    [
        ["$ mwp-canon count 6", "793002"],
        ["$ mwp-canon sequence 6", "1 1", "...", "6 793002"],
        ["$ mwp-canon count 2", "6", "", "$ mwp-canon count 3", "68"],
        ["$ printf 'a+b\\nb+a\\n' | mwp-canon dedupe -", "a+b", "2 lines, 1 classes"],
        ["$ mwp-canon equivalent a b", "not equivalent: at a=2, b=3 left is 2, right is 3", "$ echo $?", "1"],
        ["$ mwp-canon canonical 2a", "error: two operands side by side (write 2*a)", "  2a", "   ^"],
        ["$ mwp-canon equivalent \\", "    a+b b+a", "equivalent (structure)"],
        ["$ cat > lines <<'END'", "> b+a", "> a+b", "> END", "$ mwp-canon dedupe lines 2> log", "b+a"],
        ["$ mwp-canon draw a+b -o tree.svg", "$ ls", "tree.svg"],
        ["$ mwp-canon enumerate 9 | head -1", "a+b+c+d+e+f+g+h+i"],
    ],
    ids=lambda lines: lines[0],
)
def test_a_console_block_that_shows_the_truth_passes(lines: list[str], tmp_path: Path) -> None:
    run_console(only(block("console", *lines)), tmp_path)


@pytest.mark.parametrize(
    "lines",
    [
        ["$ mwp-canon count 6", "793003"],
        ["$ mwp-canon count 6"],
        ["$ mwp-canon count 6", "793002", "793002"],
        ["$ mwp-canon sequence 6", "1 1", "...", "6 793003"],
        ["$ mwp-canon canonical a*b", " a*b"],
        ["$ mwp-canon count 2", "6", "$ mwp-canon nosuch", "6"],
        ["$ mwp-nosuch count 2", "6"],
        ["$ mwp-canon count 2", "6", "$ pip --version", "..."],
        ["$ mwp-canon count 2 && rm -r .", "6"],
        ["$ mwp-canon count 2", "6", "$ exit", "$ mwp-canon count 2", "6"],
        ["793002", "$ mwp-canon count 6"],
    ],
    ids=lambda lines: " / ".join(lines),
)
def test_a_console_block_that_does_not_fails(lines: list[str], tmp_path: Path) -> None:
    with pytest.raises(DocsError, match=r"page\.md:\d"):
        run_console(only(block("console", *lines)), tmp_path)


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("python", ["import mathcanon as mc", "", "assert mc.count(2) == 6"]),
        ("python", [">>> 1 + 1", "2"]),
        (
            "pycon",
            [">>> for i in range(2):", "...     print(i)", "0", "1", "", ">>> list(range(99))", "[0, 1, ..., 98]"],
        ),
        ("pycon", [">>> 1 / 0", "Traceback (most recent call last):", "...", "ZeroDivisionError: division by zero"]),
    ],
)
def test_a_python_block_that_is_right_passes(language: str, lines: list[str]) -> None:
    run_python(only(block(language, *lines)), {})


@pytest.mark.parametrize(
    ("language", "lines", "error"),
    [
        ("python", ["assert False"], AssertionError),
        ("python", ["undefined_name"], NameError),
        ("python", ["import"], SyntaxError),
        ("pycon", [">>> 1 + 1", "3"], DocsError),
        ("pycon", [">>> undefined_name"], DocsError),
    ],
)
def test_a_python_block_that_is_wrong_fails(language: str, lines: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        run_python(only(block(language, *lines)), {})


def test_a_page_is_one_session(tmp_path: Path) -> None:
    page = (
        block("json", '{"pred": "a+b", "gold": "b+a"}', above="<!-- file: one.jsonl -->")
        + block("python", "from pathlib import Path", "x = Path('one.jsonl').read_text()")
        + block("pycon", ">>> Path('two.jsonl').write_text(x + x)", "62")
        + block("console", "$ mwp-canon grade two.jsonl | head -2", "1: same-method: ...", "2: same-method: ...")
    )
    blocks = read_blocks(page, "page.md")
    Session(blocks, tmp_path).run(blocks[-1])


def test_a_failure_belongs_to_its_own_block(tmp_path: Path) -> None:
    page = block("python", "x = 1") + block("python", "x += 1", "raise OSError('once')") + block("pycon", ">>> x", "2")
    first, second, third = read_blocks(page, "page.md")
    session = Session([first, second, third], tmp_path)
    session.run(third)
    session.run(first)
    for _ in range(2):
        with pytest.raises(OSError, match="once"):
            session.run(second)


def test_a_file_stands_in_the_folder_of_the_page() -> None:
    with pytest.raises(DocsError, match="without a folder"):
        read_blocks(block("json", "{}", above="<!-- file: ../x -->"), "page.md")
