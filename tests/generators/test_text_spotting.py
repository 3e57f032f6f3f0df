"""Texts are measured from their pixels: boxes end where the ink does, corners go round it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import cv2
import numpy as np
import pytest
from quick import quick, strengths
from solvers import check

from gnomon.generators import create
from gnomon.generators.drawing.colours import (
    READABLE,
    SHADES,
    colours_readable_on,
    contrast,
    text_grounds,
)
from gnomon.generators.drawing.pose import Slot, strips
from gnomon.generators.rng import Rng
from gnomon.generators.text_spotting.draw import hull
from gnomon.generators.text_spotting.generator import LEVELS

levels = pytest.mark.parametrize("level", quick(LEVELS, "hard"))


def drawn(n, **options):
    generator = create("text_spotting", **options)
    return [generator[i] for i in range(n)]


def covered(sample):
    """How much of each pixel differs from an even ground."""
    pixels = np.asarray(sample.image, float)
    return np.abs(pixels - np.array(sample.facts["ground"])).max(2)


@levels
def test_boxes_end_where_the_ink_does(level):
    for sample in drawn(25, level=level, backgrounds=["plain"]):
        ink, texts_ = covered(sample), sample.facts["texts"]
        alone = np.zeros(ink.shape, bool)
        for text in texts_:
            x1, y1, x2, y2 = text["box"]
            strength = contrast_of(sample, text)
            part = ink[int(y1) : int(np.ceil(y2)), int(x1) : int(np.ceil(x2))] > 0.1 * strength
            alone[int(y1) : int(np.ceil(y2)), int(x1) : int(np.ceil(x2))] = True
            # The first and last row and column of the box hold ink, or the next ones do.
            assert part[:2].any() and part[-2:].any()  # noqa: PT018
            assert part[:, :2].any() and part[:, -2:].any()  # noqa: PT018
        outside = np.where(alone, 0, ink)
        assert outside.max() < 0.35 * min(contrast_of(sample, t) for t in texts_)


def contrast_of(sample, text):
    """The greatest difference of a text's colour to its ground, of any channel."""
    shade = np.array(SHADES[text["colour"]][0], float)
    return float(np.abs(shade - np.array(sample.facts["ground"])).max())


@levels
def test_the_ink_lies_within_the_corners(level):
    for sample in drawn(20, level=level, backgrounds=["plain"]):
        ink = covered(sample)
        for text in sample.facts["texts"]:
            quad = np.array(text["quad"], np.float32)
            x1, y1, x2, y2 = (int(v) for v in text["box"])
            rows, columns = np.nonzero(ink[y1:y2, x1:x2] > 0.5 * contrast_of(sample, text))
            for x, y in zip(columns[::7] + x1 + 0.5, rows[::7] + y1 + 0.5, strict=True):
                inside = [
                    cv2.pointPolygonTest(
                        np.array(t["quad"], np.float32), (float(x), float(y)), True
                    )
                    for t in sample.facts["texts"]
                ]
                assert max(inside) > -1
            assert cv2.contourArea(quad) > 0


@levels
def test_words_stand_within_their_line_in_order(level):
    for sample in drawn(40, level=level, kinds=["words", "date"]):
        for text in sample.facts["texts"]:
            assert [w["text"] for w in text["words"]] == text["text"].split(" ")
            line = np.array(text["quad"], np.float32)
            for word in text["words"]:
                for x, y in word["quad"]:
                    assert cv2.pointPolygonTest(line, (x, y), True) > -0.06 * text["height"] - 1
            middles = [np.mean(word["quad"], 0) for word in text["words"]]
            along = np.array(line[1]) - np.array(line[0])
            places = [float(m @ along) for m in middles]
            assert places == sorted(places)


@levels
def test_no_text_stands_on_another(level):
    for sample in drawn(60, level=level):
        for a, b in combinations([text["box"] for text in sample.facts["texts"]], 2):
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_two_texts_of_a_row_differ_in_colour():
    """Beside one of its colour a text runs on into it: that was so in 22 % of hard pictures."""
    rows = 0
    for sample in drawn(60, level="hard", size=224):
        texts_ = sample.facts["texts"]
        for i, a in enumerate(texts_):
            for b in texts_[:i]:
                overlap = min(a["box"][3], b["box"][3]) - max(a["box"][1], b["box"][1])
                if overlap > 0.3 * min(a["height"], b["height"]):
                    rows += 1
                    assert a["colour"] != b["colour"]
    assert rows > 60


def test_the_ends_of_its_rows_have_the_hull_of_all_ink():
    rng = np.random.default_rng(1)
    for _ in range(20):
        ink = cv2.GaussianBlur(rng.integers(0, 256, (40, 90)).astype(np.uint8), (9, 9), 2) > 130
        rows, columns = np.nonzero(ink)
        every = cv2.convexHull(np.stack([columns, rows], 1).astype(np.int32))
        assert {*map(tuple, hull(ink).tolist())} == {*map(tuple, every[:, 0].tolist())}


@pytest.mark.slow
@levels
def test_every_text_can_be_read(level):
    low, high = LEVELS[level][0]
    for sample in (*drawn(80, level=level), *drawn(150, level=level, size=224)):
        assert low <= len(sample.facts["texts"]) <= high
        for text in sample.facts["texts"]:
            assert text["height"] >= 8.5 / 224 * sample.image.width, text
            ground = tuple(sample.facts["ground"])
            assert contrast(SHADES[text["colour"]][0], ground) >= READABLE


def test_every_ground_has_colours_to_write_with():
    assert len(text_grounds()) > 10
    assert all(len(colours_readable_on(ground)) >= 2 for ground in text_grounds())


def test_lists_are_often_empty_and_some_texts_stand_there_several_times():
    """No text that is asked for stands inside another."""
    lengths, several = Counter(), 0
    for sample in drawn(150, level="medium", questions=["boxes"], size=224):
        check(sample)
        said, places = sample.facts["said"], [one["text"] for one in sample.facts["texts"]]
        lengths[len(sample.target.items)] += 1
        if "text" in said:
            several += len(sample.target.items) > 1
            others = [one.casefold() for one in places if one != said["text"]]
            assert not any(said["text"].casefold() in one for one in others)
    assert 0.15 < lengths[0] / 150 < 0.5
    assert len(lengths) == 5
    assert several > 5


@pytest.mark.parametrize("count", range(1, 9))
def test_strips_do_not_overlap(count):
    for seed in range(20):
        found = strips(count, Slot(0, 0, 100, 100), Rng(seed))
        for i, a in enumerate(found):
            for b in found[:i]:
                assert a.x2 <= b.x1 or b.x2 <= a.x1 or a.y2 <= b.y1 or b.y2 <= a.y1


@strengths
def test_boxes_of_degraded_texts_end_where_the_ink_does(degrade):
    """Mostly to a pixel; blur and noise hide the thinnest tips."""
    off = []
    for sample in drawn(30, degrade=degrade, level="medium", count=(1, 1), backgrounds=["plain"]):
        (text,) = sample.facts["texts"]
        x1, y1, x2, y2 = text["box"]
        assert -0.1 < x1 < x2 < 448.1 and -0.1 < y1 < y2 < 448.1  # noqa: PT018
        pixels = np.asarray(sample.image, float)
        around = pixels[max(0, int(y1) - 9) : int(y2) + 9, max(0, int(x1) - 9) : int(x2) + 9]
        away = np.linalg.norm(around - np.median(around.reshape(-1, 3), 0), axis=2)
        strong = np.median(away[away > 0.5 * np.quantile(away, 0.98)])
        away = cv2.medianBlur((away > 0.45 * strong).astype(np.uint8), 3)
        rows, columns = np.nonzero(away.any(1))[0], np.nonzero(away.any(0))[0]
        if strong < 90:
            continue  # worn nearly to its ground's colour
        left, top = max(0, int(x1) - 9), max(0, int(y1) - 9)
        found = (columns[0] + left, rows[0] + top, columns[-1] + left + 1, rows[-1] + top + 1)
        off.append(np.abs(np.array(found) - (x1, y1, x2, y2)))
    assert len(off) > 10
    assert np.max(off) < 4
    assert np.median(off) < 1


@levels
def test_a_text_that_is_asked_for_stands_in_no_other_and_a_colour_is_named_once(level):
    for sample in drawn(40, level=level, questions=["find", "read"]):
        texts_ = sample.facts["texts"]
        meant = texts_[sample.facts["means"]]
        if sample.facts["question"] == "find":
            assert sum(meant["text"].casefold() in one["text"].casefold() for one in texts_) == 1
        else:
            assert [one["colour"] for one in texts_].count(meant["colour"]) == 1
