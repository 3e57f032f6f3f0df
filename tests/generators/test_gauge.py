"""Gauges: what the scale says is what the pointer shows, measured from the pixels."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import cv2
import numpy as np
import pytest
from measured import scene_of
from quick import quick
from solvers import check

from gnomon.generators import Gauge, create
from gnomon.generators.drawing.colours import PALETTES
from gnomon.generators.drawing.lettering import text_tile
from gnomon.generators.drawing.shapes import rotation_matrix
from gnomon.generators.faces.description import descriptions
from gnomon.generators.faces.draw import draw_face
from gnomon.generators.faces.generator import MIN_TICK_GAP
from gnomon.generators.faces.scale import plain
from gnomon.generators.faces.scale_questions import ZONES
from gnomon.generators.faces.varying import EndChooser
from gnomon.generators.gauge import generator as gauges
from gnomon.generators.gauge.generator import LEVELS
from gnomon.generators.gauge.instruments import (
    DEFAULT_INSTRUMENTS,
    INSTRUMENTS,
    QUESTIONS,
    places_of_split,
)
from gnomon.generators.rng import Rng

SCALES = [(one, scale) for one in INSTRUMENTS.values() for scale in one.scales]
UPRIGHT = {"rotation": 0.0, "perspective": 0.0, "backgrounds": ("plain",)}
kinds = pytest.mark.parametrize("instrument", INSTRUMENTS)


def outlines(scene):
    """The contours of the pointer, in pixels."""
    mount = scene.face.part("pointer")
    return [scene.look.pose(contour) for contour in mount.part.contours(mount)]


@kinds
def test_every_description_can_be_drawn_at_both_ends_of_its_ranges(instrument):
    text = INSTRUMENTS[instrument].variants[0].text
    assert len(descriptions(text, instrument)) >= len(INSTRUMENTS[instrument].scales)


def value_at(facts, share):
    """The value that stands at a share of the scale, by its two ends alone."""
    low, high = float(facts["low"]), float(facts["high"])
    return low * (high / low) ** share if facts["log"] else low + (high - low) * share


@kinds
def test_ticks_are_where_the_ink_is(instrument):
    """Every labelled tick's middle is darker, or lighter, than the floor; or under the pointer."""
    n_seen = 0
    for index in range(10):
        gauge = Gauge(instruments=(instrument,), size=300, **UPRIGHT)
        sample, scene = gauge[index], scene_of(gauge, index, gauges)
        track = scene.face.part("scale").part
        palette = PALETTES[sample.facts["style"]["palette"]]
        pose = np.array(sample.facts["homography"])
        low, high = (Decimal(sample.facts[k]) for k in ("low", "high"))
        for label in sample.facts["labels"]:
            share = float((Decimal(label["text"]) - low) / (high - low))
            u, v, w = pose @ (*track.path.point(share, 0.5 * track.tick), 1.0)
            x, y = int(u / w), int(v / w)
            # Pixels inside of a contour count from its edge; those near it are a mixture.
            pointer = [contour.astype(np.float32) for contour in outlines(scene)]
            if any(cv2.pointPolygonTest(contour, (x, y), True) > -3 for contour in pointer):
                continue
            near = np.asarray(sample.image, int)[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3)
            assert np.abs(near - palette.ink).sum(1).min() < 260
            n_seen += 1
    assert n_seen >= 25


def test_zones_are_coloured_where_they_are_said_to_be():
    for index in range(60):
        gauge = Gauge(questions=("zone",), size=300, **UPRIGHT)
        sample, scene = gauge[index], scene_of(gauge, index, gauges)
        facts, track = sample.facts, scene.face.part("scale").part
        pose, bands = np.array(facts["homography"]), track.zones
        low, high = (Decimal(facts[k]) for k in ("low", "high"))
        for zone, band in zip(facts["zones"], bands, strict=True):
            middle = (Decimal(zone["from"]) + Decimal(zone["to"])) / 2
            share = float((middle - low) / (high - low))
            at = track.path.point(share, (band.near + band.far) / 2)
            u, v, w = pose @ (*at, 1.0)
            pixel = np.asarray(sample.image, int)[int(v / w), int(u / w)]
            assert np.abs(pixel - ZONES[zone["name"]]).max() < 12 or facts["instrument"] == "meter"
        within = [z["name"] for z in facts["zones"]
                  if Decimal(z["from"]) < Decimal(facts["value"]) < Decimal(z["to"])]  # fmt: skip
        assert within in ([sample.target.text], [])


@pytest.mark.parametrize("level", quick(LEVELS, "hard"))
def test_answers_follow_from_the_facts(level):
    seen = set()
    gauge = create("gauge", level=level, questions=list(QUESTIONS), log=0.3)
    for index in range(200):
        sample = gauge[index]
        facts, target = sample.facts, sample.target
        value, tick = Decimal(facts["value"]), Decimal(facts["tick"])
        seen.add(facts["question"])
        check(sample)
        assert Decimal(facts["low"]) <= value <= Decimal(facts["high"])
        assert math.isclose(value_at(facts, facts["share"]), float(value), abs_tol=1e-9)
        match facts["question"]:
            case "read":
                assert target.within == plain(tick / 2)
            case "difference":
                assert target.within == plain(tick / 2)
                assert target.value >= 2 * tick
            case "percent":
                assert target.within >= 50 * tick / Decimal(facts["high"])
            case "zone":
                assert target.choices == ("green", "yellow", "red")
            case "in_range":
                low, high = map(Decimal, facts["limits"])
                assert facts["log"] or min(abs(value - low), abs(value - high)) >= tick
                unit = "inches" if facts["unit"] == "in" else facts["unit"]
                assert f"between {low:f} and {high:f} {unit}" in sample.question
    assert seen == set(QUESTIONS)


def test_a_dial_is_read_to_a_tenth_all_the_way_round():
    gauge = Gauge(instruments=("dial",), questions=("read", "where"), size=160)
    texts = set()
    for index in range(150):
        sample = gauge[index]
        if sample.facts["question"] == "where":
            continue
        value, target = Decimal(sample.facts["value"]), sample.target
        gap = abs(value - target.value)
        assert min(gap, 10 - gap) <= Decimal("0.05")
        assert (target.unit, target.within) == ("", Decimal("0.1"))
        assert 0 <= target.value < 10
        texts.add(target.write())
    assert all(len(text) == 3 and text[1] == "." for text in texts)
    dial = INSTRUMENTS["dial"]
    scale = dial.scales[0]
    assert [dial.answer(scale, Decimal(v)) for v in ("9.96", "9.94", "0.05")] == [
        Decimal(v) for v in ("0.0", "9.9", "0.1")
    ]
    # Its ticks may be a label apart; what can be told apart stays two tenths.
    reading = dial.place_reading(scale, 0, 1)
    assert (reading.tick, reading.tolerance) == (1, Decimal("0.1"))
    assert sample.facts["tick"] == "0.2"
    train = {dial.answer(scale, dial.place_reading(scale, place, 1).value)
             for place in places_of_split(dial, scale, 1, "train")}  # fmt: skip
    assert len(train) == 100


def _likeness(plain_: np.ndarray, camera: np.ndarray, around: np.ndarray, by: tuple[int, int]):
    """Correlation of a picture with another that has been moved."""
    return np.corrcoef(np.roll(plain_, by, (1, 0))[around], camera[around])[0, 1]


@pytest.mark.slow
def test_a_photographed_pointer_stands_where_the_drawn_one_does():
    """Red in two pictures of one scene: its middle moves by the parallax at most."""
    shifts = []
    for index in range(60):
        options = {"instruments": ("dial",), "size": 224, "palettes": ("plain",)}
        photo = Gauge(look="photo", **options)
        scene = scene_of(photo, index, gauges)
        plain_ = np.asarray(draw_face(scene._replace(look=scene.look._replace(is_photo=False)),
                                    Rng("plain")), float)  # fmt: skip
        camera = np.asarray(photo[index].image, float)
        red = [
            cv2.GaussianBlur(p[..., 0] - p[..., 1:].mean(2), (0, 0), 3) for p in (plain_, camera)
        ]
        mask = np.zeros(plain_.shape[:2], np.uint8)
        for contour in outlines(scene):
            cv2.fillPoly(mask, [np.rint(contour).astype(np.int32)], 1)
        around = cv2.dilate(mask, np.ones((25, 25))) > 0
        if red[1][mask > 0].mean() < red[1][around & (mask == 0)].mean() + 25:
            continue  # a camera that sees no red

        moves = ((x, y) for x in range(-12, 13, 2) for y in range(-12, 13, 2))
        best = max(moves, key=partial(_likeness, *red, around))
        assert math.hypot(*best) <= 6, (index, best)
        shifts.append(best)
    # On average less than a pixel, and more than 4 for one in twenty: such a camera has 30 pixels.
    assert len(shifts) > 25
    assert np.linalg.norm(np.mean(shifts, 0)) < 1
    assert np.mean(np.linalg.norm(shifts, axis=1) > 4) <= 0.05


@pytest.mark.parametrize("instrument", [*DEFAULT_INSTRUMENTS, "speedometer"])
def test_scales_of_ones_own_are_drawn_on_every_open_ended_instrument(instrument):
    ends = {"fl oz": ("-5", "25"), "": ("0", "6")}
    gauge = Gauge(instruments=(instrument,), scales=("fl oz -5 25 5 1", "0 6 1 0.2"), parts=2)
    units, off = set(), []
    for sample in map(gauge.draw, range(30)):
        unit, value = sample.target.unit, sample.target.value
        units.add(unit)
        assert (sample.facts["low"], sample.facts["high"]) == ends[unit]
        step = Decimal("0.5") if unit else Decimal("0.1")
        assert value % step == 0
        assert sample.target.within == step
        assert ("fl oz" if unit else "a number") in sample.question
        off.append((float(value) - value_at(sample.facts, sample.facts["share"])) / float(step))
    assert units == set(ends)
    # Pointers stand anywhere, and the nearest value is the answer.
    assert 0.3 < max(map(abs, off)) <= 0.5 + 1e-9


def test_training_has_every_value_of_ones_own_scale_and_no_place_of_the_test():
    options = {"instruments": ("meter",), "scales": ("bar 0 2 1 0.5",), "parts": 1}
    values, keys = {}, {}
    for split in ("train", "val", "test"):
        gauge = Gauge(**options, split=split)
        values[split] = {gauge.draw(index).target.value for index in range(40)}
        keys[split] = {gauge.key(index) for index in range(200)}
    assert values["train"] == {Decimal(half) / 2 for half in range(5)} > values["test"]
    assert not any(a & b for a, b in combinations(keys.values(), 2))


def test_usual_labels_are_legible_and_broader_ones_are_refused():
    for instrument, scale in SCALES:
        if scale.cycle is None and not scale.log and not instrument.has_window:
            Gauge(instruments=(instrument.name,), scales=(own(scale),), size=1024)
    # In 224 pixels, too, they would have room; it is their letters that meet.
    for instrument in ("gauge", "meter", "ruler", "speedometer"):
        with pytest.raises(ValueError, match=f"the labels of the {instrument} touch"):
            Gauge(instruments=(instrument,), scales=("0 50000 5000 2500",))


def own(scale):
    """A scale as a user would write it."""
    apart, tick = (steps[1] - steps[0] for steps in (scale.labels, scale.ticks))
    return f"{scale.unit} {scale.low} {scale.high} {apart} {tick}"


def test_a_wide_range_is_no_sign_that_the_reading_is_within():
    gauge, scale = next((g, s) for g, s in SCALES if not s.log and len(s.labels) == 11)
    answers = {True: [], False: []}
    for place in range(len(scale.ticks) - 1):
        reading = scale.reading(place, 1)
        for index in range(100):
            found = gauge.ask("in_range", scale, reading, Rng("range", place, index))
            low, high = found.limits
            answers[2 * (high - low) > scale.high - scale.low].append(found.target.text == "yes")
    assert all(0.4 < sum(within) / len(within) < 0.6 for within in answers.values())


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 2, 3, 10])
def test_every_question_can_be_asked_of_every_reading(parts):
    for instrument, scale in SCALES:
        for place in range(0, (len(scale.ticks) - 1) * parts + 1, 7):
            reading = scale.reading(place, parts)
            for question in QUESTIONS:
                if instrument.has_answer(question, scale):
                    rng = Rng(scale, place)
                    assert instrument.ask(question, scale, reading, rng).text


def test_labels_keep_clear_of_each_other_and_of_the_rim():
    for (instrument, scale), end in product(SCALES, (0.0, 0.5, 1.0)):
        # The largest numbers of a meter's dial may touch, so its middle sizes are tested.
        if (end == 0.5) != (instrument.name in ("dial", "compass")):
            continue
        description = instrument.description(scale)
        face = description.draw(Fraction(scale.low), EndChooser(end))
        track, rim = face.part("scale").part, face.body.outline()
        shares = np.array([scale.share(value) for value in scale.labels])
        ends = track.path.points(shares, track.tick)
        boxes = []
        for text, x, y, height, turn in track.texts:
            tile = text_tile(text, "sans-bold", 40, 0)
            h, w = (side * height / 40 for side in tile.shape)
            boxes.append((x - w / 2, y - h / 2, x + w / 2, y + h / 2))
            assert turn or boxes[-1][0] > rim[:, 0].min(), scale
            assert turn or boxes[-1][2] < rim[:, 0].max(), scale
            beside = np.abs((ends - (x, y)) @ rotation_matrix(-turn))
            assert not (beside < (w / 2, h / 2)).all(1).any(), (instrument.name, scale)
        for (a1, b1, a2, b2), (c1, d1, c2, d2) in combinations(boxes, 2):
            air = 0.2 * track.numerals.height  # less, and 90 beside 100 reads 90100
            apart_ = a2 + air < c1 or c2 + air < a1 or b2 < d1 or d2 < b1
            assert apart_, (instrument.name, scale.labels)


def test_ticks_can_be_counted():
    for index in range(60):
        ticks = np.array([t["at"] for t in create("gauge", size=160).draw(index).facts["ticks"]])
        assert np.linalg.norm(np.diff(ticks, axis=0), axis=1).min() >= MIN_TICK_GAP


@pytest.mark.parametrize(
    ("options", "question"),
    [
        (
            {"instruments": ["speedometer"], "scales": ["km/h 0 220 20 5"]},
            "What does the speedometer read? Answer in km/h.",
        ),
        ({"instruments": ["dial"]}, "What does the dial read? Answer with a number."),
        ({"instruments": ["dial"], "questions": ["read", "find"]},
         "What does the dial read? Answer with a number."),
        ({"instruments": ["speedometer"]}, None),  # km/h or mph
        ({"instruments": ["dial", "compass"]}, None),
        ({"instruments": ["dial"], "questions": ["read", "where"]}, None),
    ],
)  # fmt: skip
def test_one_instrument_with_one_unit_has_a_general_question(options, question):
    gauge = Gauge(split="train", **options)
    assert gauge.general_question == question
    if question:
        assert question in {sample.question for sample in gauge[:20]}
