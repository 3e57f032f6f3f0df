"""Counters: the figures that pixels show are those of the answer."""

from __future__ import annotations

import re
from collections import Counter as Counts
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from measured import apart, direction, ring, scene_of
from solvers import check

from gnomon.generators import Counter, create
from gnomon.generators.drawing.colours import palette
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.faces import draw
from gnomon.generators.faces.draw import draw_face
from gnomon.generators.faces.paints import colour_of
from gnomon.generators.faces.segments import LIT as SEGMENTS_LIT
from gnomon.generators.faces.window import gear, roll
from gnomon.generators.rng import Rng

UPRIGHT = {"rotation": 0.0, "perspective": 0.0, "backgrounds": ("plain",)}
# A place in the middle of each bar of seven, as shares of a figure's height and breadth.
BARS = {"top": (0, -0.5), "upper right": (0.5, -0.25), "lower right": (0.5, 0.25),
        "bottom": (0, 0.5), "lower left": (-0.5, 0.25), "upper left": (-0.5, -0.25),
        "middle": (0, 0)}  # fmt: skip
LIT = {
    "0": "top, upper right, lower right, bottom, lower left, upper left",
    "1": "upper right, lower right",
    "2": "top, upper right, middle, lower left, bottom",
    "3": "top, upper right, middle, lower right, bottom",
    "4": "upper left, middle, upper right, lower right",
    "5": "top, upper left, middle, lower right, bottom",
    "6": "top, upper left, middle, lower right, bottom, lower left",
    "7": "top, upper right, lower right",
    "8": "top, upper right, lower right, bottom, lower left, upper left, middle",
    "9": "top, upper left, upper right, middle, lower right, bottom",
}


def window_of(scene):
    return scene.face.part("figures").part


def colours_at(window, place):
    """Ground and ink of a figure's place."""
    return [np.array(colour_of(name, palette("white")), float) for name in window.paints(place)]


def changed(scene, **keys):
    """The scene with other keys of its window."""
    return scene._replace(face=scene.face.with_changed("figures", **keys))


@pytest.mark.parametrize("blank_zeros", [0.0, 1.0])
@pytest.mark.parametrize("face", ["lcd", "led"])
def test_displays_light_the_bars_of_their_figures(face, blank_zeros):
    counter = Counter(faces=(face,), size=448, blank_zeros=blank_zeros, **UPRIGHT)
    figures = dark = 0
    for index in range(25):
        sample, scene = counter[index], scene_of(counter, index, draw)
        window, pixels = window_of(scene), np.asarray(sample.image, float)
        ground, ink = colours_at(window, 0)
        half = min(0.3 * window.figure, 0.38 * window.breadth)
        n_dark = window.digits - len(sample.facts["digits"])
        dark += n_dark
        if blank_zeros:  # a zero stands alone before the point
            whole = sample.facts["digits"][: window.digits - n_dark - window.decimals]
            assert whole == "0" or not whole.startswith("0")
        for place, figure in enumerate(" " * n_dark + sample.facts["digits"]):
            lit = set()
            for name, (right, down) in BARS.items():
                lean = 0.12 * down * window.figure if window.figures == "slanted" else 0.0
                point = (window.middle(place)[0] + 2 * half * right - lean, down * window.figure)
                x, y = scene.look.pose.at(*point)
                colour = pixels[int(y), int(x)]
                if np.abs(colour - ink).sum() < np.abs(colour - ground).sum():
                    lit.add(name)
            assert lit == set(LIT[figure].split(", ") if figure != " " else []), (index, place)
            figures += figure != " "
    assert figures > 80
    assert dark > 8 if blank_zeros else not dark


def test_dark_places_are_no_figures_of_the_answer():
    """Neither of those that are to be found, nor of an answer with all of its figures."""
    options = {"faces": ("lcd", "led"), "blank_zeros": 1.0, "decimals": (0, 2)}
    found = Counter(questions=("boxes",), **options)
    read = Counter(leading_zeros=True, dead_segments=0.5, **options)
    for index in range(30):
        sample = found[index]
        figure = re.match(r"Find every (.) of", sample.question)
        digits = sample.facts["digits"]
        assert len(sample.target.boxes) == (digits.count(figure[1]) if figure else len(digits))
        assert read[index].target.write().replace(".", "") == read[index].facts["digits"]


def test_a_dead_segment_leaves_a_figure_that_is_no_other():
    """With at most one segment dead, its lit ones belong to one figure alone."""
    counter = Counter(faces=("lcd", "led"), size=224, dead_segments=1.0, **UPRIGHT)
    whole = [set(map(int, segments)) for segments in SEGMENTS_LIT]
    n_dead = 0
    for index in range(40):
        sample, scene = counter[index], scene_of(counter, index, draw)
        if window_of(scene).dead is None:
            continue
        place, segment = window_of(scene).dead
        figure = int(sample.facts["digits"][place])
        lit = whole[figure] - {segment}
        assert [n for n, shape in enumerate(whole) if lit <= shape and len(shape - lit) < 2] == [
            figure
        ]
        other = draw_face(changed(scene, dead=None), Rng("plain"))
        assert (np.asarray(draw_face(scene, Rng("plain"))) != np.asarray(other)).any()
        n_dead += 1
    assert n_dead > 25


def test_a_wheel_that_turns_moves_its_figure_up_by_the_share():
    """From two drawings of one wheel: the ink of the later one lies higher by share and pitch."""
    counter = Counter(faces=("wheels",), questions=("wheel",), size=400, **UPRIGHT)
    for index in range(12):
        scene = changed(
            scene_of(counter, index, draw), curve=9.0, pitch=1.0, figure=0.5, roll="up", teeth=0.0
        )
        window, pose, pictures = window_of(scene), scene.look.pose, []
        (mount,) = scene.face.parts
        for number in (Fraction(4), Fraction(42, 10)):
            moved = mount._replace(number=number / 10**window.decimals)
            image = draw_face(scene._replace(face=scene.face._replace(parts=(moved,))), Rng("one"))
            pictures.append(np.asarray(image, float))
        ground, ink = colours_at(window, window.digits - 1)
        x, y = pose.at(*window.middle(window.digits - 1))
        half = int(0.3 * window.breadth * pose.scale)
        rows = []
        for pixels in pictures:
            column = pixels[:, int(x) - half : int(x) + half]
            near = np.abs(column - ink).sum(2) < np.abs(column - ground).sum(2)
            top = int(y - 0.45 * pose.scale)
            ys = np.nonzero(near[max(0, top) : int(y + 0.22 * pose.scale)])[0]
            rows.append(ys.min())
        assert rows[0] - rows[1] == pytest.approx(0.2 * pose.scale, abs=2.5)


def test_the_wheels_of_all_counters_turn_upwards():
    """gnomon-tiny read 15 points fewer wheels right when a quarter of them turned downwards."""
    counter = Counter(faces=("wheels",), questions=("wheel",))
    assert {window_of(scene_of(counter, index, draw)).roll for index in range(40)} == {"up"}


def test_wheels_turn_with_those_on_their_right():
    assert roll("0437", 0.25) == (0, 4, 3, 7.25)
    assert roll("0439", 0.25) == (0, 4, 3.25, 9.25)
    assert roll("0999", 0.5) == (0.5, 9.5, 9.5, 9.5)
    assert roll("0990", 0.5) == (0, 9, 9, 0.5)


def test_the_pointers_of_a_register_go_one_way_and_the_other():
    assert gear("437", 0.5) == pytest.approx((4.375, 3.75, 7.5))
    counter = Counter(faces=("dials",), size=448, questions=("read",), **UPRIGHT)
    measured = 0
    for index in range(12):
        sample, scene = counter[index], scene_of(counter, index, draw)
        window, pixels = window_of(scene), np.asarray(sample.image, float)
        ground, pointer = (
            np.array(colour_of(name, palette("white")), float) for name in window.tints.split()[::2]
        )
        if np.abs(pointer - ground).sum() < 200:
            continue
        unit = scene.look.pose.scale
        for place, cell in enumerate(sample.facts["cells"]):
            way = 1 if window.clockwise == ((window.digits - 1 - place) % 2 == 0) else -1
            like = np.abs(pixels - pointer).sum(2) < 0.4 * np.abs(pointer - ground).sum()
            dark = like.astype(float)
            found = direction(*ring(dark, tuple(cell["at"]), 0.12 * unit, 0.26 * unit))
            assert apart(found, way * 36 * cell["position"]) < 4, (index, place)
            measured += 1
    assert measured > 15


def test_a_wheel_is_read_to_a_tenth_and_comes_round():
    counter = Counter(questions=("wheel",), size=160)
    texts = set()
    for index in range(200):
        sample = counter[index]
        position = sample.facts["cells"][-1]["position"]
        distance = abs(position - float(sample.target.value))
        assert min(distance, 10 - distance) <= 0.05 + 1e-9
        assert sample.target.within == Decimal("0.1")
        assert sample.image.height == 160 > sample.image.width
        texts.add(sample.target.write())
    assert all(len(text) == 3 for text in texts)
    assert len(texts) > 60


def test_wheels_that_rest_are_read_exactly_and_others_to_one():
    seen = set()
    for index in range(150):
        sample = create("counter", level="medium", size=160)[index]
        turning = sample.facts["turn"] != "0"
        if sample.facts["face"] == "dials":
            assert sample.target.within == 0
            continue
        seen.add(turning)
        step = Decimal(1).scaleb(-sample.facts["decimals"])
        assert sample.target.within == (step if turning else 0)
        assert -sample.target.value.as_tuple().exponent == sample.facts["decimals"]
    assert seen == {True, False}


def test_the_plate_is_where_its_box_says():
    """A plate of one colour before a ground of another; its edges are where the colours meet."""
    counter = Counter(questions=("where",), size=300, **UPRIGHT)
    for index in range(20):
        scene, box = scene_of(counter, index, draw), counter[index].target
        pixels = np.asarray(draw_face(scene, Rng("plate")), float)
        floor = colour_of(scene.face.body.floor, palette("white"))
        ys, xs = np.nonzero(np.abs(pixels - floor).sum(2) < 12)
        edges = (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
        assert edges == pytest.approx((box.x1, box.y1, box.x2, box.y2), abs=2)


@pytest.mark.parametrize("face", ["wheels", "lcd", "led"])
def test_boxes_of_figures_end_where_their_ink_does(face):
    """In each cell what is nearer to the colour of figures than to their ground."""
    # A display's point stands between two figures, in their colour.
    counter = Counter(faces=(face,), questions=("boxes",), size=600, level="medium",
                      decimals=(0, 3 * (face == "wheels")), **UPRIGHT)  # fmt: skip
    off = []
    for index in range(12):
        sample, scene = counter[index], scene_of(counter, index, draw)
        window, pose, pixels = window_of(scene), scene.look.pose, np.asarray(sample.image, float)
        scale = pose.scale
        # Halfway to the next figure of a wheel, which shows at its edge, and within the window.
        half = min(0.48, window.curve * np.sin(window.pitch / 2 / window.curve))
        for place, box in enumerate(sample.facts["figure_boxes"]):
            if window.teeth and place == window.digits - 1:
                continue  # its marks have the colour of its figure
            ground, ink = colours_at(window, place)
            x, y = pose.at(*window.middle(place))
            left, right = (round(x + side * scale * window.breadth / 2) for side in (-1, 1))
            top, bottom = (round(y + side * scale * half) for side in (-1, 1))
            cell = pixels[top:bottom, left + 1 : right - 1] - ground
            ys, xs = np.nonzero(cell @ (ink - ground) > 0.5 * ((ink - ground) ** 2).sum())
            edges = xs.min() + left + 1, ys.min() + top, xs.max() + left + 2, ys.max() + top + 1
            off.append(np.abs(np.subtract(edges, box)).max())
    assert len(off) > 40
    assert np.max(off) < 4
    assert np.median(off) < 1.5


def test_figures_are_found_wherever_they_stand_or_nowhere():
    lengths = Counts()
    counter = Counter(questions=("boxes",), size=160, level="medium")
    for index in range(200):
        sample = counter[index]
        check(sample)
        assert sample.facts["face"] != "dials"
        assert sample.facts["turn"] == "0"
        lengths[len(sample.target.items)] += 1
    assert 0.15 < lengths[0] / 200 < 0.5
    assert all(lengths[number] > 5 for number in (1, 2, 5))
    with pytest.raises(ValueError, match=r"'boxes' is asked of wheels, lcd and led"):
        Counter(questions=("boxes",), faces=("dials",))


def test_the_pose_of_a_close_up_shows_the_last_wheel():
    counter = Counter(questions=("wheel",), size=200, level="hard")
    for index in range(30):
        facts = counter[index].facts
        x, y = facts["cells"][-1]["at"]
        width, height = counter[index].image.size
        assert 0.3 * width < x < 0.7 * width
        assert 0.3 * height < y < 0.7 * height
        assert isinstance(Pose(np.array(facts["homography"])).scale, float)
