"""Times of day: the exact answer, the form of a time, its three styles, and users' labels."""

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeAlias

from gnomon.answers.base.target import AnswerForm, DrawSteps, Size, Target
from gnomon.answers.reading.number_words import SMALL, TENS

Form: TypeAlias = Literal["digits", "words", "json"]
FORMS: tuple[Form, ...] = ("digits", "words", "json")
Hms: TypeAlias = tuple[int, int, int | None]
"""Hour, minute, and second or None."""


@dataclass(frozen=True, slots=True)
class TimeForm(AnswerForm):
    """Form of a time: the hours of the dial, and the style of writing."""

    name: ClassVar[str] = "time"

    hours: Literal[12, 24] = 12
    """Hours that the dial tells apart."""
    style: Form = "digits"
    """Style of the answer, as in `Time.form`."""

    @property
    def type_name(self) -> str:
        """Type by the dial, because dials of 12 and of 24 hours are never averaged together."""
        return "time" if self.hours == 12 else "time24"

    @property
    def period(self) -> float:
        """Minutes of the dial."""
        return 60.0 * self.hours

    def read_back(self, text: str, dialect: Any = None, size: Size | None = None) -> "Time | None":
        """Read a time in this style, with or without seconds."""
        hms = parse_formatted(text, self.style, self.hours)
        if hms is None:
            return None
        hour, minute, second = hms
        seconds = hour % self.hours * 3600 + minute * 60 + (second or 0)
        return Time(seconds, self.hours, second is not None, self.style)

    def pattern(self, dialect: Any) -> str | None:
        """Pattern of the times of this dial, with or without seconds."""
        if self.style == "words":
            return f"({'|'.join(time.write() for time in self.possible_answers())})"
        if self.style == "digits":
            hour = "(0[1-9]|1[0-2])" if self.hours == 12 else "([01][0-9]|2[0-3])"
            return f"{hour}:[0-5][0-9](:[0-5][0-9])?"
        # JSON numbers have no leading zeros.
        hour = "([1-9]|1[0-2])" if self.hours == 12 else "(1?[0-9]|2[0-3])"
        minute, second = (f', "{name}": [1-5]?[0-9]' for name in ("minutes", "seconds"))
        return rf'\{{"hours": {hour}{minute}({second})?\}}'

    def possible_answers(self) -> tuple["Time", ...]:
        """Whole minutes of the dial, from 12:00 or 0:00 on."""
        return tuple(
            Time(60 * minute, self.hours, form=self.style) for minute in range(60 * self.hours)
        )

    def to_json(self) -> dict[str, Any]:
        """Describe the form by midnight."""
        return Time(0, self.hours, form=self.style).to_json()


@dataclass(frozen=True, slots=True)
class Time(Target):
    """A time of day as a clock shows it, in whole seconds from midnight (or from twelve)."""

    name: ClassVar[str] = "time"
    form_type: ClassVar[type[AnswerForm]] = TimeForm
    has_steps: ClassVar[bool] = True

    seconds: int
    hours: Literal[12, 24] = 12
    """Hours that the dial tells apart; a 12-hour clock cannot show 22:08."""
    shows_seconds: bool = False
    """True if the answer has a seconds field."""
    form: Form = "digits"
    """Form of the answer: 10:08, "eight minutes past ten", or {"hours": 10, "minutes": 8}."""

    def __post_init__(self) -> None:
        if self.hours not in (12, 24):
            raise ValueError(f"hours={self.hours!r}: give 12 or 24")
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r}: give one of {', '.join(FORMS)}")
        if self.form == "words" and (self.hours == 24 or self.shows_seconds):
            raise ValueError("form='words': only 12-hour times without seconds can be in words")
        if not 0 <= self.seconds < self.hours * 3600:
            raise ValueError(f"seconds={self.seconds!r}: outside a {self.hours}-hour day")
        if not self.shows_seconds and self.seconds % 60:
            raise ValueError(
                f"seconds={self.seconds!r} is not a whole minute: round it, or set"
                " shows_seconds=True"
            )

    @property
    def answer_form(self) -> TimeForm:
        """Form of the same dial and style."""
        return TimeForm(self.hours, self.form)

    @property
    def hms(self) -> tuple[int, int, int | None]:
        """Hour, minute and second as written: 12, not 0, at the top of a 12-hour dial."""
        hour, rest = divmod(self.seconds, 3600)
        minute, second = divmod(rest, 60)
        if self.hours == 12 and hour == 0:
            hour = 12
        return hour, minute, second if self.shows_seconds else None

    @classmethod
    def from_label(cls, value: Any, columns: Any, size: Size | None) -> Self:
        """Parse 10:08, 10:08:30 or 10:08 pm."""
        seconds, shows_seconds = parse_label(str(value), columns.hours)
        if columns.seconds == "drop":
            return cls(seconds - seconds % 60, columns.hours)
        return cls(seconds, columns.hours, shows_seconds)

    @classmethod
    def form_of_labels(cls, columns: Any) -> TimeForm:
        """Form of the column's dial."""
        return TimeForm(columns.hours)

    def write(self, dialect: Any = None, size: Size | None = None) -> str:
        """Write the time in its style."""
        return format_time(self.hms, self.form)

    def neighbour(self, draw_steps: DrawSteps, size: Size | None = None) -> Self:
        """Move the time round the dial by minutes, or by seconds if the answer has them."""
        step = 1 if self.shows_seconds else 60
        seconds = (self.seconds + step * draw_steps(None)) % (3600 * self.hours)
        return replace(self, seconds=seconds)

    def display(self) -> str:
        """Hours, minutes and seconds with colons."""
        return ":".join(f"{part:02}" for part in self.hms if part is not None)


# Patterns of the texts that `format_time` writes.
_DIGITS = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_JSON = re.compile(
    r'\{"hours": (\d{1,2}), "minutes": (\d{1,2})(?:, "seconds": (\d{1,2}))?\}', re.ASCII
)
_ONES = tuple(SMALL)


def format_time(hms: Hms, form: Form) -> str:
    """Write a time in that style. Words leave the seconds out."""
    hour, minute, second = hms
    if form == "words":
        return _in_words(hour, minute)
    if form == "json":
        fields = {"hours": hour, "minutes": minute, "seconds": second}
        return json.dumps({name: value for name, value in fields.items() if value is not None})
    return f"{hour:02}:{minute:02}" + ("" if second is None else f":{second:02}")


def parse_formatted(text: str, form: Form, hours: int) -> Hms | None:
    """Read a time that `format_time` wrote in that style, on a clock of 12 or 24 hours."""
    if form == "words":
        return _times_in_words().get(text)
    match = (_JSON if form == "json" else _DIGITS).fullmatch(text)
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups())
    # A 12-hour clock does not show hour 0, and a 24-hour clock does not show hour 24.
    first, last = (1, 12) if hours == 12 else (0, 23)
    if not first <= hour <= last or minute > 59 or second > 59:
        return None
    return hour, minute, second if match[3] is not None else None


def number_in_words(number: int) -> str:
    """Write a number from 0 to 59 in words."""
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    word = [*TENS][tens - 2]
    return f"{word}-{_ONES[ones]}" if ones else word


def _in_words(hour: int, minute: int) -> str:
    """Write a time as it is spoken: up to the half past the hour, then to the next hour."""
    hour_word, next_hour = number_in_words(hour), number_in_words(hour % 12 + 1)
    if minute == 0:
        return f"{hour_word} o'clock"
    if minute <= 30:
        return f"{_minutes(minute)} past {hour_word}"
    return f"{_minutes(60 - minute)} to {next_hour}"


def _minutes(minute: int) -> str:
    if minute in (15, 30):
        return "quarter" if minute == 15 else "half"
    number = number_in_words(minute)
    # People say "ten past", but "eight minutes past".
    return number if minute % 5 == 0 else f"{number} minute{'s' if minute > 1 else ''}"


@cache
def _times_in_words() -> dict[str, Hms]:
    times = [(hour, minute, None) for hour in range(1, 13) for minute in range(60)]
    return {format_time(time, "words"): time for time in times}


# 10:08, 10:08:30 PM, 10h08 or 10h08min30. A label must be clearer than a model's answer.
_TIME = re.compile(
    r"""(?P<hour>\d{1,2})
    (?: :(?P<minute>\d{2}) (?: :(?P<second>\d{2}) )? (?: \ ?(?P<half>[ap])\.?m\.? )?
      | \ ?h\ ?(?P<after_h>\d{2}) (?: \ ?m(?:in)? (?: \ ?(?P<after_m>\d{2})(?:\ ?s)? )? )?
    )""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)


def parse_label(text: str, hours: int) -> tuple[int, bool]:
    """Parse a label to seconds on the clock, and to True if the label has seconds."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a time such as 10:08 or 10:08:30")
    # French has the minutes after an h, and the seconds after an m.
    hour, minute = int(match["hour"]), int(match["minute"] or match["after_h"])
    seconds = match["second"] or match["after_m"]
    second, half = int(seconds or 0), match["half"]
    if hour > 23 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        raise ValueError(f"{text!r} is not a time that a clock shows")
    if half:
        hour = hour % 12 + 12 * (half in "pP")
    return hour % hours * 3600 + minute * 60 + second, seconds is not None
