"""A time of day, exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from gnomon.answers.target import Size, Target
from gnomon.answers.time import label
from gnomon.answers.time.writing import FORMS, Form, read, write

_HOURS = tuple(f"{hour}:00 to {hour}:59" for hour in range(24))


@dataclass(frozen=True, slots=True)
class Time(Target):
    """A time of day as a clock shows it, in whole seconds from midnight (or from twelve)."""

    name: ClassVar[str] = "time"
    histogram: ClassVar[str] = "times"
    bars: ClassVar[tuple[str, ...]] = _HOURS

    seconds: int
    hours: Literal[12, 24] = 12
    """How many hours the dial tells apart; a 12-hour clock cannot say 22:08."""
    shows_seconds: bool = False
    """Whether the answer has a seconds field."""
    form: Form = "digits"
    """How it is asked for: 10:08, "eight minutes past ten", or {"hours": 10, "minutes": 8}."""

    def __post_init__(self) -> None:
        if self.hours not in (12, 24):
            raise ValueError(f"hours={self.hours!r}: a clock has 12 or 24")
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r}: give one of {', '.join(FORMS)}")
        if self.form == "words" and (self.hours == 24 or self.shows_seconds):
            raise ValueError("form='words': only a 12-hour time without seconds is said in words")
        if not 0 <= self.seconds < self.hours * 3600:
            raise ValueError(f"seconds={self.seconds!r}: outside a {self.hours}-hour day")
        if not self.shows_seconds and self.seconds % 60:
            raise ValueError(
                f"seconds={self.seconds!r} is no whole minute: round it, or set shows_seconds=True"
            )

    @property
    def hms(self) -> tuple[int, int, int | None]:
        """Hour, minute, second as written: 12, not 0, at the top of a 12-hour dial."""
        hour, rest = divmod(self.seconds, 3600)
        minute, second = divmod(rest, 60)
        if self.hours == 12 and hour == 0:
            hour = 12
        return hour, minute, second if self.shows_seconds else None

    @property
    def answer_type(self) -> str:
        """Dials of 12 and of 24 hours are never averaged together."""
        return "time" if self.hours == 12 else "time24"

    def bar(self, size: Size | None) -> str:
        """The hour."""
        return _HOURS[self.hms[0]]

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """As 10:08, 10:08:30 or 10:08 pm."""
        seconds, shows_seconds = label.read(str(value), columns.hours)
        return cls(seconds, columns.hours, shows_seconds)

    def written(self, dialect: Any = None, size: Size | None = None) -> str:
        """In its own form."""
        return write(self.hms, self.form)

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> Self | None:
        """A time in the form of this one, on a clock of its hours."""
        found = read(text, self.form, self.hours)
        if found is None:
            return None
        hour, minute, second = found
        seconds = hour % self.hours * 3600 + minute * 60 + (second or 0)
        return replace(self, seconds=seconds, shows_seconds=second is not None)

    @property
    def form_of_question(self) -> Self:
        """Midnight on its dial."""
        return replace(self, seconds=0, shows_seconds=False)

    @property
    def listable(self) -> bool:
        """With seconds there are too many."""
        return not self.shows_seconds

    def possible(self) -> tuple[Self, ...]:
        """Every minute of the dial."""
        return tuple(replace(self, seconds=60 * minute) for minute in range(60 * self.hours))

    def shown(self) -> str:
        """Hours, minutes and seconds."""
        return ":".join(f"{part:02}" for part in self.hms if part is not None)
