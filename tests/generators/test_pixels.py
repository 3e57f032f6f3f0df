"""The pixel contract of every instrument and every kind: another value, and the pixels follow."""

from fractions import Fraction

import cv2
import numpy as np
import pytest
from measured import apart, direction, ring
from test_contract import SMALL

from gnomon.generators import KINDS, create, load
from gnomon.generators.drawing import pose as poses
from gnomon.generators.drawing.colours import PALETTES
from gnomon.generators.faces import pointer
from gnomon.generators.faces.description import DrawnFace
from gnomon.generators.faces.draw import FaceLook, FaceScene, draw_face
from gnomon.generators.faces.pointer import SLIDING, Pointer
from gnomon.generators.gauge.instruments import INSTRUMENTS
from gnomon.generators.rng import Rng
from gnomon.sample import Sample

SIDE = 300
NEAR = 0.3
"""How far from the track, in the instrument's units, its pointer may end."""


def face_of(name: str, scale, value, design: object = 0, **words) -> DrawnFace:
    """An instrument that shows a value. One design draws the same instrument for all values."""
    rng = Rng("design", name, design)
    description = INSTRUMENTS[name].description(scale, rng)
    face = description.draw(Fraction(value), rng, {"case": "round", "hands": "baton", **words})
    return face.with_changed("pointer", colour="pointer")


def drawn(face: DrawnFace, side: int = SIDE) -> tuple[np.ndarray, poses.Pose]:
    """The pixels of an upright instrument, and its pose."""
    pose = poses.place(face.body.outline(face.body.rim), turn=0, tilt=0, towards=0,
                        length=0.95 * side, room=side, shift=(0, 0))  # fmt: skip
    look = FaceLook(side, "white", "plain", "sans", pose)
    return np.asarray(draw_face(FaceScene(face, look), Rng("pixels")), int), pose


def track_of(face: DrawnFace):
    """The scale, as it lies when the face shows its value."""
    return face.part("scale").part


def has_card(face: DrawnFace) -> bool:
    """Whether the scale turns past a mark."""
    part = face.part("pointer").part
    return part.shape in SLIDING and part.shape != "column"


def changed_ends(before: DrawnFace, after: DrawnFace, near=NEAR) -> tuple[float, float]:
    """Shares of the track between which the pixels of two faces differ."""
    name, track = before.head.name, track_of(before)
    (pixels, pose), (other, _) = drawn(before), drawn(after)
    ys, xs = np.nonzero(np.abs(pixels - other).max(2) > 60)
    assert len(xs), f"{name}: {before.value} and {after.value} look the same"
    unmoved = np.linalg.inv(pose.matrix)
    places = (unmoved @ np.array([xs + 0.5, ys + 0.5, np.ones(len(xs))]))[:2].T
    shares = np.linspace(0, 1, 201)
    away = np.linalg.norm(places[:, None] - track.path.points(shares), axis=2)
    at_track = shares[away.argmin(1)][away.min(1) < near]
    assert len(at_track), f"{name}: what shows {after.value} is not at its track"
    return float(at_track.min()), float(at_track.max())


def check_instrument(name: str) -> None:
    """Some pairs of values of each of its ranges: all that moves lies from the one to the other."""
    for number, scale in enumerate(INSTRUMENTS[name].scales[::6]):
        if has_card(face_of(name, scale, scale.ticks[1], number)):
            check_card(name, scale, number)
            continue
        ticks = scale.ticks[1 if name == "ruler" else 0 :]
        for low, high in (
            # Not across the end of a dial that goes round, where shares begin anew.
            (ticks[0], ticks[-1]) if scale.cycle is None else (ticks[1], ticks[-2]),
            (ticks[len(ticks) // 3], ticks[2 * len(ticks) // 3]),
        ):
            # A pointer of a dial may be broad: the tip of each is tested below.
            faces = [face_of(name, scale, value, number, shape="pin") for value in (low, high)]
            expected = scale.share(low), scale.share(high)
            assert changed_ends(*faces) == pytest.approx(expected, abs=0.03), (name, scale.unit)


def check_card(name: str, scale, design: object) -> None:
    """Turned on by what two values are apart, the card of one picture is that of the other.

    And whatever the value, it stands at the mark.
    """
    red = PALETTES["white"].second
    step = scale.ticks.index(scale.labels[1])
    for first in (step, len(scale.labels) // 2 * step):
        # Half the way to the next label, where ticks lie on ticks, but labels on none.
        values = scale.ticks[first], scale.ticks[first + step // 2]
        faces = [face_of(name, scale, value, design) for value in values]
        (before, pose), (after, _) = map(drawn, faces)
        track, body = track_of(faces[0]), faces[0].body
        marks = [track_of(face).path.point(face.part("pointer").share) for face in faces]
        assert marks[0] == pytest.approx(marks[1])
        low, high = map(scale.share, values)
        degrees = track.sweep * (high - low)
        turn = cv2.getRotationMatrix2D(np.subtract(pose.at(*track.at), 0.5), degrees, 1)
        turned, still, after = (
            cv2.GaussianBlur(one.astype(np.uint8), (0, 0), 2).astype(int)
            for one in (cv2.warpAffine(before.astype(np.uint8), turn, (SIDE, SIDE)), before, after)
        )
        floor = np.zeros((SIDE, SIDE), np.uint8)
        # Less than all of a window: ticks at its edge are left out.
        cv2.fillPoly(floor, [np.rint(pose(0.8 * body.outline())).astype(int)], 1)
        floor &= cv2.warpAffine(floor, turn, (SIDE, SIDE))
        ys, xs = np.mgrid[:SIDE, :SIDE] + 0.5
        away = np.hypot(xs - pose.at(*track.at)[0], ys - pose.at(*track.at)[1]) / pose.scale
        inner = track.radius - track.numerals.away - 0.5 * track.numerals.height
        band = (floor > 0) & (inner < away) & (away < track.radius)
        for one in (turned, after):  # the mark stays, and what is printed beside it
            band &= np.abs(one - red).max(2) > 150
        moved, stood = (np.abs(one - after).max(2)[band].mean() for one in (turned, still))
        assert moved < 0.6 * stood, (name, scale, values, moved, stood)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_what_shows_the_value_moves_to_where_the_scale_has_it(name):
    check_instrument(name)


@pytest.mark.parametrize("name", ["gauge", "meter", "scale", "speedometer", "kitchen_scale"])
def test_pointers_stand_at_their_values_to_a_tenth_of_a_degree(name):
    """By the pointer's red between the pivot and the figures."""
    for number, scale in enumerate(INSTRUMENTS[name].scales):
        for value in scale.ticks[1 :: max(1, len(scale.ticks) // 4)]:
            face = face_of(name, scale, value, number)
            if has_card(face):
                continue
            (pixels, pose), track = drawn(face, 450), track_of(face)
            red = np.clip(pixels[..., 0] - pixels[..., 1:].mean(-1), 0, 255) / 255
            red[red < 0.2] = 0
            pivot, hub = pose.at(*track.at), track.radius * face.part("pointer").part.hub
            degrees = direction(*ring(red, pivot, (hub + 0.03) * pose.scale, 0.44 * pose.scale))
            pointed = track.path.direction(scale.share(value))
            assert apart(degrees, pointed) < 0.1, (scale, value)


@pytest.mark.parametrize(("name", "axis"), [("thermometer", 1), ("cylinder", 1), ("ruler", 0)])
def test_columns_and_bars_end_at_their_values_to_a_pixel(name, axis):
    for scale in INSTRUMENTS[name].scales:
        values = scale.ticks[len(scale.ticks) // 3], scale.ticks[-2]
        faces = [face_of(name, scale, value) for value in values]
        (before, pose), (after, _) = map(drawn, faces)
        places = np.argwhere(np.abs(before - after).max(2) > 60)[:, 1 - axis]
        path = track_of(faces[0]).path
        ends = [pose.at(*path.point(scale.share(value)))[axis] for value in values]
        assert [places.min(), places.max() + 1] == pytest.approx(sorted(ends), abs=1), scale


DIAL_POINTERS = [name for name in pointer.POINTERS if name != "compass"]


@pytest.mark.parametrize("name", DIAL_POINTERS)
def test_the_tip_of_each_dial_pointer_is_at_its_value(name, monkeypatch):
    """The tip is drawn alone: half discs behind the pivot reach as far as it."""
    draw, materials = pointer.POINTERS[name]
    monkeypatch.setitem(pointer.POINTERS, name, (lambda *size: draw(*size)[:1], materials[:1]))
    scale, sweeps = INSTRUMENTS["dial"].scales[0], set()
    for design in range(4):
        for pair in ((2, 7), (1, 4)):
            faces = [face_of("dial", scale, value, design, shape=name) for value in pair]
            track, hand = track_of(faces[0]), faces[0].part("pointer").part
            # The outer tenth of the pointer: all else of it is broader than a tenth of the dial.
            near = track.radius * (1 - 0.9 * hand.length)
            ends = changed_ends(*faces, near)
            assert ends == pytest.approx((pair[0] / 10, pair[1] / 10), abs=0.04)
            sweeps.add(track.sweep)
    assert sweeps == {360, -360} or len(sweeps) == 1


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", ["gauge", "meter", "compass", "kitchen_scale", "bathroom_scale"])
def test_every_make_shows_its_value(name, seed):
    """The pointer's red goes out farthest where the value stands; or the card has turned."""
    scale = Rng("make", name, seed).choice(INSTRUMENTS[name].scales)
    if has_card(face_of(name, scale, scale.ticks[1], seed)):
        check_card(name, scale, seed)
        return
    red = PALETTES["white"].second
    for tick in scale.ticks[1 :: len(scale.ticks) // 3]:
        face = face_of(name, scale, tick, seed)
        (pixels, pose), track = drawn(face), track_of(face)
        ys, xs = np.nonzero(np.abs(pixels - red).max(2) < 60)
        away = np.stack([xs, ys], 1) + 0.5 - pose.at(*track.at)
        tip = away[np.hypot(*away.T).argsort()[-4:]].mean(0)
        turned = np.degrees(np.arctan2(tip[0], -tip[1])) - track.path.direction(scale.share(tick))
        assert abs((turned + 180) % 360 - 180) < 6, (name, tick, turned)


MASKS = [number * 0x9E3779B97F4A7C15 % 2**64 for number in range(1, 7)]
"""Bits that are flipped in one random word, so that one draw comes out otherwise."""


def with_another_draw(generator, index: int, number: int, mask: int):
    """Sample `index` with the random word of that number changed, and nothing else."""
    words, count = Rng._next_words, 0

    def changed(rng: Rng) -> list[int]:
        nonlocal count
        block = words(rng)
        if 0 <= number - count < len(block):
            block[-1 - (number - count)] ^= mask
        count += len(block)
        return block

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rng, "_next_words", changed)
        return generator.draw(index)


def places(facts: object, path: str = "") -> dict[str, list[float]]:
    """The points that facts name: whatever is called `at` or `tip`, and the corners of boxes."""
    if isinstance(facts, dict):
        items = facts.items()
    elif isinstance(facts, list):
        items = enumerate(facts)
    else:
        return {}
    found = {}
    for key, value in items:
        here = f"{path}/{key}"
        if (key in ("at", "tip") and isinstance(value, list)) or "/tips/" in here:
            found[here] = value
        else:
            found |= places(value, here)
    return found


PICTURES = [kind for kind in KINDS if hasattr(load(kind), "degrade")]


@pytest.mark.parametrize("kind", PICTURES)
def test_another_answer_to_the_same_question_shows_in_the_picture(kind):
    """And where a hand, a pointer or a mark has moved, so have the pixels."""
    options = {name: value for name, value in SMALL[kind].items() if name != "questions"}
    assert check_kind(create(kind, **options)) > 5


def test_a_pointer_that_stands_still_is_noticed(monkeypatch):
    sliding = Pointer._sliding
    still = lambda self, track, share, swell: sliding(self, track, 0.5, swell)  # noqa: E731
    monkeypatch.setattr(Pointer, "_sliding", still)
    with pytest.raises(AssertionError, match="assert"):
        check_kind(create("gauge", instruments=["thermometer"], size=160))


def check_kind(generator) -> int:
    """Change each draw of two samples by itself; the number of pairs that were compared."""
    compared = 0
    for index in range(2):
        sample = generator[index]
        for number in range(64):
            for mask in MASKS:
                other = with_another_draw(generator, index, number, mask)
                if other.target == sample.target or other.question != sample.question:
                    break  # this draw is of something else
                if other.image.size == sample.image.size:
                    compare(sample, other)
                    compared += 1
    return compared


def compare(sample: Sample, other: Sample) -> None:
    """Two answers to one question are two pictures, which differ where something has moved."""
    pixels, elsewhere = (np.asarray(one.image, int) for one in (sample, other))
    changed = np.abs(pixels - elsewhere).max(2) > 8
    assert changed.any(), (sample.target, other.target)
    before, after, seen = places(sample.facts), places(other.facts), []
    for name in before.keys() & after.keys():
        if "/card/" in name:
            continue  # most of a card is hidden behind its window
        if np.hypot(*np.subtract(before[name], after[name])) > 8:
            for place in (before[name], after[name]):
                x, y = (max(0, int(at) - 6) for at in place)
                seen.append(changed[y : y + 12, x : x + 12].any())
    # Some of a stacked bar's marks may move within one colour; a lone pointer cannot.
    assert not seen or sum(seen) >= len(seen) / 2, (sample.id, seen)
