"""A table of labelled pictures, as a user has them."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image


def numbered_pictures(folder: Path, parts: Sequence[str], size: tuple[int, int] = (64, 64)) -> Path:
    """Pictures of which none is like another: the n-th has the answer n, and is in that part."""
    lines = ["image,answer,part"]
    for number, part in enumerate(parts):
        picture = Image.linear_gradient("L").rotate(7 * number).resize(size)
        picture.save(folder / f"{number}.png")
        lines.append(f"{number}.png,{number},{part}")
    (folder / "labels.csv").write_text("\n".join(lines))
    return folder / "labels.csv"
