r"""What other readers of LaTeX make of the same text, and how fast solutions are graded.

Three parts.  Cases (reading_cases.py): texts with a known meaning, read by mathcanon, Math-Verify, latex2sympy2 and
SymPy; where they differ, who is right and why.  MATH: the rational answers of the data set, read by mathcanon and by
Math-Verify, and every difference explained.  GSM8K: solutions of language models, composed to expressions; `grade` from
text to verdict against Math-Verify's `parse` and `verify` on the same pairs, and `grade` of solutions that were read
before against `verify` of what was parsed before.

SymPy compares the readings, with the symbols of all readers made plain and decimals made exact.  The data are read from
the folder that the environment variable MATHCANON_DATA names (by default ../shared/data beside the repository); without
it, only the cases are run.

    python benchmarks/bench_reading.py [--quick]
"""

from __future__ import annotations

import gzip
import json
import logging
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measure import cpu_seconds, data_folder, print_table, print_targets, target, write_json
from reading_cases import CASES

Read = Callable[[str], Any]  # LaTeX -> a SymPy expression
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


class Refused(Exception):
    """A reader gave no expression."""


def mathcanon_reader() -> Read:
    from mathcanon import MathCanonError, parse

    def read(text: str) -> Any:
        try:
            return parse(text, syntax="latex").to_sympy()
        except MathCanonError as error:
            raise Refused from error

    return read


def math_verify_reader() -> Read:
    from math_verify import parse
    from sympy import Expr

    def read(text: str) -> Any:
        found = parse(f"${text}$")
        if not found or not isinstance(found[0], Expr):
            raise Refused
        return found[0]

    return read


def latex2sympy_reader() -> Read:
    from latex2sympy2_extended import latex2sympy

    return partial(_or_refused, latex2sympy)


def sympy_reader() -> Read:
    import lark  # noqa: F401 - the newer of SymPy's two parsers; the older one wants another antlr than latex2sympy2
    from sympy.parsing.latex import parse_latex

    return partial(_or_refused, partial(parse_latex, backend="lark"))


def _or_refused(read: Read, text: str) -> Any:
    from sympy import Expr

    try:
        found = read(text)
    except Exception as error:
        raise Refused from error
    if not isinstance(found, Expr):
        raise Refused  # a set, or a parse tree of several readings
    return found


READERS: dict[str, Callable[[], Read]] = {
    "mathcanon": mathcanon_reader,
    "Math-Verify": math_verify_reader,
    "latex2sympy2": latex2sympy_reader,
    "SymPy (lark)": sympy_reader,
}


def plain(expr: Any) -> Any:
    """The expression worked out, with exact numbers and with symbols that are their names."""
    import sympy

    renamed = {symbol: sympy.Symbol(symbol.name.translate(_NO_BRACES)) for symbol in expr.free_symbols}
    return sympy.nsimplify(expr.xreplace({**renamed, sympy.pi: sympy.Symbol("pi")}).doit(), rational=True)


_NO_BRACES = str.maketrans("", "", "{}")


def same(left: Any, right: Any) -> bool:
    import sympy

    return bool(sympy.cancel(plain(left) - plain(right)) == 0)


def installed_readers() -> dict[str, Read]:
    found = {}
    for name, make in READERS.items():
        try:
            found[name] = make()
        except ImportError:
            print(f"{name}: not installed")
    return found


# --- cases ------------------------------------------------------------------------------------------------------------


def outcome(read: Read, text: str, meaning: Any) -> str:
    """ "right", "refused", or what was read instead."""
    try:
        found = read(text)
    except Refused:
        return "refused"
    return "right" if same(found, meaning) else str(found)


def compare_cases(readers: dict[str, Read]) -> dict[str, Any]:
    import sympy

    names = {name: sympy.Symbol(name) for name in ("alpha", "beta", "pi", "S", "N", "E", "I", "O", "Q", "C")}
    said = {
        case: {name: outcome(read, case.text, sympy.sympify(case.meaning, names)) for name, read in readers.items()}
        for case in CASES
    }
    counts = {name: Counter(map(_kind, [row[name] for row in said.values()])) for name in readers}
    print_table(
        f"{len(CASES)} texts with a known meaning",
        ("", "right", "refused", "read otherwise"),
        [(name, count["right"], count["refused"], count["otherwise"]) for name, count in counts.items()],
    )
    print("\nWhere they differ:")
    for case, row in said.items():
        if set(row.values()) != {"right"}:
            others = ", ".join(f"{name}: {found}" for name, found in row.items() if found != "right")
            print(f"  {case.text}  means {case.meaning}{f' ({case.why})' if case.why else ''}; {others}")
    return {
        "cases": len(CASES),
        "counts": counts,
        "differences": [{"text": case.text, "meaning": case.meaning, "why": case.why, **row}
                        for case, row in said.items() if set(row.values()) != {"right"}],
    }  # fmt: skip


def _kind(found: str) -> str:
    return found if found in ("right", "refused") else "otherwise"


# --- MATH -------------------------------------------------------------------------------------------------------------


def compare_math(readers: dict[str, Read], answers: list[str]) -> dict[str, Any]:
    """The answers that mathcanon and Math-Verify read differently, each with the reason."""
    differences = []
    for answer in answers:
        found = {}
        for name in ("mathcanon", "Math-Verify"):
            try:
                found[name] = readers[name](answer)
            except Refused:
                found[name] = None
        ours, theirs = found.values()
        if ours is None or theirs is None or not same(ours, theirs):
            why, right = explanation(ours, theirs)
            differences.append({"answer": answer, "mathcanon": str(ours), "Math-Verify": str(theirs),
                                "why": why, "right": right})  # fmt: skip
    print_table(
        f"MATH: of {len(answers)} rational answers, mathcanon and Math-Verify read {len(differences)} differently",
        ("", "mathcanon", "Math-Verify", "right", "why"),
        [(row["answer"], row["mathcanon"], row["Math-Verify"], row["right"], row["why"]) for row in differences],
    )
    return {"answers": len(answers), "differences": differences}


def explanation(ours: Any, theirs: Any) -> tuple[str, str]:
    """Why two readings differ, and which is right; "unexplained" if that is not known."""
    import sympy

    if ours is None or theirs is None:
        return "unexplained", "?"
    ours, theirs = plain(ours), plain(theirs)
    lower = {symbol: sympy.Symbol(symbol.name.lower()) for symbol in ours.free_symbols}
    if same(ours.xreplace(lower), theirs):
        return "capital letters became small ones", "mathcanon"
    if theirs.is_number and any(same(ours, theirs * symbol) for symbol in ours.free_symbols):
        return "a letter after a number was taken for a unit and dropped", "mathcanon"
    if ours.is_number and theirs.is_number and abs(ours - theirs) < sympy.Rational(1, 10**12):
        return "a decimal became a float", "mathcanon"
    return "unexplained", "?"


# --- GSM8K ------------------------------------------------------------------------------------------------------------


def composed_pairs(folder: Path, questions: int) -> list[tuple[str, str]]:
    """The expressions of what models wrote and of the right solutions."""
    import mathcanon as mc

    pairs = []
    for row in records(folder / "gsm8k" / "model_solutions.jsonl.gz", questions):
        gold = mc.read_solution(row["ground_truth"], row["question"]).expr
        for model in MODELS:
            try:
                pairs.append((str(mc.read_solution(row[model]["solution"], row["question"]).expr), str(gold)))
            except mc.SolutionError:
                continue
    return pairs


def compare_speed(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    from math_verify import parse, verify

    import mathcanon as mc

    def graded() -> list[bool]:
        return [mc.grade(predicted, gold) != "different" for predicted, gold in pairs]

    def parsed() -> list[tuple[Any, Any]]:
        return [(parse(f"${gold}$"), parse(f"${predicted}$")) for predicted, gold in pairs]

    def verified(read: list[tuple[Any, Any]]) -> list[bool]:
        return [verify(gold, predicted) for gold, predicted in read]

    solutions = [(mc.read_solution(predicted), mc.read_solution(gold)) for predicted, gold in pairs]

    def graded_solutions() -> list[bool]:
        return [mc.grade(predicted, gold) != "different" for predicted, gold in solutions]

    graded()  # load what loads late
    verify(parse("$1+1$"), parse("$2$"))
    our_seconds, ours = cpu_seconds(graded)
    grade_seconds, _ = cpu_seconds(graded_solutions)
    parse_seconds, read = cpu_seconds(parsed, 1)
    verify_seconds, theirs = cpu_seconds(partial(verified, read), 1)
    agree = sum([one == other for one, other in zip(ours, theirs, strict=True)])
    seconds = parse_seconds + verify_seconds
    print_table(
        f"GSM8K: {len(pairs)} composed pairs, CPU time of one core",
        ("", "pairs/s", "time, mathcanon = 1"),
        [
            ("from text: mathcanon grade", f"{len(pairs) / our_seconds:,.0f}", 1),
            ("from text: Math-Verify parse and verify", f"{len(pairs) / seconds:,.0f}", f"{seconds / our_seconds:.3g}"),
            ("read before: mathcanon grade", f"{len(pairs) / grade_seconds:,.0f}", 1),
            (
                "read before: Math-Verify verify",
                f"{len(pairs) / verify_seconds:,.0f}",
                f"{verify_seconds / grade_seconds:.3g}",
            ),
        ],
        f"They agree on whether the values are equal in {agree} of {len(pairs)} pairs; only grade tells methods apart.",
    )
    return {
        "pairs": len(pairs),
        "pairs_per_second": len(pairs) / our_seconds,
        "times_mathcanon": seconds / our_seconds,
        "verify_pairs_per_second": len(pairs) / seconds,
        "read_before": {
            "pairs_per_second": len(pairs) / grade_seconds,
            "verify_pairs_per_second": len(pairs) / verify_seconds,
            "times_mathcanon": verify_seconds / grade_seconds,
        },
        "verify_read_before_against_grade_from_text": verify_seconds / our_seconds,
        "agree": agree,
    }


def records(path: Path, most: int) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for _, line in zip(range(most), lines, strict=False):
            yield json.loads(line)


def main(quick: bool = False) -> dict[str, Any]:
    """Print the tables; what is also written as JSON."""
    warnings.simplefilter("ignore")  # of the peers
    logging.disable(logging.CRITICAL)
    readers = installed_readers()
    result: dict[str, Any] = {"cases": compare_cases(readers)}
    checks = []
    folder = data_folder()
    if "Math-Verify" in readers and (folder / "math").is_dir():
        rows = records(folder / "math" / "solutions.jsonl.gz", 200 if quick else 10**9)
        result["math"] = compare_math(readers, [row["answer"] for row in rows if row["rational"]])
        result["gsm8k"] = compare_speed(composed_pairs(folder, 10 if quick else 200))
        known = sum([row["right"] == "mathcanon" for row in result["math"]["differences"]])
        checks = [
            target("differences on MATH that are explained (1 is all)",
                   known / max(1, len(result["math"]["differences"])), 1),
            target("times faster than Math-Verify, from text to verdict", result["gsm8k"]["times_mathcanon"], 30),
            target("times faster than Math-Verify, both on what was read before",
                   result["gsm8k"]["read_before"]["times_mathcanon"], 30),
        ]  # fmt: skip
    result["targets"] = checks
    print_targets(checks)
    write_json("reading", result, quick)
    return result


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
