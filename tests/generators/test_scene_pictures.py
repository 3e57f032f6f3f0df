"""Scenes of clocks, instruments and charts: called by what they show, boxes that end on pixels."""

import re
from itertools import combinations

import numpy as np
import pytest
from solvers import check

from gnomon.generators import create

SIZES = {"clocks": 336, "gauges": 448, "charts": 640}
WORN = {"clocks": 360, "gauges": 540, "charts": 940}
QUESTIONS = ["where", "relation", "which"]
whats = pytest.mark.parametrize("what", SIZES)


@whats
def test_each_is_called_by_what_its_own_kind_says_it_shows(what):
    scene = create("scene", things=[what], size=SIZES[what], questions=QUESTIONS)
    for index in range(8):
        sample = scene[index]
        check(sample)
        names = [thing["name"] for thing in sample.facts["things"]]
        assert len(set(names)) == len(names)
        for thing in sample.facts["things"]:
            shown, name = thing["shows"], thing["name"]
            if what == "clocks":
                hour, minute = map(int, re.search(r"(\d+):(\d+)", name).groups())
                assert shown["angles"]["minute"] == 6 * minute
                assert shown["angles"]["hour"] == (hour % 12) * 30 + minute / 2
            elif what == "gauges":
                assert name == f"{shown['instrument']} that reads {shown['value']} {shown['unit']}"
            else:
                assert name.replace(" ", "").startswith(shown["chart"])


def test_clocks_that_are_asked_for_are_minutes_apart():
    scene = create("scene", things=["clocks"], objects=(4, 9), size=480)
    for index in range(10):
        minutes = [
            60 * int(hour) + int(minute)
            for thing in scene[index].facts["things"]
            for hour, minute in [thing["name"].split()[-1].split(":")]
        ]
        assert all(min((a - b) % 720, (b - a) % 720) >= 10 for a, b in combinations(minutes, 2))


def test_instruments_that_are_asked_for_read_apart():
    """No drawing: what is meant is enough, and near readings are rare."""
    scene, same = create("scene", things=["gauges"], objects=(9, 9), size=1024), 0
    for index in range(150):
        read = [one.thing.meaning.split("|") for one in scene._plan(index).things]
        for (*one, ends, a, _), (*other, _, b, _) in combinations(read, 2):
            if one == other:
                same += 1
                low, high = map(float, ends.removesuffix(" log").split(".."))
                assert abs(float(a) - float(b)) >= 0.05 * (high - low)
    assert same > 100


@whats
def test_boxes_are_those_of_the_frames_to_the_pixel(what):
    """The frames' own colour, found in the picture."""
    for index in range(4):
        sample = create("scene", things=[what], size=SIZES[what], backgrounds=["plain"])[index]
        pixels, ground = np.asarray(sample.image, int), np.array(sample.facts["ground"])
        ink = np.abs(pixels - ground).max(2) > 4
        outside = np.ones(ink.shape, bool)
        for thing in sample.facts["things"]:
            x1, y1, x2, y2 = map(int, thing["box"])
            assert thing["box"] == [x1, y1, x2, y2]
            for side in (ink[y1, x1:x2], ink[y2 - 1, x1:x2], ink[y1:y2, x1], ink[y1:y2, x2 - 1]):
                assert side.all()
            outside[y1:y2, x1:x2] = False
        assert not (ink & outside).any()


@whats
def test_worn_scenes_keep_their_boxes_in_the_picture(what):
    scene = create("scene", things=[what], size=WORN[what], questions=QUESTIONS, degrade="heavy")
    for index in range(3):
        check(sample := scene[index])
        for thing in sample.facts["things"]:
            assert min(thing["box"]) >= -0.1
            assert max(thing["box"]) <= WORN[what] + 0.1


def test_kinds_of_things_are_mixed_and_held_out_looks_are_not():
    things = ["icons", "clocks", "gauges"]
    seen, held_out = set(), set()
    for ood, looks in ((False, seen), (True, held_out)):
        scene = create("scene", things=things, size=448, ood=ood)
        for index in range(40):
            facts = scene[index].facts["things"][0]
            looks.add(facts["shows"]["style"]["palette"] if "shows" in facts else facts["name"])
    assert not seen & held_out
    assert len(seen) > 20


@pytest.mark.slow
@whats
def test_no_set_of_pictures_stands_in_two_splits(what):
    train, test = (
        {"; ".join(sorted(part.rsplit(" ", 2)[0] for part in key.split(" | ")[1].split("; ")))
         for key in map(create("scene", things=[what], size=SIZES[what], split=split).key,
                        range(300))}
        for split in ("train", "test")
    )  # fmt: skip
    assert not train & test


def test_icons_alone_are_drawn_as_before():
    assert create("scene")[0].id == create("scene", things=["icons"])[0].id
