"""`mwp-canon grade`: compare predicted solutions with the right ones."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from mathcanon.files import check_output, whole_file
from mathcanon.grading import CONSTANTS, GRADES
from mathcanon.notation.numerals import value_text
from weaksup.settings import Workers

from ._arguments import in_range, read_constants, read_tolerance
from ._options import FILE, TextInput, force_option, json_option, text_lines
from ._output import BAD, YES, print_json
from ._progress import Progress
from ._terminal import echo, warn

if TYPE_CHECKING:
    from weaksup.grading.disagreements import Disagreements
    from weaksup.grading.graded_records import GradedRecord, GradeOptions

__all__ = ["grade"]


def _read_grades(context: click.Context, option: click.Parameter, given: str | None) -> tuple[str, ...]:
    """Parse comma-separated names of grades; all grades by default."""
    chosen = GRADES if given is None else tuple([name.strip() for name in given.split(",")])
    for name in chosen:
        if name not in GRADES:
            raise click.BadParameter(f"{name!r} is not a grade; the grades are {', '.join(GRADES)}")
    return chosen


@click.command()
@click.argument("file", type=TextInput(), default="-")
@click.option("--pred", default="pred", show_default=True, help="Field with the solution to grade.")
@click.option("--gold", default="gold", show_default=True, help="Field with the right solution.")
@click.option("--question", help="Field with the text of the problem, if any.")
@click.option("--quantities", help="Field with the list of the problem's numbers, if any.")
@click.option("--constants", default=",".join(map(value_text, CONSTANTS)), show_default=True, callback=read_constants,
              help="Numbers that are constants, not quantities of the problem; comma-separated.")  # fmt: skip
@click.option("--tolerance", default="0", show_default=True, callback=read_tolerance,
              help="How far final answers may differ; relative to gold if that is larger than 1.")  # fmt: skip
@click.option("--workers", type=in_range(Workers), default=1, show_default=True, help="Number of processes.")
@click.option("--only", metavar="GRADES", callback=_read_grades,
              help="Print only records with these grades, comma-separated: same-value,different.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="Write the graded records to this file (JSON Lines, or .gz).")
@click.option("--html", "page", type=FILE, help="Write an HTML page that shows the disagreements side by side.")
@click.option("--strict", is_flag=True, help="Stop at the first record that can't be read.")
@force_option
@json_option
def grade(
    file: TextIO,
    pred: str,
    gold: str,
    question: str | None,
    quantities: str | None,
    constants: list[Fraction],
    tolerance: Fraction,
    workers: int,
    only: tuple[str, ...],
    output: Path | None,
    page: Path | None,
    strict: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Grade the solutions in FILE (JSON Lines, or .gz): print each record's grade and reason, then the totals.

    same-method: the same function of the quantities.  same-value: the right value by another method, a false
    match.  different: another value.  unreadable: not a record with two solutions that can be read.

    A solution is an expression, an equation, or a text with steps and an answer.  A nested field has a dotted
    name.  With -o the records go to a file, and running an interrupted command again resumes it.

    \b
    mwp-canon grade predictions.jsonl --pred prediction --gold equation
    mwp-canon grade answers.jsonl.gz --pred model.solution --question question -o graded.jsonl --html graded.html
    """
    from weaksup.grading.graded_records import GradeOptions

    if output is not None and only != GRADES:
        raise click.UsageError("--only selects what is printed; with -o every record is written to the file")
    shown = None if page is None else _disagreements_for(page, [file.name, output], force=force)
    options = GradeOptions(pred, gold, question, quantities, tuple(constants), tolerance)
    tally = dict.fromkeys(GRADES, 0)
    with Progress("records") as progress, closing(_graded(file, options, workers, output, force, progress)) as records:
        for record in records:
            result = record["grade"]
            tally[result] += 1
            if shown is not None:
                shown.add(record)
            if strict and result == "unreadable":
                warn(f"{file.name}:{record['line']}: {record['reason']}")
                return BAD
            if output is None and result in only:
                print_json(record) if as_json else echo(_line(record))
    if page is not None and shown is not None:
        _write_page(page, Path(file.name).name, options, tally, shown)
    _print_tally(tally, as_json=as_json, apart=output is None)
    if tally["unreadable"] and tally["unreadable"] == sum(tally.values()):
        warn(f"error: {file.name}: no record could be graded: records need the fields {pred!r} and {gold!r}")
        return BAD
    return YES


def _graded(
    file: TextIO, options: GradeOptions, workers: int, output: Path | None, force: bool, progress: Progress
) -> Generator[GradedRecord]:
    """Yield the graded records of a file; with `output`, also write them."""
    from weaksup.grading.graded_file import grade_to_file, grading_run, unfinished_folder
    from weaksup.grading.graded_records import grade_records

    def grade_from(done: int) -> Iterator[GradedRecord]:
        return grade_records(islice(text_lines(file), done, None), options, workers=workers)

    if output is None:
        yield from grade_from(0)
        return
    if not file.seekable():
        raise click.UsageError("FILE is read twice with -o, so it can't be a pipe: save it to a file first")
    check_output(output, inputs=[file.name], force=True)  # `grade_to_file` checks for an existing file
    run, total = grading_run(text_lines(file), options)
    file.seek(0)
    try:
        yield from grade_to_file(output, run, grade_from, force=force, progress=lambda done: progress(done, total))
    except KeyboardInterrupt:
        warn(f"finished work is kept in {unfinished_folder(output)}: run the same command again to resume")
        raise
    if not progress.called:
        warn(f"{output} is complete already: nothing was graded")


def _line(record: GradedRecord) -> str:
    """A record as one line: grade and reason, and the wrong or foreign step if the reason does not name it."""
    line = f"{record['line']}: {record['grade']}: {record['reason']}"
    if record["wrong_step"] and record["grade"] != "different":
        line += f"; first wrong step {record['wrong_step']}"
    foreign = record["foreign_step"]
    if foreign not in (None, record["wrong_step"]) and foreign.rpartition("=")[2] != record["answers"][0]:
        line += f"; first foreign step {foreign}"
    return line


def _print_tally(tally: dict[str, int], *, as_json: bool, apart: bool) -> None:
    if as_json:
        print_json({"tally": tally})
        return
    total = sum(tally.values())
    echo("\n" * apart + f"{total} records")
    for result, tallied in tally.items():
        share = f" ({tallied / total:.1%})" if total else ""
        echo(f"{result:>12} {tallied:>8}{share}")


def _disagreements_for(page: Path, inputs: list[str | Path | None], *, force: bool) -> Disagreements:
    """An empty collection of disagreements, after checking (before the work begins) that the page can be written."""
    from weaksup.grading.disagreements import Disagreements
    from weaksup.report import require_jinja

    require_jinja()
    check_output(page, inputs=inputs, force=force)
    return Disagreements()


def _write_page(page: Path, name: str, options: GradeOptions, tally: dict[str, int], shown: Disagreements) -> None:
    from weaksup.grading.disagreements import build_grades_page

    html = build_grades_page(name, options, tally, shown)
    with whole_file(page) as file:
        file.write(html.encode())
