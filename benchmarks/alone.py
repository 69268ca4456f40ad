"""Run one function of a benchmark in a process of its own, and say how much memory it took.

That is how the two builds of mathcanon are measured in one run (the compiled one, and the pure one by the environment
variable MATHCANON_PURE), and how a peer can run out of memory or time, or crash, without ending the benchmark.

    python benchmarks/alone.py MODULE FUNCTION < arguments.json > result.json
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
MEGABYTE = 2**20


class Outcome(NamedTuple):
    result: Any  # what the function returned; None if it failed
    peak_bytes: int  # of memory held by the process at one time, Python itself included; 0 if it failed
    failed: str = ""  # why there is no result


def run_alone(
    module: str,
    function: str,
    *arguments: Any,
    build: str | None = None,
    memory: int | None = None,
    seconds: int | None = None,
) -> Outcome:
    """What `module.function(*arguments)` returns, all of it JSON, in a process of its own.

    `build` chooses the build of mathcanon, `memory` limits the bytes of address space, `seconds` the CPU time.
    """
    with TemporaryFile("w+", encoding="utf-8") as given:
        json.dump({"arguments": arguments, "memory": memory}, given)
        given.seek(0)
        ran = subprocess.Popen(
            [sys.executable, str(HERE / "alone.py"), module, function], env=_environment(build), text=True,
            stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
    start = time.monotonic()
    while True:
        try:
            out, err = ran.communicate(timeout=0.2)
            break
        except subprocess.TimeoutExpired:
            if seconds is not None and _cpu_seconds(ran.pid, start) > seconds:
                ran.kill()
                ran.communicate()
                return Outcome(None, 0, f"over {seconds} s")
    if ran.returncode == 0:
        said = json.loads(out)
        return Outcome(said["result"], said["peak_bytes"])
    return Outcome(None, 0, _why(ran.returncode, err))


def _cpu_seconds(pid: int, start: float) -> float:
    """CPU time of a running process, or time by the clock where it can't be seen.

    The parent looks, because a limit that the system keeps makes the CPU clock coarse on some systems.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    except OSError:
        return time.monotonic() - start
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _why(code: int, said: str) -> str:
    if any(word in said for word in ("MemoryError", "bad_alloc", "memory", "stack overflows")):
        return "out of memory"
    if "ModuleNotFoundError" in said or "ImportError" in said:
        return "not installed"
    return f"stopped with {code}: " + "".join(said.strip().splitlines()[-1:])[:120]


def _environment(build: str | None) -> dict[str, str]:
    environment = {**os.environ, "SYMBOLICA_HIDE_BANNER": "1"}
    environment.pop("MATHCANON_PURE", None)
    if build == "pure":
        environment["MATHCANON_PURE"] = "1"
    return environment


@cache
def builds() -> tuple[str, ...]:
    """The builds of mathcanon that are installed, the fastest first."""
    found = [run_alone("alone", "build_here", build=build) for build in ("compiled", "pure")]
    return tuple(dict.fromkeys(outcome.result for outcome in found if not outcome.failed))


def build_here() -> str:
    """The build that this process has loaded."""
    import mathcanon

    return getattr(mathcanon, "__build__", "pure")


def peak_bytes() -> int:
    """The most memory that this process has held at one time."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource  # its maximum includes that of the parent process on Linux, so it comes second

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main(module: str, function: str) -> None:
    job = json.load(sys.stdin)
    if job["memory"] is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (job["memory"], job["memory"]))
    answer = os.dup(1)
    os.dup2(2, 1)  # what a peer prints is not the result
    sys.path.insert(0, str(HERE))
    result = getattr(importlib.import_module(module), function)(*job["arguments"])
    with os.fdopen(answer, "w") as out:
        json.dump({"result": result, "peak_bytes": peak_bytes()}, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
