"""Tiny, randomly initialised models of the Hugging Face kind, saved as their users would save them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

#: Pieces of words, so that words of the stories are cut into several.
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,?!'-$%/"


def transformers_or_skip() -> Any:
    return pytest.importorskip("transformers", reason='transformers is not installed (extra "hf")')


def _word_pieces(place: Path, **special: str) -> Any:
    transformers = transformers_or_skip()
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "how", "many", "the", *_LETTERS]
    pieces += [f"##{letter}" for letter in _LETTERS]
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", **special
    )
    fast.save_pretrained(str(place))
    return fast


def tiny_encoder(place: Path, kind: str = "bert", *, positions: int = 256, seed: int = 0) -> Path:
    """A folder with a two-layer encoder of a type that transformers knows."""
    transformers = transformers_or_skip()
    fast = _word_pieces(place, cls_token="[CLS]", sep_token="[SEP]")
    sizes = {
        "vocab_size": len(fast),
        "hidden_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "max_position_embeddings": positions,
        "pad_token_id": 0,
    }
    torch.manual_seed(seed)
    config = transformers.AutoConfig.for_model(kind, **sizes)
    transformers.AutoModel.from_config(config).save_pretrained(str(place), safe_serialization=True)
    return place


def tiny_language_model(place: Path, *, seed: int = 0) -> Path:
    """A folder with a two-layer GPT-2."""
    transformers = transformers_or_skip()
    fast = _word_pieces(place, bos_token="[CLS]", eos_token="[SEP]")
    config = transformers.GPT2Config(
        vocab_size=len(fast), n_embd=16, n_layer=2, n_head=2, n_positions=512, bos_token_id=2, eos_token_id=3
    )
    torch.manual_seed(seed)
    transformers.GPT2LMHeadModel(config).save_pretrained(str(place), safe_serialization=True)
    return place
