"""How long the search of a whole corpus takes, plan by plan, and how much faster it is than filling templates.

The plain way, as the released ComSearch code does it: all canonical expressions as strings, placeholders replaced
by the numbers, the string evaluated and compared with the answer; stage by stage, to the first that matches.  It is
timed on a random sample of the problems of each size, once with Python's own evaluation in floats and once with exact
fractions, and its results are compared with ours.  Its time for all problems is extrapolated by the number of templates
that it has to try for the problems of each size.  Then the growth from two to nine numbers.

CPU time of one core; the first search (loading or compiling the loops, building the programs) is shown apart.  Each
plan runs in a process of its own, so that its memory can be told.  Math23K is read from the folder that the environment
variable MATHCANON_DATA names (by default ../shared/data beside the repository); without it, the embedded stories are.

    python benchmarks/bench_search.py [--json PATH]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from bench_reach import make_problems, shown
from chart import CARD, FAINT, GRID, INK, OURS, WRONG, save
from measure import HERE, machine, print_table, print_targets, target

from mathcanon import EvaluationError, canonical, evaluate, expressions
from mathcanon.counting import count
from mathcanon.notation.numerals import number_text
from mathcanon.reaching.numbers_to_target import reach_batch, reach_rows
from weaksup.corpora import read_corpus
from weaksup.meaning.operand_names import operand_value
from weaksup.records import CandidateSet, Problem
from weaksup.search import batch
from weaksup.search.operands import assignments
from weaksup.search.plans import Plan, load_plan

PLANS = ("released", "paper", "full")
SAMPLE = {  # problems of each size that the plain way is timed on
    "floats": {1: 100, 2: 100, 3: 60, 4: 24, 5: 12},
    "exact": {1: 50, 2: 50, 3: 20, 4: 6, 5: 3},
}
WARM_UP = 20  # problems of each size, so that all stages are reached before the clock starts
LARGEST_PLAIN = 5
TEMPLATES_TRIED = 20_000  # of those on six numbers and more
IMAGE = HERE.parent / "docs" / "images" / "search_growth.svg"


def read_problems() -> tuple[str, list[Problem]]:
    folder = Path(os.environ.get("MATHCANON_DATA", HERE.parent.parent / "shared" / "data"))
    path = folder / "math23k" / "Math_23K.json.gz"
    if path.exists():
        return "math23k", list(read_corpus("math23k", path).problems)
    return "stories", list(read_corpus("stories").problems)


def measure_plan(name: str) -> dict[str, Any]:
    """Search the corpus with a plan, in this process and no other."""
    corpus, problems = read_problems()
    plan = load_plan(name)
    if name == "released":
        problems = [problem for problem in problems if len(problem.quantities) <= LARGEST_PLAIN]
    start = time.process_time()
    some = WARM_UP if plan.stop == "first-match" else 1
    list(batch.search_problems(_some_of_each_size(problems, some), plan))
    warm_up = time.process_time() - start
    before = _peak_memory()
    whole = Stopwatch(lambda: list(batch.search_problems(problems, plan)))
    search = Stopwatch(lambda *args, **settings: list(reach_rows(*args, **settings)))
    with patch.object(batch, "reach_rows", search):  # from numbers to checked hits
        found = whole()
    sizes = [len(one.candidates) for one in found]
    return {
        "plan": name,
        "corpus": corpus,
        "problems": len(problems),
        "covered": sum(size > 0 for size in sizes),
        "candidates": sum(sizes),
        "median": median(sizes),
        "largest": max(sizes),
        "warm_up_seconds": warm_up,
        "seconds": whole.seconds,
        "seconds_in_search": search.seconds,
        "memory_before": before,
        "memory": _peak_memory(),
    }


def _some_of_each_size(problems: Sequence[Problem], some: int) -> list[Problem]:
    by_size: dict[int, list[Problem]] = {}
    for problem in problems:
        by_size.setdefault(len(problem.quantities), []).append(problem)
    return [problem for same_size in by_size.values() for problem in same_size[:some]]


def _peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Stopwatch:
    """A function that counts the CPU time spent in it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *args: Any, **options: Any) -> Any:
        start = time.process_time()
        result = self.function(*args, **options)
        self.seconds += time.process_time() - start
        return result


@cache
def templates(n: int) -> list[str]:
    return [str(expr) for expr in expressions([f"N{i}" for i in range(n)])]


def fill_and_compare(n: int, numbers: Sequence[Fraction], answer: Fraction, limit: Fraction, way: str) -> list[str]:
    """The plain way: templates that give the answer."""
    values = [str(float(number)) if way == "floats" else number_text(number) for number in numbers]
    wanted, near = (float(answer), float(limit)) if way == "floats" else (answer, limit)
    matches = []
    for template in templates(n):
        filled = template
        for i, text in enumerate(values):
            filled = filled.replace(f"N{i}", text)
        try:
            value = eval(filled) if way == "floats" else evaluate(filled)  # noqa: S307 (our own strings)
        except (ZeroDivisionError, EvaluationError):
            continue
        if abs(value - wanted) < near:
            matches.append(template)
    return matches


def search_plainly(problem: Problem, plan: Plan, way: str) -> set[str]:
    """What is found for a problem: expressions over its quantities."""
    values = [quantity.exact for quantity in problem.quantities]
    found: set[str] = set()
    for stage in plan.stages_for(len(values)):
        for names in assignments(stage, len(values)):
            numbers = [operand_value(name, values) for name in names]
            matches = fill_and_compare(len(names), numbers, problem.exact_answer, plan.exact_tolerance, way)
            found |= {_over(names, template) for template in matches}
        if found:
            break
    return found


def _over(names: tuple[str, ...], template: str) -> str:
    for i in range(len(names)):  # in two steps, as N1 may stand for N0
        template = template.replace(f"N{i}", f"M{i}")
    for i, name in enumerate(names):
        template = template.replace(f"M{i}", name)
    return str(canonical(template))


def templates_tried(found: CandidateSet, plan: Plan) -> int:
    """How many templates are filled until a stage matches."""
    tried = 0
    for stage in plan.stages_for(len(found.values)):
        tried += sum([count(len(names)) for names in assignments(stage, len(found.values))])
        if found.candidates and found.candidates[0].stage == stage.name:
            break
    return tried


def measure_plain(problems: Sequence[Problem], way: str, rng: random.Random) -> dict[str, Any]:
    """The plain way on a sample of each size, and the time it would take for all."""
    plan = load_plan("released")
    for n in range(1, LARGEST_PLAIN + 1):
        templates(n)  # made beforehand, and not timed
    rows: list[dict[str, Any]] = []
    for n, wanted in SAMPLE[way].items():
        same_size = [problem for problem in problems if len(problem.quantities) == n]
        if not same_size:
            continue
        found = dict(zip(same_size, batch.search_problems(same_size, plan), strict=True))
        sample = rng.sample(same_size, min(wanted, len(same_size)))
        start = time.process_time()
        plain = [search_plainly(problem, plan, way) for problem in sample]
        seconds = time.process_time() - start
        ours = [{candidate.expr for candidate in found[problem].candidates} for problem in sample]
        row: dict[str, Any] = {"n": n, "problems": len(same_size), "sample": len(sample)}
        row["templates"] = sum([templates_tried(found[problem], plan) for problem in sample])
        row["templates_for_all"] = sum([templates_tried(one, plan) for one in found.values()])
        row["same"] = sum([a == b for a, b in zip(plain, ours, strict=True)])
        row["seconds"] = seconds
        row["seconds_for_all"] = seconds / row["templates"] * row["templates_for_all"]
        rows.append(row)
    return {"way": way, "rows": rows, "seconds_for_all": sum([row["seconds_for_all"] for row in rows])}


def print_plain(plain: dict[str, Any]) -> None:
    print_table(
        f"The plain way, plan released, {plain['way']}",
        ("quantities", "problems", "sample", "same as ours", "templates", "CPU", "for all", "CPU"),
        [
            (
                row["n"], f"{row['problems']:,}", row["sample"], row["same"], f"{row['templates']:,}",
                shown(row["seconds"]), f"{row['templates_for_all']:,}", shown(row["seconds_for_all"]),
            )
            for row in plain["rows"]
        ],
        f"all problems: {plain['seconds_for_all']:,.0f} s",
    )  # fmt: skip


def measure_growth(rng: random.Random) -> list[dict[str, Any]]:
    """Time a problem from two to nine numbers, of the search and (extrapolated) of the plain way."""
    rows = []
    for n in range(2, 10):
        problems = make_problems(n, rng)
        list(reach_batch(problems[:1]))
        start = time.process_time()
        hits = sum([len(found) for found in reach_batch(problems)])
        seconds = (time.process_time() - start) / len(problems)
        rows.append({"n": n, "expressions": count(n), "hits": hits / len(problems), "seconds_a_problem": seconds})
        if n <= LARGEST_PLAIN:
            numbers, answer = problems[0]
            repeats = max(1, TEMPLATES_TRIED // count(n))
            start = time.process_time()
            for _ in range(repeats):
                fill_and_compare(n, list(map(Fraction, numbers)), Fraction(answer), Fraction("0.01"), "floats")
            rows[-1]["plain_seconds_a_problem"] = (time.process_time() - start) / repeats
        else:  # each template takes as long as those of five numbers, at least
            one = rows[-2]["plain_seconds_a_problem"] / count(n - 1)
            rows[-1]["plain_seconds_a_problem"] = one * count(n)
            rows[-1]["plain_extrapolated"] = True
    return rows


def draw_growth(rows: list[dict[str, Any]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 10, "svg.fonttype": "path", "svg.hashsalt": "mathcanon"})
    figure, axis = plt.subplots(figsize=(7, 4), facecolor=CARD)
    axis.set_facecolor(CARD)
    sizes = [row["n"] for row in rows]
    lines = {
        "fill every template (from 6 on extrapolated)": ("plain_seconds_a_problem", WRONG),
        "mathcanon, every hit found, checked and decoded": ("seconds_a_problem", OURS),
    }
    for label, (column, colour) in lines.items():
        seconds = [row[column] for row in rows]
        axis.plot(sizes, seconds, marker="o", color=colour, label=label)
        for n, value in zip(sizes, seconds, strict=True):
            place = (0, 7) if colour == WRONG else (0, -15)
            axis.annotate(
                shown(value), (n, value), place, textcoords="offset points", ha="center", color=INK, fontsize=8
            )
    axis.set_yscale("log")
    axis.margins(y=0.12)
    axis.set_xlabel("numbers in the problem", color=INK)
    axis.set_title("CPU time per problem, in seconds", loc="left", color=INK, fontsize=11, fontweight="bold")
    axis.tick_params(length=0, colors=FAINT)
    axis.grid(axis="y", color=GRID, linewidth=0.8)
    for side in axis.spines.values():
        side.set_visible(False)
    axis.legend(frameon=False, labelcolor=INK, loc="upper left")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    save(figure, path)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    corpus, problems = read_problems()
    print(f"{corpus}: {len(problems):,} problems; quantities {dict(sorted(_sizes(problems).items()))}")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as alone:
        plans = list(alone.map(measure_plan, PLANS))
    print_table(
        "Search of the corpus (released: up to five quantities)",
        ("plan", "problems", "covered", "candidates", "median", "largest", "warm-up", "CPU", "in search", "memory"),
        [
            (
                row["plan"], f"{row['problems']:,}", f"{row['covered']:,}", f"{row['candidates']:,}", row["median"],
                f"{row['largest']:,}", shown(row["warm_up_seconds"]), shown(row["seconds"]),
                shown(row["seconds_in_search"]), f"{row['memory'] / 1e6:,.0f} MB",
            )
            for row in plans
        ],
        "in search: from numbers to checked hits, without reading problems and writing candidates",
    )  # fmt: skip
    plain = [measure_plain(problems, way, random.Random(23)) for way in SAMPLE]
    for one in plain:
        print_plain(one)
    growth = measure_growth(random.Random(23))
    print_table(
        "Growth, every expression that reaches a target",
        ("n", "expressions", "hits", "CPU a problem", "plain", "faster"),
        [
            (
                row["n"], f"{row['expressions']:,}", f"{row['hits']:,.1f}", shown(row["seconds_a_problem"]),
                shown(row["plain_seconds_a_problem"]) + ("*" if "plain_extrapolated" in row else ""),
                f"{row['plain_seconds_a_problem'] / row['seconds_a_problem']:,.0f}",
            )
            for row in growth
        ],
        "* extrapolated by the number of expressions",
    )  # fmt: skip
    draw_growth(growth, IMAGE)
    released, paper, full = plans
    targets = [
        target(f"released, times the plain way ({one['way']}), {what}", one["seconds_for_all"] / seconds, 5000)
        for one in plain
        for what, seconds in (("search alone", released["seconds_in_search"]), ("all", released["seconds"]))
    ]
    targets += [
        target("paper, problems a second", paper["problems"] / paper["seconds"], paper["problems"] / 5),
        target("full, problems a second", full["problems"] / full["seconds"], full["problems"] / 60),
        target("full, memory left of 2 GB", 2e9 - full["memory"], 0),
    ]
    print()
    print_targets(targets)
    if options.json:
        result = {"machine": machine(), "corpus": corpus, "plans": plans, "plain": plain, "growth": growth}
        text = json.dumps({"benchmark": "search", **result, "targets": targets}, indent=1)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


def _sizes(problems: Sequence[Problem]) -> Counter[int]:
    return Counter([len(problem.quantities) for problem in problems])


if __name__ == "__main__":
    main()
