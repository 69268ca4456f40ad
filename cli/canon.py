"""The `mwp-canon` command: compare, count, list and search for expressions."""

from __future__ import annotations

import string
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

import mathcanon as mc
from mathcanon.files import check_output, whole_file
from mathcanon.notation.notations import FORMATS
from mathcanon.space import MAX_OPERANDS
from mathcanon.spilling import Class, spilled_classes
from weaksup.settings import Natural, Seed, Workers

from ._arguments import MINUS, OnExpressions, in_range, number_as_written, read_tolerance
from ._completion import completion_command
from ._options import FILE, FOLDER, TextInput, force_option, json_option, text_lines
from ._output import BAD, NO, YES, Commands, error_line, print_json, print_table
from ._progress import Progress
from ._terminal import echo, echo_data, warn
from .canon_grade import grade
from .canon_serve import serve

__all__ = ["main"]

F = TypeVar("F", bound=Callable[..., Any])


def _law_option(command: F) -> F:
    return click.option(
        "--law",
        metavar="LAW",
        default="full",
        show_default=True,
        help="Which expressions count as the same: one of the laws below.",
    )(command)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    mc.__version__, "-V", "--version", prog_name="mwp-canon", message=f"%(prog)s ({mc.__build__}), version %(version)s"
)
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
    """Print the number of non-equivalent expressions on N operands.

    \b
    mwp-canon count 6
    793002
    """
    with Progress("terms") as progress:
        value = mc.count(n, law, progress=progress)
    print_json({"n": n, "law": law, "count": value}) if as_json else echo(value)


@main.command(epilog=_LAWS)
@click.argument("n", type=int)
@_law_option
@json_option
def sequence(n: int, law: str, as_json: bool) -> None:
    """Print the counts for 1 to N operands, one per line.

    \b
    mwp-canon sequence 3
    1 1
    2 6
    3 68
    """
    with Progress("terms") as progress:
        values = mc.sequence(n, law, progress=progress)
    if as_json:
        print_json({"law": law, "sequence": values})
    else:
        echo("\n".join(f"{i} {value}" for i, value in enumerate(values, 1)))


@main.command()
@click.option("--max", "max_n", type=int, default=6, show_default=True, help="Largest number of operands.")
@json_option
def table(max_n: int, as_json: bool) -> None:
    """Print the paper's table of search-space sizes, and the exact numbers of distinct trees.

    \b
    mwp-canon table --max 4
    """
    rows = mc.table(max_n)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    echo("As published (counts merge histories, see docs/proofs.md):")
    print_table(
        ("n", "brute force", "removing brackets", "commutative", "ComSearch", "ratio"),
        [(row.n, row.none, row.brackets, row.commutative, row.full, f"{row.ratio:g}") for row in rows],
    )
    echo("\nDistinct trees:")
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
    """Print the growth constants r and c of the counts; with N, also the approximation and the exact count.

    \b
    mwp-canon asymptotics 50
    """
    with Progress("terms") as progress:
        growth = mc.asymptotics(n, progress=progress)
    if as_json:
        print_json(
            {name: str(value) if isinstance(value, Decimal) else value for name, value in asdict(growth).items()}
        )
        return
    echo("count(n) ~ n! c / sqrt(2 pi n^3) * r^(-n + 1/2)")
    echo(f"r = {growth.r:.20f}\nc = {growth.c:.20f}")
    if n is not None:
        echo(f"n = {n}\napproximation = {growth.approximation:.12e}\nexact = {growth.exact}")
        echo(f"approximation / exact = {growth.ratio:.6f}")


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("expr", nargs=-1, required=True)
@click.option("--format", type=click.Choice(FORMATS), default="infix", show_default=True, help="Output notation.")
@json_option
def canonical(expr: tuple[str, ...], format: str, as_json: bool) -> None:
    """Print the canonical form of each EXPR, one per line.

    \b
    mwp-canon canonical "a-(b-c)"
    a+c-b
    """
    for text in expr:
        form = mc.canonical(text)
        written = mc.render(form, format)
        print_json({"expr": text, "canonical": written, "key": mc.key(form)}) if as_json else echo(written)


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("a")
@click.argument("b")
@json_option
def equivalent(a: str, b: str, as_json: bool) -> int:
    """Decide whether A and B are equivalent: exit code 0 if they are, 1 if not.

    \b
    mwp-canon equivalent "a-b+c" "a+c-b"
    equivalent (structure)
    """
    verdict = mc.equivalent(a, b)
    if as_json:
        print_json(verdict.to_dict())
        return YES if verdict else NO
    echo(verdict.summary)
    for note in verdict.notes:
        warn(f"note: {note}")
    return YES if verdict else NO


@main.command("enumerate")
@click.argument("n", type=int)
@click.option("--operands", help="Operand names, comma-separated: a,b,c. By default a, b, c... (beyond 26: N0, N1...).")
@click.option(
    "--start", type=click.IntRange(min=0), default=0, show_default=True, help="Index of the first expression, from 0."
)
@click.option("--limit", type=click.IntRange(min=0), help="Maximum number of expressions.")
@click.option("--format", type=click.Choice(FORMATS), default="infix", show_default=True, help="Output notation.")
@json_option
def enumerate_expressions(
    n: int, operands: str | None, start: int, limit: int | None, format: str, as_json: bool
) -> None:
    """List every non-equivalent expression on N operands once, one per line.

    \b
    mwp-canon enumerate 2
    """
    stop = None if limit is None else start + limit
    for expr in mc.expressions(_operands(n, operands), start, stop):
        written = mc.render(expr, format)
        print_json(written) if as_json else echo(written)


@main.command()
@click.argument("n", type=int)
@click.option("--size", type=in_range(Natural), default=1, show_default=True, help="Number of expressions.")
@click.option("--seed", type=in_range(Seed), help="Random seed, to get the same expressions again.")
@click.option("--operands", help="Operand names, comma-separated.")
@json_option
def sample(n: int, size: int, seed: int | None, operands: str | None, as_json: bool) -> None:
    """Print random expressions on N operands, all equally likely.

    \b
    mwp-canon sample 5 --size 3 --seed 1
    """
    import random

    rng = random.Random(seed)
    names = _operands(n, operands)
    for _ in range(size):
        expr = str(mc.sample(names, rng))
        print_json(expr) if as_json else echo(expr)


@main.command()
@click.argument("file", type=TextInput(), default="-")
@click.option("--by", type=click.Choice(["structure", "value"]), default="structure", show_default=True,
              help="Group by canonical form (structure) or by equality as rational functions (value).")  # fmt: skip
@click.option("--groups", is_flag=True, help="Print each class on one line, members separated by tabs.")
@click.option("--strict", is_flag=True, help="Stop at the first line that is not an expression.")
@click.option("--workers", type=in_range(Workers), default=1, show_default=True, metavar="N",
              help="Number of processes. With more than one, or with --spill, memory use stays small.")  # fmt: skip
@click.option(
    "--spill",
    type=FOLDER,
    help="Keep data in temporary files below this folder (default with several workers: the system's).",
)
@json_option
def dedupe(file: TextIO, by: str, groups: bool, strict: bool, workers: int, spill: Path | None, as_json: bool) -> int:
    """Print the first expression of each class in FILE (one per line; - is stdin), in order.

    A line that is not an expression is reported with its number and skipped; the exit code is then 2.

    \b
    printf 'a+b\\nb+a\\n' | mwp-canon dedupe -
    a+b
    """
    lines = bad = classes = 0

    def numbered() -> Iterator[tuple[int, str]]:
        nonlocal lines
        for lines, line in enumerate(text_lines(file), 1):  # noqa: B007 - counted
            yield line

    def report(number: int, error: mc.MathCanonError) -> bool:
        nonlocal bad
        bad += 1
        warn(f"{file.name}:{number}: {error_line(error)}")
        return not strict

    if workers > 1 or spill is not None:
        found = spilled_classes(numbered(), report, by=by, members=groups, workers=workers, folder=spill)
    else:
        found = _classes(numbered(), report, by, groups)
    with closing(found):
        for number, members in found:
            classes += 1
            if groups:
                print_json(members) if as_json else echo_data("\t".join(members))
            else:
                print_json({"line": number, "expr": members[0]}) if as_json else echo_data(members[0])
    if not (bad and strict):
        warn(f"{lines} lines, {classes} classes" + (f", {bad} not expressions" if bad else ""))
    return BAD if bad else YES


def _classes(
    lines: Iterable[tuple[int, str]], bad: Callable[[int, mc.MathCanonError], bool], by: str, members: bool
) -> Generator[Class]:
    """Like `spilled_classes`, but in memory; without `members`, each class is yielded as soon as it is seen."""
    seen: mc.Deduper[str] = mc.Deduper(by=by, keep_members=members)
    for number, line in lines:
        try:
            new = seen.add(line)
        except mc.MathCanonError as error:
            if not bad(number, error):
                break
        else:
            if new and not members:
                yield number, [line]
    for group in seen.groups() if members else ():
        yield 0, group


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("target", callback=number_as_written)
@click.argument("number", nargs=-1, required=True, callback=number_as_written)
@click.option(
    "--tolerance", default="0", callback=read_tolerance, help="Accept values that differ from TARGET by at most this."
)
@click.option("--limit", type=click.IntRange(min=1), help="Fail if more expressions than this are found.")
@json_option
def reach(target: str, number: tuple[str, ...], tolerance: Fraction, limit: int | None, as_json: bool) -> int:
    """List every non-equivalent expression that uses each NUMBER once and equals TARGET; exit code 1 if none does.

    \b
    mwp-canon reach 24 4 7 8 8
    """
    found = mc.reach(number, target, tolerance=tolerance, limit=limit)
    if as_json:
        print_json({"target": target, "numbers": list(number), "expressions": [str(expr) for expr in found]})
    else:
        for expr in found:
            echo(str(expr))
        if not found:
            warn(f"no expression on {', '.join(number)} equals {target}")
    return YES if found else NO


main.add_command(grade)
main.add_command(serve)


@main.command()
@click.argument("n", type=int)
@json_option
def prove(n: int, as_json: bool) -> int:
    """Prove by exhaustive check, for N operands, that enumeration, generating function and brute force agree.

    \b
    mwp-canon prove 4
    """

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done:,} of {total:,} trees" + "\n" * (done == total))
            sys.stderr.flush()

    proof = mc.prove(n, progress=progress)
    if as_json:
        checks = [{"claim": check.claim, "holds": check.holds} for check in proof.checks]
        print_json({"n": n, "proved": bool(proof), "checks": checks})
    else:
        echo(str(proof))
    return YES if proof else NO


@main.command(cls=OnExpressions, context_settings=MINUS)
@click.argument("expr")
@click.option("-o", "--output", type=FILE, help="Write to this .svg, .png, .dot or .txt file.")
@click.option("--canonical", "in_canonical_form", is_flag=True, help="Draw the canonical form.")
@force_option
def draw(expr: str, output: Path | None, in_canonical_form: bool, force: bool) -> None:
    """Draw the tree of EXPR as text, or with -o as a picture.

    \b
    mwp-canon draw "a*(b-c)/2"
    mwp-canon draw "a*(b-c)/2" -o tree.svg
    """
    tree = mc.canonical(expr) if in_canonical_form else mc.parse(expr)
    if output is None:
        echo(mc.draw(tree, "txt"))
        return
    check_output(output, force=force)
    picture = mc.draw(tree, output.suffix.lstrip(".").lower())
    with whole_file(output) as file:
        file.write(picture if isinstance(picture, bytes) else picture.rstrip("\n").encode() + b"\n")


def _operands(n: int, names: str | None) -> list[str]:
    if n < 1:
        raise click.BadParameter("there must be at least one operand", param_hint="N")
    if n > MAX_OPERANDS:
        raise mc.LimitError("the number of operands", n, MAX_OPERANDS)
    if names is None:
        return list(string.ascii_lowercase[:n]) if n <= 26 else [f"N{i}" for i in range(n)]
    operands = [name.strip() for name in names.split(",")]
    if len(operands) != n:
        raise click.BadParameter(f"{len(operands)} names for {n} operands", param_hint="--operands")
    return operands


main.add_command(completion_command("mwp-canon"))
