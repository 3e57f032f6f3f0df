"""The pixel contract of every instrument and every kind: another value, and the pixels follow."""

from decimal import Decimal

import cv2
import numpy as np
import pytest
from measured import apart, direction, ring
from test_contract import SMALL

from gnomon.generators import KINDS, create, load
from gnomon.generators.drawing import pose as poses
from gnomon.generators.drawing.colours import PALETTES
from gnomon.generators.gauge.draw import CASES, RIM, GaugeLook, GaugeScene, draw_gauge
from gnomon.generators.instruments import INSTRUMENTS, dial
from gnomon.generators.instruments.base import Instrument
from gnomon.generators.instruments.straight import Thermometer
from gnomon.generators.rng import Rng
from gnomon.sample import Sample

SIDE = 300
NEAR = 0.3
"""How far from the track, in the instrument's units, its pointer may end."""


def drawn(instrument: Instrument, scale, value) -> tuple[np.ndarray, poses.Pose]:
    """The pixels of an upright instrument, and its pose."""
    pose = poses.place(instrument.outline("round", RIM), turn=0, tilt=0, towards=0,
                        length=0.95 * SIDE, room=SIDE, shift=(0, 0))  # fmt: skip
    look = GaugeLook(SIDE, CASES[0], "baton", "white", "plain", "sans", pose)
    scene = GaugeScene(instrument, scale, value, (), None, look)
    return np.asarray(draw_gauge(scene, Rng("pixels")), int), pose


def changed_ends(instrument: Instrument, scale, low, high, near=NEAR) -> tuple[float, float]:
    """Shares of the track between which pixels differ, one picture showing `low`, one `high`."""
    (before, pose), (after, _) = (drawn(instrument, scale, value) for value in (low, high))
    ys, xs = np.nonzero(np.abs(before - after).max(2) > 60)
    assert len(xs), f"{instrument.name}: {low} and {high} look the same"
    unmoved = np.linalg.inv(pose.matrix)
    places = (unmoved @ np.array([xs + 0.5, ys + 0.5, np.ones(len(xs))]))[:2].T
    shares = np.linspace(0, 1, 201)
    track = np.array([instrument.layout.track.at(share) for share in shares])
    away = np.linalg.norm(places[:, None] - track, axis=2)
    at_track = shares[away.argmin(1)][away.min(1) < near]
    assert len(at_track), f"{instrument.name}: what shows {high} is not at its track"
    return float(at_track.min()), float(at_track.max())


def check_instrument(instrument: Instrument) -> None:
    """Some pairs of values of each of its ranges: all that moves lies from the one to the other."""
    for scale in instrument.scales()[::6]:
        if instrument.turn_card(0.3) is not instrument:
            check_card(instrument, scale)
            continue
        first = instrument.first_place(1)
        ticks = scale.ticks[first:]
        for low, high in (
            # Not across the end of a dial that goes round, where shares begin anew.
            (ticks[0], ticks[-1]) if scale.cycle is None else (ticks[1], ticks[-2]),
            (ticks[len(ticks) // 3], ticks[2 * len(ticks) // 3]),
        ):
            ends = changed_ends(instrument, scale, low, high)
            expected = scale.share(low), scale.share(high)
            assert ends == pytest.approx(expected, abs=0.03), (
                instrument.name,
                scale.unit,
                low,
                high,
            )


def check_card(instrument: Instrument, scale) -> None:
    """Turned on by what two values are apart, the card of one picture is that of the other.

    And whatever the value, it stands at the mark.
    """
    track, red = instrument.layout.track, PALETTES["white"].second
    step = scale.ticks.index(scale.labels[1])
    for first in (step, len(scale.labels) // 2 * step):
        # Half the way to the next label, where ticks lie on ticks, but labels on none.
        low, high = scale.ticks[first], scale.ticks[first + step // 2]
        (before, pose), (after, _) = (drawn(instrument, scale, value) for value in (low, high))
        marks = [instrument.turn_card(share).layout.track.at(share)
                 for share in map(scale.share, (low, high))]  # fmt: skip
        assert marks[0] == pytest.approx(marks[1])
        degrees = track.sweep * (scale.share(high) - scale.share(low))
        turn = cv2.getRotationMatrix2D(np.subtract(pose.at(*track.pivot), 0.5), degrees, 1)
        turned, still, after = (
            cv2.GaussianBlur(one.astype(np.uint8), (0, 0), 2).astype(int)
            for one in (cv2.warpAffine(before.astype(np.uint8), turn, (SIDE, SIDE)), before, after)
        )
        floor = np.zeros((SIDE, SIDE), np.uint8)
        # Less than all of a window: ticks at its edge are left out.
        cv2.fillPoly(floor, [np.rint(pose(0.8 * instrument.outline("round"))).astype(int)], 1)
        floor &= cv2.warpAffine(floor, turn, (SIDE, SIDE))
        ys, xs = np.mgrid[:SIDE, :SIDE] + 0.5
        away = np.hypot(xs - pose.at(*track.pivot)[0], ys - pose.at(*track.pivot)[1]) / pose.scale
        layout = instrument.layout
        inner = track.radius - layout.label - 0.5 * layout.digit
        band = (floor > 0) & (inner < away) & (away < track.radius)
        for one in (turned, after):  # the mark stays, and what is printed beside it
            band &= np.abs(one - red).max(2) > 150
        moved, stood = (np.abs(one - after).max(2)[band].mean() for one in (turned, still))
        assert moved < 0.6 * stood, (instrument.name, scale, low, moved, stood)


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_what_shows_the_value_moves_to_where_the_scale_has_it(name):
    check_instrument(INSTRUMENTS[name])


@pytest.mark.parametrize("name", ["gauge", "meter", "scale", "speedometer", "kitchen_scale"])
def test_pointers_stand_at_their_values_to_a_tenth_of_a_degree(name):
    """By the pointer's red between the pivot and the figures."""
    instrument = INSTRUMENTS[name]
    for scale in instrument.scales():
        for value in scale.ticks[1 :: max(1, len(scale.ticks) // 4)]:
            pixels, pose = drawn(instrument, scale, value)
            red = np.clip(pixels[..., 0] - pixels[..., 1:].mean(-1), 0, 255) / 255
            red[red < 0.2] = 0
            pivot = pose.at(*instrument.layout.track.pivot)
            found = direction(*ring(red, pivot, 0.12 * pose.scale, 0.44 * pose.scale))
            assert apart(found, instrument.layout.track.angle(scale.share(value))) < 0.1


@pytest.mark.parametrize(("name", "axis"), [("thermometer", 1), ("cylinder", 1), ("ruler", 0)])
def test_columns_and_bars_end_at_their_values_to_a_pixel(name, axis):
    instrument = INSTRUMENTS[name]
    for scale in instrument.scales():
        values = scale.ticks[len(scale.ticks) // 3], scale.ticks[-2]
        (before, pose), (after, _) = (drawn(instrument, scale, value) for value in values)
        places = np.argwhere(np.abs(before - after).max(2) > 60)[:, 1 - axis]
        ends = [pose.at(*instrument.layout.track.at(scale.share(value)))[axis] for value in values]
        assert [places.min(), places.max() + 1] == pytest.approx(sorted(ends), abs=1), scale


@pytest.mark.parametrize("name", dial.POINTERS)
def test_the_tip_of_each_dial_pointer_is_at_its_value(name, monkeypatch):
    """The tip is drawn alone: half discs behind the pivot reach as far as it."""
    draw, materials = dial.POINTERS[name]
    monkeypatch.setitem(dial.POINTERS, name, (lambda *size: draw(*size)[:1], materials[:1]))
    for clockwise in (True, False):
        made = dial.RotaryDial(dial.DialDesign(pointer=name, clockwise=clockwise))
        scale, track = made.scales()[0], made.layout.track
        tip = max(np.abs(made.pointer("", 0.0, 0.0)[0][:, 1]))
        # The outer tenth of the pointer: all else of it is broader than a tenth of the dial.
        near = track.radius - 0.9 * tip
        for low, high in ((2, 7), (1, 4)):
            ends = changed_ends(made, scale, Decimal(low), Decimal(high), near)
            assert ends == pytest.approx((low / 10, high / 10), abs=0.04)


# Of a dial, which has a test of its own, parts behind the pivot reach as far as the tip.
MADE = [
    name
    for name, one in INSTRUMENTS.items()
    if name != "dial" and one.with_random_design(Rng("makes"), one.scales()[0]) is not one
]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", MADE)
def test_every_make_shows_its_value(name, seed):
    """The pointer's red goes out farthest where the value stands; or the card has turned."""
    rng = Rng("make", name, seed)
    scale = rng.choice(INSTRUMENTS[name].scales())
    instrument = INSTRUMENTS[name].with_random_design(rng, scale)
    if instrument.turn_card(0.3) is not instrument:
        check_card(instrument, scale)
        return
    red, track = PALETTES["white"].second, instrument.layout.track
    for tick in scale.ticks[1 :: len(scale.ticks) // 3]:
        pixels, pose = drawn(instrument, scale, tick)
        ys, xs = np.nonzero(np.abs(pixels - red).max(2) < 60)
        away = np.stack([xs, ys], 1) + 0.5 - pose.at(*track.pivot)
        tip = away[np.hypot(*away.T).argsort()[-4:]].mean(0)
        turned = np.degrees(np.arctan2(tip[0], -tip[1])) - track.angle(scale.share(tick))
        assert abs((turned + 180) % 360 - 180) < 6, (instrument.name, tick, turned)


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
    column = Thermometer.pointer
    still = lambda self, hand, share, swell: column(self, hand, 0.5, swell)  # noqa: E731
    monkeypatch.setattr(Thermometer, "pointer", still)
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
        if np.hypot(*np.subtract(before[name], after[name])) > 8:
            for place in (before[name], after[name]):
                x, y = (max(0, int(at) - 6) for at in place)
                seen.append(changed[y : y + 12, x : x + 12].any())
    # Some of a stacked bar's marks may move within one colour; a lone pointer cannot.
    assert not seen or sum(seen) >= len(seen) / 2, (sample.id, seen)
