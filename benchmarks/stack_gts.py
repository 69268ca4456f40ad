"""GTS trained as its public code does it: one step a token for a whole batch, with Python stacks for each example.

The peer of `bench_training.py`, written from the equations (DESIGN section 5, `network/tree_decoder.py`) and in the
shape of the public code: the encoder is `torch.nn.GRU` on packed sequences; at each step the goals on top of the
stacks are made example by example (a left and a right child have different formulas), attention, scoring and the goals
of both children are computed for the whole batch, attention and scoring project the texts anew; finished subtrees are
merged example by example.  Examples whose tree is complete stay in the batch with a goal of zeros.

Parameters and losses are those of ours: `StackGTS.take` copies the weights of a `GTS`, and without dropout both give
the same log-probabilities, which the benchmark checks before it measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from weaksup.solvers.data.batches import Example
from weaksup.solvers.data.vocabulary import PAD, Vocabulary
from weaksup.solvers.network.gts import GTS
from weaksup.solvers.presets import SolverConfig

__all__ = ["StackGTS"]


class _Node(NamedTuple):
    """A place of the tree that is still to be written: what its parent passed to it."""

    given: Tensor  # (1, hidden)
    is_left: bool


class _Subtree(NamedTuple):
    """What waits on the stack of embeddings: an operator for its children, or a finished left subtree for the right."""

    embedding: Tensor  # (1, embedding) of an operator, (1, hidden) of a subtree
    is_finished: bool


class StackGTS(nn.Module):
    """Examples with one tree each -> the log-probability (batch,) of each."""

    def __init__(self, config: SolverConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        hidden, small = config.hidden, config.embedding
        self.hidden, self.operators = hidden, len(vocabulary.operators)
        self.constants = len(vocabulary.constants)
        self.dropout = nn.Dropout(config.dropout)
        self.words = nn.Embedding(len(vocabulary.words), small, padding_idx=PAD)
        self.gru = nn.GRU(small, hidden, config.layers, bidirectional=True, dropout=config.dropout)
        self.operator_embedding = nn.Embedding(self.operators, small)
        self.constant_embedding = nn.Embedding(self.constants, hidden)
        self.attention = nn.Linear(2 * hidden, hidden)
        self.attention_score = nn.Linear(hidden, 1, bias=False)
        self.operand = nn.Linear(3 * hidden, hidden)
        self.operand_score = nn.Linear(hidden, 1, bias=False)
        self.operator_score = nn.Linear(2 * hidden, self.operators)
        self.gates = nn.ModuleDict(
            {
                name: nn.ModuleList([nn.Linear(size, hidden), nn.Linear(size, hidden)])
                for name, size in {
                    "left_goal": hidden,
                    "right_goal": 2 * hidden,
                    "to_left": 2 * hidden + small,
                    "to_right": 2 * hidden + small,
                    "merge": 2 * hidden + small,
                }.items()
            }
        )

    @torch.no_grad()
    def take(self, model: GTS) -> None:
        """Copy the weights of our model."""
        ours = model.state_dict()
        self.words.weight.copy_(ours["encoder.embedding.weight"])
        for name, parameter in self.gru.named_parameters():
            kind, _, rest = name.partition("_l")
            layer, _, back = rest.partition("_")
            parameter.copy_(ours[f"encoder.layers.{layer}.{kind}_l0" + (f"_{back}" if back else "")])
        for name in ("operator_embedding", "constant_embedding", "attention_score", "operand_score"):
            getattr(self, name).weight.copy_(ours[f"decoder.{name}.weight"])
        for joined, name in ((self.attention, "attention"), (self.operand, "operand")):
            joined.weight.copy_(
                torch.cat([ours[f"decoder.{name}_query.weight"], ours[f"decoder.{name}_key.weight"]], 1)
            )
            joined.bias.copy_(ours[f"decoder.{name}_query.bias"])
        self.operator_score.load_state_dict(
            {part: ours[f"decoder.operator_score.{part}"] for part in ("weight", "bias")}
        )
        for name, pair in self.gates.items():
            for part in ("weight", "bias"):
                halves = ours[f"decoder.{name}.both.{part}"].chunk(2)
                for linear, half in zip(pair, halves, strict=True):
                    getattr(linear, part).copy_(half)

    def _gated(self, name: str, *inputs: Tensor) -> Tensor:
        new, gate = self.gates[name]
        known = torch.cat(inputs, dim=-1)
        return torch.tanh(new(known)) * torch.sigmoid(gate(known))

    def forward(self, examples: Sequence[Example]) -> Tensor:
        """The examples must come longest text first, as `pack_padded_sequence` wants them."""
        words = nn.utils.rnn.pad_sequence([torch.tensor(example.words) for example in examples], padding_value=PAD)
        lengths = torch.tensor([len(example.words) for example in examples])
        states, goals = self._read(words, lengths)  # (length, batch, hidden), (batch, hidden)
        mask = torch.arange(len(words)).unsqueeze(1) >= lengths  # (length, batch) True for padding
        operands, same = self._operands(states, examples)

        nodes = [[_Node(goal.unsqueeze(0), is_left=True)] for goal in self.dropout(goals)]
        subtrees: list[list[_Subtree]] = [[] for _ in examples]
        trees = [example.trees[0] for example in examples]
        longest = max(map(len, trees))
        target = torch.tensor([[*tree, *[0] * (longest - len(tree))] for tree in trees])  # (batch, longest)
        written = torch.tensor([[t < len(tree) for t in range(longest)] for tree in trees])
        scores = []
        for t in range(longest):
            goal = self._current_goals(nodes, subtrees)  # (batch, hidden)
            context = self._attend(goal, states, mask)
            known = self.dropout(torch.cat([goal, context], dim=-1))  # (batch, 2 hidden)
            scores.append(self._score(known, operands, same))
            # The goals of both children, for the whole batch, whether the token is an operator or not.
            operator = self.dropout(self.operator_embedding(target[:, t].clamp(max=self.operators - 1)))
            to_left = self.dropout(self._gated("to_left", known, operator))
            to_right = self.dropout(self._gated("to_right", known, operator))
            for row, tree in enumerate(trees):
                if t < len(tree):
                    self._write(tree[t], nodes[row], subtrees[row], to_left[row], to_right[row], operands[row])
        chances = torch.stack(scores, dim=1).log_softmax(-1)  # (batch, longest, tokens)
        own = torch.arange(self.operators).expand(len(examples), -1)
        classes = torch.cat([own, torch.where(same >= 0, same + self.operators, -1)], dim=-1)  # (batch, tokens)
        meant = classes.unsqueeze(1) == classes.gather(1, target).unsqueeze(-1)
        of_token = chances.masked_fill(~meant, -torch.inf).logsumexp(-1)  # (batch, longest)
        return of_token.masked_fill(~written, 0.0).sum(1)

    def _read(self, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        packed = pack_padded_sequence(self.dropout(self.words(words)), lengths)
        padded, _ = pad_packed_sequence(self.gru(packed)[0])
        forward, backward = padded.split(self.hidden, dim=-1)
        last = forward[lengths - 1, torch.arange(len(lengths))]
        return forward + backward, last + backward[0]

    def _operands(self, states: Tensor, examples: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Embeddings (batch, constants + quantities, hidden), and for each the first of its value; -1 where none is."""
        most = max(len(example.places) for example in examples)
        rows, kinds = [], []
        for row, example in enumerate(examples):
            places = [*example.places, *[0] * (most - len(example.places))]
            rows.append(torch.cat([self.constant_embedding.weight, states[places, row]]))
            kinds.append([*example.same, *[-1] * (self.constants + most - len(example.same))])
        return torch.stack(rows), torch.tensor(kinds)

    def _current_goals(self, nodes: list[list[_Node]], subtrees: list[list[_Subtree]]) -> Tensor:
        goals = []
        for waiting, finished in zip(nodes, subtrees, strict=True):
            if not waiting:
                goals.append(torch.zeros(1, self.hidden))
            elif waiting[-1].is_left:
                goals.append(self._gated("left_goal", waiting[-1].given))
            else:
                left = self.dropout(finished[-1].embedding)
                goals.append(self._gated("right_goal", waiting[-1].given, left))
        return torch.cat(goals)

    def _attend(self, goal: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        spread = goal.unsqueeze(0).expand(len(states), -1, -1)
        energy = torch.tanh(self.attention(torch.cat([spread, states], dim=-1)))  # (length, batch, hidden)
        share = self.attention_score(energy).squeeze(-1).masked_fill(mask, -torch.inf).softmax(0)
        return torch.bmm(share.t().unsqueeze(1), states.transpose(0, 1)).squeeze(1)

    def _score(self, known: Tensor, operands: Tensor, same: Tensor) -> Tensor:
        spread = known.unsqueeze(1).expand(-1, operands.shape[1], -1)
        energy = torch.tanh(self.operand(torch.cat([spread, self.dropout(operands)], dim=-1)))
        operand = self.operand_score(energy).squeeze(-1).masked_fill(same < 0, -torch.inf)
        return torch.cat([self.operator_score(known), operand], dim=-1)

    def _write(
        self,
        token: int,
        nodes: list[_Node],
        subtrees: list[_Subtree],
        to_left: Tensor,
        to_right: Tensor,
        operands: Tensor,
    ) -> None:
        """Put a token into one tree."""
        nodes.pop()
        if token < self.operators:
            nodes.append(_Node(to_right.unsqueeze(0), is_left=False))
            nodes.append(_Node(to_left.unsqueeze(0), is_left=True))
            subtrees.append(_Subtree(self.operator_embedding.weight[token].unsqueeze(0), is_finished=False))
            return
        embedding = operands[token - self.operators].unsqueeze(0)
        while subtrees and subtrees[-1].is_finished:
            left, operator = subtrees.pop().embedding, subtrees.pop().embedding
            embedding = self._gated("merge", *map(self.dropout, (operator, left, embedding)))
        subtrees.append(_Subtree(embedding, is_finished=True))
