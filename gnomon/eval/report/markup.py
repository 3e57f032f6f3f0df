"""Helpers for a report's page: templates, excerpts of texts, and small pictures."""

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
    """Load a Jinja template from this folder by its file name."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,  # a model's answer may contain HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"colour": colour, "colours": COLOURS}
    # A file name may contain bytes that are not UTF-8, which fsencode restores.
    environment.filters["link"] = lambda name: quote(os.fsencode(name))
    # Compact JSON, because the data of 10,000 questions are most of the page.
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment.get_template(name)


LARGEST = 448
"""Longer side of a picture in pixels. Larger pictures are shrunk."""
# Longer side in pixels up to which a picture is stored without loss.
_EXACT = 112


class Excerpt(NamedTuple):
    """An answer's text in three parts. The page underlines the middle part, which was read."""

    before: str
    answer: str
    after: str


def excerpt(text: str, span: tuple[int, int] | None, most: int) -> Excerpt:
    """Cut a text to `most` characters around `span`, and tell how many characters were left out."""
    start, end = (min(max(position, 0), len(text)) for position in span or (0, 0))
    # The span of a table or of a long list of boxes may be longer than the excerpt.
    end = min(max(start, end), start + most)
    # Centre the answer, but keep the beginning or the end of the text if they fit.
    cut_from = max(0, min(start - (most - (end - start)) // 2, len(text) - most))
    cut_to = min(len(text), cut_from + most)
    before = f"({cut_from:,} characters) … {text[cut_from:start]}" if cut_from else text[:start]
    rest = f" … ({len(text) - cut_to:,} more characters)" if cut_to < len(text) else ""
    return Excerpt(before, text[start:end], text[end:cut_to] + rest)


def data_uri(image: Image.Image) -> str:
    """Encode a small copy of a picture as a data URI: PNG up to 112 pixels, WebP above."""
    small = _on_white(image)
    small.thumbnail((LARGEST, LARGEST))
    # The page enlarges small pictures, which would show the blur of WebP.
    kind = "png" if max(small.size) <= _EXACT else "webp"
    buffer = io.BytesIO()
    small.save(buffer, kind, **({"quality": 75} if kind == "webp" else {"optimize": True}))
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def _on_white(image: Image.Image) -> Image.Image:
    """Copy a picture onto white, because dark lines on transparent would vanish on a dark page."""
    if "A" not in image.getbands():
        return image.convert("RGB")
    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white
