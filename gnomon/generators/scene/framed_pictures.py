"""Framed pictures of clocks, instruments and charts for a scene. Each kind draws its own
picture."""

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
from gnomon.generators.faces.generator import OOD_PALETTES
from gnomon.generators.gauge import Gauge
from gnomon.generators.rng import Rng
from gnomon.sample import Sample

# Smallest side in pixels at which the content of a picture can still be read.
MIN_SIDE = {"clocks": 96, "gauges": 168, "charts": 232}
# The same limit for heavily degraded pictures.
MIN_SIDE_DEGRADED = {"clocks": 120, "gauges": 192, "charts": 344}
_CHARTS = {"bar": "bar chart", "line": "line chart", "pie": "pie chart", "scatter": "scatter plot",
           "heatmap": "heat map", "radar": "radar chart", "box": "box plot"}  # fmt: skip
_INSTRUMENTS = ("gauge", "meter", "thermometer", "scale")
# Largest number of pictures of one sort that words can tell apart.
MAX_COUNT = {"clocks": 16, "gauges": 16, "charts": len(_CHARTS)}
# Smallest difference in minutes between two clocks.
_APART = 10
# Smallest difference between two readings of one unit, as a share of the longer scale. With less,
# readings such as 820 g and 825 g look alike.
_NEAR = 0.05
_FRAME = 3
_TRIES = 1000


class Subject(NamedTuple):
    """Subject of a framed picture, before it is drawn."""

    name: str
    """Name that is unique in the scene."""
    meaning: str
    """Key of the sample in its source."""
    group: str
    """Group of subjects that could be confused with each other."""
    reading: float
    min_difference: float
    """Smallest difference at which two readings of the group look different."""
    source: Generator
    sample_index: int
    """Index of the sample in its source."""

    def place(self, slot: Slot, side: float, rng: Rng) -> FramedPicture:
        """Put the picture, `side` pixels wide, at a random place within the slot."""
        x, y = (
            int(start + rng.unit() * (end - start - int(side)))
            for start, end in ((slot.x1, slot.x2), (slot.y1, slot.y2))
        )
        return FramedPicture(self, x, y, int(side))

    def is_distinct_from(self, other: Subject) -> bool:
        """Return True if a viewer can tell the two subjects apart."""
        difference = abs(self.reading - other.reading)
        if self.group == "clock":
            # The shorter way round the dial counts.
            difference = min(difference % 720, -difference % 720)
        return self.group != other.group or difference >= max(
            self.min_difference, other.min_difference
        )


class FramedPicture(NamedTuple):
    """Picture with its place: a square that includes the frame, in whole pixels."""

    thing: Subject
    x: int
    y: int
    side: int

    @property
    def outer_box(self) -> tuple[float, float, float, float]:
        """Corners of the picture with its frame, in pixels."""
        return self.x, self.y, self.x + self.side, self.y + self.side


def random_subjects(
    sort: str, count: int, side: int, rng: Rng, *, split: Split, seed: int, ood: bool
) -> list[Subject]:
    """Draw `count` subjects that a viewer can tell apart."""
    names = list(_CHARTS)
    chosen: list[Subject] = []
    for _ in range(_TRIES):
        name = names.pop(rng.integer(0, len(names) - 1)) if sort == "charts" else sort
        source = _source(name, side - 2 * _FRAME, split, seed, ood)
        # With 31 bits, the same picture hardly ever occurs twice.
        index = rng.bits() >> 33
        subject = Subject(*_subject_fields(sort, source.key(index)), source, index)
        if all(map(subject.is_distinct_from, chosen)):
            chosen.append(subject)
        if len(chosen) == count:
            return chosen
    raise AssertionError(f"no {count} {sort} that differ in {_TRIES}")


def draw_framed(picture: Image, framed: FramedPicture, colour: tuple[int, int, int]) -> Sample:
    """Paste the picture with its frame and return its sample."""
    sample = framed.thing.source[framed.thing.sample_index]
    assert sample.image is not None
    x, y, last = framed.x, framed.y, framed.side - 1
    # Pillow's rectangles include their last pixel.
    ImageDraw.Draw(picture).rectangle((x, y, x + last, y + last), colour)
    picture.paste(sample.image, (x + _FRAME, y + _FRAME))
    return sample


@lru_cache(maxsize=256)
def _source(sort: str, size: int, split: Split, seed: int, ood: bool) -> Generator:
    if sort == "clocks":
        palettes = (
            OOD_PALETTES if ood else tuple(name for name in PALETTES if name not in OOD_PALETTES)
        )
        return Clock(size=size, seed=seed, split_by="none", palettes=palettes, second_hand=0.0,
                     rotation=10.0, dial_size=(0.85, 0.96))  # fmt: skip
    if sort == "gauges":
        return Gauge(size=size, seed=seed, split=split, instruments=_INSTRUMENTS, ood=ood)
    return Chart(size=size, seed=seed, split=split, charts=(sort,), ood=ood)


def _subject_fields(sort: str, meaning: str) -> tuple[str, str, str, float, float]:
    """Return the first five fields of a subject from the key of its sample."""
    if sort == "charts":
        name = _CHARTS[meaning.partition("|")[0]]
        return name, meaning, name, 0.0, 1.0
    if sort == "clocks":
        hour, minute = map(int, meaning.partition("|")[0].split(":"))
        return f"clock that shows {hour}:{minute:02}", meaning, "clock", 60 * hour + minute, _APART
    # The key of a gauge is instrument|unit|low..high|value|question.
    instrument, unit, ends, value, _ = meaning.split("|")
    low, high = map(float, ends.removesuffix(" log").split(".."))
    name, group = f"{instrument} that reads {value} {unit}", f"{instrument} {unit}"
    return name, meaning, group, float(value), _NEAR * (high - low)
