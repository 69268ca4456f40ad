"""Run the benchmarks, print their tables, write `results/*.json` and draw the chart of the documentation.

python benchmarks/run.py                      everything, about ten minutes
python benchmarks/run.py --quick              small sizes; writes to results/quick/ only
python benchmarks/run.py --only equivalence   one benchmark; may be given more than once
python benchmarks/run.py --only chart         draw again from the recorded results
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bench_dedupe
import bench_enumeration
import bench_equivalence
import bench_training
from chart import draw
from measure import HERE, machine, results_folder, write_json

IMAGES = HERE.parent / "docs" / "images"


def run_reach(quick: bool) -> dict[str, Any]:
    """`bench_reach.py` has options of its own, so it runs as the command it is."""
    script = HERE / "bench_reach.py"
    if quick or not script.exists():
        print("\nreach: skipped" + (" in a quick run" if quick else ", there is no bench_reach.py"))
        return {}
    path = results_folder(quick) / "reach.json"
    print(flush=True)
    subprocess.run([sys.executable, str(script), "--json", str(path)], check=True)
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    result.pop("benchmark", None)
    write_json("reach", result, quick)
    return result


BENCHMARKS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "equivalence": bench_equivalence.main,
    "dedupe": bench_dedupe.main,
    "enumeration": bench_enumeration.main,
    "reach": run_reach,
    "training": bench_training.main,
}


def draw_recorded(quick: bool) -> None:
    folder = results_folder(quick)
    paths = {name: folder / f"{name}.json" for name in ("equivalence", "dedupe", "enumeration")}
    missing = [path.name for path in paths.values() if not path.exists()]
    if missing:
        print(f"\nno chart: {', '.join(missing)} not recorded yet")
        return
    results = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    target = folder if quick else IMAGES
    target.mkdir(parents=True, exist_ok=True)
    alternative = draw(results, [Path(target / f"benchmarks.{ending}") for ending in ("svg", "png")])
    print(f"\nchart drawn; text alternative:\n{alternative}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    parser.add_argument("--only", action="append", choices=[*BENCHMARKS, "chart"], help="this one; may be repeated")
    options = parser.parse_args()
    chosen = options.only or [*BENCHMARKS, "chart"]
    facts = machine()
    print(f"Python {facts['python']}, {facts['system']}, {facts['cpus']} CPUs, commit {facts['commit']}")
    print(", ".join(f"{name} {version}" for name, version in facts["packages"].items()))
    for name, bench in BENCHMARKS.items():
        if name in chosen:
            bench(options.quick)
    if "chart" in chosen:
        draw_recorded(options.quick)


if __name__ == "__main__":
    main()
