"""A problem that meets a limit loses one stage, and nothing else happens."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from mwp_cli.weak import main

from mathcanon.errors import LimitError
from weaksup.corpora import Corpus, read_corpus
from weaksup.errors import WeakSupError
from weaksup.measure.cases import show_problem
from weaksup.records import CandidateSet, Limited, Problem, Quantity
from weaksup.search import batch, search_corpus
from weaksup.search.batch import search_problems
from weaksup.search.budget import Budget
from weaksup.search.executors import search_shards
from weaksup.search.plans import Plan, Stage, load_plan
from weaksup.search.search_corpus import limited_problems, run_search

OMIT, ALL, ADD = Stage(name="omit", omit=1), Stage(name="all"), Stage(name="add", extras=("1",))
PLAN = Plan(name="mine", stage=(OMIT, ALL, ADD), dedupe="position")
SMALL = 200_000  # bytes: room for about 390 hits of a problem in a scan, and for 48 candidates


def problem(values: list[int], answer: int, id: str) -> Problem:
    quantities = [Quantity(value=str(x), surface=str(x), start=0, end=0, token=i) for i, x in enumerate(values)]
    return Problem(id=id, text="", tokens=(), quantities=tuple(quantities), answer=str(answer))


ONES = problem([1, 1, 1, 1], 1, "ones")
EASY = [problem([2, 3, i], 6 * i, f"easy-{i}") for i in range(2, 12)]
MIXED = [*EASY[:4], ONES, *EASY[4:], problem([0, 0, 0, 2, 2], 0, "zeros")]


def without(plan: Plan, *names: str) -> Plan:
    return msgspec.structs.replace(plan, stage=tuple([stage for stage in plan.stage if stage.name not in names]))


def test_a_stage_that_meets_a_limit_is_left_out_and_recorded() -> None:
    """The oracle: the search with a plan that does not have the stages that are left out."""
    for one in MIXED:
        (found,) = search_problems([one], PLAN, memory=SMALL)
        (expected,) = search_problems([one], without(PLAN, *[limit.stage for limit in found.limits]))
        assert found.candidates == expected.candidates
        assert {limit.reason for limit in found.limits} <= {"hits", "candidates", "memory"}
        assert bool(found.limits) == (one.id in ("ones", "zeros"))
    (whole,) = search_problems([ONES], PLAN)
    (found,) = search_problems([ONES], PLAN, memory=SMALL)
    assert not whole.limits
    assert "add" in [limit.stage for limit in found.limits]
    assert 0 < len(found.candidates) < len(whole.candidates)
    assert found.candidates == tuple([one for one in whole.candidates if one in found.candidates])  # the simplest


@pytest.mark.parametrize("settings", [{}, {"dedupe": "none"}, {"stop": "first-match"}, {"limit": 5}, {"limit": 40}])
@pytest.mark.parametrize("memory", [SMALL, 3 * SMALL])
def test_what_is_found_does_not_depend_on_the_company(settings: dict[str, Any], memory: int) -> None:
    limit = settings.pop("limit", None) if "limit" in (settings := dict(settings)) else None
    plan = msgspec.structs.replace(PLAN, **settings)
    rng = random.Random(5)
    alone = {one.id: found for one in MIXED for found in search_problems([one], plan, limit=limit, memory=memory)}
    for _ in range(3):
        order = rng.sample(MIXED, len(MIXED))
        together = list(search_problems(order, plan, limit=limit, memory=memory))
        assert together == [alone[one.id] for one in order]


def test_problems_that_hold_too_much_together_are_searched_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    class Spy(batch._Chunk):
        def __init__(self, problems: Any, *args: Any, **settings: Any) -> None:
            sizes.append(len(problems))
            super().__init__(problems, *args, **settings)

    many = [problem([2, 3, i], 6 * i, f"easy-{i}") for i in range(2, 66)]
    expected = list(search_problems(many, PLAN))
    monkeypatch.setattr(batch, "_Chunk", Spy)
    assert list(search_problems(many, PLAN, memory=SMALL)) == expected
    assert sizes[0] == 64
    assert sizes.count(32) == 2


@pytest.mark.parametrize("dedupe", ["value", "position", "none"])
@pytest.mark.parametrize("stop", ["never", "first-match"])
def test_a_limit_gives_the_first_of_the_whole_in_little_memory(
    dedupe: Any, stop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No stage is lost for want of room for candidates, because no more than the limit are held."""
    plan = msgspec.structs.replace(PLAN, dedupe=dedupe, stop=stop)
    whole = list(search_problems(MIXED, plan))
    assert not any(found.limits for found in whole)
    monkeypatch.setattr(Budget, "candidates", 4)
    for found, all_of_it in zip(search_problems(MIXED, plan), whole, strict=True):
        assert bool(found.limits) == (len(all_of_it.candidates) > 4)
    for limit in (1, 3, 4):
        for found, all_of_it in zip(search_problems(MIXED, plan, limit=limit), whole, strict=True):
            assert (found.candidates, found.limits) == (all_of_it.candidates[:limit], ())


def test_with_a_limit_no_more_functions_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    settle = batch._Chunk._settle

    def spy(self: batch._Chunk, *args: Any) -> None:
        settle(self, *args)
        held.append(int(self.held.functions().max()))

    monkeypatch.setattr(batch._Chunk, "_settle", spy)
    list(search_problems(MIXED, PLAN, limit=7))
    assert max(held) == 7
    list(search_problems(MIXED, PLAN))
    assert max(held) > 100


def test_a_problem_without_any_stage_left_says_so() -> None:
    (found,) = search_problems([ONES], Plan(name="one", stage=(ADD,), dedupe="position"), memory=SMALL)
    assert (found.candidates, found.reason) == ((), "limit-met")
    assert [limit.stage for limit in found.limits] == ["add"]


def test_a_stage_left_out_does_not_end_a_search_for_the_first_match() -> None:
    plan = Plan(name="first", stage=(ADD, OMIT), stop="first-match", dedupe="position")
    (found,) = search_problems([ONES], plan, memory=SMALL)
    assert {candidate.stage for candidate in found.candidates} == {"omit"}
    assert [limit.stage for limit in found.limits] == ["add"]


def test_a_huge_number_costs_its_own_problem_only() -> None:
    problems = [EASY[0], problem([2, 10**40], 5, "huge"), EASY[1]]
    plan = msgspec.structs.replace(load_plan("released"), stage=load_plan("released").stage[:1])
    found = list(search_problems(problems, plan))
    assert [bool(one.candidates) for one in found] == [True, False, True]
    assert found[1].limits == (Limited(stage="all", reason="numbers"),)


# --- errors -----------------------------------------------------------------------------------------------------------


def test_strict_makes_a_limit_an_error_with_the_id() -> None:
    with pytest.raises(WeakSupError, match=r"^problem ones: stage \w+: "):
        list(search_problems(MIXED[:-1], PLAN, memory=SMALL, strict=True))
    assert len(list(search_problems(EASY, PLAN, memory=SMALL, strict=True))) == len(EASY)


def test_strict_reaches_the_user_from_worker_processes() -> None:
    shards = {0: EASY[:3], 1: [EASY[3], ONES], 2: EASY[4:]}
    with pytest.raises(WeakSupError, match=r"^problem ones: stage \w+: "):
        list(search_shards(shards, PLAN, workers=2, memory=SMALL, strict=True))


@pytest.mark.parametrize(
    ("error", "expected", "says"),
    [
        (LimitError("the size", 3, 2), WeakSupError, "^problem ones: the size is 3, the limit is 2$"),
        (MemoryError(), WeakSupError, "^problem ones: out of memory$"),
        (KeyError("x"), RuntimeError, "^problem ones: KeyError: 'x'$"),
    ],
)
def test_an_error_names_the_problem(
    error: Exception, expected: type[Exception], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Faulty(batch._Chunk):
        def search(self) -> None:
            if ONES in self.problems:
                raise error
            super().search()

    monkeypatch.setattr(batch, "_Chunk", Faulty)
    found: Iterator[CandidateSet] = search_problems(MIXED, PLAN)
    with pytest.raises(expected, match=says):
        list(found)
    assert len(list(search_problems(EASY, PLAN))) == len(EASY)


# --- files and commands -----------------------------------------------------------------------------------------------


def corpus(problems: list[Problem]) -> Corpus:
    return msgspec.structs.replace(read_corpus("stories", size=1), problems=tuple(problems))


def test_limits_are_counted_and_listed(tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    made = run_search(corpus(MIXED), PLAN, out, memory=SMALL, shard=4)
    assert made.counts["limited"] == 2
    assert made.config["memory"] == SMALL
    sets = [msgspec.json.decode(line, type=CandidateSet) for line in out.read_bytes().splitlines()]
    assert limited_problems(out) == {one.id: one.limits for one in sets if one.limits}
    assert list(limited_problems(out)) == ["ones", "zeros"]
    with pytest.raises(WeakSupError, match=r"^problem ones: stage \w+ met a limit"):
        run_search(corpus(MIXED), PLAN, out, memory=SMALL, shard=4, strict=True)
    two = tmp_path / "two.jsonl"
    run_search(corpus(MIXED), PLAN, two, memory=SMALL, shard=4, workers=2)
    assert two.read_bytes() == out.read_bytes()
    with pytest.raises(WeakSupError, match="other settings: memory"):
        run_search(corpus(MIXED), PLAN, out, shard=4)


def test_a_file_without_limits_reads_as_before() -> None:
    old = b'{"id":"a","values":["2"],"surfaces":["2"],"answer":"3","reason":"no-match"}'
    found = msgspec.json.decode(old, type=CandidateSet)
    assert found.limits == ()
    assert msgspec.json.encode(found) == old


def test_show_says_which_stages_are_missing() -> None:
    (found,) = search_problems([ONES], PLAN, memory=SMALL)
    assert show_problem(ONES, found).limits == found.limits != ()


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    texts = ["2 and 3 make?", "1 and 1 and 1 and 1 and 1 make?"]
    rows = [{"id": f"p{i}", "text": text, "answer": 5 - 4 * i} for i, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_command_lists_what_met_a_limit(own_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    real = search_corpus.search_shards
    monkeypatch.setattr(
        search_corpus, "search_shards", lambda shards, **settings: real(shards, **settings | {"memory": 1_500_000})
    )
    command = ["search", "--data", "jsonl", "--path", str(own_file), "--workers", "1"]
    ran = CliRunner().invoke(main, command)
    assert ran.exit_code == 0, ran.output
    assert "1 without some stages, which met a limit (see --memory):\n  p1: " in ran.output
    ran = CliRunner().invoke(main, [*command, "--json"])
    limited = json.loads(ran.stdout.splitlines()[-1])["limited"]
    assert list(limited) == ["p1"]
    assert {"stage", "reason"} == set(limited["p1"][0])
    ran = CliRunner().invoke(main, [*command, "--strict"])
    assert ran.exit_code == 2
    assert "error: problem p1: stage" in ran.output
    ran = CliRunner().invoke(main, ["show", "candidates.jsonl", "--id", "p1"])
    assert "not searched: " in ran.output


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("2", "'2' is not a size such as 500MB or 2GB."),
        ("lots", "is not a size"),
        ("-1GB", "is not a size"),
        ("1MB", "'1MB' is not in the range 100MB<=x<=1000TB."),
        ("2000TB", "is not in the range"),
    ],
)
def test_a_bad_size_is_refused(given: str, says: str) -> None:
    ran = CliRunner().invoke(main, ["search", "--memory", given])
    assert ran.exit_code == 2
    assert says in " ".join(ran.output.split())


@pytest.mark.parametrize(
    ("given", "size"), [("500MB", 5 * 10**8), ("2gb", 2 * 10**9), ("1.5 GiB", 3 * 2**29), ("0.1TB", 10**11)]
)
def test_a_size_has_a_unit(given: str, size: int, tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    ran = CliRunner().invoke(main, ["search", "--size", "3", "--workers", "1", "--memory", given, "-o", str(out)])
    assert ran.exit_code == 0, ran.output
    assert json.loads(Path(f"{out}.run.json").read_text())["config"]["memory"] == size
