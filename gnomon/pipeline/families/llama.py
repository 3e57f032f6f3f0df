"""Llama, the language models: up to three digits a token from Llama-3 on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gnomon.pipeline.families._text import TextOnly
from gnomon.pipeline.families.base import decoder

DATE = "26 Jul 2024"
"""Llama's templates write the day's date unless given one, and the same recipe would be another
tomorrow; this is the date that they themselves fall back on."""
ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
WORDS = {"vocab_size": 128_256, "max_position_embeddings": 131_072}
SMALL = {**WORDS, "rope_parameters": {**ROPE, "factor": 32.0}, "tie_word_embeddings": True}
"""Llama-3's, and that of its models of 1B and 3B."""


class Llama(TextOnly):
    """Llama and what shares its architecture, text alone; Llama-2 has one digit a token."""

    name: ClassVar[str] = "llama"
    model_types: ClassVar[tuple[str, ...]] = ("llama",)
    digits: ClassVar[str] = "1 to 3"
    end: ClassVar[str] = "<|eot_id|>"
    template_options: ClassVar[Mapping[str, Any]] = {"date_string": DATE}
    config_class: ClassVar[str] = "LlamaConfig"
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "meta-llama/Llama-3.2-1B-Instruct": decoder(2048, 8192, 16, 32, 8, head_dim=64, **SMALL),
        "meta-llama/Llama-3.2-3B-Instruct": decoder(3072, 8192, 28, 24, 8, head_dim=128, **SMALL),
        "meta-llama/Llama-3.1-8B-Instruct": decoder(
            4096, 14_336, 32, 32, 8, rope_parameters={**ROPE, "factor": 8.0}, **WORDS
        ),
    }
