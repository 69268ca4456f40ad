"""`mwp-weak rank --scorer`: a draft that somebody else wrote, and the one line for each way it can be wrong."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mwp_cli.weak import main

from weaksup.records import CandidateSet, Label
from weaksup.storage.json_lines import read_records
from weaksup.storage.provenance import read_run_info, run_info_path

SHORTEST = """
class Shortest:
    def score(self, problems, exprs):
        return [[-float(len(expr)) for expr in row] for row in exprs]

    def explore(self, problems):
        return [["N0+N1", "N1*N0", "no expression", "N9"] for _ in problems]
"""


def run(*args: object) -> Result:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"a traceback reached the user: {result.exception!r}") from result.exception
    return result


@pytest.fixture(scope="module")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "candidates.jsonl"
    assert run("search", "--size", 60, "--plan", "paper", "--workers", 1, "-o", path).exit_code == 0
    return path


Module = Callable[[str], None]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Module]:
    """Writes a module `own_scorer` into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield lambda text: (tmp_path / "own_scorer.py").write_text(text, encoding="utf-8") and None
    sys.modules.pop("own_scorer", None)


def ranked(candidates: Path, scorer: str, *, ranker: str = "basic") -> Result:
    return run("rank", candidates, "--ranker", ranker, "--scorer", scorer, "-o", "labels.jsonl")


def refusal(candidates: Path, scorer: str, *, ranker: str = "basic") -> str:
    """The one line of a command that refuses a scorer; nothing is written."""
    result = ranked(candidates, scorer, ranker=ranker)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert not Path("labels.jsonl").exists()
    return line.removeprefix("error: ")


def test_basic_takes_what_the_scorer_likes_best(candidates: Path, module: Module) -> None:
    module(SHORTEST)
    result = ranked(candidates, "own_scorer:Shortest")
    assert result.exit_code == 0, result.stderr
    assert (
        "labels for 60 problems by basic" in result.stdout and "differ from the labels without a draft" in result.stdout
    )
    sets = {found.id: found for found in read_records(candidates, CandidateSet)}
    for label in read_records("labels.jsonl", Label):
        found = [candidate.expr for candidate in sets[label.id].candidates]
        if len(found) > 1:
            assert label.score == -min(map(len, found))


@pytest.mark.parametrize("ranker", ["em", "basic", "beam"])
@pytest.mark.parametrize("made", ["Shortest", "ready = Shortest()", "def ready(): return Shortest()"])
def test_a_class_an_object_and_a_function_are_the_same(
    candidates: Path, module: Module, ranker: str, made: str
) -> None:
    module(SHORTEST + ("" if made == "Shortest" else made))
    result = ranked(candidates, f"own_scorer:{'Shortest' if made == 'Shortest' else 'ready'}", ranker=ranker)
    assert result.exit_code == 0, result.stderr
    assert {label.ranker for label in read_records("labels.jsonl", Label)} == {ranker}


def test_the_sidecar_names_the_scorer_and_json_counts_changes(candidates: Path, module: Module) -> None:
    module(SHORTEST)
    result = run("rank", candidates, "--ranker", "em", "--scorer", "own_scorer:Shortest", "-o", "l.jsonl", "--json")
    assert json.loads(result.stdout)["changed"] >= 0
    info = read_run_info(run_info_path("l.jsonl"))
    assert info is not None
    assert (info.config["ranker"], info.config["scorer"]) == ("em", "own_scorer:Shortest")


def test_what_a_scorer_prints_is_no_data(candidates: Path, module: Module) -> None:
    module(
        "print('imported')\n"
        + SHORTEST.replace("        return [[-float", "        print('asked')\n        return [[-float")
    )
    result = run(
        "rank", candidates, "--ranker", "basic", "--scorer", "own_scorer:Shortest", "-o", "labels.jsonl", "--json"
    )
    assert json.loads(result.stdout)["labels"] > 0
    assert result.stderr.splitlines() == ["imported", "asked"]


def test_explore_is_needed_by_beam_only(candidates: Path, module: Module) -> None:
    module("class S:\n    def score(self, problems, exprs): return [[0 for _ in row] for row in exprs]\n")
    assert refusal(candidates, "own_scorer:S", ranker="beam") == (
        "scorer own_scorer:S: S has no method explore(problems), which beam needs"
    )
    assert ranked(candidates, "own_scorer:S").exit_code == 0


def test_a_missing_explore_is_told_before_anything_is_scored(candidates: Path, module: Module) -> None:
    module("class S:\n    def score(self, problems, exprs): raise AssertionError('asked')\n")
    assert "has no method explore" in refusal(candidates, "own_scorer:S", ranker="beam")


def test_no_gold_reaches_the_scorer(candidates: Path, module: Module) -> None:
    module(
        "class S:\n    def score(self, problems, exprs):\n"
        "        assert all(p.gold is None and p.text and p.tokens for p in problems)\n"
        "        return [[0.0 for _ in row] for row in exprs]\n"
    )
    assert ranked(candidates, "own_scorer:S").exit_code == 0


# --- every error line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reference", ["own_scorer", "own_scorer:", ":S", "own scorer:S", "own_scorer:S()", ".x:S", ""])
def test_what_is_no_reference_is_told(candidates: Path, module: Module, reference: str) -> None:
    module(SHORTEST)
    assert refusal(candidates, reference) == (
        f"a scorer is given as package.module:name or package.module:name=argument, not {reference!r}"
    )


@pytest.mark.parametrize("name", ["no_such_module", "no_such_package.scorer", "json.no_such_module"])
def test_no_such_module(candidates: Path, module: Module, name: str) -> None:
    missing = "no_such_package" if name.startswith("no_such_package") else name
    said = refusal(candidates, f"{name}:S")
    assert said == f"there is no module {missing} in the current folder or on the Python path"


SCORE = "class S:\n    def score(self, problems, exprs):\n        "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"scorer own_scorer:S: the module own_scorer has no S"),
        ("S = 3", r"scorer own_scorer:S: int has no method score\(problems, exprs\)"),
        ("class S:\n    score = 3", r"scorer own_scorer:S: S has no method score\(problems, exprs\)"),
        ("def S(): pass", r"scorer own_scorer:S: None has no method score\(problems, exprs\)"),
        ("def S(problems, exprs): pass", r"scorer own_scorer:S can't be called without arguments: .*'problems'"),
        ("import no_such_thing", r"scorer own_scorer:S failed: ModuleNotFoundError: .*'no_such_thing' \(.*, line 1\)"),
        ("def S(:", r"scorer own_scorer:S failed: SyntaxError: .*\(own_scorer\.py, line 1\)"),
        ("raise SystemExit", r"scorer own_scorer:S failed: SystemExit \(.*own_scorer\.py, line 1\)"),
        ("def S():\n    raise OSError('a\\nb')", r"scorer own_scorer:S failed: OSError: a b \(.*\.py, line 2\)"),
        (SCORE + "return 1 / 0", r"scorer own_scorer:S failed: ZeroDivisionError: .* \(.*own_scorer\.py, line 3\)"),
        (
            SCORE + "import json; json.loads('{')",  # the line of the scorer, not of the library
            r"scorer own_scorer:S failed: JSONDecodeError: .* \(.*own_scorer\.py, line 3\)",
        ),
        (SCORE + "yield [1 / 0]", r"scorer own_scorer:S failed: ZeroDivisionError: .* \(.*own_scorer\.py, line 3\)"),
        (SCORE + "return None", r"scorer own_scorer:S gave None, not a list of scores for each problem"),
        (SCORE + "return []", r"scorer own_scorer:S gave scores for 0 problems instead of \d+"),
        (SCORE + "return [1.5 for _ in exprs]", r"scorer own_scorer:S gave 1\.5 for problem \S+, not a list of scores"),
        (SCORE + "return [[1] for row in exprs]", r"scorer own_scorer:S gave 1 score for the \d+ expressions of .*"),
        (SCORE + "return [[] for row in exprs]", r"scorer own_scorer:S gave 0 scores for the \d+ expressions of .*"),
        *[
            (
                SCORE + f"return [[{bad} for _ in row] for row in exprs]",
                r"scorer own_scorer:S gave .* for \S+ of problem \S+, which is neither a finite number nor -inf",
            )
            for bad in ("float('nan')", "float('inf')", "'1'", "None", "1j", "10**400", "exprs", "'x' * 10**6")
        ],
    ],
)  # fmt: skip
def test_every_fault_is_one_line(candidates: Path, module: Module, text: str, said: str) -> None:
    module(text)
    line = refusal(candidates, "own_scorer:S")
    assert re.fullmatch(said, line), line
    assert len(line) < 400


def test_a_proposal_that_is_no_text_is_told(candidates: Path, module: Module) -> None:
    module(SHORTEST + "\n    def explore(self, problems): return [[3] for _ in problems]\n")
    said = refusal(candidates, "own_scorer:Shortest", ranker="beam")
    assert said == "scorer own_scorer:Shortest proposed 3 for problem story-00000, which is not a string"


def test_scorer_and_model_exclude_each_other(candidates: Path, module: Module) -> None:
    module(SHORTEST)
    result = run("rank", candidates, "--scorer", "own_scorer:Shortest", "--model", "draft", "-o", "labels.jsonl")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --model and --scorer exclude each other: give one of them")


def test_rankers_that_ask_nobody_refuse_a_scorer(candidates: Path, module: Module) -> None:
    module(SHORTEST)
    assert refusal(candidates, "own_scorer:Shortest", ranker="random") == "ranker random does not use a model"


# --- our own model as a scorer ----------------------------------------------------------------------------------------

OUR_MODEL = """
from weaksup.solvers.decoding.scoring import log_probabilities
from weaksup.solvers.decoding.solver import Solver

class Ours:
    def __init__(self):
        self.solver = Solver.load("draft")

    def score(self, problems, exprs):
        return log_probabilities(self.solver, problems, exprs)

    def explore(self, problems):
        return [[one.expr for one in found] for found in self.solver.predict(problems, beam=5)]
"""


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="drafts are solvers")
    folder = tmp_path_factory.mktemp("models") / "draft"
    options = ("--size", 60, "--hidden", 16, "--set", "embedding=8", "--epochs", 2, "--device", "cpu", "--threads", 1)
    result = run("train", *options, "-o", folder)
    assert result.exit_code == 0, result.stderr
    return folder


@pytest.mark.parametrize("ranker", ["em", "basic", "beam"])
def test_a_scorer_with_the_scores_of_our_model_gives_the_labels_of_that_model(
    candidates: Path, module: Module, draft: Path, tmp_path: Path, ranker: str
) -> None:
    module(OUR_MODEL)
    (tmp_path / "draft").symlink_to(draft)
    assert ranked(candidates, "own_scorer:Ours", ranker=ranker).exit_code == 0
    result = run("rank", candidates, "--ranker", ranker, "--model", "draft", "--device", "cpu", "-o", "model.jsonl")
    assert result.exit_code == 0, result.stderr
    assert Path("labels.jsonl").read_bytes() == Path("model.jsonl").read_bytes()
