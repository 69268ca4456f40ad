"""`mwp-canon`: what expressions mean, from the command line."""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from itertools import count as count_from
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

import mathcanon as mc
from mathcanon.render import FORMATS

from ._arguments import MINUS, OnExpressions, number_as_written, read_constants
from ._options import json_option
from ._output import BAD, NO, YES, Commands, error_line, print_json, print_table, warn

__all__ = ["main"]

F = TypeVar("F", bound=Callable[..., Any])


def _law_option(command: F) -> F:
    return click.option(
        "--law",
        metavar="LAW",
        default="full",
        show_default=True,
        help="What counts as the same; one of the laws below.",
    )(command)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mc.__version__, prog_name="mwp-canon")
def main() -> None:
    """Canonical arithmetic expressions: equivalence, counts, enumeration.

    \b
    mwp-canon equivalent "a-b+c" "a+c-b"
    mwp-canon count 6
    mwp-canon reach 24 4 7 8 8
    """


_LAWS = "\b\nLaws:\n" + "\n".join(f"  {law:<23}{what}" for law, what in mc.LAWS.items())


@main.command(epilog=_LAWS)
@click.argument("n", type=int)
@_law_option
@json_option
def count(n: int, law: str, as_json: bool) -> None:
    """How many non-equivalent expressions there are on N operands.

    \b
    mwp-canon count 6
    793002
    """
    value = mc.count(n, law)
    print_json({"n": n, "law": law, "count": value}) if as_json else click.echo(value)


@main.command(epilog=_LAWS)
@click.argument("n", type=int)
@_law_option
@json_option
def sequence(n: int, law: str, as_json: bool) -> None:
    """The counts for 1 to N operands, one a line.

    \b
    mwp-canon sequence 3
    1 1
    2 6
    3 68
    """
    values = mc.sequence(n, law)
    if as_json:
        print_json({"law": law, "sequence": values})
    else:
        click.echo("\n".join(f"{i} {value}" for i, value in enumerate(values, 1)))


@main.command()
@click.option("--max", "max_n", type=int, default=6, show_default=True, help="The largest number of operands.")
@json_option
def table(max_n: int, as_json: bool) -> None:
    """The paper's table of search-space sizes, exact numbers of trees beside the paper's figures.

    \b
    mwp-canon table --max 4
    """
    rows = mc.table(max_n)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    click.echo("As published (counts merge histories, see docs/proofs.md):")
    print_table(
        ("n", "brute force", "removing brackets", "commutative", "ComSearch", "ratio"),
        [(row.n, row.none, row.brackets, row.commutative, row.full, f"{row.ratio:g}") for row in rows],
    )
    click.echo("\nDistinct trees:")
    print_table(
        ("n", "ordered binary", "bracket rule", "commutative", "+ associative", "no signs through *", "full"),
        [
            (row.n, row.tree_none, row.tree_brackets, row.tree_commutative, row.tree_associative,
             row.tree_unsigned_products, row.full)
            for row in rows
        ],
    )  # fmt: skip


@main.command()
@click.argument("n", type=int, required=False)
@json_option
def asymptotics(n: int | None, as_json: bool) -> None:
    """How the count grows: the constants r and c, and at N the approximation beside the exact value.

    \b
    mwp-canon asymptotics 50
    """
    growth = mc.asymptotics(n)
    if as_json:
        print_json(
            {name: str(value) if isinstance(value, Decimal) else value for name, value in asdict(growth).items()}
        )
        return
    click.echo("count(n) ~ n! c / sqrt(2 pi n^3) * r^(-n + 1/2)")
    click.echo(f"r = {growth.r:.20f}\nc = {growth.c:.20f}")
    if n is not None:
        click.echo(f"n = {n}\napproximation = {growth.approximation:.12e}\nexact = {growth.exact}")
        click.echo(f"approximation / exact = {growth.ratio:.6f}")


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("expr", nargs=-1, required=True)
@click.option("--format", type=click.Choice(FORMATS), default="infix", show_default=True, help="How to write it.")
@json_option
def canonical(expr: tuple[str, ...], format: str, as_json: bool) -> None:
    """The canonical form of each EXPR, one a line.

    \b
    mwp-canon canonical "a-(b-c)"
    a+c-b
    """
    for text in expr:
        form = mc.canonical(text)
        written = mc.render(form, format)
        print_json({"expr": text, "canonical": written, "key": mc.key(form)}) if as_json else click.echo(written)


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("a")
@click.argument("b")
@json_option
def equivalent(a: str, b: str, as_json: bool) -> int:
    """Whether A and B mean the same: exit code 0 if they do, 1 if not.

    \b
    mwp-canon equivalent "a-b+c" "a+c-b"
    equivalent (structure)
    """
    verdict = mc.equivalent(a, b)
    if as_json:
        print_json(verdict.to_dict())
        return YES if verdict else NO
    if verdict:
        certain = "" if verdict.certain else f", wrong with probability below {verdict.error_bound:.1g}"
        click.echo(f"equivalent ({verdict.reason}{certain})")
        for divisor in verdict.domain:
            warn(f"note: one side has no value where {divisor} is zero")
        return YES
    if verdict.reason == "undefined":
        click.echo(f"not equivalent: {' and '.join(verdict.undefined)} divides by something that is always zero")
    elif verdict.point is None:
        click.echo("not equivalent: the values differ modulo a prime")
    else:
        point = ", ".join(f"{name}={value}" for name, value in verdict.point.items())
        where = f"at {point} " if point else ""
        click.echo(
            f"not equivalent: {where}left is {verdict.value_text('left')}, right is {verdict.value_text('right')}"
        )
    return NO


@main.command("enumerate")
@click.argument("n", type=int)
@click.option("--operands", help="Their names, with commas: a,b,c. By default a, b, c... or N0, N1, ...")
@click.option("--start", type=click.IntRange(min=0), default=0, show_default=True, help="The number of the first one.")
@click.option("--limit", type=click.IntRange(min=0), help="How many at the most.")
@json_option
def enumerate_expressions(n: int, operands: str | None, start: int, limit: int | None, as_json: bool) -> None:
    """Every non-equivalent expression on N operands once, one a line.

    \b
    mwp-canon enumerate 2
    """
    stop = None if limit is None else start + limit
    for expr in mc.expressions(_operands(n, operands), start, stop):
        print_json(str(expr)) if as_json else click.echo(str(expr))


@main.command()
@click.argument("n", type=int)
@click.option("--size", type=click.IntRange(min=0), default=1, show_default=True, help="How many.")
@click.option("--seed", type=int, help="For the same expressions again.")
@click.option("--operands", help="Their names, with commas.")
@json_option
def sample(n: int, size: int, seed: int | None, operands: str | None, as_json: bool) -> None:
    """Random expressions on N operands, all equally likely.

    \b
    mwp-canon sample 5 --size 3 --seed 1
    """
    import random

    rng = random.Random(seed)
    names = _operands(n, operands)
    for _ in range(size):
        expr = str(mc.sample(names, rng))
        print_json(expr) if as_json else click.echo(expr)


@main.command()
@click.argument("file", type=click.File(encoding="utf-8", errors="surrogateescape"), default="-")
@click.option("--by", type=click.Choice(["structure", "value"]), default="structure", show_default=True,
              help="structure: the same canonical form. value: equal as rational functions.")  # fmt: skip
@click.option("--groups", is_flag=True, help="Print each class on a line, members separated by tabs.")
@click.option("--strict", is_flag=True, help="Stop at the first line that is not an expression.")
@json_option
def dedupe(file: TextIO, by: str, groups: bool, strict: bool, as_json: bool) -> int:
    """The first expression of each class in FILE (one a line; - is stdin), in order.

    A line that is not an expression is reported with its number, and the rest goes on; the exit code is then 2.

    \b
    printf 'a+b\\nb+a\\n' | mwp-canon dedupe -
    a+b
    """
    seen: mc.Deduper[str] = mc.Deduper(by=by, keep_members=groups)
    lines, bad = 0, 0
    for number, line in _lines(file):
        lines += 1
        try:
            new = seen.add(line)
        except mc.MathCanonError as error:
            bad += 1
            warn(f"{file.name}:{number}: {error_line(error)}")
            if strict:
                return BAD
            continue
        if new and not groups:
            print_json({"line": number, "expr": line}) if as_json else click.echo(line)
    for members in seen.groups() if groups else ():
        print_json(members) if as_json else click.echo("\t".join(members))
    warn(f"{lines} lines, {len(seen)} classes" + (f", {bad} not expressions" if bad else ""))
    return BAD if bad else YES


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("target", callback=number_as_written)
@click.argument("number", nargs=-1, required=True, callback=number_as_written)
@click.option(
    "--tolerance", default="0", callback=number_as_written, help="Take values that are as close to TARGET as this."
)
@click.option("--limit", type=click.IntRange(min=1), help="Fail if there are more than this.")
@json_option
def reach(target: str, number: tuple[str, ...], tolerance: str, limit: int | None, as_json: bool) -> int:
    """Every non-equivalent way to TARGET that uses each NUMBER once; exit code 1 if there is none.

    \b
    mwp-canon reach 24 4 7 8 8
    """
    found = mc.reach(number, target, tolerance=tolerance, limit=limit)
    if as_json:
        print_json({"target": target, "numbers": list(number), "expressions": [str(expr) for expr in found]})
    else:
        for expr in found:
            click.echo(str(expr))
        if not found:
            warn(f"no expression on {', '.join(number)} is {target}")
    return YES if found else NO


@main.command()
@click.argument("file", type=click.File(encoding="utf-8", errors="surrogateescape"), default="-")
@click.option("--pred", default="pred", show_default=True, help="The field with the equation to be graded.")
@click.option("--gold", default="gold", show_default=True, help="The field with the right equation.")
@click.option("--quantities", help="The field with the list of the problem's numbers, if there is one.")
@click.option("--constants", default="1,3.14", show_default=True, callback=read_constants,
              help="Numbers that stay numbers, with commas.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Stop at the first record that can't be read.")
@json_option
def grade(
    file: TextIO, pred: str, gold: str, quantities: str | None, constants: list[Fraction], strict: bool, as_json: bool
) -> int:
    """Grade the equations in FILE (JSON Lines): each record with its grade and reason, then the tally.

    same-method: the same function of the quantities.  same-value: the right value by another method, a false
    match.  different: another value.  unreadable: not a record with two equations.

    \b
    mwp-canon grade predictions.jsonl --pred prediction --gold equation
    """
    tally = dict.fromkeys(("same-method", "same-value", "different", "unreadable"), 0)
    for number, line in _lines(file):
        record, result, reason = _grade_line(line, pred, gold, quantities, constants)
        tally[result] += 1
        if result == "unreadable" and strict:
            warn(f"{file.name}:{number}: {reason}")
            return BAD
        if as_json:
            print_json({"line": number, **record, "grade": result, "reason": reason})
        else:
            click.echo(f"{number}: {result}: {reason}")
    if as_json:
        print_json({"tally": tally})
    else:
        total = sum(tally.values())
        click.echo(f"\n{total} records")
        for result, tallied in tally.items():
            share = f" ({tallied / total:.1%})" if total else ""
            click.echo(f"{result:>12} {tallied:>8}{share}")
    if tally["unreadable"] and tally["unreadable"] == sum(tally.values()):
        warn(f"error: {file.name}: nothing in it can be read: records need the fields {pred!r} and {gold!r}")
        return BAD
    return YES


@main.command()
@click.argument("n", type=int)
@json_option
def prove(n: int, as_json: bool) -> int:
    """Prove by machine, for N operands, that enumeration, generating function and brute force agree.

    \b
    mwp-canon prove 4
    """

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{done:,} of {total:,} trees", nl=done == total, err=True)

    proof = mc.prove(n, progress=progress)
    if as_json:
        checks = [{"claim": check.claim, "holds": check.holds} for check in proof.checks]
        print_json({"n": n, "proved": bool(proof), "checks": checks})
    else:
        click.echo(str(proof))
    return YES if proof else NO


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("expr")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A .svg, .png, .dot or .txt file."
)
@click.option("--canonical", "in_canonical_form", is_flag=True, help="Draw the canonical form.")
def draw(expr: str, output: Path | None, in_canonical_form: bool) -> None:
    """The tree of EXPR, as text, or as a picture with -o.

    \b
    mwp-canon draw "a*(b-c)/2"
    mwp-canon draw "a*(b-c)/2" -o tree.svg
    """
    tree = mc.canonical(expr) if in_canonical_form else mc.parse(expr)
    if output is None:
        click.echo(mc.draw(tree, "txt"))
        return
    picture = mc.draw(tree, output.suffix.lstrip(".").lower())
    if isinstance(picture, bytes):
        output.write_bytes(picture)
    else:
        output.write_text(picture.rstrip("\n") + "\n", encoding="utf-8")


def _operands(n: int, names: str | None) -> list[str]:
    if n < 1:
        raise click.BadParameter("at least one operand", param_hint="N")
    if names is None:
        return list(string.ascii_lowercase[:n]) if n <= 26 else [f"N{i}" for i in range(n)]
    operands = [name.strip() for name in names.split(",")]
    if len(operands) != n:
        raise click.BadParameter(f"{len(operands)} names for {n} operands", param_hint="--operands")
    return operands


def _lines(file: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number."""
    for number, line in zip(count_from(1), file, strict=False):
        line = (line.removeprefix("\ufeff") if number == 1 else line).strip()  # without a byte-order mark
        if line:
            yield number, line


def _shortened(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"


def _grade_line(
    line: str, pred: str, gold: str, quantities: str | None, constants: list[Fraction]
) -> tuple[dict[str, Any], str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {}, "unreadable", f"not JSON: {error}"
    if not isinstance(record, dict):
        return {}, "unreadable", "not a JSON object"
    for field in (pred, gold):
        if not isinstance(record.get(field), str):
            return record, "unreadable", f"no text in the field {field!r}"
    try:
        known = record.get(quantities) if quantities else None
        result = mc.grade(record[pred], record[gold], quantities=known, constants=constants)
    except mc.ParseError as error:
        return record, "unreadable", f"{error} in {_shortened(error.text)!r}"
    except (mc.MathCanonError, TypeError) as error:
        return record, "unreadable", str(error)
    return record, str(result), result.reason
