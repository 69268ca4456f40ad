"""`mwp-canon`: what each command prints, its exit codes, and what it says of bad input."""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sysconfig
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from mwp_cli.canon import main

import mathcanon as mc

COMMANDS = sorted(main.commands)
JSON_COMMANDS = [name for name in COMMANDS if name not in ("completion", "draw", "serve")]
PROGRAM = shutil.which("mwp-canon", path=sysconfig.get_path("scripts"))
A140606 = [1, 6, 68, 1170, 27142, 793002]
EQUIVALENT_KEYS = {"equivalent", "reason", "certain", "point", "left", "right", "domain"}


def run(*args: str) -> Result:
    """What a command does; anything but an orderly end is a failure."""
    result = CliRunner().invoke(main, args)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"a traceback reached the user: {result.exception!r}") from result.exception
    assert "Traceback" not in result.stderr
    return result


def out(*args: str) -> str:
    """The output of a command that succeeds and says nothing on stderr."""
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refusal(*args: str) -> str:
    """What a command says on stderr that refuses its input: exit code 2, no data, one line with the error."""
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(re.findall(r"(?mi)^error: ", result.stderr)) == 1, result.stderr
    return result.stderr


def spawn(*args: str, stdin: bytes = b"", **extra: Any) -> subprocess.CompletedProcess[bytes]:
    """The installed program, run as a user does."""
    assert PROGRAM, "mwp-canon is not installed"
    done = subprocess.run([PROGRAM, *args], input=stdin, capture_output=True, timeout=120, check=False, **extra)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


def written(folder: Path, content: str | bytes, name: str = "lines.txt") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


# --- help, version, usage ---------------------------------------------------------------------------------------------


def test_every_command_of_the_interface_is_there() -> None:
    expected = (
        "asymptotics canonical completion count dedupe draw enumerate equivalent grade "
        "prove reach sample sequence serve table"
    )
    assert expected.split() == COMMANDS


def test_help_lists_every_command() -> None:
    text = out("--help")
    assert [name for name in COMMANDS if not re.search(rf"(?m)^  {name} ", text)] == []
    assert out("-h") == text


def test_version_is_that_of_the_package() -> None:
    assert out("--version").split()[-1] == mc.__version__


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and f"port {port} can't be used" in result.stderr


# A server does not end by itself: test_explorer.py starts it and stops it.
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "serve"])
def test_help_of_each_command_has_an_example_that_works(command: str, tmp_path: Path) -> None:
    text = out(command, "--help")
    usage, _, body = text.partition("\n\n")
    assert usage.startswith(f"Usage: main {command}")
    examples = body.partition("\nOptions:")[0].splitlines()
    starts = [i for i, line in enumerate(examples) if f"mwp-canon {command}" in line]
    assert starts, f"no example of {command} in its help"
    written(tmp_path, '{"prediction": "a+b", "equation": "b+a"}\n', "predictions.jsonl")
    answer = {"question": "What are 2 and 3?", "model": {"solution": "2+3=5"}, "gold": "#### 5"}
    (tmp_path / "answers.jsonl.gz").write_bytes(gzip.compress(json.dumps(answer).encode() + b"\n"))
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    for i, start in enumerate(starts):
        stop = starts[i + 1] if i + 1 < len(starts) else len(examples)
        expected = [line.strip() for line in examples[start + 1 : stop] if line.strip()]
        env = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            examples[start].strip(), shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        if expected:
            assert done.stdout.splitlines() == expected


@pytest.mark.parametrize("command", JSON_COMMANDS)
def test_every_command_with_a_result_offers_json(command: str) -> None:
    assert re.search(r"(?m)^  --json ", out(command, "--help"))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nosuch"], "nosuch"),
        (["count"], "'N'"),
        (["count", "six"], "'six'"),
        (["count", "6.5"], "'6.5'"),
        (["count", "6", "7"], "7"),
        (["count", "-3"], "-3"),
        (["count", "6", "--law", "murphy"], "murphy"),
        (["count", "6", "--nosuch"], "--nosuch"),
        (["sequence", "x"], "'x'"),
        (["table", "--max", "x"], "'x'"),
        (["table", "6"], "6"),
        (["asymptotics", "x"], "'x'"),
        (["canonical"], "EXPR"),
        (["canonical", "a", "--format", "roman"], "roman"),
        (["equivalent", "a"], "'B'"),
        (["equivalent", "a", "b", "c"], "c"),
        (["enumerate", "2", "--start", "-1"], "-1"),
        (["enumerate", "2", "--limit", "-1"], "-1"),
        (["enumerate", "0"], "at least one operand"),
        (["enumerate", "2", "--operands", "a"], "1 names for 2 operands"),
        (["enumerate", "2", "--operands", "a,b,c"], "3 names for 2 operands"),
        (["sample", "3", "--size", "-1"], "-1"),
        (["sample", "3", "--seed", "x"], "'x'"),
        (["dedupe", "--by", "magic"], "magic"),
        (["reach"], "TARGET"),
        (["reach", "24"], "NUMBER"),
        (["prove", "x"], "'x'"),
        (["draw"], "EXPR"),
        (["canonical", "a", "--jsno"], "Did you mean '--json'?"),
        (["equivalent", "--nosuch", "a"], "--nosuch"),
        (["reach", "24", "4", "6", "--limt", "1"], "Did you mean '--limit'?"),
        (["reach", "24", "4", "b"], "'b' is not a number"),
        (["reach", "x", "4"], "'x' is not a number"),
        (["grade", "--constants", "1,x"], "'x' is not a number"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_refused_with_its_name(args: list[str], said: str) -> None:
    stderr = refusal(*args)
    assert said.replace("'", "") in stderr.splitlines()[-1].replace("'", "")  # click quotes names from 8.3 on


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["count", "0"], "at least 1"),
        (["count", "5001"], "the limit is 5000"),
        (["count", "501", "--law", "commutative"], "the limit is 500"),
        (["sequence", "0"], "at least 1"),
        (["table", "--max", "0"], "at least 1"),
        (["table", "--max", "101"], "the limit is 100"),
        (["asymptotics", "0"], "at least 1"),
        (["enumerate", "101"], "the limit is 100"),
        (["enumerate", "2", "--operands", "a,a"], "given twice"),
        (["sample", "101"], "the limit is 100"),
        (["prove", "0"], "0"),
        (["prove", "7"], "the limit is 6"),
        (["draw", "+".join(["a"] * 3000)], "the limit is 2000"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_a_number_out_of_range_is_refused_in_one_line(args: list[str], said: str) -> None:
    (line,) = refusal(*args).splitlines()
    assert said in line


# --- bad expressions --------------------------------------------------------------------------------------------------

BAD_EXPRESSIONS = [
    ("2a", 1, "write 2*a"),
    ("a+*b", 2, "operand is missing"),
    ("a b", 2, "side by side"),
    ("a+b)", 3, "closes nothing"),
    ("(a+b", 4, "never closed"),
    ("(a+b]", 4, "does not close"),
    ("a+", 2, "missing at the end"),
    ("", 0, "no expression"),
    ("a=b", 1, "one side only"),
    ("1,00", 1, "1000"),
    ("a^b", 1, "integer"),
    ("a+\\sqrt{2}", 2, "functions are not supported"),
    ("a+$b&c", 4, "&"),
    ("__import__('os')", 0, "functions are not supported"),
    ("a\0b", 1, "\\x00"),
    ("a+😀", 2, "😀"),
    ("苹果+2", 0, "苹"),
    ("（２a）", 2, "side by side"),
    ("１００×苹", 4, "苹"),
]


def columns(text: str) -> int:
    """How wide a terminal shows a text."""
    return sum([2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text])


@pytest.mark.parametrize("command", ["canonical", "equivalent", "draw"])
@pytest.mark.parametrize(("text", "place", "said"), BAD_EXPRESSIONS)
def test_a_bad_expression_is_shown_with_a_caret_below_the_offending_character(
    command: str, text: str, place: int, said: str
) -> None:
    args = {"canonical": [text], "equivalent": ["a", text], "draw": [text]}[command]
    message, shown, caret = refusal(command, *args).splitlines()
    assert said in message
    assert shown == "  " + text.replace("\0", " ")
    assert caret.strip() == "^"
    assert columns(caret) == columns("  " + text[:place]) + 1


@pytest.mark.parametrize("place", [0, 500, 999])
def test_a_long_bad_expression_is_cut_around_the_caret(place: int) -> None:
    text = "a+" * 500 + "a"
    text = text[: 2 * place] + "?" + text[2 * place + 1 :]
    _, shown, caret = refusal("canonical", text).splitlines()
    assert len(shown) < 80
    assert shown[len(caret) - 1] == "?"


def test_good_expressions_before_a_bad_one_are_printed() -> None:
    result = run("canonical", "b+a", "b+")
    assert (result.exit_code, result.stdout) == (2, "a+b\n")


@pytest.mark.parametrize("text", ["-a+b", "-5", "-(a-b)", "-h+a", "--a"])
def test_an_expression_may_begin_with_a_minus(text: str) -> None:
    assert mc.equivalent(out("canonical", text).strip(), text)


def test_after_two_dashes_everything_is_an_expression() -> None:
    assert out("draw", "--", "-o+a").splitlines()[0] == "sum"
    assert out("canonical", "--", "--price").strip() == "price"


# --- hostile input ----------------------------------------------------------------------------------------------------

#: Input, what the library makes of it ("limit", "bad" or "fine").
HOSTILE: dict[str, tuple[str, str]] = {
    "100,000 nested brackets": ("(" * 100_000 + "a" + ")" * 100_000, "limit"),
    "100,000 open brackets": ("(" * 100_000, "limit"),
    "100,000 closing brackets": (")" * 100_000, "bad"),
    "100,000 terms": ("+".join(["a"] * 100_000), "fine"),
    "100,000 minus signs": ("-" * 100_000 + "a", "fine"),
    "100,000 percent signs": ("%" * 100_000, "bad"),
    "100,000 operands side by side": ("a " * 100_000, "bad"),
    "a name of 100,000 letters": ("a" * 100_000, "fine"),
    "50,000 nested fractions": (r"\frac{a}{" * 50_000 + "b" + "}" * 50_000, "limit"),
    "more than a million characters": ("a+" * 600_000 + "a", "limit"),
    "tower": ("9^9^9^9", "limit"),
    "tall tower": ("a" + "^9" * 50_000, "limit"),
    "powers of powers": ("(" * 300 + "a" + ")^10000" * 300, "limit"),
    "a number of 10,000 digits": ("9" * 10_000, "limit"),
    "an exponent of 3,000 digits": ("a^" + "9" * 3_000, "limit"),
    "an exponent of 10,000 digits": ("a^" + "9" * 10_000, "limit"),
    "juxtaposition": ("2a", "bad"),
    "NUL": ("a\0b", "bad"),
    "emoji": ("a+😀", "bad"),
    "terminal escape": ("\x1b[31ma", "bad"),
    "right to left": ("\u202ea+b", "bad"),
    "lone surrogate": ("a+\udcff", "bad"),
    "unbalanced, open": ("((a+b)", "bad"),
    "unbalanced, closed": ("(a+b))", "bad"),
    "empty": ("", "bad"),
    "blank": (" \t ", "bad"),
    "code": ("__import__('os').system('true')", "bad"),
    "lone backslash": ("\\", "bad"),
    "unfinished fraction": (r"\frac", "bad"),
    "two points": ("1.2.3", "bad"),
    "zero divisor": ("1/0", "fine"),
    "zero divisor in a mixed number": ("3(1/0)", "fine"),
    "zero to the minus one": ("0^-1", "fine"),
}
hostile = pytest.mark.parametrize(("text", "kind"), HOSTILE.values(), ids=list(HOSTILE))
EXIT_CODES = {"limit": {2}, "bad": {2}, "fine": {0, 1}}


def assert_orderly(result: Result, kind: str) -> None:
    assert result.exit_code in EXIT_CODES[kind]
    assert len(result.stderr) < 1_000, "an error message is for reading"
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", result.stderr) is None, "control characters reach the terminal"
    if kind == "limit":
        assert "limit" in result.stderr


@hostile
def test_hostile_expressions_to_canonical(text: str, kind: str) -> None:
    assert_orderly(run("canonical", "--", text), kind)


@hostile
def test_hostile_expressions_to_equivalent(text: str, kind: str) -> None:
    assert_orderly(run("equivalent", "--", "a+b", text), kind)


@hostile
def test_hostile_expressions_to_draw(text: str, kind: str) -> None:
    try:  # a drawing is of the expression as written, so powers of powers are not multiplied out
        kind = "limit" if mc.parse(text).size > 2_000 else "fine"
    except mc.MathCanonError as error:
        kind = "bad" if isinstance(error, mc.ParseError) else "limit"
    assert_orderly(run("draw", "--", text), kind)


@hostile
def test_hostile_expressions_to_dedupe(text: str, kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, b"a+b\n" + text.encode("utf-8", "surrogateescape") + b"\nx\n")
    result = run("dedupe", path)
    if kind == "fine":
        assert result.exit_code == 0
        assert result.stdout == f"a+b\n{text}\nx\n"
    else:
        assert result.stdout == "a+b\nx\n", "what follows a bad line is read"
        assert result.exit_code == (0 if not text.strip() else 2)
    assert len(result.stderr) < 1_000 + 2 * len(path)


@hostile
def test_hostile_expressions_to_grade(text: str, kind: str, tmp_path: Path) -> None:
    records = [{"pred": text, "gold": "a"}, {"pred": "a", "gold": text}, {"pred": "b+a", "gold": "a+b"}]
    path = written(tmp_path, "\n".join(map(json.dumps, records)))
    result = run("grade", path, "--json")
    assert result.exit_code == 0
    *graded, tally = map(json.loads, result.stdout.splitlines())
    unreadable = kind != "fine" or text.isalpha()  # a word alone is no arithmetic
    assert [record["grade"] == "unreadable" for record in graded] == [unreadable] * 2 + [False]
    assert all(len(record["reason"]) < 1_000 for record in graded if record["grade"] == "unreadable")
    assert sum(tally["tally"].values()) == 3


# --- count, sequence, table, asymptotics ------------------------------------------------------------------------------


def test_count_prints_one_number() -> None:
    assert out("count", "6") == "793002\n"
    assert json.loads(out("count", "6", "--json")) == {"n": 6, "law": "full", "count": 793002}


@pytest.mark.parametrize(
    ("n", "law", "value"),
    [
        (2, "unary-minus", 10),  # a+b, a-b, a*b, a/b, b/a and their opposites
        (6, "none", 88473600),
        (6, "brackets", 27993600),
        (6, "commutative", 19841760),
    ],
)
def test_count_under_another_law(n: int, law: str, value: int) -> None:
    assert out("count", str(n), "--law", law) == f"{value}\n"


def test_a_count_of_thousands_of_digits_is_printed_whole() -> None:
    digits = out("count", "1000", "--law", "none").strip()
    assert len(digits) > 4_300
    assert digits.isdigit()
    assert json.loads(out("count", "30", "--json"))["count"] == int(out("count", "30"))


def test_sequence_prints_n_and_value() -> None:
    assert out("sequence", "6").splitlines() == [f"{n} {value}" for n, value in enumerate(A140606, 1)]
    assert json.loads(out("sequence", "6", "--json")) == {"law": "full", "sequence": A140606}


def test_table_has_the_published_figures() -> None:
    lines = out("table").splitlines()
    assert any(line.split() == ["6", "88,473,600", "27,993,600", "19,841,760", "793,002", "111.6"] for line in lines)
    assert any(line.split()[:2] == ["6", "30,965,760"] for line in lines)
    assert "ComSearch" in lines[1]


def test_table_as_json_has_a_row_for_each_n() -> None:
    rows = json.loads(out("table", "--max", "4", "--json"))
    assert [(row["n"], row["full"]) for row in rows] == list(enumerate(A140606[:4], 1))
    assert set(rows[0]) >= {"none", "brackets", "commutative", "ratio", "tree_none"}


def test_asymptotics_prints_the_constants_and_the_approximation() -> None:
    text = out("asymptotics")
    assert "r = 0.161424183039808" in text
    assert "c = 1.877221309505" in text
    assert "exact" not in text
    with_n = out("asymptotics", "6")
    assert "exact = 793002" in with_n


def test_asymptotics_as_json() -> None:
    growth = json.loads(out("asymptotics", "50", "--json"))
    assert growth["exact"] == mc.count(50)
    assert growth["ratio"] == pytest.approx(float(growth["approximation"]) / growth["exact"])
    assert json.loads(out("asymptotics", "--json"))["exact"] is None


# --- canonical, equivalent, draw --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a-(b-c)", "a+c-b"), ("(b-a)*(d-c)", "(a-b)*(c-d)"), ("150×2 − 50", "2*150-50"), (r"\frac{b}{a}", "b/a")],
)
def test_canonical_prints_the_form(text: str, expected: str) -> None:
    assert out("canonical", text) == expected + "\n"


def test_canonical_prints_one_line_for_each_expression() -> None:
    assert out("canonical", "b+a", "b*a", "b-a").splitlines() == ["a+b", "a*b", "b-a"]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("infix", "(a+c-b)/d"),
        ("latex", r"\frac{a+c-b}{d}"),
        ("prefix", "/ - + a c b d"),
        ("postfix", "a c + b - d /"),
        ("skeleton", "((ac&b)&d)"),
    ],
)
def test_canonical_in_every_format(format: str, expected: str) -> None:
    assert out("canonical", "(a-(b-c))/d", "--format", format) == expected + "\n"


@pytest.mark.parametrize("format", ["infix", "latex", "prefix", "postfix", "skeleton", "dot", "json"])
def test_what_canonical_prints_can_be_read_back(format: str) -> None:
    text = "a*(b-c)^2/3-pi*d"
    printed = out("canonical", text, "--format", format)
    assert mc.canonical(mc.parse(printed.strip(), format)) == mc.canonical(text)


def test_canonical_as_json_has_the_key() -> None:
    (record,) = map(json.loads, out("canonical", "b+a", "--json").splitlines())
    assert record == {"expr": "b+a", "canonical": "a+b", "key": mc.key("a+b")}


def test_equivalent_by_structure_and_by_identity() -> None:
    assert out("equivalent", "a-b+c", "a+c-b") == "equivalent (structure)\n"
    assert out("equivalent", "a*b+a*c", "a*(b+c)") == "equivalent (identity)\n"


def test_not_equivalent_is_exit_code_1_with_a_point() -> None:
    result = run("equivalent", "a-b-c", "a-(b-c)")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == "not equivalent: at a=2, b=3, c=5 left is -6, right is 4\n"


def test_different_numbers_need_no_point() -> None:
    result = run("equivalent", "1/3", "0.5")
    assert (result.exit_code, result.stdout) == (1, "not equivalent: left is 1/3, right is 0.5\n")


def test_a_divisor_on_one_side_is_a_note_on_stderr() -> None:
    result = run("equivalent", "a/a", "1")
    assert (result.exit_code, result.stdout) == (0, "equivalent (identity)\n")
    assert result.stderr == "note: one side has no value where a is zero\n"


def test_an_expression_that_divides_by_zero_is_equivalent_to_nothing() -> None:
    result = run("equivalent", "b/(c/(z-z))", "0")
    assert result.exit_code == 1
    assert result.stdout.startswith("not equivalent: left divides by something that is always zero")


@pytest.mark.parametrize(
    ("left", "right", "code", "expected"),
    [
        ("a+b", "b+a", 0, {"equivalent": True, "reason": "structure", "certain": True, "point": None, "domain": []}),
        ("a/a", "1", 0, {"equivalent": True, "reason": "identity", "domain": ["a"]}),
        ("a-b", "b-a", 1, {"equivalent": False, "reason": "counterexample", "left": "-1", "right": "1"}),
        ("a/b", "b/a", 1, {"point": {"a": "2", "b": "3"}, "left": "2/3", "right": "1.5"}),
        ("1/(a-a)", "a", 1, {"equivalent": False, "reason": "undefined", "left": "undefined"}),
    ],
)
def test_equivalent_as_json(left: str, right: str, code: int, expected: dict[str, Any]) -> None:
    result = run("equivalent", left, right, "--json")
    verdict = json.loads(result.stdout)
    assert result.exit_code == code
    assert set(verdict) == EQUIVALENT_KEYS
    assert {name: verdict[name] for name in expected} == expected


def test_the_printed_counterexample_is_one() -> None:
    left, right = "(a+b)/(c-d)", "a+b/(c-d)"
    verdict = json.loads(run("equivalent", left, right, "--json").stdout)
    names = {name: python_value(value) for name, value in verdict["point"].items()}
    assert python_value(left, names) == python_value(verdict["left"])
    assert python_value(right, names) == python_value(verdict["right"])
    assert verdict["left"] != verdict["right"]


def test_draw_prints_the_tree() -> None:
    assert out("draw", "b-a*2").splitlines() == ["sum", "├─ + b", "└─ - product", "   ├─ * a", "   └─ * 2"]
    assert out("draw", "b+a", "--canonical").splitlines() == ["sum", "├─ + a", "└─ + b"]


def test_draw_writes_each_kind_of_file(tmp_path: Path) -> None:
    for name in ("tree.svg", "tree.png", "tree.dot", "tree.txt", "UPPER.SVG"):
        assert out("draw", "a*(b-c)/2", "-o", str(tmp_path / name)) == ""
    for name in ("tree.svg", "UPPER.SVG"):
        assert ElementTree.fromstring((tmp_path / name).read_text("utf-8")).tag.endswith("svg")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert mc.parse((tmp_path / "tree.dot").read_text("utf-8"), "dot") == mc.parse("a*(b-c)/2")
    assert (tmp_path / "tree.txt").read_text("utf-8") == out("draw", "a*(b-c)/2")


@pytest.mark.parametrize("kind", ["svg", "dot", "txt"])
def test_a_written_text_ends_with_one_newline(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{kind}"
    out("draw", "a+b", "-o", str(path))
    assert re.search(r"[^\n]\n\Z", path.read_text("utf-8"))


@pytest.mark.parametrize("name", ["tree.gif", "tree", ".svg"])
def test_draw_refuses_an_unknown_kind_of_file(name: str, tmp_path: Path) -> None:
    (line,) = refusal("draw", "a", "-o", str(tmp_path / name)).splitlines()
    assert "svg, png, dot" in line.replace("txt, ", "")
    assert list(tmp_path.iterdir()) == []


def test_draw_to_a_place_that_cannot_be_written_names_it(tmp_path: Path) -> None:
    missing = str(tmp_path / "nosuch" / "tree.svg")
    assert missing in refusal("draw", "a", "-o", missing)
    assert str(tmp_path) in refusal("draw", "a", "-o", str(tmp_path))
    below_a_file = written(tmp_path, "x") + "/tree.svg"
    assert below_a_file in refusal("draw", "a", "-o", below_a_file)


# --- enumerate, sample, prove -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_enumerate_prints_each_expression_once(n: int) -> None:
    lines = out("enumerate", str(n)).splitlines()
    assert len(lines) == len({mc.key(line) for line in lines}) == A140606[n - 1]
    assert all(Counter(re.findall("[a-z]", line)) == Counter("abcd"[:n]) for line in lines)


def test_enumerate_in_parts_gives_the_whole() -> None:
    whole = out("enumerate", "3").splitlines()
    parts = [out("enumerate", "3", "--start", str(k), "--limit", "20").splitlines() for k in range(0, 80, 20)]
    assert [len(part) for part in parts] == [20, 20, 20, 8]
    assert [line for part in parts for line in part] == whole


def test_enumerate_in_the_notation_of_the_paper() -> None:
    lines = out("enumerate", "3", "--format", "skeleton").splitlines()
    assert {mc.canonical(mc.parse(line, syntax="skeleton")) for line in lines} == set(mc.expressions("abc"))
    assert {"abc", "a&(b&c)", "(ab)&c"} <= set(lines)  # examples of the paper's appendix


def test_enumerate_past_the_end_or_nothing_at_all() -> None:
    assert out("enumerate", "3", "--start", "68") == out("enumerate", "3", "--limit", "0") == ""


def test_enumerate_starts_anywhere_at_once() -> None:
    start = mc.count(20) - 2
    assert len(out("enumerate", "20", "--start", str(start), "--limit", "10").splitlines()) == 2


def test_enumerate_with_own_names_and_with_many_operands() -> None:
    assert out("enumerate", "2", "--operands", "N0, N1", "--limit", "1") == "N0+N1\n"
    assert "N27" in out("enumerate", "28", "--limit", "1")


def test_enumerate_refuses_a_name_that_is_none() -> None:
    assert "write 2*b" in refusal("enumerate", "2", "--operands", "a,2b")
    refusal("enumerate", "2", "--operands", "a,")


def test_enumerate_and_sample_as_json_lines() -> None:
    lines = out("enumerate", "2", "--json").splitlines()
    assert [json.loads(line) for line in lines] == out("enumerate", "2").splitlines()
    sampled = out("sample", "4", "--seed", "7", "--size", "3", "--json").splitlines()
    assert [json.loads(line) for line in sampled] == out("sample", "4", "--seed", "7", "--size", "3").splitlines()


def test_sample_with_a_seed_is_the_same_again() -> None:
    args = ["sample", "6", "--size", "20", "--seed"]
    assert out(*args, "1") == out(*args, "1")
    assert out(*args, "1") != out(*args, "2")


def test_sample_has_the_size_and_the_operands_asked_for() -> None:
    lines = out("sample", "3", "--size", "15", "--operands", "x,y,z").splitlines()
    assert len(lines) == 15
    assert {frozenset(re.findall("[a-z]", line)) for line in lines} == {frozenset("xyz")}
    assert out("sample", "3", "--size", "0") == ""


def test_prove_prints_a_certificate() -> None:
    *checks, verdict = out("prove", "3").splitlines()
    assert verdict == "proved for n = 3"
    assert len(checks) == 5
    assert all(line.startswith("holds: ") for line in checks)
    proof = json.loads(out("prove", "3", "--json"))
    assert (proof["n"], proof["proved"], len(proof["checks"])) == (3, True, 5)
    assert all(check["holds"] is True for check in proof["checks"])


def test_a_proof_that_fails_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = mc.prove(2)
    failed = type(proof)(2, (*proof.checks, type(proof.checks[0])("pigs fly", False)))
    monkeypatch.setattr(mc, "prove", lambda n, progress: failed)
    result = run("prove", "2")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2:] == ["FAILS: pigs fly", "NOT proved for n = 2"]
    as_json = run("prove", "2", "--json")
    assert (as_json.exit_code, json.loads(as_json.stdout)["proved"]) == (1, False)


# --- dedupe -----------------------------------------------------------------------------------------------------------


def test_dedupe_prints_the_first_of_each_class_as_written(tmp_path: Path) -> None:
    result = run("dedupe", written(tmp_path, "b+a\na+b\n\na*b\n  b * a \na-b\n"))
    assert (result.exit_code, result.stdout) == (0, "b+a\na*b\na-b\n")
    assert result.stderr == "5 lines, 3 classes\n"


def test_dedupe_by_structure_and_by_value(tmp_path: Path) -> None:
    path = written(tmp_path, "a*b+a*c\na*(b+c)\n2*a\na+a\n")
    assert len(run("dedupe", path).stdout.splitlines()) == 4
    assert run("dedupe", path, "--by", "value").stdout == "a*b+a*c\n2*a\n"


def test_dedupe_groups(tmp_path: Path) -> None:
    path = written(tmp_path, "a+b\na-b\nb+a\n-b+a\n")
    assert run("dedupe", path, "--groups").stdout == "a+b\tb+a\na-b\t-b+a\n"
    lines = run("dedupe", path, "--groups", "--json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [["a+b", "b+a"], ["a-b", "-b+a"]]


def test_dedupe_as_json_gives_line_numbers(tmp_path: Path) -> None:
    lines = run("dedupe", written(tmp_path, "a+b\n\nb+a\na*b\n"), "--json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"line": 1, "expr": "a+b"}, {"line": 4, "expr": "a*b"}]


def test_dedupe_reports_bad_lines_with_file_and_number_and_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path, "a+b\n2a\n\nb+a\n(a\na*b\n")
    result = run("dedupe", path)
    assert (result.exit_code, result.stdout) == (2, "a+b\na*b\n")
    lines = result.stderr.splitlines()
    assert lines[0].startswith(f"{path}:2: ")
    assert lines[1:3] == ["  2a", "   ^"]
    assert lines[3].startswith(f"{path}:5: ")
    assert lines[-1] == "5 lines, 2 classes, 2 not expressions"


def test_dedupe_strict_stops_at_the_first_bad_line(tmp_path: Path) -> None:
    path = written(tmp_path, "a+b\n2a\na*b\n3b\n")
    result = run("dedupe", path, "--strict")
    assert (result.exit_code, result.stdout) == (2, "a+b\n")
    assert result.stderr.splitlines()[0].startswith(f"{path}:2: ")
    assert ":4: " not in result.stderr


@pytest.mark.parametrize(
    "options", [[], ["--by", "value"], ["--groups"], ["--json"], ["--groups", "--json"], ["--strict"]]
)
@pytest.mark.parametrize("way", [["--workers", "2"], ["--spill", "."]], ids=" ".join)
def test_dedupe_through_files_prints_the_same_bytes(options: list[str], way: list[str], tmp_path: Path) -> None:
    content = b"b+a\na*b\n\n2*(a+b)\na+b\n2a\n1/(a-a)\n a*2+b*2 \n\xff\n0\na-a\nb * a\n"
    path = written(tmp_path, content * 40)
    here, there = (spawn("dedupe", path, *options, *extra, cwd=tmp_path) for extra in ([], way))
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
    assert sorted(there.stderr.splitlines()) == sorted(here.stderr.splitlines())
    assert os.listdir(tmp_path) == ["lines.txt"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_dedupe_through_files_cleans_up_when_it_is_interrupted(workers: str, tmp_path: Path) -> None:
    assert PROGRAM
    command = [PROGRAM, "dedupe", "-", "--workers", workers, "--spill", str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
        # It is ignored where tests run in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(b"".join(b"a+%d\n" % i for i in range(20_000)) + b"2a\n" + b"a\n" * 20_000)
        process.stdin.flush()
        assert b"<stdin>:20001: " in process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        said = process.stderr.read()
        process.stdin.close()
        assert process.wait(60) == 130
    assert b"interrupted" in said
    assert b"Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_dedupe_of_an_empty_file(tmp_path: Path) -> None:
    result = run("dedupe", written(tmp_path, ""))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 lines, 0 classes\n")


def test_dedupe_reports_undecodable_bytes_and_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path, b"a+b\n\xff\xfe\nc\n")
    result = run("dedupe", path)
    assert (result.exit_code, result.stdout) == (2, "a+b\nc\n")
    assert result.stderr.startswith(f"{path}:2: ")


@pytest.mark.parametrize("command", ["dedupe", "grade"])
def test_a_file_that_cannot_be_read_is_named(command: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "nosuch.txt")
    assert f"{missing}': No such file" in refusal(command, missing)
    assert f"{tmp_path}': Is a directory" in refusal(command, str(tmp_path))


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbfb+a\na+b\nc\n", b"b+a\r\na+b\r\nc\r\n", b"\xef\xbb\xbfb+a\r\na+b\r\nc"],
    ids=["byte-order mark", "CRLF", "both, no last newline"],
)
def test_dedupe_reads_files_of_other_systems(content: bytes, tmp_path: Path) -> None:
    result = run("dedupe", written(tmp_path, content))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "b+a\nc\n", "3 lines, 2 classes\n")
    assert spawn("dedupe", "-", stdin=content).stdout == b"b+a\nc\n"


# --- grade ------------------------------------------------------------------------------------------------------------

GRADED = [
    ({"pred": "150+50*2", "gold": "150*2-50"}, "same-value"),
    ({"pred": "2*150-50", "gold": "x=150*2-50"}, "same-method"),
    ({"pred": "150*2", "gold": "150*2-50"}, "different"),
    ({"pred": "1/0", "gold": "3"}, "different"),
]
UNREADABLE = [
    ("not JSON", "not JSON"),
    ('{"pred": "a"', "not JSON"),
    ("[" * 100_000, "not JSON"),
    ("[1]", "not a JSON object"),
    ('"a"', "not a JSON object"),
    ("null", "not a JSON object"),
    ('{"pred": "a"}', "'gold'"),
    ('{"gold": "a"}', "'pred'"),
    ('{"pred": [3], "gold": "3"}', "'pred'"),
    ('{"pred": true, "gold": "3"}', "'pred'"),
    ('{"pred": NaN, "gold": "3"}', "the prediction"),
    ('{"pred": "3", "gold": null}', "'gold'"),
    ('{"pred": "2a", "gold": "a"}', "write 2*a"),
    ('{"pred": "a", "gold": ""}', "no expression"),
    ('{"pred": "9^9^9^9", "gold": "a"}', "limit"),
]


def test_grade_prints_each_record_and_the_tally(tmp_path: Path) -> None:
    lines = [json.dumps(record) for record, _ in GRADED] + ["not JSON"]
    text = out("grade", written(tmp_path, "\n".join(lines)))
    graded, tally = text.split("\n\n")
    expected = [grade for _, grade in GRADED] + ["unreadable"]
    assert [line.split(": ")[:2] for line in graded.splitlines()] == [[str(i), g] for i, g in enumerate(expected, 1)]
    assert all(line.split(": ", 2)[2] for line in graded.splitlines()), "each has a reason"
    assert [line.split() for line in tally.splitlines()] == [
        ["5", "records"],
        ["same-method", "1", "(20.0%)"],
        ["same-value", "1", "(20.0%)"],
        ["different", "2", "(40.0%)"],
        ["unreadable", "1", "(20.0%)"],
    ]


def test_grade_as_json_keeps_the_record(tmp_path: Path) -> None:
    record = {"id": 7, "pred": "b+a", "gold": "a+b", "note": "苹果"}
    first, tally = map(json.loads, out("grade", written(tmp_path, json.dumps(record)), "--json").splitlines())
    assert {**record, "line": 1, "grade": "same-method"}.items() <= first.items()
    added = {"line", "grade", "reason", "answers", "expressions", "wrong_step", "foreign_step"}
    assert set(first) == {*record, *added}
    assert tally == {"tally": {"same-method": 1, "same-value": 0, "different": 0, "unreadable": 0}}


@pytest.mark.parametrize(("line", "said"), UNREADABLE, ids=[line[:30] for line, _ in UNREADABLE])
def test_an_unreadable_record_is_tallied_with_the_reason(line: str, said: str, tmp_path: Path) -> None:
    good = '{"pred": "a+b", "gold": "b+a"}'
    path = written(tmp_path, f"{good}\n{line}\n{good}\n")
    *records, tally = map(json.loads, out("grade", path, "--json").splitlines())
    assert [record["grade"] for record in records] == ["same-method", "unreadable", "same-method"]
    assert said in records[1]["reason"]
    assert tally["tally"]["unreadable"] == 1
    strict = run("grade", path, "--strict")
    assert strict.exit_code == 2
    assert strict.stderr.startswith(f"{path}:2: ")
    assert len(strict.stderr.splitlines()) == 1
    assert said in strict.stderr
    assert strict.stdout.startswith("1: same-method")
    assert "3: " not in strict.stdout


def test_grade_takes_other_fields(tmp_path: Path) -> None:
    path = written(tmp_path, '{"prediction": "a+b", "equation": "b+a"}')
    assert out("grade", path, "--pred", "prediction", "--gold", "equation").startswith("1: same-method")
    nothing = run("grade", path)
    assert nothing.exit_code == 2 and nothing.stdout.startswith("1: unreadable")
    assert nothing.stderr == f"error: {path}: no record could be graded: records need the fields 'pred' and 'gold'\n"


def test_without_a_command_the_help_is_no_error() -> None:
    alone = run()
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert alone.stderr.startswith("Usage: ") and "error" not in alone.stderr.split("\n")[0]


def test_grade_takes_the_quantities_of_the_problem(tmp_path: Path) -> None:
    record = {"pred": "(1/6)*12", "gold": "1*12/6"}
    path = written(tmp_path, "\n".join(json.dumps({**record, "n": n}) for n in (["1/6", 12], [1, 12, 6], 5, ["x"])))
    *graded, _ = map(json.loads, out("grade", path, "--quantities", "n", "--json").splitlines())
    assert [r["grade"] for r in graded] == ["same-value", "same-method", "unreadable", "unreadable"]


def test_grade_of_an_empty_file_is_a_tally_of_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    assert "0 records" in out("grade", path)
    assert sum(json.loads(out("grade", path, "--json"))["tally"].values()) == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_grade_goes_on_after_undecodable_bytes(as_json: bool, tmp_path: Path) -> None:
    path = written(tmp_path, b'{"pred": "a\xff", "gold": "a"}\n\xff\n{"pred": "a", "gold": "a"}\n')
    # In most locales stdout does not take what can't be encoded.
    done = spawn("grade", path, *["--json"] * as_json, env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"})
    assert (done.returncode, done.stderr) == (0, b"")
    grades = re.findall(r"unreadable|same-method", done.stdout.decode())
    assert grades[:3] == ["unreadable", "unreadable", "same-method"]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_grade_reads_files_of_other_systems(start: bytes, end: bytes, tmp_path: Path) -> None:
    content = start + b'{"pred": "a+b", "gold": "b+a"}' + end + b'{"pred": "a", "gold": "b"}' + end
    for text in (out("grade", written(tmp_path, content)), spawn("grade", "-", stdin=content).stdout.decode()):
        assert re.findall(r"(?m)^\d: [\w-]+", text) == ["1: same-method", "2: different"]


# --- reach ------------------------------------------------------------------------------------------------------------

_OPERATORS = {
    ast.Add: Fraction.__add__,
    ast.Sub: Fraction.__sub__,
    ast.Mult: Fraction.__mul__,
    ast.Div: Fraction.__truediv__,
}
_LITERAL = r"\d+\(\d+/\d+\)|\d+(?:\.\d+)?%?"


def python_value(text: str, names: dict[str, Fraction] | None = None) -> Fraction:
    """The exact value of infix text by Python's own grammar; knows percents and mixed numbers."""
    text = re.sub(r"(\d+)(\(\d+/\d+\))", r"(\1+\2)", re.sub(r"(\d+(?:\.\d+)?)%", r"(\1/100)", text))

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.BinOp(left, operator, right):
                return _OPERATORS[type(operator)](value(left), value(right))
            case ast.UnaryOp(ast.USub(), operand):
                return -value(operand)
            case ast.Constant(int() | float() as number):
                return Fraction(str(number))
            case ast.Name(name) if names:
                return names[name]
        raise AssertionError(f"not arithmetic: {text}")

    return value(ast.parse(text, mode="eval").body)


def naive_values(numbers: Sequence[Fraction]) -> Iterator[Fraction]:
    """Every value of every binary tree over the numbers."""
    if len(numbers) == 1:
        yield numbers[0]
    for i, j in combinations(range(len(numbers)), 2):
        rest = [x for k, x in enumerate(numbers) if k not in (i, j)]
        a, b = numbers[i], numbers[j]
        for joined in (a + b, a - b, b - a, a * b, *([a / b] if b else []), *([b / a] if a else [])):
            yield from naive_values([joined, *rest])


def test_reach_24() -> None:
    lines = out("reach", "24", "4", "7", "8", "8").splitlines()
    assert lines
    assert [python_value(line) for line in lines] == [24] * len(lines)
    assert all(Counter(re.findall(_LITERAL, line)) == Counter("4788") for line in lines)
    lifted = [re.sub(r"\d", lambda digit: f"n{digit[0]}", line) for line in lines]
    assert not any(mc.equivalent(one, other) for one, other in combinations(lifted, 2))


@pytest.mark.parametrize(
    "numbers", [("2", "3", "7"), ("-5", "3", "3"), ("0", "1", "4"), ("40%", "10", "3")], ids=" ".join
)
def test_reach_finds_every_target_that_brute_force_finds(numbers: tuple[str, ...]) -> None:
    values = set(naive_values([python_value(number) for number in numbers]))
    for target in range(-12, 31):
        result = run("reach", str(target), *numbers)
        assert result.exit_code == (0 if target in values else 1), target
        assert [python_value(line) for line in result.stdout.splitlines() if line] == [target] * result.stdout.count(
            "\n"
        )


@pytest.mark.parametrize(
    "args",
    ["-2 -5 3", "0.4 40%", "3.5 3(1/2)", "1/6 (1/6)", "60 150 40%", "0 0 0", "-7.5 3 -2.5", "0.5 1 2", "2 3(1/2) 1.5"],
)
def test_reach_with_negative_fractional_and_zero_numbers(args: str) -> None:
    target, *numbers = args.split()
    lines = out("reach", target, *numbers).splitlines()
    assert lines
    assert {python_value(line) for line in lines} == {python_value(target)}


def test_nothing_reached_is_exit_code_1() -> None:
    result = run("reach", "1000", "1", "2")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "no expression on 1, 2 equals 1000\n"


def test_reach_as_json() -> None:
    found = json.loads(out("reach", "24", "4", "7", "8", "8", "--json"))
    assert found["target"] == "24"
    assert found["numbers"] == ["4", "7", "8", "8"]
    assert found["expressions"] == out("reach", "24", "4", "7", "8", "8").splitlines()
    nothing = run("reach", "1000", "1", "2", "--json")
    assert (nothing.exit_code, json.loads(nothing.stdout)["expressions"]) == (1, [])


def test_reach_within_a_tolerance() -> None:
    assert run("reach", "10", "3", "3").exit_code == 1
    assert out("reach", "10", "3", "3", "--tolerance", "1") == "3*3\n"
    assert run("reach", "10", "3", "3", "--tolerance", "0.99").exit_code == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("5 x", "x"),
        ("x 5", "x"),
        ("5 2a", "write 2*a"),
        ("1/0 1", "zero"),
        ("1 1/0", "zero"),
        ("1 1 --tolerance -1", "-1"),
        ("1 1 --tolerance x", "x"),
        ("1 " + " ".join(map(str, range(1, 11))), "the limit is 9"),
        ("24 4 7 8 8 --limit 1", "the limit is 1"),
        ("9^9^9^9 1", "limit"),
    ],
)
def test_reach_refuses_what_is_not_a_number(args: str, said: str) -> None:
    assert said in refusal("reach", *args.split())


# --- the installed program --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "stdout", "stderr"),
    [
        (["count", "6"], 0, b"793002\n", b""),
        (["equivalent", "a+b", "b+a"], 0, b"equivalent (structure)\n", b""),
        (["equivalent", "a-b", "b-a"], 1, b"not equivalent: at a=2, b=3 left is -1, right is 1\n", b""),
        (["equivalent", "a-b", "b-"], 2, b"", b"error: an operand is missing at the end\n  b-\n    ^\n"),
        (["prove", "9"], 2, b"", b"error: n is 9, the limit is 6; the number of binary trees grows too fast\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_exit_code_stdout_and_stderr(args: list[str], code: int, stdout: bytes, stderr: bytes) -> None:
    done = spawn(*args)
    assert (done.returncode, done.stdout, done.stderr) == (code, stdout, stderr)


@pytest.mark.parametrize("args", [["dedupe", "-"], ["dedupe"]])
def test_dedupe_reads_stdin(args: list[str]) -> None:
    done = spawn(*args, stdin=b"a+b\nb+a\n2a\nc\n")
    assert (done.returncode, done.stdout) == (2, b"a+b\nc\n")
    assert done.stderr.startswith(b"<stdin>:3: two operands side by side")


def test_grade_reads_stdin() -> None:
    done = spawn("grade", "-", "--json", stdin=b'{"pred": "a+b", "gold": "b+a"}\n')
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.splitlines()[-1])["tally"]["same-method"] == 1


@pytest.mark.parametrize(
    "args", [["enumerate", "9"], ["enumerate", "9", "--json"], ["sample", "5", "--size", "100000"]]
)
def test_a_reader_that_has_seen_enough_ends_the_program_quietly(args: list[str]) -> None:
    assert PROGRAM
    with subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        first = process.stdout.readline()
        process.stdout.close()
        try:
            code = process.wait(timeout=60)
        finally:
            process.kill()
        assert (code, process.stderr.read()) == (0, b"")
        assert first.endswith(b"\n")


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["count", "--help"], ["count", "3"]])
def test_output_that_nobody_reads_is_exit_code_0(args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        done = subprocess.run([str(PROGRAM), *args], stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interrupt_is_exit_code_130() -> None:
    assert PROGRAM
    # A shell in the background makes its children ignore interrupts; this child must not.
    with subprocess.Popen(
        [PROGRAM, "enumerate", "9"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert stderr.split() == [b"interrupted"]


def test_output_that_cannot_be_written_is_exit_code_2() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no device that is always full")
    with full.open("wb") as device:
        done = subprocess.run([str(PROGRAM), "table"], stdout=device, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert b"No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["tree.svg", "tree.dot"])
def test_a_full_disk_leaves_the_earlier_drawing(name: str, tmp_path: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

    path = tmp_path / name
    path.write_text("the earlier one")
    done = subprocess.run(
        [str(PROGRAM), "draw", "a*(b-c)/2", "--force", "-o", str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_files_only,
    )
    assert (done.returncode, done.stderr) == (2, f"error: {path}: File too large\n")
    assert path.read_text() == "the earlier one"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-"])
def test_a_closed_stream_is_no_traceback(closed: str) -> None:
    script = f'printf "a+b\\n" | "$1" dedupe - {closed}'
    done = subprocess.run(["sh", "-c", script, "sh", str(PROGRAM)], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2)


@pytest.mark.parametrize("command", ["count", "sequence"])
def test_a_long_count_says_how_far_it_is(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mwp_cli._progress.Progress.EVERY", 0.0)
    result = run(command, "300")
    assert result.exit_code == 0
    assert re.search(r"^255 of 600 terms, .* a second, .* s left$", result.stderr, re.MULTILINE)
    assert result.stdout.split()[-1] == str(mc.count(300))
    assert run(command, "100").stderr == ""


def test_a_long_approximation_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mwp_cli._progress.Progress.EVERY", 0.0)
    result = run("asymptotics", "300")
    assert "255 of 600 terms" in result.stderr
    assert f"exact = {mc.count(300)}" in result.stdout.splitlines()
