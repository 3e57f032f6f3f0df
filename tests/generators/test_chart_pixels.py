"""Marks found again from the pixels, where their values belong; boxes tight around the ink."""

import itertools

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


@pytest.mark.parametrize("layout", ["even", "free"])
@pytest.mark.parametrize(
    "charts", [("bar", "grouped"), ("barh",), ("line",), ("scatter",), ("bubble",)], ids=str
)
def test_marks_are_where_their_values_belong(charts, layout):
    """Points in the middle of their boxes, bars at one end; boxes end where the ink does."""
    measured = 0
    for sample in Chart(charts=charts, level="medium", size=224, layouts=(layout,))[0:40]:
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


def shares(facts):
    """Values as shares of the largest, and the marks' boxes, by row."""
    values = [float(row[0]) for row in facts["cells"]]
    boxes = {mark["cell"][0]: mark["box"] for mark in facts["marks"]}
    return [value / max(values) for value in values], [boxes[row] for row in range(len(values))]


def test_bars_of_a_waterfall_start_where_the_bar_before_ends():
    for sample in Chart(charts=("waterfall",), level="medium", size=224)[0:30]:
        facts, level = sample.facts, 0.0
        _, top, _, bottom = facts["plot"]
        for (written,), mark in zip(facts["cells"], facts["marks"], strict=True):
            ends = [
                bottom - place(facts["axis"], value) * (bottom - top)
                for value in (level, level + float(written))
            ]
            level += float(written)
            assert level > 0
            assert mark["at"][1] == pytest.approx(ends[1])
            assert np.allclose(mark["box"][1::2], sorted(ends), atol=1.5)


def test_a_treemaps_tiles_fill_the_plot_in_proportion():
    for sample in Chart(charts=("treemap",), level="medium")[0:30]:
        values, boxes = shares(sample.facts)
        left, top, right, bottom = sample.facts["plot"]
        areas = [(x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in boxes]
        whole = (right - left) * (bottom - top)
        assert np.allclose(np.array(areas) / whole, np.array(values) / sum(values), atol=0.02)
        for one, other in itertools.combinations(boxes, 2):
            across = min(one[2], other[2]) - max(one[0], other[0])
            down = min(one[3], other[3]) - max(one[1], other[1])
            assert min(across, down) < 2.5, "tiles share no more than their borders"


def test_a_funnels_stages_are_as_wide_as_their_values_and_get_narrower():
    for sample in Chart(charts=("funnel",), level="medium")[0:30]:
        values, boxes = shares(sample.facts)
        widths = [x2 - x1 for x1, _, x2, _ in boxes]
        assert np.allclose(np.array(widths) / widths[0], values, atol=0.02)
        assert values == sorted(values, reverse=True)
        assert len({round((x1 + x2) / 2) for x1, _, x2, _ in boxes}) == 1


def test_candles_reach_from_low_to_high_and_close_at_their_points():
    for sample in Chart(charts=("candlestick",), level="medium", size=224)[0:30]:
        facts = sample.facts
        _, top, _, bottom = facts["plot"]
        for mark in facts["marks"]:
            prices = map(float, facts["cells"][mark["cell"][0]])
            opening, high, low, close = (
                bottom - place(facts["axis"], price) * (bottom - top) for price in prices
            )
            assert high <= min(opening, close) <= max(opening, close) <= low
            assert np.allclose(mark["box"][1::2], (high, low), atol=1.5)
            assert mark["at"][1] == pytest.approx(close)


def test_bullets_end_and_have_their_targets_where_their_values_belong():
    for sample in Chart(charts=("bullet",), level="medium", size=224)[0:30]:
        facts = sample.facts
        left, _, right, _ = facts["plot"]
        for mark in facts["marks"]:
            row, column = mark["cell"]
            x = left + place(facts["axis"], float(facts["cells"][row][column])) * (right - left)
            x1, _, x2, _ = mark["box"]
            assert mark["at"][0] == pytest.approx(x)
            assert (x2 if column == 0 else (x1 + x2) / 2) == pytest.approx(x, abs=0.1)


def test_regions_of_a_map_have_the_colours_of_their_values():
    """The colour bar has the colour at the height of the value."""
    off = []
    for sample in Chart(charts=("map",), level="medium", value_labels=0.0)[0:30]:
        facts, pixels = sample.facts, np.asarray(sample.image, float)
        _, top, right, bottom = facts["plot"]
        bar = [text["box"][0] for text in facts["texts"] if text["role"] == "tick"]
        x = int((right + min(bar)) / 2)
        for mark in facts["marks"]:
            value = float(facts["cells"][mark["cell"][0]][0])
            y = bottom - place(facts["axis"], value) * (bottom - top)
            on_bar = pixels[int(np.clip(y, top + 3, bottom - 3)), x]
            x0, y0 = map(int, mark["at"])
            # Beside the name, which is in the middle of the region.
            on_map = np.median(pixels[y0 + 12 : y0 + 18, x0 - 3 : x0 + 4], axis=(0, 1))
            off.append(np.abs(on_bar - on_map).max())
    assert len(off) > 100
    assert np.quantile(off, 0.95) < 12


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
