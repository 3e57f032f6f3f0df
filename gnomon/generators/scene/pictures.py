"""Clocks, instruments and charts as the framed pictures of a scene, each drawn by its own kind."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from PIL import ImageDraw
from PIL.Image import Image

from gnomon.generators.base import Generator, Split
from gnomon.generators.chart import Chart
from gnomon.generators.clock import Clock
from gnomon.generators.drawing.colours import PALETTES
from gnomon.generators.drawing.pose import Slot
from gnomon.generators.gauge import Gauge
from gnomon.generators.gauge.generator import OOD_PALETTES
from gnomon.generators.rng import Rng
from gnomon.sample import Sample

# Pixels of a picture's side in which what it shows can be read.
LEAST = {"clocks": 96, "gauges": 168, "charts": 232}
# The same, heavily degraded.
WORN = {"clocks": 120, "gauges": 192, "charts": 344}
_CHARTS = {"bar": "bar chart", "line": "line chart", "pie": "pie chart", "scatter": "scatter plot",
           "heatmap": "heat map", "radar": "radar chart", "box": "box plot"}  # fmt: skip
_INSTRUMENTS = ("gauge", "meter", "thermometer", "scale")
# Most pictures of a sort that can be told apart in words.
MOST = {"clocks": 16, "gauges": 16, "charts": len(_CHARTS)}
# Minutes between the times of two clocks.
_APART = 10
# Share of the longer scale; readings of one unit that differ by less look alike: 820 g and 825 g.
_NEAR = 0.05
_FRAME = 3
_TRIES = 1000


class Subject(NamedTuple):
    """A framed picture's subject, before it is drawn."""

    says: str
    """Name; no other picture of the scene has it."""
    meaning: str
    like: str
    """Sort of pictures that it could be confused with."""
    reading: float
    near: float
    """Readings that differ by less look alike."""
    source: Generator
    number: int
    """Index among its source's samples."""

    def place(self, slot: Slot, side: float, rng: Rng) -> FramedPicture:
        """Put the picture somewhere in its place, whose shorter side is given."""
        x, y = (
            int(start + rng.unit() * (end - start - int(side)))
            for start, end in ((slot.x1, slot.x2), (slot.y1, slot.y2))
        )
        return FramedPicture(self, x, y, int(side))

    def differs(self, other: Subject) -> bool:
        """True if nobody takes the one for the other."""
        apart = abs(self.reading - other.reading)
        if self.like == "clock":
            # The shorter way round the dial.
            apart = min(apart % 720, -apart % 720)
        return self.like != other.like or apart >= max(self.near, other.near)


class FramedPicture(NamedTuple):
    """A picture with its place: a square that ends on whole pixels, the frame included."""

    thing: Subject
    x: int
    y: int
    side: int

    @property
    def round_box(self) -> tuple[float, float, float, float]:
        """Corners of the picture with its frame, in pixels."""
        return self.x, self.y, self.x + self.side, self.y + self.side


def random_subjects(
    what: str, count: int, side: int, rng: Rng, *, split: Split, seed: int, ood: bool
) -> list[Subject]:
    """Draw `count` subjects that are told apart by what they show."""
    names = list(_CHARTS)
    chosen: list[Subject] = []
    for _ in range(_TRIES):
        name = names.pop(rng.integer(0, len(names) - 1)) if what == "charts" else what
        source = _source(name, side - 2 * _FRAME, split, seed, ood)
        # 31 bits: the same picture hardly ever comes twice.
        number = rng.bits() >> 33
        subject = Subject(*_subject_fields(what, source.key(number)), source, number)
        if all(map(subject.differs, chosen)):
            chosen.append(subject)
        if len(chosen) == count:
            return chosen
    raise AssertionError(f"no {count} {what} that differ in {_TRIES}")


def draw_framed(picture: Image, framed: FramedPicture, colour: tuple[int, int, int]) -> Sample:
    """Paste the picture in its frame; return the sample that it is."""
    sample = framed.thing.source[framed.thing.number]
    assert sample.image is not None
    x, y, last = framed.x, framed.y, framed.side - 1
    # Pillow's rectangles include their last pixel.
    ImageDraw.Draw(picture).rectangle((x, y, x + last, y + last), colour)
    picture.paste(sample.image, (x + _FRAME, y + _FRAME))
    return sample


@lru_cache(maxsize=256)
def _source(what: str, size: int, split: Split, seed: int, ood: bool) -> Generator:
    if what == "clocks":
        palettes = (
            OOD_PALETTES if ood else tuple(name for name in PALETTES if name not in OOD_PALETTES)
        )
        return Clock(size=size, seed=seed, split_by="none", palettes=palettes, second_hand=0.0,
                     rotation=10.0, dial_size=(0.85, 0.96))  # fmt: skip
    if what == "gauges":
        return Gauge(size=size, seed=seed, split=split, instruments=_INSTRUMENTS, ood=ood)
    return Chart(size=size, seed=seed, split=split, charts=(what,), ood=ood)


def _subject_fields(what: str, meaning: str) -> tuple[str, str, str, float, float]:
    """Return the first five fields of a subject, by its sample's key."""
    if what == "charts":
        says = _CHARTS[meaning.partition("|")[0]]
        return says, meaning, says, 0.0, 1.0
    if what == "clocks":
        hour, minute = map(int, meaning.partition("|")[0].split(":"))
        return f"clock that shows {hour}:{minute:02}", meaning, "clock", 60 * hour + minute, _APART
    # A gauge's key is instrument|unit|low..high|value|question.
    instrument, unit, ends, value, _ = meaning.split("|")
    low, high = map(float, ends.removesuffix(" log").split(".."))
    says, like = f"{instrument} that reads {value} {unit}", f"{instrument} {unit}"
    return says, meaning, like, float(value), _NEAR * (high - low)
