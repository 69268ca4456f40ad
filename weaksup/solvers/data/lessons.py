"""Problems and their equations -> lessons -> examples, the numbers that a network reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from mathcanon import Expr

from ...records import Label, Problem
from ..presets import SolverConfig
from ..table import SOLVERS
from .batches import Example
from .graphs import Cell, make_graphs
from .pieces import piece_reader
from .trees import gold_expression, write_tree
from .vocabulary import Vocabulary

__all__ = ["Cells", "Lesson", "example_of", "gold_lessons", "label_lessons", "make_examples"]


_SOFT, _LEAST = 10, 0.01  # the most equations of a soft lesson, and the least posterior of each


Cells = Mapping[str, Sequence[Cell]]  # by problem id


class Lesson(NamedTuple):
    """A problem with its weighted target trees (prefix sequences)."""

    problem: Problem
    trees: tuple[tuple[str, ...], ...]
    weights: tuple[float, ...]


def gold_lessons(problems: Iterable[Problem], *, writing: str) -> tuple[list[Lesson], Counter[str]]:
    """Lessons from gold equations, and the number of problems without one, by reason.

    Parameters
    ----------
    problems
        The training problems.
    writing
        The form in which equations are taught: "label", "canonical" or "as-written".

    Returns
    -------
    tuple
        The lessons, in the order of the problems, and a `Counter` of reasons.
    """
    lessons, left_out = [], Counter[str]()
    for problem in problems:
        expr = gold_expression(problem)
        lesson = _lesson(problem, [] if expr is None else [(expr, 1.0)], writing)
        if lesson is None:
            left_out["no readable gold equation" if expr is None else "gold equation is no binary tree"] += 1
        else:
            lessons.append(lesson)
    return lessons, left_out


def label_lessons(
    problems: Iterable[Problem], labels: Mapping[str, Label], *, writing: str, soft: bool = False
) -> tuple[list[Lesson], Counter[str]]:
    """Lessons from pseudo labels, and the number of problems without one, by reason.

    Parameters
    ----------
    problems
        The training problems; their gold equations are not read.
    labels
        Labels by the id of their problem.
    writing
        The form in which equations are taught: "label", "canonical" or "as-written".
    soft
        Whether a lesson also has the runners-up with a posterior of at least 0.01, up to ten equations in all.

    Returns
    -------
    tuple
        The lessons, in the order of the problems, and a `Counter` of reasons.
    """
    lessons, left_out = [], Counter[str]()
    for problem in problems:
        label = labels.get(problem.id)
        if label is None:
            left_out["no label"] += 1
            continue
        weighted: list[tuple[Expr | str, float]] = [(label.expr, label.posterior if soft else 1.0)]
        if soft:
            weighted += [(one.expr, one.posterior) for one in label.others[: _SOFT - 1] if one.posterior >= _LEAST]
        lesson = _lesson(problem, weighted, writing)
        if lesson is None:
            left_out["label is no binary tree"] += 1
        else:
            lessons.append(lesson)
    return lessons, left_out


def _lesson(problem: Problem, weighted: Sequence[tuple[Expr | str, float]], writing: str) -> Lesson | None:
    if not problem.tokens:
        return None
    trees: dict[tuple[str, ...], float] = {}
    for expr, weight in weighted:
        tree = write_tree(expr, problem, writing=writing)
        if tree is not None and weight > 0:
            trees[tree] = trees.get(tree, 0.0) + weight
    if not trees:
        return None
    whole = sum(trees.values())
    return Lesson(problem, tuple(trees), tuple(weight / whole for weight in trees.values()))


def example_of(
    problem: Problem,
    vocabulary: Vocabulary,
    config: SolverConfig,
    index: dict[str, int],
    trees: Sequence[tuple[int, ...]] = (),
    weights: Sequence[float] = (),
    cells: Sequence[Cell] | None = None,
) -> Example:
    """The example of a problem; `index` is `vocabulary.index()`, computed once by the caller.

    `cells` replaces the cells that g2t would find for its graph, for instance with those of `groups.align_groups`.
    """
    values = [Fraction(constant) for constant in vocabulary.constants]
    values += [quantity.exact for quantity in problem.quantities]
    first: dict[Fraction, int] = {}
    words = tuple(vocabulary.word_numbers(problem, index, kinds=config.number_kinds))
    places = tuple(quantity.token for quantity in problem.quantities)
    graphs = None
    if SOLVERS[config.solver].graphs:
        graphs = make_graphs(problem, cells, tags=config.tags, published=config.graph == "published")
    if config.encoder is not None and words:
        pieces = piece_reader(config.encoder).read(problem)
        words, places = pieces.numbers, pieces.places(places)
        graphs = None if graphs is None else pieces.graphs(graphs)
    return Example(
        words=words,
        places=places,
        same=tuple(first.setdefault(value, i) for i, value in enumerate(values)),
        trees=tuple(trees),
        weights=tuple(weights),
        graphs=graphs,
    )


def make_examples(
    lessons: Iterable[Lesson],
    vocabulary: Vocabulary,
    config: SolverConfig,
    cells: Cells | None = None,
) -> tuple[list[Example], Counter[str]]:
    """The examples of lessons, and the number of lessons left out because a constant is too rare, by constant.

    `cells` replaces the cells that g2t would find, by problem id.
    """
    index = vocabulary.index()
    examples, left_out = [], Counter[str]()
    for lesson in lessons:
        kept: list[tuple[tuple[int, ...], float]] = []
        missing = ""
        for tree, weight in zip(lesson.trees, lesson.weights, strict=True):
            numbers = [vocabulary.token(token) for token in tree]
            if None in numbers:
                missing = tree[numbers.index(None)]
            else:
                kept.append((tuple(number for number in numbers if number is not None), weight))
        if kept:
            whole = sum(weight for _, weight in kept)
            trees = [tree for tree, _ in kept]
            weights = [weight / whole for _, weight in kept]
            known = (cells or {}).get(lesson.problem.id)
            examples.append(example_of(lesson.problem, vocabulary, config, index, trees, weights, known))
        else:
            left_out[f"{missing} is too rare to be written"] += 1
    return examples, left_out
