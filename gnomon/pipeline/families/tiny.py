"""gnomon-tiny: the Qwen2-VL architecture with about 4 million parameters, trained by this
project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.pipeline.families import BLANK, TINY
from gnomon.pipeline.families.base import Processor
from gnomon.pipeline.families.qwen import Qwen2VL
from gnomon.recipe import Model

if TYPE_CHECKING:
    from transformers import PreTrainedModel, Qwen2VLConfig


SIDE = 112
"""Side of square pictures after resizing, in pixels. It gives 16 tokens."""


class GnomonTiny(Qwen2VL):
    """The embedded model, small enough to fine-tune on two cores in minutes."""

    name = "gnomon-tiny"
    model_types = ()
    pixels = (105**2, 120**2)
    """Limits under which square and nearly square pictures become SIDE². The limits differ because
    sides are rounded to multiples of 28, up at the lower limit and down at the upper. With a single
    limit, 482 × 480 would become 112 × 84."""

    def load_processor(self, path: str | Path, model: Model) -> Processor:
        return super().load_processor(TINY if str(path) == BLANK else path, model)

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        if str(path) == BLANK:
            return blank().to(options["dtype"])
        return use_fast_vision(super().load_model(path, **options))


class GnomonTinyCharts(GnomonTiny):
    """The embedded model that reads charts, with pictures of about 336 × 252 pixels."""

    name = "gnomon-tiny-charts"
    pixels = (72_000, 90_000)
    """Limits under which 4:3 becomes 336 × 252, 16:9 392 × 224, and a square 280 × 280."""


class GnomonTinyGauges(GnomonTiny):
    """The embedded model that reads gauges, with pictures of about 224 × 224 pixels."""

    name = "gnomon-tiny-gauges"
    pixels = (45_000, 56_000)
    """Limits under which a square becomes 224 × 224, and 4:3 252 × 196."""


def blank() -> PreTrainedModel:
    """Build the model with random weights."""
    from torch import float32
    from transformers import Qwen2VLForConditionalGeneration

    return use_fast_vision(Qwen2VLForConditionalGeneration._from_config(config(), dtype=float32))


def use_fast_vision(model: PreTrainedModel) -> PreTrainedModel:
    """Halve the time of a step on a CPU by putting all pictures into one batch. Return the same
    model."""
    from gnomon.pipeline.families import _qwen2_vision_fast as fast

    tower = model.model.visual
    # Only the class changes. Weights and their names stay as they are.
    tower.patch_embed.__class__ = fast.Patches
    for block in tower.blocks:
        block.attn.__class__ = fast.Attention
    return model


def config() -> Qwen2VLConfig:
    """Read the architecture of the trained weights."""
    from transformers import Qwen2VLConfig as Config

    return Config.from_pretrained(TINY)
