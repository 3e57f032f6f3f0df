"""Questions about clocks. Every answer follows from the drawing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from gnomon.files import read_toml
from gnomon.generators.clock.face import ClockFace
from gnomon.generators.rng import Rng
from gnomon.generators.wording import alternatives, duration
from gnomon.sample import Box, Form, Number, Target, Text

_WORDS = read_toml(__file__, "questions.toml")
WHERE: str = _WORDS["where"]
VERDICTS = ("valid", "invalid")
# Tolerance in degrees, because each of two hands can be measured to a quarter of a degree.
_SEEN_TO = Decimal("0.5")


class ClockQuestion(NamedTuple):
    """Question with its answer and further facts."""

    question: str
    target: Target
    facts: Mapping[str, Any] = MappingProxyType({})


def ask(
    question: str, faces: Sequence[ClockFace], about: int, rng: Rng, *, mirrored: bool
) -> ClockQuestion:
    """Ask about one clock or several. Facts that the viewer must know come first."""
    several, step = len(faces) > 1, max(face.step for face in faces)
    before = f"The picture shows {'clocks' if several else 'a clock'} in a mirror. " * mirrored
    if step > 1:
        what = "A clock with one hand" if several else "The clock"
        before += f"{what} has an hour hand alone, and shows a multiple of {step} minutes. "
    if question in TOGETHER:
        answer = TOGETHER[question](faces, rng)
    else:
        before += f"Look at the {PLACES[len(faces)][about]} clock. " * several
        before += "Clockwise is meant as on the clock itself. " * (mirrored and question == "move")
        answer = ASK[question](faces[about], rng)
    return answer._replace(question=before + answer.question)


def read_question(form: Form, *, to_seconds: bool) -> str:
    """Return the plainest wording that asks for a time in this form."""
    return _read_questions(form, to_seconds=to_seconds)[0]


def _read_questions(form: Form, *, to_seconds: bool) -> list[str]:
    if form == "digits":
        texts: list[str] = _WORDS["read"]
        return [t.replace("HH:MM", "HH:MM:SS") for t in texts] if to_seconds else texts
    how = _WORDS["seconds" if to_seconds else "minutes"][form]
    return [f"{text} {how}" for text in _WORDS["read_otherwise"]]


def _format_hint(face: ClockFace) -> str:
    """Return the sentence that says how to write a time."""
    how: str = _WORDS["seconds" if face.with_seconds else "minutes"][face.form]
    return how


def _read(face: ClockFace, rng: Rng) -> ClockQuestion:
    text = rng.choice(_read_questions(face.form, to_seconds=face.with_seconds))
    return ClockQuestion(text, face.time())


def _shift(face: ClockFace, rng: Rng) -> ClockQuestion:
    """Ask for the time a duration later or earlier, up to a turn of the hour hand."""
    # Half of them within the hour.
    minutes = rng.integer(1, 59) if rng.chance(0.5) else rng.integer(1, 60 * face.hours - 1)
    ahead = rng.chance(0.5)
    span = duration(minutes)
    text = f"What time will it be in {span}?" if ahead else f"What time was it {span} ago?"
    shift = 60 * (minutes if ahead else -minutes)
    return ClockQuestion(f"{text} {_format_hint(face)}", face.time(shift), {"minutes": shift // 60})


def _zone(face: ClockFace, rng: Rng) -> ClockQuestion:
    """Ask for the time of another place, whole or half hours away."""
    # From one hour on, in halves, as time zones are.
    minutes = 30 * rng.integer(2, 2 * face.hours - 1)
    ahead = rng.chance(0.5)
    text = _WORDS["zone"].format(shift=f"{duration(minutes)} {'ahead' if ahead else 'behind'}")
    return ClockQuestion(
        f"{text} {_format_hint(face)}", face.time(60 * (minutes if ahead else -minutes))
    )


def _move(face: ClockFace, rng: Rng) -> ClockQuestion:
    """Ask for the time after a hand is turned, which moves the other hands along."""
    ahead = rng.chance(0.5)
    if rng.chance(0.5):
        minutes = rng.integer(1, 59)
        hand, degrees = "minute", 6.0 * minutes
    else:
        # Half hours, so the degrees are whole.
        halves = rng.integer(1, 2 * face.hours - 1)
        hand, minutes, degrees = "hour", 30 * halves, 180 * halves / face.hours
    way = "clockwise" if ahead else "anticlockwise"
    text = _WORDS["move"].format(hand=hand, way=way, degrees=degrees)
    return ClockQuestion(
        f"{text} {_format_hint(face)}", face.time(60 * (minutes if ahead else -minutes))
    )


def _date(face: ClockFace, rng: Rng) -> ClockQuestion:
    assert face.day is not None
    text = f"{rng.choice(_WORDS['date'])} Answer with the number alone."
    return ClockQuestion(text, Number(Decimal(face.day)))


def _to_hour(face: ClockFace, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    return ClockQuestion(_WORDS["to_hour"], Number(Decimal(60 - face.seconds // 60 % 60)))


def _angle(face: ClockFace, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    """Ask for the angle. On a 12-hour dial, the hands part by 11/120 of a degree per second."""
    # Degrees that the minute hand moves away from the hour hand: 11/120 per second on 12 hours.
    ahead = face.seconds * (Fraction(1, 10) - Fraction(1, 10 * face.hours)) % 360
    # Degrees to a tenth, the shorter way round.
    tenths = round(10 * min(ahead, 360 - ahead))
    return ClockQuestion(_WORDS["angle"], Number(Decimal(tenths).scaleb(-1), "", _SEEN_TO))


def _valid(face: ClockFace, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    answer = Text(VERDICTS[bool(face.off_by)], VERDICTS)
    return ClockQuestion(_WORDS["valid"], answer, {"off_by": face.off_by})


def _where(face: ClockFace, rng: Rng) -> ClockQuestion:  # noqa: ARG001 - as all questions
    return ClockQuestion(WHERE, Box(*face.box), {"case_box": face.box})


def _later(faces: Sequence[ClockFace], rng: Rng) -> ClockQuestion:
    """Ask which of two random clocks shows the later time."""
    first = rng.integer(0, len(faces) - 2)
    second = rng.integer(first + 1, len(faces) - 1)
    names = PLACES[len(faces)]
    pair = names[first], names[second]
    half = "the same half of a day, which begins at 12:00"
    day = "the same day" if faces[0].hours == 24 else half
    # Clocks never show the same minute, so one of them is later.
    ahead = faces[second].seconds > faces[first].seconds
    text = _WORDS["later"].format(one=pair[0], other=pair[1], day=day)
    return ClockQuestion(text, Text(pair[ahead], pair))


def _which(faces: Sequence[ClockFace], rng: Rng) -> ClockQuestion:
    """Return True if all clocks show different minutes."""
    names = PLACES[len(faces)]
    index = rng.integer(0, len(faces) - 1)
    time = replace(faces[index].time(), form="digits").write()
    text = _WORDS["which"].format(time=time, names=alternatives(names))
    return ClockQuestion(text, Text(names[index], names))


def minutes_between(first: int, second: int, hours: int) -> ClockQuestion:
    """Ask for the minutes from one clock's time to the next occurrence of the other's time."""
    minutes = (second - first) // 60 % (60 * hours)
    return ClockQuestion(_WORDS["between"].format(hours=hours), Number(Decimal(minutes)))


# Questions about one clock.
ASK = {"read": _read, "shift": _shift, "zone": _zone, "move": _move, "to_hour": _to_hour,
       "angle": _angle, "valid": _valid, "date": _date, "where": _where}  # fmt: skip
# Questions about several clocks.
TOGETHER = {"later": _later, "which": _which}
QUESTIONS = (*ASK, *TOGETHER)
# The question about two clocks in separate pictures.
BETWEEN = "between"
# Names of clocks in a row, by their number.
PLACES = {1: ("",), 2: ("left", "right"), 3: ("left", "middle", "right")}
