"""The tables of docs/benchmarks.md, docs/results.md and README.md, made from the recorded results.

In the pages each table stands between two comments that name it.  `python benchmarks/run.py --only tables` writes them
again; a test compares the pages with the results.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import result_tables
from alone import MEGABYTE
from measure import HERE, RESULTS

PAGES = tuple(HERE.parent / page for page in ("README.md", "docs/benchmarks.md", "docs/results.md"))
Result = dict[str, Any]

_MARKED = re.compile(r"(<!-- table (?P<name>[a-z0-9-]+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
_BUILDS = {"compiled": "compiled", "pure": "pure Python"}


def fill(page: str) -> str:
    """The page with every marked table made from the results."""
    return _MARKED.sub(lambda found: found[1] + _made(found["name"]) + found[4], page)


def _made(name: str) -> str:
    try:
        return TABLES[name]()
    except FileNotFoundError:
        return "Not recorded yet.\n"


def write_tables() -> None:
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")


def result(name: str) -> Result:
    found: Result = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; columns of numbers are right-aligned."""
    lines = [list(head), *map(list, rows)]
    columns = list(zip(*lines[1:], strict=True))
    numeric = [all(re.match(r"\d|over \d|out of memory|$", cell) for cell in column) for column in columns]
    lines.insert(1, ["---:" if right else "---" for right in numeric])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def equivalence(which: str) -> str:
    recorded = result("equivalence")
    rows = [row for row in recorded["rows"] if which in row.get("sets", {})]
    builds = [row["build"] for row in rows if row["build"]]
    lines = []
    for row in sorted(rows, key=partial(_order, which)):
        facts = row["sets"][which]
        part = f" ({facts['pairs']:,} pairs)" if facts["pairs"] < recorded["pairs"] else ""
        times = [_ratio(facts["times"][build]) if "times" in facts else "" for build in builds]
        right = f"{facts['right_percent']:.1f}%" if facts["right_percent"] < 100 else "100%"
        lines.append([_name(row, "peer") + part, _rounded(facts["pairs_per_second"]), *times, right])
    heads = [f"time, {_BUILDS[build]} = 1" for build in builds]
    return table(["", "pairs per second", *heads, "right"], lines)


def _order(which: str, row: Result) -> tuple[bool, bool, float]:
    """mathcanon first, then those that are always right, then the others; the fastest first."""
    facts = row["sets"][which]
    return not row["build"], facts["right_percent"] < 100, -facts["pairs_per_second"]


def growth(kind: str) -> str:
    rows = [row for row in result("growth")["rows"] if row["kind"] == kind]
    sizes = sorted({row["n"] for row in rows})
    found = {(_name(row, "peer"), row["n"]): row for row in rows}
    names = dict.fromkeys(name for name, _ in found)
    return table(
        ["", *[f"{n:,}" for n in sizes], "memory"],
        [[name, *[_growth_cell(found.get((name, n))) for n in sizes], _growth_memory(name, found)] for name in names],
    )


def _growth_cell(row: Result | None) -> str:
    if row is None:
        return ""
    if row.get("failed", "").startswith("over"):  # the limit is for all pairs, the table is for one
        limits = result("growth")["limits"]
        return f"over {limits['seconds'] / limits['pairs']:.3g} s"
    if "failed" in row:
        return row["failed"]
    doubt = "" if row["right"] else ", wrong"
    doubt += f", {row['uncertain']} of 4 not certain" if row["uncertain"] else ""
    return f"{row['milliseconds']:.2g} ms".replace("e+03", ",000").replace("e+02", "00") + doubt


def _growth_memory(name: str, found: dict[tuple[str, int], Result]) -> str:
    """Peak memory at the largest size that was finished."""
    rows = [row for (who, _), row in found.items() if who == name and "failed" not in row]
    return f"{rows[-1]['peak_bytes'] / MEGABYTE:,.0f} MB" if rows else ""


def dedupe() -> str:
    lines = []
    for row in result("dedupe")["rows"]:
        if "missing" in row:
            continue
        right = "yes" if row["right"] else f"no: {row['classes']:,}"
        memory = f"{row['peak_bytes'] / MEGABYTE:,.0f} MB"
        numbers = [f"{row['strings']:,}", _rounded(row["strings_per_second"]), f"{row['kept']:,}"]
        lines.append([_name(row, "way"), row["set"], *numbers, right, memory])
    return table(["", "operands", "strings", "per second", "classes kept", "right", "memory, strings included"], lines)


def dedupe_memory() -> str:
    held = result("dedupe")["bytes_per_kept_expression"]
    return table(["", "bytes a kept expression"], [[what, f"{size:,.0f}"] for what, size in held.items()])


def enumeration() -> str:
    rows = result("enumeration")["rows"]
    largest = max(row["n"] for row in rows if row["found"] == row["of"])
    return table(
        ["", "n", "expressions", "per second", "memory"],
        [[_name(row, "way"), str(row["n"]), f"{row['found']:,}", _rounded(row["per_second"]),
          f"{row['peak_bytes'] / MEGABYTE:,.0f} MB"] for row in rows if row["n"] >= largest],
    )  # fmt: skip


def reading() -> str:
    counts = result("reading")["cases"]["counts"]
    return table(
        ["", "right", "refused", "read otherwise"],
        [[name, *[str(found.get(kind, 0)) for kind in ("right", "refused", "otherwise")]]
         for name, found in counts.items()],
    )  # fmt: skip


def grading() -> str:
    found = result("reading")["gsm8k"]
    before = found["read_before"]
    return table(
        ["", "pairs per second", "time, mathcanon = 1"],
        [
            ["mathcanon `grade`, from text", _rounded(found["pairs_per_second"]), "1"],
            ["Math-Verify `parse` and `verify`, from text", _rounded(found["verify_pairs_per_second"]),
             _ratio(found["times_mathcanon"])],
            ["mathcanon `grade`, solutions read before", _rounded(before["pairs_per_second"]), "1"],
            ["Math-Verify `verify`, parsed before", _rounded(before["verify_pairs_per_second"]),
             _ratio(before["times_mathcanon"])],
        ],
    )  # fmt: skip


def in_short() -> str:
    """The table of the README: mathcanon in its fastest build against a few peers."""
    lines = []
    for which, what in (("mixed", "mixed pairs"), ("real", "pairs from real equations")):
        speeds = {row["peer"]: _rounded(row["sets"][which]["pairs_per_second"])
                  for row in reversed(result("equivalence")["rows"]) if which in row.get("sets", {})}  # fmt: skip
        peers = ", ".join([f"{short} {speeds[peer]}" for peer, short in _SHORT.items() if peer in speeds])
        lines.append([f"equivalence from strings, {what}, all right", f"{speeds['mathcanon']} per second", peers])
    once = [row for row in reversed(result("growth")["rows"]) if row["kind"] == "each operand once" and row["n"] == 100]
    cells = {row["peer"]: _growth_cell(row) for row in once}
    peers = ", ".join([f"{short} {cells[peer]}" for peer, short in _SHORT.items() if peer in cells])
    lines.append(["one pair of 100 operands, each once", cells["mathcanon"], peers])
    for row in _first_of_each_way(result("dedupe")["rows"]):
        what = f"`dedupe` of {row['strings']:,} strings, {row['way'].split(', ')[1]}, classes exactly right"
        lines.append([what, f"{_rounded(row['strings_per_second'])} per second", ""])
    five = next(row for row in result("reach")["rows"] if row["n"] == 5)
    lines.append(["`reach` with 5 numbers", f"{five['seconds_a_problem_again'] * 1e6:.0f} µs",
                  f"fill every template and evaluate: {five['plain_seconds_a_problem'] * 1e3:.0f} ms"])  # fmt: skip
    return table(["", "mathcanon", "peers"], lines)


_SHORT = {
    "PARI ==": "PARI",
    "symbolica, rational polynomials": "symbolica",
    "symengine as_numer_denom, expand": "symengine",
    "sympy cancel": "sympy `cancel`",
}


def _first_of_each_way(rows: list[Result]) -> list[Result]:
    """mathcanon's rows in the fastest build, which comes first, on the strings that use each operand once."""
    first: dict[str, Result] = {}
    for row in rows:
        if row["build"] and row["set"] == "once":
            first.setdefault(row["way"], row)
    return list(first.values())


def _name(row: Result, key: str) -> str:
    return f"{row[key]}, {_BUILDS[row['build']]}" if row["build"] else row[key]


def _ratio(times: float) -> str:
    return _rounded(times) if times >= 100 else f"{times:.3g}"


def _rounded(speed: float) -> str:
    """Three digits: the figures are no better than that."""
    return f"{float(f'{speed:.3g}'):,.0f}"


TABLES: dict[str, Callable[[], str]] = {
    "equivalence-mixed": lambda: equivalence("mixed"),
    "equivalence-real": lambda: equivalence("real"),
    "growth-once": lambda: growth("each operand once"),
    "growth-eight": lambda: growth("eight operands"),
    "growth-numbers": lambda: growth("numbers"),
    "dedupe": dedupe,
    "dedupe-memory": dedupe_memory,
    "enumeration": enumeration,
    "reading": reading,
    "grading": grading,
    "in-short": in_short,
    "headline": result_tables.headline,
    "solvers": result_tables.solvers,
    "labels": result_tables.labels,
    "labels-by-size": result_tables.labels_by_size,
    "answers-by-size": result_tables.answers_by_size,
    "behind-gold": result_tables.behind_gold,
    "rankers": result_tables.rankers,
    "baselines": result_tables.baselines,
}
