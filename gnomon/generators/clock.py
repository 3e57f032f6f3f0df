"""Analogue clocks. Restyled, turned and tilted; the time is always what the pixels say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np

from gnomon.generators import _clock_draw, _clock_look, _clock_style
from gnomon.generators._backdrop import BACKGROUNDS
from gnomon.generators._clock_facts import facts_of
from gnomon.generators._clock_look import RIM
from gnomon.generators._clock_questions import ASK, QUESTIONS, Face
from gnomon.generators._degrade import Degradable
from gnomon.generators._dials import DIALS, outline
from gnomon.generators._hands import HANDS
from gnomon.generators._numerals import NUMERALS
from gnomon.generators._palettes import FAMILIES
from gnomon.generators._pose import STEEPEST
from gnomon.generators.base import LATER, check_names
from gnomon.generators.rng import Rng
from gnomon.sample import FORMS, Box, Form, Number, Sample, Target, Text, Time

if TYPE_CHECKING:
    from gnomon.generators._clock_look import Look
    from gnomon.generators._clock_style import Style

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
    """Clocks with two or three hands, and what they show."""

    kind: ClassVar[str] = "clock"
    version: ClassVar[int] = 1
    targets: ClassVar[tuple[type[Target], ...]] = (Time, Number, Text, Box)

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
    questions: tuple[str, ...] = field(default=("read",), metadata=LATER)
    """read, shift (the time a duration later or earlier), to_hour (minutes to the next), angle
    (between the hands), valid (or are the hands impossible), where (the clock's box)."""
    forms: tuple[Form, ...] = field(default=("digits",), metadata=LATER)
    """How times are answered: digits, words (then without seconds), json."""
    invalid: float = field(default=0.5, metadata=LATER)
    """The share of clocks with an impossible hour hand, where `valid` is asked."""
    off_by: tuple[float, float] = field(default=(10.0, 15.0), metadata=LATER)
    """Range of the degrees by which such a hand is wrong; 5 to 15, half the way to an hour."""

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
        """Time and style, such as 10:08|round|baton|roman|ivory; then the question, if another."""
        meaning = self._meaning(self.rng(index))
        question = self._question(index)[0]
        asked = () if question == "read" else (question,)
        return "|".join((_written(meaning), *meaning.style, *asked))

    def draw(self, index: int) -> Sample:
        """One clock."""
        rng = self.rng(index)
        meaning = self._meaning(rng)
        look = _clock_look.drawn(self, meaning.style, rng)
        usual = rng.choice(_SECONDS if meaning.asked else _MINUTES)
        question, form, off_by = self._question(index)
        angles = _angles(meaning)
        angles["hour"] = (angles["hour"] + off_by) % 360
        image = _clock_draw.picture(look, angles, rng)
        image, moved = self.degraded(index, image, look.pose(outline(look.style.dial, RIM)))
        look = replace(look, pose=moved.after(look.pose))
        facts = facts_of(look, meaning.seconds, angles)
        if (question, form) == ("read", "digits"):
            return Sample(self.id(index), image, usual, _face(meaning, look).time(), facts)
        face = _face(meaning, look, form, off_by)
        asked = ASK[question](face, Rng(self.name, "asked", index))
        facts |= {"question": question, **asked.facts}
        return Sample(self.id(index), image, asked.question, asked.target, facts)

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

    def _question(self, index: int) -> tuple[str, Form, float]:
        """What is asked, in which form, and by how much the hour hand is wrong.

        Draws of its own: a clock that is asked something else looks the same.
        """
        rng = Rng(self.name, "question", index)
        question, form = rng.choice(self.questions), rng.choice(self.forms)
        wrong = question == "valid" and rng.chance(self.invalid)
        off_by = rng.choice((-1, 1)) * rng.uniform(*self.off_by) if wrong else 0.0
        return question, form, off_by

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
        check_names("questions", self.questions, QUESTIONS)
        check_names("forms", self.forms, FORMS)
        check_names("split_by", [self.split_by], ("style", "time", "none"))

    def _check_numbers(self) -> None:
        _check_range("size", self.sizes, 64, 2048)
        _check_range("dial_size", self.dial_size, 0.4, 1)
        _check_range("off_by", self.off_by, 5, 15)
        for name, most in (
            ("rotation", 30), ("perspective", STEEPEST), ("offset", 1), ("second_hand", 1),
            ("ask_seconds", 1), ("minute_track", 1), ("shadow", 1), ("invalid", 1),
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


def _face(meaning: _Meaning, look: Look, form: Form = "digits", off_by: float = 0.0) -> Face:
    edge = np.clip(look.pose(outline(look.style.dial, RIM)), 0, look.size)
    (x1, y1), (x2, y2) = edge.min(0).tolist(), edge.max(0).tolist()
    asked = meaning.asked and form != "words"
    return Face(meaning.seconds, asked, form, off_by, (x1, y1, x2, y2))


def _written(meaning: _Meaning) -> str:
    minute, second = divmod(meaning.seconds, 60)
    return f"{minute // 60 or 12:02}:{minute % 60:02}" + (f":{second:02}" if meaning.asked else "")
