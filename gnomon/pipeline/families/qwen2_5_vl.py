"""Qwen2.5-VL: as Qwen2-VL, but boxes in pixels of the resized picture, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gnomon.pipeline.families.base import decoder, seeing
from gnomon.pipeline.families.qwen2_vl import LARGE, SMALL, Qwen2VL
from gnomon.recipe import Model
from gnomon.sample import Size

VISION = {
    "hidden_size": 1280,
    "intermediate_size": 3420,
    "window_size": 112,
    "fullatt_block_indexes": [7, 15, 23, 31],
}


class Qwen25VL(Qwen2VL):
    """Qwen2.5-VL: as Qwen2-VL, with boxes in pixels of the resized picture."""

    name: ClassVar[str] = "qwen2.5-vl"
    model_types: ClassVar[tuple[str, ...]] = ("qwen2_5_vl",)
    dialect: ClassVar[str] = "qwen2.5-vl"
    config_class: ClassVar[str] = "Qwen2_5_VLConfig"
    processor_class: ClassVar[str] = "Qwen2_5_VLProcessor"
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "Qwen/Qwen2.5-VL-3B-Instruct": seeing(decoder(2048, 11_008, 36, 16, 2, **SMALL), VISION),
        "Qwen/Qwen2.5-VL-7B-Instruct": seeing(decoder(3584, 18_944, 28, 28, 4, **LARGE), VISION),
    }

    def exported(self, size: Size) -> Size:
        """As the processor of the well-known checkpoints resizes it: boxes are pixels of that."""
        from transformers import Qwen2_5_VLConfig

        config = Qwen2_5_VLConfig(vision_config=VISION)
        return self.fitted(config.vision_config, size, Model())
