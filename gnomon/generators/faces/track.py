"""Tracks: scales with ticks, numerals and coloured zones, along an arc or a line."""

from __future__ import annotations

from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.lettering import Lettering
from gnomon.generators.drawing.pose import Pose
from gnomon.generators.drawing.shapes import disc
from gnomon.generators.faces.graduation import (
    LABELLED,
    MOST_TICKS,
    GraduatedPiece,
    Graduation,
    graduation,
)  # fmt: skip
from gnomon.generators.faces.painter import FacePainter
from gnomon.generators.faces.paints import Paint
from gnomon.generators.faces.part import (
    Distance,
    FacePart,
    FontName,
    Length,
    MountedPart,
    Place,
    with_keys,
)  # fmt: skip
from gnomon.generators.faces.paths import OutlinePath, RoundPath, ScalePath, Shares, StraightPath
from gnomon.generators.faces.scale import plain
from gnomon.generators.faces.varying import as_fraction
from gnomon.recipe import STRICT

# Shapes of bodies that are not round, and have an outline that a track can follow.
OUTLINES = ("square", "cushion", "oval", "tall", "octagon", "barrel", "hexagon")
# Degrees of the shortest arc on which a pointer can be read.
_LEAST_SWEEP = 5
Positive = Annotated[float, Field(gt=0)]


@dataclass(frozen=True, config=STRICT)
class ColourZone:
    """A coloured band along a track."""

    colour: Paint
    span: tuple[float, float]
    """Values at which the zone begins and ends, from the lower to the higher."""
    near: Distance | None = None
    """Distance of an edge from the track, inwards. Negative: outwards. Default: no distance."""
    far: Distance | None = None
    """Distance of the other edge, inwards. Negative: outwards. Default: the length of a tick."""


@dataclass(frozen=True, config=STRICT)
class ScalePiece:
    """A piece of a broken scale."""

    upto: float
    """Value at which the piece ends."""
    share: Annotated[float, Field(gt=0, le=1)]
    """Position on the track at which the piece ends: 0 is the track's start, 1 its end."""
    ticks: Positive | Literal["as track"] | None = "as track"
    """Distance between ticks of the piece. null draws no ticks between its labels."""
    middle: Positive | Literal["as track"] | None = "as track"
    """Distance between ticks of middle length."""
    labels: Positive | Literal["as track"] | None = "as track"
    """Distance between numbers."""


@dataclass(frozen=True, config=STRICT)
class Numerals:
    """The numbers along a track."""

    height: Length = 0.1
    """Height of a digit."""
    away: Distance | None = None
    """Distance of their centres from the track, inwards. Negative: outwards. Default: beyond the
    ticks."""
    room: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Smallest distance of their edges from the track, if `away` is not given."""
    turn: Literal["upright", "radial"] = "upright"
    """radial: their feet point to the pivot of an arc, or to the numerals' side of a line."""
    times: float = 1.0
    """Factor from value to written number, for example 0.01 on a scale marked x100."""
    decimals: Annotated[int, Field(ge=0, le=6)] | None = None
    """Decimal places. Default: as few as each number needs."""
    texts: tuple[str, ...] | None = None
    """Texts instead of the numbers, in order, for example [E, 1/2, F]."""
    most: Annotated[int, Field(ge=2)] | None = None
    """Largest number of numbers. If there are more, only every second is written."""
    skip: tuple[float, ...] = ()
    """Values with a long tick but without a number."""
    colour: Paint = "ink"
    font: FontName | None = None


@dataclass(frozen=True, config=STRICT)
class Track(FacePart):
    """A scale along an arc (radius, start, sweep) or along a line (line).

    Lengths are in halves of the face. Distances from the track count inwards, which is towards the
    pivot of an arc, and to the right of a line, seen from its first end.
    """

    values: tuple[float, float]
    """The first and the last value."""
    at: Place = (0.0, 0.0)
    """The pivot of an arc."""
    radius: Length | None = None
    """Radius of an arc."""
    start: float = 0.0
    """Direction of the first value from the pivot, in degrees clockwise from up."""
    sweep: Annotated[float, Field(ge=-360, le=360)] = 360.0
    """Degrees to the last value, negative for counter-clockwise. 360 makes a full ring."""
    follows: Literal["circle", "body"] = "circle"
    """body: the ticks follow the body's outline, as on a square clock."""
    line: tuple[Place, Place] | None = None
    """Both ends of a straight track, that of the first value first. Numerals are to the right if it
    rises."""
    spacing: Literal["linear", "log"] = "linear"
    """log: logarithmic, with ticks at 1 to 9 of each decade and numbers at 1, 2 and 5."""
    pieces: tuple[ScalePiece, ...] = ()
    """Pieces of a broken scale, in order. The last piece ends at the last value with share 1."""
    ticks: Positive | None = None
    """Distance between ticks, as a value. Without it, only labelled values have ticks."""
    middle: Positive | None = None
    """Distance between ticks of middle length, as a value."""
    labels: Positive | None = None
    """Distance between numbers, as a value."""
    origin: float | None = None
    """Value from which ticks and numbers are counted, for example 3 for the numbers 3, 8, 13.
    Default: 0, so that they stand at multiples of their distance."""
    tick: Annotated[float, Field(ge=-1, le=1)] = 0.1
    """Length of a labelled tick, inwards. Negative: outwards. 0: no ticks."""
    middle_tick: Annotated[float, Field(gt=0, le=1)] = 0.8
    """Length of a middle tick, as a share of a labelled tick's length."""
    small_tick: Annotated[float, Field(gt=0, le=1)] = 0.6
    """Length of other ticks, as a share of a labelled tick's length."""
    width: Annotated[float, Field(gt=0, le=0.2)] = 0.02
    """Breadth of a labelled tick."""
    dots: bool = False
    """True for dots instead of ticks. A dot's diameter is the length of the tick."""
    without: tuple[float, ...] = ()
    """Labelled values without a tick."""
    thin: Annotated[float, Field(gt=0, le=0.2)] = 0.008
    """Breadth of all other ticks."""
    ring: Annotated[float, Field(ge=0, le=0.2)] = 0.0
    """Breadth of a line along the track. 0 draws no line."""
    colour: Paint = "ink"
    numerals: Numerals | None = field(default_factory=Numerals)
    """The numbers along the track, or null to draw none."""
    zones: tuple[ColourZone, ...] = ()
    """Coloured bands along the track."""
    zones_at: tuple[Distance, Distance] | None = None
    """Distances from the track between which a question draws its zones. Default: on the side
    without ticks."""
    target_at: tuple[Distance, Distance] | None = None
    """Distances from the track at which a question draws the tip and the base of a triangle.
    Default: on the side without ticks."""
    outline: str | None = field(default=None, init=False)
    """Shape of the body, if the track follows its outline."""

    def __post_init__(self) -> None:
        if (self.radius is None) == (self.line is None):
            raise ValueError("radius: give a radius for an arc, or line for a straight track")
        low, high = self.values
        if self.line is None and abs(self.sweep) < _LEAST_SWEEP:
            raise ValueError(f"sweep: {self.sweep:g}: give {_LEAST_SWEEP} degrees or more")
        if self.line is not None and self.line[0] == self.line[1]:
            raise ValueError("line: its ends are the same place")
        if low >= high:
            raise ValueError(f"values: {list(self.values)}: the last value must be above the first")
        if self.spacing == "log" and (low <= 0 or self.pieces):
            raise ValueError("spacing: log needs values above 0, and no pieces")
        ends = [(low, 0.0), *((piece.upto, piece.share) for piece in self.pieces)]
        if self.pieces and (ends[-1] != (high, 1.0) or ends != sorted(set(ends))):
            raise ValueError(
                f"pieces: they must rise, and the last must have upto {high:g}, share 1"
            )
        for piece in self._pieces:
            steps = [step for step in piece[3:6] if step]
            if (
                steps
                and self.spacing == "linear"
                and (piece.high - piece.low) / min(steps) > MOST_TICKS
            ):
                raise ValueError(f"ticks: {min(steps):g} gives more than {MOST_TICKS:,} ticks")
        for zone in self.zones:
            if not low <= zone.span[0] < zone.span[1] <= high:
                raise ValueError(f"zones: {list(zone.span)} is not within {list(self.values)}")

    def check(self, mount: MountedPart) -> None:  # noqa: ARG002
        ticks, low = self.ticks or self.middle, self.values[0]
        is_open = self.origin is None and self.spacing == "linear" and not self.labels
        # With numbers, as on the second scale of a barometer, multiples are meant.
        if is_open and ticks and as_fraction(low) % as_fraction(ticks):
            raise ValueError(
                f"ticks: {ticks:g} does not divide the first value {low:g}: give origin: {low:g} to"
                " count ticks from it, or origin: 0"
            )

    def along(self, shape: str) -> Track:
        """Return this track along the outline of a body of this shape."""
        if shape not in OUTLINES:
            return self
        return with_keys(self, {"outline": shape})

    @cached_property
    def path(self) -> ScalePath:
        """The path of the scale."""
        if self.line is not None:
            return StraightPath(*self.line)
        assert self.radius is not None
        if self.outline is not None:
            return OutlinePath(self.at, self.radius, self.start, self.sweep, self.outline)
        return RoundPath(self.at, self.radius, self.start, self.sweep)

    @property
    def goes_round(self) -> bool:
        """True if the scale is a full ring, so that its last value coincides with its first."""
        return self.line is None and abs(self.sweep) == 360

    def scale_number(self, number: Fraction | float) -> float:
        """Return the scale's value for a number. On a full ring, numbers beyond the end wrap."""
        if not self.goes_round:
            return float(number)
        first, last = self.values
        if isinstance(number, float):  # fractions of floats are slow
            return (number - first) % (last - first) + first
        if number.denominator == 1 and first == int(first):  # so are whole numbers
            return (number.numerator - first) % (last - first) + first
        low, high = map(as_fraction, self.values)
        return float(number % high if not low else (number - low) % (high - low) + low)

    @cached_property
    def graduation(self) -> Graduation:
        """The ticks of the track, and the position of each value."""
        return graduation(self._pieces, self.spacing == "log", self.goes_round)

    @property
    def ticks_and_ends(self) -> tuple[Decimal, ...]:
        """Values of the ticks, and both ends of the scale even if they have no ticks."""
        ends = (plain(Decimal(repr(end))) for end in self.values)
        return tuple(sorted({*ends, *(tick.value for tick in self.graduation.ticks)}))

    @property
    def _pieces(self) -> tuple[GraduatedPiece, ...]:
        origin = self.origin or 0.0
        if not self.pieces:
            steps = (self.ticks, self.middle, self.labels)
            return (GraduatedPiece(*self.values, 1.0, *steps, origin),)
        begins = [self.values[0], *(piece.upto for piece in self.pieces)]
        return tuple(
            GraduatedPiece(
                begin, piece.upto, piece.share, _step(piece.ticks, self.ticks),
                _step(piece.middle, self.middle), _step(piece.labels, self.labels), origin,
            )
            for begin, piece in zip(begins, self.pieces, strict=False)
        )  # fmt: skip

    def paint(self, painter: FacePainter, mount: MountedPart) -> None:  # noqa: ARG002
        path, scale = self.path, self.graduation
        if not (scale.ticks or self.zones or self.ring):
            return
        for zone in self.zones:
            near = 0.0 if zone.near is None else zone.near
            far = self.tick if zone.far is None else zone.far
            begin, end = (_end_share(scale, value) for value in zone.span)
            painter.fill([path.band(begin, end, near, far)], zone.colour)
        if self.ring:
            half = self.ring / 2
            painter.fill([path.band(0, 1, -half, half)], self.colour)
        if self.tick and scale.ticks:
            if self.dots:
                self._paint_dots(painter)
            else:
                self._paint_ticks(painter)
        if self.numerals and self.texts:
            painter.write(self.texts, self.numerals.colour, self.numerals.font)

    def _paint_ticks(self, painter: FacePainter) -> None:
        """Draw labelled ticks in one call and all thinner ticks in another."""
        labelled, middle, small = self._shares_by_rank
        lengths = self.tick * self.middle_tick, self.tick * self.small_tick
        if len(labelled):
            painter.bars(self._ends(labelled, self.tick), self.width, self.colour)
        shares: Shares = np.concatenate([middle, small]) if len(middle) else small
        inward = np.repeat(lengths, [len(middle), len(small)]) if len(middle) else lengths[1]
        if len(shares):
            painter.bars(self._ends(shares, inward), self.thin, self.colour)

    def _ends(self, shares: Shares, inward: Shares | float) -> Points:
        """Return both ends of the ticks at these shares, [n, 2, 2]."""
        ends = np.empty((len(shares), 2, 2))
        ends[:, 0], ends[:, 1] = self.path.points(shares), self.path.points(shares, inward)
        return ends

    def _paint_dots(self, painter: FacePainter) -> None:
        lengths = (self.tick, self.tick * self.middle_tick, self.tick * self.small_tick)
        for shares, length in zip(self._shares_by_rank, lengths, strict=True):
            dots = self.path.points(shares, 0.7 * length)
            if len(dots):
                painter.fill([disc(abs(length) / 2) + dot for dot in dots], self.colour)

    @property
    def _shares_by_rank(self) -> tuple[Shares, ...]:
        """Positions of the ticks that are drawn, by rank: labelled, middle, small."""
        labelled, *others = self.graduation.shares_by_rank
        if self.without:
            values = [tick.value for tick in self.graduation.labelled]
            labelled = labelled[[float(value) not in self.without for value in values]]
        return labelled, *others

    @property
    def texts(self) -> list[Lettering]:
        """The numbers, each with its place and direction."""
        return list(self.written.values())

    @cached_property
    def written(self) -> dict[Decimal, Lettering]:
        """The numbers by the values at which they stand."""
        numerals, labelled = self.numerals, self.graduation.labelled
        if numerals is None or not labelled:
            return {}
        away = numerals.away
        if away is None:
            side = 1 if self.tick >= 0 else -1
            away = side * (max(abs(self.tick), numerals.room) + 0.04 + 0.6 * numerals.height)
        places = self.path.points(self.graduation.shares_by_rank[LABELLED], away).tolist()
        texts, words, turn = {}, numerals.texts, 0.0
        has_half = numerals.most is not None and len(labelled) > numerals.most
        for number, (tick, (x, y)) in enumerate(zip(labelled, places, strict=True)):
            is_skipped = numerals.skip and float(tick.value) in numerals.skip
            if is_skipped or (has_half and number % 2 and self.spacing == "linear"):
                continue
            text = (
                _numeral(tick.value, numerals.times, numerals.decimals)
                if words is None
                else words[number % len(words)]
            )
            if not text:
                continue
            if numerals.turn == "radial":
                turn = self.path.direction(tick.share)
            texts[tick.value] = Lettering(text, x, y, numerals.height, round(turn) % 360)
        return texts

    def facts(self, pose: Pose, mount: MountedPart) -> dict[str, Any]:  # noqa: ARG002
        ends = self.path.points(np.array([0.0, 1.0]))
        labels = np.array([(t.x, t.y) for t in self.texts]).reshape(-1, 2)
        places = rounded(pose(np.concatenate([ends, labels])))
        return {
            "low": plain_text(self.values[0]),
            "high": plain_text(self.values[1]),
            "ends": [
                {"value": plain_text(value), "at": at}
                for value, at in zip(self.values, places[:2], strict=True)
            ],
            "labels": [
                {"text": t.text, "at": at} for t, at in zip(self.texts, places[2:], strict=True)
            ],
        }

    def neighbours(self, pose: Pose, value: float) -> list[dict[str, Any]]:
        """Return the ticks on both sides of a value, with their places on the track."""
        ticks = self.graduation.neighbours(value)
        if not ticks:
            return []
        places = rounded(pose(self.path.points(np.array([tick.share for tick in ticks]))))
        return [
            {"value": f"{t.value:f}", "place": place}
            for t, place in zip(ticks, places, strict=True)
        ]


def _step(of_piece: float | str | None, of_track: float | None) -> float | None:
    """Return the distance of ticks on a piece, which may be as on the whole track."""
    return of_track if isinstance(of_piece, str) else of_piece


def rounded(places: Points) -> Any:
    """Return places in pixels as lists, rounded to a thousandth."""
    return places.round(3).tolist()


@lru_cache(maxsize=4096)
def plain_text(value: float) -> str:
    """Write a number without an exponent or trailing zeros."""
    return f"{plain(Decimal(repr(value))):f}"


def _end_share(scale: Graduation, value: float) -> float:
    """Return the end of a zone, 0 to 1. A full circle ends at 1, not at 0."""
    return 1.0 if value == scale.high else scale.share(value)


@lru_cache(maxsize=4096)
def _numeral(value: Decimal, times: float, places: int | None) -> str:
    number = value * Decimal(repr(times))
    text = f"{plain(number):f}" if places is None else f"{number:.{places}f}"
    return text.replace("-", "−")
