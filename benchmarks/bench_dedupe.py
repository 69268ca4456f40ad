"""One of each of 100,000 strings: speed, memory and whether the classes are right.

Two sets of different strings of 3 to 8 operands, about four of each class, the classes known by construction: "once"
(each operand once) and "repeated" (half of the strings repeat operands or hold numbers and squares).  A way is right
if it keeps exactly the first string of each class.  Peers put what they read into a dict: SymEngine and SymPy see
what their constructors sort and collect, and nothing else.

    python benchmarks/bench_dedupe.py [--quick]
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, NamedTuple

from measure import cpu_seconds, print_table, print_targets, target, write_json
from pairs import Labelled, make_strings

Keep = Callable[[list[str]], list[str]]


class Way(NamedTuple):
    name: str
    make: Callable[[], Keep]
    sets: tuple[str, ...]
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
    Way("mathcanon dedupe, by structure", partial(mathcanon_by, "structure"), ("once",)),
    Way("mathcanon dedupe, by value", partial(mathcanon_by, "value"), ("once", "repeated")),
    Way("symengine, dict of sympify", symengine_dict, ("once", "repeated")),
    Way("sympy, dict of sympify", sympy_dict, ("once", "repeated"), 2000),
]


def measure(way: Way, name: str, strings: list[Labelled]) -> dict[str, Any]:
    """Speed of one way on one set, and how far its classes are from the truth."""
    if len(strings) > way.largest:  # a small set of whole classes, not a part of the large one
        strings = make_strings(way.largest, repeated=name == "repeated")
    row: dict[str, Any] = {"way": way.name, "set": name, "strings": len(strings)}
    try:
        keep = way.make()
    except ImportError:
        return {**row, "missing": "not installed"}
    texts = [string.text for string in strings]
    seconds, kept = cpu_seconds(partial(keep, texts), 3 if len(texts) > 2000 else 1)
    expected = set(first_of_each_class(strings))
    return {
        **row,
        "strings_per_second": len(texts) / seconds,
        "classes": len(expected),
        "kept": len(kept),
        "kept_twice": len(set(kept) - expected),  # a class of which another string was kept already
        "lost": len(expected - set(kept)),
        "right": kept == first_of_each_class(strings),
    }


def first_of_each_class(strings: list[Labelled]) -> list[str]:
    first: dict[object, str] = {}
    for string in strings:
        first.setdefault(string.truth, string.text)
    return list(first.values())


def memory(strings: list[Labelled], by: str) -> float:
    """Bytes a kept expression that a Deduper holds, beside the strings themselves."""
    from mathcanon import Deduper

    texts = [string.text for string in strings]
    gc.collect()
    tracemalloc.start()
    seen = Deduper(texts, by=by, keep_members=False)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / len(seen)


def main(quick: bool = False) -> dict[str, Any]:
    """Print the table; what is also written as JSON."""
    number = 5_000 if quick else 100_000
    sets = {"once": make_strings(number, repeated=False), "repeated": make_strings(number, repeated=True)}
    rows = [measure(way, name, sets[name]) for name in sets for way in WAYS if name in way.sets]
    print_table(
        f"Dedupe of {number:,} strings of 3 to 8 operands, CPU time of one core",
        ("", "operands", "strings", "strings/s", "classes", "kept", "kept twice", "lost", "exactly right"),
        [
            (row["way"], row["set"], row["strings"], f"{row['strings_per_second']:,.0f}", row["classes"], row["kept"],
             row["kept_twice"], row["lost"], "yes" if row["right"] else "no")
            if "missing" not in row else (row["way"], row["set"], *["-"] * 6, row["missing"])
            for row in rows
        ],
    )  # fmt: skip
    held = {f"{name}, by {by}": memory(sets[name], by) for name in sets for by in ("structure", "value")}
    for what, size in held.items():
        print(f"memory a kept expression, {what}: {size:,.0f} bytes")
    result = {"rows": rows, "bytes_per_kept_expression": held, "targets": targets(rows)}
    print_targets(result["targets"])
    write_json("dedupe", result, quick)
    return result


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = {(row["way"], row["set"]): row for row in rows}
    ours = found["mathcanon dedupe, by structure", "once"]
    right = all(row["right"] for row in rows if row["way"].startswith("mathcanon"))
    checks = [
        target("mathcanon, classes exactly right (1 is yes)", float(right), 1),
        target("mathcanon by structure, strings a second", ours["strings_per_second"], 80_000),
    ]
    peer = found["symengine, dict of sympify", "once"]
    if "missing" not in peer:
        share = ours["strings_per_second"] / peer["strings_per_second"]
        checks.append(target("mathcanon by structure, share of symengine's speed", share, 0.5))
    return checks


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
