"""Spacing of a chart: where its axis ends, how large its letters are, and what room stays empty."""

from typing import NamedTuple

from gnomon.generators.rng import Rng

LAYOUTS = ("even", "free")


class Spacing(NamedTuple):
    """Choices that programs make differently. The defaults are an even layout."""

    letters: float = 1.0
    """Size of the letters, relative to the size for this picture."""
    steps: int = 8
    """Largest number of steps between the numbers of an axis."""
    lines: float = 2.0
    """Smallest distance of two numbers of the upright axis, in lines of text."""
    ends: tuple[float, float] | None = None
    """Distance of both ends of the axis from the values, in shares of their span. None: the axis
    ends at numbers."""
    inset: float = 0.5
    """Distance of the first and the last mark from the sides of the plot, in slots."""
    air: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Empty shares of the picture at the left, at the right and below."""
    pale: float = 0.0
    """Share of the floor in the colour of bars. Pale bars have an edge in the whole colour."""
    turn: float = 0.0
    """Share of a turn at which the first slice of a pie starts, clockwise from the top."""
    clockwise: bool = True


EVEN = Spacing()
INSET = ("bar", "grouped", "barh", "line")
"""Types that can have another distance from the sides than half a slot."""


def free_spacing(rng: Rng, chart: str) -> Spacing:
    """Draw a spacing. An axis from zero may begin below zero, as if its bars floated."""
    ends = None
    if rng.chance(0.65):
        ends = rng.uniform(0.02, 0.12) * rng.chance(0.5), rng.uniform(0.01, 0.15)
    least = 0.0 if chart == "line" else 0.5
    return Spacing(
        letters=rng.uniform(0.6, 0.95),
        steps=rng.integer(3, 14),
        lines=rng.uniform(1.3, 2.2),
        ends=ends,
        inset=rng.choice((least, 0.5, rng.uniform(least, 0.8))) if chart in INSET else 0.5,
        air=(rng.uniform(0, 0.05), rng.uniform(0, 0.05), rng.uniform(0, 0.05)),
        pale=rng.choice((0.0, 0.0, rng.uniform(0.3, 0.8), 1.0)),
        turn=rng.choice((0.0, 0.25, rng.unit())),
        clockwise=rng.chance(0.5),
    )
