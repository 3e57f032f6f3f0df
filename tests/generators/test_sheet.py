"""The contact sheet."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from gnomon.generators import create
from gnomon.generators.sheet import PAPER, contact_sheet
from gnomon.sample import Box, Sample


def test_each_sample_has_its_card():
    clocks = [create("clock", size=84)[i] for i in range(5)]
    sheet = contact_sheet(clocks, columns=2, title="clocks")
    one = contact_sheet(clocks[:1], columns=1, title="clocks")
    assert sheet.width > 1.8 * one.width
    assert sheet.height > 2.5 * (one.height - 60)
    paper = np.asarray(Image.new("RGB", (1, 1), PAPER))[0, 0]
    last = np.asarray(sheet)[-40:-20, sheet.width // 2 + 20 :]
    assert (last == paper).all()  # the place after the fifth is empty


def test_text_alone_makes_low_cards():
    sums = [create("arithmetic")[i] for i in range(2)]
    clocks = [create("clock")[i] for i in range(2)]
    low, high = contact_sheet(sums, columns=2), contact_sheet(clocks, columns=2)
    assert low.height < 0.6 * high.height
    assert contact_sheet([*sums, *clocks]).height >= high.height


def test_a_box_is_drawn_where_it_is():
    blank = Image.new("RGB", (200, 100), "white")
    sample = Sample("x", blank, "Where?", Box(50, 25, 150, 75))
    sheet = np.asarray(contact_sheet([sample])).astype(int)
    red = (sheet[..., 0] - sheet[..., 1]) > 100
    ys, xs = np.nonzero(red)
    assert abs((xs.max() - xs.min()) / (ys.max() - ys.min()) - 2) < 0.1


def test_no_samples_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        contact_sheet([])
