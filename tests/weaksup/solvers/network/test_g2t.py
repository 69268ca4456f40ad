"""G2T against a plain implementation of its equations, and that neither padding nor the graphs of others leak in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from weaksup.corpora.stories import read_stories
from weaksup.errors import ConfigError
from weaksup.solvers.data.batches import Example
from weaksup.solvers.data.graphs import Cell, Graphs, make_graphs
from weaksup.solvers.data.lessons import example_of, gold_lessons, make_examples
from weaksup.solvers.decoding.beam import beam_search
from weaksup.solvers.decoding.solver import Solver
from weaksup.solvers.network.dropout import PooledDropout
from weaksup.solvers.network.g2t import G2T
from weaksup.solvers.network.graph_encoder import GRAPH_ENCODERS, normalized
from weaksup.solvers.presets import SolverConfig, TrainConfig, preset
from weaksup.solvers.table import build_model
from weaksup.solvers.training.loop import train_solver

from ..examples_for_tests import VOCABULARY, batch_of, random_example, small_config, varied_examples
from ..plain_g2t import PlainG2T

CLOSE = {"rtol": 1e-9, "atol": 1e-10}


def g2t_config(**changes: object) -> SolverConfig:
    return small_config(**{"solver": "g2t", "hidden": 8} | changes)


def small_g2t(config: SolverConfig, *, seed: int = 0) -> G2T:
    torch.manual_seed(seed)
    model = G2T(config, VOCABULARY).double().eval()
    with torch.no_grad():  # nothing that starts at zero or one may hide a mistake
        for parameter in model.graph_encoder.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model


def with_graphs(rng: np.random.Generator, example: Example) -> Example:
    def edges() -> tuple[tuple[int, int], ...]:
        pairs = rng.integers(len(example.words), size=(2 * len(example.words), 2)).tolist()
        return tuple(sorted({(one, other) for one, other in pairs if one != other}))

    return replace(example, graphs=Graphs(edges(), edges()))


def graph_examples(seed: int) -> list[Example]:
    rng = np.random.default_rng(seed)
    return [with_graphs(rng, example) for example in varied_examples(rng)]


def plain(model: G2T, config: SolverConfig) -> PlainG2T:
    return PlainG2T({name: value.detach().clone().requires_grad_() for name, value in model.named_parameters()}, config)


@pytest.mark.parametrize("graph", GRAPH_ENCODERS)
@pytest.mark.parametrize("heads", [2, 4])
@pytest.mark.parametrize("directions", ["sum", "concat"])
def test_states_and_probabilities_are_those_of_the_plain_equations(heads: int, directions: str, graph: str) -> None:
    config = g2t_config(heads=heads, directions=directions, graph=graph)
    model = small_g2t(config)
    oracle = plain(model, config)
    examples = graph_examples(1)
    batch = batch_of(examples)
    memory = model.read(batch)
    for row, i in enumerate(batch.order):
        text = oracle.read(examples[i])
        torch.testing.assert_close(memory.states[row, : len(text.states)], text.states, **CLOSE)
        torch.testing.assert_close(memory.goal[row], text.goal, **CLOSE)
    expected = torch.stack([p for i in batch.order for p in oracle.log_probabilities(examples[i])])
    torch.testing.assert_close(model(batch), expected, **CLOSE)


@pytest.mark.parametrize("graph", GRAPH_ENCODERS)
def test_gradients_are_those_of_the_plain_equations(graph: str) -> None:
    config = g2t_config(graph=graph)
    model = small_g2t(config)
    oracle = plain(model, config)
    examples = graph_examples(2)
    model(batch_of(examples)).sum().backward()
    torch.stack([p for example in examples for p in oracle.log_probabilities(example)]).sum().backward()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, oracle.state[name].grad, **CLOSE, msg=lambda m, n=name: f"{n}: {m}")


@pytest.mark.parametrize("graph", GRAPH_ENCODERS)
def test_a_problem_alone_is_what_it_is_beside_longer_ones(graph: str) -> None:
    model = small_g2t(g2t_config(graph=graph))
    rng = np.random.default_rng(3)
    short = with_graphs(rng, random_example(rng, length=5, quantities=2, trees=2))
    others = [with_graphs(rng, random_example(rng, length=n, quantities=3, trees=1)) for n in (17, 40)]
    together = batch_of([short, *others])
    assert together.plan is not None
    owner = together.order.index(0)
    torch.testing.assert_close(model(together)[together.plan.tree_owner == owner], model(batch_of([short])), **CLOSE)
    assert (
        beam_search(model, together, beam=3)[0][0].tokens == beam_search(model, batch_of([short]), beam=3)[0][0].tokens
    )


def test_each_graph_counts() -> None:
    model = small_g2t(g2t_config())
    example = graph_examples(4)[0]
    assert example.graphs is not None
    found = [
        model(batch_of([replace(example, graphs=graphs)]))
        for graphs in (example.graphs, example.graphs._replace(comparisons=()), example.graphs._replace(cells=()))
    ]
    assert not torch.allclose(found[0], found[1]) and not torch.allclose(found[0], found[2])


def test_edges_of_a_batch_stand_in_the_row_of_their_problem() -> None:
    rng = np.random.default_rng(5)
    short, long = (random_example(rng, length=n, quantities=2) for n in (3, 6))
    graphs = Graphs(comparisons=((0, 2),), cells=((1, 2), (2, 1)))
    batch = batch_of([replace(short, graphs=graphs), replace(long, graphs=Graphs((), ((5, 0),)))])
    assert batch.comparisons is not None and batch.cells is not None
    assert batch.comparisons.shape == (2, 6, 6) and batch.comparisons.dtype == torch.float32
    assert batch.comparisons.nonzero().tolist() == [[1, 0, 2]]
    assert batch.cells.nonzero().tolist() == [[0, 5, 0], [1, 1, 2], [1, 2, 1]]


def test_rows_of_a_normalized_graph_are_means_with_a_self_loop() -> None:
    edges = torch.tensor([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    third = 1 / 3
    expected = torch.tensor([[third, third, third], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]])
    torch.testing.assert_close(normalized(edges), expected)


@pytest.mark.parametrize("graph", GRAPH_ENCODERS)
@pytest.mark.parametrize("heads", [0, 1, 3, 6])
def test_heads_that_can_not_be_shared_out_are_refused(heads: int, graph: str) -> None:
    with pytest.raises(ConfigError, match="heads must be even and divide hidden"):
        GRAPH_ENCODERS[graph](g2t_config(heads=heads))


def test_the_graph_encoder_of_preset_paper_is_the_published_one() -> None:
    """Four heads of 512 -> 512 -> 128 with biases, two layers of 512 -> 512, and a layer norm; dropout 0.3."""
    config, _ = preset("paper", solver="g2t")
    encoder = GRAPH_ENCODERS[config.graph](config)
    heads = 4 * (512 * 512 + 512 + 512 * 128 + 128)
    assert sum(weight.numel() for weight in encoder.parameters()) == heads + 2 * (512 * 512 + 512) + 2 * 512
    chances = {module.chance for module in encoder.modules() if isinstance(module, PooledDropout)}
    assert chances == {0.3} and config.dropout == 0.5


def test_the_setting_graph_chooses_the_edges_too() -> None:
    problem = next(problem for problem in read_stories(size=50) if len(problem.quantities) > 1)
    found = [example_of(problem, VOCABULARY, g2t_config(graph=graph), {}).graphs for graph in GRAPH_ENCODERS]
    assert found == [make_graphs(problem), make_graphs(problem, published=True)] and found[0] != found[1]


def test_a_batch_without_graphs_is_refused() -> None:
    with pytest.raises(ValueError, match="no graphs"):
        small_g2t(g2t_config())(batch_of(varied_examples(np.random.default_rng(0))))


def test_examples_of_g2t_have_graphs_and_those_of_gts_have_none() -> None:
    problem = next(iter(read_stories(size=1)))
    index = VOCABULARY.index()
    assert example_of(problem, VOCABULARY, small_config(), index).graphs is None
    assert example_of(problem, VOCABULARY, g2t_config(), index).graphs == make_graphs(problem)


def test_cells_from_elsewhere_take_the_place_of_the_rule() -> None:
    problems = list(read_stories(size=3))
    lessons, _ = gold_lessons(problems, writing="label")
    quantity = lessons[0].problem.quantities[0].token
    cells = (Cell(quantity, (quantity + 1,)),)
    settings = g2t_config()
    examples, _ = make_examples(lessons, VOCABULARY, settings, {lessons[0].problem.id: cells})
    assert examples[0].graphs == make_graphs(lessons[0].problem, cells) != make_graphs(lessons[0].problem)
    assert examples[1].graphs == make_graphs(lessons[1].problem)


def test_it_trains_saves_loads_and_solves(tmp_path: Path) -> None:
    problems = list(read_stories(size=60, seed=1))
    lessons, _ = gold_lessons(problems, writing="label")
    config = g2t_config(hidden=16, embedding=8)
    settings = TrainConfig(max_steps=4, batch_size=16, validate_every=1, min_word_count=1, min_constant_count=1)
    result = train_solver(lessons, problems[:5], tmp_path / "model", config=config, train=settings)
    assert result.steps == 4
    solver = Solver.load(tmp_path / "model")
    assert isinstance(solver.model, G2T)
    assert solver.solve("Tom has 3 apples and 4 pears. How many fruits does he have?")
    assert isinstance(build_model(config, solver.vocabulary), G2T)
