"""Scenes are measured from their pixels, their questions answered again from their facts."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from quick import quick, strengths
from solvers import check

from gnomon.generators import create
from gnomon.generators.drawing.colours import SHADES, VISIBLE, colours_visible_on, difference
from gnomon.generators.drawing.pose import Slot, cell, slots
from gnomon.generators.rng import Rng
from gnomon.generators.scene.generator import LEVELS

levels = pytest.mark.parametrize("level", quick(LEVELS, "hard"))
WAYS = {"leftmost", "rightmost", "topmost", "lowest"}


def drawn(n, **options):
    generator = create("scene", **options)
    return [generator[i] for i in range(n)]


def ink(sample):
    """Where a picture on an even ground differs from it."""
    pixels = np.asarray(sample.image, int)
    return np.abs(pixels - np.array(sample.facts["ground"])).max(2) > 12


@levels
def test_boxes_end_where_the_ink_does(level):
    for sample in drawn(40, level=level, backgrounds=["plain"], size=400):
        mask, boxes = ink(sample), [thing["box"] for thing in sample.facts["things"]]
        for x1, y1, x2, y2 in boxes:
            near = [
                b
                for b in boxes
                if b[0] < x2 + 6 and b[2] > x1 - 6 and b[1] < y2 + 6 and b[3] > y1 - 6
            ]
            if len(near) > 1:
                continue  # a neighbour's ink
            part = mask[int(y1) - 3 : int(y2) + 5, int(x1) - 3 : int(x2) + 5]
            rows, columns = np.nonzero(part.any(1))[0], np.nonzero(part.any(0))[0]
            found = (columns[0] + int(x1) - 3, rows[0] + int(y1) - 3,
                     columns[-1] + int(x1) - 2, rows[-1] + int(y1) - 2)  # fmt: skip
            # The ink's first and last pixels are those that the box cuts; a tip may be too faint.
            assert found[0] <= x1 + 1.5 and found[2] >= x2 - 1.5  # noqa: PT018
            assert found[1] <= y1 + 1.5 and found[3] >= y2 - 1.5  # noqa: PT018
            assert found[0] > x1 - 1.2 and found[2] < x2 + 1.2  # noqa: PT018
            assert found[1] > y1 - 1.2 and found[3] < y2 + 1.2  # noqa: PT018


@pytest.mark.slow
@levels
def test_a_count_is_not_told_by_its_question(level):
    """The most frequent answer to each form of question, as one who sees no picture would give."""
    forms = defaultdict(Counter)
    for sample in drawn(600, level=level, questions=["count"], size=168):
        forms[tuple(sample.facts["said"])][sample.target.value] += 1
    assert forms.keys() == {(), ("name",), ("colour",), ("colour", "name")}
    assert all(counts.total() > 100 for counts in forms.values())
    assert sum(max(counts.values()) for counts in forms.values()) / 600 < 0.52


@levels
def test_things_stand_out_stand_apart_and_are_all_different(level):
    low, high = LEVELS[level][0]
    for sample in drawn(80, level=level):
        things, ground = sample.facts["things"], tuple(sample.facts["ground"])
        assert low <= len(things) <= high
        assert len({(t["size"], t["colour"], t["name"]) for t in things}) == len(things)
        for i, thing in enumerate(things):
            a = thing["box"]
            for b in (other["box"] for other in things[:i]):
                assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
            assert min(difference(shade, ground) for shade in SHADES[thing["colour"]]) >= VISIBLE
            assert thing["colour"] in colours_visible_on(ground)


@levels
def test_no_question_of_two_things_says_which_is_further_that_way(level):
    """Is the leftmost star left of the moon? Such were 9, 26 and 39 % by level."""
    scene = create("scene", level=level, questions=["relation", "which"])
    ends = set()
    for index in range(700):
        asked = scene._plan(index).question
        across = asked.facts.get("relation") in ("left of", "right of")
        along = ("leftmost", "rightmost") if across else ("topmost", "lowest")
        assert asked.facts["question"] == "where" or not any(e in asked.question for e in along)
        ends |= {end for end in WAYS if end in asked.question}
    assert ends == WAYS


def test_all_of_a_kind_are_found_and_often_there_are_none():
    numbers = Counter()
    for sample in drawn(200, level="medium", questions=["find"]):
        check(sample)
        assert len(sample.target.items) == sample.facts["number"]
        numbers[sample.facts["number"]] += 1
    assert numbers[0] > 40
    assert all(numbers[number] > 10 for number in (1, 2, 3))


@pytest.mark.parametrize("count", range(2, 17))
def test_slots_are_apart_and_large_enough(count):
    for seed in range(30):
        found = slots(count, Slot(0, 0, 100, 100), Rng(seed))
        assert len(set(found)) == count
        for slot in found:
            assert min(slot.x2 - slot.x1, slot.y2 - slot.y1) >= cell(count, 100) - 1e-9


@pytest.mark.slow
@strengths
def test_what_is_said_stays_true_of_degraded_scenes(degrade):
    """Of the boxes as they lie in the degraded picture."""
    questions = ["relation", "which", "where"]
    for sample in drawn(150, level="medium", questions=questions, degrade=degrade):
        check(sample)


@strengths
def test_boxes_of_degraded_scenes_end_where_the_ink_does(degrade):
    """Found by its colour, which wear does not take away."""
    measured = 0
    for sample in drawn(40, degrade=degrade, backgrounds=["plain"], objects=(2, 2), size=400):
        pixels = np.asarray(sample.image, float)
        away = np.linalg.norm(pixels - np.median(pixels.reshape(-1, 3), 0), axis=2) > 90
        for thing in sample.facts["things"]:
            if thing["name"] not in ("square", "circle", "rectangle", "oval"):
                continue
            x1, y1, x2, y2 = thing["box"]
            part = away[max(0, int(y1) - 6) : int(y2) + 7, max(0, int(x1) - 6) : int(x2) + 7]
            rows, columns = np.nonzero(part.sum(1) > 2)[0], np.nonzero(part.sum(0) > 2)[0]
            if part.sum() < 0.5 * (x2 - x1) * (y2 - y1):
                continue  # too like its worn ground to be found by a threshold
            left, top = max(0, int(x1) - 6), max(0, int(y1) - 6)
            assert abs(columns[0] + left - x1) < 2.5
            assert abs(rows[0] + top - y1) < 2.5
            assert abs(columns[-1] + left + 1 - x2) < 2.5
            assert abs(rows[-1] + top + 1 - y2) < 2.5
            measured += 1
    assert measured >= 4
