"""Questions about a face: what its description asks for, and the answers from its value."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from gnomon.files import read_toml
from gnomon.generators.faces.description import DrawnFace, FaceDescription, FaceReading
from gnomon.generators.faces.expressions import evaluate
from gnomon.generators.faces.scale_questions import SCALE_QUESTIONS, Limits
from gnomon.generators.faces.track import Track
from gnomon.generators.faces.window import Window
from gnomon.sample import Number, Time

_MINUTE = 60
QUESTIONS = ("read", "part", *SCALE_QUESTIONS, "where", "find")
_WORDS = read_toml(__file__, "questions.toml")


def answer_of(reading: FaceReading, face: DrawnFace) -> Number | Time:
    """Return the answer for a reading: a multiple of its step, with its tolerance."""
    number = evaluate(reading.drive or "value", face.quantities)
    if reading.answer == "time":
        seconds = math.floor(number % (3600 * reading.hours))
        has_seconds = _has_seconds(reading)
        return Time(seconds if has_seconds else seconds // 60 * 60, reading.hours, has_seconds)
    return number_of(reading, face)


def number_of(reading: FaceReading, face: DrawnFace) -> Number:
    """Return the answer for a reading that is a number."""
    number = evaluate(reading.drive or "value", face.quantities)
    if reading.parts is not None:
        return _between_ticks(reading, face)
    step = _step(reading, face)
    steps = number / Fraction(step)
    whole = math.floor(steps + (Fraction(1, 2) if reading.round == "nearest" else 0))
    cycle = Decimal(repr(reading.cycle)) if reading.cycle else Decimal(0)
    value = whole * step
    if cycle:
        value %= cycle
    within = step if reading.within is None else Decimal(repr(reading.within))
    return Number(
        _with_places(value, step), _unit(reading, face.head.unit), _plain(within), _plain(cycle),
        reading.digits,
    )  # fmt: skip


def _between_ticks(reading: FaceReading, face: DrawnFace) -> Number:
    """Return the answer, rounded to parts of the gap between the ticks around the pointer."""
    mount = face.pointer_of(reading)
    assert mount is not None
    assert isinstance(mount.track, Track)
    first, last = mount.track.graduation.around(mount.scale_number)
    assert reading.parts is not None
    part = (last - first) / reading.parts
    parts = math.floor((Decimal(repr(mount.scale_number)) - first) / part + Decimal("0.5"))
    half = (last - first) / 2
    within = half if reading.within is None else Decimal(repr(reading.within))
    cycle = Decimal(repr(reading.cycle))
    value = first + parts * part
    return Number(
        _plain(value % cycle if cycle else value), _unit(reading, face.head.unit), _plain(within),
        _plain(cycle),
    )  # fmt: skip


def wordings(
    description: FaceDescription, question: str, reading: FaceReading, limits: Limits | None = None
) -> list[str]:
    """Return the wordings of a question. `limits` are the ends of the range that it asks about."""
    head = description.head
    table = _WORDS["times" if reading.answer == "time" else "wordings"]
    texts = head.questions.get(question) or table[question]  # type: ignore[call-overload]
    unit = _unit(reading, head.unit)
    filled = []
    for text in texts:
        if not unit:
            text = text.replace("in {unit}", "with a number").replace(" {unit}", "")
        unit_words = _WORDS["unit"].get(unit, unit)
        if reading.answer == "time" and _has_seconds(reading):
            text = text.replace("HH:MM", "HH:MM:SS")
        low, high = (f"{limit:f}" for limit in limits) if limits else ("", "")
        filled.append(
            text.format(name=head.name, part=reading.words, unit=unit_words, low=low, high=high)
        )
    return filled


def _step(reading: FaceReading, face: DrawnFace) -> Decimal:
    if reading.step is not None:
        return Decimal(repr(reading.step))
    part = None if reading.part is None else face.part(reading.part).part
    return Decimal(1).scaleb(-part.decimals) if isinstance(part, Window) else Decimal(1)


def _has_seconds(reading: FaceReading) -> bool:
    return (reading.step or 1) < _MINUTE


def _unit(reading: FaceReading, unit: str) -> str:
    return unit if reading.unit is None else reading.unit


def _with_places(value: Decimal, step: Decimal) -> Decimal:
    """Round a number to the decimal places of the step."""
    exponent = step.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return value.quantize(Decimal(1).scaleb(min(0, exponent)))


def _plain(value: Decimal) -> Decimal:
    short = value.normalize()
    exponent = short.as_tuple().exponent
    return short.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else short
