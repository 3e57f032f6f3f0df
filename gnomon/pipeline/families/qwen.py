"""Qwen, text alone and with pictures of any proportions; its digits are one token each.

The vision-language models differ in their boxes, in the pixels of a patch and in their projectors.
Qwen3.5 is from transformers' own Qwen3_5 classes, the model cards, and the chat template and
config.json that copies of the checkpoints carry. Never compared with the hub.
"""

from collections.abc import Mapping
from math import ceil, floor, sqrt
from pathlib import Path
from typing import Any, ClassVar

from gnomon.pipeline.families.base import Config, Family, Part, Processor, TextOnly
from gnomon.recipe import Model
from gnomon.sample import Size


class Qwen2(TextOnly):
    """Qwen2 and Qwen2.5, text alone."""

    name = "qwen2"
    model_types = ("qwen2",)
    digits = "1"
    end = "<|im_end|>"


class Qwen2VL(Family):
    """Qwen2-VL and models fine-tuned from it: any picture size in multiples of 28 pixels."""

    name = "qwen2-vl"
    model_types: ClassVar[tuple[str, ...]] = ("qwen2_vl",)
    dialect = "qwen2-vl"
    digits = "1"
    end = "<|im_end|>"
    placeholder = "<|vision_start|><|image_pad|><|vision_end|>"
    multi_image = True
    has_pixel_limits = True
    vision = ("model.visual.",)
    # The merger is a child of the tower.
    projector: ClassVar[Part | None] = ("model.visual.merger.",)
    pixels = (56 * 56, 12_845_056)
    """Minimum and maximum pixels of a picture in the published checkpoints."""

    def load_image_processor(self, path: str | Path, model: Model, **settings: Any) -> Any:
        limits = {"min_pixels": model.min_pixels, "max_pixels": model.max_pixels}
        # None would replace the checkpoint's own limit.
        limits = {name: value for name, value in limits.items() if value is not None}
        return super().load_image_processor(path, model, **settings, **limits)

    def resized_size(self, processor: Processor, size: Size) -> Size:
        pictures = processor.image_processor
        minimum, maximum = pictures.size["shortest_edge"], pictures.size["longest_edge"]
        return _smart_resize(size, pictures.patch_size * pictures.merge_size, minimum, maximum)

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:
        vision = config.vision_config
        width, height = self.fit_size(vision, size, model)
        tokens = height * width // (vision.patch_size * vision.spatial_merge_size) ** 2
        return tokens, tokens * vision.spatial_merge_size**2

    def fit_size(self, vision: Config, size: Size, model: Model) -> Size:
        """Return a picture's size after resizing within the recipe's or the checkpoints' limits."""
        minimum, maximum = model.min_pixels or self.pixels[0], model.max_pixels or self.pixels[1]
        return _smart_resize(size, vision.patch_size * vision.spatial_merge_size, minimum, maximum)


class Qwen25VL(Qwen2VL):
    """Qwen2.5-VL: as Qwen2-VL, with boxes in pixels of the resized picture."""

    name = "qwen2.5-vl"
    model_types = ("qwen2_5_vl",)
    dialect = "qwen2.5-vl"

    def export_size(self, size: Size) -> Size:
        """Return the size after the published checkpoints' resize. Boxes are in its pixels."""
        from transformers import Qwen2_5_VLConfig

        return self.fit_size(Qwen2_5_VLConfig().vision_config, size, Model())


class Qwen3VL(Qwen2VL):
    """Qwen3-VL, the dense Instruct models: pictures in multiples of 32 pixels."""

    name = "qwen3-vl"
    model_types = ("qwen3_vl",)
    dialect = "qwen3-vl"
    projector = (
        "model.visual.merger.",
        "model.visual.deepstack_merger_list.",
    )
    pixels = (65_536, 16_777_216)


class Qwen35(Qwen3VL):
    """Qwen3.5 of 0.8B to 9B, without thinking: pictures in multiples of 32 pixels.

    Three layers of four are recurrent, the fourth attends. The mixtures of experts have another
    model_type and are not supported.
    """

    name = "qwen3.5"
    model_types = ("qwen3_5",)
    template_options: ClassVar[Mapping[str, Any]] = {"enable_thinking": False}


def _smart_resize(size: Size, factor: int, minimum: int, maximum: int) -> Size:
    """Round both sides to multiples of `factor`. The area stays from `minimum` to `maximum` pixels.

    Equals transformers' `smart_resize`. Importing that function takes seconds, and `gnomon plan` of
    a well-known checkpoint needs nothing else from transformers.
    """
    if max(size) > 200 * min(size):
        raise ValueError(f"one side is more than 200 times the other: {size[0]} × {size[1]}")
    width, height = (round(side / factor) * factor for side in size)
    if width * height > maximum:
        shrink = sqrt(size[0] * size[1] / maximum)
        width, height = (max(factor, floor(side / shrink / factor) * factor) for side in size)
    elif width * height < minimum:
        enlarge = sqrt(minimum / (size[0] * size[1]))
        width, height = (ceil(side * enlarge / factor) * factor for side in size)
    return width, height
