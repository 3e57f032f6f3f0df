"""Marks found again from the pixels, where their values belong; boxes tight around the ink."""

import numpy as np
import pytest

from gnomon.generators import Chart
from gnomon.generators.chart import pen as pens
from gnomon.generators.chart.generator import CHARTS
from gnomon.generators.chart.style import LEAST_CONTRAST, ratio

CLEAN = ("default", "office", "open", "dark", "slate")
"""Styles whose marks have no edges, and no dashed lines behind them."""


def plain(charts, n, **options):
    chart = Chart(charts=charts, level="medium", **options)
    found = 0
    for index in range(20 * n):
        sample = chart[index]
        if sample.facts["style"]["name"] in CLEAN:
            found += 1
            yield sample, np.asarray(sample.image, dtype=float), sample.facts
        if found == n:
            return


def place(axis, value):
    """How far along the axis, by its first and last tick."""
    low, high = axis["low"], axis["high"]
    if axis["log"]:
        return np.log(value / low) / np.log(high / low)
    return (value - low) / (high - low)


def alike(pixels, colour):
    """How much of each pixel is of that colour, 0 to 1, against what is farthest from it."""
    away = np.abs(pixels - colour).sum(-1)
    return np.clip(1 - away / 60, 0, 1)


def column_top(pixels, box, upwards):
    """Where a bar ends, from its colour in its middle: whole rows and the cover of the last."""
    x = int((box[0] + box[2]) / 2)
    strip = pixels[:, int(box[0]) + 2 : int(box[2]) - 2].mean(1)
    inside = strip[int((box[1] + box[3]) / 2)]
    rows = np.flatnonzero(alike(strip, inside) > 0.5)
    middle = int((box[1] + box[3]) / 2)
    end = middle
    step = -1 if upwards else 1
    while end + step in set(rows.tolist()):
        end += step
    return (end if upwards else end + 1), x


@pytest.mark.slow
@pytest.mark.parametrize("charts", [("bar",), ("grouped",)])
def test_bar_tops_are_where_the_values_belong(charts):
    worst, measured = 0.0, 0
    for _, pixels, facts in plain(charts, 40, value_labels=0.0):
        _, top, _, bottom = facts["plot"]
        for mark in facts["marks"]:
            box, (row, column) = mark["box"], mark["cell"]
            if box[3] - box[1] < 6 or box[2] - box[0] < 6:
                continue
            value = float(facts["cells"][row][column])
            truth = bottom - place(facts["axis"], value) * (bottom - top)
            middle = pixels[int(box[1]) + 2 : int(box[3]) - 2, int(box[0]) + 2 : int(box[2]) - 2]
            if middle.reshape(-1, 3).std(0).max() > 1:
                continue  # hatched, or crossed by a line
            found, _ = column_top(pixels, box, value >= 0)
            worst, measured = max(worst, abs(found - truth)), measured + 1
            assert abs(mark["at"][1] - truth) < 1e-6
    assert measured > 100
    assert worst <= 1.0


@pytest.mark.slow
def test_grid_lines_run_where_their_values_belong():
    """A pixel wide, they are off by half of one at most, and not to one side: once by 0.55."""
    off = []
    for _, pixels, facts in plain(("bar", "line"), 60, value_labels=0.0):
        left, top, _, bottom = facts["plot"]
        ink = np.abs(pixels - pixels[int(top) + 3, int(left) + 2]).max(-1)[:, int(left) + 2]
        for value in [] if facts["axis"]["log"] else facts["axis"]["ticks"][1:-1]:
            y = bottom - place(facts["axis"], value) * (bottom - top)
            near = ink[int(y) - 3 : int(y) + 4]
            if (near > 5).sum() == 1:
                off.append(int(y) - 2.5 + near.argmax() - y)
    assert len(off) > 40
    assert max(map(abs, off)) <= 0.51
    assert abs(np.mean(off)) < 0.15


def test_sideways_bars_end_where_the_values_belong():
    measured = 0
    for _, pixels, facts in plain(("barh",), 25, value_labels=0.0):
        left, _, right, _ = facts["plot"]
        turned = pixels.transpose(1, 0, 2)
        for mark in facts["marks"]:
            box = mark["box"]
            flat = (box[1], box[0], box[3], box[2])
            value = float(facts["cells"][mark["cell"][0]][0])
            truth = left + place(facts["axis"], value) * (right - left)
            middle = turned[
                int(flat[1]) + 2 : int(flat[3]) - 2, int(flat[0]) + 2 : int(flat[2]) - 2
            ]
            if middle.shape[0] < 4 or middle.reshape(-1, 3).std(0).max() > 1:
                continue
            assert abs(column_top(turned, flat, value < 0)[0] - truth) <= 1.0
            measured += 1
    assert measured > 60


@pytest.mark.parametrize("charts", [("scatter",), ("bubble",)])
def test_points_are_where_the_values_belong_and_their_boxes_are_tight(charts):
    measured = 0
    for _, pixels, facts in plain(charts, 30):
        left, top, right, bottom = facts["plot"]
        for mark in facts["marks"]:
            row = mark["cell"][0]
            x = left + place(facts["across"], float(facts["cells"][row][0])) * (right - left)
            y = bottom - place(facts["axis"], float(facts["cells"][row][1])) * (bottom - top)
            assert np.allclose(mark["at"], (x, y))
            x1, y1, x2, y2 = mark["box"]
            window = (int(x1) - 3, int(y1) - 3, int(x2) + 4, int(y2) + 4)
            if any(crossing(window, other) for other in others(facts, mark)):
                continue
            patch = pixels[window[1] : window[3], window[0] : window[2]]
            ground = patch[0, 0]
            if not (
                np.abs(patch[[0, -1]] - ground).max() < 2
                and np.abs(patch[:, [0, -1]] - ground).max() < 2
            ):
                continue  # a grid line runs through
            ink = np.abs(patch - ground).max(-1) > 3
            rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
            box = (window[0] + columns[0], window[1] + rows[0],
                   window[0] + columns[-1] + 1, window[1] + rows[-1] + 1)  # fmt: skip
            assert np.abs(np.array(box) - mark["box"]).max() <= 1.0, (facts["style"], mark)
            if charts == ("bubble",):
                weight = np.abs(patch - ground).max(-1)
                assert abs((box[0] + box[2]) / 2 - x) <= 1
                assert abs((box[1] + box[3]) / 2 - y) <= 1
                assert weight.max() > 20
            measured += 1
    assert measured > 25


def others(facts, mark):
    yield from (m["box"] for m in facts["marks"] if m is not mark)
    yield from (
        t["box"] for t in facts["texts"] if t["role"] != "name" or facts["chart"] == "scatter"
    )


def crossing(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


class Recorder(pens.Pen):
    """A pen that draws each shape alone once more, to see its ink."""

    def __init__(self, size, inks):
        super().__init__(size)
        self.inks, self.alone = inks, pens.Pen(size)

    def path(self, points, fill=None, line=None, **options):
        shape = super().path(points, fill, line, **options)
        self.alone._agg.clear()
        self.alone.path(points, fill, line, **options)
        cover = np.asarray(self.alone._agg.buffer_rgba())[..., 3] > 0
        if cover.any():
            rows, columns = np.flatnonzero(cover.any(1)), np.flatnonzero(cover.any(0))
            self.inks[rounded(shape.box)] = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        return shape


@pytest.mark.parametrize("chart", CHARTS)
def test_every_marks_box_is_tight_around_its_ink(chart, monkeypatch):
    """A mask of the mark drawn alone: its rows and columns are the box's, to the pixel."""
    for index in range(6):
        inks = {}
        recorder = Recorder((224, 224), inks)
        monkeypatch.setattr(pens.Pen, "of", lambda size, pen=recorder: pen)
        level = ("medium", "hard")[index % 2]
        facts = Chart(charts=(chart,), level=level, size=224)[index].facts
        for mark in facts["marks"]:
            ink = inks[rounded(mark["box"])]
            assert np.abs(np.array(ink) - np.array(mark["box"])).max() <= 1.0, (mark, ink)


def rounded(box):
    return tuple(round(side, 6) for side in box)


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


def test_marks_of_the_drawn_picture_stand_out_from_its_floor():
    for index in range(60):
        sample = Chart(charts=("bar", "histogram"), level="easy")[index]
        pixels = np.asarray(sample.image) / 255
        _, top, right, _ = sample.facts["plot"]
        floor = pixels[int(top) + 3, int(right) - 3]
        mark = max(sample.facts["marks"], key=lambda m: m["box"][3] - m["box"][1])
        x1, y1, x2, y2 = mark["box"]
        inside = pixels[int((y1 + y2) / 2) - 2 : int((y1 + y2) / 2) + 3, int(x1) + 4 : int(x2) - 4]
        best = max(ratio(tuple(p), tuple(floor)) for p in inside.reshape(-1, 3))
        assert best >= LEAST_CONTRAST - 0.1
