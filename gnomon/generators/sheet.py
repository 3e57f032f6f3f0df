"""A contact sheet: pictures with their questions and answers, to look at before anything else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap

from PIL import Image, ImageDraw, ImageFont

from gnomon.answers.dialect import Dialect
from gnomon.generators.drawing.fonts import face
from gnomon.sample import Sample, Size

PAPER, CARD, INK, FAINT, MARK = "#eceae6", "#ffffff", "#1c1c1e", "#6e6e73", "#d1342f"
GAP, PAD = 16, 10
FOOT = 54
"""Room for a line of the answer and two lines of the question."""
LINE, MOST = 16, 10
"""Height of another line of the answer, and how many lines it may have."""
QUESTION, MOST_OF_IT = 21, 16
"""Height of a line of a question in the place of a picture, and how many lines it may have."""
LARGEST = 224
"""Pictures are shrunk to this side, never enlarged beyond twice their own."""


def contact_sheet(
    samples: Sequence[Sample],
    *,
    answers: Sequence[str] | None = None,
    largest: int = LARGEST,
    columns: int | None = None,
    title: str = "",
) -> Image.Image:
    """Each sample on a card of its own, in rows; boxes of targets are drawn in.

    `answers` stand in for the targets as the plain dialect writes them.
    """
    if not samples:
        raise ValueError("no samples: a contact sheet needs at least one")
    samples = [replace(sample, image=sample.shown, more_images=()) for sample in samples]
    columns = columns or math.ceil(math.sqrt(len(samples) * 1.5))
    rows = math.ceil(len(samples) / columns)
    side = _side(samples, largest)
    pictures = any(s.image is not None for s in samples)
    tall = side if pictures else QUESTION * max(len(_instead(s.question, side)) for s in samples)
    written = [_wrapped(text, side) for text in answers or map(_plain, samples)]
    foot = FOOT + LINE * (max(len(lines) for lines in written) - 1)
    width, height = side + 2 * PAD, tall + 2 * PAD + foot
    top = GAP + (40 if title else 0)
    size = (GAP + columns * (width + GAP), top + rows * (height + GAP))
    sheet = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(sheet)
    if title:
        draw.text((GAP, GAP + 2), title, INK, face("sans-bold", 18))
    for place, (sample, answer) in enumerate(zip(samples, written, strict=True)):
        row, column = divmod(place, columns)
        corner = (GAP + column * (width + GAP), top + row * (height + GAP))
        draw.rounded_rectangle((*corner, corner[0] + width, corner[1] + height), 8, CARD)
        _fill(sheet, draw, sample, answer, (corner[0] + PAD, corner[1] + PAD), (side, tall))
    return sheet


def _side(samples: Sequence[Sample], largest: int) -> int:
    """The side of the square that every picture fits in."""
    sides = [max(s.image.size) for s in samples if s.image is not None]
    return min(largest, 2 * max(sides)) if sides else largest


def _plain(sample: Sample) -> str:
    return Dialect().write(sample.target, None if sample.image is None else sample.image.size)


def _fill(
    sheet: Image.Image,
    draw: ImageDraw.ImageDraw,
    sample: Sample,
    answer: list[str],
    at: tuple[int, int],
    room: Size,
) -> None:
    """A card's picture, answer and question; where there is no picture the question is above."""
    (x, y), (side, tall) = at, room
    for place, line in enumerate(answer):
        draw.text((x, y + tall + 8 + LINE * place), line, INK, face("sans-bold", 12))
    if sample.image is None:
        for place, line in enumerate(_instead(sample.question, side, tall // QUESTION)):
            draw.text((x, y + QUESTION * place), line, FAINT, face("sans", 12))
        return
    picture = _fitted(sample, side)
    sheet.paste(picture, (x + (side - picture.width) // 2, y + (side - picture.height) // 2))
    below = y + tall + 28 + LINE * (len(answer) - 1)
    small = face("sans", 8)
    lines = wrap(sample.question, _across(small, side), max_lines=2, placeholder=" …")
    draw.multiline_text((x, below), "\n".join(lines), FAINT, small, spacing=5)


def _fitted(sample: Sample, side: int) -> Image.Image:
    """The picture scaled into the square, with the boxes of its target."""
    assert sample.image is not None
    picture = sample.image.convert("RGB")
    scale = min(side / max(picture.size), 2)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    picture = picture.resize(size, Image.Resampling.LANCZOS)
    target = sample.target.scaled(sample.image.size, size)
    for corners in target.boxes:
        ImageDraw.Draw(picture).rectangle(corners, None, MARK, 2)
    return picture


def _wrapped(text: str, width: int) -> list[str]:
    """An answer in lines that fit the width, its own line breaks kept."""
    across = _across(face("sans-bold", 12), width)
    lines = [part for line in text.split("\n") for part in wrap(line, across) or [""]]
    if len(lines) <= MOST:
        return lines
    return [*lines[: MOST - 3], "…", *lines[-2:]]  # how it ends is worth seeing


def _instead(question: str, width: int, most: int = MOST_OF_IT) -> list[str]:
    """A question in the place of a picture, broken to the width; what is too long ends in dots."""
    across = _across(face("sans", 12), width)
    return wrap(question, across, max_lines=most, placeholder=" …")


def _across(font: ImageFont.FreeTypeFont, width: int) -> int:
    """How many letters fit the width, about."""
    return max(1, int(width / (font.getlength("e" * 20) / 20)))
