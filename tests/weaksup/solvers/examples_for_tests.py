"""Random examples, and small solvers to try them on."""

from __future__ import annotations

import numpy as np
import torch

from weaksup.solvers.data.batches import Batch, Example, make_batch
from weaksup.solvers.data.vocabulary import Vocabulary
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.presets import SolverConfig

WORDS = 12
OPERATORS, CONSTANTS = 5, 2
VOCABULARY = Vocabulary(
    words=tuple(f"w{i}" for i in range(WORDS)), operators=("+", "-", "*", "/", "^"), constants=("1", "3.14")
)


def random_tree(rng: np.random.Generator, operands: int, size: int) -> tuple[int, ...]:
    """A prefix sequence with `size` operators."""
    if not size:
        return (OPERATORS + int(rng.integers(operands)),)
    left = int(rng.integers(size))
    return (
        int(rng.integers(OPERATORS)),
        *random_tree(rng, operands, left),
        *random_tree(rng, operands, size - 1 - left),
    )


def chain(rng: np.random.Generator, operands: int, size: int, *, left: bool) -> tuple[int, ...]:
    """A tree that goes down on one side only, with all operators in turn."""
    tree = random_tree(rng, operands, 0)
    for i in range(size):
        leaf = random_tree(rng, operands, 0)
        tree = (i % OPERATORS, *tree, *leaf) if left else (i % OPERATORS, *leaf, *tree)
    return tree


def random_example(rng: np.random.Generator, *, length: int, quantities: int, trees: int = 0) -> Example:
    """An example where some quantities have the value of another operand."""
    operands = CONSTANTS + quantities
    same = [int(rng.integers(i)) if i and rng.random() < 0.3 else i for i in range(operands)]
    same[1] = 1  # the constants differ
    same = [same[first] for first in same]
    places = rng.choice(length, quantities, replace=False)
    weights = rng.random(trees) + 0.1
    return Example(
        words=tuple(rng.integers(1, WORDS, length).tolist()),
        places=tuple(places.tolist()),
        same=tuple(same),
        trees=tuple(random_tree(rng, operands, int(rng.integers(5))) for _ in range(trees)),
        weights=tuple((weights / weights.sum()).tolist()),
    )


def varied_examples(rng: np.random.Generator) -> list[Example]:
    """Every kind of text and tree: one word, no quantity, leaves, deep chains, several trees."""
    made = [
        random_example(rng, length=n, quantities=min(n, q), trees=t) for n, q, t in [(7, 3, 2), (3, 2, 1), (9, 4, 3)]
    ]
    made.append(random_example(rng, length=1, quantities=1, trees=2))
    made.append(random_example(rng, length=5, quantities=0, trees=2))
    made.append(random_example(rng, length=1, quantities=0, trees=1))
    leaf = random_example(rng, length=4, quantities=2)
    made.append(with_trees(leaf, [(OPERATORS,), (OPERATORS + CONSTANTS + 1,)]))
    deep = random_example(rng, length=6, quantities=3)
    operands = CONSTANTS + 3
    made.append(with_trees(deep, [chain(rng, operands, 6, left=True), chain(rng, operands, 6, left=False)]))
    return made


def with_trees(example: Example, trees: list[tuple[int, ...]]) -> Example:
    share = 1 / len(trees)
    return Example(example.words, example.places, example.same, tuple(trees), (share,) * len(trees))


def small_config(**changes: object) -> SolverConfig:
    settings = {"embedding": 5, "hidden": 6, "layers": 2, "dropout": 0.0} | changes
    return SolverConfig(**settings)  # type: ignore[arg-type]


def small_gts(config: SolverConfig, *, seed: int, scale: float = 1.0) -> GTS:
    """An untrained solver in double precision; larger weights make it surer of itself."""
    torch.manual_seed(seed)
    model = GTS(config, VOCABULARY).double().eval()
    with torch.no_grad():
        for parameter in model.decoder.parameters():
            parameter *= scale
    return model


def batch_of(examples: list[Example]) -> Batch:
    return make_batch(examples, operators=OPERATORS, constants=CONSTANTS)
