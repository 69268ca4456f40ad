"""A pretrained encoder of the Hugging Face kind (BERT, RoBERTa, MiniLM...) in place of embedding and GRU.

Its states are projected to the size of the decoder; the goal of the root is the projected mean of a text's states.  A
quantity is represented by the state of its first word piece.  The network is built from the folder's configuration
alone; the pretrained weights are loaded when a training begins (`load_pretrained`), from safetensors only.  After that
they are weights of the solver like all others.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from torch import Tensor, nn

from ...errors import ConfigError
from ...storage.run_files import ENCODER_FILES
from ..data.batches import Batch
from ..data.pieces import encoder_config, from_local, piece_reader, quiet_transformers
from ..presets import SolverConfig
from .dropout import PooledDropout
from .encoder import Encoded, Encoder

__all__ = ["PretrainedEncoder", "digest_pretrained", "load_pretrained", "save_definition", "text_encoder"]

_WEIGHTS = "model.safetensors"
#: Types of models that use a mask (batch, 1, length, length) as it is.  With others it raises, or means something else.
_WHOLE_MASKS = frozenset(["albert", "bert", "camembert", "distilbert", "electra", "ernie", "roberta", "xlm-roberta"])


class PretrainedEncoder(nn.Module):
    """Batch of word pieces -> Encoded."""

    def __init__(self, config: SolverConfig) -> None:
        super().__init__()
        assert config.encoder is not None
        known = encoder_config(config.encoder)
        if getattr(known, "is_encoder_decoder", False) or getattr(known, "is_decoder", False):
            raise ConfigError(f"{config.encoder} holds a {known.model_type} model, which is not an encoder")
        self.model = quiet_transformers().AutoModel.from_config(known, trust_remote_code=False)
        if hasattr(self.model, "pooler"):
            self.model.pooler = None  # for classification; nothing here reads it
        # With a mask (batch, length), transformers asks whether it is all True, which waits for the device.
        self.whole_mask = known.model_type in _WHOLE_MASKS and self.model.config._attn_implementation == "sdpa"
        self.dropout = PooledDropout(config.dropout)
        self.project = nn.Linear(known.hidden_size, config.hidden)

    def forward(self, batch: Batch) -> Encoded:
        steps = torch.arange(batch.words.shape[1], device=batch.words.device)
        mask = steps < batch.length.unsqueeze(1)  # (batch, length)
        seen = mask[:, None, None].expand(-1, 1, mask.shape[1], -1) if self.whole_mask else mask.long()
        found = self.model(input_ids=batch.words, attention_mask=seen).last_hidden_state
        states: Tensor = self.project(self.dropout(found)).to(self.project.weight.dtype)  # (batch, length, hidden)
        read = states * mask.unsqueeze(-1)
        return Encoded(states, mask, read.sum(1) / batch.length.unsqueeze(1))


def text_encoder(config: SolverConfig, words: int) -> nn.Module:
    """The text encoder of a solver: pretrained, or embedding and GRU for `words` words."""
    return Encoder(config, words) if config.encoder is None else PretrainedEncoder(config)


def load_pretrained(encoder: nn.Module, folder: str) -> None:
    """Load the weights of an encoder folder; raises `ConfigError` if they are missing or not safetensors."""
    assert isinstance(encoder, PretrainedEncoder)
    _weights_file(folder)
    given = from_local("AutoModel", folder, use_safetensors=True)
    own = encoder.model.state_dict()
    encoder.model.load_state_dict({name: value for name, value in given.state_dict().items() if name in own})


def digest_pretrained(folder: str) -> str:
    """SHA-256 of the weights of an encoder folder."""
    with open(_weights_file(folder), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _weights_file(folder: str) -> Path:
    path = Path(folder) / _WEIGHTS
    if not path.is_file():
        raise ConfigError(f"{folder} has no {_WEIGHTS}; weights in other formats are not loaded")
    return path


def save_definition(source: str, folder: Path) -> None:
    """Write configuration and tokenizer of an encoder to `folder`, so that a solver can be used without its source."""
    folder.mkdir(parents=True, exist_ok=True)
    encoder_config(source).save_pretrained(str(folder))
    piece_reader(source).save(folder)
    for path in folder.iterdir():
        if path.name not in ENCODER_FILES:
            path.unlink()
