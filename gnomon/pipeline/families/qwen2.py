"""Qwen2 and Qwen2.5, the language models: digits one token each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gnomon.pipeline.families._text import TextOnly


class Qwen2(TextOnly):
    """Qwen2 and Qwen2.5, text alone."""

    name: ClassVar[str] = "qwen2"
    model_types: ClassVar[tuple[str, ...]] = ("qwen2",)
    digits: ClassVar[str] = "1"
    end: ClassVar[str] = "<|im_end|>"
    config_class: ClassVar[str] = "Qwen2Config"
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "Qwen/Qwen2.5-0.5B-Instruct": {
            "vocab_size": 151_936,
            "hidden_size": 896,
            "intermediate_size": 4864,
            "num_hidden_layers": 24,
            "num_attention_heads": 14,
            "num_key_value_heads": 2,
            "tie_word_embeddings": True,
        },
        "Qwen/Qwen2.5-1.5B-Instruct": {
            "vocab_size": 151_936,
            "hidden_size": 1536,
            "intermediate_size": 8960,
            "num_hidden_layers": 28,
            "num_attention_heads": 12,
            "num_key_value_heads": 2,
            "tie_word_embeddings": True,
        },
        "Qwen/Qwen2.5-3B-Instruct": {
            "vocab_size": 151_936,
            "hidden_size": 2048,
            "intermediate_size": 11_008,
            "num_hidden_layers": 36,
            "num_attention_heads": 16,
            "num_key_value_heads": 2,
            "tie_word_embeddings": True,
        },
        "Qwen/Qwen2.5-7B-Instruct": {
            "vocab_size": 152_064,
            "hidden_size": 3584,
            "intermediate_size": 18_944,
            "num_hidden_layers": 28,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
        },
    }
