"""One of each of many strings, by default a million: speed, memory and whether the classes are right.

Two sets of different strings of 3 to 8 operands, about four of each class, the classes known by construction: "once"
(each operand once) and "repeated" (half of the strings repeat operands or hold numbers and squares).  A way is right
if it keeps exactly the first string of each class.  Peers put what they read into a dict: SymEngine and SymPy see
what their constructors sort and collect, and nothing else.  Each way has a process of its own, and so has each build
of mathcanon.

    python benchmarks/bench_dedupe.py [--quick] [--strings N]
"""

from __future__ import annotations

import argparse
import gc
import sys
import tracemalloc
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, NamedTuple

from alone import MEGABYTE, builds, run_alone
from measure import cpu_seconds, print_table, print_targets, target, write_json
from pairs import Labelled, make_strings

Keep = Callable[[list[str]], list[str]]


class Way(NamedTuple):
    name: str
    make: Callable[[], Keep]
    sets: tuple[str, ...]
    ours: bool = False  # whether it is run with each build of mathcanon
    largest: int = 10**9  # how many strings it is given at the most


def mathcanon_by(by: str) -> Keep:
    from mathcanon import dedupe

    return lambda texts: list(dedupe(texts, by=by))


def symengine_dict() -> Keep:
    from symengine import sympify

    return partial(first_of_each, sympify)


def sympy_dict() -> Keep:
    from sympy import sympify

    return partial(first_of_each, sympify)


def first_of_each(read: Callable[[str], Hashable], texts: Iterable[str]) -> list[str]:
    seen: dict[Hashable, str] = {}
    for text in texts:
        seen.setdefault(read(text), text)
    return list(seen.values())


WAYS = [
    Way("mathcanon dedupe, by structure", partial(mathcanon_by, "structure"), ("once",), ours=True),
    Way("mathcanon dedupe, by value", partial(mathcanon_by, "value"), ("once", "repeated"), ours=True),
    Way("symengine, dict of sympify", symengine_dict, ("once", "repeated")),
    Way("sympy, dict of sympify", sympy_dict, ("once", "repeated"), largest=2000),
]


def keep_of(name: str, texts: list[str]) -> dict[str, Any]:
    """CPU time of one way, and what it keeps; runs in a process of its own."""
    keep = next(way for way in WAYS if way.name == name).make()
    keep(texts[:1000])  # load what loads late
    seconds, kept = cpu_seconds(partial(keep, texts), 2)
    return {"seconds": seconds, "kept": kept}


def measure(way: Way, name: str, strings: list[Labelled], build: str | None) -> dict[str, Any]:
    """Speed of one way on one set, and how far its classes are from the truth."""
    if len(strings) > way.largest:  # a small set of whole classes, not a part of the large one
        strings = make_strings(way.largest, repeated=name == "repeated")
    row: dict[str, Any] = {"way": way.name, "build": build, "set": name, "strings": len(strings)}
    texts = [string.text for string in strings]
    outcome = run_alone("bench_dedupe", "keep_of", way.name, texts, build=build)
    print(f"  {way.name} ({name}) {build or ''}: {outcome.failed or 'done'}", file=sys.stderr, flush=True)
    if outcome.failed:
        return {**row, "missing": outcome.failed}
    expected, kept = first_of_each_class(strings), outcome.result["kept"]
    return {
        **row,
        "strings_per_second": len(texts) / outcome.result["seconds"],
        "classes": len(expected),
        "kept": len(kept),
        "kept_twice": len(set(kept) - set(expected)),  # a class of which another string was kept already
        "lost": len(set(expected) - set(kept)),
        "right": kept == expected,
        "peak_bytes": outcome.peak_bytes,  # the strings included
    }


def first_of_each_class(strings: list[Labelled]) -> list[str]:
    first: dict[object, str] = {}
    for string in strings:
        first.setdefault(string.truth, string.text)
    return list(first.values())


def bytes_held(texts: list[str], by: str) -> float:
    """Bytes a kept expression that a Deduper holds, beside the strings themselves; runs in a process of its own."""
    from mathcanon import Deduper

    gc.collect()
    tracemalloc.start()
    seen = Deduper(texts, by=by, keep_members=False)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / len(seen)


def held_by(sets: dict[str, list[Labelled]]) -> dict[str, float]:
    """Bytes a kept expression, by set, way of comparing and build, on the first 100,000 strings."""
    held = {}
    for name, strings in sets.items():
        texts = [string.text for string in strings[:100_000]]
        for by in ("structure", "value"):
            for build in builds():
                held[f"{name}, by {by}, {build}"] = run_alone(
                    "bench_dedupe", "bytes_held", texts, by, build=build
                ).result
    return held


def main(quick: bool = False, number: int = 1_000_000) -> dict[str, Any]:
    """Print the table; what is also written as JSON."""
    number = 5_000 if quick else number
    sets = {"once": make_strings(number, repeated=False), "repeated": make_strings(number, repeated=True)}
    rows = []
    for name, strings in sets.items():
        for way in WAYS:
            if name in way.sets:
                rows += [measure(way, name, strings, build) for build in (builds() if way.ours else [None])]
    print_table(
        f"Dedupe of {number:,} strings of 3 to 8 operands, CPU time of one core",
        ("", "operands", "strings", "strings/s", "classes", "kept", "kept twice", "lost", "peak MB", "exactly right"),
        [
            (f"{row['way']} {row['build'] or ''}", row["set"], row["strings"], f"{row['strings_per_second']:,.0f}",
             row["classes"], row["kept"], row["kept_twice"], row["lost"], f"{row['peak_bytes'] / MEGABYTE:,.0f}",
             "yes" if row["right"] else "no")
            if "missing" not in row else (row["way"], row["set"], *["-"] * 7, row["missing"])
            for row in rows
        ],
    )  # fmt: skip
    held = held_by(sets)
    for what, size in held.items():
        print(f"memory a kept expression, {what}: {size:,.0f} bytes")
    result = {"strings": number, "rows": rows, "bytes_per_kept_expression": held, "targets": targets(rows)}
    print_targets(result["targets"])
    write_json("dedupe", result, quick)
    return result


#: (build, way, set, strings a second)
GOALS = [
    ("compiled", "mathcanon dedupe, by structure", "once", 500_000),
    ("compiled", "mathcanon dedupe, by value", "once", 300_000),
    ("compiled", "mathcanon dedupe, by value", "repeated", 300_000),
    ("pure", "mathcanon dedupe, by structure", "once", 90_000),
]


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    right = all(row.get("right") for row in rows if row["build"])
    checks = [target("mathcanon, classes exactly right (1 is yes)", float(right), 1)]
    speeds = {(row["build"], row["way"], row["set"]): row.get("strings_per_second", 0.0) for row in rows}
    for build, way, name, least in GOALS:
        if (build, way, name) in speeds:
            checks.append(target(f"{way}, {build}, {name}, strings a second", speeds[build, way, name], least))
    return checks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Dedupe of strings, against other packages.")
    parser.add_argument("--quick", action="store_true", help="few strings; the recorded results stay as they are")
    parser.add_argument("--strings", type=int, default=1_000_000, help="how many strings (default: a million)")
    options = parser.parse_args()
    main(options.quick, options.strings)
