"""GTS as its equations read: one text at a time, unpadded, by recursion over the tree, nothing shared or scheduled.

The oracle of the fast implementation.  A hypothesis of the beam is its tokens and its score only: the goal of the next
node is found by walking the unfinished tree again from the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call

from weaksup.solvers.data.batches import Example
from weaksup.solvers.presets import SolverConfig


class Text(NamedTuple):
    states: Tensor  # (length, hidden)
    operands: Tensor  # (constants + quantities, hidden)
    goal: Tensor  # (hidden,)


class Walk(NamedTuple):
    """How far a prefix sequence was walked below a node."""

    rest: tuple[int, ...]
    embedding: Tensor | None  # of the subtree; None if the sequence ended before it was complete
    open_goal: Tensor | None  # of the node where it ended
    log_probability: Tensor


class PlainGTS:
    """`state` holds the parameters by name; gradients flow to them."""

    def __init__(self, state: Mapping[str, Tensor], config: SolverConfig) -> None:
        self.state, self.config = state, config
        self.operators = len(state["decoder.operator_embedding.weight"])

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, example: Example) -> Text:
        states = self.state["encoder.embedding.weight"][list(example.words)].unsqueeze(1)  # (length, 1, embedding)
        for layer in range(self.config.layers):
            prefix = f"encoder.layers.{layer}."
            weights = {name.removeprefix(prefix): w for name, w in self.state.items() if name.startswith(prefix)}
            width = weights["weight_hh_l0"].shape[1]
            gru = nn.GRU(states.shape[-1], width, bidirectional=True).to(states.dtype)
            states, last = functional_call(gru, weights, (states,))
        states, last = states.squeeze(1), last.squeeze(1)  # (length, 2 width), (2, width): the end of each direction
        if self.config.directions == "sum":
            width = states.shape[-1] // 2
            states, goal = states[:, :width] + states[:, width:], last[0] + last[1]
        else:
            goal = torch.cat([last[0], last[1]])
        constants = list(self.state["decoder.constant_embedding.weight"])
        quantities = [states[place] for place in example.places]
        operands = torch.stack(constants + quantities) if constants or quantities else states[:0]
        return Text(states, operands, goal)

    # --- the equations ------------------------------------------------------------------------------------------------

    def linear(self, name: str, x: Tensor) -> Tensor:
        found = x @ self.state[f"decoder.{name}.weight"].T
        bias = self.state.get(f"decoder.{name}.bias")
        return found if bias is None else found + bias

    def gated(self, name: str, *inputs: Tensor) -> Tensor:
        new, gate = self.linear(f"{name}.both", torch.cat(inputs)).chunk(2)
        return torch.tanh(new) * torch.sigmoid(gate)

    def context(self, goal: Tensor, text: Text) -> Tensor:
        scores = []
        for state in text.states:
            energy = torch.tanh(self.linear("attention_query", goal) + self.linear("attention_key", state))
            scores.append(self.linear("attention_score", energy))
        return torch.softmax(torch.cat(scores), 0) @ text.states

    def chances(self, goal: Tensor, context: Tensor, text: Text) -> Tensor:
        """The log-probability of each operator, constant and quantity."""
        known = torch.cat([goal, context])
        scores = [self.linear("operator_score", known)]
        for operand in text.operands:
            energy = torch.tanh(self.linear("operand_query", known) + self.linear("operand_key", operand))
            scores.append(self.linear("operand_score", energy))
        return torch.log_softmax(torch.cat(scores), 0)

    def walk(self, goal: Tensor, tokens: tuple[int, ...], text: Text, same: tuple[int, ...]) -> Walk:
        """The subtree at the beginning of `tokens`, whose root has this goal."""
        if not tokens:
            return Walk((), None, goal, goal.new_zeros(()))
        token, rest = tokens[0], tokens[1:]
        context = self.context(goal, text)
        chances = self.chances(goal, context, text)
        if token >= self.operators:
            operand = token - self.operators
            alike = [self.operators + i for i, first in enumerate(same) if first == same[operand]]
            return Walk(rest, text.operands[operand], None, torch.log(chances[alike].exp().sum()))
        operator = self.state["decoder.operator_embedding.weight"][token]
        given = self.gated("to_left", goal, context, operator)
        left = self.walk(self.gated("left_goal", given), rest, text, same)
        total = chances[token] + left.log_probability
        if left.embedding is None:
            return Walk((), None, left.open_goal, total)
        given = self.gated("to_right", goal, context, operator)
        right = self.walk(self.gated("right_goal", given, left.embedding), left.rest, text, same)
        total = total + right.log_probability
        if right.embedding is None:
            return Walk((), None, right.open_goal, total)
        return Walk(right.rest, self.gated("merge", operator, left.embedding, right.embedding), None, total)

    # --- what is compared ---------------------------------------------------------------------------------------------

    def log_probabilities(self, example: Example) -> list[Tensor]:
        text = self.read(example)
        found = []
        for tree in example.trees:
            walk = self.walk(self.gated("left_goal", text.goal), tree, text, example.same)
            assert walk.embedding is not None and not walk.rest
            found.append(walk.log_probability)
        return found

    @torch.no_grad()
    def beam(self, example: Example, *, beam: int, max_tokens: int) -> list[tuple[tuple[int, ...], float]]:
        text = self.read(example)
        root = self.gated("left_goal", text.goal)
        alone = tuple(range(len(example.same)))  # the beam tells operands of the same value apart
        best: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
        while any(self.missing(tokens) for tokens, _ in best):
            grown = []
            for tokens, score in best:
                missing = self.missing(tokens)
                if not missing:
                    grown.append((tokens, score))
                    continue
                goal = self.walk(root, tokens, text, alone).open_goal
                assert goal is not None
                chances = self.chances(goal, self.context(goal, text), text).tolist()
                for token, chance in enumerate(chances):
                    after = missing + (1 if token < self.operators else -1)
                    if token >= self.operators or len(tokens) + 1 + after <= max_tokens:
                        grown.append(((*tokens, token), score + chance))
            best = sorted(grown, key=lambda pair: -pair[1])[:beam]
        return best

    def missing(self, tokens: tuple[int, ...]) -> int:
        """How many nodes must still be written at least."""
        return 1 + sum(1 if token < self.operators else -1 for token in tokens)
