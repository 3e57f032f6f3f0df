"""A contact sheet: pictures with their questions and answers, to look at before anything else."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from gnomon.dialect import Dialect
from gnomon.generators._fonts import face
from gnomon.sample import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.sample import Sample, Size

PAPER, CARD, INK, FAINT, MARK = "#eceae6", "#ffffff", "#1c1c1e", "#6e6e73", "#d1342f"
GAP, PAD = 16, 10
FOOT = 54
"""Room for the answer and two lines of the question."""
TEXT = 64
"""Height of a card's upper part where no sample has a picture."""
LARGEST = 224
"""Pictures are shrunk to this side, never enlarged beyond twice their own."""


def contact_sheet(
    samples: Sequence[Sample], *, columns: int | None = None, title: str = ""
) -> Image.Image:
    """Each sample on a card of its own, in rows; boxes of targets are drawn in."""
    if not samples:
        raise ValueError("no samples: a contact sheet needs at least one")
    columns = columns or math.ceil(math.sqrt(len(samples) * 1.5))
    rows = math.ceil(len(samples) / columns)
    side = _side(samples)
    tall = side if any(s.image is not None for s in samples) else TEXT
    width, height = side + 2 * PAD, tall + 2 * PAD + FOOT
    top = GAP + (40 if title else 0)
    size = (GAP + columns * (width + GAP), top + rows * (height + GAP))
    sheet = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(sheet)
    if title:
        draw.text((GAP, GAP + 2), title, INK, face("sans-bold", 18))
    for place, sample in enumerate(samples):
        row, column = divmod(place, columns)
        corner = (GAP + column * (width + GAP), top + row * (height + GAP))
        _card(sheet, draw, sample, corner, (side, tall))
    return sheet


def _side(samples: Sequence[Sample]) -> int:
    """The side of the square that every picture fits in."""
    sides = [max(s.image.size) for s in samples if s.image is not None]
    return min(LARGEST, 2 * max(sides)) if sides else LARGEST


def _card(
    sheet: Image.Image, draw: ImageDraw.ImageDraw, sample: Sample, at: tuple[int, int], room: Size
) -> None:
    (x, y), (side, tall) = at, room
    draw.rounded_rectangle((x, y, x + side + 2 * PAD, y + tall + 2 * PAD + FOOT), 8, CARD)
    if sample.image is None:
        _lines(draw, sample.question, (x + PAD, y + PAD), side, face("sans", 12), 8)
    else:
        picture = _fitted(sample, side)
        left, above = (side - picture.width) // 2, (side - picture.height) // 2
        sheet.paste(picture, (x + PAD + left, y + PAD + above))
        _lines(draw, sample.question, (x + PAD, y + tall + 38), side, face("sans", 8), 2)
    size = None if sample.image is None else sample.image.size
    answer = Dialect().write(sample.target, size)
    draw.text((x + PAD, y + tall + 18), answer, INK, face("sans-bold", 12))


def _fitted(sample: Sample, side: int) -> Image.Image:
    """The picture scaled into the square, with the target's box if it is one."""
    assert sample.image is not None
    picture = sample.image.convert("RGB")
    scale = min(side / max(picture.size), 2)
    target = sample.target
    size = (round(picture.width * scale), round(picture.height * scale))
    picture = picture.resize(size, Image.Resampling.LANCZOS)
    if isinstance(target, Box):
        box = target.scaled(sample.image.size, size)
        ImageDraw.Draw(picture).rectangle((box.x1, box.y1, box.x2, box.y2), None, MARK, 2)
    return picture


def _lines(
    draw: ImageDraw.ImageDraw,
    text: str,
    at: tuple[int, int],
    width: int,
    font: ImageFont.FreeTypeFont,
    most: int,
) -> None:
    """The text broken to the width; what is too long ends in dots."""
    across = max(1, int(width / (draw.textlength("e" * 20, font) / 20)))
    lines = wrap(text, across, max_lines=most, placeholder=" …")
    draw.multiline_text(at, "\n".join(lines), FAINT, font, spacing=5)
