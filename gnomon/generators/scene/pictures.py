"""Clocks, instruments and charts as the framed pictures of a scene, each drawn by its own kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from PIL import ImageDraw
from PIL.Image import Image

from gnomon.generators.base import Generator, Split
from gnomon.generators.chart import Chart
from gnomon.generators.clock import Clock
from gnomon.generators.drawing.canvas import Points
from gnomon.generators.drawing.palettes import PALETTES
from gnomon.generators.drawing.shapes import oblong
from gnomon.generators.drawing.slots import Slot, cell
from gnomon.generators.gauge import Gauge
from gnomon.generators.gauge.generator import UNSEEN
from gnomon.generators.rng import Rng
from gnomon.sample import Sample

LEAST = {"clocks": 96, "gauges": 168, "charts": 232}
"""Pixels of a picture's side in which what it shows can be read."""
WORN = {"clocks": 120, "gauges": 192, "charts": 344}
"""The same, heavily degraded."""
_CHARTS = {"bar": "bar chart", "line": "line chart", "pie": "pie chart", "scatter": "scatter plot",
           "heatmap": "heat map", "radar": "radar chart", "box": "box plot"}  # fmt: skip
_INSTRUMENTS = ("gauge", "meter", "thermometer", "scale")
MOST = {"clocks": 16, "gauges": 16, "charts": len(_CHARTS)}
"""So many are told apart in words."""
_APART = 10
"""Minutes between the times of two clocks."""
_NEAR = 0.05
"""Of the longer scale; readings of one unit that differ by less look alike: 820 g and 825 g."""
_FRAME = 3
_TRIES = 1000


class Subject(NamedTuple):
    """What one picture shows, before it is drawn."""

    says: str
    """What it is called: no other picture of the scene is."""
    meaning: str
    source: Generator
    number: int
    """Which of its source's samples it is."""


class Framed(NamedTuple):
    """A picture with its place: a square that ends on whole pixels, the frame included."""

    subject: Subject
    x: int
    y: int
    side: int

    @property
    def round_box(self) -> tuple[float, float, float, float]:
        """Its own box."""
        return self.x, self.y, self.x + self.side, self.y + self.side

    @property
    def corners(self) -> Points:
        """Of the frame."""
        return oblong(*self.round_box)


def side_of(count: int, room: float) -> int:
    """The side of each of so many pictures in a square room."""
    return int(cell(count, room))


def subjects(
    what: str, count: int, side: int, rng: Rng, *, split: Split, seed: int, ood: bool
) -> list[Subject]:
    """So many that are told apart by what they show."""
    left = list(_CHARTS)
    found: list[Subject] = []
    for _ in range(_TRIES):
        name = left.pop(rng.integer(0, len(left) - 1)) if what == "charts" else what
        source = _source(name, side - 2 * _FRAME, split, seed, ood)
        number = rng.bits() >> 33
        meaning = source.key(number)
        subject = Subject(_SAYS[what](meaning), meaning, source, number)
        if all(_differ(what, subject, other) for other in found):
            found.append(subject)
        if len(found) == count:
            return found
    raise AssertionError(f"no {count} {what} that differ in {_TRIES}")


def placed(subject: Subject, slot: Slot, side: int, rng: Rng) -> Framed:
    """The picture somewhere in its place."""
    x, y = (
        int(start + rng.unit() * (end - start - side))
        for start, end in ((slot.x1, slot.x2), (slot.y1, slot.y2))
    )
    return Framed(subject, x, y, side)


def hang(picture: Image, framed: Framed, colour: tuple[int, int, int]) -> Sample:
    """Paste it in its frame; the sample that it is."""
    sample = framed.subject.source[framed.subject.number]
    assert sample.image is not None
    x, y, last = framed.x, framed.y, framed.side - 1
    ImageDraw.Draw(picture).rectangle((x, y, x + last, y + last), colour)
    picture.paste(sample.image, (x + _FRAME, y + _FRAME))
    return sample


@lru_cache(maxsize=256)
def _source(what: str, size: int, split: Split, seed: int, ood: bool) -> Generator:
    if what == "clocks":
        palettes = UNSEEN if ood else tuple(name for name in PALETTES if name not in UNSEEN)
        return Clock(size=size, seed=seed, split_by="none", palettes=palettes, second_hand=0.0,
                     rotation=10.0, dial_size=(0.85, 0.96))  # fmt: skip
    if what == "gauges":
        return Gauge(size=size, seed=seed, split=split, instruments=_INSTRUMENTS, ood=ood)
    return Chart(size=size, seed=seed, split=split, charts=(what,), ood=ood)


def _time(meaning: str) -> str:
    hour, minute = meaning.partition("|")[0].split(":")
    return f"clock that shows {int(hour)}:{minute}"


def _reading(meaning: str) -> str:
    instrument, unit, _, value, _ = meaning.split("|")
    return f"{instrument} that reads {value} {unit}"


_SAYS: dict[str, Callable[[str], str]] = {
    "clocks": _time,
    "gauges": _reading,
    "charts": lambda meaning: _CHARTS[meaning.partition("|")[0]],
}


def _differ(what: str, one: Subject, other: Subject) -> bool:
    """Whether nobody takes one for the other."""
    if what == "clocks":
        apart = _minute(one.meaning) - _minute(other.meaning)
        return min(apart % 720, -apart % 720) >= _APART
    if what == "gauges":
        (called, a, span), (also, b, spans) = (_on_scale(s.meaning) for s in (one, other))
        return called != also or abs(a - b) >= _NEAR * max(span, spans)
    return one.says != other.says


def _minute(meaning: str) -> int:
    hour, minute = meaning.partition("|")[0].split(":")
    return 60 * int(hour) + int(minute)


def _on_scale(meaning: str) -> tuple[str, float, float]:
    """An instrument with its unit, what it reads, and how long its scale is."""
    instrument, unit, ends, value, _ = meaning.split("|")
    low, high = map(float, ends.removesuffix(" log").split(".."))
    return f"{instrument} {unit}", float(value), high - low
