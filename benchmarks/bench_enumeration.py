"""Every non-equivalent expression on n operands: how many a second.

The peer is what one would write without mathcanon (`by_subsets`): join the expressions of every two complementary
subsets by every operator, and drop those whose value at a random point modulo a prime was seen.  It is short and not
slow, but holds everything in memory, gives nothing before it is done, and its "different" rests on luck with the
point.  `mathcanon.expressions` is lazy, exact, and starts anywhere in the list; the prefix of n = 7 shows it.  Each way
has a process of its own, and so has each build of mathcanon.

    python benchmarks/bench_enumeration.py [--quick]
"""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

from alone import MEGABYTE, builds, run_alone
from measure import cpu_seconds, print_table, print_targets, target, write_json

from mathcanon import count, expressions

NAMES = "abcdefgh"
PRIME = 2**61 - 1


def by_subsets(names: str, seed: int = 3) -> list[str]:
    """The strings of all non-equivalent expressions that use each name once: the plain way."""
    rng = random.Random(seed)
    # For each subset: value at a random point -> (inverse of the value, text).
    found = {(name,): {(value := rng.randrange(2, PRIME)): (pow(value, -1, PRIME), name)} for name in names}
    for size in range(2, len(names) + 1):
        for subset in combinations(names, size):
            texts: dict[int, str] = {}
            for left, right in _halves(subset):
                for x, (over_x, a) in found[left].items():
                    for y, (over_y, b) in found[right].items():
                        texts.setdefault((x + y) % PRIME, f"({a}+{b})")
                        texts.setdefault((x - y) % PRIME, f"({a}-{b})")
                        texts.setdefault((y - x) % PRIME, f"({b}-{a})")
                        texts.setdefault(x * y % PRIME, f"({a}*{b})")
                        texts.setdefault(x * over_y % PRIME, f"({a}/{b})")
                        texts.setdefault(y * over_x % PRIME, f"({b}/{a})")
            if size == len(names):
                return list(texts.values())
            found[subset] = {value: (pow(value, -1, PRIME), text) for value, text in texts.items()}
    return list(names)


def _halves(subset: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each way to cut a subset in two, the first name always on the left."""
    first, others = subset[0], subset[1:]
    for size in range(len(others)):
        for chosen in combinations(others, size):
            yield (first, *chosen), tuple([name for name in others if name not in chosen])


def listed(n: int, number: int) -> int:
    """How many expressions come out; none is kept."""
    return _length(islice(expressions(NAMES[:n]), number))


def written(n: int, number: int) -> int:
    return _length(map(str, islice(expressions(NAMES[:n]), number)))


def _length(items: Iterator[Any]) -> int:
    last = deque(enumerate(items, 1), maxlen=1)
    return last[0][0] if last else 0


WAYS: dict[str, Callable[[int, int], int]] = {
    "mathcanon expressions": listed,
    "mathcanon expressions, as strings": written,
    "by subsets, as strings": lambda n, number: len(by_subsets(NAMES[:n])),
}


def run_way(way: str, n: int, number: int, repeats: int) -> dict[str, Any]:
    """CPU time and how many came out; runs in a process of its own."""
    seconds, found = cpu_seconds(lambda: WAYS[way](n, number), repeats)
    return {"seconds": seconds, "found": found}


def measure(way: str, n: int, number: int, build: str | None) -> dict[str, Any]:
    outcome = run_alone("bench_enumeration", "run_way", way, n, number, 3, build=build)
    if outcome.failed:
        raise RuntimeError(f"{way}, n = {n}: {outcome.failed}")
    found = outcome.result["found"]
    return {
        "way": way,
        "build": build,
        "n": n,
        "of": count(n),
        "found": found,
        "per_second": found / outcome.result["seconds"],
        "peak_bytes": outcome.peak_bytes,
        "right": found == number,
    }


def main(quick: bool = False) -> dict[str, Any]:
    """Print the table; what is also written as JSON."""
    sizes = {4: count(4), 5: count(5)} if quick else {5: count(5), 6: count(6), 7: 1_000_000}
    rows = []
    for n, number in sizes.items():
        for build in builds():
            rows += [measure(way, n, number, build) for way in WAYS if way.startswith("mathcanon")]
        if number == count(n):
            rows.append(measure("by subsets, as strings", n, number, None))  # it has no first million: all or nothing
    print_table(
        "Every non-equivalent expression on n operands, CPU time of one core",
        ("", "n", "expressions", "of", "a second", "peak memory", "right number"),
        [
            (f"{row['way']} {row['build'] or ''}", row["n"], f"{row['found']:,}", f"{row['of']:,}",
             f"{row['per_second']:,.0f}", f"{row['peak_bytes'] / MEGABYTE:,.0f} MB", "yes" if row["right"] else "no")
            for row in rows
        ],
    )  # fmt: skip
    result = {"rows": rows, "targets": targets(rows)}
    print_targets(result["targets"])
    write_json("enumeration", result, quick)
    return result


GOALS = {"compiled": 500_000, "pure": 190_000}  # strings a second


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    n = max(row["n"] for row in rows if row["found"] == row["of"])
    strings = [row for row in rows if row["way"] == "mathcanon expressions, as strings" and row["n"] == n]
    return [
        target(f"{row['build']}, strings a second, n = {n}", row["per_second"], GOALS[row["build"]])
        for row in strings if row["build"] in GOALS
    ]  # fmt: skip


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
