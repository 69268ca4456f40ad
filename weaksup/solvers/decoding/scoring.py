"""The log-probability that a solver gives to each equation of each problem, computed in batches.

A problem's text is encoded once per batch, however many of its equations the batch holds.  A batch has texts of
similar length and a limited number of nodes, so thousands of equations of one problem take several batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

import torch

from ...records import Problem
from ..data.batches import Example, make_batch
from ..data.trees import write_tree
from .solver import Solver

__all__ = ["log_probabilities", "tree_log_probabilities"]

_NODES = 2048  # the most in a batch


def log_probabilities(
    solver: Solver, problems: Sequence[Problem], exprs: Sequence[Sequence[str]], *, writing: str = "label"
) -> list[list[float]]:
    """For each problem the log-probability of each of its expressions over N0, N1...

    Parameters
    ----------
    solver
        A trained solver.
    problems
        The problems.
    exprs
        The expressions of each problem.
    writing
        The rule by which they are first rewritten.

    Returns
    -------
    list of list of float
        A log-probability for each expression; -inf for one that the solver can't write.
    """
    given = list(zip(problems, exprs, strict=True))
    trees = [[write_tree(expr, problem, writing=writing) or () for expr in row] for problem, row in given]
    return tree_log_probabilities(solver, problems, trees, alike=True)


def tree_log_probabilities(
    solver: Solver,
    problems: Sequence[Problem],
    trees: Sequence[Sequence[Sequence[str]]],
    *,
    alike: bool,
) -> list[list[float]]:
    """For each problem the log-probability of each of its trees, given as prefix sequences.

    If `alike`, operands of equal value are one operand, whose probability is their sum; the beam tells them apart.  A
    tree that the solver can't write, or an empty one, gets -inf.
    """
    solver.model.eval()
    found = [[-inf] * len(given) for given in trees]
    operators, constants = len(solver.vocabulary.operators), len(solver.vocabulary.constants)
    for chosen in _batches(list(_pieces(solver, problems, trees, alike=alike))):
        examples = [example for example, _, _ in chosen]
        batch = make_batch(examples, operators=operators, constants=constants, device=solver.device)
        with torch.inference_mode():
            scores = iter(solver.model(batch).tolist())
        for row in batch.order:
            example, place, members = chosen[row]
            for member in members[: len(example.trees)]:
                found[place][member] = next(scores)
    return found


_Piece = tuple[Example, int, list[int]]  # example with some trees, index of its problem, indices of the trees


def _pieces(
    solver: Solver, problems: Sequence[Problem], trees: Sequence[Sequence[Sequence[str]]], *, alike: bool
) -> Iterator[_Piece]:
    """Yield the problems with their trees, split where a batch would have too many nodes."""
    for place, (problem, given) in enumerate(zip(problems, trees, strict=True)):
        if not given:
            continue
        example = solver.example(problem)
        if not alike:
            example = replace(example, same=tuple(range(len(example.same))))
        chosen: list[tuple[int, ...]] = []
        members: list[int] = []
        nodes = 0
        for member, prefix in enumerate(given):
            tokens = [solver.vocabulary.token(token) for token in prefix]
            if not tokens or None in tokens or not example.words:
                continue
            if nodes + len(tokens) > _NODES:
                yield _with_trees(example, chosen), place, members
                chosen, members, nodes = [], [], 0
            chosen.append(tuple(token for token in tokens if token is not None))
            members.append(member)
            nodes += len(tokens)
        if chosen:
            yield _with_trees(example, chosen), place, members


def _with_trees(example: Example, trees: Sequence[tuple[int, ...]]) -> Example:
    return replace(example, trees=tuple(trees))


def _batches(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Yield batches of pieces of similar length, as many as the limit on nodes allows."""
    chosen: list[_Piece] = []
    nodes = 0
    for piece in sorted(pieces, key=lambda piece: len(piece[0].words)):
        size = sum(map(len, piece[0].trees))
        if chosen and nodes + size > _NODES:
            yield chosen
            chosen, nodes = [], 0
        chosen.append(piece)
        nodes += size
    if chosen:
        yield chosen
