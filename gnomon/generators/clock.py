"""Analogue clocks. Restyled, turned and tilted; the time is always what the pixels say."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from gnomon.generators import _clock_draw, _clock_look, _clock_style
from gnomon.generators._backdrop import BACKGROUNDS
from gnomon.generators._clock_look import RIM
from gnomon.generators._clock_style import Style, check_names
from gnomon.generators._degrade import Degradable
from gnomon.generators._dials import DIALS, outline
from gnomon.generators._hands import HANDS
from gnomon.generators._numerals import NUMERALS
from gnomon.generators._palettes import FAMILIES
from gnomon.generators._pose import STEEPEST
from gnomon.sample import Sample, Target, Time

if TYPE_CHECKING:
    from gnomon.generators._clock_look import Look
    from gnomon.generators.rng import Rng

_MINUTES = (
    "What time does the clock show? Answer HH:MM.",
    "Read the clock. Answer HH:MM.",
    "What is the time on this clock? Answer as HH:MM.",
    "Which time do the hands show? Write it as HH:MM.",
)
_SECONDS = tuple(question.replace("HH:MM", "HH:MM:SS") for question in _MINUTES)


class _Meaning(NamedTuple):
    seconds: int
    second_hand: bool
    asked: bool
    """Whether the answer has seconds."""
    style: Style


@dataclass(frozen=True, kw_only=True)
class Clock(Degradable):
    """Clocks with two or three hands, and the question what time it is."""

    kind: ClassVar[str] = "clock"
    version: ClassVar[int] = 1
    targets: ClassVar[tuple[type[Target], ...]] = (Time,)

    size: int | tuple[int, int] = 224
    """Pixels of the square picture's side, or the range it is drawn from; 64 to 2048."""
    dials: tuple[str, ...] = DIALS
    """Shapes of the dial."""
    hands: tuple[str, ...] = HANDS
    """Shapes of the hands."""
    numerals: tuple[str, ...] = NUMERALS
    """What stands at the hours."""
    palettes: tuple[str, ...] = FAMILIES
    """Palettes, by name or by family: plain, light, dark, colour."""
    backgrounds: tuple[str, ...] = BACKGROUNDS
    """What the clock hangs on."""
    rotation: float = 30.0
    """The dial is turned by up to so many degrees either way; 0 to 30."""
    perspective: float = 0.06
    """The strongest tilt, as the share by which the near edge is closer; 0 to 0.15."""
    dial_size: tuple[float, float] = (0.65, 0.96)
    """Range of the clock's longer side, as a share of the picture's."""
    offset: float = 1.0
    """How much of the free room around the clock may be to one side; 0 keeps it in the middle."""
    second_hand: float = 0.3
    """The share of clocks with a second hand."""
    ask_seconds: float = 0.5
    """The share of those whose answer is HH:MM:SS; the others ask for the minute begun."""
    minute_track: float = 0.6
    """The share of dials with a tick for every minute."""
    shadow: float = 0.3
    """The share of clocks whose hands throw a shadow."""
    split_by: Literal["style", "time", "none"] = "style"
    """What is held out: styles, times of day, or nothing."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_names()
        self._check_numbers()
        if not self._styles or not self._times:
            raise ValueError(
                f"split={self.split!r}: no style of these dials, hands, numerals and palettes"
                " belongs to it; allow more of them, or set split_by='time'"
            )

    def key(self, index: int) -> str:
        """Time and style, such as 10:08|round|baton|roman|ivory."""
        meaning = self._meaning(self.rng(index))
        return "|".join((_written(meaning), *meaning.style))

    def draw(self, index: int) -> Sample:
        """One clock."""
        rng = self.rng(index)
        meaning = self._meaning(rng)
        look = _clock_look.drawn(self, meaning.style, rng)
        question = rng.choice(_SECONDS if meaning.asked else _MINUTES)
        angles = _angles(meaning)
        image = _clock_draw.picture(look, angles, rng)
        image, moved = self.degraded(index, image, look.pose(outline(look.style.dial, RIM)))
        look = replace(look, pose=moved.after(look.pose))
        whole = meaning.seconds if meaning.asked else meaning.seconds // 60 * 60
        target = Time(whole, hours=12, shows_seconds=meaning.asked)
        return Sample(self.id(index), image, question, target, _facts(meaning, look, angles))

    @property
    def sizes(self) -> tuple[int, int]:
        """The range of the picture's side."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size

    def _meaning(self, rng: Rng) -> _Meaning:
        minute = rng.choice(self._times)
        style = rng.choice(self._styles)
        second = rng.integer(0, 59)
        has_second = rng.chance(self.second_hand)
        asked = rng.chance(self.ask_seconds) and has_second
        return _Meaning(60 * minute + second * has_second, has_second, asked, style)

    @cached_property
    def _styles(self) -> tuple[Style, ...]:
        split = self.split if self.split_by == "style" else None
        palettes = _clock_style.palette_names(self.palettes)
        return _clock_style.styles(
            split, tuple(self.dials), tuple(self.hands), tuple(self.numerals), palettes
        )

    @cached_property
    def _times(self) -> tuple[int, ...]:
        return _clock_style.times(self.split if self.split_by == "time" else None)

    def _check_names(self) -> None:
        check_names("dials", self.dials, DIALS)
        check_names("hands", self.hands, HANDS)
        check_names("numerals", self.numerals, NUMERALS)
        check_names("palettes", self.palettes, _clock_style.KNOWN_PALETTES)
        check_names("backgrounds", self.backgrounds, BACKGROUNDS)
        check_names("split_by", [self.split_by], ("style", "time", "none"))

    def _check_numbers(self) -> None:
        _check_range("size", self.sizes, 64, 2048)
        _check_range("dial_size", self.dial_size, 0.4, 1)
        for name, most in (
            ("rotation", 30), ("perspective", STEEPEST), ("offset", 1), ("second_hand", 1),
            ("ask_seconds", 1), ("minute_track", 1), ("shadow", 1),
        ):  # fmt: skip
            _check_range(name, (getattr(self, name),), 0, most)


def _check_range(option: str, values: tuple[float, ...], low: float, high: float) -> None:
    if not all(low <= value <= high for value in values) or list(values) != sorted(values):
        shown = values[0] if len(set(values)) == 1 else values
        raise ValueError(f"{option}={shown}: give {low} to {high}, the lower end first")


def _angles(meaning: _Meaning) -> dict[str, float]:
    """Degrees clockwise from twelve."""
    angles = {"hour": meaning.seconds / 120, "minute": meaning.seconds % 3600 / 10}
    if meaning.second_hand:
        angles["second"] = meaning.seconds % 60 * 6.0
    return angles


def _written(meaning: _Meaning) -> str:
    minute, second = divmod(meaning.seconds, 60)
    return f"{minute // 60 or 12:02}:{minute % 60:02}" + (f":{second:02}" if meaning.asked else "")


def _facts(meaning: _Meaning, look: Look, angles: dict[str, float]) -> dict[str, Any]:
    pose = look.pose
    lengths = {"hour": look.hour[0], "minute": look.minute[0], "second": _clock_draw.SECOND[0]}
    tips = {name: pose.at(*_hand_tip(a, lengths[name])) for name, a in angles.items()}
    edge = pose(outline(look.style.dial))
    return {
        "seconds": meaning.seconds,
        "fields": list(angles),
        "angles": angles,
        "style": look.style._asdict(),
        "background": look.background,
        "marks": {
            "hour_ticks": look.marks.hour_ticks,
            "minute_track": look.marks.minute_track,
            "twelve": look.marks.twelve,
            "numeral_pixels": look.marks.numeral_pixels,
        },
        "rotation": look.rotation,
        "perspective": look.tilt,
        "centre": list(pose.at(0, 0)),
        "tips": {name: list(tip) for name, tip in tips.items()},
        "dial_box": [*edge.min(0).tolist(), *edge.max(0).tolist()],
        "homography": pose.matrix.tolist(),
    }


def _hand_tip(degrees: float, length: float) -> tuple[float, float]:
    a = math.radians(degrees)
    return length * math.sin(a), -length * math.cos(a)
