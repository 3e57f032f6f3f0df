"""Gemma 4: pictures of any proportions in up to 280 tokens, boxes as Gemini's, thinking off.

From transformers' own Gemma4 classes, the model cards and Gemma's pages on ai.google.dev, and the
chat template and config.json that copies of the checkpoints carry. Never compared with the hub.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.pipeline.families.base import Family, Part, Processor, decoder
from gnomon.recipe import Model
from gnomon.sample import Size

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel

TOKENS = 280
"""Of a picture at most, as the checkpoints say; 70 to 1120 can be written in their files."""


SMALL = {"use_clipped_linears": True}
LARGE = {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
         "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 72,
         "standardize": True}  # fmt: skip
"""The two vision towers; the small one is otherwise as transformers' defaults have it."""


CAPPED = {"final_logit_softcapping": 30.0}
E2B = {"num_kv_shared_layers": 20, "use_double_wide_mlp": True,
       "layer_types": (["sliding_attention"] * 4 + ["full_attention"]) * 7}  # fmt: skip
OF_31B = {"num_global_key_value_heads": 4, "attention_k_eq_v": True, "sliding_window": 1024,
          "hidden_size_per_layer_input": 0, "use_bidirectional_attention": "vision"}  # fmt: skip


class Gemma4(Family):
    """Gemma 4, the dense models: a picture keeps its proportions, and takes up to 280 tokens.

    What hears is never trained. The mixture of experts, 26B-A4B, has the same model_type and is
    refused: its experts are no linear layers, which 4 bits and adapters need.
    """

    name: ClassVar[str] = "gemma4"
    model_types: ClassVar[tuple[str, ...]] = ("gemma4",)
    dialect: ClassVar[str] = "gemini"
    digits: ClassVar[str] = "1"
    end: ClassVar[str] = "<turn|>"
    placeholder: ClassVar[str] = "<|image|>"
    template_options: ClassVar[Mapping[str, Any]] = {"enable_thinking": False}
    several = True
    nested = True
    vision: ClassVar[Part | None] = ("model.vision_tower.",)
    projector: ClassVar[Part | None] = ("model.embed_vision.",)
    keep_in_16_bits = (
        "model.vision_tower",
        "model.embed_vision",
        "model.audio_tower",
        "model.embed_audio",
        "lm_head",
    )
    config_class: ClassVar[str] = "Gemma4Config"
    sizes: ClassVar[Mapping[str, dict[str, Any]]] = {
        "google/gemma-4-E2B-it": {
            "text_config": decoder(1536, 6144, 35, 8, 1, **CAPPED, **E2B),
            "vision_config": SMALL,
            "audio_config": {},
        },
        "google/gemma-4-E4B-it": {
            "text_config": decoder(2560, 10_240, 42, 8, 2, **CAPPED, num_kv_shared_layers=18),
            "vision_config": SMALL,
            "audio_config": {},
        },
        "google/gemma-4-31B-it": {
            "text_config": decoder(5376, 21_504, 60, 32, 16, **CAPPED, **OF_31B),
            "vision_config": LARGE,
        },
    }

    def load_processor(self, path: str | Path, model: Model) -> Processor:  # noqa: ARG002 - no limits
        from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil

        from gnomon.pipeline.families import _processors

        kind = _processors.Gemma4Processor
        processor = _processors.assemble(kind, path, Gemma4ImageProcessorPil.from_pretrained(path))
        own, _ = kind.get_processor_dict(path)
        processor.left_out = {key: own[key] for key in own if key != "chat_template"}
        return processor

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        from transformers import AutoConfig

        if AutoConfig.from_pretrained(path).text_config.enable_moe_block:
            raise ValueError("gemma4: a mixture of experts is not supported: name a dense Gemma 4")
        return super().load_model(path, **options)

    def idle(self, config: PretrainedConfig) -> list[str]:  # noqa: ARG002 - some do not hear at all
        """What hears."""
        return ["model.audio_tower.", "model.embed_audio."]

    def looks(self, config: PretrainedConfig, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - no limits
        vision = config.vision_config
        pooled = vision.pooling_kernel_size
        width, height = _fitted(size, vision.patch_size, pooled, TOKENS)
        tokens = width * height // (vision.patch_size * pooled) ** 2
        return tokens, TOKENS * pooled**2  # filled up with empty patches

    def resized(self, processor: Processor, size: Size) -> Size:
        """To as many pixels as the tokens allow, small pictures, too."""
        own = processor.image_processor
        return _fitted(size, own.patch_size, own.pooling_kernel_size, own.max_soft_tokens)


def _fitted(size: Size, patch: int, pooled: int, tokens: int) -> Size:
    from transformers.models.gemma4.image_processing_pil_gemma4 import (
        get_aspect_ratio_preserving_size,
    )

    height, width = get_aspect_ratio_preserving_size(
        size[1], size[0], patch, tokens * pooled**2, pooled
    )
    return width, height
