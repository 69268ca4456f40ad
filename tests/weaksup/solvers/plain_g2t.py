"""G2T as its equations read: `PlainGTS` with a graph encoder that goes through heads, layers and edges one by one."""

from __future__ import annotations

import torch
from torch import Tensor

from weaksup.solvers.data.batches import Example
from weaksup.solvers.data.graphs import Edges

from .plain_gts import PlainGTS, Text


class PlainG2T(PlainGTS):
    def read(self, example: Example) -> Text:
        text = super().read(example)
        states = self.graph_states(text.states, example)
        constants = list(self.state["decoder.constant_embedding.weight"])
        operands = torch.stack(constants + [states[place] for place in example.places])
        return Text(states, operands, text.goal)

    def graph_states(self, states: Tensor, example: Example) -> Tensor:
        assert example.graphs is not None
        heads, share = self.config.heads, self.config.hidden // self.config.heads
        mean = self.config.graph == "compact"
        found = []
        for head in range(heads):
            graph, of_graph = divmod(head, heads // 2)
            edges = example.graphs.comparisons if graph == 0 else example.graphs.cells
            mine = slice(head * share, (head + 1) * share)
            if mean:
                first, first_bias = self.part("first.weight")[mine].T, self.part("first.bias")[mine]
                second_bias = self.part("second_bias")[mine]
            else:
                first, first_bias = self.part("first")[graph, of_graph], self.part("first_bias")[graph, of_graph, 0]
                second_bias = self.part("second_bias")[graph, of_graph, 0]
            hidden = torch.relu(convolved(states, edges, first, mean=mean) + first_bias)
            found.append(convolved(hidden, edges, self.part("second")[graph, of_graph], mean=mean) + second_bias)
        rows = []
        for i, state in enumerate(states):
            row = torch.cat([head[i] for head in found])
            row = (row - row.mean()) / torch.sqrt(row.var(correction=0) + 1e-5)
            row = row * self.part("norm.weight") + self.part("norm.bias") + state
            inner = torch.relu(self.part("feed_forward.0.weight") @ row + self.part("feed_forward.0.bias"))
            rows.append(row + self.part("feed_forward.3.weight") @ inner + self.part("feed_forward.3.bias"))
        return torch.stack(rows)

    def part(self, name: str) -> Tensor:
        return self.state[f"graph_encoder.{name}"]


def convolved(states: Tensor, edges: Edges, weight: Tensor, *, mean: bool) -> Tensor:
    """For each place the mean or sum over itself and what its edges lead to, times the weight."""
    rows = []
    for place, state in enumerate(states):
        gathered = [state] + [states[other] for one, other in edges if one == place]
        rows.append((torch.stack(gathered).mean(0) if mean else torch.stack(gathered).sum(0)) @ weight)
    return torch.stack(rows)
