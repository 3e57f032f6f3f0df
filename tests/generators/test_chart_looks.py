"""Charts in the world: where their points go, which names and numbers they show."""

from decimal import Decimal

import numpy as np
import pytest
from PIL import Image
from quick import quick
from test_chart_degrade import Recorder

from gnomon.generators import Chart, create
from gnomon.generators.chart import draw as telling
from gnomon.generators.chart import pen as pens
from gnomon.generators.chart.style import HOUSE
from gnomon.generators.chart.table import NUMBERS
from gnomon.generators.looks import page
from gnomon.generators.rng import Rng

SIZE = (448, 336)
COLOURS = page.PageColours((255, 255, 255), (0, 0, 0), (40, 90, 160), True)


@pytest.mark.parametrize("look", page.PAGE_LOOKS)
def test_points_of_a_chart_are_where_its_pose_says(look):
    """Squares at known places, found again by their red: within a pixel."""
    places = [(x, y) for x in (20, 160, 300, 428) for y in (20, 168, 316)]
    pixels = np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)
    for x, y in places:
        pixels[y - 8 : y + 8, x - 8 : x + 8] = (230, 20, 20)
    away = []
    for index in range(12):
        rng = Rng("test", look, index)
        seen, pose = page.show_on_page(Image.fromarray(pixels), look, COLOURS, rng)
        assert seen.size == SIZE
        shown = np.asarray(seen, float)
        redness = np.clip(shown[..., 0] - shown[..., 1:].max(2), 0, None)
        if look in ("screenshot", "dashboard") and shown.mean() < 100:
            continue  # dark mode changes the red
        for x, y in places:
            u, v = pose.at(x, y)
            assert 0 <= u <= SIZE[0]
            assert 0 <= v <= SIZE[1]
            near = slice(max(0, int(v) - 12), int(v) + 13), slice(max(0, int(u) - 12), int(u) + 13)
            weight = redness[near] - np.median(redness)
            weight = np.where(weight > 0.5 * weight.max(), weight, 0)
            rows, columns = np.indices(weight.shape)
            found = (columns * weight).sum(), (rows * weight).sum()
            found = np.array(found) / weight.sum() + (near[1].start + 0.5, near[0].start + 0.5)
            away.append(found - (u, v))
    assert len(away) > 60
    assert np.quantile(np.abs(away), 0.95) < 1.0
    assert np.abs(np.mean(away, axis=0)).max() < 0.35  # and not to one side


@pytest.mark.parametrize("look", page.PAGE_LOOKS)
@pytest.mark.parametrize("chart", quick(["bar", "barh", "line", "pie", "heatmap"], "barh", "pie"))
def test_boxes_are_tight_around_the_ink_in_every_look(chart, look, monkeypatch):
    """The ink as it was drawn, point by point, through the pose of the page."""
    recorder, calls = Recorder(SIZE), []
    monkeypatch.setattr(pens.Pen, "of", lambda size: recorder)
    told = telling.chart_facts
    monkeypatch.setattr(telling, "chart_facts", lambda *a: calls.append(a) or told(*a))
    recorder.inks.clear()
    facts = Chart(charts=(chart,), size=SIZE, looks=(look,), level="medium")[1].facts
    board, _, pose = calls.pop()
    assert facts["look"] == look
    for mark, said in zip(board.marks, facts["marks"], strict=True):
        seen = pose(recorder.inks[id(mark.shape.path)][1])
        found = np.concatenate([seen.min(0), seen.max(0)])
        assert np.abs(found - said["box"]).max() < 0.5, (said, found)
        assert np.allclose(pose(np.array([mark.at])), said["at"])
    for word, said in zip(board.pen.words, facts["texts"], strict=True):
        rows, columns = np.nonzero(word.mask)
        seen = pose(np.stack([columns, rows], 1) + 0.5 + np.array(word.box[:2]))
        found = np.concatenate([seen.min(0) - 0.5, seen.max(0) + 0.5])
        assert np.abs(found - said["box"]).max() < 0.5, (said, found)


def test_colours_that_tell_series_apart_are_never_lost():
    """Neither a scan in grey nor a pale photograph makes all parts of a pie grey."""
    for look in ("scan", "photo"):
        for sample in Chart(charts=("ring",), looks=(look,), palettes=("set1",))[0:12]:
            pixels = np.asarray(sample.image, int)
            saturation = np.ptp(pixels, axis=2) / (pixels.max(axis=2) + 20)
            assert np.quantile(saturation, 0.97) > 0.15, (look, sample.id)


@pytest.mark.parametrize("form", NUMBERS)
def test_numbers_are_written_as_in_the_country(form):
    thousands, decimal = NUMBERS[form]
    grouped = 0
    for sample in Chart(charts=("bar", "barh"), level="hard", numbers=(form,))[0:30]:
        facts = sample.facts
        texts = [t["text"] for t in facts["texts"] if t["role"] == "tick"]
        numbers = [t for t in texts if t not in facts["rows"]]
        grouped += sum(thousands in t for t in numbers) if thousands else 0
        plain = [t.strip("-$€%kMB").replace(thousands or "\0", "") for t in numbers]
        read = {abs(Decimal(t.replace(decimal, "."))) for t in plain if form != "plain"}
        assert read <= {abs(Decimal(str(tick))) for tick in facts["axis"]["ticks"]}, (numbers, read)
    assert bool(grouped) == bool(thousands)


def test_names_are_cut_or_turned():
    cut = turned = 0
    for sample in Chart(charts=("bar",), names=("cut", "turned"), size=448, level="hard")[0:60]:
        facts = sample.facts
        texts = {t["text"]: t["box"] for t in facts["texts"] if t["role"] == "tick"}
        for name in facts["rows"]:
            (text,) = [t for t in texts if t == name or (t[-1] == "…" and name.startswith(t[:-1]))]
            x1, y1, x2, y2 = texts[text]
            assert x1 >= 0, text
            assert y2 <= 448
            cut += text != name
            turned += len(text) > 6 and 0.6 < (x2 - x1) / (y2 - y1) < 1.6
        if facts["question"] in ("extreme", "compare"):
            assert set(facts["rows"]) <= set(texts)
    assert cut > 5
    assert turned > 20


@pytest.mark.parametrize("style", HOUSE)
def test_house_styles_are_drawn_if_they_are_named(style):
    sample = Chart(styles=(style,), charts=("bar",))[0]
    assert sample.facts["style"]["name"] == style
    assert all(one.facts["style"]["name"] not in HOUSE for one in Chart()[0:20])


def test_a_sketched_bar_stays_in_its_box():
    """The waves of a hand are about a pixel high."""
    for sample in Chart(styles=("sketch",), charts=("bar",), value_labels=0)[0:5]:
        pixels = np.asarray(sample.image, int)
        for mark in sample.facts["marks"]:
            x1, y1, x2, y2 = (round(side) for side in mark["box"])
            middle = pixels[(y1 + y2) // 2, (x1 + x2) // 2]
            column = np.abs(pixels[:, (x1 + x2) // 2] - middle).sum(1) < 30
            assert abs(np.flatnonzero(column).min() - y1) <= 3
            assert not column[: max(0, y1 - 2)].any()


def test_looks_that_would_lose_letters_are_refused():
    with pytest.raises(ValueError, match=r"looks=\['scan'\]: letters would be lost"):
        create("chart", looks=("scan",), size=224)
    with pytest.raises(ValueError, match="leave degrade out"):
        create("chart", looks=("flat", "photo"), degrade="light")
