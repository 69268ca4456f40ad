"""`mwp-weak solve`: equations and answers for one text, or for a file of them.

torch is imported inside the command, by `load_torch`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mathcanon.files import bounded_text

from ._options import FOLDER, TextInput, json_option, text_lines
from ._output import NO, YES, print_json, print_table
from ._terminal import echo, warn
from ._torch import device_option, load_torch
from .weak_solver import answers_option, beam_option, equations_option

if TYPE_CHECKING:
    from weaksup.corpora.questions import Question
    from weaksup.solvers.decoding.ensemble import Ensemble

__all__ = ["solve"]


@click.command()
@click.argument("models", type=FOLDER, metavar="MODEL_DIR...", nargs=-1)
@click.argument("text", required=False)
@click.option("--path", metavar="FILE|-", help="Solve every problem of a file, or of stdin: prints JSON Lines.")
@click.option("--text-field", default="", metavar="NAME", help="With --path: the field of the text.")
@click.option("--id-field", default="", metavar="NAME", help="With --path: the field of the id.")
@click.option("--language", type=click.Choice(["en", "zh"]),
              help="Language of the text.  [default: detected from its characters]")  # fmt: skip
@beam_option
@answers_option
@equations_option
@device_option
@json_option
def solve(
    models: tuple[Path, ...],
    text: str | None,
    path: str | None,
    text_field: str,
    id_field: str,
    language: str | None,
    beam: int,
    answer_model: bool,
    equation_model: bool,
    device: str,
    as_json: bool,
) -> int:
    """Solve a word problem in English or Chinese: print an equation and the answer.  TEXT may be - for stdin.

    Prints the most likely equation in the numbers of the text and its value, then all equations of the beam.  The exit
    code is 1 if the text has no numbers or no equation has a value.

    With --path, solves every problem of a file (csv, tsv, JSON Lines, Parquet, a saved dataset, or a text per line) and
    prints a JSON object for each, in order: id, text, equation, answer, probability, and a fault if there is none.
    Implied quantities are found with the lexicon of the corpus that the solver was trained on.

    Several models answer as one: see mwp-weak evaluate --help.

    \b
    mwp-weak solve model "Tom has 3 apples and buys 5 more. How many has he now?"
    mwp-weak solve model - < problem.txt
    mwp-weak solve model --path questions.csv --text-field story > solved.jsonl
    mwp-weak solve model --path - < questions.txt
    mwp-weak solve gts g2t "Tom has 3 apples and buys 5 more. How many has he now?"
    """
    if path is not None and text is not None:  # then the last argument is a model, too
        if not os.path.isdir(text):
            raise click.UsageError("give a TEXT or a file with --path, not both: the last argument is not a folder")
        models, text = (*models, Path(text)), None
    if not models:
        raise click.UsageError("give a MODEL_DIR and a TEXT, or a file with --path")
    if path is None and (text_field or id_field):
        raise click.UsageError("--text-field and --id-field need --path")
    questions = None if path is None else _questions(path, text_field=text_field, id_field=id_field)
    if text == "-":
        with click.open_file("-", encoding="utf-8", errors="surrogateescape") as stdin:
            text = bounded_text(stdin, "<stdin>")
    if text is not None and not text.strip():
        raise click.ClickException("the text is empty")
    load_torch()
    from weaksup.corpora import lexicon_of
    from weaksup.solvers.decoding.ensemble import Ensemble, common_origin
    from weaksup.solvers.decoding.question_solving import solve_questions

    solver = Ensemble.load(models, device=device, answer_model=answer_model, equation_model=equation_model)
    made = common_origin(models)
    lexicon = "none" if made is None or made.corpus is None else lexicon_of(made.corpus.name, made.corpus.lexicon)
    if questions is not None:
        for solved in solve_questions(solver, questions, beam=beam, language=language or "", lexicon=lexicon):
            print_json(solved)
        return YES
    text = (text or "").strip()
    return _solve_text(solver, text, beam=beam, language=language or "", lexicon=lexicon, as_json=as_json)


def _questions(path: str, *, text_field: str, id_field: str) -> Iterator[Question]:
    from weaksup.corpora.questions import read_question_lines, read_questions

    if path != "-":
        return read_questions(Path(path), text_field=text_field, id_field=id_field)
    lines = text_lines(TextInput().convert("-", None, click.get_current_context()))
    return read_question_lines(lines, "<stdin>", text_field=text_field, id_field=id_field)


def _solve_text(solver: Ensemble, text: str, *, beam: int, language: str, lexicon: str, as_json: bool) -> int:
    from weaksup.corpora.problems import segment_text

    _, _, quantities = segment_text(text, language=language, number_words=True)
    found = solver.solve(text, beam=beam, language=language, lexicon=lexicon) if quantities else []
    if as_json:
        print_json({"text": text, "predictions": found})
    elif found:
        echo(found[0].equation)
        echo(f"{_value(found[0].exact)}\n")
        rows = [(f"{one.probability:.1%}", _value(one.exact), one.equation) for one in found]
        print_table(("probability", "value", "equation"), rows)
    if not found:
        warn("no equation has a value" if quantities else "there is no number in the text")
    return YES if found else NO


def _value(value: Fraction) -> str:
    """A value as text: 8, 2.5, or 17/3 with its approximate decimal."""
    if value.denominator == 1:
        return str(value)
    short = f"{float(value):.6g}"
    return short if Fraction(short) == value else f"{value} (about {short})"
