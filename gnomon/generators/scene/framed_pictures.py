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

# Least pixels of a picture's side in which what it shows can be read.
MIN_SIDE = {"clocks": 96, "gauges": 168, "charts": 232}
# The same, heavily degraded.
MIN_SIDE_DEGRADED = {"clocks": 120, "gauges": 192, "charts": 344}
_CHARTS = {"bar": "bar chart", "line": "line chart", "pie": "pie chart", "scatter": "scatter plot",
           "heatmap": "heat map", "radar": "radar chart", "box": "box plot"}  # fmt: skip
_INSTRUMENTS = ("gauge", "meter", "thermometer", "scale")
# Most pictures of a sort that can be told apart in words.
MAX_COUNT = {"clocks": 16, "gauges": 16, "charts": len(_CHARTS)}
# Minutes between the times of two clocks.
_APART = 10
# Share of the longer scale; readings of one unit that differ by less look alike: 820 g and 825 g.
_NEAR = 0.05
_FRAME = 3
_TRIES = 1000


class Subject(NamedTuple):
    """A framed picture's subject, before it is drawn."""

    name: str
    """No other picture of the scene has it."""
    meaning: str
    """Key of the sample in its source."""
    group: str
    """Subjects of one group could be confused."""
    reading: float
    min_difference: float
    """Readings that differ by less look alike."""
    source: Generator
    sample_index: int
    """Index among its source's samples."""

    def place(self, slot: Slot, side: float, rng: Rng) -> FramedPicture:
        """Put the picture, `side` pixels wide, at random within the slot."""
        x, y = (
            int(start + rng.unit() * (end - start - int(side)))
            for start, end in ((slot.x1, slot.x2), (slot.y1, slot.y2))
        )
        return FramedPicture(self, x, y, int(side))

    def is_distinct_from(self, other: Subject) -> bool:
        """True if nobody takes the one for the other."""
        difference = abs(self.reading - other.reading)
        if self.group == "clock":
            # The shorter way round the dial.
            difference = min(difference % 720, -difference % 720)
        return self.group != other.group or difference >= max(
            self.min_difference, other.min_difference
        )


class FramedPicture(NamedTuple):
    """A picture with its place: a square that ends on whole pixels, the frame included."""

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
    """Draw `count` subjects that are told apart by what they show."""
    names = list(_CHARTS)
    chosen: list[Subject] = []
    for _ in range(_TRIES):
        name = names.pop(rng.integer(0, len(names) - 1)) if sort == "charts" else sort
        source = _source(name, side - 2 * _FRAME, split, seed, ood)
        # 31 bits: the same picture hardly ever comes twice.
        index = rng.bits() >> 33
        subject = Subject(*_subject_fields(sort, source.key(index)), source, index)
        if all(map(subject.is_distinct_from, chosen)):
            chosen.append(subject)
        if len(chosen) == count:
            return chosen
    raise AssertionError(f"no {count} {sort} that differ in {_TRIES}")


def draw_framed(picture: Image, framed: FramedPicture, colour: tuple[int, int, int]) -> Sample:
    """Paste the picture in its frame; return the sample that it is."""
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
    """Return the first five fields of a subject, by its sample's key."""
    if sort == "charts":
        name = _CHARTS[meaning.partition("|")[0]]
        return name, meaning, name, 0.0, 1.0
    if sort == "clocks":
        hour, minute = map(int, meaning.partition("|")[0].split(":"))
        return f"clock that shows {hour}:{minute:02}", meaning, "clock", 60 * hour + minute, _APART
    # A gauge's key is instrument|unit|low..high|value|question.
    instrument, unit, ends, value, _ = meaning.split("|")
    low, high = map(float, ends.removesuffix(" log").split(".."))
    name, group = f"{instrument} that reads {value} {unit}", f"{instrument} {unit}"
    return name, meaning, group, float(value), _NEAR * (high - low)
