"""Qwen2 and Qwen2.5, the language models: digits one token each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gnomon.pipeline.families._text import TextOnly
from gnomon.pipeline.families.base import decoder

SMALL = {"vocab_size": 151_936, "tie_word_embeddings": True}
"""Those of up to 3B."""


class Qwen2(TextOnly):
    """Qwen2 and Qwen2.5, text alone."""

    name: ClassVar[str] = "qwen2"
    model_types: ClassVar[tuple[str, ...]] = ("qwen2",)
    digits: ClassVar[str] = "1"
    end: ClassVar[str] = "<|im_end|>"
    config_class: ClassVar[str] = "Qwen2Config"
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "Qwen/Qwen2.5-0.5B-Instruct": decoder(896, 4864, 24, 14, 2, **SMALL),
        "Qwen/Qwen2.5-1.5B-Instruct": decoder(1536, 8960, 28, 12, 2, **SMALL),
        "Qwen/Qwen2.5-3B-Instruct": decoder(2048, 11_008, 36, 16, 2, **SMALL),
        "Qwen/Qwen2.5-7B-Instruct": decoder(3584, 18_944, 28, 28, 4, vocab_size=152_064),
    }
