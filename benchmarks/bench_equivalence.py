"""Do two texts mean the same?  Speed and correctness against other packages, on the same pairs in one run.

Two sets of pairs.  "mixed" (pairs.py): 3 to 8 operands in four equal groups: rewritten (each operand once, equal); near
miss (each operand once, not equal); distributed (operands repeated, numbers and squares, equal only by distribution,
cancelling or counting); near miss, repeated.  "real" (real_pairs.py): made from gold equations of Math23K, Ape210K and
GSM8K, where the data are there.

Every peer starts from text, in a process of its own, and so does each build of mathcanon.  Slow peers answer a part of
the pairs; "times" compares with mathcanon on that same part.

    python benchmarks/bench_equivalence.py [--quick]
    python benchmarks/bench_equivalence.py --peer PARI --peer symengine   # only such peers; nothing is written
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from alone import builds, run_alone
from measure import cpu_seconds, print_table, print_targets, target, write_json
from pairs import NAMES, Pair, make_pairs
from peers import OURS, PEERS, Ask, Peer, Undecided
from real_pairs import make_real_pairs

READ_ONCE = ("rewritten", "near miss")  # the groups where each operand stands once
REPEATS = 5

Pairs = dict[str, list[Pair]]  # set -> pairs


def answers(ask: Ask, pairs: list[Pair]) -> list[bool | None]:
    """What a peer says of each pair; None where it fails or gives no answer."""
    said: list[bool | None] = []
    for pair in pairs:
        try:
            said.append(ask(pair.left, pair.right))
        except (Undecided, ArithmeticError, ValueError, TypeError, RuntimeError):
            said.append(None)
    return said


def ask_peer(name: str, sets: dict[str, list[Any]], sizes: list[int]) -> dict[str, Any]:
    """CPU time by set, size and group, and what the peer said; runs in a process of its own."""
    peer = next(peer for peer in (OURS, *PEERS) if peer.name == name)
    ask = peer.make(NAMES)
    found: dict[str, Any] = {"said": {}, "seconds": {}}
    for which, rows in sets.items():
        pairs = [Pair(*row) for row in rows[: max(sizes)]]
        answers(ask, pairs[:20])  # load what loads late
        found["seconds"][which] = {}
        for size in sorted(sizes):
            found["seconds"][which][str(size)], found["said"][which] = by_group(ask, pairs[:size])
    return found


def by_group(ask: Ask, pairs: list[Pair]) -> tuple[dict[str, float], list[bool | None]]:
    """CPU time for the pairs of each group, and what was said of all pairs in their order."""
    seconds: dict[str, float] = {}
    said: list[bool | None] = [None] * len(pairs)
    for group in sorted({pair.group for pair in pairs}):
        places = [i for i, pair in enumerate(pairs) if pair.group == group]
        job = partial(answers, ask, [pairs[i] for i in places])
        seconds[group], found = cpu_seconds(job, 1, forget)
        if seconds[group] < 1:
            seconds[group] = min(seconds[group], cpu_seconds(job, REPEATS, forget)[0])
        for i, answer in zip(places, found, strict=True):
            said[i] = answer
    return seconds, said


def forget() -> None:
    """Empty sympy's cache, so that a second run is not answered from the first."""
    if "sympy" in sys.modules:
        from sympy.core.cache import clear_cache

        clear_cache()


def measure(peer: Peer, sets: Pairs, sizes: list[int], build: str | None = None) -> dict[str, Any]:
    """One row: what a peer takes for the pairs of each set, and how much of it is right."""
    row: dict[str, Any] = {"peer": peer.name, "build": build, "exact": peer.exact}
    outcome = run_alone("bench_equivalence", "ask_peer", peer.name, sets, sizes, build=build)
    print(f"  {peer.name}{f', {build}' if build else ''}: {outcome.failed or 'done'}", file=sys.stderr, flush=True)
    if outcome.failed:
        return {**row, "missing": outcome.failed}
    seconds = outcome.result["seconds"]
    row["seconds"] = seconds
    row["sets"] = {}
    for which, pairs in sets.items():
        said = outcome.result["said"][which]
        right = [answer == pair.equivalent for pair, answer in zip(pairs, said, strict=False)]
        row["sets"][which] = {
            "pairs": len(said),
            "pairs_per_second": len(said) / sum(seconds[which][str(max(sizes))].values()),
            "right_percent": 100 * sum(right) / len(right),
            "no_answer": said.count(None),
        }
    return row


def compare(row: dict[str, Any], ours: dict[str, Any], size: int) -> None:
    """Put into a peer's row how many times as long as a build of mathcanon it takes."""
    for which, facts in row["sets"].items():
        theirs, our = row["seconds"][which][str(size)], ours["seconds"][which][str(size)]
        once = [group for group in READ_ONCE if group in theirs]
        facts.setdefault("times", {})[ours["build"]] = sum(theirs.values()) / sum(our.values())
        facts.setdefault("times_by_group", {})[ours["build"]] = {group: theirs[group] / our[group] for group in theirs}
        if once:
            times = sum(theirs[group] for group in once) / sum(our[group] for group in once)
            facts.setdefault("times_read_once", {})[ours["build"]] = times


def main(quick: bool = False, only: Sequence[str] = ()) -> dict[str, Any]:
    """Print the tables; what is also written as JSON."""
    sets: Pairs = {"mixed": make_pairs(per_group=50 if quick else 1000)}
    if real := make_real_pairs(per_group=100 if quick else 2000):
        sets["real"] = real
    size = min(map(len, sets.values()))
    sets = {which: pairs[:size] for which, pairs in sets.items()}
    peers = [peer for peer in PEERS if not only or any(name in peer.name for name in only)]
    parts = sorted({min(peer.largest, size) for peer in peers})
    ours = [measure(OURS, sets, parts, build) for build in builds()]
    rows = []
    for peer in peers:
        part = min(peer.largest, size)
        row = measure(peer, sets, [part])
        if "missing" not in row:
            for our in ours:
                compare(row, our, part)
        rows.append(row)
    print_rows(ours, rows, sets)
    for row in (*ours, *rows):
        row.pop("seconds", None)
    result = {"pairs": size, "rows": [*ours, *rows], "targets": targets(ours, rows)}
    print_targets(result["targets"])
    if not only:
        write_json("equivalence", result, quick)
    return result


def print_rows(ours: list[dict[str, Any]], rows: list[dict[str, Any]], sets: Pairs) -> None:
    for which, pairs in sets.items():
        lines: list[list[Any]] = []
        for row in (*ours, *rows):
            name = row["peer"] + (f", {row['build']}" if row["build"] else "")
            if "missing" in row:
                lines.append([name, *["-"] * (3 + len(ours)), row["missing"]])
                continue
            facts = row["sets"][which]
            times = [f"{facts['times'][our['build']]:.3g}" if "times" in facts else "" for our in ours]
            lines.append([name, facts["pairs"], f"{facts['pairs_per_second']:,.0f}", *times,
                          f"{facts['right_percent']:.2f}", facts["no_answer"]])  # fmt: skip
        heads = [f"time, {our['build']} = 1" for our in ours]
        print_table(f"Equivalence from text, {len(pairs)} {which} pairs, CPU time of one core",
                    ("", "pairs", "pairs/s", *heads, "right %", "no answer"), lines)  # fmt: skip


#: (build, set, peer, how many times faster mathcanon has to be)
GOALS = [
    ("compiled", "mixed", "PARI ==", 3),
    ("compiled", "mixed", "symengine as_numer_denom, expand", 10),
    ("compiled", "mixed", "sympy cancel", 1000),
    ("compiled", "real", "PARI ==", 2.5),
    ("compiled", "real", "symengine as_numer_denom, expand", 8),
    ("pure", "mixed", "symengine as_numer_denom, expand", 2),
    ("pure", "mixed", "sympy cancel", 150),
    ("pure", "real", "symengine as_numer_denom, expand", 1.3),
]


def targets(ours: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The goals whose build, set and peer were all there."""
    checks = []
    for our in ours:
        for which, facts in our["sets"].items():
            checks.append(target(f"{our['build']}, {which} pairs, % right", facts["right_percent"], 100))
    found = {row["peer"]: row["sets"] for row in rows if "missing" not in row}
    for build, which, peer, least in GOALS:
        times = found.get(peer, {}).get(which, {}).get("times", {})
        if build in times:
            checks.append(target(f"{build}, {which} pairs, times faster than {peer}", times[build], least))
    return checks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Equivalence from text, against other packages.")
    parser.add_argument("--quick", action="store_true", help="few pairs; the recorded results stay as they are")
    parser.add_argument("--peer", action="append", default=[], help="peers whose name contains this; may be repeated")
    options = parser.parse_args()
    main(options.quick, options.peer)
