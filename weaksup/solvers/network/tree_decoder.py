"""The goal-driven tree decoder of GTS (Xie & Sun 2019), shared by both solvers.

Each node has a goal q; attention over the text gives it a context c; from (q, c) every operator, constant and quantity
gets a score.  An operator passes a goal to each of its children; the goal of the right child also depends on the
embedding of the finished left subtree.  A subtree's embedding is merged from its operator and both children.  If the
trees are known (`log_probabilities`), whole levels of a batch are computed at once, see `batches.py`; `beam.py` uses
the same parts node by node.

Under autocast the matrix products run in bfloat16.  Goals, embeddings and scores are handed on in the precision of the
weights, so that sums over many nodes stay exact enough and a pool of vectors has one type.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..data.batches import Batch
from ..presets import SolverConfig
from .dropout import PooledDropout
from .encoder import Encoded

__all__ = ["Memory", "TreeDecoder", "allowed"]


class Memory(NamedTuple):
    """The encoded problems with the projections that all their nodes share."""

    states: Tensor  # (batch, length, hidden)
    keys: Tensor  # (batch, length, hidden) states projected for the attention
    mask: Tensor  # (batch, length)
    operands: Tensor  # (batch, constants + quantities, hidden) embeddings
    operand_keys: Tensor  # (batch, constants + quantities, hidden) projected for scoring
    operand_mask: Tensor  # (batch, constants + quantities) True where there is one
    goal: Tensor  # (batch, hidden) of the root


class _Gated(nn.Module):
    """tanh(W x) * sigmoid(V x)."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.both = nn.Linear(inputs, 2 * outputs)

    def forward(self, x: Tensor) -> Tensor:
        new, gate = self.both(x).to(self.both.weight.dtype).chunk(2, dim=-1)
        return torch.tanh(new) * torch.sigmoid(gate)


class TreeDecoder(nn.Module):
    """Encoded problems -> probabilities of trees."""

    def __init__(self, config: SolverConfig, *, operators: int, constants: int) -> None:
        super().__init__()
        hidden = config.hidden
        self.operators = operators
        self.dropout = PooledDropout(config.dropout)
        self.query_dropout = PooledDropout(config.dropout if config.query_dropout else 0.0)
        self.child_dropout = config.child_dropout
        self.operator_embedding = nn.Embedding(operators, config.embedding)
        self.constant_embedding = nn.Embedding(constants, hidden)
        self.attention_query = nn.Linear(hidden, hidden)
        self.attention_key = nn.Linear(hidden, hidden, bias=False)
        self.attention_score = nn.Linear(hidden, 1, bias=False)
        self.operator_score = nn.Linear(2 * hidden, operators)
        self.operand_query = nn.Linear(2 * hidden, hidden)
        self.operand_key = nn.Linear(hidden, hidden, bias=False)
        self.operand_score = nn.Linear(hidden, 1, bias=False)
        self.to_left = _Gated(2 * hidden + config.embedding, hidden)
        self.to_right = _Gated(2 * hidden + config.embedding, hidden)
        self.left_goal = _Gated(hidden, hidden)
        self.right_goal = _Gated(2 * hidden, hidden)
        self.merge = _Gated(2 * hidden + config.embedding, hidden)

    # --- the parts ----------------------------------------------------------------------------------------------------

    def remember(self, encoded: Encoded, batch: Batch) -> Memory:
        """Compute the projections that all nodes of a problem share."""
        index = batch.places.unsqueeze(-1).expand(-1, -1, encoded.states.shape[-1])
        quantities = encoded.states.gather(1, index)  # (batch, quantities, hidden)
        constants = self.constant_embedding.weight.expand(len(batch.lengths), -1, -1)
        operands = torch.cat([constants, quantities], dim=1)
        return Memory(
            states=encoded.states,
            keys=self.attention_key(encoded.states),
            mask=encoded.mask,
            operands=operands,
            operand_keys=self.operand_key(self.dropout(operands)),
            operand_mask=batch.same >= 0,
            goal=encoded.goal,
        )

    def attend(self, goal: Tensor, owner: Tensor, memory: Memory) -> Tensor:
        """The context (nodes, hidden) of each goal (nodes, hidden); `owner` (nodes,) is the problem of each node."""
        query = self.attention_query(self.query_dropout(goal))
        energy = torch.tanh(query.unsqueeze(1) + memory.keys[owner])  # (nodes, length, hidden)
        score = self.attention_score(energy).squeeze(-1)  # (nodes, length)
        share = score.masked_fill(~memory.mask[owner], -torch.inf).softmax(-1)
        return torch.bmm(share.unsqueeze(1), memory.states[owner]).squeeze(1)

    def score(self, goal_context: Tensor, owner: Tensor, memory: Memory) -> Tensor:
        """Scores (nodes, operators + constants + quantities) for (nodes, 2 hidden); -inf for a token that pads."""
        operator = self.operator_score(goal_context)
        energy = torch.tanh(self.operand_query(goal_context).unsqueeze(1) + memory.operand_keys[owner])
        operand = self.operand_score(energy).squeeze(-1)  # (nodes, constants + quantities)
        operand = operand.masked_fill(~memory.operand_mask[owner], -torch.inf)
        return torch.cat([operator, operand], dim=-1).to(self.operator_score.weight.dtype)

    def pass_goals(self, goal_context: Tensor, operator: Tensor) -> tuple[Tensor, Tensor]:
        """The vectors (nodes, hidden) that an operator passes to its left and to its right child."""
        known = torch.cat([goal_context, self.dropout(self.operator_embedding(operator))], dim=-1)
        return self.dropout(self.to_left(known)), self.dropout(self.to_right(known))

    def merged(self, operator: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """The embedding (nodes, hidden) of subtrees."""
        known = torch.cat([self.operator_embedding(operator), left, right], dim=-1)
        embedding: Tensor = self.merge(self.dropout(known))
        return embedding

    # --- all trees at once --------------------------------------------------------------------------------------------

    def log_probabilities(self, memory: Memory, batch: Batch) -> Tensor:
        """The log-probability (trees,) of each tree of the batch.

        Operands of the same value are interchangeable, so their probabilities are added up.  If the plan limits the
        leaves of its trees, they are the probabilities of drawing the trees under these limits.
        """
        plan = batch.plan
        assert plan is not None, "the batch has trees"
        table = self._merge_up(memory, batch)
        inputs = self.dropout(memory.goal[plan.owner[: plan.sizes[0]]])
        goal: Tensor = self.left_goal(inputs)  # (nodes of the level, hidden)
        found: list[Tensor] = []
        start = 0
        for level, size in enumerate(plan.sizes):
            owner = plan.owner[start : start + size]
            whole = torch.cat([goal, self.attend(goal, owner, memory)], dim=-1)  # (nodes, 2 hidden)
            known = self.dropout(whole)
            found.append(known)
            if level < len(plan.operators):
                parents = plan.operators[level]
                operator = plan.token[start : start + size][parents]
                given = self.dropout(whole[parents]) if self.child_dropout else known[parents]
                to_left, to_right = self.pass_goals(given, operator)
                finished = self.dropout(table[plan.left[level]])
                goal = torch.cat(
                    [self.left_goal(to_left), self.right_goal(torch.cat([to_right, finished], dim=-1))], dim=0
                )
            start += size
        scores = self.score(torch.cat(found), plan.owner, memory)  # (nodes, tokens)
        if plan.choices is not None:
            scores = allowed(scores, *plan.choices, self.operators)
        chances = scores.log_softmax(-1)
        classes = token_classes(batch.same, self.operators)[plan.owner]
        meant = classes == classes.gather(1, plan.token.unsqueeze(1))
        of_node = chances.masked_fill(~meant, -torch.inf).logsumexp(-1)  # (nodes,)
        return of_node.new_zeros(len(plan.tree_owner)).index_add(0, plan.tree, of_node)

    def _merge_up(self, memory: Memory, batch: Batch) -> Tensor:
        """The table of subtree embeddings, with its rows in the order of `TreePlan`."""
        plan = batch.plan
        assert plan is not None
        width = memory.operands.shape[1]
        flat = memory.operands.reshape(-1, memory.operands.shape[-1])
        table = flat[plan.owner[plan.leaves] * width + plan.token[plan.leaves] - self.operators]
        for nodes, left, right in plan.merges:
            table = torch.cat([table, self.merged(plan.token[nodes], table[left], table[right])])
        return table


def allowed(scores: Tensor, branch: Tensor, end: Tensor, operators: int) -> Tensor:
    """The scores (rows, tokens), with -inf for operators where a row may not branch, for operands where not end."""
    is_operator = torch.arange(scores.shape[1], device=scores.device) < operators
    may = torch.where(is_operator, branch.unsqueeze(1), end.unsqueeze(1))  # (rows, tokens)
    return scores.masked_fill(~may, -torch.inf)


def token_classes(same: Tensor, operators: int) -> Tensor:
    """For each token (batch, operators + operands) the first token of the same value; an operator is its own class."""
    own = torch.arange(operators, device=same.device).expand(len(same), -1)
    return torch.cat([own, torch.where(same >= 0, same + operators, -1)], dim=-1)
