"""Llama as text alone, with vision through cross-attention (Mllama), and LLaVA-1.5 on Vicuna."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.pipeline.families.base import Config, Family, Processor, TextOnly
from gnomon.recipe import Model
from gnomon.sample import Size

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

DATE = "26 Jul 2024"
"""Date in Llama's prompts, the default of its templates. With today's date, a recipe would train on
different prompts every day."""


class Llama(TextOnly):
    """Llama and models with its architecture, without pictures. Llama-2 has one digit per token."""

    name = "llama"
    model_types = ("llama",)
    digits = "1 to 3"
    end = "<|eot_id|>"
    template_options: ClassVar[Mapping[str, Any]] = {"date_string": DATE}


class Mllama(Family):
    """Llama-3.2-Vision: pictures fitted into one to four tiles of 560 by 560 pixels.

    All four tiles are computed even if some are empty, so a limit of pixels would save nothing.
    `<|image|>` has the id V, which the embedding has a row for and the head has not.
    """

    name = "mllama"
    model_types = ("mllama",)
    dialect = "plain"
    digits = "1 to 3"
    end = "<|eot_id|>"
    placeholder = "<|image|>"
    template_options: ClassVar[Mapping[str, Any]] = {"date_string": DATE}
    vision = ("model.vision_model.",)
    projector = ("model.multi_modal_projector.",)

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        model = super().load_model(path, **options)
        layers = model.model.language_model.layers
        # These layers alone see the picture.
        for index in model.config.text_config.cross_attention_layers:
            layers[index].register_forward_hook(_pass_texts_by, with_kwargs=True)
        return model

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - always four tiles
        vision = config.vision_config
        tile = (vision.image_size // vision.patch_size) ** 2 + 1
        return (
            1,
            vision.max_num_tiles * tile,
        )  # the prompt has one token; the rest is cross-attention

    def resized_size(self, processor: Processor, size: Size) -> Size:
        """Return the picture's size within the tiles, which are black to its right and below it."""
        from transformers.models.mllama.image_processing_pil_mllama import (
            get_image_size_fit_to_canvas,
            get_optimal_tiled_canvas,
        )

        pictures = processor.image_processor
        tile = pictures.size["height"]
        canvas = get_optimal_tiled_canvas(size[1], size[0], pictures.max_image_tiles, tile)
        height, width = get_image_size_fit_to_canvas(size[1], size[0], *canvas, tile)
        return int(width), int(height)


def _pass_texts_by(
    _: torch.nn.Module, inputs: tuple[Any, ...], options: dict[str, Any], output: torch.Tensor
) -> torch.Tensor:
    """Undo cross-attention for texts without a picture.

    A text alone skips these layers. In a batch with pictures, it would attend to the empty tiles
    that the batch holds in its place, and its answer would depend on the other samples.
    """
    mask = options["full_text_row_masked_out_mask"]  # [B, 1, T, 1], or None
    if mask is None:
        return output
    return output.where(mask[:, 0].any(dim=1, keepdim=True), inputs[0])


class Llava(Family):
    """LLaVA-1.5: every picture padded to a square and shrunk or enlarged to 336 by 336 pixels."""

    name = "llava"
    model_types = ("llava",)
    dialect = "llava"
    digits = "1"
    end = "</s>"
    placeholder = "<image>\n"
    space_before_answer = True  # after `ASSISTANT:`
    vision = ("model.vision_tower.",)
    projector = ("model.multi_modal_projector.",)

    def for_checkpoint(self, path: str | Path, model: Model) -> Family:  # noqa: ARG002 - its path says it
        from transformers import PretrainedConfig

        config, _ = PretrainedConfig.get_config_dict(path)
        if "text_config" not in config:
            # transformers would take the sizes of LLaVA-1.5-7B, and random weights.
            raise ValueError(
                "its files are in the first format of LLaVA, like Yi-VL's, and transformers"
                " cannot open them: name a converted checkpoint, such as llava-hf/llava-1.5-7b-hf"
            )
        return self

    def load_image_processor(self, path: str | Path, model: Model, **settings: Any) -> Any:  # noqa: ARG002 - one size
        from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil

        # The checkpoints crop to the middle, and what is read at the edges would be lost; the
        # model itself was trained on padded squares.
        return LlavaImageProcessorPil.from_pretrained(path, do_pad=True)

    def image_token_settings(self, config: Config) -> dict[str, Any]:
        return {
            "patch_size": config.vision_config.patch_size,
            "num_additional_image_tokens": 1,  # CLIP's class token, which the strategy below drops
            "vision_feature_select_strategy": config.vision_feature_select_strategy,
        }

    def unused_modules(self, config: Config) -> list[str]:
        """List CLIP's unused layers, usually the last: the output of the last but one is used."""
        layers, features = config.vision_config.num_hidden_layers, config.vision_feature_layer
        outputs = [features] if isinstance(features, int) else features
        used = max(output % (layers + 1) for output in outputs)  # 0 is the input of the first layer
        tower = "model.vision_tower."
        return [
            f"{tower}post_layernorm.",
            *(f"{tower}encoder.layers.{layer}." for layer in range(used, layers)),
        ]

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - always one square
        patches = (config.vision_config.image_size // config.vision_config.patch_size) ** 2
        return patches, patches + 1  # CLIP's class token, which stays in the tower

    def resized_size(self, processor: Processor, size: Size) -> Size:
        """Return the picture's size within the padded square, to the nearest pixel."""
        scale = processor.image_processor.crop_size["height"] / max(size)
        return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
