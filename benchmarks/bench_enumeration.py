"""Every non-equivalent expression on n operands: how many a second.

The peer is what one would write without mathcanon (`by_subsets`): join the expressions of every two complementary
subsets by every operator, and drop those whose value at a random point modulo a prime was seen.  It is short and not
slow, but holds everything in memory, gives nothing before it is done, and its "different" rests on luck with the
point.  `mathcanon.expressions` is lazy, exact, and starts anywhere in the list; the prefix of n = 7 shows it.

    python benchmarks/bench_enumeration.py [--quick]
"""

from __future__ import annotations

import random
import sys
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

from measure import cpu_seconds, print_table, print_targets, target, write_json

from mathcanon import count, expressions

NAMES = "abcdefgh"
PRIME = 2**61 - 1
PUBLIC = 188_000  # strings a second of the public pure-Python enumerator at n = 6, measured on a machine of this kind


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


def measure(way: str, n: int, number: int, repeats: int) -> dict[str, Any]:
    jobs = {
        "mathcanon expressions": lambda: listed(n, number),
        "mathcanon expressions, as strings": lambda: written(n, number),
        "by subsets, as strings": lambda: len(by_subsets(NAMES[:n])),
    }
    seconds, found = cpu_seconds(jobs[way], repeats)
    return {
        "way": way,
        "n": n,
        "of": count(n),
        "found": found,
        "per_second": found / seconds,
        "peak_bytes": peak_memory(jobs[way]),
        "right": found == number,
    }


def peak_memory(job: Callable[[], Any]) -> int:
    """The most that Python objects held at one time, seen in a run of its own."""
    tracemalloc.start()
    job()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main(quick: bool = False) -> dict[str, Any]:
    """Print the table; what is also written as JSON."""
    sizes = {4: count(4), 5: count(5)} if quick else {5: count(5), 6: count(6), 7: 1_000_000}
    rows = []
    for n, number in sizes.items():
        ways = ["mathcanon expressions", "mathcanon expressions, as strings"]
        if number == count(n):
            ways.append("by subsets, as strings")  # it has no first million: all or nothing
        rows += [measure(way, n, number, repeats=3) for way in ways]
    print_table(
        "Every non-equivalent expression on n operands, CPU time of one core",
        ("", "n", "expressions", "of", "a second", "peak memory", "right number"),
        [
            (row["way"], row["n"], f"{row['found']:,}", f"{row['of']:,}", f"{row['per_second']:,.0f}",
             f"{row['peak_bytes'] / 1e6:,.1f} MB", "yes" if row["right"] else "no") for row in rows
        ],
    )  # fmt: skip
    result = {"rows": rows, "targets": targets(rows)}
    print_targets(result["targets"])
    write_json("enumeration", result, quick)
    return result


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    n = max(row["n"] for row in rows if row["found"] == row["of"])
    found = {row["way"]: row["per_second"] for row in rows if row["n"] == n}
    return [
        target(f"expressions a second, n = {n}", found["mathcanon expressions"], PUBLIC),
        target(f"strings a second, n = {n}", found["mathcanon expressions, as strings"], PUBLIC),
    ]


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
