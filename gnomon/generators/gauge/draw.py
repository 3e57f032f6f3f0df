"""Drawing of a gauge from backdrop to pointer, and its facts."""

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from PIL.Image import Image

from gnomon.generators.drawing import colours
from gnomon.generators.drawing.backgrounds import background_behind
from gnomon.generators.drawing.canvas import MASK_SCALE, SCALE, SWELL, Canvas, Points, bounding_box
from gnomon.generators.drawing.colours import Colour, Palette
from gnomon.generators.drawing.lettering import draw_texts
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import ellipse, polar
from gnomon.generators.instruments.base import Instrument
from gnomon.generators.instruments.scale import Scale, ScaleReading
from gnomon.generators.instruments.scale_questions import ZONES, ScaleQuestion, Zone
from gnomon.generators.looks import photo
from gnomon.generators.rng import Rng

# Outline of the case, relative to the floor's outline.
RIM = 1.06
# Cases of instruments with a round dial.
CASES = ("round", "ring", "cushion", "octagon")
# Without a case: the instrument is printed on a face that continues beyond the picture.
FACE = "bare"


class GaugeLook(NamedTuple):
    """Properties of a drawn instrument that do not depend on its value."""

    size: int
    """Side of the picture in pixels."""
    case: str
    hand: str
    palette: str
    background: str
    font: str
    pose: Pose
    is_photo: bool = False
    """True for a picture as a camera takes it, with light, shadows and glass."""


class GaugeScene(NamedTuple):
    """An instrument with the value that it shows."""

    instrument: Instrument
    scale: Scale
    value: Decimal
    zones: tuple[Zone, ...]
    mark: Decimal | None
    """Value that a triangle marks."""
    look: GaugeLook

    @property
    def instrument_at_value(self) -> Instrument:
        """Return the instrument posed at the value, with its card turned if the card turns."""
        return self.instrument.turn_card(self.scale.share(self.value))


def draw_gauge(scene: GaugeScene, rng: Rng) -> Image:
    """Draw an instrument with its value."""
    instrument, scale, look = scene.instrument_at_value, scene.scale, scene.look
    palette, pose = colours.palette(look.palette), look.pose
    canvas = (
        _draw_face(scene, palette, rng) if look.case == FACE else _draw_case(scene, palette, rng)
    )
    for name, begin, end in scene.zones:
        zone = instrument.zone(scale.share(begin), scale.share(end))
        canvas.fill_fine([pose(zone)], ZONES[name])
    if not instrument.pointer_covers_ticks:
        instrument.draw_pointer(canvas, pose, pointer(scene), palette)
    for shapes in instrument.printed():
        canvas.fill_fine([pose(shape) for shape in shapes], palette.ink)
    _draw_graduation(canvas, scene, palette)
    # From here on everything is drawn through fine masks, so the canvas can have the picture's
    # own size, at a quarter of the cost.
    canvas = canvas.halve()
    _draw_texts(canvas, scene, palette.ink)
    instrument.draw_details(canvas, pose, palette)
    if scene.mark is not None:
        triangle = instrument.mark(scale.share(scene.mark))
        canvas.fill_fine([pose(triangle)], palette.ink)
    if not look.is_photo:
        if instrument.pointer_covers_ticks:
            instrument.draw_pointer(canvas, pose, pointer(scene), palette)
        return canvas.picture()
    return _photograph(canvas, scene, palette, rng)


def _draw_case(scene: GaugeScene, palette: Palette, rng: Rng) -> Canvas:
    """Draw the backdrop with the case and its floor in front."""
    instrument, look = scene.instrument_at_value, scene.look
    case = instrument.outline(look.case, RIM)
    # The backdrop stands out from the case just outside it, at 1.03 of the rim.
    edges, side = [(look.pose(1.03 * case), palette.case)], SCALE * look.size
    ground = background_behind(look.background, side, palette.ground, rng, edges, SCALE)
    canvas = Canvas(look.size, ground)
    canvas.fill([look.pose(case)], palette.case)
    canvas.fill([look.pose(instrument.outline(look.case))], palette.floor)
    return canvas


def _draw_face(scene: GaugeScene, palette: Palette, rng: Rng) -> Canvas:
    """Draw a floor that fills the picture, with parts of neighbouring prints."""
    side, pose = SCALE * scene.look.size, scene.look.pose
    canvas = Canvas(scene.look.size, np.full((side, side, 3), palette.floor, np.uint8))
    for _ in range(rng.integer(0, 3)):
        # Neighbours start outside the instrument, and most of each lies beyond the picture.
        radius = rng.uniform(0.2, 1.0)
        x, y = polar(rng.uniform(0, 360), radius + rng.uniform(1.05, 1.5))
        breadth, colour = (
            rng.uniform(0.01, 0.05),
            rng.choice((palette.ink, palette.ink, palette.second)),
        )
        outer, inner = ellipse(x, y, radius), ellipse(x, y, radius - breadth)[::-1]
        is_solid = radius < 0.4 and rng.chance(0.5)
        canvas.fill_fine([pose(outer)] if is_solid else [pose(outer), pose(inner)], colour)
    return canvas


def _photograph(canvas: Canvas, scene: GaugeScene, palette: Palette, rng: Rng) -> Image:
    """Photograph the drawing, with the pointer slightly above it."""
    instrument, look = scene.instrument_at_value, scene.look
    without_pointer, shapes = canvas.pixels.copy(), []
    if instrument.pointer_covers_ticks:  # columns and bars lie in the floor and cast no shadow
        shift_px = np.array(photo.parallax(rng, look.pose.scale))
        shapes = [shape + shift_px for shape in pointer(scene)]
        instrument.draw_pointer(canvas, look.pose.moved(*shift_px), shapes, palette)
    # A face continues beyond the picture.
    grow = 4.0 if look.case == FACE else 1.0
    case, floor = (look.pose(instrument.outline(look.case, grow * rim)) for rim in (RIM, 1.0))
    masks = (photo.mask_of(part, canvas.size) for part in (shapes, [case], [floor]))
    layers = photo.Layers(without_pointer, canvas.pixels, *masks)
    return photo.photograph(layers, rng, min_readable_side=instrument.min_readable_side)


def pointer(scene: GaugeScene) -> list[Points]:
    """Return the contours of the pointer, column or bar, in the picture."""
    pose, share = scene.look.pose, scene.scale.share(scene.value)
    shapes = scene.instrument_at_value.pointer(
        scene.look.hand, share, SWELL / MASK_SCALE / pose.scale
    )
    return [pose(shape) for shape in shapes]


def ticks(scene: GaugeScene) -> Points:
    """Return both ends of visible ticks in the picture, [n, 2, 2]. The end on the track comes
    first."""
    scale, layout = scene.scale, scene.instrument_at_value.layout
    labels = set(scale.labels)
    ends = []
    for tick in scene.instrument_at_value.ticks(scale):
        share = scale.share(tick)
        length = layout.tick * (1 if tick in labels else 0.6)
        ends.append([layout.track.at(share), layout.track.at(share, length)])
    points: Points = scene.look.pose(np.array(ends).reshape(-1, 2)).reshape(-1, 2, 2)
    return points


def _draw_graduation(canvas: Canvas, scene: GaugeScene, palette: Palette) -> None:
    """Draw ticks as thin lines. Labelled ticks are longer and broader."""
    ends, labels = ticks(scene), set(scene.scale.labels)
    visible = scene.instrument_at_value.ticks(scene.scale)
    label_indices = [i for i, tick in enumerate(visible) if tick in labels]
    canvas.strokes(ends, palette.ink)
    for begin, end in ends[label_indices]:
        half_width = (end - begin)[::-1] * (1, -1) / np.linalg.norm(end - begin)
        # At least 0.8 pixels broad, because a small instrument's labelled ticks would look like
        # the others.
        half_width *= max(0.4, 0.01 * scene.look.pose.scale)
        bar = np.array([begin - half_width, begin + half_width, end + half_width, end - half_width])
        canvas.fill_fine([bar], palette.ink)


def _draw_texts(canvas: Canvas, scene: GaugeScene, ink: Colour) -> None:
    """Write the numbers and the unit."""
    instrument, scale = scene.instrument_at_value, scene.scale
    texts = [*instrument.numerals(scale), *instrument.captions(scale)]
    draw_texts(canvas, texts, scene.look.font, scene.look.pose, ink)


def gauge_facts(
    scene: GaugeScene, reading: ScaleReading, question: ScaleQuestion
) -> dict[str, Any]:
    """Return scale, value and places: decimals as text, places in pixels."""
    instrument, scale, look = scene.instrument_at_value, scene.scale, scene.look
    pose, share = look.pose, scale.share(scene.value)
    ends = ticks(scene)
    # Cyclic scales are not read to half a tick, so the fact is twice the tolerance.
    tick = reading.tick if scale.cycle is None else 2 * reading.tolerance
    return {
        "instrument": instrument.name,
        "unit": scale.unit,
        "log": scale.log,
        "low": f"{scale.low:f}",
        "high": f"{scale.high:f}",
        "value": f"{scene.value:f}",
        "tick": f"{tick:f}",
        "share": share,
        "tip": list(pose.at(*instrument.layout.track.at(share))),
        "ticks": [
            {"value": f"{v:f}", "at": at.tolist()}
            for v, at in zip(instrument.ticks(scale), ends[:, 0], strict=True)
        ],
        "labels": [
            {"text": f"{v:f}", "at": list(pose.at(*at))} for v, at in instrument.labels(scale)
        ],
        "zones": [{"name": n, "from": f"{b:f}", "to": f"{e:f}"} for n, b, e in scene.zones],
        "target": None if scene.mark is None else f"{scene.mark:f}",
        "limits": None if question.limits is None else [f"{v:f}" for v in question.limits],
        "style": {"case": look.case, "hand": look.hand, "palette": look.palette,
                  "background": look.background, "font": look.font},
        "scale_box": bounding_box(ends.reshape(-1, 2)),
        "pointer_box": bounding_box(np.concatenate(pointer(scene))),
        "case_box": bounding_box(pose(instrument.outline(look.case, RIM))),
        "homography": pose.matrix.tolist(),
    }  # fmt: skip
