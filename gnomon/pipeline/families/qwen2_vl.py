"""Qwen2-VL: digits one token each, boxes on 0..1000, pictures in multiples of 28 pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import transformers
from transformers import AutoTokenizer, ProcessorMixin
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import (
    Qwen2VLImageProcessorPil,
    smart_resize,
)

from gnomon.pipeline.families.base import Family, Part

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.recipe import Model
    from gnomon.sample import Size


class Qwen2VL(Family):
    """Qwen2-VL-2B, 7B and 72B, and what was fine-tuned from them."""

    name: ClassVar[str] = "qwen2-vl"
    dialect: ClassVar[str] = "qwen2-vl"
    end: ClassVar[str] = "<|im_end|>"
    language: ClassVar[Part] = Part(
        "model.language_model.",
        r"model\.language_model\..*\.(q|k|v|o|gate|up|down)_proj",
    )
    vision: ClassVar[Part] = Part(
        "model.visual.",
        r"model\.visual\.blocks\..*\.(qkv|proj|fc1|fc2)",
    )
    projector: ClassVar[Part] = Part("model.visual.merger.", r"model\.visual\.merger\.mlp\.[02]")
    keep_in_16_bits: ClassVar[tuple[str, ...]] = ("model.visual", "lm_head")

    def load_processor(self, path: str | Path, model: Model) -> ProcessorMixin:
        limits = {"min_pixels": model.min_pixels, "max_pixels": model.max_pixels}
        given = {name: value for name, value in limits.items() if value is not None}
        pictures = Qwen2VLImageProcessorPil.from_pretrained(path, **given)
        tokenizer = AutoTokenizer.from_pretrained(path)
        return Qwen2VLProcessor(pictures, tokenizer, chat_template=tokenizer.chat_template)

    def resized(self, processor: ProcessorMixin, size: Size) -> Size:
        pictures = processor.image_processor
        height, width = smart_resize(
            size[1],
            size[0],
            factor=pictures.patch_size * pictures.merge_size,
            min_pixels=pictures.size["shortest_edge"],
            max_pixels=pictures.size["longest_edge"],
        )
        return width, height


class Qwen2VLProcessor(transformers.Qwen2VLProcessor):  # type: ignore[misc]
    """The same processor without the video part, the only one that needs torchvision.

    It keeps the name, so that what it saves opens with AutoProcessor elsewhere.
    """

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        chat_template: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.image_token, self.video_token = "<|image_pad|>", "<|video_pad|>"
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
        self.video_token_id = tokenizer.convert_tokens_to_ids(self.video_token)
        ProcessorMixin.__init__(
            self, image_processor, tokenizer, chat_template=chat_template, **kwargs
        )
