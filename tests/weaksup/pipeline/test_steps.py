"""A step is done once, after what it reads is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weaksup.errors import DataError
from weaksup.pipeline.timed_step import PipelineStep, Times


def copy_step(folder: Path, done: list[str], *, resumes: bool = False) -> PipelineStep:
    def copy() -> None:
        done.append("copy")
        (folder / "copy").write_bytes((folder / "given").read_bytes())

    return PipelineStep("copy", (folder / "given",), folder / "copy", copy, resumes)


def test_a_step_waits_for_what_it_reads(tmp_path: Path) -> None:
    done: list[str] = []
    with pytest.raises(DataError, match="given: this file is missing, and the step copy needs it"):
        copy_step(tmp_path, done).run(Times(tmp_path / "times.json"))
    assert done == [] and not (tmp_path / "times.json").exists()


@pytest.mark.parametrize(("resumes", "times"), [(False, 1), (True, 2)])
def test_a_step_is_done_once_unless_it_checks_itself_what_is_there(tmp_path: Path, resumes: bool, times: int) -> None:
    (tmp_path / "given").write_text("x")
    done: list[str] = []
    for _ in range(2):
        copy_step(tmp_path, done, resumes=resumes).run(Times(tmp_path / "times.json"))
    assert len(done) == times
    assert (tmp_path / "copy").read_text() == "x"
    assert list(json.loads((tmp_path / "times.json").read_text())) == ["copy"]
