"""Base of instruments with a scale: what each must define to be drawn, read and asked about.

Lengths are in units of about half the instrument, y downwards. A new instrument is a file in this
folder with a subclass of `Instrument`, and a line in `INSTRUMENTS`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import Palette
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc, hand_shape, oblong, outline, polar, rotate
from gnomon.generators.instruments.scale import Scale, ScaleReading
from gnomon.generators.rng import Rng

Shapes: TypeAlias = "list[Points]"


@dataclass(frozen=True, slots=True)
class Arc:
    """Round track: from `start`, in degrees clockwise from up, over `sweep` degrees."""

    pivot: tuple[float, float]
    radius: float
    start: float
    sweep: float

    def at(self, share: float, offset: float = 0.0) -> tuple[float, float]:
        """Return the point at a share of the track, `offset` away from it towards the pivot."""
        x, y = polar(self.angle(share), self.radius - offset)
        return self.pivot[0] + x, self.pivot[1] + y

    def angle(self, share: float) -> float:
        """Return degrees clockwise from up."""
        return self.start + self.sweep * share

    @property
    def length(self) -> float:
        """Length from the first tick to the last."""
        return self.radius * math.radians(abs(self.sweep))


@dataclass(frozen=True, slots=True)
class Line:
    """Straight track. Its labels stand on the right of a rising track and below a horizontal
    track."""

    begin: tuple[float, float]
    end: tuple[float, float]

    def at(self, share: float, offset: float = 0.0) -> tuple[float, float]:
        """Return the point at a share of the track, `offset` away from it towards the labels."""
        (x1, y1), (x2, y2) = self.begin, self.end
        # Direction of the track. (−y, x) of it points to the labels.
        along = (x2 - x1) / self.length, (y2 - y1) / self.length
        return x1 + (x2 - x1) * share - along[1] * offset, y1 + (y2 - y1) * share + along[
            0
        ] * offset

    @property
    def length(self) -> float:
        """Length from the first tick to the last."""
        return math.dist(self.begin, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Places of an instrument's parts. Offsets are distances from the track."""

    track: Arc | Line
    tick: float
    """Length of a labelled tick."""
    label: float
    """Offset of the labels' centres."""
    digit: float
    """Height of a label's digits."""
    zone: tuple[float, float]
    """Offsets of the inner and outer edge of coloured zones."""
    mark: tuple[float, float]
    """Offsets of the tip and the base of the triangle that marks a value."""
    unit: tuple[float, float]
    """Place at which the unit is printed."""
    half_size: tuple[float, float] | None = None
    """Half the width and height of an upright case. None for a round case."""


class Phrases(NamedTuple):
    """Words for an instrument in questions."""

    name: str
    pointer: str
    """Name of the part whose box `where` asks for."""
    texts: Mapping[str, list[str] | str] = MappingProxyType({})
    """Wordings by question, if they differ from the general wordings."""


class Instrument(ABC):
    """Instrument with a scale. A class defines everything that is specific to it."""

    name: ClassVar[str]
    layout: Layout
    min_readable_side: ClassVar[int] = 130
    """Smallest shorter side in pixels at which it is readable in the photo look."""
    pointer_covers_ticks: ClassVar[bool] = False
    """True for a needle above the dial. A column or a bar lies below the ticks."""
    lies_in_face: ClassVar[bool] = False
    """True if it is often printed beside others on one large face, without its own case."""
    has_window: ClassVar[bool] = False
    """True if only a part of the scale is visible, so questions about its ends are left out."""

    @abstractmethod
    def scales(self) -> tuple[Scale, ...]:
        """Scales that it may carry: linear scales in each division, then logarithmic scales."""

    @abstractmethod
    def pointer(self, hand: str, share: float, swell: float) -> Shapes:
        """Return the contours of the pointer, column or bar at a share of the track.

        `swell` is how far anti-aliasing grows a shape on each side. Shapes end where they would
        with the growth, so a column's upper edge is at its value to a tenth of a pixel.
        """

    @abstractmethod
    def phrases(self) -> Phrases:
        """Words for it in questions."""

    @abstractmethod
    def first_place(self, parts: int) -> int:
        """Return the lowest position at which it is read. Positions count in `parts` from tick to
        tick."""

    def with_random_design(self, rng: Rng, scale: Scale) -> Instrument:  # noqa: ARG002 - most have one
        """Draw a design that can carry the scale. An instrument with a single design returns
        itself."""
        return self

    def turn_card(self, share: float) -> Instrument:  # noqa: ARG002 - most cards are fixed
        """Return the instrument with its card turned to show a share of the track at a fixed mark.

        If the card is fixed and a pointer moves, return the instrument itself.
        """
        return self

    def place_count(self, scale: Scale, parts: int) -> int:
        """Return the positions at which it may be read, `parts` of them from each tick to the
        next."""
        return (len(scale.ticks) - 1) * parts + 1

    def reading(self, scale: Scale, place: int, parts: int) -> ScaleReading:
        """Return the value at a position, with its tolerance, which is usually half a tick."""
        return scale.reading(place, parts)

    def answer(self, value: Decimal) -> Decimal:
        """Return the value as people write it."""
        return value

    def draw_pointer(
        self,
        canvas: Canvas,
        pose: Pose,  # noqa: ARG002 - a needle's hub stands by it
        contours: Shapes,
        palette: Palette,
    ) -> None:
        """Put the posed contours of `pointer` on the canvas."""
        for contour in contours:  # one by one: where a column and its bulb overlap is no hole
            canvas.fill_fine([contour], palette.second)

    def draw_details(self, canvas: Canvas, pose: Pose, palette: Palette) -> None:  # noqa: B027 - most have none
        """Draw coloured parts, under a needle and above the print. Usually nothing."""

    @property
    def can_crop(self) -> bool:
        """Return True if a photograph may cut off a part of the rim, as for most round
        instruments."""
        return self.layout.half_size is None

    def printed(self) -> list[Shapes]:
        """Return shapes in ink besides ticks and labels, each with its holes. Usually empty."""
        return []

    def captions(self, scale: Scale) -> list[Lettering]:
        """Return the words on the floor: the unit."""
        return [Lettering(scale.unit, *self.layout.unit, 0.1)]

    def ticks(self, scale: Scale) -> tuple[Decimal, ...]:
        """Return the visible ticks: all of them, unless a window shows only a part."""
        return scale.ticks

    def most_labels(self, scale: Scale) -> int:  # noqa: ARG002 - wide labels depend on it
        """Number of labels that fit along the track without touching. If there are more, every
        second is written."""
        return 11

    def labels(self, scale: Scale) -> list[tuple[Decimal, tuple[float, float]]]:
        """Return the written values with their middles."""
        # A logarithmic scale labels 1, 2 and 5 of a decade, which are far enough apart.
        every = 2 if len(scale.labels) > self.most_labels(scale) and not scale.log else 1
        track = self.layout.track
        return [(v, track.at(scale.share(v), self.layout.label)) for v in scale.labels[::every]]

    def numerals(self, scale: Scale) -> list[Lettering]:
        """Return the labels as they are written, usually upright."""
        return [
            Lettering(f"{value:f}".replace("-", "−"), x, y, self.layout.digit)
            for value, (x, y) in self.labels(scale)
        ]

    def letters(self, scale: Scale) -> str:
        """Return the letters that a font needs for all of its designs."""
        return scale.unit + "".join(text.text for text in self.numerals(scale))

    def outline(self, case: str, scale: float = 1.0) -> Points:
        """Return the case as a polygon. A scale above 1 draws a rim around it."""
        return _outline(self.layout.half_size, case, scale)

    def mark(self, share: float) -> Points:
        """Return a small triangle whose tip marks a value."""
        track, (tip, base) = self.layout.track, self.layout.mark
        # Half the base of the triangle, as a share of the track.
        half = 0.045 / track.length
        corners = ((share, tip), (share - half, base), (share + half, base))
        return np.array([track.at(*corner) for corner in corners])

    def zone(self, begin: float, end: float) -> Points:
        """Return a coloured zone along the track, from share to share."""
        track, (near, far) = self.layout.track, self.layout.zone
        # A corner every fortieth of the track, so the chord of an arc stays within a pixel.
        steps = np.linspace(begin, end, max(2, round(40 * (end - begin)) + 2)).tolist()
        return np.array(
            [track.at(share, near) for share in steps]
            + [track.at(share, far) for share in steps[::-1]]
        )

    def meaning(self, scale: Scale, place: int, parts: int) -> str:
        """Return instrument, scale and value in words, whatever the division of the ticks.

        Splits depend on this text, so it never changes.
        """
        ends = f"{scale.low}..{scale.high}{' log' * scale.log}"
        return f"{self.name}|{scale.unit}|{ends}|{self.reading(scale, place, parts).value:f}"


class NeedleInstrument(Instrument):
    """Instrument whose needle turns around a pivot, above the ticks."""

    pointer_covers_ticks = True

    @property
    def arc(self) -> Arc:
        """Return the round track."""
        track = self.layout.track
        assert isinstance(track, Arc)
        return track

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:
        """Return a needle from the pivot towards the value."""
        width = max(0.055 - 2 * swell, 0.03)  # thinner, and the needle fades in small pictures
        needle = hand_shape(hand, self.needle_length, width)
        return [contour + self.arc.pivot for contour in rotate(needle, self.arc.angle(share))]

    @property
    def needle_length(self) -> float:
        """Return the length from the pivot to the tip, which covers nearly half of a labelled
        tick."""
        return self.arc.radius - 0.45 * self.layout.tick

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:
        """Draw the needle with its hub above it."""
        canvas.fill_fine(contours, palette.second)
        canvas.fill_fine([pose(disc(0.08) + self.arc.pivot)], palette.hands)

    def first_place(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """Return the first tick, because a needle shows it as well as any other."""
        return 0


@cache
def _outline(half_size: tuple[float, float] | None, case: str, scale: float) -> Points:
    if half_size is None:
        return outline(case, scale)
    # A rim equally broad on all sides. Scaled, it would be broader on the longer sides.
    (x, y), grow = half_size, scale - 1
    return oblong(-x - grow, -y - grow, x + grow, y + grow, 0.1, step=15)
