"""Qwen3-VL: boxes as JSON on 0..1000, pictures in multiples of 32 pixels, several mergers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gnomon.pipeline.families.base import Part, decoder, seeing
from gnomon.pipeline.families.qwen2_vl import Qwen2VL

ROPE = {"rope_type": "default", "rope_theta": 5_000_000.0, "mrope_section": [24, 20, 20],
        "mrope_interleaved": True}  # fmt: skip
WORDS = {"vocab_size": 151_936, "rope_parameters": ROPE}
TIED = {**WORDS, "tie_word_embeddings": True}
LARGE = {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096,
         "deepstack_visual_indexes": [5, 11, 17]}  # fmt: skip
HUGE = {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304,
        "deepstack_visual_indexes": [8, 16, 24]}  # fmt: skip
"""The two vision towers, SigLIP-2's Large and SO-400M."""


class Qwen3VL(Qwen2VL):
    """Qwen3-VL, the dense Instruct models: pictures in multiples of 32 pixels."""

    name: ClassVar[str] = "qwen3-vl"
    model_types: ClassVar[tuple[str, ...]] = ("qwen3_vl",)
    dialect: ClassVar[str] = "qwen3-vl"
    projector: ClassVar[Part | None] = (
        "model.visual.merger.",
        "model.visual.deepstack_merger_list.",
    )
    config_class: ClassVar[str] = "Qwen3VLConfig"
    processor_class: ClassVar[str] = "Qwen3VLProcessor"
    pixels: ClassVar[tuple[int, int]] = (65_536, 16_777_216)
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "Qwen/Qwen3-VL-2B-Instruct": seeing(decoder(2048, 6144, 28, 16, 8, **TIED), LARGE),
        "Qwen/Qwen3-VL-4B-Instruct": seeing(decoder(2560, 9728, 36, 32, 8, **TIED), LARGE),
        "Qwen/Qwen3-VL-8B-Instruct": seeing(decoder(4096, 12_288, 36, 32, 8, **WORDS), HUGE),
    }
