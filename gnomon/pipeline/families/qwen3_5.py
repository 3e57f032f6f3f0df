"""Qwen3.5 of 0.8B to 9B, thinking off: recurrent layers, and one of attention after every three.

From transformers' own Qwen3_5 classes, the model cards, and the chat template and config.json that
copies of the checkpoints carry. Never compared with the hub.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gnomon.pipeline.families.base import decoder, seeing
from gnomon.pipeline.families.qwen3_vl import Qwen3VL

ROPE = {"rope_type": "default", "rope_theta": 10_000_000.0, "partial_rotary_factor": 0.25,
        "mrope_section": [11, 11, 10], "mrope_interleaved": True}  # fmt: skip
WORDS = {"vocab_size": 248_320, "rope_parameters": ROPE}
TIED = {**WORDS, "tie_word_embeddings": True}
SMALL = {**TIED, "linear_num_value_heads": 16}
BASE = {"depth": 12, "hidden_size": 768, "intermediate_size": 3072, "num_heads": 12}
LARGE = {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096}
HUGE = {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304}
"""The three vision towers, SigLIP-2's Base, Large and SO-400M."""


class Qwen35(Qwen3VL):
    """Qwen3.5, the dense models, asked not to think: pictures in multiples of 32 pixels.

    Its mixtures of experts have another model_type, and are no part of it.
    """

    name: ClassVar[str] = "qwen3.5"
    model_types: ClassVar[tuple[str, ...]] = ("qwen3_5",)
    template_options: ClassVar[Mapping[str, Any]] = {"enable_thinking": False}
    config_class: ClassVar[str] = "Qwen3_5Config"
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "Qwen/Qwen3.5-0.8B": seeing(decoder(1024, 3584, 24, 8, 2, **SMALL), BASE),
        "Qwen/Qwen3.5-2B": seeing(decoder(2048, 6144, 24, 8, 2, **SMALL), LARGE),
        "Qwen/Qwen3.5-4B": seeing(decoder(2560, 9216, 32, 16, 4, **TIED), LARGE),
        "Qwen/Qwen3.5-9B": seeing(decoder(4096, 12_288, 32, 16, 4, **WORDS), HUGE),
    }
