"""Gemma 3 and Gemma 4 with pictures: squares or any proportions, with Gemini's boxes.

From transformers' own classes, the model cards and Gemma's pages on ai.google.dev, the technical
report (arXiv 2503.19786), and the chat template and config.json that copies of the checkpoints
carry. `make test-hub` has never been run on these checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.pipeline.families.base import Config, Family, Processor
from gnomon.recipe import Model
from gnomon.sample import Size

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MAX_TOKENS = 280
"""Most tokens of a picture in the published checkpoints; their files allow 70 to 1120."""


class Gemma3(Family):
    """Gemma 3 of 4B and more, the sizes with vision; pictures become squares of 256 tokens.

    The documentation does not say how it writes boxes. Gemini's form is used, which Gemma 4 also
    writes. Pan and scan, which adds crops of long pictures, stays off, as in the checkpoints.
    """

    name = "gemma3"
    model_types = ("gemma3",)
    dialect = "gemini"
    digits = "1"
    end = "<end_of_turn>"
    placeholder = "<start_of_image>"
    multi_image = True
    vision = ("model.vision_tower.",)
    # A matrix that is not a linear layer, so it trains whole or not at all.
    projector = ("model.multi_modal_projector.",)

    def image_token_settings(self, config: Config) -> dict[str, Any]:
        return {"image_seq_length": config.mm_tokens_per_image}

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - always one square
        vision = config.vision_config
        return config.mm_tokens_per_image, (vision.image_size // vision.patch_size) ** 2

    def resized_size(self, processor: Processor, size: Size) -> Size:  # noqa: ARG002 - always one square
        square = processor.image_processor.size
        return square["width"], square["height"]


class Gemma4(Family):
    """Gemma 4, the dense models: a picture keeps its proportions, and takes up to 280 tokens.

    Audio parts are never trained. The mixture of experts, 26B-A4B, has the same model_type and is
    refused, because its experts are not linear layers, which 4 bits and adapters need.
    """

    name = "gemma4"
    model_types = ("gemma4",)
    dialect = "gemini"
    digits = "1"
    end = "<turn|>"
    placeholder = "<|image|>"
    template_options: ClassVar[Mapping[str, Any]] = {"enable_thinking": False}
    multi_image = True
    vision = ("model.vision_tower.",)
    projector = ("model.embed_vision.",)
    unused_parts = ("model.audio_tower.", "model.embed_audio.")

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        from transformers import AutoConfig

        if AutoConfig.from_pretrained(path).text_config.enable_moe_block:
            raise ValueError("gemma4: a mixture of experts is not supported: name a dense Gemma 4")
        return super().load_model(path, **options)

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - `model`'s pixel limits have no effect
        vision = config.vision_config
        pooling = vision.pooling_kernel_size
        width, height = _fit(size, vision.patch_size, pooling, MAX_TOKENS)
        tokens = width * height // (vision.patch_size * pooling) ** 2
        return tokens, MAX_TOKENS * pooling**2  # padded with empty patches

    def resized_size(self, processor: Processor, size: Size) -> Size:
        """Scale every picture to as many pixels as the tokens allow, including small pictures."""
        settings = processor.image_processor
        return _fit(
            size, settings.patch_size, settings.pooling_kernel_size, settings.max_soft_tokens
        )


def _fit(size: Size, patch: int, pooling: int, max_tokens: int) -> Size:
    """Return the largest size in whole tokens that keeps a picture's proportions.

    The result equals that of transformers' processor, which takes seconds to import. A token is a
    square of `pooling` patches on each side.
    """
    side = patch * pooling
    scale = sqrt(max_tokens * side**2 / (size[0] * size[1]))
    width, height = (floor(scale * pixels / side) * side for pixels in size)
    # A side of less than one token becomes one token, and the other is limited to the tokens.
    if width == 0:
        width, height = side, min(floor(size[1] / size[0]), max_tokens) * side
    elif height == 0:
        width, height = min(floor(size[0] / size[1]), max_tokens) * side, side
    return width, height
