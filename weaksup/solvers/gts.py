"""GTS (Xie & Sun 2019): a bidirectional GRU reads, a goal-driven tree decoder writes."""

from __future__ import annotations

from torch import Tensor, nn

from .batches import Batch
from .config import SolverConfig
from .encoder import Encoder
from .tree_decoder import Memory, TreeDecoder
from .vocabulary import Vocabulary

__all__ = ["GTS"]


class GTS(nn.Module):
    """Batch -> the log-probability (trees,) of each tree."""

    def __init__(self, config: SolverConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.encoder = Encoder(config, len(vocabulary.words))
        self.decoder = TreeDecoder(config, operators=len(vocabulary.operators), constants=len(vocabulary.constants))

    def read(self, batch: Batch) -> Memory:
        """What the decoder needs of the texts."""
        return self.decoder.remember(self.encoder(batch), batch)

    def forward(self, batch: Batch) -> Tensor:
        return self.decoder.log_probabilities(self.read(batch), batch)
