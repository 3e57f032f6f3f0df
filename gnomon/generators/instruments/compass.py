"""Compasses: 0 to 360 degrees all the way round, under a needle or past a fixed mark.

If a card turns (on ships and in aircraft) or the ring of a compass on a plate, the value stands at
the mark above. If the card is fixed, the value stands at the needle's red end. The markings follow
these sources: IMO resolution A.382(X) for ships' cards (N, E, S and W as letters, numbers of three
figures); FAA-H-8083-25, chapter 8, for aircraft (letters, and a number without its last zero every
30 degrees, long ticks every 10 and short ticks every 5); the usual ring of a compass for hikers,
with ticks of 2 degrees and red in the north. A surveyor's compass has its numbers the other way
round, with east and west exchanged, so the needle shows the bearing of the sights.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import ClassVar

from gnomon.generators.drawing.canvas import Canvas, Points
from gnomon.generators.drawing.colours import VISIBLE, Colour, Palette, difference
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc, ellipse, mirrored, oblong, polar, polygon, rotate
from gnomon.generators.instruments.base import Arc, Instrument, Layout, Phrases, Shapes
from gnomon.generators.instruments.scale import Scale, ScaleReading, cyclic
from gnomon.generators.rng import Rng

_POINTS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
_STYLES = ("pocket", "pocket", "plate", "plate", "ship", "ship", "aircraft", "survey")
_POINTED_STYLES = ("pocket", "pocket", "plate", "ship")
_RED: Colour = (200, 24, 30)
# Positions of the needle in a turn, tenths of a degree, so each split has all whole degrees.
_PLACES = 3600
# Ends of a hiker's plate, above and below the ring's middle.
_PLATE_ENDS = (-1.36, 1.04)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompassDesign:
    """Construction of a compass. Lengths are in units of half its dial."""

    style: str = "ship"
    """Moving part: the card of ship and aircraft, the ring of plate, the needle of pocket and
    survey."""
    radius: float = 0.8
    tick_length: float = 0.1
    digit_height: float = 0.085
    letters: bool = True
    """True if N, E, S and W replace their numbers."""
    figures: str = "three"
    """Numbers as 030 (three), 30 (plain) or 3 (tens)."""
    upright: bool = False
    """True if labels stand upright all round, otherwise with their feet to the middle."""
    inner_points: int = 0
    """Number of points named in a ring within the numbers: 0, 4 or 8."""
    rose: bool = False
    """True if a star of eight points is printed around the middle."""
    breadth: float = 0.12
    """Half the breadth of the needle at its middle."""
    reach: float = 1.0
    """Position of the needle's end: 0 at the labels' inner edge, 1 at the middle of a labelled
    tick."""


class Compass(Instrument):
    """Compass, read to a degree or to a fifth of a tick."""

    name: ClassVar[str] = "compass"
    min_readable_side: ClassVar[int] = 110
    pointer_covers_ticks = True

    def __init__(self, design: CompassDesign | None = None, card_share: float = 0.0) -> None:
        """`card_share` is the turn of the card as a share of a full turn, if the card turns."""
        self._design = design or CompassDesign()
        self._card_share = card_share
        design = self._design
        is_reversed = design.style == "survey"
        # A card is turned back by its value, which then stands above.
        track = Arc(
            (0.0, 0.0), design.radius, start=-360 * card_share, sweep=-360 if is_reversed else 360
        )
        label = design.tick_length + 0.75 * design.digit_height + 0.05
        self.layout = Layout(
            track=track,
            tick=design.tick_length,
            label=label,
            digit=design.digit_height,
            zone=(-0.09, -0.02),
            mark=(-0.01, -0.11),
            unit=(0, 0.5),
            half_size=(1.0, 1.2) if design.style == "plate" else None,
        )

    def with_random_design(self, rng: Rng, scale: Scale) -> Compass:
        """Draw a design: a pocket, hiker's, surveyor's, ship's or aircraft's compass."""
        has_points = len(scale.labels) == len(_POINTS)
        # Surveyors and pilots need numbers.
        style = rng.choice(_POINTED_STYLES if has_points else _STYLES)
        figures = {"ship": "three", "aircraft": "tens"}.get(style, "plain")
        letters = style in ("ship", "aircraft") or rng.chance(0.6)
        # Each point has its name once.
        inner = 0 if letters or has_points else rng.choice((4, 8))
        return Compass(CompassDesign(
            style=style,
            radius=rng.uniform(0.76, 0.86 if style == "plate" else 0.9),
            tick_length=rng.uniform(0.07, 0.13),
            digit_height=rng.uniform(0.075, 0.11),
            letters=letters,
            figures=figures,
            upright=style == "pocket" and rng.chance(0.5),
            inner_points=inner,
            rose=not inner and style in ("ship", "pocket") and rng.chance(0.6),
            breadth=rng.uniform(0.07, 0.16),
            reach=rng.uniform(0.0, 1.0),
        ))  # fmt: skip

    def scales(self) -> tuple[Scale, ...]:
        """Return labels every 30 degrees, or at the eight points, with ticks of 2 to 15 degrees."""
        return (
            *cyclic("° 0 360 30", divisions=(3, 6, 15)),
            *cyclic("° 0 360 45", divisions=(3, 9)),
        )

    def place_count(self, scale: Scale, parts: int) -> int:  # noqa: ARG002 - anywhere on the track
        """Return the same number of positions for every compass, whatever its ticks."""
        return _PLACES

    def reading(self, scale: Scale, place: int, parts: int) -> ScaleReading:  # noqa: ARG002
        """Return the value in tenths of a degree. Readers see a fifth of a tick, or a degree."""
        tick = scale.ticks[1] - scale.ticks[0]
        return ScaleReading(Decimal(place) / 10, tick, max(Decimal(1), tick / 5))

    def answer(self, value: Decimal) -> Decimal:
        """Return the nearest degree. 359.6 is 0 again."""
        return value.quantize(Decimal(1), ROUND_HALF_UP) % 360

    def turn_card(self, share: float) -> Compass:
        """Turn the value of a ship's card or a hiker's ring to the mark. Other cards are fixed."""
        return Compass(self._design, share) if self._has_card else self

    def pointer(self, hand: str, share: float, swell: float) -> Shapes:  # noqa: ARG002 - has its own
        """Return the needle's north and south, or the mark above if the card turns."""
        design = self._design
        if self._has_card:
            return [polygon((0.0, 0.04 - design.radius), (-0.06, -0.97), (0.06, -0.97))]
        near = self._label_edge
        length = near + design.reach * (design.radius - 0.5 * design.tick_length - near)
        return self._needle(length, swell, share)

    def draw_details(self, canvas: Canvas, pose: Pose, palette: Palette) -> None:
        """Draw a plate's needle along the ring's north, which is how one sets the ring."""
        if self._design.style == "plate":
            halves = [pose(half) for half in self._needle(self._label_edge, 0.0, 0.0)]
            self._draw_needle(canvas, pose, halves, palette)

    def draw_pointer(self, canvas: Canvas, pose: Pose, contours: Shapes, palette: Palette) -> None:
        """Draw the needle, or the mark if the card turns."""
        if self._has_card:
            canvas.fill_fine(contours, _north_colour(palette))
        else:
            self._draw_needle(canvas, pose, contours, palette)

    @property
    def can_crop(self) -> bool:
        """Return False for designs with a mark at the rim."""
        return not self._has_card

    def printed(self) -> list[Shapes]:
        """Return a ring along the track, a rose, and the shapes of the style."""
        design, parts = self._design, []
        if design.style in ("plate", "ship"):
            parts.append([ellipse(0, 0, design.radius + 0.015), ellipse(0, 0, design.radius)[::-1]])
        if design.rose:
            parts += [[shape] for shape in self._rose(0.95 * self._label_edge)]
        if design.style == "aircraft":  # seen from behind, its nose to the mark
            parts += [[oblong(-0.03, -0.3, 0.03, 0.26)], [oblong(-0.28, -0.1, 0.28, -0.03)],
                      [oblong(-0.12, 0.2, 0.12, 0.25)]]  # fmt: skip
        if design.style == "plate":  # the arrow along which one walks
            parts += [[oblong(-0.015, -1.24, 0.015, -1.04)],
                      [polygon((0.0, -1.32), (-0.07, -1.2), (0.07, -1.2))]]  # fmt: skip
        return parts

    def captions(self, scale: Scale) -> list[Lettering]:  # noqa: ARG002 - the degree sign is printed on none
        """Write the points within the numbers."""
        design = self._design
        if not design.inner_points:
            return []
        # Three upright figures are broader than high.
        radius = self._label_edge - (2.3 if design.upright else 1.2) * design.digit_height
        places = range(0, 8, 8 // design.inner_points)
        return [self._text(_POINTS[n], n / 8, radius, 1.25 * design.digit_height) for n in places]

    def numerals(self, scale: Scale) -> list[Lettering]:
        """Return numbers and letters. Eight labels have the names of the points."""
        design, radius = self._design, self._design.radius - self.layout.label
        texts = []
        for value in scale.labels:
            text = self._label(int(value), named=len(scale.labels) == len(_POINTS))
            # Letters are larger than numbers on most cards.
            height = design.digit_height * (1.25 if text in _POINTS else 1)
            texts.append(self._text(text, scale.share(value), radius, height))
        return texts

    def labels(self, scale: Scale) -> list[tuple[Decimal, tuple[float, float]]]:
        """Return all labels, because there is room for each."""
        track = self.layout.track
        return [(v, track.at(scale.share(v), self.layout.label)) for v in scale.labels]

    def outline(self, case: str, scale: float = 1.0) -> Points:
        """Return a round case, or a plate that is longer on the mark's side."""
        if self._design.style != "plate":
            return super().outline(case, scale)
        (above, below), grow = _PLATE_ENDS, scale - 1
        return oblong(-1 - grow, above - grow, 1 + grow, below + grow, 0.12, step=15)

    def letters(self, scale: Scale) -> str:
        """Add the points of designs that name them."""
        return super().letters(scale) + "0123456789NESW"

    def first_place(self, parts: int) -> int:  # noqa: ARG002 - none is left out
        """Return the first position, because north is a direction like any other."""
        return 0

    def phrases(self) -> Phrases:
        """Needles and marks are both pointers."""
        return Phrases("compass", "the compass's pointer")

    @property
    def _has_card(self) -> bool:
        return self._design.style in ("ship", "aircraft", "plate")

    @property
    def _arc(self) -> Arc:
        track = self.layout.track
        assert isinstance(track, Arc)
        return track

    @property
    def _label_edge(self) -> float:
        """Radius that labels do not enter."""
        return self._design.radius - self.layout.label - 0.8 * self.layout.digit

    def _label(self, degrees: int, *, named: bool) -> str:
        design = self._design
        if named or (design.letters and degrees % 90 == 0):
            return _POINTS[degrees // 45]
        if design.figures == "three":
            return f"{degrees:03}"
        return str(degrees // 10 if design.figures == "tens" else degrees)

    def _text(self, text: str, share: float, radius: float, height: float) -> Lettering:
        degrees = self._arc.angle(share)
        x, y = polar(degrees, radius)
        return Lettering(text, x, y, height, 0 if self._design.upright else round(degrees) % 360)

    def _needle(self, length: float, swell: float, share: float) -> Shapes:
        """Return north and south half of a broad rhombus, cut across its middle."""
        half = max(self._design.breadth - swell, 0.04)
        north = polygon((0.0, length), (half, 0.0), (-half, 0.0))
        return rotate([north, north * (1, -1)], self._arc.angle(share))

    def _draw_needle(self, canvas: Canvas, pose: Pose, halves: Shapes, palette: Palette) -> None:
        north, south = halves
        canvas.fill_fine([north], _north_colour(palette))
        canvas.fill_fine([south], palette.hands)
        canvas.fill_fine([pose(disc(0.05))], palette.case)

    def _rose(self, length: float) -> Shapes:
        """Return rhombs towards the eight points. Those between the first four are shorter."""
        shapes = []
        for n in range(8):
            far = length * (0.6 if n % 2 else 1.0)
            ray = mirrored([(0.0, far), (0.12 * length, 0.2 * length), (0.0, 0.0)])
            shapes += rotate([ray], self._arc.angle(n / 8))
        return shapes


def _north_colour(palette: Palette) -> Colour:
    """Return red, as on nearly all compasses, if it stands out from the floor."""
    red, green, blue = palette.second
    if red > 1.5 * max(green, blue) or difference(_RED, palette.floor) < VISIBLE:
        return palette.second
    return _RED
