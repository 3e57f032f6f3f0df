"""The picture of the headline: its bars are as long as the shares that they stand for."""

import numpy as np
import pytest
from eval_toys import clock_text, clocks, scored
from PIL import Image

from gnomon.eval import RunResult
from gnomon.eval.report.page import write_picture

BAR = (0x55, 0x73, 0xFF)


@pytest.mark.parametrize("share", [0.25, 0.8])
def test_a_bar_is_as_long_as_its_share(tmp_path, share):
    n = 40
    samples = clocks(n)
    off = [0 if place < share * n else 5 for place in range(n)]
    texts = [clock_text(s.target.seconds // 60 + by) for s, by in zip(samples, off, strict=True)]
    run = RunResult("mine", scored(samples, texts))
    file = write_picture(tmp_path / "r.png", [run])
    with Image.open(file) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    blue = np.abs(pixels - BAR).sum(-1) == 0
    rows = blue.any(1)
    top = pixels[rows][1]  # above the line of the interval
    filled = blue[rows][1].sum()
    behind = (np.abs(top - (236, 239, 242)).sum(-1) <= 4).sum()
    assert pixels.shape[1] == 1200
    assert filled / (filled + behind) == pytest.approx(share, abs=0.01)
