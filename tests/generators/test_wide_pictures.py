"""Wide pictures of instruments: boxes and corners are exact, and the instrument can be read."""

import cv2
import numpy as np
import pytest
from PIL import Image
from test_pixels import check_kind

from gnomon.generators import create
from gnomon.generators.drawing.canvas import bounding_box
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import ellipse, oblong
from gnomon.generators.looks import instrument_generator, wide
from gnomon.generators.rng import Rng
from gnomon.sample import Box

KINDS = {
    "clock": {"questions": ["read", "where"], "level": "easy"},
    "gauge": {"questions": ["read", "find"], "look": "photo"},
    "counter": {"questions": ["read", "where"]},
    "face": {"questions": ["read", "find"]},
}
SHARES = (0.3, 0.7)


@pytest.fixture
def plain(monkeypatch):
    """Scenes in the drawing's own light, in which nothing is hidden."""
    monkeypatch.setattr(wide, "light_up", lambda canvas, dice, other: wide.to_float(canvas))
    monkeypatch.setattr(wide, "take_picture", lambda scene, dice: wide.to_pixels(scene))
    monkeypatch.setattr(wide, "hide", lambda *_: None)


@pytest.fixture
def taken(monkeypatch):
    """The drawings that became wide pictures: drawing, case, picture and homography."""
    record = []

    def recording(drawing, case, *rest):
        picture, pose = wide.wide_picture(drawing, case, *rest)
        record.append((drawing, case, picture, pose))
        return picture, pose

    monkeypatch.setattr(instrument_generator, "wide_picture", recording)
    return record


@pytest.mark.parametrize("kind", KINDS)
def test_corners_and_boxes_hold_the_whole_instrument(kind, taken):
    drawn = create(kind, wide=SHARES, size=320, **KINDS[kind])
    shares, shapes, boxes = [], set(), 0
    for index in range(30):
        sample = drawn[index]
        _, case, _, pose = taken[-1]
        places, size = pose(case), np.array(sample.image.size)
        assert (places >= 0).all()
        assert (places <= size).all()
        shares.append(np.ptp(places, 0).max() / size.max())
        shapes.add(sample.image.size)
        corners = np.array(sample.facts["corners"], np.float32)
        edges = np.roll(corners, -1, 0) - corners
        turns = np.cross(np.append(edges, np.zeros((4, 1)), 1),
                         np.append(np.roll(edges, -1, 0), np.zeros((4, 1)), 1))[:, 2]  # fmt: skip
        assert (turns > 0).all()  # clockwise in the picture, and convex
        for x, y in places:
            assert cv2.pointPolygonTest(corners, (x, y), True) > -0.01
        box = sample.facts.get("case_box")
        if box is not None:
            assert box == pytest.approx(bounding_box(places), abs=1e-6)
        if isinstance(sample.target, Box):
            assert sample.target == Box(*box)
            boxes += 1
    assert max(sample.image.size) == 320
    assert len(shapes) > 15
    assert 5 < boxes < 25
    assert max(shares) <= SHARES[1] + 1e-6
    assert SHARES[0] - 1e-6 <= np.median(shares)


@pytest.mark.parametrize("kind", KINDS)
def test_the_homography_leads_back_to_the_drawing(kind, plain, taken):
    """And a homography that is three pixels off leads beside it."""
    drawn = create(kind, wide=(0.6, 0.8), size=320, backgrounds=["plain"], **KINDS[kind])
    for index in range(6):
        drawn[index]
        drawing, case, picture, pose = taken[-1]
        inside = np.asarray(wide.mask_of([case], drawing.size)) > 250
        inside &= cv2.erode(inside.astype(np.uint8), np.ones((5, 5))) > 0
        before = cv2.GaussianBlur(np.asarray(drawing.convert("L"), np.float32), (0, 0), 2)
        alike = []
        for off in (0, 3):
            moved = Pose(pose.matrix).moved(off, 0).matrix @ wide.HALF
            back = cv2.warpPerspective(
                np.asarray(picture.convert("L"), np.float32), np.linalg.inv(wide.HALF) @ moved,
                drawing.size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            )  # fmt: skip
            back = cv2.GaussianBlur(back, (0, 0), 2)
            alike.append(np.corrcoef(back[inside], before[inside])[0, 1])
        assert alike[0] > 0.97, (index, alike)
        assert alike[0] > alike[1], (index, alike)


@pytest.mark.parametrize("seed", range(20))
def test_points_of_a_drawing_are_pasted_where_the_homography_says(seed):
    dice = np.random.default_rng(seed)
    pixels, points = np.zeros((200, 160, 3), np.uint8), dice.uniform(30, 130, (3, 2))
    size, corners = np.array([300, 220]), oblong(10, 10, 150, 190)
    places = wide.in_perspective(
        dice, np.array([140, 180]), size, (0.3, 0.9), turn=dice.uniform(-30, 30),
        steep=dice.uniform(0, wide.STEEPEST), most=0.98,
    )  # fmt: skip
    for point in points:
        spot = np.zeros_like(pixels)
        disc = [np.rint(256 * (ellipse(*point, 5) - 0.5)).astype(np.int32)]
        cv2.fillPoly(spot, disc, (255, 255, 255), cv2.LINE_AA, 8)
        canvas = np.zeros((220, 300, 3), np.uint8)
        pose = wide.paste(canvas, spot, np.full((200, 160), 255, np.uint8), corners, places)
        assert pose(corners) == pytest.approx(places, abs=1e-3)
        ys, xs = np.indices(canvas.shape[:2]) + 0.5
        weight = canvas[..., 0].astype(float)
        middle = (xs * weight).sum() / weight.sum(), (ys * weight).sum() / weight.sum()
        # A disc's middle moves a little in perspective.
        assert middle == pytest.approx(pose(point[None])[0], abs=0.4)


def test_an_instrument_takes_on_the_light_and_colour_of_a_photograph(plain, tmp_path):
    case = ellipse(100, 100, 80)
    drawing = Image.fromarray(np.full((200, 200, 3), 200, np.uint8))
    colours = {}
    for name, paint in {"dark red": (70, 20, 20), "bright": (230, 230, 235)}.items():
        Image.new("RGB", (300, 200), paint).save(tmp_path / f"{name}.png")
        clock = create("clock", backgrounds=[str(tmp_path / f"{name}.png")])
        (photo,) = clock.materials.names("backgrounds")
        picture, pose = wide.wide_picture(drawing, case, photo, (0.5, 0.6), Rng("light"))
        pixels = np.asarray(picture, float)
        x, y = pose(np.array([(100.0, 100.0)]))[0].astype(int)
        colours[name] = pixels[y, x]
        outside = np.abs(pixels - paint).max(2) < 1
        assert 0.3 < outside.mean() < 0.95
    assert colours["dark red"].mean() < 0.8 * colours["bright"].mean()
    assert colours["dark red"][0] > 1.1 * colours["dark red"][2]


def test_only_the_edge_of_an_instrument_is_hidden():
    places, shares = oblong(50, 50, 250, 250), []
    for seed in range(60):
        canvas = np.full((300, 300, 3), 7, np.uint8)
        wide.hide(canvas, np.random.default_rng(seed), places, wide._MILD)
        shares.append((canvas != 7).any(2)[50:250, 50:250].mean())
    assert 0.01 < np.mean(shares) < np.max(shares) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_another_answer_shows_in_a_wide_picture(kind):
    assert check_kind(create(kind, wide=(0.6, 0.9), size=320)) > 5


@pytest.mark.parametrize("kind", KINDS)
def test_wide_pictures_are_the_same_again_and_are_degraded_like_others(kind):
    options = {"wide": SHARES, "size": 200 if kind == "clock" else 240, "degrade": "light"}
    first, second = (create(kind, **KINDS[kind], **options) for _ in range(2))
    for index in range(4):
        one, other = first[index], second[index]
        assert one.facts == other.facts
        assert (np.asarray(one.image) == np.asarray(other.image)).all()
        corners = np.array(one.facts["corners"])
        assert (corners > -60).all()
        assert (corners < 300).all()


def test_a_wheel_and_seconds_too_small_to_read_are_refused():
    with pytest.raises(ValueError, match=r"wide=.*leave 'wheel' out"):
        create("counter", wide=SHARES, questions=["wheel"])
    with pytest.raises(ValueError, match=r"size=224: the date cannot be read"):
        create("clock", wide=SHARES, questions=["date"])
