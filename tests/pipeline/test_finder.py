"""The geometry of the finder: views, cuts and corners."""

import cv2
import numpy as np
import pytest
from PIL import Image

from gnomon.pipeline import finder
from gnomon.pipeline.finder import SIDE, Detection, Finder, cut

CORNERS = np.array([(120.0, 60), (300, 110), (280, 320), (90, 250)])


def dot(size, place):
    """A dark picture with a bright spot."""
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    cv2.circle(pixels, tuple(round(16 * v) for v in place), 48, (255, 255, 255), -1, 8, 4)
    return pixels


def middle_of(pixels):
    ys, xs = np.nonzero(pixels[..., 0] > 100)
    return np.array([xs.mean() + 0.5, ys.mean() + 0.5])


@pytest.mark.parametrize("margin", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("at", [(0.5, 0.5), (0.1, 0.2), (0.8, 0.9), (0.9, 0.3)])
def test_a_place_on_the_instrument_has_the_same_place_in_the_upright_cut(at, margin):
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    plane = cv2.getPerspectiveTransform(unit, CORNERS.astype(np.float32))
    place = cv2.perspectiveTransform(np.array([[at]], float), plane)[0, 0]
    picture = Image.fromarray(dot((400, 400), place - 0.5))
    seen = np.asarray(cut(picture, CORNERS, side=240, margin=margin))
    assert seen.shape == (240, 240, 3)
    expected = (np.array(at) + margin) / (1 + 2 * margin) * 240
    assert middle_of(seen) == pytest.approx(expected, abs=1.5)


def test_a_plain_cut_is_upright_in_the_picture_and_around_all_corners():
    picture = Image.fromarray(dot((400, 400), (100, 300)))
    seen = np.asarray(cut(picture, CORNERS, straight=False, margin=0.0, side=260))
    # 260 pixels high, so the box is not scaled; 210 wide, so 25 are added on either side.
    assert middle_of(seen) == pytest.approx((100 - 65 + 0.5, 300 - 60 + 0.5), abs=1)


def test_a_long_instrument_stays_long():
    corners = np.array([(10, 10), (210, 10), (210, 60), (10, 60)], float)
    assert cut(Image.new("RGB", (300, 100)), corners, margin=0.0).size == (200, 50)


@pytest.mark.parametrize("size", [(640, 480), (100, 300), (192, 192)])
@pytest.mark.parametrize("view", [None, (-40, 20, 90, 150), (30, 50, 60, 80)])
def test_places_of_a_view_lead_back_to_the_picture(size, view):
    place = np.array((44.0, 66))
    square, move = finder._square(dot(size, place), view or (0, 0, *size))
    assert square.shape == (SIDE, SIDE, 3)
    is_spot = (square == 255).all(2)[..., None] * np.uint8(255)
    back = move @ (*middle_of(is_spot), 1)
    assert back == pytest.approx(place + 0.5, abs=max(1, max(size) / SIDE))


def test_a_box_is_clipped_to_the_picture():
    corners = np.array([(-5.5, 3.2), (30, 3.2), (30, 22), (-5.5, 22)])
    assert Detection("clock", 1.0, corners, {}).box((20, 50)) == (0, 3, 20, 22)


def test_the_near_view_gives_the_corners_and_another_thing_in_it_does_not():
    rough = Detection("clock", 0.8, CORNERS, {"clock": 0.6, "gauge": 0.4})
    near = Detection("gauge", 0.6, CORNERS + 4, {"clock": 0.3, "gauge": 0.7})
    beside = near._replace(corners=CORNERS + 150)
    better = finder._better(rough, [beside, near])
    assert (better.corners == CORNERS + 4).all()
    assert (better.kind, better.score) == ("gauge", pytest.approx(0.7))
    assert finder._better(rough, [beside]).score == pytest.approx(0.4)


def test_an_empty_wall_holds_no_instrument():
    wall = np.linspace(90, 160, 400).astype(np.uint8)[None, :, None].repeat(300, 0).repeat(3, 2)
    assert all(detection.score < 0.3 for detection in Finder().find(Image.fromarray(wall)))
