"""Clocks: what is drawn is what is said, measured from the pixels."""

import math
from decimal import Decimal
from fractions import Fraction

import cv2
import numpy as np
import pytest
from measured import apart, direction, ink, ring, tip_radius
from quick import quick
from solvers import check

from gnomon.generators import Clock, create
from gnomon.generators.base import split_of
from gnomon.generators.clock.clock_questions import ASK, QUESTIONS, TOGETHER
from gnomon.generators.clock.face import ARABIC_24, ClockFace, ClockStyle
from gnomon.generators.clock.scene import (
    BOTH_HANDS,
    LEGIBLE,
    UPRIGHT,
    clock_description,
    random_clocks,
    random_face,
    random_faces,
    random_scene,
)
from gnomon.generators.drawing.backgrounds import BACKGROUNDS
from gnomon.generators.drawing.canvas import Canvas
from gnomon.generators.drawing.colours import PALETTES, contrast, difference
from gnomon.generators.drawing.lettering import text_mask
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import DIALS, HANDS, UNSEEN_HANDS, hand_shape
from gnomon.generators.faces.draw import draw_face
from gnomon.generators.rng import Rng
from gnomon.sample import Number, Time

PLAIN = {
    "dials": ("round",), "hands": ("baton",), "numerals": ("none",), "palettes": ("white",),
    "backgrounds": ("plain",), "rotation": 0.0, "perspective": 0.0, "second_hand": 0.0,
    "shadow": 0.0, "minute_track": 0.0, "variety": 0.0, "split_by": "none",
}  # fmt: skip


def determined(rotation, numerals, *, numeral_pixels, hour_ticks, twelve, mirrored=False, **_):
    """Whether the pixels say how far the dial is turned, so that its hands have one reading.

    Twelve ticks or numerals too small to read give the turn modulo 30 degrees: enough within ±10,
    never beyond, where the hands of 3:00 turned by 30 are the hands of 4:00 less five minutes'
    worth. Minute ticks alone give it modulo 6. A dial with nothing on it is read as upright. Which
    way round a dial is seen only numerals and the marked twelve of one that is named a mirror tell.
    """
    full = numerals in ("arabic", "roman", "roman-iv")
    named = full or numerals in ("sparse", ARABIC_24)
    if (named and numeral_pixels >= LEGIBLE) or twelve is not None:
        return True
    if mirrored:
        return False
    if hour_ticks or full:
        return abs(rotation) <= UPRIGHT
    return rotation == 0


def shown(clock, style, rng, seconds=0, *, has_second=False):
    """A clock of a style that shows a time. The same draws give the same look at each time."""
    meaning = ClockFace(seconds, has_second, has_second, style)
    return random_scene(clock, meaning, rng, rng.within(clock.sizes), name="test")


def test_hands_are_where_the_time_says_for_every_minute():
    clock = Clock(**PLAIN)
    worst, measured = {"hour": 0.0, "minute": 0.0}, 0
    for minute in range(720):
        scene = shown(clock, clock.styles[0], clock.rng(0), 60 * minute)
        pose = scene.picture.look.pose
        centre, reach = pose.at(0, 0), pose.scale
        lengths = {name: scene.parts[name].part.length for name in worst}
        dark = ink(draw_face(scene.picture, clock.rng(0)))
        hour_true, minute_true = minute / 2 % 360, 6.0 * (minute % 60)
        # Beyond the hour hand's tip, within the ticks: the minute hand alone.
        ends = lengths["hour"] * reach + 4, lengths["minute"] * reach - 4
        found = direction(*ring(dark, centre, ends[0], min(ends[1], 0.72 * reach)))
        worst["minute"] = max(worst["minute"], apart(found, minute_true))
        if apart(hour_true, minute_true) < 35 or apart(hour_true, minute_true + 180) < 35:
            continue  # the other hand, or its tail, is in the way
        degrees, weights = ring(dark, centre, 0.28 * reach, lengths["hour"] * reach - 4)
        away = np.abs((degrees - minute_true + 180) % 360 - 180) > 14
        found = direction(degrees[away], weights[away])
        worst["hour"] = max(worst["hour"], apart(found, hour_true))
        measured += 1
    assert measured > 400
    assert worst["minute"] < 0.25, worst
    assert worst["hour"] < 0.25, worst


def test_tips_lie_at_the_angles_in_the_dials_frame():
    for index in range(100):
        facts = create("clock")[index].facts
        inverse = np.linalg.inv(np.array(facts["homography"]))
        for name, tip in facts["tips"].items():
            x, y, w = inverse @ np.array([*tip, 1.0])
            found = math.degrees(math.atan2(x / w, -y / w))
            assert apart(found, facts["angles"][name]) < 1e-6


def test_twelve_and_the_minute_before():
    clock = Clock()
    noon = shown(clock, clock.styles[0], Rng("noon"))
    assert noon.angles == {"hour": 0.0, "minute": 0.0}
    last = shown(clock, clock.styles[0], Rng("last"), 43199, has_second=True).angles
    found = last["second"], round(last["minute"], 6), round(last["hour"], 6)
    assert found == (354, 359.9, round(43199 / 120, 6))


FORMS = ("digits", "words", "json")
MANY = {
    "one": {"questions": tuple(ASK), "size": 224},
    "of a day": {"questions": tuple(ASK), "numerals": (ARABIC_24,), "size": 224},
    "in a mirror": {"questions": ("read", "shift", "move", "date"), "mirror": 1.0, "size": 224},
    "several": {"questions": QUESTIONS, "clocks": (2, 3), "size": 288, "level": "hard"},
    "with one hand": {"questions": tuple(ASK), "one_hand": 1.0, "size": 224, "warp": 0.1},
    "several with one hand": {
        "questions": QUESTIONS,
        "clocks": (2, 3),
        "one_hand": 0.5,
        "size": 224,
    },
    "several of a day": {
        "questions": tuple(TOGETHER),
        "numerals": (ARABIC_24,),
        "clocks": 3,
        "size": 224,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("options", MANY.values(), ids=MANY)
def test_questions_are_answered_from_what_is_drawn(options):
    clock = Clock(forms=FORMS, **options)
    view = set()
    for index in range(150):
        sample = clock[index]
        check(sample)
        view.add(sample.facts["question"])
        if isinstance(sample.target, Time) and sample.target.form == "words":
            assert not sample.target.shows_seconds
    assert view == set(options["questions"])


def test_an_impossible_hour_hand_is_wrong_by_what_the_options_say():
    for index in range(200):
        facts = Clock(questions=("valid",), size=84)[index].facts
        gap = (facts["angles"]["hour"] * 12 - facts["angles"]["minute"]) / 12 % 30
        fits = min(gap, 30 - gap)
        assert fits < 1e-6 or 9.9 < fits < 15.1


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_no_constant_box_says_where_the_clock_is(level):
    """The best of them had an IoU of 0.5 with 100, 96 and 93 % of the clocks."""
    clock = Clock(questions=("where",), level=level)
    found = []
    for index in range(300):
        (scene,) = random_clocks(
            clock, index, random_faces(clock, index, "where"), "where", is_mirrored=False
        )
        case = scene.picture.case / scene.picture.look.size
        found.append([*case.min(0), *case.max(0)])
    found = np.array(found)
    overlaps = []
    for side in np.arange(0.2, 1, 0.1):
        sides = np.minimum(found[:, 2:], 0.5 + side / 2) - np.maximum(found[:, :2], 0.5 - side / 2)
        shared = np.clip(sides, 0, None).prod(1)
        either = (found[:, 2:] - found[:, :2]).prod(1) + side**2 - shared
        overlaps.append((shared / either >= 0.5).mean())
    assert max(overlaps) < 0.35
    assert Clock(questions=("where",), dial_size=(0.9, 0.9))[0].facts["case_box"][2] > 150


@pytest.mark.parametrize("dial_size", [(0.6, 0.96), (1.0, 1.0)])
def test_the_case_is_where_its_box_says_through_a_lens(dial_size):
    """A pixel that is half the case's and half the ground's is the edge.

    A case that touched the picture's edge went on beyond its box, as all there does.
    """
    options = PLAIN | {"dial_size": dial_size, "offset": 1.0, "warp": 0.1}
    ground, case = (np.mean(getattr(PALETTES["white"], part)) for part in ("ground", "case"))
    clock, view = Clock(questions=("where",), **options), 0.0
    for index in range(30):
        sample = clock[index]
        covered = (np.asarray(sample.image, float).mean(2) - ground) / (case - ground)
        box = sample.target
        sides = (covered.max(0), box.x1, box.x2), (covered.max(1), box.y1, box.y2)
        for share, low, high in sides:
            inside = np.flatnonzero(share > 0.5)
            assert abs(inside[0] - low) < 1.1
            assert abs(inside[-1] + 1 - high) < 1.1
        view = max(view, sample.facts["lens"]["strength"])
    assert view > 0.08


def printed(picture, names, **hours):
    """Where these parts alone are printed. `hours` are other values for keys of the hours."""
    face = picture.face.with_changed("hours", **hours)
    bare = face._replace(parts=())
    face = face._replace(parts=tuple(mount for mount in face.parts if mount.name in names))
    pixels = [
        np.asarray(draw_face(picture._replace(face=one), Rng("print"))).astype(int)
        for one in (face, bare)
    ]
    return abs(pixels[0] - pixels[1]).max(2) > 20


@pytest.mark.parametrize("font", ["sans", "sans-bold", "serif-bold", "times-bold"])
@pytest.mark.parametrize("hour_ticks", [False, True])
@pytest.mark.parametrize("twelve", [None, "triangle", "double"])
def test_numerals_touch_neither_the_mark_at_twelve_nor_one_another(font, hour_ticks, twelve):
    """A double bar hid half of the XII, and a bold 11 ran into the 12."""
    clock = Clock(**PLAIN | {"numerals": ("arabic",), "size": 400, "dial_size": (0.9, 0.96)})
    style = ClockStyle("round", "baton", "arabic", "white")
    constants = {
        "dial": "round", "hands": "baton", "numerals": "arabic", "minute_track": 0.0, "brand": 0.0,
        "hour_ticks": float(hour_ticks), "twelve_mark": float(twelve is not None), "date": 0.0,
        "subdials": 0.0, "alarm": 0.0,
    }  # fmt: skip
    for index in range(20):
        picture = shown(clock, style, Rng("numerals", index)).picture
        constants["variety"] = float(index % 2)
        face = clock_description().draw(Fraction(0), Rng("face", index), constants)
        if twelve:
            face = face.with_changed("twelve", shape=twelve)
        picture = picture._replace(face=face, look=picture.look._replace(font=font))
        numerals = printed(picture, ["hours"], tick=0.0)
        assert not (numerals & printed(picture, ["twelve"])).any()
        assert cv2.connectedComponents(numerals.astype(np.uint8))[0] - 1 == 15  # digits


@pytest.mark.parametrize("dial", quick(DIALS, "round", "square"))
def test_no_two_numerals_of_a_day_touch(dial):
    """A bold 13 12 11 was one number of six digits."""
    clock = Clock(**PLAIN | {"numerals": (ARABIC_24,), "size": 400, "dial_size": (0.9, 0.96)})
    fonts = set()
    for index in range(30):
        style = ClockStyle(dial, "baton", ARABIC_24, "white")
        meaning = ClockFace(0, False, False, style)
        scene = random_scene(clock, meaning, Rng("day", index), 400, name=str(index))
        look = scene.picture.look
        fonts.add(look.font)
        where = np.zeros((400, 400), int)
        for text in scene.parts["hours"].part.texts:
            plate = Canvas(400, np.zeros((800, 800), np.uint8))
            mask, (x, y) = text_mask([text], look.font, look.pose, plate)
            plate.pixels[y : y + mask.shape[0], x : x + mask.shape[1]] = mask
            where += cv2.dilate((plate.halve().pixels > 20).astype(np.uint8), np.ones((2, 2)))
        assert where.max() == 1
    assert len(fonts) > 1


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("dial", quick(["round", "bare"], "bare"))
@pytest.mark.parametrize("palette", PALETTES)
def test_a_clock_ends_where_it_can_be_seen(palette, dial, background):
    """The carbon case was as grey as its ground, and a bare white dial as light as a lit wall."""
    style = ClockStyle(dial, "baton", "none", palette)
    clock = Clock(**PLAIN | {"variety": 1.0, "dial_size": (0.8, 0.9)})
    for index in range(3):
        meaning = ClockFace(0, False, False, style)
        scene = random_scene(clock, meaning, Rng("ends", index), 224, name=str(index))
        picture = scene.with_look(background=background).picture
        edge, body = picture.palette.case, picture.face.body
        pixels = np.asarray(draw_face(picture, Rng("ground", index)))
        around = picture.look.pose(body.outline(body.rim + 0.04)).astype(int)
        assert min(difference(edge, tuple(pixels[y, x].tolist())) for x, y in around) > 9


@pytest.mark.parametrize(("moved", "free"), [({}, False), ({"degrade": "light"}, True)])
def test_nothing_of_a_clock_is_at_the_edge_of_a_picture_that_will_be_moved(moved, free):
    options = PLAIN | {"dial_size": (1.0, 1.0)} | moved
    style = ClockStyle("round", "baton", "none", "white")
    picture = shown(Clock(**options), style, Rng("edge")).picture
    pixels = np.asarray(draw_face(picture, Rng("ground"))).astype(int)
    edges = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert (np.ptp(edges, axis=0).max() == 0) == free


def test_an_hour_hand_alone_is_read_to_five_minutes_and_found_there():
    """Of a day's dial to ten; and the hand is where the picture has it."""
    for day in (False, True):
        numerals = (ARABIC_24,) if day else ("none",)
        clock = Clock(**PLAIN | {"numerals": numerals, "one_hand": 1.0, "size": 288})
        for index in range(60):
            sample = clock[index]
            facts, step = sample.facts, 10 if day else 5
            assert facts["fields"] == ["hour"]
            assert f"an hour hand alone, and shows a multiple of {step} minutes" in sample.question
            assert sample.target.seconds % (60 * step) == 0
            reach = tip_radius(facts["tips"]["hour"], facts["centre"])
            found = direction(*ring(ink(sample.image), facts["centre"], 0.2 * reach, 0.7 * reach))
            assert apart(found, facts["angles"]["hour"]) < 0.25


def test_questions_of_both_hands_have_both():
    for question in BOTH_HANDS:
        clock = Clock(questions=(question,), one_hand=1.0)
        assert {"hour", "minute"} <= set(clock[0].facts["fields"])


def every_clock(n, **options):
    """The facts of each clock of the first samples."""
    for index in range(n):
        facts = Clock(**options)[index].facts
        yield from facts.get("clocks", [facts])


CROWDED: dict = dict.fromkeys(("brand", "date", "subdials", "alarm", "glare", "occlusion"), 1.0)


@pytest.mark.slow
def test_no_hand_hides_the_date_or_is_hidden():
    dated = 0
    for facts in every_clock(150, level="hard", **CROWDED):
        centre = np.array(facts["centre"])
        for name, boxed in ((name, facts[name]) for name in ("date", "cover") if facts[name]):
            dated += name == "date"
            x1, y1, x2, y2 = boxed["box"]
            for tip in facts["tips"].values():
                line = centre + np.linspace(0.2, 1, 40)[:, None] * (np.array(tip) - centre)
                # The corners of the cover's box are not the cover's own: only the middle part is.
                shrink = 0.15 if name == "cover" else 0.0
                low = (x1 + shrink * (x2 - x1), y1 + shrink * (y2 - y1))
                high = (x2 - shrink * (x2 - x1), y2 - shrink * (y2 - y1))
                assert not ((line > low) & (line < high)).all(1).any(), (name, facts["angles"])
    assert dated > 75


def test_nothing_before_a_clock_hides_the_one_beside_it():
    """Such a thing is half as wide as the dial, and was drawn over a neighbour's minute hand."""
    clock, covers = (
        Clock(clocks=3, size=84, level="hard", warp=0.0, occlusion=1.0, dial_size=(0.9, 0.96)),
        0,
    )
    for index in range(40):
        for place, facts in enumerate(clock[index].facts["clocks"]):
            if facts["cover"]:
                covers += 1
                x1, _, x2, _ = facts["cover"]["box"]
                assert x1 >= 84 * place or place == 0
                assert x2 <= 84 * (place + 1) or place == 2
    assert covers > 60


def test_a_crowded_dial_has_all_that_was_asked_for():
    for index in range(5):
        facts = Clock(size=84, **CROWDED)[index].facts
        assert all(facts[name] for name in ("brand", "alarm", "glare"))


def test_a_mirror_turns_the_picture_and_not_the_answer():
    for index in range(30):
        sample = Clock(mirror=1.0)[index]
        facts = sample.facts
        assert sample.question.startswith("The picture shows a clock in a mirror. ")
        assert np.linalg.det(np.array(facts["homography"])[:2, :2]) < 0
        assert determined(
            facts["rotation"], facts["style"]["numerals"], **facts["marks"], mirrored=True
        )
        [(x, y)] = Pose(np.linalg.inv(facts["homography"]))(np.array([facts["tips"]["minute"]]))
        assert apart(math.degrees(math.atan2(x, -y)), facts["angles"]["minute"]) < 1e-6


def test_a_hand_that_is_turned_in_a_mirror_is_turned_as_the_clock_has_it():
    itself = "Clockwise is meant as on the clock itself."
    for mirror in (0.0, 1.0):
        question = Clock(mirror=mirror, questions=("move",))[0].question
        assert (itself in question) == bool(mirror)


@pytest.mark.slow
def test_no_two_clocks_of_a_picture_show_one_minute():
    clock = Clock(clocks=3, size=84, questions=("later", "which"))
    for index in range(100):
        clocks = clock[index].facts["clocks"]
        assert len({facts["seconds"] // 60 for facts in clocks}) == 3
        assert clock.key(index).count("&") == 2


def test_a_clock_asked_other_things_has_other_answers_of_the_same_split():
    for split in ("train", "test"):
        styles = {
            "|".join(Clock(split=split, questions=tuple(ASK)).key(i).split("|")[1:5])
            for i in range(300)
        }
        assert all(split_of("clock", *style.split("|")) == split for style in styles)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda p: p.name)
def test_hands_stand_out_from_the_floor(palette):
    assert contrast(palette.hands, palette.floor) >= 4.5
    assert contrast(palette.ink, palette.floor) >= 4.5
    assert contrast(palette.second, palette.floor) >= 3


@pytest.mark.parametrize("hands", HANDS + UNSEEN_HANDS)
def test_the_hour_hand_is_shorter(hands):
    clock = Clock(hands=(hands,), ood=hands in UNSEEN_HANDS)
    for index in range(100):
        rng = clock.rng(index)
        meaning = random_face(clock, rng, 0)
        scene = random_scene(clock, meaning, rng, 224, name=str(index))
        hour, minute = (scene.parts[name].part for name in ("hour", "minute"))
        assert hour.length < 0.7 * minute.length
        reaches = [max(c[:, 1].max() for c in hand_shape(hands, hand.length, hand.width))
                   for hand in (hour, minute)]  # fmt: skip
        assert reaches[0] < 0.7 * reaches[1]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"size": 84, "rotation": 30.0}, marks=pytest.mark.slow),
        pytest.param({"rotation": 30.0}, marks=pytest.mark.slow),
        {"size": 84, "degrade": "heavy"},
    ],
    ids=str,
)
def test_every_dial_has_one_reading(options):
    turned = 0
    for index in range(150 if "degrade" in options else 600):
        facts = Clock(**options).draw(index).facts
        assert determined(facts["rotation"], facts["style"]["numerals"], **facts["marks"])
        turned += abs(facts["rotation"]) > 10
    assert turned > (200 if "rotation" in options else 5)


def test_the_second_is_asked_only_where_its_tips_are_a_pixel_and_a_half_apart():
    clock = Clock(size=72, questions=("read", "shift"))
    for index in range(60):
        facts = clock[index].facts
        if "second" in facts["tips"]:
            radius = tip_radius(facts["tips"]["second"], facts["centre"])
            assert radius * np.radians(6) > 1.4
    for untold in ({"ask_seconds": 0.0}, {"second_hand": 0.0}, {"questions": ("angle",)}):
        assert Clock(size=64, **untold)


def test_an_option_overrides_its_level():
    clock = Clock(level="easy", rotation=12.0, second_hand=1.0)
    assert clock.settings == Clock(level="easy").settings._replace(rotation=12.0, second_hand=1.0)
    facts = [create("clock", level="easy", size=84, rotation=12.0)[i].facts for i in range(60)]
    assert 9 < max(abs(f["rotation"]) for f in facts) <= 12


def test_split_by_time_holds_out_times():
    clocks = [Clock(split=split, split_by="time") for split in ("train", "val", "test")]
    times = {clock.split: {clock.key(i)[:5] for i in range(6000)} for clock in clocks}
    assert not times["train"] & times["test"]
    assert not times["train"] & times["val"]
    assert len(times["train"] | times["val"] | times["test"]) == 720


def test_one_style_alone_cannot_be_held_out():
    one = {"dials": ["round"], "hands": ["baton"], "numerals": ["none"], "palettes": ["white"]}
    home = split_of("clock", "round", "baton", "none", "white")
    assert create("clock", split=home, **one)[0].image
    for split in {"train", "val", "test"} - {home}:
        with pytest.raises(ValueError, match="split_by='time'"):
            create("clock", split=split, **one)


@pytest.mark.parametrize("numerals", [("arabic", ARABIC_24), (ARABIC_24,)])
def test_two_clocks_in_pictures_of_their_own_are_as_far_apart_as_their_hands_say(numerals):
    clock = Clock(questions=("read", "between"), numerals=numerals, size=288, level="hard")
    hours, found = 24 if numerals == (ARABIC_24,) else 12, 0
    assert clock.has_several_pictures
    for index in range(30):
        sample = clock[index]
        assert len(sample.images) == (2 if sample.facts["question"] == "between" else 1)
        if len(sample.images) == 1:
            continue
        found += 1
        first, second = (round(60 * hours * one["angles"]["hour"] / 360) for one in
                         sample.facts["clocks"])  # fmt: skip
        assert sample.target == Number(Decimal((second - first) % (60 * hours)))
        assert all(set(one["angles"]) == {"hour", "minute"} for one in sample.facts["clocks"])
        assert f"less than {hours} hours" in sample.question
        assert clock.key(index).endswith("|between")
    assert found > 5
    assert not Clock().has_several_pictures
