"""InternVL3 and InternVL3.5 as transformers has them (`-hf`): pictures in tiles of 448 pixels.

Sources, read in public copies: transformers' conversion script and processor, config.json of the
checkpoints and their model cards. It has not been compared with the hub (`make test-hub`).
Checkpoints without `-hf` need their own code, have another model type and are refused.
"""

from math import ceil, inf, prod
from pathlib import Path
from typing import Any

from gnomon.pipeline.families.base import Config, Family, Processor
from gnomon.recipe import Model
from gnomon.sample import Size

TILES = (1, 12)
"""Minimum and maximum tiles of a picture in the published checkpoints."""


class InternVL(Family):
    """InternVL3 and 3.5, without thinking.

    A picture is stretched to a grid of one to twelve tiles, whose proportions are nearest to the
    picture's. If there are several tiles, the whole picture is also shown in one more tile. Boxes
    are integers on 0..1000, as in the model cards of InternVL2, whose training data later models
    share.
    """

    name = "internvl"
    model_types = ("internvl",)
    dialect = "internvl"
    digits = "1"
    end = "<|im_end|>"
    placeholder = "<IMG_CONTEXT>\n"
    multi_image = True
    has_pixel_limits = True
    vision = ("model.vision_tower.",)
    projector = ("model.multi_modal_projector.",)

    def load_image_processor(self, path: str | Path, model: Model, **settings: Any) -> Any:
        processor = super().load_image_processor(path, model, **settings)
        area = processor.size["height"] * processor.size["width"]
        limits = _limit_tiles((processor.min_patches, processor.max_patches), area, model)
        # The processor calls its tiles patches.
        processor.min_patches, processor.max_patches = limits
        return processor

    def resized_size(self, processor: Processor, size: Size) -> Size:
        """Return the size of the grid of tiles to which a picture is stretched."""
        pictures = processor.image_processor
        tall, wide = pictures.size["height"], pictures.size["width"]
        across, down = _grid(size, (tall, wide), (pictures.min_patches, pictures.max_patches))
        return across * wide, down * tall

    def image_token_settings(self, config: Config) -> dict[str, Any]:
        return {"image_seq_length": _tile_tokens(config)}

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:
        tall, wide = config.vision_config.image_size
        high, broad = config.vision_config.patch_size
        across, down = _grid(size, (tall, wide), _limit_tiles(TILES, tall * wide, model))
        tiles = across * down + (across * down > 1)  # and once whole, if cut
        patches = (tall // high) * (wide // broad)
        # A token at either end of the picture, and a summary token before each tile's patches.
        return tiles * _tile_tokens(config) + 2, tiles * (patches + 1)


def _tile_tokens(config: Config) -> int:
    """Count the tokens of one tile in the prompt."""
    tall, wide = config.vision_config.image_size
    high, broad = config.vision_config.patch_size
    tokens: int = round((tall // high) * (wide // broad) * config.downsample_ratio**2)
    return tokens


def _limit_tiles(tiles: tuple[int, int], area: int, model: Model) -> tuple[int, int]:
    """Return the numbers of tiles of `area` pixels that `min_pixels` and `max_pixels` allow."""
    least, most = tiles
    if model.max_pixels is not None:
        most = max(1, min(most, model.max_pixels // area))
    if model.min_pixels is not None:
        least = max(least, ceil(model.min_pixels / area))
        most = max(most, least)
    return min(least, most), most


def _grid(size: Size, tile: Size, tiles: tuple[int, int]) -> tuple[int, int]:
    """Return the grid of tiles, across and down, whose proportions are nearest to the picture's.

    The result equals that of transformers' processor, which takes seconds to import. `tile` is
    height and width in pixels, `tiles` the minimum and maximum number.
    """
    minimum, maximum = tiles
    numbers = range(1, maximum + 1)
    grids = [(across, down) for across in numbers for down in numbers]
    grids = [grid for grid in grids if minimum <= prod(grid) <= maximum]
    best, best_distance = (1, 1), inf
    for across, down in sorted(grids, key=prod):
        distance = abs(size[0] / size[1] - across / down)
        # Of two equally near grids, the larger if it enlarges the picture less than twofold.
        is_filled = 2 * prod(size) > prod(tile) * across * down
        if distance < best_distance or (distance == best_distance and is_filled):
            best, best_distance = (across, down), distance
    return best
