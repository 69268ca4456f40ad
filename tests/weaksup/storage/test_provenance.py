"""The sidecar that says how a file was made tells runs apart."""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path

import msgspec
import pytest

import mathcanon
from weaksup.errors import ConfigError, DataError
from weaksup.storage.claims import check_same
from weaksup.storage.json_files import write_json
from weaksup.storage.provenance import RunInfo, read_run_info, run_info_path, versions


def run(**changes: object) -> RunInfo:
    plan = {"name": "mine", "tolerance": "0", "stage": [{"name": "all", "omit": 0}, {"name": "less", "omit": 1}]}
    config = {"corpus": {"name": "stories", "size": 60}, "plan": plan, "limit": None}
    info = RunInfo(schema="weaksup/candidates", config=config, input="abcdef0123456789", versions=versions())
    return msgspec.structs.replace(info, **changes)


def config(**changes: object) -> RunInfo:
    return run(config={**run().config, **changes})


def plan(**changes: object) -> RunInfo:
    return config(plan={**run().config["plan"], **changes})


def refusal(old: RunInfo, new: RunInfo) -> str:
    with pytest.raises(ConfigError) as caught:
        check_same(old.decisive, new.decisive, what="candidates.jsonl", advice="Mind it.")
    message = str(caught.value)
    assert message.startswith("candidates.jsonl was made with other settings: ")
    assert message.endswith(". Mind it.")
    assert "\n" not in message
    return message.removeprefix("candidates.jsonl was made with other settings: ").removesuffix(". Mind it.")


def test_the_sidecar_is_read_as_it_was_written(tmp_path: Path) -> None:
    sidecar = run_info_path(tmp_path / "candidates.jsonl")
    assert sidecar == tmp_path / "candidates.jsonl.run.json"
    assert read_run_info(sidecar) is None
    write_json(sidecar, run(seed=3, output="ff", counts={"problems": 2}))
    again = read_run_info(sidecar)
    assert again == run(seed=3, output="ff", counts={"problems": 2})
    check_same(again.decisive, run(seed=3).decisive, what="", advice="")


def test_the_versions_are_those_that_run() -> None:
    found = versions()
    assert set(found) == {"mathcanon", "numpy", "numba", "python-flint", "python"}
    assert found["mathcanon"] == mathcanon.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert all(re.match(r"\d+\.\d+", version) for version in found.values())


def test_a_damaged_sidecar_is_told(tmp_path: Path) -> None:
    for content in (b"{", b"[]", b'{"schema": 1}', gzip.compress(b"{}")):
        (tmp_path / "x.run.json").write_bytes(content)
        with pytest.raises(DataError, match=r"x\.run\.json: not the record of a run"):
            read_run_info(tmp_path / "x.run.json")


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (config(limit=10), "limit was not given, now 10"),
        (config(corpus={"name": "stories", "size": 61}), "corpus.size was 60, now 61"),
        (config(corpus={"name": "mawps"}), "corpus was stories, now mawps"),
        (plan(name="other", stage=[], tolerance="1"), "plan was mine, now other"),
        (plan(tolerance="0.1"), "plan.tolerance was 0, now 0.1"),
        (plan(stage=[{"name": "all", "omit": 0}, {"name": "less", "omit": 2}]), "plan.stage[1].omit was 1, now 2"),
        (plan(stage=[{"name": "all", "omit": 0}]), "plan.stage was 2 items, now 1 items"),
        (run(input="0" * 64), "input was abcdef012345, now 000000000000"),
        (run(seed=1), "seed was not given, now 1"),
        (run(versions={**versions(), "mathcanon": "9.9"}), f"mathcanon was {mathcanon.__version__}, now 9.9"),
        (run(schema="weaksup/labels"), "schema was weaksup/candidates 1, now weaksup/labels 1"),
        (
            run(config={"a": 1, "b": 2, "corpus": {}, "plan": {}, "limit": 5}, seed=7),
            "corpus was stories, now not given; plan was mine, now not given; limit was not given, now 5; and 3 more",
        ),
    ],
)
def test_what_differs_between_two_runs_is_named(new: RunInfo, says: str) -> None:
    assert refusal(run(), new) == says


def test_other_versions_of_numpy_and_python_make_the_same() -> None:
    other = run(versions={"mathcanon": mathcanon.__version__, "numpy": "0.1", "python": "4.0"})
    check_same(run().decisive, other.decisive, what="", advice="")
