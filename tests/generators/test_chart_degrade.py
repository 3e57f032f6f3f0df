"""Degraded charts: boxes end where the moved ink does, letters can still be read."""

import cv2
import numpy as np
import pytest
from PIL import Image
from quick import quick
from solvers import check

from gnomon.generators import Chart, create
from gnomon.generators.chart import draw as telling
from gnomon.generators.chart import pen as pens
from gnomon.generators.chart.generator import CHARTS

FINE = 4
HALF = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])


class Recorder(pens.Pen):
    """A pen that draws each shape alone once more, four times as large, to see its ink."""

    def __init__(self, size):
        super().__init__(size)
        self.inks, self.alone = {}, pens.Pen((FINE * size[0], FINE * size[1]))

    def path(self, points, fill=None, line=None, **options):
        shape = super().path(points, fill, line, **options)
        self.alone._agg.clear()
        thick = line and line._replace(width=FINE * line.width, dashes=())
        options = {**options, "snap": False, "hatch": None, "alpha": 1.0}
        self.alone.path(FINE * np.array(points), fill, thick, **options)
        ys, xs = np.nonzero(np.asarray(self.alone._agg.buffer_rgba())[..., 3] > 127)
        self.inks[id(shape.path)] = (shape, np.stack([xs + 0.5, ys + 0.5], 1) / FINE)
        return shape


def through(homography, points):
    moved = np.column_stack([points, np.ones(len(points))]) @ np.array(homography).T
    return moved[:, :2] / moved[:, 2:]


@pytest.mark.parametrize("degrade", quick(["off", "light", "heavy"], "off", "heavy"))
@pytest.mark.parametrize("chart", CHARTS)
def test_every_marks_box_is_tight_around_its_moved_ink(chart, degrade, monkeypatch):
    """The ink as it was drawn, point by point, through the homography of the facts."""
    size = (336, 336)
    recorder, boards = Recorder(size), []
    monkeypatch.setattr(pens.Pen, "of", lambda size: recorder)
    told = telling.chart_facts
    monkeypatch.setattr(telling, "chart_facts", lambda *a: boards.append(a[0]) or told(*a))
    for index in range(1 if chart != "scatter" else 3):
        recorder.inks.clear()
        facts = Chart(charts=(chart,), size=size, degrade=degrade, level="medium")[index].facts
        board = boards.pop()
        homography = facts.get("homography", np.eye(3))
        for mark, said in zip(board.marks, facts["marks"], strict=True):
            _, ink = recorder.inks[id(mark.shape.path)]
            seen = through(homography, ink)
            found = np.concatenate([seen.min(0), seen.max(0)])
            assert np.abs(found - said["box"]).max() < 0.5, (said, found)
            assert np.allclose(through(homography, [mark.at]), said["at"])
        for word, said in zip(board.pen.words, facts["texts"], strict=True):
            rows, columns = np.nonzero(word.mask)
            ink = np.stack([columns, rows], 1) + 0.5 + np.array(word.box[:2])
            seen = through(homography, ink)
            found = np.concatenate([seen.min(0) - 0.5, seen.max(0) + 0.5])
            assert np.abs(found - said["box"]).max() < 0.5, (said, found)


@pytest.mark.slow
def test_texts_of_worn_pictures_can_be_read(monkeypatch):
    """The picture's brightness follows the letters' own ink, wherever they stand."""
    boards, told = [], telling.chart_facts
    monkeypatch.setattr(telling, "chart_facts", lambda *a: boards.append(a[0]) or told(*a))
    for size, degrade in ((224, "light"), ((448, 336), "heavy")):
        for index in range(40):
            chart = Chart(size=size, degrade=degrade, level="medium", ood=index % 4 == 3)
            facts = (sample := chart[index]).facts
            bright = np.asarray(sample.image.convert("L"), float)
            homography = np.linalg.inv(HALF) @ np.array(facts["homography"]) @ HALF
            for word in boards.pop().pen.words:
                cover = np.zeros(bright.shape)
                x1, y1, x2, y2 = word.box
                cover[y1:y2, x1:x2] = word.mask / 255
                seen = cv2.warpPerspective(cover, homography, bright.shape[::-1])
                ys, xs = np.nonzero(seen > 0.02)
                near = slice(ys.min(), ys.max() + 1), slice(xs.min(), xs.max() + 1)
                likeness = np.corrcoef(seen[near].ravel(), bright[near].ravel())[0, 1]
                assert abs(likeness) > 0.7, (size, degrade, index, word.text, likeness)


def test_boxes_that_are_asked_for_move_along():
    for degrade in ("light", "heavy"):
        for sample in Chart(questions=("box",), degrade=degrade)[0:15]:
            check(sample)
            assert min(sample.target.corners) >= 0
            assert sample.target.x2 <= 448
            assert sample.target.y2 <= 336


@pytest.mark.slow
def test_readings_of_worn_charts_may_be_coarser():
    within = {}
    for degrade in ("off", "light", "heavy"):
        chart = Chart(questions=("retrieve",), charts=("bar",), value_labels=0, degrade=degrade)
        shares = []
        for index in range(25):
            facts, target = (sample := chart[index]).facts, sample.target
            span = facts["axis"]["high"] - facts["axis"]["low"]
            shares.append(float(target.within) / span)
        within[degrade] = np.mean(shares)
    assert within["off"] < within["light"] < within["heavy"]


def test_letters_that_would_be_lost_are_refused():
    with pytest.raises(ValueError, match="size=224, degrade='heavy': its letters would be lost"):
        create("chart", size=224, degrade="heavy")
    assert isinstance(create("chart", size=224, degrade="light")[0].image, Image.Image)
