"""The pixels of counters: a flat plate with wheels, segments or dials, brought into the picture."""

import cv2
import numpy as np
from PIL import Image

from gnomon.generators.counter.cells import (
    display_cell,
    figure_tile,
    print_mask,
    segment_bars,
    wheel_cell,
)
from gnomon.generators.counter.scene import LIT, Build, CounterScene
from gnomon.generators.drawing.backgrounds import SPREADS, background_behind
from gnomon.generators.drawing.canvas import Pixels, Points
from gnomon.generators.drawing.colours import Colour, blend, ground_clear_of
from gnomon.generators.drawing.lettering import text_tile
from gnomon.generators.drawing.pose import HALF
from gnomon.generators.drawing.shapes import oblong, polar
from gnomon.generators.looks import photo
from gnomon.generators.rng import Rng

# Plate pixels per picture pixel, and the most pixels per window height.
_FINE, _MOST = 2.0, 280
# Pixels across at which figures can still be told apart, for each wheel of the counter.
_MIN_READABLE_SIDE = {"wheels": 18, "lcd": 18, "led": 18, "dials": 36}


def case_outline(scene: CounterScene) -> Points:
    """The plate's edge, in heights of the window from its middle."""
    (side, above), half = scene.build.margin, scene.width / 2
    return oblong(-half - side, -0.5 - above, half + side, 0.5 + above)


# Where ink is measured: pixels per window height, and the least level (of 255) that counts.
_MEASURE, _INK_LEVEL = 240, 90


def figure_ink(scene: CounterScene, index: int) -> Points:
    """Outermost points of a figure's ink at rest, in heights of the window from the plate's middle.

    Of a display those of its segments that are lit, of a wheel both ends of each row of the figure.
    """
    build, middle = scene.build, np.array([scene.middle(index), 0.0])
    figure = int(scene.positions[index])
    if build.face in ("lcd", "led"):
        dead = scene.dead[1] if scene.dead and scene.dead[0] == index else None
        bars = enumerate(segment_bars(build.font, build.figure_height, build.breadth))
        lit = [bar for n, bar in bars if str(n) in LIT[figure] and n != dead]
        return _in_cell(np.concatenate(lit), build, middle)
    room = round(_MEASURE * build.breadth)
    ink_mask = (
        figure_tile(str(figure), build, round(_MEASURE * build.figure_height), room) > _INK_LEVEL
    )
    rows = np.flatnonzero(ink_mask.any(1))
    first, last = ink_mask.argmax(1)[rows], ink_mask.shape[1] - ink_mask[:, ::-1].argmax(1)[rows]
    # Upper and lower edges of each row; on a cylinder both lie nearer to its middle.
    xs, ys = (
        np.concatenate([first, last, first, last]),
        np.concatenate([rows, rows, rows + 1, rows + 1]),
    )
    points = np.stack([xs, ys], 1).astype(float)
    points = (points - (ink_mask.shape[1] / 2, ink_mask.shape[0] / 2)) / _MEASURE
    points[:, 1] = build.curve * np.sin(points[:, 1] / build.curve)
    return _in_cell(points, build, middle)


def _in_cell(points: Points, build: Build, middle: Points) -> Points:
    """Clip a figure's points to its cell, whose neighbours are drawn over what sticks out."""
    half = build.breadth / 2
    clipped: Points = np.clip(points, (-half, -0.5), (half, 0.5)) + middle
    return clipped


def draw_counter(scene: CounterScene, rng: Rng) -> Image.Image:
    """Draw a counter: its flat plate first, then the plate as the pose has it."""
    width, height = scene.size
    # The outline lies just outside of the case, where it must stand out.
    plate_colour, outline = scene.build.plate_colour, scene.pose(1.03 * case_outline(scene))
    ground = blend(plate_colour, (255, 255, 255), 0.4)
    ground = ground_clear_of((plate_colour,), ground, SPREADS.get(scene.background, 0))
    behind = background_behind(
        scene.background, max(scene.size), ground, rng, [(outline, plate_colour)]
    )[:height, :width]
    # A wheel that fills the picture takes a fine plate; one of nine a coarse one.
    height_px = round(min(_MOST, _FINE * scene.pose.scale))
    plate, corner = _plate(scene, height_px, rng)
    to_plate = np.array(
        [[height_px, 0, -height_px * corner[0]], [0, height_px, -height_px * corner[1]], [0, 0, 1]]
    )
    to_picture = np.linalg.inv(HALF) @ scene.pose.matrix @ np.linalg.inv(to_plate) @ HALF
    warped = cv2.warpPerspective(
        plate, to_picture, scene.size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    case = photo.mask_of([scene.pose(case_outline(scene))], scene.size)
    alpha = case[..., None] * np.float32(1 / 255)
    pixels = np.rint(behind + (warped - behind.astype(np.float32)) * alpha).astype(np.uint8)
    if not scene.is_photo:
        return Image.fromarray(pixels)
    half = scene.width / 2
    floor = photo.mask_of([scene.pose(oblong(-half, -0.5, half, 0.5))], scene.size)
    layers = photo.Layers(pixels, pixels, np.zeros_like(case), case, floor)
    across = abs(np.ptp(scene.pose(case_outline(scene))[:, 0]))
    visible_wheels = min(len(scene.positions), len(scene.positions) * min(scene.size) / across)
    side = round(max(30, _MIN_READABLE_SIDE[scene.build.face] * visible_wheels))
    return photo.photograph(layers, rng, min_readable_side=side)


def _plate(scene: CounterScene, height_px: int, rng: Rng) -> tuple[Pixels, tuple[float, float]]:
    """The whole plate from above, its window `height_px` high, and its upper left corner."""
    build, outline = scene.build, case_outline(scene)
    corner = float(outline[:, 0].min()), float(outline[:, 1].min())
    across, down = (round(height_px * float(side)) for side in np.ptp(outline, axis=0))
    plate = np.empty((down, across, 3), np.uint8)
    plate[:] = build.plate_colour
    wheels, first = len(scene.positions), len(scene.positions) - scene.n_decimals

    def place(x: float, y: float) -> tuple[int, int]:
        return round(height_px * (x - corner[0])), round(height_px * (y - corner[1]))

    if build.framed and scene.n_decimals:
        left = scene.middle(first) - build.breadth / 2 - 0.06
        cv2.rectangle(plate, place(left, -0.58), place(scene.width / 2 + 0.06, 0.58),
                      build.decimal_colours[0], -1)  # fmt: skip
    window = {"wheels": (10, 10, 10), "dials": build.plate_colour}.get(
        build.face, build.whole_colours[0]
    )
    cv2.rectangle(plate, place(-scene.width / 2, -0.5), place(scene.width / 2, 0.5), window, -1)
    for wheel, position in enumerate(scene.positions):
        colours = build.decimal_colours if wheel >= first else build.whole_colours
        x, y = place(scene.middle(wheel) - build.breadth / 2, -0.5)
        if build.face == "dials":
            cell = _dial(scene, wheel, position, height_px)
        elif build.face == "wheels":
            cell = wheel_cell(build, position, height_px, colours, is_last=wheel == wheels - 1)
        else:
            dead = scene.dead[1] if scene.dead and scene.dead[0] == wheel else None
            figure = None if wheel < scene.dark else int(position)
            cell = display_cell(build, figure, height_px, colours, rng, dead)
        part = plate[y : y + height_px, x : x + cell.shape[1]]
        part[:] = cell[: part.shape[0], : part.shape[1]]
    if 0 < scene.n_decimals < wheels and build.face != "dials":
        ink = build.whole_colours[1] if build.face != "wheels" else _readable(build.plate_colour)
        # Between two displays, or on the plate under the gap between two wheels.
        below = 0.36 if build.face != "wheels" else 0.56
        point = place((scene.middle(first - 1) + scene.middle(first)) / 2, below)
        cv2.circle(plate, point, max(2, round(0.045 * height_px)), ink, -1, cv2.LINE_AA)
    if scene.unit:
        tile = text_tile(scene.unit, "sans", max(8, round(0.22 * height_px)), 0)
        x, y = place(scene.width / 2 + 0.08, 0.0)
        if x + tile.shape[1] < across:
            print_mask(plate, tile, x, y - tile.shape[0] // 2, _readable(build.plate_colour))
    return plate, corner


def _dial(scene: CounterScene, index: int, position: float, height_px: int) -> Pixels:
    """Draw a dial of a register, its labels the way round that it turns."""
    build, last = scene.build, len(scene.positions) - 1
    ground, ink = build.whole_colours
    pointer = build.decimal_colours[0]
    # Neighbours mesh, so they turn in opposite directions; the last is the build's own.
    direction = 1 if build.clockwise == ((last - index) % 2 == 0) else -1
    cell = np.empty((height_px, height_px, 3), np.uint8)
    cell[:] = build.plate_colour

    def at(turn: float, radius: float) -> tuple[int, int]:
        """A point of the dial in sixteenths of a pixel."""
        x, y = polar(direction * 360 * turn, radius)
        return round(16 * height_px * (0.5 + x)), round(16 * height_px * (0.5 + y))

    # OpenCV counts in sixteenths where its last argument, the shift, is 4.
    thick = max(1, round(0.012 * height_px))
    middle = at(0, 0)
    cv2.circle(cell, middle, round(16 * 0.48 * height_px), ground, -1, cv2.LINE_AA, 4)
    cv2.circle(cell, middle, round(16 * 0.48 * height_px), ink, thick, cv2.LINE_AA, 4)
    for figure in range(10):
        cv2.line(cell, at(figure / 10, 0.48), at(figure / 10, 0.42), ink, thick, cv2.LINE_AA, 4)
        tile = text_tile(str(figure), build.font, max(5, round(0.13 * height_px)), 0)
        x, y = (side // 16 for side in at(figure / 10, 0.335))
        print_mask(cell, tile, x - tile.shape[1] // 2, y - tile.shape[0] // 2, ink)
    turn = position / 10
    # A kite: its tip, its two sides and the blunt end behind the pivot.
    hand = [at(turn, 0.4), at(turn + 0.25, 0.05), at(turn + 0.5, 0.1), at(turn - 0.25, 0.05)]
    cv2.fillPoly(cell, [np.array(hand, np.int32)], pointer, cv2.LINE_AA, 4)
    cv2.circle(cell, middle, round(16 * 0.05 * height_px), pointer, -1, cv2.LINE_AA, 4)
    return cell


def _readable(ground: Colour) -> Colour:
    return (20, 20, 20) if sum(ground) > 384 else (240, 240, 236)
