"""The contact sheet."""

import numpy as np
import pytest
from PIL import Image

from gnomon.generators import create
from gnomon.generators.drawing.sheet import PAPER, contact_sheet
from gnomon.sample import Box, Sample, Spot, Spots


def test_each_sample_has_its_card():
    clocks = [create("clock", size=84)[i] for i in range(5)]
    sheet = contact_sheet(clocks, columns=2, title="clocks")
    one = contact_sheet(clocks[:1], columns=1, title="clocks")
    assert sheet.width > 1.8 * one.width
    assert sheet.height > 2.5 * (one.height - 60)
    paper = np.asarray(Image.new("RGB", (1, 1), PAPER))[0, 0]
    last = np.asarray(sheet)[-40:-20, sheet.width // 2 + 20 :]
    assert (last == paper).all()  # the place after the fifth is empty


def test_a_box_is_drawn_where_it_is():
    blank = Image.new("RGB", (200, 100), "white")
    sample = Sample("x", blank, "Where?", Box(50, 25, 150, 75))
    sheet = np.asarray(contact_sheet([sample])).astype(int)
    red = (sheet[..., 0] - sheet[..., 1]) > 100
    ys, xs = np.nonzero(red)
    assert abs((xs.max() - xs.min()) / (ys.max() - ys.min()) - 2) < 0.1


def test_every_text_that_is_looked_for_has_its_box():
    blank = Image.new("RGB", (200, 100), "white")
    spots = Spots((Spot("one", Box(10, 10, 60, 40)), Spot("two", Box(120, 50, 180, 90))))
    sheet = np.asarray(contact_sheet([Sample("x", blank, "Where?", spots)])).astype(int)
    red = ((sheet[..., 0] - sheet[..., 1]) > 100).any(0)
    assert np.count_nonzero(np.diff(red.astype(int)) == 1) == 2


def test_other_answers_stand_in_and_long_ones_get_their_room():
    sums = [create("arithmetic")[i] for i in range(2)]
    plain, same = contact_sheet(sums), contact_sheet(sums, answers=["1", "2"])
    long = contact_sheet(sums, answers=["1", "word " * 200])
    assert same.size == plain.size
    assert plain.height + 100 < long.height < plain.height + 200


def test_no_samples_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        contact_sheet([])
