"""Scenes are measured from their pixels, their questions answered again from their facts."""

import re
from collections import Counter, defaultdict

import numpy as np
import pytest
from quick import quick, strengths

from gnomon.generators import create
from gnomon.generators.drawing.colours import SHADES, VISIBLE, colours_visible_on, difference
from gnomon.generators.drawing.pose import Slot, cell, slots
from gnomon.generators.rng import Rng
from gnomon.generators.scene.generator import LEVELS
from gnomon.generators.scene.questions import QUESTIONS
from gnomon.generators.scene.things import REACH
from gnomon.generators.scene.things import Thing as AThing
from gnomon.sample import Box, Boxes, Number, Text

levels = pytest.mark.parametrize("level", quick(LEVELS, "hard"))
WAYS = {"leftmost": (0, 1), "rightmost": (0, -1), "topmost": (1, 1), "lowest": (1, -1)}


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


@pytest.mark.parametrize("name", ["square", "rectangle", "circle", "ring", "oval"])
def test_a_straight_edge_stands_within_half_a_pixel_of_its_box(name):
    """How much of a pixel is covered says where within it the edge stands."""
    from gnomon.generators.drawing.canvas import SCALE, Canvas, bounding_box

    for index in range(20):
        rng = Rng("edge", name, index)
        thing = AThing("large", "black", name)
        one = thing.place(Slot(8, 8, 120, 120), 40 / REACH, rng)._replace(turn=0, shade=0)
        canvas = Canvas(128, np.full((128 * SCALE, 128 * SCALE, 3), 255, np.uint8))
        x1, y1, x2, y2 = bounding_box(one.draw(canvas))
        covered = 1 - (np.asarray(canvas.picture(), float)[..., 0] - 22) / (255 - 22)
        across, down = covered.max(0), covered.max(1)
        assert abs(_first(across) - x1) < 0.5
        assert abs(_first(down) - y1) < 0.5
        assert abs(128 - _first(across[::-1]) - x2) < 0.5
        assert abs(128 - _first(down[::-1]) - y2) < 0.5


def _first(line):
    """Where the ink begins, by the share of the first pixel that it covers."""
    start = int(np.argmax(line > 0.04))
    return start + 1 - line[start] if line[start] < 0.96 else float(start)


def resolved(said, things):
    """The things that an expression means, by a reading of its words of its own."""
    words = {k: v for k, v in said.items() if k in ("size", "colour", "name")}
    left = [t for t in things if all(t[k] == v for k, v in words.items())]
    if "end" in said and left:
        axis, sign = WAYS[said["end"]]
        middle = [sign * (t["box"][axis] + t["box"][axis + 2]) for t in left]
        left = [t for t, m in zip(left, middle, strict=True) if m == min(middle)]
    return left


@levels
def test_expressions_mean_one_thing(level):
    for sample in drawn(150, level=level, questions=["where", "colour"]):
        things, facts = sample.facts["things"], sample.facts
        (meant,) = resolved(facts["said"], things)
        assert meant is things[facts["means"]]
        words = [w for k, w in facts["said"].items()]
        assert all(re.search(rf"\b{w}\b", sample.question) for w in words)
        if facts["question"] == "where":
            assert sample.target == Box(*meant["box"])
        else:
            assert sample.target.text == meant["colour"]
            assert set(sample.target.choices) == {t["colour"] for t in things}


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
def test_counts_relations_and_comparisons_are_true(level):
    asked = Counter()
    for sample in drawn(250, level=level, questions=["count", "relation", "which"]):
        things, facts, target = sample.facts["things"], sample.facts, sample.target
        asked[facts["question"]] += 1
        if facts["question"] == "count":
            assert target == Number(type(target.value)(len(resolved(facts["said"], things))))
            continue
        if facts["question"] == "where":  # nothing lies clearly beside anything
            continue
        one, other = (things[facts[k]]["box"] for k in ("one", "other"))
        lies = {
            "left of": one[2] < other[0],
            "right of": one[0] > other[2],
            "above": one[3] < other[1],
            "below": one[1] > other[3],
        }[facts["relation"]]
        if facts["question"] == "which":
            assert lies
            assert target.choices.index(target.text) in (0, 1)
        else:
            assert lies == (target.text == "yes")
    assert asked["count"] > 20 and asked["relation"] > 20 and asked["which"] > 20  # noqa: PT018


@levels
def test_things_neither_touch_nor_leave_the_picture(level):
    for sample in drawn(60, level=level):
        boxes = [t["box"] for t in sample.facts["things"]]
        for i, a in enumerate(boxes):
            assert a[0] >= 0 and a[1] >= 0 and a[2] <= 336 and a[3] <= 336  # noqa: PT018
            for b in boxes[:i]:
                assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]


@levels
def test_every_thing_stands_out_and_can_be_told_from_the_others(level):
    low, high = LEVELS[level][0]
    for sample in drawn(80, level=level):
        things = sample.facts["things"]
        ground = tuple(sample.facts["ground"])
        assert low <= len(things) <= high
        assert len({(t["size"], t["colour"], t["name"]) for t in things}) == len(things)
        for thing in things:
            shades = SHADES[thing["colour"]]
            assert min(difference(shade, ground) for shade in shades) >= VISIBLE
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
    assert ends == set(WAYS)


def test_all_of_a_kind_are_found_and_often_there_are_none():
    numbers = Counter()
    for sample in drawn(200, level="medium", questions=["find"]):
        things, facts = sample.facts["things"], sample.facts
        fitting = resolved(facts["said"], things)
        assert sorted(sample.target.boxes) == sorted(tuple(thing["box"]) for thing in fitting)
        for item in sample.target.items:
            (thing,) = [thing for thing in fitting if tuple(thing["box"]) == item.box.corners]
            assert item.label in (thing["name"], f"{thing['colour']} {thing['name']}")
        numbers[facts["number"]] += 1
        assert len(fitting) == facts["number"]
    assert numbers[0] > 40
    assert all(numbers[number] > 10 for number in (1, 2, 3))


def test_every_question_is_reached():
    asked = {s.facts["question"] for s in drawn(80, level="medium", questions=list(QUESTIONS))}
    assert asked == set(QUESTIONS)
    assert {type(s.target) for s in drawn(80, questions=list(QUESTIONS))} == {
        Box,
        Boxes,
        Number,
        Text,
    }


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
    """Of the boxes as they lie in the degraded picture, each within it."""
    asked = Counter()
    scene = create("scene", level="medium", questions=["relation", "which", "where"],
                   degrade=degrade)  # fmt: skip
    for index in range(150):
        facts, target = scene[index].facts, scene[index].target
        things = facts["things"]
        middles = [((b[0] + b[2]) / 2, (b[1] + b[3]) / 2) for b in (t["box"] for t in things)]
        for thing in things:
            x1, y1, x2, y2 = thing["box"]
            assert -0.1 < x1 < x2 < 336.1 and -0.1 < y1 < y2 < 336.1  # noqa: PT018
        if "relation" in facts:
            axis, sign = {"left of": (0, -1), "right of": (0, 1), "above": (1, -1),
                          "below": (1, 1)}[facts["relation"]]  # fmt: skip
            ahead = sign * (middles[facts["one"]][axis] - middles[facts["other"]][axis])
            assert (ahead > 3) == (target.text != "no")
            assert abs(ahead) > 3
            asked[target.text in ("yes", "no")] += 1
        elif end := facts.get("said", {}).get("end"):
            axis, sign = WAYS[end]
            kin = [m[axis] for m, t in zip(middles, things, strict=True)
                   if all(t[k] == v for k, v in facts["said"].items() if k != "end")]  # fmt: skip
            assert len(kin) > 1
            place = (target.corners[axis] + target.corners[axis + 2]) / 2
            assert sign * place <= min(sign * one for one in kin) + 1e-6
            asked[end] += 1
    assert len(asked) >= 2


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
