"""Marks found again from the pixels, where their values belong; boxes tight around the ink."""

import numpy as np
import pytest

from gnomon.generators import Chart

CLEAN = ("default", "office", "open", "dark", "slate")
"""Styles whose marks have no edges, and no dashed lines behind them."""


def place(axis, value):
    """How far along the axis, by its first and last tick."""
    low, high = axis["low"], axis["high"]
    if axis["log"]:
        return np.log(value / low) / np.log(high / low)
    return (value - low) / (high - low)


@pytest.mark.slow
def test_grid_lines_run_where_their_values_belong():
    """A pixel wide, they are off by half of one at most, and not to one side: once by 0.55."""
    off = []
    for sample in Chart(charts=("bar", "line"), level="medium", value_labels=0.0)[0:150]:
        pixels, facts = np.asarray(sample.image, float), sample.facts
        left, top, _, bottom = facts["plot"]
        ink = np.abs(pixels - pixels[int(top) + 3, int(left) + 2]).max(-1)[:, int(left) + 2]
        if facts["axis"]["log"] or facts["style"]["name"] not in CLEAN:
            continue
        for value in facts["axis"]["ticks"][1:-1]:
            y = bottom - place(facts["axis"], value) * (bottom - top)
            near = ink[int(y) - 3 : int(y) + 4]
            if (near > 5).sum() == 1:
                off.append(int(y) - 2.5 + near.argmax() - y)
    assert len(off) > 40
    assert max(map(abs, off)) <= 0.51
    assert abs(np.mean(off)) < 0.15


@pytest.mark.parametrize(
    "charts", [("bar", "grouped"), ("barh",), ("line",), ("scatter",), ("bubble",)], ids=str
)
def test_marks_are_where_their_values_belong(charts):
    """Points in the middle of their boxes, bars at one end; boxes end where the ink does."""
    measured = 0
    for sample in Chart(charts=charts, level="medium", size=224)[0:40]:
        facts = sample.facts
        left, top, right, bottom = facts["plot"]
        for mark in facts["marks"]:
            row, column = mark["cell"]
            value = float(facts["cells"][row][column])
            x1, y1, x2, y2 = mark["box"]
            if facts["across"]:
                first, second = (float(number) for number in facts["cells"][row][:2])
                x = left + place(facts["across"], first) * (right - left)
                y = bottom - place(facts["axis"], second) * (bottom - top)
                assert np.allclose(mark["at"], (x, y))
                assert np.allclose(((x1 + x2) / 2, (y1 + y2) / 2), (x, y), atol=1.5)
            elif facts["chart"] == "barh":
                x = left + place(facts["axis"], value) * (right - left)
                assert mark["at"][0] == pytest.approx(x)
                assert min(abs(x - x1), abs(x - x2)) < 1.5
            else:
                y = bottom - place(facts["axis"], value) * (bottom - top)
                assert mark["at"][1] == pytest.approx(y)
                ends = [(y1 + y2) / 2] if charts == ("line",) else [y1, y2]
                assert min(abs(y - end) for end in ends) < 1.5
            measured += 1
    assert measured > 100


def test_text_boxes_are_tight_around_their_ink():
    for index in range(30):
        sample = Chart(level="medium", charts=("bar", "line", "pie"))[index]
        pixels = np.asarray(sample.image, dtype=float)
        for text in sample.facts["texts"]:
            if text["role"] in ("value", "name"):
                continue  # these stand on marks
            x1, y1, x2, y2 = text["box"]
            around = pixels[max(0, y1 - 1) : y2 + 1, max(0, x1 - 1) : x2 + 1]
            ground = pixels[2, 2] if text["role"] != "legend" else around[0, 0]
            ink = np.abs(pixels[y1:y2, x1:x2] - ground).max(-1) > 0
            for side in (ink[0], ink[-1], ink[:, 0], ink[:, -1]):
                assert side.any(), text
