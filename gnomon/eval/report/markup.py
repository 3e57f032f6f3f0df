"""Parts of the report's pages: templates, excerpts of texts, small pictures."""

import base64
import io
import os
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from PIL import Image

from gnomon.eval.report.plots import COLOURS, colour


def template(name: str) -> Any:
    """Load the template in that file of this folder."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,  # answers are what a model said: anything at all
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"colour": colour, "colours": COLOURS}
    # A file's name may hold bytes that are no UTF-8; fsencode gives them back.
    environment.filters["link"] = lambda name: quote(os.fsencode(name))
    # Compact: the data of 10,000 questions are most of the page.
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment.get_template(name)


LARGEST = 448
"""Pixels of a picture's longer side, enough to zoom in; larger ones are shrunk."""
# Longer side in pixels up to which a picture is stored without loss.
_EXACT = 112


class Excerpt(NamedTuple):
    """Text in three parts, of which the middle one is underlined: the answer as it was read."""

    before: str
    answer: str
    after: str


def excerpt(text: str, span: tuple[int, int] | None, most: int) -> Excerpt:
    """Cut a text around its answer, and say how much was left out."""
    start, end = (min(max(position, 0), len(text)) for position in span or (0, 0))
    # A span may be longer than the excerpt, as of a table or of a box in a long list.
    end = min(max(start, end), start + most)
    # Centre the answer, but cut nothing off that fits at either end.
    cut_from = max(0, min(start - (most - (end - start)) // 2, len(text) - most))
    cut_to = min(len(text), cut_from + most)
    before = f"({cut_from:,} characters) … {text[cut_from:start]}" if cut_from else text[:start]
    rest = f" … ({len(text) - cut_to:,} more characters)" if cut_to < len(text) else ""
    return Excerpt(before, text[start:end], text[end:cut_to] + rest)


def data_uri(image: Image.Image) -> str:
    """Encode a small copy of a picture: PNG up to 112 pixels, WebP above."""
    small = _on_white(image)
    small.thumbnail((LARGEST, LARGEST))
    # Small pictures are scaled up on the page, where WebP's blur would show.
    kind = "png" if max(small.size) <= _EXACT else "webp"
    buffer = io.BytesIO()
    small.save(buffer, kind, **({"quality": 75} if kind == "webp" else {"optimize": True}))
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def _on_white(image: Image.Image) -> Image.Image:
    """Copy a picture onto white: transparent, its dark lines would be lost on a dark page."""
    if "A" not in image.getbands():
        return image.convert("RGB")
    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white
