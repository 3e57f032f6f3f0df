"""Draws docs/howto/augment.webp: photographs as they are, and as training sees them.

python docs/augment.py
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

from gnomon.generators import create
from gnomon.generators.drawing.lettering import font_face
from gnomon.generators.looks.augment import augment_sample

SIDE, GAP, TOP = 128, 6, 22
COLUMNS = (("off", 1), ("light", 4), ("heavy", 4))


def main() -> None:
    """Draw a row for each instrument, which drawings stand in for."""
    kinds = {
        "dial": create("gauge", instruments=["dial"], look="photo", questions=["read"]),
        "clock": create("clock", look="photo", questions=["read"]),
        "counter": create("counter", look="photo", questions=["read"]),
    }
    count = sum(number for _, number in COLUMNS)
    size = count * (SIDE + GAP) + GAP, TOP + len(kinds) * (SIDE + GAP)
    sheet = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    for row, kind in enumerate(kinds.values()):
        sample, column = kind[1], 0
        for strength, number in COLUMNS:
            x = GAP + column * (SIDE + GAP)
            draw.text((x, 3), f"augment: {strength}", "#1c1c1e", font_face("sans", 13))
            for epoch in range(number):
                picture = augment_sample(sample, strength, row, epoch).image
                assert picture is not None
                picture.thumbnail((SIDE, SIDE))
                place = GAP + column * (SIDE + GAP), TOP + row * (SIDE + GAP)
                sheet.paste(picture, (place[0], place[1] + (SIDE - picture.height) // 2))
                column += 1
    sheet.save(Path(__file__).parent / "howto" / "augment.webp", quality=85)


if __name__ == "__main__":
    main()
