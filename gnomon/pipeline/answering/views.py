"""Several views of a picture, and the average of what a model believes about each.

An instrument in a photograph is cut out a little too close or too wide. A reading that hangs on it
is seldom the likeliest in all views.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
from PIL import Image

from gnomon.pipeline.answering.rule import LOGPROB_DECIMALS
from gnomon.sample import Sample

_CLOSER, _WIDER = 0.045, 0.075
"""Shares of a side that are cut off or added at each end: a digit that fills a picture stays whole.
"""


def other_views(sample: Sample) -> list[Sample]:
    """Return a sample with its pictures cut off at the edges, and with wider ones."""
    if sample.image is None:
        return []
    return [
        replace(
            sample, image=change(sample.image), more_images=tuple(map(change, sample.more_images))
        )
        for change in (_cut_off, _widen)
    ]


def _cut_off(picture: Image.Image) -> Image.Image:
    x, y = (round(_CLOSER * side) for side in picture.size)
    return picture.crop((x, y, picture.width - x, picture.height - y))


def _widen(picture: Image.Image) -> Image.Image:
    """Repeat the pixels of the edges outside of them."""
    x, y = (round(_WIDER * side) for side in picture.size)
    pixels = np.asarray(picture.convert("RGB"))
    return Image.fromarray(np.pad(pixels, ((y, y), (x, x), (0, 0)), mode="edge"))


def average_beliefs(beliefs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Average the probabilities of each answer, given and returned as logarithms.

    An answer that a search left out of a view has none there.
    """
    if len(beliefs) == 1:
        return beliefs[0]
    answers = dict.fromkeys(answer for belief in beliefs for answer in belief)
    totals = {
        answer: np.logaddexp.reduce([belief.get(answer, -np.inf) for belief in beliefs])
        for answer in answers
    }
    n = log(len(beliefs))
    return {answer: round(float(total) - n, LOGPROB_DECIMALS) for answer, total in totals.items()}
