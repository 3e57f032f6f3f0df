"""Cuts of drawn clocks, as the finder makes them, carry their times."""

import numpy as np
import pytest

pytest.importorskip("torch")

from benchmarks.making import found_clocks, wide
from benchmarks.making.surroundings import make_textures
from gnomon.generators import create
from gnomon.generators.looks.wide import UNIT
from gnomon.pipeline.families import tiny


def test_cuts_of_one_clock_have_its_time_and_differ():
    n = found_clocks.VIEWS
    pixels, minutes = found_clocks.draw(4, 2 * n)
    assert pixels.shape == (2 * n, tiny.SIDE, tiny.SIDE, 3)
    assert [len(set(minutes[:n])), len(set(minutes[n:]))] == [1, 1]
    assert ((minutes >= 0) & (minutes < 720)).all()
    assert all((pixels[row] != pixels[row + 1]).any() for row in range(n - 1))
    again, _ = found_clocks.draw(4, n)
    assert (again == pixels[:n]).all()


def test_a_turned_clock_is_cut_by_the_upright_box_around_its_face():
    turn = np.radians(30)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = UNIT @ spin * 50 + 100
    boxes = np.array([found_clocks.found(corners, np.random.default_rng(i)) for i in range(300)])
    # A circle of radius 50 stays one, so its box is that of the upright clock.
    assert boxes.mean(0) == pytest.approx(UNIT * 50 + 100, abs=2)
    assert 0.05 < np.ptp(boxes, 1).std() / 100 < 0.12


def test_a_painted_floor_leaves_the_hands_as_they_are():
    clock = create("clock", **wide.CLOCK, palettes=["plain"])[3]
    textures = make_textures(np.random.default_rng(0), 3)
    tile = wide.tile_of("clock", clock, np.random.default_rng(1), 0.0)
    floor = np.median(tile.pixels[tile.alpha > 200], 0)
    is_dark = np.abs(tile.pixels.astype(int) - floor).max(2) > 120
    painted = [found_clocks.adorn(tile, np.random.default_rng(i), textures) for i in range(12)]
    assert any((other.pixels != tile.pixels).any() for other in painted)
    assert all((other.pixels[is_dark] == tile.pixels[is_dark]).all() for other in painted)
