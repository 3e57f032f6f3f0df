"""Bathroom scales: a printed disc turns behind a window with a fixed line.

Household makes weigh up to 120, 130, 150 or 160 kg (or 280 to 330 lb) in nearly one turn, with a
tick per kilogram or two pounds and a label every ten or twenty. The window shows a sixth of the
turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import Palette
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import oblong, polygon
from gnomon.generators.instruments.base import Arc, Instrument, Layout, Phrases, Shapes
from gnomon.generators.instruments.scale import Scale, linear
from gnomon.generators.rng import Rng

# Degrees of the disc that its numbers take.
_SWEEP = 330.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BathroomScaleDesign:
    """Construction of a weighing scale. Lengths are in units of half the window's breadth."""

    radius: float = 1.6
    """Distance from the disc's middle to the ticks."""
    window: float = 0.5
    """Half the window's height."""
    corner: float = 0.1
    tick_length: float = 0.16
    digit_height: float = 0.13
    line: str = "line"
    """Fixed mark: a line over the whole window, or a triangle from its upper edge."""
    frame: float = 0.3
    """The case around the window."""


class BathroomScale(Instrument):
    """Bathroom scale. Its value stands under the line in the middle of its window."""

    name: ClassVar[str] = "bathroom_scale"
    min_readable_side: ClassVar[int] = 150
    pointer_covers_ticks = True
    has_window = True

    def __init__(self, design: BathroomScaleDesign | None = None, card_share: float = 0.0) -> None:
        """`card_share` is the share of the track to which the disc is turned."""
        self._design = design or BathroomScaleDesign()
        self._card_share = card_share
        design = self._design
        # Ticks end slightly below the window's upper edge.
        self._top = -0.72 * design.window
        self.layout = Layout(
            track=Arc(
                (0.0, self._top + design.radius),
                design.radius,
                start=-_SWEEP * card_share,
                sweep=_SWEEP,
            ),
            tick=design.tick_length,
            label=design.tick_length + 0.62 * design.digit_height + 0.06,
            digit=design.digit_height,
            zone=(-0.09, -0.02),
            mark=(-0.01, -0.11),
            unit=(0.17, 0.62 * design.window),
            half_size=(1.0, design.window),
        )

    def with_random_design(self, rng: Rng, scale: Scale) -> BathroomScale:  # noqa: ARG002 - all carry each
        """Draw proportions of window and disc, and a line or a triangle for the mark."""
        return BathroomScale(BathroomScaleDesign(
            radius=rng.uniform(1.45, 1.8),
            window=rng.uniform(0.46, 0.62),
            corner=rng.uniform(0.02, 0.4),
            tick_length=rng.uniform(0.13, 0.2),
            digit_height=rng.uniform(0.12, 0.15),
            line=rng.choice(("line", "line", "triangle")),
            frame=rng.uniform(0.15, 0.5),
        ))  # fmt: skip

    def scales(self) -> tuple[Scale, ...]:
        """Common ranges, with ticks of half a unit to five."""
        return linear(
            "kg 0 120 10", "kg 0 130 10", "kg 0 150 10", "kg 0 160 10", "lb 0 280 20",
            "lb 0 300 20", divisions=(5, 10, 20),
        )  # fmt: skip

    def turn_card(self, share: float) -> BathroomScale:
        """Turn the value of the disc to the line."""
        return BathroomScale(self._design, share)

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - it stands still
        """Return the line, or the triangle, at the middle of the window."""
        edge = self._design.window
        if self._design.line == "triangle":
            return [polygon((-0.09, -edge), (0.09, -edge), (0.0, self._top + 0.02))]
        # A thinner line fades in small pictures.
        half = max(0.016 - swell, 0.008)
        return [oblong(-half, -edge, half, edge)]

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:  # noqa: ARG002
        """Draw the mark in the colour of needles."""
        canvas.fill_fine(contours, palette.second)

    def draw_details(self, canvas: Canvas, pose: Pose, palette: Palette) -> None:
        """Draw the case with its window above the disc."""
        canvas.fill_fine([pose(self.outline("", 1.06)), pose(self.outline(""))], palette.case)

    def ticks(self, scale: Scale) -> tuple[Decimal, ...]:
        """Return the ticks within the window."""
        return tuple(tick for tick in scale.ticks if self._is_visible(scale.share(tick)))

    def labels(self, scale: Scale) -> list[tuple[Decimal, tuple[float, float]]]:
        """Return the labels whose tick lies within the window."""
        return [(v, at) for v, at in super().labels(scale) if self._is_visible(scale.share(v))]

    def most_labels(self, scale: Scale) -> int:
        """Return all labels, because few are within the window."""
        return len(scale.labels)

    def numerals(self, scale: Scale) -> list[Lettering]:
        """Return labels with their feet to the disc's middle. The cover cuts labels at its edge."""
        track = self.layout.track
        assert isinstance(track, Arc)
        texts = []
        for value in scale.labels:
            share = scale.share(value)
            x, y = track.at(share, self.layout.label)
            if abs(x) < 1 and abs(y) < self._design.window:
                turn = round(track.angle(share)) % 360
                texts.append(Lettering(f"{value:f}", x, y, self.layout.digit, turn))
        return texts

    def letters(self, scale: Scale) -> str:
        """Add the unit and all figures, because most labels are hidden at any one value."""
        return scale.unit + "0123456789"

    def outline(self, case: str, scale: float = 1.0) -> Points:  # noqa: ARG002 - its own form
        """Return the window, or above 1 the case around it."""
        design = self._design
        # A rim has the scale 1.06, at which the frame has its whole breadth.
        grow = design.frame * (scale - 1) / 0.06
        corner = design.corner * design.window + 0.3 * grow
        return oblong(
            -1 - grow, -design.window - grow, 1 + grow, design.window + grow, corner, step=15
        )

    def first_place(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """An empty scale reads 0."""
        return 0

    def phrases(self) -> Phrases:
        """A weighing scale, which is read at a line."""
        return Phrases("scale", "the scale's line")

    def _is_visible(self, share: float) -> bool:
        """True if the tick lies within the window, its corners left out."""
        x, y = self.layout.track.at(share)
        # A tick in a round corner of the window is cut off.
        corner = 0.4 * self._design.corner * self._design.window
        return abs(x) < 0.98 - corner and y < self._design.window - self._design.tick_length
