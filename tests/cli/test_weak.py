"""`mwp-weak`: every command on the embedded stories, its exit codes, and what it says of bad input."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click import Group
from click.testing import CliRunner, Result
from mwp_cli._progress import Progress
from mwp_cli.weak import main

import mathcanon as mc
from weaksup.corpora import READERS, read_corpus
from weaksup.records import Candidate, CandidateSet, Label, Scored
from weaksup.storage.json_files import write_json
from weaksup.storage.json_lines import read_records, write_records
from weaksup.storage.provenance import RunInfo, read_run_info, run_info_path

PROGRAM = shutil.which("mwp-weak", path=sysconfig.get_path("scripts"))
SIZE = 100
ORACLE_KEYS = {
    "problems", "covered", "single", "multiple", "largest", "skipped", "stages", "gold_in_set", "micro", "macro",
    "micro_single", "micro_multiple", "by_quantities",
}  # fmt: skip


def run(*args: object) -> Result:
    """What a command does; anything but an orderly end is a failure."""
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"a traceback reached the user: {result.exception!r}") from result.exception
    assert "Traceback" not in result.stderr
    return result


def out(*args: object) -> str:
    """The output of a command that succeeds."""
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def out_json(*args: object) -> Any:
    return json.loads(out(*args, "--json"))


def refusal(*args: object) -> str:
    """The one line of a command that refuses its input."""
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(re.findall(r"(?m)^error: ", result.stderr)) == 1, result.stderr
    return result.stderr.splitlines()[-1].removeprefix("error: ")


@pytest.fixture(scope="module")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "candidates.jsonl"
    out("search", "--size", SIZE, "--plan", "paper", "--workers", 1, "-o", path)
    return path


def commands(group: Group = main, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield from commands(command, (*path, name)) if isinstance(command, Group) else [(*path, name)]


# --- help, version, usage ---------------------------------------------------------------------------------------------


def test_the_commands_of_the_interface_are_there() -> None:
    found = {" ".join(command) for command in commands()}
    assert {"data list", "data show", "search", "oracle", "rank", "show", "export"} <= found


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_help_of_each_command_has_an_example(command: tuple[str, ...]) -> None:
    text = out(*command, "--help")
    assert re.search(rf"(?m)^  mwp-weak {' '.join(command)}\b", text)


@pytest.mark.parametrize("command", [(), *commands()], ids=lambda command: " ".join(command) or "all")
def test_help_stands_in_the_reference(command: tuple[str, ...]) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "mwp-weak.md"  # whose examples are run
    assert f"\n$ {' '.join(['mwp-weak', *command, '--help'])}\n" in page.read_text("utf-8")


def test_help_lists_the_commands_and_version_is_that_of_the_package() -> None:
    assert out("--help") == out("-h")
    assert out("--version").split()[-1] == mc.__version__


@pytest.mark.parametrize("args", [["--help"], ["search", "--help"], ["oracle", "--help"], ["data", "list"]], ids=str)
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    code = (
        "import sys\nfrom mwp_cli.weak import main\n"
        f"try: main({args!r})\nexcept SystemExit as end: assert not end.code\n"
        "heavy = ('torch', 'numba', 'numpy', 'flint', 'sympy', 'networkx', 'distributed', 'rich')\n"
        "print('LOADED', *[name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["LOADED"]


def test_the_program_is_installed() -> None:
    assert PROGRAM, "mwp-weak is not installed"
    done = subprocess.run([PROGRAM, "nonsense"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: No such command 'nonsense'. (see mwp-weak --help)\n"


def test_no_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def eater(*args: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("weaksup.corpora.read_corpus", eater)
    assert refusal("data", "show") == "out of memory"


# --- data -------------------------------------------------------------------------------------------------------------


def test_every_reader_is_listed() -> None:
    text = out("data", "list")
    assert [name for name in READERS if not re.search(rf"(?m)^{name} ", text)] == []
    assert [row["data"] for row in out_json("data", "list")] == list(READERS)


def test_data_show_tells_sizes_splits_and_problems() -> None:
    text = out("data", "show", "--size", SIZE, "--limit", 2)
    assert text.startswith(f"stories: {SIZE} problems, 0 skipped\nsplit stories 70/15/15")
    assert len(re.findall(r"(?m)^story-\d{5}: .*\[N0=", text)) == 2
    shown = out_json("data", "show", "--size", SIZE, "--limit", 2)
    assert shown["problems"] == SIZE == sum(shown["quantities"].values()) == sum(shown["split"]["sizes"].values())
    assert [problem["id"] for problem in shown["examples"]] == ["story-00000", "story-00001"]


def test_data_show_of_a_part() -> None:
    whole = out_json("data", "show", "--size", SIZE)
    test = out_json("data", "show", "--size", SIZE, "--split", "test", "--limit", SIZE)
    assert test["problems"] == whole["problems"]
    assert len(test["examples"]) == sum(test["quantities"].values()) == whole["split"]["sizes"]["test"] < SIZE
    assert "\n\ntest part\nquantities" in out("data", "show", "--size", SIZE, "--split", "test")
    assert refusal("data", "show", "--split", "nix").startswith("Invalid value for --split")


def test_data_show_of_a_folder_names_what_it_read(tmp_path: Path) -> None:
    path = tmp_path / "SVAMP.json"
    record = {"ID": "c-1", "Body": "Ann has 3 pens", "Question": "How many?", "Equation": "3.0", "Answer": 3.0}
    path.write_text(json.dumps([record]))
    assert out("data", "show", "svamp", "--path", tmp_path).startswith(
        f"svamp: 1 problems, 0 skipped\n  read: {path}\nsplit "
    )


def test_data_show_of_one_problem() -> None:
    problem = read_corpus("stories").problems[3]  # the default of every command
    assert out_json("data", "show", "stories", "--id", problem.id) == json.loads(msgspec.json.encode(problem))
    assert out("data", "show", "--id", problem.id).splitlines()[1] == f"  answer {problem.answer}, gold {problem.gold}"
    assert refusal("data", "show", "--id", "nix") == "stories has no problem nix; the first is story-00000"


def test_data_show_of_a_file_counts_what_was_skipped(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl.gz"
    records = [{"text": "Tom has 3 apples.", "answer": "3"}, {"id": "bad", "text": "And 2?", "answer": "many"}]
    path.write_bytes(gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode()))
    result = run("data", "show", "jsonl", "--path", path)
    assert "jsonl: 1 problems, 1 skipped\n  skipped, answer-unreadable: 1 (bad)\n" in result.stdout
    assert result.stderr == "1 problems of jsonl skipped: answer-unreadable 1\n"
    shown = json.loads(run("data", "show", "jsonl", "--path", path, "--json").stdout)
    assert shown["skipped"] == {"answer-unreadable": 1}
    assert shown["skipped_problems"][0]["id"] == "bad"
    assert refusal("data", "show", "jsonl", "--path", path, "--strict").startswith(f"{path}:2: problem bad: ")
    assert refusal("data", "show", "jsonl", "--path", path, "--id", "bad").startswith(
        "problem bad was skipped: answer-"
    )


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["data", "show", "nix"], "unknown corpus 'nix'; one of stories, math23k"),
        (["data", "show", "math23k"], "math23k needs a path"),
        (["data", "show", "math23k", "--path", "none.json"], "none.json: cannot be read: No such file"),
        (["data", "show", "--subset", "a"], "stories has no option subset"),
        (["data", "show", "--split-file", "none.json"], "none.json: cannot be read"),
        (["search", "--data", "nix"], "unknown corpus 'nix'"),
        (["search", "--plan", "nix"], "unknown plan 'nix'"),
        (["search", "--plan", "none.toml"], "none.toml: cannot be read: No such file or directory"),
        (["search", "--limit", "0"], "Invalid value for '--limit'"),
        (["search", "--workers", "0"], "Invalid value for '--workers'"),
        (["search", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler needs --engine dask"),
        (["search", "--size", "5", "-o", "none/candidates.jsonl"], "none/candidates.jsonl: the folder"),
        (["oracle", "none.jsonl"], "none.jsonl: cannot be read: No such file or directory"),
        (["rank", "none.jsonl"], "none.jsonl: cannot be read: No such file or directory"),
        (["show", "none.jsonl", "--id", "1"], "none.jsonl: cannot be read: No such file or directory"),
        (["export", "none.jsonl"], "none.jsonl: cannot be read: No such file or directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_can_not_be_done_is_one_line(
    args: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal(*args).startswith(says)
    assert list(tmp_path.iterdir()) == []


# --- search -----------------------------------------------------------------------------------------------------------


def test_search_writes_candidates_and_says_what_it_found(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    result = run("search", "--size", 40, "--plan", "paper", "--limit", 5, "--workers", 1, "-o", path)
    assert (result.exit_code, result.stderr) == (0, "")
    found = list(read_records(path, CandidateSet))
    covered = sum(bool(one.candidates) for one in found)
    assert result.stdout.startswith(f"{path}: stories, plan paper\n40 problems, {covered} covered (")
    assert max(len(one.candidates) for one in found) == 5
    again = run("search", "--size", 40, "--plan", "paper", "--limit", 5, "--workers", 1, "-o", path, "--json")
    assert again.stderr == f"{path} is already complete: nothing to do\n"
    summary = json.loads(again.stdout)
    assert (summary["problems"], summary["covered"], summary["largest"], summary["skipped"]) == (40, covered, 5, {})


def test_search_with_other_settings_needs_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    base = ["search", "--size", 20, "--workers", 1, "-o", path, "--plan"]
    out(*base, "paper")
    before = path.read_bytes()
    said = refusal(*base, "released")
    assert said.startswith(f"{path} was made with other settings: plan was paper, now released. Choose another output")
    assert path.read_bytes() == before
    out(*base, "released", "--overwrite")
    info = read_run_info(run_info_path(path))
    assert info is not None
    assert info.config["plan"]["name"] == "released"


def test_search_takes_a_plan_of_ones_own(tmp_path: Path) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text('name = "mine"\n[[stage]]\nname = "only"\nextras = ["square"]\n')
    out("search", "--size", 20, "--plan", plan, "--workers", 1, "-o", tmp_path / "c.jsonl")
    sets = list(read_records(tmp_path / "c.jsonl", CandidateSet))
    assert {candidate.stage for one in sets for candidate in one.candidates} == {"only"}
    plan.write_text('name = "mine"\nspeed = 1\n[[stage]]\nname = "only"\n')
    assert "unknown field `speed`" in refusal("search", "--plan", plan, "-o", tmp_path / "d.jsonl")


def test_progress_is_a_line_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Progress, "EVERY", 0)
    result = run("search", "--size", 600, "--plan", "released", "--workers", 1, "-o", tmp_path / "c.jsonl")
    lines = result.stderr.splitlines()
    assert re.fullmatch(r"512 of 600 problems, [\d,]+ a second, [\d,]+ s left", lines[-2])
    assert re.fullmatch(r"600 of 600 problems, [\d,]+ a second", lines[-1])


def test_progress_is_a_bar_on_a_terminal(tmp_path: Path) -> None:
    assert PROGRAM
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [PROGRAM, "search", "--size", "30", "--plan", "released", "-o", str(tmp_path / "c.jsonl")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 4096):
                said += piece
        except OSError:  # the other side is closed
            pass
        os.close(ours)
        assert process.stdout is not None
        result = process.stdout.read().decode()
    assert process.returncode == 0
    assert "30 problems" in result
    assert b"\x1b" not in result.encode()
    assert "30 of 30 problems" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode())


def test_search_is_the_default_of_a_newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    out("search", "--size", 10, "--language", "en", "--seed", 5)
    problems = read_corpus("stories", size=10, language="en", seed=5).problems
    found = list(read_records("candidates.jsonl", CandidateSet))
    assert [(one.id, one.answer) for one in found] == [(problem.id, problem.answer) for problem in problems]


# --- oracle, show -----------------------------------------------------------------------------------------------------


def test_the_oracle_scores_what_the_file_was_made_from(candidates: Path) -> None:
    score = out_json("oracle", candidates)
    assert set(score) >= ORACLE_KEYS
    assert score["problems"] == SIZE == score["covered"] + sum(score["skipped"].values())
    assert score["covered"] == score["single"] + score["multiple"] == sum(score["stages"].values())
    assert 0.5 < score["gold_in_set"] <= 1
    assert sum(score["distribution"].values()) == SIZE
    assert sum(size["problems"] for size in score["by_quantities"].values()) == SIZE
    text = out("oracle", candidates, "--distribution")
    assert text.startswith(f"{candidates}: candidates of stories, all {SIZE} problems\n\nsearch\n")
    assert "problems by number of candidates" in text


def test_the_oracle_scores_a_part_by_another_law(candidates: Path) -> None:
    whole, part = out_json("oracle", candidates), out_json("oracle", candidates, "--split", "train")
    assert part["problems"] < SIZE
    assert re.fullmatch(r"train part of stories 70/15/15 by scheme: train \d+ / valid \d+ / test \d+", part["part"])
    folds = [out_json("oracle", candidates, "--split", "test", "--folds", 4, "--fold", k)["problems"] for k in range(4)]
    assert sum(folds) == SIZE
    strict = out_json("oracle", candidates, "--law", "structure")
    assert (strict["law"], strict["covered"]) == ("structure", whole["covered"])
    assert strict["gold_in_set"] <= whole["gold_in_set"]
    assert refusal("oracle", candidates, "--law", "nix").startswith("unknown law 'nix'")
    assert refusal("oracle", candidates, "--split", "nix").startswith("Invalid value for --split")
    assert refusal("oracle", candidates, "--folds", "4").startswith("--split-file and --folds need --split")


def test_the_oracle_refuses_another_corpus(candidates: Path) -> None:
    assert "ids of the file are not in the corpus" in refusal("oracle", candidates, "--size", 10)
    assert "the corpus has" in refusal("oracle", candidates, "--seed", 1)


def test_labels_are_refused_with_another_corpus(candidates: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    out("rank", candidates, "-o", path)
    for command in ("oracle", "export"):
        assert "read the corpus with the options of the search" in refusal(command, path, "--seed", 1)


def test_the_oracle_scores_labels_of_others(candidates: Path, tmp_path: Path) -> None:
    problems = read_corpus("stories", size=20).problems
    path = tmp_path / "foreign.jsonl"
    path.write_text("".join(json.dumps({"id": p.id, "equation": p.gold}) + "\n" for p in problems), encoding="utf-8")
    score = out_json("oracle", path, "--size", 20)
    assert (score["kind"], score["problems"], score["micro"]) == ("labels", 20, 1.0)
    said = f"{path} does not say which corpus it was made from; using stories (choose another with --data)\n"
    assert run("oracle", path, "--size", 20).stderr == said
    assert run("oracle", path, "--size", 20, "--data", "stories").stderr == ""


def test_show_has_the_problem_and_its_candidates(candidates: Path) -> None:
    problem = next(p for p in read_corpus("stories", size=SIZE).problems if len(p.quantities) == 3)
    text = out("show", candidates, "--id", problem.id)
    assert text.startswith(f"{problem.id}: ")
    assert "[N2=" in text.splitlines()[0]
    assert text.splitlines()[1] == f"answer {problem.answer}, gold {problem.gold}"
    shown = out_json("show", candidates, "--id", problem.id)
    found = {one.id: one for one in read_records(candidates, CandidateSet)}[problem.id]
    assert [row["expr"] for row in shown["candidates"]] == [candidate.expr for candidate in found.candidates]
    assert {row["right"] for row in shown["candidates"]} <= {True, False}
    assert refusal("show", candidates, "--id", "nix") == f"{candidates} has no problem nix"
    said = refusal("show", candidates, "--id", problem.id, "--labels", candidates)
    assert said.startswith(f"{candidates} holds candidates, not labels")


def test_show_of_labels_of_others_is_told(tmp_path: Path) -> None:
    path = tmp_path / "foreign.jsonl"
    path.write_text('{"id": "story-00000", "equation": "x=1"}\n')
    assert refusal("show", path, "--id", "story-00000").startswith(f"{path}: foreign labels have no candidates")


def test_show_marks_gold_however_far_down_it_is(tmp_path: Path) -> None:
    problem = next(p for p in read_corpus("stories", size=40).problems if len(p.quantities) == 4)
    path = tmp_path / "c.jsonl"
    out("search", "--size", 40, "--workers", 1, "-o", path)
    shown = out_json("show", path, "--id", problem.id)["candidates"]
    place = [row["right"] for row in shown].index(True)
    text = out("show", path, "--id", problem.id, "--limit", 1)
    assert re.search(rf"(?m)^ *{re.escape(shown[place]['expr'])} .* yes$", text)


# --- labels -----------------------------------------------------------------------------------------------------------


def label(id: str, posterior: float = 1.0) -> Label:
    others = (Scored(expr="N0*N0", posterior=round(1 - posterior, 3)),) if posterior < 1 else ()
    return Label(
        id=id, expr="1", equation="x=1", posterior=posterior, candidates=2, stage="all", ranker="em", others=others
    )


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    write_records(path, [label(f"story-{i:05d}", 1 - i / 20) for i in range(10)])
    made_from = {"corpus": {"name": "stories", "size": 30}}
    write_json(run_info_path(path), RunInfo(schema="weaksup/labels", config=made_from, input="", versions={}))
    return path


def test_export_joins_labels_with_text(labels: Path, tmp_path: Path) -> None:
    problems = read_corpus("stories", size=30).problems
    rows = [json.loads(line) for line in out("export", labels).splitlines()]
    assert [row["text"] for row in rows] == [problem.text for problem in problems[:10]]
    first = rows[0]
    assert (first["equation"], first["answer"], first["posterior"]) == ("x=1", problems[0].answer, 1.0)
    assert [first["tokens"][place] for place in first["positions"]] == [q.surface for q in problems[0].quantities]
    result = run("export", labels, "-o", tmp_path / "train.jsonl")
    assert (result.stdout, result.stderr) == ("", "10 of 10 labels\n")
    assert [json.loads(line) for line in (tmp_path / "train.jsonl").read_text("utf-8").splitlines()] == rows
    out("export", labels, "-o", tmp_path / "train.jsonl.gz")
    assert gzip.decompress((tmp_path / "train.jsonl.gz").read_bytes()) == (tmp_path / "train.jsonl").read_bytes()


def test_export_as_csv_and_as_chat(labels: Path, tmp_path: Path) -> None:
    problems = read_corpus("stories", size=30).problems
    out("export", labels, "--format", "csv", "-o", tmp_path / "train.csv")
    with (tmp_path / "train.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == [problem.text for problem in problems[:10]]
    assert rows[0]["quantities"].split() == [quantity.value for quantity in problems[0].quantities]
    turns = [json.loads(line) for line in out("export", labels, "--format", "chat").splitlines()]
    assert all(set(turn) == {"id", "prompt", "response"} for turn in turns)
    assert all(turn["prompt"].endswith(problem.text) for turn, problem in zip(turns, problems, strict=False))
    assert {turn["response"] for turn in turns} == {"x=1"}


def test_any_text_is_one_row_of_a_csv(tmp_path: Path) -> None:
    own, found, labels = tmp_path / "own.jsonl", tmp_path / "c.jsonl", tmp_path / "l.jsonl"
    text = 'Ann, "the first",\rhas 3 pens\nand 4.\r\nHow many?'
    own.write_text(json.dumps({"text": text, "answer": "7"}))
    out("search", "--data", "jsonl", "--path", own, "--workers", 1, "-o", found)
    out("rank", found, "-o", labels)
    out("export", labels, "--format", "csv", "-o", tmp_path / "train.csv")
    with (tmp_path / "train.csv").open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [text]


def test_export_filters_by_posterior_and_by_part(labels: Path) -> None:
    assert len(out("export", labels, "--min-posterior", 0.8).splitlines()) == 5
    parts = [len(out("export", labels, "--split", part).splitlines()) for part in ("train", "valid", "test")]
    assert sum(parts) == 10
    assert parts[0] < 10
    assert refusal("export", labels, "--min-posterior", 2).startswith("Invalid value for '--min-posterior'")


def test_export_of_labels_without_problem_is_told(labels: Path, candidates: Path) -> None:
    assert refusal("export", labels, "--size", 5).startswith("the corpus has no problem story-00005")
    assert refusal("export", candidates).startswith(f"{candidates}:1: not a record of type Label")


def test_show_of_labels_has_posteriors(labels: Path, candidates: Path) -> None:
    shown = out_json("show", labels, "--id", "story-00004")
    assert [(row["expr"], row["posterior"]) for row in shown["candidates"]] == [("1", 0.8), ("N0*N0", 0.2)]
    with_posteriors = out("show", candidates, "--id", "story-00004", "--labels", labels)
    assert "story-00004" in with_posteriors


@pytest.mark.parametrize("ranker", ["em", "random", "single"])
def test_rank_gives_labels_that_can_be_scored_and_exported(ranker: str, candidates: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    result = run("rank", candidates, "--ranker", ranker, "-o", path)
    assert result.exit_code == 0, result.stderr
    found = list(read_records(path, Label))
    sets = {one.id: one for one in read_records(candidates, CandidateSet)}
    assert {one.ranker for one in found} == {ranker}
    assert all(one.candidates == len(sets[one.id].candidates) for one in found)
    several = sum(len(one.candidates) > 1 for one in sets.values())
    assert len(found) == sum(bool(one.candidates) for one in sets.values()) - (several if ranker == "single" else 0)
    assert f"{len(found):,} labels" in result.stdout

    info, made_from = read_run_info(run_info_path(path)), read_run_info(run_info_path(candidates))
    assert info is not None
    assert made_from is not None
    assert (info.schema, info.config["ranker"], info.input) == ("weaksup/labels", ranker, made_from.output)
    score = out_json("oracle", path)
    assert (score["kind"], score["problems"], score["covered"]) == ("labels", SIZE, len(found))
    assert len(out("export", path).splitlines()) == len(found)
    first = path.read_bytes()
    out("rank", candidates, "--ranker", ranker, "-o", path)
    assert path.read_bytes() == first


def test_show_finds_the_posterior_of_each_candidate(candidates: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    out("rank", candidates, "-o", path)
    for one in read_records(path, Label):
        if one.candidates < 20:
            rows = out_json("show", candidates, "--id", one.id, "--labels", path)["candidates"]
            listed = one.posterior + sum(other.posterior for other in one.others)
            assert sum(row["posterior"] for row in rows) == pytest.approx(listed, abs=1e-3)
            assert listed <= 1 + 1e-3  # the rest is that none of them is right
            assert max(row["posterior"] for row in rows) == one.posterior
        if one.id >= "story-00012":
            break


def test_labels_do_not_take_the_place_of_their_candidates(candidates: Path) -> None:
    before = candidates.read_bytes()
    assert refusal("rank", candidates, "-o", candidates) == (
        f"{candidates} is an input of this command: choose another output"
    )
    assert candidates.read_bytes() == before


@pytest.mark.parametrize("expr", ["N9", "N0+", "(N0", "N0)", "x", ""])
def test_rank_refuses_candidates_that_are_none(expr: str, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    candidates = tuple([Candidate(expr=text, stage="all", value="3") for text in ("N0", expr)])
    write_records(
        path, [CandidateSet(id="a", values=("3", "4"), surfaces=("3", "4"), answer="3", candidates=candidates)]
    )
    said = refusal("rank", path, "-o", tmp_path / "l.jsonl")
    assert said == f"{path}: problem a: {expr!r} is not an expression over its quantities"


@pytest.mark.parametrize(
    ("values", "surfaces", "complaint"),
    [
        (("3",), (), ": problem a: there must be as many values as surfaces"),
        (("three",), ("three",), ":1: not a record of type CandidateSet"),
        (("1/0",), ("1/0",), ":1: not a record of type CandidateSet"),
    ],
)
def test_rank_refuses_quantities_that_are_none(
    values: tuple[str], surfaces: tuple[str], complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.jsonl"
    candidates = (Candidate(expr="N0", stage="all", value="3"),)
    write_records(path, [CandidateSet(id="a", values=values, surfaces=surfaces, answer="3", candidates=candidates)])
    assert refusal("rank", path, "-o", tmp_path / "l.jsonl").startswith(f"{path}{complaint}")


def test_random_labels_depend_on_the_seed(candidates: Path, tmp_path: Path) -> None:
    for seed in (1, 1, 2):
        out("rank", candidates, "--ranker", "random", "--seed", seed, "-o", tmp_path / f"{seed}.jsonl")
    assert (tmp_path / "1.jsonl").read_bytes() != (tmp_path / "2.jsonl").read_bytes()


def test_rankers_that_are_not_there_are_told(candidates: Path, tmp_path: Path) -> None:
    assert "unknown ranker 'nix'" in refusal("rank", candidates, "--ranker", "nix", "-o", tmp_path / "l.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_the_files_load_as_data_sets(candidates: Path, labels: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    out("export", labels, "-o", tmp_path / "train.jsonl")
    out("export", labels, "--format", "csv", "-o", tmp_path / "train.csv")
    for kind, path in (("json", labels), ("json", tmp_path / "train.jsonl"), ("csv", tmp_path / "train.csv")):
        loaded = datasets.load_dataset(kind, data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
        assert loaded.num_rows == 10
        assert loaded[0]["id"] == "story-00000"
        assert loaded[0]["equation"] == "x=1"
