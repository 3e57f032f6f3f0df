"""Choices, chances, free places, marks and dots of a description, and its looks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from measured import scene_of

from gnomon.generators.drawing.canvas import Canvas
from gnomon.generators.drawing.colours import VISIBLE, contrast, difference, palette
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.faces import Face, draw, floor_print
from gnomon.generators.faces.description import descriptions
from gnomon.generators.faces.draw import FaceLook, FaceScene, draw_face
from gnomon.generators.registry import description_files
from gnomon.generators.rng import Rng

TEXT = """
name: dial
value: [0, 59, 1]
options: {stamp: 0.25}
choices:
  hands: [baton, leaf]
  numerals: [few, all]
held_out: {hands: [diamond]}
draws:
  wide: [0.04, 0.06]
  marked: {chance: 0.5}
body: {palette: white}
parts:
  scale:
    part: track
    radius: 0.9
    values: [0, 60]
    labels: {by: numerals, few: 15, all: 5}
    tick: 0.1
    dots: {by: numerals, all: true, else: false}
    without: {chance: marked, then: [0], else: []}
    numerals: {height: {chance: 0.5, then: 0.1, else: 0.2}}
  mark: {part: mark, track: scale, shape: [triangle, double], chance: marked}
  stamp: {part: text, text: OK, height: wide, chance: stamp}
  window:
    part: face
    scale: 0.2
    spots: {at: [[0, -0.4], [0.4, 0], [0, 0.4], [-0.4, 0]], clear: 0.2}
    parts: {plate: {part: plate, colour: ink}}
  other: {part: plate, radius: 0.1, spots: {at: [[0, -0.4], [0, 0.4]]}}
  hand: {part: pointer, track: scale, shape: {by: hands}, width: wide, tail: 0, hub: 0}
"""
(DIAL,) = descriptions(TEXT, "dial.yaml")


def drawn(index, value=7, **constants):
    return DIAL.draw(Fraction(value), Rng("variety", index), constants)


def scene(face, x=100.0, scale=80.0, **look):
    pose = Pose(np.array([[scale, 0, x], [0, scale, 100], [0, 0, 1]]))
    return FaceScene(face, FaceLook(200, "white", "plain", "sans", pose)._replace(**look))


def pixels(scene):
    return np.asarray(draw_face(scene, Rng("a picture")), int)


def test_parts_share_the_word_of_a_choice():
    faces = [drawn(index) for index in range(60)]
    for face in faces:
        scale = face.part("scale").part
        assert scale.dots == (scale.labels == 5)
        assert face.part("hand").part.width == round(face.quantities["wide"], 4)
    assert {face.part("hand").part.shape for face in faces} == {"baton", "leaf"}
    assert {face.part("scale").part.numerals.height for face in faces} == {0.1, 0.2}
    held_out = [DIAL.draw(Fraction(0), Rng(index), ood=True) for index in range(20)]
    assert {face.part("hand").part.shape for face in held_out} == {"diamond"}
    assert len({face.part("scale").part.labels for face in held_out}) == 2


def test_a_kind_may_set_options_words_and_quantities():
    names = [{mount.name for mount in drawn(index).parts} for index in range(200)]
    assert 30 < sum("stamp" in one for one in names) < 70
    for share in (0, 1):
        faces = [drawn(index, stamp=share, hands="leaf", marked=share) for index in range(20)]
        assert all(("stamp" in {m.name for m in face.parts}) == bool(share) for face in faces)
        assert all(("mark" in {m.name for m in face.parts}) == bool(share) for face in faces)
        assert {face.part("hand").part.shape for face in faces} == {"leaf"}


def test_a_part_with_spots_keeps_clear_of_pointers_and_of_others():
    places = set()
    for index in range(120):
        face = drawn(index, value=index % 60)
        window, other = face.part("window.plate").frame[1:], face.part("other").part.at
        assert window != other
        places.add(window)
        angle = np.radians(6 * (index % 60))
        along = np.dot(window, (np.sin(angle), -np.cos(angle)))
        across = abs(np.dot(window, (np.cos(angle), np.sin(angle))))
        assert along < 0 or across >= 0.2 - 1e-9
    assert len(places) == 4


def test_a_part_without_a_free_place_is_left_out():
    text = TEXT.replace("at: [[0, -0.4], [0.4, 0], [0, 0.4], [-0.4, 0]]", "at: [[0, -0.4]]")
    (description,) = descriptions(text, "dial.yaml")
    for value, count in ((0, 0), (30, 1)):
        face = description.draw(Fraction(value), Rng("place"))
        assert sum(mount.name == "window.plate" for mount in face.parts) == count
        assert face.part("other").part.at == ((0, 0.4) if count else face.part("other").part.at)


def test_a_mark_takes_the_place_of_its_tick():
    for index in range(10):
        face = drawn(index, value=30, marked=1, numerals="few", hands="baton")
        without = face._replace(parts=tuple(m for m in face.parts if m.name != "mark"))
        near = (slice(28, 36), slice(96, 104))  # at the top: 0.9 to 0.8 of 80 pixels
        assert pixels(scene(without))[near].min() > 200
        beside = pixels(scene(face)) - pixels(scene(without))
        rows, columns = np.nonzero(np.abs(beside).max(2) > 60)
        assert 26 < rows.min() < 30
        assert abs(columns.mean() - 99.5) < 1


def test_dots_are_round():
    face = drawn(0, numerals="all", marked=0, value=30)
    face = face._replace(parts=tuple(m for m in face.parts if m.name == "scale"))
    bare = face.with_changed("scale", tick=0.0)
    dark = np.abs(pixels(scene(face)) - pixels(scene(bare))).max(2) > 100
    rows, columns = np.nonzero(dark[90:110, 162:])  # the dot at the right
    assert abs(np.ptp(rows) - np.ptp(columns)) <= 1
    assert 6 <= np.ptp(rows) <= 9  # a tenth of 80 pixels across


@pytest.mark.parametrize(("change", "message"), [
    ({"{by: hands}": "{by: hand}"}, "parts.hand.shape.by: 'hand' is not a choice; did you mean"),
    ({"few: 15": "fw: 15"}, "parts.scale.labels.fw: no such word; did you mean few"),
    ({"then: 0.1,": "than: 0.1,"}, "parts.scale"),
    ({"hands: [diamond]": "hand: [diamond]"}, "held_out: 'hand'; did you mean hands"),
    ({"hands: [diamond]": "hands: [dimond]"}, "shape: 'dimond'"),
    ({"hands: [baton, leaf]": "hands: []"}, r"choices: hands: \[\] gives nothing"),
    ({"chance: stamp": "chance: stump"}, "parts.stamp.chance: 'stump': no quantity is called"),
    ({"wide: [0.04, 0.06]": "wide: broad"}, "draws.wide: 'broad': no quantity is called"),
    ({"wide: [0.04, 0.06]": "wide: [0.06, 0.04]"}, "draws.wide: .*the lower end of a range"),
    ({"wide: [0.04, 0.06]": "wide: null"}, "draws.wide: None: give"),
    ({"clear: 0.2": "clear: -1"}, "parts.window.spots: clear: -1"),
    ({"mark: {part: mark, track: scale": "mark: {part: mark, track: scala"}, "did you mean scale"),
])  # fmt: skip
def test_wrong_choices_are_refused_by_key(change, message):
    text = TEXT
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(ValueError, match=message):
        descriptions(text, "dial.yaml")


def test_shades_and_swapped_roles_leave_a_palette_legible():
    text = TEXT.replace("body: {palette: white}", "body: {palette: any, hands: [case, ground],"
                        " shade: [[-40, 40], [-40, 40], [-40, 40]]}")  # fmt: skip
    (description,) = descriptions(text, "dial.yaml")
    changed = 0
    for index in range(60):
        colours = description.draw(Fraction(0), Rng("shade", index)).body.colours
        for name in ("white", "sky", "midnight", "tomato"):
            dressed = colours.dress(palette(name))
            changed += dressed != palette(name)
            assert contrast(dressed.hands, dressed.floor) >= 4.5
            assert contrast(dressed.ink, dressed.floor) >= 4.5
    assert changed > 60


def test_no_shade_hides_a_pointer(tmp_path):
    """Some floors show this pointer only without their shade."""
    file = tmp_path / "dial.yaml"
    body = "body: {palette: any, shade: [[-60, 60], [-60, 60], [-60, 60]]}"
    text = TEXT.replace("body: {palette: white}", body).replace(
        "shape: {by: hands}", "shape: {by: hands}, colour: '808080'"
    )
    file.write_text(text, encoding="utf-8")
    face = Face(description=str(file))
    drawn_scenes = [scene_of(face, index, draw) for index in range(40)]
    floors = [one.palette.floor for one in drawn_scenes]
    assert min(difference(floor, (128, 128, 128)) for floor in floors) >= VISIBLE
    assert len(set(floors)) > 30


def test_a_mirrored_face_is_the_picture_turned_over():
    face = drawn(3, 15)
    plain = scene(face)
    mirrored = plain._replace(look=plain.look._replace(pose=plain.look.pose.mirrored()))
    apart = np.abs(pixels(plain)[:, ::-1] - pixels(mirrored)).max(2)
    assert (apart > 90).mean() < 0.002
    assert (np.abs(pixels(plain) - pixels(mirrored)).max(2) > 90).mean() > 0.01


def test_print_in_one_channel_is_as_print_in_colours(monkeypatch):
    scenes = [scene(drawn(index, 30), scale=70.0) for index in range(10)]
    single = [pixels(one) for one in scenes]
    monkeypatch.setattr(floor_print, "_STEPS", {})
    for one, picture in zip(scenes, single, strict=True):
        apart = np.abs(pixels(one) - picture).max(2)
        assert 0 < apart.max() < 120  # edges are smoothed another way
        assert (apart > 40).mean() < 0.01


def test_what_is_not_printed_on_stays_as_it_was():
    canvas = Canvas((200, 200), np.random.default_rng(0).integers(0, 255, (200, 200, 3), np.uint8))
    before = canvas.pixels.copy()
    painter = draw.FacePainter(canvas, scene(drawn(0)).look.pose, palette("white"), "sans", "",
                               Rng("print"))  # fmt: skip
    painter.fill([np.array([(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)])], "red")
    painter.finish_floor()
    changed = np.abs(canvas.pixels.astype(int) - before).max(2) > 0
    rows, columns = np.nonzero(changed)
    ends = rows.min(), columns.min(), rows.max(), columns.max()
    assert all(82 <= end <= 117 for end in ends)
    assert changed[86:114, 86:114].all()


def test_a_described_clock_has_each_word_of_its_choices():
    text = description_files()["clock"].read_text(encoding="utf-8")
    for description in descriptions(text, "clock"):
        head = description.head
        for name in head.choices:
            for word in head.words(name):
                face = description.draw(Fraction(60), Rng(word), {name: word})
                assert head.words(name)[int(face.quantities[name])] == word
    sample = Face(description="clock", size=224)[0]
    assert sample.facts["name"] == "clock"
    assert np.asarray(draw_face(scene_of(Face(description="clock"), 1, draw), Rng("x"))).std() > 5
