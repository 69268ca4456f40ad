"""The batched solver against the plain recursive one: the same probabilities, gradients and beams."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from weaksup.corpora.stories import read_stories
from weaksup.solvers.data.batches import Example, make_batch
from weaksup.solvers.data.lessons import gold_lessons, make_examples
from weaksup.solvers.decoding.beam import beam_search
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.presets import TrainConfig
from weaksup.solvers.training.loop import train_solver
from weaksup.solvers.training.objective import tree_loss

from ..examples_for_tests import (
    CONSTANTS,
    OPERATORS,
    batch_of,
    chain,
    random_example,
    small_config,
    small_gts,
    varied_examples,
    with_trees,
)
from ..plain_gts import PlainGTS

CLOSE = {"rtol": 1e-9, "atol": 1e-10}


def plain(model: GTS, config: object) -> PlainGTS:
    state = {name: value.detach().clone().requires_grad_() for name, value in model.named_parameters()}
    return PlainGTS(state, config)  # type: ignore[arg-type]


@pytest.mark.parametrize("directions", ["sum", "concat"])
@pytest.mark.parametrize("seed", [0, 1])
def test_trees_have_the_same_probabilities(directions: str, seed: int) -> None:
    config = small_config(directions=directions)
    model = small_gts(config, seed=seed, scale=2.0)
    oracle = plain(model, config)
    examples = varied_examples(np.random.default_rng(seed))
    batch = batch_of(examples)
    expected = torch.stack([p for i in batch.order for p in oracle.log_probabilities(examples[i])])
    torch.testing.assert_close(model(batch), expected, **CLOSE)


@pytest.mark.parametrize("soft", ["expected", "marginal"])
@pytest.mark.parametrize("directions", ["sum", "concat"])
def test_the_loss_has_the_same_gradients(directions: str, soft: str) -> None:
    config = small_config(directions=directions)
    model = small_gts(config, seed=3, scale=2.0)
    oracle = plain(model, config)
    examples = varied_examples(np.random.default_rng(3))
    batch = batch_of(examples)
    loss = tree_loss(model(batch), batch, soft=soft)
    loss.backward()
    plain_loss = torch.zeros((), dtype=torch.float64)
    for example in examples:
        found = torch.stack(oracle.log_probabilities(example))
        weights = torch.tensor(example.weights).double()  # as the batch has them, in single precision
        if soft == "expected":
            plain_loss = plain_loss - (weights * found).sum()
        else:
            weights = torch.tensor(example.weights).log().double().exp()  # and their logarithms
            plain_loss = plain_loss - (weights * found.exp()).sum().log()
    plain_loss.backward()
    torch.testing.assert_close(loss, plain_loss, **CLOSE)
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and oracle.state[name].grad is not None, name
        assert parameter.grad.abs().sum() > 0, f"{name} is not tried"
        torch.testing.assert_close(parameter.grad, oracle.state[name].grad, **CLOSE, msg=lambda m, n=name: f"{n}: {m}")


def test_operands_of_equal_value_share_their_probability() -> None:
    """By hand: the leaf `N0` with N1 of the same value has the chances of both."""
    model = small_gts(small_config(), seed=5)
    words, places = (3, 4, 5), (0, 2)
    apart, alike = (0, 1, 2, 3), (0, 1, 2, 2)
    leaves = ((OPERATORS + CONSTANTS,), (OPERATORS + CONSTANTS + 1,))
    one, other = model(batch_of([Example(words, places, apart, leaves)])).exp().tolist()
    both, either = model(batch_of([Example(words, places, alike, leaves)])).exp().tolist()
    assert both == either == pytest.approx(one + other, rel=1e-12)
    assert one != pytest.approx(other, rel=1e-3)


# --- beams ------------------------------------------------------------------------------------------------------------


def assert_same_beams(model: GTS, oracle: PlainGTS, examples: list[Example], *, beam: int, max_tokens: int) -> None:
    constants = len(model.decoder.constant_embedding.weight)
    batch = make_batch(examples, operators=model.decoder.operators, constants=constants)
    found = beam_search(model, batch, beam=beam, max_tokens=max_tokens)
    assert len(found) == len(examples)
    for example, hypotheses in zip(examples, found, strict=True):
        expected = oracle.beam(example, beam=beam, max_tokens=max_tokens)
        assert [hypothesis.tokens for hypothesis in hypotheses] == [tokens for tokens, _ in expected]
        scores = [hypothesis.log_probability for hypothesis in hypotheses]
        assert scores == pytest.approx([score for _, score in expected], rel=1e-9)


@pytest.mark.parametrize(
    ("directions", "seed", "scale", "beam", "max_tokens"),
    [("sum", 0, 3.0, 3, 11), ("concat", 1, 3.0, 5, 7), ("sum", 2, 1.0, 4, 5), ("concat", 3, 6.0, 1, 9)],
)
def test_untrained_solvers_have_the_same_beams(
    directions: str, seed: int, scale: float, beam: int, max_tokens: int
) -> None:
    config = small_config(directions=directions)
    model = small_gts(config, seed=seed, scale=scale)
    examples = varied_examples(np.random.default_rng(seed))
    assert_same_beams(model, plain(model, config), examples, beam=beam, max_tokens=max_tokens)


def test_a_solver_that_prefers_operators_still_ends_its_trees() -> None:
    config = small_config()
    model = small_gts(config, seed=4, scale=2.0)
    with torch.no_grad():
        model.decoder.operator_score.bias += 4.0
    examples = varied_examples(np.random.default_rng(4))
    assert_same_beams(model, plain(model, config), examples, beam=3, max_tokens=12)
    for hypotheses in beam_search(model, batch_of(examples), beam=3, max_tokens=12):
        assert max(len(hypothesis.tokens) for hypothesis in hypotheses) == 11  # the longest tree there is room for


def test_scores_of_the_beam_are_those_of_its_trees() -> None:
    model = small_gts(small_config(), seed=7, scale=3.0)
    example = random_example(np.random.default_rng(7), length=6, quantities=2)
    alone = Example(example.words, example.places, (0, 1, 2, 3))
    (hypotheses,) = beam_search(model, batch_of([alone]), beam=5, max_tokens=15)
    again = model(batch_of([with_trees(alone, [hypothesis.tokens for hypothesis in hypotheses])]))
    assert [h.log_probability for h in hypotheses] == pytest.approx(again.tolist(), rel=1e-9)


def test_a_full_beam_finds_every_leaf() -> None:
    """Room for one token only: the beam is the leaves, by their chances."""
    model = small_gts(small_config(), seed=8)
    example = random_example(np.random.default_rng(8), length=6, quantities=2)
    alone = Example(example.words, example.places, (0, 1, 2, 3))
    (hypotheses,) = beam_search(model, batch_of([alone]), beam=9, max_tokens=1)
    leaves = [(OPERATORS + i,) for i in range(4)]
    chances = model(batch_of([with_trees(alone, leaves)])).tolist()
    expected = sorted(zip(leaves, chances, strict=True), key=lambda pair: -pair[1])
    assert [h.tokens for h in hypotheses] == [tokens for tokens, _ in expected]


def test_a_trained_solver_has_the_same_beams_and_probabilities(tmp_path: Path) -> None:
    problems = list(read_stories(size=40, seed=2))
    lessons, _ = gold_lessons(problems, writing="label")
    config = small_config(embedding=12, hidden=24, directions="concat", number_kinds=True)
    train = TrainConfig(epochs=30, batch_size=8, learning_rate=1e-2, min_word_count=2, min_constant_count=2)
    train_solver(lessons, [], tmp_path, config=config, train=train)
    solver = Solver.load(tmp_path)
    model = solver.model.double().eval()
    assert isinstance(model, GTS)
    oracle = plain(model, config)
    examples, _ = make_examples(lessons, solver.vocabulary, config)
    few = examples[:14]
    batch = make_batch(few, operators=len(solver.vocabulary.operators), constants=len(solver.vocabulary.constants))
    expected = torch.stack([p for i in batch.order for p in oracle.log_probabilities(few[i])])
    torch.testing.assert_close(model(batch), expected, **CLOSE)
    assert_same_beams(model, oracle, few, beam=4, max_tokens=15)
    sizes = {len(h.tokens) for found in beam_search(model, batch, beam=1) for h in found}
    assert len(sizes) > 2, "the solver has learned to write trees of several sizes"


def test_single_precision_agrees_too() -> None:
    """As solvers are really run, on a chain deep enough for errors to add up."""
    config = small_config(hidden=16)
    model = small_gts(config, seed=9).float()
    rng = np.random.default_rng(9)
    example = random_example(rng, length=20, quantities=4)
    deep = with_trees(example, [chain(rng, CONSTANTS + 4, 12, left=left) for left in (True, False)])
    oracle = plain(model.double(), config)
    found = model.float()(batch_of([deep]))
    torch.testing.assert_close(found.double(), torch.stack(oracle.log_probabilities(deep)), rtol=1e-5, atol=1e-4)
