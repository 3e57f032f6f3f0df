"""Measuring cylinders: a liquid in a glass."""

from gnomon.generators.drawing.canvas import Canvas
from gnomon.generators.drawing.colours import Palette, blend
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.instruments.base import Instrument, Layout, Line, Phrases, Shapes
from gnomon.generators.instruments.scale import Scale, linear


class MeasuringCylinder(Instrument):
    """A liquid whose surface is at the value."""

    name = "cylinder"
    layout = Layout(
        track=Line((-0.04, 0.8), (-0.04, -0.74)),
        tick=0.16,
        label=0.31,
        digit=0.09,
        zone=(-0.36, -0.28),
        target=(-0.24, -0.34),
        unit=(0.22, -0.87),
        half_size=(0.52, 1.0),
    )

    def scales(self) -> tuple[Scale, ...]:
        """Volumes of laboratory glass."""
        return linear("mL 0 100 10", "mL 0 50 5", "mL 0 25 5", "mL 0 250 25", "mL 0 500 50")

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has no hand
        """The liquid from the bottom up."""
        _, y = self.layout.track.at(share)
        return [oblong(-0.24, y + swell, 0.44, 0.9)]

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:  # noqa: ARG002
        """The liquid, pale: the ticks and labels are read through it."""
        canvas.inlay(contours, blend(palette.floor, palette.second, 0.45))

    def body(self) -> Shapes:
        """The glass around the liquid."""
        return [oblong(-0.27, -0.96, 0.47, 0.93)]

    def first_reading(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """The first tick: liquid stands below it, too."""
        return 0

    def phrases(self) -> Phrases:
        """A measuring cylinder, and its liquid."""
        return Phrases("measuring cylinder", "the liquid in the measuring cylinder")
