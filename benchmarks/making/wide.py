"""Wide pictures of drawn instruments, with the exact corners of each, to train a finder.

Instruments of all kinds are drawn once as tiles, and each tile is pasted into several pictures: in
perspective, on boards, posts and towers, partly hidden, by day and night, behind glass. Backgrounds
are walls, buildings, shelves, print and loose shapes, with round things that are no instruments.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import cv2
import numpy as np

from benchmarks.making.surroundings import background, disc, fixed, texture
from gnomon import generators
from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.shapes import DIALS, outline
from gnomon.generators.looks.wide import (
    STEEPEST,
    UNIT,
    Dice,
    colour,
    hide,
    in_perspective,
    light_up,
    paste,
    take_picture,
)
from gnomon.pipeline.finder import KINDS, SIDE
from gnomon.sample import Sample

MOST = 3
"""Instruments in a picture at most."""
TILE = 176
"""Side in pixels of the larger tiles."""
SIZES, NEAR_SIZES = (0.08, 1.05), (0.42, 0.72)
"""Ranges of an instrument's longer side, as a share of the picture's longer side."""
NEAR = 0.45
"""Share of pictures that are like the near view, in which the finder looks for corners again."""

_PHOTO: dict[str, Any] = {"look": "photo"}
_UPRIGHT: dict[str, Any] = {"rotation": 0.0, "perspective": 0.0}
CLOCK: dict[str, Any] = {
    **_UPRIGHT, "size": TILE, "dial_size": (0.8, 0.9), "offset": 0.0, "warp": 0.0, "variety": 1.0,
    "second_hand": 0.35, "split_by": "none", "brand": 0.2, "date": 0.1, "subdials": 0.07,
}  # fmt: skip
_FACE: dict[str, Any] = {**_UPRIGHT, "size": 224, "level": "easy"}
_ROUND = ("gauge", "sf6_gauge", "barometer", "hygrometer", "ammeter", "voltmeter", "speedometer",
          "dial_indicator", "compass", "kitchen_scale")  # fmt: skip
# Instrument, generator and options; the weights add up to 100.
SORTS: list[tuple[str, int, str, dict[str, Any]]] = [
    ("clock", 22, "clock", CLOCK),
    ("clock", 20, "clock", {**CLOCK, **_PHOTO}),
    ("clock", 6, "face", {**_FACE, "description": ("clock", "stopwatch")}),
    ("dial", 7, "gauge", {**_UPRIGHT, **_PHOTO, "size": 320, "instruments": ("dial",),
                          "questions": ("find",)}),
    ("dial", 3, "face", {**_FACE, "description": "meter_dial"}),
    ("dial", 3, "face", {**_FACE, **_PHOTO, "description": "meter_dial"}),
    ("gauge", 12, "face", {**_FACE, "description": _ROUND}),
    ("gauge", 12, "face", {**_FACE, **_PHOTO, "description": _ROUND}),
    ("counter", 4, "counter", {**_UPRIGHT, "size": 224, "faces": ("wheels", "lcd", "led")}),
    ("counter", 4, "counter", {**_UPRIGHT, **_PHOTO, "size": 224,
                               "faces": ("wheels", "lcd", "led")}),
    ("counter", 3, "face", {**_FACE, "description": ("water_meter", "electricity_meter")}),
    ("counter", 4, "counter", {**_UPRIGHT, **_PHOTO, "size": 160, "questions": ("wheel",)}),
]  # fmt: skip


class Tile(NamedTuple):
    """A drawn instrument, upright, with what surrounds it transparent."""

    kind: str
    pixels: Pixels
    """[height, width, 3]."""
    alpha: Pixels
    """[height, width], 255 on the instrument."""
    corners: Points
    """Corners in pixels of the rectangle that is to be found, [4, 2]."""
    is_whole: bool
    """True for a close view that fills its picture: only its middle is an instrument."""


def draw_tiles(seed: int, count: int) -> list[Tile]:
    """Draw tiles of all sorts."""
    weights = np.array([weight for _, weight, _, _ in SORTS], float)
    dice = np.random.default_rng((seed, 1))
    made = [generators.create(kind, seed=seed, **options) for _, _, kind, options in SORTS]
    tiles = []
    for index in range(count):
        sort = int(dice.choice(len(SORTS), p=weights / weights.sum()))
        tiles.append(tile_of(SORTS[sort][0], made[sort][index], dice))
    return tiles


def tile_of(kind: str, sample: Sample, dice: Dice, recoloured: float = 0.5) -> Tile:
    """Cut a drawn instrument out of its picture, and give this share other colours."""
    assert sample.image is not None
    pixels, facts = np.asarray(sample.image.convert("RGB")), sample.facts
    height, width = pixels.shape[:2]
    style = facts.get("style", {})
    shape = style.get("dial") or style.get("case") or style.get("shape") or "box"
    if facts["question"] == "wheel":
        corners = UNIT * (width / 2, height / 2) + (width / 2, height / 2)
        return Tile(kind, pixels, np.full((height, width), 255, np.uint8), corners, True)
    if "dial_box" in facts:
        x1, y1, x2, y2 = facts["dial_box"]
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        half = np.array([x2 - x1, y2 - y1]) / 2
        grow = 1.0 if shape == "bare" else 1.03
        corners, edge = UNIT * 1.07 * half.max() + (x, y), half * grow
    else:
        x1, y1, x2, y2 = facts["case_box"]
        x, y, half = (x1 + x2) / 2, (y1 + y2) / 2, np.array([x2 - x1, y2 - y1]) / 2
        # Round faces are cut as squares, so that straightening keeps their angles.
        edge, reach = half, half if kind == "counter" else half.max()
        corners = UNIT * reach + (x, y)
    around = outline(shape) if shape in DIALS else UNIT
    around = around / np.abs(around).max(0) * edge + (x, y)
    alpha = np.zeros((height, width), np.uint8)
    cv2.fillPoly(alpha, [fixed(around)], 255, cv2.LINE_AA, 4)
    if kind == "clock" and dice.random() < 0.12:  # hands and numerals without a floor
        floor = np.median(pixels[alpha > 200].reshape(-1, 3), 0)
        apart = np.abs(pixels.astype(np.float32) - floor.astype(np.float32)).max(2)
        alpha = (np.clip(apart / 70, 0, 1) * alpha).astype(np.uint8)
    low = np.maximum(np.floor(around.min(0)) - 2, 0).astype(int)
    high = np.ceil(around.max(0)).astype(int) + 2
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    return Tile(kind, _coloured(pixels[part], dice, recoloured), alpha[part], corners - low, False)


def _coloured(pixels: Pixels, dice: Dice, share: float) -> Pixels:
    """Mix the channels of this share of tiles, and invert some."""
    if dice.random() >= share:
        return pixels
    values = pixels.astype(np.float32) / 255
    if dice.random() < 0.3:
        values = 1 - values
    mixer = np.eye(3) * dice.uniform(0.5, 1.1, 3) + dice.uniform(-0.25, 0.35, (3, 3))
    values = values @ mixer.T.astype(np.float32) + dice.uniform(-0.1, 0.15, 3).astype(np.float32)
    values = 0.5 + (values - 0.5) * dice.uniform(0.5, 1.1)
    return (np.clip(values, 0, 1) * 255).astype(np.uint8)


def picture(
    dice: Dice, tiles: list[Tile], textures: list[Pixels]
) -> tuple[Pixels, Points, list[int]]:
    """Draw a wide picture, SIDE × SIDE with grey bars, with corners [n, 4, 2] and kinds [n]."""
    aspect = math.exp(dice.uniform(-0.6, 0.6)) if dice.random() < 0.8 else 1.0
    width, height = (SIDE, round(SIDE / aspect)) if aspect >= 1 else (round(SIDE * aspect), SIDE)
    size = np.array([width, height], float)
    canvas = background(dice, width, height, textures)
    count = int(dice.choice([0, 1, 2, 3], p=[0.14, 0.62, 0.17, 0.07]))
    corners: list[Points] = []
    kinds: list[int] = []
    for number in range(count):
        tile = tiles[int(dice.integers(len(tiles)))]
        is_filling = number == 0 and (tile.is_whole or dice.random() < 0.1)
        if tile.is_whole and not is_filling:
            continue
        places = placed(dice, tile, size, is_filling)
        if any(_overlap(places, other) > 0.08 for other in corners):
            continue
        mount(canvas, dice, tile, places)
        corners.append(places)
        kinds.append(KINDS.index(tile.kind))
        if is_filling:
            break
    occlude(canvas, dice, corners)
    glass = partial(texture, dice, width, height, textures)
    lit = take_picture(light_up(canvas, dice, glass), dice)
    framed = np.full((SIDE, SIDE, 3), 114, np.uint8)
    x, y = (SIDE - width) // 2, (SIDE - height) // 2
    framed[y : y + height, x : x + width] = lit
    return (
        framed,
        np.array([places + np.array([x, y]) for places in corners]).reshape(-1, 4, 2),
        kinds,
    )


def placed(
    dice: Dice, tile: Tile, size: Points, is_filling: bool = False,
    shares: tuple[float, float] | None = None, calm: float = 1.0,
) -> Points:  # fmt: skip
    """Place a tile in perspective: return its four corners in the picture.

    `shares` is the range of its longer side, as for the near view, and by default any size. Turn
    and tilt are multiplied by `calm`.
    """
    is_near = shares is not None or (not is_filling and dice.random() < NEAR)
    steep = STEEPEST * (dice.random() ** (1 if is_near else 1.5)) * (0.3 if is_filling else calm)
    turn = float(np.clip(dice.normal(0, 12 if is_near else 9), -30, 30))
    turn *= calm * (dice.random() < 0.75) * (0.4 if is_filling else 1)
    # At most a quarter of it lies beyond the edge, and that seldom.
    beyond = 0.5 if dice.random() < 0.12 else 0.0
    if is_filling:
        shares = 9.0, 9.0
    return in_perspective(
        dice, tile.corners[2] - tile.corners[0], size,
        shares or (NEAR_SIZES if is_near else SIZES), turn=turn, steep=steep,
        most=dice.uniform(0.85, 1.12) if is_filling else 1.15, beyond=beyond,
        far=0.4 if is_filling or is_near else 1.0,
    )  # fmt: skip


def _overlap(one: Points, other: Points) -> float:
    """Share of the smaller box that two boxes have in common."""
    low = np.maximum(one.min(0), other.min(0))
    high = np.minimum(one.max(0), other.max(0))
    common = float(np.prod(np.clip(high - low, 0, None)))
    areas = [float(np.prod(c.max(0) - c.min(0))) for c in (one, other)]
    return common / min(areas)


def mount(canvas: Pixels, dice: Dice, tile: Tile, places: Points) -> None:
    """Paste a tile with what it hangs on."""
    plane = cv2.getPerspectiveTransform(UNIT.astype(np.float32), places.astype(np.float32))
    if not tile.is_whole and dice.random() < 0.75:
        _mount(canvas, dice, plane)
    paste(
        canvas, tile.pixels, tile.alpha, tile.corners, places,
        light=dice.uniform(0, 0.45) if dice.random() < 0.5 else 0.0,
        contrast=dice.uniform(0.35, 0.8) if dice.random() < 0.25 else 1.0,
        opacity=dice.uniform(0.6, 1) if dice.random() < 0.1 else 1.0,
    )  # fmt: skip


def _mount(canvas: Pixels, dice: Dice, plane: Points) -> None:
    """Draw a rim, board, drum, post, strap, bells or tower behind a tile, in its plane."""
    paint = colour(dice)
    shade = tuple(int(c * dice.uniform(0.3, 0.9)) for c in paint)

    def fill(points: Points, tint: Any) -> None:
        seen = cv2.perspectiveTransform(np.asarray(points, float)[None], plane)[0]
        if np.isfinite(seen).all() and np.abs(seen).max() < 4000:
            cv2.fillPoly(canvas, [fixed(seen)], tint, cv2.LINE_AA, 4)

    def box(x1: float, y1: float, x2: float, y2: float, tint: Any) -> None:
        fill(np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)]), tint)

    for what in dice.choice(6, int(dice.integers(0, 3)), replace=False):
        if what == 0:  # a tower or a cabinet, with a roof
            wide, up, down = dice.uniform(1.2, 2.2), dice.uniform(1.2, 3), dice.uniform(1.5, 6)
            box(-wide, -up, wide, down, paint)
            if dice.random() < 0.6:
                fill(
                    np.array(
                        [(-1.2 * wide, -up), (0, -up - dice.uniform(0.3, 3)), (1.2 * wide, -up)]
                    ),
                    shade,
                )
            for _ in range(int(dice.integers(0, 5))):
                y = dice.uniform(-up, down)
                box(-wide, y, wide, y + dice.uniform(0.03, 0.2), shade)
            if dice.random() < 0.5:
                for x in dice.uniform(-wide, wide, 3):
                    box(x, 1.6, x + 0.3, 1.6 + dice.uniform(0.3, 1), shade)
        elif what == 1:  # a post, stem or strap
            wide = dice.uniform(0.05, 0.9)
            box(-wide, 0, wide, dice.uniform(1.5, 7), paint)
            if dice.random() < 0.5:
                box(-wide, -dice.uniform(1.2, 5), wide, 0, paint)
        elif what == 2:  # bells or feet
            size, x = dice.uniform(0.2, 0.5), dice.uniform(0.4, 0.8)
            y = -dice.uniform(1.0, 1.3) if dice.random() < 0.7 else dice.uniform(1.0, 1.2)
            for side in (-1, 1):
                fill(disc(side * x, y, size), paint)
        elif what == 3:  # a label or a plug beside it
            x, y = dice.uniform(-1.6, 1.6), dice.uniform(-1.6, 1.6)
            box(x, y, x + dice.uniform(0.3, 1), y + dice.uniform(0.2, 0.8), colour(dice))
        elif what == 4:  # a board
            box(
                -dice.uniform(1.05, 2),
                -dice.uniform(1.05, 2),
                dice.uniform(1.05, 2),
                dice.uniform(1.05, 2),
                paint,
            )
        else:  # fingers, leaves
            for _ in range(4):
                angle = dice.uniform(0, math.tau)
                fill(
                    disc(1.2 * math.cos(angle), 1.2 * math.sin(angle), dice.uniform(0.1, 0.4)),
                    paint,
                )
    corner = 0 if dice.random() < 0.75 else 4
    grow = np.array([1, 1]) * (1.0 if corner == 0 else 0.95)
    if dice.random() < 0.35:  # the side of a drum
        far = disc(dice.uniform(-0.5, 0.5), dice.uniform(-0.3, 0.3), dice.uniform(0.95, 1.12))
        near = disc(0, 0, 1.08)
        hull = cv2.convexHull(np.concatenate([far, near]).astype(np.float32))[:, 0]
        fill(hull, shade)
    if dice.random() < 0.75:
        size = 1.0 + (dice.uniform(0, 0.18) if dice.random() < 0.6 else dice.uniform(0.1, 0.7))
        for _ in range(int(dice.integers(1, 4))):
            around = disc(0, 0, size) if corner == 0 else UNIT * size * grow
            fill(
                around,
                colour(dice)
                if dice.random() < 0.5
                else tuple(int(c * dice.uniform(0.5, 1.3)) % 256 for c in paint),
            )
            size = 1 + (size - 1) * dice.uniform(0.3, 0.9)


def occlude(canvas: Pixels, dice: Dice, corners: list[Points], chance: float = 0.2) -> None:
    """Hide a part of some instruments."""
    for places in corners:
        if dice.random() < chance:
            hide(canvas, dice, places)
