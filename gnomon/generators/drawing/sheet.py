"""A contact sheet: pictures with their questions and answers."""

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont, ImageOps

from gnomon.dialect import Dialect
from gnomon.generators.drawing.lettering import font_face
from gnomon.sample import Sample

PAPER, CARD, INK, FAINT, MARK = "#eceae6", "#ffffff", "#1c1c1e", "#6e6e73", "#d1342f"
GAP, PAD = 16, 10
# The height of a line, in sizes of its font.
LINE = 1.3
# Largest number of lines of an answer.
MOST = 10
# Largest number of lines of a question without a picture. With a picture it is two.
MOST_OF_QUESTION = 16
# Largest side of a picture. Small pictures are enlarged at most twice.
LARGEST = 224

# Text with its colour and its font.
Line: TypeAlias = tuple[str, str, ImageFont.FreeTypeFont]


def contact_sheet(
    samples: Sequence[Sample],
    *,
    answers: Sequence[str] | None = None,
    largest: int = LARGEST,
    columns: int | None = None,
    title: str = "",
) -> Image.Image:
    """Draw each sample on a card, in rows, with the boxes of its target.

    `answers` replace the targets as the plain dialect writes them.
    """
    if not samples:
        raise ValueError("no samples: a contact sheet needs at least one")
    # One and a half times as many columns as rows, to fit screens.
    columns = columns or math.ceil(math.sqrt(len(samples) * 1.5))
    rows = math.ceil(len(samples) / columns)
    sides = [max(sample.display.size) for sample in samples if sample.display is not None]
    # Pictures are enlarged to at most twice their size.
    side = min(largest, 2 * max(sides, default=largest))
    texts = [_lines(s, side, answers[i] if answers else None) for i, s in enumerate(samples)]
    starts = [0 if sample.image is None else side + PAD // 2 for sample in samples]
    ends = [start + sum(map(_height, lines)) for start, lines in zip(starts, texts, strict=True)]
    width, height = side + 2 * PAD, max(ends) + 2 * PAD
    top = GAP + (40 if title else 0)
    size = (GAP + columns * (width + GAP), top + rows * (height + GAP))
    sheet = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((GAP, GAP + 2), title, INK, font_face("sans-bold", 18))
    for index, (sample, start, lines) in enumerate(zip(samples, starts, texts, strict=True)):
        row, column = divmod(index, columns)
        x, y = GAP + column * (width + GAP), top + row * (height + GAP)
        draw.rounded_rectangle((x, y, x + width, y + height), 8, CARD)
        if sample.display is not None:
            picture = _fit(sample, sample.display, side)
            free = (width - picture.width, side - picture.height)
            sheet.paste(picture, (x + free[0] // 2, y + PAD + free[1] // 2))
        for line in lines:
            text, colour, font = line
            draw.text((x + PAD, y + PAD + start), text, colour, font)
            start += _height(line)
    return sheet


def beside_photograph(photo: Path, sheet: Image.Image) -> Image.Image:
    """Put a photograph on the left of a sheet, as high as the sheet but at most as wide."""
    try:
        with Image.open(photo) as picture:
            upright = ImageOps.exif_transpose(picture).convert("RGB")
    except (Image.DecompressionBombError, OSError, SyntaxError) as error:
        raise ValueError(f"{photo} is not a picture that gnomon can read ({error})") from None
    fitted = ImageOps.contain(upright, (sheet.width, sheet.height - 2 * GAP))
    both = Image.new("RGB", (GAP + fitted.width + sheet.width, sheet.height), PAPER)
    both.paste(fitted, (GAP, GAP))
    both.paste(sheet, (GAP + fitted.width, 0))
    return both


def _height(line: Line) -> int:
    return round(LINE * line[2].size)


def _lines(sample: Sample, width: int, answer: str | None) -> list[Line]:
    """Lay out the answer with its line breaks, and the question under it."""
    picture = sample.display
    if answer is None:
        answer = Dialect().write(sample.target, None if picture is None else picture.size)
    bold, small = font_face("sans-bold", 12), font_face("sans", 12 if picture is None else 8)
    lines = [part for line in answer.split("\n") for part in _wrap(line, bold, width) or [""]]
    if len(lines) > MOST:
        lines = [*lines[: MOST - 3], "…", *lines[-2:]]  # how it ends is worth seeing
    question = _wrap(sample.question, small, width, MOST_OF_QUESTION if picture is None else 2)
    return [(line, INK, bold) for line in lines] + [(line, FAINT, small) for line in question]


def _wrap(
    text: str, font: ImageFont.FreeTypeFont, width: int, most: int | None = None
) -> list[str]:
    """Wrap the text to lines of about this width. Text that is too long ends in dots."""
    # "e" is about as wide as an average letter.
    across = max(1, int(width / (font.getlength("e" * 20) / 20)))
    return wrap(text, across, max_lines=most, placeholder=" …")


def _fit(sample: Sample, picture: Image.Image, side: int) -> Image.Image:
    """Scale the picture into the square, and draw the boxes of its target."""
    scale = min(side / max(picture.size), 2)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    fitted = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    for corners in sample.target.scaled(picture.size, size).boxes:
        ImageDraw.Draw(fitted).rectangle(corners, None, MARK, 2)
    return fitted
