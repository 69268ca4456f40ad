"""How the time of one comparison grows with the expressions, up to 3,000 operands, and the memory that it takes.

Random trees with n leaves, of three kinds: each operand once; eight operands, repeated; numbers from 1 to 99 only.  A
tree is compared with a rewriting of itself and with a near miss, two pairs of each; with eight operands, one product or
quotient of a sum is also multiplied out.  Every peer and every size has a process of its own with a limit of memory and
of CPU time; after a size that it does not finish, a peer is asked no larger ones.  Truths are known by construction and
confirmed at a random point modulo a prime.

    python benchmarks/bench_growth.py [--quick]
"""

from __future__ import annotations

import operator
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from alone import MEGABYTE, builds, run_alone
from bench_equivalence import answers, forget
from measure import cpu_seconds, print_table, print_targets, target, write_json
from pairs import NAMES, Pair, Tree, damage, random_tree, rewrite, text
from peers import OURS, PEERS, Peer
from real_pairs import distribute

SIZES = (10, 30, 100, 300, 1000, 3000)
MEMORY, SECONDS = 2048 * MEGABYTE, 5  # for the four pairs of one size
ASKED = ("PARI", "symbolica", "symengine as", "python-flint", "sympy cancel")
PRIME = 2**127 - 1

#: kind -> the leaves of a tree with n leaves
KINDS: dict[str, Callable[[int, random.Random], list[str]]] = {
    "each operand once": lambda n, rng: [f"x{i}" for i in range(n)],
    "eight operands": lambda n, rng: rng.choices(NAMES, k=n),
    "numbers": lambda n, rng: [str(rng.randint(1, 99)) for _ in range(n)],
}


def make_growing_pairs(kind: str, n: int, seed: int = 5) -> list[Pair]:
    """Two equal pairs and two near misses with n leaves on each side."""
    rng = random.Random(f"{seed} {kind} {n}")
    pairs: list[Pair] = []
    while len(pairs) < 4:
        row = KINDS[kind](n, rng)
        at = {leaf: rng.randrange(1, PRIME) for leaf in row if not leaf.isdecimal()}
        tree, here = without_zeros(random_tree(row, rng), at)
        other = rewrite(distribute(tree, rng) if kind == "eight operands" else tree, rng)
        if residue(other, at) != here:
            raise AssertionError(f"{kind}, {n} leaves: a rewriting has another value")
        if equal := len(pairs) % 2 == 0:
            pairs.append(Pair(text(tree), text(other), equal, kind))
            continue
        while residue(missed := damage(other, rng), at) in (here, None):
            pass
        pairs.append(Pair(text(tree), text(missed), equal, kind))
    return pairs


def without_zeros(tree: Tree, at: dict[str, int]) -> tuple[Tree, int]:
    """The tree with + in place of - where a part would be zero (so that every part may be a divisor), and its value."""
    if isinstance(tree, str):
        return tree, at[tree] if tree in at else int(tree)
    (left, x), (right, y) = without_zeros(tree[1], at), without_zeros(tree[2], at)
    op = "+" if tree[0] == "-" and x == y else tree[0]
    value = _BINARY[op](x, y) % PRIME
    return (op, left, right), value


def residue(tree: Tree, at: dict[str, int]) -> int | None:
    """The value modulo a prime; None for a division by zero."""
    if isinstance(tree, str):
        return at[tree] if tree in at else int(tree)
    x, y = residue(tree[1], at), residue(tree[2], at)
    if x is None or y is None or (tree[0] == "/" and y == 0):
        return None
    return _BINARY[tree[0]](x, y) % PRIME


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda x, y: x * pow(y, -1, PRIME),
}


def ask_peer(name: str, rows: list[Any]) -> dict[str, Any]:
    """CPU time and answers for the pairs of one size; runs in a process of its own."""
    pairs = [Pair(*row) for row in rows]
    names = sorted({leaf for pair in pairs for leaf in _names(pair.left)}) or ["x"]
    peer = next(peer for peer in (OURS, *PEERS) if peer.name == name)
    ask = peer.make(names)
    if name == OURS.name:
        answers(ask, [Pair("a*(b+c)", "a*b+a*c", True, "")])  # load what loads late
    seconds, said = cpu_seconds(partial(answers, ask, pairs), 1, forget)
    if seconds < 1:
        again, _ = cpu_seconds(partial(answers, ask, pairs), 3, forget)
        seconds = min(seconds, again)
    return {"seconds": seconds, "said": said, "uncertain": _uncertain(pairs) if name == OURS.name else 0}


def _names(written: str) -> set[str]:
    for sign in "+-*/()":
        written = written.replace(sign, " ")
    return {leaf for leaf in written.split() if not leaf.isdecimal()}


def _uncertain(pairs: list[Pair]) -> int:
    from mathcanon import equivalent

    return sum(not equivalent(pair.left, pair.right).certain for pair in pairs)


def measure(peer: Peer, build: str | None, kind: str, pairs: dict[int, list[Pair]]) -> list[dict[str, Any]]:
    """A row for each size, up to the first one that the peer does not finish."""
    rows: list[dict[str, Any]] = []
    for n, asked in pairs.items():
        row: dict[str, Any] = {"peer": peer.name, "build": build, "kind": kind, "n": n}
        found = run_alone("bench_growth", "ask_peer", peer.name, asked, build=build, memory=MEMORY, seconds=SECONDS)
        if not found.failed and None in found.result["said"]:
            found = found._replace(failed="no answer")
        if found.failed:
            rows.append({**row, "failed": found.failed})
            break
        rows.append({
            **row,
            "milliseconds": 1000 * found.result["seconds"] / len(asked),
            "peak_bytes": found.peak_bytes,
            "right": found.result["said"] == [pair.equivalent for pair in asked],
            "uncertain": found.result["uncertain"],
        })  # fmt: skip
    print(f"  {kind}: {peer.name} {build or ''}", file=sys.stderr, flush=True)
    return rows


def main(quick: bool = False) -> dict[str, Any]:
    """Print the tables; what is also written as JSON."""
    sizes = SIZES[:2] if quick else SIZES
    asked = [(OURS, build) for build in builds()]
    asked += [(peer, None) for peer in PEERS if peer.name.startswith(ASKED)]
    rows = []
    for kind in KINDS:
        pairs = {n: make_growing_pairs(kind, n) for n in sizes}
        for peer, build in asked:
            rows += measure(peer, build, kind, pairs)
    for kind in KINDS:
        found = {(row["peer"], row["build"], row["n"]): row for row in rows if row["kind"] == kind}
        print_table(
            f"{kind}: milliseconds a pair / peak memory of the process, by number of leaves",
            ("", *map(str, sizes)),
            [(f"{peer.name} {build or ''}", *[cell(found.get((peer.name, build, n))) for n in sizes])
             for peer, build in asked],
        )  # fmt: skip
    result = {"limits": {"bytes": MEMORY, "seconds": SECONDS, "pairs": 4}, "rows": rows, "targets": targets(rows)}
    print_targets(result["targets"])
    write_json("growth", result, quick)
    return result


def cell(row: dict[str, Any] | None) -> str:
    """What a row says in a table."""
    if row is None:
        return ""
    if "failed" in row:
        return row["failed"]
    doubt = "" if row["right"] else " WRONG"
    doubt += " uncertain" if row["uncertain"] else ""
    return f"{row['milliseconds']:.3g} / {row['peak_bytes'] / MEGABYTE:,.0f} MB{doubt}"


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ours = [row for row in rows if row["build"]]
    right = sum(row.get("right", False) for row in ours)
    return [target("mathcanon, % of the sizes finished and right", 100 * right / len(ours), 100)]


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
