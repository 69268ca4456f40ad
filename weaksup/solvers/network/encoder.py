"""The text encoder of both solvers: word embeddings and a bidirectional GRU of one or more layers.

The parameters are those of `torch.nn.GRU`, which runs on a GPU; on a CPU `gru_layer` is faster.  The backward direction
reads each text from its own last word, so padding is never read.

The recurrence runs outside autocast, in the precision of its weights: on CUDA, autocast would run it in float16 even if
bfloat16 is asked for, without the loss scaling that float16 needs.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..data.batches import Batch
from ..data.vocabulary import PAD, UNKNOWN
from ..presets import SolverConfig
from .dropout import PooledDropout
from .gru_layer import gru_layer

__all__ = ["Encoded", "Encoder"]


class Encoded(NamedTuple):
    """The input of the decoder."""

    states: Tensor  # (batch, length, hidden)
    mask: Tensor  # (batch, length) True for words
    goal: Tensor  # (batch, hidden) the goal of the root


class Encoder(nn.Module):
    """Batch -> Encoded."""

    def __init__(self, config: SolverConfig, words: int) -> None:
        super().__init__()
        self.summed = config.directions == "sum"
        self.hidden = config.hidden if self.summed else config.hidden // 2  # of one direction
        self.embedding = nn.Embedding(words, config.embedding, padding_idx=PAD)
        self.word_dropout = config.word_dropout
        self.dropout = PooledDropout(config.dropout)
        self.layers = nn.ModuleList(
            nn.GRU(config.embedding if layer == 0 else 2 * self.hidden, self.hidden, bidirectional=True)
            for layer in range(config.layers)
        )

    def forward(self, batch: Batch) -> Encoded:
        words = batch.words
        if self.training and self.word_dropout:
            dropped = torch.rand(words.shape, device=words.device) < self.word_dropout
            dropped.scatter_(1, batch.places, False)  # never a number (nor the first word, where padding points)
            words = words.masked_fill(dropped & (words != PAD), UNKNOWN)
        steps = torch.arange(words.shape[1], device=words.device)
        mask = steps < batch.length.unsqueeze(1)  # (batch, length)
        # The position that the backward direction reads at each step: padding stays where it is.
        reverse = torch.where(mask, batch.length.unsqueeze(1) - 1 - steps, steps).t()  # (length, batch)
        rows = torch.arange(len(words), device=words.device)
        flipped = (reverse * len(words) + rows).reshape(-1)
        states = self.dropout(self.embedding(words.t()))  # (length, batch, embedding)
        for i, layer in enumerate(self.layers):
            if i:
                states = self.dropout(states)
            with torch.autocast(states.device.type, enabled=False):
                found = _run_layer(layer, states, batch.lengths, flipped)  # (length, batch, 2 hidden)
            states = found.to(states.dtype)
        forward, backward = states.split(self.hidden, dim=-1)
        last = forward[batch.length - 1, rows]  # (batch, hidden)
        first = backward[0]
        if self.summed:
            return Encoded((forward + backward).transpose(0, 1).contiguous(), mask, last + first)
        return Encoded(states.transpose(0, 1).contiguous(), mask, torch.cat([last, first], dim=-1))


def _run_layer(layer: nn.Module, inputs: Tensor, lengths: tuple[int, ...], flipped: Tensor) -> Tensor:
    """The states (length, batch, 2 hidden) of both directions; `flipped` reverses each text in the flattened inputs."""
    assert isinstance(layer, nn.GRU)
    if inputs.device.type != "cpu":
        states, _ = layer(pack_padded_sequence(inputs, torch.tensor(lengths)))
        padded, _ = pad_packed_sequence(states, total_length=inputs.shape[0])
        return padded
    length, batch, width = inputs.shape
    flat = inputs.reshape(length * batch, width)
    both = torch.stack([flat, flat.index_select(0, flipped)]).view(2, length, batch, width)
    weight_ih, weight_hh, bias_ih, bias_hh = (
        torch.stack([getattr(layer, f"{name}_l0"), getattr(layer, f"{name}_l0_reverse")])
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    active = [sum(size > step for size in lengths) for step in range(length)]
    states = gru_layer(both, weight_ih, weight_hh, bias_ih, bias_hh, active)  # (2, length, batch, hidden)
    backward = states[1].reshape(length * batch, -1).index_select(0, flipped).view(length, batch, -1)
    return torch.cat([states[0], backward], dim=-1)
