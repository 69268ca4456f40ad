"""G2T (Zhang et al. 2020): GTS with a graph encoder between text and tree.

The decoder attends to the states of the graph encoder, which also give the embeddings of the quantities.  The goal of
the root comes from the text encoder, as published.
"""

from __future__ import annotations

from torch import Tensor, nn

from ..data.batches import Batch
from ..data.vocabulary import Vocabulary
from ..presets import SolverConfig
from .graph_encoder import GRAPH_ENCODERS
from .pretrained import text_encoder
from .tree_decoder import Memory, TreeDecoder

__all__ = ["G2T"]


class G2T(nn.Module):
    """Batch with graphs -> the log-probability (trees,) of each tree."""

    def __init__(self, config: SolverConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.encoder = text_encoder(config, len(vocabulary.words))
        self.graph_encoder = GRAPH_ENCODERS[config.graph](config)
        self.decoder = TreeDecoder(config, operators=len(vocabulary.operators), constants=len(vocabulary.constants))

    def read(self, batch: Batch) -> Memory:
        """Encode the texts and graphs of a batch for the decoder."""
        if batch.comparisons is None or batch.cells is None:
            raise ValueError("the examples have no graphs: make them with the settings of a g2t solver")
        encoded = self.encoder(batch)
        states = self.graph_encoder(encoded.states, batch.comparisons, batch.cells)  # (batch, length, hidden)
        return self.decoder.remember(encoded._replace(states=states), batch)

    def forward(self, batch: Batch) -> Tensor:
        return self.decoder.log_probabilities(self.read(batch), batch)
