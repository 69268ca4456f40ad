"""What the benchmarks share: CPU time, a printed table, a JSON file with the facts of the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PACKAGES = (
    "mathcanon", "cypari", "symbolica", "sympy", "symengine", "python-flint", "z3-solver", "math-verify",
    "latex2sympy2_extended", "lark", "numpy", "numba",
)  # fmt: skip


def data_folder() -> Path:
    """Where the real corpora are: MATHCANON_DATA, by default `../shared/data` beside the repository."""
    return Path(os.environ.get("MATHCANON_DATA", HERE.parent.parent / "shared" / "data"))


def cpu_seconds(
    job: Callable[[], Any], repeats: int = 3, before: Callable[[], Any] = lambda: None
) -> tuple[float, Any]:
    """The least CPU time of several runs, and what the last one returned; `before` runs untimed before each."""
    best, result = float("inf"), None
    for _ in range(repeats):
        before()
        start = time.process_time()
        result = job()
        best = min(best, time.process_time() - start)
    return best, result


def print_table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], note: str = "") -> None:
    """First column to the left, the others to the right."""
    lines = [[str(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    print(f"\n{title}")
    for i, line in enumerate(lines):
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        print("  ".join([line[0].ljust(widths[0]), *cells[1:]]).rstrip())
        if i == 0:
            print("  ".join("-" * width for width in widths))
    if note:
        print(note)


def print_targets(targets: list[dict[str, Any]]) -> None:
    for target in targets:
        print(f"{'met   ' if target['met'] else 'MISSED'} {target['what']}: {target['seen']:,.4g}")


def target(what: str, seen: float, least: float) -> dict[str, Any]:
    return {"what": f"{what}, at least {least:,g}", "seen": seen, "least": least, "met": seen >= least}


def machine() -> dict[str, Any]:
    """What a reader needs to know to compare figures."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "packages": packages,
        "commit": _commit(),
        "time": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
    }


def _commit() -> str:
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return described.stdout.strip()


def write_json(name: str, result: dict[str, Any], quick: bool = False) -> Path:
    """Write `results/NAME.json`; a quick run does not overwrite the recorded one and goes to `results/quick/`."""
    folder = results_folder(quick)
    path = folder / f"{name}.json"
    text = json.dumps({"benchmark": name, "quick": quick, "machine": machine(), **result}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def results_folder(quick: bool) -> Path:
    folder = RESULTS / "quick" if quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    return folder
