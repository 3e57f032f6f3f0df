"""Straight tracks: thermometers, measuring cylinders, rulers."""

import numpy as np

from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import Palette, blend
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc, oblong
from gnomon.generators.instruments.base import Instrument, Layout, Line, Phrases, Shapes
from gnomon.generators.instruments.scale import BINARY_DIVISIONS, Scale, linear

_BULB = (0.0, 0.78)


class Thermometer(Instrument):
    """Column that ends at the value."""

    name = "thermometer"
    layout = Layout(
        track=Line((0.08, 0.6), (0.08, -0.85)),
        tick=0.13,
        label=0.28,
        digit=0.085,
        zone=(-0.32, -0.24),
        mark=(-0.19, -0.29),
        unit=(0.3, 0.83),
        half_size=(0.52, 1.0),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Ranges of air, water and body temperatures."""
        return linear(
            "°C -20 50 10", "°C -30 50 10", "°C 0 100 10", "°C 35 42 1", "°F 0 120 20",
            "°F -40 120 20",
        )  # fmt: skip

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has no hand
        """Return the column from the bulb upwards, and the bulb."""
        _, y = self.layout.track.at(share)
        column = oblong(-0.035, y + swell, 0.035, _BULB[1])
        return [column, np.array(_BULB) + disc(0.1)]

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:
        """Draw the column in the glass of the tube and of the bulb."""
        _draw_glass(canvas, pose, oblong(-0.075, -0.93, 0.075, _BULB[1], 0.07, step=15), palette)
        _draw_glass(canvas, pose, np.array(_BULB) + disc(0.14), palette)
        super().draw_pointer(canvas, pose, contours, palette)

    def first_place(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """Return the first tick, which the column reaches from the bulb."""
        return 0

    def phrases(self) -> Phrases:
        """A thermometer has a column and no pointer."""
        return Phrases("thermometer", "the thermometer's column")


class MeasuringCylinder(Instrument):
    """Liquid whose surface is at the value."""

    name = "cylinder"
    layout = Layout(
        track=Line((-0.04, 0.8), (-0.04, -0.74)),
        tick=0.16,
        label=0.31,
        digit=0.09,
        zone=(-0.36, -0.28),
        mark=(-0.24, -0.34),
        unit=(0.22, -0.87),
        half_size=(0.52, 1.0),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Volumes of laboratory glass."""
        return linear("mL 0 100 10", "mL 0 50 5", "mL 0 25 5", "mL 0 250 25", "mL 0 500 50")

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has no hand
        """Return the liquid from the bottom upwards."""
        _, y = self.layout.track.at(share)
        return [oblong(-0.24, y + swell, 0.44, 0.9)]

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:
        """Draw the glass and the pale liquid, through which ticks and labels are read."""
        _draw_glass(canvas, pose, oblong(-0.27, -0.96, 0.47, 0.93), palette)
        canvas.fill_fine(contours, blend(palette.floor, palette.second, 0.45))

    def first_place(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """Return the first tick, because liquid also stands below it."""
        return 0

    def phrases(self) -> Phrases:
        """Words for a measuring cylinder and its liquid."""
        return Phrases("measuring cylinder", "the liquid in the measuring cylinder")


class Ruler(Instrument):
    """Bar from the first tick to the value."""

    name = "ruler"
    layout = Layout(
        track=Line((-0.9, -0.02), (0.9, -0.02)),
        tick=0.13,
        label=0.2,
        digit=0.075,
        zone=(0.3, 0.36),
        mark=(-0.02, -0.12),
        unit=(0.8, -0.36),
        half_size=(1.0, 0.45),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Centimetres, inches in halves to eighths, millimetres."""
        return (
            *linear("cm 0 15 1", "cm 0 10 1", "cm 0 5 1"),
            *linear("in 0 6 1", "in 0 12 1", divisions=BINARY_DIVISIONS),
            *linear("mm 0 100 10"),
        )

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has no hand
        """Draw the measured bar."""
        (x, y), (left, _) = self.layout.track.at(share), self.layout.track.at(0)
        return [oblong(left + swell, y - 0.26, x - swell, y - 0.04)]

    def most_labels(self, scale: Scale) -> int:
        """Ten labels if three digits stand side by side, because 90 beside 100 would read 90100."""
        return 10 if scale.high >= 100 else 11

    def first_place(self, parts: int) -> int:
        """Return the second tick, because a shorter bar is hardly visible."""
        return parts

    def phrases(self) -> Phrases:
        """Questions are about the bar, not about the ruler."""
        share = "What percentage of the full scale is the bar's length?"
        return Phrases("ruler", "the bar above the ruler", {
            "read": ["How long is the bar above the ruler? Answer in {unit}.",
                     "Measure the bar with the ruler. Answer in {unit}."],
            "difference": "How far is the bar's end from the target marked by the triangle?"
                          " Answer in {unit}.",
            "percent": f"{share} Answer to one decimal, with %.",
            "zone": "In which zone does the bar end: green, yellow or red?",
            "in_range": "Is the bar's length between {low:f} and {high:f} {unit}?"
                        " Answer yes or no.",
        })  # fmt: skip


def _draw_glass(canvas: Canvas, pose: Pose, shape: Points, palette: Palette) -> None:
    canvas.fill_fine([pose(shape)], blend(palette.floor, palette.ink, 0.13))
