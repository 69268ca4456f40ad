r"""What a person or a model wrote -> one expression.

The equations of the text are its steps (`prose`), the steps are composed to one expression (`composing`), and the
answer is what is marked as such, or the result of the last step.
"""

from __future__ import annotations

import re

from ..errors import LimitError, ParseError, SolutionError
from ..expr import Expr, Operand, make_number
from .composing import Composer, Solution, Step, is_literal, value_of
from .latex import is_latex
from .notations import MAX_LENGTH, parse
from .pieces import closing_braces, read_quantities
from .prose import Equation, read_equations

__all__ = ["Solution", "Step", "read_solution", "solution_of"]

_MARKER = re.compile(
    r"""
      \#{4}\s* | \\boxed\s*(?=\{) | \\fbox\s*(?=\{) | <answer>
    | (?:^|(?<=\n))[ \t>*]*A(?:nswer)?\s*:\s*
    | (?:\b[Ff]inal\s+[Aa]nswer|\b[Aa]nswer|ANSWER)(?:\s*(?:is|are|equals)\s*:?|\s*:)\s*
    """,
    re.VERBOSE,
)
_STRONG = ("#", "\\", "<")
_END_OF_ANSWER = re.compile(r"\n|[.!?;](?=\s|$)|</answer>")
_NUMBER_AND_WORDS = re.compile(r"[\s$]*-?[0-9.,]+\s+[A-Za-z]{4}")
_MATHEMATICS = re.compile(r"\\(?:text|mbox|mathrm)\s*\{[^{}]*\}|\\[A-Za-z]+|(?<!.)\s*\$[^$]*\$\s*(?!.)", re.DOTALL)
_PROSE = re.compile(r"[A-Za-z]{4}|\$|\\[()\[\]]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_NOTHING = re.compile(r"\s*n\s*/\s*a\s*\.?\s*", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
#: What stands between two answers: `14 or 15`, `3 hours and 20 minutes`, `x = 2 or x = 3`, `2, 3`.
_BETWEEN = re.compile(r"[^0-9(]*(?:\b(?:or|and|to)\b|[,&])\s*+(?:[A-Za-z]++\s++){0,2}+[$€£=\s]*+")


def read_solution(text: str, question: str | None = None) -> Solution:
    r"""The solution that `text` writes, its steps composed to one expression.

    Understood are a bare expression, equations and chains of them (`x = 5+5+1 = 11`), several steps by line, sentence
    or semicolon, GSM8K's `<<48/2=24>>`, LaTeX in `$ $`, `\( \)` and `\[ \]`, and units, currency and words around
    the mathematics.  The answer is what is marked last as such (`#### 72`, `A: 72`, `\boxed{72}`,
    `<answer>72</answer>`, "The answer is 72"), otherwise the result of the last step.

    Parameters
    ----------
    text
        The solution as it was written.
    question
        The text of the problem: a number of it stands for itself even if it is also the result of a step.

    Returns
    -------
    Solution
        `steps`, the composed `expr`, the final `answer`, and the `unused` steps.

    Raises
    ------
    SolutionError
        If there is nothing to read.
    LimitError
        If the solution is too large.

    Notes
    -----
    The cost is linear in the length of the text and in the size of the composed expression.

    Examples
    --------
    >>> solution = read_solution("48/2=24 clips in May; 48+24=72 in all. #### 72")
    >>> solution.expr, solution.answer, [step.right for step in solution.steps]
    (Expr('48+48/2'), Fraction(72, 1), [True, True])
    >>> read_solution("Half of 3+4 is not 5. The answer is unknown")
    Traceback (most recent call last):
    ...
    mathcanon.errors.SolutionError: there is no number in the answer, at character 37
    """
    if not isinstance(text, str):
        raise TypeError(f"a solution is given as text, not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise LimitError("the length of the text", len(text), MAX_LENGTH)
    try:
        return solution_of(_bare_expression(text))
    except ParseError as error:
        refused = error
    composer = Composer(read_quantities(question) if question else ())
    numbers = [equation for equation in read_equations(text) if not composer.add(equation)]
    answer = _marked_answer(text, composer.steps)
    if answer is None and not composer.steps:
        answer = _lone_number(text, numbers, refused)
    elif answer is None:
        _check_last_steps(text, composer.steps)
    return composer.solution(answer)


def _bare_expression(text: str) -> Expr:
    """The expression, if `text` consists of nothing else, except perhaps `x =` before it or `= x` after it."""
    sides = text.split("=")
    if len(sides) > 1 and _NAME.fullmatch(sides[0].strip(" $\t\n")):
        del sides[0]
    if len(sides) > 1 and sides[-1].strip(" $\t\n?")[1:] == "" and not sides[-1].strip().isdigit():
        del sides[-1]
    if len(sides) > 1:
        raise SolutionError("there is no equation that can be read", text, 0)
    if _MARKER.search(text) or (is_latex(text) and _PROSE.search(_MATHEMATICS.sub("", text))):
        raise SolutionError("not an expression alone", text, 0)
    expr = parse(sides[0])
    if _is_word(expr) or _NOTHING.fullmatch(text):
        raise SolutionError("a word, not an expression", text, 0)
    return expr


def _is_word(expr: Expr) -> bool:
    """Whether there is nothing but one word: `None`, `nan`, `unknown`."""
    leaves = [leaf for leaf, _ in zip(expr.leaves(), range(2), strict=False)]
    return (
        len(leaves) == 1
        and isinstance(leaves[0], Operand)
        and leaves[0].name != "pi"
        and bool(_WORD.fullmatch(leaves[0].name))
    )


def solution_of(expr: Expr) -> Solution:
    """The solution that is just an expression."""
    value = value_of(expr, {})
    if value is None or is_literal(expr):
        return Solution(expr, expr if value is None else value)
    return Solution(expr, value, (Step(expr, value, composed=expr),))


def _marked_answer(text: str, steps: list[Step]) -> Expr | None:
    """The answer that is marked last, or None if none is marked."""
    refused: SolutionError | None = None
    limit = len(text)  # each marked answer ends where the next mark begins, so that no text is read twice
    for found in reversed(list(_MARKER.finditer(text))):
        start, latex = found.end(), found[0].startswith("\\")
        if latex:
            start += 1
            end = closing_braces(text).get(start - 1, len(text))
        else:
            stop = _END_OF_ANSWER.search(text, start, limit)
            end = stop.start() if stop else limit
        try:
            return _answer(text, start, end, steps, latex=latex)
        except SolutionError as error:
            if found[0].lstrip()[0] in _STRONG:
                raise
            refused, limit = refused or error, found.start()
    if refused is not None and not any(step.place > refused.position for step in steps):
        raise refused
    return None


def _answer(text: str, start: int, end: int, steps: list[Step], *, latex: bool) -> Expr:
    """The expression in `text[start:end]`, the last side if it is an equation."""
    content = text[start:end]
    latex = latex and not _NUMBER_AND_WORDS.match(content)
    try:
        if latex:
            return parse(content.rpartition("=")[2], "latex")
        answer = _bare_expression(content)
    except ParseError as error:
        found = [] if latex else list(read_equations(content))
        if not found:
            digits = any(character.isdigit() for character in content)
            message = "the answer is not one number" if digits else "there is no number in the answer"
            raise SolutionError(error.message if latex else message, text, start + error.position * latex) from error
        first, *others = found
        answer, end = parse(first.sides[-1], "infix"), start + first.end
        if others and _BETWEEN.fullmatch(text, end, start + others[0].place):
            _check_same(answer, parse(others[0].sides[-1], "infix"), text, start + others[0].place)
    _check_exclamation(answer, steps, text, end)
    return answer


def _check_same(answer: Expr, other: Expr, text: str, place: int) -> None:
    """Two answers must have one value: `1/2 or 0.5`."""
    if answer != other and value_of(answer, {}) != value_of(other, {}):
        raise SolutionError("there are several numbers in the answer", text, place)


def _check_exclamation(answer: Expr, steps: list[Step], text: str, end: int) -> None:
    """`72!` is 72, said loudly, if a step has this result; otherwise it may be a factorial."""
    if text[end : end + 1] == "!" and text[end - 1 : end].isdigit():
        value = value_of(answer, {})
        if not any(step.result == value and step.right is not False for step in steps):
            raise SolutionError("'!' after a number may be a factorial, which can't be read", text, end)


def _check_last_steps(text: str, steps: list[Step]) -> None:
    """The last step gives the answer if none is marked: it must not be one of two, nor perhaps a factorial."""
    last = steps[-1]
    _check_exclamation(make_number(last.result), steps, text, last.end)
    for before in steps[-2:-1]:
        if is_literal(before.expr) and is_literal(last.expr) and _BETWEEN.fullmatch(text, before.end, last.place):
            _check_same(before.expr, last.expr, text, last.place)


def _lone_number(text: str, numbers: list[Equation], refused: ParseError) -> Expr:
    """The only number of a text without equations."""
    closed = [number for number in numbers if not _NAME.search(number.sides[-1])]
    found = {number.sides[-1] for number in closed}
    if len(found) == 1:
        answer = parse(found.pop(), "infix")
        for number in closed:
            _check_exclamation(answer, [], text, number.end)
        return answer
    if not _WORD.search(text):
        raise SolutionError(refused.message, text, refused.position, hint=refused.hint) from refused
    what = "there are several numbers and no equation" if found else "there is no number"
    raise SolutionError(what, text, closed[0].place if closed else 0, hint="mark the answer, as in #### 72")
