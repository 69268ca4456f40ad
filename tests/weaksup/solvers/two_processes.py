"""What each process does under torchrun, all in one start: a whole run, a run stopped and taken up, a refusal.

`python -m torch.distributed.run --standalone --nproc-per-node 2 -m tests.weaksup.solvers.two_processes FOLDER`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import torch

from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError
from weaksup.records import Problem
from weaksup.solvers.data.lessons import Lesson, gold_lessons
from weaksup.solvers.network import model_files
from weaksup.solvers.training import loop, state
from weaksup.solvers.training.distributed import joined_processes

from . import small_run

#: Batches of three and a last one of one: parts of one example, or of none, that leave parameters unused.
CONFIG = msgspec.structs.replace(small_run.CONFIG, dropout=0.0, word_dropout=0.0)
TRAIN = msgspec.structs.replace(small_run.TRAIN, batch_size=3, epochs=2, validate_every=0.5)
BY_TOKEN = msgspec.structs.replace(TRAIN, average="token")


def lessons() -> tuple[list[Lesson], list[Problem]]:
    problems = list(read_stories(size=30, seed=11))
    return gold_lessons(problems[:25], writing="label")[0], problems[25:]


class Stopped(Exception):
    """By the test, in all processes after the same step."""


def stop_after(calls: int) -> Any:
    left = [calls]

    def progress(done: int, total: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Stopped

    return progress


def group_threads() -> int:
    """The number of threads of process groups, by the names that the kernel knows them by."""
    names = [task.joinpath("comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    return sum(name.startswith("pt_gloo") for name in names)


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    report: dict[str, Any] = {"written": []}
    save = model_files.save_tensors

    def saving(path: Path, *args: Any) -> None:
        report["written"].append(path.name)
        save(path, *args)

    loop.save_tensors = state.save_tensors = saving
    with joined_processes(torch.device("cpu")) as device:
        rank = torch.distributed.get_rank()
        report["world"] = torch.distributed.get_world_size()
        given = lessons()

        def run(name: str, **more: Any) -> Any:
            return small_run.run(folder / name, config=CONFIG, train=TRAIN, given=given, device=device, **more)

        result = run("whole", checkpoint_seconds=1e9)
        report["examples"], report["accuracy"] = result.examples, result.valid_answer_accuracy
        small_run.run(folder / "tokens", config=CONFIG, train=BY_TOKEN, given=given, device=device)
        try:
            run("stopped", progress=stop_after(7))
        except Stopped:
            torch.distributed.barrier()
            report["checkpoint"] = (folder / "stopped" / "checkpoint.safetensors").exists()
            report["rest"] = run("stopped").examples
        try:
            run("foreign")
        except ConfigError as error:
            report["refused"] = str(error)
        report["threads"] = group_threads()
    report["left"] = not torch.distributed.is_initialized()
    report["threads_left"] = group_threads()
    (folder / f"report-{rank}.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
