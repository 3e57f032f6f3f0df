"""Idefics3 and SmolVLM: pictures enlarged to a longest edge, cut into tiles, and seen once whole.

Sources, read in public copies: config.json, preprocessor_config.json and chat_template.json of the
checkpoints, their model cards, and transformers' own processors. Neither family has been compared
with the hub (`make test-hub`).
"""

from math import ceil, isqrt
from pathlib import Path
from typing import Any

from gnomon.pipeline.families.base import Config, Family, Processor
from gnomon.recipe import Model
from gnomon.sample import Size

MAX_EDGE = 4096
"""Longest edge of any picture in transformers' processor."""
TILES = 4
"""Number of tiles along the longest edge. All checkpoints of this family have this setting."""


class Idefics3(Family):
    """Idefics3 and the first checkpoints of SmolVLM, which have the same model type.

    The processor resizes every picture until its longest edge is as long as four tiles, and
    stretches it to whole tiles. The model sees each tile and then the whole picture in one tile.
    The authors did not publish a way of writing boxes, so boxes are floats on 0..1.
    """

    name = "idefics3"
    model_types = ("idefics3",)
    dialect = "plain"
    digits = "1 to 3"
    end = "<end_of_utterance>"
    placeholder = "<image>"
    multi_image = True
    space_before_answer = True  # after `Assistant:`
    has_pixel_limits = True
    language = ("model.text_model.",)
    vision = ("model.vision_model.",)
    projector = ("model.connector.",)
    place_tokens = (8, 4)
    """Tokens of a tile's name, `<row_1_col_1>`, and of `<global-img>`: plain text here."""

    def load_image_processor(self, path: str | Path, model: Model, **settings: Any) -> Any:
        processor = super().load_image_processor(path, model, **settings)
        tile = processor.max_image_size["longest_edge"]
        edge = _limit_edge(processor.size["longest_edge"], tile, model)
        # Small pictures are enlarged to this edge, so the limit decides how many tiles they cost.
        processor.size = {"longest_edge": edge}
        return processor

    def image_token_settings(self, config: Config) -> dict[str, Any]:
        return {"image_seq_len": _tile_tokens(config)}

    def resized_size(self, processor: Processor, size: Size) -> Size:
        """Return the size in whole tiles to which a picture is stretched."""
        pictures = processor.image_processor
        tile, (across, down) = pictures.max_image_size["longest_edge"], _tiles(pictures, size)
        return across * tile, down * tile

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:
        vision = config.vision_config
        tile = vision.image_size
        across, down = _count_tiles(size, _limit_edge(TILES * tile, tile, model), tile)
        place, whole = self.place_tokens
        tile_tokens, tiles = _tile_tokens(config), across * down
        tokens = tile_tokens + whole + 2  # the whole picture, between two marks
        if tiles > 1:
            tokens += tiles * (tile_tokens + place + 1) + down  # a mark before each tile, line ends
        return tokens, (tiles + (tiles > 1)) * (tile // vision.patch_size) ** 2


class SmolVLM(Idefics3):
    """SmolVLM2: Idefics3's tiles, SmolLM2's language model, and a token for each tile's place."""

    name = "smolvlm"
    model_types = ("smolvlm",)
    digits = "1"
    place_tokens = (1, 1)

    def load_processor(self, path: str | Path, model: Model) -> Processor:
        from transformers.models.smolvlm import processing_smolvlm

        # num2words spells numbers in video prompts. Without it, pictures are also refused.
        processing_smolvlm.num2words = processing_smolvlm.num2words or str
        return super().load_processor(path, model)


def _tile_tokens(config: Config) -> int:
    """Count the tokens of one tile in the prompt."""
    vision = config.vision_config
    tokens: int = (vision.image_size // vision.patch_size // config.scale_factor) ** 2
    return tokens


def _limit_edge(edge: int, tile: int, model: Model) -> int:
    """Limit the longest edge to the recipe's pixels, rounded to whole tiles."""
    if model.max_pixels is not None:
        # The edge of a square of this area. Other pictures with this edge are smaller.
        edge = min(edge, isqrt(model.max_pixels) // tile * tile)
    if model.min_pixels is not None:
        edge = max(edge, ceil(model.min_pixels**0.5 / tile) * tile)
    return max(edge, tile)


def _tiles(pictures: Any, size: Size) -> tuple[int, int]:
    """Count the tiles that an image processor cuts a picture into, across and down."""
    _, down, across = pictures.get_number_of_image_patches(size[1], size[0])
    return max(across, 1), max(down, 1)


def _count_tiles(size: Size, edge: int, tile: int) -> tuple[int, int]:
    """Count tiles as `_tiles` does, without the image processor, which takes seconds to import."""
    ratio = size[0] / size[1]
    width, height = (edge, int(edge / ratio)) if ratio >= 1 else (int(edge * ratio), edge)
    # The processor makes the shorter side even, and then shrinks pictures that are too large.
    width, height = width + width % 2, height + height % 2
    ratio, longest = max(width, 1) / max(height, 1), max(width, height)
    if longest > MAX_EDGE:
        shorter = int(MAX_EDGE / ratio) if width >= height else int(MAX_EDGE * ratio)
        width, height = (MAX_EDGE, shorter) if width >= height else (shorter, MAX_EDGE)
    return max(1, ceil(width / tile)), max(1, ceil(height / tile))
