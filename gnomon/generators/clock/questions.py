"""What can be asked of a clock beside what time it is; every answer follows from what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from gnomon.generators.rng import Rng
from gnomon.generators.wording import duration, listed
from gnomon.sample import Box, Form, Number, Target, Text, Time

_READ = (
    "What time does the clock show? Answer HH:MM.",
    "Read the clock. Answer HH:MM.",
    "What is the time on this clock? Answer as HH:MM.",
    "Which time do the hands show? Write it as HH:MM.",
)
VERDICTS = ("valid", "invalid")
_SEEN_TO = Decimal("0.5")
"""Degrees: each of two hands can be measured to a quarter of one."""
_ANSWER = {
    "digits": "Answer HH:MM.",
    "words": 'Answer in words, such as "ten past four".',
    "json": 'Answer as JSON: {"hours": ..., "minutes": ...}.',
}
_SECONDS = {"HH:MM": "HH:MM:SS", '"minutes": ...': '"minutes": ..., "seconds": ...'}


class Face(NamedTuple):
    """What a clock shows, as far as questions need it."""

    seconds: int
    """Since twelve, or since midnight."""
    hours: Literal[12, 24]
    asked: bool
    """Whether answers have seconds."""
    form: Form
    off_by: float
    """Degrees by which the hour hand is wrong; 0 on a clock that can be."""
    box: list[float]
    """Around the case."""
    day: int | None
    """What the date's window shows."""
    step: int
    """Minutes to which it is read; more than one where the hour hand is alone."""

    def time(self, later: int = 0) -> Time:
        """The time shown, or so many seconds later, as it is asked for."""
        seconds = self.seconds if self.asked else self.seconds // 60 * 60
        return Time((seconds + later) % (3600 * self.hours), self.hours, self.asked, self.form)

    @property
    def how(self) -> str:
        """How a time is to be written."""
        text = _ANSWER[self.form]
        for minutes, seconds in _SECONDS.items() if self.asked else ():
            text = text.replace(minutes, seconds)
        return text


class ClockQuestion(NamedTuple):
    """A question, its answer, and what else is known of it."""

    question: str
    target: Target
    facts: dict[str, Any]


def ask(
    question: str, faces: Sequence[Face], about: int, rng: Rng, *, mirrored: bool
) -> ClockQuestion:
    """The question of one of the clocks, or of several, after what has to be known of them."""
    several, step = len(faces) > 1, max(face.step for face in faces)
    before = f"The picture shows {'clocks' if several else 'a clock'} in a mirror. " * mirrored
    if step > 1:
        named = "A clock with one hand" if several else "The clock"
        before += f"{named} has an hour hand alone, and shows a multiple of {step} minutes. "
    if question in TOGETHER:
        asked = TOGETHER[question](faces, rng)
    else:
        before += f"Look at the {PLACES[len(faces)][about]} clock. " * several
        before += "Clockwise is meant as on the clock itself. " * (mirrored and question == "move")
        asked = ASK[question](faces[about], rng)
    return asked._replace(question=before + asked.question)


def _read(face: Face, rng: Rng) -> ClockQuestion:
    if face.form == "digits":
        text = rng.choice(_READ)
        return ClockQuestion(
            text.replace("HH:MM", "HH:MM:SS") if face.asked else text, face.time(), {}
        )
    text = rng.choice(("What time does the clock show?", "Read the clock.", "What time is it?"))
    return ClockQuestion(f"{text} {face.how}", face.time(), {})


def _shift(face: Face, rng: Rng) -> ClockQuestion:
    """A duration of a minute to a turn of the hour hand less one, added or taken away."""
    minutes = rng.integer(1, 59) if rng.chance(0.5) else rng.integer(1, 60 * face.hours - 1)
    ahead = rng.chance(0.5)
    said = duration(minutes)
    text = f"What time will it be in {said}?" if ahead else f"What time was it {said} ago?"
    shift = 60 * (minutes if ahead else -minutes)
    return ClockQuestion(f"{text} {face.how}", face.time(shift), {"minutes": shift // 60})


def _zone(face: Face, rng: Rng) -> ClockQuestion:
    """Another place's time, whole and half hours away."""
    minutes = 30 * rng.integer(2, 2 * face.hours - 1)
    ahead = rng.chance(0.5)
    said = f"{duration(minutes)} {'ahead' if ahead else 'behind'}"
    text = f"The clock shows the time of one city; another is {said}. What time is it there?"
    return ClockQuestion(f"{text} {face.how}", face.time(60 * (minutes if ahead else -minutes)), {})


def _move(face: Face, rng: Rng) -> ClockQuestion:
    """One hand is turned, and the works take the others along."""
    ahead = rng.chance(0.5)
    if rng.chance(0.5):
        minutes = rng.integer(1, 59)
        hand, degrees = "minute", 6.0 * minutes
    else:
        halves = rng.integer(1, 2 * face.hours - 1)
        hand, minutes, degrees = "hour", 30 * halves, 180 * halves / face.hours
    way = "clockwise" if ahead else "anticlockwise"
    text = (
        f"The {hand} hand is turned {way} by {degrees:g} degrees, and the rest moves with it"
        " as the works demand. What time does the clock show then?"
    )
    return ClockQuestion(f"{text} {face.how}", face.time(60 * (minutes if ahead else -minutes)), {})


def _date(face: Face, rng: Rng) -> ClockQuestion:
    assert face.day is not None
    text = rng.choice(
        ("Which day of the month does the clock show?", "What date is in the window?")
    )
    return ClockQuestion(f"{text} Answer with the number alone.", Number(Decimal(face.day)), {})


def _to_hour(face: Face, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    left = 60 - face.seconds // 60 % 60
    text = "How many minutes are left to the next full hour? Count from the minute that has begun."
    return ClockQuestion(text, Number(Decimal(left)), {})


def _angle(face: Face, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    """The minute hand runs away from the hour hand, by 11/120 of a degree a second in twelve."""
    ahead = face.seconds * (Fraction(1, 10) - Fraction(1, 10 * face.hours)) % 360
    tenths = round(10 * min(ahead, 360 - ahead))
    text = (
        "What is the smaller angle between the hour hand and the minute hand?"
        " Answer in degrees, to one decimal."
    )
    return ClockQuestion(text, Number(Decimal(tenths).scaleb(-1), "", _SEEN_TO), {})


def _valid(face: Face, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    verdict = VERDICTS[bool(face.off_by)]
    text = "Do the hour hand and the minute hand fit together? Answer valid or invalid."
    return ClockQuestion(text, Text(verdict, VERDICTS), {"off_by": face.off_by})


def _where(face: Face, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    box = Box(*face.box)
    return ClockQuestion("Where is the clock? Give its box.", box, {"case_box": face.box})


def _later(faces: Sequence[Face], rng: Rng) -> ClockQuestion:
    """Of two clocks; which of them are compared is drawn."""
    first = rng.integer(0, len(faces) - 2)
    second = rng.integer(first + 1, len(faces) - 1)
    names = PLACES[len(faces)]
    pair = names[first], names[second]
    day = (
        "the same day" if faces[0].hours == 24 else "the same half of a day, which begins at 12:00"
    )
    text = (
        f"The {pair[0]} and the {pair[1]} clock show times of {day}. Which of the two is later?"
        f" Answer {pair[0]} or {pair[1]}."
    )
    ahead = faces[second].seconds > faces[first].seconds
    return ClockQuestion(text, Text(pair[ahead], pair), {})


def _which(faces: Sequence[Face], rng: Rng) -> ClockQuestion:
    """No two of the clocks show the same minute."""
    names = PLACES[len(faces)]
    asked = rng.integer(0, len(faces) - 1)
    said = replace(faces[asked].time(), form="digits").written()
    text = f"Which clock shows {said}? Answer {listed(names)}."
    return ClockQuestion(text, Text(names[asked], names), {})


def between(first: int, second: int, hours: int) -> ClockQuestion:
    """The minutes from one clock's time, in seconds, to the next time that is the other's."""
    minutes = (second - first) // 60 % (60 * hours)
    text = (
        "The first picture shows a clock, and the second another at a later time. How many minutes"
        f" lie between the two times, if less than {hours} hours do?"
    )
    return ClockQuestion(text, Number(Decimal(minutes)), {})


ASK = {"read": _read, "shift": _shift, "zone": _zone, "move": _move, "to_hour": _to_hour,
       "angle": _angle, "valid": _valid, "date": _date, "where": _where}  # fmt: skip
"""Of one clock."""
TOGETHER = {"later": _later, "which": _which}
"""Of several."""
QUESTIONS = (*ASK, *TOGETHER)
BETWEEN = "between"
"""Of two clocks, each in a picture of its own."""
BOTH_HANDS = ("move", "angle", "valid")
"""What an hour hand alone cannot be asked."""
PLACES = {1: ("",), 2: ("left", "right"), 3: ("left", "middle", "right")}
"""What clocks that stand in a row are called."""
