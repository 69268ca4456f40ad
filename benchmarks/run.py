"""Run the benchmarks, print their tables, write `results/*.json`, charts and tables of the documentation.

python benchmarks/run.py                      everything, about half an hour
python benchmarks/run.py --quick              small sizes; writes to results/quick/ only
python benchmarks/run.py --only equivalence   one benchmark; may be given more than once
python benchmarks/run.py --only chart --only tables    the charts and tables of the documentation, from the results
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import bench_dedupe
import bench_enumeration
import bench_equivalence
import bench_growth
import bench_reading
import bench_training
from chart import draw_mathcanon, draw_training
from doc_tables import write_tables
from measure import HERE, machine, results_folder, write_json
from result_tables import draw_headline

IMAGES = HERE.parent / "docs" / "images"


def as_command(name: str) -> Callable[[bool], dict[str, Any]]:
    """A benchmark with options of its own, run as the command it is."""

    def run(quick: bool) -> dict[str, Any]:
        if quick:
            print(f"\n{name}: skipped in a quick run")
            return {}
        path = results_folder(quick) / f"{name}.json"
        print(flush=True)
        subprocess.run([sys.executable, str(HERE / f"bench_{name}.py"), "--json", str(path)], check=True)
        result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        result.pop("benchmark", None)
        write_json(name, result, quick)
        return result

    return run


BENCHMARKS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "equivalence": bench_equivalence.main,
    "growth": bench_growth.main,
    "dedupe": bench_dedupe.main,
    "enumeration": bench_enumeration.main,
    "reading": bench_reading.main,
    "reach": as_command("reach"),
    "search": as_command("search"),
    "training": bench_training.main,
}


def draw_recorded(quick: bool) -> None:
    target = results_folder(quick) if quick else IMAGES
    target.mkdir(parents=True, exist_ok=True)
    charts: dict[str, tuple[tuple[str, ...], Callable[..., str]]] = {
        "benchmarks": (("equivalence", "dedupe", "enumeration"), draw_mathcanon),
        "training": (("training",), lambda results, path: draw_training(results["training"], path)),
    }
    for chart, (needed, draw) in charts.items():
        paths = {name: results_folder(quick) / f"{name}.json" for name in needed}
        missing = [path.name for path in paths.values() if not path.exists()]
        if missing:
            print(f"\nno chart {chart}: {', '.join(missing)} not recorded yet")
            continue
        results = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}
        alternative = draw(results, target / f"{chart}.svg")
        print(f"\nchart {chart} drawn; text alternative:\n{alternative}")
    picture, alternative = draw_headline()
    (target / "headline.svg").write_text(picture, encoding="utf-8")
    print(f"\nchart headline drawn; text alternative:\n{alternative}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    everything = [*BENCHMARKS, "chart", "tables"]
    parser.add_argument("--only", action="append", choices=everything, help="this one; may be repeated")
    options = parser.parse_args()
    chosen = options.only or everything
    facts = machine()
    print(f"Python {facts['python']}, {facts['system']}, {facts['cpus']} CPUs, commit {facts['commit']}")
    print(", ".join(f"{name} {version}" for name, version in facts["packages"].items()))
    for name, bench in BENCHMARKS.items():
        if name in chosen:
            bench(options.quick)
    if "chart" in chosen:
        draw_recorded(options.quick)
    if "tables" in chosen and not options.quick:
        write_tables()


if __name__ == "__main__":
    main()
