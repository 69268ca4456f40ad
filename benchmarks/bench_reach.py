"""How long it takes to find every expression that reaches a target, by number of numbers.

Against a plain implementation of "fill every template, evaluate, compare", as the released ComSearch code does it:
all canonical expressions as strings, placeholders replaced by the numbers, the string evaluated in floats.  Its time
for six numbers is extrapolated from a part of the templates.  CPU time of one core; the first call (loading or
compiling the loops, building the program) is shown apart.

    python benchmarks/bench_reach.py [--nine] [--json PATH]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from itertools import islice
from typing import Any

from mathcanon.counting import count
from mathcanon.reaching.numbers_to_target import reach_batch
from mathcanon.space import expressions

PROBLEMS = {2: 20_000, 3: 20_000, 4: 5_000, 5: 1_000, 6: 100, 7: 5, 8: 3, 9: 1}
TEMPLATES_TRIED = 30_000  # of those on six numbers
Problem = tuple[list[int], int]


def make_problems(n: int, rng: random.Random) -> list[Problem]:
    """Numbers as in word problems, and a target that some expression reaches."""
    problems = []
    for _ in range(PROBLEMS[n]):
        numbers = [rng.choice([rng.randint(1, 12), rng.randint(1, 100), rng.randint(1, 500)]) for _ in range(n)]
        target = numbers[0] * numbers[1] + sum(numbers[2:])
        problems.append((numbers, target))
    return problems


def fill_and_compare(templates: list[str], problem: Problem) -> int:
    """The plain way: how many templates give the target."""
    numbers, target = problem
    hits = 0
    for template in templates:
        for i, number in enumerate(numbers):
            template = template.replace(f"N{i}", str(number))
        try:
            value = eval(template)  # noqa: S307 (our own strings; this is what is compared against)
        except ZeroDivisionError:
            continue
        hits += abs(value - target) < 1e-6
    return hits


def timed(job: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = job()
    return time.process_time() - start, result


def measure(n: int, rng: random.Random) -> dict[str, Any]:
    problems = make_problems(n, rng)
    warm_up, _ = timed(lambda: list(reach_batch(problems[:1])))
    first, hits = timed(lambda: sum(len(found) for found in reach_batch(problems)))
    again, _ = timed(lambda: sum(len(found) for found in reach_batch(problems)))
    row: dict[str, Any] = {
        "n": n,
        "problems": len(problems),
        "expressions": count(n),
        "hits_a_problem": hits / len(problems),
        "warm_up_seconds": warm_up,
        "seconds_a_problem": first / len(problems),
        "seconds_a_problem_again": again / len(problems),
    }
    # A target that nothing reaches: the scan alone, nothing to decode.
    hopeless = [(numbers, 10**15 + 37) for numbers, _ in problems]
    row["seconds_a_scan"] = timed(lambda: sum(len(found) for found in reach_batch(hopeless)))[0] / len(problems)
    if n <= 6:
        names = [f"N{i}" for i in range(n)]
        templates = [str(expr) for expr in islice(expressions(names), TEMPLATES_TRIED)]
        tried = problems[: max(1, 2_000 // len(templates))]
        plain, _ = timed(lambda: [fill_and_compare(templates, problem) for problem in tried])
        row["plain_seconds_a_problem"] = plain / len(tried) * count(n) / len(templates)
        row["plain_extrapolated"] = len(templates) < count(n)
        row["times_faster"] = row["plain_seconds_a_problem"] / row["seconds_a_problem_again"]
    return row


def shown(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nine", action="store_true", help="nine numbers too")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    rng = random.Random(23)
    rows = []
    print("CPU time a problem; a scan finds nothing, 'first' decodes hits never seen before, 'again' knows them")
    head = ("n", "expressions", "hits", "warm-up", "scan", "first", "again", "plain", "faster")
    print(("{:>3}" + "{:>14}" + "{:>9}" * 7).format(*head))
    for n in range(2, 10 if options.nine else 9):
        row = measure(n, rng)
        rows.append(row)
        plain = shown(row.get("plain_seconds_a_problem")) + ("*" if row.get("plain_extrapolated") else "")
        faster = f"{row['times_faster']:.0f}" if "times_faster" in row else "-"
        times = [shown(row[name]) for name in ("warm_up_seconds", "seconds_a_scan", "seconds_a_problem")]
        print(
            f"{n:>3}{row['expressions']:>14}{row['hits_a_problem']:>9.1f}"
            + "".join(f"{text:>9}" for text in (*times, shown(row["seconds_a_problem_again"]), plain, faster))
        )
    print("* extrapolated from a part of the templates")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"benchmark": "reach", "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
