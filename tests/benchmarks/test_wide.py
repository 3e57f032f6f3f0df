"""Wide pictures that train the finder: their corners are exact."""

import numpy as np
import pytest

pytest.importorskip("torch")

from benchmarks.making import finder as making
from benchmarks.making import wide
from benchmarks.making.finder import loss_of, mirror
from benchmarks.making.surroundings import make_textures
from gnomon.generators import create
from gnomon.pipeline.finder import CELLS, SIDE


@pytest.mark.parametrize("seed", range(12))
def test_the_corners_of_a_pasted_tile_are_where_it_is_seen(seed):
    dice = np.random.default_rng(seed)
    pixels = np.zeros((100, 100, 3), np.uint8)
    pixels[2:98, 2:98] = 255
    corners = np.array([(2, 2), (98, 2), (98, 98), (2, 98)], float)
    tile = wide.Tile("clock", pixels, np.full((100, 100), 255, np.uint8), corners, True)
    places = wide.placed(dice, tile, np.array([SIDE, SIDE], float))
    canvas = np.zeros((SIDE, SIDE, 3), np.uint8)
    wide.mount(canvas, dice, tile, places)
    ys, xs = np.nonzero(canvas.max(2) > 40)
    low, high = np.clip([places.min(0), places.max(0)], 0, SIDE - 1)
    # The tile has two pixels more on each side than its corners.
    slack = 2 + 0.05 * np.ptp(places, 0).max()
    assert (xs.min(), ys.min()) == pytest.approx(low, abs=slack)
    assert (xs.max(), ys.max()) == pytest.approx(high, abs=slack)


def test_a_tile_of_a_clock_has_its_dial_in_the_corners():
    clock = create("clock", **wide.CLOCK)[7]
    tile = wide.tile_of("clock", clock, np.random.default_rng(1))
    x1, y1, x2, y2 = clock.facts["dial_box"]
    side = tile.corners[1, 0] - tile.corners[0, 0]
    assert side == pytest.approx(1.07 * max(x2 - x1, y2 - y1))
    height, width = tile.alpha.shape
    assert tile.corners.mean(0) == pytest.approx((width / 2, height / 2), abs=2)
    assert tile.alpha.shape == tile.pixels.shape[:2]
    assert 0.5 < (tile.alpha > 0).mean() <= 1


def test_some_pictures_are_empty_and_the_others_hold_what_their_labels_say():
    tiles = wide.draw_tiles(3, 6)
    dice = np.random.default_rng(3)
    textures = make_textures(dice, 3)
    counts = set()
    for _ in range(30):
        pixels, corners, kinds = wide.picture(dice, tiles, textures)
        assert pixels.shape == (SIDE, SIDE, 3)
        assert corners.shape == (len(kinds), 4, 2)
        middles = corners.mean(1)
        assert ((middles > 0) & (middles < SIDE)).all()
        counts.add(len(kinds))
    assert {0, 1} <= counts


def test_a_mirrored_picture_has_mirrored_corners():
    torch = pytest.importorskip("torch")
    pixels = torch.zeros(1, SIDE, SIDE, 3, dtype=torch.uint8)
    pixels[0, 20:40, 10:50] = 255
    corners = torch.tensor([[[[10.0, 20], [50, 20], [50, 40], [10, 40]]]])
    seen, turned = mirror(pixels, corners)
    assert turned[0, 0].tolist() == [[142, 20], [182, 20], [182, 40], [142, 40]]
    assert seen[0, 20:40, 142:182].min() == 255


def test_the_loss_is_least_for_the_truth():
    torch = pytest.importorskip("torch")
    corners = torch.tensor([[[[40.0, 40], [80, 40], [80, 80], [40, 80]]]])
    kinds = torch.tensor([[2]])
    places = corners.reshape(1, 8, 1, 1).expand(-1, -1, CELLS, CELLS)
    here = torch.full((1, 1, CELLS, CELLS), -6.0)
    here[0, 0, 7, 7] = 6.0
    names = torch.zeros(1, 4, CELLS, CELLS)
    names[:, 2] = 8.0
    right = loss_of((here, names, places), corners, kinds)
    wrong = loss_of((-here, -names, places + 9), corners, kinds)
    assert all(a < b for a, b in zip(right, wrong, strict=True))
    assert right[0] < 0.5


def test_a_round_holds_pictures_with_their_labels(monkeypatch):
    monkeypatch.setattr(making, "TILES", 4)
    pixels, corners, kinds = making.draw(5, 6)
    assert pixels.shape == (6, SIDE, SIDE, 3)
    assert corners.shape == (6, wide.MOST, 4, 2)
    assert set(kinds.flatten().tolist()) <= {-1, 0, 1, 2, 3}
    assert (kinds >= 0).any()
