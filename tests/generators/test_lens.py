"""A lens moves points as it moves pixels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.generators.drawing.canvas import Canvas
from gnomon.generators.drawing.pose import WIDEST, Lens, Pose
from gnomon.generators.drawing.shapes import disc


@pytest.mark.parametrize("size", [(160, 120), (96, 200)])
@pytest.mark.parametrize("strength", [0.03, WIDEST])
def test_dots_are_seen_where_the_lens_says(size, strength):
    lens = Lens(strength, size)
    for share in np.random.default_rng(0).uniform(0.1, 0.9, (12, 2)):
        at = share * size
        canvas = Canvas(size, np.zeros((size[1], size[0], 3), np.uint8))
        canvas.fill_fine([disc(3.0) + at], (255, 255, 255))
        light = np.asarray(lens.distort(canvas.picture()), float)[..., 0]
        ys, xs = np.mgrid[: size[1], : size[0]] + 0.5
        found = np.array([(light * xs).sum(), (light * ys).sum()]) / light.sum()
        assert np.abs(found - lens(at[None])[0]).max() < 0.1


@given(
    st.lists(st.tuples(st.floats(0, 300), st.floats(0, 200)), min_size=1, max_size=8),
    st.floats(0.001, WIDEST),
)
def test_nothing_leaves_the_picture_and_the_way_back_is_the_formula(points, strength):
    lens = Lens(strength, (300, 200))
    true = np.array(points)
    seen = lens(true)
    assert (seen > -1e-9).all()
    assert (seen < np.array([300, 200]) + 1e-9).all()
    middle, radius = np.array([150, 100]), np.hypot(150, 100)
    t2 = (((seen - middle) / radius) ** 2).sum(1, keepdims=True)
    assert np.allclose((seen - middle) * (1 + strength * (1 - t2)) + middle, true, atol=1e-6)


def test_what_comes_after_the_lens_moves_what_it_shows():
    lens, grow = Lens(0.1, (100, 100)), Pose(np.diag([2.0, 2.0, 1.0]))
    points = np.array([(10.0, 20.0), (70.0, 40.0)])
    pose = Pose(np.eye(3), lens)
    twice = grow.after(grow.after(pose))
    assert np.allclose(twice(points), 4 * lens(points))
