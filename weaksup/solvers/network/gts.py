"""GTS (Xie & Sun 2019): a bidirectional GRU reads, a goal-driven tree decoder writes."""

from __future__ import annotations

from torch import Tensor, nn

from ..data.batches import Batch
from ..data.vocabulary import Vocabulary
from ..presets import SolverConfig
from .pretrained import text_encoder
from .tree_decoder import Memory, TreeDecoder

__all__ = ["GTS"]


class GTS(nn.Module):
    """Batch -> the log-probability (trees,) of each tree."""

    def __init__(self, config: SolverConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.encoder = text_encoder(config, len(vocabulary.words))
        self.decoder = TreeDecoder(config, operators=len(vocabulary.operators), constants=len(vocabulary.constants))

    def read(self, batch: Batch) -> Memory:
        """Encode the texts of a batch for the decoder."""
        return self.decoder.remember(self.encoder(batch), batch)

    def forward(self, batch: Batch) -> Tensor:
        return self.decoder.log_probabilities(self.read(batch), batch)
