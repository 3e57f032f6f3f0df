"""Clocks as gnomon's finder cuts them out of photographs, drawn with their times.

Each drawn clock is pasted into several pictures, as `wide` does for the finder. The cuts follow the
clock with errors like those of the finder, which gives upright boxes.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.making import wide
from benchmarks.making.surroundings import background, disc, fixed, make_textures, texture
from gnomon import generators
from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.looks.wide import UNIT, Dice, colour, light_up, take_picture
from gnomon.pipeline.families import tiny
from gnomon.pipeline.finder import cut
from gnomon.sample import Time

VIEWS = 2
"""Pictures of each drawn clock."""
SIDES, SHARES = (110, 220), (0.6, 0.88)
"""Range of the picture's side in pixels, and the clock's share of it."""
_CLOCK: dict[str, Any] = {
    **wide.CLOCK, "occlusion": 0.05, "subdials": 0.12, "glare": 0.1, "alarm": 0.04,
}  # fmt: skip
_ROUND = ("round", "ring", "bare")
_PLAIN: dict[str, Any] = {**_CLOCK, "palettes": ("plain", "light"), "dials": _ROUND}
_ROMAN: dict[str, Any] = {
    **_CLOCK, "numerals": ("roman", "roman-iv"), "palettes": ("plain", "light", "dark"),
    "dials": _ROUND,
}  # fmt: skip
_CALM = 0.6
"""Share of clocks that hang nearly straight and are seen nearly from the front."""
# Weights and options. Spades and other hands that gnomon-tiny never saw hang on many towers.
SORTS: list[tuple[float, dict[str, Any]]] = [
    (0.16, _CLOCK),
    (0.22, _PLAIN),
    (0.18, {**_CLOCK, "look": "photo", "dials": _ROUND}),
    (0.20, _ROMAN),
    (0.14, {**_ROMAN, "hands": ("breguet", "leaf", "skeleton")}),
    (0.10, {**_CLOCK, "ood": True}),
]


def draw(seed: int, count: int) -> tuple[Pixels, NDArray[np.int64]]:
    """Draw cuts [n, SIDE, SIDE, 3] and their times in minutes of twelve hours [n]."""
    cv2.setNumThreads(1)
    dice = np.random.default_rng((seed, 7))
    textures = make_textures(dice, 24)
    made = [generators.create("clock", seed=seed, **options) for _, options in SORTS]
    weights = [weight for weight, _ in SORTS]
    pixels, minutes = np.empty((count, tiny.SIDE, tiny.SIDE, 3), np.uint8), np.empty(count, int)
    for row in range(0, count, VIEWS):
        sample = made[int(dice.choice(len(SORTS), p=weights))][row]
        assert isinstance(sample.target, Time)
        tile = adorn(wide.tile_of("clock", sample, dice, 0.2), dice, textures)
        minutes[row : row + VIEWS] = int(sample.target.seconds // 60) % 720
        for view in range(row, min(row + VIEWS, count)):
            picture, corners = take(tile, dice, textures)
            pixels[view] = shrink(cut(Image.fromarray(picture), found(corners, dice)))
    return pixels, minutes


def shrink(picture: Image.Image) -> Pixels:
    """Return a picture as gnomon-tiny sees it, [SIDE, SIDE, 3]."""
    small = picture.convert("RGB").resize((tiny.SIDE, tiny.SIDE), Image.Resampling.BICUBIC)
    return np.asarray(small)


def take(tile: wide.Tile, dice: Dice, textures: list[Pixels]) -> tuple[Pixels, Points]:
    """Take a picture in which a clock is large, and return it with the clock's corners [4, 2]."""
    side = int(dice.integers(*SIDES))
    draw_behind = background if dice.random() < 0.35 else texture
    canvas = np.ascontiguousarray(draw_behind(dice, side, side, textures))
    calm = dice.uniform(0, 0.4) if dice.random() < _CALM else 1.0
    places = wide.placed(dice, tile, np.array([side, side], float), shares=SHARES, calm=calm)
    wide.mount(canvas, dice, tile, places)
    wide.occlude(canvas, dice, [places], 0.08)
    glass = partial(texture, dice, side, side, textures)
    picture = take_picture(light_up(canvas, dice, glass), dice)
    if dice.random() < 0.25:
        return picture, places
    # Cameras expose for what is in the middle.
    low, high = np.percentile(picture[side // 5 : -side // 5, side // 5 : -side // 5], (2, 98))
    black, white = dice.uniform(0, 60), dice.uniform(150, 255)
    level = black + (picture.astype(np.float32) - low) * ((white - black) / max(high - low, 40))
    return np.clip(level, 0, 255).astype(np.uint8), places


def found(corners: Points, dice: Dice) -> Points:
    """Return corners as the finder gives them: those of an upright box around the round face.

    On drawings its sides are off by 8 %, both in part together, and its middle by 1.5 %.
    """
    right = (corners[1] - corners[0] + corners[2] - corners[3]) / 4
    down = (corners[3] - corners[0] + corners[2] - corners[1]) / 4
    half = np.hypot(right, down)
    wrong = 2.0 if dice.random() < 0.1 else 1.0
    half = half * np.exp(wrong * (dice.normal(0, 0.055) + dice.normal(0, 0.04, 2)))
    middle = corners.mean(0) + wrong * dice.normal(0, 0.015, 2) * half.max() * 2
    box: Points = middle + UNIT * half
    return box + dice.normal(0, 0.006, (4, 2)) * half.max() * 2


def adorn(tile: wide.Tile, dice: Dice, textures: list[Pixels]) -> wide.Tile:
    """Paint the floor of some clocks behind hands and numerals: rings, panes, pictures."""
    if dice.random() < 0.6 or not (tile.alpha > 200).any():  # some clocks have no floor
        return tile
    height, width = tile.alpha.shape
    pixels = tile.pixels.astype(np.float32)
    floor = np.median(pixels[tile.alpha > 200].reshape(-1, 3), 0)
    is_floor = np.clip(1.4 - np.abs(pixels - floor).max(2) / 45, 0, 1)[..., None]
    layer = np.ascontiguousarray(np.broadcast_to(floor, pixels.shape).astype(np.uint8))
    middle = np.array([width, height]) / 2
    radius = min(width, height) / 2
    way = dice.random()
    if way < 0.4:  # a picture, marble, print
        look = background(dice, width, height, textures).astype(np.float32)
        look = floor + (look - look.mean((0, 1))) * dice.uniform(0.2, 0.9)
        layer = np.clip(look, 0, 255).astype(np.uint8)
    elif way < 0.75:  # rings and a middle of other colours
        sizes = np.sort(dice.uniform(0.15, 1.0, int(dice.integers(1, 4))))[::-1]
        for size in sizes:
            tone = floor + (np.array(colour(dice)) - floor) * dice.uniform(0.15, 0.8)
            points = fixed(middle + radius * size * disc(0, 0, 1, 40))
            cv2.fillPoly(layer, [points], tone.tolist(), cv2.LINE_AA, 4)
    if way > 0.6:  # panes of glass in a frame
        tone = (floor * dice.uniform(0.3, 1.3)).clip(0, 255).tolist()
        thick = int(dice.integers(1, 3))
        for size in dice.uniform(0.2, 0.95, int(dice.integers(0, 4))):
            cv2.circle(layer, fixed(middle)[:].tolist(), int(radius * size * 16), tone, thick,
                       cv2.LINE_AA, 4)  # fmt: skip
        spokes, inner = int(dice.choice([4, 6, 8, 12, 24])), dice.uniform(0, 0.5)
        for turn in np.arange(spokes) * math.tau / spokes:
            way_out = np.array([math.sin(turn), math.cos(turn)]) * radius
            ends = [fixed(middle + share * way_out).tolist() for share in (inner, 0.95)]
            cv2.line(layer, *ends, tone, thick, cv2.LINE_AA, 4)
    painted = pixels + (layer.astype(np.float32) - pixels) * is_floor
    return tile._replace(pixels=painted.astype(np.uint8))
