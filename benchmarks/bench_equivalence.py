"""Do two texts mean the same?  Speed and correctness against other packages, on the same pairs in one run.

Pairs of 3 to 8 operands in four equal groups (see pairs.py): rewritten (each operand once, equal); near miss (each
operand once, not equal); distributed (operands repeated, numbers and squares, equal only by distribution, cancelling
or counting); near miss, repeated.  Every peer starts from text.  Slow peers answer a part of the pairs; "times
mathcanon" compares with mathcanon on that same part.

    python benchmarks/bench_equivalence.py [--quick]
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from typing import Any

from measure import cpu_seconds, print_table, print_targets, target, write_json
from pairs import Pair, make_pairs
from peers import PEERS, Ask, Peer, Undecided

GROUPS = ("rewritten", "near miss", "distributed", "near miss, repeated")
READ_ONCE = GROUPS[:2]  # each operand once


def answers(ask: Ask, pairs: list[Pair]) -> list[bool | None]:
    """What a peer says of each pair; None where it fails or gives no answer."""
    said: list[bool | None] = []
    for pair in pairs:
        try:
            said.append(ask(pair.left, pair.right))
        except (Undecided, ArithmeticError, ValueError, TypeError, RuntimeError):
            said.append(None)
    return said


def measure(peer: Peer, ours: Ask, pairs: list[Pair]) -> dict[str, Any]:
    """Speed, ratio and correctness of one peer."""
    sample = pairs[: peer.largest]  # the pairs are mixed, so the first ones are a fair part
    row: dict[str, Any] = {"peer": peer.name, "exact": peer.exact, "pairs": len(sample)}
    try:
        ask = peer.make()
    except ImportError:
        return {**row, "missing": "not installed"}
    repeats = 3 if len(sample) > 200 else 1
    seconds, said = cpu_seconds(partial(answers, ask, sample), repeats, forget)
    our_seconds, _ = cpu_seconds(partial(answers, ours, sample))
    if peer is PEERS[0]:
        our_seconds = seconds
    in_group = seconds_by_group(ask, sample, repeats)
    ours_in_group = seconds_by_group(ours, sample, 3)
    right: Counter[str] = Counter()
    for pair, answer in zip(sample, said, strict=True):
        right[pair.group] += answer == pair.equivalent
    sizes = Counter(pair.group for pair in sample)
    return {
        **row,
        "pairs_per_second": len(sample) / seconds,
        "times_mathcanon": seconds / our_seconds,
        "right_percent": 100 * right.total() / len(sample),
        "right_percent_by_group": {group: 100 * right[group] / max(1, sizes[group]) for group in GROUPS},
        "times_mathcanon_by_group": {group: in_group[group] / ours_in_group[group] for group in GROUPS},
        "times_mathcanon_read_once": sum(map(in_group.get, READ_ONCE)) / sum(map(ours_in_group.get, READ_ONCE)),
        "no_answer": said.count(None),
    }


def seconds_by_group(ask: Ask, pairs: list[Pair], repeats: int) -> dict[str, float]:
    seconds = {}
    for group in GROUPS:
        part = [pair for pair in pairs if pair.group == group]
        seconds[group], _ = cpu_seconds(partial(answers, ask, part), repeats, forget)
    return seconds


def forget() -> None:
    """Empty sympy's cache, so that a second run is not answered from the first."""
    if "sympy" in sys.modules:
        from sympy.core.cache import clear_cache

        clear_cache()


def main(quick: bool = False) -> dict[str, Any]:
    """Print the tables; what is also written as JSON."""
    pairs = make_pairs(per_group=50 if quick else 1000)
    ours = PEERS[0].make()
    answers(ours, pairs[:200])  # load what loads late
    rows = [measure(peer, ours, pairs) for peer in PEERS]
    seen = [row for row in rows if "missing" not in row]
    print_table(
        f"Equivalence from text, {len(pairs)} pairs of 3 to 8 operands, CPU time of one core",
        ("", "pairs", "pairs/s", "time, mathcanon = 1", "right %", "no answer"),
        [
            (row["peer"], row["pairs"], f"{row['pairs_per_second']:,.0f}", f"{row['times_mathcanon']:.3g}",
             f"{row['right_percent']:.1f}", row["no_answer"]) for row in seen
        ] + [(row["peer"], "-", "-", "-", "-", row["missing"]) for row in rows if "missing" in row],
    )  # fmt: skip
    print_table(
        "By group: time (mathcanon = 1) and % right",
        ("", *GROUPS),
        [
            (row["peer"], *[f"{row['times_mathcanon_by_group'][group]:.3g} / {row['right_percent_by_group'][group]:.0f}"
                            for group in GROUPS]) for row in seen
        ],
    )  # fmt: skip
    result = {"rows": rows, "targets": targets(seen)}
    print_targets(result["targets"])
    write_json("equivalence", result, quick)
    return result


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = {row["peer"]: row for row in rows}
    checks = [target("mathcanon, % right", found["mathcanon equivalent"]["right_percent"], 100)]
    for peer, least in (("sympy cancel", 150), ("symengine as_numer_denom, expand", 2)):
        if peer in found:
            checks.append(target(f"times faster than {peer}, all pairs", found[peer]["times_mathcanon"], least))
            once = found[peer]["times_mathcanon_read_once"]
            checks.append(target(f"times faster than {peer}, each operand once", once, least))
    return checks


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
