"""Wear on any picture, by Pillow and NumPy: turned, resampled, blurred, noisy, lit and JPEG.

gnomon's own `degrade` has no part in it, for what is trained on may use that.
"""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter

TURN = {"clock": 8.0, "gauge": 8.0, "chart": 2.0}
"""Degrees either way, by kind."""
_BLUR = {"clock": 0.004, "gauge": 0.003, "chart": 0.0015}
"""The most, as a share of the shorter side: a chart's small letters have to outlive it."""
_SMALLEST = {"clock": 0.6, "gauge": 0.7, "chart": 0.85}
CODE = sha256(Path(__file__).read_bytes()).hexdigest()[:4]
"""What wears, for the names of folders."""


def worn(image: Image.Image, kind: str, index: int) -> Image.Image:
    """The same picture after a scan or a telephone."""
    rng = Random(f"worn {kind} {index}")
    found = _turned(image.convert("RGB"), rng.uniform(-TURN[kind], TURN[kind]))
    size = found.size
    if rng.random() < 0.5:
        share = rng.uniform(_SMALLEST[kind], 0.95)
        small = (max(1, round(share * size[0])), max(1, round(share * size[1])))
        found = found.resize(small, Image.Resampling.BILINEAR).resize(
            size, Image.Resampling.BICUBIC
        )
    found = found.filter(ImageFilter.GaussianBlur(rng.uniform(0, _BLUR[kind]) * min(size)))
    found = ImageEnhance.Brightness(found).enhance(rng.uniform(0.75, 1.05))
    found = ImageEnhance.Contrast(found).enhance(rng.uniform(0.7, 1.1))
    noise = np.random.default_rng(rng.getrandbits(32)).normal(
        0, rng.uniform(2, 9), (size[1], size[0], 3)
    )
    found = Image.fromarray(np.clip(np.asarray(found) + noise, 0, 255).astype(np.uint8))
    jpeg = BytesIO()
    found.save(jpeg, "JPEG", quality=rng.randint(35, 80))
    return Image.open(jpeg).convert("RGB")


def _turned(image: Image.Image, degrees: float) -> Image.Image:
    """With the border's usual colour in the corners; nothing is cut off."""
    pixels = np.asarray(image)
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    fill = tuple(int(part) for part in np.median(border, axis=0))
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=fill)
