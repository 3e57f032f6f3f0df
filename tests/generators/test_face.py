"""Faces: what a description says is what the pixels show, for each that comes with gnomon."""

from __future__ import annotations

import json
import math
import pickle
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from case_tables import table
from measured import apart, direction, ring, scene_of
from solvers import check

from gnomon.generators import create
from gnomon.generators.drawing.colours import difference, palette
from gnomon.generators.drawing.lettering import text_tile
from gnomon.generators.faces import Face, draw, face_questions
from gnomon.generators.faces.card import Card
from gnomon.generators.faces.description import descriptions, value_at
from gnomon.generators.faces.draw import draw_face
from gnomon.generators.faces.expressions import check_formula, evaluate
from gnomon.generators.faces.graduation import LABELLED
from gnomon.generators.faces.paints import colour_of
from gnomon.generators.faces.pointer import Pointer
from gnomon.generators.faces.scale_questions import ZONES
from gnomon.generators.faces.track import ScalePiece, Track
from gnomon.generators.faces.window import Window
from gnomon.generators.registry import description_files, description_to_copy
from gnomon.generators.rng import Rng
from gnomon.runs.name_lists import docstrings

UPRIGHT = {"backgrounds": ("plain",), "size": 448}
NAMES = tuple(description_files())
names = pytest.mark.parametrize("name", NAMES)


@lru_cache
def face(name, **options):
    return Face(description=name, **UPRIGHT | options)


def pixels(scene):
    return np.asarray(draw_face(scene, Rng("a picture")), float)


def without(scene, *names):
    parts = tuple(part for part in scene.face.parts if part.name not in names)
    return scene._replace(face=scene.face._replace(parts=parts))


def pointers(scene):
    return [mount for mount in scene.face.parts if isinstance(mount.part, Pointer)]


def test_every_description_that_ships_is_named_in_the_help():
    listed = docstrings(Face)["description"].replace("\n", " ")
    assert [name for name in NAMES if name not in listed] == []


# Behind the pivot they reach as far as their tips, which test_pixels.py measures alone.
BACKED = ("magnet", "hammer", "sector", "crescent", "paddle", "saucer", "halves")


def column_end(own, mount, x, y):
    """Pixels from the tip to the end of a column that rises, or that runs to the right."""
    (x1, _), (x2, _) = mount.track.line
    if x1 == x2:
        return np.flatnonzero(own[:, int(x)] > 0.1)[0] - y
    return np.flatnonzero(own[int(y)] > 0.1)[-1] + 1 - x


WITH_POINTERS = [
    name for name in NAMES if "part: pointer" in description_files()[name].read_text("utf-8")
]


@pytest.mark.parametrize("name", WITH_POINTERS)
def test_every_pointer_stands_at_its_number_in_the_pixels(name):
    """A pointer's own pixels are those that it adds to the face without any pointer."""
    measured = 0
    for index, level in enumerate(4 * ("easy", "easy", "hard")):
        if index > 2 and measured > 2:
            break
        generator = face(name, level=level)
        sample, scene = generator[index], scene_of(generator, index, draw)
        every = [mount.name for mount in pointers(scene)]
        bare = pixels(without(scene, *every))
        for mount in pointers(scene):
            if mount.part.shape in BACKED:
                continue
            facts = sample.facts["parts"][mount.name]
            others = [name for name in every if name != mount.name]
            own = np.abs(pixels(without(scene, *others)) - bare).sum(2) / 765
            x, y = facts["tip"]
            if "pivot" not in facts:  # a column ends at its value, and is a few pixels broad
                if level == "easy":
                    # A tick may hide the end of a liquid beneath it.
                    tick = mount.part.beneath * mount.track.width * scene.look.pose.scale
                    assert abs(column_end(own, mount, x, y)) < 2 + tick
                measured += 1
                continue
            u, v = facts["pivot"]
            reach = math.hypot(x - u, y - v)
            if mount.part.shape == "triangle":
                ys, xs = np.nonzero(own > 0.1)
                angle = math.degrees(math.atan2(xs.mean() + 0.5 - u, v - ys.mean() - 0.5)) % 360
            else:
                degrees, weights = ring(own, (u, v), 0.55 * reach, 0.97 * reach)
                angle = direction(degrees, weights)
            pointed = math.degrees(math.atan2(x - u, v - y)) % 360
            slack = 40 if reach > 60 else 75
            assert apart(angle, pointed) < 0.3 + slack / reach, (mount.name, index)
            if level == "easy":
                assert apart(facts["degrees"], pointed) < 0.1
            # The two ticks beside it, by their places, hold the number between them.
            ticks = [math.degrees(math.atan2(a - u, v - b)) % 360
                     for a, b in (tick["place"] for tick in facts["neighbours"])]  # fmt: skip
            assert all(apart(pointed, tick) <= apart(*ticks) + 0.1 for tick in ticks)
            measured += 1
    assert measured >= 3


@pytest.mark.parametrize("name", WITH_POINTERS)
def test_a_photographed_pointer_stands_within_the_parallax(name):
    """Lamp, glass and camera are the same without the pointer, so only it and its shadow differ."""
    measured = 0
    for index in range(9):
        if index > 2 and measured:
            break
        generator = face(name, look="photo", size=512)
        sample, scene = generator[index], scene_of(generator, index, draw)
        whole = pixels(scene)
        for mount in pointers(scene):
            facts = sample.facts["parts"][mount.name]
            is_small = mount.frame[0] < 1
            if "pivot" not in facts or is_small or mount.part.shape in ("triangle", *BACKED):
                continue
            own = np.abs(whole - pixels(without(scene, mount.name))).sum(2) / 765
            (u, v), (x, y) = facts["pivot"], facts["tip"]
            reach = math.hypot(x - u, y - v)
            degrees, weights = ring(own, (u, v), 0.6 * reach, 0.97 * reach)
            if weights.max() > 0.1 * reach:
                pointed = math.degrees(math.atan2(x - u, v - y)) % 360
                assert apart(direction(degrees, weights), pointed) < 3.5, (mount.name, index)
                measured += 1
    assert measured or name in (
        "electricity_meter", "measuring_cylinder", "ruler", "thermometer", "water_meter",
    )  # fmt: skip


@pytest.mark.parametrize("name", WITH_POINTERS)
def test_a_photograph_keeps_all_that_its_pointers_draw(name, monkeypatch):
    """Hubs, too, stand in front: pixels that the pointers change are in the mask."""
    taken = []
    photograph = draw.photo.photograph
    monkeypatch.setattr(
        draw.photo,
        "photograph",
        lambda *args, **kw: taken.append(args[0]) or photograph(*args, **kw),
    )
    generator, changed = face(name, look="photo"), 0
    for index in range(3):
        taken.clear()
        generator.draw(index)
        (layers,) = taken
        moved = layers.with_pointer.astype(float) - layers.without_pointer
        is_moved = np.abs(moved).max(2) > 16
        changed += is_moved.sum()
        # An edge is blended in the pixel beside it.
        in_front = cv2.dilate(layers.pointer_mask, np.ones((3, 3), np.uint8)) > 0
        assert not (is_moved & ~in_front).any(), index
    assert changed > 100 or name in ("measuring_cylinder", "ruler", "thermometer")  # columns


@names
def test_labelled_ticks_are_where_the_ink_is(name):
    seen = under = 0
    for index in range(2):
        scene = scene_of(face(name), index, draw)
        dressed = scene.face.body.colours.dress(palette(scene.look.palette))
        bare = scene._replace(face=scene.face._replace(parts=tuple(
            mount for mount in scene.face.parts if not isinstance(mount.part, Pointer)
        )))  # fmt: skip
        image = pixels(bare)
        for mount in bare.face.parts:
            track = mount.part
            if not isinstance(track, Track) or abs(track.tick) < 0.01 or not track.labels:
                continue
            if isinstance(track, Card):
                window, track = track.window, track.moved(mount)
            else:
                window = None
            colour = np.array(colour_of(track.colour, dressed))
            scale, x, y = mount.frame
            shares = np.array(
                [
                    tick.share
                    for tick in track.graduation.ticks
                    if tick.rank == LABELLED and float(tick.value) not in track.without
                ]
            )
            middles = track.path.points(shares, track.tick / 2)
            if window is not None:  # the rest of the card is hidden
                left, top, right, bottom = window
                middles = middles[
                    (np.abs(middles[:, 0] - (left + right) / 2) < 0.95 * (right - left) / 2)
                    & (middles[:, 1] > top + 0.02) & (middles[:, 1] < bottom - 0.02)
                ]  # fmt: skip
            middles = scale * middles + (x, y)
            for a, b in scene.look.pose(middles):
                near = image[int(b) - 1 : int(b) + 2, int(a) - 1 : int(a) + 2].reshape(-1, 3)
                is_ink = np.abs(near - colour).sum(1).min() < 260
                seen, under = seen + is_ink, under + (not is_ink)
    assert seen > 5 or name in ("bathroom_scale", "counter", "display")
    assert under <= seen / 50


def test_zones_have_their_colours_between_their_values():
    for index in range(6):
        scene = scene_of(face("sf6_gauge"), index, draw)
        image = pixels(scene)
        (mount,) = [p for p in scene.face.parts if p.name == "scale"]
        track, tick = mount.part, 0.0
        for zone in track.zones:
            begin, end = zone.span
            # Between two ticks, in the middle of the zone's breadth.
            tick = (math.floor((begin + end) / 2 / track.ticks) + 0.5) * track.ticks
            if not begin + track.ticks / 4 < tick < end - track.ticks / 4:
                continue
            share = track.graduation.share(tick)
            x, y = scene.look.pose.at(*track.path.point(share, 0.05))
            assert (
                np.abs(image[int(y), int(x)] - colour_of(zone.colour, palette("white"))).max() < 12
            )
        assert tick > 0.2


def figures_of(cell, ink, ground):
    """How much of a cell's pixels is ink, 0 to 1."""
    way = np.array(ink, float) - ground
    return np.clip((cell - ground) @ way / (way @ way), 0, 1)


@pytest.mark.parametrize("name", ["speedometer", "water_meter", "counter"])
def test_wheels_show_the_figures_of_their_number(name):
    """Read by the likeness of each wheel at rest to the font's ten figures."""
    rested, large = 0, face(name, size=900)
    for index in range(30):
        if rested > 20:
            break
        sample, scene = large[index], scene_of(large, index, draw)
        (mount,) = [p for p in scene.face.parts if isinstance(p.part, Window)]
        window = mount.part
        if window.style != "wheels":
            continue
        plain = scene.face.with_changed(
            mount.name, figures="sans-bold", curve=9.0, pitch=1.0, teeth=0.0, narrow=1.0,
            tints="101010 f0f0f0", decimal_tints=None, decimal_ground=None, decimal_ink=None,
            # A cell's box may hold some of the frame.
            roll="still", decimal_frame=None, frame_colour="101010",
        )  # fmt: skip
        bare = [p.name for p in scene.face.parts if isinstance(p.part, Pointer)]
        image = pixels(without(scene._replace(face=plain), *bare))
        shown = sample.facts["parts"][mount.name]
        text = f"{math.floor(Fraction(repr(shown['number'])) * 10 ** shown['decimals'])}"
        for cell, figure in zip(shown["cells"], text.zfill(window.digits), strict=True):
            x1, y1, x2, y2 = map(round, cell["box"])
            ink = figures_of(image[y1:y2, x1:x2], (240,) * 3, (16,) * 3)
            assert best_figure(ink) == figure, (index, text)
            rested += 1
    assert rested > 20


def best_figure(ink):
    """The figure whose shape is most like the ink."""
    rows, columns = np.flatnonzero(ink.max(1) > 0.4), np.flatnonzero(ink.max(0) > 0.4)
    found = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    likeness = {}
    for figure in "0123456789":
        tile = text_tile(figure, "sans-bold", 40, 0) / 255
        shape = cv2.resize(found.astype(np.float32), tile.shape[::-1])
        likeness[figure] = np.corrcoef(shape.ravel(), tile.ravel())[0, 1]
        # A one is narrow: its own proportions count.
        likeness[figure] -= abs(found.shape[1] / found.shape[0] - tile.shape[1] / tile.shape[0])
    return max(likeness, key=likeness.get)


# Places of the segments, in figure heights and breadths from a figure's middle.
BARS = {"0": (0, -0.5), "1": (0.5, -0.25), "2": (0.5, 0.25), "3": (0, 0.5), "4": (-0.5, 0.25),
        "5": (-0.5, -0.25), "6": (0, 0)}  # fmt: skip
LIT = ("012345", "12", "01346", "01236", "1256", "02356", "023456", "012", "0123456", "012356")


@pytest.mark.parametrize(("style", "ground", "ink"), [
    ("lcd", "a8b49c", "20261e"), ("led", "14060a", "ff3024"),
])  # fmt: skip
def test_displays_light_the_segments_of_their_number(style, ground, ink):
    text = (
        "name: display\nvalue: [0, 999.9, 0.1]\nparts:\n"
        f"  shown: {{part: window, style: {style}, digits: 4, decimals: 1, height: 0.6,"
        f" blank: true, ground: '{ground}', ink: '{ink}'}}\n"
    )
    (description,) = descriptions(text, "display.yaml")
    scene = scene_of(face("water_meter"), 0, draw)
    for number, figures in (("680.2", "6802"), ("49.1", " 491"), ("7.3", "  73"), ("0.5", "  05")):
        drawn = description.draw(Fraction(number), Rng("one"))
        image = pixels(scene._replace(face=drawn))
        (mount,) = drawn.parts
        cells = mount.part.facts(scene.look.pose, mount)["cells"]
        colours = [np.array(colour_of(name, palette("white")), float) for name in (ground, ink)]
        for cell, figure in zip(cells, figures.strip(), strict=True):
            x1, y1, x2, y2 = cell["box"]
            high, wide = (y2 - y1) * 0.68, 2 * min(0.3 * 0.68, 0.38 * 0.66) * (y2 - y1)
            lit = ""
            for name, (right, down) in BARS.items():
                x, y = (x1 + x2) / 2 + right * wide, (y1 + y2) / 2 + down * high
                away = [np.abs(image[int(y), int(x)] - colour).sum() for colour in colours]
                lit += name if away[1] < away[0] else ""
            assert lit == LIT[int(figure)], (number, figure)


def test_a_card_turns_its_value_to_the_mark():
    """The card of 40 degrees is the card of 10 degrees turned back by 30 around its pivot."""
    text = (
        "name: compass\nvalue: [0, 359, 1]\nparts:\n  card: {part: card, radius: 0.9,"
        " values: [0, 360], ticks: 5, labels: 30, numerals: {turn: radial}, mark_size: 0.01}\n"
    )
    (description,) = descriptions(text, "compass.yaml")
    scene = scene_of(face("hygrometer"), 0, draw)
    first, second = (
        pixels(scene._replace(face=description.draw(Fraction(value), Rng("one"))))
        for value in (10, 40)
    )
    pivot = scene.look.pose.at(0.0, 0.0)
    likeness = {}
    for degrees in (-30, -28, 0, 30):
        turn = cv2.getRotationMatrix2D((pivot[0] - 0.5, pivot[1] - 0.5), -degrees, 1)
        turned = cv2.warpAffine(first, turn, first.shape[1::-1])
        ys, xs = np.mgrid[: len(first), : len(first[0])]
        within = np.hypot(xs - pivot[0], ys - pivot[1]) < 0.85 * scene.look.pose.scale
        likeness[degrees] = np.corrcoef(turned[within].ravel(), second[within].ravel())[0, 1]
    assert max(likeness, key=likeness.get) == -30, likeness
    facts = description.draw(Fraction(40), Rng("one")).parts[0]
    assert facts.part.facts(scene.look.pose, facts)["number"] == 40


@pytest.mark.parametrize(("track", "value", "share"), [
    ({"values": (1.0, 1000.0), "spacing": "log"}, 10, 1 / 3),
    ({"values": (0.0, 100.0), "pieces": (ScalePiece(10.0, 0.5), ScalePiece(100.0, 1.0))}, 55, 0.75),
    ({"values": (0.0, 100.0), "sweep": 360.0}, 125, 0.25),
    ({"values": (-20.0, 60.0)}, 0, 0.25),
])  # fmt: skip
def test_a_value_stands_at_its_share_of_the_scale(track, value, share):
    made = Track(radius=0.9, **{"sweep": 270.0} | track)
    assert made.graduation.share(value) == pytest.approx(share)


@pytest.mark.parametrize(("steps", "ticks"), [
    ("", 25), (", ticks: as track", 25), (", ticks: null", 9 + 4), (", ticks: 1", 9 + 8),
    (", ticks: null, labels: null", 9),
])  # fmt: skip
def test_a_piece_of_a_scale_has_ticks_of_its_own_or_none(steps, ticks):
    pieces = f"pieces: [{{upto: 4, share: 0.5}}, {{upto: 12, share: 1{steps}}}]"
    text = GAUGE.replace("values: [0, 10]", f"values: [0, 12], {pieces}")
    (description,) = descriptions(text, "my-gauge.yaml")
    track = description.draw(Fraction(1), Rng("a gauge")).part("scale").part
    assert len(track.graduation.ticks) == ticks


def test_a_box_turns_around_its_middle():
    plate = "  name: {part: plate, shape: box, at: [0.3, 0.2], size: [0.2, 0.1], turn: 90}\n"
    (description,) = descriptions(GAUGE + plate, "my-gauge.yaml")
    box = description.draw(Fraction(1), Rng("a gauge")).part("name").part
    (corners,) = box.contours(0.0)
    assert np.ptp(corners, axis=0) == pytest.approx((0.2, 0.4))
    assert (corners.min(0) + corners.max(0)) / 2 == pytest.approx((0.3, 0.2))


def test_ticks_are_multiples_and_a_logarithmic_scale_has_nine_in_a_decade():
    even = Track(radius=0.9, sweep=270.0, values=(-0.1, 0.9), ticks=0.02, labels=0.1).graduation
    assert len(even.ticks) == 51
    assert [f"{tick.value:f}" for tick in even.ticks if tick.rank == LABELLED][:3] == [
        "-0.1",
        "0",
        "0.1",
    ]
    assert [f"{tick.value:f}" for tick in even.neighbours(0.031)] == ["0.02", "0.04"]
    log = Track(radius=0.9, sweep=270.0, values=(1.0, 100.0), spacing="log").graduation
    assert [f"{tick.value:f}" for tick in log.ticks if tick.rank == LABELLED] == [
        "1", "2", "5", "10", "20", "50", "100",
    ]  # fmt: skip
    ring = Track(radius=0.9, values=(0.0, 10.0), ticks=1.0).graduation
    assert len(ring.ticks) == 10
    assert [int(tick.value) for tick in ring.neighbours(9.5)] == [9, 0]


@pytest.mark.parametrize(("text", "number"), [
    ("value", "7.25"), ("value * 10 % 10", "2.5"), ("-value / 2", "-3.625"), ("floor(value)", "7"),
    ("ceil(value) + abs(0 - 1)", "9"), ("max(value, 3, 8)", "8"), ("round(value * 2)", "15"),
    ("value // 2", "3"), ("0.1 + 0.2", "0.3"),
    ("value * 10 ** 2", "725"), ("10 ** (0 - 1)", "0.1"),
])  # fmt: skip
def test_formulas_are_worked_out_exactly(text, number):
    assert evaluate(text, {"value": Fraction("7.25")}) == Fraction(number)


@pytest.mark.parametrize("text", [
    "value.real", "value[0]", "open('x')", "lambda: 1", "value if 1 else 2", "value ** 9", "'a'",
    "True", "min(value)", "abs(1, 2)", "(value", "x" * 300, "f'{value}'", "value := 3",
])  # fmt: skip
def test_what_is_no_formula_is_refused_and_never_run(text):
    with pytest.raises(ValueError, match=r"formula|allowed"):
        check_formula(text, {"value": None})
    with pytest.raises(ValueError, match="divides by 0"):
        evaluate("1 / value", {"value": Fraction(0)})
    for power in ("13", "0.5"):
        with pytest.raises(ValueError, match="give a whole number from -12 to 12"):
            evaluate(f"10 ** {power}", {})


@pytest.mark.parametrize(("way", "sign"), [("up", -1), ("down", 1)])
def test_a_wheel_leaves_its_window_the_way_it_rolls(way, sign):
    text = (
        "name: counter\nvalue: [0, 99, 0.25]\nparts:\n"
        f"  wheels: {{part: window, digits: 2, height: 0.8, curve: 9, roll: {way},"
        " figures: sans-bold, ground: '101010', ink: 'f0f0f0'}}\n"
    ).replace("}}", "}")
    (description,) = descriptions(text, "counter.yaml")
    scene = scene_of(face("water_meter"), 0, draw)
    middles = []
    for quarter in (0, 1):
        number = Fraction(30) + Fraction(quarter, 4)
        drawn = description.draw(number, Rng("one"))
        image = pixels(scene._replace(face=drawn))
        (mount,) = drawn.parts
        box = mount.part.facts(scene.look.pose, mount)["cells"][1]["box"]
        x1, y1, x2, y2 = map(round, box)
        ink = figures_of(image[y1:y2, x1:x2], (240,) * 3, (16,) * 3)
        rows = np.arange(len(ink))
        # Of the figure that is about to leave, which is still whole.
        half = (
            ink
            * (np.abs(rows - len(ink) / 2 - sign * quarter * len(ink) / 4) < 0.42 * len(ink))[
                :, None
            ]
        )
        middles.append((half.sum(1) @ rows) / half.sum() / len(ink))
    assert abs(middles[1] - middles[0] - sign * 0.25) < 0.06


def test_a_pointer_that_stands_still_is_noticed(monkeypatch):
    layers = Pointer.layers

    def still(self, mount, swell=0.0):
        return layers(self, mount._replace(share=0.4), swell)

    monkeypatch.setattr(Pointer, "layers", still)
    with pytest.raises(AssertionError, match="assert"):
        test_every_pointer_stands_at_its_number_in_the_pixels("hygrometer")


@names
def test_answers_follow_from_the_facts_whatever_is_asked(name):
    asked = ["read", "find", *(["part"] if len(next(iter(variants(name))).readings) > 1 else [])]
    generator = create("face", description=name, level="hard", questions=asked, size=320)
    seen = set()
    for index in range(40):
        sample = generator[index]
        check(sample)
        seen.add(sample.facts["question"])
        assert json.loads(json.dumps(sample.facts, allow_nan=False)) == sample.facts
    assert seen == set(asked)


@pytest.mark.parametrize(("value", "answer", "within"), [
    ("3.2", "3", "0.5"), ("3.3", "3.5", "0.5"), ("46", "45", "5"), ("48", "50", "5"),
    ("100", "100", "50"), ("1000", "1000", "50"),
])  # fmt: skip
def test_a_logarithmic_scale_is_read_to_parts_of_its_ticks(value, answer, within):
    description = next(each for each in variants("gauge") if each.head.unit == "Pa")
    drawn = description.draw(Fraction(value), Rng("a gauge"))
    number = face_questions.answer_of(description.readings["value"], drawn)
    assert (number.value, number.within) == (Decimal(answer), Decimal(within))


SCALED = ("ammeter", "gauge", "hygrometer", "sf6_gauge", "speedometer", "thermometer", "voltmeter")


@pytest.mark.parametrize("question", ["difference", "percent", "zone", "in_range", "where"])
def test_questions_about_a_scale_are_answered_from_it(question):
    generator = create("face", description=SCALED, level="hard", questions=[question], size=320)
    names, answers = set(), set()
    for index in range(60):
        sample = generator[index]
        check(sample)
        names.add(sample.facts["name"])
        answers.add(str(sample.target))
    assert len(names) >= (3 if question == "zone" else 4)
    assert answers >= {"zone": {"green", "yellow", "red"}, "in_range": {"yes", "no"}}.get(
        question, set()
    )


def test_zones_and_a_target_are_drawn_where_the_answer_has_them():
    zones = triangles = 0
    for index in range(12):
        generator = face("ammeter", questions=("zone", "difference"))
        sample, scene = generator[index], scene_of(generator, index, draw)
        image, mount = pixels(scene), scene.face.part("hand")
        track = mount.track
        for zone in sample.facts.get("zones", ()):
            shares = [track.graduation.share(float(zone[end])) for end in ("from", "to")]
            x, y = scene.look.pose.at(*track.path.point(sum(shares) / 2, -0.05))
            assert np.abs(image[int(y), int(x)] - ZONES[zone["name"]]).max() < 12
            zones += 1
        if target := sample.facts.get("target"):
            share = track.graduation.share(float(target))
            x, y = scene.look.pose.at(*track.path.point(share, -0.05))
            own = np.abs(image - pixels(without(scene, "target"))).sum(2)
            ys, xs = np.nonzero(own > 60)
            assert (xs.mean() + 0.5, ys.mean() + 0.5) == pytest.approx((x, y), abs=4)
            triangles += 1
    assert zones > 6
    assert triangles > 2


def test_a_question_that_a_face_cannot_answer_is_refused():
    with pytest.raises(ValueError, match=r"'percent' cannot be asked of .*starts at 0"):
        face("thermometer", questions=("percent",))
    with pytest.raises(ValueError, match=r"'where' cannot be asked of .*a pointer that shows"):
        face("counter", questions=("where",))
    with pytest.raises(ValueError, match=r"'part' cannot be asked of .*two readings"):
        face("gauge", questions=("part",))


def variants(name):
    return descriptions(description_files()[name].read_text(encoding="utf-8"), name)


@names
def test_photographs_and_degraded_pictures_keep_what_they_mean(name):
    for options in ({"look": "photo"}, {"look": "photo", "degrade": "heavy", "level": "hard"}):
        generator = create("face", description=name, size=256, **options)
        for index in range(2):
            sample = generator[index]
            check(sample)
            assert np.asarray(sample.image, float).std() > 5
            assert generator[index].image.tobytes() == sample.image.tobytes()


def test_the_carry_of_a_register_is_decided_by_the_lower_dial():
    """At 19 999.9 each pointer is nearly at the next numeral, and none is there yet."""
    (usual, *_) = variants("electricity_meter")
    for value, digits in (("19999.9", "19999"), ("20000", "20000"), ("9990.3", "09990")):
        drawn = usual.draw(Fraction(value), Rng("one"))
        numbers = [float(drawn.part(f"d{n}.hand").number) % 10 for n in range(1, 6)]
        assert "".join(str(math.floor(number)) for number in numbers) == digits
    sweeps = [drawn.part(f"d{n}.dial").part.sweep for n in range(1, 6)]
    assert sweeps == [-360, 360, -360, 360, -360]


def test_lists_of_variants_are_combined_and_their_faults_have_their_lines():
    text = GAUGE + (
        "variants:\n  - - {}\n    - unit: psi\n"
        "  - - parts: {hand: {colour: ink}}\n    - parts: {hand: {colour: red}}\n"
    )
    every = descriptions(text, "my-gauge.yaml")
    drawn = [one.draw(Fraction(5), Rng("one")) for one in every]
    seen = {(face.head.unit, face.part("hand").part.colour) for face in drawn}
    assert seen == {("bar", "ink"), ("bar", "red"), ("psi", "ink"), ("psi", "red")}
    with pytest.raises(ValueError, match=r"my-gauge\.yaml, line 14: parts.hand: colour: 'rde'"):
        descriptions(text.replace("{colour: red}", "{colour: rde}"), "my-gauge.yaml")


def test_variants_may_have_names():
    text = GAUGE + "variants:\n  small: {}\n  large: {parts: {hand: {colour: rde}}}\n"
    with pytest.raises(ValueError, match=r"my-gauge\.yaml, line 12: parts.hand: colour: 'rde'"):
        descriptions(text, "my-gauge.yaml")
    every = descriptions(text.replace("rde", "red"), "my-gauge.yaml")
    assert [one.variant_name for one in every] == ["small", "large"]


WINDOW = """
name: meter
value: [0, 99, 0.5]
draws: {digits: [2, 5, 1], decimals: [0, 1, 1]}
readings: {value: {part: shown, round: down}}
body: {shape: box, around: shown, margin: [0.5, 0.25], rim: 0}
parts:
  shown: {part: window, height: 1, digits: digits + decimals, decimals: decimals, frame: 0}
"""


def test_a_body_fits_around_a_window_of_any_number_of_figures():
    (description,) = descriptions(WINDOW, "meter.yaml")
    seen = set()
    for seed in range(20):
        drawn = description.draw(Fraction("7.5"), Rng("meter", seed))
        window = drawn.part("shown").part
        seen.add((window.digits, window.decimals))
        right, bottom = drawn.body.outline().max(0)
        x, y = np.add(window.middle(window.digits - 1), (window.breadth / 2, 0.5))
        assert (right - x, bottom - y) == pytest.approx((0.5, 0.25))
        # Its last figure is the step of the answer.
        answer = face_questions.answer_of(description.readings["value"], drawn)
        assert answer.value == Decimal("7.5" if window.decimals else "7")
    assert len(seen) > 5
    known = description.draw(Fraction(1), Rng("meter"), {"digits": Fraction(4)})
    assert known.part("shown").part.digits in (4, 5)
    with pytest.raises(ValueError, match=r"line 6: body.around: 'shwn' is not a window; .*shown"):
        descriptions(WINDOW.replace("around: shown", "around: shwn"), "meter.yaml")


def test_dials_that_are_alike_share_their_draws():
    (usual, *_) = variants("water_meter")
    drawn = usual.draw(Fraction(7), Rng("alike"))
    for key in ("shape", "length", "width", "colour"):
        assert len({getattr(drawn.part(f"d{n}.hand").part, key) for n in range(1, 5)}) == 1
    frames = [drawn.part(f"d{n}.dial").frame for n in range(1, 5)]
    assert len({scale for scale, _, _ in frames}) == 1
    assert len({(x, y) for _, x, y in frames}) == 4
    shapes = {usual.draw(Fraction(7), Rng(n)).part("d1.hand").part.shape for n in range(30)}
    assert len(shapes) > 3


def test_the_wheels_of_some_water_meters_turn_the_other_way():
    for variant in variants("water_meter"):
        ways = [variant.draw(Fraction(7), Rng(n)).part("register").part.roll for n in range(60)]
        assert set(ways) == {"up", "down"}
        assert ways.count("down") < 30


def test_a_part_by_chance_is_in_a_share_of_the_pictures_and_moves_no_other():
    text = GAUGE.replace("shape: [taper, arrow]}", "shape: [taper, arrow]}\n" + (
        "  brand: {part: text, text: [A, B], chance: 0.3}\n"
        "  peak: {part: track, radius: 0.5, values: [0, 10], chance: 0.5}\n"
        "  slave: {part: pointer, track: peak}"
    ))  # fmt: skip
    (description,), (without_chance,) = (
        descriptions(each, "my-gauge.yaml") for each in (text, GAUGE)
    )
    drawn = [description.draw(Fraction(5), Rng("chance", n)) for n in range(200)]
    plain = [without_chance.draw(Fraction(5), Rng("chance", n)) for n in range(200)]
    names = [{mount.name for mount in one.parts} for one in drawn]
    assert 40 < sum("brand" in one for one in names) < 80
    assert 80 < sum("peak" in one for one in names) < 120
    assert all(("peak" in one) == ("slave" in one) for one in names)
    assert [one.part("hand") for one in drawn] == [one.part("hand") for one in plain]


def test_ticks_of_a_square_clock_end_on_a_square():
    square = Track(radius=1.0, values=(0.0, 12.0), labels=1.0).along("square")
    x, y = np.abs(square.path.points(np.arange(12) / 12)).T
    assert np.maximum(x, y) == pytest.approx(1.0)
    assert square.path.direction(0.25) == 90


GAUGE = """
name: oven gauge
unit: bar
value: [0, 10, 0.05]
readings:
  value: {step: 0.1}
parts:
  scale: {part: track, radius: [0.8, 0.9], sweep: 270, values: [0, 10], ticks: 0.5, labels: 2}
  hand: {part: pointer, track: scale, shape: [taper, arrow]}
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="my-gauge.yaml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return create("face", description=name)

    return write


def test_a_users_description_is_known_by_what_it_says(own):
    first = own(GAUGE)
    renamed = own("# with a comment\n" + GAUGE, "other.yaml")
    changed = own(GAUGE.replace("0.9]", "0.91]"), "changed.yaml")
    assert first.name == renamed.name != changed.name
    assert first[3].image.tobytes() == renamed[3].image.tobytes()
    assert first[3].target.unit == "bar"
    assert "oven gauge" in first[3].question
    assert list(first.files) == ["my-gauge.yaml"]
    again = pickle.loads(pickle.dumps(first))
    assert again[5].image.tobytes() == first[5].image.tobytes()
    assert create("face", **first.options) == first


def test_values_do_not_move_the_look(own):
    """Another value is another number on the same face."""
    _ = own(GAUGE)
    (description,) = descriptions(GAUGE, "my-gauge.yaml")
    low, high = (description.draw(Fraction(v), Rng("same")) for v in (1, 9))
    assert [mount.part for mount in low.parts] == [mount.part for mount in high.parts]
    assert low.part("hand").number != high.part("hand").number


@table(__file__, "refused_descriptions")
def test_wrong_keys_and_impossible_combinations_are_refused_by_line(row, own):
    text = GAUGE
    for old, new in row["change"].items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(ValueError, match=row["message"]) as told:
        own(text)
    assert "my-gauge.yaml" in str(told.value)


def test_the_ticks_must_be_told_apart_in_the_size(own):
    with pytest.raises(
        ValueError, match=r"size=320: the ticks of scale on the oven gauge stand .* give \d+"
    ):
        own(GAUGE.replace("ticks: 0.5", "ticks: 0.01"))


def test_a_text_that_no_font_can_write_is_refused(own, tmp_path):
    text = GAUGE + "  title: {part: text, text: [ok, 压力]}\n"
    with pytest.raises(ValueError, match="oven gauge: the font sans has no 力 压: name another"):
        own(text)
    with pytest.raises(ValueError, match="the font times-bold has no 力 压"):
        own(text.replace("parts:", "body: {font: [times-bold]}\nparts:"))


def test_a_pointer_that_cannot_be_seen_on_any_floor_is_refused(own):
    text = GAUGE.replace("parts:", "body: {palette: white}\nparts:")
    with pytest.raises(
        ValueError, match=r"my-gauge.yaml, line 10: parts.hand.colour: 'white' is not visible"
    ):
        own(text.replace("shape: [taper, arrow]", "colour: [red, white]"))
    # Each pointer is visible on one of both floors, and together they are visible on none.
    both = GAUGE.replace("parts:", "body: {palette: any}\nparts:").replace(
        "shape: [taper, arrow]", "colour: white"
    ) + "  other: {part: pointer, track: scale, colour: black}\n"  # fmt: skip
    file = "my-gauge.yaml"
    Path(file).write_text(both)
    with pytest.raises(ValueError, match=r"line 7: body.palette: none of the floors shows all"):
        create("face", description=file, palettes=["white", "black"])
    assert create("face", description=file)[0].facts["style"]["palette"] not in ("white", "black")


def test_every_value_of_a_description_is_drawn_exactly():
    steps = (-0.1, 0.9, 0.002)
    assert value_at(steps, 0) == Fraction(-1, 10)
    assert value_at(steps, 500) == Fraction(9, 10)
    assert {sample.facts["value"] for sample in face("sf6_gauge")[0:3]} <= {
        f"{Decimal(n) / 500:f}" for n in range(-50, 451)
    }
    assert difference((255, 255, 255), (0, 0, 0)) > 90


def test_the_start_of_a_description_draws_and_explains_itself(own):
    text = description_to_copy("face").read_text(encoding="utf-8")
    generator = own(text)
    assert generator[0].target.unit == "bar"
    assert text.count("#") > 20
    # Each part that is commented out can be used.
    richer = own(re.sub(r"^  # (?![A-Z])", "  ", text, flags=re.MULTILINE), "richer.yaml")
    assert {"psi", "count", "small.hand"} <= set(richer[0].facts["parts"])


RANGES = """
name: gauge
scales: ["bar 0 10 1 0.5,0.2", "psi 3 43 5 1", "Pa 1 1000 log"]
parts:
  scale:
    part: track
    radius: 0.8
    start: -135
    sweep: 270
    values: [low, high]
    spacing: {chance: log, then: log, else: linear}
    ticks: tick
    labels: label
    origin: low
    numerals: {most: 9}
  hand: {part: pointer, track: scale}
"""


def test_each_of_the_scales_is_drawn_with_its_own_numbers(tmp_path):
    every = descriptions(RANGES, "gauge.yaml")
    assert [each.head.unit for each in every] == ["bar", "bar", "psi", "Pa"]
    assert [each.head.value for each in every[:3]] == [(0, 10, 0.05), (0, 10, 0.02), (3, 43, 0.1)]
    tracks = [each.draw(Fraction(5), Rng("one")).part("scale").part for each in every]
    assert [len(track.graduation.ticks) for track in tracks] == [21, 51, 41, 28]
    # Eleven numbers are more than nine, and the ticks of 3 to 43 are counted from 3.
    assert [text.text for text in tracks[0].texts] == ["0", "2", "4", "6", "8", "10"]
    assert [text.text for text in tracks[2].texts][:3] == ["3", "8", "13"]
    assert [text.text for text in tracks[3].texts][:4] == ["1", "2", "5", "10"]
    (tmp_path / "gauge.yaml").write_text(RANGES, encoding="utf-8")
    generator = Face(description=str(tmp_path / "gauge.yaml"), size=224)
    assert {generator[index].target.unit for index in range(30)} == {"bar", "psi", "Pa"}
    with pytest.raises(ValueError, match="line 3: scales: scales='bar 0 10 3 1'"):
        descriptions(RANGES.replace("10 1 0.5,0.2", "10 3 1"), "gauge.yaml")


def described(parts, body="{}", value=0):
    text = f"name: dial\nvalue: [0, 359, 1]\nbody: {body}\nparts:\n{parts}"
    (description,) = descriptions(text, "dial.yaml")
    scene = scene_of(face("hygrometer"), 0, draw)
    return scene._replace(face=description.draw(Fraction(value), Rng("one")))


def test_a_window_cuts_what_is_printed_beyond_its_floor():
    ring = (
        "  ring: {part: track, radius: 0.8, at: [0, 0.5], values: [0, 360], ticks: 2, labels: 30}\n"
    )
    body = "{shape: box, size: [0.7, 0.4], rim: 0.2, cut: true}"
    scene = described(ring, body)
    whole = scene._replace(face=scene.face._replace(body=replace(scene.face.body, cut=False)))
    bare = without(scene, "ring")
    size = scene.look.size
    floor = cv2.fillPoly(
        np.zeros((size, size), np.uint8),
        [np.rint(scene.look.pose(scene.face.body.outline())).astype(int)],
        1,
    )
    outside = cv2.dilate(floor, np.ones((5, 5))) == 0
    changed = [np.abs(pixels(one) - pixels(bare)).max(2) > 60 for one in (scene, whole)]
    assert not changed[0][outside].any()
    assert changed[1][outside].any()
    assert changed[0][floor > 0].sum() > 200


def test_a_panel_continues_beyond_the_picture():
    scene = described("  brand: {part: text, text: x}\n", "{shape: panel}")
    image = pixels(scene)
    floor = np.array(palette(scene.look.palette).floor)
    corners = image[[0, 0, -1, -1], [0, -1, 0, -1]]
    assert (np.abs(corners - floor).max(1) < 3).sum() >= 3  # one may lie on a neighbour


@pytest.mark.parametrize("part", [
    "{part: text, text: '8', at: [0, -0.6], height: 0.2, orbit: -value}",
    "{part: plate, shape: rose, radius: 0.7, turn: -value, colour: ink}",
    "{part: mark, track: ring, drive: 0, size: 0.2, span: [0.1, 0.3]}",
])  # fmt: skip
def test_print_turns_with_a_card_by_a_formula(part):
    ring = "  ring: {part: track, radius: 0.8, start: -value, values: [0, 360], numerals: null}\n"
    places = []
    for value in (0, 60):
        scene = described(f"{ring}  thing: {part}\n", value=value)
        ys, xs = np.nonzero(np.abs(pixels(scene) - pixels(without(scene, "thing"))).max(2) > 90)
        x, y = scene.look.pose.at(0, 0)
        away = np.hypot(xs - x, ys - y)
        # A rose has four long rays: one of them is turned into the sector of the first.
        far = away > 0.8 * away.max()
        turned = np.degrees(np.arctan2(xs[far] - x, y - ys[far]))
        places.append(turned[np.abs(turned + 60 * (value > 0)) < 20].mean())
    assert places[0] - places[1] == pytest.approx(60, abs=2)
